/* SPDX-License-Identifier: MIT */
/* A million rounds of one stream: its state has the same size after all of them. With
   "full"; otherwise 2000 rounds of the same stream. */
#include "check.h"

#include <tacit/extra/stream.h>

enum { FEATURES = 99, HORIZON = 1000000 };

static int64_t n_rounds = 2000;

static void the_state_stays_below_a_megabyte(void **unused) {
  (void)unused;
  static double raw_values[FEATURES];
  double raw_label = 1;
  tacit_stream_options options;
  tacit_reader_options reading;
  tacit_arrays arrays;
  tacit_config config;
  tacit_schema *schema = NULL;
  tacit_stream *stream = NULL;
  tacit_error err;
  tacit_stream_status at = {.struct_size = sizeof at};
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_stream_options_init(&options);
  options.horizon = HORIZON;
  options.batch_rows = 1;
  tacit_config_init(&config);
  config.schema = schema;
  config.epsilon = 1;
  config.threads = 1;
  CHECK_OK(tacit_stream_init(&options, &config, &stream, &err), err);
  tacit_arrays_init(&arrays);
  arrays.n_rows = 1;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = sizeof raw_values;
  arrays.column_stride = sizeof raw_values[0];
  arrays.raw_labels = &raw_label;
  tacit_reader_options_init(&reading);
  reading.schema = schema;
  reading.shuffle = 0;
  reading.threads = 1;
  int64_t first = 0;
  for (int64_t t = 1; t <= n_rounds; ++t) {
    tacit_reader *reader = NULL;
    raw_values[t % FEATURES] = sin((double)t);
    raw_label = raw_values[0] > raw_values[1] ? 1 : -1;
    CHECK_OK(tacit_reader_open_arrays(&arrays, &reading, &reader, &err), err);
    CHECK_OK(tacit_stream_feed(stream, reader, t, 0, NULL, &err), err);
    tacit_reader_free(reader);
    CHECK_OK(tacit_stream_look(stream, &at, &err), err);
    if (t == 1) first = at.state_bytes;
    assert_int_equal(at.state_bytes, first);
  }
  printf("# %lld rounds of 100 weights: a state of %lld bytes\n", (long long)at.round,
         (long long)at.state_bytes);
  assert_true(at.state_bytes < 1000000);
  tacit_stream_free(stream);
  tacit_schema_free(schema);
}

int main(int argc, char **argv) {
  if (is_full_test(argc, argv)) n_rounds = HORIZON;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_state_stays_below_a_megabyte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
