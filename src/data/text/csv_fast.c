/* SPDX-License-Identifier: MIT */
/* CSV records in one pass, for files whose columns stand as the schema has them: each
   cell is read where it stands and becomes an entry at once. Everything that is out of
   the ordinary - a fault of any kind, doubled quotes, a number in quotes - is left to
   csv.c, which knows all rules and all messages. What is read here is what csv.c reads.
 */
#include "data/schema/lookup.h"
#include "data/text/csv.h"
#include "data/text/number.h"

/* What the cell at hand is followed by, and the text in it. */
struct cell {
  const char *raw_text;
  size_t size;
};

static const char *skip_blanks(const char *raw_at, char delimiter) {
  while ((*raw_at == ' ' || *raw_at == '\t') && *raw_at != delimiter)
    ++raw_at;
  return raw_at;
}

/* Behind the delimiter, or behind the end of the line; `stop` says which is due. */
static inline const char *end_cell(const char *raw_at, char delimiter, char stop) {
  if (*raw_at == stop) return raw_at + 1;
  raw_at = skip_blanks(raw_at, delimiter);
  if (*raw_at == stop) return raw_at + 1;
  if (stop == '\n' && *raw_at == '\r' && raw_at[1] == '\n') return raw_at + 2;
  return NULL;
}

static inline uint64_t mark(const char *raw_at, char wanted) {
  uint64_t raw_word = tacit_chars(raw_at);
  return tacit_bytes_equal(raw_word, (unsigned char)wanted) |
         tacit_bytes_equal(raw_word, '\n');
}

/* The first place of a character or of the end of the line, sixteen at a time: most
   cells end within that, and there is no branch on where. */
static inline const char *find(const char *raw_at, char wanted) {
  for (;; raw_at += 16) {
    uint64_t raw_first = mark(raw_at, wanted), raw_second = mark(raw_at + 8, wanted);
    if ((raw_first | raw_second) == 0) continue;
    uint64_t raw_none = raw_first == 0;
    raw_first |= raw_second & (0 - raw_none);
    return raw_at + 8 * raw_none + tacit_chars_before(raw_first);
  }
}

static const char *quoted_cell(const char *raw_at, char delimiter, char stop,
                               struct cell *out) {
  const char *raw_close = find(raw_at + 1, '"');
  if (*raw_close != '"' || raw_close[1] == '"') return NULL;
  *out = (struct cell){raw_at + 1, (size_t)(raw_close - raw_at - 1)};
  return end_cell(raw_close + 1, delimiter, stop);
}

/* A cell as text, from its first character that is not a blank. */
static inline const char *text_cell(const char *raw_at, char delimiter, char stop,
                                    struct cell *out) {
  if (*raw_at == '"') return quoted_cell(raw_at, delimiter, stop, out);
  const char *raw_stop = find(raw_at, delimiter), *raw_last = raw_stop;
  if (*raw_stop != stop) return NULL;
  if (stop == '\n' && raw_last > raw_at && raw_last[-1] == '\r') --raw_last;
  while (raw_last > raw_at && (raw_last[-1] == ' ' || raw_last[-1] == '\t'))
    --raw_last;
  *out = (struct cell){raw_at, (size_t)(raw_last - raw_at)};
  return raw_stop + 1;
}

static inline const char *number_cell(const tacit_parse *parse, const char *raw_at,
                                      char stop, double *raw_out) {
  const char *raw_stop = tacit_number_quick(raw_at, raw_out);
  if (raw_stop == NULL) raw_stop = tacit_number_take(raw_at, parse->c_locale, raw_out);
  return raw_stop != NULL ? end_cell(raw_stop, parse->schema->delimiter, stop) : NULL;
}

/* A numeric column, from the first character that is not a blank. */
static inline const char *numeric_cell(const tacit_parse *parse,
                                       const tacit_column *column, const char *raw_at,
                                       char stop, double *raw_out) {
  double raw_value = column->missing;
  const char *raw_next = number_cell(parse, raw_at, stop, &raw_value);
  if (raw_next == NULL && column->has_missing) {
    raw_next = end_cell(raw_at, parse->schema->delimiter, stop);
    raw_value = column->missing;
  }
  *raw_out = tacit_column_map(column, raw_value);
  return raw_next;
}

