/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_BAND_H
#define TACIT_ALGORITHM1_BAND_H

#include <stdint.h>
#include <tacit/status.h>

#include "algorithm1/weights.h"
#include "learner/learner.h"

/*
 * How far the noise of a run moves its weights, approximately. The loss is replaced by
 * a parabola in each weight, so the noise of every round goes through the learner as a
 * linear deviation; what comes out depends on the curvature only. Everything here is
 * public or released. docs/results/bands.md says how good it is.
 */
typedef struct tacit_band tacit_band;

typedef struct tacit_band_facts {
  double curvature_max; /* largest curvature that will be asked for; 0: no band */
  /* The released mean squared slope at the start, if the curvature falls with it, as
     that of a logistic loss does; 0: it stays. */
  double slope_start;
  double l2; /* is added to every curvature */
} tacit_band_facts;

/* *out is NULL if there is no band: the learner cannot carry deviations. */
tacit_status tacit_band_new(const tacit_band_facts *facts, const tacit_learner *learner,
                            int64_t rounds, tacit_band **out, tacit_error *err);
void tacit_band_free(tacit_band *band);
/* Line 1 of Algorithm 1, and line 4 after the learner made its step with this loss;
   the weights of the noise are those of the loss, or of the covariance. */
void tacit_band_average(tacit_band *band, const tacit_weights *weights);
void tacit_band_step(tacit_band *band, const tacit_learner *learner,
                     const tacit_learner_loss *loss, const double *noise_weights);
/* The standard deviation in the model of a weight with this curvature of the mean loss,
   before it falls. NAN: not known. */
double tacit_band_std(const tacit_band *band, double curvature);

#endif
