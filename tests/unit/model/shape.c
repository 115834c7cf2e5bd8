/* SPDX-License-Identifier: MIT */
/* Shapes and their noise, against sums over unit weights; the noise in the file. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

#include "model/model.h"

enum { POINTS = 7, MOST = POINTS + 2, INPUTS = 20, INPUTS_MAX = 32 };

static const char text[] =
    "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": [\"n\", \"p\"]},"
    " \"columns\": ["
    "{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": "
    "{\"knots\": 4, \"line\": true}},"
    "{\"name\": \"b\", \"type\": \"numeric\", \"min\": 0, \"max\": 6},"
    "{\"name\": \"c\", \"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": 3},"
    "{\"name\": \"d\", \"type\": \"category\", \"values\": [\"u\", \"v\"]},"
    "{\"name\": \"e\", \"type\": \"ordinal\", \"values\": [\"l\", \"m\", \"h\"]},"
    "{\"name\": \"f\", \"type\": \"bool\"},"
    "{\"name\": \"g\", \"type\": \"numeric\", \"min\": 0, \"max\": 6, \"curve\": "
    "{\"knots\": 2, \"line\": true}, \"atoms\": [0, 5]}]}";

struct example {
  tacit_schema *schema;
  json_t *statement, *training;
  tacit_model *model;
};

static double weights[INPUTS_MAX], noise[INPUTS_MAX];

static tacit_status made(struct example *example, tacit_error *err) {
  tacit_config config;
  tacit_plan *plan = NULL;
  *example = (struct example){0};
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "test", &example->schema, err),
           *err);
  assert_int_equal(tacit_schema_features(example->schema), INPUTS);
  tacit_config_init(&config);
  config.rows = 100;
  config.epsilon = 1;
  config.schema = example->schema;
  CHECK_OK(tacit_plan_new(&config, &plan, err), *err);
  example->statement = json_loads(tacit_plan_statement_json(plan), 0, NULL);
  tacit_plan_free(plan);
  example->training = json_object();
  tacit_model_parts parts = {.schema = example->schema,
                             .loss_spec = "logistic",
                             .row_norm = 1,
                             .row_exponent = 2,
                             .bias = 1,
                             .weights = weights,
                             .noise = noise,
                             .training = example->training,
                             .statement = example->statement};
  return tacit_model_new(&parts, &example->model, err);
}

static void make(struct example *example) {
  tacit_error err;
  for (int i = 0; i < INPUTS_MAX; ++i) {
    weights[i] = (i * 7 % 5) - 1.5;
    noise[i] = 0.1 + (i * 3 % 4);
  }
  CHECK_OK(made(example, &err), err);
}

static void drop(struct example *example) {
  tacit_model_free(example->model);
  tacit_schema_free(example->schema);
  json_decref(example->statement);
  json_decref(example->training);
}

/* The shape of a term if all weights but one are 0: how much of it is at each point. */
static size_t parts_of(size_t term, size_t input, double *out) {
  struct example other;
  double kept[INPUTS_MAX];
  size_t count = 0;
  tacit_error err;
  memcpy(kept, weights, sizeof kept);
  memset(weights, 0, sizeof weights);
  weights[input] = 1;
  CHECK_OK(made(&other, &err), err);
  CHECK_OK(tacit_model_shape(other.model, term, 0, POINTS, &count, out, NULL, &err),
           err);
  memcpy(weights, kept, sizeof kept);
  drop(&other);
  return count;
}

static void shapes_are_sums_of_their_inputs(void **state) {
  static const size_t points[] = {POINTS, POINTS, POINTS, 2, 3, 2, MOST};
  struct example example;
  tacit_error err;
  (void)state;
  make(&example);
  for (size_t which = 0; which < tacit_schema_terms(example.schema); ++which) {
    double shape[MOST], found[MOST], parts[MOST], sum[MOST] = {0}, squares[MOST] = {0},
                                                  mean = 0;
    tacit_term term = {.struct_size = sizeof term};
    size_t count = 0;
    CHECK_OK(tacit_schema_term(example.schema, which, &term, &err), err);
    CHECK_OK(
        tacit_model_shape(example.model, which, 0, POINTS, &count, shape, found, &err),
        err);
    assert_int_equal(count, points[which]);
    for (size_t i = 0; i < term.count; ++i) {
      assert_int_equal(parts_of(which, term.first + i, parts), count);
      for (size_t p = 0; p < count; ++p) {
        sum[p] += weights[term.first + i] * parts[p];
        squares[p] += pow(noise[term.first + i] * parts[p], 2);
      }
    }
    for (size_t p = 0; p < count; ++p) {
      CHECK_WITHIN(shape[p], sum[p], 1e-12);
      CHECK_WITHIN(found[p], sqrt(squares[p]), 1e-7);
      mean += shape[p];
    }
    CHECK_WITHIN(mean, 0, 1e-12);
  }
  drop(&example);
}

