/* SPDX-License-Identifier: MIT */
/* Heavy ball against its formula, and what its defaults come to. */
#include "contract/learners_play.h"

enum { T = 40 };

/* 20,000 rows of norm 2, cut to 1.5, 7 inputs; slopes of size 0.5. */
static tacit_learner_facts facts_for(int passes, double noise) {
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 0, 1e9);
  facts.rounds = T;
  facts.rows = 20000;
  facts.passes = passes;
  facts.outputs = 1;
  facts.row_norm = 2;
  facts.row_reach = 1.5;
  facts.slope_unit = 0.5;
  facts.curvature = 4;
  facts.noise_once = noise;
  return facts;
}

struct direct {
  double momentum, eta, average, w[DIM], v[DIM], mean[DIM];
};

static void direct_step(struct direct *self, int t, const double *grad) {
  double part = (self->average + 1) / (t + self->average);
  for (int i = 0; i < DIM; ++i) {
    self->v[i] = self->momentum * self->v[i] - self->eta * grad[i];
    self->w[i] += self->v[i];
    self->mean[i] += part * (self->w[i] - self->mean[i]);
  }
}

static void play_both(const tacit_learner_facts *facts, struct direct *direct) {
  tacit_learner *learner = learner_of("heavy-ball", facts);
  double w[DIM] = {0}, grad[DIM];
  draw source = {5};
  for (int t = 1; t <= T; ++t) {
    for (int i = 0; i < DIM; ++i)
      grad[i] = w[i] - i + draw_uniform(&source, -1, 1);
    tacit_learner_loss loss = loss_of(t, 0, grad, w, t - 1);
    tacit_learner_step(learner, &loss, w);
    direct_step(direct, t, grad);
    const double *wanted = t == T && direct->average > 0 ? direct->mean : direct->w;
    for (int i = 0; i < DIM; ++i)
      CHECK_WITHIN(w[i], wanted[i], 1e-12 * (1 + fabs(wanted[i])));
  }
  tacit_learner_free(learner);
}

static void the_step_is_a_public_rule(void **state) {
  (void)state;
  static const struct {
    int passes;
    double price, momentum, average;
  } rules[] = {
      {1, 1.58, 0.7, 3}, {2, 1.21, 0.8, 0}, {4, 1.21, 0.85, 0}, {8, 1, 0.85, 0}};
  int short_steps = 0, noisy_steps = 0;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
    for (double noise = 1e-5; noise < 1; noise *= 100) {
      tacit_learner_facts facts = facts_for(rules[i].passes, noise);
      double U =
          1 / hypot(rules[i].price * noise, 1 / 20000.0); /* row norm x slope: 1 */
      double free = 5 * pow(DIM, 0.25) * pow(U, 2 / 3.0), cap = 0.35 * U / 0.75;
      double tau = fmin(free, cap) / 16 * (rules[i].average > 0 ? 1.25 : 1);
      double eta = tau * (1 - rules[i].momentum) / T, most = 1 / (16 * 1.09 * 0.5625);
      noisy_steps += cap < free;
      short_steps += eta < most;
      struct direct direct = {.momentum = rules[i].momentum,
                              .eta = fmin(eta, most),
                              .average = rules[i].average};
      play_both(&facts, &direct);
    }
  }
  assert_true(noisy_steps > 0 && short_steps > 0 && short_steps < 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_step_is_a_public_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
