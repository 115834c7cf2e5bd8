/* SPDX-License-Identifier: MIT */
/* What round 0 adds up, and what its release changes in the contributions of later
   rounds. Proof: docs/proofs/mean_release.md */
#include "centre/frame.h"

#include "norm/norm.h"

void tacit_moments_delta(const tacit_moments *moments, tacit_delta *delta) {
  delta->kind = TACIT_DELTA_MOMENTS;
  delta->label_unit = moments->label_unit;
  delta->label_scale = moments->label;
  delta->norm_scale = moments->norm;
  delta->wave_scale = moments->wave;
  delta->weight_scale = moments->weight;
  delta->bins = moments->bins;
  delta->bin_low = moments->bin_low;
  delta->bin_scale = moments->bin;
}

double tacit_frame_offset(const tacit_frame *frame, tacit_pool *pool, const double *x,
                          size_t k, int has_free) {
  const tacit_row_rule *row = &frame->row;
  const double *offset = frame->shift.values;
  size_t outputs = row->outputs, features = row->features;
  double sum = tacit_norm_dot(pool, offset, x + k * features, features);
  const double *next = x + outputs * features;
  if (row->bias) {
    sum += offset[features] * next[k];
    next += outputs;
  }
  if (has_free) sum += offset[features + (row->bias ? 1 : 0)] * next[k];
  return sum;
}

void tacit_frame_offsets(const tacit_frame *frame, tacit_pool *pool, const double *x,
                         double *out) {
  for (size_t k = 0; k < frame->row.outputs; ++k)
    out[k] = frame->intercepts[k] + tacit_frame_offset(frame, pool, x, k, 1);
}

void tacit_frame_delta(const tacit_frame *frame, tacit_pool *pool, double rise,
                       double *offsets, tacit_delta *delta) {
  double *offsets_prev = offsets + frame->row.outputs;
  tacit_frame_offsets(frame, pool, delta->x, offsets);
  tacit_frame_offsets(frame, pool, delta->x_prev, offsets_prev);
  delta->offset = &frame->shift;
  delta->stretch = frame->stretch;
  delta->offsets = offsets;
  delta->offsets_prev = offsets_prev;
  delta->radius = frame->radius;
  delta->slope_max = frame->slope * rise;
  delta->square_scale = frame->square;
  delta->square_max = frame->slope * delta->slope_max;
}
