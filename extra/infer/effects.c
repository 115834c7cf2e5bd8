/* SPDX-License-Identifier: MIT */
/* A table of effects that is read from its model. The digest of the model covers the
   table, but a file may come from anywhere, so every number is checked. */
#include "extra/infer/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "extra/infer/infer.h"
#include "model/model.h"

#define OTHERWISE                                                                      \
  "; otherwise of the best fit to rows with the weights of their columns"
const char *tacit_effects_estimand(tacit_effects_loss loss, int persons) {
  static const char *const texts[3][2] = {
      {"log odds ratios of the model if it is right" OTHERWISE,
       "log odds ratios of the model if it is right, each person counting "
       "once" OTHERWISE},
      {"differences of the mean if the model is right, errors beyond tau counting "
       "less" OTHERWISE,
       "differences of the mean if the model is right, each person counting once and "
       "errors beyond tau less" OTHERWISE},
      {"log rate ratios of the model if it is right, errors beyond tau counting "
       "less" OTHERWISE,
       "log rate ratios of the model if it is right, each person counting once and "
       "errors beyond tau less" OTHERWISE}};
  return texts[loss][persons != 0];
}

void tacit_effects_view_init(tacit_effects_view *view) {
  *view = (tacit_effects_view){.struct_size = sizeof *view, .level = 0.95};
}

int tacit_model_has_effects(const tacit_model *model) {
  return model != NULL && json_is_object(json_object_get(model->training, "effects"));
}

void tacit_effects_fini(tacit_effects *effects) {
  for (size_t i = 0; effects->contrasts != NULL && i < effects->view.n_contrasts; ++i)
    tacit_array_free(effects->contrasts[i].name);
  tacit_effects_columns_fini(&effects->columns);
  TACIT_FREE(effects->lines, effects->covariance, effects->contrasts, effects->tests);
  *effects = (tacit_effects){0};
}

void tacit_effect_interval(const tacit_effects_view *view, double variance,
                           tacit_effect *effect) {
  double tail = view->side == 0 ? (1 - view->level) / 2 : 1 - view->level;
  double wide = 1 + effect->remainder * effect->remainder / 4;
  if (!(variance > 0)) effect->state = TACIT_EFFECT_NOISY; /* noise alone */
  effect->error = sqrt(fmax(variance, 0) * wide);
  double reach = tacit_student_point(tail, effect->df) * effect->error;
  effect->low = view->side < 0 ? -INFINITY : effect->estimate - reach;
  effect->high = view->side > 0 ? INFINITY : effect->estimate + reach;
  effect->z = effect->estimate / effect->error;
  double above = tacit_student_above(fabs(effect->z), effect->df);
  effect->p = view->side == 0              ? 2 * above
              : view->side * effect->z > 0 ? above
                                           : 1 - above;
}

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns the state with this name, or -1. */
static int state_of(const char *name) {
  static const char *const names[] = {"identified", "noisy", "rare", "reference",
                                      "undeclared"};
  for (int i = 0; name != NULL && i < 5; ++i)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

/* Reads one line. Returns 0 if the object is not one. */
static int read_line(tacit_effects *effects, const json_t *object, size_t i) {
  tacit_effect *line = &effects->lines[i];
  int state = state_of(json_string_value(json_object_get(object, "state")));
  double index = number_of(object, "index");
  *line = (tacit_effect){.name = effects->columns.names[i],
                         .state = (tacit_effect_state)state};
  if (state < 0) return 0;
  if (state == TACIT_EFFECT_NOISY || state == TACIT_EFFECT_RARE)
    line->rows_needed = number_of(object, "rows_needed");
  if (index >= 1 && index < (double)effects->d) line->index = (size_t)index;
  if (state != TACIT_EFFECT_IDENTIFIED) return isfinite(line->rows_needed);
  line->estimate = number_of(object, "estimate");
  line->sampling = number_of(object, "sampling");
  line->privacy = number_of(object, "privacy");
  line->remainder = number_of(object, "remainder");
  line->df = number_of(object, "df");
  if (line->index == 0 || !isfinite(line->estimate) || !(line->df >= 1) ||
      !isfinite(line->sampling + line->privacy + line->remainder))
    return 0;
  tacit_effect_interval(&effects->view,
                        effects->covariance[line->index * (effects->d + 1)], line);
  return 1;
}

static tacit_status damaged(tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "model: its table of effects cannot be read");
}

