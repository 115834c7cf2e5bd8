/* SPDX-License-Identifier: MIT */
/* Centred rows: every row is within the clip in exact integers, also where its terms
   cancel, are huge or denormal; closed sums are those of the centred rows; nothing of
   an open sum gets out. */
#include "made.h"
#include "sums.h"

#include <float.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "kernel/kernel.h"
#include "vault/words.h"

enum { FEATURES = 21, OUTPUTS = 3, TAILS = 2, BITS = 12 };
enum { DIM_MAX = OUTPUTS * (FEATURES + 2) + TAILS, SHAPES = 12 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "centred rows";

/* A shape, an offset and one row. */
struct fixture {
  tacit_words words;
  tacit_shape shape;
  double values[FEATURES + 2];
  tacit_offset offset;
  double raw_values[FEATURES], raw_weight;
  float raw_floats[FEATURES];
  uint32_t raw_indices[FEATURES], raw_unit_rows;
  int64_t raw_row_start[2];
  tacit_batch batch;
  double factor, scale, slopes[OUTPUTS], tails[TAILS];
  int has_slopes;
  const tacit_level *kernel;
  tacit_sum *sum;
};

/* One of the shapes under test, with offsets up to `size`; the last offset is 1/16. The
   last four are those of gradients: one output with a slope, one tail or none. */
static void fixture_init(struct fixture *f, int which, double size) {
  tacit_error err;
  memset(f, 0, sizeof *f);
  tacit_words_init(&f->words, test_key);
  f->shape = (tacit_shape){.rule = {.features = FEATURES,
                                    .bias = which & 1,
                                    .outputs = which < 8 && which & 2 ? OUTPUTS : 1},
                           .centred = 1,
                           .tails = which & 4 ? TAILS : 0};
  if (which >= 8) f->shape.tails = which & 2 ? 1 : 0;
  f->has_slopes = which >= 8 || which & 2;
  size_t columns = tacit_shape_columns(&f->shape);
  for (size_t j = 0; j < columns; ++j)
    f->values[j] = ldexp(rint(ldexp(size * made_uniform(&f->words), BITS)), -BITS);
  f->values[columns] = 1.0 / 16;
  f->offset = (tacit_offset){f->values, BITS};
  f->scale = f->factor = 1;
  f->raw_weight = 1;
  f->raw_unit_rows = 1;
  tacit_batch_init(&f->batch);
  f->batch.n_rows = 1;
  f->batch.n_features = FEATURES;
  f->batch.raw_weights = &f->raw_weight;
  f->batch.raw_unit_rows = &f->raw_unit_rows;
  CHECK_OK(tacit_kernel_pick(&f->kernel, &err), err);
  CHECK_OK(tacit_sum_new(&f->shape, f->kernel, &f->sum, &err), err);
}

static void fixture_fini(struct fixture *f) { tacit_sum_free(f->sum); }

enum storage { DENSE, SPARSE, FLOATS, STORAGES };

/* Shows the dense row raw_values in one of the forms; zeros are left out of SPARSE. */
static void store(struct fixture *f, enum storage storage, double *raw_sparse) {
  uint32_t count = 0;
  f->batch.raw_values = f->raw_values;
  f->batch.raw_values32 = NULL;
  f->batch.raw_row_start = NULL;
  f->batch.raw_indices = NULL;
  for (uint32_t j = 0; j < FEATURES; ++j)
    f->raw_floats[j] = (float)f->raw_values[j];
  if (storage == FLOATS) {
    f->batch.raw_values = NULL;
    f->batch.raw_values32 = f->raw_floats;
  }
  if (storage != SPARSE) return;
  for (uint32_t j = 0; j < FEATURES; ++j) {
    if (f->raw_values[j] == 0) continue;
    raw_sparse[count] = f->raw_values[j];
    f->raw_indices[count++] = j;
  }
  f->raw_row_start[1] = count;
  f->batch.raw_values = raw_sparse;
  f->batch.raw_row_start = f->raw_row_start;
  f->batch.raw_indices = f->raw_indices;
}

static tacit_status add_row(struct fixture *f, tacit_error *err) {
  const tacit_points none = {0};
  tacit_measures measures;
  assert_int_equal(tacit_sum_measure(f->sum, &f->batch, 0, 1, &none, &measures), 1);
  const tacit_contribution raw = {&f->factor, &f->scale,
                                  f->has_slopes ? f->slopes : NULL,
                                  f->shape.tails > 0 ? f->tails : NULL};
  return tacit_sum_add(f->sum, &raw, NULL, err);
}

/* The row alone, closed. */
static const int64_t *closed_row(struct fixture *f, int64_t clip) {
  tacit_error err;
  CHECK_OK(tacit_sum_open(f->sum, NULL, clip, 2, &f->offset, &err), err);
  CHECK_OK(add_row(f, &err), err);
  tacit_sum_close(f->sum, NULL);
  return tacit_sum_raw_integers(f->sum);
}

static tacit_i128 square_of(const int64_t *raw_integers, size_t dim) {
  tacit_i128 square = 0;
  for (size_t i = 0; i < dim; ++i)
    square += (tacit_i128)raw_integers[i] * raw_integers[i];
  return square;
}

enum { KINDS = 8 };

/* Rows of all kinds: common, at the centre or a last digit off, huge, denormal, with
   infinities, with a scale that the vault must not believe. */
static void fill_row(struct fixture *f, int kind) {
  tacit_words *words = &f->words;
  const double scales[] = {1, 0.37, -1.5, 3};
  f->scale = scales[tacit_words_next(words) % 4];
  for (int j = 0; j < FEATURES; ++j) {
    double at = -f->values[j] / f->scale;
    double own = tacit_words_next(words) % 3 == 0 ? 0 : made_uniform(words);
    f->raw_values[j] = kind == 1   ? at
                       : kind == 2 ? at * (1 + made_uniform(words) * 0x1p-50)
                       : kind == 3 ? own * 1e150
                       : kind == 4 ? own * 1e-310
                       : kind == 5 ? own * 1e-161
                                   : own;
  }
  if (kind == 4 || kind == 5) f->scale = kind == 4 ? 0x1p64 : 1e300;
  if (kind == 3) f->scale = made_uniform(words) * 1e-150;
  if (kind == 6) f->raw_values[tacit_words_next(words) % FEATURES] = INFINITY;
  if (kind == 7) f->scale = (double[]){NAN, INFINITY, 0, 1e-320}[f->words.used % 4];
  for (int k = 0; k < OUTPUTS; ++k)
    f->slopes[k] = made_uniform(words);
  for (int k = 0; k < TAILS; ++k)
    f->tails[k] = 0.1 * made_uniform(words);
}

/* Factors so large that the clip always binds; clips from a few closed steps to 2^58.
   The bound is reached, except for the margin, wherever that is small. */
static void no_centred_row_is_longer_than_its_clip(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    int reached = 0, nothing = 0;
    fixture_init(&f, which, 0.3);
    size_t dim = tacit_shape_dim(&f.shape);
    for (int trial = 0; trial < 24000; ++trial) {
      int kind = trial % KINDS;
      fill_row(&f, kind);
      store(&f, (enum storage)(trial / KINDS % STORAGES), raw_sparse);
      f.factor = trial % 5 == 0 ? DBL_MAX / 16 : ldexp(1, 60 + trial % 7);
      f.raw_unit_rows = trial % 11 == 0 ? 7 : 1;
      f.raw_weight = trial % 13 == 0 ? 0.31 : 1;
      int64_t clip = ((int64_t)1 << (15 + trial / 24 % 44)) + trial;
      tacit_i128 bound = (clip / f.raw_unit_rows);
      tacit_i128 square = square_of(closed_row(&f, clip), dim);
      assert_true(square <= bound * bound);
      double length = sqrt((double)square), share = f.raw_weight * (double)bound;
      assert_true(length <= share * (1 + 1e-14));
      reached += clip > (int64_t)1 << 40 && length > 0.99 * share;
      nothing += square == 0;
    }
    assert_true(reached > 4000 && nothing > 3000);
    fixture_fini(&f);
  }
}

