/* SPDX-License-Identifier: MIT */
/*
 * From the release of round 0 to centred rounds. n is the number of rows, s the noise
 * in one number of the mean, d the number of columns. Rows have norm at most 1;
 * otherwise everything is in units of row_norm.
 *
 *   m    the mean row times max(0, 1 - d s^2/|m|^2), on the lattice 2^-bits
 *   pi   the rates of the classes, kept 1.5 s away from 0 and 1
 *   r    rows x - m are cut to this norm (centre/radius.c)
 *   b    a constant that every row has, 0.3 r; its weight is the free intercept. 0.6 r
 *        for classes in several passes if n mu / kappa is below 200
 *   o    (-m, b): added to a row
 *   c    bound on slopes; losses on numbers: the slopes of labels within 0.3 to 3
 *        deviations of their mean (counts: to 10), more with less noise or one pass
 *   s_q  0.1 r_t/c, r_t = |(r, b)|: the squared slope is one more number
 *
 * A contribution a (x - m, b), s_q |a|^2 is then at most c r_t sqrt(1.01) long. The
 * mean and the deviation of number labels come from a noisy histogram
 * (centre/labels.h). The constants were chosen on data: docs/results/defaults.md.
 */
#include "centre/frame.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "centre/labels.h"
#include "centre/means.h"
#include "norm/norm.h"

static const double square_scale = 0.1;
/* b over r. Below the signal `signal_faint`, noise hides the rates of the classes, so
   the intercept starts far from where it belongs, and a larger b moves it faster. */
static const double intercept_scale = 0.3, intercept_faint = 0.6, signal_faint = 200;
static const double deviations_most = 3, stiffness_high = 1.5;

double tacit_centre_reach_max(double row_norm, double slope, double constant) {
  return slope * row_norm * sqrt(1 + constant * constant) *
         sqrt(1 + square_scale * square_scale);
}

double tacit_centre_constant(int are_classes, double signal, int passes) {
  return are_classes && passes > 1 && signal < signal_faint ? intercept_faint
                                                            : intercept_scale;
}

double tacit_centre_slope(double slope, double signal, size_t weights) {
  double clear = signal / sqrt((double)weights) / 60;
  return slope * fmin(1, fmax(0.5, 0.6 * sqrt(sqrt(sqrt(clear)))));
}

void tacit_frame_free(tacit_frame *frame) {
  if (frame == NULL) return;
  TACIT_FREE(frame->offset, frame->alone, frame->intercepts, frame->turns,
             frame->stretch, frame->wide, frame);
}

/* Shrinks the mean row by the rule of James and Stein, and to at most the norm of a
   row. If the spread of rows is released, features are shrunk to the mean of all
   features instead of 0: where bounds are wide, most columns have about the same mean.
 */
static tacit_shrunk shrink_mean(const tacit_means *means) {
  const tacit_moments *moments = &means->facts->moments;
  size_t columns = moments->columns, features = means->facts->row.features;
  int together = moments->wave > 0 && features > 3;
  size_t count = together ? features : columns;
  double sum = 0, squares = 0, row_norm = means->facts->row.row_norm;
  for (size_t j = 0; together && j < features; ++j)
    sum += means->y[j] / means->count;
  double toward = together ? sum / (double)features : 0;
  for (size_t j = 0; j < count; ++j) {
    double gap = means->y[j] / means->count - toward;
    squares += gap * gap;
  }
  double one = means->noise * means->noise, noise = (double)count * one;
  double factor = squares > 0 ? fmax(0, 1 - noise / squares) : 0;
  double bias = together && columns > features ? means->y[features] / means->count : 0;
  double length = factor * sqrt(squares);
  if (together)
    length = sqrt(length * length + (double)features * toward * toward + bias * bias);
  if (!isfinite(length)) factor = length = toward = bias = 0;
  double part = length > row_norm ? row_norm / length : 1;
  length = fmin(length, row_norm);
  return (tacit_shrunk){.toward = part * (1 - factor) * toward,
                        .factor = part * factor / means->count,
                        .bias = together ? part * bias : NAN,
                        .squares = length * length,
                        .error = together ? factor * noise + 2 * one : noise};
}

