/* SPDX-License-Identifier: MIT */
/*
 * Coin betting that knows the noise it is fed. The bets of `kt` grow with everything
 * that looks like luck, and the noise of a prefix sum looks like it: its rounds are
 * correlated. Their covariance is public, so it is taken out. With g = gbar_t, w = w_t
 * = c theta, m the number of weights, and v_g, v_s, v_x the noise of one coordinate in
 * g, in theta = -sum g_i, and between g and the theta before it:
 *
 *   |g|~^2 = max(|g|^2 - m v_g, 0) + extra sqrt(2m) v_g     the norm, and its error
 *   L = max |g|~,  S = sum |g|~
 *   Q = max(Q - <g, w> - c m v_x, 0)                        less what noise wins
 *   signal = max(|theta|^2 - m v_s, 0)
 *   c = signal / (signal + shrink sqrt(2m) v_s) (L e0 + Q) / (L (L + S)),
 *   w_{t+1} = P_W( c theta ),
 *
 * where c beta_{1:R}, the length of the bet on the mean gradient, is kept between two
 * public rules. With U, d, r of learner/signal.h and q the released mean squared slope
 * of the rows, which is q0 at the start and falls as the model learns,
 *
 *   least = min(tau grow, top),
 *   tau   = min(3 d^(1/4) U^(2/3) sqrt(0.8/q0) f, top),
 *   top   = cap max(1, f) U/r,  f = floor min(1, (d/786)^0.4), floor 1.5 or 0.5,
 *           for numbers tau is at least 0.35 U/r min(1, 100 kappa/(n mu))^(1/3),
 *   grow  = the largest max(1, 0.55 q0/q)^0.8 so far,
 *   most  = room ceiling U/r max(1, 124/d) sqrt(max(1, q0/q))
 *           sqrt(beta_{1:R}/beta_{1:t}),
 *   room  = 1 at first; in the second half of the rounds it grows by a tenth in every
 *           round with gradients above their noise, up to 6 (watch_gradients).
 *
 * Several outputs are compared with each other, so `most` is divided by sqrt(2) for
 * them. A longer bet only carries noise into the margins. ceiling is 0.7, for numbers
 * 3. q is a running mean. Without noise and rules it is `kt`. There is no regret
 * theorem for it; the constants were chosen on data (docs/theory.md). Everything is
 * kept divided by beta_t (tacit/learner.h). The regulariser is linearised
 * (learner/regulariser.h).
 */
#include <math.h>

#include "learner/regulariser.h"
#include "learner/signal.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct bettor {
  double e0, extra, shrink;
  double tau, top, ceiling; /* tau, top and ceiling of the head of this file; 0 if their
                               rule is off */
  double whole;             /* beta_{1:R} / beta_R */
  double L, S, Q;
  double bet; /* the size of the bet, c beta_t: w = bet theta */
  double q0, mean, q, grow;
  double excess, room;      /* excess: see watch_gradients; room: see the head of this
                               file */
  double window, grow_rate; /* window of the running mean of q; largest growth of `grow`
                               in a round */
};

enum { THETA, BUFFER, N_VECTORS };
enum { E0, EXTRA, SHRINK, FLOOR, CAP, CEILING, Q0, TAU };

static const tacit_param params[] = {
    {"e0", 1e-9, 1e9, 10, "initial wealth, in units of the largest gradient"},
    {"extra", 0, 100, 4, "standard errors added to a norm without its noise"},
    {"shrink", 0, 100, NAN,
     "standard errors of noise that halve the bet; default 0.7, 0.3 for numbers in "
     "several passes"},
    {"floor", 0, 100, NAN,
     "scale of the least bet; default 1.5, 0.5 where many inputs drown in noise"},
    {"cap", 1e-3, 1e3, 1.4, "largest least bet, in units of signal to noise"},
    {"ceiling", 0, 1e3, NAN,
     "scale of the largest bet; default 0.7, 3 for numbers; 0: none"},
    {"q0", 1e-3, 1, NAN,
     "mean squared slope at the start, over that of an even guess; default as "
     "released"},
    {"tau", 0, 1e12, NAN,
     "least bet; default from rows, passes, inputs and noise; 0: none"},
    {NULL, 0, 0, 0, NULL},
};

/* Returns beta_{1:R} / beta_R. Uses the first two terms of its expansion for more than
   a million rounds. */
static double whole_of(const tacit_learner_facts *facts) {
  double rounds = (double)facts->rounds, power = facts->power, whole = 0;
  if (rounds > 1e6) return rounds / (power + 1) + 0.5;
  for (int64_t t = 1; t <= facts->rounds; ++t)
    whole = 1 + exp(power * log1p(-1 / (double)t)) * whole;
  return whole;
}

