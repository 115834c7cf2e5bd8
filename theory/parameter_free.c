/* SPDX-License-Identifier: MIT */
/*
 * The parameter-free theorem: no step size, and a bound proportional to |x* - x_init|
 * up to a logarithm. T = 4096, k = 2, d = 5. Means have size T^-1/2 as in the lower
 * bound: with larger ones every learner reaches x* and the distance has no effect.
 *
 *   linear  W is a ball of radius r around the start: x* is at distance r
 *   bowl    tilt (sqrt(b^2 + |x|^2) - b), W is a large ball, the start is moved
 *
 * The regulariser at full scale is also shown: with the constants of the theorem the
 * iterates do not move at such T (docs/theory.md).
 */
#include <math.h>

#include "theory.h"

enum { ROUNDS = 4096, DIM = 5, DISTANCES = 6 };
static const double distances[DISTANCES] = {1, 2, 4, 8, 16, 30};

static problem linear(double radius) {
  problem p = {.kind = LINEAR, .dim = DIM, .radius = radius, .G = 1, .spread = 0.5};
  for (size_t i = 0; i < DIM; ++i)
    p.c[i] = 1 / sqrt((double)ROUNDS * DIM);
  problem_ready(&p);
  return p;
}

static problem bowl(void) {
  problem p = {.kind = BOWL,
               .dim = DIM,
               .radius = 60,
               .tilt = 1 / sqrt((double)ROUNDS),
               .bend = 0.2,
               .spread = 0.5};
  problem_ready(&p);
  return p;
}

static void sweep(report *r, const char *label, const char *learner, int bowl_shaped,
                  double rho, int seeds, series *out) {
  double worst = 0;
  *out = (series){.label = label};
  report_note(r, "%s, %s", label, learner);
  report_note(r, "%8s %5s  %-25s %s", "distance", "runs", "suboptimality", "bound");
  for (int i = 0; i < DISTANCES; ++i) {
    double start[DIM] = {distances[i]};
    setup s = {.on = bowl_shaped ? bowl() : linear(distances[i]),
               .learner = learner,
               .power = 2,
               .rho = rho,
               .start = bowl_shaped ? start : NULL};
    sample got = run_many(&s, ROUNDS, seeds);
    out->x[i] = distances[i];
    out->mean[i] = got.mean;
    out->half[i] = got.half;
    out->bound[i] = bound_of(&s, ROUNDS);
    out->n = i + 1;
    report_point(r, out, i, seeds);
    worst = fmax(worst, (got.mean + got.half) / out->bound[i]);
  }
  if (!isnan(out->bound[0]))
    report_check(r, worst <= 1,
                 "below the bound at every distance (at most %.2g of it)", worst);
  report_slope(r, out, 0.8, 1.2);
}

/* Shows the constants of the theorem with a mean of size 1, which any learner finds
   quickly. */
static void full_regulariser(report *r) {
  static const double scales[] = {0, 0.001, 0.01, 0.1, 1};
  report_title(r, "Parameter-free theorem: the regulariser, coin-kt, gradients of size "
                  "1, DP noise off");
  for (int i = 0; i < 5; ++i) {
    problem p = linear(8);
    for (size_t j = 0; j < DIM; ++j)
      p.c[j] = 0.5 / sqrt((double)DIM);
    setup s = {.on = p, .learner = "coin-kt:e0=1", .power = 3, .reg_scale = scales[i]};
    sample got = run_many(&s, ROUNDS, 4);
    report_note(r, "reg-scale %-6g |x_T - x_init| = %.3g of 8, suboptimality %.3g",
                scales[i], got.moved, got.mean);
    if (scales[i] == 0)
      report_check(r, got.moved > 7, "without it the learner arrives");
    if (scales[i] == 1)
      report_check(r, got.moved < 1e-9,
                   "with it nothing moves at T = %d: xi_t is above every gradient "
                   "until t is about 1e4 for gradients as large as G, 1e6 for G/10",
                   ROUNDS);
  }
}

void theory_parameter_free(report *r) {
  int seeds = r->quick ? 10 : 40;
  series kt, coin, ons, freegrad, noisy, tuned;
  report_title(r,
               "Parameter-free theorem: suboptimality against |x* - x_init|, linear, "
               "DP noise off");
  sweep(r, "variance term", "coin-kt:e0=6", 0, 0, seeds, &coin);
  sweep(r, "variance term", "freegrad:e0=6", 0, 0, seeds, &freegrad);
  if (r->quick) return;
  sweep(r, "variance term", "coin-ons:e0=6", 0, 0, seeds, &ons);
  sweep(r, "variance term (no theorem)", "kt:e0=6", 0, 0, seeds, &kt);
  report_title(r, "Parameter-free theorem: the same with rho = 1");
  report_note(r,
              "ghat=2 lets early, noisy gradients be clipped; their weight is small");
  sweep(r, "both terms", "coin-kt:e0=6,ghat=2", 0, 1, seeds, &noisy);
  sweep(r, "both terms", "coin-ons:e0=6,ghat=2", 0, 1, seeds, &tuned);
  sweep(r, "both terms", "freegrad:e0=6,ghat=2", 0, 1, seeds, &tuned);
  report_title(r, "Private fine tuning: the start moved away from x*, rho = 1");
  sweep(r, "bowl", "coin-kt:e0=1", 1, 1, seeds, &tuned);
  sweep(r, "bowl", "coin-ons:e0=1", 1, 1, seeds, &kt);
  sweep(r, "bowl", "freegrad:e0=1", 1, 1, seeds, &kt);
  full_regulariser(r);
  curve curves[] = {
      curve_of("coin-kt, no DP noise", &coin, 0, 1),
      curve_of("coin-ons, no DP noise", &ons, 1, 1),
      curve_of("freegrad, no DP noise", &freegrad, 2, 1),
      curve_of("coin-kt, ρ = 1", &noisy, 3, 1),
      curve_of("fine tuning, ρ = 1", &tuned, 4, 1),
      curve_bound("bound, coin-kt, no DP noise", &coin, 0),
  };
  report_check(r,
               svg_plot(r->figures, "parameter_free",
                        "Parameter-free: distance from start to optimum",
                        "|x* − x_init|", "suboptimality", curves, 6) == 0,
               "figure parameter_free.svg");
}
