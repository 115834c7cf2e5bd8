/* SPDX-License-Identifier: MIT */
/* What every learner promises: w is in W and finite, runs are repeatable, and some
   learners are scale-free. Also the registry, and what is refused. */
#include "contract/learners_play.h"

/* The registry gives every learner with default parameters; these have others. */
static const char *const variants[] = {
    "osd:power=0",
    "osd:eta=0.1,ghat=3",
    "kt:e0=1",
    "adagrad:eta=0.05",
    "adagrad-diag:eta=3",
    "omd:eta=20",
    "ftrl:eta=20",
    "optimistic-omd:hint=0",
    "optimistic-ftrl:hint=0",
    "eg:eta=9",
    "strongly-convex:mu=0.01",
    "coin-kt:lipschitz=1",
    "coin-kt:e0=0.01,ghat=0.5",
    "coin-ons:lipschitz=1",
    "freegrad:lipschitz=1",
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static const char *spec_at(size_t i) {
  size_t n = 0;
  while (tacit_learner_at(n) != NULL)
    ++n;
  if (i < n) return tacit_learner_at(i)->name;
  return i - n < N_VARIANTS ? variants[i - n] : NULL;
}

/* 1: scaling all gradients does not change w. */
static int is_scale_free(const char *spec) {
  return strncmp(spec, "osd", 3) != 0 && strncmp(spec, "strongly", 8) != 0 &&
         strncmp(spec, "heavy", 5) != 0 &&
         (strstr(spec, "lipschitz=1") != NULL ||
          (strncmp(spec, "coin", 4) != 0 && strncmp(spec, "freegrad", 8) != 0));
}

static int admitted(const char *spec, const tacit_learner_facts *facts) {
  tacit_learner *learner = learner_or_null(spec, facts);
  tacit_learner_free(learner);
  return learner != NULL;
}

/* Which learner accepts which set and norm: the mirror learners need a ball for p < 2,
   eg needs the simplex, the others accept all. play() checks that w stays in W. */
static void w_stays_in_every_set_a_learner_accepts(void **state) {
  (void)state;
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      int mirror = strstr(spec, "omd") != NULL || strstr(spec, "ftrl") != NULL;
      int euclidean = arenas[a].norm == 0 || arenas[a].norm == 2;
      int wanted = 1;
      if (mirror) wanted = euclidean || arenas[a].domain == TACIT_DOMAIN_BALL;
      if (strncmp(spec, "eg", 2) == 0)
        wanted = arenas[a].domain == TACIT_DOMAIN_SIMPLEX;
      tacit_learner_facts facts = facts_in(arenas[a], 2, 1.5);
      assert_int_equal(admitted(spec, &facts), wanted);
      if (!wanted) continue;
      int moved = 0;
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
        moved += draw_norm(tally.w, DIM) > 1e-6;
      }
      assert_true(moved > 0);
    }
  }
}

static void the_first_point(void **state) {
  (void)state;
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 2, 1.5);
      if (!admitted(spec, &facts)) continue;
      struct player player = player_of(spec, &facts);
      int simplex = arenas[a].domain == TACIT_DOMAIN_SIMPLEX;
      for (size_t i = 0; i < DIM; ++i)
        CHECK_WITHIN(player.w[i], simplex ? 1. / DIM : 0, 1e-16);
      tacit_learner_free(player.learner);
    }
  }
}

static void scale_free_learners_do_not_see_the_scale(void **state) {
  (void)state;
  const char *spec;
  int seen = 0;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    if (!is_scale_free(spec)) continue;
    for (size_t a = 0; a < N_ARENAS; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 2, 30);
      if (!admitted(spec, &facts)) continue;
      ++seen;
      /* The projection onto the simplex has a corner at sum 1, where rounding errors
         grow; scaling by a power of two causes none. */
      double scale =
          strncmp(spec, "coin-ons", 8) == 0 && arenas[a].domain == TACIT_DOMAIN_SIMPLEX
              ? 0x1p20
              : 1e6;
      for (int sequence = RANDOM; sequence <= DRIFTING; ++sequence) {
        struct tally one = play(spec, &facts, (enum sequence)sequence, 2, 1);
        struct tally large = play(spec, &facts, (enum sequence)sequence, 2, scale);
        assert_true(draw_norm(one.w, DIM) > 1e-3);
        for (size_t i = 0; i < DIM; ++i)
          CHECK_WITHIN(large.w[i], one.w[i], 1e-9 * draw_norm(one.w, DIM));
      }
    }
  }
  assert_true(seen > 60);
}

