/* SPDX-License-Identifier: MIT */
/* The clip of the noise's norm, for every kind of contribution: losses of one and of
   several outputs and gradients of the caller's, dense and sparse rows, floats and
   doubles, lattices so coarse that a step more or less shows. */
#include "made.h"
#include "sums.h"

#include <float.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "gradient/delta.h"
#include "gradient/interleave.h"
#include "kernel/kernel.h"
#include "vault/words.h"

enum { FEATURES = 29, CLASSES = 4, DIM_MAX = CLASSES * (FEATURES + 1) };
static const unsigned char test_key[TACIT_KEY_BYTES] = "clip tests";

enum kind { ONE_OUTPUT, MANY_OUTPUTS, OWN_GRADIENT, KINDS };

struct fixture {
  tacit_loss *loss;
  tacit_gradient_ops gradient;
  double x[DIM_MAX], x_prev[DIM_MAX], spread[2 * 8 * (FEATURES + 1)];
  double raw_values[FEATURES], raw_label;
  uint32_t raw_indices[FEATURES];
  int64_t raw_row_start[2];
  tacit_batch batch;
  tacit_delta delta;
  size_t dim;
};

/* Seven times the row, so that it is longer than any clip. */
static tacit_status seven_rows(void *self, const tacit_batch *batch, int64_t row,
                               const double *x, double *raw_out) {
  (void)self;
  tacit_row raw_row = tacit_row_of(batch, row);
  for (size_t j = 0; j < raw_row.count; ++j) {
    size_t at = raw_row.raw_indices != NULL ? raw_row.raw_indices[j] : j;
    raw_out[at] = (x[0] > 100 ? 1 : 7) * tacit_row_value(&raw_row, j);
  }
  return TACIT_OK;
}

static void fixture_init(struct fixture *f, enum kind kind, tacit_words *words) {
  tacit_error err;
  size_t outputs = kind == MANY_OUTPUTS ? CLASSES : 1;
  tacit_loss_facts facts = {
      .margin_max = 10, .label_max = 1, .classes = outputs > 1 ? CLASSES : 0};
  memset(f, 0, sizeof *f);
  CHECK_OK(tacit_loss_new(outputs > 1 ? "softmax" : "logistic", &facts, &f->loss, &err),
           err);
  for (int i = 0; i < DIM_MAX; ++i) {
    f->x[i] = 2 * made_uniform(words);
    f->x_prev[i] = f->x[i] + 0.1 * made_uniform(words);
  }
  f->raw_label = 1;
  tacit_batch_init(&f->batch);
  f->batch.n_rows = 1;
  f->batch.n_features = FEATURES;
  f->batch.raw_values = f->raw_values;
  f->batch.raw_labels = &f->raw_label;
  f->delta = (tacit_delta){
      .loss = f->loss,
      .row = {.features = FEATURES,
              .bias = 1,
              .row_norm = 1,
              .exponent = 2,
              .outputs = outputs},
      .sens_norm = 2,
      .label = {.kind = TACIT_LOSS_CLASSES,
                .classes = outputs > 1 ? CLASSES : 2,
                .min = -1,
                .max = 1},
      .x = f->x,
      .x_prev = f->x_prev,
      .ratio = 0.81,
  };
  CHECK_OK(tacit_kernel_pick(&f->delta.kernel, &err), err);
  f->dim = tacit_row_weights(&f->delta.row);
  if (kind == OWN_GRADIENT) {
    f->gradient =
        (tacit_gradient_ops){.version = 1, .dim = FEATURES, .gradient = seven_rows};
    f->delta.gradient = &f->gradient;
    f->dim = FEATURES;
  } else {
    assert_true(tacit_interleave_size(&f->delta.row) <=
                sizeof f->spread / sizeof(double));
    tacit_interleave(&f->delta, NULL, f->spread);
  }
}

