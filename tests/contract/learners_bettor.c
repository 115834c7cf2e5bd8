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
  long double shrink;
  long double e0, tau, top, ceiling, q0, q, even, grow;
  long double excess, room, per_batch; /* row_reach^2 / rows of a batch */
  long double L, S, Q, c, theta[DIM], w[DIM];
  long double floors, ceilings; /* rounds in which a rule decided */
};

/* beta_{1:t} */
static long double sum_of_weights(int t) {
  long double sum = 0;
  for (int i = 1; i <= t; ++i)
    sum += powl(i, power);
  return sum;
}

/* The bet within its rules; squared slopes are told as they are if even > 0. */
static void direct_rules(struct direct *self, int t, const tacit_learner_loss *loss) {
  long double whole = sum_of_weights(T), q = self->q0;
  if (self->even > 0) {
    self->q += (loss->slope / self->even - self->q) / 8;
    q = fminl(self->q0, fmaxl(self->q, fmaxl(0.005L, loss->slope_std / self->even)));
    long double grow = powl(fmaxl(1, 0.55L * self->q0 / q), 0.8L);
    self->grow = fmaxl(self->grow, fminl(grow, 1.15L * self->grow));
    long double v_g = loss->noise_grad, squares = 0, chance = 1.125L / t;
    for (int i = 0; i < DIM; ++i)
      squares += (long double)loss->grad[i] * loss->grad[i];
    squares -= DIM * v_g + chance * q * self->even * self->per_batch;
    squares = fminl(100, squares / sqrtl(2.0L * DIM) / v_g);
    self->excess += (squares - self->excess) / 8;
    if (t > T / 2 && self->excess > 3) self->room = fminl(6, 1.1L * self->room);
  }
  long double least = fminl(self->tau * self->grow, self->top) / whole, most = INFINITY;
  if (self->ceiling > 0)
    most = self->room * self->ceiling * sqrtl(fmaxl(1, self->q0 / q)) *
           sqrtl(whole / sum_of_weights(t)) / whole;
  self->ceilings += self->c > most;
  self->c = fminl(self->c, most);
  self->floors += self->c < least;
  self->c = fmaxl(self->c, least);
}

static void direct_step(struct direct *self, int t, const double *grad,
                        const tacit_learner_loss *loss) {
  long double beta = powl(t, power), before = powl(t - 1, power);
  long double v_g = loss->noise_grad * beta * beta, m = DIM, root = sqrtl(2 * m);
  long double v_s = loss->noise_sum * beta * beta, squares = 0, won = 0, signal = 0;
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
  self->c = signal / (signal + self->shrink * root * v_s) *
            (self->e0 * self->L + self->Q) / (self->L * (self->L + self->S));
  direct_rules(self, t, loss);
  for (int i = 0; i < DIM; ++i)
    self->w[i] = self->c * self->theta[i];
}

/* `doubt` multiplies the noise of theta. */
static void play_both(tacit_learner *bettor, double doubt, struct direct *direct) {
  double w[DIM] = {0}, grad[DIM];
  draw source = {3};
  for (int t = 1; t <= T; ++t) {
    draw_grad(&source, grad);
    tacit_learner_loss loss = loss_at(t, grad);
    loss.horizon = (double)(sum_of_weights(t) / powl(t, power));
    loss.noise_grad = 0.05 * (2 + draw_uniform(&source, -1, 1));
    loss.noise_sum = doubt * 0.05 * t * (2 + draw_uniform(&source, -1, 1));
    loss.noise_cross = 0.05 * sqrt(t) * draw_uniform(&source, -1, 1);
    loss.slope = 0.2 / t + 0.02 * draw_uniform(&source, -1, 1);
    loss.slope_std = 0.03 / t;
    tacit_learner_step(bettor, &loss, w);
    direct_step(direct, t, grad, &loss);
    for (int i = 0; i < DIM; ++i)
      CHECK_WITHIN(w[i], (double)direct->w[i],
                   1e-9 * (1e-3 + fabs((double)direct->w[i])));
  }
  tacit_learner_free(bettor);
}