void tacit_frame_cut(tacit_frame *frame, double radius, double constant) {
  size_t columns = frame->row.features + (frame->row.bias ? 1 : 0);
  constant = floor(ldexp(constant * radius, frame->bits));
  constant = ldexp(constant >= 1 ? constant : 1, -frame->bits);
  frame->radius = radius;
  frame->offset[columns] = constant;
  frame->row_reach = sqrt(radius * radius + constant * constant);
  if (!(frame->slope > 0)) return; /* it is not known yet */
  frame->square = square_scale * frame->row_reach / frame->slope;
  frame->reach =
      frame->slope * frame->row_reach * sqrt(1 + square_scale * square_scale);
}

/* Sets the offset from the shrunk mean, and the constant of the free intercept. */
static void set_offset(tacit_frame *frame, const tacit_means *means) {
  size_t columns = means->facts->moments.columns;
  tacit_shrunk shrunk = shrink_mean(means);
  tacit_frame_radius(frame, means, &shrunk);
  for (size_t j = 0; j < columns; ++j) {
    int is_bias = j == means->facts->row.features && !isnan(shrunk.bias);
    double mean = is_bias ? shrunk.bias : shrunk.toward + shrunk.factor * means->y[j];
    double step = ldexp(mean, frame->bits);
    frame->offset[j] = ldexp(-floor(step + 0.5), -frame->bits);
  }
  tacit_frame_cut(frame, frame->radius, means->facts->constant);
}

/* Returns the place between `low` and `high` where an increasing function crosses 0. */
static double root_of(double (*f)(const void *context, double u), const void *context,
                      double low, double high) {
  for (;;) {
    double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) return middle;
    if (f(context, middle) < 0)
      low = middle;
    else
      high = middle;
  }
}

struct guess {
  const tacit_loss *loss;
  double rate;      /* of label 1, for classes */
  double mean, std; /* of labels, for numbers */
};

/* Returns the mean slope at a margin u for two classes. */
static double slope_of_rate(const void *context, double u) {
  const struct guess *guess = context;
  return guess->rate * tacit_loss_slope(guess->loss, u, 1) +
         (1 - guess->rate) * tacit_loss_slope(guess->loss, u, -1);
}

/* Returns the mean squared slope at a margin u for two classes. */
static double square_of_rate(const struct guess *guess, double u) {
  double up = tacit_loss_slope(guess->loss, u, 1),
         down = tacit_loss_slope(guess->loss, u, -1);
  return guess->rate * up * up + (1 - guess->rate) * down * down;
}

/* Returns the mean slope at a margin u for normal labels, by 16 points of equal
   probability. For a quantile loss it is 0 at that quantile, not at the mean. */
static double slope_of_numbers(const void *context, double u) {
  static const double points[] = {0.0784124, 0.2372021, 0.4022501, 0.5791322,
                                  0.7764218, 1.0099902, 1.3180109, 1.8627319};
  const struct guess *guess = context;
  double sum = 0;
  for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i)
    sum += tacit_loss_slope(guess->loss, u, guess->mean - points[i] * guess->std) +
           tacit_loss_slope(guess->loss, u, guess->mean + points[i] * guess->std);
  return sum;
}

enum { MARGIN_MAX = 30 };
static const double turn_step = 1e-4; /* step of margins, to see how slopes change */

/* Starts the outputs of softmax, and losses like it, at the logarithms of the rates. */
static void start_joint(tacit_frame *frame, const double *rates, size_t classes) {
  double mean = 0, squares = 0;
  for (size_t k = 0; k < classes; ++k) {
    frame->intercepts[k] = log(rates[k]);
    frame->turns[k] = rates[k] * (1 - rates[k]);
    mean += frame->intercepts[k] / (double)classes;
    squares += rates[k] * rates[k];
  }
  for (size_t k = 0; k < classes; ++k)
    frame->intercepts[k] -= mean;
  frame->turns_as_slope = 1;
  frame->slope_unit = 1 / (1 - 1 / (double)classes);
  frame->slope_start = frame->slope_unit * (1 - squares);
}

/* Starts each output by itself, at the constant margin with the least mean loss. */
static void start_alone(tacit_frame *frame, const tacit_loss *loss, const double *rates,
                        size_t outputs) {
  double squares = 0, even = 0, turns = 0;
  for (size_t k = 0; k < outputs; ++k) {
    struct guess guess = {.loss = loss, .rate = rates[k]};
    double u = root_of(slope_of_rate, &guess, -MARGIN_MAX, MARGIN_MAX);
    frame->intercepts[k] = u;
    frame->turns[k] =
        (slope_of_rate(&guess, u + turn_step) - slope_of_rate(&guess, u - turn_step)) /
        (2 * turn_step);
    turns += frame->turns[k];
    squares += square_of_rate(&guess, u);
    guess.rate = outputs > 1 ? 1 / (double)outputs : 0.5;
    u = root_of(slope_of_rate, &guess, -MARGIN_MAX, MARGIN_MAX);
    even += square_of_rate(&guess, u);
  }
  frame->turns_as_slope = fabs(turns / squares - 1) < 0.01;
  frame->slope_unit = even > 0 ? 1 / even : 1;
  frame->slope_start = squares * frame->slope_unit;
}