static void first_steps_are_known(void **state) {
  (void)state;
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 100);
  double grad[DIM] = {3, 0, 0, -4}, x[DIM] = {0};
  tacit_learner_loss loss = loss_of(1, 2, grad, x, 0);
  double betas = 0;
  for (int t = 1; t <= ROUNDS; ++t)
    betas += pow(t, 4);
  /* the first coin is g/(5 T^2), of size 1/T^2 */
  double share = 1 / (double)ROUNDS / ROUNDS, toss = share / 5, V = 1 + share * share;
  double free_slope = (2 * V + share) / (2 * (V + share) * (V + share) * sqrt(V)) *
                      exp(share * share / (2 * V + 2 * share));
  /* -w_2 = step * (3, 0, 0, -4) */
  const struct {
    const char *spec;
    double step[2]; /* of the first and the fourth coordinate */
  } cases[] = {
      {"kt", {1, 1}}, /* e0 / (2 |g|) */
      {"kt:e0=3", {0.3, 0.3}},
      {"adagrad", {0.08 * sqrt(DIM), 0.08 * sqrt(DIM)}},
      {"adagrad-diag", {0.4 / 3, 0.1}},
      {"osd", {100 * sqrt(2.5), 100 * sqrt(2.5)}},
      {"osd:ghat=1000,eta=0.1", {0.02 * sqrt(2.5), 0.02 * sqrt(2.5)}},
      {"osd:power=0", {100 / sqrt(betas), 100 / sqrt(betas)}},
      {"omd:eta=2", {0.4, 0.4}},
      {"ftrl:eta=2", {0.4, 0.4}},
      {"optimistic-omd:eta=2", {0.8, 0.8}}, /* the hint counts a second time */
      {"optimistic-ftrl:eta=2", {0.8, 0.8}},
      {"strongly-convex:mu=4", {0.5, 0.5}},
      {"coin-kt:e0=3,ghat=5", {3 * toss / (1 + 5 * toss), 3 * toss / (1 + 5 * toss)}},
      {"freegrad:e0=3,ghat=5", {3 * free_slope * toss, 3 * free_slope * toss}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double w[DIM] = {0},
           expected[DIM] = {-3 * cases[i].step[0], 0, 0, 4 * cases[i].step[1]};
    tacit_domain_project(&facts, expected);
    tacit_learner *learner = learner_of(cases[i].spec, &facts);
    tacit_learner_step(learner, &loss, w);
    for (size_t j = 0; j < DIM; ++j)
      CHECK_WITHIN(w[j], expected[j], 1e-12 * draw_norm(expected, DIM));
    tacit_learner_free(learner);
  }
}

/* The weights of a very long run are not added one by one but by a formula. */
static void constant_step_of_a_long_run(void **state) {
  (void)state;
  static const struct {
    int64_t rounds;
    double power;
  } runs[] = {
      {999999, 1.5}, {1000001, 1.5}, {3000000, 1.5}, {1000001, 0}, {2000000, 9}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, runs[i].power, 1);
    facts.rounds = runs[i].rounds;
    long double T = (long double)facts.rounds, sum = 0;
    for (int64_t t = 1; t <= facts.rounds; ++t)
      sum += powl((long double)t / T, 2 * (long double)facts.power);
    double grad[DIM] = {1}, x[DIM] = {0}, w[DIM] = {0};
    tacit_learner_loss loss = {
        .t = facts.rounds, .grad = grad, .ratio = 1, .horizon = 1, .x = x};
    tacit_learner *learner = learner_of("osd:power=0", &facts);
    tacit_learner_step(learner, &loss, w);
    CHECK_RELATIVE(w[0], -(double)(1 / sqrtl(sum)), 1e-9);
    tacit_learner_free(learner);
  }
}

