/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_ALGORITHM1_H
#define TACIT_ALGORITHM1_ALGORITHM1_H

#include <stddef.h>
#include <tacit/status.h>

#include "algorithm1/band.h"
#include "algorithm1/weights.h"
#include "base/threads.h"
#include "learner/learner.h"
#include "mechanism/mechanism.h"

/* xi_t|w| + nu_t|w|^2 of the parameter-free section: xi_t/beta_t = scale (xi/sqrt(t) +
   noise * std of gbar_t), nu_t/beta_t = scale nu/sqrt(t). scale 0: off. */
typedef struct tacit_algorithm1_regulariser {
  double scale, xi, nu, noise;
} tacit_algorithm1_regulariser;

/* What a run of Algorithm 1 needs to know; all of it is public. */
typedef struct tacit_algorithm1_facts {
  tacit_learner_facts learner;             /* dimension, rounds, power, domain */
  const char *learner_spec;                /* "kt:e0=10" */
  const struct tacit_encoder_ops *encoder; /* made the rows that are decoded */
  tacit_encoder_facts shape; /* its dim may be larger than the learner's */
  double rows_mean;          /* n/b, rows per round: the divisor of a round's sum */
  double l2;                 /* adds (l2/2)|x|^2 on the first l2_dim coordinates */
  size_t l2_dim;
  const double *start;                  /* x_init, copied; NULL: zeros */
  const tacit_learner_ops *learner_ops; /* NULL: by its name, from the registry */
  double slope_scale; /* of the squared slope, the number after the weights in a
                         contribution; 0: there is none */
  tacit_algorithm1_regulariser regulariser;
  tacit_band_facts band; /* curvature_max 0: the effect of the noise is not followed */
  tacit_pool *pool;      /* threads for long vectors, borrowed; NULL: none */
} tacit_algorithm1_facts;

/* Algorithm 1 of the paper: differentially private online-to-batch. It sees released
   values only, so everything here is post-processing. For a learner of plain gradients
   x_t = w_t, the rows of a round contribute gradients instead of differences, and
   gbar_t is the difference of two decoded sums. */
typedef struct tacit_algorithm1 tacit_algorithm1;

tacit_status tacit_algorithm1_new(const tacit_algorithm1_facts *facts,
                                  tacit_algorithm1 **out, tacit_error *err);
void tacit_algorithm1_free(tacit_algorithm1 *algorithm1);

/* Line 1: opens round t and moves to x_t. */
void tacit_algorithm1_begin(tacit_algorithm1 *algorithm1);
/* Lines 3 and 4: decodes the released row y of C u and gives gbar_t to the learner.
   `bound` is the unit of y, in units of beta_R, for encoders that use one. Returns the
   standard deviation of the noise in one coordinate of gbar_t/beta_t. */
double tacit_algorithm1_end(tacit_algorithm1 *algorithm1, double bound, const double *y,
                            double y_std);
/* x_{T+1}: one more averaging step, with the last play of the learner. It costs no
   privacy. */
void tacit_algorithm1_last_step(tacit_algorithm1 *algorithm1);

/* Counts, saves or loads the state between rounds. Returns 0 if mechanism or learner
   cannot: those that need the covariance of all rounds. */
int tacit_algorithm1_archive(tacit_algorithm1 *algorithm1, tacit_archive *archive);

/* How far the noise moved the model, or NULL if that is not known. */
const tacit_band *tacit_algorithm1_band(const tacit_algorithm1 *algorithm1);

/* Read at any time; the arrays live as long as the handle. */
const tacit_weights *tacit_algorithm1_weights(const tacit_algorithm1 *algorithm1);
const tacit_learner *tacit_algorithm1_learner(const tacit_algorithm1 *algorithm1);
/* The latest play of the learner, measured from the start point. */
const double *tacit_algorithm1_w(const tacit_algorithm1 *algorithm1);
const double *
tacit_algorithm1_x(const tacit_algorithm1 *algorithm1); /* x_t, start point added */
const double *tacit_algorithm1_x_prev(const tacit_algorithm1 *algorithm1); /* x_{t-1} */
/* |w_t - x_{t-1}| in the norm of the run, for the open round, and the largest such step
   of rounds 1 … t. */
double tacit_algorithm1_step_length(const tacit_algorithm1 *algorithm1,
                                    double *out_longest);

#endif