/* The length of factor (a z, tail), nearly. */
static double length_of(const struct fixture *f) {
  size_t columns = tacit_shape_columns(&f->shape), outputs = f->shape.rule.outputs;
  double square = f->values[columns] * f->values[columns], a = 0, tail = 0;
  for (size_t j = 0; j < columns; ++j) {
    double z = f->scale * (j < FEATURES ? f->raw_values[j] : 1) + f->values[j];
    square += z * z;
  }
  for (size_t k = 0; k < outputs; ++k)
    a += f->has_slopes ? f->slopes[k] * f->slopes[k] : 1;
  for (size_t k = 0; k < f->shape.tails; ++k)
    tail += f->tails[k] * f->tails[k];
  return sqrt(a * square + tail);
}

/* Factors from half to twice of what the clip allows, many at its last digits: those
   that fit stay, and none is too long. Tails and slopes have their part in it. */
static void rows_at_the_clip_are_not_longer(void **state) {
  (void)state;
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    int fits = 0, cut = 0;
    fixture_init(&f, which, 0.3);
    size_t dim = tacit_shape_dim(&f.shape);
    for (int trial = 0; trial < 20000; ++trial) {
      fill_row(&f, 0);
      store(&f, DENSE, NULL);
      for (size_t k = 0; k < f.shape.tails; ++k)
        f.tails[k] *= trial % 3 == 0 ? 10 : 1;
      const int64_t clip = ((int64_t)1 << 58) + trial;
      f.raw_unit_rows = (uint32_t[]){1, 2, 3, 70}[trial % 4];
      f.raw_weight = trial % 5 == 0 ? 0.31 : 1;
      double bound = f.raw_weight * (double)(clip / f.raw_unit_rows);
      double near = trial % 2 ? ldexp(made_uniform(&f.words), -(trial % 40))
                              : 0.75 * made_uniform(&f.words) + 0.25;
      double whole = (double)clip / length_of(&f);
      f.factor = whole * (1 + near);
      double length = sqrt((double)square_of(closed_row(&f, clip), dim));
      assert_true(length <= bound * (1 + 1e-15));
      fits += length < 0.999 * bound;
      cut += length >= 0.999 * bound;
      if (near < -1e-3) CHECK_WITHIN(length, bound * (1 + near), 1e-3 * bound);
    }
    assert_true(fits > 1000 && cut > 1000);
    fixture_fini(&f);
  }
}