static void zero_gradients_do_not_move(void **state) {
  (void)state;
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 2, 1);
      if (!admitted(spec, &facts)) continue;
      struct player player = player_of(spec, &facts);
      double first[DIM], grad[DIM] = {0};
      memcpy(first, player.w, sizeof first);
      for (int t = 1; t <= 50; ++t) {
        player_move(&player, grad, 0, 0);
        for (size_t i = 0; i < DIM; ++i)
          CHECK_WITHIN(player.w[i], first[i], 1e-15);
      }
      grad[2] = 1e-3; /* it moves once a gradient is not zero */
      for (int t = 51; t <= 60; ++t)
        player_move(&player, grad, 0, 0);
      assert_true(player.w[2] < first[2] && player.w[0] >= first[0]);
      memset(grad, 0, sizeof grad); /* and stays finite when gradients are zero again */
      for (int t = 61; t <= ROUNDS; ++t)
        player_move(&player, grad, 0, 0);
      assert_true(tacit_domain_contains(NULL, &facts, player.w, 1e-12));
      assert_true(player.w[2] <= first[2] && player.w[0] >= first[0]);
      tacit_learner_free(player.learner);
    }
  }
}

static void any_size_of_gradient_keeps_w_finite(void **state) {
  (void)state;
  static const double sizes[] = {1e300, 1e160, 1e8, 1, 1e-8, 1e-160, 1e-300, 5e-324};
  enum { N_SIZES = sizeof sizes / sizeof *sizes };
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      for (size_t mode = 0; mode <= N_SIZES; ++mode) {
        tacit_learner_facts facts = facts_in(arenas[a], 2, 100);
        facts.rounds = 64;
        if (!admitted(spec, &facts)) continue;
        struct player player = player_of(spec, &facts);
        draw source = {29};
        for (int t = 1; t <= 64; ++t) {
          /* the last mode mixes the sizes */
          double size = sizes[mode < N_SIZES ? mode : draw_word(&source) % N_SIZES];
          double grad[DIM];
          for (size_t i = 0; i < DIM; ++i)
            grad[i] = size * draw_uniform(&source, -1, 1.5);
          player_move(&player, grad, 0, 0);
          assert_true(tacit_domain_contains(NULL, &facts, player.w, 1e-12));
        }
        if (is_scale_free(spec) && mode < N_SIZES)
          assert_true(draw_norm(player.w, DIM) > 1e-2);
        tacit_learner_free(player.learner);
      }
    }
  }
}

static void the_same_gradients_give_the_same_bits(void **state) {
  (void)state;
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t a = 0; a < N_ARENAS; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 2, 3);
      if (!admitted(spec, &facts)) continue;
      struct tally one = play(spec, &facts, DRIFTING, 2, 1);
      struct tally two = play(spec, &facts, DRIFTING, 2, 1);
      assert_memory_equal(one.w, two.w, sizeof one.w);
      struct tally other = play(spec, &facts, RANDOM, 2, 1);
      assert_memory_not_equal(one.w, other.w, sizeof one.w);
    }
  }
}

