/* SPDX-License-Identifier: MIT */
/* vault/nearest.h: the integers of several outputs are those nearest to the exact
   products, at every level, in every order. */
#include "made.h"
#include "sums.h"

#include "base/numbers.h"
#include "kernel/kernel.h"
#include "kernel/margins.h"
#include "vault/nearest.h"
#include "vault/words.h"

enum { MAX = 75, ROWS = 19 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "nearest integers";

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void an_odd_factor_is_the_next_one_toward_zero(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int i = 0; i < 20000; ++i) {
    double factor =
        ldexp(made_uniform(&words), (int)(tacit_words_next(&words) % 200) - 100);
    if (i % 3 == 0) factor = ldexp(i % 2 ? 1 : -1, i % 300 - 150);
    double odd = tacit_odd(factor);
    assert_true(bits_of(odd) & 1);
    assert_true(fabs(odd) <= fabs(factor) && odd * factor > 0);
    assert_true(bits_of(factor) - bits_of(odd) <= 1);
  }
  const double nothing[] = {0, -0.0, 0x1p-1074, -0x1p-1023, 0x0.fffffffffffffp-1022};
  for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; ++i)
    assert_true(tacit_odd(nothing[i]) == 0);
  assert_true(tacit_odd(0x1p-1022) > 0);
}

/* The integer nearest to factor * value, from all digits of both. */
static int64_t exact_nearest(double factor, double value) {
  int e, f;
  tacit_i128 product = (tacit_i128)(int64_t)ldexp(frexp(factor, &e), 53) *
                       (int64_t)ldexp(frexp(value, &f), 53);
  int digits = 106 - e - f; /* after the point */
  if (digits <= 0) return (int64_t)(product * ((tacit_i128)1 << -digits));
  if (digits > 107) return 0;
  tacit_i128 one = (tacit_i128)1 << digits, whole = product / one,
             rest = product - whole * one, twice = 2 * (rest < 0 ? -rest : rest);
  assert_true(twice != one); /* what the odd factor is for */
  return (int64_t)(twice > one ? whole + (product < 0 ? -1 : 1) : whole);
}

/* A value whose product with the factor is as close to halfway as a double can be, or
   any. */
static double value_near_half(double factor, int size, int is32, tacit_words *words) {
  double whole = rint(ldexp(made_uniform(words), size));
  double value = tacit_words_next(words) % 4 > 0
                     ? (whole + 0.5) / factor
                     : ldexp(made_uniform(words), size) / factor;
  return is32 ? (double)(float)value : value;
}

static void a_product_has_one_nearest_integer(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  int64_t halves = 0;
  for (int i = 0; i < 200000; ++i) {
    int size = i % 51;
    double factor = tacit_odd(ldexp(made_uniform(&words), (int)(i % 90) - 20));
    if (factor == 0) continue;
    double value = value_near_half(factor, size, i % 5 == 0, &words);
    if (!(fabs(factor * value) < 0x1p50)) continue;
    double product = factor * value;
    halves += fabs(product - rint(product)) == 0.5;
    assert_true(tacit_nearest(factor, value) == exact_nearest(factor, value));
  }
  assert_true(halves > 20000); /* rounded products that do lie halfway */
}

static float narrow[ROWS * MAX];
static double values[ROWS * MAX], factors[ROWS * TACIT_OUTPUTS];

/* Rows whose products with the factor of one output are near halfway. */
static void fill(size_t rows, size_t columns, size_t outputs, int size,
                 tacit_words *words) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < TACIT_OUTPUTS; ++k)
      factors[r * TACIT_OUTPUTS + k] = tacit_odd(1 + 0.9 * made_uniform(words));
    if (outputs > 2) factors[r * TACIT_OUTPUTS + 1] = 0;
    for (size_t j = 0; j < columns; ++j) {
      size_t at = r * columns + j;
      double factor = factors[r * TACIT_OUTPUTS + (j % 2 && outputs > 2 ? 2 : 0)];
      values[at] = value_near_half(factor, size - 5, 1, words);
      narrow[at] = (float)values[at];
    }
  }
}

static void check_level(const tacit_level *level, tacit_words *words) {
  static int64_t exact[TACIT_OUTPUTS * MAX], got[TACIT_OUTPUTS * MAX];
  for (size_t columns = 0; columns <= MAX; ++columns) {
    for (size_t outputs = 1; outputs <= TACIT_OUTPUTS; ++outputs) {
      const int size = (int)((columns * 7 + outputs) % 48) + 4;
      const size_t rows = 1 + (size_t)(tacit_words_next(words) % ROWS);
      const size_t together = tacit_together((int64_t)1 << size);
      const void *slim[ROWS], *wide[ROWS];
      fill(rows, columns, outputs, size, words);
      memset(exact, 0, sizeof exact);
      memset(got, 0, sizeof got);
      for (size_t r = 0; r < rows; ++r) {
        slim[r] = narrow + r * columns;
        wide[r] = values + r * columns;
        for (size_t k = 0; k < outputs; ++k) {
          for (size_t j = 0; j < columns; ++j)
            exact[k * MAX + j] +=
                exact_nearest(factors[r * TACIT_OUTPUTS + k], values[r * columns + j]);
        }
      }
      level->add_nearest(slim, TACIT_FLOATS, factors, rows, columns, outputs,
                         together > 0 ? together : 1, MAX, got);
      assert_memory_equal(exact, got, sizeof got);
      memset(got, 0, sizeof got);
      level->add_nearest(wide, TACIT_DOUBLES, factors, rows, columns, outputs, 1, MAX,
                         got);
      assert_memory_equal(exact, got, sizeof got);
    }
  }
}

