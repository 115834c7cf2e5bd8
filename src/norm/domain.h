/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_DOMAIN_H
#define TACIT_NORM_DOMAIN_H

#include <stddef.h>
#include <tacit/learner.h>

/* Sums below run in one fixed order, so the same vector gives the same bits. */

/* Euclidean norm; right even where the squares would overflow or vanish. */
double tacit_norm_l2(const double *v, size_t n);
/* <a, b>. */
double tacit_norm_dot(const double *a, const double *b, size_t n);

/*
 * W is centred at 0: the ball of `radius`, or the box with every coordinate within
 * `radius`. tacit_domain_project of tacit/learner.h is defined here too: it returns a
 * point of W whatever comes in (a coordinate that is not a number counts as 0), leaves
 * points of W as they are, bit for bit, and applied twice equals once.
 */

/* Largest Euclidean distance of two points of W: 2 radius, or 2 radius sqrt(dim). */
double tacit_domain_diameter(const tacit_learner_facts *facts);
/* 1 when w is in W up to a relative slack; 0 for a NaN. */
int tacit_domain_contains(const tacit_learner_facts *facts, const double *w,
                          double slack);

#endif
