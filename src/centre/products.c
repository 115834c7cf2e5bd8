/* SPDX-License-Identifier: MIT */
/*
 * From the release of the products to directions and curvatures. n is the number of
 * rows, s the noise in one number of the sum of products. S is the released sum, made
 * symmetric, so that its noise falls to s/sqrt(2) off the diagonal.
 *
 *   up           = max(1, n E|z|^2 / tr S), which undoes what the cut of long rows took
 *   turn_k       = up max(e_k, 0)/n, with e_k the eigenvalues of S
 *   curvature_k  = turn_k + 0.7 sqrt(2 d) s/n, a share of the edge of the noise, so
 *                  that steps are short where noise hides a direction
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

static const double cut = 0.65, floor_share = 0.7;

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

static tacit_status read(const tacit_products_facts *facts, const double *y,
                         tacit_precondition *pre, tacit_error *err) {
  const tacit_frame *frame = facts->frame;
  size_t n = pre->columns;
  double unit = radius_of(frame) * reach_of(frame) / facts->rows,
         share = frame->count / facts->rows, spread = frame->spread;
  double *products = NULL;
  TACIT_TRY(TACIT_NEW(products, n * n, err));
  double trace = fill_products(frame, y, unit, products);
  double whole = share * fmin(spread, frame->radius) * fmin(spread, frame->radius);
  double up = fmax(1, whole / fmax(trace, 0.2 * share * spread * spread));
  pre->trace = trace;
  pre->edge = sqrt(2 * (double)n) * facts->noise * unit;
  tacit_eigen(n, products, pre->vectors, pre->turns);
  tacit_array_free(products);
  double least = fmax(floor_share * sqrt(2 * (double)n) * facts->noise * unit,
                      1e-9 * spread * spread);
  for (size_t k = 0; k < n; ++k) {
    pre->turns[k] = up * fmax(pre->turns[k], 0);
    pre->curvatures[k] = pre->turns[k] + least;
  }
  pre->intercept = share * frame->offset[n] * frame->offset[n];
  return TACIT_OK;
}

tacit_status tacit_products_read(const tacit_products_facts *facts, const double *y,
                                 tacit_precondition **out, tacit_error *err) {
  tacit_precondition *pre = NULL;
  tacit_status status = make(columns_of(&facts->frame->row), &pre, err);
  if (status == TACIT_OK) status = read(facts, y, pre, err);
  if (status == TACIT_OK)
    *out = pre;
  else
    tacit_precondition_free(pre);
  return status;
}
