/* SPDX-License-Identifier: MIT */
/* kernel/: every level of the processor, and rows in every form, give the bits of the
   plain loops. */
#include "made.h"
#include "sums.h"

#include <stdlib.h>

#include "gradient/interleave.h"
#include "kernel/kernel.h"
#include "kernel/margins.h"
#include "kernel/short.h"
#include "loss/exp.h"
#include "vault/centre.h"
#include "vault/rows.h"
#include "vault/words.h"

enum { MAX = 2051, MAX_ROWS = 19, MAX_WIDTH = 56 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "kernel tests";
static const double wild[] = {
    0,     -0.0,  0x1p-149, 0x1p-1074, 0x1p-1022, -0x1p-130, 1e-160, 1e38,
    -3e38, 1e200, -1.7e308, NAN,       INFINITY,  -INFINITY, 1,      -1};

/* One number in `rare` is wild; those are floats too unless they overflow one. */
static void fill(tacit_words *words, int rare, float *narrow, double *same,
                 size_t count) {
  for (size_t i = 0; i < count; ++i) {
    double value =
        made_uniform(words) * ldexp(1, (int)(tacit_words_next(words) % 9) - 4);
    if (rare > 0 && tacit_words_next(words) % (uint64_t)rare == 0)
      value = wild[tacit_words_next(words) % (sizeof wild / sizeof wild[0])];
    narrow[i] = (float)value;
    same[i] = (double)narrow[i];
  }
}

/* The same bits, or both not a number. */
static void same_numbers(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    assert_memory_equal(&a[i], &b[i], sizeof a[i]);
  }
}

static void same_sums(const tacit_sums *a, const tacit_sums *b, size_t rows) {
  for (size_t r = 0; r < rows; ++r) {
    double left[] = {a[r].raw_square, a[r].raw_dot, a[r].raw_dot_prev, a[r].raw_offset};
    double right[] = {b[r].raw_square, b[r].raw_dot, b[r].raw_dot_prev,
                      b[r].raw_offset};
    same_numbers(left, right, 4);
  }
}

static float narrow[MAX_ROWS * MAX];
static double values[MAX_ROWS * MAX], x[MAX], x_prev[MAX], offset[MAX];

static size_t next_size(size_t columns) {
  return columns < 71 ? columns + 1 : columns < 1000 ? 1000 : columns + 1051;
}

typedef void (*level_test)(const tacit_level *level, tacit_words *words);

/* Runs a test on every level this processor has. */
static void for_levels(level_test test) {
  int tested = 0;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    const tacit_level *level = tacit_kernel_at(i);
    if (!tacit_kernel_runs(level)) continue;
    tacit_words words;
    tacit_words_init(&words, test_key);
    test(level, &words);
    ++tested;
  }
  assert_true(tested > 0);
}

static void check_sums(const tacit_level *level, tacit_words *words) {
  const tacit_level *plain = tacit_kernel_at(0);
  float unused[MAX];
  for (size_t columns = 0; columns <= MAX; columns = next_size(columns)) {
    for (int trial = 0; trial < 12; ++trial) {
      size_t rows = (size_t)(tacit_words_next(words) % MAX_ROWS) + 1;
      int rare = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 200 : 0;
      fill(words, rare, narrow, values, rows * columns);
      fill(words, trial % 4 == 0 ? 50 : 0, unused, x, columns);
      fill(words, 0, unused, x_prev, columns);
      fill(words, 0, unused, offset, columns);
      int are_short = trial >= 6;
      for (size_t j = 0; are_short && j < columns; ++j) {
        x[j] = tacit_short(x[j] * made_uniform(words));
        x_prev[j] = tacit_short(x_prev[j] * made_uniform(words));
      }
      tacit_dense wide = {values, 0, columns}, slim = {narrow, 1, columns};
      const double *first = trial % 3 == 2 ? NULL : x;
      const double *second = trial % 3 == 0 ? x_prev : NULL;
      tacit_sums expected[MAX_ROWS], got[MAX_ROWS];
      const tacit_points points = {.x = first,
                                   .x_prev = second,
                                   .offset = trial % 2 ? offset : NULL,
                                   .are_short = are_short};
      plain->sums(&wide, rows, &points, expected);
      level->sums(&wide, rows, &points, got);
      same_sums(expected, got, rows);
      level->sums(&slim, rows, &points, got);
      same_sums(expected, got, rows);
    }
  }
}

/* Rows of ascending indices with gaps. In some trials all values are 1, in others all
   but one. */
