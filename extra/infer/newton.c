/* SPDX-License-Identifier: MIT */
/* Damped Newton steps, and the last release in the metric that they end with. The noise
   of a curvature has about the spectral norm root(2 d) times the noise of an entry:
   directions with less curvature are moved as if they had so much. */
#include <math.h>
#include <string.h>

#include "base/eigen.h"
#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"

enum { STEPS_MAX = 5 };

/* Number K of rounds 1 … K, and their shares of TACIT_EFFECTS_ROUNDS. There are five if
   the plan says that the noise is small, because strong effects need five. */
struct schedule {
  int rounds;
  double parts[STEPS_MAX];
};
static const struct schedule one = {1, {1}}, few = {3, {0.15, 0.25, 0.6}},
                             many = {5, {0.05, 0.07, 0.1, 0.18, 0.6}};

static const struct schedule *schedule_of(const tacit_inference *inference) {
  double noise = tacit_effects_noise(inference, TACIT_EFFECTS_LAST);
  double d = (double)inference->d;
  if (inference->loss == TACIT_EFFECTS_SQUARED) return &one;
  return 2 * d * (1 + TACIT_JOINT_C) * noise * noise <=
                 2 * inference->n * tacit_effects_h0(inference)
             ? &many
             : &few;
}

/* Sets theta, tau and `most` for round 1. */
static void start(tacit_inference *inference) {
  double rate = fmin(fmax(inference->y_mean, 0.02), 0.98);
  inference->most = 1;
  inference->tau = 3 * inference->y_spread * inference->y_tail;
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) {
    inference->tau = 1;
    inference->theta[0] = log(rate / (1 - rate));
  } else if (inference->loss == TACIT_EFFECTS_SQUARED) {
    inference->theta[0] = inference->y_mean;
  } else {
    double mean = fmax(0.05, 0.7 * inference->y_spread * inference->label.max);
    inference->most = 3 * mean / sqrt(1 + mean);
    inference->tau = 3 * inference->y_tail * sqrt(mean / (1 + mean));
    inference->theta[0] = log(mean);
  }
}

/* The curvature of the last two rounds: its mean and, later, its eigenvalues, and the
   spectral norm of its noise. */
struct curvature {
  double *h, *last; /* d x d: the mean, and the release of the last round */
  double *vectors, *values;
  double part, noise; /* the share of the last round */
};

/* Makes the mean of the curvatures of this round and the last one. Earlier ones are
   forgotten, because they are too large if the start was poor. */
static void mix(struct curvature *own, size_t d, const tacit_joint_sums *sums,
                double part) {
  double both = own->part + part;
  for (size_t i = 0; i < d * d; ++i) {
    own->h[i] = (own->part * own->last[i] + part * sums->h[i]) / both;
    own->last[i] = sums->h[i];
  }
  own->noise = sums->h_noise * sqrt(2 * (double)d * part / both);
  own->part = part;
}

/* Computes the eigenvalues of the mean curvature, each at least its noise. */
static void split(struct curvature *own, size_t d, double *room) {
  memcpy(room, own->h, d * d * sizeof *room);
  tacit_eigen(d, room, own->vectors, own->values);
  for (size_t k = 0; k < d; ++k)
    own->values[k] = fmax(own->values[k], own->noise);
}

/* Subtracts `unit` times the inverse of the curvature times g from theta. */
static void step(const struct curvature *own, size_t d, const double *g, double unit,
                 double *theta) {
  for (size_t k = 0; k < d; ++k) {
    double along = 0;
    for (size_t i = 0; i < d; ++i)
      along += own->vectors[i * d + k] * g[i];
    for (size_t i = 0; i < d; ++i)
      theta[i] -= unit * along / own->values[k] * own->vectors[i * d + k];
  }
}

