/* SPDX-License-Identifier: MIT */
/* Weights of monotone columns, against a solver of quadratic programs that knows only
   the inputs of numbers: coordinate ascent on the dual (Hildreth). */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

#include "base/numbers.h"
#include "model/model.h"

enum { INPUTS_MAX = 16, POINTS_MAX = 16 };

static const char *const columns[] = {
    "\"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": 6",
    "\"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": {\"knots\": 7}",
    "\"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": {\"knots\": 7, "
    "\"line\": "
    "true}",
    "\"type\": \"numeric\", \"min\": 0, \"max\": 9, \"map\": \"sqrt\", \"edges\": [1, "
    "2, "
    "7], \"curve\": {\"kind\": \"linear\", \"line\": true}, \"atoms\": [0, 9]",
    "\"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": 4, \"atoms\": [6], "
    "\"missing\": \"own\"",
    "\"type\": \"numeric\", \"min\": 0, \"max\": 6, \"map\": [0, 1]",
    "\"type\": \"ordinal\", \"values\": [\"a\", \"b\", \"c\", \"d\"], \"missing\": "
    "\"own\""};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static tacit_schema *schema_of(const char *column, const char *way) {
  char text[600];
  tacit_schema *schema = NULL;
  tacit_error err;
  (void)snprintf(text, sizeof text,
                 "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": "
                 "[\"n\", \"p\"]}, \"columns\": [{\"name\": \"x\", %s, \"monotone\": "
                 "\"%s\"}]}",
                 column, way);
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "t", &schema, &err), err);
  return schema;
}

/* Writes what each input is at the points of a column, which must ascend: the numbers
   between which a line or broken line is straight, with atoms before or after. */
static size_t points_of(const tacit_schema *schema,
                        double out[POINTS_MAX][INPUTS_MAX]) {
  const tacit_column *column = &schema->columns[0];
  const tacit_curve *curve = &column->curve;
  size_t count = 0;
  memset(out, 0, sizeof(double[POINTS_MAX][INPUTS_MAX]));
  if (column->type == TACIT_COLUMN_ORDINAL) {
    for (count = 0; count < column->n_values; ++count)
      for (size_t i = 0; i < count; ++i)
        out[count][i] = 1;
    return count;
  }
  size_t n_atoms = curve->n_atoms, first_atom = tacit_curve_rest(curve);
  int is_steps = curve->shape == TACIT_TERM_STEPS;
  size_t points =
      curve->shape == TACIT_TERM_LINE ? 2 : curve->n_points - (size_t)is_steps;
  if (n_atoms > 0 && curve->atoms[0] == curve->min) out[count++][first_atom] = 1;
  for (size_t p = 0; p < points; ++p, ++count) {
    double value = curve->shape == TACIT_TERM_LINE ? p == 0 ? curve->min : curve->max
                                                   : curve->points[p];
    double parts[3];
    size_t at = tacit_schema_term_parts(schema, 0, value, parts);
    out[count][at] = parts[0];
    if (curve->shape == TACIT_TERM_HATS) out[count][at + 1] = parts[1];
    if (curve->has_line) out[count][curve->n_points] = parts[2];
  }
  if (n_atoms > 0 && curve->atoms[n_atoms - 1] == curve->max)
    out[count++][first_atom + n_atoms - 1] = 1;
  return count;
}

static double rise(const double *from, const double *to, const double *weights,
                   double sign) {
  double sum = 0;
  for (size_t i = 0; i < INPUTS_MAX; ++i)
    sum += sign * (to[i] - from[i]) * weights[i];
  return sum;
}

/* Moves the weights to the nearest ones with which no point is below the one before. */
static void project(double points[POINTS_MAX][INPUTS_MAX], size_t count, double sign,
                    const double *noise, double *weights) {
  double force[POINTS_MAX] = {0};
  for (int sweep = 0; sweep < 20000; ++sweep) {
    for (size_t p = 0; p + 1 < count; ++p) {
      double size = 0, now = force[p];
      for (size_t i = 0; i < INPUTS_MAX; ++i) {
        double by = noise[i] * (points[p + 1][i] - points[p][i]);
        size += by * by;
      }
      force[p] = fmax(now - rise(points[p], points[p + 1], weights, sign) / size, 0);
      for (size_t i = 0; i < INPUTS_MAX; ++i)
        weights[i] += sign * (force[p] - now) * noise[i] * noise[i] *
                      (points[p + 1][i] - points[p][i]);
    }
  }
}

