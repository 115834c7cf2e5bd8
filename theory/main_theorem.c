/* SPDX-License-Identifier: MIT */
/*
 * The main convergence theorem, with AdaGrad-norm at eta = D/sqrt2: excess loss of
 * order D sigma_G/sqrt(T) + D (G + H D) sqrt(d) log(T)/(rho T) plus the regret.
 *
 * Slopes. On the instances of the lower bounds (linear losses on the unit ball whose
 * mean is as small as the noise that hides it) both terms are attained. For the
 * quadratic and the logistic loss they are only bounds, and the measured excess falls
 * faster.
 */
#include <math.h>

#include "theory.h"

static const char adagrad[] = "adagrad:eta=1.4142135623730951"; /* eta = D/sqrt2 for D =
                                                                   2 */

static problem linear(double mean, double spread) {
  problem p = {.kind = LINEAR, .dim = 10, .radius = 1, .G = 1, .spread = spread};
  for (size_t i = 0; i < p.dim; ++i)
    p.c[i] = mean / sqrt((double)p.dim);
  problem_ready(&p);
  return p;
}

/* Makes the problem |x - z|^2/2 with z on the sphere of radius 0.5 around c, which is
   0.5 along the first axis: G = 2, H = 1. */
static problem quadratic(double spread) {
  problem p = {.kind = QUADRATIC, .dim = 10, .radius = 1, .spread = spread};
  p.c[0] = 0.5;
  problem_ready(&p);
  p.G = 2;
  return p;
}

static problem logistic(void) {
  problem p = {.kind = LOGISTIC, .dim = 6, .radius = 4};
  for (size_t i = 0; i < p.dim; ++i)
    p.c[i] = i % 2 == 0 ? 1 : -0.5;
  problem_ready(&p);
  return p;
}

static void variance_linear(double t, setup *s) {
  *s = (setup){.on = linear(1 / sqrt(t), 0.5), .learner = adagrad, .power = 1};
}

static void noise_linear(double t, setup *s) {
  *s = (setup){
      .on = linear(10 * sqrt(10) / t, 0), .learner = adagrad, .power = 1, .rho = 1};
}

static void variance_linear_k2(double t, setup *s) {
  variance_linear(t, s);
  s->power = 2;
}

static void noise_linear_k2(double t, setup *s) {
  noise_linear(t, s);
  s->power = 2;
}

static void variance_quadratic(double t, setup *s) {
  (void)t;
  *s = (setup){.on = quadratic(0.5), .learner = adagrad, .power = 1};
}

static void noise_quadratic(double t, setup *s) {
  (void)t;
  *s = (setup){.on = quadratic(0), .learner = adagrad, .power = 1, .rho = 1};
}

static void both_logistic(double t, setup *s) {
  (void)t;
  *s = (setup){.on = logistic(),
               .learner = "adagrad:eta=5.656854249492381", /* eta = D/sqrt2 for D = 8 */
               .power = 1,
               .rho = 1};
}

/* Returns the closed form printed in the paper, with the measured regret. */
static double printed_bound(const setup *s, double t, double regret) {
  const problem *on = &s->on;
  double terms_ = on->spread / sqrt(t) + 2 * (on->G + on->H * on->D) *
                                             sqrt((double)on->dim) * log2(2 * t) /
                                             (s->rho * t);
  return on->D * pow(s->power + 1, 2) * terms_ + regret;
}

/* Checks exact noise at T = 4096, d = 10, rho = 1, replace-one, for k = 1, 2, 3. The
   reference values are means of 300 runs of an independent program, accurate to 5%. */
static void reference_point(report *r) {
  static const double expected[3][2] = {
      {0.0018, 0.0036}, {0.0032, 0.0055}, {0.0049, 0.0081}};
  int seeds = r->quick ? 12 : 60;
  report_title(r, "Main theorem at T = 4096: quadratic loss, rho = 1");
  for (int k = 1; k <= 3; ++k) {
    for (int paper = 0; paper < 2; ++paper) {
      setup s = {.on = quadratic(0.5),
                 .power = k,
                 .rho = 1,
                 .bound = paper ? TACIT_BOUND_PAPER : TACIT_BOUND_TIGHT,
                 .learner = adagrad,
                 .trace = 1,
                 .spy = 1};
      sample got = run_many(&s, 4096, seeds);
      double bound = bound_of(&s, 4096), want = expected[k - 1][paper];
      report_note(r,
                  "k = %d, bound %s: %.5f +- %.5f (reference %.4f); bound %.3f; as "
                  "printed, with the realised regret %.4f: %.2f",
                  k, paper ? "paper" : "tight", got.mean, got.half, want, bound,
                  got.regret, printed_bound(&s, 4096, got.regret));
      report_check(r,
                   got.mean + got.half < bound &&
                       got.mean + got.half < printed_bound(&s, 4096, got.regret),
                   "below both forms of the bound");
      report_check(r, fabs(got.mean - want) <= 0.15 * want + 1.5 * got.half,
                   "near the reference value");
      report_check(r, got.lemma_slack > -1e-12,
                   "anytime lemma in each of %d runs (least slack %.2g)", seeds,
                   got.lemma_slack);
    }
  }
}

static void figure(report *r, const series *variance, const series *noise,
                   const series *quad_variance, const series *quad_noise) {
  curve curves[] = {
      curve_of("variance, linear", variance, 0, 1),
      curve_of("noise, linear", noise, 1, 1),
      curve_of("variance, quadratic", quad_variance, 2, 1),
      curve_of("noise, quadratic", quad_noise, 3, 1),
      curve_bound("bound, variance, linear", variance, 0),
      curve_bound("bound, noise, linear", noise, 1),
  };
  report_check(r,
               svg_plot(r->figures, "main", "Main theorem: each term alone", "rounds T",
                        "suboptimality", curves, 6) == 0,
               "figure main.svg");
}

void theory_main_theorem(report *r) {
  int top = r->quick ? 12 : 14, seeds = r->quick ? 12 : 40;
  series variance, noise, other, quad_variance, quad_noise;
  reference_point(r);

  report_title(r, "Main theorem, lower-bound instances: linear losses, unit ball");
  report_sweep(r, "variance term: DP noise off, mean of size T^-1/2, k = 1",
               variance_linear, 8, top, seeds, &variance);
  report_slope(r, &variance, -0.6, -0.4);
  report_sweep(r, "noise term: data noise off, mean of size 10 sqrt(d)/(rho T), k = 1",
               noise_linear, 8, top, seeds, &noise);
  report_slope(r, &noise, -1.15, -0.85);
  if (!r->quick) {
    report_sweep(r, "variance term, k = 2", variance_linear_k2, 8, top, seeds, &other);
    report_slope(r, &other, -0.6, -0.4);
    report_sweep(r, "noise term, k = 2", noise_linear_k2, 8, top, seeds, &other);
    report_slope(r, &other, -1.15, -0.85);
  }

  report_title(r, "Main theorem elsewhere: at least as steep");
  report_sweep(r, "quadratic, variance term: DP noise off", variance_quadratic, 8, top,
               seeds, &quad_variance);
  report_slope(r, &quad_variance, -INFINITY, -0.4);
  report_sweep(r, "quadratic, noise term: data noise off", noise_quadratic, 8, top,
               seeds, &quad_noise);
  report_slope(r, &quad_noise, -INFINITY, -0.85);
  report_sweep(r, "logistic with known Bayes model, both terms, rho = 1", both_logistic,
               8, top, seeds, &other);
  report_slope(r, &other, -INFINITY, -0.4);
  figure(r, &variance, &noise, &quad_variance, &quad_noise);
}