static tacit_status start_classes(tacit_frame *frame, const tacit_means *means,
                                  tacit_error *err) {
  const tacit_moments *moments = &means->facts->moments;
  size_t count = moments->rates, classes = count > 1 ? count : 2;
  double *rates = tacit_array_new(count, sizeof *rates), sum = 0;
  if (rates == NULL) return tacit_fail_memory(err);
  double least =
      fmin(1 / (double)classes, fmax(0.002, 1.5 * means->noise / moments->label));
  for (size_t k = 0; k < count; ++k) {
    double rate = tacit_tail_of(means, k, moments->label);
    rates[k] = fmin(1 - least, fmax(least, rate));
    sum += rates[k];
  }
  for (size_t k = 0; count > 1 && k < count; ++k)
    rates[k] /= sum;
  if (count > 1 && tacit_loss_copies(means->facts->loss) == 1)
    start_joint(frame, rates, count);
  else
    start_alone(frame, means->facts->loss, rates, count);
  frame->slope_start = fmin(1, fmax(0.001, frame->slope_start));
  tacit_array_free(rates);
  return TACIT_OK;
}

/* Returns within how many standard deviations of the mean label slopes are not clipped.
   Clipped slopes pull a model of skewed labels to their median, loose bounds cost
   noise. A quantile would become the median, so slopes that jump are not clipped. */
static double deviations_for(const tacit_frame_facts *facts) {
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(facts->loss, &bounds);
  if (bounds.slope_is_global && bounds.curvature > stiffness_high * bounds.slope)
    return deviations_most;
  int one = facts->passes == 1;
  if (facts->label.kind == TACIT_LOSS_COUNT) /* counts may have long tails */
    return fmin(10, fmax(0.3, 1.5 * cbrt(tacit_clear_of(facts))));
  double share = facts->products ? 1 : one ? 0.6 : 0.5;
  return fmin(deviations_most,
              fmax(one ? 0.4 : 0.3, share * cbrt(tacit_clear_of(facts))));
}

/* Sets how fast the mean slope changes with the margin: as the slope of one row at the
   start, unless most labels are past the corners of the loss. Labels are taken as
   normal with deviation `std`. */
static void set_curvature(tacit_frame *frame, const tacit_frame_facts *facts,
                          double std) {
  int counts = facts->label.kind == TACIT_LOSS_COUNT;
  double u = frame->intercepts[0], label = counts ? frame->label_mean : u;
  double turn = (tacit_loss_slope(facts->loss, u + turn_step, label) -
                 tacit_loss_slope(facts->loss, u - turn_step, label)) /
                (2 * turn_step);
  if (!(turn > 0)) turn = 1;
  frame->turns[0] = frame->curvature =
      fmin(turn, 0.8 * frame->slope / (counts ? std / turn : std));
}

/* Sets the intercept, the bound on slopes and the curvature for losses on numbers. */
static void start_numbers(tacit_frame *frame, const tacit_means *means) {
  const tacit_frame_facts *facts = means->facts;
  const tacit_moments *moments = &facts->moments;
  const tacit_label_rule *label = &facts->label;
  int counts = label->kind == TACIT_LOSS_COUNT;
  double low = counts ? label->min : -1, high = counts ? label->max : 1;
  double unit = moments->label_unit;
  double noise = means->noise / moments->label;
  const tacit_label_means labels = {
      .mean = tacit_tail_of(means, 0, moments->label),
      .square = 2 * tacit_tail_of(means, 1, moments->label),
      .noise = noise,
      .low = moments->bin_low,
      .hats = means->y + moments->columns + 2,
      .hats_unit = moments->bin * means->count,
      .hats_noise = means->noise / moments->bin,
  };
  tacit_label_guess seen = tacit_label_guess_of(&labels);
  double mean = seen.mean * unit;
  /* A mean count of 0 has no logarithm. */
  if (counts) low = fmax(low, fmin(high, fmax(noise, 1e-6) * unit));
  frame->label_mean = fmin(high, fmax(low, mean));
  frame->label_std = unit * seen.std;
  struct guess guess = {
      .loss = facts->loss, .mean = frame->label_mean, .std = frame->label_std};
  double reach = MARGIN_MAX + 2 * fabs(guess.mean);
  frame->intercepts[0] = root_of(slope_of_numbers, &guess, -reach, reach);
  double deviations = deviations_for(facts), wide = deviations * frame->label_std;
  double below = fmax(counts ? label->min : -1, guess.mean - wide),
         above = fmin(high, guess.mean + wide);
  double slope = fmax(fabs(tacit_loss_slope(facts->loss, frame->intercepts[0], below)),
                      fabs(tacit_loss_slope(facts->loss, frame->intercepts[0], above)));
  frame->slope = fmax(slope, 1e-6 * unit);
  frame->slope_start = 1;
  frame->slope_unit = deviations * deviations / (frame->slope * frame->slope);
  set_curvature(frame, facts, frame->label_std);
}

