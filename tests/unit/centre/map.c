/* SPDX-License-Identifier: MIT */
/* Maps made from released second moments: what they do to rows, that every level maps
   to the same bits, and that folded weights see rows as mapped weights do. */
#include "sums.h"

#include "base/memory.h"
#include "centre/map.h"
#include "gradient/interleave.h"
#include "kernel/kernel.h"

enum { FEATURES = 20, COLUMNS = FEATURES + 1, OUTPUTS = 3, ROWS = 150, BITS = 12 };
enum { DIM = OUTPUTS * (COLUMNS + 1) + 1 };

struct fixture {
  double raw_values[ROWS * FEATURES], raw_labels[ROWS];
  double offset[COLUMNS + 1], intercepts[OUTPUTS], y[COLUMNS * (COLUMNS + 1)];
  tacit_frame frame;
  tacit_map *map;
};

static double uniform(uint64_t *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) * 0x1p-52 - 1;
}

/* Makes rows whose columns lean on each other, and the map of their second moments,
   released with this noise. */
static void fixture_init(struct fixture *f, double noise) {
  uint64_t s = 5;
  tacit_error err;
  memset(f, 0, sizeof *f);
  f->frame = (tacit_frame){.row = {FEATURES, 1, 1, 2, OUTPUTS, 0},
                           .offset = f->offset,
                           .shift = {f->offset, BITS},
                           .intercepts = f->intercepts,
                           .bits = BITS,
                           .radius = 0.9,
                           .slope = 1,
                           .count = ROWS};
  for (int i = 0; i < ROWS; ++i) {
    double common = uniform(&s);
    for (int j = 0; j < FEATURES; ++j)
      f->raw_values[i * FEATURES + j] =
          0.1 + 0.1 * common + 0.02 * (j % 5) * uniform(&s);
    f->raw_labels[i] = i % OUTPUTS;
  }
  for (int j = 0; j < COLUMNS; ++j)
    f->offset[j] = -ldexp(rint(ldexp(j < FEATURES ? 0.08 : 0.9, BITS)), -BITS);
  f->offset[COLUMNS] = 0.25;
  for (int k = 0; k < OUTPUTS; ++k)
    f->intercepts[k] = 0.1 * k;
  CHECK_OK(tacit_products_begin(&f->frame, &err), err);
  tacit_delta delta = {.row = f->frame.row,
                       .label = {TACIT_LOSS_CLASSES, OUTPUTS, 0, 1},
                       .sens_norm = 2,
                       .clip = INT64_C(1) << 40};
  CHECK_OK(tacit_kernel_pick(&delta.kernel, &err), err);
  tacit_products_delta(&f->frame, ldexp(1, 40), &delta);
  int64_t raw_sum[COLUMNS * (COLUMNS + 1)] = {0};
  tacit_batch rows = dense_rows(f->raw_values, f->raw_labels, ROWS, FEATURES);
  CHECK_OK(delta_add(&delta, &rows, 0, ROWS, raw_sum, &err), err);
  for (int i = 0; i < COLUMNS * (COLUMNS + 1); ++i)
    f->y[i] = ldexp((double)raw_sum[i], -40) + noise * uniform(&s);
  tacit_products_facts facts = {&f->frame, ROWS, noise, NULL};
  CHECK_OK(tacit_map_read(&facts, f->y, &f->map, &err), err);
  tacit_map_frame(f->map, 0.3, &f->frame);
}

static void fixture_free(struct fixture *f) {
  tacit_map_free(f->map);
  tacit_array_free(f->frame.alone);
}

/* Returns entry k of A (u - m) for row i, in doubles. */
static double mapped(const struct fixture *f, int i, size_t k) {
  const double *row = f->raw_values + i * FEATURES;
  double square = 1, sum = 0;
  for (int j = 0; j < FEATURES; ++j)
    square += row[j] * row[j];
  double scale = square > 1 ? 1 / sqrt(square) : 1;
  for (size_t j = 0; j < COLUMNS; ++j)
    sum += f->map->unit * f->map->weights[j * f->map->width + k] *
           (scale * (j < FEATURES ? row[j] : 1) + f->map->offset[j]);
  return sum;
}

/* Without noise all directions become equally long, and rows 1/0.85 in the mean. */
static void mapped_rows_are_round(void **state) {
  struct fixture f;
  (void)state;
  fixture_init(&f, 0);
  double squares[COLUMNS] = {0}, all = 0, most = 0;
  for (int i = 0; i < ROWS; ++i)
    for (size_t k = 0; k < COLUMNS; ++k)
      squares[k] += mapped(&f, i, k) * mapped(&f, i, k) / ROWS;
  for (size_t k = 0; k < COLUMNS; ++k) {
    all += squares[k];
    most = fmax(most, squares[k]);
  }
  CHECK_RELATIVE(all, 1 / 0.85 / 0.85, 0.05);
  assert_true(most < 2.5 * all / COLUMNS);
  fixture_free(&f);
}

