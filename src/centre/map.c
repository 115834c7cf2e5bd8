/* SPDX-License-Identifier: MIT */
/*
 * From the release of the products to a map of rows with classes. d is the number of
 * columns, w_k the eigenvalues of the mean products, symmetric, with directions V, and
 * s the noise in one of them. That noise moves the eigenvalues by up to 2 e, e = s
 * sqrt(d/2).
 *
 *   eta_k   sqrt(w_k^2 - 4 e^2), the variance of a direction that is seen, w_k > 2 e;
 *           all others share what is left of the trace
 *   A       V diag(1/sqrt(max(eta_k, e))) V' in the unit in which mapped rows have the
 *           root mean square 1/0.85
 *
 * In mapped space no direction waits for another, so the run needs no steps of its own.
 * Constants: docs/results/defaults.md. Proof: docs/proofs/mean_release.md
 */
#include "centre/map.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/margins.h"
#include "norm/norm.h"

static const double length = 1 / 0.85, trace_least = 0.3, radius_mapped = 0.95;

void tacit_map_free(tacit_map *map) {
  if (map == NULL) return;
  TACIT_FREE(map->offset, map->weights, map);
}

/* Replaces the eigenvalues by the factors of their directions. `most` is the square of
   the norm that rows are cut to. */
static void stretch(tacit_precondition *pre, double most) {
  double *values = pre->turns, edge = pre->edge / 2, seen = 0, inner = 0;
  double trace = fmax(pre->trace, fmin(trace_least * most, 3 * edge));
  size_t count = pre->columns, unseen = 0;
  for (size_t k = 0; k < count; ++k) {
    double square = values[k] > 2 * edge ? values[k] * values[k] - 4 * edge * edge : 0;
    values[k] = sqrt(square);
    seen += values[k];
    unseen += !(values[k] > 0);
  }
  double rest = fmax(0, fmin(trace, most) - seen) / fmax(1, (double)unseen);
  double least = fmax(fmax(rest, edge), 1e-4 * most / (double)count);
  for (size_t k = 0; k < count; ++k) {
    double variance = values[k] > 0 ? values[k] : rest;
    values[k] = fmax(variance, least);
    inner += variance / values[k];
  }
  for (size_t k = 0; k < count; ++k)
    values[k] = length / sqrt(values[k] * inner);
}

/* Writes A in whole numbers, and its unit. The columns of `vectors` are its
   directions. */
static void fill_map(tacit_map *map, const double *vectors, const double *factors) {
  size_t n = map->columns, width = map->width;
  double largest = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k)
        sum += vectors[i * n + k] * factors[k] * vectors[j * n + k];
      map->weights[i * width + j] = sum;
      largest = fmax(largest, fabs(sum));
    }
  int exponent = 0;
  (void)frexp(largest, &exponent);
  map->unit = ldexp(1, exponent - TACIT_MAP_BITS);
  for (size_t i = 0; i < n * width; ++i)
    map->weights[i] = floor(map->weights[i] / map->unit + 0.5);
}

tacit_status tacit_map_read(const tacit_products_facts *facts, const double *y,
                            tacit_map **out, tacit_error *err) {
  const tacit_frame *frame = facts->frame;
  tacit_precondition *pre = NULL;
  tacit_map *map = NULL;
  TACIT_TRY(TACIT_NEW(map, 1, err));
  tacit_status status = tacit_products_read(facts, y, &pre, err);
  if (status == TACIT_OK) {
    map->row = frame->row;
    map->columns = pre->columns;
    map->width = tacit_wide_width(map->columns, 1);
    status = TACIT_NEW(map->offset, map->columns + 1, err);
  }
  if (status == TACIT_OK)
    status = TACIT_NEW(map->weights, map->columns * map->width, err);
  if (status == TACIT_OK) {
    memcpy(map->offset, frame->offset, (map->columns + 1) * sizeof *map->offset);
    stretch(pre, frame->radius * frame->radius);
    fill_map(map, pre->vectors, pre->turns);
  }
  tacit_precondition_free(pre);
  return TACIT_HAND_OVER(status, map, tacit_map_free, out);
}

void tacit_map_frame(const tacit_map *map, double constant, tacit_frame *frame) {
  frame->row = tacit_map_rule(&map->row);
  frame->unit = 1;
  for (size_t j = 0; j < map->columns; ++j)
    frame->offset[j] = 0;
  tacit_frame_cut(frame, radius_mapped, constant);
}

void tacit_map_fold(const tacit_map *map, const tacit_frame *frame, const double *x,
                    double *weights, double *offsets) {
  size_t n = map->columns, outputs = map->row.outputs, features = map->row.features;
  for (size_t k = 0; k < outputs; ++k) {
    const double *own = x + k * n;
    offsets[k] = frame->intercepts[k] + frame->offset[n] * x[outputs * n + k];
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i)
        sum += own[i] * map->weights[j * map->width + i];
      size_t at = j < features ? k * features + j : outputs * features + k;
      weights[at] = map->unit * sum;
      offsets[k] += map->offset[j] * weights[at];
    }
  }
}
