/* SPDX-License-Identifier: MIT */
/*
 * Problems whose optimum is known. All except the logistic one have l(x, z) = f(x) +
 * <z, x> with E z = 0 and |z| fixed, so that E l = f, sigma_G = |z| and sigma_H = 0; |x
 * - z|^2/2 has this form up to a constant. The logistic problem has 2^d different rows,
 * so its expected loss is a finite sum.
 */
#include <math.h>
#include <string.h>

#include "theory.h"

static uint64_t stream_next(stream *source) {
  uint64_t z = source->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double stream_uniform(stream *source) {
  return ((double)(stream_next(source) >> 11) + 0.5) * 0x1p-53;
}

double stream_normal(stream *source) {
  double radius = sqrt(-2 * log(stream_uniform(source)));
  return radius * cos(2 * M_PI * stream_uniform(source));
}

static double length_in(const double *x, size_t n, double q) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum = isinf(q) ? fmax(sum, fabs(x[i])) : sum + pow(fabs(x[i]), q);
  return isinf(q) ? sum : pow(sum, 1 / q);
}

static double distance(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

static double p_of(const problem *p) { return p->norm == 0 ? 2 : p->norm; }

/* Returns the mean over the 2^d rows and their labels. */
static double logistic_loss(const problem *p, const double *x) {
  double sum = 0, unit = 1 / sqrt((double)p->dim);
  for (unsigned row = 0; row < 1u << p->dim; ++row) {
    double at_x = 0, at_c = 0;
    for (size_t i = 0; i < p->dim; ++i) {
      double value = row >> i & 1 ? unit : -unit;
      at_x += value * x[i];
      at_c += value * p->c[i];
    }
    double positive = 1 / (1 + exp(-at_c));
    sum += positive * log1p(exp(-at_x)) + (1 - positive) * log1p(exp(at_x));
  }
  return sum / (double)(1u << p->dim);
}

void problem_ready(problem *p) {
  double r = p->radius, at_c = length_in(p->c, p->dim, 2), d = (double)p->dim;
  p->D = p->domain == TACIT_DOMAIN_SIMPLEX ? 2
         : p->domain == TACIT_DOMAIN_BOX   ? 2 * r * sqrt(d)
                                           : 2 * r;
  switch (p->kind) {
  case LINEAR: break; /* The caller sets G, because it is public and c is not. */
  case QUADRATIC:
    p->G = r + at_c + p->spread;
    p->H = p->mu = 1;
    break;
  case FACE:
    p->G = p->tilt + p->bend * (r + fabs(p->c[1])) + p->spread;
    p->H = p->bend;
    break;
  case BOWL:
    p->G = p->tilt + p->spread;
    p->H = p->tilt / p->bend;
    break;
  case LOGISTIC:
    p->G = 1;
    p->H = p->sigma_H = 0.25;
    p->spread = 1;
    p->bayes = logistic_loss(p, p->c);
    break;
  }
}

void problem_best(const problem *p, double *out) {
  size_t d = p->dim;
  memcpy(out, p->c, d * sizeof *out);
  if (p->kind == FACE) {
    memset(out, 0, d * sizeof *out);
    out[0] = p->radius;
    out[1] = p->c[1];
  }
  if (p->kind != LINEAR) return;
  if (p->domain == TACIT_DOMAIN_SIMPLEX) {
    size_t min = 0;
    for (size_t i = 1; i < d; ++i)
      min = p->c[i] < p->c[min] ? i : min;
    memset(out, 0, d * sizeof *out);
    out[min] = 1;
    return;
  }
  /* On a p-ball the minimiser is -radius times the gradient of |c|_q. */
  double q = p_of(p) / (p_of(p) - 1), size = length_in(p->c, d, q);
  for (size_t i = 0; i < d; ++i)
    out[i] = -p->radius * copysign(pow(fabs(p->c[i]) / size, q - 1), p->c[i]);
}

static double value(const problem *p, const double *x) {
  switch (p->kind) {
  case LINEAR: return dot(p->c, x, p->dim);
  case QUADRATIC: return pow(distance(x, p->c, p->dim), 2) / 2;
  case FACE: return -p->tilt * x[0] + p->bend / 2 * pow(x[1] - p->c[1], 2);
  case BOWL: return p->tilt * (hypot(p->bend, distance(x, p->c, p->dim)) - p->bend);
  case LOGISTIC: break;
  }
  return logistic_loss(p, x);
}

double problem_excess(const problem *p, const double *x) {
  double best[DIM_MAX];
  if (p->kind == LOGISTIC) return value(p, x) - p->bayes;
  problem_best(p, best);
  return value(p, x) - value(p, best);
}

void problem_slope(const problem *p, const double *x, double *out) {
  size_t d = p->dim;
  double size;
  switch (p->kind) {
  case LINEAR: memcpy(out, p->c, d * sizeof *out); break;
  case QUADRATIC:
    for (size_t i = 0; i < d; ++i)
      out[i] = x[i] - p->c[i];
    break;
  case FACE:
    memset(out, 0, d * sizeof *out);
    out[0] = -p->tilt;
    out[1] = p->bend * (x[1] - p->c[1]);
    break;
  case BOWL:
    size = hypot(p->bend, distance(x, p->c, d));
    for (size_t i = 0; i < d; ++i)
      out[i] = p->tilt * (x[i] - p->c[i]) / size;
    break;
  case LOGISTIC: memset(out, 0, d * sizeof *out); break;
  }
}

tacit_status problem_gradient(void *self, const tacit_batch *batch, int64_t row,
                              const double *weights, double *raw_out) {
  const problem *p = self;
  problem_slope(p, weights, raw_out);
  for (size_t i = 0; i < p->dim; ++i)
    raw_out[i] += batch->raw_values[row * (int64_t)p->dim + (int64_t)i];
  return TACIT_OK;
}

static void draw_logistic(const problem *p, stream *source, double *row,
                          double *label) {
  double unit = 1 / sqrt((double)p->dim);
  for (size_t i = 0; i < p->dim; ++i)
    row[i] = stream_uniform(source) < 0.5 ? unit : -unit;
  double positive = 1 / (1 + exp(-dot(row, p->c, p->dim)));
  *label = stream_uniform(source) < positive ? 1 : -1;
}

void problem_draw(const problem *p, stream *source, double *row, double *label) {
  *label = 1;
  memset(row, 0, p->dim * sizeof *row);
  if (p->kind == LOGISTIC) {
    draw_logistic(p, source, row, label);
    return;
  }
  if (p->spread == 0) return;
  for (size_t i = 0; i < p->dim; ++i)
    row[i] = p->signs ? (stream_uniform(source) < 0.5 ? -1 : 1) : stream_normal(source);
  double scale = p->signs ? p->spread : p->spread / length_in(row, p->dim, 2);
  for (size_t i = 0; i < p->dim; ++i)
    row[i] *= scale;
}
