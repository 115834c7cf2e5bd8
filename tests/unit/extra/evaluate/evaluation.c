/* SPDX-License-Identifier: MIT */
/* Evaluations and descriptions by the library: what they refuse, and when the budget
   counts as spent. */
#include "check.h"

#include <tacit/extra/evaluate.h>

enum { ROWS = 400, FEATURES = 2 };

struct fixture {
  double values[ROWS * FEATURES], labels[ROWS];
  tacit_arrays arrays;
  tacit_schema *schema;
  tacit_model *model;
};

static tacit_reader *open_rows(struct fixture *f) {
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  tacit_reader_options_init(&options);
  options.schema = f->schema;
  CHECK_OK(tacit_reader_open_arrays(&f->arrays, &options, &reader, &err), err);
  return reader;
}

static void fixture_init(struct fixture *f) {
  tacit_config config;
  tacit_train *train = NULL;
  tacit_error err;
  *f = (struct fixture){0};
  for (int i = 0; i < ROWS; ++i) {
    f->values[i * FEATURES] = (double)(i % 7) / 7;
    f->values[i * FEATURES + 1] = (double)(i % 5) / 5;
    f->labels[i] = i % 7 > 3 ? 1 : -1;
  }
  tacit_arrays_init(&f->arrays);
  f->arrays.n_rows = ROWS;
  f->arrays.n_features = FEATURES;
  f->arrays.raw_values = f->values;
  f->arrays.row_stride = FEATURES * sizeof(double);
  f->arrays.column_stride = sizeof(double);
  f->arrays.raw_labels = f->labels;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &f->schema, &err), err);
  tacit_config_init(&config);
  config.epsilon = 4;
  config.rows = ROWS;
  config.schema = f->schema;
  tacit_reader *reader = open_rows(f);
  config.shuffled = tacit_reader_shuffled(reader);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_train_run(train, reader, &err), err);
  CHECK_OK(tacit_train_finish(train, &f->model, &err), err);
  tacit_train_free(train);
  tacit_reader_free(reader);
}

static void fixture_fini(struct fixture *f) {
  tacit_model_free(f->model);
  tacit_schema_free(f->schema);
}

static void the_budget_is_spent_with_the_first_noise(void **state) {
  struct fixture f;
  tacit_evaluation_options options;
  tacit_evaluation *evaluation = NULL;
  tacit_error err;
  (void)state;
  fixture_init(&f);
  tacit_evaluation_options_init(&options);
  options.epsilon = 1;
  tacit_reader *reader = open_rows(&f);
  CHECK_OK(tacit_evaluation_new(f.model, reader, &options, &evaluation, &err), err);
  assert_non_null(
      strstr(tacit_evaluation_statement_json(evaluation), "\"private\": true"));
  const tacit_statement *said = tacit_evaluation_statement(evaluation);
  assert_true(said->is_private && said->rows == ROWS && said->batches == 1);
  assert_null(tacit_evaluation_json(evaluation));
  assert_int_equal(tacit_evaluation_noise_begun(evaluation), 0);
  CHECK_OK(tacit_evaluation_run(evaluation, reader, &err), err);
  assert_int_equal(tacit_evaluation_noise_begun(evaluation), 1);
  assert_non_null(strstr(tacit_evaluation_json(evaluation), "\"accuracy\""));
  assert_int_equal(tacit_evaluation_run(evaluation, reader, &err), TACIT_ESTATE);
  tacit_evaluation_free(evaluation);
  tacit_reader_free(reader);
  f.labels[ROWS - 1] = 7; /* a bad row: nothing is drawn */
  reader = open_rows(&f);
  CHECK_OK(tacit_evaluation_new(f.model, reader, &options, &evaluation, &err), err);
  assert_int_equal(tacit_evaluation_run(evaluation, reader, &err), TACIT_EDATA);
  assert_int_equal(tacit_evaluation_noise_begun(evaluation), 0);
  tacit_evaluation_free(evaluation);
  tacit_reader_free(reader);
  fixture_fini(&f);
}

static void options_that_do_not_fit_are_refused(void **state) {
  struct fixture f;
  tacit_evaluation *evaluation = NULL;
  tacit_error err;
  (void)state;
  fixture_init(&f);
  tacit_reader *reader = open_rows(&f);
  for (int i = 0; i < 5; ++i) {
    tacit_evaluation_options options;
    tacit_evaluation_options_init(&options);
    options.epsilon = i == 0 ? 0 : 1;
    if (i == 1) options.mu = 1; /* one of the two */
    if (i == 2) options.bins = 5;
    if (i == 3) options.loss_max = 0;
    if (i == 4) options.struct_size = 0;
    assert_int_equal(tacit_evaluation_new(f.model, reader, &options, &evaluation, &err),
                     TACIT_EINVAL);
  }
  tacit_evaluation_options options;
  tacit_evaluation_options_init(&options);
  options.epsilon = 1;
  assert_int_equal(tacit_description_new(f.schema, reader, &options, &evaluation, &err),
                   TACIT_EINVAL); /* arrays have no columns with names */
  tacit_reader_free(reader);
  fixture_fini(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_budget_is_spent_with_the_first_noise),
      cmocka_unit_test(options_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