static void check_sparse(const tacit_level *level, tacit_words *words) {
  enum { ROWS = 4, ENTRIES = 120 };
  static double pairs[2 * MAX];
  static float unused[2 * MAX];
  static uint32_t indices[ROWS * ENTRIES];
  for (int trial = 0; trial < 600; ++trial) {
    size_t gap = 1 + (size_t)trial % 9, reach = 0;
    int64_t starts[ROWS + 1] = {0};
    for (size_t r = 0; r < ROWS; ++r) {
      size_t most = (size_t)(tacit_words_next(words) % (trial % 2 ? 7 : ENTRIES));
      size_t j = tacit_words_next(words) % gap;
      for (size_t e = 0; e < most && j < MAX; ++e) {
        indices[reach++] = (uint32_t)j;
        j += 1 + tacit_words_next(words) % gap;
      }
      starts[r + 1] = (int64_t)reach;
    }
    fill(words, trial % 3 == 0 ? 9 : 0, narrow, values, reach);
    for (size_t e = 0; trial % 5 < 2 && e < reach; ++e)
      values[e] = narrow[e] = 1;
    if (trial % 5 == 1 && reach > 0) {
      size_t odd = (size_t)(tacit_words_next(words) % reach);
      values[odd] = narrow[odd] = trial % 2 ? 0.5f : -1;
    }
    fill(words, trial % 4 == 0 ? 50 : 0, unused, pairs, 2 * MAX);
    fill(words, 0, unused, offset, MAX);
    const tacit_points points = {.x = trial % 2 ? x : NULL,
                                 .pairs = trial % 11 ? pairs : NULL,
                                 .offset = trial % 7 < 4 ? offset : NULL};
    size_t rows = (size_t)(tacit_words_next(words) % (ROWS + 1));
    const tacit_sparse_rows wide = {values, TACIT_DOUBLES, indices,
                                    starts, rows,          trial % 2};
    const tacit_sparse_rows slim = {narrow, TACIT_FLOATS, indices,
                                    starts, rows,         trial % 2};
    tacit_sums expected[ROWS], got[ROWS];
    tacit_level_plain.sums_sparse(&wide, &points, expected);
    level->sums_sparse(&wide, &points, got);
    same_sums(expected, got, rows);
    level->sums_sparse(&slim, &points, got);
    same_sums(expected, got, rows);
  }
}

/* The contributions of sparse rows. Factors have all sizes; some are 0. */
static void check_add_sparse(const tacit_level *level, tacit_words *words) {
  enum { ROWS = 5, ENTRIES = 60, COLUMNS = 200 };
  static const double reach_of[] = {0x1p62, 0x1p50, 0x1p47};
  static uint32_t indices[ROWS * ENTRIES];
  for (int trial = 0; trial < 600; ++trial) {
    tacit_size size = (tacit_size)(trial % 3);
    int64_t starts[ROWS + 1] = {0}, expected[COLUMNS] = {0};
    int64_t got[COLUMNS] = {0}, slim_got[COLUMNS] = {0};
    size_t reach = 0;
    double factors[ROWS];
    for (size_t r = 0; r < ROWS; ++r) {
      size_t most = (size_t)(tacit_words_next(words) % ENTRIES);
      size_t j = tacit_words_next(words) % 5;
      for (size_t e = 0; e < most && j < COLUMNS; ++e) {
        indices[reach++] = (uint32_t)j;
        j += 1 + (tacit_words_next(words) % 2) * (size_t)(trial % 4);
      }
      starts[r + 1] = (int64_t)reach;
      factors[r] = made_uniform(words) * reach_of[size] / ROWS;
    }
    factors[trial % ROWS] = trial % 3 ? 0 : 0.75;
    for (size_t e = 0; e < reach; ++e) {
      narrow[e] = trial % 4 == 1 ? 1 : (float)made_uniform(words);
      values[e] = (double)narrow[e];
    }
    tacit_sparse_rows all = {values, TACIT_DOUBLES, indices, starts, ROWS, trial % 2};
    tacit_level_plain.add_sparse(&all, factors, size, expected);
    level->add_sparse(&all, factors, size, got);
    all.raw_values = narrow;
    all.stored = TACIT_FLOATS;
    level->add_sparse(&all, factors, size, slim_got);
    assert_memory_equal(expected, got, sizeof got);
    assert_memory_equal(expected, slim_got, sizeof got);
  }
}

static void sums_are_those_of_the_plain_loops(void **state) {
  (void)state;
  for_levels(check_sums);
  for_levels(check_sparse);
  for_levels(check_add_sparse);
}

