/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_INFER_JOINT_H
#define TACIT_EXTRA_INFER_JOINT_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "extra/evaluate/once.h"

/*
 * The joint release: the gradient g of a model, its curvature H and, in the last round,
 * the meat S, the sum of the outer products of the units' gradients. A row z of weight
 * w <= 1 with w|z|^2 <= r^2, slope psi, |psi| <= 1, and curvature h adds
 *
 *   (w psi z/r, root(B) svec(w h z z^T)/r^2, root(C) svec(g g^T), root(0.02) low)
 *
 * with g the first part and low = 1 if the weight is below 1/2. svec is the upper
 * triangle, row by row, whose entries off the diagonal have the factor root(2). A row
 * with a large slope has a small curvature, so B is large although the norm is at most
 * the root of 1 + C + 0.02. A person adds the mean of the first two parts and of low
 * over the person's rows, and the square of that mean gradient: one contribution.
 * Proof: docs/proofs/joint_bound.md
 */
typedef enum tacit_effects_loss {
  TACIT_EFFECTS_LOGISTIC = 0,
  TACIT_EFFECTS_SQUARED = 1,
  TACIT_EFFECTS_POISSON = 2
} tacit_effects_loss;

/* Returns the name of the loss of a model: "logistic", "squared" or "poisson". */
const char *tacit_effects_loss_name(tacit_effects_loss loss);

/* What a row does to the equation of a loss at margin eta. y is -1 or +1, or a number
   in the form that the loss takes. */
typedef struct tacit_slope {
  double psi, h; /* slope and curvature, in units of tau and of `most` */
  double weight; /* 0 … 1, a function of eta alone */
} tacit_slope;
/* Returns the slope of a row. For numbers, psi is bounded by tau: errors below 0.6 tau
   count in full. For counts, `most` bounds the curvature. */
tacit_slope tacit_slope_of(tacit_effects_loss loss, double tau, double most, double eta,
                           double y);
/* Returns B, rounded down. */
double tacit_joint_b(tacit_effects_loss loss, int has_meat);

/* C, and the square of the scale of `low`. */
#define TACIT_JOINT_C 0.1
#define TACIT_JOINT_LOW 0.02

/* All that a joint release depends on besides the rows. All of it is public or
   released. */
typedef struct tacit_joint_facts {
  tacit_effects_loss loss;
  size_t d;             /* length of z */
  int has_meat;         /* 1 in the last round, which also releases S and `low` */
  double r, tau, most;  /* most is 1 unless labels are counts */
  const double *theta;  /* d numbers */
  const double *metric; /* d x d: z is multiplied by its transpose; NULL for none */
  int kappa;            /* 1 for zero-out, 2 for replace */
} tacit_joint_facts;

/* What the parts of a contribution are multiplied with, so that its norm is at most 1:
   slopes, curvature, meat and `low`. */
typedef struct tacit_joint_scale {
  double g, h, s, low;
} tacit_joint_scale;
tacit_joint_scale tacit_joint_scale_of(const tacit_joint_facts *facts);

/* Returns the length of a contribution. */
size_t tacit_joint_dim(const tacit_joint_facts *facts);
/* Returns how many numbers of a contribution count twice in its norm: the slopes of
   units that may be replaced (`twice` of tacit_shape). */
size_t tacit_joint_twice(const tacit_joint_facts *facts);

/* Adds a row to the contribution of a unit, or begins it if `is_first` is 1. raw_z is
   in the metric; raw_sums has its square and its product with theta. `share` is 1/m for
   a unit with m rows. raw_weight is the weight of the row besides those that follow
   from |z| and the slope. */
void tacit_joint_row(const tacit_joint_facts *facts, const tacit_joint_scale *scale,
                     const double *raw_z, const tacit_sums *raw_sums, double y,
                     double raw_weight, double share, int is_first, double *raw_unit);
/* Completes the contribution of a unit after its last row: makes the meat. */
void tacit_joint_unit(const tacit_joint_facts *facts, const tacit_joint_scale *scale,
                      double *raw_unit);

/* What a joint release gives: sums in the units of z, with the standard deviation of
   their noise on the diagonal. Off the diagonal it is smaller by the root of 2. */
typedef struct tacit_joint_sums {
  double *g, *h, *s; /* d, d x d, d x d numbers; s is NULL without meat */
  double low;        /* number of units whose weight is below 1/2 */
  double g_noise, h_noise, s_noise, low_noise;
} tacit_joint_sums;
/* Turns a release into sums. `noise` is the standard deviation of each number of y. */
tacit_status tacit_joint_decode(const tacit_joint_facts *facts, const double *y,
                                double noise, tacit_joint_sums *out, tacit_error *err);
void tacit_joint_sums_fini(tacit_joint_sums *sums);

#endif
