/* SPDX-License-Identifier: MIT */
/* One scale for all rows: training on x is training on rows that were divided before.
 */
#include "check.h"

#include "data/schema/schema.h"
#include "plan/plan.h"

enum { ROWS = 200, FEATURES = 3, WEIGHTS_MAX = 3 * (FEATURES + 1) };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];

/* Rows within [-size, size]^3, and labels of so many classes; 0: numbers. */
static void make_rows(double size, int classes) {
  uint32_t state = 7;
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    state = state * 1664525 + 1013904223;
    raw_values[i] = size * (ldexp((double)(state >> 8), -23) - 1);
  }
  for (int i = 0; i < ROWS; ++i) {
    double sum = raw_values[3 * i] - raw_values[3 * i + 1];
    raw_labels[i] = classes == 0   ? 3 + sum / size
                    : classes == 2 ? (sum > 0 ? 1 : -1)
                                   : i % classes;
  }
}

static tacit_config settings(const tacit_schema *schema, const char *loss) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.epsilon = 5;
  config.loss = loss;
  config.bias = 0;
  config.seeded = 1;
  config.threads = 1;
  return config;
}

static size_t train(const tacit_config *config, double *out, double *out_scale) {
  const tacit_batch batch = dense_rows(raw_values, raw_labels, ROWS, FEATURES);
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_error err;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  memcpy(out, weights, count * sizeof *out);
  *out_scale = tacit_model_row_scale(model);
  tacit_model_free(model);
  tacit_train_free(train);
  return count;
}

static void check_same(const tacit_schema *schema, const char *loss, int classes) {
  double scaled[WEIGHTS_MAX], divided[WEIGHTS_MAX], scale;
  tacit_config config = settings(schema, loss);
  make_rows(4, classes); /* rows of norm up to 4 sqrt(3) */
  config.row_norm = 8;
  config.scaling = TACIT_SCALE_SAME;
  size_t count = train(&config, scaled, &scale);
  assert_true(scale == .125);
  make_rows(.5, classes);
  config.row_norm = 1;
  config.scaling = TACIT_SCALE_OWN;
  assert_int_equal(train(&config, divided, &scale), count);
  assert_true(scale == 0);
  assert_memory_equal(scaled, divided, count * sizeof *scaled);
}

static void rows_are_divided_by_the_declared_norm(void **state) {
  (void)state;
  tacit_schema *numbers = NULL, *two = NULL, *three = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 0, 0, 10, &numbers, &err), err);
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &two, &err), err);
  CHECK_OK(tacit_schema_memory(FEATURES, 3, 0, 0, &three, &err), err);
  check_same(numbers, "squared", 0);
  check_same(numbers, "huber", 0);
  check_same(two, "logistic", 2);
  check_same(three, "softmax", 3);
  tacit_schema_free(numbers);
  tacit_schema_free(two);
  tacit_schema_free(three);
}

static void a_row_past_the_norm_is_not_scaled_down(void **state) {
  (void)state;
  const double far[] = {300, 0, 0};
  const tacit_batch batch = dense_rows(far, NULL, 1, FEATURES);
  double margins[2];
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 0, 0, 10, &schema, &err), err);
  tacit_config config = settings(schema, "squared");
  config.centre = TACIT_CENTRE_OFF; /* no offset */
  config.row_norm = 4;
  make_rows(1, 0);
  for (int same = 0; same < 2; ++same) {
    tacit_train *train = NULL;
    tacit_model *model = NULL;
    const tacit_batch all = dense_rows(raw_values, raw_labels, ROWS, FEATURES);
    config.scaling = same ? TACIT_SCALE_SAME : TACIT_SCALE_OWN;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    CHECK_OK(tacit_train_feed(train, &all, &err), err);
    CHECK_OK(tacit_train_finish(train, &model, &err), err);
    size_t count;
    double weight = tacit_model_weights(model, &count)[0];
    CHECK_OK(tacit_model_margins(model, &batch, &margins[same], &err), err);
    CHECK_RELATIVE(margins[same], weight * (same ? 75 : 4), 1e-12);
    tacit_model_free(model);
    tacit_train_free(train);
  }
  tacit_schema_free(schema);
}

