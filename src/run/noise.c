/* SPDX-License-Identifier: MIT */
/*
 * How far the noise moved the weights of a model, approximately, from released numbers:
 * the curvature of the loss at the base rates (centre/frame.c), the released mean of
 * every input, and the learner's own numbers (algorithm1/band.c). The second moment of
 * an input of a row in the model follows from the kind of the input:
 *
 *   a category, a step      0 or v, so v m with m its mean
 *   hats                    2/3 v m, as for numbers that are even between two knots
 *   a flag, a level         v m - m^2
 *   a straight line, alone  (range/6)^2, as for normal numbers whose bounds are 3
 *   or beside hats          standard deviations away: its variance is not released;
 *                           beside atoms times the share of the rows that are no atoms
 *
 * With second moments, the noise is followed along their directions instead
 * (algorithm1/precondition.h), and no kind of input matters. If they map the rows, it
 * is not followed.
 *
 * A shift of all inputs of a category changes no shape, so it need not be known how the
 * noise shifts them. That is why m^2 is not subtracted for them.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "run/run.h"

enum {
  WEIGHTS_MAX = 1 << 16
}; /* the most inputs of models with bands, because bands
      are for people */

static int has_band(const tacit_train *train) {
  const tacit_plan *plan = train->plan;
  return train->mean.frame != NULL && !tacit_plan_maps(plan) &&
         tacit_schema_terms(plan->schema) > 0 &&
         plan->row.features <= WEIGHTS_MAX / plan->row.outputs;
}

tacit_band_facts tacit_train_band_facts(const tacit_train *train) {
  const tacit_frame *frame = train->mean.frame;
  tacit_band_facts facts = {0};
  if (!has_band(train)) return facts;
  double unit = frame->row.row_norm;
  facts.l2 = train->plan->l2;
  if (train->second.precondition != NULL) { /* steps to the minimum have length 1 */
    facts.curvature_max = 1;
    return facts;
  }
  for (size_t k = 0; k < frame->row.outputs; ++k)
    facts.curvature_max = fmax(facts.curvature_max, frame->turns[k] * unit * unit);
  if (frame->turns_as_slope) facts.slope_start = frame->slope_start / frame->slope_unit;
  return facts;
}

/* Returns the second moment of a line: part 0 of its term, or part 2 of hats. */
static double line_moment(const tacit_schema *schema, size_t which,
                          const tacit_term *term, double scale) {
  double low[3], high[3];
  size_t part = term->kind == TACIT_TERM_LINE ? 0 : 2;
  (void)tacit_schema_term_parts(schema, which, term->min, low);
  (void)tacit_schema_term_parts(schema, which, term->max, high);
  double v = scale * (high[part] - low[part]);
  return v / 6 * (v / 6);
}

/* Returns the second moment of an input that is at most v, less what centring
   subtracts. `rest` is the share of the rows whose number is no atom. */
static double second_moment(const tacit_schema *schema, size_t which,
                            const tacit_term *term, size_t input, double scale,
                            double rest, double mean) {
  double v = scale;
  mean = fmax(mean, 0);
  if (input >= term->count - term->n_atoms) return v * mean;
  if (term->n_atoms > 0) v *= TACIT_CURVE_REST;
  switch (term->kind) {
  case TACIT_TERM_LINE: return rest * line_moment(schema, which, term, scale);
  case TACIT_TERM_HATS:
    if (input == term->n_points) return rest * line_moment(schema, which, term, scale);
    return 2 * v * mean / 3;
  case TACIT_TERM_LEVELS:
    v /= sqrt((double)term->count);
    return fmax(v * mean - mean * mean, 0);
  case TACIT_TERM_FLAG: return fmax(v * mean - mean * mean, 0);
  case TACIT_TERM_STEPS:
  case TACIT_TERM_VALUES:
  case TACIT_TERM_HASHED:
  case TACIT_TERM_WORDS:
  case TACIT_TERM_CROSS: break;
  }
  return v * mean;
}

/* Returns the deviation of a weight from the deviations along all directions. */
static double along_directions(const tacit_precondition *pre, const tacit_band *band,
                               size_t input) {
  double squares = 0;
  for (size_t k = 0; k < pre->columns; ++k) {
    double share = pre->vectors[input * pre->columns + k] / pre->curvatures[k];
    double std = share * tacit_band_std(band, pre->turns[k] / pre->curvatures[k]);
    squares += std * std;
  }
  return sqrt(squares);
}

/* Returns the share of the rows whose number is no atom, from the released means. */
static double rest_of(const tacit_frame *frame, const tacit_term *term, double scale) {
  double rest = 1;
  for (size_t i = 1; i <= term->n_atoms; ++i)
    rest += fmin(frame->offset[term->first + term->count - i] / scale, 0);
  return fmax(rest, 0);
}

/* Writes the deviations of the weights of one term, for all outputs. Returns the
   largest of them. */
static double fill_term(const tacit_train *train, const tacit_band *band, size_t which,
                        const tacit_term *term, double *out) {
  const tacit_frame *frame = train->mean.frame;
  const tacit_precondition *pre = train->second.precondition;
  double scale = tacit_term_scale_of(train->plan->schema, &frame->row), largest = 0;
  double rest = rest_of(frame, term, scale);
  for (size_t k = 0; k < frame->row.outputs; ++k) {
    for (size_t i = 0; i < term->count; ++i) {
      size_t input = term->first + i;
      double second = second_moment(train->plan->schema, which, term, i, scale, rest,
                                    -frame->offset[input]);
      double std = pre != NULL ? along_directions(pre, band, input)
                               : tacit_band_std(band, frame->turns[k] * second);
      if (frame->stretch != NULL) std *= frame->stretch[input];
      out[k * frame->row.features + input] = std;
      largest = fmax(largest, isfinite(std) ? std : INFINITY);
    }
  }
  return largest;
}

tacit_status tacit_train_noise(const tacit_train *train, double **out,
                               tacit_error *err) {
  const tacit_plan *plan = train->plan;
  const tacit_band *band = tacit_algorithm1_band(train->algorithm1);
  tacit_term term = {.struct_size = sizeof term};
  double largest = 0;
  *out = NULL;
  if (band == NULL) return TACIT_OK;
  double *noise =
      tacit_array_new(plan->row.outputs * plan->row.features, sizeof *noise);
  if (noise == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < tacit_schema_terms(plan->schema); ++i)
    if (tacit_schema_term(plan->schema, i, &term, NULL) == TACIT_OK)
      largest = fmax(largest, fill_term(train, band, i, &term, noise));
  /* a largest deviation of 0 means that there was no noise */
  if (largest > 0 && isfinite(largest))
    *out = noise;
  else
    tacit_array_free(noise);
  return TACIT_OK;
}
