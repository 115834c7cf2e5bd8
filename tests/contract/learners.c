/* SPDX-License-Identifier: MIT */
/* What every learner promises: w in W, the normalised form, finite everywhere; and the
   regret bounds of those that have one. */
#include "check.h"

#include "contract/draw.h"
#include "learner/learner.h"
#include "norm/domain.h"

enum { DIM = 7, ROUNDS = 1000 };

/* Every learner with its fallbacks comes from the registry; these add other numbers. */
static const char *const variants[] = {"osd:power=0", "osd:eta=0.1,ghat=3", "kt:e0=1",
                                       "adagrad:eta=0.05", "adagrad-diag:eta=3"};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static const char *spec_at(size_t i) {
  size_t n = 0;
  while (tacit_learner_at(n) != NULL)
    ++n;
  if (i < n) return tacit_learner_at(i)->name;
  return i - n < N_VARIANTS ? variants[i - n] : NULL;
}

static const tacit_domain domains[] = {TACIT_DOMAIN_BALL, TACIT_DOMAIN_BOX};

static tacit_learner_facts facts_of(tacit_domain domain, double power, double radius) {
  return (tacit_learner_facts){.dim = DIM,
                               .rounds = ROUNDS,
                               .power = power,
                               .grad_bound = 2,
                               .domain = domain,
                               .radius = radius};
}

static tacit_learner *learner_of(const char *spec, const tacit_learner_facts *facts) {
  tacit_error err;
  tacit_learner *learner = NULL;
  CHECK_OK(tacit_learner_new(spec, facts, &learner, &err), err);
  return learner;
}

/* The loss of round t as convert/ gives it. */
static tacit_learner_loss loss_of(int64_t t, double power, const double *grad,
                                  const double *x, double horizon_last) {
  double ratio = t == 1 ? 0 : exp(power * log1p(-1 / (double)t));
  return (tacit_learner_loss){.t = t,
                              .grad = grad,
                              .ratio = ratio,
                              .horizon = 1 + ratio * horizon_last,
                              .x = x};
}

/* Gradients over beta_t, each of norm at most `bound`. */
enum sequence { RANDOM, DRIFTING, ADVERSARIAL, SWITCHING, N_SEQUENCES };

static void next_gradient(enum sequence sequence, draw *source, int64_t t,
                          const double *w, double bound, double *out) {
  double size = draw_norm(w, DIM), angle = 0.01 * (double)t;
  switch (sequence) {
  case RANDOM:
    draw_direction(source, DIM, bound * draw_uniform(source, 0, 1), out);
    return;
  case DRIFTING:
    draw_direction(source, DIM, 0.3 * bound, out);
    out[0] += 0.7 * bound * cos(angle);
    out[1] += 0.7 * bound * sin(angle);
    return;
  case ADVERSARIAL: /* whatever the learner bets on loses */
    if (size == 0) draw_direction(source, DIM, bound, out);
    for (size_t i = 0; i < DIM && size > 0; ++i)
      out[i] = bound * w[i] / size;
    return;
  default: /* the same direction for 100 rounds, then its opposite */
    for (size_t i = 0; i < DIM; ++i)
      out[i] = (t / 100 % 2 ? -bound : bound) / sqrt(DIM);
    return;
  }
}

/* What a run adds up to, with the true weights beta_t = t^k. */
struct tally {
  long double gain;         /* sum <gbar_t, w_t> */
  long double sum[DIM];     /* sum gbar_t */
  long double squares[DIM]; /* sum of squares, per coordinate */
  double w[DIM];
};

