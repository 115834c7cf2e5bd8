/* SPDX-License-Identifier: MIT */
/*
 * Estimates, and their variances, from the last release: one Newton step delta from
 * theta, and the sandwich of curvature and meat. For coefficient j with row t of the
 * map from the metric to mapped columns and u = H^-1 t:
 *
 *   sampling  u S u
 *   privacy   sd_g^2 |u|^2 + f sd_H^2/2 (|u|^2 |delta|^2 + (u delta)^2)
 *
 * with f the share of |delta|^2 that is no noise. The remainder of the step, for losses
 * that are no parabola, is at most about (delta H delta)/2, in units of sampling error.
 */
#include <math.h>
#include <string.h>

#include "base/eigen.h"
#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"

/* The longest last step, in units of the margin. After a longer one the steps have not
   ended, and may never end: the classes are separated, or all counts are 0. */
static const double longest_step = 0.5;

struct finish {
  size_t d;
  const tacit_joint_facts *facts;
  double *g, *s; /* in the units of theta */
  const double *h;
  double g_noise, h_noise, s_noise;
  double *values, *vectors; /* of h */
  double *inverse;          /* of h */
  double *map, *u;          /* d x d: rows t and u */
  double *delta;
  double signal; /* f */
  double length; /* |delta|^2 */
  double step;   /* root of f (delta H delta)/information */
};

/* Returns x^T M y for a d x d matrix M. */
static double form(const double *x, const double *matrix, const double *y, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; j < d; ++j)
      sum += x[i] * matrix[i * d + j] * y[j];
  return sum;
}

static double dot(const double *x, const double *y, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; ++i)
    sum += x[i] * y[i];
  return sum;
}

/* Computes eigenvectors and eigenvalues of h, and its inverse from them. */
static void invert(struct finish *own, double *room) {
  size_t d = own->d;
  memcpy(room, own->h, d * d * sizeof *room);
  tacit_eigen(d, room, own->vectors, own->values);
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; j < d; ++j) {
      double sum = 0;
      for (size_t k = 0; k < d; ++k)
        sum += own->vectors[i * d + k] * own->vectors[j * d + k] / own->values[k];
      own->inverse[i * d + j] = sum;
    }
}

/* Writes the rows t: coefficients of mapped columns from theta in the metric. Row 0 is
   the intercept. */
static void set_map(const tacit_inference *inference, struct finish *own) {
  size_t d = own->d;
  memcpy(own->map, inference->metric, d * d * sizeof *own->map);
  for (size_t k = 1; k < d; ++k) {
    size_t column = inference->used[k - 1];
    for (size_t j = 0; j < d; ++j) {
      own->map[k * d + j] /= inference->spread[column];
      own->map[j] -= inference->centre[column] * own->map[k * d + j];
    }
  }
}

static void set_step(const tacit_inference *inference, struct finish *own) {
  size_t d = own->d;
  double noise = 0;
  for (size_t i = 0; i < d; ++i)
    own->delta[i] = -dot(own->inverse + i * d, own->g, d);
  for (size_t i = 0; i < d; ++i) {
    const double *inverse = own->inverse + i * d;
    noise += form(inverse, own->s, inverse, d) +
             own->g_noise * own->g_noise * dot(inverse, inverse, d);
  }
  own->length = dot(own->delta, own->delta, d);
  own->signal = fmin(fmax(1 - noise / own->length, 0), 1);
  if (inference->loss != TACIT_EFFECTS_SQUARED)
    own->step = sqrt(fmax(own->signal * form(own->delta, own->h, own->delta, d), 0) /
                     inference->information);
  for (size_t k = 0; k < d; ++k)
    for (size_t j = 0; j < d; ++j)
      own->u[k * d + j] = dot(own->map + k * d, own->inverse + j * d, d);
}

/* Returns the covariance of two coefficients that the noise causes. */
static double privacy(const struct finish *own, size_t i, size_t j) {
  const double *u = own->u + i * own->d, *v = own->u + j * own->d;
  double both = dot(u, v, own->d);
  double moved = dot(u, own->delta, own->d) * dot(v, own->delta, own->d);
  return own->g_noise * own->g_noise * both +
         own->signal * own->h_noise * own->h_noise / 2 * (both * own->length + moved);
}

/* Returns the relative error that the noise of the curvature may make of second order,
   at least its planned value. */
