/* SPDX-License-Identifier: MIT */
/*
 * Laws in double precision, for experiments. A model made with them is never private.
 * They are the paper's pure-DP laws, with density proportional to exp(-|x|) for a norm.
 * The norm of x has the law Gamma(d) and is independent of the direction of x, so V =
 * E|x|^2 = d(d+1) for every norm.
 */
#include "not_private/laws.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "norm/moments.h"

static const struct {
  const struct tacit_law_ops *law;
  const char *summary;
} laws[] = {
    {&tacit_law_gaussian, "rounded Gaussian, sampled exactly"},
    {&tacit_law_laplace,
     "discrete Laplace, sampled exactly: pure DP, rows bounded in the L1 norm"},
    {&tacit_law_exp_l1,
     "exp(-|x|_1), continuous: not private, for the paper's theorem"},
    {&tacit_law_exp_l2,
     "exp(-|x|_2), continuous: not private, for the paper's theorem"},
    {&tacit_law_exp_linf,
     "exp(-|x|_inf), continuous: not private, for the paper's theorem"},
    {&tacit_law_exp_lp,
     "exp(-|x|) in the dual norm of --norm, continuous: not private"},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

const struct tacit_law_ops *tacit_law_at(size_t i) {
  return i < LAWS ? laws[i].law : NULL;
}

const struct tacit_law_ops *tacit_law_find(const char *name) {
  size_t i = 0;
  while (i < LAWS && strcmp(laws[i].law->name, name) != 0)
    ++i;
  return tacit_law_at(i);
}

const char *tacit_law_summary(const struct tacit_law_ops *law) {
  size_t i = 0;
  while (laws[i].law != law)
    ++i;
  return laws[i].summary;
}

static double uniform_open(tacit_words *words) {
  return ((double)(tacit_words_next(words) >> 11) + 0.5) * 0x1p-53;
}

static double standard_normal(tacit_words *words) {
  double radius = sqrt(-2 * log(uniform_open(words)));
  return radius * cos(2 * M_PI * uniform_open(words));
}

/* Draws from Gamma(shape, 1) by the method of Marsaglia and Tsang (2000), with their
   boost for a shape below 1. */
static double gamma_variate(tacit_words *words, double shape) {
  if (shape < 1)
    return gamma_variate(words, shape + 1) * pow(uniform_open(words), 1 / shape);
  double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double z = standard_normal(words), v = 1 + c * z;
    if (v <= 0) continue;
    v = v * v * v;
    if (log(uniform_open(words)) < z * z / 2 + d - d * v + d * log(v)) return d * v;
  }
}

static double random_sign(tacit_words *words) {
  return tacit_words_next(words) >> 63 ? -1 : 1;
}

static void draw_l1(tacit_words *words, size_t dim, double exponent, double *out) {
  (void)exponent;
  for (size_t i = 0; i < dim; ++i)
    out[i] = -random_sign(words) * log(uniform_open(words));
}

/* Draws a vector that is uniform in the cube and multiplies it by one number from
   Gamma(d+1). */
static void draw_linf(tacit_words *words, size_t dim, double exponent, double *out) {
  (void)exponent;
  double size = gamma_variate(words, (double)dim + 1);
  for (size_t i = 0; i < dim; ++i)
    out[i] = size * (2 * uniform_open(words) - 1);
}

/* Draws x with density proportional to exp(-|x|_q), q = exponent. A vector of
   independent coordinates with densities exp(-|x_i|^q) has the right direction, and its
   length is replaced by a number from Gamma(d). For q = 2 the coordinates are
   Gaussian. */
static void draw_lp(tacit_words *words, size_t dim, double exponent, double *out) {
  double sum = 0, size = gamma_variate(words, (double)dim);
  for (size_t i = 0; i < dim; ++i) {
    double power = gamma_variate(words, 1 / exponent); /* |x_i|^q */
    out[i] = random_sign(words) * pow(power, 1 / exponent);
    sum += power;
  }
  double chunk = size / pow(sum, 1 / exponent);
  for (size_t i = 0; i < dim; ++i)
    out[i] *= chunk;
}

static void draw_l2(tacit_words *words, size_t dim, double exponent, double *out) {
  (void)exponent;
  draw_lp(words, dim, 2, out);
}

static double std_linf(size_t dim, double exponent) {
  (void)exponent;
  return sqrt(((double)dim + 1) * ((double)dim + 2) / 3);
}

/* Returns the root of E x_i^2 = E |x|^2 E u_i^2, where u = x/|x| is the direction, q =
   exponent, and E u_i^2 = Gamma(3/q) Gamma(d/q) / (Gamma(1/q) Gamma((d+2)/q)). */
static double std_lp(size_t dim, double exponent) {
  double d = (double)dim, q = exponent;
  double log_square =
      lgamma(3 / q) + lgamma(d / q) - lgamma(1 / q) - lgamma((d + 2) / q);
  return sqrt(d * (d + 1) * exp(log_square));
}

static double std_l2(size_t dim, double exponent) {
  (void)exponent;
  return sqrt((double)dim + 1);
}

static int
add_vector(void (*draw)(tacit_words *words, size_t dim, double exponent, double *out),
           tacit_words *words, double step, size_t dim, double exponent, double *y) {
  double *vector = tacit_array_new(dim, sizeof *vector);
  if (vector == NULL) return 0;
  draw(words, dim, exponent, vector);
  for (size_t i = 0; i < dim; ++i)
    y[i] += step * vector[i];
  tacit_array_free(vector);
  return 1;
}

#define EXPONENTIAL(suffix, exponent_)                                                 \
  static int add_##suffix(tacit_words *words, double step, size_t dim,                 \
                          double exponent, double *y) {                                \
    return add_vector(draw_##suffix, words, step, dim, exponent, y);                   \
  }                                                                                    \
  const struct tacit_law_ops tacit_law_exp_##suffix = {                                \
      .name = "exp-" #suffix,                                                          \
      .exact = 0,                                                                      \
      .pure = 1,                                                                       \
      .sens_norm = exponent_,                                                          \
      .add_vector = add_##suffix,                                                      \
  }

EXPONENTIAL(l1, 1);
EXPONENTIAL(l2, 2);
EXPONENTIAL(linf, INFINITY);
EXPONENTIAL(lp, 0);

/* The moments of each law. The discrete Laplace law has the moments of the continuous
   one here, because it tends to it as the scale grows. */
static const struct moments {
  const struct tacit_law_ops *law;
  double (*std)(size_t dim, double exponent);
  double (*second_moment)(size_t dim, double exponent);
} moments[] = {
    {&tacit_law_gaussian, tacit_normal_std, tacit_normal_second_moment},
    {&tacit_law_laplace, tacit_laplace_std, tacit_exp_second_moment},
    {&tacit_law_exp_l1, tacit_laplace_std, tacit_exp_second_moment},
    {&tacit_law_exp_l2, std_l2, tacit_exp_second_moment},
    {&tacit_law_exp_linf, std_linf, tacit_exp_second_moment},
    {&tacit_law_exp_lp, std_lp, tacit_exp_second_moment},
};

/* Returns the moments of a law. The law must be in `moments`, which contains all
   laws. */
static const struct moments *moments_of(const struct tacit_law_ops *law) {
  const struct moments *at = moments;
  while (at->law != law)
    ++at;
  return at;
}

double tacit_law_std(const struct tacit_law_ops *law, size_t dim, double exponent) {
  return moments_of(law)->std(dim, exponent);
}

double tacit_law_second_moment(const struct tacit_law_ops *law, size_t dim,
                               double exponent) {
  return moments_of(law)->second_moment(dim, exponent);
}
