/* SPDX-License-Identifier: MIT */
/* What a run can be given from outside: an initial model, a learner, a gradient,
 * classes. */
#include "made.h"
#include "sums.h"

#include <stdlib.h>

#include "run/run.h"
#include "vault/words.h"

enum { ROWS = 4000, FEATURES = 4, DIM = FEATURES + 1 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS], raw_classes[ROWS];
static tacit_schema *schema, *schema_classes;

static int make_rows(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = "extend tests";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int i = 0; i < ROWS; ++i) {
    double *row = raw_values + i * FEATURES;
    for (int j = 0; j < FEATURES; ++j)
      row[j] = 0.4 * (made_uniform(&words));
    raw_labels[i] = row[0] - row[1] + 0.1 > 0 ? 1 : -1;
    raw_classes[i] = row[0] > 0.1 ? 0 : row[1] > 0 ? 1 : 2;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 3, 0, 0, &schema_classes, NULL) != TACIT_OK;
}

static int free_rows(void **state) {
  (void)state;
  tacit_schema_free(schema);
  tacit_schema_free(schema_classes);
  return 0;
}

static tacit_config plain(void) {
  tacit_config config = made_config(schema, ROWS);
  config.threads = 1;
  return config;
}

static tacit_batch all_rows(const double *labels) {
  return dense_rows(raw_values, labels, ROWS, FEATURES);
}

static tacit_model *train_model(const tacit_config *config, const double *labels) {
  tacit_train *train;
  tacit_model *model;
  tacit_error err;
  tacit_batch batch = all_rows(labels);
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  for (int pass = 0; pass == 0 || pass < config->passes; ++pass)
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_train_free(train);
  return model;
}

/* A person may be in both data sets: the squares of mu add up, unless the first model
   is public. */
static void an_initial_model_is_composed(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_model *first = train_model(&config, raw_labels);
  double mu = tacit_model_statement(first)->mu;
  config.init = first;
  config.init_name = "folder/first.json";
  tacit_model *second = train_model(&config, raw_labels);
  assert_true(tacit_model_statement(second)->is_private);
  CHECK_RELATIVE(tacit_model_statement(second)->mu, sqrt(2) * mu, 1e-9);
  assert_true(tacit_model_statement(second)->mu >= sqrt(2) * mu * (1 - 1e-15));
  CHECK_RELATIVE(tacit_model_statement(second)->run_mu, mu, 1e-12);
  assert_true(tacit_model_statement(second)->epsilon > 1.3);
  const tacit_statement *said = tacit_model_statement(second);
  assert_true(said->init != NULL && said->init->mu == tacit_model_statement(first)->mu);
  assert_string_equal(said->init_name, "first.json");
  assert_false(said->init_public);
  assert_null(tacit_model_statement(first)->init);
  assert_non_null(strstr(tacit_model_statement_text(second), "first.json"));
  assert_null(strstr(tacit_model_statement_text(second), "folder"));

  config.init_public = 1;
  tacit_model *third = train_model(&config, raw_labels);
  CHECK_RELATIVE(tacit_model_statement(third)->mu, mu, 1e-12);
  assert_non_null(strstr(tacit_model_statement_text(third), "declared public"));
  tacit_model_free(third);
  tacit_model_free(second);
  tacit_model_free(first);
}

static void an_initial_model_without_privacy_takes_it_away(void **state) {
  (void)state;
  tacit_config config = plain();
  config.seeded = 1;
  tacit_model *seeded = train_model(&config, raw_labels);
  config = plain();
  config.init = seeded;
  tacit_model *model = train_model(&config, raw_labels);
  assert_false(tacit_model_statement(model)->is_private);
  assert_non_null(strstr(tacit_model_statement_text(model), "initial model"));
  tacit_model_free(model);
  config.init_public = 1;
  model = train_model(&config, raw_labels);
  assert_true(tacit_model_statement(model)->is_private);
  tacit_model_free(model);
  tacit_model_free(seeded);
}

