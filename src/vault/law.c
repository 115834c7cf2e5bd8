/* SPDX-License-Identifier: MIT */
/* The registry of noise laws, and the Gaussian ones. */
#include "vault/law.h"

#include <math.h>
#include <string.h>

#include "vault/gaussian.h"

static const struct tacit_law_ops *const laws[] = {
    &tacit_law_gaussian,
    &tacit_law_laplace,
    &tacit_law_exp_l1,
    &tacit_law_exp_l2,
    &tacit_law_exp_linf,
    &tacit_law_exp_lp,
    NULL,
};

const struct tacit_law_ops *tacit_law_at(size_t i) {
  size_t count = sizeof laws / sizeof laws[0] - 1;
  return i < count ? laws[i] : NULL;
}

const struct tacit_law_ops *tacit_law_find(const char *name) {
  size_t i = 0;
  while (laws[i] != NULL && strcmp(laws[i]->name, name) != 0)
    ++i;
  return laws[i];
}

static double gaussian_std(size_t dim, double exponent) {
  (void)dim;
  (void)exponent;
  return 1;
}

/* E|Z|_q^2 <= (d E|z|^q)^(2/q) for q >= 2, with equality at q = 2: V = d. */
static double gaussian_second_moment(size_t dim, double exponent) {
  double d = (double)dim;
  if (exponent == 2) return d;
  if (isinf(exponent)) return 2 * log(2 * d) + 2; /* E max_i z_i^2, from its tail */
  double log_moment =
      exponent / 2 * log(2) + lgamma((exponent + 1) / 2) - log(M_PI) / 2;
  return exp(2 / exponent * (log(d) + log_moment));
}

const struct tacit_law_ops tacit_law_gaussian = {
    .name = "gaussian",
    .summary = "rounded Gaussian, sampled exactly",
    .exact = 1,
    .pure = 0,
    .sens_norm = 2,
    .std = gaussian_std,
    .second_moment = gaussian_second_moment,
    .add = tacit_noise_exact_add,
};

const struct tacit_law_ops tacit_law_gaussian_fast = {
    .name = "gaussian-fast",
    .summary = "Gaussian in double precision",
    .exact = 0,
    .pure = 0,
    .sens_norm = 2,
    .std = gaussian_std,
    .second_moment = gaussian_second_moment,
    .add = tacit_noise_fast_add,
};
