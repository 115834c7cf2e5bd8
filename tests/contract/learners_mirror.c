/* SPDX-License-Identifier: MIT */
/* Hints, and the regulariser xi |w| + nu |w|^2: closed forms are minimisers, and every
   learner that declares takes_regulariser uses it. */
#include "contract/learners_play.h"

#include "learner/regulariser.h"

static const struct arena mirrors[] = {
    {TACIT_DOMAIN_BALL, 0},   {TACIT_DOMAIN_BOX, 2},    {TACIT_DOMAIN_SIMPLEX, 0},
    {TACIT_DOMAIN_BALL, 1.5}, {TACIT_DOMAIN_BALL, 1.2},
};
enum { N_MIRRORS = sizeof mirrors / sizeof *mirrors };

static void same_bits(const char *one, const char *two, struct arena arena, double xi,
                      double nu) {
  for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
    tacit_learner_facts facts = facts_in(arena, 2, 1.5);
    struct player a = player_of(one, &facts), b = player_of(two, &facts);
    draw source = {3};
    int moved = 0;
    for (int t = 1; t <= ROUNDS; ++t) {
      double grad[DIM];
      next_gradient((enum sequence)sequence, &source, t, a.w, 2, grad);
      player_move(&a, grad, xi, nu);
      player_move(&b, grad, xi, nu);
      assert_memory_equal(a.w, b.w, sizeof a.w);
      moved += draw_norm(a.w, DIM) > 0;
    }
    assert_true(moved > 0);
    tacit_learner_free(a.learner);
    tacit_learner_free(b.learner);
  }
}

static void without_hints_the_bits_are_those_of_the_plain_learner(void **state) {
  (void)state;
  for (size_t a = 0; a < N_MIRRORS; ++a) {
    same_bits("optimistic-omd:hint=0", "omd", mirrors[a], 0, 0);
    same_bits("optimistic-ftrl:hint=0", "ftrl", mirrors[a], 0, 0);
    same_bits("optimistic-omd:hint=0", "omd", mirrors[a], 0.1, 0.2);
    same_bits("optimistic-ftrl:hint=0", "ftrl", mirrors[a], 0.01, 0.02);
  }
}

static void omd_in_l2_is_adagrad(void **state) {
  (void)state;
  for (size_t a = 0; a < N_ARENAS_L2; ++a) {
    same_bits("omd:eta=0.9", "adagrad:eta=0.9", arenas[a], 0, 0);
    same_bits("omd:eta=0.9", "adagrad:eta=0.9", arenas[a], 0.1, 0.2);
  }
}

/* The same gradient in every round, k = 0: from the second round on the hints are
   perfect and the sum of squared errors does not grow. And all gradients zero. */
static void perfect_hints_do_not_divide_by_zero(void **state) {
  (void)state;
  static const char *const specs[] = {"optimistic-omd", "optimistic-ftrl"};
  for (size_t s = 0; s < 2; ++s) {
    for (size_t a = 0; a < N_MIRRORS; ++a) {
      for (int silent = 0; silent < 2; ++silent) {
        tacit_learner_facts facts = facts_in(mirrors[a], 0, 1.5);
        struct player player = player_of(specs[s], &facts);
        double first[DIM], grad[DIM] = {silent ? 0 : 1, silent ? 0 : -0.5};
        memcpy(first, player.w, sizeof first);
        for (int t = 1; t <= 200; ++t) {
          player_move(&player, grad, 0, 0);
          assert_true(tacit_domain_contains(NULL, &facts, player.w, 1e-12));
        }
        if (silent) {
          assert_memory_equal(first, player.w, sizeof first);
        } else { /* the step no longer shrinks, so w is at the best point of W */
          double best[DIM] = {-1e9, 0.5e9}, gain = 0, max = 0;
          if (facts.domain == TACIT_DOMAIN_BALL)
            tacit_norm_mirror(NULL, best, DIM,
                              tacit_norm_dual(tacit_domain_norm(&facts)), best);
          tacit_domain_project_mirror(NULL, &facts, best);
          for (size_t i = 0; i < DIM; ++i) {
            gain += grad[i] * player.w[i];
            max += grad[i] * best[i];
          }
          CHECK_WITHIN(gain, max, 1e-9);
        }
        tacit_learner_free(player.learner);
      }
    }
  }
}

