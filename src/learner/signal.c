/* SPDX-License-Identifier: MIT */
#include "learner/signal.h"

#include "norm/domain.h"

static double or_one(double fact) { return fact > 0 ? fact : 1; }

tacit_signal tacit_signal_of(const tacit_learner_facts *facts) {
  tacit_signal signal = {0};
  if (facts->rows <= 0 || facts->outputs == 0 || !(facts->row_norm > 0)) return signal;
  double norm = facts->row_norm, slope = or_one(facts->slope_unit);
  double price = facts->passes >= 8 ? 1 : facts->passes > 1 ? 1.21 : 1.58;
  double noise = price * facts->noise_once / (norm * slope);
  signal.ratio = 1 / tacit_norm_of_two(noise, 1 / (double)facts->rows);
  signal.inputs = (double)facts->dim / (double)facts->outputs;
  signal.reach = facts->row_reach > 0 ? facts->row_reach / norm : 1;
  signal.length = 1 / (or_one(facts->curvature) * norm * norm);
  signal.weight = signal.length * norm * slope;
  return signal;
}
