/* SPDX-License-Identifier: MIT */
/* Regret bounds with their constants, on random, drifting, adversarial and switching
   gradients, for constant and for growing weights. */
#include "contract/learners_play.h"

static const double root_2 = 1.4142135623730951;

/* Compares regret and bound for all sequences in the first n arenas. The largest ratio
   shows whether the sequences are hard enough to be a test. */
struct rival {
  const char *spec; /* with one %.17g for eta, or none */
  double (*eta)(const tacit_learner_facts *facts);
  double (*limit)(const struct tally *tally, const tacit_learner_facts *facts,
                  double eta);
};

static double worst_ratio(const struct rival *rival, const struct arena *where,
                          size_t n) {
  double max = -INFINITY;
  for (size_t a = 0; a < n; ++a) {
    for (size_t k = 0; k < 2; ++k) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_in(where[a], powers[k], 1.5);
        double eta = rival->eta(&facts);
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%s:eta=%.17g", rival->spec, eta);
        struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
        double limit = rival->limit(&tally, &facts, eta);
        CHECK_AT_MAX(regret_of(&tally, &facts), limit);
        max = fmax(max, regret_of(&tally, &facts) / limit);
      }
    }
  }
  print_message("# %s: largest regret %.2f of its bound\n", rival->spec, max);
  return max;
}

static double diameter_of(const tacit_learner_facts *facts) {
  return tacit_domain_diameter_in(facts, tacit_domain_norm(facts));
}
static double strength_of(const tacit_learner_facts *facts) {
  return tacit_domain_norm(facts) - 1; /* lambda / 2 */
}
static double root(long double x) { return (double)sqrtl(x); }

static double eta_adagrad(const tacit_learner_facts *facts) {
  return tacit_domain_diameter(facts) / root_2;
}
static double limit_adagrad(const struct tally *tally, const tacit_learner_facts *facts,
                            double eta) {
  (void)eta;
  return root_2 * tacit_domain_diameter(facts) * root(tally->squares_l2);
}

static void adagrad_norm(void **state) {
  (void)state;
  const struct rival rival = {"adagrad", eta_adagrad, limit_adagrad};
  assert_true(worst_ratio(&rival, arenas, N_ARENAS) > 0.2);
}

static double eta_diag(const tacit_learner_facts *facts) {
  return 2 * facts->radius / root_2;
}
static double limit_diag(const struct tally *tally, const tacit_learner_facts *facts,
                         double eta) {
  double roots = 0, width = 2 * facts->radius;
  for (size_t i = 0; i < DIM; ++i)
    roots += root(tally->each[i]);
  return (width * width / (2 * eta) + eta) * roots;
}

static void adagrad_diag_on_a_box(void **state) {
  (void)state;
  const struct rival rival = {"adagrad-diag", eta_diag, limit_diag};
  assert_true(worst_ratio(&rival, &arenas[1], 1) > 0.2);
}

/* The arenas that mirror learners accept: L2 sets and p-balls. */
static const struct arena mirrors[] = {
    {TACIT_DOMAIN_BALL, 0},   {TACIT_DOMAIN_BOX, 2},    {TACIT_DOMAIN_SIMPLEX, 0},
    {TACIT_DOMAIN_BALL, 1.5}, {TACIT_DOMAIN_BALL, 1.2},
};
enum { N_MIRRORS = sizeof mirrors / sizeof *mirrors };

static double eta_omd(const tacit_learner_facts *facts) {
  return diameter_of(facts) * sqrt(strength_of(facts) / 2);
}
/* (D^2/(2 eta) + eta/(p-1)) sqrt(sum |g|_q^2), at this eta D sqrt(2/(p-1)) sqrt(sum) */
static double limit_omd(const struct tally *tally, const tacit_learner_facts *facts,
                        double eta) {
  double D = diameter_of(facts), p_1 = strength_of(facts);
  double limit = (D * D / (2 * eta) + eta / p_1) * root(tally->squares);
  CHECK_RELATIVE(limit, D * sqrt(2 / p_1) * root(tally->squares), 1e-12);
  return limit;
}
static double limit_optimistic_omd(const struct tally *tally,
                                   const tacit_learner_facts *facts, double eta) {
  double D = diameter_of(facts);
  double step = fmax(eta / (2 * strength_of(facts)), D);
  return (D * D / (2 * eta) + 2 * root_2 * step) * root(tally->misses);
}

