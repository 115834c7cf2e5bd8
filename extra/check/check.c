/* SPDX-License-Identifier: MIT */
/* Compares CSV files with a schema: every line, whether it is good or bad. Cells are
   read by the functions that training uses, so a cell that is bad here fails there. */
#include "extra/check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/text/csv.h"
#include "data/text/number.h"

void tacit_check_options_init(tacit_check_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
}

static int compare_numbers(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static int number_of(const tacit_check *check, const char *text, size_t size,
                     double *out) {
  return tacit_number_parse(text, text + size, check->parse->c_locale, out);
}

/* Takes the declared texts that are numbers, so that a cell "05" is found to mean
   "5". */
static tacit_status take_numbers(const tacit_check *check, char *const *texts,
                                 size_t count, tacit_check_column *column,
                                 tacit_error *err) {
  TACIT_TRY(TACIT_NEW(column->numbers, count, err));
  for (size_t i = 0; i < count; ++i)
    if (number_of(check, texts[i], strlen(texts[i]),
                  &column->numbers[column->n_numbers]))
      ++column->n_numbers;
  qsort(column->numbers, column->n_numbers, sizeof *column->numbers, compare_numbers);
  return TACIT_OK;
}

static int matches_number(const tacit_check *check, const tacit_check_column *column,
                          const tacit_field *cell) {
  double number;
  return column->n_numbers > 0 && number_of(check, cell->begin, cell->size, &number) &&
         bsearch(&number, column->numbers, column->n_numbers, sizeof number,
                 compare_numbers) != NULL;
}

static void follow_number(tacit_check_order *order, double number) {
  if (order->cells++ > 0) {
    order->rises += number > order->number;
    order->falls += number < order->number;
  }
  order->number = number;
}

static tacit_status follow_text(tacit_check_order *order, const tacit_field *cell,
                                tacit_error *err) {
  if (!tacit_raw_reserve(&order->text, &order->room, cell->size, 1))
    return tacit_fail_memory(err);
  if (order->cells++ > 0) {
    size_t common = cell->size < order->size ? cell->size : order->size;
    int sign = common > 0 ? memcmp(cell->begin, order->text, common) : 0;
    if (sign == 0) sign = (cell->size > order->size) - (cell->size < order->size);
    order->rises += sign > 0;
    order->falls += sign < 0;
  }
  if (cell->size > 0) memcpy(order->text, cell->begin, cell->size);
  order->size = cell->size;
  return TACIT_OK;
}

/* Compares a cell with the one before it: as numbers if both are numbers, else as
   texts. A column that mixes both is not sorted. */
static tacit_status follow(const tacit_check *check, tacit_check_order *order,
                           const tacit_field *cell, tacit_error *err) {
  double number;
  int is_number = number_of(check, cell->begin, cell->size, &number);
  if (order->cells > 0 && is_number != order->is_number) ++order->rises, ++order->falls;
  order->is_number = is_number;
  if (!is_number) return follow_text(order, cell, err);
  follow_number(order, number);
  return TACIT_OK;
}

/* Returns the place to keep a fault in, or NULL. The first fault of every column is
   kept; others are kept while there are fewer than ten. */
static tacit_check_fault *place_of(tacit_check *check, int is_first) {
  if (!is_first && check->n_bad >= TACIT_CHECK_BAD) return NULL;
  if (!tacit_raw_reserve(&check->bad, &check->bad_room, check->n_bad + 1,
                         sizeof *check->bad))
    return NULL; /* the fault is counted all the same */
  size_t at = is_first ? check->n_first++ : check->n_bad;
  memmove(check->bad + at + 1, check->bad + at,
          (check->n_bad - at) * sizeof *check->bad);
  if (check->n_bad < TACIT_CHECK_BAD || check->n_first > check->n_bad) ++check->n_bad;
  memset(&check->bad[at], 0, sizeof *check->bad);
  return &check->bad[at];
}

/* Notes a fault, with the cell if values are asked for. */
static void note(tacit_check *check, const tacit_error *fault, const tacit_field *cell,
                 int is_first) {
  ++check->faults;
  tacit_check_fault *bad = place_of(check, is_first);
  if (bad == NULL) return;
  memcpy(bad->message, fault->message, sizeof bad->message);
  if (!check->options->values || cell == NULL) return;
  size_t size = cell->size < TACIT_CHECK_CELL ? cell->size : TACIT_CHECK_CELL;
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)cell->begin[i];
    /* JSON is UTF-8, and a cell may be cut or may hold any bytes. */
    bad->cell[i] = c < 0x20 || c > 0x7e ? '?' : (char)c;
  }
  if (size < cell->size) memcpy(bad->cell + size, "...", 3);
}

