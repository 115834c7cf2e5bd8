/* SPDX-License-Identifier: MIT */
/*
 * Computes the right-hand sides of the theorems from their premises alone: G, H, D,
 * sigma_G, d, k, T and the budget, not from a run. With e_t = gbar_t - beta_t grad
 * L(x_t), the anytime lemma gives
 *
 *   beta_{1:T} E[L(x_T) - L*] <= E Regret_T(x*) + D sum_t E|e_t|_*,
 *   E|e_t|_* <= S_t + N_t,  N_t^2 = V sum_{i in I_t} sigma_i^2,
 *   S_t^2 = sum_{i<=t} ((beta_i - beta_{i-1}) sigma_G + beta_{i-1} sigma_H D/h_i)^2 /
 *           (p-1),
 *
 * and Regret_T is the bound of the learner for E|gbar_t|^2 <= (beta_t G + S_t + N_t)^2.
 * The sums are computed, not bounded by closed forms, so these bounds are of the same
 * order as the printed theorems and a little smaller. Everything is divided by beta_T.
 */
#include <math.h>
#include <string.h>

#include "theory.h"

enum { LEVELS = 64 };

struct geometry {
  double p, q, V, sens_norm_ratio, sens, smooth;
};

static int is_pure(const setup *s) { return s->epsilon > 0; }

/* Returns E|x|^2 of the noise at scale 1, in the norm of the theorem. */
static double second_moment(const setup *s, double q) {
  double d = (double)s->on.dim;
  if (is_pure(s)) {
    int l2 = s->law != NULL && strcmp(s->law, "exp-l2") == 0;
    return l2 ? d * (d + 1) : 2 * d; /* for exp(-|x|_2), or for d Laplace numbers */
  }
  if (q == 2) return d;
  double log_moment = q / 2 * log(2) + lgamma((q + 1) / 2) - log(M_PI) / 2;
  return exp(2 / q * (log(d) + log_moment));
}

static struct geometry geometry_of(const setup *s, int64_t rounds) {
  struct geometry g;
  double d = (double)s->on.dim, levels = floor(log2((double)rounds)) + 1;
  g.p = s->on.norm == 0 ? 2 : s->on.norm == 1 ? 1 + 1 / log(d) : s->on.norm;
  g.q = g.p / (g.p - 1);
  g.V = second_moment(s, g.q);
  g.sens_norm_ratio = pow(d, 0.5 - 1 / g.q);
  g.sens = is_pure(s) ? levels : sqrt(levels);
  g.smooth = 1 / (g.p - 1);
  return g;
}

/* Returns a bound on one contribution to round t that holds for every point of W. */
static double contribution(const setup *s, double t, double share, double ratio,
                           double horizon) {
  const problem *on = &s->on;
  if (s->bound == TACIT_BOUND_PAPER)
    return share * (s->power + 1) / t * (on->G + on->H * on->D);
  double moved = fmin(on->H * on->D / horizon, 2 * on->G);
  return share * ((1 - ratio) * on->G + ratio * moved);
}

/* The tree as a stack with the variances of I_t. It gives Var gamma_t and the variance
   of gamma_t - gamma_{t-1}. */
struct stack {
  int depth;
  int64_t index[LEVELS];
  double variance[LEVELS];
};

static double stack_add(struct stack *stack, int64_t t, double node,
                        double *out_change) {
  double before = stack->depth > 0 ? stack->variance[stack->depth - 1] : 0;
  while (stack->depth > 0 && stack->index[stack->depth - 1] > t - (t & -t))
    --stack->depth;
  double kept = stack->depth > 0 ? stack->variance[stack->depth - 1] : 0;
  *out_change = node + before - kept;
  stack->index[stack->depth] = t;
  stack->variance[stack->depth++] = kept + node;
  return kept + node;
}

