/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_MILLS_H
#define TACIT_PRIVACY_MILLS_H

/*
 * Return the Mills ratio of the normal distribution, R(x) = Phi(-x)/phi(x), and its
 * fall g(x) = -R'(x) = 1 - x R(x). x must be at least -0.5. The relative error is below
 * 1e-13, also for large x. Proof: docs/proofs/tacit_mills.md.
 */
double tacit_mills(double x);
double tacit_mills_fall(double x);

/* Returns the integral of f over [0, 1] by the 10-point Gauss-Legendre rule. */
double tacit_integral_01(double (*f)(const void *context, double t),
                         const void *context);

#endif
