/* SPDX-License-Identifier: MIT */
/*
 * The checks of `make theory` with fewer seeds and shorter runs: every bound holds, the
 * slopes are right, seeds fixed. And the checks themselves: a slope that is wrong is
 * noticed, and the bounds computed here agree with those of the plan.
 */
#include "check.h"

#include <stdlib.h>

#include "theory.h"

static void holds(void (*theorem)(report *r), int claims) {
  report r = {.quick = 1};
  theorem(&r);
  if (r.failed > 0) fail_msg("%d claims fail, first: %s", r.failed, r.first_failure);
  assert_true(r.passed >= claims);
}

static void main_theorem(void **state) {
  (void)state;
  holds(theory_main_theorem, 25);
}
static void strongly_convex(void **state) {
  (void)state;
  holds(theory_strongly_convex, 7);
}
static void optimistic(void **state) {
  (void)state;
  holds(theory_optimistic, 2);
}
static void parameter_free(void **state) {
  (void)state;
  holds(theory_parameter_free, 4);
}
static void general_norms(void **state) {
  (void)state;
  holds(theory_norms, 4);
}
static void pure(void **state) {
  (void)state;
  holds(theory_pure, 2);
}

static void slopes_are_fitted(void **state) {
  (void)state;
  series s = {.n = 5};
  for (int i = 0; i < s.n; ++i) {
    s.x[i] = pow(2, i);
    s.mean[i] = 3 * pow(s.x[i], -0.75) * (i % 2 == 0 ? 1.01 : 0.99);
  }
  line fit = fit_slope(s.x, s.mean, s.n);
  CHECK_WITHIN(fit.slope, -0.75, 0.01);
  assert_true(fit.se > 0.001 && fit.se < 0.02);
  report r = {0};
  report_slope(&r, &s, -0.8, -0.7);
  assert_int_equal(r.failed, 0);
  report_slope(&r, &s, -1.15, -0.85);
  assert_int_equal(r.failed, 1);
  assert_non_null(strstr(r.first_failure, "wanted -1.15 to -0.85"));
}

/* The number after "name": in a JSON text. */
static double number_of(const char *json, const char *name) {
  const char *at = strstr(json, name);
  assert_non_null(at);
  return strtod(strchr(at, ':') + 1, NULL);
}

/* Noise off in the data: then the noise term of the theorem is that of the plan. */
static void bounds_are_those_of_the_plan(void **state) {
  (void)state;
  tacit_error err;
  problem on = {.kind = QUADRATIC, .dim = 10, .radius = 1};
  on.c[0] = 0.5;
  problem_ready(&on);
  for (int paper = 0; paper < 2; ++paper) {
    setup s = {.on = on,
               .power = 2,
               .rho = 0.7,
               .bound = paper ? TACIT_BOUND_PAPER : TACIT_BOUND_TIGHT,
               .learner = "adagrad"};
    tacit_gradient_ops gradient = {.version = 1,
                                   .dim = 10,
                                   .self = &on,
                                   .gradient = problem_gradient,
                                   .lipschitz = on.G,
                                   .smooth = on.H};
    tacit_config config;
    tacit_schema *schema;
    tacit_plan *plan;
    tacit_config_init(&config);
    CHECK_OK(tacit_schema_memory(10, 2, 0, 0, &schema, &err), err);
    config.schema = schema;
    config.rows = 1000;
    config.batch = 1;
    config.power = 2;
    config.rho = 0.7;
    config.delta = 1e-6;
    config.radius = 1;
    config.mechanism = "tree";
    config.learner = "osd";
    config.bound = s.bound;
    config.gradient = &gradient;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    const char *terms_text = strstr(tacit_plan_json(plan), "\"bound_per_diameter\"");
    assert_non_null(terms_text);
    CHECK_RELATIVE(bound_terms(&s, 1000).noise, number_of(terms_text, "\"noise\""),
                   1e-9);
    tacit_plan_free(plan);
    tacit_schema_free(schema);
  }
}

static void figures_are_written_or_refused(void **state) {
  (void)state;
  double x[] = {1, 10}, y[] = {2, 0.3};
  curve line_ = {.label = "a", .n = 2, .x = x, .y = y, .half = y};
  assert_int_equal(svg_plot(NULL, "a", "a", "x", "y", &line_, 1), 0);
  assert_int_equal(svg_plot("/nowhere/at/all", "a", "a", "x", "y", &line_, 1), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_fitted),
      cmocka_unit_test(bounds_are_those_of_the_plan),
      cmocka_unit_test(figures_are_written_or_refused),
      cmocka_unit_test(main_theorem),
      cmocka_unit_test(strongly_convex),
      cmocka_unit_test(optimistic),
      cmocka_unit_test(parameter_free),
      cmocka_unit_test(general_norms),
      cmocka_unit_test(pure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
