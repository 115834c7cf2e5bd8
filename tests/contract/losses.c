/* SPDX-License-Identifier: MIT */
/* What every loss promises: slope, convexity, bounds, finite values. */
#include "check.h"

#include <float.h>

#include "contract/draw.h"
#include "loss/exp.h"
#include "loss/loss.h"

enum { LABELS_MAX = 32 };

static const double MARGIN_MAX = 20;

/* The registry gives every loss with default parameters; these have others. */
static const char *const variants[] = {
    "huber:tau=0.3",
    "huber:tau=5",
    "hinge:g=2",
    "hinge:g=0.05",
    "quantile:tau=0.9,kappa=0.01",
    "quantile:tau=0.1,kappa=2",
    "poisson:umax=-1",
    "poisson:umax=2",
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static tacit_loss_facts facts_of(tacit_loss_labels labels) {
  return (tacit_loss_facts){.margin_max = MARGIN_MAX,
                            .label_max = labels == TACIT_LOSS_COUNT ? 7 : 1};
}

static tacit_loss *loss_of(const char *spec) {
  tacit_error err;
  tacit_loss_labels labels;
  tacit_loss *loss = NULL;
  CHECK_OK(tacit_loss_labels_of(spec, &labels, &err), err);
  tacit_loss_facts facts = facts_of(labels);
  CHECK_OK(tacit_loss_new(spec, &facts, &loss, &err), err);
  return loss;
}

/* Loss number i of registry and variants; NULL at the end. */
static tacit_loss *loss_at(size_t i) {
  size_t n = 0;
  while (tacit_loss_at(n) != NULL)
    ++n;
  if (i < n) return loss_of(tacit_loss_at(i)->name);
  return i - n < N_VARIANTS ? loss_of(variants[i - n]) : NULL;
}

/* Some allowed labels, with the extreme ones. */
static size_t labels_of(const tacit_loss *loss, double *out) {
  if (loss->ops->labels == TACIT_LOSS_CLASSES) {
    out[0] = -1;
    out[1] = 1;
    return 2;
  }
  double low = loss->ops->labels == TACIT_LOSS_UNIT ? -1 : 0;
  double high = loss->facts.label_max;
  size_t n = 15;
  for (size_t i = 0; i < n; ++i)
    out[i] = low + (high - low) * (double)i / (double)(n - 1);
  return n;
}

static void references(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    double margin, label, value, slope;
  } cases[] = {
      {"logistic", 0.7, 1, 0.403186048885457893, -0.331812227831833893},
      {"logistic", -2.5, 1, 2.57888973429254962, -0.924141819978756449},
      {"logistic", 30, -1, 30.0000000000000936, 0.999999999999906424},
      {"logistic", 40, 1, 4.24835425529158899e-18, -4.24835425529158898e-18},
      {"squared", 0.7, -0.25, 0.45125, 0.95},
      {"squared", 3, 0.5, 3.125, 2.5},
      {"huber", 0.7, -0.2, 0.405, 0.9},
      {"huber", 3, 0.5, 2, 1},
      {"huber:tau=0.3", -3, 0.5, 1.005, -0.3},
      {"hinge", 0.7, 1, 0.09, -0.6},
      {"hinge", 0.7, -1, 1.45, 1},
      {"hinge", 1.2, 1, 0, 0},
      {"hinge:g=2", 0.1, -1, 0.3025, 0.55},
      {"squared-hinge", 0.7, 1, 0.045, -0.3},
      {"squared-hinge", -4, 1, 12.5, -5},
      {"squared-hinge", 1.5, 1, 0, 0},
      {"quantile", 0.2, 0.23, 0.0045, -0.3},
      {"quantile", 0.2, 0.9, 0.3375, -0.5},
      {"quantile:tau=0.9,kappa=0.01", 0.2, -0.9, 0.10995, 0.1},
      {"quantile:tau=0.9,kappa=0.01", 0.2, 0.205, 0.00125, -0.5},
      {"poisson", 0.7, 3, -0.0862472925295234784, -0.986247292529523478},
      {"poisson", 5, 3, 43.1131386101289511, 16.0279727992133166},
      {"poisson", -2, 0, 0.135335283236612692, 0.135335283236612692},
      {"poisson:umax=0.5", 0.7, 3, -0.121534475159846224, -1.35127872929987185},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tacit_loss *loss = loss_of(cases[i].spec);
    double value = tacit_loss_value(loss, cases[i].margin, cases[i].label);
    double slope = tacit_loss_slope(loss, cases[i].margin, cases[i].label);
    CHECK_RELATIVE(value, cases[i].value, 1e-13);
    CHECK_RELATIVE(slope, cases[i].slope, 1e-13);
    tacit_loss_free(loss);
  }
}