/* The objective of a step of omd: <g, w> s + B(w; v) + s (xi |w| + nu |w|^2). */
static double omd_objective(const double *w, const double *g, const double *v, double p,
                            double step, double xi, double nu) {
  double dual[DIM], size = tacit_norm_lp(NULL, w, DIM, p), value = size * size / 2;
  tacit_norm_mirror(NULL, v, DIM, p, dual);
  for (size_t i = 0; i < DIM; ++i)
    value += step * g[i] * w[i] - dual[i] * w[i];
  return value + step * (xi * size + nu * size * size);
}

/* No other point of W, near or far, has a smaller objective than w. */
static void check_minimum(const tacit_learner_facts *facts, draw *source,
                          const double *w, double (*value)(const double *, void *),
                          void *of) {
  double at = value(w, of), z[DIM];
  for (int other = 0; other < 300; ++other) {
    draw_direction(source, DIM, exp(draw_uniform(source, -12, 1)), z);
    for (size_t i = 0; i < DIM; ++i)
      z[i] += w[i];
    tacit_domain_project(facts, z);
    CHECK_AT_MAX(at, value(z, of) + 1e-12);
  }
}

struct omd_at {
  double g[DIM], v[DIM], p, step, xi, nu;
};
static double omd_value(const double *w, void *of) {
  const struct omd_at *at = of;
  return omd_objective(w, at->g, at->v, at->p, at->step, at->xi, at->nu);
}

static void closed_form_of_a_descent_step(void **state) {
  (void)state;
  static const char *const specs[] = {"omd:eta=0.8", "adagrad:eta=0.8", "osd"};
  draw source = {5};
  for (size_t s = 0; s < 3; ++s) {
    for (size_t a = 0; a < N_MIRRORS; ++a) {
      if (mirrors[a].domain != TACIT_DOMAIN_BALL) continue;
      if (s > 0 && mirrors[a].norm != 0) continue; /* Euclidean ones */
      tacit_learner_facts facts = facts_in(mirrors[a], 0, 0.9);
      struct player player = player_of(specs[s], &facts);
      struct omd_at at = {.p = tacit_domain_norm(&facts), .xi = 0.3, .nu = 0.2};
      double squares = 0, q = tacit_norm_dual(at.p);
      for (int t = 1; t <= 60; ++t) {
        draw_direction(&source, DIM, draw_uniform(&source, 0, 2), at.g);
        at.g[0] += t < 30 ? 1 : 0;
        memcpy(at.v, player.w, sizeof at.v);
        squares += pow(tacit_norm_lp(NULL, at.g, DIM, q), 2);
        at.step = s < 2 ? 0.8 / sqrt(squares)
                        : 0.9 * sqrt(0.5) / sqrt(t); /* D sqrt(k+1/2)/(Ghat sqrt t) */
        player_move(&player, at.g, at.xi, at.nu);
        check_minimum(&facts, &source, player.w, omd_value, &at);
      }
      tacit_learner_free(player.learner);
    }
  }
}

struct ftrl_at {
  double sum[DIM], p, eta, xi, nu;
};
static double ftrl_value(const double *w, void *of) {
  const struct ftrl_at *at = of;
  double size = tacit_norm_lp(NULL, w, DIM, at->p), value = size * size / (2 * at->eta);
  for (size_t i = 0; i < DIM; ++i)
    value += at->sum[i] * w[i];
  return (value + at->xi * size + at->nu * size * size) * at->eta;
}

static void closed_form_of_the_leader(void **state) {
  (void)state;
  draw source = {7};
  for (size_t a = 0; a < N_MIRRORS; ++a) {
    if (mirrors[a].domain != TACIT_DOMAIN_BALL) continue;
    tacit_learner_facts facts = facts_in(mirrors[a], 0, 0.9);
    struct player player = player_of("ftrl:eta=0.8", &facts);
    struct ftrl_at at = {.p = tacit_domain_norm(&facts)};
    double squares = 0, q = tacit_norm_dual(at.p);
    int zero = 0, moved = 0;
    for (int t = 1; t <= 60; ++t) {
      double g[DIM];
      draw_direction(&source, DIM, draw_uniform(&source, 0, 1), g);
      g[1] += t > 20 ? 1 : 0;
      squares += pow(tacit_norm_lp(NULL, g, DIM, q), 2);
      at.eta = 0.8 / sqrt(squares);
      at.xi += 0.4;
      at.nu += 0.05;
      for (size_t i = 0; i < DIM; ++i)
        at.sum[i] += g[i];
      player_move(&player, g, 0.4, 0.05);
      check_minimum(&facts, &source, player.w, ftrl_value, &at);
      zero += draw_norm(player.w, DIM) == 0;
      moved += draw_norm(player.w, DIM) > 0.1;
    }
    assert_true(zero > 0 && moved > 0);
    tacit_learner_free(player.learner);
  }
}

