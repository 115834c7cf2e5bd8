/* SPDX-License-Identifier: MIT */
/* What is made of the release of round 0, against the formulas of docs/theory.md. */
#include "check.h"

#include <string.h>

#include "centre/frame.h"
#include "centre/labels.h"

enum { FEATURES = 3, COLUMNS = FEATURES + 1, BITS = 12 };
static const double rows = 10000;

struct problem {
  tacit_frame_facts facts;
  tacit_loss *loss;
  double y[COLUMNS + 3 + TACIT_LABEL_BINS];
};

static void problem_init(struct problem *problem, const char *spec,
                         tacit_label_rule label, double row_norm, int weighs) {
  tacit_error err;
  tacit_loss_facts facts = {.margin_max = 100,
                            .label_max = label.kind == TACIT_LOSS_COUNT ? label.max : 1,
                            .classes = label.classes};
  *problem = (struct problem){0};
  CHECK_OK(tacit_loss_new(spec, &facts, &problem->loss, &err), err);
  tacit_frame_facts *out = &problem->facts;
  out->row = (tacit_row_rule){.features = FEATURES,
                              .bias = 1,
                              .row_norm = row_norm,
                              .exponent = 2,
                              .outputs = label.classes > 2 ? label.classes : 1};
  out->label = label;
  out->loss = problem->loss;
  out->rows = rows;
  out->noise = 20;
  out->signal = 3000;
  out->constant = 0.3;
  out->bits = BITS;
  tacit_moments_of(&out->row, &label, weighs, 0, &out->moments);
  static const double means[COLUMNS] = {0.3, -0.2, 0.001, 0.5};
  for (size_t j = 0; j < COLUMNS; ++j)
    problem->y[j] = row_norm * rows * means[j];
}

static tacit_frame *frame_of(const struct problem *problem) {
  tacit_error err;
  tacit_frame *frame = NULL;
  CHECK_OK(tacit_frame_new(&problem->facts, problem->y, &frame, &err), err);
  return frame;
}

static const tacit_label_rule two = {.kind = TACIT_LOSS_CLASSES, .classes = 2},
                              three = {.kind = TACIT_LOSS_CLASSES, .classes = 3},
                              unit = {.kind = TACIT_LOSS_UNIT, .min = 0, .max = 100},
                              count = {.kind = TACIT_LOSS_COUNT, .min = 0, .max = 50};

/* The mean after shrinking, squared, for noise 20 in the sums of 10000 rows. */
static double mean_squares(double *out_factor) {
  double squares = 0.09 + 0.04 + 1e-6 + 0.25, noise = 20 / rows;
  *out_factor = 1 - COLUMNS * noise * noise / squares;
  return *out_factor * *out_factor * squares;
}

static void round_zero_has_the_norm_it_says(void **state) {
  tacit_moments moments;
  tacit_row_rule row = {.features = FEATURES, .bias = 1, .row_norm = 2, .outputs = 3};
  (void)state;
  tacit_moments_of(&row, &three, 0, 0, &moments);
  assert_int_equal(moments.tails, 3);
  CHECK_RELATIVE(moments.reach, 2 * sqrt(1.09), 1e-15);
  CHECK_RELATIVE(moments.share, 0.2, 1e-15);
  row.outputs = 1;
  tacit_moments_of(&row, &two, 1, 0, &moments);
  assert_int_equal(moments.tails, 2);
  CHECK_RELATIVE(moments.reach, 2 * sqrt(1.18), 1e-15);
  tacit_moments_of(&row, &count, 0, 0, &moments);
  assert_int_equal(moments.tails, 3 + TACIT_LABEL_BINS);
  assert_int_equal(moments.bins, TACIT_LABEL_BINS);
  assert_true(moments.bin_low == 0);
  CHECK_RELATIVE(moments.label_unit, 50, 1e-15);
  /* A row of norm 2 and a label at its bound: (x, 1.5 (y, y^2/2), 1.5 of a hat,
     |x|^2/2). */
  CHECK_RELATIVE(moments.reach, 2 * sqrt(1 + 2.25 * 1.25 + 2.25 + 0.25), 1e-15);
  CHECK_RELATIVE(moments.norm * 4, 2 * 0.5, 1e-15);
  CHECK_RELATIVE(moments.share, 0.45, 1e-15);
  tacit_moments_of(&row, &unit, 0, 0, &moments);
  assert_true(moments.bin_low == -1);
}