/* A new row: dense, or sparse with some entries. */
static void fill_row(struct fixture *f, int sparse, tacit_words *words) {
  uint32_t count = 0;
  for (uint32_t j = 0; j < FEATURES; ++j) {
    if (sparse && tacit_words_next(words) % 3 > 0) continue;
    f->raw_values[count] = made_uniform(words);
    f->raw_indices[count++] = j;
  }
  f->raw_row_start[1] = count;
  f->batch.raw_row_start = sparse ? f->raw_row_start : NULL;
  f->batch.raw_indices = sparse ? f->raw_indices : NULL;
  f->raw_label =
      f->delta.row.outputs > 1 ? (double)(tacit_words_next(words) % CLASSES) : 1;
}

/* The contribution of the row against weight * bound, in exact integers for a weight of
   1; 1 when it binds. */
static int check_share(const struct fixture *f, double weight, int64_t bound) {
  int64_t raw_sum[DIM_MAX] = {0};
  tacit_error err;
  CHECK_OK(delta_add(&f->delta, &f->batch, 0, 1, raw_sum, &err), err);
  tacit_i128 squares = 0, sum = 0, limit = bound;
  for (size_t i = 0; i < f->dim; ++i) {
    squares += (tacit_i128)raw_sum[i] * raw_sum[i];
    sum += raw_sum[i] < 0 ? -raw_sum[i] : raw_sum[i];
  }
  int is_sum = f->delta.sens_norm == 1;
  assert_true(is_sum ? sum <= limit : squares <= limit * limit);
  double length = is_sum ? (double)sum : sqrt((double)squares),
         share = weight * (double)bound;
  assert_true(length <= share * (1 + 1e-14));
  return share > 0 && length > (is_sum ? 0.9 : 0.95) * share;
}

static int check_row(const struct fixture *f) {
  return check_share(f, 1, f->delta.clip);
}

/* Rows bounded in one norm and noise for another: the second clip is the guarantee. The
   first one is set where it never binds, so only the second can. */
static void the_clip_holds_in_the_norm_of_the_noise(void **state) {
  (void)state;
  static const double exponents[] = {2, 3, INFINITY, 1};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int kind = 0; kind < KINDS; ++kind) {
    struct fixture f;
    fixture_init(&f, (enum kind)kind, &words);
    for (int which = 0; which < 4; ++which) {
      int bound = 0;
      f.delta.row.exponent = exponents[which];
      f.delta.sens_norm = exponents[which] == 1 ? 1 : 2;
      for (int trial = 0; trial < 2000; ++trial) {
        fill_row(&f, trial % 2, &words);
        f.delta.steps = ldexp(1, 8 + trial % 50);
        f.delta.clip = (int64_t)(f.delta.steps * 0.005 * (made_uniform(&words) + 1));
        f.delta.clip_dual = f.delta.steps;
        int binds = check_row(&f);
        bound += binds && f.delta.clip > 10000;
      }
      assert_true(bound > 500);
    }
    tacit_loss_free(f.loss);
  }
}

/* Where one step is a large part of the clip, rounding a coordinate up is seen. */
static void no_coordinate_is_rounded_up(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int kind = 0; kind < KINDS; ++kind) {
    struct fixture f;
    fixture_init(&f, (enum kind)kind, &words);
    for (int trial = 0; trial < 20000; ++trial) {
      fill_row(&f, trial % 2, &words);
      f.delta.steps = 1000;
      f.delta.clip = 1 + trial % 12;
      f.delta.clip_dual = f.delta.steps;
      f.delta.sens_norm = f.delta.row.exponent = trial % 4 < 2 ? 1 : 2;
      (void)check_row(&f);
    }
    tacit_loss_free(f.loss);
  }
}

/* Coarse lattices, so that a bound of one step more shows: m rows of a unit together
   stay within the clip, and a weight times the bound is the bound of a weight. */
