/* SPDX-License-Identifier: MIT */
/* When a run asks its payer to reserve, to commit and to give back. */
#include "made.h"
#include "sums.h"

#include <string.h>
#include <tacit/extra/evaluate.h>

enum { ROWS = 200, FEATURES = 2 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static tacit_schema *schema;

/* Notes what it is asked: "reserve train, commit, ". */
struct notes {
  char text[100];
  int fails_to_commit;
};

static void note(struct notes *notes, const char *word) {
  strncat(notes->text, word, sizeof notes->text - strlen(notes->text) - 1);
}

static tacit_status reserve(void *self, const tacit_payment *payment,
                            tacit_error *err) {
  (void)err;
  assert_non_null(strstr(payment->statement, "\"epsilon\""));
  note(self, "reserve ");
  note(self, payment->kind);
  note(self, ", ");
  return TACIT_OK;
}

static tacit_status commit(void *self, const char *digest, const char *json,
                           tacit_error *err) {
  struct notes *notes = self;
  assert_true((digest == NULL) != (json == NULL));
  note(notes, digest != NULL ? "commit model, " : "commit result, ");
  if (!notes->fails_to_commit) return TACIT_OK;
  *err = (tacit_error){TACIT_EIO, "the disk is full"};
  return TACIT_EIO;
}

static void refund(void *self) { note(self, "refund, "); }

static tacit_train *start(struct notes *notes, tacit_payer *payer) {
  tacit_train *train = NULL;
  tacit_error err;
  tacit_config config = made_config(schema, ROWS);
  *notes = (struct notes){.fails_to_commit = notes->fails_to_commit};
  *payer = (tacit_payer){reserve, commit, refund, notes};
  config.payer = payer;
  config.threads = 1;
  config.preset = TACIT_ANYTIME;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_string_equal(notes->text, "reserve train, "); /* before the first row */
  return train;
}

static void feed(tacit_train *train, int64_t rows) {
  tacit_error err;
  tacit_batch batch = dense_rows(raw_values, raw_labels, rows, FEATURES);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
}

static void a_run_is_paid_for_before_there_is_a_model(void **state) {
  struct notes notes = {.fails_to_commit = 0};
  tacit_payer payer;
  tacit_error err;
  tacit_model *model = NULL;
  (void)state;
  tacit_train *train = start(&notes, &payer);
  feed(train, ROWS);
  assert_string_equal(notes.text, "reserve train, ");
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_train_free(train);
  assert_string_equal(notes.text, "reserve train, commit model, ");
  tacit_model_free(model);
}

static void without_a_commit_there_is_no_model(void **state) {
  struct notes notes = {.fails_to_commit = 1};
  tacit_payer payer;
  tacit_error err;
  tacit_model *model = NULL;
  (void)state;
  tacit_train *train = start(&notes, &payer);
  feed(train, ROWS);
  assert_int_equal(tacit_train_finish(train, &model, &err), TACIT_EIO);
  assert_null(model);
  tacit_train_free(train);
  assert_string_equal(notes.text, "reserve train, commit model, ");
}

static void only_a_run_without_noise_is_given_back(void **state) {
  struct notes notes = {.fails_to_commit = 0};
  tacit_payer payer;
  (void)state;
  tacit_train *train = start(&notes, &payer);
  feed(train, 1);
  assert_false(tacit_train_noise_begun(train));
  tacit_train_free(train);
  assert_string_equal(notes.text, "reserve train, refund, ");
  train = start(&notes, &payer);
  feed(train, ROWS - 1);
  assert_true(tacit_train_noise_begun(train));
  tacit_train_free(train);
  assert_string_equal(notes.text, "reserve train, ");
}

static tacit_reader *open_rows(int64_t rows) {
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  tacit_arrays_init(&arrays);
  arrays.n_rows = rows;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * sizeof(double);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = raw_labels;
  tacit_reader_options_init(&options);
  options.schema = schema;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  return reader;
}

static void an_evaluation_is_paid_for_in_the_same_order(void **state) {
  struct notes notes = {.fails_to_commit = 0};
  tacit_payer payer;
  tacit_error err;
  tacit_model *model = NULL;
  tacit_evaluation *evaluation = NULL;
  tacit_evaluation_options options;
  (void)state;
  tacit_train *train = start(&notes, &payer);
  feed(train, ROWS);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_train_free(train);
  tacit_reader *reader = open_rows(ROWS);
  tacit_evaluation_options_init(&options);
  options.epsilon = 1;
  options.payer = &payer;
  for (int fails = 0; fails < 2; ++fails) {
    notes = (struct notes){.fails_to_commit = fails};
    CHECK_OK(tacit_evaluation_new(model, reader, &options, &evaluation, &err), err);
    assert_string_equal(notes.text, "");
    assert_int_equal(tacit_evaluation_run(evaluation, reader, &err),
                     fails ? TACIT_EIO : TACIT_OK);
    assert_string_equal(notes.text, "reserve eval, commit result, ");
    assert_int_equal(tacit_evaluation_json(evaluation) == NULL, fails);
    assert_int_equal(tacit_evaluation_run(evaluation, reader, &err), TACIT_ESTATE);
    assert_string_equal(notes.text, "reserve eval, commit result, ");
    tacit_evaluation_free(evaluation);
    tacit_reader_free(reader);
    reader = open_rows(ROWS);
  }
  /* a fault in the rows comes before noise */
  notes = (struct notes){.fails_to_commit = 0};
  CHECK_OK(tacit_evaluation_new(model, reader, &options, &evaluation, &err), err);
  raw_values[0] = (double)NAN;
  assert_int_equal(tacit_evaluation_run(evaluation, reader, &err), TACIT_EDATA);
  raw_values[0] = 0.5;
  assert_string_equal(notes.text, "reserve eval, refund, ");
  tacit_evaluation_free(evaluation);
  tacit_reader_free(reader);
  tacit_model_free(model);
}

static int make_rows(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    raw_values[FEATURES * i] = i % 2 == 0 ? 0.5 : -0.5;
    raw_labels[i] = i % 2 == 0 ? 1 : -1;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

static int free_rows(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_paid_for_before_there_is_a_model),
      cmocka_unit_test(without_a_commit_there_is_no_model),
      cmocka_unit_test(only_a_run_without_noise_is_given_back),
      cmocka_unit_test(an_evaluation_is_paid_for_in_the_same_order),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
