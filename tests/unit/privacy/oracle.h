/* SPDX-License-Identifier: MIT */
/* The exact Gaussian conversion in MPFR with 320 bits, grids over the full ranges, and
   the library's conversions as plain functions. */
#ifndef TACIT_TESTS_UNIT_ORACLE_H
#define TACIT_TESTS_UNIT_ORACLE_H

#include "check.h"

#include <mpfr.h>

enum { BITS = 320 };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double mu_grid[] = {1e-9, 3.3e-8, 1e-6, 1e-4, .003, .02,  .1,   .3,  .7,
                                 1,    1.001,  1.35, 1.6,  2,    3.14, 5,    8.5, 12,
                                 30,   44.7,   100,  333,  999,  1000, .9999};
static const double delta_grid[] = {1e-300, 1e-299, 1e-200, 1e-100, 1e-50, 1e-20,
                                    1e-15,  1e-12,  1e-9,   1e-6,   1e-5,  1e-3,
                                    .01,    .1,     .25,    .3829,  .4999, .5};
static const double epsilon_grid[] = {1e-6, 3e-6, 1e-5, 1e-4, 1e-3, .01, .1, .25,
                                      .5,   1,    2,    3,    5,    8,   13, 20,
                                      50,   100,  300,  700,  999,  1000};

typedef struct oracle {
  mpfr_t mu, epsilon, delta, a, b, c;
} oracle;

static inline void oracle_init(oracle *o) {
  mpfr_inits2(BITS, o->mu, o->epsilon, o->delta, o->a, o->b, o->c, (mpfr_ptr)0);
}

static inline void oracle_clear(oracle *o) {
  mpfr_clears(o->mu, o->epsilon, o->delta, o->a, o->b, o->c, (mpfr_ptr)0);
  mpfr_free_cache();
}

/* delta = (erfc((eps/mu - mu/2)/sqrt 2) - e^eps erfc((eps/mu + mu/2)/sqrt 2)) / 2 */
static inline void oracle_delta(oracle *o) {
  mpfr_div(o->a, o->epsilon, o->mu, MPFR_RNDN);
  mpfr_div_ui(o->b, o->mu, 2, MPFR_RNDN);
  mpfr_sub(o->delta, o->a, o->b, MPFR_RNDN);
  mpfr_add(o->a, o->a, o->b, MPFR_RNDN);
  mpfr_set_ui(o->b, 2, MPFR_RNDN);
  mpfr_sqrt(o->b, o->b, MPFR_RNDN);
  mpfr_div(o->delta, o->delta, o->b, MPFR_RNDN);
  mpfr_div(o->a, o->a, o->b, MPFR_RNDN);
  mpfr_erfc(o->delta, o->delta, MPFR_RNDN);
  mpfr_erfc(o->a, o->a, MPFR_RNDN);
  mpfr_exp(o->b, o->epsilon, MPFR_RNDN);
  mpfr_mul(o->a, o->a, o->b, MPFR_RNDN);
  mpfr_sub(o->delta, o->delta, o->a, MPFR_RNDN);
  mpfr_div_ui(o->delta, o->delta, 2, MPFR_RNDN);
}

/* Exact delta at (mu, epsilon (1 - shrink)), compared with `delta`. */
static inline int oracle_compare(oracle *o, double mu, double epsilon, double shrink,
                                 double delta) {
  mpfr_set_d(o->mu, mu, MPFR_RNDN);
  mpfr_set_d(o->epsilon, shrink, MPFR_RNDN);
  mpfr_ui_sub(o->epsilon, 1, o->epsilon, MPFR_RNDN);
  mpfr_mul_d(o->epsilon, o->epsilon, epsilon, MPFR_RNDN);
  oracle_delta(o);
  return mpfr_cmp_d(o->delta, delta);
}

/* Exact epsilon (fixed: mu) or mu (fixed: epsilon) by bisection to 250 bits; in o->c.
 */
static inline void oracle_solve(oracle *o, int for_mu, double fixed, double delta) {
  mpfr_t low, high;
  mpfr_inits2(BITS, low, high, (mpfr_ptr)0);
  mpfr_set_d(low, for_mu ? 1e-10 : 0, MPFR_RNDN);
  mpfr_set_d(high, for_mu ? 2e3 : 1e6, MPFR_RNDN);
  for (int i = 0; i < 250; ++i) {
    mpfr_add(o->c, low, high, MPFR_RNDN);
    mpfr_div_ui(o->c, o->c, 2, MPFR_RNDN);
    mpfr_set(for_mu ? o->mu : o->epsilon, o->c, MPFR_RNDN);
    mpfr_set_d(for_mu ? o->epsilon : o->mu, fixed, MPFR_RNDN);
    oracle_delta(o);
    int above = mpfr_cmp_d(o->delta, delta) > 0;
    mpfr_set(above == for_mu ? high : low, o->c, MPFR_RNDN);
  }
  mpfr_clears(low, high, (mpfr_ptr)0);
}

static inline double epsilon_of(double mu, double delta) {
  double epsilon = -1;
  tacit_error err;
  CHECK_OK(tacit_epsilon_from_mu_up(mu, delta, &epsilon, &err), err);
  return epsilon;
}

static inline double mu_of(double epsilon, double delta) {
  double mu = -1;
  tacit_error err;
  CHECK_OK(tacit_mu_from_dp_down(epsilon, delta, &mu, &err), err);
  return mu;
}

static inline double delta_of(double mu, double epsilon) {
  double delta = -1;
  tacit_error err;
  CHECK_OK(tacit_delta_from_mu_up(mu, epsilon, &delta, &err), err);
  return delta;
}

static inline double zcdp_epsilon_of(double zcdp, double delta) {
  double epsilon = -1;
  tacit_error err;
  CHECK_OK(tacit_epsilon_from_zcdp_up(zcdp, delta, &epsilon, &err), err);
  return epsilon;
}

#endif
