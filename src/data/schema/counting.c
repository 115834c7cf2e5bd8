/* SPDX-License-Identifier: MIT */
/*
 * A schema for counting instead of training: a cell sets exactly one input of its
 * column to 1, so that sums over rows count values and bins. The JSON of the schema is
 * changed before it is read: numbers and dates become steps, ordered values become
 * categories, hashed columns and texts are ignored, crosses are left out. Wide bins
 * need no bounds.
 */
#include <math.h>
#include <string.h>

#include "data/schema/parts.h"

static int is_type(const json_t *column, const char *type) {
  const char *text = json_string_value(json_object_get(column, "type"));
  return text != NULL && strcmp(text, type) == 0;
}

/* Gives a column edges at ±2^k. Numbers beyond the last edge count in the last bin. */
static int widen(json_t *column) {
  json_t *edges = json_array();
  int failed = edges == NULL;
  for (int i = TACIT_WIDE_MAX; i >= TACIT_WIDE_MIN; --i)
    failed |= json_array_append_new(edges, json_real(-ldexp(1, i)));
  for (int i = TACIT_WIDE_MIN; i <= TACIT_WIDE_MAX; ++i)
    failed |= json_array_append_new(edges, json_real(ldexp(1, i)));
  (void)json_object_del(column, "map");
  (void)json_object_del(column, "curve");
  (void)json_object_del(column, "atoms");
  failed |= json_object_set_new(column, "edges", edges);
  double end = ldexp(1, TACIT_WIDE_MAX + 1);
  failed |= json_object_set_new(column, "min", json_real(-end));
  return failed | json_object_set_new(column, "max", json_real(end));
}

/* Turns a column into steps: the declared edges or number of steps if there are any,
   otherwise counting->bins steps. */
static int set_steps(json_t *column, const tacit_counting *counting) {
  if (json_object_get(column, "edges") != NULL) {
    (void)json_object_del(column, "curve");
    return 0;
  }
  if (json_is_integer(json_object_get(column, "curve"))) return 0;
  return json_object_set_new(column, "curve", json_integer(counting->bins));
}

static int change_column(json_t *column, const tacit_counting *counting) {
  (void)json_object_del(column, "monotone");
  if (is_type(column, "numeric"))
    return counting->wide ? widen(column) : set_steps(column, counting);
  if (is_type(column, "date"))
    return json_object_set_new(column, "parts", json_pack("[s]", "days")) |
           set_steps(column, counting);
  if (is_type(column, "ordinal")) {
    (void)json_object_del(column, "missing"); /* a missing cell counts as "other" */
    return json_object_set_new(column, "type", json_string("category"));
  }
  if (is_type(column, "hashed") || is_type(column, "text"))
    return json_object_set_new(column, "type", json_string("ignore"));
  return 0;
}

int tacit_schema_change_for_counts(json_t *json, const tacit_counting *counting) {
  json_t *columns = json_object_get(json, "columns"), *column;
  json_t *label = json_object_get(json, "label");
  size_t i;
  int failed = 0;
  json_array_foreach(columns, i, column) {
    if (json_is_object(column)) failed |= change_column(column, counting);
  }
  (void)json_object_del(json, "crosses");
  if (json_object_get(label, "min") != NULL && counting->wide) {
    double end = ldexp(1, TACIT_WIDE_MAX + 1);
    failed |= json_object_set_new(label, "min", json_real(-end));
    failed |= json_object_set_new(label, "max", json_real(end));
  }
  if (json_is_integer(json_object_get(json, "tacit_schema")) &&
      json_integer_value(json_object_get(json, "tacit_schema")) == 1)
    failed |= json_object_set_new(json, "tacit_schema", json_integer(2));
  return failed;
}