/* Heights are differences of the scores of numbers: of the curve, and of atoms. */
static void atoms_follow_the_points_of_the_curve(void **state) {
  struct example example;
  double shape[MOST];
  tacit_error err;
  (void)state;
  make(&example);
  CHECK_OK(tacit_model_shape(example.model, 6, 0, POINTS, NULL, shape, NULL, &err),
           err);
  double scale = tacit_model_term_scale(example.model);
  double at[] = {1, 2, 3, 4, 6, 0, 5}; /* on the curve, where no atom is; then atoms */
  const size_t point[] = {1, 2, 3, 4, 6, 7, 8};
  for (size_t i = 0; i < 7; ++i) {
    double score =
        tacit_schema_term_score(example.schema, 6, weights + INPUTS - 5, at[i]);
    double first =
        tacit_schema_term_score(example.schema, 6, weights + INPUTS - 5, at[0]);
    CHECK_WITHIN(shape[point[i]] - shape[point[0]], scale * (score - first), 1e-12);
  }
  assert_true(tacit_schema_term_score(example.schema, 6, weights + INPUTS - 5, -1) ==
              weights[INPUTS - 2]);
  drop(&example);
}

/* A line over its range less its mean, by hand: a(x) = x/3 - 1 if it is on [-1, 1]. */
static void a_line_has_no_noise_in_the_middle(void **state) {
  struct example example;
  double found[POINTS];
  tacit_error err;
  (void)state;
  make(&example);
  CHECK_OK(tacit_model_shape(example.model, 1, 0, POINTS, NULL, NULL, found, &err),
           err);
  CHECK_WITHIN(found[POINTS / 2], 0, 1e-7);
  CHECK_RELATIVE(found[0], found[POINTS - 1], 1e-9);
  assert_true(found[0] > found[1] && found[1] > 0);
  assert_int_equal(
      tacit_model_shape(example.model, 99, 0, POINTS, NULL, NULL, found, &err),
      TACIT_EINVAL);
  assert_int_equal(tacit_model_shape(example.model, 0, 1, 2, NULL, NULL, found, &err),
                   TACIT_EINVAL);
  assert_int_equal(tacit_model_shape(example.model, 0, 0, 1, NULL, NULL, found, &err),
                   TACIT_EINVAL);
  drop(&example);
}

/* The text of a model with another value of "noise"; NULL: without. */
static tacit_status reparsed(const tacit_model *model, json_t *value,
                             tacit_model **out) {
  char *json = NULL;
  tacit_error err;
  CHECK_OK(tacit_model_text(model, &json, &err), err);
  json_t *file = json_loads(json, 0, NULL);
  tacit_string_free(json);
  if (value != NULL)
    assert_int_equal(json_object_set_new(file, "noise", value), 0);
  else
    assert_int_equal(json_object_del(file, "noise"), 0);
  json = json_dumps(file, 0);
  json_decref(file);
  tacit_status status = tacit_model_parse(json, strlen(json), out, &err);
  free(json);
  return status;
}

static void the_file_keeps_the_noise(void **state) {
  struct example example;
  tacit_model *again = NULL;
  tacit_error err;
  char *json = NULL;
  size_t count;
  (void)state;
  make(&example);
  CHECK_OK(tacit_model_text(example.model, &json, &err), err);
  CHECK_OK(tacit_model_parse(json, strlen(json), &again, &err), err);
  assert_memory_equal(tacit_model_noise(again, &count), noise, INPUTS * sizeof(double));
  assert_int_equal(count, INPUTS);
  tacit_string_free(json);
  tacit_model_free(again);
  drop(&example);
}

static void noise_that_was_edited_is_refused(void **state) {
  struct example example;
  tacit_model *again = NULL;
  (void)state;
  make(&example);
  assert_int_equal(reparsed(example.model, NULL, &again), TACIT_EDATA);
  assert_int_equal(reparsed(example.model, json_array(), &again), TACIT_EDATA);
  assert_int_equal(reparsed(example.model, json_integer(1), &again), TACIT_EDATA);
  json_t *other = json_array();
  for (int i = 0; i < INPUTS; ++i)
    json_array_append_new(other, json_real(2 * noise[i]));
  assert_int_equal(reparsed(example.model, other, &again), TACIT_EDATA);
  drop(&example);
  noise[3] = -1;
  tacit_error err;
  assert_int_equal(made(&example, &err), TACIT_EDATA);
  drop(&example);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_sums_of_their_inputs),
      cmocka_unit_test(atoms_follow_the_points_of_the_curve),
      cmocka_unit_test(a_line_has_no_noise_in_the_middle),
      cmocka_unit_test(the_file_keeps_the_noise),
      cmocka_unit_test(noise_that_was_edited_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