static void registry_is_well_formed(void **state) {
  (void)state;
  size_t n = 0;
  for (; tacit_learner_at(n) != NULL; ++n) {
    const tacit_learner_ops *ops = tacit_learner_at(n);
    assert_true(ops->version == 1 || ops->version == 2);
    assert_ptr_equal(tacit_learner_find(ops->name), ops);
    assert_true(strlen(ops->summary) > 0 && strchr(ops->summary, '\n') == NULL);
    for (const tacit_param *p = ops->params; p != NULL && p->name != NULL; ++p) {
      assert_true(p->min < p->max && p->help != NULL);
      assert_true(isnan(p->fallback) ||
                  (p->fallback >= p->min && p->fallback <= p->max));
      const double values[] = {p->min, p->max, nextafter(p->min, -INFINITY),
                               nextafter(p->max, INFINITY)};
      for (int j = 0; j < 4; ++j) {
        char spec[128];
        (void)snprintf(spec, sizeof spec, "%s:%s=%.17g", ops->name, p->name, values[j]);
        tacit_learner_facts facts = facts_of(
            strcmp(ops->name, "eg") == 0 ? TACIT_DOMAIN_SIMPLEX : TACIT_DOMAIN_BALL, 2,
            3);
        tacit_error err;
        tacit_learner *learner = NULL;
        assert_int_equal(tacit_learner_new(spec, &facts, &learner, &err),
                         j < 2 ? TACIT_OK : TACIT_EINVAL);
        assert_true((learner != NULL) == (j < 2));
        tacit_learner_free(learner);
      }
    }
  }
  static const char *const names[] = {
      "kt", /* the default */
      "bettor",
      "heavy-ball",
      "adagrad",
      "adagrad-diag",
      "osd",
      "omd",
      "ftrl",
      "eg",
      "optimistic-omd",
      "optimistic-ftrl",
      "strongly-convex",
      "coin-kt",
      "coin-ons",
      "freegrad",
  };
  assert_int_equal(n, sizeof names / sizeof *names);
  for (size_t i = 0; i < n; ++i)
    assert_string_equal(tacit_learner_at(i)->name, names[i]);
  assert_null(tacit_learner_at(n + 100));
  assert_null(tacit_learner_find("sgd"));
}

static void derived_numbers_can_be_read(void **state) {
  (void)state;
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 3);
  size_t count;
  tacit_learner *learner = learner_of("osd:eta=0.5", &facts);
  const double *values = tacit_learner_values(learner, &count);
  assert_true(count == 3 && values[0] == 1 && values[1] == 0.5 && values[2] == 2);
  assert_string_equal(tacit_learner_ops_of(learner)->name, "osd");
  tacit_learner_free(learner);
  learner = learner_of("adagrad", &facts);
  values = tacit_learner_values(learner, &count);
  assert_int_equal(count, 1);
  CHECK_RELATIVE(values[0], 0.4 * sqrt(DIM), 1e-15);
  tacit_learner_free(learner);
  /* the diameter is 2 and used as it is; for up to 50 weights the largest is 4 */
  static const struct {
    const char *spec;
    double radius, norm, eta;
  } etas[] = {{"omd", 1, 2, 1.4142135623730951},
              {"omd", 1, 1.5, 1},
              {"omd", 100, 2, 2.8284271247461903},
              {"ftrl", 1, 2, 0.70710678118654752},
              {"optimistic-omd", 1, 1.5, 1},
              {"optimistic-ftrl", 1, 2, 0.70710678118654752}};
  for (size_t i = 0; i < sizeof etas / sizeof *etas; ++i) {
    facts =
        facts_in((struct arena){TACIT_DOMAIN_BALL, etas[i].norm}, 2, etas[i].radius);
    learner = learner_of(etas[i].spec, &facts);
    CHECK_RELATIVE(tacit_learner_values(learner, NULL)[0], etas[i].eta, 1e-14);
    tacit_learner_free(learner);
  }
  /* the bound in the dual norm |.|_3, converted to L2 */
  facts = facts_in((struct arena){TACIT_DOMAIN_BALL, 1.5}, 2, 3);
  learner = learner_of("coin-kt", &facts);
  values = tacit_learner_values(learner, &count);
  assert_int_equal(count, 3);
  CHECK_RELATIVE(values[0], 5 * sqrt(ROUNDS), 1e-15);
  CHECK_RELATIVE(values[1], 2 * pow(DIM, 1. / 2 - 1. / 3), 1e-15);
  tacit_learner_free(learner);
  learner = learner_of("freegrad:lipschitz=1", &facts);
  assert_true(isnan(tacit_learner_values(learner, NULL)[1]));
  tacit_learner_free(learner);
  learner = learner_of("strongly-convex", &facts);
  assert_true(tacit_learner_values(learner, NULL)[0] == 0.5);
  tacit_learner_free(learner);
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  tacit_error err;
  tacit_learner *learner = NULL;
  const tacit_learner_facts good = facts_of(TACIT_DOMAIN_BALL, 2, 3);
  assert_int_equal(tacit_learner_new("sgd", &good, &learner, &err), TACIT_EINVAL);
  assert_string_equal(err.message,
                      "unknown learner \"sgd\"; there are: kt, bettor, heavy-ball, "
                      "adagrad, adagrad-diag, "
                      "osd, omd, ftrl, eg, optimistic-omd, optimistic-ftrl, "
                      "strongly-convex, coin-kt, coin-ons, freegrad");
  assert_int_equal(tacit_learner_new("osd:power=0.5", &good, &learner, &err),
                   TACIT_EINVAL);
  assert_int_equal(tacit_learner_new("kt:eta=1", &good, &learner, &err), TACIT_EINVAL);
  tacit_learner_facts bad[8];
  for (int i = 0; i < 8; ++i)
    bad[i] = good;
  bad[0].dim = 0;
  bad[1].rounds = 0;
  bad[2].power = -1;
  bad[3].power = NAN;
  bad[4].radius = 0;
  bad[5].radius = INFINITY;
  bad[6].domain = (tacit_domain)4;
  bad[7].dim = SIZE_MAX / 2;
  for (int i = 0; i < 8; ++i)
    assert_int_equal(tacit_learner_new("kt", &bad[i], &learner, &err),
                     i < 7 ? TACIT_EINVAL : TACIT_ENOMEM);
  tacit_learner_facts unbounded = good;
  unbounded.grad_bound = 0;
  assert_int_equal(tacit_learner_new("osd", &unbounded, &learner, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "give ghat"));
  assert_null(learner);
  CHECK_OK(tacit_learner_new("osd:ghat=1", &unbounded, &learner, &err), err);
  tacit_learner_free(learner);
  tacit_learner_free(NULL);
}

