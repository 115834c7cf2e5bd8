/* SPDX-License-Identifier: MIT */
/*
 * Optimistic follow-the-regularised-leader: hint_{t+1} = gbar_t and
 *
 *   w_{t+1} = argmin_W <sum_{i<=t} gbar_i + hint_{t+1}, w> + psi(w)/eta_t,
 *   eta_t = eta / sqrt(sum_{i<=t} |gbar_i - hint_i|_q^2), hint_1 = 0.
 *
 * The regret is of order D sqrt(sum |gbar_i - hint_i|^2), with the constants of
 * learner/mirror.c. Without hints it is ftrl, bit for bit.
 */
#include <math.h>

#include "base/error.h"
#include "learner/mirror.h"
#include "learner/tables.h"

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN, "step size; default: that of ftrl"},
    {"hint", 0, 1, 1, "1: the last gradient is the hint; 0: no hint, as ftrl"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  tacit_mirror *mirror = self;
  if (values[1] != 0 && values[1] != 1)
    return tacit_fail(
        err, TACIT_EINVAL,
        "learner optimistic-ftrl: hint must be 1 (the last gradient) or 0");
  mirror->hinted = values[1] == 1;
  return tacit_mirror_init(mirror, "optimistic-ftrl", TACIT_MIRROR_FTRL, facts, values,
                           err);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror_ftrl_step(self, facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_optimistic_ftrl = {
    .version = 1,
    .name = "optimistic-ftrl",
    .summary = "follow the leader that expects the last gradient again",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_HINTED,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
