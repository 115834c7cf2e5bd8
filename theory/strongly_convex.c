/* SPDX-License-Identifier: MIT */
/*
 * The strongly convex theorem (section 4): with subgradient descent on the regularised
 * losses and k = 2, the variance term falls like 1/T and the noise term like
 * (log T/T)^2. Quadratic loss, mu = 1, d = 10, unit ball. Without data noise
 * the bound still contains the regret, G^2/(mu T), so it is not parallel to the
 * measured excess.
 */
#include <math.h>

#include "theory.h"

static setup strong(double spread, double rho, double power) {
  problem p = {.kind = QUADRATIC, .dim = 10, .radius = 1, .spread = spread};
  p.c[0] = 0.5;
  problem_ready(&p);
  p.G = 2;
  return (setup){
      .on = p, .learner = "strongly-convex:mu=1", .power = power, .rho = rho};
}

static void variance_term(double t, setup *s) {
  (void)t;
  *s = strong(0.5, 0, 2);
}

static void noise_term(double t, setup *s) {
  (void)t;
  *s = strong(0, 1, 2);
}

static void both_terms(double t, setup *s) {
  (void)t;
  *s = strong(0.5, 1, 2);
}

/* Checks reference values of an independent program, as in main_theorem.c. */
static void reference_point(report *r) {
  static const double expected[] = {0.00060, 0.00047, 0.00075};
  for (int k = 1; k <= 3; ++k) {
    setup s = strong(0.5, 1, k);
    sample got = run_many(&s, 4096, r->quick ? 12 : 60);
    double want = expected[k - 1], bound = bound_of(&s, 4096);
    report_check(r,
                 fabs(got.mean - want) <= 0.15 * want + 1.5 * got.half &&
                     got.mean + got.half < bound,
                 "T = 4096, k = %d: %.5f +- %.5f (reference %.5f, bound "
                 "%.3f)",
                 k, got.mean, got.half, want, bound);
  }
}

void theory_strongly_convex(report *r) {
  int top = r->quick ? 12 : 15, seeds = r->quick ? 12 : 30;
  series variance, noise, both;
  report_title(r, "Strongly convex theorem: quadratic loss, mu = 1, k = 2");
  reference_point(r);
  report_sweep(r, "variance term: DP noise off", variance_term, 8, top, seeds,
               &variance);
  report_slope(r, &variance, -1.15, -0.85);
  report_sweep(r, "noise term: data noise off, rho = 1", noise_term, 8, top, seeds,
               &noise);
  report_slope(r, &noise, -2.3, -1.7);
  if (r->quick) return;
  report_sweep(r, "both terms, rho = 1", both_terms, 8, top, seeds, &both);
  curve curves[] = {
      curve_of("both, ρ = 1", &both, 0, 0),
      curve_of("noise", &noise, 1, 1),
      curve_of("variance", &variance, 2, 1),
      curve_bound("bound, both", &both, 0),
  };
  report_check(r,
               svg_plot(r->figures, "strongly_convex", "Strongly convex, k = 2",
                        "rounds T", "suboptimality", curves, 4) == 0,
               "figure strongly_convex.svg");
}