static void predictions_are_in_label_units(void **state) {
  (void)state;
  tacit_loss *logistic = loss_of("logistic");
  CHECK_RELATIVE(tacit_loss_predict(logistic, 0.7), 0.668187772168166107, 1e-15);
  CHECK_RELATIVE(tacit_loss_predict(logistic, -40), 4.24835425529158898e-18, 1e-15);
  assert_true(tacit_loss_predict(logistic, 0) == 0.5);
  assert_true(tacit_loss_predict(logistic, 1e5) == 1);
  assert_true(tacit_loss_predict(logistic, -1e5) == 0);
  tacit_loss_free(logistic);

  tacit_loss *poisson = loss_of("poisson");
  CHECK_RELATIVE(tacit_loss_predict(poisson, 1), 2.71828182845904524, 1e-15);
  double umax = log(7) + 1, top = 7 * exp(1);
  CHECK_RELATIVE(tacit_loss_predict(poisson, umax), top, 1e-14);
  CHECK_RELATIVE(tacit_loss_predict(poisson, umax + 2), 3 * top, 1e-14);
  tacit_loss_free(poisson);

  tacit_loss *squared = loss_of("squared");
  assert_true(tacit_loss_predict(squared, -0.3) == -0.3);
  tacit_loss_free(squared);
}

static void slope_is_the_derivative_of_value(void **state) {
  (void)state;
  const double h = 1e-4;
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX];
    size_t n = labels_of(loss, labels);
    tacit_loss_bounds bounds;
    tacit_loss_bounds_of(loss, &bounds);
    for (size_t j = 0; j < n; ++j) {
      for (double u = -MARGIN_MAX; u <= MARGIN_MAX; u += 0.0137) {
        double up = tacit_loss_value(loss, u + h, labels[j]);
        double down = tacit_loss_value(loss, u - h, labels[j]);
        /* a central difference of a C^1 function is off by at most half of
           h times the Lipschitz constant, plus rounding of the two values */
        double tolerance =
            0.5 * h * bounds.curvature + 4 * DBL_EPSILON * (1 + fabs(up)) / h;
        CHECK_WITHIN(tacit_loss_slope(loss, u, labels[j]), (up - down) / (2 * h),
                     tolerance);
      }
    }
    tacit_loss_free(loss);
  }
}

static void losses_are_convex(void **state) {
  (void)state;
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX];
    size_t n = labels_of(loss, labels);
    for (size_t j = 0; j < n; ++j) {
      double y = labels[j], last = -INFINITY;
      for (double u = -MARGIN_MAX; u <= MARGIN_MAX; u += 0.0071) {
        double slope = tacit_loss_slope(loss, u, y);
        CHECK_AT_MAX(last, slope + 1e-13 * fabs(slope));
        last = slope;
      }
      /* the graph lies above each of its tangents */
      for (double u = -MARGIN_MAX; u <= MARGIN_MAX; u += 0.61) {
        double value = tacit_loss_value(loss, u, y);
        double slope = tacit_loss_slope(loss, u, y);
        for (double v = -MARGIN_MAX; v <= MARGIN_MAX; v += 0.37)
          CHECK_AT_MAX(value + slope * (v - u),
                       tacit_loss_value(loss, v, y) + 1e-12 * (1 + fabs(value)));
      }
    }
    tacit_loss_free(loss);
  }
}