static void what_does_not_go_together_is_refused(void **state) {
  (void)state;
  const tacit_learner_facts good = facts_of(TACIT_DOMAIN_BALL, 2, 3);
  tacit_learner_facts bare = good;
  bare.noisy_bound = bare.strong = 0;
  tacit_learner_facts box = facts_in((struct arena){TACIT_DOMAIN_BOX, 1.5}, 2, 3);
  static const double norms[] = {1, 2.5, -1, NAN, INFINITY};
  const struct {
    const char *spec;
    const tacit_learner_facts *facts;
    tacit_status status;
    const char *says;
  } cases[] = {
      {"eg", &good, TACIT_EPRIVACY, "use domain simplex"},
      {"omd", &box, TACIT_EPRIVACY, "use domain ball, or norm 2"},
      {"optimistic-ftrl", &box, TACIT_EPRIVACY, "learner optimistic-ftrl"},
      {"strongly-convex", &bare, TACIT_EINVAL, "give an l2 term, or mu"},
      {"coin-kt", &bare, TACIT_EINVAL, "give ghat, or lipschitz=1"},
      {"coin-ons", &bare, TACIT_EINVAL, "learner coin-ons needs a bound"},
      {"freegrad", &bare, TACIT_EINVAL, "learner freegrad needs a bound"},
      {"coin-kt:lipschitz=0.5", &good, TACIT_EINVAL, "must be 1"},
      {"coin-kt:lipschitz=1,ghat=2", &good, TACIT_EINVAL, "leave out ghat"},
      {"optimistic-omd:hint=0.5", &good, TACIT_EINVAL, "hint must be 1"},
      {"optimistic-ftrl:hint=0.5", &good, TACIT_EINVAL, "hint must be 1"},
  };
  tacit_error err;
  tacit_learner *learner = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_int_equal(tacit_learner_new(cases[i].spec, cases[i].facts, &learner, &err),
                     cases[i].status);
    if (strstr(err.message, cases[i].says) == NULL) fail_msg("%s", err.message);
  }
  for (size_t i = 0; i < sizeof norms / sizeof *norms; ++i) {
    tacit_learner_facts facts = good;
    facts.norm = norms[i];
    assert_int_equal(tacit_learner_new("kt", &facts, &learner, &err), TACIT_EPRIVACY);
    assert_non_null(strstr(err.message, "at most 2"));
  }
  assert_null(learner);
  CHECK_OK(tacit_learner_new("coin-ons:lipschitz=1", &bare, &learner, &err), err);
  tacit_learner_free(learner);
  CHECK_OK(tacit_learner_new("strongly-convex:mu=2", &bare, &learner, &err), err);
  tacit_learner_free(learner);
}

