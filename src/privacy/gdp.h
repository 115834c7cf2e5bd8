/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_GDP_H
#define TACIT_PRIVACY_GDP_H

/*
 * Returns an upper bound of epsilon for mu and a delta close to delta(0) = 2 Phi(mu/2)
 * - 1, or -1 if delta is not close. With such a delta epsilon is close to 0, and the
 * plain bisection would lose digits. mu and delta must be in the ranges of
 * privacy/range.h.
 */
double tacit_epsilon_near_zero_up(double mu, double delta);

#endif