/* Counts a good cell of a column that is not missing. */
static tacit_status count_cell(const tacit_check *check, const tacit_column *column,
                               tacit_check_column *counts, const tacit_field *cell,
                               tacit_error *err) {
  double number = 0;
  tacit_date date;
  int is_number = 0;
  tacit_check_ids_take(counts, cell);
  if (column->type == TACIT_COLUMN_NUMERIC) {
    is_number = number_of(check, cell->begin, cell->size, &number);
  } else if (column->type == TACIT_COLUMN_DATE) {
    is_number = tacit_date_parse(column->format, cell->begin, cell->size, &date);
    if (is_number) number = (double)tacit_date_days(&date);
  }
  if (is_number) {
    counts->below += number < column->curve.min;
    counts->above += number > column->curve.max;
    counts->atoms += tacit_curve_atom(&column->curve, number) < column->curve.n_atoms;
    follow_number(&counts->order, number);
    return TACIT_OK;
  }
  if (column->type == TACIT_COLUMN_CATEGORY &&
      tacit_entry_find(column->sorted, column->n_sorted, cell->begin, cell->size) ==
          NULL) {
    ++counts->other;
    counts->other_number += matches_number(check, counts, cell);
  }
  return follow(check, &counts->order, cell, err);
}

/* Notes a fault of one cell, which does not end the check. Returns all other errors. */
static tacit_status take_fault(tacit_check *check, tacit_status status,
                               const tacit_error *fault, tacit_check_column *counts,
                               const tacit_field *cell, tacit_error *err) {
  if (status != TACIT_EDATA) {
    if (err != NULL) *err = *fault;
    return status;
  }
  note(check, fault, cell, ++counts->bad == 1);
  return TACIT_OK;
}

/* Counts the label and reads the weight of the row. Notes a bad label as a fault. */
static tacit_status check_label(tacit_check *check, const tacit_line *line,
                                double *out_weight, tacit_error *err) {
  const tacit_schema *schema = check->schema;
  const tacit_parse *parse = check->parse;
  const tacit_csv_layout *layout = parse->layout;
  const tacit_field *cell = &parse->fields.fields[layout->label_field];
  tacit_check_column *counts = &check->label;
  tacit_error fault = {TACIT_OK, ""};
  double label;
  counts->missing += tacit_schema_is_missing(schema, cell->begin, cell->size);
  tacit_status status = tacit_csv_label(parse, line, &label, out_weight, &fault);
  if (status != TACIT_OK) {
    counts->other_number +=
        schema->label_rule == TACIT_RULE_NAME && matches_number(check, counts, cell);
    return take_fault(check, status, &fault, counts, cell, err);
  }
  if (!(*out_weight > 0)) {
    ++check->skipped;
    return TACIT_OK;
  }
  follow_number(&counts->order, label);
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    counts->below += label < schema->label_min;
    counts->above += label > schema->label_max;
  } else {
    ++check->classes[schema->n_classes == 2 ? label > 0 : (size_t)label];
  }
  return TACIT_OK;
}

