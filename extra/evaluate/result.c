/* SPDX-License-Identifier: MIT */
/*
 * Makes the JSON of an evaluation. Curves are lists of points with bands, for reports
 * to draw. json_object_set_new and json_array_append_new fail for a value that is NULL
 * because memory ran out; their failures are added up.
 */
#include "extra/evaluate/result.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* Returns a list, or NULL if a part of it failed. */
static json_t *whole(json_t *list, int failed) {
  if (!failed) return list;
  json_decref(list);
  return NULL;
}

json_t *tacit_interval_json(const tacit_interval *interval) {
  if (interval->too_noisy)
    return json_pack("{s:n, s:n, s:n, s:b}", "value", "low", "high", "too_noisy", 1);
  return json_pack("{s:f, s:f, s:f}", "value", interval->value, "low", interval->low,
                   "high", interval->high);
}

json_t *tacit_numbers_json(const double *values, size_t count) {
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; i < count; ++i)
    failed |= json_array_append_new(list, json_real(values[i]));
  return whole(list, failed);
}

/* Adds a point to a curve: a score and some numbers with intervals. */
static int append_point(json_t *curve, double score, const char *const *names,
                        const tacit_interval *numbers, size_t count) {
  json_t *point = json_pack("{s:f}", "score", score);
  int failed = point == NULL;
  for (size_t i = 0; i < count; ++i)
    failed |= json_object_set_new(point, names[i], tacit_interval_json(&numbers[i]));
  return failed | json_array_append_new(curve, point);
}

/* Makes the calibration curve: the rate of each bin of scores. */
static json_t *calibration(const tacit_score_table *table,
                           const tacit_interval *rates) {
  static const char *const name[] = {"rate"};
  json_t *curve = json_array();
  int failed = curve == NULL;
  for (size_t b = 0; b < table->bins; ++b)
    failed |= append_point(curve, ((double)b + 0.5) / (double)table->bins, name,
                           &rates[b], 1);
  return whole(curve, failed);
}

/* Makes the curve of thresholds: rates and precision if rows with a score above the
   point count as positive. */
static json_t *thresholds(const tacit_score_table *table,
                          const tacit_interval *numbers) {
  static const char *const names[] = {"true_positive_rate", "false_positive_rate",
                                      "precision"};
  json_t *curve = json_array();
  int failed = curve == NULL;
  for (size_t b = 1; b < table->bins; ++b)
    failed |= append_point(curve, (double)b / (double)table->bins, names,
                           numbers + 3 * (b - 1), 3);
  return whole(curve, failed);
}

static json_t *classes_of(const tacit_score_table *table, const tacit_schema *schema,
                          const tacit_interval *numbers) {
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; i < table->classes; ++i)
    failed |= json_array_append_new(
        list, json_pack("{s:s, s:o, s:o}", "class", tacit_schema_class(schema, (int)i),
                        "recall", tacit_interval_json(&numbers[2 * i]), "precision",
                        tacit_interval_json(&numbers[2 * i + 1])));
  return whole(list, failed);
}

/* Makes the table of rows by predicted class (outer list) and true class. */
static json_t *confusion(const tacit_score_table *table, const double *values,
                         const double *noise) {
  size_t k = table->classes;
  double two[4] = {0};
  for (size_t i = 0; table->kind == TACIT_TABLE_TWO && i < 2 * table->bins; ++i)
    two[(i / 2 >= table->bins / 2 ? 2 : 0) + i % 2] += values[i];
  double spread = table->kind == TACIT_TABLE_TWO
                      ? noise[0] * sqrt((double)table->bins / 2)
                      : noise[0];
  const double *cells = table->kind == TACIT_TABLE_TWO ? two : values;
  json_t *lists = json_array();
  int failed = lists == NULL;
  for (size_t i = 0; i < k; ++i)
    failed |= json_array_append_new(lists, tacit_numbers_json(cells + i * k, k));
  return json_pack("{s:o, s:f}", "predicted_true", whole(lists, failed), "noise",
                   spread);
}

/* Makes a list of the released parts, for readers who compute something else from
   them. */
static json_t *release(const tacit_score_table *table, const double *values,
                       const double *noise) {
  static const char *const names[3][TACIT_TABLE_PARTS] = {
      {"score_class", "loss"},
      {"predicted_true", "score_right", "loss"},
      {"label", "label_squared", "error", "error_absolute", "error_squared", "weight"}};
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; i < table->n_parts; ++i) {
    size_t columns = table->parts[i].columns;
    failed |= json_array_append_new(
        list, json_pack("{s:s, s:f, s:o}", "part", names[table->kind][i], "noise",
                        noise[i], "values", tacit_numbers_json(values, columns)));
    values += columns;
  }
  return whole(list, failed);
}

static int add_all(const tacit_score_table *table, const tacit_schema *schema,
                   const double *values, const double *noise,
                   const tacit_interval *numbers, json_t *object) {
  size_t named;
  const tacit_metric *names = tacit_score_table_metrics(table, &named);
  json_t *metrics = json_object();
  int failed = json_object_set_new(object, "metrics", metrics);
  for (size_t i = 0; failed == 0 && i < named; ++i)
    if (i != 3 || table->kind != TACIT_TABLE_TWO || table->is_probability)
      failed |=
          json_object_set_new(metrics, names[i].name, tacit_interval_json(&numbers[i]));
  numbers += named;
  if (table->kind == TACIT_TABLE_TWO) {
    failed |= json_object_set_new(object, "thresholds", thresholds(table, numbers));
    numbers += 3 * (table->bins - 1);
  } else if (table->kind == TACIT_TABLE_CLASSES) {
    failed |=
        json_object_set_new(object, "classes", classes_of(table, schema, numbers));
    numbers += 2 * table->classes;
  }
  if (table->kind != TACIT_TABLE_NUMBERS) {
    if (table->is_probability)
      failed |= json_object_set_new(object, "calibration", calibration(table, numbers));
    failed |= json_object_set_new(object, "confusion", confusion(table, values, noise));
  }
  return failed | json_object_set_new(object, "release", release(table, values, noise));
}

tacit_status tacit_table_result(const tacit_score_table *table,
                                const tacit_schema *schema, const double *values,
                                const double *noise, json_t *object, tacit_error *err) {
  tacit_interval *numbers =
      tacit_array_new(tacit_score_table_count(table), sizeof *numbers);
  if (numbers == NULL) return tacit_fail_memory(err);
  tacit_status status = tacit_score_table_intervals(table, noise, values, numbers, err);
  if (status == TACIT_OK && add_all(table, schema, values, noise, numbers, object) != 0)
    status = tacit_fail_memory(err);
  tacit_array_free(numbers);
  return status;
}
