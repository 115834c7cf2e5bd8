/* SPDX-License-Identifier: MIT */
/* The squared loss from a release of products: eigenvalues, and models that are known
   in another way. */
#include "check.h"

#include <stdlib.h>

#include "centre/solve.h"
#include "vault/words.h"

enum { MOST = 200 };
static double matrix[MOST * MOST], kept[MOST * MOST], vectors[MOST * MOST];
static double values[MOST], spectrum[MOST];
static tacit_words words;

static double uniform(void) {
  return ldexp((double)(tacit_words_next(&words) >> 11), -52) - 1; /* [-1, 1) */
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* A matrix with this spectrum: reflections H = I - 2 u u^T on both sides. */
static void make_matrix(size_t n) {
  double u[MOST], image[MOST];
  for (size_t i = 0; i < n * n; ++i)
    matrix[i] = i % (n + 1) == 0 ? spectrum[i / n] : 0;
  for (int turn = 0; turn < 3; ++turn) {
    double squares = 0;
    for (size_t i = 0; i < n; ++i) {
      u[i] = uniform();
      squares += u[i] * u[i];
    }
    for (int side = 0; side < 2; ++side) { /* H M, transposed, twice */
      for (size_t j = 0; j < n; ++j) {
        image[j] = 0;
        for (size_t i = 0; i < n; ++i)
          image[j] += u[i] * matrix[i * n + j];
      }
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j)
          vectors[j * n + i] = matrix[i * n + j] - 2 * u[i] * image[j] / squares;
      }
      memcpy(matrix, vectors, n * n * sizeof *matrix);
    }
  }
}

static void check_eigen(size_t n) {
  double size = 0;
  make_matrix(n);
  memcpy(kept, matrix, n * n * sizeof *kept);
  tacit_eigen(n, matrix, vectors, values);
  for (size_t k = 0; k < n; ++k)
    size = fmax(size, fabs(spectrum[k]));
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) { /* M v = value v, and v^T v' = 0 or 1 */
      double image = 0, dot = 0;
      for (size_t j = 0; j < n; ++j) {
        image += kept[i * n + j] * vectors[j * n + k];
        dot += vectors[j * n + i] * vectors[j * n + k];
      }
      CHECK_WITHIN(image, values[k] * vectors[i * n + k], 1e-12 * size);
      CHECK_WITHIN(dot, i == k, 1e-12);
    }
  }
  qsort(values, n, sizeof *values, by_size);
  qsort(spectrum, n, sizeof *spectrum, by_size);
  for (size_t k = 0; k < n; ++k)
    CHECK_WITHIN(values[k], spectrum[k], 1e-12 * size);
}

static void eigenvalues_are_those_of_the_matrix(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 17, 200};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    for (int kind = 0; kind < 3; ++kind) {
      for (size_t k = 0; k < sizes[s]; ++k)
        spectrum[k] = kind == 0   ? 1e6 * uniform()
                      : kind == 1 ? exp(20 * uniform())  /* badly conditioned */
                                  : (double)(k % 3) - 1; /* repeated, and 0 */
      check_eigen(sizes[s]);
    }
  }
}

/* The numbers of numpy.linalg.eigvalsh for the Hilbert matrix of order 5. */
static void eigenvalues_of_the_hilbert_matrix(void **state) {
  (void)state;
  static const double known[] = {3.287928772164548e-06, 0.00030589804015115674,
                                 0.01140749162341972, 0.20853421861101332,
                                 1.5670506910982307};
  for (size_t i = 0; i < 25; ++i)
    matrix[i] = 1 / (double)(i / 5 + i % 5 + 1);
  tacit_eigen(5, matrix, vectors, values);
  qsort(values, 5, sizeof *values, by_size);
  for (size_t k = 0; k < 5; ++k)
    CHECK_WITHIN(values[k], known[k], 1e-14);
}

enum { ROWS = 500, FEATURES = 4, COLUMNS = FEATURES + 1, SIDE = COLUMNS + 1 };
static double rows[ROWS][COLUMNS], labels[ROWS];

/* Products of rows with themselves over r and with labels over c, as the vault lays
   them out. */