static struct tally play(const char *spec, const tacit_learner_facts *facts,
                         enum sequence sequence, double bound, double scale) {
  struct tally tally = {0};
  draw source = {(uint64_t)sequence + 17};
  tacit_learner *learner = learner_of(spec, facts);
  double grad[DIM], scaled[DIM], x[DIM] = {0}, horizon = 0;
  for (int64_t t = 1; t <= ROUNDS; ++t) {
    next_gradient(sequence, &source, t, tally.w, bound, grad);
    long double beta = powl((long double)t, (long double)facts->power);
    for (size_t i = 0; i < DIM; ++i) {
      long double g = beta * (long double)grad[i];
      tally.gain += g * (long double)tally.w[i];
      tally.sum[i] += g;
      tally.squares[i] += g * g;
      scaled[i] = scale * grad[i];
    }
    tacit_learner_loss loss = loss_of(t, facts->power, scaled, x, horizon);
    horizon = loss.horizon;
    tacit_learner_step(learner, &loss, tally.w);
    assert_true(tacit_domain_contains(facts, tally.w, 1e-12));
  }
  tacit_learner_free(learner);
  return tally;
}

/* Against the best fixed point of W. */
static double regret_of(const struct tally *tally, const tacit_learner_facts *facts) {
  long double best = 0;
  for (size_t i = 0; i < DIM; ++i)
    best += facts->domain == TACIT_DOMAIN_BOX ? fabsl(tally->sum[i])
                                              : tally->sum[i] * tally->sum[i];
  if (facts->domain == TACIT_DOMAIN_BALL) best = sqrtl(best);
  return (double)(tally->gain + (long double)facts->radius * best);
}

static double root_of_squares(const struct tally *tally) {
  long double sum = 0;
  for (size_t i = 0; i < DIM; ++i)
    sum += tally->squares[i];
  return (double)sqrtl(sum);
}

static const double powers[] = {0, 2};

static void adagrad_norm_keeps_its_regret_bound(void **state) {
  (void)state;
  double most = 0;
  for (size_t d = 0; d < 2; ++d) {
    for (size_t k = 0; k < 2; ++k) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_of(domains[d], powers[k], 1.5);
        double diameter = tacit_domain_diameter(&facts);
        char spec[64];
        (void)snprintf(spec, sizeof spec, "adagrad:eta=%.17g", diameter / sqrt(2));
        struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
        double limit = sqrt(2) * diameter * root_of_squares(&tally);
        CHECK_AT_MOST(regret_of(&tally, &facts), limit);
        most = fmax(most, regret_of(&tally, &facts) / limit);
      }
    }
  }
  assert_true(most > 0.2); /* the sequences are hard enough to say something */
}

static void diagonal_adagrad_keeps_its_regret_bound_on_a_box(void **state) {
  (void)state;
  double most = 0;
  for (size_t k = 0; k < 2; ++k) {
    for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
      tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BOX, powers[k], 1.5);
      const double width = 3, eta = width / sqrt(2);
      char spec[64];
      (void)snprintf(spec, sizeof spec, "adagrad-diag:eta=%.17g", eta);
      struct tally tally = play(spec, &facts, (enum sequence)sequence, 2, 1);
      double roots = 0;
      for (size_t i = 0; i < DIM; ++i)
        roots += (double)sqrtl(tally.squares[i]);
      double limit = (width * width / (2 * eta) + eta) * roots;
      CHECK_AT_MOST(regret_of(&tally, &facts), limit);
      most = fmax(most, regret_of(&tally, &facts) / limit);
    }
  }
  assert_true(most > 0.2);
}

/* Constant step: D^2/(2 eta) + (eta/2) sum |gbar|^2. Power step: D^2/(2 eta_T) +
   (1/2) sum eta_t |gbar_t|^2, here with |gbar_t| <= beta_t Ghat; the leading term is
   D Ghat T^{k+1/2}/sqrt(k+1/2). */
