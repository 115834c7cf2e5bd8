/* SPDX-License-Identifier: MIT */
/* Cells by their text, which are read by the strict parser of CSV, and the levels of
   dictionaries, each of which is read once. */
#include "data/table/levels.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { PADDED = 64, SHORT = 40, TEXTS = 64 };

static int is_blank(char letter) { return letter == ' ' || letter == '\t'; }

tacit_field tacit_tables_text(const tacit_parse *parse, const tacit_table *table,
                              size_t field, const tacit_column *column, int64_t cell,
                              char scratch[TACIT_CELL_BYTES]) {
  const tacit_schema *schema = parse->schema;
  const char *format =
      column != NULL && column->format != NULL ? column->format : "%Y-%m-%d";
  tacit_field text = tacit_cells_text(&table->columns[field], cell, table->spelling,
                                      format, parse->c_locale, scratch);
  const char *end = text.begin + text.size;
  int has_blanks = text.size > 0 && (is_blank(*text.begin) || is_blank(end[-1]));
  if (!has_blanks) return text;
  /* A cell with one of these is in quotes, which keep its blanks. */
  const char special[] = {schema->delimiter, '"', '\r', '\n'};
  for (size_t i = 0; i < sizeof special; ++i)
    if (memchr(text.begin, special[i], text.size) != NULL) return text;
  while (text.size > 0 && is_blank(*text.begin))
    ++text.begin, --text.size;
  while (text.size > 0 && is_blank(text.begin[text.size - 1]))
    --text.size;
  return text;
}

/* Copies a text of at most SHORT bytes and sets the bytes after it to zero. Copies of a
   fixed size need no call. */
static void pad(const char *text, size_t size, char out[PADDED]) {
  memset(out, 0, size > 16 ? PADDED : 32);
  if (size > 16) {
    memcpy(out, text, size);
  } else if (size >= 8) {
    memcpy(out, text, 8);
    memcpy(out + size - 8, text + size - 8, 8);
  } else if (size >= 4) {
    memcpy(out, text, 4);
    memcpy(out + size - 4, text + size - 4, 4);
  } else if (size > 0) {
    out[0] = text[0];
    out[size / 2] = text[size / 2];
    out[size - 1] = text[size - 1];
  }
}

void tacit_table_words(const tacit_column *column, const tacit_table_column *cells,
                       const int64_t *places, size_t count, int64_t *out) {
  tacit_field texts[TEXTS];
  char padded[PADDED];
  for (size_t i = 0; i < count; ++i) {
    size_t some = count - i < TEXTS ? count - i : TEXTS;
    if (i % TEXTS == 0) tacit_cells_texts(cells, places + i, some, texts);
    const char *text = texts[i % TEXTS].begin;
    size_t size = texts[i % TEXTS].size;
    out[i] = -1;
    if (size > SHORT || (size > 0 && (is_blank(text[0]) || is_blank(text[size - 1]))))
      continue;
    pad(text, size, padded);
    const tacit_lookup_slot *slot = tacit_lookup_find(column->lookup, padded, size);
    out[i] = (int64_t)(slot != NULL ? slot->number : column->n_values);
  }
}

/* Adds the entry of a short category without the strict parser. Returns 0 if the text
   is not short. */
static int put_category(const tacit_column *column, const tacit_field *cell,
                        tacit_rows *rows, size_t *io_count) {
  char padded[PADDED];
  if (cell->size > SHORT) return 0;
  pad(cell->begin, cell->size, padded);
  const tacit_lookup_slot *slot = tacit_lookup_find(column->lookup, padded, cell->size);
  size_t place = slot != NULL ? slot->number : column->n_values;
  *io_count = tacit_rows_put(rows, *io_count, column->first + place, 1);
  return 1;
}

tacit_status tacit_table_cell(tacit_parse *parse, const tacit_line *line,
                              const tacit_column *column, const tacit_field *cell,
                              tacit_rows *rows, size_t *io_count, double *out_label,
                              double *io_weight, tacit_error *err) {
  const tacit_csv_layout *layout = parse->layout;
  if (column != NULL && column->type == TACIT_COLUMN_CATEGORY &&
      column->lookup != NULL && put_category(column, cell, rows, io_count))
    return TACIT_OK;
  if (cell->size > 0 && memchr(cell->begin, '\0', cell->size) != NULL)
    return tacit_csv_fail_cell(
        parse, line, column != NULL ? column->name : parse->schema->label_column,
        "the text has a NUL byte", err);
  if (column == NULL) {
    parse->fields.fields[layout->label_field] = *cell;
    return tacit_csv_label(parse, line, out_label, io_weight, err);
  }
  TACIT_TRY(tacit_csv_cell(parse, line, column, cell, rows, io_count, err));
  return column->type == TACIT_COLUMN_WEIGHT
             ? tacit_csv_take_weight(parse, line, cell, io_weight, err)
             : TACIT_OK;
}