/* An offset hundreds of times larger than the rest of a row near it: what is computed
   of the norm has half its digits, and the clip shows all of them. */
static void the_norm_covers_what_cancels(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    fixture_init(&f, which, 60);
    for (int trial = 0; trial < 4000; ++trial) {
      fill_row(&f, 1 + trial % 2);
      store(&f, (enum storage)(trial / 2 % 2), raw_sparse);
      f.factor = 0x1p90;
      const int64_t clip = (int64_t)1 << 60;
      tacit_i128 square = square_of(closed_row(&f, clip), tacit_shape_dim(&f.shape));
      assert_true(square <= (tacit_i128)clip * clip);
      assert_true(sqrt((double)square) > 0.999 * (double)clip || f.shape.rule.bias);
    }
    fixture_fini(&f);
  }
}

/* The same for rows as they are: scales, slopes and tails are in the norm. */
static void scales_and_tails_are_clipped(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  tacit_error err;
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    int reached = 0;
    fixture_init(&f, which, 0);
    fixture_fini(&f);
    f.shape.centred = 0;
    CHECK_OK(tacit_sum_new(&f.shape, f.kernel, &f.sum, &err), err);
    for (int trial = 0; trial < 8000; ++trial) {
      double exponent = trial % 3 == 0 ? 1 : 2;
      fill_row(&f, trial % KINDS);
      store(&f, (enum storage)(trial % STORAGES), raw_sparse);
      f.factor = ldexp(1, 60 + trial % 7);
      int64_t clip = ((int64_t)1 << (2 + trial / 24 % 50)) + trial % 5;
      CHECK_OK(tacit_sum_open(f.sum, NULL, clip, exponent, NULL, &err), err);
      CHECK_OK(add_row(&f, &err), err);
      const int64_t *raw_integers = tacit_sum_raw_integers(f.sum);
      tacit_i128 square = square_of(raw_integers, tacit_shape_dim(&f.shape)), sum = 0;
      for (size_t i = 0; i < tacit_shape_dim(&f.shape); ++i)
        sum += raw_integers[i] < 0 ? -raw_integers[i] : raw_integers[i];
      assert_true(exponent == 1 ? sum <= clip : square <= (tacit_i128)clip * clip);
      reached +=
          (exponent == 1 ? (double)sum : sqrt((double)square)) > 0.99 * (double)clip;
    }
    assert_true(reached > 800);
    fixture_fini(&f);
  }
}

