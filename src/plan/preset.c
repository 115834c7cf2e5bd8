/* SPDX-License-Identifier: MIT */
/* Defaults and advice, by public numbers only. */
#include "plan/preset.h"

#include <math.h>
#include <string.h>

#include "mechanism/mechanism.h"

static const double rounds_default = 32;
static const double clip_share = 0.7; /* clip as a share of the largest gradient
                                         (docs/design.md) */
static const double radius_practical = 1000, radius_anytime = 100, radius_paper = 10;
/* If n mu / (kappa sqrt(m)) is below signal_low, a parameter-free learner loses more by
   not knowing a step size than it gains (docs/results/defaults.md). */
static const double signal_low = 100;
static const double stiffness_high = 1.5, stiffness_extreme = 15;

void tacit_rules_rounds(tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  int paper = config->preset == TACIT_PAPER;
  plan->rows = config->rows;
  plan->passes = config->passes > 0 ? config->passes : 1;
  plan->power = config->power > 0 ? config->power : paper ? 1 : 2;
  plan->free_last_step = !paper;
  plan->l2 = config->l2;
  int64_t batch = config->batch > 0 ? config->batch : paper ? 1 : 0;
  if (batch > 0) {
    plan->per_pass = (plan->rows - 1) / batch + 1;
  } else if (!plan->recipe) {
    plan->per_pass = (int64_t)fmax(1, round(rounds_default / plan->passes));
    if (plan->per_pass > plan->rows) plan->per_pass = plan->rows;
  }
  plan->rounds = plan->per_pass * plan->passes; /* below 2^62 by tacit_config_check */
}

double tacit_rules_radius(const tacit_config *config) {
  if (config->radius > 0) return config->radius;
  return config->preset == TACIT_PAPER     ? radius_paper
         : config->preset == TACIT_ANYTIME ? radius_anytime
                                           : radius_practical;
}

double tacit_rules_clip(double row_norm, double slope) {
  return clip_share * row_norm * slope;
}

/* Returns the signal-to-noise ratio n mu / (kappa sqrt(m)), m the number of weights. */
static double signal_of(const tacit_plan *plan) {
  double kappa = plan->config.adjacency == TACIT_ZERO_OUT ? 1 : 2;
  return (double)plan->rows * plan->mu / (kappa * sqrt((double)plan->dim));
}

/*
 * Chooses coin betting with power 2, with three exceptions. AdaGrad with power 3 if
 * noise dominates, and in streams. AdaGrad for stiff losses, whose gradients turn
 * faster than the stakes of a bettor. The bound `tight`, which follows the steps, for
 * the stiffest losses (docs/results/defaults.md).
 */
void tacit_rules_learner(tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  if (config->preset == TACIT_PAPER || config->gradient != NULL) return;
  if (plan->recipe) {
    double slope = plan->clip / clip_share;
    plan->clip =
        tacit_centre_slope(slope, signal_of(plan) * sqrt((double)plan->dim), plan->dim);
    return;
  }
  if (config->bound == TACIT_BOUND_DEFAULT && config->clip == 0 &&
      plan->stiffness > stiffness_extreme && !tacit_plan_is_plain(plan))
    plan->bound = TACIT_BOUND_TIGHT;
  if (config->learner != NULL || config->learner_ops != NULL) return;
  /* A stream has many rounds, each with noise in its sum (docs/results/stream.md). */
  int noisy = !config->pure && (plan->days.horizon > 0 || signal_of(plan) < signal_low);
  const char *learner = noisy || plan->stiffness > stiffness_high ? "adagrad"
                        : plan->label.kind != TACIT_LOSS_CLASSES  ? "kt:e0=1"
                                                                  : "kt";
  memcpy(plan->learner_spec, learner, strlen(learner) + 1);
  if (noisy && config->power == 0) plan->power = plan->learner.power = 3;
}

int tacit_rules_passes(const tacit_plan *plan) {
  if (plan->recipe) return tacit_rules_practical_passes(plan);
  if (isinf(plan->mu)) return 1;
  double signal = signal_of(plan);
  return signal >= 2000 ? 1 : signal >= 700 ? 4 : 8;
}

/* Returns the noise as a share of the largest gradient. The factors 1, 1.21 and 1.58
   for runs with the recipe, and the limits in tacit_rules_outlook, were measured
   (docs/results/outlook.md). They do not hold for a matrix of the caller. */
double tacit_rules_noise_share(const tacit_plan *plan) {
  const struct tacit_encoder_ops *encoder = plan->vault.encoder;
  if (isinf(plan->mu)) return 0;
  if (!plan->recipe || plan->matrix.entries != NULL ||
      (encoder != &tacit_encoder_matrix && encoder != &tacit_encoder_banded))
    return plan->noise_last_norm / plan->learner.grad_bound;
  return (plan->passes >= 8 ? 1 : plan->passes >= 2 ? 1.21 : 1.58) / signal_of(plan);
}

const char *tacit_rules_outlook(const tacit_plan *plan) {
  double share = tacit_rules_noise_share(plan), reach = pow((double)plan->dim, 0.25);
  if (share == 0) return "no noise, no privacy";
  if (share * reach < 0.008) return "expect near non-private accuracy";
  if (share * reach < 0.02) return "expect to lose a little accuracy";
  if (share * reach < 0.09)
    return "expect to lose clearly: more rows or a larger budget help";
  return "no promise: more rows, fewer columns or a larger budget help";
}
