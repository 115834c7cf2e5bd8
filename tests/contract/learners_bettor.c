/* SPDX-License-Identifier: MIT */
/* The bettor against its formulas with plain weights t^k, in long double; and what its
   defaults come to. */
#include "contract/learners_play.h"

enum { T = 64 };
static const double power = 1.5;

static tacit_learner *bettor_of(const char *spec, double radius) {
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, power, radius);
  facts.rounds = T;
  tacit_learner *learner;
  tacit_error err;
  CHECK_OK(tacit_learner_new(spec, &facts, &learner, &err), err);
  return learner;
}

static tacit_learner_loss loss_at(int t, const double *grad) {
  double ratio = t > 1 ? pow((t - 1) / (double)t, power) : 0;
  return (tacit_learner_loss){.t = t, .grad = grad, .ratio = ratio, .horizon = 1};
}

/* A mean that stays and a part that does not. */
static void draw_grad(draw *source, double *grad) {
  for (int i = 0; i < DIM; ++i)
    grad[i] = 0.3 * (i - 3) + draw_uniform(source, -1, 1);
}

static void without_noise_it_is_kt(void **state) {
  (void)state;
  for (int near = 0; near < 2; ++near) {
    tacit_learner *bettor = bettor_of("bettor", near ? 0.5 : 100);
    tacit_learner *kt = bettor_of("kt", near ? 0.5 : 100);
    double w[DIM] = {0}, other[DIM] = {0}, grad[DIM];
    draw source = {1};
    for (int t = 1; t <= T; ++t) {
      draw_grad(&source, grad);
      tacit_learner_loss loss = loss_at(t, grad);
      tacit_learner_step(bettor, &loss, w);
      tacit_learner_step(kt, &loss, other);
      for (int i = 0; i < DIM; ++i)
        CHECK_WITHIN(w[i], other[i], 1e-12 * (1 + fabs(other[i])));
    }
    tacit_learner_free(bettor);
    tacit_learner_free(kt);
  }
}

/* The formulas of learner/bettor.c. v_g, v_s and v_x are in units of beta_t^2,
   beta_t^2 and beta_t beta_{t-1}, as the learner is told them. */
struct direct {
  long double L, S, Q, c, theta[DIM], w[DIM];
};

static void direct_step(struct direct *self, int t, const double *grad,
                        const tacit_learner_loss *loss, long double tau) {
  long double beta = powl(t, power), before = powl(t - 1, power), whole = 0;
  long double v_g = loss->noise_grad * beta * beta, m = DIM, root = sqrtl(2 * m);
  long double v_s = loss->noise_sum * beta * beta, squares = 0, won = 0, signal = 0;
  for (int i = 1; i <= T; ++i)
    whole += powl(i, power);
  for (int i = 0; i < DIM; ++i) {
    long double g = grad[i] * beta;
    squares += g * g;
    won -= g * self->w[i];
    self->theta[i] -= g;
    signal += self->theta[i] * self->theta[i];
  }
  long double size = sqrtl(fmaxl(squares - m * v_g, 0) + 4 * root * v_g);
  self->L = fmaxl(self->L, size);
  self->S += size;
  won -= self->c * m * loss->noise_cross * beta * before;
  self->Q = fmaxl(self->Q + won, 0);
  signal = fmaxl(signal - m * v_s, 0);
  self->c = signal / (signal + 0.7L * root * v_s) * (10 * self->L + self->Q) /
            (self->L * (self->L + self->S));
  self->c = fmaxl(self->c, tau / whole);
  for (int i = 0; i < DIM; ++i)
    self->w[i] = self->c * self->theta[i];
}

static void with_noise_it_is_the_formula(void **state) {
  (void)state;
  static const char *const specs[] = {"bettor:tau=0", "bettor:tau=20"};
  for (int which = 0; which < 2; ++which) {
    tacit_learner *bettor = bettor_of(specs[which], 1e9);
    struct direct direct = {0};
    double w[DIM] = {0}, grad[DIM];
    draw source = {3};
    for (int t = 1; t <= T; ++t) {
      draw_grad(&source, grad);
      tacit_learner_loss loss = loss_at(t, grad);
      loss.noise_grad = 0.05 * (2 + draw_uniform(&source, -1, 1));
      loss.noise_sum = 0.05 * t * (2 + draw_uniform(&source, -1, 1));
      loss.noise_cross = 0.05 * sqrt(t) * draw_uniform(&source, -1, 1);
      tacit_learner_step(bettor, &loss, w);
      direct_step(&direct, t, grad, &loss, which == 0 ? 0 : 20);
      for (int i = 0; i < DIM; ++i)
        CHECK_WITHIN(w[i], (double)direct.w[i],
                     1e-9 * (1e-3 + fabs((double)direct.w[i])));
    }
    tacit_learner_free(bettor);
  }
}

/* a9a: 32,561 rows, 124 inputs, mu = 0.182, clip 0.7, 8 passes. */
static void the_least_bet_is_a_public_rule(void **state) {
  (void)state;
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, power, 100);
  facts.dim = 124;
  facts.rounds = T;
  facts.rows = 32561;
  facts.passes = 8;
  facts.outputs = 1;
  facts.row_norm = 1;
  facts.noise_once = 0.7 / (32561 * 0.182);
  double signal = 1 / hypot(facts.noise_once, 1.0 / 32561);
  double f = 1.5 * pow(124.0 / 786, 0.4);
  double tau = 3 * pow(124, 0.25) * pow(signal, 2.0 / 3) * sqrt(0.8) * f;
  for (int outputs = 1; outputs <= 4; outputs *= 4) {
    tacit_learner *learner;
    tacit_error err;
    facts.outputs = (size_t)outputs;
    facts.dim = 124 * (size_t)outputs;
    CHECK_OK(tacit_learner_new("bettor", &facts, &learner, &err), err);
    size_t count;
    const double *values = tacit_learner_values(learner, &count);
    assert_int_equal(count, 7);
    CHECK_RELATIVE(values[6], tau, 1e-12);
    tacit_learner_free(learner);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_it_is_kt),
      cmocka_unit_test(with_noise_it_is_the_formula),
      cmocka_unit_test(the_least_bet_is_a_public_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
