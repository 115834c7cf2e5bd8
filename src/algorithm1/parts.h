/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_PARTS_H
#define TACIT_ALGORITHM1_PARTS_H

#include "algorithm1/algorithm1.h"
#include "algorithm1/covariance.h"
#include "mechanism/decode.h"

/* What the learner is told besides gbar_t (told.c). Every part may be absent. */
typedef struct tacit_told {
  tacit_covariance *covariance; /* of the noise; NULL if the learner ignores it */
  tacit_noise_terms noise;      /* noise of the open round */
  double slope_scale; /* scale of the released squared slope; 0 if it is not released */
  tacit_algorithm1_regulariser regulariser;
} tacit_told;

/* The start point of the run, and x_t and x_{t-1} with it added. All three are NULL if
   the start point is 0. */
typedef struct tacit_start {
  double *start, *x, *x_prev;
} tacit_start;

struct tacit_algorithm1 {
  size_t dim, sums;       /* weights, and numbers in the sum of a round */
  tacit_weights weights;  /* beta_t */
  tacit_learner *learner; /* A */
  tacit_decoder *decoder; /* undoes the encoding of the mechanism */
  double *w, *x, *x_prev; /* w_t, x_t, x_{t-1}, measured from the start point */
  double *grad;           /* gbar_t / beta_t, then the squared slope */
  double rows_mean;       /* rows per round */
  double norm, step_length, step_longest;
  tacit_pool *pool;
  double l2; /* the L2 term covers the first l2_dim weights */
  size_t l2_dim;
  tacit_start from;
  tacit_told told;
  double *last; /* the previous decoded sum; NULL without plain gradients */
  const tacit_precondition *precondition; /* NULL without one */
  tacit_band *band; /* NULL if the effect of the noise is not followed */
};

/* Computes the covariance of the noise of the open round if the learner uses it
   (told.c). `unit` turns a sum into gbar_t / beta_t; sum_std is the standard deviation
   of the noise in a coordinate of the decoded sum. Returns the standard deviation in a
   coordinate of the sum that gbar_t is made from. */
double tacit_told_noise(tacit_algorithm1 *a, double bound, double y_std, double unit,
                        double sum_std);
/* Returns the loss of the open round for the learner (told.c). sum_std must be the
   result of tacit_told_noise. */
tacit_learner_loss tacit_told_loss(const tacit_algorithm1 *a, double sum_std,
                                   double unit);

/* Prepares for plain gradients (plain.c). Returns TACIT_EINVAL if the run has weights
   beta_t other than 1 or too many rounds. */
tacit_status tacit_plain_init(tacit_algorithm1 *a, const tacit_algorithm1_facts *facts,
                              tacit_error *err);
/* Replaces decoded sums in a->grad by their differences from the sums of the round
   before (plain.c). */
void tacit_plain_difference(const tacit_algorithm1 *a, size_t first, size_t end);

#endif