/* A learner that uses only the last gradient and counts its steps in a vector. */
static void naive_step(void *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       double *w) {
  (void)self;
  for (size_t i = 0; i < facts->dim; ++i) {
    vectors[1][i] += 1;
    w[i] = -loss->grad[i] * vectors[1][i] + vectors[0][i];
  }
  tacit_domain_project(facts, w);
}

/* The first point is a corner. */
static void naive_first(void *self, const tacit_learner_facts *facts, double *w) {
  (void)self;
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] = facts->radius;
}

static void a_users_table_is_checked_and_used(void **state) {
  (void)state;
  const tacit_learner_ops good = {.version = 1,
                                  .name = "naive",
                                  .summary = "a user's own",
                                  .n_vectors = 2,
                                  .step = naive_step};
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BOX, 2, 3);
  tacit_error err;
  tacit_learner *learner = NULL;
  CHECK_OK(tacit_learner_new_ops(&good, NULL, &facts, &learner, &err), err);
  double grad[DIM] = {0.5, -1, 5}, x[DIM] = {0}, w[DIM] = {0};
  tacit_learner_loss loss = loss_of(1, 2, grad, x, 0);
  tacit_learner_step(learner, &loss, w);
  tacit_learner_step(learner, &loss, w);
  assert_true(w[0] == -1 && w[1] == 2 && w[2] == -3 && w[3] == 0);
  tacit_learner_first(learner, w);
  assert_true(w[0] == 0 && w[1] == 0);
  tacit_learner_free(learner);
  tacit_learner_ops cornered = good;
  cornered.first = naive_first;
  CHECK_OK(tacit_learner_new_ops(&cornered, NULL, &facts, &learner, &err), err);
  tacit_learner_first(learner, w);
  assert_true(w[0] == 3 && w[DIM - 1] == 3);
  tacit_learner_free(learner);
  learner = NULL;

  tacit_learner_ops bad[4];
  for (int i = 0; i < 4; ++i)
    bad[i] = good;
  bad[0].version = 0;
  bad[1].name = "";
  bad[2].summary = NULL;
  bad[3].step = NULL;
  for (int i = 0; i < 4; ++i)
    assert_int_equal(tacit_learner_new_ops(&bad[i], NULL, &facts, &learner, &err),
                     TACIT_EINVAL);
  assert_int_equal(tacit_learner_new_ops(NULL, NULL, &facts, &learner, &err),
                   TACIT_EINVAL);
  assert_int_equal(tacit_learner_new_ops(&good, "kt", &facts, &learner, &err),
                   TACIT_EINVAL);
  assert_null(learner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry_is_well_formed),
      cmocka_unit_test(the_first_point),
      cmocka_unit_test(first_steps_are_known),
      cmocka_unit_test(w_stays_in_every_set_a_learner_accepts),
      cmocka_unit_test(constant_step_of_a_long_run),
      cmocka_unit_test(scale_free_learners_do_not_see_the_scale),
      cmocka_unit_test(zero_gradients_do_not_move),
      cmocka_unit_test(any_size_of_gradient_keeps_w_finite),
      cmocka_unit_test(the_same_gradients_give_the_same_bits),
      cmocka_unit_test(derived_numbers_can_be_read),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(what_does_not_go_together_is_refused),
      cmocka_unit_test(a_users_table_is_checked_and_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
