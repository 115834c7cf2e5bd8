/* SPDX-License-Identifier: MIT */
/* Learners of plain gradients: x_t = w_t, gradients of single rounds, one bound for all
   rounds; and the squared slope that is released with them. */
#include "check.h"

#include "algorithm1/algorithm1.h"
#include "plan/plan.h"

enum { ROWS = 120, FEATURES = 3, DIM = FEATURES + 1, PER_PASS = 4, PASSES = 2 };
enum { ROUNDS = PER_PASS * PASSES };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];

static int make_rows(void **state) {
  (void)state;
  uint32_t word = 99;
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    word = word * 1664525 + 1013904223;
    raw_values[i] = ldexp((double)(word >> 8), -24) - 0.4; /* norms below 1 with bias */
    raw_values[i] /= 2;
  }
  for (int i = 0; i < ROWS; ++i)
    raw_labels[i] = raw_values[3 * i] + raw_values[3 * i + 1] > 0.1 ? 1 : -1;
  return 0;
}

/* Heavy ball that gives out the average of its points in the end. */
static const double step_size = 0.5, momentum = 0.8;
static struct {
  int64_t t;
  double ratio, horizon, slope, slope_std, x[DIM], w[DIM];
} seen;

static void roll(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  (void)self;
  double *v = vectors[0], *point = vectors[1], *mean = vectors[2];
  seen.t = loss->t;
  seen.ratio = loss->ratio;
  seen.horizon = loss->horizon;
  seen.slope = loss->slope;
  seen.slope_std = loss->slope_std;
  for (size_t i = 0; i < facts->dim; ++i) {
    seen.x[i] = loss->x[i];
    seen.w[i] = w[i];
    v[i] = momentum * v[i] - step_size * loss->grad[i];
    point[i] += v[i];
    mean[i] += (point[i] - mean[i]) * 4 / ((double)loss->t + 3);
    w[i] = loss->t == facts->rounds ? mean[i] : point[i];
  }
}

static const tacit_learner_ops ball = {.version = 2,
                                       .name = "ball",
                                       .summary = "heavy ball, averaged",
                                       .n_vectors = 3,
                                       .step = roll,
                                       .plain = 1};

static tacit_config settings(const tacit_schema *schema) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.passes = PASSES;
  config.batch = ROWS / PER_PASS;
  config.mechanism = "none";
  config.clip = 2; /* nothing is clipped */
  config.row_norm = 4;
  config.learner_ops = &ball;
  config.threads = 1;
  return config;
}

/* The same by hand: batch t has rows 30 t … 30 t + 29. */
static void by_hand(double *out) {
  double v[DIM] = {0}, point[DIM] = {0}, rows = ROWS / PER_PASS;
  for (int i = 0; i < DIM; ++i)
    out[i] = 0;
  for (int t = 1; t <= ROUNDS; ++t) {
    double grad[DIM] = {0};
    for (int r = 0; r < ROWS / PER_PASS; ++r) {
      int row = (t - 1) % PER_PASS * (ROWS / PER_PASS) + r;
      const double *x = raw_values + FEATURES * row;
      double y = raw_labels[row], margin = point[FEATURES];
      for (int j = 0; j < FEATURES; ++j)
        margin += x[j] * point[j];
      double slope = -y / (1 + exp(y * margin));
      for (int j = 0; j < DIM; ++j)
        grad[j] += slope * (j < FEATURES ? x[j] : 1) / rows;
    }
    for (int j = 0; j < DIM; ++j) {
      v[j] = momentum * v[j] - step_size * grad[j];
      point[j] += v[j];
      out[j] += (point[j] - out[j]) * 4 / (t + 3);
    }
  }
}

static void feed_all(tacit_train *train) {
  const tacit_batch batch = dense_rows(raw_values, raw_labels, ROWS, FEATURES);
  tacit_error err;
  for (int pass = 0; pass < PASSES; ++pass)
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
}