static double number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 40) / (double)(1 << 24);
}

static void check(const char *column, int is_up, int has_noise, uint64_t *state) {
  double points[POINTS_MAX][INPUTS_MAX], noise[INPUTS_MAX], weights[INPUTS_MAX],
      expected[INPUTS_MAX], again[INPUTS_MAX];
  tacit_schema *schema = schema_of(column, is_up ? "up" : "down");
  size_t count = points_of(schema, points);
  tacit_error err;
  double sign = is_up ? 1 : -1;
  for (size_t i = 0; i < INPUTS_MAX; ++i) {
    expected[i] = weights[i] = 2 * number(state) - 1;
    noise[i] = has_noise ? 0.2 + number(state) : 1;
  }
  project(points, count, sign, noise, expected);
  CHECK_OK(tacit_monotone(schema, has_noise ? noise : NULL, weights, &err), err);
  for (size_t i = 0; i < INPUTS_MAX; ++i)
    CHECK_WITHIN(weights[i], expected[i], 1e-7);
  for (size_t p = 0; p + 1 < count; ++p)
    assert_true(rise(points[p], points[p + 1], weights, sign) >= -1e-14);
  memcpy(again, weights, sizeof again);
  CHECK_OK(tacit_monotone(schema, has_noise ? noise : NULL, again, &err), err);
  for (size_t i = 0; i < INPUTS_MAX; ++i)
    CHECK_WITHIN(again[i], weights[i], 1e-13);
  tacit_schema_free(schema);
}

static void weights_are_the_nearest_that_keep_the_promise(void **state) {
  uint64_t random = 3;
  (void)state;
  for (size_t i = 0; i < N_COLUMNS; ++i)
    for (int round = 0; round < 40; ++round)
      check(columns[i], round % 2, round % 3 > 0, &random);
}

static void weights_that_keep_it_do_not_move(void **state) {
  const double kept[INPUTS_MAX] = {-3, -2.1, -0.7, 0.1, 0.1, 2, 5.3, 0.3};
  double weights[INPUTS_MAX];
  tacit_error err;
  (void)state;
  memcpy(weights, kept, sizeof kept);
  tacit_schema *schema = schema_of(columns[2], "up");
  CHECK_OK(tacit_monotone(schema, NULL, weights, &err), err);
  assert_memory_equal(weights, kept, sizeof kept);
  tacit_schema_free(schema);
}

static void refused(const char *label, const char *column, const char *more,
                    const char *message) {
  char text[600];
  tacit_schema *schema = NULL;
  tacit_error err;
  (void)snprintf(
      text, sizeof text,
      "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", %s}, \"columns\": "
      "[{\"name\": \"x\", %s}, {\"name\": \"b\", \"type\": \"bool\"}]%s}",
      label, column, more);
  assert_int_equal(tacit_schema_from_text(text, strlen(text), "t", &schema, &err),
                   TACIT_EDATA);
  assert_string_equal(err.message, message);
}

#define NUMBER "\"type\": \"numeric\", \"min\": 0, \"max\": 6, "
static void promises_that_weights_cannot_keep_are_refused(void **state) {
  static const char two[] = "\"classes\": [\"n\", \"p\"]";
  static const char atoms[] = "t: column 'x': a monotone column with atoms needs a "
                              "curve, and its atoms must be "
                              "its min or its max";
  (void)state;
  refused("\"classes\": [\"a\", \"b\", \"c\"]", NUMBER "\"monotone\": \"up\"", "",
          "t: \"monotone\" is for two classes or a number as the label");
  refused(two, NUMBER "\"monotone\": \"up\", \"curve\": 3",
          ", \"crosses\": [[\"b\", \"x\"]]",
          "t: crosses[0]: a monotone column cannot be crossed");
  refused(two, NUMBER "\"monotone\": true", "",
          "t: column 'x': \"monotone\" must be \"up\" or \"down\"");
  refused(two, NUMBER "\"monotone\": \"up\", \"atoms\": [0]", "", atoms);
  refused(two, NUMBER "\"monotone\": \"up\", \"curve\": 4, \"atoms\": [0, 3]", "",
          atoms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_the_nearest_that_keep_the_promise),
      cmocka_unit_test(weights_that_keep_it_do_not_move),
      cmocka_unit_test(promises_that_weights_cannot_keep_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