/* grad + the derivative of xi |w|_p + nu |w|_p^2. */
static void linearised_gradient(void **state) {
  (void)state;
  draw source = {9};
  for (int trial = 0; trial < 500; ++trial) {
    double w[DIM], grad[DIM], x[DIM] = {0}, out[DIM];
    tacit_learner_facts facts = facts_in(mirrors[trial % 2 * 3], 1, 9);
    double p = tacit_domain_norm(&facts);
    draw_direction(&source, DIM, draw_uniform(&source, 0.5, 3), w);
    draw_direction(&source, DIM, 1, grad);
    tacit_learner_loss loss = loss_of(4, 1, grad, x, 2);
    assert_ptr_equal(tacit_regulariser_gradient(&facts, &loss, w, out), grad);
    loss.xi = 0.7;
    loss.nu = 0.3;
    assert_ptr_equal(tacit_regulariser_gradient(&facts, &loss, w, out), out);
    for (size_t i = 0; i < DIM; ++i) {
      double at = w[i], h = 1e-6 * fabs(at), up, down;
      w[i] = at + h;
      up = 0.7 * tacit_norm_lp(NULL, w, DIM, p) +
           0.3 * pow(tacit_norm_lp(NULL, w, DIM, p), 2);
      w[i] = at - h;
      down = 0.7 * tacit_norm_lp(NULL, w, DIM, p) +
             0.3 * pow(tacit_norm_lp(NULL, w, DIM, p), 2);
      w[i] = at;
      CHECK_WITHIN(out[i], grad[i] + (up - down) / (2 * h), 1e-7 * (1 + 1 / fabs(at)));
    }
    double zero[DIM] = {0};
    double size = tacit_norm_lp(NULL, grad, DIM, tacit_norm_dual(p));
    loss.xi = 0.25 * size;
    (void)tacit_regulariser_gradient(&facts, &loss, zero, out);
    for (size_t i = 0; i < DIM; ++i)
      CHECK_WITHIN(out[i], 0.75 * grad[i], 1e-15);
  }
}

/* If xi is larger than every gradient, 0 is the best point and w stays there. nu alone
   pulls w towards 0. The two learners without a regulariser declare that. */
static void learners_that_take_the_regulariser(void **state) {
  (void)state;
  const tacit_learner_ops *ops;
  for (size_t s = 0; (ops = tacit_learner_at(s)) != NULL; ++s) {
    int refuses =
        strcmp(ops->name, "eg") == 0 || strcmp(ops->name, "strongly-convex") == 0;
    assert_int_equal(ops->takes_regulariser, !refuses);
    for (size_t a = 0; a < N_ARENAS && !refuses; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 2, 3);
      tacit_learner *admitted = learner_or_null(ops->name, &facts);
      if (admitted == NULL || arenas[a].domain == TACIT_DOMAIN_SIMPLEX) {
        tacit_learner_free(admitted);
        continue;
      }
      tacit_learner_free(admitted);
      struct player held = player_of(ops->name, &facts);
      struct player pulled = player_of(ops->name, &facts);
      struct player free = player_of(ops->name, &facts);
      draw source = {11};
      double average[2] = {0, 0};
      for (int t = 1; t <= ROUNDS; ++t) {
        double grad[DIM];
        next_gradient(DRIFTING, &source, t / 20, held.w, 2, grad);
        player_move(&held, grad, 6, 0.5);
        player_move(&pulled, grad, 0, 0.5);
        player_move(&free, grad, 0, 0);
        for (size_t i = 0; i < DIM; ++i)
          assert_true(held.w[i] == 0);
        assert_true(tacit_domain_contains(NULL, &facts, pulled.w, 1e-12));
        average[0] += draw_norm(pulled.w, DIM) / ROUNDS;
        average[1] += draw_norm(free.w, DIM) / ROUNDS;
      }
      if (!(average[0] < 0.75 * average[1]))
        fail_msg("%s: %g with the regulariser, %g without", ops->name, average[0],
                 average[1]);
      tacit_learner_free(held.learner);
      tacit_learner_free(pulled.learner);
      tacit_learner_free(free.learner);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_hints_the_bits_are_those_of_the_plain_learner),
      cmocka_unit_test(omd_in_l2_is_adagrad),
      cmocka_unit_test(perfect_hints_do_not_divide_by_zero),
      cmocka_unit_test(closed_form_of_a_descent_step),
      cmocka_unit_test(closed_form_of_the_leader),
      cmocka_unit_test(linearised_gradient),
      cmocka_unit_test(learners_that_take_the_regulariser),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