static void bounds_hold_and_are_tight(void **state) {
  (void)state;
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX];
    size_t n = labels_of(loss, labels);
    tacit_loss_bounds bounds;
    tacit_loss_bounds_of(loss, &bounds);
    double max_slope = 0, max_curvature = 0, max_at_zero = 0, max_beyond = 0;
    const double h = 0x1p-10;
    for (size_t j = 0; j < n; ++j) {
      double y = labels[j];
      for (int k = -(int)(MARGIN_MAX / h); k <= (int)(MARGIN_MAX / h); ++k) {
        double slope = tacit_loss_slope(loss, k * h, y);
        double next = tacit_loss_slope(loss, k * h + h, y);
        CHECK_AT_MAX(fabs(slope), bounds.slope * (1 + 1e-15));
        CHECK_AT_MAX(fabs(next - slope), bounds.curvature * h * (1 + 1e-10));
        max_slope = fmax(max_slope, fabs(slope));
        max_curvature = fmax(max_curvature, fabs(next - slope) / h);
      }
      max_at_zero = fmax(max_at_zero, fabs(tacit_loss_slope(loss, 0, y)));
      for (double u = MARGIN_MAX; u < 1e6; u *= 1.7) {
        max_beyond = fmax(max_beyond, fabs(tacit_loss_slope(loss, u, y)));
        max_beyond = fmax(max_beyond, fabs(tacit_loss_slope(loss, -u, y)));
      }
    }
    assert_true(max_slope >= 0.99 * bounds.slope);
    assert_true(max_curvature >= 0.99 * bounds.curvature);
    CHECK_RELATIVE(bounds.slope_at_zero, max_at_zero, 1e-15);
    assert_int_equal(bounds.slope_is_global, max_beyond <= bounds.slope * (1 + 1e-15));
    tacit_loss_free(loss);
  }
}

static void bounds_of_the_fallbacks(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    double slope, curvature, slope_at_zero;
  } cases[] = {
      {"logistic", 1, 0.25, 0.5},
      {"squared", 21, 1, 1},
      {"huber", 1, 1, 1},
      {"hinge", 1, 2, 1},
      {"squared-hinge", 21, 1, 1},
      {"quantile", 0.5, 10, 0.5},
      {"huber:tau=0.3", 0.3, 1, 0.3},
      {"hinge:g=2", 1, 0.5, 0.5},
      {"quantile:tau=0.1,kappa=2", 0.9, 0.5, 0.5},
      {"poisson", 19.0279727992133166, 19.0279727992133166, 6},
      {"poisson:umax=-1", 7, 0.367879441171442322, 6.63212055882855768},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tacit_loss *loss = loss_of(cases[i].spec);
    tacit_loss_bounds bounds;
    tacit_loss_bounds_of(loss, &bounds);
    CHECK_RELATIVE(bounds.slope, cases[i].slope, 1e-14);
    CHECK_RELATIVE(bounds.curvature, cases[i].curvature, 1e-14);
    CHECK_RELATIVE(bounds.slope_at_zero, cases[i].slope_at_zero, 1e-14);
    tacit_loss_free(loss);
  }
  tacit_error err;
  tacit_loss *loss = NULL;
  tacit_loss_facts facts = {.margin_max = 3, .label_max = 1.5};
  CHECK_OK(tacit_loss_new("poisson:umax=1", &facts, &loss, &err), err);
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(loss, &bounds);
  assert_true(bounds.slope_at_zero == 1); /* a count of 0 against a mean of 1 */
  tacit_loss_free(loss);
}

