/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_REGULARISER_H
#define TACIT_LEARNER_REGULARISER_H

#include <tacit/learner.h>

#include "base/threads.h"

/*
 * The regulariser xi |w| + nu |w|^2 of the parameter-free theorem, |.| the primal norm.
 * A learner takes it in one of two ways: in closed form, as part of what a step
 * minimises, or linearised, by adding its gradient at w. The closed form is the exact
 * minimiser if W is a ball of the norm in which the step is made.
 */

/* 1 if the loss has a regulariser and a step in |.|_p can take it in closed form. */
int tacit_regulariser_closed(const tacit_learner_facts *facts,
                             const tacit_learner_loss *loss, double p);

/* The closed form for a step of `step` that has led to v: v is scaled in place by
   max(0, 1 - step xi/|v|_q) / (1 + 2 step nu). */
void tacit_regulariser_shrink(tacit_pool *pool, double step, double xi, double nu,
                              double q, size_t dim, double *v);

/*
 * The gradient with the regulariser linearised at w: grad + (xi/|w| + 2 nu) grad
 * psi(w), and grad max(0, 1 - xi/|grad|_*) at w = 0. Without a regulariser, loss->grad
 * itself; otherwise the result is in `buffer`, which may be w.
 */
const double *tacit_regulariser_gradient(const tacit_learner_facts *facts,
                                         const tacit_learner_loss *loss,
                                         const double *w, double *buffer);

#endif