static void every_level_adds_the_nearest_integers(void **state) {
  (void)state;
  int tested = 0;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    tacit_words words;
    tacit_words_init(&words, test_key);
    if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
    check_level(tacit_kernel_at(i), &words);
    ++tested;
  }
  assert_true(tested > 0);
}

/* As many rows at the bound, of one sign, as may meet in one vector. */
static void the_largest_integers_add_up_exactly(void **state) {
  (void)state;
  enum { MANY = 64, COLUMNS = 21 };
  double many[MANY * TACIT_OUTPUTS], ones[COLUMNS];
  const void *rows[MANY];
  for (size_t j = 0; j < COLUMNS; ++j)
    ones[j] = j % 2 ? 1 : -1;
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
    for (int bits = 43; bits <= 51; ++bits) {
      int64_t bound = ((int64_t)1 << bits) - 1, got[2 * COLUMNS] = {0};
      assert_true(tacit_together(bound) * (uint64_t)bound < (uint64_t)1 << 51);
      assert_true(tacit_together(bound) > 0);
      for (size_t r = 0; r < MANY; ++r) {
        rows[r] = ones;
        for (size_t k = 0; k < TACIT_OUTPUTS; ++k)
          many[r * TACIT_OUTPUTS + k] = tacit_odd((double)bound);
      }
      tacit_kernel_at(i)->add_nearest(rows, TACIT_DOUBLES, many, MANY, COLUMNS, 2,
                                      tacit_together(bound), COLUMNS, got);
      for (size_t j = 0; j < COLUMNS; ++j)
        assert_true(got[j] == (j % 2 ? 1 : -1) * MANY * bound);
      assert_memory_equal(got, got + COLUMNS, COLUMNS * sizeof got[0]);
    }
  }
  assert_int_equal(tacit_together((int64_t)1 << 51), 0);
  assert_int_equal(tacit_together(INT64_MAX), 0);
}

enum { COLUMNS = 37, OUTPUTS = 13, FORMS = 4 };
struct two_rows {
  float floats[2 * COLUMNS];
  double doubles[2 * COLUMNS], weights[OUTPUTS * TACIT_BATCH_ROWS];
  uint32_t indices[2 * COLUMNS];
  int64_t starts[3];
};

/* The second row, which is not finite, has no factor. */
static void two_rows_init(struct two_rows *rows) {
  tacit_words words;
  tacit_words_init(&words, test_key);
  memset(rows, 0, sizeof *rows);
  for (size_t j = 0; j < 2 * COLUMNS; ++j) {
    rows->floats[j] = j < COLUMNS ? (float)made_uniform(&words) : INFINITY;
    rows->doubles[j] = (double)rows->floats[j];
    rows->indices[j] = (uint32_t)(j % COLUMNS);
  }
  for (size_t k = 0; k < OUTPUTS; ++k)
    rows->weights[k * TACIT_BATCH_ROWS] = ldexp(made_uniform(&words), 40);
  rows->starts[1] = COLUMNS;
  rows->starts[2] = 2 * COLUMNS;
}

static tacit_batch batch_of(const struct two_rows *rows, int form) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = 2;
  batch.n_features = COLUMNS;
  if (form % 2 == 0) batch.raw_values32 = rows->floats;
  if (form % 2 == 1) batch.raw_values = rows->doubles;
  if (form >= 2) batch.raw_row_start = rows->starts;
  if (form >= 2) batch.raw_indices = rows->indices;
  return batch;
}

/* Floats, doubles and entries of one row, at every level. */
static void a_row_has_one_contribution(void **state) {
  (void)state;
  struct two_rows rows;
  int64_t exact[OUTPUTS * COLUMNS], got[OUTPUTS * COLUMNS];
  two_rows_init(&rows);
  for (size_t k = 0; k < OUTPUTS; ++k) {
    double factor = tacit_odd(rows.weights[k * TACIT_BATCH_ROWS]);
    for (size_t j = 0; j < COLUMNS; ++j)
      exact[k * COLUMNS + j] = exact_nearest(factor, rows.doubles[j]);
  }
  for (size_t i = 0; tacit_kernel_at(i) != NULL; ++i) {
    if (!tacit_kernel_runs(tacit_kernel_at(i))) continue;
    for (int form = 0; form < FORMS; ++form) {
      tacit_batch batch = batch_of(&rows, form);
      memset(got, 0, sizeof got);
      tacit_batch_add_nearest(tacit_kernel_at(i), &batch, 0, 2, COLUMNS, OUTPUTS,
                              rows.weights, tacit_together((int64_t)1 << 40), got);
      assert_memory_equal(exact, got, sizeof got);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_odd_factor_is_the_next_one_toward_zero),
      cmocka_unit_test(a_product_has_one_nearest_integer),
      cmocka_unit_test(every_level_adds_the_nearest_integers),
      cmocka_unit_test(the_largest_integers_add_up_exactly),
      cmocka_unit_test(a_row_has_one_contribution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
