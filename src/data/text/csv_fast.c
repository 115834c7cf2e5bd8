/* SPDX-License-Identifier: MIT */
/* The portable tier of CSV: the fast parser of processors without AVX2 or NEON, where
   it is 3 to 4 times faster than the strict parser in csv.c. On other processors the
   SIMD parser (simd_csv.c) reads most lines before it. It needs columns in the order of
   the schema: each cell is parsed where it is and becomes an entry at once. Anything
   unusual (any fault, doubled quotes, a number in quotes) is left to the strict parser,
   which knows all rules and messages. All parsers give equal rows. */
#include "data/schema/lookup.h"
#include "data/text/csv.h"
#include "data/text/number.h"

/* The text of a cell. */
struct cell {
  const char *text;
  size_t size;
};

static const char *skip_blanks(const char *at, char delimiter) {
  while ((*at == ' ' || *at == '\t') && *at != delimiter)
    ++at;
  return at;
}

/* Skips the end of a cell. `stop` is the delimiter or the line end that must follow.
   Returns NULL if something else follows. */
static inline const char *end_cell(const char *at, char delimiter, char stop) {
  if (*at == stop) return at + 1;
  at = skip_blanks(at, delimiter);
  if (*at == stop) return at + 1;
  if (stop == '\n' && *at == '\r' && at[1] == '\n') return at + 2;
  return NULL;
}

static inline uint64_t mark(const char *at, char wanted) {
  uint64_t word = tacit_chars(at);
  return tacit_bytes_equal(word, (unsigned char)wanted) | tacit_bytes_equal(word, '\n');
}

/* Finds a character, or the end of the line, sixteen characters at a time. Most cells
   are shorter, and no branch depends on the position. */
static inline const char *find(const char *at, char wanted) {
  for (;; at += 16) {
    uint64_t first = mark(at, wanted), second = mark(at + 8, wanted);
    if ((first | second) == 0) continue;
    uint64_t none = first == 0;
    first |= second & (0 - none);
    return at + 8 * none + tacit_chars_before(first);
  }
}

static const char *quoted_cell(const char *at, char delimiter, char stop,
                               struct cell *out) {
  const char *close = find(at + 1, '"');
  if (*close != '"' || close[1] == '"') return NULL;
  *out = (struct cell){at + 1, (size_t)(close - at - 1)};
  return end_cell(close + 1, delimiter, stop);
}

/* Reads a cell as text; `at` must be its first character that is not a blank. Returns
   where the next cell begins, or NULL for anything unusual. */
static inline const char *text_cell(const char *at, char delimiter, char stop,
                                    struct cell *out) {
  if (*at == '"') return quoted_cell(at, delimiter, stop, out);
  const char *end = find(at, delimiter), *last = end;
  if (*end != stop) return NULL;
  if (stop == '\n' && last > at && last[-1] == '\r') --last;
  while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
    --last;
  *out = (struct cell){at, (size_t)(last - at)};
  return end + 1;
}

/* Returns 1 if a cell without quotes contains a quote, although quotes must tell
   records apart. */
static int is_ambiguous(const tacit_schema *schema, const char *at,
                        const struct cell *cell) {
  return schema->quoted_newlines && *at != '"' && cell->size > 0 &&
         memchr(cell->text, '"', cell->size) != NULL;
}

static inline const char *number_cell(const tacit_parse *parse, const char *at,
                                      char stop, double *out) {
  const char *end = tacit_number_fast(at, out);
  if (end == NULL) end = tacit_number_take(at, parse->c_locale, out);
  return end != NULL ? end_cell(end, parse->schema->delimiter, stop) : NULL;
}

/* Adds a cell of a numeric column; `at` must be its first character that is not a
   blank. Returns where the next cell begins, or NULL for anything unusual. */
static inline const char *numeric_cell(const tacit_parse *parse,
                                       const tacit_column *column, const char *at,
                                       char stop, tacit_rows *rows, size_t *count) {
  double value;
  const char *next = number_cell(parse, at, stop, &value);
  if (next != NULL) {
    *count = tacit_curve_put(&column->curve, column->first, value, rows, *count);
    return next;
  }
  struct cell cell;
  next = text_cell(at, parse->schema->delimiter, stop, &cell);
  if (next == NULL || !tacit_schema_is_missing(parse->schema, cell.text, cell.size) ||
      tacit_cell_missing(column, rows, count) != NULL)
    return NULL;
  return next;
}