static void osd_keeps_its_regret_bounds(void **state) {
  (void)state;
  double most = 0;
  for (size_t d = 0; d < 2; ++d) {
    for (size_t k = 0; k < 2; ++k) {
      for (int sequence = 0; sequence < N_SEQUENCES; ++sequence) {
        tacit_learner_facts facts = facts_of(domains[d], powers[k], 1.5);
        double D = tacit_domain_diameter(&facts), G = facts.grad_bound;
        double half = powers[k] + 0.5, betas = 0, steps = 0;
        for (int t = 1; t <= ROUNDS; ++t) {
          betas += pow(t, 2 * powers[k]);
          steps += pow(t, powers[k] - 0.5);
        }
        struct tally constant =
            play("osd:power=0", &facts, (enum sequence)sequence, G, 1);
        double eta = D / (G * sqrt(betas)), root = root_of_squares(&constant);
        double limit = D * D / (2 * eta) + eta / 2 * root * root;
        CHECK_AT_MOST(regret_of(&constant, &facts), limit);
        CHECK_AT_MOST(limit, D * G * sqrt(betas) * (1 + 1e-9));
        most = fmax(most, regret_of(&constant, &facts) / limit);

        struct tally power = play("osd", &facts, (enum sequence)sequence, G, 1);
        limit = D * G * pow(ROUNDS, half) / (2 * sqrt(half)) +
                D * G * sqrt(half) / 2 * steps;
        CHECK_RELATIVE(limit, D * G * pow(ROUNDS, half) / sqrt(half), 0.03);
        CHECK_AT_MOST(regret_of(&power, &facts), limit);
        most = fmax(most, regret_of(&power, &facts) / limit);
      }
    }
  }
  assert_true(most > 0.2);
}

/* The same learners as MATH writes them, with the weights t^k in place. */
struct direct {
  long double L, S, Q, V, betas; /* betas: sum of beta_i^2 over the whole run */
  long double theta[DIM], squares[DIM];
};

static void direct_step(const char *spec, const tacit_learner_facts *facts, int t,
                        const double *grad, struct direct *self, double *w) {
  long double k = (long double)facts->power, beta = powl((long double)t, k);
  long double g[DIM], square = 0, dot = 0,
                      D = (long double)tacit_domain_diameter(facts);
  long double G = (long double)facts->grad_bound, next[DIM];
  for (size_t i = 0; i < DIM; ++i) {
    g[i] = beta * (long double)grad[i];
    square += g[i] * g[i];
    dot += g[i] * (long double)w[i];
    self->squares[i] += g[i] * g[i];
    self->theta[i] -= g[i];
  }
  self->V += square;
  self->L = fmaxl(self->L, sqrtl(square));
  self->S += sqrtl(square);
  self->Q = fmaxl(self->Q - dot, 0);
  for (int i = 1; t == 1 && i <= ROUNDS; ++i)
    self->betas += powl((long double)i, 2 * k);
  for (size_t i = 0; i < DIM; ++i) {
    long double last = (long double)w[i];
    if (strcmp(spec, "kt") == 0)
      next[i] =
          self->theta[i] * (self->L * 10 + self->Q) / (self->L * (self->L + self->S));
    else if (strcmp(spec, "adagrad") == 0)
      next[i] = last - 0.4L * sqrtl(DIM) / sqrtl(self->V) * g[i];
    else if (strcmp(spec, "adagrad-diag") == 0)
      next[i] = last - 0.4L / sqrtl(self->squares[i]) * g[i];
    else if (strcmp(spec, "osd") == 0)
      next[i] =
          last - D * sqrtl(k + 0.5L) / (G * powl((long double)t, k + 0.5L)) * g[i];
    else
      next[i] = last - D / (G * sqrtl(self->betas)) * g[i];
  }
  long double size = 0;
  for (size_t i = 0; i < DIM; ++i)
    size += next[i] * next[i];
  size = sqrtl(size);
  long double r = (long double)facts->radius;
  for (size_t i = 0; i < DIM; ++i) {
    if (facts->domain == TACIT_DOMAIN_BOX)
      next[i] = fminl(fmaxl(next[i], -r), r);
    else if (size > r)
      next[i] *= r / size;
    w[i] = (double)next[i];
  }
}

