/* SPDX-License-Identifier: MIT */
/* The parameter-free learners: their regret bounds, which hold for every u, the
   reduction to W, the potential of FreeGrad, and runs that learn the bound on the
   gradient. Everything is in units of L = beta_T Ghat. */
#include "contract/learners_play.h"

#include "learner/coin.h"

/* sup over x >= 0 of u x - e0 exp(exponent(x)) / weight, x at most `end`: concave. */
static double conjugate(double u, double e0, double weight, double end,
                        double (*exponent)(double x, double V), double V) {
  double low = 0, high = end;
  for (int i = 0; i < 200; ++i) {
    double a = low + (high - low) / 3, b = high - (high - low) / 3;
    double at_a = u * a - e0 * exp(exponent(a, V)) / weight;
    double at_b = u * b - e0 * exp(exponent(b, V)) / weight;
    if (at_a < at_b)
      low = a;
    else
      high = b;
  }
  return u * low - e0 * exp(exponent(low, V)) / weight;
}

/* Bounds on sum <c_t, w_t - u>, |u| = size; S = sum |c_t|, V = sum |c_t|^2. */
static double kt_limit(double size, double e0, double S, double V) {
  (void)V;
  double T = fmax(S, 1);
  return size * sqrt(T * log(1 + 24 * T * T * size * size / (e0 * e0))) + e0;
}

/* Wealth after online Newton steps: at least e0 exp(max_b b x - b^2 (V + (2-ln3)/4)) /
   (1 + 4V)^(1/(2-ln3)) with |b| <= 1/2, x = -sum s, V = sum s^2. The direction adds
   |u| 2 sqrt2 sqrt(V). */
static double ons_exponent(double x, double V) {
  double curve = V + (2 - log(3)) / 4, b = fmin(x / (2 * curve), 0.5);
  return b * x - b * b * curve;
}
static double ons_limit(double size, double e0, double S, double V) {
  double weight = pow(1 + 4 * V, 1 / (2 - log(3)));
  return e0 + conjugate(size, e0, weight, fmax(S, 1), ons_exponent, V) +
         size * 2 * sqrt(2) * sqrt(V);
}

static double free_exponent(double x, double V) { return x * x / (2 * V + 2 * x); }
static double free_limit(double size, double e0, double S, double V) {
  V += 1;
  return e0 + conjugate(size, e0, sqrt(V), fmax(S, 1), free_exponent, V);
}

static const struct {
  const char *name;
  double (*limit)(double size, double e0, double S, double V);
} bettors[] = {
    {"coin-kt", kt_limit}, {"coin-ons", ons_limit}, {"freegrad", free_limit}};
enum { N_BETTORS = sizeof bettors / sizeof *bettors };

/* The regret against u = -size sum/|sum|, the worst u of its size. */
static double regret_at(const struct tally *tally, double size) {
  long double length = 0;
  for (size_t i = 0; i < DIM; ++i)
    length += tally->sum[i] * tally->sum[i];
  return (double)(tally->gain + (long double)size * sqrtl(length));
}

static void regret_stays_below_the_bound_for_every_u(void **state) {
  (void)state;
  static const double radii[] = {1.5, 40};
  for (size_t b = 0; b < N_BETTORS; ++b) {
    double max = 0;
    for (size_t r = 0; r < 2; ++r) {
      for (size_t k = 0; k < 2; ++k) {
        for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
          const double e0 = 1, Ghat = 2.5;
          tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, powers[k], radii[r]);
          char spec[64];
          (void)snprintf(spec, sizeof spec, "%s:e0=1,ghat=2.5", bettors[b].name);
          struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
          double L = Ghat * pow(ROUNDS, powers[k]);
          double S = (double)tally.lengths / L;
          double V = (double)tally.squares_l2 / L / L;
          for (double size = radii[r] / 1000; size <= radii[r]; size *= 1.4) {
            double limit = bettors[b].limit(size, e0, S, V);
            CHECK_AT_MAX(regret_at(&tally, size) / L, limit);
            if (bettors[b].limit == kt_limit) /* the form in the literature */
              CHECK_AT_MAX(limit, kt_limit(size, e0, ROUNDS, 0));
            max = fmax(max, regret_at(&tally, size) / L / limit);
          }
        }
      }
    }
    print_message("# %s: largest regret %.2f of its bound\n", bettors[b].name, max);
    assert_true(max > 0.05 && max < 1);
  }
}

