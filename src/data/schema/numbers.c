/* SPDX-License-Identifier: MIT */
/* Reads columns of numbers and dates, and their curves, from JSON. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/schema/parts.h"

/* Reads "map": [-1, 1], [0, 1], or the name of a function. */
static tacit_status map_from(const json_t *map, const char *where, tacit_curve *curve,
                             tacit_error *err) {
  curve->low = -1;
  if (map == NULL) return TACIT_OK;
  const char *name = json_string_value(map);
  for (int i = TACIT_MAP_LOG; name != NULL && i <= TACIT_MAP_SQRT; ++i)
    if (strcmp(name, tacit_number_map_name((tacit_number_map)i)) == 0)
      curve->map = (tacit_number_map)i;
  if (curve->map == TACIT_MAP_LINEAR) {
    const json_t *low = json_array_get(map, 0), *high = json_array_get(map, 1);
    double map_low = json_is_number(low) ? json_number_value(low) : NAN;
    double map_high = json_is_number(high) ? json_number_value(high) : NAN;
    if (json_array_size(map) != 2 || map_high != 1 || !(map_low == -1 || map_low == 0))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"map\" must be [-1, 1], [0, 1], \"log\", \"log1p\" or "
                        "\"sqrt\"",
                        where);
    curve->low = map_low < 0 ? -1 : 0;
    return TACIT_OK;
  }
  if (curve->map == TACIT_MAP_LOG && !(curve->min >= 1e-300))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"map\": \"log\" needs a min above 0; \"log1p\" goes from 0 "
                      "on",
                      where);
  if (curve->min < 0)
    return tacit_fail(err, TACIT_EDATA, "%s: \"map\": \"%s\" needs a min of 0 or more",
                      where, name);
  return TACIT_OK;
}

/* Reads "edges": ascending numbers between min and max. */
static tacit_status edges_from(const json_t *json, const char *where,
                               const tacit_curve *curve, double *edges,
                               tacit_error *err) {
  double last = curve->min;
  for (size_t i = 0; i < json_array_size(json); ++i) {
    const json_t *edge = json_array_get(json, i);
    edges[i] = json_is_number(edge) ? json_number_value(edge) : NAN;
    if (!(edges[i] > last && edges[i] < curve->max) ||
        !(tacit_curve_mapped(curve, edges[i]) > tacit_curve_mapped(curve, last)))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"edges\" must be ascending numbers between min and max",
                        where);
    last = edges[i];
  }
  return TACIT_OK;
}

static tacit_status with_edges(const json_t *json, const char *where,
                               tacit_curve *curve, tacit_error *err) {
  size_t count = json_array_size(json);
  const char *word = json_string_value(json);
  if (word != NULL && strcmp(word, "private") == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"edges\" must be numbers; private ones come from \"tacit "
                      "describe --bins 256 --json\" and \"tacit schema --counts\"",
                      where);
  if (count < 1 || count > TACIT_CURVE_MAX - 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"edges\" must be a list of 1 to %d numbers", where,
                      TACIT_CURVE_MAX - 2);
  double *edges = tacit_array_new(count, sizeof *edges);
  if (edges == NULL) return tacit_fail_memory(err);
  curve->n_points = count + 2;
  tacit_status status = edges_from(json, where, curve, edges, err);
  if (status == TACIT_OK) status = tacit_curve_finish(curve, edges, err);
  tacit_array_free(edges);
  return status;
}

/* Reads "line", which is true if there is a line beside the hats. */
static tacit_status line_from(const json_t *line, const char *where, tacit_curve *curve,
                              tacit_error *err) {
  curve->has_line = json_is_true(line);
  if (line == NULL || json_is_boolean(line)) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "%s: \"line\" must be true or false", where);
}

/* Reads "curve": a number of steps, such as 16, or {"knots": 8, "kind": "linear"}. Sets
 *out_count to the number of steps or knots, or to 0 if edges determine it. */
