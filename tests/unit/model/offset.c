/* SPDX-License-Identifier: MIT */
/* Models with an offset and with one scale for all rows: margins, file and digest. */
#include "made.h"

#include <jansson.h>
#include <stdlib.h>
#include <tacit/tacit.h>

#include "model/model.h"

enum { FEATURES = 3, OUTPUTS_MAX = 3, ROWS = 4 };

static const double rows[ROWS * FEATURES] = {1, .5, -.5, .25, 3, 0, 0, 0, 0, -4, 2, 1};
static const double weights[OUTPUTS_MAX * (FEATURES + 1)] = {
    .5, -1, 2, .25, 3, -.75, 1.5, -.5, 1, .125, -2, .375};
static const double offsets[OUTPUTS_MAX] = {.3, -1.7, 1e-3};

struct example {
  tacit_schema *schema;
  json_t *statement, *training;
  tacit_model *model;
};

static const tacit_model_parts plain = {
    .row_norm = 2, .row_exponent = 2, .bias = 1, .weights = weights};

static json_t *a_statement(const tacit_schema *schema) {
  tacit_config config = made_config(schema, 100);
  tacit_plan *plan = NULL;
  tacit_error err;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  json_t *statement = json_loads(tacit_plan_statement_json(plan), 0, NULL);
  tacit_plan_free(plan);
  assert_non_null(statement);
  return statement;
}

static tacit_status made(struct example *example, const tacit_model_parts *given,
                         size_t outputs, tacit_error *err) {
  tacit_model_parts parts = *given;
  *example = (struct example){0};
  if (outputs == 1)
    CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &example->schema, err), *err);
  else
    CHECK_OK(tacit_schema_memory(FEATURES, outputs, 0, 0, &example->schema, err), *err);
  parts.schema = example->schema;
  parts.loss_spec = outputs == 1 ? "logistic" : "softmax";
  parts.statement = example->statement = a_statement(example->schema);
  parts.training = example->training = json_object();
  return tacit_model_new(&parts, &example->model, err);
}

static void make(struct example *example, const tacit_model_parts *parts,
                 size_t outputs) {
  tacit_error err;
  CHECK_OK(made(example, parts, outputs, &err), err);
}

static void drop(struct example *example) {
  tacit_model_free(example->model);
  tacit_schema_free(example->schema);
  json_decref(example->statement);
  json_decref(example->training);
}

/* The margin by its definition. */
static double margin(size_t row, size_t k, size_t outputs, double scale,
                     const double *offset) {
  const double *x = rows + row * FEATURES;
  double dot = weights[outputs * FEATURES + k], square = 1;
  for (size_t j = 0; j < FEATURES; ++j) {
    dot += x[j] * weights[k * FEATURES + j];
    square += x[j] * x[j];
  }
  double own = sqrt(square) <= plain.row_norm ? 1 : plain.row_norm / sqrt(square);
  return (scale > 0 ? scale : own) * dot + (offset != NULL ? offset[k] : 0);
}

static void a_margin_is_the_scaled_product_plus_the_offset(void **state) {
  (void)state;
  const tacit_batch batch = dense_rows(rows, NULL, ROWS, FEATURES);
  for (int which = 0; which < 8; ++which) {
    size_t outputs = which & 1 ? 3 : 1;
    tacit_model_parts parts = plain;
    parts.offset = which & 2 ? offsets : NULL;
    parts.row_scale = which & 4 ? .125 : 0;
    struct example example;
    tacit_error err;
    double out[ROWS * OUTPUTS_MAX];
    make(&example, &parts, outputs);
    CHECK_OK(tacit_model_margins(example.model, &batch, out, &err), err);
    for (size_t i = 0; i < ROWS * outputs; ++i)
      CHECK_WITHIN(
          out[i],
          margin(i / outputs, i % outputs, outputs, parts.row_scale, parts.offset),
          1e-14);
    assert_true(tacit_model_row_scale(example.model) == parts.row_scale);
    drop(&example);
  }
}

/* A row without a finite norm has no product; what is left is the offset. */
static void a_row_that_does_not_count_has_the_offset_alone(void **state) {
  (void)state;
  const double wild[2 * FEATURES] = {1e200, 0, 0, 0, INFINITY, 0};
  const tacit_batch batch = dense_rows(wild, NULL, 2, FEATURES);
  tacit_model_parts parts = plain;
  parts.offset = offsets;
  parts.row_scale = .125;
  struct example example;
  tacit_error err;
  double out[2];
  make(&example, &parts, 1);
  CHECK_OK(tacit_model_margins(example.model, &batch, out, &err), err);
  assert_true(out[0] == offsets[0] && out[1] == offsets[0]);
  drop(&example);
}

static void predictions_and_metrics_have_the_offset(void **state) {
  (void)state;
  static const double zeros[FEATURES + 1] = {0}, labels[ROWS] = {1, -1, -1, 1};
  const tacit_batch batch = dense_rows(rows, labels, ROWS, FEATURES);
  tacit_model_parts parts = plain;
  parts.weights = zeros;
  parts.offset = offsets;
  struct example example;
  tacit_error err;
  double out[ROWS];
  tacit_reader *reader = NULL;
  tacit_metrics metrics = {.struct_size = sizeof metrics};
  make(&example, &parts, 1);
  CHECK_OK(tacit_model_predict(example.model, &batch, out, &err), err);
  CHECK_RELATIVE(out[2], 1 / (1 + exp(-offsets[0])), 1e-14);
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = rows;
  arrays.row_stride = FEATURES * sizeof *rows;
  arrays.column_stride = sizeof *rows;
  arrays.raw_labels = labels;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = example.schema;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  CHECK_OK(tacit_model_eval(example.model, reader, &metrics, NULL, NULL, &err), err);
  CHECK_RELATIVE(metrics.loss, (log1p(exp(-offsets[0])) + log1p(exp(offsets[0]))) / 2,
                 1e-14);
  tacit_reader_free(reader);
  drop(&example);
}