/* The sum of |c| and the regret in sets other than the Euclidean ball. */
static void regret_stays_below_the_bound_in_every_set(void **state) {
  (void)state;
  for (size_t b = 0; b < N_BETTORS; ++b) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_in(arenas[a], 2, 1.5);
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%s:e0=1,ghat=2", bettors[b].name);
        struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
        double L = 2 * pow(ROUNDS, 2), reach = tacit_domain_reach_in(&facts, 2);
        double limit = bettors[b].limit(reach, 1, (double)tally.lengths / L,
                                        (double)tally.squares_l2 / L / L);
        CHECK_AT_MAX(regret_of(&tally, &facts) / L, limit);
      }
    }
  }
}

/* <g, w - u> <= <gtilde, wtilde - u> and |gtilde| <= |g|, in every W. */
static void reduction_to_the_set(void **state) {
  (void)state;
  draw source = {41};
  for (size_t a = 0; a < N_ARENAS; ++a) {
    tacit_learner_facts facts = facts_in(arenas[a], 2, 1.5);
    int reduced = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      double bet[DIM], toss[DIM], w[DIM], grad[DIM], x[DIM] = {0}, u[DIM];
      double *const vectors[] = {bet, toss};
      tacit_coin coin = {.e0 = 1, .ghat = 8, .h = 8, .h_first = 8};
      draw_direction(&source, DIM, draw_uniform(&source, 0, 5), bet);
      draw_direction(&source, DIM, draw_uniform(&source, 0, 8), grad);
      memcpy(w, bet, sizeof w);
      tacit_domain_project(&facts, w);
      tacit_learner_loss loss = loss_of(ROUNDS, 2, grad, x, 300);
      assert_true(tacit_coin_toss(&coin, &facts, &loss, vectors, w) == 1);
      CHECK_AT_MAX(8 * draw_norm(toss, DIM), draw_norm(grad, DIM) * (1 + 1e-14));
      for (int other = 0; other < 5; ++other) {
        draw_direction(&source, DIM, draw_uniform(&source, 0, 4), u);
        tacit_domain_project(&facts, u);
        double left = 0, right = 0;
        for (size_t i = 0; i < DIM; ++i) {
          left += grad[i] * (w[i] - u[i]);
          right += 8 * toss[i] * (bet[i] - u[i]);
        }
        CHECK_AT_MAX(left, right + 1e-12);
        reduced += left < right - 1e-6;
      }
    }
    assert_true(reduced > 100);
  }
}

/* sum <c_i, w_i> + e0 exp(q^2/(2V + 2q))/sqrt V with V = 1 + sum |c|^2, q = |sum c|,
   never grows. W is large enough not to interfere. */
static void freegrad_potential_never_increases(void **state) {
  (void)state;
  for (size_t k = 0; k < 2; ++k) {
    for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, powers[k], 1e140);
      struct player player = player_of("freegrad:e0=3,ghat=2", &facts);
      draw source = {43};
      double sum[DIM] = {0}, V = 1, paid = 0, last = 3;
      for (int t = 1; t <= ROUNDS; ++t) {
        double grad[DIM], share = pow(t / (double)ROUNDS, powers[k]);
        next_gradient((enum sequence)sequence, &source, t, player.w, 2, grad);
        for (size_t i = 0; i < DIM; ++i) {
          double c = grad[i] / 2 * share;
          paid += c * player.w[i];
          sum[i] += c;
          V += c * c;
        }
        double q = draw_norm(sum, DIM);
        double size = 3 * exp(q * q / (2 * V + 2 * q)) / sqrt(V);
        /* both terms can be huge: their difference is compared, up to rounding */
        CHECK_AT_MAX(paid + size, last + 1e-12 * (size + fabs(paid) + 1));
        last = paid + size;
        player_move(&player, grad, 0, 0);
      }
      assert_true(last < 3 - 1e-3);
      tacit_learner_free(player.learner);
    }
  }
}

/* Unknown bound: L is the largest gradient, the wealth starts at h_1 e0, and clipping
   adds at most max|g| (max|w| + |u|). Gradients grow to four times the first. */
