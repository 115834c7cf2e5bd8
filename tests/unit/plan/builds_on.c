/* SPDX-License-Identifier: MIT */
/* What a run builds on is in its statement: the initial model, which may protect less,
   and the counts behind the schema. */
#include "made.h"

#include <jansson.h>
#include <string.h>
#include <tacit/tacit.h>

#include "extra/stream/stream.h"
#include "plan/plan.h"

enum { ROWS = 600, FEATURES = 2 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static int64_t raw_ids[ROWS];
static tacit_schema *schema;

static int set_up(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = 0.4 * sin(1.7 * i + 2.3 * j);
    raw_labels[i] = raw_values[i * FEATURES] > 0 ? 1 : -1;
    raw_ids[i] = i / 2;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

static int tear_down(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return 0;
}

static tacit_config plain(void) {
  tacit_config config = made_config(schema, ROWS);
  config.delta = 1e-6;
  config.threads = 1;
  return config;
}

/* A model of rows as they came: it protects them in their places. */
static tacit_model *model_of_lists(void) {
  tacit_config config = plain();
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_error err;
  tacit_batch batch = dense_rows(raw_values, raw_labels, ROWS, FEATURES);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_train_free(train);
  return model;
}

/* The model after one day of a stream, in which persons may come on other days too. */
static tacit_model *model_of_a_day(void) {
  tacit_stream_options options;
  tacit_config config = plain();
  tacit_arrays arrays;
  tacit_reader_options reading;
  tacit_reader *reader = NULL;
  tacit_stream *stream = NULL;
  tacit_model *model = NULL;
  tacit_error err;
  tacit_stream_options_init(&options);
  options.horizon = 4;
  options.batch_rows = ROWS / 2;
  options.units = 1;
  config.rows = 0;
  CHECK_OK(tacit_stream_init(&options, &config, &stream, &err), err);
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * sizeof(double);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = raw_labels;
  arrays.raw_units = raw_ids;
  tacit_reader_options_init(&reading);
  reading.schema = schema;
  reading.shuffle = 0;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &reading, &reader, &err), err);
  CHECK_OK(tacit_stream_feed(stream, reader, 1, 0, &model, &err), err);
  tacit_reader_free(reader);
  tacit_stream_free(stream);
  return model;
}

static int says(const tacit_plan *plan, const char *key) {
  return json_is_true(json_object_get(plan->statement, key));
}

static double number_in(const tacit_plan *plan, const char *key) {
  return json_number_value(json_object_get(plan->statement, key));
}

/* However well the run itself is shuffled: what it starts from tells the place of a
 * row. */
static void a_start_for_lists_gives_a_model_for_lists(void **state) {
  (void)state;
  tacit_model *first = model_of_lists();
  tacit_config config = plain();
  config.shuffled = 1;
  tacit_plan *plan = made_plan(&config);
  assert_true(says(plan, "as_sets"));
  tacit_plan_free(plan);
  config.init = first;
  plan = made_plan(&config);
  assert_true(says(plan, "private"));
  assert_false(says(plan, "as_sets"));
  assert_null(strstr(tacit_plan_statement_text(plan), "as sets"));
  tacit_plan_free(plan);
  config.init_public = 1;
  plan = made_plan(&config);
  assert_true(says(plan, "as_sets"));
  tacit_plan_free(plan);
  tacit_model_free(first);
}

static void a_start_for_one_day_gives_a_model_for_one_day(void **state) {
  (void)state;
  tacit_model *first = model_of_a_day();
  tacit_config config = plain();
  config.units = ROWS / 2;
  config.rows = ROWS / 2;
  tacit_plan *plan = made_plan(&config);
  assert_false(says(plan, "day_only"));
  tacit_plan_free(plan);
  config.init = first;
  plan = made_plan(&config);
  assert_true(says(plan, "private"));
  assert_true(says(plan, "day_only"));
  tacit_plan_free(plan);
  tacit_model_free(first);
}

/* A person has many rows: a model that protects rows is no start for a run that
   protects persons. The other way it is one, at the price of two persons for a row. */
static void rows_are_no_start_for_persons(void **state) {
  (void)state;
  tacit_model *rows = model_of_lists(), *persons = model_of_a_day();
  tacit_config config = plain();
  tacit_plan *plan = NULL;
  tacit_error err;
  config.init = rows;
  config.units = config.rows = ROWS / 2;
  assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EPRIVACY);
  config = plain();
  config.init = persons;
  plan = made_plan(&config);
  double own = number_in(plan, "run_mu"), all = number_in(plan, "mu");
  assert_string_equal(json_string_value(json_object_get(plan->statement, "unit")),
                      "row");
  tacit_plan_free(plan);
  json_t *start = json_loads(tacit_model_statement_json(persons), 0, NULL);
  double mu = json_number_value(json_object_get(start, "mu"));
  CHECK_RELATIVE(all, sqrt(own * own + 4 * mu * mu), 1e-9);
  json_decref(start);
  tacit_model_free(rows);
  tacit_model_free(persons);
}

enum counts { WITHOUT_NOISE, OF_SETS, OF_LISTS };

/* A schema that was made from counts of mu = 0.3, or from counts without noise. */
static tacit_schema *schema_from_counts(enum counts counts) {
  static const char *const about[] = {"\"private\": false",
#define COUNTS(as_sets)                                                                \
  "\"private\": true, \"unit\": \"row\", \"persons\": false, \"adjacency\": "          \
  "\"replace\", "                                                                      \
  "\"as_sets\": " as_sets                                                              \
  ", \"pure\": false, \"epsilon\": 2, \"delta\": 1e-6, \"mu\": 0.3"
                                      COUNTS("true"), COUNTS("false")};
#undef COUNTS
  tacit_schema *out = NULL;
  tacit_error err;
  char text[700];
  (void)snprintf(
      text, sizeof text,
      "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": [\"n\", "
      "\"p\"]}, \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, "
      "\"max\": 16}], \"description\": {\"digest\": \"0123\", %s}}",
      about[counts]);
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "test", &out, &err), err);
  return out;
}

static void counts_behind_the_schema_are_paid_for(void **state) {
  (void)state;
  for (enum counts counts = OF_SETS; counts <= OF_LISTS; ++counts) {
    tacit_schema *counted = schema_from_counts(counts);
    tacit_config config = plain();
    config.schema = counted;
    config.shuffled = 1;
    tacit_plan *plan = made_plan(&config);
    double own = number_in(plan, "run_mu");
    assert_true(says(plan, "private"));
    assert_true(own > 0);
    CHECK_RELATIVE(number_in(plan, "mu"), sqrt(own * own + 0.09), 1e-9);
    assert_int_equal(says(plan, "as_sets"), counts == OF_SETS);
    tacit_plan_free(plan);
    tacit_schema_free(counted);
  }
}

static void counts_without_noise_take_privacy_away(void **state) {
  (void)state;
  tacit_schema *counted = schema_from_counts(WITHOUT_NOISE);
  tacit_config config = plain();
  config.schema = counted;
  tacit_plan *plan = made_plan(&config);
  assert_false(says(plan, "private"));
  tacit_plan_free(plan);
  tacit_schema_free(counted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_start_for_lists_gives_a_model_for_lists),
      cmocka_unit_test(a_start_for_one_day_gives_a_model_for_one_day),
      cmocka_unit_test(rows_are_no_start_for_persons),
      cmocka_unit_test(counts_behind_the_schema_are_paid_for),
      cmocka_unit_test(counts_without_noise_take_privacy_away),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