/* Centred rows, wild ones among them. */
static void check_near(const tacit_level *level, tacit_words *words) {
  enum { NEAR_ROWS = 37 };
  static float unused[NEAR_ROWS];
  double numbers[7][NEAR_ROWS], expected[NEAR_ROWS], got[NEAR_ROWS];
  for (int trial = 0; trial < 2000; ++trial) {
    size_t rows = (size_t)(tacit_words_next(words) % NEAR_ROWS) + 1;
    int rare = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 50 : 0;
    for (int i = 0; i < 7; ++i)
      fill(words, rare, unused, numbers[i], rows);
    tacit_sums raw_sums[NEAR_ROWS] = {{0}};
    for (size_t i = 0; i < rows; ++i) {
      raw_sums[i].raw_offset = numbers[0][i];
      numbers[1][i] = fabs(numbers[1][i]);
    }
    tacit_centre centre = {.norm = 0.7, .square = 0.49, .inner = 0.4, .bias = -0.2};
    centre.slack = 0x1p-44;
    const tacit_centred_rows centred = {&centre, raw_sums, numbers[1], numbers[2]};
    const double *tails = trial % 2 ? numbers[5] : NULL;
    memcpy(expected, numbers[3], sizeof expected);
    memcpy(got, numbers[3], sizeof got);
    tacit_level_plain.factors(&centred, rows, numbers[6], numbers[4], tails, expected);
    level->factors(&centred, rows, numbers[6], numbers[4], tails, got);
    same_numbers(expected, got, rows);
    memcpy(expected, numbers[3], sizeof expected);
    memcpy(got, numbers[3], sizeof got);
    tacit_kernel_plain.weigh(&centred, rows, 0.8, 0.6, expected);
    tacit_kernel_of(level)->weigh(&centred, rows, 0.8, 0.6, got);
    same_numbers(expected, got, rows);
    tacit_kernel_plain.cut(rows, 0.3, 0.7, expected);
    tacit_kernel_of(level)->cut(rows, 0.3, 0.7, got);
    same_numbers(expected, got, rows);
  }
}

static void centred_rows_are_those_of_the_plain_loops(void **state) {
  (void)state;
  for_levels(check_near);
}

/* Products of every size the clip allows, whole numbers and halves among them. */
static void check_add(const tacit_level *level, tacit_words *words) {
  static int64_t expected[MAX], got[MAX], exact[MAX];
  for (size_t columns = 0; columns <= MAX; columns = next_size(columns)) {
    for (int trial = 0; trial < 12; ++trial) {
      size_t rows = (size_t)(tacit_words_next(words) % MAX_ROWS) + 1;
      double factors[MAX_ROWS];
      const void *slim[MAX_ROWS], *wide[MAX_ROWS];
      static const int bits[] = {12, 50, 48, 57};
      int size = bits[trial % 4];
      tacit_size bound = tacit_size_of(((int64_t)1 << size) - 1);
      for (size_t i = 0; i < rows * columns; ++i) {
        narrow[i] = (float)made_uniform(words);
        if (trial % 4 == 0)
          narrow[i] = (float)ldexp(round(256 * made_uniform(words)), -9);
        if (trial % 4 == 1 && i % 7 == 0) narrow[i] = (float)(narrow[i] * 0x1p-140);
        values[i] = (double)narrow[i];
      }
      for (size_t r = 0; r < rows; ++r) {
        factors[r] = ldexp(trial % 4 == 0 ? 1 : made_uniform(words), size);
        slim[r] = narrow + r * columns;
        wide[r] = values + r * columns;
      }
      memset(exact, 0, sizeof exact);
      for (size_t r = 0; r < rows; ++r)
        for (size_t j = 0; j < columns; ++j)
          exact[j] += (int64_t)trunc(factors[r] * values[r * columns + j]);
      memset(got, 0, sizeof got);
      memset(expected, 0, sizeof expected);
      tacit_kernel_at(0)->add(wide, 0, factors, rows, columns, bound, NULL, expected);
      assert_memory_equal(exact, expected, sizeof exact);
      level->add(wide, 0, factors, rows, columns, bound, NULL, got);
      assert_memory_equal(expected, got, sizeof got);
      memset(got, 0, sizeof got);
      level->add(slim, 1, factors, rows, columns, bound, narrow, got);
      assert_memory_equal(expected, got, sizeof got);
    }
  }
}

/* Sixteen rows at the bound, of one sign: the most that can meet in one vector. */
static void check_largest(const tacit_level *level, tacit_words *words) {
  enum { ROWS = 16, COLUMNS = 13 };
  double factors[ROWS], ones[COLUMNS];
  const void *rows[ROWS];
  int64_t got[COLUMNS];
  (void)words;
  for (size_t j = 0; j < COLUMNS; ++j)
    ones[j] = j % 2 ? 1 : -1;
  for (int bits = 45; bits <= 58; ++bits) {
    int64_t clip = ((int64_t)1 << bits) - (bits < 53);
    for (size_t r = 0; r < ROWS; ++r) {
      factors[r] = (double)clip;
      rows[r] = ones;
    }
    memset(got, 0, sizeof got);
    level->add(rows, 0, factors, ROWS, COLUMNS, tacit_size_of(clip), NULL, got);
    for (size_t j = 0; j < COLUMNS; ++j)
      assert_true(got[j] == (j % 2 ? 1 : -1) * ROWS * clip);
  }
}

static void the_largest_contributions_add_up_exactly(void **state) {
  (void)state;
  for_levels(check_largest);
}

