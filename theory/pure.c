/* SPDX-License-Identifier: MIT */
/*
 * Pure DP: the noise term falls like d log(T)^(3/2)/(epsilon T) for every law of the
 * exponential mechanism. d = 5, epsilon = 1, data noise off. With Laplace noise
 * contributions are bounded in L1: by a public G of 1 here, and for the quadratic loss
 * by sqrt(d) times the Euclidean constants.
 */
#include <math.h>

#include "theory.h"

enum { DIM = 5 };

static setup linear(double t, const char *law) {
  problem p = {.kind = LINEAR, .dim = DIM, .radius = 1, .G = 1};
  for (size_t i = 0; i < DIM; ++i)
    p.c[i] = 20 * DIM / (t * sqrt(DIM));
  problem_ready(&p);
  return (setup){.on = p,
                 .learner = "adagrad:eta=1.4142135623730951",
                 .power = 1,
                 .epsilon = 1,
                 .law = law};
}

static void laplace(double t, setup *s) { *s = linear(t, "laplace"); }
static void exp_l2(double t, setup *s) { *s = linear(t, "exp-l2"); }
static void quadratic(double t, setup *s) {
  *s = linear(t, "laplace");
  problem p = {.kind = QUADRATIC, .dim = DIM, .radius = 1};
  p.c[0] = 0.5;
  problem_ready(&p);
  p.G = 2 * sqrt(DIM);
  p.H = sqrt(DIM);
  s->on = p;
}

void theory_pure(report *r) {
  int top = r->quick ? 13 : 14, seeds = r->quick ? 24 : 30;
  series lap, l2, quad;
  report_title(r, "Pure DP: epsilon = 1, noise term, mean of size 20 d/(epsilon T)");
  report_sweep(r, "Laplace, exact", laplace, 9, top, seeds, &lap);
  report_slope(r, &lap, -1.15, -0.85);
  if (r->quick) return;
  report_sweep(r, "exp(-|x|_2)", exp_l2, 9, top, seeds, &l2);
  report_slope(r, &l2, -1.15, -0.85);
  report_title(r, "Pure DP elsewhere: at least as steep");
  report_sweep(r, "quadratic, Laplace", quadratic, 9, top, seeds, &quad);
  report_slope(r, &quad, -INFINITY, -0.85);
  curve curves[] = {
      curve_of("linear, Laplace", &lap, 0, 1),
      curve_of("linear, exp(−|x|₂)", &l2, 1, 1),
      curve_of("quadratic, Laplace", &quad, 2, 1),
      curve_bound("bound, linear, Laplace", &lap, 0),
      curve_bound("bound, quadratic", &quad, 2),
  };
  report_check(r,
               svg_plot(r->figures, "pure", "Pure DP, epsilon = 1: noise term",
                        "rounds T", "suboptimality", curves, 5) == 0,
               "figure pure.svg");
}
