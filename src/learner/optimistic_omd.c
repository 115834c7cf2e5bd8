/* SPDX-License-Identifier: MIT */
/*
 * Optimistic mirror descent: hint_{t+1} = gbar_t, psi and D as in learner/mirror.c,
 *
 *   y_{t+1} = mirror step from y_t with eta_t gbar_t,
 *   w_{t+1} = mirror step from y_{t+1} with eta_t hint_{t+1},
 *   eta_t = eta / sqrt(sum_{i<=t} |gbar_i - hint_i|_q^2), hint_1 = 0.
 *
 * The regret is of order D sqrt(sum |gbar_i - hint_i|^2). The regulariser is part of
 * the step of y. Without hints it is omd, bit for bit.
 */
#include <math.h>

#include "base/error.h"
#include "learner/mirror.h"
#include "learner/tables.h"

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN, "step size; default: that of omd"},
    {"hint", 0, 1, 1, "1: the last gradient is the hint; 0: no hint, as omd"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  tacit_mirror *mirror = self;
  if (values[1] != 0 && values[1] != 1)
    return tacit_fail(
        err, TACIT_EINVAL,
        "learner optimistic-omd: hint must be 1 (the last gradient) or 0");
  mirror->hinted = values[1] == 1;
  return tacit_mirror_init(mirror, "optimistic-omd", TACIT_MIRROR_OMD, facts, values,
                           err);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror_omd_step(self, facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_optimistic_omd = {
    .version = 1,
    .name = "optimistic-omd",
    .summary = "mirror descent that expects the last gradient again",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_HINTED,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