terms bound_terms(const setup *s, int64_t rounds) {
  const problem *on = &s->on;
  struct geometry g = geometry_of(s, rounds);
  struct stack stack = {0};
  terms out = {0};
  double budget = is_pure(s) ? s->epsilon : s->rho, T = (double)rounds;
  double sigma = on->signs ? on->spread * pow((double)on->dim, 1 / g.q) : on->spread;
  double sampling_squared = 0, s_max = 0, horizon = 0;
  double tail = sqrt(2 * log(1e3 * T)) * (is_pure(s) ? sqrt(g.V) : 1);
  for (int64_t t = 1; t <= rounds; ++t) {
    double ratio = t == 1 ? 0 : exp(s->power * log1p(-1 / (double)t));
    double share = exp(s->power * log((double)t / T));
    horizon = 1 + ratio * horizon;
    double bound = contribution(s, (double)t, share, ratio, horizon);
    s_max = fmax(s_max, bound);
    double scale = budget > 0 ? 2 * g.sens * s_max * g.sens_norm_ratio / budget : 0;
    double change, variance = stack_add(&stack, t, scale * scale, &change);
    double deviation = (1 - ratio) * sigma + ratio * on->sigma_H * on->D / horizon;
    sampling_squared += g.smooth * pow(share * deviation, 2);
    double noise = sqrt(g.V * variance), sampling = sqrt(sampling_squared);
    double grad = share * on->G + sampling + noise;
    out.noise += noise;
    out.sampling += sampling;
    out.grads += grad * grad;
    out.changes += pow(bound + sqrt(g.V * change), 2);
    out.strong_regret += pow(grad + share * on->D / 2, 2) / (share * horizon);
    out.strong_error += 2 * (noise * noise + sampling_squared) / share;
    out.ghat = fmax(out.ghat, on->G + (sqrt(g.V) + tail) * sqrt(variance) / share);
  }
  out.horizon = horizon;
  out.noise /= horizon;
  out.sampling /= horizon;
  out.grads = sqrt(out.grads) / horizon;
  out.changes = sqrt(out.changes) / horizon;
  out.strong_regret /= horizon;
  out.strong_error /= horizon;
  return out;
}

/* Returns a bound on sup over x >= 0 of u x - e0 exp(exponent(x, V))/weight. */
static double conjugate(double u, double e0, double weight, double end,
                        double (*exponent)(double, double), double V) {
  double best = -e0 / weight;
  for (double x = end * 1e-6; x <= end; x *= 1.01)
    best = fmax(best, u * x - e0 * exp(exponent(x, V)) / weight);
  return best * 1.01;
}

static double ons_exponent(double x, double V) {
  double bent = V + (2 - log(3)) / 4, b = fmin(x / (2 * bent), 0.5);
  return b * x - b * b * bent;
}

static double free_exponent(double x, double V) { return x * x / (2 * V + 2 * x); }

/* Returns the regret of the coin bettors divided by beta_T Ghat, against |u| = size,
   with sum |c_t| <= S and sum |c_t|^2 <= V. The contract tests of the learners check
   these bounds. */
static double coin_regret(const char *learner, double size, double e0, double S,
                          double V) {
  if (strncmp(learner, "coin-kt", 7) == 0)
    return size * sqrt(S * log(1 + 24 * S * S * size * size / (e0 * e0))) + e0;
  if (strncmp(learner, "coin-ons", 8) == 0) {
    double weight = pow(1 + 4 * V, 1 / (2 - log(3)));
    return e0 + conjugate(size, e0, weight, S, ons_exponent, V) + size * sqrt(8 * V);
  }
  return e0 + conjugate(size, e0, sqrt(V + 1), S, free_exponent, V + 1);
}

static double coin_bound(const setup *s, int64_t rounds, const terms *sums) {
  double best[DIM_MAX], size = 0, S = 0, V = 0, e0 = 5 * sqrt((double)rounds);
  const char *given = strstr(s->learner, "e0=");
  if (given != NULL) (void)sscanf(given + 3, "%lf", &e0);
  problem_best(&s->on, best);
  for (size_t i = 0; i < s->on.dim; ++i)
    size += pow(best[i] - (s->start != NULL ? s->start[i] : 0), 2);
  for (int64_t t = 1; t <= rounds; ++t) {
    double share = pow((double)t / (double)rounds, s->power);
    S += share;
    V += share * share;
  }
  return sums->ghat * coin_regret(s->learner, sqrt(size), e0, S, V) / sums->horizon;
}

static int is_learner(const setup *s, const char *name) {
  size_t length = strlen(name);
  return strncmp(s->learner, name, length) == 0 &&
         (s->learner[length] == '\0' || s->learner[length] == ':');
}

double bound_of(const setup *s, int64_t rounds) {
  terms sums = bound_terms(s, rounds);
  struct geometry g = geometry_of(s, rounds);
  double D = s->on.D, errors = D * (sums.noise + sums.sampling);
  double log_d = log((double)s->on.dim);
  if (is_learner(s, "strongly-convex"))
    return sums.strong_regret / s->on.mu + sums.strong_error / s->on.mu;
  if (is_learner(s, "adagrad")) return sqrt(2) * D * sums.grads + errors;
  if (is_learner(s, "omd")) return D * sqrt(2 * g.smooth) * sums.grads + errors;
  if (is_learner(s, "optimistic-omd"))
    return (1 / sqrt(2) + 2 * sqrt(2)) * D * sums.changes + errors;
  if (is_learner(s, "eg"))
    return (sqrt(log_d) + 2 * sqrt(2) * fmax(sqrt(log_d) / 2, 2)) * sums.grads + errors;
  if (is_learner(s, "coin-kt") || is_learner(s, "coin-ons") ||
      is_learner(s, "freegrad"))
    return coin_bound(s, rounds, &sums) + errors;
  return (double)NAN; /* this learner has no theorem */
}
