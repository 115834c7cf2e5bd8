/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints of runs with persons and weights: a run that is stopped after any round
 * and resumed gives the same model, bit for bit; and it is not resumed if an id or a
 * weight of any row has changed, also one of rounds to come.
 */
#include "unit/checkpoint/checkpoint_place.h"

enum { ROWS = 90, FEATURES = 3, PERSONS = 30, BATCH = 5, ROUNDS = 2 * PERSONS / BATCH };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS], raw_weights[ROWS];
static int64_t raw_ids[ROWS];
static tacit_schema *schema;

static int setup(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = sin(1 + i * (j + 2));
    raw_labels[i] = sin(5 * i) > 0.2 ? 1 : -1;
    raw_weights[i] = i % 4 == 0 ? 1 : 0.3 * (i % 7);
    raw_ids[i] = i < PERSONS ? i : i * i % PERSONS; /* 1 to many rows each */
  }
  if (tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK) return -1;
  return place_make();
}

static int teardown(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return place_remove();
}

static int stop_after(void *cookie, const tacit_progress *progress) {
  return progress->round == *(const int64_t *)cookie;
}

static tacit_reader *open_rows(int64_t unit_rows) {
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  int64_t persons;
  tacit_error err;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = sizeof(double[FEATURES]);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = raw_labels;
  arrays.raw_units = raw_ids;
  arrays.raw_weights = raw_weights;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.max_weight = 1.5; /* some are larger, and count as it */
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  CHECK_OK(tacit_reader_units(reader, unit_rows, &persons, &err), err);
  assert_int_equal(persons, PERSONS);
  return reader;
}

/* Runs, or goes on, until round `stop` (0: to the end, then the weights are written).
   `keep`: with the checkpoint. */
static tacit_status run_rows(int keep, int64_t unit_rows, int64_t stop,
                             double out[FEATURES + 1], tacit_error *err) {
  tacit_config config;
  tacit_train *train = NULL;
  tacit_config_init(&config);
  config.schema = schema;
  config.units = PERSONS;
  config.unit_rows = unit_rows;
  config.weighted = 1;
  config.epsilon = 1;
  config.passes = 2;
  config.batch = BATCH;
  config.seeded = 1;
  config.seed = 3;
  config.threads = 1;
  config.progress = stop_after;
  config.progress_cookie = &stop;
  if (keep) {
    config.checkpoint = place_file;
    config.key_file = place_key;
    config.resume = 1;
  }
  tacit_status status = tacit_train_new(&config, &train, err);
  if (status != TACIT_OK) return status;
  tacit_reader *reader = open_rows(unit_rows);
  status = tacit_train_run(train, reader, err);
  if (status == TACIT_OK) status = tacit_train_weights(train, FEATURES + 1, out, err);
  tacit_reader_free(reader);
  tacit_train_free(train);
  return status;
}

static void a_stopped_run_gives_the_same_model(void **state) {
  (void)state;
  double whole[FEATURES + 1], resumed[FEATURES + 1];
  tacit_error err;
  for (int64_t unit_rows = 0; unit_rows <= 2; unit_rows += 2) {
    CHECK_OK(run_rows(0, unit_rows, 0, whole, &err), err);
    for (int64_t stop = 1; stop < ROUNDS; ++stop) {
      (void)unlink(place_file);
      assert_int_equal(run_rows(1, unit_rows, stop, resumed, &err), TACIT_ECANCELED);
      memset(resumed, 0, sizeof resumed);
      CHECK_OK(run_rows(1, unit_rows, 0, resumed, &err), err);
      assert_memory_equal(resumed, whole, sizeof whole);
    }
  }
}

/* Stops a run after a round, changes one thing, and goes on. */
static tacit_status go_on_after(int64_t stop, int what, int row) {
  double unused[FEATURES + 1], weight = raw_weights[row];
  int64_t id = raw_ids[row];
  tacit_error err;
  (void)unlink(place_file);
  assert_int_equal(run_rows(1, 0, stop, unused, &err), TACIT_ECANCELED);
  if (what == 1) raw_ids[row] = (id + 1) % PERSONS;
  if (what == 2) raw_weights[row] = weight == 1 ? 0.5 : 1;
  tacit_status status = run_rows(1, what == 3 ? 2 : 0, 0, unused, &err);
  raw_ids[row] = id;
  raw_weights[row] = weight;
  return status;
}

static void other_ids_and_weights_are_refused(void **state) {
  (void)state;
  for (int64_t stop = 1; stop < ROUNDS; stop += 5) {
    assert_int_equal(go_on_after(stop, 0, 0), TACIT_OK);
    for (int row = PERSONS; row < ROWS; ++row) { /* the others keep all persons there */
      assert_int_equal(go_on_after(stop, 1, row), TACIT_EDATA);
      assert_int_equal(go_on_after(stop, 2, row), TACIT_EDATA);
    }
    assert_true(go_on_after(stop, 3, 0) != TACIT_OK); /* another --unit-rows */
  }
}

/* A weight above the declared maximum is that maximum, to the last bit. */
static void weights_are_clamped(void **state) {
  (void)state;
  double clamped[FEATURES + 1], at_max[FEATURES + 1], below[FEATURES + 1];
  double kept[ROWS];
  tacit_error err;
  memcpy(kept, raw_weights, sizeof kept);
  for (int i = 0; i < ROWS; i += 3)
    raw_weights[i] = i % 2 ? 1.6 : 1e9;
  CHECK_OK(run_rows(0, 0, 0, clamped, &err), err);
  for (int i = 0; i < ROWS; i += 3)
    raw_weights[i] = 1.5;
  CHECK_OK(run_rows(0, 0, 0, at_max, &err), err);
  raw_weights[0] = 1.4;
  CHECK_OK(run_rows(0, 0, 0, below, &err), err);
  assert_memory_equal(clamped, at_max, sizeof clamped);
  assert_memory_not_equal(below, at_max, sizeof below);
  memcpy(raw_weights, kept, sizeof kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stopped_run_gives_the_same_model),
      cmocka_unit_test(other_ids_and_weights_are_refused),
      cmocka_unit_test(weights_are_clamped),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