/* Noise alone gives a map that turns and stretches little. */
static void noise_is_not_taken_for_variance(void **state) {
  struct fixture f;
  (void)state;
  fixture_init(&f, 1e6);
  for (size_t k = 0; k < COLUMNS; ++k)
    for (size_t j = 0; j < COLUMNS; ++j) {
      double entry = f.map->unit * f.map->weights[j * f.map->width + k];
      assert_true(isfinite(entry));
      if (j != k) assert_true(fabs(entry) < 0.5 * f.map->unit * f.map->weights[0]);
    }
  fixture_free(&f);
}

static tacit_delta delta_of(const struct fixture *f, const tacit_level *kernel,
                            const tacit_loss *loss, const double *x,
                            const double *offsets, const double *pairs) {
  return (tacit_delta){.loss = loss,
                       .row = f->frame.row,
                       .label = {TACIT_LOSS_CLASSES, OUTPUTS, 0, 1},
                       .map = f->map,
                       .x = x,
                       .x_prev = x,
                       .steps = ldexp(1, 40),
                       .clip = INT64_C(1) << 40,
                       .sens_norm = 2,
                       .offset = &f->frame.shift,
                       .offsets = offsets,
                       .offsets_prev = offsets,
                       .radius = 0.9,
                       .slope_max = 1,
                       .square_scale = 0.1,
                       .square_max = 1,
                       .kernel = kernel,
                       .pairs = pairs};
}

static void every_level_maps_to_the_same_bits(void **state) {
  struct fixture f;
  tacit_loss *loss = NULL;
  tacit_error err;
  uint64_t s = 3;
  double x[OUTPUTS * (COLUMNS + 1)], offsets[OUTPUTS] = {0.1, 0.2, -0.3};
  double pairs[8 * (COLUMNS + 1)] = {0};
  int64_t raw_first[DIM] = {0};
  (void)state;
  fixture_init(&f, 0.01);
  tacit_loss_facts facts = {.margin_max = 10, .label_max = 1, .classes = OUTPUTS};
  CHECK_OK(tacit_loss_new("softmax", &facts, &loss, &err), err);
  for (size_t i = 0; i < sizeof x / sizeof *x; ++i)
    x[i] = uniform(&s);
  f.raw_values[7 * FEATURES] = INFINITY; /* a row that becomes 0 less the mean */
  f.raw_values[9 * FEATURES] = 1e300;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    int64_t raw_sum[DIM] = {0};
    if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
    tacit_delta delta = delta_of(&f, tacit_kernel_at(i), loss, x, offsets, pairs);
    tacit_interleave(&delta, NULL, pairs);
    tacit_batch rows = dense_rows(f.raw_values, f.raw_labels, ROWS, FEATURES);
    CHECK_OK(delta_add(&delta, &rows, 0, ROWS, raw_sum, &err), err);
    if (i == 0) memcpy(raw_first, raw_sum, sizeof raw_sum);
    assert_memory_equal(raw_sum, raw_first, sizeof raw_sum);
  }
  assert_int_not_equal(raw_first[0], 0);
  tacit_loss_free(loss);
  fixture_free(&f);
}

static void folded_weights_see_rows_as_mapped_ones_do(void **state) {
  struct fixture f;
  uint64_t s = 8;
  double x[OUTPUTS * (COLUMNS + 1)], weights[OUTPUTS * COLUMNS], offsets[OUTPUTS];
  (void)state;
  fixture_init(&f, 0.01);
  for (size_t i = 0; i < sizeof x / sizeof *x; ++i)
    x[i] = uniform(&s);
  tacit_map_fold(f.map, &f.frame, x, weights, offsets);
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < OUTPUTS; ++k) {
      const double *row = f.raw_values + i * FEATURES;
      double square = 1, dot = weights[OUTPUTS * FEATURES + k];
      double margin = f.intercepts[k] + f.offset[COLUMNS] * x[OUTPUTS * COLUMNS + k];
      for (size_t j = 0; j < COLUMNS; ++j)
        margin += x[(size_t)k * COLUMNS + j] * mapped(&f, i, j);
      for (int j = 0; j < FEATURES; ++j) {
        square += row[j] * row[j];
        dot += weights[k * FEATURES + j] * row[j];
      }
      CHECK_WITHIN(dot * (square > 1 ? 1 / sqrt(square) : 1) + offsets[k], margin,
                   1e-12 * (1 + fabs(margin)));
    }
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mapped_rows_are_round),
      cmocka_unit_test(noise_is_not_taken_for_variance),
      cmocka_unit_test(every_level_maps_to_the_same_bits),
      cmocka_unit_test(folded_weights_see_rows_as_mapped_ones_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