/* Values are at least 0; for counts, at least the value at the best mean. */
static void values_are_not_below_their_infimum(void **state) {
  (void)state;
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX];
    size_t n = labels_of(loss, labels);
    for (size_t j = 0; j < n; ++j) {
      double y = labels[j], min = 0;
      if (loss->ops->labels == TACIT_LOSS_COUNT) {
        if (y > exp(loss->values[0])) continue; /* no infimum: y is above every slope */
        min = y > 0 ? y - y * log(y) : 0;
      }
      for (double u = -MARGIN_MAX; u <= MARGIN_MAX; u += 0.0317)
        CHECK_AT_MAX(min, tacit_loss_value(loss, u, y) + 1e-13);
    }
    tacit_loss_free(loss);
  }
}

static void extreme_margins_are_finite_and_nan_stays_nan(void **state) {
  (void)state;
  static const double margins[] = {1e5, -1e5, 709, -709, 746, -746, 1e-308, 0, -0.0};
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX];
    size_t n = labels_of(loss, labels);
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < sizeof margins / sizeof *margins; ++k) {
        assert_true(isfinite(tacit_loss_value(loss, margins[k], labels[j])));
        assert_true(isfinite(tacit_loss_slope(loss, margins[k], labels[j])));
        assert_true(isfinite(tacit_loss_predict(loss, margins[k])));
      }
      assert_true(isnan(tacit_loss_slope(loss, NAN, labels[j])));
      assert_true(isnan(tacit_loss_value(loss, NAN, labels[j])));
      assert_true(isnan(tacit_loss_predict(loss, NAN)));
    }
    tacit_loss_free(loss);
  }
}

/* One example in rounds t and t-1: |beta_t grad(x_t) - beta_{t-1} grad(x_{t-1})|
   against (beta_t - beta_{t-1}) G + beta_{t-1} min(H |x_t - x_{t-1}|, 2 G). */
struct pair {
  double beta, beta_last, label;
  double x[5], x_last[5], row[5];
};

static double delta_ratio(const tacit_loss *loss, double row_norm,
                          const struct pair *pair) {
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(loss, &bounds);
  double margin = 0, margin_last = 0, move[5], delta[5];
  for (int i = 0; i < 5; ++i) {
    margin += pair->x[i] * pair->row[i];
    margin_last += pair->x_last[i] * pair->row[i];
    move[i] = pair->x[i] - pair->x_last[i];
  }
  double slope = tacit_loss_slope(loss, margin, pair->label);
  double slope_last = tacit_loss_slope(loss, margin_last, pair->label);
  for (int i = 0; i < 5; ++i)
    delta[i] =
        pair->beta * slope * pair->row[i] - pair->beta_last * slope_last * pair->row[i];
  double G = bounds.slope * row_norm, H = bounds.curvature * row_norm * row_norm;
  double limit = (pair->beta - pair->beta_last) * G +
                 pair->beta_last * fmin(H * draw_norm(move, 5), 2 * G);
  return draw_norm(delta, 5) / limit;
}

static void gradient_differences_stay_within_the_tight_bound(void **state) {
  (void)state;
  const double row_norm = 2.5, radius = MARGIN_MAX / row_norm;
  draw source = {5};
  tacit_loss *loss;
  for (size_t i = 0; (loss = loss_at(i)) != NULL; ++i) {
    double labels[LABELS_MAX], max = 0;
    size_t n = labels_of(loss, labels);
    for (int trial = 0; trial < 10000; ++trial) {
      struct pair pair;
      double t = 1 + (double)(draw_word(&source) % 200);
      double k = 1 + (double)(draw_word(&source) % 3);
      pair.beta = pow(t, k);
      pair.beta_last = pow(t - 1, k);
      pair.label = labels[draw_word(&source) % n];
      draw_direction(&source, 5,
                     row_norm * (trial % 2 ? 1 : draw_uniform(&source, 0, 1)),
                     pair.row);
      draw_direction(&source, 5, draw_uniform(&source, 0, radius), pair.x_last);
      double w[5];
      draw_direction(&source, 5, draw_uniform(&source, 0, radius), w);
      for (int j = 0; j < 5; ++j)
        pair.x[j] = pair.x_last[j] + (w[j] - pair.x_last[j]) * (k + 1) / (t + k);
      double ratio = delta_ratio(loss, row_norm, &pair);
      CHECK_AT_MAX(ratio, 1 + 1e-9);
      max = fmax(max, ratio);
    }
    assert_true(max > 0.25);
    tacit_loss_free(loss);
  }
}