static void rows_of_a_unit_share_one_clip(void **state) {
  (void)state;
  static const double weights[] = {1, 0.5, 0.013, 1e-300, 0};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int kind = 0; kind < KINDS; ++kind) {
    struct fixture f;
    int reached = 0;
    fixture_init(&f, (enum kind)kind, &words);
    for (int trial = 0; trial < 20000; ++trial) {
      fill_row(&f, trial % 2, &words);
      uint32_t m = (uint32_t)trial % 21;
      double weight = weights[trial / 21 % 5];
      int64_t clip = trial % 7 < 3 ? 1 + trial % 61 : (int64_t)1 << trial % 40;
      f.batch.raw_weights = &weight;
      f.batch.raw_unit_rows = &m;
      f.delta.steps = 1000.0 * (double)clip;
      f.delta.clip_dual = f.delta.steps;
      f.delta.sens_norm = f.delta.row.exponent = trial % 4 < 2 ? 1 : 2;
      f.delta.clip = clip;
      reached += check_share(&f, weight, m == 0 ? 0 : clip / m) && m > 1;
    }
    assert_true(reached > 1000);
    tacit_loss_free(f.loss);
  }
}

/* The sum of rows with weights k/m is 1/m of the sum of the rows, each k times; many
   rows are past the clip. Weights of one, and units of one row, change no bit. */
static void a_weight_is_a_number_of_rows(void **state) {
  (void)state;
  enum { M = 7 };
  const double ones = 1;
  const uint32_t alone = 1;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int kind = 0; kind < KINDS; ++kind) {
    struct fixture f;
    fixture_init(&f, (enum kind)kind, &words);
    int64_t raw_weighted[DIM_MAX] = {0}, raw_repeated[DIM_MAX] = {0}, raw_ones[DIM_MAX];
    f.delta.steps = f.delta.clip_dual = 0x1p50;
    f.delta.clip = (int64_t)1 << 49;
    tacit_error err;
    for (int i = 0; i < 40; ++i) {
      double weight = (double)(i % (M + 1)) / M;
      fill_row(&f, i % 2, &words);
      for (int k = 0; k < i % (M + 1); ++k)
        CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_repeated, &err), err);
      memcpy(raw_ones, raw_weighted, sizeof raw_ones);
      f.batch.raw_weights = &weight;
      CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_weighted, &err), err);
      if (weight == 1) {
        f.batch.raw_weights = &ones;
        f.batch.raw_unit_rows = &alone;
        CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_ones, &err), err);
        assert_memory_equal(raw_ones, raw_weighted, f.dim * sizeof *raw_ones);
      }
      f.batch.raw_weights = NULL;
      f.batch.raw_unit_rows = NULL;
    }
    for (size_t j = 0; j < f.dim; ++j)
      CHECK_WITHIN((double)raw_weighted[j] * M / (double)raw_repeated[j], 1, 1e-9);
    tacit_loss_free(f.loss);
  }
}

/* Nothing in the vault rests on the callers who refuse such weights. */
static void what_is_no_weight_adds_nothing(void **state) {
  (void)state;
  const double wrong[] = {NAN, -1, -1e-300, 1.0000001, INFINITY, -INFINITY};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int kind = 0; kind < KINDS; ++kind) {
    struct fixture f;
    fixture_init(&f, (enum kind)kind, &words);
    fill_row(&f, 0, &words);
    f.delta.steps = f.delta.clip_dual = 0x1p30;
    f.delta.clip = 1 << 30;
    for (int i = 0; i < 6; ++i) {
      f.batch.raw_weights = &wrong[i];
      assert_false(check_share(&f, 1, 0));
    }
    tacit_loss_free(f.loss);
  }
}

/* An index twice, at every place of a long row, or one past the features, where the
   bias lies, or one that is negative as a signed number. */
static void no_place_counts_twice(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  fixture_init(&f, ONE_OUTPUT, &words);
  f.delta.steps = 0x1p30;
  f.delta.clip = 1 << 20;
  tacit_error err;
  int64_t raw_sum[DIM_MAX] = {0};
  for (uint32_t count = 2; count < FEATURES; ++count) {
    for (uint32_t twice = 1; twice <= count; ++twice) {
      for (uint32_t j = 0; j < count; ++j) {
        f.raw_indices[j] = j < twice ? j : j - 1;
        f.raw_values[j] = 1;
      }
      if (twice == count) f.raw_indices[count - 1] = FEATURES;
      f.raw_row_start[1] = count;
      f.batch.raw_row_start = f.raw_row_start;
      f.batch.raw_indices = f.raw_indices;
      assert_int_equal(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), TACIT_EDATA);
      for (uint32_t j = 0; j < count; ++j)
        f.raw_indices[j] = j < twice ? j | (j + 1 == twice) * 0x80000000u : j;
      assert_int_equal(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), TACIT_EDATA);
    }
  }
  tacit_loss_free(f.loss);
}

