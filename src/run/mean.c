/* SPDX-License-Identifier: MIT */
/*
 * Round 0 of a centred run: the sum over all rows of the row and a few numbers more is
 * released like the sum of any round, by a vault and under a key of its own. What the
 * rounds after it use is made of the release (centre/frame.c). The three steps of a
 * round are those of run/round.c. Proof: docs/proofs/mean_release.md
 */
#include <math.h>

#include "base/error.h"
#include "run/run.h"

void tacit_mean_delta(const tacit_plan *plan, double steps, int64_t clip,
                      tacit_delta *out) {
  const tacit_moments *moments = &plan->moments;
  *out = (tacit_delta){
      .kind = TACIT_DELTA_MOMENTS,
      .loss = plan->loss,
      .row = plan->row,
      .label = plan->label,
      .class_weights = plan->class_weights,
      .steps = steps,
      .clip = clip,
      .sens_norm = plan->sens_norm,
      .label_unit = moments->label_unit,
      .label_scale = moments->label,
      .norm_scale = moments->norm,
      .weight_scale = moments->weight,
      .bins = moments->bins,
      .bin_low = moments->bin_low,
      .bin_scale = moments->bin,
      .kernel = plan->kernel,
  };
}

tacit_status tacit_mean_end(tacit_train *train, double noise, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  const tacit_frame_facts facts = {
      .moments = plan->moments,
      .row = plan->row,
      .label = plan->label,
      .loss = plan->loss,
      .rows = (double)plan->mean_rows,
      .noise = noise,
      .signal = (double)plan->rows * plan->mu / plan->vault.kappa,
      .slope = plan->slope,
      .constant = plan->constant,
      .passes = plan->config.passes,
      .bits = plan->offset_bits - ilogb(plan->row.row_norm),
      .start = plan->start,
      .start_offset = plan->start_offset,
  };
  TACIT_TRY(tacit_frame_new(&facts, train->y, &train->frame, err));
  train->offset = (tacit_offset){train->frame->offset, train->frame->bits};
  return tacit_train_algorithm1(train, err);
}

void tacit_mean_offset(tacit_train *train) {
  const tacit_frame *frame = train->frame;
  const tacit_weights *weights = tacit_algorithm1_weights(train->algorithm1);
  tacit_delta *delta = &train->delta;
  double *offsets = train->offsets, *offsets_prev = offsets + train->plan->row.outputs;
  tacit_frame_offsets(frame, train->pool, delta->x, offsets);
  tacit_frame_offsets(frame, train->pool, delta->x_prev, offsets_prev);
  delta->offset = &train->offset;
  delta->offsets = offsets;
  delta->offsets_prev = offsets_prev;
  delta->radius = frame->radius;
  delta->slope_max = frame->slope * weights->rise;
  delta->square_scale = frame->square;
  delta->square_max = frame->slope * delta->slope_max;
}
