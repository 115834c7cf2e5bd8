/* SPDX-License-Identifier: MIT */
/* Runs of learners: gradients of several kinds, the loss that algorithm1/ would pass,
   and the sums over a run with the true weights beta_t = t^k. */
#ifndef TACIT_TESTS_CONTRACT_LEARNERS_PLAY_H
#define TACIT_TESTS_CONTRACT_LEARNERS_PLAY_H

#include "check.h"

#include "contract/draw.h"
#include "learner/learner.h"
#include "norm/domain.h"

enum { DIM = 7, ROUNDS = 1000 };

/* A set W and the norm of the run. */
struct arena {
  tacit_domain domain;
  double norm;
};
static const struct arena arenas[] = {
    {TACIT_DOMAIN_BALL, 0},      {TACIT_DOMAIN_BOX, 2},    {TACIT_DOMAIN_SIMPLEX, 0},
    {TACIT_DOMAIN_BALL, 1.5},    {TACIT_DOMAIN_BALL, 1.2}, {TACIT_DOMAIN_BOX, 1.3},
    {TACIT_DOMAIN_SIMPLEX, 1.5},
};
enum { N_ARENAS = sizeof arenas / sizeof *arenas, N_ARENAS_L2 = 3 };
static const double powers[] = {0, 2};

static inline tacit_learner_facts facts_in(struct arena arena, double power,
                                           double radius) {
  return (tacit_learner_facts){.dim = DIM,
                               .rounds = ROUNDS,
                               .power = power,
                               .grad_bound = 2,
                               .domain = arena.domain,
                               .radius = radius,
                               .norm = arena.norm,
                               .noisy_bound = 2,
                               .strong = 0.5};
}

static inline tacit_learner_facts facts_of(tacit_domain domain, double power,
                                           double radius) {
  return facts_in((struct arena){domain, 2}, power, radius);
}

/* NULL if the learner refuses the arena, which must be for a known reason. */
static inline tacit_learner *learner_or_null(const char *spec,
                                             const tacit_learner_facts *facts) {
  tacit_error err;
  tacit_learner *learner = NULL;
  tacit_status status = tacit_learner_new(spec, facts, &learner, &err);
  if (status == TACIT_EPRIVACY) {
    assert_null(learner);
    assert_non_null(strstr(err.message, "use domain"));
    return NULL;
  }
  if (status != TACIT_OK) fail_msg("%s: %s", spec, err.message);
  return learner;
}

static inline tacit_learner *learner_of(const char *spec,
                                        const tacit_learner_facts *facts) {
  tacit_learner *learner = learner_or_null(spec, facts);
  assert_non_null(learner);
  return learner;
}

/* The loss of round t as algorithm1/ passes it. */
static inline tacit_learner_loss loss_of(int64_t t, double power, const double *grad,
                                         const double *x, double horizon_last) {
  double ratio = t == 1 ? 0 : exp(power * log1p(-1 / (double)t));
  return (tacit_learner_loss){.t = t,
                              .grad = grad,
                              .ratio = ratio,
                              .horizon = 1 + ratio * horizon_last,
                              .x = x};
}

/* A learner with what algorithm1/ keeps: w_t, the average x_t and the weights. */
struct player {
  tacit_learner *learner;
  int64_t t;
  double power, horizon;
  double w[DIM], x[DIM];
};

static inline struct player player_of(const char *spec,
                                      const tacit_learner_facts *facts) {
  struct player player = {.learner = learner_of(spec, facts), .power = facts->power};
  tacit_learner_first(player.learner, player.w);
  return player;
}

/* Round t with gbar_t/beta_t = grad, with a regulariser. */
static inline void player_move(struct player *player, const double *grad, double xi,
                               double nu) {
  double last = player->horizon;
  tacit_learner_loss loss = loss_of(++player->t, player->power, grad, player->x, last);
  loss.xi = xi;
  loss.nu = nu;
  player->horizon = loss.horizon;
  for (size_t i = 0; i < DIM; ++i)
    player->x[i] += (player->w[i] - player->x[i]) / loss.horizon;
  tacit_learner_step(player->learner, &loss, player->w);
}

