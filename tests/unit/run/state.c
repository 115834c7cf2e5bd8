/* SPDX-License-Identifier: MIT */
/* The states of a run: which moves there are, and what a run that is over does. */
#include "check.h"

#include <math.h>
#include <tacit/tacit.h>

#include "run/run.h"

enum { ROWS = 40, FEATURES = 3 };

static const tacit_run_state all[] = {TACIT_RUN_BETWEEN,   TACIT_RUN_OPEN,
                                      TACIT_RUN_COMPARING, TACIT_RUN_COMPLETE,
                                      TACIT_RUN_ENDED,     TACIT_RUN_DEAD};
enum { STATES = sizeof all / sizeof all[0] };

static void a_final_state_is_never_left(void **unused) {
  (void)unused;
  for (int i = 0; i < STATES; ++i) {
    tacit_error err;
    tacit_run_state ended = TACIT_RUN_ENDED, dead = TACIT_RUN_DEAD;
    assert_int_equal(tacit_run_enter(&ended, all[i], &err), TACIT_ESTATE);
    assert_int_equal(tacit_run_enter(&dead, all[i], &err), TACIT_ESTATE);
    assert_int_equal(ended, TACIT_RUN_ENDED);
    assert_int_equal(dead, TACIT_RUN_DEAD);
  }
  assert_int_equal(tacit_run_alive(TACIT_RUN_ENDED, NULL), TACIT_ESTATE);
  assert_int_equal(tacit_run_alive(TACIT_RUN_DEAD, NULL), TACIT_ESTATE);
}

static void every_other_state_can_die(void **unused) {
  (void)unused;
  for (int i = 0; i < STATES; ++i) {
    tacit_run_state state = all[i];
    if (tacit_run_alive(state, NULL) != TACIT_OK) continue;
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_DEAD, NULL), TACIT_OK);
    assert_int_equal(state, TACIT_RUN_DEAD);
  }
}

/* A round is closed before another one is opened or the model is handed out. */
static void an_open_round_only_closes(void **unused) {
  (void)unused;
  for (int i = 0; i < STATES; ++i) {
    tacit_run_state state = all[i];
    if (!tacit_run_is_open(state)) continue;
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_OPEN, NULL), TACIT_ESTATE);
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_COMPARING, NULL), TACIT_ESTATE);
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_ENDED, NULL), TACIT_ESTATE);
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_BETWEEN, NULL), TACIT_OK);
  }
}

static void only_a_complete_run_ends(void **unused) {
  (void)unused;
  for (int i = 0; i < STATES; ++i) {
    tacit_run_state state = all[i];
    assert_int_equal(tacit_run_enter(&state, TACIT_RUN_ENDED, NULL),
                     all[i] == TACIT_RUN_COMPLETE ? TACIT_OK : TACIT_ESTATE);
  }
}

/* ---- whole runs ---- */

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static tacit_schema *schema;

