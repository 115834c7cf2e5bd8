/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_BAND_H
#define TACIT_ALGORITHM1_BAND_H

#include <stdint.h>
#include <tacit/status.h>

#include "algorithm1/weights.h"
#include "learner/learner.h"

/*
 * How far the noise of a run moves its weights, approximately. The loss is replaced by
 * a parabola in each weight. The noise of every round then goes through the learner as
 * a linear deviation, and the result depends on the curvature only. Everything here is
 * public or released. docs/results/bands.md says how good it is.
 */
typedef struct tacit_band tacit_band;

typedef struct tacit_band_facts {
  double curvature_max; /* largest curvature that will be asked for; 0 if there is no
                           band */
  /* The released mean squared slope at the start, if the curvature falls with it, as
     for a logistic loss; 0 if the curvature stays. */
  double slope_start;
  double l2; /* added to every curvature */
} tacit_band_facts;

/* Makes a band. Sets *out to NULL if the learner cannot carry deviations or
   curvature_max is 0. */
tacit_status tacit_band_new(const tacit_band_facts *facts, const tacit_learner *learner,
                            int64_t rounds, tacit_band **out, tacit_error *err);
void tacit_band_free(tacit_band *band);
/* Follow lines 1 and 4 of Algorithm 1. Call tacit_band_step after the learner's step,
   with the same loss. noise_weights are the weights of the noise that
   tacit_covariance_next computes, or NULL if they are not known. */
void tacit_band_average(tacit_band *band, const tacit_weights *weights);
void tacit_band_step(tacit_band *band, const tacit_learner *learner,
                     const tacit_learner_loss *loss, const double *noise_weights);
/* Returns the standard deviation, in the model, of a weight whose mean loss has this
   curvature at the start. Returns NAN if it is not known. */
double tacit_band_std(const tacit_band *band, double curvature);

#endif