static void with_noise_it_is_the_formula(void **state) {
  (void)state;
  static const char *const specs[] = {"bettor:tau=0", "bettor:tau=20"};
  for (int which = 0; which < 2; ++which) {
    long double tau = which == 0 ? 0 : 20;
    struct direct direct = {.shrink = 0.7L,
                            .e0 = 10,
                            .tau = tau,
                            .top = tau,
                            .q0 = 1,
                            .grow = 1,
                            .room = 1};
    play_both(bettor_of(specs[which], 1e9), 1, &direct);
  }
}

/* Rows of norm 4, cut to 2; slopes of size 3 that turn half as fast. The noise is such
   that both rules decide in some rounds. */
static void the_bet_stays_between_two_public_rules(void **state) {
  (void)state;
  int floors = 0, ceilings = 0;
  for (int watched = 0; watched < 2; ++watched) {
    for (int clear = 0; clear < 2; ++clear) {
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, power, 1e9);
      facts.rounds = T;
      facts.rows = 1000;
      facts.passes = 8;
      facts.outputs = watched ? DIM : 1; /* one input of each, or one of them */
      facts.row_norm = 4;
      facts.row_reach = 2;
      facts.slope_unit = 3;
      facts.curvature = 0.5;
      facts.slope_start = 0.9;
      facts.slope_even = watched ? 0.25 : 0;
      facts.noise_once = clear ? 0.005 : 4;
      tacit_learner *bettor;
      tacit_error err;
      CHECK_OK(tacit_learner_new("bettor", &facts, &bettor, &err), err);
      long double U = 1 / hypotl(facts.noise_once / 12, 0.001L), length = 1 / 8.0L;
      long double inputs = watched ? 1 : DIM, root = watched ? sqrtl(2) : 1;
      long double f = 1.5L * powl(inputs / 786.0L, 0.4L), sight = U * 2 * length;
      struct direct direct = {.shrink = 0.3L,
                              .e0 = 10 * length * 12,
                              .top = 1.4L * sight,
                              .ceiling = 3 * sight * 124 / inputs / root,
                              .q0 = 0.9L,
                              .q = 0.9L,
                              .even = facts.slope_even,
                              .grow = 1,
                              .room = 1,
                              .per_batch = 4 / (1000 * 8 / 64.0L)};
      direct.tau =
          3 * powl(inputs, 0.25L) * powl(U, 2 / 3.0L) * sqrtl(0.8L / 0.9L) * f * length;
      long double ratio = (long double)facts.grad_bound / facts.noise_once;
      direct.tau = fmaxl(direct.tau, 0.35L * sight * fminl(1, cbrtl(100 / ratio)));
      direct.tau = fminl(direct.tau, direct.top);
      play_both(bettor, clear ? 1 : 1e4, &direct);
      floors += direct.floors > 0;
      ceilings += direct.ceilings > 0;
      if (watched) assert_true(direct.grow > 2);
      assert_true(watched ? direct.room > 2 : direct.room == 1);
    }
  }
  assert_true(floors > 0 && ceilings > 0);
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
    assert_int_equal(count, 8);
    CHECK_RELATIVE(values[7], tau, 1e-12);
    tacit_learner_free(learner);
  }
}

/* Classes and numbers, one pass and several: docs/results/defaults.md. */
static void doubt_and_the_largest_bet_follow_public_facts(void **state) {
  (void)state;
  enum { SHRINK = 2, CEILING = 5 };
  for (int passes = 1; passes <= 8; passes += 7) {
    for (int numbers = 0; numbers < 2; ++numbers) {
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, power, 100);
      facts.passes = passes;
      facts.slope_unit = numbers ? 0.1 : 0;
      tacit_learner *learner;
      tacit_error err;
      CHECK_OK(tacit_learner_new("bettor", &facts, &learner, &err), err);
      const double *values = tacit_learner_values(learner, NULL);
      CHECK_RELATIVE(values[SHRINK], numbers && passes > 1 ? 0.3 : 0.7, 1e-15);
      CHECK_RELATIVE(values[CEILING], numbers ? 3 : 0.7, 1e-15);
      tacit_learner_free(learner);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_it_is_kt),
      cmocka_unit_test(with_noise_it_is_the_formula),
      cmocka_unit_test(the_bet_stays_between_two_public_rules),
      cmocka_unit_test(the_least_bet_is_a_public_rule),
      cmocka_unit_test(doubt_and_the_largest_bet_follow_public_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