static void omd_and_optimistic_omd(void **state) {
  (void)state;
  const struct rival plain = {"omd", eta_omd, limit_omd};
  const struct rival optimistic = {"optimistic-omd", eta_omd, limit_optimistic_omd};
  assert_true(worst_ratio(&plain, mirrors, N_MIRRORS) > 0.2);
  assert_true(worst_ratio(&optimistic, mirrors, N_MIRRORS) > 0.1);
}

/* sup psi - psi(w_1) over W. */
static double range_of(const tacit_learner_facts *facts) {
  double reach = tacit_domain_reach_in(facts, tacit_domain_norm(facts));
  return facts->domain == TACIT_DOMAIN_SIMPLEX ? 0.5 - 0.5 / DIM : reach * reach / 2;
}
static double eta_ftrl(const tacit_learner_facts *facts) {
  return sqrt(strength_of(facts) * range_of(facts));
}
static double limit_leader(const tacit_learner_facts *facts, double eta,
                           long double squares) {
  double step = fmax(eta / (2 * strength_of(facts)), diameter_of(facts));
  return (range_of(facts) / eta + 2 * root_2 * step) * root(squares);
}
static double limit_ftrl(const struct tally *tally, const tacit_learner_facts *facts,
                         double eta) {
  return limit_leader(facts, eta, tally->squares);
}
static double limit_optimistic_ftrl(const struct tally *tally,
                                    const tacit_learner_facts *facts, double eta) {
  return limit_leader(facts, eta, tally->misses);
}

static void ftrl_and_optimistic_ftrl(void **state) {
  (void)state;
  const struct rival plain = {"ftrl", eta_ftrl, limit_ftrl};
  const struct rival optimistic = {"optimistic-ftrl", eta_ftrl, limit_optimistic_ftrl};
  assert_true(worst_ratio(&plain, mirrors, N_MIRRORS) > 0.1);
  assert_true(worst_ratio(&optimistic, mirrors, N_MIRRORS) > 0.05);
}

static double eta_eg(const tacit_learner_facts *facts) {
  return sqrt(log((double)facts->dim));
}
static double limit_eg(const struct tally *tally, const tacit_learner_facts *facts,
                       double eta) {
  return (log((double)facts->dim) / eta + 2 * root_2 * fmax(eta / 2, 2)) *
         root(tally->squares_max);
}

static void eg_on_the_simplex(void **state) {
  (void)state;
  static const struct arena simplex[] = {{TACIT_DOMAIN_SIMPLEX, 0},
                                         {TACIT_DOMAIN_SIMPLEX, 1.5}};
  const struct rival rival = {"eg", eta_eg, limit_eg};
  assert_true(worst_ratio(&rival, simplex, 2) > 0.05);
}

/* With hints the regret depends on the changes of the gradient: if gradients hardly
   change, bound and regret are far below those of the plain learner. */
static void hints_pay_when_gradients_change_slowly(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"omd:eta=2", "optimistic-omd:eta=2"},
                                         {"ftrl:eta=2", "optimistic-ftrl:eta=2"}};
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 0, 1.5);
  for (size_t i = 0; i < 2; ++i) {
    struct tally plain = play(pairs[i][0], &facts, SWITCHING, 2, 1);
    struct tally hinted = play(pairs[i][1], &facts, SWITCHING, 2, 1);
    CHECK_AT_MAX(regret_of(&hinted, &facts), 0.5 * regret_of(&plain, &facts));
    CHECK_AT_MAX((double)hinted.misses, 0.1 * (double)hinted.squares);
  }
}

/* Constant step: D^2/(2 eta) + (eta/2) sum |gbar|^2. Power step: D^2/(2 eta_T) +
   (1/2) sum eta_t |gbar_t|^2, here with |gbar_t| <= beta_t Ghat; the leading term is
   D Ghat T^{k+1/2}/sqrt(k+1/2). */