static void contributions_are_cut_toward_zero(void **state) {
  (void)state;
  for_levels(check_add);
}

static void check_wide(const tacit_level *level, tacit_words *words) {
  enum { COLUMNS = 37 };
  static double weights[COLUMNS * MAX_WIDTH];
  static float unused[COLUMNS * MAX_WIDTH];
  static double expected[MAX_ROWS * MAX_WIDTH], got[MAX_ROWS * MAX_WIDTH];
  uint32_t indices[COLUMNS];
  for (size_t width = 8; width <= MAX_WIDTH; width += 8) {
    for (size_t rows = 1; rows <= MAX_ROWS; ++rows) {
      int rare = rows % 5 == 0 ? 40 : 0;
      size_t outputs = width - rows % TACIT_LANES;
      fill(words, rare, narrow, values, rows * COLUMNS);
      fill(words, 0, unused, weights, COLUMNS * width);
      for (size_t i = 0; i < COLUMNS * width; ++i)
        weights[i] *= made_uniform(words);
      for (size_t i = 0; rows % 2 && i < COLUMNS * width; ++i)
        weights[i] = tacit_short(weights[i]);
      const tacit_wide all = {weights, outputs, width, rows % 2};
      memset(expected, 0, sizeof expected);
      tacit_dense wide = {values, 0, COLUMNS}, slim = {narrow, 1, COLUMNS};
      tacit_kernel_plain.wide(&wide, rows, 0, COLUMNS, &all, expected);
      for (int is32 = 0; is32 < 2; ++is32) { /* in two parts: the order is the same */
        memset(got, 0, sizeof got);
        tacit_kernel_of(level)->wide(is32 ? &slim : &wide, rows, 0, 11, &all, got);
        tacit_kernel_of(level)->wide(is32 ? &slim : &wide, rows, 11, COLUMNS, &all,
                                     got);
        for (size_t r = 0; r < rows; ++r)
          same_numbers(expected + r * width, got + r * width, outputs);
        for (size_t j = 0; j < COLUMNS; ++j)
          indices[j] = (uint32_t)j;
        memset(got, 0, sizeof got);
        const tacit_sparse row = {is32 ? (const void *)narrow : values, is32, indices,
                                  COLUMNS, COLUMNS};
        tacit_kernel_of(level)->wide_sparse(&row, &all, got);
        same_numbers(expected, got, outputs);
      }
    }
  }
}

/* Doubles in place of floats, in two parts. */
static void check_widen(const tacit_level *level, tacit_words *words) {
  static double to[MAX_ROWS * MAX];
  for (size_t columns = 0; columns <= MAX; columns = next_size(columns)) {
    size_t rows = (size_t)(tacit_words_next(words) % MAX_ROWS) + 1;
    size_t part = columns / 2 / TACIT_LANES * TACIT_LANES;
    fill(words, columns % 2 ? 40 : 0, narrow, values, rows * columns);
    const tacit_dense dense = {narrow, TACIT_FLOATS, columns};
    for (size_t first = 0, end; first < columns; first = end) {
      end = first < part ? part : columns;
      level->widen(&dense, rows, first, end - first, to);
      for (size_t r = 0; r < rows; ++r)
        same_numbers(values + r * columns + first, to + r * (end - first), end - first);
    }
  }
}

static void several_outputs_are_those_of_the_plain_loops(void **state) {
  (void)state;
  for_levels(check_wide);
  for_levels(check_widen);
}

/* So a sum has the same bits fused or not. */
static void products_of_short_numbers_and_floats_are_exact(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int trial = 0; trial < 100000; ++trial) {
    double number =
        ldexp(made_uniform(&words), (int)(tacit_words_next(&words) % 2100) - 1070);
    double narrowed = tacit_short(number), size = fabs(narrowed);
    double value = (double)(float)ldexp(made_uniform(&words),
                                        (int)(tacit_words_next(&words) % 278) - 150);
    assert_true(size == 0 || (size >= 0x1p-850 && size <= 0x1p850));
    if (size > 0x1p-849 && size < 0x1p849)
      assert_true(fabs(narrowed - number) <= fabs(number) * 0x1p-29);
    assert_true(fma(value, narrowed, -(value * narrowed)) == 0);
    assert_true(tacit_short(-number) == -narrowed);
    assert_true(tacit_short(narrowed) == narrowed);
  }
  assert_true(tacit_short(0) == 0 && tacit_short(1) == 1);
  assert_true(tacit_short(INFINITY) == 0x1p850 && tacit_short(0x1p-1074) == 0);
  assert_true(isnan(tacit_short(NAN)));
}

/* Rows of one data set in all forms. From row FULL on the sparse ones keep their zeros:
   they have every column, and what is cut behind it goes the way of dense rows. */