/* Returns n mu / kappa: rows times budget, divided by 1 for adjacency zero-out or 2 for
   replace. */
static double clear_of(const tacit_learner_facts *facts) {
  return facts->grad_bound / facts->noise_once;
}

/* Returns the default of `floor`. It is smaller for two classes with at least `wide`
   inputs and n mu/kappa below faint sqrt(m), because a longer least bet would carry
   more noise than signal into the margins. */
static double floor_for(const tacit_learner_facts *facts, const tacit_signal *signal) {
  const double wide = 200, faint = 15;
  int alone = facts->outputs == 1 && !(facts->slope_unit > 0);
  return alone && signal->inputs >= wide &&
                 clear_of(facts) < faint * sqrt((double)facts->dim)
             ? 0.5
             : 1.5;
}

static void set_rules(struct bettor *bettor, const tacit_learner_facts *facts,
                      const tacit_signal *signal, double *values) {
  double scale = values[FLOOR] * fmin(1, pow(signal->inputs / 786, 0.4));
  double clear = signal->length * signal->ratio / signal->reach;
  double tau = 3 * sqrt(sqrt(signal->inputs)) * pow(signal->ratio, 2.0 / 3) *
               sqrt(0.8 / values[Q0]) * scale * signal->length;
  if (facts->slope_unit > 0) /* losses on numbers, whose spread round 0 has released */
    tau = fmax(tau, 0.35 * clear * fmin(1, cbrt(100 / clear_of(facts))));
  bettor->top = values[CAP] * clear * fmax(1, scale);
  bettor->ceiling = values[CEILING] * clear * fmax(1, 124 / signal->inputs) /
                    sqrt(facts->outputs > 1 ? 2 : 1);
  if (isnan(values[TAU])) values[TAU] = fmin(tau, bettor->top);
}

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct bettor *bettor = self;
  tacit_signal signal = tacit_signal_of(facts);
  int numbers = facts->slope_unit > 0;
  (void)err;
  if (isnan(values[Q0]))
    values[Q0] = facts->slope_start > 0 ? fmin(1, fmax(1e-3, facts->slope_start)) : 1;
  if (isnan(values[FLOOR])) values[FLOOR] = floor_for(facts, &signal);
  if (isnan(values[SHRINK])) values[SHRINK] = numbers && facts->passes != 1 ? 0.3 : 0.7;
  if (isnan(values[CEILING])) values[CEILING] = numbers ? 3 : 0.7;
  if (signal.ratio > 0) set_rules(bettor, facts, &signal, values);
  if (isnan(values[TAU])) values[TAU] = 0;
  bettor->e0 = values[E0] * (signal.ratio > 0 ? signal.weight : 1);
  bettor->extra = values[EXTRA];
  bettor->shrink = values[SHRINK];
  bettor->tau = values[TAU];
  bettor->top = fmax(bettor->top, bettor->tau);
  bettor->whole = whole_of(facts);
  bettor->q0 = bettor->mean = bettor->q = values[Q0];
  bettor->grow = bettor->room = 1;
  bettor->window = facts->passes == 1 ? 4 : 8;
  bettor->grow_rate = facts->passes == 1 ? 1.3 : 1.15;
  return TACIT_OK;
}

/* Updates the running mean of the released mean squared slope, and q, which is never
   below the noise of that release. */
static void watch_slopes(struct bettor *bettor, const tacit_learner_facts *facts,
                         const tacit_learner_loss *loss) {
  double even = facts->slope_even;
  if (!(even > 0) || isnan(loss->slope)) return;
  bettor->mean += (loss->slope / even - bettor->mean) / bettor->window;
  double least = fmax(0.005, loss->slope_std / even);
  bettor->q = fmin(bettor->q0, fmax(bettor->mean, least));
  double grow = pow(fmax(1, 0.55 * bettor->q0 / bettor->q), 0.8);
  bettor->grow = fmax(bettor->grow, fmin(grow, bettor->grow * bettor->grow_rate));
}

/* Measures whether the model is still moving. A squared gradient has three parts:
   signal, noise, and chance, because each batch has other rows. `excess` is a running
   mean of the signal, in standard errors of the noise. It falls to 0 when the model has
   settled. While it stays high, directions with little variance have not converged, and
   longer bets help. */
static void watch_gradients(struct bettor *bettor, const tacit_learner_facts *facts,
                            const tacit_learner_loss *loss, double size) {
  double m = (double)facts->dim, noise = loss->noise_grad, k = facts->power;
  double t = (double)loss->t, rounds = (double)facts->rounds;
  if (!(facts->slope_even > 0 && noise > 0 && facts->rows > 0) || isnan(loss->slope))
    return;
  double batch = (double)facts->rows * facts->passes / rounds;
  double square = bettor->q * facts->slope_even * facts->row_reach * facts->row_reach;
  double chance = square / batch * k * k / fmax(2 * k - 1, k) / t;
  double errors = (size * size - m * noise - chance) / (sqrt(2 * m) * noise);
  bettor->excess += (fmin(errors, 100) - bettor->excess) / 8;
  if (2 * t > rounds && bettor->excess > 3) bettor->room = fmin(6, 1.1 * bettor->room);
}