static tacit_status add_outcome(tacit_outcomes *outcomes, tacit_parse *parse,
                                const tacit_column *column, const tacit_field *cell,
                                tacit_outcome *outcome, tacit_error *err) {
  const tacit_line nowhere = {.number = 0};
  tacit_error fault = {TACIT_OK, ""};
  tacit_rows *rows = &outcomes->rows;
  TACIT_TRY(
      tacit_rows_reserve(rows, parse->schema->row_entries + TACIT_ROWS_SPARE, err));
  size_t count = rows->n_entries;
  *outcome = (tacit_outcome){.begin = count, .weight = 1};
  tacit_status status = tacit_table_cell(parse, &nowhere, column, cell, rows, &count,
                                         &outcome->label, &outcome->weight, &fault);
  outcome->is_fault = status == TACIT_EDATA;
  if (status == TACIT_OK) rows->n_entries = count;
  outcome->end = rows->n_entries;
  if (status == TACIT_OK || status == TACIT_EDATA) return TACIT_OK;
  if (err != NULL) *err = fault;
  return status;
}

static tacit_status fill(tacit_outcomes *outcomes, tacit_parse *parse,
                         const tacit_table *table, size_t field,
                         const tacit_column *column, tacit_error *err) {
  const tacit_table_column *cells = &table->columns[field];
  static const unsigned char truths[] = {0, 1};
  const tacit_table_column two = {
      .type = TACIT_CELLS_BOOL8, .n_cells = 2, .raw_cells = truths};
  tacit_table levels = *table;
  levels.columns = cells->levels != NULL ? cells->levels : &two;
  char scratch[TACIT_CELL_BYTES];
  TACIT_TRY(TACIT_NEW(outcomes->list, (size_t)outcomes->n_levels + 1, err));
  TACIT_TRY(tacit_rows_init(&outcomes->rows, parse->schema->features, 0, 0, err));
  for (int64_t i = 0; i < outcomes->n_levels; ++i) {
    tacit_field cell = tacit_tables_text(parse, &levels, 0, column, i, scratch);
    TACIT_TRY(add_outcome(outcomes, parse, column, &cell, &outcomes->list[i], err));
  }
  const tacit_field missing = {"", 0};
  return add_outcome(outcomes, parse, column, &missing,
                     &outcomes->list[outcomes->n_levels], err);
}

tacit_status tacit_outcomes_new(tacit_parse *parse, const tacit_table *table,
                                size_t field, const tacit_column *column,
                                tacit_outcomes **out, tacit_error *err) {
  const tacit_table_column *cells = &table->columns[field];
  tacit_outcomes *outcomes = tacit_array_new(1, sizeof *outcomes);
  if (outcomes == NULL) return tacit_fail_memory(err);
  outcomes->n_levels = cells->levels != NULL ? cells->levels->n_cells : 2;
  tacit_status status = fill(outcomes, parse, table, field, column, err);
  return TACIT_HAND_OVER(status, outcomes, tacit_outcomes_free, out);
}

void tacit_outcomes_free(tacit_outcomes *outcomes) {
  if (outcomes == NULL) return;
  tacit_rows_fini(&outcomes->rows);
  tacit_array_free(outcomes->list);
  tacit_array_free(outcomes);
}

int tacit_levels_are_same(const tacit_table *a, const tacit_table *b, size_t field) {
  const tacit_table_column *left = a->columns[field].levels;
  const tacit_table_column *right = b->columns[field].levels;
  if (a->spelling != b->spelling) return 0;
  if (left == NULL || right == NULL) return left == right; /* truth values */
  return left == right ||
         (left->type == right->type && left->n_cells == right->n_cells &&
          left->first == right->first && left->raw_cells == right->raw_cells &&
          left->raw_bytes == right->raw_bytes && left->raw_valid == right->raw_valid);
}