static const char csv[] =
    "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"min\": 0, \"max\": 1},"
    "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 9},"
    "{\"name\": \"b\", \"type\": \"category\", \"values\": [\"u\", \"v\"]},"
    "{\"name\": \"c\", \"type\": \"hashed\", \"slots\": 5},"
    "{\"name\": \"d\", \"type\": \"ignore\"}]}";

static void the_columns_of_a_schema_give_the_scale(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_parse(csv, strlen(csv), "csv", &schema, &err), err);
  for (int which = 0; which < 4; ++which) {
    tacit_plan *plan = NULL;
    tacit_config config = settings(schema, "squared");
    config.bias = which & 1;
    config.row_norm = which & 2 ? 2.5 : 1;
    config.scaling = TACIT_SCALE_SAME;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    double norm = which & 2 ? 2.5 : sqrt(which & 1 ? 4 : 3);
    CHECK_RELATIVE(plan->row.scale, 1 / norm, 1e-15);
    assert_true(plan->row.row_norm == 1 && plan->learner.row_norm == 1);
    assert_non_null(strstr(tacit_plan_json(plan), "row_scale"));
    tacit_plan_free(plan);
  }
  CHECK_RELATIVE(tacit_schema_norm_max(schema, 1, 1), 4, 1e-15);
  CHECK_RELATIVE(tacit_schema_norm_max(schema, 1, INFINITY), 1, 1e-15);
  tacit_schema_free(schema);
}

/* Rows of losses on numbers have one scale; so have no others, and none in 0.1.0. */
static void by_default_rows_of_numbers_have_one_scale(void **state) {
  (void)state;
  tacit_schema *numbers = NULL, *two = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_parse(csv, strlen(csv), "csv", &numbers, &err), err);
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &two, &err), err);
  for (int which = 0; which < 4; ++which) {
    tacit_plan *plan = NULL;
    tacit_config config =
        which & 1 ? settings(two, "logistic") : settings(numbers, "squared");
    if (which & 2) config.preset = TACIT_ANYTIME;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    CHECK_RELATIVE(plan->row.scale, which == 0 ? 1 / sqrt(3) : 0, 1e-15);
    assert_true(plan->row.row_norm == 1);
    assert_true((strstr(tacit_plan_json(plan), "row_scale") != NULL) == (which == 0));
    tacit_plan_free(plan);
  }
  tacit_schema_free(numbers);
  tacit_schema_free(two);
}

/* Centred rows of a loss on numbers are not scaled by their own norms, unless asked. */
static void centring_brings_one_scale_for_losses_on_numbers(void **state) {
  (void)state;
  tacit_schema *numbers = NULL, *classes = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 0, 0, 10, &numbers, &err), err);
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &classes, &err), err);
  for (int which = 0; which < 4; ++which) {
    tacit_plan *plan = NULL;
    tacit_config config =
        which == 3 ? settings(classes, "logistic") : settings(numbers, "huber");
    config.row_norm = 2;
    config.centre = which == 0 ? TACIT_CENTRE_OFF : TACIT_CENTRE_ON;
    if (which == 2) config.scaling = TACIT_SCALE_OWN;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    assert_true(plan->row.scale == (which == 1 ? 0.5 : 0));
    assert_true(plan->row.row_norm == (which == 1 ? 1 : 2));
    tacit_plan_free(plan);
  }
  tacit_schema_free(numbers);
  tacit_schema_free(classes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_divided_by_the_declared_norm),
      cmocka_unit_test(a_row_past_the_norm_is_not_scaled_down),
      cmocka_unit_test(the_columns_of_a_schema_give_the_scale),
      cmocka_unit_test(by_default_rows_of_numbers_have_one_scale),
      cmocka_unit_test(centring_brings_one_scale_for_losses_on_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
