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
 * whatever comes in (a coordinate that is not a number counts as 0), leaves points of W
 * as they are, bit for bit, and applied twice equals once.
 */

/* The same with help for long vectors. */
void tacit_domain_project_on(tacit_pool *pool, const tacit_learner_facts *facts,
                             double *w);

/* p of the facts' norm, with 0 read as 2. */
double tacit_domain_norm(const tacit_learner_facts *facts);

/* The projection of mirror descent with |w|_p^2/2 onto a ball: w is scaled back. For
   p = 2, and then for any W, the Euclidean projection. p < 2 needs a ball. */
void tacit_domain_project_mirror(tacit_pool *pool, const tacit_learner_facts *facts,
                                 double *w);

/* Largest Euclidean distance of two points of W. */
double tacit_domain_diameter(const tacit_learner_facts *facts);
/* The same in |.|_p, and the largest |w|_p over W; 1 <= p. */
double tacit_domain_diameter_in(const tacit_learner_facts *facts, double p);
double tacit_domain_reach_in(const tacit_learner_facts *facts, double p);

/* A bound on the Euclidean norm from one on the dual norm of the facts. */
double tacit_domain_l2_bound(const tacit_learner_facts *facts, double dual_bound);

/* 1 when w is in W up to a relative slack; 0 for a NaN. */
int tacit_domain_contains(tacit_pool *pool, const tacit_learner_facts *facts,
                          const double *w, double slack);

/* Parts of tacit_domain_project: finite w only, in place. */

/* Nearest point of the p-ball, 1 < p < 2, for w outside it; to a few ulps, which may
   leave it as much outside. */
void tacit_lp_ball_nearest(double radius, double p, size_t n, double *w);
/* Nearest point of the probability simplex. */
void tacit_simplex_nearest(size_t n, double *w);
/* 1 when w is in the simplex up to slack and what summing n numbers can lose. */
int tacit_simplex_contains(size_t n, const double *w, double slack);

#endif
