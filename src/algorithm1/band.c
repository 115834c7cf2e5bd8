/* SPDX-License-Identifier: MIT */
/*
 * With e_t the deviation of x_t from the run without noise, H the curvature and gamma_t
 * the noise of gbar_t / beta_t, the learner gets the deviation
 *
 *   (H fall_t + l2) e_t + gamma_t,     gamma_t = sum_j M_tj z_j,
 *
 * with independent z_j of variance 1. The learner's own numbers (bets, steps) are taken
 * as given, because they are released. So e_t is a sum over j of numbers times z_j.
 * These numbers are kept for a grid of curvatures, one after the other: the deviation
 * is a vector of GRID times R coordinates, which the learner carries as if they were
 * weights. fall_t is the released mean squared slope over the same at the start,
 * because the mean curvature of a logistic or softmax loss is its mean squared slope.
 */
#include "algorithm1/band.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* The grid of curvatures: 0, then steps of sqrt(2) up to the largest, from 2^-16 of it
   on. */
enum { GRID = 34, FALL_WINDOW = 8 };
static const double fall_least = 0.05;

struct tacit_band {
  tacit_band_facts facts;
  size_t rounds, n_vectors;
  int unknown;  /* 1 if a round had noise that is not known */
  double fall;  /* running mean of the squared slope, over the squared slope at the
                   start */
  double *room; /* memory of all vectors, GRID times rounds numbers each */
  double *w, *x, *grad;
  double **vectors; /* the vectors of the learner */
};

void tacit_band_free(tacit_band *band) {
  if (band == NULL) return;
  TACIT_FREE(band->room, band->vectors, band);
}

static size_t size_of(const tacit_band *band) { return GRID * band->rounds; }

static double curvature_at(const tacit_band *band, size_t g) {
  return g == 0 ? 0 : band->facts.curvature_max * exp2(-0.5 * (double)(GRID - 1 - g));
}

tacit_status tacit_band_new(const tacit_band_facts *facts, const tacit_learner *learner,
                            int64_t rounds, tacit_band **out, tacit_error *err) {
  size_t n_vectors = tacit_learner_ops_of(learner)->n_vectors;
  *out = NULL;
  if (!tacit_learner_carries(learner) || !(facts->curvature_max > 0)) return TACIT_OK;
  tacit_band *band = tacit_array_new(1, sizeof *band);
  if (band == NULL) return tacit_fail_memory(err);
  band->facts = *facts;
  band->rounds = (size_t)rounds;
  band->n_vectors = n_vectors;
  band->fall = 1;
  size_t size = size_of(band);
  tacit_status status = TACIT_NEW(band->room, (n_vectors + 3) * size, err);
  if (status == TACIT_OK) status = TACIT_NEW(band->vectors, n_vectors, err);
  if (status == TACIT_OK) {
    band->w = band->room;
    band->x = band->w + size;
    band->grad = band->x + size;
    for (size_t i = 0; i < n_vectors; ++i)
      band->vectors[i] = band->grad + (i + 1) * size;
  }
  return TACIT_HAND_OVER(status, band, tacit_band_free, out);
}

void tacit_band_average(tacit_band *band, const tacit_weights *weights) {
  for (size_t i = 0, size = size_of(band); i < size; ++i)
    band->x[i] += (band->w[i] - band->x[i]) / weights->horizon;
}

/* Follows how far the released squared slope fell since the start. */
static void watch_slopes(tacit_band *band, const tacit_learner_loss *loss) {
  if (!(band->facts.slope_start > 0) || !isfinite(loss->slope)) return;
  band->fall += (loss->slope / band->facts.slope_start - band->fall) / FALL_WINDOW;
}

void tacit_band_step(tacit_band *band, const tacit_learner *learner,
                     const tacit_learner_loss *loss, const double *noise_weights) {
  size_t rounds = band->rounds;
  if (noise_weights == NULL) band->unknown = 1;
  if (band->unknown) return;
  watch_slopes(band, loss);
  double fall = fmin(1, fmax(fall_least, band->fall));
  for (size_t g = 0; g < GRID; ++g) {
    double curvature = fall * curvature_at(band, g) + band->facts.l2;
    double *grad = band->grad + g * rounds;
    const double *x = band->x + g * rounds;
    for (size_t j = 0; j < rounds; ++j)
      grad[j] = curvature * x[j] + ((int64_t)j < loss->t ? noise_weights[j] : 0);
  }
  tacit_learner_loss deviation = *loss;
  deviation.grad = band->grad;
  deviation.x = band->x;
  tacit_learner_carry(learner, &deviation, size_of(band), band->vectors, band->w);
}

/* Returns the deviation of the model at curvature g of the grid. */
static double std_at(const tacit_band *band, size_t g) {
  double squares = 0;
  for (size_t j = 0; j < band->rounds; ++j) {
    double part = band->x[g * band->rounds + j];
    squares += part * part;
  }
  return sqrt(squares);
}

double tacit_band_std(const tacit_band *band, double curvature) {
  double least = curvature_at(band, 1);
  if (band->unknown || !(curvature >= 0)) return NAN;
  double place =
      curvature < least ? curvature / least : 1 + 2 * log2(curvature / least);
  if (place >= GRID - 1) return std_at(band, GRID - 1);
  double low = floor(place), share = place - low;
  return (1 - share) * std_at(band, (size_t)low) +
         share * std_at(band, (size_t)low + 1);
}
