/* SPDX-License-Identifier: MIT */
/* Steps that are made from released second moments, against sums over rows and a solved
   system. */
#include "check.h"

#include "base/memory.h"
#include "centre/products.h"

enum { FEATURES = 3, COLUMNS = FEATURES + 1, ROWS = 60 };

/* A frame with a known offset, and the exact sum of its products as a release. The
   layout of a sum with outputs is that of vault/clip.h: features of every output, the
   bias of every output, then the last number of every output. */
struct fixture {
  tacit_frame frame;
  double offset[COLUMNS + 1], intercept[1], turn[1];
  double mean[COLUMNS][COLUMNS]; /* mean of omega^2 z z^T */
  double y[COLUMNS * (COLUMNS + 1)];
  double radius, reach;
};

static void fixture_init(struct fixture *f, double spread) {
  static const double offset[] = {-0.25, 0.125, 0.0625, -0.5, 0.25};
  uint64_t s = 9;
  tacit_error err;
  memset(f, 0, sizeof *f);
  memcpy(f->offset, offset, sizeof offset);
  f->frame = (tacit_frame){.row = {FEATURES, 1, 1, 2, 1, 0},
                           .offset = f->offset,
                           .bits = 12,
                           .radius = 2,
                           .spread = spread,
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
      square += z[j] * z[j];
    }
    double omega = fmin(1, f->radius / sqrt(square));
    for (int k = 0; k < COLUMNS; ++k)
      for (int j = 0; j < COLUMNS; ++j) {
        double product = omega * omega * z[k] * z[j];
        f->mean[k][j] += product / ROWS;
        f->y[j < FEATURES ? k * FEATURES + j : COLUMNS * FEATURES + k] +=
            product / (f->radius * f->reach);
      }
  }
}

/* Without noise a step solves the normal equations, up to the factor for rows that were
   cut. */
static void steps_end_at_the_minimum(void **state) {
  struct fixture f;
  tacit_precondition *pre = NULL;
  tacit_error err;
  (void)state;
  fixture_init(&f, 0.9);
  double trace = 0, grad[COLUMNS + 1], step[COLUMNS + 1];
  for (int k = 0; k < COLUMNS; ++k)
    trace += f.mean[k][k];
  double up = fmax(1, 0.81 / trace);
  assert_true(up > 1.01); /* some rows were cut */
  tacit_products_facts facts = {&f.frame, ROWS, 0};
  CHECK_OK(tacit_products_read(&facts, f.y, &pre, &err), err);
  for (int j = 0; j <= COLUMNS; ++j)
    step[j] = grad[j] = 0.3 * j - 0.7;
  tacit_precondition_apply(pre, step);
  for (int k = 0; k < COLUMNS; ++k) {
    double back = 0;
    for (int j = 0; j < COLUMNS; ++j)
      back += up * f.mean[k][j] * step[j];
    CHECK_WITHIN(back, grad[k], 1e-6);
  }
  CHECK_RELATIVE(step[COLUMNS], grad[COLUMNS] / 0.0625, 1e-12);
  tacit_precondition_free(pre);
  tacit_array_free(f.frame.alone);
}

/* Noise makes steps shorter, most where there is little variance. */
static void noise_shortens_steps(void **state) {
  struct fixture f;
  tacit_precondition *exact = NULL, *noisy = NULL;
  tacit_error err;
  (void)state;
  fixture_init(&f, 0.9);
  tacit_products_facts facts = {&f.frame, ROWS, 0};
  CHECK_OK(tacit_products_read(&facts, f.y, &exact, &err), err);
  facts.noise = 3;
  CHECK_OK(tacit_products_read(&facts, f.y, &noisy, &err), err);
  double added = 0.7 * sqrt(2.0 * COLUMNS) * 3 * f.radius * f.reach / ROWS;
  for (int k = 0; k < COLUMNS; ++k)
    CHECK_RELATIVE(noisy->curvatures[k], exact->turns[k] + added, 1e-6);
  tacit_precondition_free(exact);
  tacit_precondition_free(noisy);
  tacit_array_free(f.frame.alone);
}

/* A release of noise alone still gives finite steps. */
static void negative_moments_give_finite_steps(void **state) {
  struct fixture f;
  tacit_precondition *pre = NULL;
  tacit_error err;
  double step[COLUMNS + 1];
  (void)state;
  fixture_init(&f, 0.9);
  for (size_t i = 0; i < sizeof f.y / sizeof *f.y; ++i)
    f.y[i] = i % 2 ? -50 : 30;
  tacit_products_facts facts = {&f.frame, ROWS, 20};
  CHECK_OK(tacit_products_read(&facts, f.y, &pre, &err), err);
  for (int j = 0; j <= COLUMNS; ++j)
    step[j] = 1;
  tacit_precondition_apply(pre, step);
  for (int j = 0; j <= COLUMNS; ++j)
    assert_true(isfinite(step[j]) && fabs(step[j]) < 100);
  tacit_precondition_free(pre);
  tacit_array_free(f.frame.alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_end_at_the_minimum),
      cmocka_unit_test(noise_shortens_steps),
      cmocka_unit_test(negative_moments_give_finite_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