static void a_bound_that_is_learnt_costs_little(void **state) {
  (void)state;
  double max = 0;
  for (size_t k = 0; k < 2; ++k) {
    for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
      const double radius = 6, e0 = 1;
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, powers[k], radius);
      struct player player = player_of("coin-kt:e0=1,lipschitz=1", &facts);
      struct tally tally = {0};
      draw source = {47};
      double grad[DIM], last[DIM] = {0}, first = 0, largest = 0;
      for (int t = 1; t <= ROUNDS; ++t) {
        memcpy(tally.w, player.w, sizeof tally.w);
        double bound = 0.5 + 1.5 * t / ROUNDS;
        next_gradient((enum sequence)sequence, &source, t, player.w, bound, grad);
        if (t == 1) first = draw_norm(grad, DIM);
        largest = fmax(largest, draw_norm(grad, DIM));
        tally_add(&tally, &facts, powl(t, (long double)powers[k]), 0, grad, last);
        player_move(&player, grad, 0, 0);
      }
      tacit_learner_free(player.learner);
      double L = largest * pow(ROUNDS, powers[k]);
      for (double size = radius / 100; size <= radius; size *= 1.5) {
        double limit = kt_limit(size, e0 * fmin(first / largest, 1), ROUNDS, 0) + e0 +
                       radius + size;
        CHECK_AT_MAX(regret_at(&tally, size) / L, limit);
        max = fmax(max, regret_at(&tally, size) / L / limit);
      }
    }
  }
  assert_true(max > 0.02);
}

/* A first gradient a million times too small, or too large, does not spoil the run. */
static void a_bound_that_is_learnt_recovers(void **state) {
  (void)state;
  static const double firsts[] = {1e-6, 1};
  for (size_t b = 0; b < N_BETTORS; ++b) {
    double reached[2];
    for (size_t f = 0; f < 2; ++f) {
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 0, 3);
      char spec[64];
      (void)snprintf(spec, sizeof spec, "%s:lipschitz=1", bettors[b].name);
      struct player player = player_of(spec, &facts);
      for (int t = 1; t <= 100; ++t) {
        double grad[DIM] = {0};
        grad[2] = t <= 2 ? firsts[f] : 1;
        player_move(&player, grad, 0, 0);
      }
      reached[f] = player.w[2];
      tacit_learner_free(player.learner);
    }
    CHECK_WITHIN(reached[0], -3, 1e-9);
    CHECK_WITHIN(reached[1], -3, 1e-9);
  }
}

/* A million rounds with weights up to 1e24: bets and wealth stay in the range of a
   double, and w follows the gradient to one side of W and then to the other. */
static void long_runs_neither_overflow_nor_vanish(void **state) {
  (void)state;
  static const char *const specs[] = {"coin-kt",
                                      "coin-ons",
                                      "freegrad",
                                      "coin-kt:lipschitz=1",
                                      "omd",
                                      "optimistic-ftrl",
                                      "coin-ons:lipschitz=1"};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    const int rounds = 100000, step = 10; /* every tenth round of a million */
    tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 4, 100);
    facts.rounds = (int64_t)rounds * step;
    tacit_learner *learner = learner_of(specs[s], &facts);
    double w[DIM] = {0}, x[DIM] = {0}, lowest = 0, highest = -INFINITY;
    for (int t = 1; t <= rounds; ++t) {
      double grad[DIM] = {t < rounds * 9 / 10 ? 1.5 : -1.5};
      double at = (double)t * step;
      tacit_learner_loss loss = {.t = (int64_t)t * step,
                                 .grad = grad,
                                 .ratio = t == 1 ? 0 : pow(1 - step / at, 4),
                                 .horizon = at / 5,
                                 .x = x};
      tacit_learner_step(learner, &loss, w);
      assert_true(isfinite(w[0]) && w[1] == 0);
      lowest = fmin(lowest, w[0]);
      if (t > rounds * 9 / 10) highest = fmax(highest, w[0]);
    }
    tacit_learner_free(learner);
    CHECK_WITHIN(lowest, -100, 1e-9);
    if (strstr(specs[s], "ftrl") ==
        NULL) /* this one is slow: its sum still points to the first side */
      CHECK_WITHIN(highest, 100, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regret_stays_below_the_bound_for_every_u),
      cmocka_unit_test(regret_stays_below_the_bound_in_every_set),
      cmocka_unit_test(reduction_to_the_set),
      cmocka_unit_test(freegrad_potential_never_increases),
      cmocka_unit_test(a_bound_that_is_learnt_costs_little),
      cmocka_unit_test(a_bound_that_is_learnt_recovers),
      cmocka_unit_test(long_runs_neither_overflow_nor_vanish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
