/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_GDP_H
#define TACIT_PRIVACY_GDP_H

/*
 * epsilon_from_mu where delta is close to delta(0) = 2 Phi(mu/2) - 1 and epsilon
 * therefore close to 0: there the plain bisection would lose digits. Returns an upper
 * bound of epsilon, or -1 when delta is not close. mu and delta in range.
 */
double tacit_epsilon_near_zero_up(double mu, double delta);

#endif