static void normalised_form_equals_the_direct_one(void **state) {
  (void)state;
  static const char *const specs[] = {"kt", "adagrad", "adagrad-diag", "osd",
                                      "osd:power=0"};
  static const enum sequence sequences[] = {RANDOM, ADVERSARIAL, DRIFTING, RANDOM};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    for (size_t d = 0; d < 2; ++d) {
      tacit_learner_facts facts = facts_of(domains[d], 3, s == 0 ? 8 : 2.5);
      tacit_learner *learner = learner_of(specs[s], &facts);
      struct direct direct = {0};
      draw source = {23};
      double w[DIM] = {0}, v[DIM] = {0}, grad[DIM], x[DIM] = {0}, horizon = 0;
      int at_edge = 0;
      for (int t = 1; t <= ROUNDS; ++t) {
        next_gradient(sequences[t * 4 / (ROUNDS + 1)], &source, t, w, 2, grad);
        tacit_learner_loss loss = loss_of(t, 3, grad, x, horizon);
        horizon = loss.horizon;
        tacit_learner_step(learner, &loss, w);
        direct_step(specs[s], &facts, t, grad, &direct, v);
        double difference[DIM];
        for (size_t i = 0; i < DIM; ++i)
          difference[i] = w[i] - v[i];
        /* the adversary drives w towards 0, where sums cancel: hence the floor */
        CHECK_AT_MOST(draw_norm(difference, DIM), 1e-9 * fmax(draw_norm(v, DIM), 1e-3));
        at_edge += !tacit_domain_contains(&facts, w, -1e-9);
      }
      assert_true(at_edge > 0 && at_edge < ROUNDS); /* both branches were compared */
      tacit_learner_free(learner);
    }
  }
}

static void scale_free_learners_do_not_see_the_scale(void **state) {
  (void)state;
  static const char *const specs[] = {"kt", "adagrad", "adagrad-diag"};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    for (size_t d = 0; d < 2; ++d) {
      for (int sequence = RANDOM; sequence <= DRIFTING; ++sequence) {
        tacit_learner_facts facts = facts_of(domains[d], 2, 30);
        struct tally one = play(specs[s], &facts, (enum sequence)sequence, 2, 1);
        struct tally large = play(specs[s], &facts, (enum sequence)sequence, 2, 1e6);
        assert_true(draw_norm(one.w, DIM) > 1e-3);
        for (size_t i = 0; i < DIM; ++i)
          CHECK_WITHIN(large.w[i], one.w[i], 1e-9 * draw_norm(one.w, DIM));
      }
    }
  }
}

static void first_steps_are_known(void **state) {
  (void)state;
  tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 100);
  double grad[DIM] = {3, 0, 0, -4}, x[DIM] = {0};
  tacit_learner_loss loss = loss_of(1, 2, grad, x, 0);
  double betas = 0;
  for (int t = 1; t <= ROUNDS; ++t)
    betas += pow(t, 4);
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

/* A run too long to add up its weights one by one takes them from a formula. */
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
    tacit_learner_loss loss = {facts.rounds, grad, 1, 1, x};
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
    tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 1);
    tacit_learner *learner = learner_of(spec, &facts);
    double w[DIM] = {0}, x[DIM] = {0}, grad[DIM] = {0}, horizon = 0;
    for (int t = 1; t <= 50; ++t) {
      tacit_learner_loss loss = loss_of(t, 2, grad, x, horizon);
      horizon = loss.horizon;
      tacit_learner_step(learner, &loss, w);
      for (size_t i = 0; i < DIM; ++i)
        assert_true(w[i] == 0);
    }
    grad[2] = 1e-3; /* and wakes up when something comes */
    for (int t = 51; t <= 60; ++t) {
      tacit_learner_loss loss = loss_of(t, 2, grad, x, horizon);
      horizon = loss.horizon;
      tacit_learner_step(learner, &loss, w);
    }
    assert_true(w[2] < 0 && w[0] == 0);
    memset(grad, 0, sizeof grad); /* and stays finite when it stops */
    for (int t = 61; t <= ROUNDS; ++t) {
      tacit_learner_loss loss = loss_of(t, 2, grad, x, horizon);
      horizon = loss.horizon;
      tacit_learner_step(learner, &loss, w);
    }
    assert_true(w[2] <= 0 && w[2] >= -1 && w[0] == 0);
    tacit_learner_free(learner);
  }
}