static void osd(void **state) {
  (void)state;
  double max = 0;
  for (size_t a = 0; a < N_ARENAS_L2; ++a) {
    for (size_t k = 0; k < 2; ++k) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_in(arenas[a], powers[k], 1.5);
        double D = tacit_domain_diameter(&facts), G = facts.grad_bound;
        double half = powers[k] + 0.5, betas = 0, steps = 0;
        for (int t = 1; t <= ROUNDS; ++t) {
          betas += pow(t, 2 * powers[k]);
          steps += pow(t, powers[k] - 0.5);
        }
        struct tally constant =
            play("osd:power=0", &facts, (enum sequence)sequence, G, 1);
        double eta = D / (G * sqrt(betas)), size = root(constant.squares_l2);
        double limit = D * D / (2 * eta) + eta / 2 * size * size;
        CHECK_AT_MAX(regret_of(&constant, &facts), limit);
        CHECK_AT_MAX(limit, D * G * sqrt(betas) * (1 + 1e-9));
        max = fmax(max, regret_of(&constant, &facts) / limit);

        struct tally power = play("osd", &facts, (enum sequence)sequence, G, 1);
        limit = D * G * pow(ROUNDS, half) / (2 * sqrt(half)) +
                D * G * sqrt(half) / 2 * steps;
        CHECK_RELATIVE(limit, D * G * pow(ROUNDS, half) / sqrt(half), 0.03);
        CHECK_AT_MAX(regret_of(&power, &facts), limit);
        max = fmax(max, regret_of(&power, &facts) / limit);
      }
    }
  }
  assert_true(max > 0.2);
}

/* The losses <gbar_t, w> + (beta_t mu/4)|w - x_t|^2 of section 4, x_t the average:
   regret at most sum |gbar'_t|^2/(2 mu_{1:t}), mu_i = beta_i mu/2. */
static double strongly_convex_ratio(const tacit_learner_facts *facts,
                                    enum sequence sequence) {
  draw source = {31};
  struct player player = player_of("strongly-convex", facts);
  long double cost = 0, limit = 0, betas = 0, mu = (long double)facts->strong;
  long double pull[DIM] = {0}, sum[DIM] = {0}, squares = 0; /* of beta x, g, x^2 */
  for (int t = 1; t <= ROUNDS; ++t) {
    double grad[DIM], w[DIM];
    memcpy(w, player.w, sizeof w);
    next_gradient(sequence, &source, t, w, 2, grad);
    player_move(&player, grad, 0, 0);
    long double beta = powl((long double)t, (long double)facts->power), size = 0;
    betas += beta;
    for (size_t i = 0; i < DIM; ++i) {
      long double x = (long double)player.x[i], gap = (long double)w[i] - x;
      long double g = beta * (long double)grad[i], whole = g + beta * mu / 2 * gap;
      cost += g * (long double)w[i] + beta * mu / 4 * gap * gap;
      size += whole * whole;
      sum[i] += g;
      pull[i] += beta * x;
      squares += beta * x * x;
    }
    limit += size / (mu * betas);
  }
  tacit_learner_free(player.learner);
  /* the best point is the projection of the unconstrained minimiser, because the
   curvature is isotropic */
  double best[DIM];
  for (size_t i = 0; i < DIM; ++i)
    best[i] = (double)((pull[i] - 2 * sum[i] / mu) / betas);
  tacit_domain_project(facts, best);
  long double min = mu / 4 * squares;
  for (size_t i = 0; i < DIM; ++i) {
    long double u = (long double)best[i];
    min += sum[i] * u + mu / 4 * (betas * u * u - 2 * u * pull[i]);
  }
  CHECK_AT_MAX((double)(cost - min), (double)limit);
  return (double)((cost - min) / limit);
}

static void strongly_convex(void **state) {
  (void)state;
  double max = 0;
  for (size_t a = 0; a < N_ARENAS; ++a) {
    for (size_t k = 0; k < 2; ++k) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_in(arenas[a], powers[k], 1.5);
        max = fmax(max, strongly_convex_ratio(&facts, (enum sequence)sequence));
      }
    }
  }
  assert_true(max > 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adagrad_norm),
      cmocka_unit_test(adagrad_diag_on_a_box),
      cmocka_unit_test(omd_and_optimistic_omd),
      cmocka_unit_test(ftrl_and_optimistic_ftrl),
      cmocka_unit_test(eg_on_the_simplex),
      cmocka_unit_test(hints_pay_when_gradients_change_slowly),
      cmocka_unit_test(osd),
      cmocka_unit_test(strongly_convex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
