/* SPDX-License-Identifier: MIT */
/* CSV with a header line and a schema. The header says which field is which column
   (csv_layout.c), the schema what a cell becomes (data/schema/cell.h). This file has
   the strict parser, which knows all rules and messages, and the loop over the
   lines. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "data/text/csv_fault.h"
#include "data/text/number.h"

static const char *skip_blanks(const char *at, const char *end, char delimiter) {
  while (at < end && (*at == ' ' || *at == '\t') && *at != delimiter)
    ++at;
  return at;
}

static int csv_is_record(const tacit_schema *schema, const char *begin,
                         const char *end) {
  return skip_blanks(begin, end, schema->delimiter) < end;
}

tacit_status tacit_csv_split_max(tacit_parse *parse, const tacit_line *line, size_t max,
                                 tacit_error *err) {
  int no_memory;
  const char *fault = tacit_fields_split(&parse->fields, line->begin, line->end,
                                         parse->schema->delimiter, max, &no_memory);
  if (fault == NULL) return TACIT_OK;
  if (no_memory) return tacit_fail_memory(err);
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", field %zu: %s",
                    parse->name, line->number, parse->fields.count + 1, fault);
}

tacit_status tacit_csv_fail_cell(const tacit_parse *parse, const tacit_line *line,
                                 const char *column, const char *rule,
                                 tacit_error *err) {
  char shown[TACIT_NAME_BYTES];
  tacit_name_shorten(column, 40, shown);
  if (parse->name == NULL)
    return tacit_fail(err, TACIT_EDATA, "row %" PRId64 ", column '%s': %s",
                      line->number, shown, rule);
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", column '%s': %s",
                    parse->name, line->number, shown, rule);
}

static int parse_number(const tacit_parse *parse, const tacit_field *cell,
                        double *out) {
  return tacit_number_parse(cell->begin, cell->begin + cell->size, parse->c_locale,
                            out);
}

/* Returns 1 for a row without a label if the schema allows it. The row gets any label,
   because its weight becomes 0. */
static int is_skipped(const tacit_schema *schema, const tacit_field *cell,
                      double *out_label, double *out_weight) {
  if (!schema->skips_missing_label ||
      !tacit_schema_is_missing(schema, cell->begin, cell->size))
    return 0;
  *out_label = schema->label_kind == TACIT_LABEL_NUMBER
                   ? schema->label_min
                   : tacit_schema_class_label(schema, 0);
  *out_weight = 0;
  return 1;
}

/* Writes the class of a row whose label has a rule. */
static tacit_status parse_rule(const tacit_parse *parse, const tacit_line *line,
                               const tacit_field *cell, double *out, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  int is_true = 0;
  double value;
  if (schema->label_rule == TACIT_RULE_IS) {
    for (size_t i = 0; i < schema->n_label_values; ++i)
      is_true |= tacit_text_is(schema->label_values[i], cell->begin, cell->size);
    /* a missing text is no answer */
    if (tacit_schema_is_missing(schema, cell->begin, cell->size))
      return tacit_csv_fail_cell(parse, line, schema->label_column, "label is missing",
                                 err);
  } else {
    if (!parse_number(parse, cell, &value))
      return tacit_csv_fail_cell(parse, line, schema->label_column,
                                 "label is not a finite number", err);
    is_true = schema->label_rule == TACIT_RULE_ABOVE ? value > schema->label_cut
                                                     : value < schema->label_cut;
  }
  *out = tacit_schema_class_label(schema, (size_t)is_true);
  return TACIT_OK;
}

tacit_status tacit_csv_label(const tacit_parse *parse, const tacit_line *line,
                             double *out, double *out_weight, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  const tacit_csv_layout *layout = parse->layout;
  const tacit_field *cell = &parse->fields.fields[layout->label_field];
  if (is_skipped(schema, cell, out, out_weight)) return TACIT_OK;
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    if (parse_number(parse, cell, out)) return TACIT_OK;
    char rule[160];
    (void)snprintf(rule, sizeof rule, "label: %s",
                   tacit_csv_number_fault(cell->begin, cell->size));
    return tacit_csv_fail_cell(parse, line, schema->label_column, rule, err);
  }
  if (schema->label_rule != TACIT_RULE_NAME)
    return parse_rule(parse, line, cell, out, err);
  const tacit_entry *entry = tacit_entry_find(
      schema->class_sorted, schema->n_class_sorted, cell->begin, cell->size);
  if (entry != NULL) {
    *out = tacit_schema_class_label(schema, entry->number);
    return TACIT_OK;
  }
  char rule[200];
  (void)snprintf(
      rule, sizeof rule, "label is not a declared class; the schema declares %zu%s",
      schema->n_classes,
      tacit_cell_is_truth(cell->begin, cell->size) ? "; it is " TACIT_TRUTH_HINT : "");
  return tacit_csv_fail_cell(parse, line, schema->label_column, rule, err);
}

static tacit_status parse_unit(tacit_parse *parse, const tacit_line *line,
                               const tacit_field *cell, tacit_rows *rows,
                               tacit_error *err) {
  if (rows->id_start != NULL)
    return tacit_rows_put_id(rows, 0, cell->begin, cell->size, err);
  if (rows->units == NULL) return TACIT_OK;
  if (tacit_schema_is_missing(parse->schema, cell->begin, cell->size) ||
      !tacit_unit_take(cell->begin, cell->size, &rows->units[rows->view.n_rows]))
    return tacit_csv_fail_cell(parse, line, parse->schema->unit_column,
                               "no id; every row must say who it belongs to", err);
  return TACIT_OK;
}