static tacit_status check_cell(tacit_check *check, const tacit_line *line, size_t i,
                               size_t *io_count, double *io_weight, tacit_error *err) {
  tacit_parse *parse = check->parse;
  const tacit_csv_layout *layout = parse->layout;
  const tacit_column *column = &check->schema->columns[i];
  const tacit_field *cell = &parse->fields.fields[layout->field_of[i]];
  tacit_check_column *counts = &check->columns[i];
  tacit_error fault = {TACIT_OK, ""};
  int missing =
      column->type == TACIT_COLUMN_CATEGORY || column->type == TACIT_COLUMN_IGNORE
          ? cell->size == 0
          : tacit_csv_is_missing(check->schema, column, cell->begin, cell->size);
  counts->missing += missing;
  tacit_status status =
      tacit_csv_cell(parse, line, column, cell, &check->rows, io_count, &fault);
  if (status == TACIT_OK && column->type == TACIT_COLUMN_WEIGHT)
    status = tacit_csv_take_weight(parse, line, cell, io_weight, &fault);
  if (status != TACIT_OK) {
    counts->other_number += column->type == TACIT_COLUMN_ORDINAL && !missing &&
                            matches_number(check, counts, cell);
    return take_fault(check, status, &fault, counts, cell, err);
  }
  if (missing && column->type != TACIT_COLUMN_CATEGORY) return TACIT_OK;
  return count_cell(check, column, counts, cell, err);
}

static void measure(tacit_check *check) {
  const tacit_rows *rows = &check->rows;
  double squares = 1; /* square of the bias */
  for (size_t i = 0; i < rows->n_entries; ++i)
    squares += rows->values[i] * rows->values[i];
  double norm = sqrt(squares);
  if (norm > check->largest) check->largest = norm;
  check->longer += check->options->row_norm > 0 && norm > check->options->row_norm;
}

tacit_status tacit_check_row(tacit_check *check, const tacit_line *line,
                             tacit_error *err) {
  const tacit_schema *schema = check->schema;
  tacit_parse *parse = check->parse;
  const tacit_csv_layout *layout = parse->layout;
  tacit_rows *rows = &check->rows;
  size_t count = 0;
  double weight = 1;
  tacit_rows_clear(rows);
  TACIT_TRY(tacit_rows_reserve(rows, schema->row_entries + TACIT_ROWS_SPARE, err));
  TACIT_TRY(check_label(check, line, &weight, err));
  int64_t before = check->faults;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    if (layout->field_of[i] == TACIT_NO_FIELD) continue;
    TACIT_TRY(check_cell(check, line, i, &count, &weight, err));
  }
  if (check->faults > before) return TACIT_OK;
  if (tacit_cell_crosses(schema, 0, &parse->work, rows, &count) != NULL)
    return tacit_fail_memory(err);
  rows->n_entries = count;
  measure(check);
  return TACIT_OK;
}

static tacit_status check_line(tacit_check *check, const tacit_line *line,
                               tacit_error *err) {
  tacit_error fault = {TACIT_OK, ""};
  int64_t before = check->faults;
  ++check->n_rows;
  tacit_status status = tacit_csv_split(check->parse, line, &fault);
  if (status == TACIT_EDATA)
    note(check, &fault, NULL, ++check->line_faults == 1);
  else if (status == TACIT_OK)
    status = tacit_check_row(check, line, &fault);
  check->bad_rows += check->faults > before;
  if (status == TACIT_OK || status == TACIT_EDATA) return TACIT_OK;
  if (err != NULL) *err = fault;
  return status;
}

static tacit_status check_file(tacit_check *check, size_t number, tacit_error *err) {
  tacit_text_files *files = check->files;
  tacit_error fault = {TACIT_OK, ""};
  tacit_line line;
  int more = 1;
  tacit_status status = tacit_text_files_start(files, number, &fault);
  files->parse.layout = files->list[number].layout;
  files->parse.name = tacit_source_name(files->list[number].source);
  while (status == TACIT_OK) {
    status = tacit_lines_next(files->lines, &line, &more, &fault);
    if (status != TACIT_OK || !more) break;
    if (files->format->is_record(check->schema, line.begin, line.end))
      status = check_line(check, &line, &fault);
  }
  tacit_text_files_rest(files, number);
  if (status == TACIT_EDATA) { /* a bad header, or not text: the rest of the file cannot
                                  be read */
    note(check, &fault, NULL, ++check->line_faults == 1);
    ++check->bad_files;
    return TACIT_OK;
  }
  if (status != TACIT_OK && err != NULL) *err = fault;
  return status;
}

