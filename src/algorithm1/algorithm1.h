/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_ALGORITHM1_H
#define TACIT_ALGORITHM1_ALGORITHM1_H

#include <stddef.h>
#include <tacit/status.h>

#include "algorithm1/band.h"
#include "algorithm1/precondition.h"
#include "algorithm1/weights.h"
#include "base/threads.h"
#include "learner/learner.h"
#include "mechanism/mechanism.h"

/* The regulariser xi_t |w| + nu_t |w|^2 of the parameter-free section: xi_t/beta_t =
   scale (xi/sqrt(t) + noise * std of gbar_t), nu_t/beta_t = scale nu/sqrt(t). `scale`
   is 0 without a regulariser. */
typedef struct tacit_algorithm1_regulariser {
  double scale, xi, nu, noise;
} tacit_algorithm1_regulariser;

/* What a run of Algorithm 1 needs to know. All of it is public. */
typedef struct tacit_algorithm1_facts {
  tacit_learner_facts learner;             /* dimension, rounds, power, domain */
  const char *learner_spec;                /* the learner and its params, such as
                                              "kt:e0=10" */
  const struct tacit_encoder_ops *encoder; /* the encoder of the rows that are
                                              decoded */
  tacit_encoder_facts shape; /* its dim may be larger than the learner's */
  double rows_mean;          /* n/b, rows per round: the divisor of a round's sum */
  double l2;                 /* adds (l2/2)|x|^2 on the first l2_dim coordinates */
  size_t l2_dim;
  const double *start;                  /* x_init, which is copied; NULL if zeros */
  const tacit_learner_ops *learner_ops; /* NULL to look the name up in the registry */
  double slope_scale; /* scale of the squared slope, the number after the weights in a
                         contribution; 0 if there is no such number */
  tacit_algorithm1_regulariser regulariser;
  tacit_band_facts band; /* curvature_max is 0 if the effect of the noise is not
                            followed */
  const tacit_precondition *precondition; /* borrowed; NULL if gradients stay as they
                                             are */
  tacit_pool *pool; /* threads for long vectors, borrowed; NULL for none */
} tacit_algorithm1_facts;

/* Algorithm 1 of the paper: differentially private online-to-batch. It sees released
   values only, so everything here is post-processing. For a learner of plain gradients,
   x_t = w_t, the rows of a round contribute gradients instead of differences, and
   gbar_t is the difference of two decoded sums. */
typedef struct tacit_algorithm1 tacit_algorithm1;

tacit_status tacit_algorithm1_new(const tacit_algorithm1_facts *facts,
                                  tacit_algorithm1 **out, tacit_error *err);
void tacit_algorithm1_free(tacit_algorithm1 *algorithm1);

/* Opens round t and moves to x_t: line 1. */
void tacit_algorithm1_begin(tacit_algorithm1 *algorithm1);
/* Decodes the released row y of C u and gives gbar_t to the learner: lines 3 and 4.
   `bound` is the unit of y, in units of beta_R, for encoders that use one. Returns the
   standard deviation of the noise in one coordinate of gbar_t/beta_t. */
double tacit_algorithm1_end(tacit_algorithm1 *algorithm1, double bound, const double *y,
                            double y_std);
/* Moves to x_{T+1}: one more averaging step, with the last play of the learner. It
   costs no privacy. */
void tacit_algorithm1_last_step(tacit_algorithm1 *algorithm1);

/* Counts, saves or loads the state between rounds. Returns 0 if the mechanism or the
   learner cannot, because it needs the covariance of all rounds. */
int tacit_algorithm1_archive(tacit_algorithm1 *algorithm1, tacit_archive *archive);

/* Returns how far the noise moved the model, or NULL if that is not known. */
const tacit_band *tacit_algorithm1_band(const tacit_algorithm1 *algorithm1);

/* Return parts of the state at any time. The arrays live as long as the handle. */
const tacit_weights *tacit_algorithm1_weights(const tacit_algorithm1 *algorithm1);
const tacit_learner *tacit_algorithm1_learner(const tacit_algorithm1 *algorithm1);
/* Returns the latest play of the learner, measured from the start point. */
const double *tacit_algorithm1_w(const tacit_algorithm1 *algorithm1);
const double *
tacit_algorithm1_x(const tacit_algorithm1 *algorithm1); /* x_t, with the start point
                                                           added */
/* x_{t-1}, with the start point added */
const double *tacit_algorithm1_x_prev(const tacit_algorithm1 *algorithm1);
/* Returns |w_t - x_{t-1}| of the open round, in the norm of the run. Sets *out_longest
   to the largest such step of rounds 1 … t. */
double tacit_algorithm1_step_length(const tacit_algorithm1 *algorithm1,
                                    double *out_longest);

#endif
