/* SPDX-License-Identifier: MIT */
/*
 * Heavy ball on plain gradients, for losses whose slopes turn too fast for differences:
 *
 *   v = momentum v - eta g_t,   w_{t+1} = P_W( w_t + v ),
 *
 * The model is the last point, or after one pass the average of the points with weights
 * t^average. The step comes from public numbers, with U, d and r of learner/signal.h:
 *
 *   eta = min( tau (1 - momentum) / R, 1 / (1.09 r^2) ),
 *   tau = min( 5 d^(1/4) U^(2/3), 0.35 U/r ) (1 + 1/(average + 1)).
 *
 * tau is how far a mean gradient of length 1 moves the model in a whole run. There is
 * no theorem; the constants were chosen on data (docs/theory.md). The regulariser is
 * linearised (learner/regulariser.h).
 */
#include <math.h>

#include "learner/regulariser.h"
#include "learner/signal.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct heavy_ball {
  double momentum, average, eta;
};

enum { VELOCITY, MEAN, BUFFER, N_VECTORS };
enum { TAU, MOMENTUM, AVERAGE };

static const tacit_param params[] = {
    {"tau", 1e-9, 1e12, NAN,
     "length of all steps; default from rows, passes, inputs and noise"},
    {"momentum", 0, 0.999, NAN,
     "share of a step that is kept; default 0.85, less for few passes"},
    {"average", 0, 100, NAN,
     "weights t^average of the mean of all points; 0: the last one, the default unless "
     "there is one pass"},
    {NULL, 0, 0, 0, NULL},
};

static double tau_default(const tacit_signal *signal, double average) {
  if (signal->ratio == 0) return 1;
  double tau = 5 * sqrt(sqrt(signal->inputs)) * pow(signal->ratio, 2.0 / 3);
  tau = fmin(tau, 0.35 * signal->ratio / signal->reach) * signal->length;
  return average > 0 ? tau * (1 + 1 / (average + 1)) : tau;
}

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct heavy_ball *ball = self;
  tacit_signal signal = tacit_signal_of(facts);
  int once = facts->passes == 1;
  (void)err;
  if (isnan(values[MOMENTUM]))
    values[MOMENTUM] = once ? 0.7 : facts->passes < 4 ? 0.8 : 0.85;
  if (isnan(values[AVERAGE])) values[AVERAGE] = once ? 3 : 0;
  if (isnan(values[TAU])) values[TAU] = tau_default(&signal, values[AVERAGE]);
  ball->momentum = values[MOMENTUM];
  ball->average = values[AVERAGE];
  ball->eta = values[TAU] * (1 - ball->momentum) / (double)facts->rounds;
  if (signal.ratio > 0) /* with longer steps the points would oscillate */
    ball->eta = fmin(ball->eta, signal.length / (1.09 * signal.reach * signal.reach));
  return TACIT_OK;
}

static void move(const struct heavy_ball *ball, size_t dim, const double *g, double *v,
                 double *w) {
  for (size_t i = 0; i < dim; ++i) {
    v[i] = ball->momentum * v[i] - ball->eta * g[i];
    w[i] += v[i];
  }
}

/* Adds w to the average of all points, if the average is the model. Writes it to w in
   the last round. */
static void average(const struct heavy_ball *ball, const tacit_learner_facts *facts,
                    const tacit_learner_loss *loss, double *mean, double *w) {
  if (ball->average == 0) return;
  double part = (ball->average + 1) / ((double)loss->t + ball->average);
  for (size_t i = 0; i < facts->dim; ++i)
    mean[i] += (w[i] - mean[i]) * part;
  for (size_t i = 0; loss->t == facts->rounds && i < facts->dim; ++i)
    w[i] = mean[i]; /* an average of points of W is in W, because W is convex */
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  const double *g = tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  move(self, facts->dim, g, vectors[VELOCITY], w);
  tacit_domain_project_on(loss->pool, facts, w);
  average(self, facts, loss, vectors[MEAN], w);
}

static void carry(const void *self, const tacit_learner_facts *facts,
                  const tacit_learner_loss *loss, double *const *vectors, double *w) {
  move(self, facts->dim, loss->grad, vectors[VELOCITY], w);
  average(self, facts, loss, vectors[MEAN], w);
}

const tacit_learner_ops tacit_learner_heavy_ball = {
    .version = 2,
    .name = "heavy-ball",
    .summary = "momentum on plain gradients, for losses with sharp corners",
    .params = params,
    .state_size = sizeof(struct heavy_ball),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
    .plain = 1,
    .carry = carry,
};