/* The run starts at the initial weights: with a tiny domain it cannot leave them. */
static void a_run_starts_at_its_initial_model(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_model *first = train_model(&config, raw_labels);
  config.init = first;
  config.radius = 1e-6;
  tacit_model *second = train_model(&config, raw_labels);
  size_t count;
  const double *from = tacit_model_weights(first, &count);
  const double *to = tacit_model_weights(second, &count);
  for (size_t i = 0; i < count; ++i)
    CHECK_WITHIN(to[i], from[i], 1.1e-6);
  tacit_model_free(second);

  tacit_train *train = NULL;
  tacit_error err;
  config.bias = 0; /* other rows than the initial model takes */
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  config = plain();
  config.init_public = 1; /* of no model */
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  tacit_model_free(first);
}

static void go_nowhere(void *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       double *w) {
  (void)self;
  (void)vectors;
  (void)loss;
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] = 0.25; /* a learner that does not learn */
}

static const tacit_learner_ops stubborn = {
    .version = 1, .name = "stubborn", .summary = "goes nowhere", .step = go_nowhere};

static void a_learner_of_ones_own_runs(void **state) {
  (void)state;
  tacit_config config = plain();
  config.learner_ops = &stubborn;
  tacit_model *model = train_model(&config, raw_labels);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  /* w_1 = 0 has weight 1 of 1 + 4 + … + 33^2 */
  double average = 0.25 * (1 - 1 / 12529.0);
  for (size_t i = 0; i < count; ++i)
    CHECK_RELATIVE(weights[i], average, 1e-12);
  tacit_model_free(model);
  config.reg_scale = 1; /* it does not take the regulariser */
  tacit_train *train = NULL;
  tacit_error err;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EPRIVACY);
}

/* The logistic loss as a callback: the rows are short, so no row is scaled. */
static tacit_status logistic_gradient(void *self, const tacit_batch *batch, int64_t row,
                                      const double *weights, double *raw_out) {
  const double *x = batch->raw_values + row * FEATURES;
  double y = batch->raw_labels[row], margin = weights[FEATURES];
  (void)self;
  for (int j = 0; j < FEATURES; ++j)
    margin += weights[j] * x[j];
  double slope = -y / (1 + exp(y * margin));
  for (int j = 0; j < FEATURES; ++j)
    raw_out[j] = slope * x[j];
  raw_out[FEATURES] = slope;
  return TACIT_OK;
}

static void a_gradient_of_ones_own_equals_the_loss(void **state) {
  (void)state;
  tacit_gradient_ops ops = {.version = 1, .dim = DIM, .gradient = logistic_gradient};
  tacit_config config = plain();
  config.mechanism = "none";
  config.epsilon = 0;
  config.clip = 1;
  config.row_norm = 10;
  config.learner = "kt";
  tacit_model *model = train_model(&config, raw_labels);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  config.gradient = &ops;
  tacit_train *train;
  tacit_error err;
  double own[DIM];
  tacit_batch batch = all_rows(raw_labels);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  tacit_model *none = NULL;
  assert_int_equal(tacit_train_finish(train, &none, &err), TACIT_EINVAL);
  CHECK_OK(tacit_train_weights(train, DIM, own, &err), err);
  for (int i = 0; i < DIM; ++i)
    CHECK_WITHIN(own[i], weights[i], 1e-5);
  assert_int_equal(tacit_train_weights(train, DIM, own, &err), TACIT_ESTATE);
  tacit_train_free(train);
  tacit_model_free(model);
}