static tacit_status rounds(tacit_inference *inference, struct curvature *own,
                           double *room, tacit_error *err) {
  const struct schedule *schedule = schedule_of(inference);
  size_t d = inference->d;
  start(inference);
  tacit_joint_facts facts = {.loss = inference->loss,
                             .d = d,
                             .r = sqrt((double)d),
                             .tau = inference->tau,
                             .most = inference->most,
                             .theta = inference->theta};
  inference->rounds = schedule->rounds;
  for (int k = 0; k < schedule->rounds; ++k) {
    tacit_joint_sums sums = {0};
    TACIT_TRY(tacit_effects_joint(
        inference, &facts, TACIT_EFFECTS_ROUNDS * schedule->parts[k], &sums, err));
    mix(own, d, &sums, schedule->parts[k]);
    split(own, d, room);
    step(own, d, sums.g, facts.tau / facts.most, inference->theta);
    tacit_joint_sums_fini(&sums);
  }
  return TACIT_OK;
}

/* Sets the metric in which the mean curvature is about `information` times the
   identity, so that the noise of the last release is in the ratio of the sampling
   error. */
static void set_metric(tacit_inference *inference, const struct curvature *own) {
  size_t d = inference->d;
  inference->information = fmax(own->h[0], own->noise);
  for (size_t k = 0; k < d; ++k) {
    double root = sqrt(own->values[k] / inference->information + 0.001);
    for (size_t i = 0; i < d; ++i)
      inference->metric[i * d + k] = own->vectors[i * d + k] / root;
  }
}

tacit_status tacit_effects_newton(tacit_inference *inference, tacit_error *err) {
  size_t d = inference->d;
  double *room;
  TACIT_TRY(TACIT_NEW(inference->theta, d, err));
  TACIT_TRY(TACIT_NEW(inference->metric, d * d, err));
  TACIT_TRY(TACIT_NEW(room, 4 * d * d + d, err));
  struct curvature own = {.h = room + d * d,
                          .last = room + 2 * d * d,
                          .vectors = room + 3 * d * d,
                          .values = room + 4 * d * d};
  tacit_status status = rounds(inference, &own, room, err);
  if (status == TACIT_OK) set_metric(inference, &own);
  tacit_array_free(room);
  return status;
}

/* Writes theta in the metric: the columns of the metric are orthogonal. */
static void into_metric(const tacit_inference *inference, double *out) {
  size_t d = inference->d;
  for (size_t k = 0; k < d; ++k) {
    double along = 0, square = 0;
    for (size_t i = 0; i < d; ++i) {
      double entry = inference->metric[i * d + k];
      along += entry * inference->theta[i];
      square += entry * entry;
    }
    out[k] = along / square;
  }
}

tacit_status tacit_effects_last(tacit_inference *inference, tacit_error *err) {
  size_t d = inference->d;
  double share = TACIT_EFFECTS_LAST;
  if (inference->loss != TACIT_EFFECTS_LOGISTIC) share *= 1 - TACIT_EFFECTS_RESIDUALS;
  double *theta = tacit_array_new(d, sizeof *theta);
  if (theta == NULL) return tacit_fail_memory(err);
  into_metric(inference, theta);
  double noise = tacit_effects_noise(inference, share) *
                 sqrt(1 + TACIT_JOINT_C + TACIT_JOINT_LOW) *
                 tacit_effects_wide(inference->loss);
  double far = 0.09 * inference->information / (noise * noise);
  double square = fmax(2 * (double)d, fmin(16 * (double)d, far));
  tacit_joint_facts facts = {.loss = inference->loss,
                             .d = d,
                             .has_meat = 1,
                             .r = sqrt(square),
                             .tau = inference->tau,
                             .most = inference->most,
                             .theta = theta,
                             .metric = inference->metric};
  tacit_joint_sums sums = {0};
  tacit_status status = tacit_effects_joint(inference, &facts, share, &sums, err);
  if (status == TACIT_OK) status = tacit_effects_finish(inference, &facts, &sums, err);
  tacit_joint_sums_fini(&sums);
  tacit_array_free(theta);
  return status;
}