static void aligned_squared_losses_attain_the_tight_bound(void **state) {
  (void)state;
  const double row_norm = 2.5, radius = MARGIN_MAX / row_norm;
  draw source = {6};
  tacit_loss *loss = loss_of("squared");
  for (int trial = 0; trial < 1000; ++trial) {
    struct pair pair;
    double t = 2 + (double)(draw_word(&source) % 200);
    pair.beta = t * t;
    pair.beta_last = (t - 1) * (t - 1);
    pair.label = -1;
    draw_direction(&source, 5, row_norm, pair.row);
    double back = draw_uniform(&source, 0, 2);
    for (int i = 0; i < 5; ++i) {
      pair.x[i] = pair.row[i] / row_norm * radius;
      pair.x_last[i] = pair.row[i] / row_norm * (radius - back);
    }
    double ratio = delta_ratio(loss, row_norm, &pair);
    CHECK_AT_MAX(ratio, 1 + 1e-9);
    assert_true(ratio > 0.999);
  }
  tacit_loss_free(loss);
}

static void registry_is_well_formed(void **state) {
  (void)state;
  size_t n = 0;
  for (; tacit_loss_at(n) != NULL; ++n) {
    const tacit_loss_ops *ops = tacit_loss_at(n);
    assert_true(ops->version == 1 || ops->version == 2);
    assert_ptr_equal(tacit_loss_find(ops->name), ops);
    assert_true(strlen(ops->summary) > 0 && strchr(ops->summary, '\n') == NULL);
    for (const tacit_param *p = ops->params; p != NULL && p->name != NULL; ++p) {
      assert_true(p->min < p->max && p->help != NULL);
      assert_true(isnan(p->fallback) ||
                  (p->fallback >= p->min && p->fallback <= p->max));
    }
  }
  assert_int_equal(n, 8);
  assert_null(tacit_loss_at(n + 100));
  assert_null(tacit_loss_find("hing"));
}

/* slope_many has the same bits as single slopes. */
static void many_slopes_are_single_slopes(void **state) {
  (void)state;
  enum { COUNT = 1001 };
  static double margins[COUNT], labels[COUNT], many[COUNT];
  draw source = {31};
  for (size_t i = 0; tacit_loss_at(i) != NULL; ++i) {
    const tacit_loss_ops *ops = tacit_loss_at(i);
    tacit_loss_facts facts = facts_of(ops->labels);
    tacit_loss *loss = NULL;
    tacit_error err;
    CHECK_OK(tacit_loss_new_ops(ops, NULL, &facts, &loss, &err), err);
    for (int k = 0; k < COUNT; ++k) {
      double wide = k % 3 == 0 ? 3 : k % 3 == 1 ? 40 : 800;
      margins[k] = k % 100 == 7 ? 0 : draw_uniform(&source, -wide, wide);
      labels[k] = ops->labels == TACIT_LOSS_COUNT ? k % 5 : k % 2 ? 1 : -1;
    }
    margins[3] = INFINITY;
    margins[4] = -INFINITY;
    tacit_loss_slope_many(loss, margins, labels, COUNT, many);
    for (int k = 0; k < COUNT; ++k) {
      double single = tacit_loss_slope(loss, margins[k], labels[k]);
      assert_memory_equal(&many[k], &single, sizeof single);
    }
    tacit_loss_free(loss);
  }
}

