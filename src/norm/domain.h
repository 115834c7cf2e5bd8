/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_DOMAIN_H
#define TACIT_NORM_DOMAIN_H

#include <stddef.h>
#include <tacit/learner.h>

#include "norm/norm.h"

/*
 * W: the ball of `radius` in the norm of the facts, the box with every coordinate
 * within `radius` (both centred at 0), or the probability simplex, which has no radius.
 * tacit_domain_project of tacit/learner.h is defined here too: it returns a point of W
 * for any input (a NaN coordinate counts as 0), does not change points of W, and
 * applied twice gives the same bits as once.
 */

/* tacit_domain_project with a pool for long vectors. */
void tacit_domain_project_on(tacit_pool *pool, const tacit_learner_facts *facts,
                             double *w);

/* The exponent p of the norm of the facts, where 0 means 2. */
double tacit_domain_norm(const tacit_learner_facts *facts);

/* The Bregman projection for |w|_p^2/2. For p < 2 W must be a ball, and w is scaled
   back; for p = 2 W may be any set, and this is the Euclidean projection. */
void tacit_domain_project_mirror(tacit_pool *pool, const tacit_learner_facts *facts,
                                 double *w);

/* The largest Euclidean distance between two points of W. */
double tacit_domain_diameter(const tacit_learner_facts *facts);
/* The same in |.|_p, and the largest |w|_p over W; 1 <= p. */
double tacit_domain_diameter_in(const tacit_learner_facts *facts, double p);
double tacit_domain_reach_in(const tacit_learner_facts *facts, double p);

/* A bound on the Euclidean norm, from a bound on the dual norm of the facts. */
double tacit_domain_l2_bound(const tacit_learner_facts *facts, double dual_bound);

/* 1 if w is in W up to a relative slack; 0 if it has a NaN. */
int tacit_domain_contains(tacit_pool *pool, const tacit_learner_facts *facts,
                          const double *w, double slack);

/* Parts of tacit_domain_project. They work in place and need a finite w. */

/* Moves a w outside the p-ball, 1 < p < 2, to the nearest point of it, within a few
   ulps: the result may be that far outside. */
void tacit_lp_ball_nearest(double radius, double p, size_t n, double *w);
/* Moves w to the nearest point of the probability simplex. */
void tacit_simplex_nearest(size_t n, double *w);
/* 1 if w is in the simplex up to `slack` and the rounding of a sum of n numbers. */
int tacit_simplex_contains(size_t n, const double *w, double slack);

#endif
