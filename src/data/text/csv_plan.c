/* SPDX-License-Identifier: MIT */
/* Makes the plan of the SIMD parser for the records of a file. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/csv.h"

enum { FOUR = 4 };

void tacit_csv_plan_fini(tacit_csv_plan *plan) {
  TACIT_FREE(plan->number_field, plan->runs, plan->fours, plan->texts, plan->steps);
  memset(plan, 0, sizeof *plan);
}

static tacit_status make_room(tacit_csv_plan *plan, size_t columns, tacit_error *err) {
  size_t numbers = columns + 2; /* two more for label and weight */
  TACIT_TRY(TACIT_NEW(plan->number_field, numbers, err));
  TACIT_TRY(TACIT_NEW(plan->runs, numbers, err));
  TACIT_TRY(TACIT_NEW(plan->texts, columns, err));
  return TACIT_NEW(plan->steps, columns, err);
}

static size_t add_number(tacit_csv_plan *plan, size_t field) {
  tacit_csv_run *last = plan->n_runs > 0 ? &plan->runs[plan->n_runs - 1] : NULL;
  if (last != NULL && last->field + last->count == field)
    ++last->count;
  else
    plan->runs[plan->n_runs++] = (tacit_csv_run){(uint32_t)field, 1};
  plan->number_field[plan->n_numbers] = (uint32_t)field;
  return plan->n_numbers++;
}

static tacit_csv_text text_of(const tacit_lookup *lookup, size_t count, size_t input) {
  /* no cell begins with NUL */
  static const tacit_lookup_short none = {{0, 1}, 0, 0};
  tacit_csv_text text = {.slots = &none,
                         .shift = 63,
                         .input = (uint32_t)input,
                         .other = (uint32_t)count,
                         .lookup = lookup};
  if (lookup->shorts != NULL) {
    text.slots = lookup->shorts;
    text.factor = lookup->factor;
    text.shift = lookup->short_shift;
  }
  return text;
}

static void set_four(tacit_csv_four *four, size_t i, const tacit_column *column) {
  const tacit_curve *curve = &column->curve;
  int is_line = curve->shape == TACIT_TERM_LINE;
  four->min[i] = curve->min;
  four->max[i] = curve->max;
  four->width[i] = curve->width;
  four->scale[i] = is_line ? 1 - curve->low : (double)(curve->n_points - 1);
  four->low[i] = is_line ? curve->low : (double)(curve->n_points - 2);
  four->at[i] = curve->at;
  four->input[i] = (uint32_t)column->first;
}

static int has_fours(tacit_csv_step_kind kind) {
  return kind == TACIT_STEP_LINES || kind == TACIT_STEP_STEPS ||
         kind == TACIT_STEP_HATS || kind == TACIT_STEP_BOTH;
}

/* Makes the groups of four columns for LINES, STEPS, HATS and BOTH. */
static tacit_status add_fours(tacit_csv_plan *plan, tacit_error *err) {
  static const double points[2] = {0, 1};
  size_t count = 0;
  for (size_t i = 0; i < plan->n_steps; ++i) {
    if (!has_fours(plan->steps[i].kind)) continue;
    plan->steps[i].first = (uint32_t)count;
    count += (plan->steps[i].count + FOUR - 1) / FOUR;
  }
  TACIT_TRY(TACIT_NEW(plan->fours, count + 1, err));
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < FOUR; ++j) {
      plan->fours[i].width[j] = 1;
      plan->fours[i].at[j] = points;
    }
  }
  for (size_t i = 0; i < plan->n_steps; ++i) {
    const tacit_csv_step *step = &plan->steps[i];
    for (size_t j = 0; has_fours(step->kind) && j < step->count; ++j)
      set_four(&plan->fours[step->first + j / FOUR], j % FOUR, &step->column[j]);
  }
  return TACIT_OK;
}

static tacit_csv_step_kind kind_of(const tacit_curve *curve) {
  if (curve->map != TACIT_MAP_LINEAR || curve->n_atoms > 0) return TACIT_STEP_CURVE;
  if (curve->shape == TACIT_TERM_LINE) return TACIT_STEP_LINES;
  if (curve->has_edges) return TACIT_STEP_CURVE;
  if (curve->shape == TACIT_TERM_STEPS) return TACIT_STEP_STEPS;
  return curve->has_line ? TACIT_STEP_BOTH : TACIT_STEP_HATS;
}

/* Returns 1 if the SIMD parser can take the next column in the same step. */
static int goes_on(const tacit_csv_step *last, const tacit_csv_step *next) {
  return next->kind == last->kind && last->column + last->count == next->column &&
         (has_fours(next->kind) || (next->kind == TACIT_STEP_CATEGORIES &&
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
    break;
  case TACIT_COLUMN_CATEGORY:
    step.kind = TACIT_STEP_CATEGORIES;
    step.first = (uint32_t)plan->n_texts;
    plan->texts[plan->n_texts++] =
        text_of(column->lookup, column->n_values, column->first);
    break;
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

/* Returns 1 if the label is a number, or is compared with one. */
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
  TACIT_TRY(add_fours(plan, err));
  plan->n_of_columns = plan->n_numbers;
  if (parse->labels && has_number(schema))
    plan->label = add_number(plan, layout->label_field);
  else if (parse->labels && schema->class_lookup != NULL)
    plan->class = text_of(schema->class_lookup, schema->n_classes, 0);
  if (weight_field != TACIT_NO_FIELD) plan->weight = add_number(plan, weight_field);
  /* The strict parser keeps texts and answers "is one of". A line of one field may be
     blank. */
  plan->is_used = layout->n_kept == 0 && layout->n_fields > 1 &&
                  layout->n_fields < UINT32_MAX &&
                  !(parse->labels && schema->label_rule == TACIT_RULE_IS);
  return TACIT_OK;
}
