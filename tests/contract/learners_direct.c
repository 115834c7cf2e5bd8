/* SPDX-License-Identifier: MIT */
/* Compares the learners, which keep everything divided by beta_t, with their textbook
   form: with weights t^k and plain sums, in long double. */
#include "contract/learners_play.h"

typedef long double real;

struct direct {
  const char *name;
  const tacit_learner_facts *facts;
  double w[DIM], x[DIM];
  real betas, betas_squared; /* sums of beta_i up to now, of beta_i^2 over the run */
  real L, S, Q, V, A, bet, lengths;
  real sum[DIM], squares[DIM], last[DIM], y[DIM], bets[DIM];
};

static real norm_of(const real *v, real p) {
  real sum = 0, max = 0;
  for (size_t i = 0; i < DIM; ++i)
    max = fmaxl(max, fabsl(v[i]));
  for (size_t i = 0; i < DIM && max > 0; ++i)
    sum += powl(fabsl(v[i]) / max, p);
  return max * powl(sum, 1 / p);
}

static real dot_of(const real *a, const real *b) {
  real sum = 0;
  for (size_t i = 0; i < DIM; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Gradient of |v|_p^2/2. */
static void mirror_of(const real *v, real p, real *out) {
  real norm = norm_of(v, p), copy[DIM];
  memcpy(copy, v, sizeof copy);
  for (size_t i = 0; i < DIM; ++i)
    out[i] =
        norm > 0 ? copysignl(powl(fabsl(copy[i]) / norm, p - 1) * norm, copy[i]) : 0;
}

/* Projects to W: by scaling for balls, as mirror descent needs; otherwise Euclidean. */
static void into(const tacit_learner_facts *facts, real *v) {
  real r = (real)facts->radius, p = (real)tacit_domain_norm(facts);
  if (facts->domain == TACIT_DOMAIN_SIMPLEX) {
    real low = -1e6L, high = 1e6L;
    for (int i = 0; i < 200; ++i) { /* the threshold, by bisection */
      real tau = (low + high) / 2, sum = 0;
      for (size_t j = 0; j < DIM; ++j)
        sum += fmaxl(v[j] - tau, 0);
      if (sum > 1)
        low = tau;
      else
        high = tau;
    }
    for (size_t j = 0; j < DIM; ++j)
      v[j] = fmaxl(v[j] - low, 0);
    return;
  }
  real size = norm_of(v, p);
  for (size_t i = 0; i < DIM; ++i)
    if (facts->domain == TACIT_DOMAIN_BOX)
      v[i] = fminl(fmaxl(v[i], -r), r);
    else if (size > r)
      v[i] *= r / size;
}

static int is(const struct direct *self, const char *name) {
  return strcmp(self->name, name) == 0;
}

/* Learners that compute w from the last w: kt, adagrad, adagrad-diag, osd,
   strongly-convex. */
static void descend(struct direct *self, int t, const real *g, real beta, real *w) {
  real k = (real)self->facts->power, D = (real)tacit_domain_diameter(self->facts);
  real G = (real)self->facts->grad_bound, mu = (real)self->facts->strong;
  self->V += dot_of(g, g);
  self->L = fmaxl(self->L, norm_of(g, 2));
  self->S += norm_of(g, 2);
  self->Q = fmaxl(self->Q - dot_of(g, w), 0);
  for (size_t i = 0; i < DIM; ++i) {
    self->sum[i] += g[i];
    self->squares[i] += g[i] * g[i];
    if (is(self, "kt"))
      w[i] = -self->sum[i] * (self->L * 10 + self->Q) / (self->L * (self->L + self->S));
    else if (is(self, "adagrad"))
      w[i] -= 0.4L * sqrtl(DIM) / sqrtl(self->V) * g[i];
    else if (is(self, "adagrad-diag"))
      w[i] -= 0.4L / sqrtl(self->squares[i]) * g[i];
    else if (is(self, "osd"))
      w[i] -= D * sqrtl(k + 0.5L) / (G * powl((real)t, k + 0.5L)) * g[i];
    else if (is(self, "osd:power=0"))
      w[i] -= D / (G * sqrtl(self->betas_squared)) * g[i];
    else /* strongly-convex: a step 1/sum mu_i on gbar + (beta mu/2)(w - x) */
      w[i] -=
          2 / (mu * self->betas) * (g[i] + beta * mu / 2 * (w[i] - (real)self->x[i]));
  }
  into(self->facts, w);
}

/* The mirror learners: omd and ftrl, with and without hints, with eta = 0.7; and eg. */
static void reflect(struct direct *self, const real *g, real *w) {
  int hinted = strstr(self->name, "optimistic") != NULL;
  real p = (real)tacit_domain_norm(self->facts), q = p / (p - 1), missed[DIM], y[DIM];
  for (size_t i = 0; i < DIM; ++i)
    missed[i] = g[i] - (hinted ? self->last[i] : 0);
  real size = is(self, "eg:eta=0.7") ? 0 : norm_of(missed, q), total = 0;
  for (size_t i = 0; i < DIM && is(self, "eg:eta=0.7"); ++i)
    size = fmaxl(size, fabsl(g[i]));
  self->V += size * size;
  real eta = 0.7L / sqrtl(self->V);
  for (size_t i = 0; i < DIM; ++i)
    self->sum[i] += g[i];
  if (is(self, "eg:eta=0.7")) {
    for (size_t i = 0; i < DIM; ++i)
      total += w[i] = expl(-eta * self->sum[i]);
    for (size_t i = 0; i < DIM; ++i)
      w[i] /= total;
    return;
  }
  if (strstr(self->name, "ftrl") != NULL) {
    for (size_t i = 0; i < DIM; ++i)
      y[i] = -eta * (self->sum[i] + (hinted ? g[i] : 0));
    mirror_of(y, q, w);
    into(self->facts, w);
  } else {
    mirror_of(self->y, p, y);
    for (size_t i = 0; i < DIM; ++i)
      y[i] -= eta * g[i];
    mirror_of(y, q, self->y);
    into(self->facts, self->y);
    memcpy(w, self->y, sizeof self->y);
    if (hinted) {
      mirror_of(self->y, p, y);
      for (size_t i = 0; i < DIM; ++i)
        y[i] -= eta * g[i];
      mirror_of(y, q, w);
      into(self->facts, w);
    }
  }
  memcpy(self->last, g, sizeof self->last);
}

/* The bettors: coin-kt, coin-ons, freegrad with e0 = 2 and L = beta_T Ghat; they use
   gtilde in place of g. */
static void gamble(struct direct *self, const real *grad, real *w) {
  real L = powl(ROUNDS, (real)self->facts->power) * (real)self->facts->noisy_bound;
  real g[DIM], gap[DIM], along = 0, e0 = 2;
  for (size_t i = 0; i < DIM; ++i)
    gap[i] = self->bets[i] - w[i];
  real distance = norm_of(gap, 2);
  if (distance > 1e-12L) along = fminl(dot_of(grad, gap) / distance, 0);
  for (size_t i = 0; i < DIM; ++i)
    g[i] = grad[i] - (along < 0 ? along * gap[i] / distance : 0);
  self->Q -= dot_of(g, self->bets) / L; /* the gain, in units of L */
  self->V += dot_of(g, g);
  self->lengths += norm_of(g, 2);
  for (size_t i = 0; i < DIM; ++i)
    self->sum[i] += g[i];
  real c = dot_of(g, self->y) / L, z = c / (1 - self->bet * c);
  self->A += z * z;
  self->bet -= 2 * z / ((2 - logl(3)) * (1 + self->A));
  self->bet = fminl(fmaxl(self->bet, -0.5L), 0.5L);
  for (size_t i = 0; i < DIM; ++i)
    self->y[i] -= sqrtl(2) / sqrtl(self->V) * g[i];
  real size = norm_of(self->y, 2);
  for (size_t i = 0; i < DIM && size > 1; ++i)
    self->y[i] /= size;
  real q = norm_of(self->sum, 2), V = L * L + self->V, both = V + L * q;
  for (size_t i = 0; i < DIM; ++i) {
    if (is(self, "coin-kt:e0=2"))
      w[i] = -self->sum[i] / (L + self->lengths) * (e0 + self->Q);
    else if (is(self, "coin-ons:e0=2"))
      w[i] = self->bet * (e0 + self->Q) * self->y[i];
    else
      w[i] = -e0 * self->sum[i] * (both + V) * L * L / (2 * both * both * sqrtl(V)) *
             expl(q * q / (2 * both));
    self->bets[i] = w[i];
  }
  into(self->facts, w);
}

static void direct_step(struct direct *self, int t, const double *grad) {
  real beta = powl((real)t, (real)self->facts->power), g[DIM], w[DIM];
  self->betas += beta;
  for (int i = 1; t == 1 && i <= ROUNDS; ++i)
    self->betas_squared += powl((real)i, 2 * (real)self->facts->power);
  for (size_t i = 0; i < DIM; ++i) {
    g[i] = beta * (real)grad[i];
    w[i] = (real)self->w[i];
    self->x[i] += (double)(beta / self->betas * (w[i] - (real)self->x[i]));
  }
  if (strstr(self->name, "omd") != NULL || strstr(self->name, "ftrl") != NULL ||
      strstr(self->name, "eg:") != NULL)
    reflect(self, g, w);
  else if (strstr(self->name, "coin") != NULL || strstr(self->name, "free") != NULL)
    gamble(self, g, w);
  else
    descend(self, t, g, beta, w);
  for (size_t i = 0; i < DIM; ++i)
    self->w[i] = (double)w[i];
}

static void compare(const char *spec, const tacit_learner_facts *facts) {
  static const enum sequence sequences[] = {RANDOM, ADVERSARIAL, DRIFTING, RANDOM};
  struct player player = player_of(spec, facts);
  struct direct direct = {.name = spec, .facts = facts};
  for (size_t i = 0; i < DIM; ++i) {
    direct.w[i] = player.w[i];
    if (facts->domain == TACIT_DOMAIN_SIMPLEX && strstr(spec, "omd") != NULL)
      direct.y[i] = (real)player.w[i];
  }
  draw source = {23};
  double grad[DIM], difference[DIM];
  int at_edge = 0;
  for (int t = 1; t <= ROUNDS; ++t) {
    next_gradient(sequences[t * 4 / (ROUNDS + 1)], &source, t, player.w, 2, grad);
    player_move(&player, grad, 0, 0);
    direct_step(&direct, t, grad);
    for (size_t i = 0; i < DIM; ++i)
      difference[i] = player.w[i] - direct.w[i];
    /* the adversary moves w to 0, where sums cancel: so the tolerance has a minimum */
    CHECK_AT_MAX(draw_norm(difference, DIM),
                 1e-9 * fmax(draw_norm(direct.w, DIM), 1e-3));
    at_edge += !tacit_domain_contains(NULL, facts, player.w, -1e-9);
  }
  /* both branches were compared */
  if (facts->domain != TACIT_DOMAIN_SIMPLEX)
    assert_true(at_edge > 0 && at_edge < ROUNDS);
  tacit_learner_free(player.learner);
}

static void euclidean_learners(void **state) {
  (void)state;
  static const char *const specs[] = {
      "kt",          "adagrad",         "adagrad-diag", "osd",
      "osd:power=0", "strongly-convex", "omd:eta=0.7",  "optimistic-omd:eta=0.7"};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    for (size_t a = 0; a < N_ARENAS_L2; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 3, s == 0 ? 8 : 1.1);
      compare(specs[s], &facts);
    }
  }
}

