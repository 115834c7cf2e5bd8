/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ACCOUNT_H
#define TACIT_ACCOUNT_H

#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Conversions between privacy measures. A mechanism is mu-GDP if distinguishing two
 * neighbouring data sets by its output is at least as hard as distinguishing N(0,1)
 * from N(mu,1). The paper's rho is this mu. A Gaussian mechanism whose noise is sigma
 * times its sensitivity has mu = 1/sigma and is mu^2/2-zCDP.
 *
 * Every result is rounded against the user: an `_up` value is never below the true one,
 * a `_down` value never above it. The functions return TACIT_EINVAL outside these
 * ranges: epsilon 1e-6 ... 1e3, delta 1e-300 ... 0.5, mu 1e-9 ... 1e3, epsilon of pure
 * DP (delta = 0) 1e-6 ... 1e4.
 */

/** Computes the smallest delta for which a mu-GDP mechanism is (epsilon, delta)-DP;
    epsilon >= 0. */
TACIT_API TACIT_NODISCARD tacit_status tacit_delta_from_mu_up(double mu, double epsilon,
                                                              double *out_delta,
                                                              tacit_error *err);
/** Computes the smallest epsilon for which a mu-GDP mechanism is (epsilon, delta)-DP;
    may be 0. */
TACIT_API TACIT_NODISCARD tacit_status tacit_epsilon_from_mu_up(double mu, double delta,
                                                                double *out_epsilon,
                                                                tacit_error *err);
/** Computes the largest mu whose guarantee still implies (epsilon, delta)-DP. */
TACIT_API TACIT_NODISCARD tacit_status tacit_mu_from_dp_down(double epsilon,
                                                             double delta,
                                                             double *out_mu,
                                                             tacit_error *err);

/**
 * Computes the smallest mu for which every epsilon-DP mechanism (pure, delta = 0) is
 * mu-GDP: 2 Phi^-1(e^epsilon/(1 + e^epsilon)).
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_mu_from_pure_up(double epsilon,
                                                             double *out_mu,
                                                             tacit_error *err);

/** Computes the zCDP of a mu-GDP mechanism: mu^2/2. */
TACIT_API TACIT_NODISCARD tacit_status tacit_zcdp_from_mu_up(double mu,
                                                             double *out_zcdp,
                                                             tacit_error *err);
/** Computes the mu of the Gaussian mechanism that is `zcdp`-zCDP: sqrt(2 zcdp). */
TACIT_API TACIT_NODISCARD tacit_status tacit_mu_from_zcdp_down(double zcdp,
                                                               double *out_mu,
                                                               tacit_error *err);
/** Computes the epsilon of any zCDP mechanism, Gaussian or not, by the conversion of
    optimal order. */
TACIT_API TACIT_NODISCARD tacit_status tacit_epsilon_from_zcdp_up(double zcdp,
                                                                  double delta,
                                                                  double *out_epsilon,
                                                                  tacit_error *err);
/** Computes the epsilon of an (alpha, r)-RDP mechanism, by the improved conversion of
    one order. */
TACIT_API TACIT_NODISCARD tacit_status tacit_epsilon_from_rdp_up(double alpha, double r,
                                                                 double delta,
                                                                 double *out_epsilon,
                                                                 tacit_error *err);
/**
 * Computes epsilon by the paper's accounting (its RDP remark, corrected): (alpha, alpha
 * rho^2/2)-RDP for all alpha gives epsilon = rho^2/2 + rho sqrt(2 ln(1/delta)).
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_epsilon_from_rho_paper_up(
    double rho, double delta, double *out_epsilon, tacit_error *err);
/** Computes the largest rho for which the paper's accounting gives at most this epsilon
    at delta. Inverts tacit_epsilon_from_rho_paper_up. */
TACIT_API TACIT_NODISCARD tacit_status tacit_rho_paper_from_dp_down(double epsilon,
                                                                    double delta,
                                                                    double *out_rho,
                                                                    tacit_error *err);

/** Computes the mu of two mechanisms on the same people together: sqrt(mu_1^2 +
    mu_2^2). */
TACIT_API TACIT_NODISCARD tacit_status tacit_mu_compose_up(double mu_1, double mu_2,
                                                           double *out_mu,
                                                           tacit_error *err);

/**
 * Write a number with `digits` significant digits to `out`, which must have at least 32
 * bytes. The text, read back, is not below the value (`_up`) or not above it (`_down`).
 */
TACIT_API void tacit_format_up(double value, int digits, char *out);
TACIT_API void tacit_format_down(double value, int digits, char *out);

#ifdef __cplusplus
}
#endif
#endif