/* Where the row is at the centre, z is o_last alone: T is as large as it can be and
   every truncation error shows. A clip of few steps of 2^bits shows a margin that is
   left out. */
static void truncation_has_its_margin(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    int some = 0;
    fixture_init(&f, which, 0.9);
    size_t dim = tacit_shape_dim(&f.shape);
    for (int trial = 0; trial < 40000; ++trial) {
      fill_row(&f, trial % 3);
      store(&f, (enum storage)(trial % STORAGES), raw_sparse);
      f.factor = 1e30;
      int64_t clip = (int64_t)(1 + trial % 400) << (BITS - 2);
      tacit_i128 square = square_of(closed_row(&f, clip), dim);
      assert_true(square <= (tacit_i128)clip * clip);
      some += square > 0;
    }
    assert_true(some > 10000);
    fixture_fini(&f);
  }
}

/* Unclipped, a closed row is factor (a z, tail) up to the truncation: less than one
   step of 2^bits per entry, and the offset once. */
static void a_closed_row_is_the_centred_row(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    fixture_init(&f, which, 0.3);
    size_t outputs = f.shape.rule.outputs, columns = tacit_shape_columns(&f.shape);
    for (int trial = 0; trial < 300; ++trial) {
      fill_row(&f, 0);
      store(&f, (enum storage)(trial % 2), raw_sparse);
      f.factor = 0x1p40;
      const int64_t *raw_integers = closed_row(&f, (int64_t)1 << 56);
      for (size_t k = 0; k < outputs; ++k) {
        double a = f.factor * (f.has_slopes ? f.slopes[k] : 1);
        double last = f.values[columns];
        for (size_t j = 0; j < columns; ++j) {
          size_t at = j < FEATURES ? k * FEATURES + j : outputs * FEATURES + k;
          double z = f.scale * (j < FEATURES ? f.raw_values[j] : 1) + f.values[j];
          CHECK_WITHIN((double)raw_integers[at], a * z, 1.4 * 0x1p12);
        }
        CHECK_WITHIN((double)raw_integers[outputs * columns + k], a * last,
                     last * 0x1p12);
      }
      for (size_t k = 0; k < f.shape.tails; ++k)
        CHECK_WITHIN((double)raw_integers[outputs * (columns + 1) + k],
                     f.factor * f.tails[k], 0x1p12);
    }
    fixture_fini(&f);
  }
}

/* Dense, sparse and floats; every level of the processor. */
static void storage_and_processor_change_no_bit(void **state) {
  (void)state;
  double raw_sparse[FEATURES];
  for (int which = 0; which < SHAPES; ++which) {
    struct fixture f;
    fixture_init(&f, which, 0.3);
    size_t size = tacit_shape_dim(&f.shape) * sizeof(int64_t);
    for (int trial = 0; trial < 200; ++trial) {
      int64_t first[DIM_MAX];
      fill_row(&f, 0);
      for (int j = 0; j < FEATURES; ++j)
        f.raw_values[j] = (float)f.raw_values[j];
      f.factor = ldexp(1, 30 + trial % 30);
      for (int way = 0; way < STORAGES; ++way) {
        store(&f, (enum storage)way, raw_sparse);
        const tacit_level *level;
        for (size_t i = 0; (level = tacit_kernel_at(i)) != NULL; ++i) {
          if (!tacit_kernel_runs(level)) continue;
          tacit_error err;
          fixture_fini(&f);
          CHECK_OK(tacit_sum_new(&f.shape, level, &f.sum, &err), err);
          const int64_t *raw_integers =
              closed_row(&f, trial % 2 ? (int64_t)1 << 40 : (int64_t)1 << 57);
          if (way == 0 && i == 0) memcpy(first, raw_integers, size);
          assert_memory_equal(first, raw_integers, size);
        }
      }
    }
    fixture_fini(&f);
  }
}

