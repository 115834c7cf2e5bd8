/* SPDX-License-Identifier: MIT */
/* Steps that are made from released second moments, against sums over rows and a solved
   system. */
#include "check.h"

#include "base/memory.h"
#include "centre/products.h"

enum { COLUMNS = 4, ROWS = 60 };

/* A frame with a known offset, and the exact sum of its products as a release. The
   layout of a sum with outputs is that of vault/clip.h: features of every output, the
   bias of every output, then the last number of every output. */
struct fixture {
  tacit_frame frame;
  tacit_frame_facts facts;
  double offset[COLUMNS + 1], intercept[1], turn[1];
  double mean[COLUMNS][COLUMNS]; /* mean of omega^2 z z^T */
  double y[COLUMNS * (COLUMNS + 1)];
  double radius, reach;
};

/* Column j of the rows has a spread of (j + 1)/4 times `narrow`, which is for the last
   one, and no bias, or a bias that hardly varies. */
static void fixture_init(struct fixture *f, double narrow, int bias) {
  static const double offset[] = {-0.25, 0.125, 0.0625, -0.5, 0.25};
  size_t features = (size_t)(COLUMNS - bias);
  uint64_t s = 9;
  tacit_error err;
  memset(f, 0, sizeof *f);
  memcpy(f->offset, offset, sizeof offset);
  f->facts = (tacit_frame_facts){.row = {features, bias, 1, 2, 1, 0},
                                 .rows = ROWS,
                                 .signal = 1e4,
                                 .constant = 0.3};
  f->facts.moments.columns = COLUMNS;
  f->frame = (tacit_frame){.row = f->facts.row,
                           .offset = f->offset,
                           .bits = 12,
                           .shift = {f->offset, 12},
                           .slope = 1,
                           .radius = 2,
                           .spread = 0.9,
                           .count = ROWS,
                           .label_std = 1};
  CHECK_OK(tacit_products_begin(&f->frame, &err), err);
  tacit_delta delta = {0};
  tacit_products_delta(&f->frame, 1, &delta);
  f->radius = delta.radius;
  f->reach = 1 / delta.steps;
  for (int i = 0; i < ROWS; ++i) {
    double z[COLUMNS], square = 0;
    for (int j = 0; j < COLUMNS; ++j) {
      s = s * 6364136223846793005u + 1442695040888963407u;
      z[j] = ((double)(s >> 11) * 0x1p-52 - 1) * (j + 1) / 4;
      z[j] *= j == COLUMNS - 1 ? narrow : 1;
      square += z[j] * z[j];
    }
    double omega = fmin(1, f->radius / sqrt(square));
    for (size_t k = 0; k < COLUMNS; ++k)
      for (size_t j = 0; j < COLUMNS; ++j) {
        double product = omega * omega * z[k] * z[j];
        f->mean[k][j] += product / ROWS;
        f->y[j < features ? k * features + j : COLUMNS * features + k] +=
            product / (f->radius * f->reach);
      }
  }
}

static tacit_status read_products(struct fixture *f, tacit_precondition **out,
                                  tacit_error *err) {
  tacit_products_facts facts = {&f->frame, ROWS, f->facts.noise, &f->facts};
  return tacit_products_read(&facts, f->y, out, err);
}

static void fixture_fini(struct fixture *f, tacit_precondition *pre) {
  tacit_precondition_free(pre);
  TACIT_FREE(f->frame.alone, f->frame.stretch, f->frame.wide);
}

/* Without noise a step solves the normal equations of stretched rows, up to the factor
   for rows that were cut. */
