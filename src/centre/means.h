/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_MEANS_H
#define TACIT_CENTRE_MEANS_H

#include <math.h>

#include "centre/frame.h"

/* The release of round 0 as means, and the noise in one number of the mean row. */
typedef struct tacit_means {
  const tacit_frame_facts *facts;
  const double *y;
  double count; /* rows, or the released sum of their weights */
  double noise;
} tacit_means;

static inline tacit_means tacit_means_of(const tacit_frame_facts *facts,
                                         const double *y) {
  const tacit_moments *moments = &facts->moments;
  tacit_means means = {facts, y, facts->rows, 0};
  if (moments->weight > 0) {
    double count = y[moments->columns + moments->tails - 1] / moments->weight;
    double least = fmin(facts->rows, 2 * facts->noise / moments->weight);
    means.count = fmin(facts->rows, fmax(count, fmax(least, facts->rows / 1e6)));
  }
  means.noise = facts->noise / means.count;
  return means;
}

/* Returns mean i of the numbers after the columns, which has this scale. */
static inline double tacit_tail_of(const tacit_means *means, size_t i, double scale) {
  return means->y[means->facts->moments.columns + i] / (scale * means->count);
}

/* Returns n mu / kappa over the length of the noise in a mean gradient, scaled so that
   rules begin at 1. */
static inline double tacit_clear_of(const tacit_frame_facts *facts) {
  return facts->signal / sqrt((double)facts->moments.columns + 1) / 60;
}

/* The mean row that a frame subtracts: toward + factor y_j for column j. */
typedef struct tacit_shrunk {
  double toward, factor;
  double bias;    /* mean of the bias; NAN if it is shrunk like the features */
  double squares; /* squared norm of the result */
  double error;   /* expected squared distance from the mean row without noise */
} tacit_shrunk;

/* Sets the unit and the radius of the frame (centre/radius.c). */
void tacit_frame_radius(tacit_frame *frame, const tacit_means *means,
                        const tacit_shrunk *shrunk);

#endif