static const char *label_cell(const tacit_parse *parse, const char *at, char stop,
                              double *out) {
  const tacit_schema *schema = parse->schema;
  if (parse->labels && schema->label_kind == TACIT_LABEL_NUMBER)
    return number_cell(parse, at, stop, out);
  if (parse->labels && schema->label_rule != TACIT_RULE_NAME) {
    if (schema->label_rule == TACIT_RULE_IS)
      return NULL; /* the strict parser answers
                      this rule */
    double value;
    at = number_cell(parse, at, stop, &value);
    if (at == NULL) return NULL;
    int is_true = schema->label_rule == TACIT_RULE_ABOVE ? value > schema->label_cut
                                                         : value < schema->label_cut;
    *out = tacit_schema_class_label(schema, (size_t)is_true);
    return at;
  }
  struct cell cell;
  const char *begin = at;
  at = text_cell(at, schema->delimiter, stop, &cell);
  if (at != NULL && is_ambiguous(schema, begin, &cell)) return NULL;
  if (at == NULL || !parse->labels) return at;
  const tacit_lookup_slot *slot =
      tacit_lookup_find(schema->class_lookup, cell.text, cell.size);
  if (slot == NULL || (schema->skips_missing_label &&
                       tacit_schema_is_missing(schema, cell.text, cell.size)))
    return NULL;
  *out = tacit_schema_class_label(schema, slot->number);
  return at;
}

/* Adds the id of a row. Returns 0 if it is missing. */
static int take_id(const tacit_schema *schema, const struct cell *cell,
                   tacit_rows *rows) {
  tacit_unit *unit = rows->units != NULL ? &rows->units[rows->view.n_rows] : NULL;
  if (unit != NULL && (tacit_schema_is_missing(schema, cell->text, cell->size) ||
                       !tacit_unit_take(cell->text, cell->size, unit)))
    return 0;
  /* the strict parser reports that memory ran out */
  return rows->id_start == NULL ||
         tacit_rows_put_id(rows, 0, cell->text, cell->size, NULL) == TACIT_OK;
}

int tacit_csv_put_text(tacit_parse *parse, const tacit_column *column, const char *text,
                       size_t size, tacit_rows *rows, size_t *count) {
  const tacit_schema *schema = parse->schema;
  const struct cell cell = {text, size};
  if (column->type == TACIT_COLUMN_UNIT) return take_id(schema, &cell, rows);
  const char *fault =
      tacit_csv_is_missing(schema, column, text, size)
          ? tacit_cell_missing(column, rows, count)
          : tacit_cell_text(schema, column, text, size, &parse->work, rows, count);
  return fault == NULL;
}

/* Adds a cell that is a text. Returns where the next cell begins. Returns NULL for
   anything unusual, or if memory runs out, which the strict parser reports. */
static inline const char *text_column(tacit_parse *parse, const tacit_column *column,
                                      const char *at, char stop, tacit_rows *rows,
                                      size_t *count) {
  const tacit_schema *schema = parse->schema;
  struct cell cell;
  const char *begin = at;
  at = text_cell(at, schema->delimiter, stop, &cell);
  if (at == NULL || is_ambiguous(schema, begin, &cell)) return NULL;
  if (column->type == TACIT_COLUMN_CATEGORY) {
    const tacit_lookup_slot *slot =
        tacit_lookup_find(column->lookup, cell.text, cell.size);
    size_t place = slot != NULL ? slot->number : column->n_values;
    *count = tacit_rows_put(rows, *count, column->first + place, 1);
    return at;
  }
  return tacit_csv_put_text(parse, column, cell.text, cell.size, rows, count) ? at
                                                                              : NULL;
}

const char *tacit_csv_fast(tacit_parse *parse, const char *at, tacit_rows *rows) {
  const tacit_csv_layout *layout = parse->layout;
  const tacit_schema *schema = parse->schema;
  char delimiter = schema->delimiter;
  size_t n_fields = layout->n_fields;
  double label = 0, weight = 1;
  /* The strict parser tests first whether a number means "missing". */
  if (!layout->in_order || layout->na_is_number) return NULL;
  size_t count = rows->n_entries;
  for (size_t i = 0; i < n_fields; ++i) {
    const tacit_column *column = layout->column_at[i];
    char stop = i + 1 == n_fields ? '\n' : delimiter;
    if (*at == ' ' || *at == '\t') at = skip_blanks(at, delimiter);
    if (column == NULL) {
      at = label_cell(parse, at, stop, &label);
      if (at == NULL) return NULL;
      continue;
    }
    if (column->type == TACIT_COLUMN_WEIGHT && rows->weights != NULL) {
      at = number_cell(parse, at, stop, &weight);
      if (at == NULL || !(weight >= 0)) return NULL;
      weight = tacit_csv_weight(schema, weight);
      continue;
    }
    at = column->type == TACIT_COLUMN_NUMERIC
             ? numeric_cell(parse, column, at, stop, rows, &count)
             : text_column(parse, column, at, stop, rows, &count);
    if (at == NULL) return NULL;
  }
  if (schema->n_crosses > 0 &&
      tacit_cell_crosses(schema, rows->n_entries, &parse->work, rows, &count) != NULL)
    return NULL;
  rows->n_entries = count;
  if (rows->weights != NULL) rows->weights[rows->view.n_rows] = weight;
  tacit_rows_end(rows, label);
  return at;
}