static double relative_error(const tacit_inference *inference, const struct finish *own,
                             size_t k) {
  size_t d = own->d;
  const double *t = own->map + k * d, *u = own->u + k * d;
  double trace = 0, along = 0;
  for (size_t i = 0; i < d; ++i) {
    double part = 0;
    for (size_t j = 0; j < d; ++j)
      part += t[j] * own->vectors[j * d + i];
    trace += 1 / fabs(own->values[i]);
    along += part * part / fabs(own->values[i]);
  }
  double found = own->h_noise * sqrt(0.5 * trace * dot(u, u, d) / along);
  double planned = own->h_noise * sqrt((double)d / 2) / inference->information;
  return fmax(found, planned);
}

static void set_coefficient(tacit_inference *inference, const struct finish *own,
                            const double *theta, size_t k) {
  size_t d = own->d;
  const double *t = own->map + k * d, *u = own->u + k * d;
  tacit_effects_coefficient *out = &inference->found[k];
  out->estimate = dot(t, theta, d) + dot(t, own->delta, d);
  out->sampling = fmax(0, form(u, own->s, u, d));
  out->privacy = privacy(own, k, k);
  double variance = out->sampling + out->privacy;
  out->remainder = 0.5 * own->step * own->step * sqrt(inference->information) *
                   sqrt(out->sampling / variance);
  variance *= 1 + out->remainder * out->remainder / 4;
  double meat_noise = own->s_noise * dot(u, u, d);
  out->df = fmax(2, 2 * variance * variance / (meat_noise * meat_noise));
  out->kappa = relative_error(inference, own, k);
  out->identified = out->kappa <= 0.3 && out->remainder <= 2 &&
                    own->step <= longest_step &&
                    (out->sampling > 0 || inference->loss == TACIT_EFFECTS_SQUARED);
}

/* Writes coefficients for predictions: directions whose curvature is noise are moved as
   if it were the noise. */
static void set_damped(tacit_inference *inference, const struct finish *own) {
  size_t d = own->d;
  double theta[TACIT_EFFECTS_MAX], least = own->h_noise * sqrt(2 * (double)d);
  memcpy(theta, own->facts->theta, d * sizeof *theta);
  for (size_t k = 0; k < d; ++k) {
    double along = 0;
    for (size_t i = 0; i < d; ++i)
      along += own->vectors[i * d + k] * own->g[i];
    for (size_t i = 0; i < d; ++i)
      theta[i] -= along / fmax(own->values[k], least) * own->vectors[i * d + k];
  }
  for (size_t k = 0; k < d; ++k)
    inference->damped[k] = dot(own->map + k * d, theta, d);
}

static void finish(tacit_inference *inference, struct finish *own,
                   const tacit_joint_sums *sums, double *room) {
  size_t d = own->d;
  double unit = own->facts->tau / own->facts->most;
  own->h = sums->h;
  own->h_noise = sums->h_noise;
  own->g_noise = sums->g_noise * unit;
  own->s_noise = sums->s_noise * unit * unit;
  for (size_t i = 0; i < d; ++i)
    own->g[i] = sums->g[i] * unit;
  for (size_t i = 0; i < d * d; ++i)
    own->s[i] = sums->s[i] * unit * unit;
  invert(own, room);
  set_map(inference, own);
  set_step(inference, own);
  for (size_t k = 0; k < d; ++k)
    set_coefficient(inference, own, own->facts->theta, k);
  for (size_t i = 0; i < d; ++i) {
    for (size_t j = 0; j < d; ++j)
      room[j] = dot(own->s + j * d, own->u + i * d, d);
    for (size_t j = 0; j < d; ++j)
      inference->covariance[i * d + j] =
          (i == j ? inference->found[i].sampling : dot(own->u + j * d, room, d)) +
          privacy(own, i, j);
  }
  set_damped(inference, own);
  inference->low = sums->low / inference->n;
  inference->low_noise = sums->low_noise / inference->n;
}

tacit_status tacit_effects_finish(tacit_inference *inference,
                                  const tacit_joint_facts *facts,
                                  const tacit_joint_sums *sums, tacit_error *err) {
  size_t d = facts->d, square = d * d;
  double *room;
  TACIT_TRY(TACIT_NEW(inference->found, d, err));
  TACIT_TRY(TACIT_NEW(inference->covariance, square, err));
  TACIT_TRY(TACIT_NEW(inference->damped, d, err));
  TACIT_TRY(TACIT_NEW(room, 6 * square + 3 * d, err));
  struct finish own = {.d = d,
                       .facts = facts,
                       .s = room + square,
                       .inverse = room + 2 * square,
                       .map = room + 3 * square,
                       .u = room + 4 * square,
                       .vectors = room + 5 * square,
                       .values = room + 6 * square,
                       .g = room + 6 * square + d,
                       .delta = room + 6 * square + 2 * d};
  finish(inference, &own, sums, room);
  tacit_array_free(room);
  return TACIT_OK;
}