static tacit_status shape_from(const json_t *json, const char *where, int has_edges,
                               tacit_curve *curve, json_int_t *out_count,
                               tacit_error *err) {
  static const char *const known[] = {"knots", "kind", "line", NULL};
  curve->shape = has_edges ? TACIT_TERM_STEPS : TACIT_TERM_LINE;
  *out_count = 0;
  if (json == NULL) return TACIT_OK;
  const json_t *count = json;
  if (json_is_object(json)) {
    TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
    const json_t *kind = json_object_get(json, "kind");
    const char *text = kind == NULL ? "linear" : json_string_value(kind);
    if (text == NULL || strcmp(text, "linear") != 0)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"kind\" must be \"linear\"; a number alone, \"curve\": "
                        "16, means steps",
                        where);
    curve->shape = TACIT_TERM_HATS;
    TACIT_TRY(line_from(json_object_get(json, "line"), where, curve, err));
    count = json_object_get(json, "knots");
    if (has_edges && count == NULL) return TACIT_OK;
  } else {
    curve->shape = TACIT_TERM_STEPS;
  }
  *out_count = json_is_integer(count) ? json_integer_value(count) : 0;
  if (has_edges || *out_count < TACIT_CURVE_MIN || *out_count > TACIT_CURVE_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      has_edges
                          ? "%s: \"edges\" say how many steps or knots there are; "
                            "leave the number out"
                          : "%s: \"curve\" must be a number of steps from 2 to %d, "
                            "or {\"knots\": 8, \"kind\": \"linear\"}",
                      where, TACIT_CURVE_MAX);
  return TACIT_OK;
}

/* Reads "atoms": ascending numbers from min to max. The bounds must already be read. */
static tacit_status atoms_from(const json_t *json, const char *where,
                               tacit_curve *curve, tacit_error *err) {
  size_t count = json_array_size(json);
  int failed = count < 1 || count > TACIT_CURVE_ATOMS;
  if (json == NULL) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(curve->atoms, TACIT_CURVE_ATOMS, err));
  for (size_t i = 0; i < count && !failed; ++i) {
    const json_t *atom = json_array_get(json, i);
    curve->atoms[i] = json_is_number(atom) ? json_number_value(atom) : NAN;
    failed = !(curve->atoms[i] >= curve->min && curve->atoms[i] <= curve->max) ||
             (i > 0 && !(curve->atoms[i] > curve->atoms[i - 1]));
  }
  curve->n_atoms = count;
  return failed ? tacit_fail(err, TACIT_EDATA,
                             "%s: \"atoms\" must be 1 to %d ascending numbers from min "
                             "to max",
                             where, TACIT_CURVE_ATOMS)
                : TACIT_OK;
}

/* Reads "curve" and "edges" of a column. Bounds and map must already be read. */
static tacit_status curve_from(const json_t *json, const char *where,
                               tacit_curve *curve, tacit_error *err) {
  const json_t *edges = json_object_get(json, "edges");
  json_int_t count = 0;
  TACIT_TRY(shape_from(json_object_get(json, "curve"), where, edges != NULL, curve,
                       &count, err));
  if (curve->shape != TACIT_TERM_LINE) curve->low = -1; /* for the line beside hats */
  if (edges != NULL) return with_edges(edges, where, curve, err);
  curve->n_points = (size_t)count + (curve->shape == TACIT_TERM_STEPS);
  TACIT_TRY(tacit_curve_finish(curve, NULL, err));
  for (size_t i = 1; i < curve->n_points; ++i) {
    if (!(curve->at[i] > curve->at[i - 1]))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: min and max are too close for so many steps or knots",
                        where);
  }
  return TACIT_OK;
}

/* Reads "monotone". Within a curve an atom could not be above the numbers below it and
   below those above it unless it were on the curve. */
static tacit_status promise_from(const json_t *json, const char *where,
                                 tacit_column *column, tacit_error *err) {
  const tacit_curve *curve = &column->curve;
  TACIT_TRY(tacit_schema_monotone_from(json, where, &column->monotone, err));
  int failed =
      column->monotone != 0 && curve->n_atoms > 0 && curve->shape == TACIT_TERM_LINE;
  for (size_t i = 0; i < curve->n_atoms; ++i)
    failed |= column->monotone != 0 && curve->atoms[i] != curve->min &&
              curve->atoms[i] != curve->max;
  return failed ? tacit_fail(err, TACIT_EDATA,
                             "%s: a monotone column with atoms needs a curve, and its "
                             "atoms must be its min or its max",
                             where)
                : TACIT_OK;
}

static int is_own(const json_t *missing) {
  const char *text = json_string_value(missing);
  return text != NULL && strcmp(text, "own") == 0;
}