static void mirror_learners(void **state) {
  (void)state;
  static const char *const specs[] = {"omd:eta=0.7", "optimistic-omd:eta=0.7",
                                      "ftrl:eta=0.7", "optimistic-ftrl:eta=0.7"};
  static const double norms[] = {2, 1.5, 1.2};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    for (size_t n = 0; n < 3; ++n) {
      tacit_learner_facts facts =
          facts_in((struct arena){TACIT_DOMAIN_BALL, norms[n]}, 3, 0.9);
      compare(specs[s], &facts);
    }
  }
  tacit_learner_facts simplex = facts_of(TACIT_DOMAIN_SIMPLEX, 3, 1);
  compare("eg:eta=0.7", &simplex);
  compare("ftrl:eta=0.7", &simplex);
}

static void coin_bettors(void **state) {
  (void)state;
  static const char *const specs[] = {"coin-kt:e0=2", "coin-ons:e0=2", "freegrad:e0=2"};
  for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s) {
    for (size_t a = 0; a < N_ARENAS_L2; ++a) {
      tacit_learner_facts facts = facts_in(arenas[a], 3, 2.5);
      compare(specs[s], &facts);
    }
  }
}

/* With lipschitz=1: everything is in units of the gradients, with h_t = beta_T max
   |g_i|/beta_i over i < t in place of L. The first gradient only sets h. W is so large
   that w never reaches its boundary. */