tacit_status tacit_csv_cell(tacit_parse *parse, const tacit_line *line,
                            const tacit_column *column, const tacit_field *cell,
                            tacit_rows *rows, size_t *io_count, tacit_error *err) {
  const char *fault = NULL;
  double value;
  parse->work.no_memory = 0;
  if (column->type == TACIT_COLUMN_UNIT)
    return parse_unit(parse, line, cell, rows, err);
  if (tacit_csv_is_missing(parse->schema, column, cell->begin, cell->size))
    fault = tacit_cell_missing(column, rows, io_count);
  else if (column->type != TACIT_COLUMN_NUMERIC)
    fault = tacit_cell_text(parse->schema, column, cell->begin, cell->size,
                            &parse->work, rows, io_count);
  else if (parse_number(parse, cell, &value))
    fault = tacit_cell_number(column, value, rows, io_count);
  else
    fault = tacit_csv_number_fault(cell->begin, cell->size);
  if (fault == NULL) return TACIT_OK;
  return parse->work.no_memory
             ? tacit_fail_memory(err)
             : tacit_csv_fail_cell(parse, line, column->name, fault, err);
}

tacit_status tacit_csv_take_weight(const tacit_parse *parse, const tacit_line *line,
                                   const tacit_field *cell, double *io_weight,
                                   tacit_error *err) {
  double value = NAN;
  if (!parse_number(parse, cell, &value) || !(value >= 0))
    return tacit_csv_fail_cell(parse, line, parse->schema->weight_column,
                               "a weight must be a number from 0 on", err);
  *io_weight *= tacit_csv_weight(parse->schema, value);
  return TACIT_OK;
}

tacit_status tacit_csv_split(tacit_parse *parse, const tacit_line *line,
                             tacit_error *err) {
  const tacit_csv_layout *layout = parse->layout;
  TACIT_TRY(tacit_csv_split_max(parse, line, layout->n_fields, err));
  if (parse->fields.count == layout->n_fields) return TACIT_OK;
  return tacit_fail(
      err, TACIT_EDATA, "%s: line %" PRId64 ": too %s fields; the header has %zu",
      parse->name, line->number,
      parse->fields.count < layout->n_fields ? "few" : "many", layout->n_fields);
}

/* Parses one record by all rules, with a message for every fault. */
static tacit_status strict_line(tacit_parse *parse, const tacit_line *line,
                                tacit_rows *rows, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  const tacit_csv_layout *layout = parse->layout;
  TACIT_TRY(tacit_csv_split(parse, line, err));
  double label = 0, weight = 1;
  size_t count = rows->n_entries;
  if (parse->labels) TACIT_TRY(tacit_csv_label(parse, line, &label, &weight, err));
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    if (layout->field_of[i] == TACIT_NO_FIELD) continue;
    const tacit_field *cell = &parse->fields.fields[layout->field_of[i]];
    TACIT_TRY(tacit_csv_cell(parse, line, column, cell, rows, &count, err));
    if (column->type == TACIT_COLUMN_WEIGHT && rows->weights != NULL)
      TACIT_TRY(tacit_csv_take_weight(parse, line, cell, &weight, err));
  }
  if (tacit_cell_crosses(schema, rows->n_entries, &parse->work, rows, &count) != NULL)
    return tacit_fail_memory(err);
  rows->n_entries = count;
  if (rows->weights != NULL) rows->weights[rows->view.n_rows] = weight;
  for (size_t i = 0; rows->id_start != NULL && i < layout->n_kept; ++i) {
    const tacit_field *cell = &parse->fields.fields[layout->kept[i]];
    size_t place = (schema->unit_column != NULL) + i;
    TACIT_TRY(tacit_rows_put_id(rows, place, cell->begin, cell->size, err));
  }
  tacit_rows_end(rows, label);
  return TACIT_OK;
}

/* Parses records of a text into the rows, each by the fastest parser that can read
   it. */
static tacit_status csv_parse(tacit_parse *parse, tacit_text *text, int64_t max,
                              tacit_rows *rows, int64_t *out_rows, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  const tacit_csv_layout *layout = parse->layout;
  int64_t taken = 0;
  TACIT_TRY(tacit_text_check(text, err));
  tacit_stops_forget(&parse->stops);
  while (text->at < text->end) {
    if (parse->simd && layout->plan.is_used) {
      taken += tacit_simd_csv(parse, text, max - taken, rows);
      if (text->at == text->end) break;
    }
    const char *at = skip_blanks(text->at, text->end, schema->delimiter);
    int is_end = *at == '\n' || (*at == '\r' && at[1] == '\n');
    if (!is_end) {
      if (taken == max || tacit_rows_full(rows)) break;
      ++taken;
      TACIT_TRY(tacit_rows_reserve(rows, schema->row_entries + TACIT_ROWS_SPARE, err));
      at = tacit_csv_fast(parse, at, rows);
      if (at != NULL) {
        text->at = at;
        ++text->line;
        continue;
      }
    }
    tacit_line line;
    tacit_text_line(text, schema->quoted_newlines, &line);
    if (!is_end) TACIT_TRY(strict_line(parse, &line, rows, err));
    tacit_text_pass(text, &line);
  }
  *out_rows = taken;
  return TACIT_OK;
}

const struct tacit_format_ops tacit_format_csv = {
    .name = "csv",
    .is_record = csv_is_record,
    .header = tacit_csv_header,
    .layout_free = tacit_csv_layout_free,
    .parse = csv_parse,
};