enum { FORMS = 4, ROWS = 250, FULL = 90, FEATURES = 43 };
static struct {
  float narrow[ROWS * FEATURES], packed32[ROWS * FEATURES];
  double values[ROWS * FEATURES], packed[ROWS * FEATURES], labels[ROWS];
  uint32_t indices[ROWS * FEATURES];
  int64_t start[ROWS + 1];
} set;

static void make_set(tacit_words *words, size_t outputs, int rare) {
  fill(words, rare, set.narrow, set.values, ROWS * FEATURES);
  int64_t at = 0;
  for (size_t i = 0; i < ROWS; ++i) {
    set.labels[i] = outputs > 1 ? (double)(i % outputs) : i % 2 ? 1 : -1;
    set.start[i] = at;
    for (size_t j = 0; j < FEATURES; ++j) {
      size_t k = i * FEATURES + j;
      if (tacit_words_next(words) % 3 == 0) set.narrow[k] = (float)(set.values[k] = 0);
      if (set.values[k] == 0 && i < FULL) continue;
      set.packed32[at] = set.narrow[k];
      set.packed[at] = set.values[k];
      set.indices[at++] = (uint32_t)j;
    }
  }
  set.start[ROWS] = at;
}

static tacit_batch form(int which) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_labels = set.labels;
  if (which == 0) batch.raw_values = set.values;
  if (which == 1) batch.raw_values32 = set.narrow;
  if (which == 2) batch.raw_values = set.packed;
  if (which == 3) batch.raw_values32 = set.packed32;
  if (which >= 2) {
    batch.raw_indices = set.indices;
    batch.raw_row_start = set.start;
  }
  return batch;
}

/* A batch through the vault in every form, at every level, cut anywhere: one sum. */
static void one_sum(tacit_words *words, const char *loss_name, size_t outputs,
                    double exponent, double sens_norm, int64_t clip, int rare) {
  enum { DIM_MAX = 11 * (FEATURES + 1) };
  static double here[DIM_MAX], before[DIM_MAX], spread[50 * (FEATURES + 1)];
  static int64_t expected[DIM_MAX], got[DIM_MAX];
  tacit_error err;
  tacit_loss *loss = NULL;
  tacit_loss_facts facts = {10, 1, outputs > 1 ? outputs : 2, 0};
  CHECK_OK(tacit_loss_new(loss_name, &facts, &loss, &err), err);
  make_set(words, outputs, rare);
  for (size_t i = 0; i < outputs * (FEATURES + 1); ++i) {
    here[i] = made_uniform(words);
    before[i] = here[i] + 0.3 * made_uniform(words);
  }
  tacit_delta delta = {.loss = loss,
                       .row = {FEATURES, 1, 1.5, exponent, outputs, 0},
                       .label = {TACIT_LOSS_CLASSES, facts.classes, -1, 1},
                       .x = here,
                       .x_prev = before,
                       .ratio = 0.8,
                       .steps = (double)clip * 5,
                       .clip = clip,
                       .sens_norm = sens_norm,
                       .clip_dual = (double)clip * 0.9};
  assert_true(tacit_interleave_size(&delta.row) <= sizeof spread / sizeof *spread);
  int started = 0;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    delta.kernel = tacit_kernel_at(i);
    if (!tacit_kernel_runs(delta.kernel)) continue;
    tacit_interleave(&delta, NULL, spread);
    for (int which = 0; which < FORMS; ++which) {
      tacit_batch batch = form(which);
      int64_t cut = (int64_t)(tacit_words_next(words) % (ROWS + 1));
      memset(got, 0, sizeof got);
      CHECK_OK(delta_add(&delta, &batch, 0, cut, got, &err), err);
      CHECK_OK(delta_add(&delta, &batch, cut, ROWS, got, &err), err);
      if (!started++) memcpy(expected, got, sizeof got);
      assert_memory_equal(expected, got, sizeof got);
    }
  }
  int64_t something = 0;
  for (size_t i = 0; i < DIM_MAX; ++i)
    something |= expected[i];
  assert_true(something != 0);
  tacit_loss_free(loss);
}

static void a_batch_has_one_sum(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int trial = 0; trial < 12; ++trial) {
    int rare = trial % 2 ? 300 : 0;
    int64_t clip = (int64_t)1 << (trial % 3 == 0 ? 20 : trial % 3 == 1 ? 50 : 55);
    one_sum(&words, "logistic", 1, 2, 2, clip, rare);
    one_sum(&words, "hinge", 1, 2, 2, clip, rare);
    one_sum(&words, "logistic", 1, 1, 1, clip, rare);
    one_sum(&words, "logistic", 1, 3, 2, clip, rare);
    one_sum(&words, "softmax", 11, 2, 2, clip, rare);
    one_sum(&words, "logistic", 5, 3, 2, clip, rare);
  }
}