/* A callback gets doubles also from a batch of floats. */
static void a_gradient_of_ones_own_takes_floats(void **state) {
  (void)state;
  tacit_gradient_ops ops = {.version = 1, .dim = DIM, .gradient = logistic_gradient};
  tacit_config config = plain();
  config.clip = 1;
  config.seeded = 1;
  config.gradient = &ops;
  static float narrow[ROWS * FEATURES];
  static double same[ROWS * FEATURES];
  for (int i = 0; i < ROWS * FEATURES; ++i)
    same[i] = (double)(narrow[i] = (float)raw_values[i]);
  double weights[2][DIM];
  for (int is32 = 0; is32 < 2; ++is32) {
    tacit_train *train;
    tacit_error err;
    tacit_batch batch = all_rows(raw_labels);
    batch.raw_values = is32 ? NULL : same;
    batch.raw_values32 = is32 ? narrow : NULL;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    CHECK_OK(tacit_train_weights(train, DIM, weights[is32], &err), err);
    tacit_train_free(train);
  }
  assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
}

static tacit_status wild_gradient(void *self, const tacit_batch *batch, int64_t row,
                                  const double *weights, double *raw_out) {
  double kind = batch->raw_labels[row];
  (void)weights;
  for (int i = 0; i < DIM; ++i)
    raw_out[i] = kind == 0 ? NAN : kind == 1 ? 1e300 : 1;
  return *(int *)self != 0 ? TACIT_EDATA : TACIT_OK;
}

/* Whatever a callback returns is clipped; its own error ends the run. */
static void a_wild_gradient_is_clipped(void **state) {
  (void)state;
  int fails = 0;
  tacit_gradient_ops ops = {
      .version = 1, .dim = DIM, .gradient = wild_gradient, .self = &fails};
  tacit_config config = plain();
  tacit_train *train = NULL;
  tacit_error err;
  config.gradient = &ops;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL); /* no clip */
  config.clip = 0.5;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_round_open(train, &err), err);
  static double kinds[ROWS];
  for (int i = 0; i < ROWS; ++i)
    kinds[i] = i % 3;
  tacit_batch batch = all_rows(kinds);
  for (int64_t i = 0; i < 3; ++i) {
    int64_t raw_sum[DIM] = {0};
    CHECK_OK(delta_add(&train->open.delta, &batch, i, i + 1, raw_sum, &err), err);
    tacit_i128 squares = 0;
    for (int j = 0; j < DIM; ++j)
      squares += (tacit_i128)raw_sum[j] * raw_sum[j];
    tacit_i128 clip = train->open.delta.clip;
    assert_true(squares <= clip * clip);
    if (i < 2) assert_true(squares == 0 || i == 1);
    if (i == 2) assert_true(squares > clip * clip * 99 / 100);
  }
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  tacit_train_free(train);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  fails = 1;
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_EDATA);
  fails = 0;
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_ESTATE);
  tacit_train_free(train);
}

/* Three classes: softmax by default, and the others each class against the rest. */
static void many_classes_are_learnt(void **state) {
  (void)state;
  static const char *const losses[] = {NULL, "logistic", "hinge", "squared-hinge"};
  for (int which = 0; which < 4; ++which) {
    tacit_config config = plain();
    config.schema = schema_classes;
    config.loss = losses[which];
    config.epsilon = 20;
    config.seeded = 1;
    tacit_model *model = train_model(&config, raw_classes);
    size_t count;
    (void)tacit_model_weights(model, &count);
    assert_int_equal(count, 3 * DIM);
    assert_int_equal(tacit_model_outputs(model), 3);
    assert_string_equal(tacit_model_loss(model),
                        which == 0 ? "softmax" : losses[which]);
    static double predictions[ROWS], scores[3 * ROWS];
    tacit_batch batch = all_rows(NULL);
    tacit_error err;
    CHECK_OK(tacit_model_predict(model, &batch, predictions, &err), err);
    CHECK_OK(tacit_model_scores(model, &batch, scores, &err), err);
    int right = 0;
    for (int i = 0; i < ROWS; ++i) {
      int class = tacit_model_class(model, predictions[i]);
      right += class == (int)raw_classes[i];
      for (int k = 0; k < 3; ++k)
        assert_true(scores[3 * i + k] <= scores[3 * i + class]);
      double sum = scores[3 * i] + scores[3 * i + 1] + scores[3 * i + 2];
      if (which == 0) CHECK_WITHIN(sum, 1, 1e-12);
    }
    assert_true(right > 0.85 * ROWS);
    tacit_model_free(model);
  }
  tacit_config config = plain();
  tacit_train *train = NULL;
  tacit_error err;
  config.schema = schema_classes;
  config.loss = "squared";
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  config.loss = NULL;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  tacit_batch batch = all_rows(raw_labels); /* -1 is no class here */
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_EDATA);
  tacit_train_free(train);
}