static void make_products(double radius, double label_bound, double *y) {
  for (size_t k = 0; k < SIDE; ++k) {
    for (size_t i = 0; i < SIDE; ++i) {
      double sum = 0;
      for (int r = 0; r < ROWS; ++r) {
        double left = k < COLUMNS ? rows[r][k] / radius : labels[r] / label_bound;
        sum += left * (i < COLUMNS ? rows[r][i] : 0.3);
      }
      size_t at =
          i < FEATURES ? k * FEATURES + i : SIDE * FEATURES + (i - FEATURES) * SIDE + k;
      y[at] = sum;
    }
  }
}

static const double weights[COLUMNS] = {1.5, -0.25, 0.75, 2, -0.5};

static void make_rows(void) {
  for (int r = 0; r < ROWS; ++r) {
    labels[r] = 0;
    for (int i = 0; i < COLUMNS; ++i) {
      rows[r][i] = uniform() * (i + 1);
      labels[r] += weights[i] * rows[r][i];
    }
  }
}

static const tacit_products plain = {
    .features = FEATURES, .bias = 1, .rows = ROWS, .radius = 0.7, .label_bound = 0.2};

static void without_noise_it_is_least_squares(void **state) {
  (void)state;
  double y[SIDE * SIDE], w[SIDE];
  tacit_error err;
  make_rows();
  make_products(plain.radius, plain.label_bound, y);
  CHECK_OK(tacit_products_solve(&plain, y, w, &err), err);
  for (int i = 0; i < COLUMNS; ++i)
    CHECK_WITHIN(w[i], weights[i], 1e-11);
  assert_true(w[COLUMNS] == 0);
  /* Two columns that are the same share their weight. */
  for (int r = 0; r < ROWS; ++r)
    rows[r][1] = rows[r][0];
  make_products(plain.radius, plain.label_bound, y);
  CHECK_OK(tacit_products_solve(&plain, y, w, &err), err);
  CHECK_WITHIN(w[0], w[1], 1e-9);
}

/* (A + ridge + n l2) w = b, the l2 term without the bias. */
static void ridge_and_l2_are_added_to_the_products(void **state) {
  (void)state;
  double y[SIDE * SIDE], w[SIDE];
  tacit_products products = plain;
  tacit_error err;
  products.noise = 3;
  make_rows();
  make_products(plain.radius, plain.label_bound, y);
  for (int with = 0; with < 2; ++with) {
    products.l2 = with ? 0.4 : 0;
    CHECK_OK(tacit_products_solve(&products, y, w, &err), err);
    double ridge = 0.6 * sqrt(2 * COLUMNS) * 0.7 * 3;
    for (int i = 0; i < COLUMNS; ++i) {
      double left = (ridge + (i < FEATURES ? ROWS * products.l2 : 0)) * w[i], right = 0;
      for (int r = 0; r < ROWS; ++r) {
        right += rows[r][i] * labels[r];
        for (int j = 0; j < COLUMNS; ++j)
          left += rows[r][i] * rows[r][j] * w[j];
      }
      CHECK_RELATIVE(left, right, 1e-10);
    }
  }
}

/* Noise can make S neither symmetric nor positive: A is (S + S^T)/2 without its
   negative part. */
static void negative_directions_have_the_ridge_alone(void **state) {
  (void)state;
  const tacit_products two = {
      .features = 2, .rows = 10, .radius = 1, .label_bound = 1, .noise = 1};
  /* r S = [[1, 4], [2, 1]]: eigenvalues 4 and -2 in the directions (1, 1), (1, -1). */
  const double y[] = {1, 4, 2, 1, 3, 1, 0, 0, 0};
  const double ridge = 0.6 * 2;
  double w[3];
  tacit_error err;
  CHECK_OK(tacit_products_solve(&two, y, w, &err), err);
  CHECK_RELATIVE(w[0] + w[1], 4 / (4 + ridge), 1e-13);
  CHECK_RELATIVE(w[0] - w[1], 2 / ridge, 1e-13);
}

int main(void) {
  static const unsigned char key[TACIT_KEY_BYTES] = "solve tests";
  tacit_words_init(&words, key);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_are_those_of_the_matrix),
      cmocka_unit_test(eigenvalues_of_the_hilbert_matrix),
      cmocka_unit_test(without_noise_it_is_least_squares),
      cmocka_unit_test(ridge_and_l2_are_added_to_the_products),
      cmocka_unit_test(negative_directions_have_the_ridge_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