/* A sum of one feature, and a dense batch of ones for it. */
struct ones {
  double raw_values[TACIT_SUM_ROWS];
  tacit_batch batch;
  tacit_sum *sum;
};

static void ones_init(struct ones *ones, int64_t clip) {
  const tacit_shape shape = {.rule = {.features = 1, .outputs = 1}};
  const tacit_level *kernel;
  tacit_error err;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  CHECK_OK(tacit_sum_new(&shape, kernel, &ones->sum, &err), err);
  CHECK_OK(tacit_sum_open(ones->sum, NULL, clip, 2, NULL, &err), err);
  tacit_batch_init(&ones->batch);
  ones->batch.n_rows = TACIT_SUM_ROWS;
  ones->batch.n_features = 1;
  ones->batch.raw_values = ones->raw_values;
  for (int i = 0; i < TACIT_SUM_ROWS; ++i)
    ones->raw_values[i] = 1;
}

static tacit_status add_ones(struct ones *ones, size_t rows, tacit_error *err) {
  double factors[TACIT_SUM_ROWS];
  tacit_measures measures;
  for (int i = 0; i < TACIT_SUM_ROWS; ++i)
    factors[i] = INFINITY; /* what a broken gradient might ask for */
  for (int i = 0; i < TACIT_SUM_ROWS; i += 2)
    factors[i] = DBL_MAX;
  const tacit_points squares_alone = {0};
  assert_int_equal(
      tacit_sum_measure(ones->sum, &ones->batch, 0, rows, &squares_alone, &measures),
      rows);
  const tacit_contribution raw = {.raw_factors = factors};
  return tacit_sum_add(ones->sum, &raw, NULL, err);
}

/* Rows are added once per measurement, each within the clip, and no more of them than
   64 bits hold. */
static void a_sum_counts_its_rows_and_never_overflows(void **state) {
  (void)state;
  struct ones ones;
  tacit_error err;
  ones_init(&ones, 1000);
  CHECK_OK(add_ones(&ones, 10, &err), err);
  const int64_t *raw_integers = tacit_sum_raw_integers(ones.sum);
  assert_true(tacit_sum_rows(ones.sum) == 10);
  assert_true(raw_integers[0] >= 5 * 999 && raw_integers[0] <= 5 * 1000);
  const double again[TACIT_SUM_ROWS] = {1, 1, 1};
  const tacit_contribution raw = {.raw_factors = again};
  CHECK_OK(tacit_sum_add(ones.sum, &raw, NULL, &err), err); /* nothing is held */
  assert_true(tacit_sum_rows(ones.sum) == 10 && raw_integers[0] <= 5 * 1000);
  CHECK_OK(tacit_sum_open(ones.sum, NULL, INT64_MAX / 20, 2, NULL, &err), err);
  assert_true(tacit_sum_rows(ones.sum) == 0 && raw_integers[0] == 0);
  CHECK_OK(add_ones(&ones, 20, &err), err);
  assert_int_equal(add_ones(&ones, 1, &err), TACIT_EPRIVACY);
  tacit_sum_free(ones.sum);
}

/* Rows of units of all sizes in one block: each has the bound of its own. */
static void every_row_has_the_bound_of_its_unit(void **state) {
  (void)state;
  enum { CLIP = 1000000 };
  uint32_t units[TACIT_SUM_ROWS];
  struct ones ones;
  tacit_error err;
  ones_init(&ones, CLIP);
  ones.batch.raw_unit_rows = units;
  int64_t bound = 0;
  for (uint32_t i = 0; i < TACIT_SUM_ROWS; ++i) {
    units[i] = i < 8 ? 1 : i < 16 ? 3 : 1 + i * 7 % 100;
    if (i % 2 == 0) bound += CLIP / units[i];
  }
  CHECK_OK(add_ones(&ones, TACIT_SUM_ROWS, &err), err);
  int64_t raw_sum = tacit_sum_raw_integers(ones.sum)[0];
  assert_true(raw_sum <= bound && raw_sum >= bound - TACIT_SUM_ROWS);
  tacit_sum_free(ones.sum);
}

