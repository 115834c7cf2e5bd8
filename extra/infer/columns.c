/* SPDX-License-Identifier: MIT */
#include "extra/infer/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/schema/parts.h"

void tacit_effects_columns_fini(tacit_effects_columns *columns) {
  for (size_t i = 0; columns->names != NULL && i < columns->n; ++i)
    tacit_array_free(columns->names[i]);
  TACIT_FREE(columns->names, columns->groups, columns->group_of, columns->empty,
             columns->of_input);
  *columns = (tacit_effects_columns){0};
}

static const tacit_column *column_named(const tacit_schema *schema, const char *name) {
  for (size_t i = 0; name != NULL && i < schema->n_columns; ++i)
    if (strcmp(schema->columns[i].name, name) == 0) return &schema->columns[i];
  return NULL;
}

static const tacit_cross *cross_at(const tacit_schema *schema, size_t feature) {
  for (size_t i = 0; i < schema->n_crosses; ++i)
    if (schema->crosses[i].first == feature) return &schema->crosses[i];
  return NULL;
}

/* Makes the group of a term. Its `first` is set later. */
static tacit_status group_of(const tacit_schema *schema, const tacit_term *term,
                             tacit_effects_group *out, tacit_error *err) {
  const tacit_column *column = column_named(schema, term->column);
  *out = (tacit_effects_group){
      .name = term->name, .feature = term->first, .n = term->count, .rate = 1};
  out->undeclared = term->has_other ? 0 : term->n_values;
  if (term->n_atoms > 0)
    return tacit_fail(
        err, TACIT_EINVAL,
        "column %s has atoms, which a table of effects does not have yet: "
        "leave \"atoms\" out of the schema of the table",
        term->name);
  switch (term->kind) {
  case TACIT_TERM_LINE:
    out->is_number = 1;
    out->slope = (1 - column->curve.low) / column->curve.width;
    out->zero = column->curve.low - column->curve.start * out->slope;
    out->map = (int)column->curve.map;
    break;
  case TACIT_TERM_HATS:
    out->n = term->n_points; /* the line beside hats follows from them */
    out->is_shared = 1;
    break;
  case TACIT_TERM_LEVELS:
  case TACIT_TERM_FLAG:
    out->is_stepped = 1;
    out->steps_root = term->kind == TACIT_TERM_FLAG ? 1 : sqrt((double)term->count);
    ++out->n;
    break;
  case TACIT_TERM_CROSS:
    out->cross = cross_at(schema, term->first);
    out->is_shared = 1;
    if (out->cross != NULL && out->cross->size == term->count) break;
    return tacit_fail(err, TACIT_EINVAL,
                      "cross %s is hashed, so its effects have no names: leave it out, "
                      "or declare it without slots",
                      term->name);
  case TACIT_TERM_STEPS:
  case TACIT_TERM_VALUES: break;
  case TACIT_TERM_HASHED:
  case TACIT_TERM_WORDS:
    return tacit_fail(err, TACIT_EINVAL,
                      "column %s is hashed or text, so its effects have no names: give "
                      "it the type ignore, or category with its values",
                      term->name);
  }
  return TACIT_OK;
}

/* Makes the groups of a schema without columns: numbers with common bounds. */
static tacit_status bounded_groups(tacit_effects_columns *columns, double low,
                                   double high, tacit_error *err) {
  if (!(low < high))
    return tacit_fail(err, TACIT_EINVAL,
                      "rows without a schema need declared bounds of their numbers: "
                      "--bounds MIN,MAX");
  for (size_t i = 0; i < columns->n_groups; ++i)
    columns->groups[i] = (tacit_effects_group){.feature = i,
                                               .n = 1,
                                               .is_number = 1,
                                               .slope = 2 / (high - low),
                                               .zero = -(high + low) / (high - low),
                                               .shift = low + (high - low) / 2,
                                               .rate = 2 / (high - low)};
  return TACIT_OK;
}

static tacit_status make_groups(tacit_effects_columns *columns, double low, double high,
                                tacit_error *err) {
  const tacit_schema *schema = columns->schema;
  int is_csv = tacit_schema_is_csv(schema);
  columns->n_groups = is_csv ? tacit_schema_terms(schema) : schema->features;
  if (columns->n_groups > TACIT_EFFECTS_COLUMNS_MAX)
    return tacit_fail(err, TACIT_EINVAL, "more than %d columns: choose those to report",
                      TACIT_EFFECTS_COLUMNS_MAX);
  TACIT_TRY(TACIT_NEW(columns->groups, columns->n_groups, err));
  if (!is_csv) TACIT_TRY(bounded_groups(columns, low, high, err));
  for (size_t i = 0; i < columns->n_groups; ++i) {
    tacit_term term = {.struct_size = sizeof term};
    if (is_csv) {
      TACIT_TRY(tacit_schema_term(schema, i, &term, err));
      TACIT_TRY(group_of(schema, &term, &columns->groups[i], err));
    }
    columns->groups[i].first = columns->n;
    columns->n += columns->groups[i].n;
  }
  if (columns->n == 0 || columns->n > TACIT_EFFECTS_COLUMNS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "%zu columns and levels: a table of effects has 1 to %d",
                      columns->n, TACIT_EFFECTS_COLUMNS_MAX);
  return TACIT_OK;
}