static json_t *file_of(const tacit_model *model) {
  char *text = NULL;
  tacit_error err;
  CHECK_OK(tacit_model_text(model, &text, &err), err);
  json_t *file = json_loads(text, 0, NULL);
  tacit_string_free(text);
  assert_non_null(file);
  return file;
}

static tacit_status parsed(const json_t *file, tacit_model **out, tacit_error *err) {
  char *text = json_dumps(file, JSON_REAL_PRECISION(17));
  tacit_status status = tacit_model_parse(text, strlen(text), out, err);
  free(text);
  return status;
}

static void a_file_has_them_only_if_the_model_does(void **state) {
  (void)state;
  for (int which = 0; which < 8; ++which) {
    size_t outputs = which & 1 ? 3 : 1;
    tacit_model_parts parts = plain;
    parts.offset = which & 2 ? offsets : NULL;
    parts.row_scale = which & 4 ? 1 / 3.0 : 0;
    struct example example;
    tacit_model *again = NULL;
    tacit_error err;
    make(&example, &parts, outputs);
    json_t *file = file_of(example.model);
    assert_int_equal(json_object_get(file, "offset") != NULL, (which & 2) != 0);
    assert_int_equal(json_object_get(file, "row_scale") != NULL, (which & 4) != 0);
    CHECK_OK(parsed(file, &again, &err), err);
    assert_string_equal(tacit_model_digest(again), tacit_model_digest(example.model));
    assert_true(tacit_model_row_scale(again) == parts.row_scale);
    const double *offset = tacit_model_offset(again);
    assert_int_equal(offset != NULL, parts.offset != NULL);
    if (offset != NULL) assert_memory_equal(offset, offsets, outputs * sizeof *offset);
    tacit_model_free(again);
    json_decref(file);
    drop(&example);
  }
}

/* Sets a field of a file, or removes it, and expects a message with these words. */
static void check_refused(const json_t *file, const char *key, json_t *value,
                          const char *words) {
  json_t *edited = json_deep_copy(file);
  tacit_model *model = NULL;
  tacit_error err = {TACIT_OK, ""};
  if (value != NULL)
    json_object_set_new(edited, key, value);
  else
    json_object_del(edited, key);
  assert_int_equal(parsed(edited, &model, &err), TACIT_EDATA);
  if (strstr(err.message, words) == NULL) fail_msg("%s: %s", words, err.message);
  json_decref(edited);
}

static void a_wrong_offset_or_scale_is_refused(void **state) {
  (void)state;
  tacit_model_parts parts = plain;
  parts.offset = offsets;
  parts.row_scale = .5;
  struct example example;
  make(&example, &parts, 3);
  json_t *file = file_of(example.model);
  check_refused(file, "offset", json_pack("[f, f]", 1.0, 1.0), "3 numbers");
  check_refused(file, "offset", json_real(1), "3 numbers");
  check_refused(file, "offset", json_null(), "3 numbers");
  check_refused(file, "offset", json_pack("[f, s, f]", 1.0, "x", 1.0), "offset 2");
  check_refused(file, "offset", json_pack("[f, f, f]", 1.0, 1.0, 1.0), "digest");
  check_refused(file, "offset", NULL, "digest");
  check_refused(file, "row_scale", json_real(0), "row_scale");
  check_refused(file, "row_scale", json_real(-1), "row_scale");
  check_refused(file, "row_scale", json_string("1"), "row_scale");
  check_refused(file, "row_scale", json_real(.25), "digest");
  check_refused(file, "row_scale", NULL, "digest");
  /* Program 0.1.0 reads version 1 and would not see them. */
  json_object_del(json_object_get(file, "statement"), "digest");
  check_refused(file, "format_version", json_integer(1), "version 1");
  json_decref(file);
  drop(&example);
}

static void a_model_needs_finite_numbers(void **state) {
  (void)state;
  const double wrong[] = {INFINITY}, scales[] = {-1, NAN, INFINITY};
  struct example example;
  tacit_error err;
  tacit_model_parts parts = plain;
  parts.offset = wrong;
  assert_int_equal(made(&example, &parts, 1, &err), TACIT_EDATA);
  drop(&example);
  parts.offset = NULL;
  for (int i = 0; i < 3; ++i) {
    parts.row_scale = scales[i];
    assert_int_equal(made(&example, &parts, 1, &err), TACIT_EDATA);
    drop(&example);
  }
}

/* An uncentred run adds no offset to its margins, so it would start elsewhere. */
static void a_run_does_not_start_from_another_offset(void **state) {
  (void)state;
  tacit_model_parts parts = plain;
  parts.offset = offsets;
  parts.row_norm = 1;
  struct example example;
  tacit_plan *plan = NULL;
  tacit_error err;
  tacit_config config;
  make(&example, &parts, 1);
  tacit_config_init(&config);
  config.rows = 100;
  config.epsilon = 1;
  config.schema = example.schema;
  config.init = example.model;
  assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "offset"));
  drop(&example);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_margin_is_the_scaled_product_plus_the_offset),
      cmocka_unit_test(a_row_that_does_not_count_has_the_offset_alone),
      cmocka_unit_test(predictions_and_metrics_have_the_offset),
      cmocka_unit_test(a_file_has_them_only_if_the_model_does),
      cmocka_unit_test(a_wrong_offset_or_scale_is_refused),
      cmocka_unit_test(a_model_needs_finite_numbers),
      cmocka_unit_test(a_run_does_not_start_from_another_offset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