/* Kinds of gradients, divided by beta_t, of Euclidean norm at most `bound`. */
enum sequence { RANDOM, DRIFTING, ADVERSARIAL, SWITCHING, N_SEQUENCES };

static inline void next_gradient(enum sequence sequence, draw *source, int64_t t,
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
  case ADVERSARIAL: /* always against the learner's w */
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

/* Sums over a run. */
struct tally {
  long double gain;        /* sum <gbar_t, w_t> */
  long double sum[DIM];    /* sum gbar_t */
  long double each[DIM];   /* sum of squares, per coordinate */
  long double squares;     /* sum |gbar_t|_q^2 */
  long double squares_l2;  /* sum |gbar_t|_2^2 */
  long double squares_max; /* sum |gbar_t|_inf^2 */
  long double misses;      /* sum |gbar_t - gbar_{t-1}|_q^2 */
  long double lengths;     /* sum |gbar_t|_2 */
  double w[DIM];
};

static inline void tally_add(struct tally *tally, const tacit_learner_facts *facts,
                             long double beta, long double beta_last,
                             const double *grad, const double *last) {
  double q = tacit_norm_dual(tacit_domain_norm(facts)), missed[DIM];
  long double ratio = beta_last / beta;
  for (size_t i = 0; i < DIM; ++i) {
    long double g = beta * (long double)grad[i];
    tally->gain += g * (long double)tally->w[i];
    tally->sum[i] += g;
    tally->each[i] += g * g;
    missed[i] = (double)((long double)grad[i] - ratio * (long double)last[i]);
  }
  long double size = beta * (long double)tacit_norm_lp(NULL, grad, DIM, q);
  long double size_l2 = beta * (long double)draw_norm(grad, DIM);
  long double size_max = beta * (long double)tacit_norm_max(NULL, grad, DIM);
  long double miss = beta * (long double)tacit_norm_lp(NULL, missed, DIM, q);
  tally->squares += size * size;
  tally->squares_l2 += size_l2 * size_l2;
  tally->squares_max += size_max * size_max;
  tally->misses += miss * miss;
  tally->lengths += size_l2;
}

/* The learner gets the gradients times `scale`; the tally is without it. */
static inline struct tally play(const char *spec, const tacit_learner_facts *facts,
                                enum sequence sequence, double bound, double scale) {
  struct tally tally = {0};
  draw source = {(uint64_t)sequence + 17};
  struct player player = player_of(spec, facts);
  double grad[DIM], scaled[DIM], last[DIM] = {0};
  for (int64_t t = 1; t <= ROUNDS; ++t) {
    memcpy(tally.w, player.w, sizeof tally.w);
    next_gradient(sequence, &source, t, player.w, bound, grad);
    long double k = (long double)facts->power;
    tally_add(&tally, facts, powl((long double)t, k),
              t > 1 ? powl((long double)(t - 1), k) : 0, grad, last);
    memcpy(last, grad, sizeof last);
    for (size_t i = 0; i < DIM; ++i)
      scaled[i] = scale * grad[i];
    player_move(&player, scaled, 0, 0);
    assert_true(tacit_domain_contains(NULL, facts, player.w, 1e-12));
  }
  memcpy(tally.w, player.w, sizeof tally.w);
  tacit_learner_free(player.learner);
  return tally;
}

/* The regret against the best fixed point of W. */
static inline double regret_of(const struct tally *tally,
                               const tacit_learner_facts *facts) {
  double sum[DIM], min = INFINITY;
  for (size_t i = 0; i < DIM; ++i) {
    sum[i] = (double)tally->sum[i];
    min = fmin(min, sum[i]);
  }
  double gain = (double)tally->gain;
  if (facts->domain == TACIT_DOMAIN_SIMPLEX) return gain - min;
  double q =
      facts->domain == TACIT_DOMAIN_BOX ? 1 : tacit_norm_dual(tacit_domain_norm(facts));
  return gain + facts->radius * tacit_norm_lp(NULL, sum, DIM, q);
}

#endif