static void two_classes_follow_the_recipe(void **state) {
  struct problem problem;
  double factor, squares = mean_squares(&factor), rate = 0.24;
  (void)state;
  for (double norm = 1; norm <= 8; norm *= 8) {
    problem_init(&problem, "logistic", two, norm, 0);
    problem.facts.noise *= norm;
    problem.y[COLUMNS] = 0.3 * norm * rows * rate;
    tacit_frame *frame = frame_of(&problem);
    double r = 0.95 * sqrt(1 - squares), reach = r * sqrt(1.09) * norm;
    double c = 0.6 * pow(3000 / sqrt(COLUMNS + 1) / 60, 0.125);
    CHECK_RELATIVE(frame->radius, r * norm, 1e-12);
    CHECK_RELATIVE(frame->row_reach, reach, 1e-3);
    CHECK_RELATIVE(frame->slope, c, 1e-12);
    CHECK_RELATIVE(frame->square, 0.1 * frame->row_reach / c, 1e-12);
    CHECK_RELATIVE(frame->reach, c * frame->row_reach * sqrt(1.01), 1e-12);
    CHECK_RELATIVE(frame->intercepts[0], log(rate / (1 - rate)), 1e-9);
    CHECK_RELATIVE(frame->slope_start, 4 * rate * (1 - rate), 1e-9);
    CHECK_RELATIVE(frame->slope_unit, 4, 1e-9);
    for (size_t j = 0; j < COLUMNS; ++j)
      CHECK_WITHIN(-frame->offset[j], factor * problem.y[j] / rows, 0x1p-13);
    CHECK_WITHIN(frame->offset[COLUMNS], 0.3 * r * norm, 0x1p-12);
    /* The longest contribution is as long as it says. */
    double constant = frame->offset[COLUMNS],
           z = sqrt(frame->radius * frame->radius + constant * constant);
    assert_true(c * c * z * z + pow(frame->square * c * c, 2) <=
                frame->reach * frame->reach * (1 + 1e-12));
    tacit_frame_free(frame);
    tacit_loss_free(problem.loss);
  }
}

static void the_intercept_is_faster_where_rates_are_hardly_seen(void **state) {
  static const struct {
    double signal;
    int passes;
    double constant;
  } cases[] = {{199, 8, 0.6}, {201, 8, 0.3}, {199, 1, 0.3}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct problem problem;
    problem_init(&problem, "logistic", two, 1, 0);
    problem.y[COLUMNS] = 0.3 * rows * 0.24;
    double c = tacit_centre_constant(1, cases[i].signal, cases[i].passes);
    CHECK_RELATIVE(c, cases[i].constant, 1e-15);
    problem.facts.constant = c;
    tacit_frame *frame = frame_of(&problem);
    CHECK_WITHIN(frame->offset[COLUMNS], c * frame->radius, 0x1p-12);
    /* What the plan takes as the largest is enough. */
    assert_true(frame->reach <= tacit_centre_reach_max(1, frame->slope, c));
    tacit_frame_free(frame);
    tacit_loss_free(problem.loss);
  }
  CHECK_RELATIVE(tacit_centre_constant(0, 1, 8), 0.3, 1e-15); /* numbers */
}

static void rates_stay_away_from_zero(void **state) {
  struct problem problem;
  (void)state;
  problem_init(&problem, "logistic", two, 1, 0);
  problem.y[COLUMNS] = -100; /* the noise made it negative */
  tacit_frame *frame = frame_of(&problem);
  double least = 1.5 * 20 / rows / 0.3;
  CHECK_RELATIVE(frame->intercepts[0], log(least / (1 - least)), 1e-9);
  tacit_frame_free(frame);
  problem.facts.noise = 1e6; /* and more noise than signal: no mean, an even guess */
  frame = frame_of(&problem);
  CHECK_WITHIN(frame->intercepts[0], 0, 1e-12);
  CHECK_RELATIVE(frame->radius, 0.95, 1e-12);
  for (size_t j = 0; j < COLUMNS; ++j)
    assert_true(frame->offset[j] == 0);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
}