/* Sums of different clips, norms or sizes, or of too many rows, are not merged. */
static void only_sums_of_one_kind_are_merged(void **state) {
  (void)state;
  struct ones one, other;
  tacit_error err;
  const int64_t clip = INT64_MAX / 20;
  ones_init(&one, clip);
  ones_init(&other, clip);
  CHECK_OK(add_ones(&one, 10, &err), err);
  CHECK_OK(add_ones(&other, 10, &err), err);
  CHECK_OK(tacit_sum_merge(one.sum, other.sum, NULL, &err), err);
  assert_true(tacit_sum_rows(one.sum) == 20 && tacit_sum_rows(other.sum) == 0);
  assert_true(tacit_sum_raw_integers(other.sum)[0] == 0);
  CHECK_OK(add_ones(&other, 1, &err), err);
  assert_int_equal(tacit_sum_merge(one.sum, other.sum, NULL, &err), TACIT_EPRIVACY);
  for (int fault = 0; fault < 2; ++fault) {
    CHECK_OK(tacit_sum_open(one.sum, NULL, 1000, 2, NULL, &err), err);
    CHECK_OK(tacit_sum_open(other.sum, NULL, fault == 0 ? 1001 : 1000,
                            fault == 1 ? 3 : 2, NULL, &err),
             err);
    CHECK_OK(add_ones(&other, 1, &err), err);
    assert_int_equal(tacit_sum_merge(one.sum, other.sum, NULL, &err), TACIT_EPRIVACY);
    assert_true(tacit_sum_rows(one.sum) == 0);
  }
  tacit_sum_free(one.sum);
  tacit_sum_free(other.sum);
}

/* More rows than a block holds, a batch with another number of columns, tails that the
   shape does not ask for: nothing is added. */
static void a_sum_takes_only_what_it_measured(void **state) {
  (void)state;
  struct ones ones;
  tacit_error err;
  tacit_measures measures;
  const tacit_points squares_alone = {0};
  const double one = 1;
  const tacit_contribution raw = {.raw_factors = &one};
  const tacit_contribution tail = {.raw_factors = &one, .raw_tails = &one};
  ones_init(&ones, 1000);
  assert_int_equal(tacit_sum_measure(ones.sum, &ones.batch, 0, TACIT_SUM_ROWS + 1,
                                     &squares_alone, &measures),
                   0);
  ones.batch.n_features = 2;
  assert_int_equal(
      tacit_sum_measure(ones.sum, &ones.batch, 0, 1, &squares_alone, &measures), 0);
  CHECK_OK(tacit_sum_add(ones.sum, &raw, NULL, &err), err);
  assert_true(tacit_sum_rows(ones.sum) == 0);
  ones.batch.n_features = 1;
  assert_int_equal(
      tacit_sum_measure(ones.sum, &ones.batch, 0, 1, &squares_alone, &measures), 1);
  assert_int_equal(tacit_sum_add(ones.sum, &tail, NULL, &err), TACIT_EPRIVACY);
  assert_true(tacit_sum_rows(ones.sum) == 0);
  tacit_sum_free(ones.sum);
}

/* Sixteen rows at the clip, with weights of their own: what they add in one call is
   what plain loops add row by row, whatever the clip is. */
