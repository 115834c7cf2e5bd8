/* SPDX-License-Identifier: MIT */
/*
 * The optimistic theorem: hints remove G from the 1/sqrt(T) term, so that only sigma_G
 * is left. To see this, G must slow the plain learner down: W is a box with the optimum
 * inside a face. Across the face the gradient is 1 and never vanishes, so the adaptive
 * step stays of order 1/sqrt(t). Along the face the loss is nearly flat, bend/2 (x_1 -
 * 1/2)^2 with bend = 1/(4 sqrt T), and such steps do not reach the optimum. If sigma_G
 * is small, successive gradients differ little, and the optimistic learner takes larger
 * steps.
 */
#include <math.h>

#include "theory.h"

static sample at(const char *learner, double rounds, double spread, double rho,
                 int seeds, double *out_bound) {
  problem p = {.kind = FACE,
               .dim = 2,
               .domain = TACIT_DOMAIN_BOX,
               .radius = 1,
               .tilt = 1,
               .bend = 0.25 / sqrt(rounds),
               .spread = spread};
  p.c[1] = 0.5;
  problem_ready(&p);
  setup s = {.on = p, .learner = learner, .power = 1, .rho = rho};
  *out_bound = bound_of(&s, (int64_t)rounds);
  return run_many(&s, (int64_t)rounds, seeds);
}

struct pair {
  series plain, hinted;
  double ratio[POINTS_MAX];
};

static void compare(report *r, double rounds, double rho, int steps, int seeds,
                    struct pair *out) {
  double worst = 0;
  *out = (struct pair){0};
  report_note(r, "%10s %-24s %-24s %8s  (bounds)", "sigma_G", "plain (omd)",
              "optimistic-omd", "ratio");
  for (int i = 0; i < steps; ++i) {
    double spread = pow(4, -i), bounds[2];
    sample plain = at("omd", rounds, spread, rho, seeds, &bounds[0]);
    sample hinted = at("optimistic-omd", rounds, spread, rho, seeds, &bounds[1]);
    out->plain.x[i] = out->hinted.x[i] = spread;
    out->plain.mean[i] = plain.mean;
    out->plain.half[i] = plain.half;
    out->hinted.mean[i] = hinted.mean;
    out->hinted.half[i] = hinted.half;
    out->hinted.bound[i] = bounds[1];
    out->plain.n = out->hinted.n = i + 1;
    out->ratio[i] = plain.mean / hinted.mean;
    worst = fmax(worst, fmax((plain.mean + plain.half) / bounds[0],
                             (hinted.mean + hinted.half) / bounds[1]));
    report_note(r, "%10.5f %.4g +- %-12.2g %.4g +- %-12.2g %8.3g  (%.3g, %.3g)", spread,
                plain.mean, plain.half, hinted.mean, hinted.half, out->ratio[i],
                bounds[0], bounds[1]);
  }
  report_check(r, worst <= 1, "both below their bounds (at most %.2g of them)", worst);
}

void theory_optimistic(report *r) {
  double rounds = r->quick ? 4096 : 16384;
  int steps = r->quick ? 5 : 7, seeds = 24, grows = 1;
  struct pair off, on;
  report_title(r, "Optimistic theorem: T = %g, DP noise off", rounds);
  compare(r, rounds, 0, steps, seeds, &off);
  for (int i = 1; i < steps; ++i)
    grows = grows && off.ratio[i] > off.ratio[i - 1];
  report_check(r, grows && off.ratio[0] > 0.7 && off.ratio[steps - 1] > 3,
               "the advantage grows as sigma_G falls, from %.2f to %.0f", off.ratio[0],
               off.ratio[steps - 1]);
  if (r->quick) return;
  report_title(r, "Optimistic theorem: T = %g, rho = 4", rounds);
  compare(r, rounds, 4, steps, 10 * seeds, &on); /* more seeds, because the noise of a
                                                    run is large */
  report_check(r, on.ratio[2] > on.ratio[0] && on.ratio[steps - 1] > 2,
               "with DP noise it grows to %.1f and stays there: the noise term, which "
               "hints do not change, is what is left",
               on.ratio[steps - 1]);
  curve curves[] = {
      curve_of("plain, DP noise off", &off.plain, 0, 0),
      curve_of("optimistic, DP noise off", &off.hinted, 1, 0),
      curve_of("plain, ρ = 4", &on.plain, 2, 0),
      curve_of("optimistic, ρ = 4", &on.hinted, 3, 0),
      curve_bound("bound, optimistic, ρ = 4", &on.hinted, 3),
  };
  report_check(r,
               svg_plot(r->figures, "optimistic", "Optimistic against plain, T = 16384",
                        "σ_G", "suboptimality", curves, 5) == 0,
               "figure optimistic.svg");
}
