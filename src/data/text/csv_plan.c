/* SPDX-License-Identifier: MIT */
/* The plan of the wide parser for the records of a file. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/csv.h"

enum { FOUR = 4 };

void tacit_csv_plan_fini(tacit_csv_plan *plan) {
  tacit_array_free(plan->number_field);
  tacit_array_free(plan->min);
  tacit_array_free(plan->input);
  tacit_array_free(plan->steps);
  memset(plan, 0, sizeof *plan);
}

static tacit_status make_room(tacit_csv_plan *plan, size_t columns, tacit_error *err) {
  size_t numbers = columns + 2 + FOUR; /* label, weight, and the last four */
  plan->number_field = tacit_array_new(numbers, sizeof *plan->number_field);
  plan->input = tacit_array_new(numbers, sizeof *plan->input);
  plan->steps = tacit_array_new(columns, sizeof *plan->steps);
  plan->min = tacit_array_new(5 * numbers, sizeof *plan->min);
  if (plan->number_field == NULL || plan->input == NULL || plan->steps == NULL ||
      plan->min == NULL)
    return tacit_fail_memory(err);
  plan->max = plan->min + numbers;
  plan->width = plan->max + numbers;
  plan->scale = plan->width + numbers;
  plan->low = plan->scale + numbers;
  return TACIT_OK;
}

static size_t add_number(tacit_csv_plan *plan, size_t field) {
  plan->number_field[plan->n_numbers] = (uint32_t)field;
  return plan->n_numbers++;
}

static void add_curve(tacit_csv_plan *plan, const tacit_column *column, size_t number) {
  const tacit_curve *curve = &column->curve;
  plan->min[number] = curve->min;
  plan->max[number] = curve->max;
  plan->width[number] = curve->width;
  plan->scale[number] =
      curve->shape == TACIT_TERM_LINE ? 1 - curve->low : (double)(curve->n_points - 1);
  plan->low[number] = curve->low;
  plan->input[number] = (uint32_t)column->first;
}

static tacit_csv_step_kind kind_of(const tacit_curve *curve) {
  if (curve->map != TACIT_MAP_LINEAR) return TACIT_STEP_CURVE;
  if (curve->shape == TACIT_TERM_LINE) return TACIT_STEP_LINES;
  return curve->has_edges ? TACIT_STEP_CURVE : TACIT_STEP_BINS;
}

/* 1 if the wide parser does the next column in the same way. */
static int goes_on(const tacit_csv_step *last, const tacit_csv_step *next) {
  return next->kind == last->kind && last->column + last->count == next->column &&
         (next->kind == TACIT_STEP_LINES || next->kind == TACIT_STEP_BINS ||
          (next->kind == TACIT_STEP_CATEGORIES &&
           last->field + last->count == next->field));
}

static void add_column(tacit_csv_plan *plan, const tacit_column *column, size_t field) {
  tacit_csv_step step = {.column = column, .field = (uint32_t)field, .count = 1};
  switch (column->type) {
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_WEIGHT: return;
  case TACIT_COLUMN_NUMERIC:
    step.kind = kind_of(&column->curve);
    step.number = (uint32_t)add_number(plan, field);
    add_curve(plan, column, step.number);
    break;
  case TACIT_COLUMN_CATEGORY: step.kind = TACIT_STEP_CATEGORIES; break;
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_ORDINAL:
  case TACIT_COLUMN_DATE:
  case TACIT_COLUMN_TEXT:
  case TACIT_COLUMN_UNIT: step.kind = TACIT_STEP_TEXT; break;
  }
  tacit_csv_step *last = plan->n_steps > 0 ? &plan->steps[plan->n_steps - 1] : NULL;
  if (last != NULL && goes_on(last, &step))
    ++last->count;
  else
    plan->steps[plan->n_steps++] = step;
}

/* A label that is a number, or compared with one. */
static int has_number(const tacit_schema *schema) {
  return schema->label_kind == TACIT_LABEL_NUMBER ||
         schema->label_rule == TACIT_RULE_ABOVE ||
         schema->label_rule == TACIT_RULE_BELOW;
}

tacit_status tacit_csv_plan_init(const tacit_parse *parse, tacit_csv_layout *layout,
                                 tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  tacit_csv_plan *plan = &layout->plan;
  size_t weight_field = TACIT_NO_FIELD;
  TACIT_TRY(make_room(plan, schema->n_columns, err));
  plan->label = plan->weight = TACIT_NO_FIELD;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    size_t field = layout->field_of[i];
    if (field == TACIT_NO_FIELD) continue;
    if (schema->columns[i].type == TACIT_COLUMN_WEIGHT) weight_field = field;
    add_column(plan, &schema->columns[i], field);
  }
  plan->n_of_columns = plan->n_numbers;
  if (parse->labels && has_number(schema))
    plan->label = add_number(plan, layout->label_field);
  if (weight_field != TACIT_NO_FIELD) plan->weight = add_number(plan, weight_field);
  for (size_t i = 0; plan->n_numbers > 0 && i < FOUR; ++i)
    plan->number_field[plan->n_numbers + i] = plan->number_field[plan->n_numbers - 1];
  /* Texts are kept by the strict parser, which also answers "is one of". With AVX-512,
     tables of numbers alone are read in bulk. */
  int only_lines = plan->n_steps == 1 && plan->steps[0].kind == TACIT_STEP_LINES;
  plan->is_used = layout->n_kept == 0 && layout->n_fields < UINT32_MAX &&
                  !(parse->labels && schema->label_rule == TACIT_RULE_IS) &&
                  !(parse->bulk.allowed && only_lines);
  return TACIT_OK;
}