static void several_classes_start_at_their_rates(void **state) {
  struct problem problem;
  static const double rates[] = {0.5, 0.3, 0.2};
  (void)state;
  problem_init(&problem, "softmax", three, 1, 0);
  for (size_t k = 0; k < 3; ++k)
    problem.y[COLUMNS + k] = 0.3 * rows * rates[k];
  tacit_frame *frame = frame_of(&problem);
  CHECK_RELATIVE(frame->intercepts[0] - frame->intercepts[2], log(2.5), 1e-9);
  CHECK_WITHIN(frame->intercepts[0] + frame->intercepts[1] + frame->intercepts[2], 0,
               1e-12);
  CHECK_RELATIVE(frame->slope_start, (1 - 0.25 - 0.09 - 0.04) * 1.5, 1e-9);
  double c = 0.6 * pow(3000 / sqrt(3 * (COLUMNS + 1)) / 60, 0.125);
  CHECK_RELATIVE(frame->slope, sqrt(2) * c, 1e-9);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
  problem_init(&problem, "logistic", three, 1, 0); /* each class against the rest */
  for (size_t k = 0; k < 3; ++k)
    problem.y[COLUMNS + k] = 0.3 * rows * rates[k];
  frame = frame_of(&problem);
  for (size_t k = 0; k < 3; ++k)
    CHECK_WITHIN(frame->intercepts[k], log(rates[k] / (1 - rates[k])), 1e-9);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
}

/* The mean of a normal number that was thought to be usual +- usual and then seen with
   this noise. */
static double expected(double seen, double noise, double usual) {
  double trust = 1 / (noise * noise), before = 1 / (usual * usual);
  return (trust * seen + before * usual) / (trust + before);
}

/* The release of labels that are normal, by 1,000 points of equal probability; those
   past a bound are at it. */
static void set_numbers(struct problem *problem, double mean, double std,
                        double norm_squares) {
  const tacit_moments *moments = &problem->facts.moments;
  double *tail = problem->y + COLUMNS;
  double step = (1 - moments->bin_low) / (TACIT_LABEL_BINS - 1);
  memset(tail, 0, (3 + TACIT_LABEL_BINS) * sizeof *tail);
  for (int i = 0; i < 1000; ++i) {
    double low = -8, high = 8; /* the quantile of a normal number, by halving */
    for (int k = 0; k < 60; ++k) {
      double middle = (low + high) / 2;
      if (0.5 * erfc(-middle * sqrt(0.5)) < (i + 0.5) / 1000)
        low = middle;
      else
        high = middle;
    }
    double u = fmin(1, fmax(moments->bin_low, mean + std * low));
    tail[0] += moments->label * rows / 1000 * u;
    tail[1] += moments->label * rows / 1000 * u * u / 2;
    for (int k = 0; k < TACIT_LABEL_BINS; ++k)
      tail[2 + k] += moments->bin * rows / 1000 *
                     fmax(0, 1 - fabs(u - moments->bin_low - k * step) / step);
  }
  tail[2 + TACIT_LABEL_BINS] = rows * norm_squares / 2;
}

static void numbers_follow_the_recipe(void **state) {
  struct problem problem;
  double factor, squares = mean_squares(&factor), mean = -0.6, std = 0.1;
  double noise = 20 / rows, norm_squares = 0.9;
  double deviations = 0.5 * cbrt(3000 / sqrt(COLUMNS + 1) / 60);
  (void)state;
  problem_init(&problem, "squared", unit, 1, 0);
  set_numbers(&problem, mean, std, norm_squares);
  tacit_frame *frame = frame_of(&problem);
  CHECK_RELATIVE(frame->label_std, std, 0.1);
  CHECK_RELATIVE(frame->label_mean, mean, 0.002);
  CHECK_RELATIVE(frame->slope, deviations * frame->label_std, 1e-9);
  CHECK_RELATIVE(frame->curvature, 1, 1e-9);
  CHECK_RELATIVE(frame->radius,
                 0.8 * sqrt(expected(norm_squares - squares, 2 * noise, 0.1)), 1e-9);
  CHECK_RELATIVE(frame->intercepts[0], frame->label_mean, 1e-12);
  std = frame->label_std;
  tacit_frame_free(frame);
  static const double signals[] = {10, 1e9}; /* the narrowest and the widest bound */
  for (int i = 0; i < 2; ++i) {
    problem.facts.signal = signals[i];
    frame = frame_of(&problem);
    CHECK_RELATIVE(frame->slope, (i == 0 ? 0.3 : 3) * std, 1e-9);
    CHECK_RELATIVE(frame->curvature, i == 0 ? 0.24 : 1, 1e-9);
    tacit_frame_free(frame);
  }
  problem.facts.signal = 10;
  problem.facts.passes = 1;
  frame = frame_of(&problem);
  CHECK_RELATIVE(frame->slope, 0.4 * std, 1e-9);
  tacit_frame_free(frame);
  problem.facts.passes = 8;
  problem.facts.signal = 1e9;
  set_numbers(&problem, 0.1, 0.6, norm_squares); /* wide: at most 1 + |mean| */
  frame = frame_of(&problem);
  CHECK_RELATIVE(frame->slope, 1 + fabs(frame->label_mean), 1e-9);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
  problem_init(&problem, "poisson", count, 1, 0);
  set_numbers(&problem, 8.0 / 50, 2.0 / 50, norm_squares);
  frame = frame_of(&problem);
  CHECK_RELATIVE(exp(frame->intercepts[0]), 8, 0.01);
  CHECK_RELATIVE(frame->label_std, 2, 0.1);
  CHECK_RELATIVE(frame->curvature, 8, 0.01); /* that of e^u */
  CHECK_RELATIVE(frame->slope, 3 * deviations * frame->label_std, 0.02);
  tacit_frame_free(frame);
  problem.facts.signal = 1e9; /* counts may have long tails: 10 deviations */
  frame = frame_of(&problem);
  CHECK_RELATIVE(frame->slope, 10 * frame->label_std, 0.02);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
}