/* Returns the number that an input stands for. */
static inline double number_of(const tacit_effects_group *group, double raw_value) {
  double raw_number = (raw_value - group->shift) * group->rate;
  return raw_number < -1 ? -1 : raw_number > 1 ? 1 : raw_number;
}

/* Writes the name of level `level` of a group. */
static void name_of(const tacit_schema *schema, const tacit_effects_group *group,
                    size_t level, char *out, size_t size) {
  static const char *const maps[] = {"", "log", "log1p", "sqrt"};
  size_t feature = group->feature + level;
  const char *input = tacit_schema_feature_name(schema, feature);
  const tacit_column *column = column_named(schema, group->name);
  if (group->is_stepped && column != NULL && column->type == TACIT_COLUMN_ORDINAL)
    (void)snprintf(out, size, "%s=%s", group->name, column->values[level]);
  else if (group->is_stepped && column != NULL)
    (void)snprintf(out, size, "%s=%s", group->name, level > 0 ? "true" : "false");
  else if (group->is_stepped) /* "age=missing" */
    (void)snprintf(out, size, level > 0 ? "%s" : "not %s", group->name);
  else if (group->is_number && group->map != TACIT_MAP_LINEAR)
    (void)snprintf(out, size, "%s(%s)", maps[group->map], input);
  else if (input != NULL)
    (void)snprintf(out, size, "%s", input);
  else
    (void)snprintf(out, size, "f%zu", feature + 1);
}

static tacit_status make_names(tacit_effects_columns *columns, tacit_error *err) {
  enum { NAME = 4 * (TACIT_COLUMN_NAME_MAX + TACIT_VALUE_MAX) };
  char *name = tacit_array_new(NAME, 1);
  tacit_status status = name == NULL ? tacit_fail_memory(err) : TACIT_OK;
  for (size_t g = 0; status == TACIT_OK && g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    for (size_t i = 0; status == TACIT_OK && i < group->n; ++i) {
      name_of(columns->schema, group, i, name, NAME);
      columns->group_of[group->first + i] = g;
      columns->names[group->first + i] = tacit_string_copy(name);
      if (columns->names[group->first + i] == NULL) status = tacit_fail_memory(err);
    }
    if (group->is_number || group->is_stepped) /* all inputs are 0 */
      columns->empty[group->first] = group->is_number ? number_of(group, 0) : 1;
    for (size_t i = 0; i + (size_t)group->is_stepped < group->n; ++i)
      columns->of_input[group->feature + i] = (uint32_t)g;
  }
  tacit_array_free(name);
  return status;
}

tacit_status tacit_effects_columns_new(const tacit_schema *schema, double low,
                                       double high, tacit_effects_columns *out,
                                       tacit_error *err) {
  *out = (tacit_effects_columns){.schema = schema};
  tacit_status status = make_groups(out, low, high, err);
  if (status == TACIT_OK) status = TACIT_NEW(out->group_of, out->n, err);
  if (status == TACIT_OK) status = TACIT_NEW(out->names, out->n, err);
  if (status == TACIT_OK) status = TACIT_NEW(out->empty, out->n, err);
  if (status == TACIT_OK) status = TACIT_NEW(out->of_input, schema->features, err);
  if (status == TACIT_OK) {
    memset(out->of_input, 0xff, schema->features * sizeof *out->of_input);
    status = make_names(out, err);
  }
  if (status != TACIT_OK) tacit_effects_columns_fini(out);
  return status;
}

void tacit_effects_columns_of(const tacit_effects_columns *columns,
                              const tacit_batch *batch, int64_t i, double *raw_out) {
  tacit_row row = tacit_row_of(batch, i);
  memcpy(raw_out, columns->empty, columns->n * sizeof *raw_out);
  for (size_t e = 0; e < row.count; ++e) {
    size_t raw_input = row.raw_indices != NULL ? row.raw_indices[e] : e;
    double raw_value = tacit_row_value(&row, e);
    if (raw_input >= columns->schema->features ||
        columns->of_input[raw_input] == UINT32_MAX)
      continue;
    const tacit_effects_group *group = &columns->groups[columns->of_input[raw_input]];
    double *raw_to = raw_out + group->first;
    size_t raw_level = raw_input - group->feature;
    if (group->is_number)
      *raw_to = number_of(group, raw_value);
    else if (!group->is_stepped)
      raw_to[raw_level] = raw_value;
    else if (raw_value != 0) {
      raw_to[raw_level] = 0;
      raw_to[raw_level + 1] = 1;
    }
  }
}

int tacit_effects_is_implied(const tacit_effects_columns *columns, size_t column,
                             const size_t *reference) {
  const tacit_effects_group *group = &columns->groups[columns->group_of[column]];
  const tacit_cross *cross = group->cross;
  if (cross == NULL) return column == reference[columns->group_of[column]];
  size_t left = column - group->first, size = cross->size;
  for (size_t i = 0; i < cross->n_columns; ++i) {
    const tacit_column *own = &columns->schema->columns[cross->columns[i]];
    size /= tacit_cross_levels(own);
    size_t level = left / size, g = 0;
    left %= size;
    while (columns->groups[g].feature != own->first)
      ++g;
    if (reference[g] == columns->groups[g].first + level) return 1;
  }
  return 0;
}