static void any_size_of_gradient_keeps_w_finite(void **state) {
  (void)state;
  static const double sizes[] = {1e300, 1e160, 1e8, 1, 1e-8, 1e-160, 1e-300, 5e-324};
  enum { N_SIZES = sizeof sizes / sizeof *sizes };
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    for (size_t d = 0; d < 2; ++d) {
      for (size_t mode = 0; mode <= N_SIZES; ++mode) {
        tacit_learner_facts facts = facts_of(domains[d], 2, 100);
        tacit_learner *learner = learner_of(spec, &facts);
        draw source = {29};
        double w[DIM] = {0}, x[DIM] = {0}, grad[DIM], horizon = 0;
        for (int t = 1; t <= 64; ++t) {
          /* the last mode mixes the sizes */
          double size = sizes[mode < N_SIZES ? mode : draw_word(&source) % N_SIZES];
          for (size_t i = 0; i < DIM; ++i)
            grad[i] = size * draw_uniform(&source, -1, 1.5);
          tacit_learner_loss loss = loss_of(t, 2, grad, x, horizon);
          horizon = loss.horizon;
          tacit_learner_step(learner, &loss, w);
          assert_true(tacit_domain_contains(&facts, w, 1e-12));
        }
        int scale_free = strncmp(spec, "osd", 3) != 0;
        if (scale_free && mode < N_SIZES) assert_true(draw_norm(w, DIM) > 1e-2);
        tacit_learner_free(learner);
      }
    }
  }
}

static void the_same_gradients_give_the_same_bits(void **state) {
  (void)state;
  const char *spec;
  for (size_t s = 0; (spec = spec_at(s)) != NULL; ++s) {
    tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 3);
    struct tally one = play(spec, &facts, DRIFTING, 2, 1);
    struct tally two = play(spec, &facts, DRIFTING, 2, 1);
    assert_memory_equal(one.w, two.w, sizeof one.w);
    struct tally other = play(spec, &facts, RANDOM, 2, 1);
    assert_memory_not_equal(one.w, other.w, sizeof one.w);
  }
}

static void registry_is_well_formed(void **state) {
  (void)state;
  size_t n = 0;
  for (; tacit_learner_at(n) != NULL; ++n) {
    const tacit_learner_ops *ops = tacit_learner_at(n);
    assert_int_equal(ops->version, 1);
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
        tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 3);
        tacit_error err;
        tacit_learner *learner = NULL;
        assert_int_equal(tacit_learner_new(spec, &facts, &learner, &err),
                         j < 2 ? TACIT_OK : TACIT_EINVAL);
        assert_true((learner != NULL) == (j < 2));
        tacit_learner_free(learner);
      }
    }
  }
  assert_int_equal(n, 4);
  assert_string_equal(tacit_learner_at(0)->name, "kt"); /* the default */
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
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  tacit_error err;
  tacit_learner *learner = NULL;
  const tacit_learner_facts good = facts_of(TACIT_DOMAIN_BALL, 2, 3);
  assert_int_equal(tacit_learner_new("sgd", &good, &learner, &err), TACIT_EINVAL);
  assert_string_equal(err.message, "unknown learner \"sgd\"; there are: kt, adagrad, "
                                   "adagrad-diag, osd");
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
  bad[6].domain = (tacit_domain)2;
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

/* Follows the last gradient only, and counts its steps in a vector. */
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
      cmocka_unit_test(first_steps_are_known),
      cmocka_unit_test(normalised_form_equals_the_direct_one),
      cmocka_unit_test(adagrad_norm_keeps_its_regret_bound),
      cmocka_unit_test(diagonal_adagrad_keeps_its_regret_bound_on_a_box),
      cmocka_unit_test(osd_keeps_its_regret_bounds),
      cmocka_unit_test(constant_step_of_a_long_run),
      cmocka_unit_test(scale_free_learners_do_not_see_the_scale),
      cmocka_unit_test(zero_gradients_do_not_move),
      cmocka_unit_test(any_size_of_gradient_keeps_w_finite),
      cmocka_unit_test(the_same_gradients_give_the_same_bits),
      cmocka_unit_test(derived_numbers_can_be_read),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(a_users_table_is_checked_and_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