static tacit_status init_files(tacit_check *check, const char *const *paths,
                               size_t n_paths, tacit_error *err) {
  tacit_reader_options reading;
  tacit_reader_options_init(&reading);
  reading.schema = check->schema;
  const tacit_text_limits limits = {tacit_line_max(check->options->max_line), 64, 0};
  TACIT_TRY(
      tacit_text_files_new(paths, n_paths, &reading, &limits, &check->files, err));
  check->parse = &check->files->parse;
  return TACIT_OK;
}

tacit_status tacit_check_begin(tacit_check *check, tacit_error *err) {
  const tacit_schema *schema = check->schema;
  TACIT_TRY(tacit_rows_init(&check->rows, schema->features, 0, 0, err));
  if (schema->unit_column != NULL) TACIT_TRY(tacit_rows_name(&check->rows, err));
  check->columns = tacit_array_new(schema->n_columns, sizeof *check->columns);
  check->classes = tacit_array_new(schema->n_classes + 1, sizeof *check->classes);
  if (check->columns == NULL || check->classes == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    TACIT_TRY(
        take_numbers(check, column->values, column->n_values, &check->columns[i], err));
    TACIT_TRY(tacit_check_ids_begin(schema, column, &check->columns[i], err));
  }
  return take_numbers(check, schema->classes, schema->n_classes, &check->label, err);
}

static void fini_column(tacit_check_column *column) {
  TACIT_RAW_FREE(column->order.text, column->places);
  tacit_array_free(column->numbers);
}

static void fini(tacit_check *check) {
  for (size_t i = 0; check->columns != NULL && i < check->schema->n_columns; ++i)
    fini_column(&check->columns[i]);
  fini_column(&check->label);
  tacit_raw_free(check->bad);
  TACIT_FREE(check->columns, check->classes);
  tacit_rows_fini(&check->rows);
  tacit_text_files_free(check->files);
}

tacit_status tacit_check_arguments(const void *data, size_t count,
                                   const tacit_check_options *options, char **out,
                                   int *out_trains, tacit_error *err) {
  if (data != NULL && count > 0 && options != NULL && out != NULL &&
      out_trains != NULL && options->struct_size >= sizeof *options &&
      tacit_schema_is_csv(options->schema))
    return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "check: the data, options, the schema of CSV files or out is "
                    "missing");
}

tacit_status tacit_check_end(tacit_check *check, tacit_status status, char **out,
                             int *out_trains, tacit_error *err) {
  json_t *report = NULL;
  if (status == TACIT_OK) status = tacit_check_report(check, &report, err);
  if (status == TACIT_OK) status = tacit_json_text(report, 2, out, err);
  *out_trains = check->faults == 0 && check->n_rows > 0;
  json_decref(report);
  fini(check);
  return status;
}

tacit_status tacit_check_files(const char *const *paths, size_t n_paths,
                               const tacit_check_options *options, char **out,
                               int *out_trains, tacit_error *err) {
  TACIT_TRY(tacit_check_arguments(paths, n_paths, options, out, out_trains, err));
  tacit_check check = {.schema = options->schema, .options = options};
  tacit_status status = init_files(&check, paths, n_paths, err);
  if (status == TACIT_OK) status = tacit_check_begin(&check, err);
  for (size_t i = 0; i < n_paths && status == TACIT_OK; ++i)
    status = check_file(&check, i, err);
  return tacit_check_end(&check, status, out, out_trains, err);
}
