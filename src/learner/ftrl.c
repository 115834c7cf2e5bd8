/* SPDX-License-Identifier: MIT */
/*
 * Follow the regularised leader with psi = |w|_p^2/2:
 *
 *   w_{t+1} = argmin_W <sum_{i<=t} gbar_i, w> + psi(w)/eta_t,
 *   eta_t = eta / sqrt(sum_{i<=t} |gbar_i|_q^2).
 *
 * On a ball the minimiser is grad psi*(-eta_t sum gbar_i), scaled back. The regret
 * bound is in learner/mirror.c. Regulariser: closed form with its sums on a ball,
 * linearised elsewhere.
 */
#include <math.h>

#include "learner/mirror.h"
#include "learner/tables.h"

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN, "step size; default: half of that of omd"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  return tacit_mirror_init(self, "ftrl", TACIT_MIRROR_FTRL, facts, values, err);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror_ftrl_step(self, facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_ftrl = {
    .version = 1,
    .name = "ftrl",
    .summary = "follow the regularised leader in the norm of the run",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_PLAIN,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