/* The statement says that a run is pure DP; bad combinations are refused with a reason.
 */
static void pure_runs_and_bad_combinations(void **state) {
  (void)state;
  tacit_config config = plain();
  config.pure = 1;
  tacit_model *model = train_model(&config, raw_labels);
  assert_true(tacit_model_statement(model)->is_private);
  assert_true(tacit_model_statement(model)->delta == 0);
  assert_non_null(strstr(tacit_model_statement_text(model), "pure"));
  tacit_model_free(model);

  tacit_train *train = NULL;
  tacit_error err;
  for (int which = 0; which < 6; ++which) {
    config = plain();
    if (which == 0) config.pure = 1, config.mechanism = "banded";
    if (which == 1) config.norm = 3;
    if (which == 2) config.domain = TACIT_DOMAIN_SIMPLEX, config.radius = 2;
    if (which == 3) config.learner = "eg";
    if (which == 4) config.law = "laplace";
    if (which == 5) config.pure = 1, config.law = "gaussian";
    if (which == 6) config.mechanism = "banded", config.batch = 1;
    tacit_status status = tacit_train_new(&config, &train, &err);
    if (status != TACIT_EPRIVACY)
      fail_msg("case %d: %s", which, tacit_status_name(status));
  }
}

/* A shard that fails leaves nothing in the sums: its retry must not count rows twice.
 */
static void a_failed_shard_leaves_nothing_behind(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_train *train;
  tacit_error err;
  tacit_round round = {.struct_size = sizeof round};
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  tacit_batch shard = all_rows(raw_labels);
  shard.n_rows = 120; /* the bad row comes after others were added up */
  int64_t raw_sum[DIM] = {7, 7, 7, 7, 7}, raw_count = 0;
  double label = raw_labels[110];
  raw_labels[110] = 0.5;
  tacit_status status =
      tacit_round_delta(train, &round, &shard, raw_sum, &raw_count, &err);
  raw_labels[110] = label;
  assert_int_equal(status, TACIT_EDATA);
  assert_true(raw_count == 0);
  for (int i = 0; i < DIM; ++i)
    assert_true(raw_sum[i] == 7);
  tacit_train_free(train);
}

/* Writes only what is not zero, as a careless callback might. */
static tacit_status lazy_gradient(void *self, const tacit_batch *batch, int64_t row,
                                  const double *weights, double *raw_out) {
  (void)self;
  (void)weights;
  if (batch->raw_labels[row] > 0) raw_out[0] = 1;
  return TACIT_OK;
}

static void a_record_does_not_flow_into_the_next(void **state) {
  (void)state;
  tacit_gradient_ops ops = {.version = 1, .dim = DIM, .gradient = lazy_gradient};
  tacit_config config = plain();
  tacit_train *train;
  tacit_error err;
  config.gradient = &ops;
  config.clip = 1;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_round_open(train, &err), err);
  double labels[2] = {1, -1};
  tacit_batch batch = all_rows(labels);
  int64_t raw_first[DIM] = {0}, raw_both[DIM] = {0};
  CHECK_OK(delta_add(&train->open.delta, &batch, 0, 1, raw_first, &err), err);
  CHECK_OK(delta_add(&train->open.delta, &batch, 0, 2, raw_both, &err), err);
  assert_true(raw_first[0] != 0);
  assert_memory_equal(raw_first, raw_both, sizeof raw_both);
  tacit_train_free(train);
}