/* Closed once, and only then open to others; the order of merging and closing is
   free. */
static void only_closed_sums_are_read(void **state) {
  (void)state;
  struct fixture f, g;
  double raw_sparse[FEATURES];
  int64_t early[DIM_MAX];
  tacit_error err;
  fixture_init(&f, 7, 0.3);
  fixture_init(&g, 7, 0.3);
  g.offset = f.offset;
  size_t size = tacit_shape_dim(&f.shape) * sizeof(int64_t);
  for (int way = 0; way < 2; ++way) {
    tacit_words_init(&f.words, test_key);
    g.words = f.words;
    CHECK_OK(tacit_sum_open(f.sum, NULL, (int64_t)1 << 50, 2, &f.offset, &err), err);
    CHECK_OK(tacit_sum_open(g.sum, NULL, (int64_t)1 << 50, 2, &g.offset, &err), err);
    for (int i = 0; i < 20; ++i) {
      struct fixture *one = i % 2 ? &f : &g;
      fill_row(one, 0);
      store(one, SPARSE, raw_sparse);
      one->factor = 0x1p60;
      CHECK_OK(add_row(one, &err), err);
    }
    assert_null(tacit_sum_raw_integers(f.sum));
    if (way == 0) {
      tacit_sum_close(f.sum, NULL);
      assert_int_equal(tacit_sum_merge(f.sum, g.sum, NULL, &err), TACIT_EPRIVACY);
      tacit_sum_close(g.sum, NULL);
    }
    CHECK_OK(tacit_sum_merge(f.sum, g.sum, NULL, &err), err);
    (void)tacit_sum_raw_load(f.sum, 20); /* changes the count, and opens nothing */
    if (way == 1) assert_null(tacit_sum_raw_integers(f.sum));
    tacit_sum_close(f.sum, NULL);
    tacit_sum_close(f.sum, NULL);
    if (way == 0) memcpy(early, tacit_sum_raw_integers(f.sum), size);
    assert_memory_equal(early, tacit_sum_raw_integers(f.sum), size);
    assert_int_equal(add_row(&f, &err), TACIT_EPRIVACY);
    assert_memory_equal(early, tacit_sum_raw_integers(f.sum), size);
  }
  g.offset.values = g.values; /* another offset, if the same numbers */
  CHECK_OK(tacit_sum_open(f.sum, NULL, 1 << 20, 2, &f.offset, &err), err);
  CHECK_OK(tacit_sum_open(g.sum, NULL, 1 << 20, 2, &g.offset, &err), err);
  assert_int_equal(tacit_sum_merge(f.sum, g.sum, NULL, &err), TACIT_EPRIVACY);
  (void)tacit_sum_raw_load(f.sum, 3); /* an empty sum takes closed integers */
  assert_non_null(tacit_sum_raw_integers(f.sum));
  fixture_fini(&f);
  fixture_fini(&g);
}

/* Each of these would break a line of the proof. */
static void wrong_offsets_are_refused(void **state) {
  (void)state;
  static const double wrong[] = {0, -0.0625, 0x1p-13, NAN, INFINITY, 0x1p41, 0.3};
  struct fixture f;
  tacit_error err;
  fixture_init(&f, 1, 0.3);
  for (size_t place = 0; place < 2; ++place) {
    double *value = place == 0 ? &f.values[FEATURES + 1] : &f.values[3];
    double kept = *value;
    for (size_t i = place == 0 ? 0 : 2; i < sizeof wrong / sizeof *wrong; ++i) {
      *value = wrong[i];
      assert_int_equal(tacit_sum_open(f.sum, NULL, 1000, 2, &f.offset, &err),
                       TACIT_EPRIVACY);
    }
    *value = kept;
  }
  f.values[3] = 257; /* 2^12 - 2 times the last one is 255.9 */
  assert_int_equal(tacit_sum_open(f.sum, NULL, 1000, 2, &f.offset, &err),
                   TACIT_EPRIVACY);
  f.values[3] = 0;
  for (int fault = 0; fault < 5; ++fault) {
    tacit_offset offset = f.offset;
    if (fault == 1) offset.bits = 0;
    if (fault == 2) offset.bits = 31;
    assert_int_equal(tacit_sum_open(f.sum, NULL, 1000, fault == 3 ? 1 : 2,
                                    fault == 4 ? NULL : &offset, &err),
                     fault == 0 ? TACIT_OK : TACIT_EPRIVACY);
  }
  fixture_fini(&f);
}