static tacit_status read_covariance(tacit_effects *effects, tacit_error *err) {
  const json_t *list = json_object_get(effects->json, "covariance");
  size_t d = effects->d, at = 0;
  if (json_array_size(list) != d * (d + 1) / 2) return damaged(err);
  TACIT_TRY(TACIT_NEW(effects->covariance, d * d, err));
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double value = json_number_value(json_array_get(list, at++));
      if (!isfinite(value)) return damaged(err);
      effects->covariance[i * d + j] = effects->covariance[j * d + i] = value;
    }
  return TACIT_OK;
}

static tacit_status read_head(tacit_effects *effects, tacit_error *err) {
  const json_t *json = effects->json, *low = json_object_get(json, "low_weight");
  const char *loss = json_string_value(json_object_get(json, "loss"));
  double d = number_of(json, "d");
  if (json_integer_value(json_object_get(json, "format")) != TACIT_EFFECTS_FORMAT)
    return tacit_fail(err, TACIT_EDATA,
                      "model: unknown format of its table of effects: this program "
                      "reads format %d",
                      TACIT_EFFECTS_FORMAT);
  if (loss == NULL || !(d >= 1 && d <= TACIT_EFFECTS_MAX)) return damaged(err);
  effects->loss = strcmp(loss, "poisson") == 0   ? TACIT_EFFECTS_POISSON
                  : strcmp(loss, "squared") == 0 ? TACIT_EFFECTS_SQUARED
                                                 : TACIT_EFFECTS_LOGISTIC;
  effects->d = (size_t)d;
  effects->units = json_integer_value(json_object_get(json, "units"));
  effects->persons = json_is_true(json_object_get(json, "persons"));
  effects->tau = number_of(json, "tau");
  effects->low_weight = number_of(low, "value");
  effects->low_error = number_of(low, "error");
  effects->intercept =
      (tacit_effect){.name = "intercept",
                     .estimate = number_of(json, "intercept"),
                     .df = number_of(json, "intercept_df"),
                     .remainder = number_of(json, "intercept_remainder")};
  if (!(effects->intercept.remainder >= 0) || !(effects->intercept.df >= 1))
    effects->intercept.state = TACIT_EFFECT_NOISY;
  return read_covariance(effects, err);
}

/* Sets Holm's p values: the i-th smallest of m, times m - i, made to ascend. */
static int by_p(const void *left, const void *right) {
  double a = (*(tacit_effect *const *)left)->p, b = (*(tacit_effect *const *)right)->p;
  return (a > b) - (a < b);
}
static tacit_status set_holm(tacit_effects *effects, tacit_error *err) {
  tacit_effect **sorted;
  size_t m = 0;
  TACIT_TRY(TACIT_NEW(sorted, effects->n_lines, err));
  for (size_t i = 0; i < effects->n_lines; ++i)
    if (effects->lines[i].state == TACIT_EFFECT_IDENTIFIED)
      sorted[m++] = &effects->lines[i];
  qsort(sorted, m, sizeof *sorted, by_p);
  double largest = 0;
  for (size_t i = 0; i < m; ++i) {
    largest = fmax(largest, fmin(1, (double)(m - i) * sorted[i]->p));
    sorted[i]->holm = largest;
  }
  tacit_array_free(sorted);
  return TACIT_OK;
}

/* Returns b^T A^-1 b for a symmetric positive A, by elimination; overwrites both.
   Returns NaN if A is not positive. */