/* Prediction: the same margins at every level and in every form. */
static void a_row_has_one_margin(void **state) {
  (void)state;
  enum { OUTPUTS = 11 };
  static double weights[OUTPUTS * (FEATURES + 1)], wide[16 * (FEATURES + 1)];
  static double expected[ROWS * OUTPUTS], got[ROWS * OUTPUTS];
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (size_t outputs = 1; outputs <= OUTPUTS; outputs += OUTPUTS - 1) {
    tacit_row_rule rule = {FEATURES, 1, 1, 2, outputs, 0};
    make_set(&words, outputs, 400);
    for (size_t i = 0; i < outputs * (FEATURES + 1); ++i)
      weights[i] = made_uniform(&words);
    tacit_wide_fill(NULL, &rule, weights, 0, 1, 0, wide);
    int started = 0;
    for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
      if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
      assert_int_equal(setenv("TACIT_DISPATCH", tacit_kernel_at(i)->name, 1), 0);
      for (int which = 0; which < FORMS; ++which) {
        tacit_batch batch = form(which);
        tacit_error err;
        CHECK_OK(tacit_batch_margins(&batch, &rule, weights, outputs > 1 ? wide : NULL,
                                     got, &err),
                 err);
        if (!started++) memcpy(expected, got, sizeof got);
        same_numbers(expected, got, ROWS * outputs);
      }
    }
    assert_int_equal(unsetenv("TACIT_DISPATCH"), 0);
  }
}

static void trained(const tacit_arrays *arrays, unsigned threads, double *out) {
  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_train *train = NULL;
  tacit_reader_options options;
  tacit_config config;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_reader_options_init(&options);
  options.schema = schema;
  CHECK_OK(tacit_reader_open_arrays(arrays, &options, &reader, &err), err);
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.epsilon = 2;
  config.passes = 2;
  config.seeded = 1;
  config.seed = 5;
  config.threads = threads;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_train_run(train, reader, &err), err);
  tacit_model *model = NULL;
  size_t count;
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  const double *weights = tacit_model_weights(model, &count);
  assert_int_equal(count, FEATURES + 1);
  memcpy(out, weights, count * sizeof *out);
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
}

/* Floats and doubles, any number of threads, any level: one model. */
static void a_run_has_one_model(void **state) {
  (void)state;
  static const unsigned threads[] = {1, 2, 3, 8};
  double expected[FEATURES + 1], got[FEATURES + 1];
  tacit_words words;
  tacit_words_init(&words, test_key);
  make_set(&words, 1, 0);
  int started = 0;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
    assert_int_equal(setenv("TACIT_DISPATCH", tacit_kernel_at(i)->name, 1), 0);
    for (int is32 = 0; is32 < 2; ++is32) {
      tacit_arrays arrays;
      tacit_arrays_init(&arrays);
      arrays.n_rows = ROWS;
      arrays.n_features = FEATURES;
      arrays.raw_values = is32 ? (const void *)set.narrow : set.values;
      arrays.values_type = is32 ? TACIT_FLOAT32 : TACIT_FLOAT64;
      arrays.column_stride = is32 ? 4 : 8;
      arrays.row_stride = FEATURES * arrays.column_stride;
      arrays.raw_labels = set.labels;
      for (int t = 0; t < 4; ++t) {
        trained(&arrays, threads[t], got);
        if (!started++) memcpy(expected, got, sizeof got);
        assert_memory_equal(expected, got, sizeof got);
      }
    }
  }
  assert_int_equal(unsetenv("TACIT_DISPATCH"), 0);
}

static void a_level_that_is_not_there_is_an_error(void **state) {
  (void)state;
  const tacit_level *kernel = NULL;
  tacit_error err;
  assert_int_equal(setenv("TACIT_DISPATCH", "avx9000", 1), 0);
  assert_int_equal(tacit_kernel_pick(&kernel, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "avx9000"));
  assert_null(kernel);
  assert_null(tacit_catalog_dispatch());
  tacit_config config;
  tacit_config_init(&config);
  tacit_train *train = NULL;
  tacit_schema *schema = NULL;
  CHECK_OK(tacit_schema_memory(2, 2, 0, 0, &schema, &err), err);
  config.schema = schema;
  config.rows = 10;
  config.epsilon = 1;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "TACIT_DISPATCH"));
  tacit_schema_free(schema);
  assert_int_equal(setenv("TACIT_DISPATCH", "plain", 1), 0);
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  assert_string_equal(kernel->name, "plain");
  assert_int_equal(setenv("TACIT_DISPATCH", "", 1), 0);
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  assert_int_equal(unsetenv("TACIT_DISPATCH"), 0);
  assert_true(tacit_kernel_runs(kernel));
}