static const char *label_cell(const tacit_parse *parse, const char *raw_at, char stop,
                              double *raw_out) {
  const tacit_schema *schema = parse->schema;
  if (parse->labels && schema->label_kind == TACIT_LABEL_NUMBER)
    return number_cell(parse, raw_at, stop, raw_out);
  struct cell cell;
  raw_at = text_cell(raw_at, schema->delimiter, stop, &cell);
  if (raw_at == NULL || !parse->labels) return raw_at;
  const tacit_lookup_slot *slot =
      tacit_lookup_find(schema->class_lookup, cell.raw_text, cell.size);
  if (slot == NULL) return NULL;
  *raw_out = tacit_schema_class_label(schema, slot->number);
  return raw_at;
}

/* A column that is a 1 in one of its slots, or nothing at all (*raw_value is 0). */
static inline const char *slot_cell(tacit_parse *parse, const tacit_column *column,
                                    const char *raw_at, char stop, size_t *raw_slot,
                                    double *raw_value) {
  struct cell cell;
  raw_at = text_cell(raw_at, parse->schema->delimiter, stop, &cell);
  if (raw_at == NULL) return NULL;
  *raw_value = 1;
  if (column->type == TACIT_COLUMN_CATEGORY) {
    const tacit_lookup_slot *slot =
        tacit_lookup_find(column->lookup, cell.raw_text, cell.size);
    *raw_slot = slot != NULL ? slot->number : column->n_values;
  } else if (column->type == TACIT_COLUMN_HASHED) {
    tacit_status status =
        tacit_csv_hash(parse, column, cell.raw_text, cell.size, raw_slot, NULL);
    if (status != TACIT_OK) return NULL; /* no memory: told by the careful way */
  } else {
    *raw_value = 0;
  }
  return raw_at;
}

const char *tacit_csv_quick(tacit_parse *parse, const char *raw_at, tacit_rows *rows) {
  const tacit_csv_layout *layout = parse->layout;
  char delimiter = parse->schema->delimiter;
  size_t n_fields = layout->n_fields;
  double raw_label = 0;
  if (!layout->in_order) return NULL;
  size_t raw_count = rows->n_entries;
  int64_t raw_credit = tacit_bulk_begin(&parse->bulk);
  for (size_t i = 0; i < n_fields; ++i) {
    if (raw_credit >= 0 && layout->run_end[i] > i + 1) {
      tacit_bulk bulk = {raw_at, raw_count, 0};
      i = tacit_bulk_csv(&bulk, &layout->map, i, layout->run_end[i], delimiter, rows);
      raw_credit += tacit_bulk_gain(&bulk, raw_at);
      raw_at = bulk.raw_at;
      raw_count = bulk.raw_count;
    }
    const tacit_column *column = layout->column_at[i];
    char stop = i + 1 == n_fields ? '\n' : delimiter;
    if (*raw_at == ' ' || *raw_at == '\t') raw_at = skip_blanks(raw_at, delimiter);
    if (column == NULL) {
      raw_at = label_cell(parse, raw_at, stop, &raw_label);
      if (raw_at == NULL) return NULL;
      continue;
    }
    size_t raw_slot = 0;
    double raw_value = 0;
    raw_at = column->type == TACIT_COLUMN_NUMERIC
                 ? numeric_cell(parse, column, raw_at, stop, &raw_value)
                 : slot_cell(parse, column, raw_at, stop, &raw_slot, &raw_value);
    if (raw_at == NULL) return NULL;
    raw_count = tacit_rows_put(rows, raw_count, column->first + raw_slot, raw_value);
  }
  tacit_bulk_end(raw_credit, &parse->bulk);
  rows->n_entries = raw_count;
  tacit_rows_end(rows, raw_label);
  return raw_at;
}
