/* SPDX-License-Identifier: MIT */
/* CSV with a header line and a schema. The header says which field is which column; the
   schema says what a cell becomes (data/schema/cell.h). Messages do not quote the
   header: if the file has none, its first line is a record. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
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

static tacit_status split(tacit_parse *parse, const tacit_line *line, size_t max,
                          tacit_error *err) {
  int no_memory;
  const char *fault = tacit_fields_split(&parse->fields, line->begin, line->end,
                                         parse->schema->delimiter, max, &no_memory);
  if (fault == NULL) return TACIT_OK;
  if (no_memory) return tacit_fail_memory(err);
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", field %zu: %s",
                    parse->name, line->number, parse->fields.count + 1, fault);
}

static tacit_status place_field(const tacit_parse *parse, const tacit_line *line,
                                size_t field, tacit_csv_layout *layout,
                                tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  const tacit_field *name = &parse->fields.fields[field];
  const tacit_entry *entry =
      tacit_entry_find(schema->by_name, schema->n_columns + 1, name->begin, name->size);
  if (entry == NULL) {
    layout->n_unknown += !tacit_csv_is_kept(parse, name);
    return TACIT_OK;
  }
  size_t *place = entry->number == schema->n_columns ? &layout->label_field
                                                     : &layout->field_of[entry->number];
  if (*place != TACIT_NO_FIELD) {
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(entry->text, 40, shown);
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": column '%s' is in the header twice",
                      parse->name, line->number, shown);
  }
  *place = field;
  return TACIT_OK;
}

/* Finds the columns whose text is kept, which need not be declared. */
static tacit_status place_kept(const tacit_parse *parse, const tacit_line *line,
                               tacit_csv_layout *layout, tacit_error *err) {
  layout->n_kept = parse->n_keep;
  layout->kept = tacit_array_new(parse->n_keep + 1, sizeof *layout->kept);
  if (layout->kept == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < parse->n_keep; ++i) {
    const char *name = parse->keep[i];
    size_t field = 0, size = strlen(name);
    while (field < layout->n_fields &&
           (parse->fields.fields[field].size != size ||
            memcmp(parse->fields.fields[field].begin, name, size) != 0))
      ++field;
    if (field == layout->n_fields) {
      char shown[TACIT_NAME_BYTES];
      tacit_name_shorten(name, 40, shown);
      return tacit_fail(err, TACIT_EDATA,
                        "%s: line %" PRId64 ": column '%s' should be kept, and is not "
                        "in the header",
                        parse->name, line->number, shown);
    }
    layout->kept[i] = field;
  }
  return TACIT_OK;
}

static tacit_status place_fields(tacit_parse *parse, const tacit_line *line,
                                 tacit_csv_layout *layout, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  layout->n_fields = parse->fields.count;
  layout->label_field = TACIT_NO_FIELD;
  for (size_t i = 0; i < schema->n_columns; ++i)
    layout->field_of[i] = TACIT_NO_FIELD;
  for (size_t i = 0; i < layout->n_fields; ++i)
    TACIT_TRY(place_field(parse, line, i, layout, err));
  int matches = layout->n_unknown == 0 || parse->ignores_extra;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    /* predictions need no label, no weight and nobody's id */
    int needed = parse->labels || schema->columns[i].type <= TACIT_COLUMN_IGNORE;
    if (layout->field_of[i] == TACIT_NO_FIELD && needed) matches = 0;
  }
  if (parse->labels && layout->label_field == TACIT_NO_FIELD) matches = 0;
  if (!matches) return tacit_csv_header_fault(parse, line, layout, err);
  TACIT_TRY(place_kept(parse, line, layout, err));
  /* The fast parser takes a field without a column for the label, and keeps no text. */
  layout->in_order = layout->n_unknown == 0 && layout->n_kept == 0;
  size_t last = 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    size_t field = layout->field_of[i];
    if (field == TACIT_NO_FIELD) continue;
    layout->column_at[field] = &schema->columns[i];
    if (schema->columns[i].type > TACIT_COLUMN_IGNORE) continue; /* gives no entry */
    if (field < last) layout->in_order = 0;
    last = field;
  }
  return TACIT_OK;
}