static int make_rows(void **unused) {
  (void)unused;
  for (int i = 0; i < ROWS; ++i) {
    raw_labels[i] = i % 2 ? 1 : -1;
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = sin(i + 7 * j);
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

static int free_rows(void **unused) {
  (void)unused;
  tacit_schema_free(schema);
  return 0;
}

static tacit_batch rows(int64_t count) {
  return dense_rows(raw_values, raw_labels, count, FEATURES);
}

static tacit_train *start(void) {
  tacit_config config;
  tacit_train *train;
  tacit_error err;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.batch = 10;
  config.epsilon = 1;
  config.seeded = 1;
  config.threads = 1;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  return train;
}

static void takes_and_gives_nothing(tacit_train *train) {
  tacit_batch batch = rows(1);
  tacit_round round;
  tacit_model *model = NULL;
  int64_t raw_sum[FEATURES + 1] = {0}, raw_count = 0;
  double weights[FEATURES + 1] = {7};
  tacit_run_state before = train->state;
  tacit_round_init(&round);
  round.t = train->t;
  round.n_rows = 10;
  assert_int_equal(tacit_train_feed(train, &batch, NULL), TACIT_ESTATE);
  assert_int_equal(tacit_round_ask(train, &round, NULL), TACIT_ESTATE);
  assert_int_equal(tacit_round_delta(train, &round, &batch, raw_sum, &raw_count, NULL),
                   TACIT_ESTATE);
  assert_int_equal(tacit_round_tell(train, raw_sum, 10, NULL), TACIT_ESTATE);
  assert_int_equal(tacit_train_finish(train, &model, NULL), TACIT_ESTATE);
  assert_int_equal(tacit_train_weights(train, FEATURES + 1, weights, NULL),
                   TACIT_ESTATE);
  assert_null(model);
  assert_true(weights[0] == 7 && raw_count == 0);
  assert_int_equal(train->state, before);
}

static void a_run_goes_through_its_states(void **unused) {
  (void)unused;
  tacit_train *train = start();
  tacit_error err;
  tacit_model *model;
  assert_int_equal(train->state, TACIT_RUN_BETWEEN);
  tacit_batch some = rows(9), one = rows(1);
  for (int64_t t = 1; t <= 4; ++t) {
    assert_true(train->released == t - 1);
    CHECK_OK(tacit_train_feed(train, &some, &err), err);
    assert_int_equal(train->state, TACIT_RUN_OPEN);
    assert_true(train->t == t && train->released == t - 1);
    CHECK_OK(tacit_train_feed(train, &one, &err), err);
    assert_int_equal(train->state, t < 4 ? TACIT_RUN_BETWEEN : TACIT_RUN_COMPLETE);
  }
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  assert_int_equal(train->state, TACIT_RUN_ENDED);
  takes_and_gives_nothing(train);
  tacit_model_free(model);
  tacit_train_free(train);
}

static void a_complete_run_takes_no_row(void **unused) {
  (void)unused;
  tacit_train *train = start();
  tacit_error err;
  tacit_batch every = rows(ROWS), one = rows(1);
  CHECK_OK(tacit_train_feed(train, &every, &err), err);
  assert_int_equal(train->state, TACIT_RUN_COMPLETE);
  assert_int_equal(tacit_train_feed(train, &one, &err), TACIT_EDATA);
  assert_int_equal(train->state, TACIT_RUN_DEAD);
  takes_and_gives_nothing(train);
  tacit_train_free(train);
}

static void an_error_in_any_state_is_the_end(void **unused) {
  (void)unused;
  static const int64_t fed[] = {0, 9, 10, 39};
  for (int i = 0; i < 4; ++i) {
    for (int way = 0; way < 3; ++way) {
      tacit_train *train = start();
      tacit_error err;
      tacit_model *model = NULL;
      tacit_batch some = rows(fed[i]), bad = rows(ROWS + 1);
      int64_t raw_sum[FEATURES + 1] = {0};
      CHECK_OK(tacit_train_feed(train, &some, &err), err);
      bad.n_features = FEATURES + 1;
      tacit_status status = way == 0   ? tacit_train_feed(train, &bad, &err)
                            : way == 1 ? tacit_round_tell(train, raw_sum, 11, &err)
                                       : tacit_train_finish(train, &model, &err);
      assert_int_not_equal(status, TACIT_OK);
      assert_int_equal(train->state, TACIT_RUN_DEAD);
      takes_and_gives_nothing(train);
      tacit_train_free(train);
    }
  }
}

/* A callback of the user's can end a run while a round is open. */
static void a_dead_run_releases_nothing(void **unused) {
  (void)unused;
  tacit_train *train = start();
  tacit_error err;
  CHECK_OK(tacit_round_open(train, &err), err);
  tacit_partial sum = {.sum = train->open.partials[0].sum,
                       .rows = train->open.rows_due};
  (void)tacit_sum_raw_load(sum.sum, sum.rows);
  CHECK_OK(tacit_run_enter(&train->state, TACIT_RUN_DEAD, &err), err);
  assert_int_equal(tacit_round_close_with(train, &sum, &err), TACIT_ESTATE);
  assert_true(train->released == 0);
  takes_and_gives_nothing(train);
  tacit_train_free(train);
}

/* An open round waits for sums that are told; a reader starts with the first round. */
static void a_round_that_was_asked_for_takes_no_reader(void **unused) {
  (void)unused;
  tacit_train *train = start();
  tacit_error err;
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * (int64_t)sizeof(double);
  arrays.column_stride = (int64_t)sizeof(double);
  arrays.raw_labels = raw_labels;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  tacit_reader *reader;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  tacit_round round;
  tacit_round_init(&round);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  assert_int_equal(tacit_train_run(train, reader, &err), TACIT_ESTATE);
  assert_true(train->released == 0);
  takes_and_gives_nothing(train);
  tacit_reader_free(reader);
  tacit_train_free(train);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_final_state_is_never_left),
      cmocka_unit_test(every_other_state_can_die),
      cmocka_unit_test(an_open_round_only_closes),
      cmocka_unit_test(only_a_complete_run_ends),
      cmocka_unit_test(a_run_goes_through_its_states),
      cmocka_unit_test(a_complete_run_takes_no_row),
      cmocka_unit_test(an_error_in_any_state_is_the_end),
      cmocka_unit_test(a_dead_run_releases_nothing),
      cmocka_unit_test(a_round_that_was_asked_for_takes_no_reader),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
