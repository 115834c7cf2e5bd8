/* SPDX-License-Identifier: MIT */
/*
 * From the release of the products to directions and curvatures. n is the number of
 * rows, s the noise in one number of the sum of products. S is the released sum, made
 * symmetric, so that its noise falls to s/sqrt(2) off the diagonal.
 *
 *   up           = max(1, n E|z|^2 / tr S), which undoes what the cut of long rows took
 *   f_j          = the power of two, 1 to 16, that brings S_jj nearest to the largest:
 *                  from here on column j of every row is multiplied by f_j, so that the
 *                  noise of the rounds, which is alike in all columns, hides no column
 *                  whose spread is small
 *   turn_k       = up max(e_k, 0)/n, with e_k the eigenvalues of f_i S_ij f_j
 *                  (the bias, which is constant in centred rows, has the trace for one:
 *                  it should not move)
 *   curvature_k  = turn_k + 0.35 sqrt(2 d) s/n sum_j (f_j v_kj)^2, a share of the edge
 * of the noise, so that steps are short where noise hides a direction r            =
 * stretched rows are cut to 0.6 to 2 of their spread, more if there is less noise: cut
 * rows are weighted rows, and a weighted fit is another model
 *
 * Products are of rows cut to 0.65 of their spread, in units of their longest. The
 * constants were chosen on data: docs/results/defaults.md.
 * Proof: docs/proofs/mean_release.md
 */
#include "centre/products.h"

#include <math.h>

#include "base/eigen.h"
#include "base/error.h"
#include "base/memory.h"
#include "centre/means.h"

static const double cut = 0.65, floor_share = 0.35;
static const double stretch_most =
    16; /* offsets stay on the lattice (vault/centre.h) */
static const double least_share = 0.02, noise_share = 0.5; /* of a column's spread */

static size_t columns_of(const tacit_row_rule *row) {
  return row->features + (row->bias ? 1 : 0);
}

/* Returns the norm that rows are cut to: no longer than the rounds allow. */
static double radius_of(const tacit_frame *frame) {
  return frame->spread > 0 ? fmin(frame->radius, cut * frame->spread) : frame->radius;
}

/* Returns the longest contribution: |z| with the last number of the offset, times
   |z| over the radius. */
static double reach_of(const tacit_frame *frame) {
  double radius = radius_of(frame);
  double last = frame->alone[columns_of(&frame->row)];
  return sqrt(radius * radius + last * last);
}

tacit_status tacit_products_begin(tacit_frame *frame, tacit_error *err) {
  size_t columns = columns_of(&frame->row);
  double squares = 0;
  TACIT_TRY(TACIT_NEW(frame->alone, columns + 1, err));
  for (size_t j = 0; j < columns; ++j) {
    frame->alone[j] = frame->offset[j];
    squares += frame->offset[j] * frame->offset[j];
  }
  /* vault/centre.h allows no smaller last number */
  double steps =
      2 + ceil(ldexp(sqrt(squares), frame->bits) / (ldexp(1, frame->bits) - 3));
  frame->alone[columns] = ldexp(steps, -frame->bits);
  frame->bare = (tacit_offset){frame->alone, frame->bits};
  return TACIT_OK;
}

void tacit_products_delta(const tacit_frame *frame, double steps, tacit_delta *delta) {
  delta->kind = TACIT_DELTA_PRODUCTS;
  delta->offset = &frame->bare;
  delta->radius = radius_of(frame);
  delta->steps = steps / reach_of(frame);
}

void tacit_precondition_free(tacit_precondition *pre) {
  if (pre == NULL) return;
  TACIT_FREE(pre->vectors, pre->curvatures, pre->turns, pre->room, pre);
}

/* Writes the symmetric matrix of mean products to `out`, and returns its trace. y has
   the layout of a sum with one output per column. */
static double fill_products(const tacit_frame *frame, const double *y, double unit,
                            double *out) {
  size_t features = frame->row.features, columns = columns_of(&frame->row);
  double trace = 0;
  for (size_t k = 0; k < columns; ++k)
    for (size_t j = 0; j < columns; ++j) {
      size_t at = j < features ? k * features + j : columns * features + k;
      out[k * columns + j] = unit * y[at];
    }
  for (size_t k = 0; k < columns; ++k) {
    for (size_t j = k + 1; j < columns; ++j)
      out[k * columns + j] = (out[k * columns + j] + out[j * columns + k]) / 2;
    trace += out[k * columns + k];
  }
  return trace;
}