static void check_minimum(double narrow, double stretch) {
  struct fixture f;
  tacit_precondition *pre = NULL;
  tacit_error err;
  fixture_init(&f, narrow, 0);
  double trace = 0, grad[COLUMNS + 1], step[COLUMNS + 1], factors[COLUMNS];
  for (int k = 0; k < COLUMNS; ++k)
    trace += f.mean[k][k];
  double up = fmax(1, 0.81 / trace);
  assert_true(up > 1.01); /* some rows were cut */
  f.facts.stretches = stretch > 0;
  CHECK_OK(read_products(&f, &pre, &err), err);
  assert_true((f.frame.stretch != NULL) == (stretch > 0));
  for (int j = 0; j <= COLUMNS; ++j)
    step[j] = grad[j] = 0.3 * j - 0.7;
  for (int j = 0; j < COLUMNS; ++j) {
    factors[j] = f.frame.stretch != NULL ? f.frame.stretch[j] : 1;
    assert_true(f.frame.shift.values[j] == factors[j] * f.offset[j]);
  }
  if (stretch > 0) assert_true(factors[COLUMNS - 1] == stretch);
  tacit_precondition_apply(pre, step);
  for (int k = 0; k < COLUMNS; ++k) {
    double back = 0;
    for (int j = 0; j < COLUMNS; ++j)
      back += up * factors[k] * factors[j] * f.mean[k][j] * step[j];
    CHECK_WITHIN(back, grad[k], 1e-5);
  }
  double last = f.frame.shift.values[COLUMNS];
  CHECK_RELATIVE(last, 0.3 * f.frame.radius, 1e-2);
  CHECK_RELATIVE(step[COLUMNS], grad[COLUMNS] / (last * last), 1e-12);
  tacit_frame_unstretch(&f.frame, step);
  CHECK_RELATIVE(step[COLUMNS], grad[COLUMNS] / (last * last), 1e-12);
  fixture_fini(&f, pre);
}

static void steps_end_at_the_minimum(void **state) {
  (void)state;
  check_minimum(1, 0);
  check_minimum(0.25, 0);
}

/* A column with little spread is stretched to about that of the others, by a power of
   two of at most 16. */
static void narrow_columns_are_stretched(void **state) {
  (void)state;
  check_minimum(0.2, 4);
  check_minimum(0.1, 8);
  check_minimum(0.05, 8); /* not more, because of a floor of 2% of the mean */
}

/* Noise makes steps shorter, most where there is little variance. */
static void noise_shortens_steps(void **state) {
  struct fixture f, g;
  tacit_precondition *exact = NULL, *noisy = NULL;
  tacit_error err;
  (void)state;
  fixture_init(&f, 1, 0);
  fixture_init(&g, 1, 0);
  CHECK_OK(read_products(&f, &exact, &err), err);
  g.facts.noise = 3;
  CHECK_OK(read_products(&g, &noisy, &err), err);
  double added = 0.35 * sqrt(2.0 * COLUMNS) * 3 * f.radius * f.reach / ROWS;
  for (int k = 0; k < COLUMNS; ++k)
    CHECK_RELATIVE(noisy->curvatures[k], exact->turns[k] + added, 1e-6);
  fixture_fini(&f, exact);
  fixture_fini(&g, noisy);
}

/* The bias of centred rows is constant. What its column has is noise, and its weight
   must not follow it. */
static void bias_stays(void **state) {
  struct fixture f;
  tacit_precondition *pre = NULL;
  tacit_error err;
  double step[COLUMNS + 1] = {[COLUMNS - 1] = 1}, trace = 0;
  (void)state;
  fixture_init(&f, 1e-3, 1);
  f.facts.noise = 1e-4;
  CHECK_OK(read_products(&f, &pre, &err), err);
  for (int k = 0; k < COLUMNS; ++k)
    trace += f.mean[k][k];
  tacit_precondition_apply(pre, step);
  assert_true(fabs(step[COLUMNS - 1]) <= 1 / trace);
  for (int j = 0; j < COLUMNS - 1; ++j)
    assert_true(fabs(step[j]) < 1e-9);
  fixture_fini(&f, pre);
}

/* A release of noise alone still gives finite steps. */
static void negative_moments_give_finite_steps(void **state) {
  struct fixture f;
  tacit_precondition *pre = NULL;
  tacit_error err;
  double step[COLUMNS + 1];
  (void)state;
  fixture_init(&f, 1, 1);
  for (size_t i = 0; i < sizeof f.y / sizeof *f.y; ++i)
    f.y[i] = i % 2 ? -50 : 30;
  f.facts.noise = 20;
  f.facts.stretches = 1;
  CHECK_OK(read_products(&f, &pre, &err), err);
  for (int j = 0; j <= COLUMNS; ++j)
    step[j] = 1;
  tacit_precondition_apply(pre, step);
  for (int j = 0; j <= COLUMNS; ++j)
    assert_true(isfinite(step[j]) && fabs(step[j]) < 100);
  fixture_fini(&f, pre);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_end_at_the_minimum),
      cmocka_unit_test(narrow_columns_are_stretched),
      cmocka_unit_test(noise_shortens_steps),
      cmocka_unit_test(bias_stays),
      cmocka_unit_test(negative_moments_give_finite_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