struct learnt {
  real h_first, h, wealth, lengths, V, A, v;
  real sum[DIM], y[DIM];
};

static void learnt_bet(const struct learnt *self, int which, real *w) {
  real h = self->h, q = norm_of(self->sum, 2), both = self->V + h * q;
  for (size_t i = 0; i < DIM; ++i) {
    if (which == 0)
      w[i] = -self->sum[i] / h / (1 + self->lengths) * self->wealth / h;
    else if (which == 1)
      w[i] = self->v * self->wealth * self->y[i];
    else
      w[i] = -2 * self->sum[i] * (both + self->V) * self->h_first * self->h_first /
             (2 * both * both * sqrtl(self->V)) * expl(q * q / (2 * both));
  }
}

static void learnt_step(struct learnt *self, int which, real beta, const double *grad,
                        real *w) {
  real g[DIM], last = powl(ROUNDS, 2), size = (real)draw_norm(grad, DIM);
  if (self->h > 0) {
    real cut = fminl(1, self->h / (last * size));
    for (size_t i = 0; i < DIM; ++i) {
      g[i] = beta * cut * (real)grad[i];
      self->sum[i] += g[i];
    }
    real s = dot_of(g, self->y), z = s / (1 - self->v * s);
    self->wealth -= dot_of(g, w);
    self->lengths += norm_of(g, 2) / self->h;
    self->V += dot_of(g, g);
    self->A += z * z;
    self->v -= 2 * z / ((2 - logl(3)) * self->A);
    for (size_t i = 0; i < DIM; ++i)
      self->y[i] -= sqrtl(2) / sqrtl(self->V - self->h_first * self->h_first) * g[i];
    real length = norm_of(self->y, 2);
    for (size_t i = 0; i < DIM && length > 1; ++i)
      self->y[i] /= length;
  } else {
    self->h_first = last * size;
    self->wealth = 2 * self->h_first;
    self->V = self->A = self->h_first * self->h_first;
  }
  self->h = fmaxl(self->h, last * size);
  self->v = fminl(fmaxl(self->v, -1 / (2 * self->h)), 1 / (2 * self->h));
  learnt_bet(self, which, w);
}

