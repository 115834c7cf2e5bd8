/* SPDX-License-Identifier: MIT */
/* Contributions of several outputs are rounded to the nearest integer. They stay within
   the clip, in exact integers, even where rounding makes a row as long as it can. */
#include "sums.h"

#include "base/numbers.h"
#include "kernel/kernel.h"

enum { FEATURES = 40, OUTPUTS = 10 };

struct fixture {
  double raw_values[FEATURES], factor, slopes[OUTPUTS], raw_weight;
  uint32_t raw_unit_rows;
  tacit_batch batch;
  tacit_shape shape;
  tacit_sum *sum;
};

static void fixture_init(struct fixture *f, int bias, const tacit_level *kernel) {
  tacit_error err;
  memset(f, 0, sizeof *f);
  f->shape =
      (tacit_shape){.rule = {.features = FEATURES, .bias = bias, .outputs = OUTPUTS}};
  for (size_t j = 0; j < FEATURES; ++j)
    f->raw_values[j] = 1;
  for (size_t k = 0; k < OUTPUTS; ++k)
    f->slopes[k] = k % 2 ? -1 : 1;
  f->factor = 1e30; /* so that the clip binds */
  f->raw_weight = 1;
  f->raw_unit_rows = 1;
  tacit_batch_init(&f->batch);
  f->batch.n_rows = 1;
  f->batch.n_features = FEATURES;
  f->batch.raw_values = f->raw_values;
  f->batch.raw_weights = &f->raw_weight;
  f->batch.raw_unit_rows = &f->raw_unit_rows;
  CHECK_OK(tacit_sum_new(&f->shape, kernel, &f->sum, &err), err);
}

/* The integers of the row, in the norm `exponent`. */
static const int64_t *row_of(struct fixture *f, int64_t clip, double exponent) {
  const tacit_points none = {0};
  const tacit_contribution raw = {.raw_factors = &f->factor, .raw_slopes = f->slopes};
  tacit_measures measures;
  tacit_error err;
  CHECK_OK(tacit_sum_open(f->sum, NULL, clip, exponent, NULL, &err), err);
  assert_int_equal(tacit_sum_measure(f->sum, &f->batch, 0, 1, &none, &measures), 1);
  CHECK_OK(tacit_sum_add(f->sum, &raw, NULL, &err), err);
  tacit_sum_close(f->sum, NULL);
  return tacit_sum_raw_integers(f->sum);
}

static int is_within(const struct fixture *f, const int64_t *raw_row, int64_t bound) {
  tacit_i128 square = 0;
  for (size_t i = 0; i < tacit_sum_dim(f->sum); ++i)
    square += (tacit_i128)raw_row[i] * raw_row[i];
  return square <= (tacit_i128)bound * bound;
}

/* All products of a row are equal. Among neighbouring clips there are those for which
   they are just above half an integer, so that each is rounded up. */
static void no_rounded_row_is_longer_than_its_clip(void **state) {
  (void)state;
  const tacit_level *kernel = NULL;
  tacit_error err;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  for (int bias = 0; bias < 2; ++bias) {
    struct fixture f;
    fixture_init(&f, bias, kernel);
    for (int bits = 4; bits <= 52; ++bits) {
      for (int64_t more = 0; more < 60; ++more) {
        int64_t clip = ((int64_t)1 << bits) + more;
        f.raw_weight = 1;
        f.raw_unit_rows = 1;
        assert_true(is_within(&f, row_of(&f, clip, 2), clip));
        f.raw_unit_rows = 3;
        assert_true(is_within(&f, row_of(&f, clip, 2), clip / 3));
        f.raw_weight = 0.5;
        f.raw_unit_rows = 1;
        assert_true(is_within(&f, row_of(&f, 2 * clip, 2), clip));
      }
    }
    tacit_sum_free(f.sum);
  }
}

/* What rounding may add is left out of the clip, and no more. */
static void the_clip_is_used_up_to_the_margin(void **state) {
  (void)state;
  const tacit_level *kernel = NULL;
  tacit_error err;
  struct fixture f;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  fixture_init(&f, 0, kernel);
  for (int bits = 20; bits < 50; ++bits) {
    int64_t clip = (int64_t)1 << bits;
    const int64_t *raw_row = row_of(&f, clip, 2);
    double margin = sqrt(FEATURES * OUTPUTS), square = 0;
    for (size_t i = 0; i < tacit_sum_dim(f.sum); ++i)
      square += (double)raw_row[i] * (double)raw_row[i];
    assert_true(sqrt(square) >= ((double)clip - margin - 2) * (1 - 1e-12));
  }
  tacit_sum_free(f.sum);
}

/* Clips of the norm 1, and those too small for the margin or too large for the kernels,
   have truncated integers, as do rows of one output. */
static void other_rows_are_cut_toward_zero(void **state) {
  (void)state;
  const tacit_level *kernel = NULL;
  tacit_error err;
  struct fixture f;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  fixture_init(&f, 0, kernel);
  f.factor = 2.75;
  const struct {
    int64_t clip;
    double exponent;
    int64_t integer;
  } cases[] = {{1 << 12, 2, 2},
               {1 << 20, 2, 3},
               {((int64_t)1 << 51) - 1, 2, 3},
               {(int64_t)1 << 51, 2, 2},
               {1 << 20, 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int64_t *raw_row = row_of(&f, cases[i].clip, cases[i].exponent);
    for (size_t k = 0; k < OUTPUTS; ++k)
      assert_true(raw_row[k * FEATURES] == (k % 2 ? -1 : 1) * cases[i].integer);
  }
  tacit_sum_free(f.sum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_rounded_row_is_longer_than_its_clip),
      cmocka_unit_test(the_clip_is_used_up_to_the_margin),
      cmocka_unit_test(other_rows_are_cut_toward_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