static void a_quantile_starts_at_that_quantile(void **state) {
  struct problem problem;
  (void)state;
  problem_init(&problem, "quantile:tau=0.9,kappa=0.001", unit, 1, 0);
  set_numbers(&problem, 0, 0.2, 1);
  tacit_frame *frame = frame_of(&problem);
  CHECK_WITHIN(frame->intercepts[0], 0.2 * 1.28, 0.2 * 0.05);
  CHECK_RELATIVE(frame->slope, 0.9, 1e-9);
  /* 0.8 G over the standard deviation: nearly all labels are past the corners */
  CHECK_RELATIVE(frame->curvature, 0.72 / frame->label_std, 1e-9);
  tacit_frame_free(frame);
  problem.facts.signal = 10; /* a bound of 0.3 deviations would make it a median */
  frame = frame_of(&problem);
  CHECK_RELATIVE(frame->slope, 0.9, 1e-9);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
}

static void weights_are_divided_by_their_sum(void **state) {
  struct problem all, half;
  (void)state;
  problem_init(&all, "logistic", two, 1, 0);
  problem_init(&half, "logistic", two, 1, 1);
  all.facts.noise = half.facts.noise = 1e-6;
  all.y[COLUMNS] = 0.3 * rows * 0.1;
  half.y[COLUMNS] = 0.3 * rows / 2 * 0.1;
  half.y[COLUMNS + 1] = 0.3 * rows / 2;
  for (size_t j = 0; j < COLUMNS; ++j)
    half.y[j] /= 2;
  tacit_frame *a = frame_of(&all), *b = frame_of(&half);
  assert_memory_equal(a->offset, b->offset, (COLUMNS + 1) * sizeof *a->offset);
  CHECK_RELATIVE(b->intercepts[0], a->intercepts[0], 1e-9);
  tacit_frame_free(a);
  tacit_frame_free(b);
  tacit_loss_free(all.loss);
  tacit_loss_free(half.loss);
}

static void a_start_point_keeps_its_margins(void **state) {
  struct problem problem;
  static const double start[COLUMNS + 1] = {1, -2, 3, 0.5, 0}, own = 0.25;
  (void)state;
  problem_init(&problem, "logistic", two, 1, 0);
  problem.y[COLUMNS] = 0.3 * rows * 0.1;
  problem.facts.start = start;
  problem.facts.start_offset = &own;
  tacit_frame *frame = frame_of(&problem);
  double offset;
  tacit_frame_offsets(frame, NULL, start, &offset);
  CHECK_RELATIVE(offset, own, 1e-9);
  static const double moved[COLUMNS + 1] = {1, -2, 3, 0.5, 2};
  tacit_frame_offsets(frame, NULL, moved, &offset);
  CHECK_RELATIVE(offset, own + 2 * frame->offset[COLUMNS], 1e-9);
  tacit_frame_free(frame);
  tacit_loss_free(problem.loss);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_zero_has_the_norm_it_says),
      cmocka_unit_test(two_classes_follow_the_recipe),
      cmocka_unit_test(the_intercept_is_faster_where_rates_are_hardly_seen),
      cmocka_unit_test(rates_stay_away_from_zero),
      cmocka_unit_test(several_classes_start_at_their_rates),
      cmocka_unit_test(numbers_follow_the_recipe),
      cmocka_unit_test(a_quantile_starts_at_that_quantile),
      cmocka_unit_test(weights_are_divided_by_their_sum),
      cmocka_unit_test(a_start_point_keeps_its_margins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