static void a_run_is_heavy_ball_on_the_gradients_of_its_batches(void **state) {
  (void)state;
  double expected[DIM];
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  const tacit_config config = settings(schema);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  feed_all(train);
  assert_int_equal(seen.t, ROUNDS);
  assert_true(seen.ratio == 1 && seen.horizon == ROUNDS && isnan(seen.slope));
  for (int i = 0; i < DIM; ++i)
    CHECK_WITHIN(seen.x[i], seen.w[i], 1e-14);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  by_hand(expected);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  for (int i = 0; i < DIM; ++i)
    CHECK_WITHIN(weights[i], expected[i], 2e-5); /* the lattice */
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

/* Plan and run say the same noise of the last gradient, that of one round. */
static void the_noise_of_a_plain_gradient_is_that_of_one_round(void **state) {
  (void)state;
  static const char *const mechanisms[] = {"tree", "banded", "blt"};
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  for (int i = 0; i < 3; ++i) {
    tacit_config config = settings(schema);
    config.mechanism = mechanisms[i];
    config.epsilon = 1;
    tacit_plan *plan = NULL;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    assert_true(plan->power == 0 && plan->free_last_step && plan->noise_last > 0);
    tacit_weights weights;
    tacit_weights_init(&weights, 0, plan->rounds);
    for (int t = 1; t <= ROUNDS; ++t) {
      tacit_weights_next(&weights);
      assert_true(tacit_plan_bound(plan, &weights, 1, 1) == plan->clip);
      assert_true(weights.ratio == 0 && weights.share == 1);
    }
    /* The tree: node 8 less nodes 4, 6 and 7, four nodes of noise. */
    double one = plan->vault.kappa * plan->clip * plan->vault.lattice.sens /
                 plan->vault.budget / (ROWS / PER_PASS);
    if (plan->vault.encoder == &tacit_encoder_tree)
      CHECK_WITHIN(plan->noise_last, one * 2, one * 0.01);
    tacit_plan_free(plan);
  }
  tacit_schema_free(schema);
}

static void what_does_not_go_with_plain_gradients_is_refused(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  for (int which = 0; which < 4; ++which) {
    tacit_config config = settings(schema);
    tacit_plan *plan = NULL;
    if (which == 0) config.power = 2;
    if (which == 1) config.bound = TACIT_BOUND_TIGHT;
    if (which == 1) config.clip = 0;
    if (which == 2) config.rows = 2000;
    if (which == 2) config.batch = 1;
    if (which == 3) config.preset = TACIT_PAPER;
    if (which == 3) config.clip = 0;
    assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
    assert_non_null(strstr(err.message, "learner ball"));
  }
  tacit_schema_free(schema);
}

/* The number after the weights is decoded like them and divided by its scale. */
static void the_squared_slope_reaches_the_learner(void **state) {
  (void)state;
  for (int plain = 0; plain < 2; ++plain) {
    tacit_learner_ops ops = ball;
    ops.plain = plain;
    tacit_algorithm1_facts facts = {
        .learner = {.dim = DIM, .rounds = 4, .power = plain ? 0 : 1, .radius = 100},
        .encoder = &tacit_encoder_none,
        .shape = {.dim = DIM + 1, .rounds = 4, .per_pass = 4},
        .rows_mean = 5,
        .learner_ops = &ops,
        .slope_scale = 0.25,
    };
    tacit_algorithm1 *algorithm1 = NULL;
    tacit_error err;
    CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
    double sum = 0;
    for (int t = 1; t <= 4; ++t) {
      /* A mean squared slope of 1/t, times beta_t/beta_R; the release is its change. */
      double whole = 5 * 0.25 / t * (plain ? 1 : t / 4.0);
      double y[DIM + 1] = {0, 0, 0, 0, plain ? whole : whole - sum};
      sum = whole;
      tacit_algorithm1_begin(algorithm1);
      (void)tacit_algorithm1_end(algorithm1, 1, y, 0);
      CHECK_RELATIVE(seen.slope, 1.0 / t, 1e-14);
      assert_true(seen.slope_std == 0);
    }
    tacit_algorithm1_free(algorithm1);
    facts.shape.dim = DIM;
    assert_int_equal(tacit_algorithm1_new(&facts, &algorithm1, &err), TACIT_EINVAL);
  }
}

static void the_noise_of_the_squared_slope_is_told(void **state) {
  (void)state;
  tacit_algorithm1_facts facts = {
      .learner = {.dim = DIM, .rounds = 3, .radius = 100},
      .encoder = &tacit_encoder_tree,
      .shape = {.dim = DIM + 1, .rounds = 3, .per_pass = 3},
      .rows_mean = 5,
      .learner_ops = &ball,
      .slope_scale = 0.25,
  };
  tacit_algorithm1 *algorithm1 = NULL;
  tacit_error err;
  CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
  /* Node 1; node 2 covers both rounds, less node 1; node 3 is added to node 2. */
  const double nodes[] = {1, sqrt(2), 1};
  for (int t = 1; t <= 3; ++t) {
    const double y[DIM + 1] = {0};
    tacit_algorithm1_begin(algorithm1);
    (void)tacit_algorithm1_end(algorithm1, 1, y, 1);
    CHECK_RELATIVE(seen.slope_std, nodes[t - 1] / 5 / 0.25, 1e-12);
  }
  tacit_algorithm1_free(algorithm1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_heavy_ball_on_the_gradients_of_its_batches),
      cmocka_unit_test(the_noise_of_a_plain_gradient_is_that_of_one_round),
      cmocka_unit_test(what_does_not_go_with_plain_gradients_is_refused),
      cmocka_unit_test(the_squared_slope_reaches_the_learner),
      cmocka_unit_test(the_noise_of_the_squared_slope_is_told),
  };
  return cmocka_run_group_tests(tests, make_rows, NULL);
}
