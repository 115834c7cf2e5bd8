/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_REGULARISER_H
#define TACIT_LEARNER_REGULARISER_H

#include <tacit/learner.h>

#include "base/threads.h"

/*
 * The regulariser xi |w| + nu |w|^2 of the parameter-free theorem, |.| the primal norm.
 * A learner adds it in one of two ways: in closed form, as part of what a step
 * minimises, or linearised, by adding its gradient at w to the gradient of the loss.
 * The closed form is the exact minimiser if W is a ball of the norm in which the step
 * is made.
 */

/* Returns 1 if the loss has a regulariser and a step in the norm |.|_p can take it in
   closed form. */
int tacit_regulariser_closed(const tacit_learner_facts *facts,
                             const tacit_learner_loss *loss, double p);

/* Takes the regulariser in closed form, after a step of size `step` has led to v:
   scales v in place by max(0, 1 - step xi/|v|_q) / (1 + 2 step nu). */
void tacit_regulariser_shrink(tacit_pool *pool, double step, double xi, double nu,
                              double q, size_t dim, double *v);

/*
 * Returns the gradient with the regulariser linearised at w: grad + (xi/|w| + 2 nu)
 * grad psi(w) with psi(w) = |w|^2/2, and grad max(0, 1 - xi/|grad|_*) at w = 0. Returns
 * loss->grad without a regulariser, otherwise `buffer`, which may be w.
 */
const double *tacit_regulariser_gradient(const tacit_learner_facts *facts,
                                         const tacit_learner_loss *loss,
                                         const double *w, double *buffer);

#endif
