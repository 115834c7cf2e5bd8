/* SPDX-License-Identifier: MIT */
/*
 * The scores of a stream's days: each has noise of its own, of the size that its share
 * of the budget and the adjacency ask for. The rows are zeros and there is no bias, so
 * every model gives them the score one half: the tables of all days are equal, and all
 * but two cells are nothing but noise.
 */
#include "check.h"

#include <stdlib.h>
#include <tacit/data.h>

#include "extra/stream/stream.h"

enum { ROWS = 100, FEATURES = 2, DAYS = 40, BINS = 16, CELLS = 2 * BINS };

static double tables[DAYS][CELLS]; /* without the loss */

/* Makes the tables of all days. Returns mu of a score. */
static double tables_of(tacit_adjacency adjacency) {
  static const double raw_zeros[ROWS * FEATURES];
  double raw_labels[ROWS];
  tacit_schema *schema = NULL;
  tacit_stream *stream = NULL;
  tacit_stream_options options;
  tacit_config config;
  tacit_error err;
  for (int i = 0; i < ROWS; ++i)
    raw_labels[i] = i % 3 == 0 ? 1 : -1;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_stream_options_init(&options); /* in memory */
  options.horizon = DAYS;
  options.batch_rows = ROWS;
  options.evaluate = 0.25;
  tacit_config_init(&config);
  config.schema = schema;
  config.epsilon = 8;
  config.adjacency = adjacency;
  config.bias = 0;
  config.threads = 1;
  config.seeded = 1;
  config.seed = 9;
  CHECK_OK(tacit_stream_init(&options, &config, &stream, &err), err);
  for (int day = 0; day < DAYS; ++day) {
    tacit_arrays arrays;
    tacit_reader_options reading;
    tacit_reader *reader = NULL;
    tacit_arrays_init(&arrays);
    arrays.n_rows = ROWS;
    arrays.n_features = FEATURES;
    arrays.raw_values = raw_zeros;
    arrays.row_stride = FEATURES * sizeof(double);
    arrays.column_stride = sizeof(double);
    arrays.raw_labels = raw_labels;
    tacit_reader_options_init(&reading);
    reading.schema = schema;
    reading.shuffle = 0;
    CHECK_OK(tacit_reader_open_arrays(&arrays, &reading, &reader, &err), err);
    CHECK_OK(tacit_stream_feed(stream, reader, day + 1, 0, NULL, &err), err);
    tacit_reader_free(reader);
    json_t *score = json_loads(tacit_stream_score(stream), 0, NULL);
    const json_t *part = json_array_get(json_object_get(score, "release"), 0);
    const json_t *values = json_object_get(part, "values");
    assert_int_equal(json_array_size(values), CELLS);
    for (size_t j = 0; j < CELLS; ++j)
      tables[day][j] = json_number_value(json_array_get(values, j));
    json_decref(score);
  }
  double mu = tacit_train_plan(stream->train)->score_mu;
  tacit_stream_free(stream);
  tacit_schema_free(schema);
  return mu;
}

/* A row that is replaced takes 1 from one cell and adds 1 to another: root 2, and with
   the loss, which has a fifth of the squares, root(0.8 * 2 + 0.2) in units in which the
   table has root(0.8). So the noise is 1.5 / mu. Under zero-out it is 1 / root(0.8) /
   mu. The mean square of 1,200 cells is off by 20% with probability 1e-6, and the two
   cases are 80% apart. */
static void scores_have_the_noise_of_the_adjacency(void **state) {
  (void)state;
  static const double squares[] = {1.5 * 1.5, 1 / 0.8};
  for (int zero_out = 0; zero_out < 2; ++zero_out) {
    double mu = tables_of(zero_out ? TACIT_ZERO_OUT : TACIT_REPLACE), sum = 0;
    int count = 0;
    for (int day = 0; day < DAYS; ++day)
      for (int j = 0; j < CELLS; ++j) {
        if (j / 2 == BINS / 2 - 1) continue; /* where the rows are */
        sum += tables[day][j] * tables[day][j];
        ++count;
      }
    CHECK_RELATIVE(sum / count * mu * mu, squares[zero_out], 0.2);
  }
}

static void equal_tables_of_two_days_have_other_noise(void **state) {
  (void)state;
  (void)tables_of(TACIT_REPLACE);
  for (int day = 1; day < DAYS; ++day)
    for (int earlier = 0; earlier < day; ++earlier)
      for (int j = 0; j < CELLS; ++j)
        assert_true(tables[day][j] != tables[earlier][j]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_have_the_noise_of_the_adjacency),
      cmocka_unit_test(equal_tables_of_two_days_have_other_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