/* Adjacent numeric fields are read in bulk: run_end of a field is where the run of them
   ends. The last field of a record is not part of a run, because no delimiter follows
   it. */
static void mark_runs(tacit_csv_layout *layout) {
  const tacit_bulk_map *map = &layout->map;
  size_t end = 0;
  for (size_t i = layout->n_fields; i-- > 0;) {
    const tacit_column *column = layout->column_at[i];
    layout->run_end[i] = i;
    if (column == NULL || column->type != TACIT_COLUMN_NUMERIC) continue;
    const tacit_curve *curve = &column->curve;
    if (curve->shape != TACIT_TERM_LINE || curve->map != TACIT_MAP_LINEAR) continue;
    map->min[i] = curve->min;
    map->max[i] = curve->max;
    map->width[i] = curve->width;
    map->scale[i] = 1 - curve->low;
    map->low[i] = curve->low;
    map->first[i] = column->first;
    if (i + 1 == layout->n_fields) continue;
    int goes_on = layout->run_end[i + 1] > i + 1;
    end = goes_on ? end : i + 1;
    layout->run_end[i] = end;
  }
}

static tacit_status new_map(tacit_csv_layout *layout, tacit_error *err) {
  tacit_bulk_map *map = &layout->map;
  double **arrays[] = {&map->min, &map->max, &map->width, &map->scale, &map->low};
  size_t count = layout->n_fields + TACIT_BULK_ROOM;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    *arrays[i] = tacit_array_new(count, sizeof(double));
    if (*arrays[i] == NULL) return tacit_fail_memory(err);
  }
  map->first = tacit_array_new(count, sizeof *map->first);
  layout->run_end = tacit_array_new(layout->n_fields, sizeof *layout->run_end);
  if (map->first == NULL || layout->run_end == NULL) return tacit_fail_memory(err);
  mark_runs(layout);
  return TACIT_OK;
}

static void csv_layout_free(void *object) {
  tacit_csv_layout *layout = object;
  if (layout == NULL) return;
  tacit_array_free(layout->field_of);
  tacit_array_free(layout->column_at);
  tacit_array_free(layout->run_end);
  tacit_array_free(layout->kept);
  tacit_array_free(layout->map.min);
  tacit_array_free(layout->map.max);
  tacit_array_free(layout->map.width);
  tacit_array_free(layout->map.scale);
  tacit_array_free(layout->map.low);
  tacit_array_free(layout->map.first);
  tacit_array_free(layout);
}

static tacit_status csv_header(tacit_parse *parse, const tacit_line *line, void **out,
                               tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  TACIT_TRY(split(parse, line, SIZE_MAX - 1, err));
  tacit_csv_layout *layout = tacit_array_new(1, sizeof *layout);
  if (layout == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  layout->field_of = tacit_array_new(schema->n_columns, sizeof *layout->field_of);
  layout->column_at = tacit_array_new(parse->fields.count, sizeof *layout->column_at);
  if (layout->field_of == NULL || layout->column_at == NULL)
    status = tacit_fail_memory(err);
  if (status == TACIT_OK) status = place_fields(parse, line, layout, err);
  if (status == TACIT_OK) status = new_map(layout, err);
  if (status != TACIT_OK) {
    csv_layout_free(layout);
    return status;
  }
  *out = layout;
  return TACIT_OK;
}

static tacit_status fail_cell(const tacit_parse *parse, const tacit_line *line,
                              const char *column, const char *rule, tacit_error *err) {
  char shown[TACIT_NAME_BYTES];
  tacit_name_shorten(column, 40, shown);
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", column '%s': %s",
                    parse->name, line->number, shown, rule);
}

static int parse_number(const tacit_parse *parse, const tacit_field *cell,
                        double *out) {
  return tacit_number_parse(cell->begin, cell->begin + cell->size, parse->c_locale,
                            out);
}

/* A row without a label, if the schema allows it: any label does, because the weight is
   0. */
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

