/* SPDX-License-Identifier: MIT */
/*
 * The squared loss from one release. With rows z, centred and cut to norm r, and labels
 * v less their mean, cut to c, the vault releases
 *
 *   S = sum z z^T / r + noise        T = sum v z / c + noise
 *
 * and the model is w = (A + ridge I)^-1 c T, A the nearest matrix to r (S + S^T)/2
 * without negative eigenvalues. The ridge is 0.6 sqrt(2d) times the noise in a number
 * of r S: about a third of the largest eigenvalue of the noise. The constant was chosen
 * on data (docs/theory.md).
 */
#include "centre/solve.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { SWEEPS_MAX = 60 };
static const double ridge_share = 0.6;

/* Turns two numbers by an angle of sine s; tau = s / (1 + cosine). */
static inline void turn(double *a, double *b, double s, double tau) {
  double g = *a, h = *b;
  *a = g - s * (h + g * tau);
  *b = h + s * (g - h * tau);
}

/* Turns rows and columns p and q so that their common entry becomes 0. Only the upper
   triangle is kept. */
static void rotate(size_t n, double *a, double *vectors, size_t p, size_t q) {
  double common = a[p * n + q], gap = a[q * n + q] - a[p * n + p];
  double theta = gap / (2 * common);
  double tangent = 1 / (fabs(theta) + sqrt(theta * theta + 1));
  if (theta < 0) tangent = -tangent;
  double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
  double tau = sine / (1 + cosine);
  a[p * n + p] -= tangent * common;
  a[q * n + q] += tangent * common;
  a[p * n + q] = 0;
  for (size_t j = 0; j < p; ++j)
    turn(&a[j * n + p], &a[j * n + q], sine, tau);
  for (size_t j = p + 1; j < q; ++j)
    turn(&a[p * n + j], &a[j * n + q], sine, tau);
  for (size_t j = q + 1; j < n; ++j)
    turn(&a[p * n + j], &a[q * n + j], sine, tau);
  for (size_t j = 0; j < n; ++j)
    turn(&vectors[j * n + p], &vectors[j * n + q], sine, tau);
}

/* Jacobi, sweep by sweep. An entry that is below the rounding of its two diagonal
   entries is done with; a sweep without rotations is the last. */
void tacit_eigen(size_t n, double *a, double *vectors, double *values) {
  int turned = 1;
  for (size_t i = 0; i < n * n; ++i)
    vectors[i] = i % (n + 1) == 0;
  for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
    turned = 0;
    for (size_t p = 0; p + 1 < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        double size = fabs(a[p * n + p]) + fabs(a[q * n + q]);
        if (!(fabs(a[p * n + q]) > DBL_EPSILON / 8 * size)) continue;
        rotate(n, a, vectors, p, q);
        turned = 1;
      }
    }
  }
  for (size_t i = 0; i < n; ++i)
    values[i] = a[i * n + i];
}

/* Where row k, column i of the products is in a release of `rows` outputs. */
static size_t place(const tacit_products *products, size_t rows, size_t k, size_t i) {
  if (i < products->features) return k * products->features + i;
  return rows * products->features + k;
}

/* r (S + S^T)/2, the upper triangle, which is what tacit_eigen reads. */
static void fill_matrix(const tacit_products *products, const double *y, size_t n,
                        double *out) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j)
      out[i * n + j] =
          products->radius / 2 *
          (y[place(products, n + 1, i, j)] + y[place(products, n + 1, j, i)]);
  }
}

/* The matrix of these eigenvalues and eigenvectors. */
static void put_together(size_t n, const double *vectors, const double *values,
                         double *out) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k)
        sum += values[k] * vectors[i * n + k] * vectors[j * n + k];
      out[i * n + j] = sum;
    }
  }
}

/* out = (matrix + ridge)^-1 b. What is 0 but for rounding has no inverse and is left
   out: columns that are multiples of each other, where there is no noise. */
static void divide(size_t n, const double *vectors, const double *values, double ridge,
                   const double *b, double *out) {
  double largest = 0;
  for (size_t k = 0; k < n; ++k)
    largest = fmax(largest, values[k] + ridge);
  for (size_t i = 0; i < n; ++i)
    out[i] = 0;
  for (size_t k = 0; k < n; ++k) {
    double dot = 0, value = values[k] + ridge;
    if (!(value > 1e-12 * largest)) continue;
    for (size_t i = 0; i < n; ++i)
      dot += vectors[i * n + k] * b[i];
    for (size_t i = 0; i < n; ++i)
      out[i] += vectors[i * n + k] * (dot / value);
  }
}

tacit_status tacit_products_solve(const tacit_products *products, const double *y,
                                  double *out, tacit_error *err) {
  size_t n = products->features + (products->bias ? 1 : 0);
  double *room = tacit_array_new(2 * n * n + 2 * n, sizeof *room);
  if (room == NULL) return tacit_fail_memory(err);
  double *matrix = room, *vectors = room + n * n, *values = vectors + n * n,
         *b = values + n;
  fill_matrix(products, y, n, matrix);
  for (size_t i = 0; i < n; ++i)
    b[i] = products->label_bound * y[place(products, n + 1, n, i)];
  tacit_eigen(n, matrix, vectors, values);
  for (size_t k = 0; k < n; ++k)
    values[k] = fmax(values[k], 0);
  if (products->l2 > 0) { /* it spares the bias, so the eigenvectors are others */
    put_together(n, vectors, values, matrix);
    for (size_t i = 0; i < products->features; ++i)
      matrix[i * n + i] += products->rows * products->l2;
    tacit_eigen(n, matrix, vectors, values);
  }
  double ridge = ridge_share * sqrt(2 * (double)n) * products->radius * products->noise;
  divide(n, vectors, values, ridge, b, out);
  out[n] = 0;
  tacit_array_free(room);
  return TACIT_OK;
}