static void coin_bettors_that_learn_the_bound(void **state) {
  (void)state;
  static const char *const specs[] = {"coin-kt:e0=2,lipschitz=1",
                                      "coin-ons:e0=2,lipschitz=1",
                                      "freegrad:e0=2,lipschitz=1"};
  for (int which = 0; which < 3; ++which) {
    tacit_learner_facts facts = facts_of(TACIT_DOMAIN_BALL, 2, 1e9);
    struct player player = player_of(specs[which], &facts);
    struct learnt learnt = {0};
    draw source = {53};
    real w[DIM] = {0};
    double max = 0;
    for (int t = 1; t <= ROUNDS; ++t) {
      double grad[DIM], difference[DIM];
      double bound = 0.5 + 1.5 * t / ROUNDS; /* h grows slowly all the time */
      draw_direction(&source, DIM, bound, grad);
      if (t % 7 == 0) grad[0] = fabs(grad[0]); /* with a slight drift */
      player_move(&player, grad, 0, 0);
      learnt_step(&learnt, which, (real)t * t, grad, w);
      for (size_t i = 0; i < DIM; ++i)
        difference[i] = (double)((real)player.w[i] - w[i]);
      max = fmax(max, draw_norm(player.w, DIM));
      CHECK_AT_MAX(draw_norm(difference, DIM), 1e-9 * fmax(max, 1e-3));
    }
    assert_true(max > 0.1 && learnt.h > 2 * learnt.h_first);
    tacit_learner_free(player.learner);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(euclidean_learners),
      cmocka_unit_test(mirror_learners),
      cmocka_unit_test(coin_bettors),
      cmocka_unit_test(coin_bettors_that_learn_the_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