static void params_out_of_range_are_refused(void **state) {
  (void)state;
  for (size_t i = 0; tacit_loss_at(i) != NULL; ++i) {
    const tacit_loss_ops *ops = tacit_loss_at(i);
    tacit_loss_facts facts = facts_of(ops->labels);
    for (const tacit_param *p = ops->params; p != NULL && p->name != NULL; ++p) {
      const double values[] = {p->min, p->max, nextafter(p->min, -INFINITY),
                               nextafter(p->max, INFINITY)};
      for (int j = 0; j < 4; ++j) {
        char spec[128];
        (void)snprintf(spec, sizeof spec, "%s:%s=%.17g", ops->name, p->name, values[j]);
        tacit_error err;
        tacit_loss *loss = NULL;
        tacit_status status = tacit_loss_new(spec, &facts, &loss, &err);
        assert_int_equal(status, j < 2 ? TACIT_OK : TACIT_EINVAL);
        assert_true((loss != NULL) == (j < 2));
        tacit_loss_free(loss);
      }
    }
  }
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  tacit_error err;
  tacit_loss *loss = NULL;
  tacit_loss_labels labels;
  tacit_loss_facts facts = facts_of(TACIT_LOSS_UNIT);
  assert_int_equal(tacit_loss_new("hing", &facts, &loss, &err), TACIT_EINVAL);
  assert_string_equal(err.message,
                      "unknown loss \"hing\"; there are: logistic, squared, huber, "
                      "hinge, squared-hinge, quantile, poisson, softmax");
  assert_int_equal(tacit_loss_labels_of("hing", &labels, &err), TACIT_EINVAL);
  assert_int_equal(tacit_loss_new("logistic:g=1", &facts, &loss, &err), TACIT_EINVAL);
  const tacit_loss_facts bad[] = {{-1, 1, 0, 0}, {NAN, 1, 0, 0}, {INFINITY, 1, 0, 0},
                                  {1, 0, 0, 0},  {1, NAN, 0, 0}, {1, INFINITY, 0, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_int_equal(tacit_loss_new("huber", &bad[i], &loss, &err), TACIT_EINVAL);
  tacit_loss_facts many = {.margin_max = 1, .label_max = 1e18};
  assert_int_equal(tacit_loss_new("poisson", &many, &loss, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "give umax"));
  assert_null(loss);
  CHECK_OK(tacit_loss_new("poisson:umax=3", &many, &loss, &err), err);
  assert_true(loss->n_values == 1 && loss->values[0] == 3);
  tacit_loss_free(loss);
  loss = loss_of("poisson");
  CHECK_RELATIVE(loss->values[0], 2.94591014905531331, 1e-15);
  tacit_loss_free(loss);
  tacit_loss_free(NULL);
}

static double cube(const void *self, double margin, double label) {
  const double *scale = self;
  return *scale * fabs(margin) * margin * margin - label;
}
static void no_bounds(const void *self, const tacit_loss_facts *facts,
                      tacit_loss_bounds *out) {
  (void)self;
  *out = (tacit_loss_bounds){facts->margin_max, 1, 1, 0};
}
static tacit_status set_scale(void *self, double *values, const tacit_loss_facts *facts,
                              tacit_error *err) {
  (void)facts;
  (void)err;
  *(double *)self = values[0];
  return TACIT_OK;
}

static void a_users_table_is_checked_and_used(void **state) {
  (void)state;
  static const tacit_param params[] = {{"scale", 0, 10, 2, "a factor"},
                                       {NULL, 0, 0, 0, NULL}};
  const tacit_loss_ops good = {.version = 1,
                               .name = "cube",
                               .summary = "a user's own",
                               .params = params,
                               .labels = TACIT_LOSS_UNIT,
                               .state_size = sizeof(double),
                               .init = set_scale,
                               .value = cube,
                               .slope = cube,
                               .bounds = no_bounds};
  tacit_error err;
  tacit_loss *loss = NULL;
  tacit_loss_facts facts = facts_of(TACIT_LOSS_UNIT);
  CHECK_OK(tacit_loss_new_ops(&good, NULL, &facts, &loss, &err), err);
  assert_true(tacit_loss_value(loss, 3, 1) == 53);
  assert_true(tacit_loss_predict(loss, 3) == 3);
  tacit_loss_free(loss);
  CHECK_OK(tacit_loss_new_ops(&good, "cube:scale=1", &facts, &loss, &err), err);
  assert_true(tacit_loss_slope(loss, 3, 1) == 26);
  tacit_loss_free(loss);
  loss = NULL;

  tacit_loss_ops bad[7];
  for (int i = 0; i < 7; ++i)
    bad[i] = good;
  bad[0].version = 3;
  bad[1].name = NULL;
  bad[2].summary = NULL;
  bad[3].value = NULL;
  bad[4].slope = NULL;
  bad[5].bounds = NULL;
  bad[6].labels = (tacit_loss_labels)3;
  for (int i = 0; i < 7; ++i)
    assert_int_equal(tacit_loss_new_ops(&bad[i], NULL, &facts, &loss, &err),
                     TACIT_EINVAL);
  assert_int_equal(tacit_loss_new_ops(NULL, NULL, &facts, &loss, &err), TACIT_EINVAL);
  assert_int_equal(tacit_loss_new_ops(&good, "square", &facts, &loss, &err),
                   TACIT_EINVAL);
  assert_null(loss);
}

static void own_exp_is_within_an_ulp(void **state) {
  (void)state;
  draw source = {7};
  for (int i = 0; i < 400000; ++i) {
    double x =
        i % 2 ? draw_uniform(&source, -708, 709.7) : draw_uniform(&source, -3, 3);
    double y = tacit_exp(x);
    long double exact = expl((long double)x);
    double ulp = nextafter(y, INFINITY) - y;
    CHECK_AT_MAX((double)(fabsl((long double)y - exact) / (long double)ulp), 1);
  }
  assert_true(tacit_exp(0) == 1 && tacit_exp(-0.0) == 1);
  assert_true(tacit_exp(-1e9) == 0 && tacit_exp(-INFINITY) == 0);
  assert_true(tacit_exp(1e9) == INFINITY && tacit_exp(INFINITY) == INFINITY);
  assert_true(tacit_exp(709.9) == INFINITY && isfinite(tacit_exp(709.78)));
  CHECK_RELATIVE(tacit_exp(-740), 4.2e-322, 0.02);
  assert_true(isnan(tacit_exp(NAN)));
}

/* Losses on K > 2 classes: softmax, and each class against the rest. Compares the slope
   with differences, and checks its bound and Lipschitz constant on random margins. */
static void losses_on_many_classes_keep_their_bounds(void **state) {
  (void)state;
  enum { K = 5 };
  draw source = {99};
  for (size_t which = 0; tacit_loss_at(which) != NULL; ++which) {
    const tacit_loss_ops *ops = tacit_loss_at(which);
    if (ops->labels != TACIT_LOSS_CLASSES) continue;
    tacit_loss_facts facts = {.margin_max = 6, .label_max = 1, .classes = K};
    tacit_loss *loss;
    tacit_error err;
    tacit_loss_bounds bounds;
    CHECK_OK(tacit_loss_new(ops->name, &facts, &loss, &err), err);
    tacit_loss_bounds_of(loss, &bounds);
    assert_int_equal(tacit_loss_outputs(&loss->facts), K);
    double steepest = 0, bend = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      double u[K], v[K], slope_u[K], slope_v[K], size = trial % 2 ? 6 : 0.2;
      double label = (double)(trial % K), norm = 0, apart = 0, gap = 0;
      for (int k = 0; k < K; ++k) {
        u[k] = size * draw_uniform(&source, -1, 1);
        v[k] = u[k] + draw_uniform(&source, -0.01, 0.01);
      }
      tacit_loss_slope_all(loss, u, label, slope_u);
      tacit_loss_slope_all(loss, v, label, slope_v);
      for (int k = 0; k < K; ++k) {
        double here = u[k], h = 1e-6;
        u[k] = here + h;
        double above = tacit_loss_value_all(loss, u, label);
        u[k] = here - h;
        double below = tacit_loss_value_all(loss, u, label);
        u[k] = here;
        CHECK_WITHIN((above - below) / (2 * h), slope_u[k],
                     1e-4 * (1 + fabs(slope_u[k])));
        norm += slope_u[k] * slope_u[k];
        gap += (slope_u[k] - slope_v[k]) * (slope_u[k] - slope_v[k]);
        apart += (u[k] - v[k]) * (u[k] - v[k]);
      }
      steepest = fmax(steepest, sqrt(norm));
      bend = fmax(bend, sqrt(gap / apart));
    }
    CHECK_AT_MAX(steepest, bounds.slope * (1 + 1e-12));
    CHECK_AT_MAX(bend, bounds.curvature * (1 + 1e-6));
    tacit_loss_free(loss);
  }
}

/* sqrt2 and 1/2 are reached in the limit; two classes are the logistic loss. */
static void softmax_has_the_stated_constants(void **state) {
  (void)state;
  tacit_loss_facts facts = {.margin_max = 100, .label_max = 1, .classes = 3};
  tacit_loss *loss;
  tacit_error err;
  CHECK_OK(tacit_loss_new("softmax", &facts, &loss, &err), err);
  double far[3] = {60, 0, 0}, slope[3], other[3], step = 1e-6;
  tacit_loss_slope_all(loss, far, 1, slope);
  CHECK_RELATIVE(sqrt(slope[0] * slope[0] + slope[1] * slope[1]), sqrt(2), 1e-12);
  CHECK_RELATIVE(tacit_loss_value_all(loss, far, 1), 60, 1e-12);
  double tie[3] = {step, -step, -60}, back[3] = {-step, step, -60};
  tacit_loss_slope_all(loss, tie, 0, slope);
  tacit_loss_slope_all(loss, back, 0, other);
  double bend = hypot(slope[0] - other[0], slope[1] - other[1]) / (2 * sqrt(2) * step);
  CHECK_RELATIVE(bend, 0.5, 1e-6);
  double scores[3], even[3] = {2, 2, 2};
  tacit_loss_predict_all(loss, even, scores);
  CHECK_RELATIVE(scores[1], 1.0 / 3, 1e-15);
  double wild[3] = {1e5, -1e5, 0}; /* no overflow */
  assert_true(isfinite(tacit_loss_value_all(loss, wild, 1)));
  tacit_loss_free(loss);

  const tacit_loss_ops *softmax = tacit_loss_find("softmax");
  const tacit_loss_ops *logistic = tacit_loss_find("logistic");
  for (double a = -5; a <= 5; a += 0.37) {
    for (double b = -5; b <= 5; b += 0.73) {
      double pair[2] = {a, b}, out[2];
      softmax->slope_joint(NULL, pair, 2, 1, out);
      CHECK_WITHIN(out[1], logistic->slope(NULL, b - a, 1), 1e-14);
      CHECK_WITHIN(out[0], -out[1], 1e-14);
      CHECK_WITHIN(softmax->value_joint(NULL, pair, 2, 0),
                   logistic->value(NULL, b - a, -1), 1e-13);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_on_many_classes_keep_their_bounds),
      cmocka_unit_test(softmax_has_the_stated_constants),
      cmocka_unit_test(registry_is_well_formed),
      cmocka_unit_test(references),
      cmocka_unit_test(predictions_are_in_label_units),
      cmocka_unit_test(slope_is_the_derivative_of_value),
      cmocka_unit_test(losses_are_convex),
      cmocka_unit_test(bounds_hold_and_are_tight),
      cmocka_unit_test(bounds_of_the_fallbacks),
      cmocka_unit_test(values_are_not_below_their_infimum),
      cmocka_unit_test(extreme_margins_are_finite_and_nan_stays_nan),
      cmocka_unit_test(gradient_differences_stay_within_the_tight_bound),
      cmocka_unit_test(aligned_squared_losses_attain_the_tight_bound),
      cmocka_unit_test(many_slopes_are_single_slopes),
      cmocka_unit_test(params_out_of_range_are_refused),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(a_users_table_is_checked_and_used),
      cmocka_unit_test(own_exp_is_within_an_ulp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