static void unknown_choices_are_refused(void **state) {
  (void)state;
  for (int which = 0; which < 6; ++which) {
    tacit_config config = plain();
    int unknown = 9;
    if (which == 0) memcpy(&config.adjacency, &unknown, sizeof unknown);
    if (which == 1) memcpy(&config.preset, &unknown, sizeof unknown);
    if (which == 2) memcpy(&config.bound, &unknown, sizeof unknown);
    if (which == 3) memcpy(&config.domain, &unknown, sizeof unknown);
    if (which == 4) config.clip = 1e-310;
    if (which == 5) config.row_norm = 1e200;
    tacit_train *train = NULL;
    tacit_error err;
    assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  }
}

/* A reader of another length would put rows into wrong rounds. */
static void a_reader_of_another_length_is_refused(void **state) {
  (void)state;
  char path[] = "/tmp/tacit-extend-XXXXXX";
  const char *const paths[] = {path};
  int fd = mkstemp(path);
  FILE *file = fdopen(fd, "w");
  fputs("1 1:1\n0 2:1\n", file);
  fclose(file);
  tacit_error err;
  tacit_schema *libsvm;
  tacit_reader *reader;
  tacit_train *train;
  tacit_reader_options options;
  CHECK_OK(tacit_schema_libsvm(FEATURES, 2, 0, 0, &libsvm, &err), err);
  tacit_reader_options_init(&options);
  options.schema = libsvm;
  CHECK_OK(tacit_reader_open(paths, 1, &options, &reader, &err), err);
  tacit_config config = plain();
  config.schema = libsvm;
  config.rows = 4;
  config.delta = 0.01;
  config.passes = 2;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_int_equal(tacit_train_run(train, reader, &err), TACIT_EDATA);
  tacit_round round = {.struct_size = sizeof round};
  assert_int_equal(tacit_round_ask(train, &round, &err), TACIT_ESTATE);
  tacit_train_free(train);
  tacit_reader_free(reader);
  tacit_schema_free(libsvm);
  remove(path);
}

static void run_away(void *self, const tacit_learner_facts *facts,
                     const tacit_learner_loss *loss, double *const *vectors,
                     double *w) {
  (void)self;
  (void)vectors;
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] = loss->t % 2 ? NAN : 1e9;
}

static void a_learner_that_leaves_the_domain_is_brought_back(void **state) {
  (void)state;
  static const tacit_learner_ops ops = {
      .version = 1, .name = "runaway", .summary = "anything", .step = run_away};
  tacit_config config = plain();
  config.learner_ops = &ops;
  config.radius = 2;
  tacit_model *model = train_model(&config, raw_labels);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  double squares = 0;
  for (size_t i = 0; i < count; ++i)
    squares += weights[i] * weights[i];
  CHECK_AT_MAX(sqrt(squares), 2 * (1 + 1e-9));
  tacit_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_initial_model_is_composed),
      cmocka_unit_test(an_initial_model_without_privacy_takes_it_away),
      cmocka_unit_test(a_run_starts_at_its_initial_model),
      cmocka_unit_test(a_learner_of_ones_own_runs),
      cmocka_unit_test(a_gradient_of_ones_own_equals_the_loss),
      cmocka_unit_test(a_gradient_of_ones_own_takes_floats),
      cmocka_unit_test(a_wild_gradient_is_clipped),
      cmocka_unit_test(many_classes_are_learnt),
      cmocka_unit_test(pure_runs_and_bad_combinations),
      cmocka_unit_test(a_failed_shard_leaves_nothing_behind),
      cmocka_unit_test(a_record_does_not_flow_into_the_next),
      cmocka_unit_test(unknown_choices_are_refused),
      cmocka_unit_test(a_reader_of_another_length_is_refused),
      cmocka_unit_test(a_learner_that_leaves_the_domain_is_brought_back),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
