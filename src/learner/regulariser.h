/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_REGULARISER_H
#define TACIT_LEARNER_REGULARISER_H

#include <tacit/learner.h>

/*
 * The regulariser xi |w| + nu |w|^2 of the parameter-free theorem, |.| the primal norm.
 * Two ways to take it: in closed form, as part of what a step minimises, or linearised,
 * as its gradient at w. The closed form is the exact minimiser on a ball of the norm
 * the step is made in.
 */

/* 1 when the loss has it and a step in |.|_p can take it in closed form. */
int tacit_regulariser_closed(const tacit_learner_facts *facts,
                             const tacit_learner_loss *loss, double p);

/* The factor of the closed form for a step of `step`: the minimiser without it, of size
   `size`, is scaled by max(0, 1 - step xi/size) / (1 + 2 step nu). */
double tacit_regulariser_factor(double step, double xi, double nu, double size);
/* The same for a Euclidean step that has led to w, in place. */
void tacit_regulariser_shrink(double step, const tacit_learner_loss *loss, size_t dim,
                              double *w);

/*
 * The gradient with the regulariser linearised at w: grad + (xi/|w| + 2 nu) grad
 * psi(w), and grad max(0, 1 - xi/|grad|_*) at w = 0. Without a regulariser, loss->grad
 * itself; else it is written to `buffer`.
 */
const double *tacit_regulariser_gradient(const tacit_learner_facts *facts,
                                         const tacit_learner_loss *loss,
                                         const double *w, double *buffer);

#endif
