/* SPDX-License-Identifier: MIT */
/*
 * Online subgradient descent w_{t+1} = P_W(w_t - eta_t gbar_t), D the diameter of W and
 * Ghat a bound on |gbar_t|/beta_t.
 *
 *   power = 1 (the paper's step):  eta_t = eta D sqrt(k + 1/2) / (Ghat t^{k+1/2}),
 *       regret at most D Ghat T^{k+1/2} / sqrt(k + 1/2) (1 + o(1)) at eta = 1;
 *   power = 0 (a constant step):   eta_t = eta D / (Ghat sqrt(sum_{i<=T} beta_i^2)),
 *       regret at most D Ghat sqrt(sum beta_i^2) at eta = 1.
 *
 * Learners see gbar_t/beta_t, so the step size here is eta_t beta_t: a multiple of
 * 1/sqrt(t) for power = 1, of (t/T)^k <= 1 for power = 0. The regulariser is taken in
 * closed form on a Euclidean ball and linearised elsewhere (learner/regulariser.h).
 */
#include <math.h>

#include "base/error.h"
#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct osd {
  int is_power;
  double step; /* eta_t beta_t without its factor 1/sqrt(t) or (t/T)^k */
};

enum { POWER, ETA, GHAT };
enum { BUFFER, N_VECTORS };

static const tacit_param params[] = {
    {"power", 0, 1, 1, "1: step that shrinks with the round; 0: constant step"},
    {"eta", 1e-9, 1e9, 1, "multiplies the step of the theorem"},
    {"ghat", 1e-12, 1e12, NAN, "bound on the gradient; default: that of the run"},
    {NULL, 0, 0, 0, NULL},
};

/* Returns sum_{i<=T} (i/T)^p with T = rounds, added from the largest term down. Uses
   the Euler-Maclaurin formula for long runs; its first omitted term is below 1e-9 of
   the result. */
static double sum_of_powers(int64_t rounds, double p) {
  double T = (double)rounds;
  if (rounds > 1000000 && p >= 1 && p < 1e4) return T / (p + 1) + 0.5 + p / (12 * T);
  double sum = 0;
  for (int64_t i = rounds; i >= 1; --i) {
    double term = exp(p * log((double)i / T));
    sum += term;
    if (term * (double)i < 1e-17 * sum) break;
  }
  return sum;
}

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct osd *osd = self;
  if (values[POWER] != 0 && values[POWER] != 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner osd: power must be 1 (step of the paper) or 0 (constant "
                      "step)");
  if (isnan(values[GHAT]))
    values[GHAT] = tacit_domain_l2_bound(facts, facts->grad_bound);
  if (!(values[GHAT] > 0 && isfinite(values[GHAT])))
    return tacit_fail(
        err, TACIT_EINVAL,
        "learner osd needs a bound on the gradient and this run has none; "
        "give ghat");
  osd->is_power = values[POWER] == 1;
  double base = values[ETA] * tacit_domain_diameter(facts) / values[GHAT];
  osd->step = osd->is_power
                  ? base * sqrt(facts->power + 0.5)
                  : base / sqrt(sum_of_powers(facts->rounds, 2 * facts->power));
  return TACIT_OK;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  const struct osd *osd = self;
  int closed = tacit_regulariser_closed(facts, loss, 2);
  const double *g =
      closed ? loss->grad : tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  double t = (double)loss->t;
  double size = osd->is_power
                    ? osd->step / sqrt(t)
                    : osd->step * exp(facts->power * log(t / (double)facts->rounds));
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] -= size * g[i];
  if (closed)
    tacit_regulariser_shrink(loss->pool, size, loss->xi, loss->nu, 2, facts->dim, w);
  tacit_domain_project_on(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_osd = {
    .version = 1,
    .name = "osd",
    .summary = "online subgradient descent, the learner of the paper",
    .params = params,
    .state_size = sizeof(struct osd),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