static tacit_status make(size_t columns, tacit_precondition **out, tacit_error *err) {
  TACIT_TRY(TACIT_NEW(*out, 1, err));
  tacit_precondition *pre = *out;
  pre->columns = columns;
  TACIT_TRY(TACIT_NEW(pre->vectors, columns * columns, err));
  TACIT_TRY(TACIT_NEW(pre->curvatures, columns, err));
  TACIT_TRY(TACIT_NEW(pre->turns, columns, err));
  TACIT_TRY(TACIT_NEW(pre->room, columns, err));
  return TACIT_OK;
}

/* Writes a factor per column, which is 1 for the bias. `noise`
   is the standard deviation in a mean product. */
static void fill_factors(const tacit_frame_facts *facts, const double *products,
                         double noise, size_t n, double *factors) {
  size_t features = facts->stretches ? facts->row.features : 0;
  double most = 0, mean = 0;
  for (size_t j = 0; j < features; ++j) {
    double own = fmax(products[j * n + j], 0);
    most = fmax(most, own);
    mean += own / (double)features;
  }
  double least = least_share * mean + noise_share * noise;
  for (size_t j = 0; j < n; ++j) {
    double own = fmax(products[j * n + j], 0) + least;
    factors[j] = 1;
    while (j < features && factors[j] < stretch_most &&
           2 * factors[j] * factors[j] * own <= most + least)
      factors[j] *= 2;
  }
}

/* Returns the deviations that stretched rows are cut to. */
static double deviations_for(const tacit_frame_facts *facts) {
  return fmin(2, fmax(0.6, 0.7 * pow(tacit_clear_of(facts), 0.15)));
}

/* Stretches products and frame. `seen` is the trace of the products, kept above noise,
   and `up` times a trace a mean square of rows. The bias is constant in centred rows,
   and its direction gets a curvature with which it stays. */
static tacit_status stretch(const tacit_products_facts *facts, double *products,
                            size_t n, double seen, double up, double *factors,
                            tacit_error *err) {
  tacit_frame *frame = facts->frame;
  double noise = facts->noise * radius_of(frame) * reach_of(frame) / facts->rows;
  double trace = 0;
  fill_factors(facts->run, products, noise, n, factors);
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < n; ++k)
      products[j * n + k] *= factors[j] * factors[k];
    trace += products[j * n + j];
  }
  trace = fmax(trace, seen);
  for (size_t j = frame->row.features, k = 0; j < n && k < n; ++k)
    products[j * n + k] = products[k * n + j] = j == k ? trace : 0;
  double spread = sqrt(up * trace);
  return tacit_frame_stretch(frame, factors, spread,
                             deviations_for(facts->run) * spread, facts->run->constant,
                             err);
}

static tacit_status read(const tacit_products_facts *facts, const double *y,
                         tacit_precondition *pre, double *products, double *factors,
                         tacit_error *err) {
  tacit_frame *frame = facts->frame;
  size_t n = pre->columns;
  double unit = radius_of(frame) * reach_of(frame) / facts->rows,
         share = frame->count / facts->rows, spread = frame->spread;
  double trace = fill_products(frame, y, unit, products), noise = facts->noise * unit;
  double whole = share * spread * spread, seen = fmax(trace, 0.2 * whole),
         up = fmax(1, whole / seen);
  pre->trace = trace;
  pre->edge = sqrt(2 * (double)n) * noise;
  for (size_t j = 0; j < n; ++j)
    factors[j] = 1;
  if (facts->run != NULL)
    TACIT_TRY(stretch(facts, products, n, seen, up / share, factors, err));
  tacit_eigen(n, products, pre->vectors, pre->turns);
  double least = fmax(floor_share * pre->edge, 1e-9 * frame->spread * frame->spread);
  for (size_t k = 0; k < n; ++k) {
    double along = 0;
    for (size_t j = 0; j < n; ++j) {
      double part = factors[j] * pre->vectors[j * n + k];
      along += part * part;
    }
    pre->turns[k] = up * fmax(pre->turns[k], 0);
    pre->curvatures[k] = pre->turns[k] + along * least;
  }
  pre->intercept = share * frame->offset[n] * frame->offset[n];
  return TACIT_OK;
}

tacit_status tacit_products_read(const tacit_products_facts *facts, const double *y,
                                 tacit_precondition **out, tacit_error *err) {
  tacit_precondition *pre = NULL;
  size_t n = columns_of(&facts->frame->row);
  double *products = NULL, *factors = NULL;
  tacit_status status = make(n, &pre, err);
  if (status == TACIT_OK) status = TACIT_NEW(products, n * n, err);
  if (status == TACIT_OK) status = TACIT_NEW(factors, n, err);
  if (status == TACIT_OK) status = read(facts, y, pre, products, factors, err);
  TACIT_FREE(products, factors);
  if (status == TACIT_OK)
    *out = pre;
  else
    tacit_precondition_free(pre);
  return status;
}