tacit_status tacit_schema_numeric_from(const json_t *json, const char *where,
                                       tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name",    "type",     "min",   "max",
                                      "map",     "curve",    "edges", "atoms",
                                      "missing", "monotone", NULL};
  tacit_curve *curve = &column->curve;
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  TACIT_TRY(tacit_schema_bounds(json, where, &curve->min, &curve->max, err));
  TACIT_TRY(atoms_from(json_object_get(json, "atoms"), where, curve, err));
  TACIT_TRY(map_from(json_object_get(json, "map"), where, curve, err));
  TACIT_TRY(curve_from(json, where, curve, err));
  TACIT_TRY(promise_from(json, where, column, err));
  const json_t *missing = json_object_get(json, "missing");
  column->n_inputs = tacit_curve_inputs(curve);
  if (missing == NULL) return TACIT_OK;
  if (is_own(missing)) {
    column->missing = TACIT_MISSING_OWN;
    ++column->n_inputs;
    return TACIT_OK;
  }
  column->missing = TACIT_MISSING_VALUE;
  column->missing_number = json_is_number(missing) ? json_number_value(missing) : NAN;
  if (!(column->missing_number >= curve->min && column->missing_number <= curve->max))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"missing\" must be a number from min to max, or \"own\"",
                      where);
  return TACIT_OK;
}

/* Reads a date in JSON. It is written 2024-12-31, whatever the format of dates in the
   file. */
static tacit_status day_from(const json_t *json, const char *key, const char *where,
                             double *out, tacit_error *err) {
  const char *text = json_string_value(json_object_get(json, key));
  tacit_date date;
  if (json_is_null(json_object_get(json, key)))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: min and max are not filled in: give dates you know without "
                      "looking at the data",
                      where);
  if (text == NULL || !tacit_date_parse("%Y-%m-%d", text, strlen(text), &date))
    return tacit_fail(err, TACIT_EDATA, "%s: \"%s\" must be a date written 2024-12-31",
                      where, key);
  *out = (double)tacit_date_days(&date);
  return TACIT_OK;
}

static tacit_status parts_from(const json_t *parts, const char *where,
                               tacit_column *column, tacit_error *err) {
  for (size_t i = 0; i < json_array_size(parts); ++i) {
    const char *text = json_string_value(json_array_get(parts, i));
    unsigned part = 0;
    while (part < TACIT_DATE_PARTS &&
           (text == NULL || strcmp(text, tacit_date_part_name(part)) != 0))
      ++part;
    if (part == TACIT_DATE_PARTS || (column->parts & 1u << part) != 0)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"parts\" must be different ones of \"year\", \"month\", "
                        "\"weekday\", \"yearday\" and \"days\"",
                        where);
    column->parts |= 1u << part;
  }
  return column->parts != 0
             ? TACIT_OK
             : tacit_fail(err, TACIT_EDATA,
                          "%s: \"parts\" must be a list of at least one", where);
}

static void place_parts(tacit_column *column) {
  tacit_date first = tacit_date_of((int64_t)column->curve.min);
  tacit_date last = tacit_date_of((int64_t)column->curve.max);
  const size_t sizes[TACIT_DATE_PARTS] = {(size_t)(last.year - first.year) + 1, 12, 7,
                                          366, tacit_curve_inputs(&column->curve)};
  for (unsigned i = 0; i < TACIT_DATE_PARTS; ++i) {
    column->part_first[i] = column->n_inputs;
    if ((column->parts & 1u << i) != 0) column->n_inputs += sizes[i];
  }
  column->n_inputs += column->missing == TACIT_MISSING_OWN;
}

tacit_status tacit_schema_date_from(const json_t *json, const char *where,
                                    tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name",  "type",  "format",  "min", "max",
                                      "parts", "curve", "missing", NULL};
  tacit_curve *curve = &column->curve;
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  TACIT_TRY(tacit_schema_copy_text(json_object_get(json, "format"), "\"format\"", 0, 64,
                                   where, &column->format, err));
  const char *fault = tacit_date_format_fault(column->format);
  if (fault != NULL) return tacit_fail(err, TACIT_EDATA, "%s: %s", where, fault);
  TACIT_TRY(day_from(json, "min", where, &curve->min, err));
  TACIT_TRY(day_from(json, "max", where, &curve->max, err));
  if (!(curve->min < curve->max))
    return tacit_fail(err, TACIT_EDATA, "%s: \"min\" must be before \"max\"", where);
  TACIT_TRY(parts_from(json_object_get(json, "parts"), where, column, err));
  curve->low = -1;
  TACIT_TRY(curve_from(json, where, curve, err));
  const json_t *missing = json_object_get(json, "missing");
  if (missing != NULL)
    column->missing = is_own(missing) ? TACIT_MISSING_OWN : TACIT_MISSING_VALUE;
  if (column->missing == TACIT_MISSING_VALUE)
    TACIT_TRY(day_from(json, "missing", where, &column->missing_number, err));
  place_parts(column);
  return TACIT_OK;
}
