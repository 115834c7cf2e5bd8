/* SPDX-License-Identifier: MIT */
/*
 * Online mirror descent with psi = |w|_p^2/2 and a step that adapts to the gradients:
 *
 *   grad psi(w_{t+1}) = grad psi(w_t) - eta gbar_t / sqrt(sum_{i<=t} |gbar_i|_q^2),
 *
 * then scaled back into W. Regret at most (D^2/(2 eta) + eta/(p-1)) sqrt(sum
 * |gbar_i|_q^2), D the diameter of W; eta = D sqrt((p-1)/2) gives D sqrt(2/(p-1))
 * sqrt(sum). For p = 2 this is AdaGrad-norm. Regulariser: closed form on a ball,
 * linearised elsewhere.
 */
#include <math.h>

#include "learner/mirror.h"
#include "learner/tables.h"

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN,
     "step size; default D sqrt((p-1)/2), D the diameter or at most 0.57 "
     "sqrt(weights)"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  return tacit_mirror_init(self, "omd", TACIT_MIRROR_OMD, facts, values, err);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror_omd_step(self, facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_omd = {
    .version = 1,
    .name = "omd",
    .summary = "online mirror descent in the norm of the run",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_PLAIN,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
