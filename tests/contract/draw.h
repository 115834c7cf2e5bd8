/* SPDX-License-Identifier: MIT */
/* Repeatable random numbers for tests, by splitmix64. */
#ifndef TACIT_TESTS_CONTRACT_DRAW_H
#define TACIT_TESTS_CONTRACT_DRAW_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct draw {
  uint64_t state;
} draw;

static inline uint64_t draw_word(draw *source) {
  uint64_t z = (source->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform on [low, high). */
static inline double draw_uniform(draw *source, double low, double high) {
  return low + (high - low) * ((double)(draw_word(source) >> 11) * 0x1p-53);
}

static inline double draw_normal(draw *source) {
  double u = draw_uniform(source, 0x1p-60, 1), v = draw_uniform(source, 0, 1);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static inline double draw_norm(const double *v, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += v[i] * v[i];
  return sqrt(sum);
}

/* A vector of the given norm and a uniform direction. */
static inline void draw_direction(draw *source, size_t n, double norm, double *out) {
  for (size_t i = 0; i < n; ++i)
    out[i] = draw_normal(source);
  double size = draw_norm(out, n);
  for (size_t i = 0; i < n; ++i)
    out[i] *= norm / size;
}

#endif