static void a_batch_holds_its_values_once(void **state) {
  (void)state;
  tacit_error err;
  tacit_batch batch = form(0);
  CHECK_OK(tacit_batch_check(&batch, FEATURES, 1, &err), err);
  batch.raw_values32 = set.narrow;
  assert_int_equal(tacit_batch_check(&batch, FEATURES, 1, &err), TACIT_EINVAL);
  batch.raw_values = NULL;
  CHECK_OK(tacit_batch_check(&batch, FEATURES, 1, &err), err);
  batch = form(3);
  batch.raw_values32 = NULL;
  assert_int_equal(tacit_batch_check(&batch, FEATURES, 1, &err), TACIT_EINVAL);
}

static void many_exponentials_are_single_ones(void **state) {
  (void)state;
  enum { COUNT = 100001 };
  double *many = calloc(COUNT, sizeof *many), *single = calloc(COUNT, sizeof *single);
  assert_true(many != NULL && single != NULL);
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (size_t i = 0; i < COUNT; ++i) {
    many[i] = made_uniform(&words) * (i % 3 ? 40 : 760);
    if (i % 500 == 0) many[i] = wild[i / 500 % (sizeof wild / sizeof wild[0])];
    single[i] = tacit_exp(many[i]);
  }
  tacit_exp_many(many, COUNT);
  same_numbers(single, many, COUNT);
  free(many);
  free(single);
}

/* Levels with one bug each. */
static void wrong_sums(const tacit_dense *dense, size_t rows,
                       const tacit_points *points, tacit_sums *out) {
  tacit_level_plain.sums(dense, rows, points, out);
  if (dense->columns % 8 != 0) out[rows - 1].raw_square *= 1 - 0x1p-52;
}

static void wrong_add(const void *const *rows, tacit_stored stored,
                      const double *factors, size_t count, size_t columns,
                      tacit_size size, const void *prefetch, int64_t *sum) {
  tacit_level_plain.add(rows, stored, factors, count, columns, size, prefetch, sum);
  if (count > 4 && size == TACIT_BELOW_2_63) ++sum[columns - 1];
}

/* AVX2 truncates in this way, which is right below 2^51 only. */
static void narrow_add(const void *const *rows, tacit_stored stored,
                       const double *factors, size_t count, size_t columns,
                       tacit_size size, const void *prefetch, int64_t *sum) {
  const double magic = 0x1.8p52;
  int64_t magic_bits, bits;
  (void)size;
  (void)prefetch;
  memcpy(&magic_bits, &magic, sizeof magic_bits);
  for (size_t r = 0; r < count; ++r) {
    for (size_t j = 0; j < columns; ++j) {
      double shifted =
          trunc(factors[r] * tacit_dense_value(rows[r], j, stored)) + magic;
      memcpy(&bits, &shifted, sizeof bits);
      sum[j] = (int64_t)((uint64_t)sum[j] + (uint64_t)bits - (uint64_t)magic_bits);
    }
  }
}

static void wrong_wide(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                       const tacit_wide *wide, double *out) {
  tacit_kernel_plain.wide(dense, rows, first, end - (rows == 5), wide, out);
}

static void wrong_wide_sparse(const tacit_sparse *row, const tacit_wide *wide,
                              double *out) {
  tacit_sparse other = *row;
  if (row->stored == TACIT_FLOATS && row->count % 2 == 0) --other.count;
  tacit_kernel_plain.wide_sparse(&other, wide, out);
}

static void wrong_sums_sparse(const tacit_sparse_rows *all, const tacit_points *points,
                              tacit_sums *out) {
  tacit_level_plain.sums_sparse(all, points, out);
  if (points->pairs != NULL && all->are_far) out[1].raw_offset *= 1 - 0x1p-52;
}

/* Takes all values for ones, if the first one is. */
static void wrong_add_sparse(const tacit_sparse_rows *all, const double *factors,
                             tacit_size size, int64_t *sum) {
  if (tacit_dense_value(all->raw_values, 0, all->stored) != 1) {
    tacit_level_plain.add_sparse(all, factors, size, sum);
    return;
  }
  for (size_t r = 0; r < all->rows; ++r)
    for (int64_t e = all->raw_starts[r]; e < all->raw_starts[r + 1]; ++e)
      sum[all->raw_indices[e]] += (int64_t)factors[r];
}

/* Rounds the rounded product: now and then it lies halfway, where the exact one does
   not. */
static void twice_rounded(const void *const *rows, tacit_stored stored,
                          const double *factors, size_t count, size_t columns,
                          size_t outputs, size_t together, size_t stride,
                          int64_t *sum) {
  (void)together;
  for (size_t i = 0; i < count * outputs * columns; ++i) {
    size_t r = i / (outputs * columns), k = i / columns % outputs, j = i % columns;
    sum[k * stride + j] += (int64_t)rint(factors[r * TACIT_OUTPUTS + k] *
                                         tacit_dense_value(rows[r], j, stored));
  }
}