static tacit_status frame_init(tacit_frame *frame, const tacit_frame_facts *facts,
                               const double *y, tacit_error *err) {
  const tacit_row_rule *row = &facts->row;
  frame->row = *row;
  frame->bits = facts->bits;
  frame->offset = tacit_array_new(facts->moments.columns + 1, sizeof *frame->offset);
  frame->intercepts = tacit_array_new(row->outputs, sizeof *frame->intercepts);
  frame->turns = tacit_array_new(row->outputs, sizeof *frame->turns);
  if (frame->offset == NULL || frame->intercepts == NULL || frame->turns == NULL)
    return tacit_fail_memory(err);
  tacit_means means = tacit_means_of(facts, y);
  frame->count = means.count;
  frame->shift = (tacit_offset){frame->offset, frame->bits};
  set_offset(frame, &means);
  if (facts->moments.rates > 0) {
    tacit_loss_bounds bounds;
    tacit_loss_bounds_of(facts->loss, &bounds);
    TACIT_TRY(start_classes(frame, &means, err));
    frame->slope =
        tacit_centre_slope(bounds.slope_is_global ? bounds.slope : bounds.slope_at_zero,
                           facts->signal, (facts->moments.columns + 1) * row->outputs);
  } else {
    start_numbers(frame, &means);
  }
  if (facts->slope > 0) frame->slope = facts->slope;
  tacit_frame_cut(frame, frame->radius, facts->constant);
  /* A start point keeps its own intercept. */
  for (size_t k = 0; facts->start != NULL && k < row->outputs; ++k)
    frame->intercepts[k] = (facts->start_offset != NULL ? facts->start_offset[k] : 0) -
                           tacit_frame_offset(frame, NULL, facts->start, k, 0);
  return TACIT_OK;
}

tacit_status tacit_frame_new(const tacit_frame_facts *facts, const double *y,
                             tacit_frame **out, tacit_error *err) {
  tacit_frame *frame = tacit_array_new(1, sizeof *frame);
  if (frame == NULL) return tacit_fail_memory(err);
  tacit_status status = frame_init(frame, facts, y, err);
  if (status != TACIT_OK) {
    tacit_frame_free(frame);
    return status;
  }
  *out = frame;
  return TACIT_OK;
}

tacit_status tacit_frame_stretch(tacit_frame *frame, const double *factors,
                                 double spread, double radius, double constant,
                                 tacit_error *err) {
  size_t features = frame->row.features, columns = features + (frame->row.bias ? 1 : 0);
  frame->spread = spread;
  tacit_frame_cut(frame, radius, constant);
  double most = 1;
  for (size_t j = 0; j < features; ++j)
    most = fmax(most, factors[j]);
  if (most <= 1) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(frame->stretch, features, err));
  TACIT_TRY(TACIT_NEW(frame->wide, columns + 1, err));
  memcpy(frame->wide, frame->offset, (columns + 1) * sizeof *frame->wide);
  for (size_t j = 0; j < features; ++j) {
    frame->stretch[j] = factors[j];
    frame->wide[j] *= factors[j];
  }
  frame->shift.values = frame->wide;
  return TACIT_OK;
}

void tacit_frame_unstretch(const tacit_frame *frame, double *x) {
  for (size_t j = 0; frame->stretch != NULL && j < frame->row.features; ++j)
    x[j] *= frame->stretch[j]; /* one output: rows with classes are not stretched */
}