/* The class of a row whose label has a rule. */
static tacit_status parse_rule(const tacit_parse *parse, const tacit_line *line,
                               const tacit_field *cell, double *out, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  int is_true = 0;
  double value;
  if (schema->label_rule == TACIT_RULE_IS) {
    for (size_t i = 0; i < schema->n_label_values; ++i)
      is_true |= strlen(schema->label_values[i]) == cell->size &&
                 memcmp(schema->label_values[i], cell->begin, cell->size) == 0;
    /* no text is no answer */
    if (tacit_schema_is_missing(schema, cell->begin, cell->size))
      return fail_cell(parse, line, schema->label_column, "label is missing", err);
  } else {
    if (!parse_number(parse, cell, &value))
      return fail_cell(parse, line, schema->label_column,
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
    return fail_cell(parse, line, schema->label_column, rule, err);
  }
  if (schema->label_rule != TACIT_RULE_NAME)
    return parse_rule(parse, line, cell, out, err);
  const tacit_entry *entry = tacit_entry_find(schema->class_sorted, schema->n_classes,
                                              cell->begin, cell->size);
  if (entry != NULL) {
    *out = tacit_schema_class_label(schema, entry->number);
    return TACIT_OK;
  }
  char rule[80];
  (void)snprintf(rule, sizeof rule,
                 "label is not a declared class; the schema declares %zu",
                 schema->n_classes);
  return fail_cell(parse, line, schema->label_column, rule, err);
}

static tacit_status parse_unit(tacit_parse *parse, const tacit_line *line,
                               const tacit_field *cell, tacit_rows *rows,
                               tacit_error *err) {
  if (rows->id_start != NULL)
    return tacit_rows_put_id(rows, 0, cell->begin, cell->size, err);
  if (rows->units == NULL) return TACIT_OK;
  if (tacit_schema_is_missing(parse->schema, cell->begin, cell->size) ||
      !tacit_unit_take(cell->begin, cell->size, &rows->units[rows->view.n_rows]))
    return fail_cell(parse, line, parse->schema->unit_column,
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
  return parse->work.no_memory ? tacit_fail_memory(err)
                               : fail_cell(parse, line, column->name, fault, err);
}

tacit_status tacit_csv_take_weight(const tacit_parse *parse, const tacit_line *line,
                                   const tacit_field *cell, double *io_weight,
                                   tacit_error *err) {
  double value = NAN;
  if (!parse_number(parse, cell, &value) || !(value >= 0))
    return fail_cell(parse, line, parse->schema->weight_column,
                     "a weight must be a number from 0 on", err);
  *io_weight *= tacit_csv_weight(parse->schema, value);
  return TACIT_OK;
}

tacit_status tacit_csv_split(tacit_parse *parse, const tacit_line *line,
                             tacit_error *err) {
  const tacit_csv_layout *layout = parse->layout;
  TACIT_TRY(split(parse, line, layout->n_fields, err));
  if (parse->fields.count == layout->n_fields) return TACIT_OK;
  return tacit_fail(
      err, TACIT_EDATA, "%s: line %" PRId64 ": too %s fields; the header has %zu",
      parse->name, line->number,
      parse->fields.count < layout->n_fields ? "few" : "many", layout->n_fields);
}

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

static tacit_status csv_parse(tacit_parse *parse, tacit_text *text, int64_t max,
                              tacit_rows *rows, int64_t *out_rows, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  int64_t taken = 0;
  TACIT_TRY(tacit_text_check(text, err));
  while (text->at < text->end) {
    const char *at = skip_blanks(text->at, text->end, schema->delimiter);
    int is_end = *at == '\n' || (*at == '\r' && at[1] == '\n');
    if (!is_end) {
      if (taken == max || tacit_rows_full(rows)) break;
      ++taken;
      TACIT_TRY(tacit_rows_reserve(rows, schema->row_entries + TACIT_BULK_ROOM, err));
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
    .header = csv_header,
    .layout_free = csv_layout_free,
    .parse = csv_parse,
};
