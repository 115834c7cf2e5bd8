/* SPDX-License-Identifier: MIT */
/*
 * General norms. Linear losses, with means of size T^-1/2 and 1/T in the dual norm, for
 * mirror descent on the Lp ball (p = 1.5, and p = 1 + 1/ln d instead of 1) and for
 * exponentiated gradient on the simplex; then a quadratic loss on the 1.5-ball, where
 * the terms are only bounds.
 */
#include <math.h>

#include "theory.h"

enum { DIM = 16 };

static problem ball(double norm, double mean, double spread) {
  problem p = {
      .kind = LINEAR, .dim = DIM, .radius = 1, .norm = norm, .G = 1, .spread = spread};
  double exponent = norm == 1 ? 1 + 1 / log(DIM) : norm;
  double q = exponent / (exponent - 1);
  for (size_t i = 0; i < DIM; ++i)
    p.c[i] = (i % 2 == 0 ? 1 : -1) * mean / pow(DIM, 1 / q);
  problem_ready(&p);
  if (norm == 1) p.norm = exponent; /* the library uses this exponent instead of 1 */
  return p;
}

static problem simplex(double mean, double spread) {
  problem p = {.kind = LINEAR,
               .dim = DIM,
               .domain = TACIT_DOMAIN_SIMPLEX,
               .radius = 1,
               .norm = 1,
               .spread = spread,
               .signs = 1};
  for (size_t i = 0; i < 3; ++i)
    p.c[i] =
        -mean * (double)(i + 1) / 3; /* three coordinates are better than the rest */
  p.G = exp(1);                      /* because |v|_q <= e |v|_inf */
  problem_ready(&p);
  return p;
}

static setup with(problem on, const char *learner, double rho) {
  return (setup){.on = on, .learner = learner, .power = 1, .rho = rho};
}

static void ball_variance(double t, setup *s) {
  *s = with(ball(1.5, 1 / sqrt(t), 0.5), "omd", 0);
}
static void ball_noise(double t, setup *s) {
  *s = with(ball(1.5, 30 / t, 0), "omd", 1);
}
static void l1_variance(double t, setup *s) {
  *s = with(ball(1, 1 / sqrt(t), 0.5), "omd", 0);
}
static void l1_noise(double t, setup *s) { *s = with(ball(1, 30 / t, 0), "omd", 1); }
static void simplex_variance(double t, setup *s) {
  *s = with(simplex(1 / sqrt(t), 0.5), "eg", 0);
}
static void simplex_noise(double t, setup *s) {
  *s = with(simplex(60 / t, 0), "eg", 1);
}
static void ball_quadratic(double t, setup *s) {
  problem p = {.kind = QUADRATIC, .dim = DIM, .radius = 1, .norm = 1.5, .spread = 0.5};
  (void)t;
  p.c[0] = 0.5;
  problem_ready(&p);
  p.G = 2;
  *s = with(p, "omd", 1);
}

void theory_norms(report *r) {
  int top = r->quick ? 12 : 14, seeds = 30;
  series p15, p15_noise, l1, l1_dp, eg, eg_noise, quadratic;
  report_title(r, "General norms: exponentiated gradient on the simplex, d = %d", DIM);
  report_sweep(r, "variance term, mean of size T^-1/2", simplex_variance, 8, top, seeds,
               &eg);
  report_slope(r, &eg, -0.6, -0.4);
  report_sweep(r, "noise term, mean of size 60/T", simplex_noise, 8, top, seeds,
               &eg_noise);
  report_slope(r, &eg_noise, -1.15, -0.85);
  if (r->quick) return;
  report_title(r, "General norms: mirror descent on the 1.5-ball, d = %d", DIM);
  report_sweep(r, "variance term", ball_variance, 8, top, seeds, &p15);
  report_slope(r, &p15, -0.6, -0.4);
  report_sweep(r, "noise term, mean of size 30/T", ball_noise, 8, top, seeds,
               &p15_noise);
  report_slope(r, &p15_noise, -1.15, -0.85);
  report_sweep(r, "quadratic, both terms, rho = 1", ball_quadratic, 8, top, seeds,
               &quadratic);
  report_slope(r, &quadratic, -INFINITY, -0.4);
  report_title(r, "General norms: the L1 ball through p = 1 + 1/ln d");
  report_sweep(r, "variance term", l1_variance, 8, top, seeds, &l1);
  report_slope(r, &l1, -0.6, -0.4);
  report_sweep(r, "noise term, mean of size 30/T", l1_noise, 8, top, seeds, &l1_dp);
  report_slope(r, &l1_dp, -1.15, -0.85);
  curve curves[] = {
      curve_of("1.5-ball, variance", &p15, 0, 1),
      curve_of("1.5-ball, noise", &p15_noise, 1, 1),
      curve_of("L1 ball, variance", &l1, 2, 1),
      curve_of("L1 ball, noise", &l1_dp, 3, 1),
      curve_of("simplex, variance", &eg, 4, 1),
      curve_of("simplex, noise", &eg_noise, 5, 1),
      curve_bound("bound, simplex, variance", &eg, 4),
      curve_bound("bound, simplex, noise", &eg_noise, 5),
  };
  report_check(r,
               svg_plot(r->figures, "norms", "Other norms: each term alone", "rounds T",
                        "suboptimality", curves, 8) == 0,
               "figure norms.svg");
}