/* Long offsets are checked by all threads: one bad entry anywhere is enough, and the
   norms have the same bits for any number of threads. */
static void long_offsets_are_checked_in_every_part(void **state) {
  (void)state;
  enum { WIDE = 40000 };
  static double values[WIDE + 1];
  static const size_t places[] = {0, 4095, 4096, 20001, WIDE - 1, WIDE};
  tacit_shape shape = {.rule = {.features = WIDE, .outputs = 1}, .centred = 1};
  tacit_offset offset = {values, BITS};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (size_t j = 0; j < WIDE; ++j)
    values[j] = ldexp(rint(ldexp(0.01 * made_uniform(&words), BITS)), -BITS);
  values[WIDE] = 0.25;
  tacit_centre first = {0};
  tacit_error err;
  for (unsigned threads = 1; threads <= 3; ++threads) {
    tacit_pool *pool = NULL;
    tacit_centre centre;
    CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
    assert_true(tacit_centre_init(&centre, &offset, &shape, 1, 2, pool));
    if (threads == 1) first = centre;
    assert_true(centre.square == first.square && centre.margin == first.margin &&
                centre.inner == first.inner);
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
      double kept = values[places[i]];
      values[places[i]] = 0x1p-13;
      assert_false(tacit_centre_init(&centre, &offset, &shape, 1, 2, pool));
      values[places[i]] = kept;
    }
    tacit_pool_free(pool);
  }
}

/* A centred row can be negative, so a sum of counts takes none: its noise rests on
   vectors that are at most a right angle apart. */
static void counts_are_not_centred(void **state) {
  (void)state;
  struct fixture f;
  tacit_sum *counts = NULL;
  tacit_error err;
  fixture_init(&f, 0, 0.3);
  f.shape.counts = 1;
  CHECK_OK(tacit_sum_new(&f.shape, f.kernel, &counts, &err), err);
  assert_int_equal(tacit_sum_open(counts, NULL, 1000, 2, &f.offset, &err),
                   TACIT_EPRIVACY);
  tacit_sum_free(counts);
  fixture_fini(&f);
}

/* The largest integers there can be: rows opposite to a large offset. Sums of as many
   rows as are taken do not wrap, before or after closing. */
static void no_integer_overflows(void **state) {
  (void)state;
  struct fixture f;
  tacit_error err;
  fixture_init(&f, 0, 0);
  f.values[0] = 255; /* nearly 2^12 times the last entry */
  f.raw_values[0] = -255;
  store(&f, DENSE, NULL);
  f.factor = 0x1p1000;
  int64_t clip = INT64_MAX / 20;
  CHECK_OK(tacit_sum_open(f.sum, NULL, clip, 2, &f.offset, &err), err);
  for (int i = 0; i < 20; ++i)
    CHECK_OK(add_row(&f, &err), err);
  assert_int_equal(add_row(&f, &err), TACIT_EPRIVACY);
  tacit_sum_close(f.sum, NULL);
  const int64_t *raw_integers = tacit_sum_raw_integers(f.sum);
  int64_t last = raw_integers[FEATURES];
  assert_true(last > INT64_MAX / 100 * 99 && raw_integers[0] < last / 1000 &&
              raw_integers[0] > -last / 1000);
  fixture_fini(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_centred_row_is_longer_than_its_clip),
      cmocka_unit_test(rows_at_the_clip_are_not_longer),
      cmocka_unit_test(the_norm_covers_what_cancels),
      cmocka_unit_test(scales_and_tails_are_clipped),
      cmocka_unit_test(truncation_has_its_margin),
      cmocka_unit_test(a_closed_row_is_the_centred_row),
      cmocka_unit_test(storage_and_processor_change_no_bit),
      cmocka_unit_test(only_closed_sums_are_read),
      cmocka_unit_test(wrong_offsets_are_refused),
      cmocka_unit_test(long_offsets_are_checked_in_every_part),
      cmocka_unit_test(counts_are_not_centred),
      cmocka_unit_test(no_integer_overflows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