struct bet {
  const double *g;
  double *theta, *w, ratio, size;
};

/* Computes theta_t and returns the sum of its squares. */
static double theta_chunk(void *context, size_t first, size_t end) {
  const struct bet *bet = context;
  const double *g = bet->g;
  double *theta = bet->theta, ratio = bet->ratio, squares = 0;
  for (size_t i = first; i < end; ++i) {
    theta[i] = ratio * theta[i] - g[i];
    squares += theta[i] * theta[i];
  }
  return squares;
}

static double bet_chunk(void *context, size_t first, size_t end) {
  const struct bet *bet = context;
  for (size_t i = first; i < end; ++i)
    bet->w[i] = bet->theta[i] * bet->size;
  return 0;
}

/* Updates L, S and Q with a gradient of length `size` and the wealth `won` by the last
   bet. m is the number of weights. */
static void settle(struct bettor *bettor, const tacit_learner_loss *loss, double m,
                   double size, double won) {
  double noise = loss->noise_grad;
  if (noise > 0)
    size = sqrt(fmax(size * size - m * noise, 0) + bettor->extra * sqrt(2 * m) * noise);
  won -= bettor->bet * m * loss->noise_cross;
  bettor->L = fmax(loss->ratio * bettor->L, size);
  bettor->S = loss->ratio * bettor->S + size;
  bettor->Q = fmax(loss->ratio * bettor->Q + won, 0);
}

static double stake(const struct bettor *bettor, const tacit_learner_facts *facts,
                    const tacit_learner_loss *loss, double squares) {
  double m = (double)facts->dim, noise = loss->noise_sum, share = 1;
  if (noise > 0) {
    double signal = fmax(squares - m * noise, 0);
    double doubt = bettor->shrink * sqrt(2 * m) * noise;
    share = signal > 0 ? signal / (signal + doubt) : 0;
  }
  double bet = share * (bettor->e0 + bettor->Q / bettor->L) / (bettor->L + bettor->S);
  /* beta_{1:R} / beta_t */
  double whole =
      bettor->whole * exp(facts->power * log((double)facts->rounds / (double)loss->t));
  if (bettor->ceiling > 0) {
    double most = bettor->room * bettor->ceiling *
                  sqrt(fmax(1, bettor->q0 / bettor->q)) * sqrt(whole / loss->horizon);
    bet = fmin(bet, most / whole);
  }
  return fmax(bet, fmin(bettor->tau * bettor->grow, bettor->top) / whole);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct bettor *bettor = self;
  size_t dim = facts->dim;
  const double *g = tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  watch_slopes(bettor, facts, loss);
  double size = tacit_norm_l2(loss->pool, g, dim);
  watch_gradients(bettor, facts, loss, size);
  settle(bettor, loss, (double)dim, size, -tacit_norm_dot(loss->pool, g, w, dim));

  struct bet bet = {g, vectors[THETA], w, loss->ratio, 0};
  double squares = tacit_parallel_sum(loss->pool, dim, theta_chunk, &bet);
  if (bettor->L == 0) return; /* all gradients so far are zero */
  bettor->bet = bet.size = stake(bettor, facts, loss, squares);
  (void)tacit_parallel_sum(loss->pool, dim, bet_chunk, &bet);
  tacit_domain_project_on(loss->pool, facts, w);
  /* If the projection has shortened w, the bet is smaller than the stake. */
  if (squares > 0 && isfinite(squares))
    bettor->bet = tacit_norm_dot(loss->pool, w, vectors[THETA], dim) / squares;
}

/* Carries a deviation through the last step. The bet is released, so w = bet theta is
   linear in theta. */
static void carry(const void *self, const tacit_learner_facts *facts,
                  const tacit_learner_loss *loss, double *const *vectors, double *w) {
  const struct bettor *bettor = self;
  struct bet bet = {loss->grad, vectors[THETA], w, loss->ratio, bettor->bet};
  (void)theta_chunk(&bet, 0, facts->dim);
  if (bettor->L > 0) (void)bet_chunk(&bet, 0, facts->dim);
}

const tacit_learner_ops tacit_learner_bettor = {
    .version = 2,
    .name = "bettor",
    .summary = "coin betting that takes the known noise out of its bets",
    .params = params,
    .state_size = sizeof(struct bettor),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
    .takes_noise = 1,
    .carry = carry,
};