static void check_block(const tacit_level *level) {
  enum { ROWS = 16, COLUMNS = 8 };
  const tacit_points squares_alone = {0};
  const tacit_shape shape = {.rule = {COLUMNS, 0, 1, 2, 1, 0}};
  double values[ROWS * COLUMNS], labels[ROWS] = {0}, weights[ROWS], factors[ROWS];
  tacit_batch batch;
  tacit_error err;
  const tacit_level *const kernels[2] = {level, &tacit_level_plain};
  for (size_t i = 0; i < ROWS; ++i) {
    weights[i] = (double)(i % 4) / 3;
    factors[i] = 0x1p61;
    for (size_t j = 0; j < COLUMNS; ++j)
      values[i * COLUMNS + j] = 1;
  }
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = COLUMNS;
  batch.raw_values = values;
  batch.raw_labels = labels;
  batch.raw_weights = weights;
  for (int bits = 40; bits <= 58; ++bits) {
    tacit_sum *sums[2];
    for (size_t k = 0; k < 2; ++k) {
      size_t step = k == 0 ? ROWS : 1;
      const tacit_contribution raw = {.raw_factors = factors};
      tacit_measures measures;
      CHECK_OK(tacit_sum_new(&shape, kernels[k], &sums[k], &err), err);
      CHECK_OK(tacit_sum_open(sums[k], NULL, (int64_t)1 << bits, 2, NULL, &err), err);
      for (size_t i = 0; i < ROWS; i += step) {
        assert_int_equal(tacit_sum_measure(sums[k], &batch, (int64_t)i, step,
                                           &squares_alone, &measures),
                         step);
        CHECK_OK(tacit_sum_add(sums[k], &raw, NULL, &err), err);
      }
    }
    assert_memory_equal(tacit_sum_raw_integers(sums[0]),
                        tacit_sum_raw_integers(sums[1]), COLUMNS * sizeof(int64_t));
    tacit_sum_free(sums[0]);
    tacit_sum_free(sums[1]);
  }
}

/* At every level: with AVX-512 the kernel needs no bound on the products, so a wrong
   one would show only below. */
static void rows_of_a_block_have_their_own_shares(void **state) {
  (void)state;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i)
    if (tacit_kernel_runs(tacit_kernel_at(i))) check_block(tacit_kernel_at(i));
}

static void add_more(const void *const *rows, tacit_stored stored,
                     const double *factors, size_t count, size_t columns,
                     tacit_size size, const void *prefetch, int64_t *sum) {
  tacit_level_plain.add(rows, stored, factors, count, columns, size, prefetch, sum);
  sum[0] += 1;
}

/* A level that adds one too much passes the clip, and is found. */
static void what_a_level_adds_is_verified(void **state) {
  (void)state;
  const tacit_shape shape = {.rule = {.features = 1, .outputs = 1}};
  for (int bug = 0; bug < 2; ++bug) {
    struct ones ones;
    tacit_error err;
    tacit_level level = tacit_level_plain;
    if (bug) level.add = add_more;
    ones_init(&ones, 1000);
    tacit_sum_free(ones.sum);
    assert_int_equal(setenv("TACIT_VERIFY", "1", 1), 0);
    CHECK_OK(tacit_sum_new(&shape, &level, &ones.sum, &err), err);
    assert_int_equal(unsetenv("TACIT_VERIFY"), 0);
    CHECK_OK(tacit_sum_open(ones.sum, NULL, 1000, 2, NULL, &err), err);
    assert_int_equal(add_ones(&ones, 5, &err), bug ? TACIT_EPRIVACY : TACIT_OK);
    tacit_sum_free(ones.sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_clip_holds_in_the_norm_of_the_noise),
      cmocka_unit_test(no_coordinate_is_rounded_up),
      cmocka_unit_test(rows_of_a_unit_share_one_clip),
      cmocka_unit_test(a_weight_is_a_number_of_rows),
      cmocka_unit_test(what_is_no_weight_adds_nothing),
      cmocka_unit_test(rows_of_a_block_have_their_own_shares),
      cmocka_unit_test(no_place_counts_twice),
      cmocka_unit_test(a_sum_counts_its_rows_and_never_overflows),
      cmocka_unit_test(every_row_has_the_bound_of_its_unit),
      cmocka_unit_test(only_sums_of_one_kind_are_merged),
      cmocka_unit_test(a_sum_takes_only_what_it_measured),
      cmocka_unit_test(what_a_level_adds_is_verified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
