/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_DOMAIN_H
#define TACIT_NORM_DOMAIN_H

#include <stddef.h>
#include <tacit/learner.h>

#include "norm/norm.h"

/*
 * The set W of allowed weights: the ball of `radius` in the norm of the facts, the box
 * with every coordinate within `radius` (both centred at 0), or the probability
 * simplex, which has no radius. tacit_domain_project of tacit/learner.h is defined here
 * too: it returns a point of W for any input (a NaN coordinate counts as 0), does not
 * change points of W, and applied twice gives the same bits as once.
 */

/* Does what tacit_domain_project does, with a pool for long vectors. */
void tacit_domain_project_on(tacit_pool *pool, const tacit_learner_facts *facts,
                             double *w);

/* Returns the exponent p of the norm of the facts; facts->norm = 0 means 2. */
double tacit_domain_norm(const tacit_learner_facts *facts);

/* Moves w into W by the Bregman projection for |w|_p^2/2. For p < 2 W must be a ball,
   and w is scaled back to its norm. For p = 2 W may be any set, and this is the
   Euclidean projection. */
void tacit_domain_project_mirror(tacit_pool *pool, const tacit_learner_facts *facts,
                                 double *w);

/* Returns the largest Euclidean distance between two points of W. */
double tacit_domain_diameter(const tacit_learner_facts *facts);
/* Return the largest distance between two points of W in the norm |.|_p, and the
   largest |w|_p of a point of W. p must be at least 1. */
double tacit_domain_diameter_in(const tacit_learner_facts *facts, double p);
double tacit_domain_reach_in(const tacit_learner_facts *facts, double p);

/* Returns a bound on the Euclidean norm of every vector whose norm, in the dual norm of
   the facts, is at most dual_bound. */
double tacit_domain_l2_bound(const tacit_learner_facts *facts, double dual_bound);

/* Returns 1 if w is in W up to a relative slack. Returns 0 if w has a NaN. */
int tacit_domain_contains(tacit_pool *pool, const tacit_learner_facts *facts,
                          const double *w, double slack);

/* Parts of tacit_domain_project. They work in place, and w must be finite. */

/* Moves a w outside the p-ball, 1 < p < 2, to the nearest point of the ball. The result
   may lie outside by a few ulps. */
void tacit_lp_ball_nearest(double radius, double p, size_t n, double *w);
/* Moves w to the nearest point of the probability simplex. */
void tacit_simplex_nearest(size_t n, double *w);
/* Returns 1 if w is in the simplex up to `slack` and the rounding of a sum of n
   numbers. */
int tacit_simplex_contains(size_t n, const double *w, double slack);

#endif
