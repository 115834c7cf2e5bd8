/* SPDX-License-Identifier: MIT */
/*
 * Renyi and concentrated differential privacy. An (alpha, r)-RDP mechanism is
 * (eps, delta)-DP with
 *
 *   eps = r + log((alpha-1)/alpha) - (log delta + log alpha)/(alpha-1);
 *
 * rho-zCDP is (alpha, alpha rho)-RDP for every alpha > 1, so every alpha gives a bound
 * on its eps; the best alpha solves rho (alpha-1)^2 + log alpha = log(1/delta). The
 * paper's rho is mu: (alpha, alpha rho^2/2)-RDP. Every step below rounds in the safe
 * direction.
 */
#include "base/error.h"
#include "base/numbers.h"
#include "privacy/exact.h"
#include "privacy/range.h"

#include <tacit/account.h>

#define ZCDP_MIN 5e-19
#define ZCDP_MAX 5e5
#define ALPHA_MAX 1e15
#define RENYI_MAX 1e15

static double root_down(double x) {
  double root = sqrt(x);
  return fma(root, root, -x) > 0 ? tacit_down(root) : root;
}

static double root_up(double x) {
  double root = sqrt(x);
  return fma(root, root, -x) < 0 ? tacit_up(root) : root;
}

/* Returns log(1/delta), rounded up. */
static double log_inverse_up(double delta) { return -tacit_log_down(delta); }

static tacit_status check_zcdp(double zcdp, tacit_error *err) {
  if (zcdp <= 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "zcdp must be greater than 0 (between 5e-19 and 5e5)");
  if (!(zcdp >= ZCDP_MIN && zcdp <= ZCDP_MAX))
    return tacit_fail(err, TACIT_EINVAL, "zcdp must be between 5e-19 and 5e5");
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_zcdp_from_mu_up.md */
tacit_status tacit_zcdp_from_mu_up(double mu, double *out_zcdp, tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_zcdp, err));
  TACIT_TRY(tacit_check_mu("mu", mu, err));
  *out_zcdp = 0.5 * tacit_product_up(mu, mu); /* halving is exact */
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_mu_from_zcdp_down.md */
tacit_status tacit_mu_from_zcdp_down(double zcdp, double *out_mu, tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_mu, err));
  TACIT_TRY(check_zcdp(zcdp, err));
  *out_mu = root_down(2 * zcdp); /* doubling is exact */
  return TACIT_OK;
}

/* Returns the epsilon of (alpha, r)-RDP, rounded up. log_inverse must be log(1/delta)
   rounded up. alpha - 1 is exact. Proof: docs/proofs/tacit_epsilon_from_rdp_up.md */
static double rdp_epsilon_up(double alpha, double r, double log_inverse) {
  double order = alpha - 1;
  /* log((alpha-1)/alpha) = -log1p(1/(alpha-1)); libm's log1p is within 2 ulp */
  double shrink = log1p(tacit_div_down(1, order));
  shrink = tacit_down(tacit_down(tacit_down(shrink)));
  double tail = tacit_div_up(tacit_add_up(log_inverse, -tacit_log_down(alpha)), order);
  double epsilon = tacit_add_up(tacit_add_up(r, -shrink), tail);
  return epsilon > 0 ? epsilon : 0;
}

/* Proof: docs/proofs/tacit_epsilon_from_rdp_up.md */
tacit_status tacit_epsilon_from_rdp_up(double alpha, double r, double delta,
                                       double *out_epsilon, tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_epsilon, err));
  if (!(alpha > 1 && alpha <= ALPHA_MAX))
    return tacit_fail(err, TACIT_EINVAL,
                      "alpha must be greater than 1 and at most 1e15");
  if (!(r >= 0 && r <= RENYI_MAX))
    return tacit_fail(err, TACIT_EINVAL,
                      "the Renyi divergence must be between 0 and 1e15");
  TACIT_TRY(tacit_check_delta(delta, err));
  *out_epsilon = rdp_epsilon_up(alpha, r, log_inverse_up(delta));
  return TACIT_OK;
}

/* Returns the alpha - 1 for which zcdp (alpha-1)^2 + log alpha = log_inverse. Every
   alpha gives a valid epsilon, so no direction of rounding is needed. Near the best
   alpha, an error in alpha changes epsilon only by its square. */
static double best_order(double zcdp, double log_inverse) {
  double low = 0, high = sqrt(log_inverse / zcdp);
  TACIT_HALVE(double, low, high, zcdp *middle *middle + log1p(middle) < log_inverse);
  return high;
}

/* Proof: docs/proofs/tacit_epsilon_from_zcdp_up.md */
tacit_status tacit_epsilon_from_zcdp_up(double zcdp, double delta, double *out_epsilon,
                                        tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_epsilon, err));
  TACIT_TRY(check_zcdp(zcdp, err));
  TACIT_TRY(tacit_check_delta(delta, err));
  double log_inverse = log_inverse_up(delta);
  double alpha = 1 + best_order(zcdp, log_inverse);
  *out_epsilon = rdp_epsilon_up(alpha, tacit_product_up(alpha, zcdp), log_inverse);
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_epsilon_from_rho_paper_up.md */
tacit_status tacit_epsilon_from_rho_paper_up(double rho, double delta,
                                             double *out_epsilon, tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_epsilon, err));
  TACIT_TRY(tacit_check_mu("rho", rho, err));
  TACIT_TRY(tacit_check_delta(delta, err));
  double half_square = 0.5 * tacit_product_up(rho, rho);
  double root = tacit_sqrt_up(2 * log_inverse_up(delta));
  *out_epsilon = tacit_add_up(half_square, tacit_mul_up(rho, root));
  return TACIT_OK;
}

/* Computes rho = sqrt(2L + 2 eps) - sqrt(2L), L = log(1/delta), as 2 eps divided by the
   sum of the two roots, because their difference would lose digits.
   Proof: docs/proofs/tacit_rho_paper_from_dp_down.md */
tacit_status tacit_rho_paper_from_dp_down(double epsilon, double delta, double *out_rho,
                                          tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_rho, err));
  TACIT_TRY(tacit_check_epsilon(epsilon, err));
  TACIT_TRY(tacit_check_delta(delta, err));
  double twice_log = 2 * log_inverse_up(delta);
  double roots = tacit_add_up(tacit_sqrt_up(tacit_add_up(twice_log, 2 * epsilon)),
                              tacit_sqrt_up(twice_log));
  *out_rho = tacit_div_down(2 * epsilon, roots);
  return TACIT_OK;
}

static tacit_status check_part(const char *name, double mu, tacit_error *err) {
  return mu == 0 ? TACIT_OK : tacit_check_mu(name, mu, err);
}

/* Proof: docs/proofs/tacit_mu_compose_up.md */
tacit_status tacit_mu_compose_up(double mu_1, double mu_2, double *out_mu,
                                 tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_mu, err));
  TACIT_TRY(check_part("mu_1", mu_1, err));
  TACIT_TRY(check_part("mu_2", mu_2, err));
  if (mu_1 == 0 || mu_2 == 0) { /* nothing is added, so the result is exactly the other
                                   mu */
    *out_mu = mu_1 == 0 ? mu_2 : mu_1;
    return TACIT_OK;
  }
  double square_1 = tacit_product_up(mu_1, mu_1);
  double square_2 = tacit_product_up(mu_2, mu_2);
  *out_mu = root_up(tacit_sum_up(square_1, square_2));
  return TACIT_OK;
}
