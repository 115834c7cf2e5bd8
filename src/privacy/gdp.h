/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_GDP_H
#define TACIT_PRIVACY_GDP_H

/*
 * epsilon from mu for a delta close to delta(0) = 2 Phi(mu/2) - 1. There epsilon is
 * close to 0, and the plain bisection would lose digits. Returns an upper bound of
 * epsilon, or -1 if delta is not close. mu and delta must be in range.
 */
double tacit_epsilon_near_zero_up(double mu, double delta);

#endif