static void wrong_widen(const tacit_dense *dense, size_t rows, size_t first,
                        size_t count, double *to) {
  tacit_level_plain.widen(dense, rows, first, count, to);
  if (count % 8 == 4) to[count - 1] *= 1 - 0x1p-23;
}

/* Leaves rows as they are that are longer than their bound by the last digit. */
static void wide_factors(const tacit_centred_rows *centred, size_t rows,
                         const double *bounds, const double *slopes,
                         const double *tails, double *factors) {
  for (size_t i = 0; i < rows; ++i) {
    const tacit_centred_rows row = {centred->centre, centred->raw_sums + i,
                                    centred->raw_norms + i, centred->raw_scales + i};
    const double *tail = tails != NULL ? tails + i : NULL;
    double bound = bounds[i] * (1 + 0x1p-51), factor = factors[i];
    tacit_level_plain.factors(&row, 1, &bound, slopes + i, tail, &factor);
    if (factor == factors[i]) continue;
    tacit_level_plain.factors(&row, 1, bounds + i, slopes + i, tail, factors + i);
  }
}

/* Leaves factors as they are that are not numbers. */
static void wild_factors(const tacit_centred_rows *centred, size_t rows,
                         const double *bounds, const double *slopes,
                         const double *tails, double *factors) {
  double given[64];
  assert_true(rows <= 64);
  memcpy(given, factors, rows * sizeof *given);
  tacit_level_plain.factors(centred, rows, bounds, slopes, tails, factors);
  for (size_t i = 0; i < rows; ++i)
    if (isnan(given[i])) factors[i] = given[i];
}

/* Takes tails for 0. */
static void short_factors(const tacit_centred_rows *centred, size_t rows,
                          const double *bounds, const double *slopes,
                          const double *tails, double *factors) {
  (void)tails;
  tacit_level_plain.factors(centred, rows, bounds, slopes, NULL, factors);
}

static void wrong_weigh(const tacit_centred_rows *centred, size_t rows, double radius,
                        double most, double *out) {
  tacit_kernel_plain.weigh(centred, rows, radius, most, out);
  if (rows > 4) out[4] *= 1 - 0x1p-52;
}

static void wrong_cut(size_t count, double most, double by, double *out) {
  tacit_kernel_plain.cut(count, most, by, out);
  if (count > 2) out[2] *= 1 - 0x1p-52;
}

static void a_level_that_computes_something_else_is_refused(void **state) {
  (void)state;
  for (int bug = 0; bug <= 14; ++bug) {
    tacit_kernel beside = tacit_kernel_plain;
    tacit_level wrong = tacit_level_plain;
    const tacit_level *const levels[] = {&tacit_level_plain, &wrong};
    const tacit_level *kernel = NULL;
    tacit_error err;
    wrong.name = "wrong";
    wrong.kernel = &beside;
    if (bug == 1) wrong.sums = wrong_sums;
    if (bug == 2) wrong.add = wrong_add;
    if (bug == 3) beside.wide = wrong_wide;
    if (bug == 4) beside.wide_sparse = wrong_wide_sparse;
    if (bug == 5) wrong.add = narrow_add;
    if (bug == 6) wrong.sums_sparse = wrong_sums_sparse;
    if (bug == 7) wrong.add_nearest = twice_rounded;
    if (bug == 8) wrong.widen = wrong_widen;
    if (bug == 9) wrong.factors = wide_factors;
    if (bug == 10) beside.weigh = wrong_weigh;
    if (bug == 11) beside.cut = wrong_cut;
    if (bug == 12) wrong.add_sparse = wrong_add_sparse;
    if (bug == 13) wrong.factors = wild_factors;
    if (bug == 14) wrong.factors = short_factors;
    tacit_status status = tacit_kernel_pick_from(levels, 2, NULL, &kernel, &err);
    assert_int_equal(status, bug == 0 ? TACIT_OK : TACIT_EPRIVACY);
    assert_ptr_equal(kernel, bug == 0 ? &wrong : NULL);
    CHECK_OK(tacit_kernel_pick_from(levels, 2, "plain", &kernel, &err), err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_plain_loops),
      cmocka_unit_test(centred_rows_are_those_of_the_plain_loops),
      cmocka_unit_test(contributions_are_cut_toward_zero),
      cmocka_unit_test(the_largest_contributions_add_up_exactly),
      cmocka_unit_test(products_of_short_numbers_and_floats_are_exact),
      cmocka_unit_test(several_outputs_are_those_of_the_plain_loops),
      cmocka_unit_test(a_batch_has_one_sum),
      cmocka_unit_test(a_row_has_one_margin),
      cmocka_unit_test(a_run_has_one_model),
      cmocka_unit_test(a_batch_holds_its_values_once),
      cmocka_unit_test(a_level_that_is_not_there_is_an_error),
      cmocka_unit_test(many_exponentials_are_single_ones),
      cmocka_unit_test(a_level_that_computes_something_else_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
