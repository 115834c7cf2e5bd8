/* SPDX-License-Identifier: MIT */
/*
 * Lp norms, their duals, and the mirror maps of OMD and FTRL. For psi(v) = |v|_p^2/2,
 *
 *   (grad psi(v))_i = sgn(v_i) |v_i|^{p-1} |v|_p^{2-p},
 *
 * whose inverse is the same map with q = p/(p-1). All vectors here are released or
 * public; nothing depends on a record.
 */
#include "norm/norm.h"

#include <math.h>
#include <string.h>

/* The arguments of a loop over one vector or two. */
struct pair {
  const double *a, *b;
  double p, max; /* for sums of powers */
  int exponent;  /* for sums of scaled squares */
};

/* Four running sums, added in a fixed order: processors compute them in parallel, while
   one sum would have to be added in sequence. */
static double dot_chunk(void *context, size_t first, size_t end) {
  const struct pair *pair = context;
  const double *a = pair->a, *b = pair->b;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = first;
  for (; i + 4 <= end; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < end; ++i)
    s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

double tacit_norm_dot(tacit_pool *pool, const double *a, const double *b, size_t n) {
  struct pair pair = {.a = a, .b = b};
  return tacit_parallel_sum(pool, n, dot_chunk, &pair);
}

static double max_chunk(void *context, size_t first, size_t end) {
  const struct pair *pair = context;
  double max = 0;
  for (size_t i = first; i < end; ++i) {
    double size = fabs(pair->a[i]);
    if (!(size <= max)) max = size;
    if (isnan(size)) break;
  }
  return max;
}

double tacit_norm_max(tacit_pool *pool, const double *v, size_t n) {
  struct pair pair = {.a = v};
  return tacit_parallel_max(pool, n, max_chunk, &pair);
}

static double scaled_chunk(void *context, size_t first, size_t end) {
  const struct pair *pair = context;
  double sum = 0;
  for (size_t i = first; i < end; ++i) {
    double scaled = ldexp(pair->a[i], -pair->exponent);
    sum += scaled * scaled;
  }
  return sum;
}

double tacit_norm_l2(tacit_pool *pool, const double *v, size_t n) {
  double sum = tacit_norm_dot(pool, v, v, n);
  if (tacit_norm_squares_hold(sum)) return sqrt(sum);
  struct pair pair = {.a = v};
  double max = tacit_norm_max(pool, v, n);
  if (!(max > 0) || isinf(max)) return max;
  /* Scaling by a power of two is exact. */
  (void)frexp(max, &pair.exponent);
  sum = tacit_parallel_sum(pool, n, scaled_chunk, &pair);
  return ldexp(sqrt(sum), pair.exponent);
}

double tacit_norm_of_two(double a, double b) {
  double sum = a * a + b * b;
  if (tacit_norm_squares_hold(sum)) return sqrt(sum);
  const double both[] = {a, b};
  return tacit_norm_l2(NULL, both, 2);
}

static double powers_chunk(void *context, size_t first, size_t end) {
  const struct pair *pair = context;
  double sum = 0;
  for (size_t i = first; i < end; ++i)
    sum += pow(fabs(pair->a[i]) / pair->max, pair->p);
  return sum;
}

/* sum (|v_i|/max)^p, between 1 and n. */
static double sum_of_powers(tacit_pool *pool, const double *v, size_t n, double p,
                            double max) {
  struct pair pair = {.a = v, .p = p, .max = max};
  return tacit_parallel_sum(pool, n, powers_chunk, &pair);
}

double tacit_norm_lp(tacit_pool *pool, const double *v, size_t n, double p) {
  if (p == 2) return tacit_norm_l2(pool, v, n);
  double max = tacit_norm_max(pool, v, n);
  if (isinf(p) || !(max > 0) || isinf(max)) return max;
  return max * pow(sum_of_powers(pool, v, n, p, max), 1 / p);
}

double tacit_norm_dual(double p) {
  if (isinf(p)) return 1;
  return p > 1 ? p / (p - 1) : INFINITY;
}

struct mirror {
  const double *v;
  double *out, p, max, scale;
};

static double mirror_chunk(void *context, size_t first, size_t end) {
  const struct mirror *mirror = context;
  for (size_t i = first; i < end; ++i) {
    double v = mirror->v[i];
    mirror->out[i] = 0;
    if (v == 0) continue;
    double size = pow(fabs(v) / mirror->max, mirror->p - 1);
    mirror->out[i] = copysign(mirror->scale * size, v);
  }
  return 0;
}

void tacit_norm_mirror(tacit_pool *pool, const double *v, size_t n, double p,
                       double *out) {
  if (p == 2) {
    memmove(out, v, n * sizeof *out);
    return;
  }
  double max = tacit_norm_max(pool, v, n), sum = 1;
  if (max > 0) sum = sum_of_powers(pool, v, n, p, max);
  struct mirror mirror = {v, out, p, max, max * pow(sum, (2 - p) / p)};
  (void)tacit_parallel_sum(pool, n, mirror_chunk, &mirror);
}

double tacit_norm_for_l1(size_t n) {
  return n > 2 ? fmin(2, 1 + 1 / log((double)n)) : 2;
}
