/* SPDX-License-Identifier: MIT */
/* The order of a run: drawn from its key, another one for every key, the same for ask
   and tell; and no claim about sets of rows where the order is not used. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tacit/tacit.h>

enum { ROWS = 600, FEATURES = 3, DIM = FEATURES + 1, BATCH = 60 };
enum { SUMS = DIM + 3 + 40 }; /* with the waves of round 0 */

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static tacit_schema *schema;

/* Sorted by label and by the first feature. */
static int setup(void **state) {
  (void)state;
  tacit_error err;
  for (int i = 0; i < ROWS; ++i) {
    raw_labels[i] = i < ROWS / 2 ? -1 : 1;
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = (i * (j + 1) % ROWS) / (double)ROWS - 0.5;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err) != TACIT_OK;
}

static int teardown(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return 0;
}

static tacit_train *new_run(uint64_t seed, int shuffled, const char *mechanism) {
  tacit_config config;
  tacit_train *train = NULL;
  tacit_error err;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.epsilon = mechanism != NULL ? 0 : 1;
  config.batch = BATCH;
  config.passes = 2;
  config.mechanism = mechanism;
  config.seeded = 1;
  config.seed = seed;
  config.shuffled = shuffled;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  return train;
}

static tacit_reader *new_reader(int shuffle) {
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * 8;
  arrays.column_stride = 8;
  arrays.raw_labels = raw_labels;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  return reader;
}

/* Frees the run. */
static void weights_of(tacit_train *train, double weights[DIM]) {
  tacit_model *model = NULL;
  size_t count;
  tacit_error err;
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  const double *all = tacit_model_weights(model, &count);
  assert_int_equal(count, DIM);
  memcpy(weights, all, DIM * sizeof *weights);
  tacit_model_free(model);
  tacit_train_free(train);
}

static void run_all(tacit_train *train, int shuffle, double weights[DIM]) {
  tacit_reader *reader = new_reader(shuffle);
  tacit_error err;
  CHECK_OK(tacit_train_run(train, reader, &err), err);
  tacit_reader_free(reader);
  weights_of(train, weights);
}

/* Without noise a seed changes nothing but the order. */
static void another_key_is_another_order(void **state) {
  (void)state;
  double first[DIM], again[DIM], second[DIM], kept[DIM], kept_too[DIM];
  run_all(new_run(1, 1, "none"), 1, first);
  run_all(new_run(1, 1, "none"), 1, again);
  run_all(new_run(2, 1, "none"), 1, second);
  run_all(new_run(1, 0, "none"), 0, kept);
  run_all(new_run(2, 0, "none"), 0, kept_too);
  assert_memory_equal(first, again, sizeof first);
  assert_memory_not_equal(first, second, sizeof first);
  assert_memory_not_equal(first, kept, sizeof first);
  assert_memory_equal(kept, kept_too, sizeof kept);
}

static void add_rows(const tacit_train *train, const tacit_round *round,
                     const tacit_order *order, int64_t *raw_sum, int64_t *raw_count) {
  int64_t rows[ROWS], count = round->t == 0 ? ROWS : BATCH;
  tacit_error err;
  assert_int_equal(round->n_rows, count);
  CHECK_OK(tacit_order_rows(order, round->first, count, rows, &err), err);
  for (int i = 0; i < count; ++i) {
    tacit_batch shard;
    tacit_batch_init(&shard);
    shard.n_rows = 1;
    shard.n_features = FEATURES;
    shard.raw_values = raw_values + rows[i] * FEATURES;
    shard.raw_labels = raw_labels + rows[i];
    CHECK_OK(tacit_round_delta(train, round, &shard, raw_sum, raw_count, &err), err);
  }
}

static void ask_and_tell_by_the_order_is_the_run(void **state) {
  (void)state;
  double expected[DIM], weights[DIM];
  unsigned char key[TACIT_ORDER_KEY_BYTES];
  tacit_order *order = NULL;
  tacit_error err;
  run_all(new_run(5, 1, NULL), 1, expected);
  tacit_train *train = new_run(5, 1, NULL);
  CHECK_OK(tacit_train_order_key(train, key, &err), err);
  CHECK_OK(tacit_order_open(ROWS, ROWS / BATCH, key, &order, &err), err);
  for (int t = 0; t <= 2 * ROWS / BATCH; ++t) { /* the mean, then two passes */
    int64_t raw_sum[SUMS] = {0}, raw_count = 0;
    tacit_round round;
    tacit_round_init(&round);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    assert_true(round.t == t && round.dim <= SUMS);
    add_rows(train, &round, order, raw_sum, &raw_count);
    CHECK_OK(tacit_round_tell(train, raw_sum, raw_count, &err), err);
  }
  weights_of(train, weights);
  assert_memory_equal(weights, expected, sizeof weights);
  tacit_order_free(order);
}

/* What a worker gets must not be the key of the noise. The fixed bytes are the BLAKE2b
   digest with personalisation "tacit-order-1" under the key of seed 5. */
static void the_key_is_one_of_its_own(void **state) {
  (void)state;
  static const unsigned char expected[8] = {0x19, 0x87, 0x7a, 0x93,
                                            0x9c, 0x49, 0x8d, 0xaa};
  unsigned char key[TACIT_ORDER_KEY_BYTES];
  tacit_error err;
  tacit_train *train = new_run(5, 1, NULL);
  CHECK_OK(tacit_train_order_key(train, key, &err), err);
  assert_memory_equal(key, expected, sizeof expected);
  tacit_train_free(train);
}

static void no_claim_without_the_order(void **state) {
  (void)state;
  tacit_error err;
  tacit_train *train = new_run(1, 1, NULL);
  tacit_reader *reader = new_reader(0);
  assert_int_equal(tacit_train_run(train, reader, &err), TACIT_EPRIVACY);
  tacit_reader_free(reader);
  tacit_train_free(train);

  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = 1;
  batch.n_features = FEATURES;
  batch.raw_values = raw_values;
  batch.raw_labels = raw_labels;
  train = new_run(1, 1, NULL);
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_EPRIVACY);
  tacit_round round;
  tacit_round_init(&round);
  assert_int_equal(tacit_round_ask(train, &round, &err), TACIT_EPRIVACY);
  tacit_train_free(train);
  train = new_run(1, 0, NULL);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  tacit_train_free(train);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_key_is_another_order),
      cmocka_unit_test(ask_and_tell_by_the_order_is_the_run),
      cmocka_unit_test(the_key_is_one_of_its_own),
      cmocka_unit_test(no_claim_without_the_order),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
