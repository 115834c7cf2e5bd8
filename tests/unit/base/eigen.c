/* SPDX-License-Identifier: MIT */
/* Eigenvalues and eigenvectors of matrices whose spectrum is known. */
#include "made.h"

#include <stdlib.h>

#include "base/eigen.h"
#include "vault/words.h"

enum { MOST = 200 };
static double matrix[MOST * MOST], kept[MOST * MOST], vectors[MOST * MOST];
static double values[MOST], spectrum[MOST];
static tacit_words words;

static double uniform(void) { return made_uniform(&words); /* [-1, 1) */ }

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
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
          vectors[j * n + i] = matrix[i * n + j] - 2 * u[i] * image[j] / squares;
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

int main(void) {
  static const unsigned char key[TACIT_KEY_BYTES] = "eigen tests";
  tacit_words_init(&words, key);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_are_those_of_the_matrix),
      cmocka_unit_test(eigenvalues_of_the_hilbert_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