static double quadratic(double *a, double *b, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; ++k) {
    double pivot = a[k * n + k];
    if (!(pivot > 0)) return NAN;
    sum += b[k] * b[k] / pivot;
    for (size_t i = k + 1; i < n; ++i) {
      double factor = a[i * n + k] / pivot;
      b[i] -= factor * b[k];
      for (size_t j = k + 1; j < n; ++j)
        a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sum;
}

/* Tests that the identified levels of a group have no effect. */
static void test_group(tacit_effects *effects, const tacit_effects_group *group,
                       double *room) {
  double *a = room, *b = room + effects->d * effects->d, df = 1e9, wide = 1;
  size_t n = 0, of[TACIT_EFFECTS_MAX];
  for (size_t i = group->first; i < group->first + group->n; ++i)
    if (effects->lines[i].state == TACIT_EFFECT_IDENTIFIED) of[n++] = i;
  if (n < 2) return;
  for (size_t i = 0; i < n; ++i) {
    const tacit_effect *line = &effects->lines[of[i]];
    df = fmin(df, line->df);
    wide = fmax(wide, 1 + line->remainder * line->remainder / 4);
    b[i] = line->estimate;
    for (size_t j = 0; j < n; ++j)
      a[i * n + j] =
          effects->covariance[line->index * effects->d + effects->lines[of[j]].index];
  }
  double f = quadratic(a, b, n) / ((double)n * wide);
  if (isnan(f)) return;
  effects->tests[effects->n_tests++] =
      (tacit_joint_test){group->name, n, f, df, tacit_fisher_above(f, (double)n, df)};
}

static tacit_status set_tests(tacit_effects *effects, tacit_error *err) {
  size_t d = effects->d;
  double *room;
  TACIT_TRY(TACIT_NEW(effects->tests, effects->columns.n_groups, err));
  TACIT_TRY(TACIT_NEW(room, d * d + d, err));
  for (size_t g = 0; g < effects->columns.n_groups; ++g)
    test_group(effects, &effects->columns.groups[g], room);
  tacit_array_free(room);
  return TACIT_OK;
}

tacit_status tacit_effects_read(const tacit_model *model,
                                const tacit_effects_view *view, tacit_effects *out,
                                tacit_error *err) {
  *out = (tacit_effects){.model = model, .view = *view};
  if (!tacit_model_has_effects(model))
    return tacit_fail(err, TACIT_EINVAL,
                      "the model has no table of effects: make one with tacit infer");
  if (!(view->level >= 0.5 && view->level <= 0.9999))
    return tacit_fail(err, TACIT_EINVAL,
                      "the level is 0.5 to 0.9999, for example 0.95");
  out->json = json_object_get(model->training, "effects");
  TACIT_TRY(read_head(out, err));
  TACIT_TRY(tacit_effects_columns_new(model->schema, -1, 1, &out->columns, err));
  const json_t *list = json_object_get(out->json, "coefficients");
  out->n_lines = out->columns.n;
  if (json_array_size(list) != out->n_lines) return damaged(err);
  TACIT_TRY(TACIT_NEW(out->lines, out->n_lines, err));
  for (size_t i = 0; i < out->n_lines; ++i)
    if (!read_line(out, json_array_get(list, i), i)) return damaged(err);
  if (out->intercept.state == TACIT_EFFECT_IDENTIFIED)
    tacit_effect_interval(&out->view, out->covariance[0], &out->intercept);
  TACIT_TRY(set_holm(out, err));
  TACIT_TRY(set_tests(out, err));
  return tacit_effects_contrasts(out, err);
}

tacit_status tacit_effects_table(const tacit_model *model,
                                 const tacit_effects_view *view,
                                 tacit_effects_form form, char **out,
                                 tacit_error *err) {
  tacit_effects effects = {0};
  char *text = NULL;
  size_t size;
  if (model == NULL || view == NULL || out == NULL || view->struct_size != sizeof *view)
    return tacit_fail(err, TACIT_EINVAL,
                      "a table needs a model, and a view that tacit_effects_view_init "
                      "filled in");
  tacit_status status = tacit_effects_read(model, view, &effects, err);
  if (status == TACIT_OK && form == TACIT_EFFECTS_JSON) {
    json_t *json = tacit_effects_json(&effects);
    status =
        json == NULL ? tacit_fail_memory(err) : tacit_json_text(json, 1, &text, err);
    json_decref(json);
  } else if (status == TACIT_OK) {
    FILE *to = open_memstream(&text, &size);
    if (to != NULL && form == TACIT_EFFECTS_CSV) tacit_effects_csv(&effects, to);
    if (to != NULL && form == TACIT_EFFECTS_TEXT) tacit_effects_text(&effects, to);
    if (to == NULL || tacit_io_text_end(to, &text) != 0)
      status = tacit_fail_memory(err);
  }
  tacit_effects_fini(&effects);
  if (status == TACIT_OK) *out = text;
  return status;
}
