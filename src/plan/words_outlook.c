/* SPDX-License-Identifier: MIT */
/*
 * What a plan can say about its noise before any record is read: the noise of the last
 * gradient, and the three terms of the convergence theorem, each for the largest bounds
 * that the rounds can have. tacit_plan_obstacle says where the theorem does not hold.
 * With D the diameter of W, the expected excess loss is at most D (regret + sampling +
 * noise), where
 *
 *   regret   = (1 / (2 h_R) + sum_t h_t |gbar_t|^2 / 2) / beta_{1:R}
 *   sampling = sum_t sqrt(sum_{i<=t} s_i^2 / B) / beta_{1:R}
 *   noise    = sum_t sqrt(V Var gamma_t) / beta_{1:R}
 *
 * The regret is what learner osd with steps D h_t, h_t = sqrt(k + 1/2) / (G t^{k +
 * 1/2}), has for any gradients whose expected squares include the noise.
 *
 * Up to 2^16 rounds are followed one by one. More rounds are grouped in cells: rounds
 * t0 … t0 + 2^j - 1, t0 a multiple of 2^j and 2^j at most t0/256. Every round of a cell
 * counts as the worst of the cell, except that the noise of the tree, which rises and
 * falls with the binary digits of t, counts as its root mean square. The three sums are
 * then too large by less than 2% for powers up to 3, and the largest noise is never too
 * small.
 */
#include <math.h>

#include "algorithm1/covariance.h"
#include "base/error.h"
#include "mechanism/decode.h"
#include "not_private/laws.h"
#include "plan/plan.h"

enum { CELLS = 256 }; /* number of cells from round 2^j to round 2^(j+1) */
static const int64_t rounds_followed = 1 << 16;

/* Consecutive rounds, and what holds for all of them. */
struct cell {
  double first; /* number of the first round */
  double rounds;
  double s;           /* bound on the contribution of a row of data */
  double share_first; /* smallest and largest beta_t / beta_R */
  double share_last;
  double noise_mean; /* root of the mean square of the noise in the sum, divided by
                        rows */
  double noise_max;
};

struct outlook {
  tacit_plan *plan;
  tacit_decoder *decoder;
  double row_scale; /* standard deviation of the noise in a row of C u if bounds are 1,
                       in units of the row */
  double rows_mean;
  double root_v, tail; /* with high probability no noise vector is longer than root_v +
                          tail deviations */
  double sampling_squared, steps;
  tacit_covariance *covariance; /* for learners of plain gradients; else NULL */
};

/* Returns the largest bound that round t can have, because the learner stays in W. */
static double bound_at_most(const tacit_plan *plan, const tacit_weights *weights) {
  return tacit_plan_bound(plan, weights, plan->diameter, plan->diameter);
}

/* Returns the standard deviation of the noise that reaches the learner in round t. For
   plain gradients this is the noise of the sum of one round. */
static double open_round(struct outlook *outlook, int64_t t, double s) {
  const tacit_vault_facts *vault = &outlook->plan->vault;
  double bound = s * outlook->plan->sens_norm_ratio;
  double scale =
      vault->encoder->relative ? outlook->row_scale : outlook->row_scale * bound;
  double noise =
      tacit_decoder_open(outlook->decoder, t, bound, scale) / outlook->rows_mean;
  if (outlook->covariance == NULL) return noise;
  tacit_noise_terms terms;
  tacit_covariance_next(outlook->covariance, t, bound, scale, 1 / outlook->rows_mean, 1,
                        &terms);
  return sqrt(terms.grad);
}

static void take(struct outlook *outlook, const struct cell *cell) {
  tacit_plan *plan = outlook->plan;
  double grad_bound = plan->learner.grad_bound;
  double noise = outlook->root_v * cell->noise_mean,
         grad = cell->share_last * grad_bound;
  double noisy = grad_bound + (outlook->root_v + outlook->tail) * cell->noise_max /
                                  cell->share_first;
  plan->learner.noisy_bound = fmax(plan->learner.noisy_bound, noisy);
  if (outlook->covariance != NULL)
    outlook->sampling_squared = 0; /* only the rows of round t
                                      count */
  outlook->sampling_squared += cell->rounds * (cell->s * cell->s / outlook->rows_mean);
  outlook->steps += cell->rounds * (grad * grad + noise * noise) /
                    (cell->share_first * sqrt(cell->first));
  plan->term_sampling += cell->rounds * sqrt(outlook->sampling_squared);
  plan->term_noise += cell->rounds * noise;
}

/* Adds up the terms over every round. Returns beta_{1:R} / beta_R. */
static double follow_rounds(struct outlook *outlook) {
  tacit_weights weights;
  tacit_weights_init(&weights, outlook->plan->power, outlook->plan->rounds);
  double noise = 0;
  for (int64_t t = 1; t <= outlook->plan->rounds; ++t) {
    tacit_weights_next(&weights);
    double s = bound_at_most(outlook->plan, &weights);
    noise = open_round(outlook, t, s);
    take(outlook,
         &(struct cell){(double)t, 1, s, weights.share, weights.share, noise, noise});
  }
  outlook->plan->noise_last = noise;
  return outlook->covariance != NULL ? (double)outlook->plan->rounds : weights.horizon;
}

/* Returns the noise in the sum of rounds 1 … t. For the tree it comes from the nodes at
   the partial sums of the binary expansion of t, so these rounds are opened in turn.
   The other mechanisms that serve so many rounds need only round t. */
static double noise_at(struct outlook *outlook, int64_t t, double s) {
  if (outlook->plan->vault.encoder != &tacit_encoder_tree)
    return open_round(outlook, t, s);
  tacit_weights weights;
  tacit_weights_init(&weights, outlook->plan->power, outlook->plan->rounds);
  double noise = 0;
  for (int64_t node = 0; node < t;) {
    int64_t left = t - node, bit = 1;
    while (bit <= left / 2)
      bit *= 2;
    node += bit;
    tacit_weights_jump(&weights, node);
    noise = open_round(outlook, node, bound_at_most(outlook->plan, &weights));
  }
  return noise;
}

/* Computes the noise of a cell of `width` rounds from t0 on. In round t of the cell the
   tree has one more node for each binary digit of t - t0 that is 1, which is at most
   half of the digits on average. The noise of the other mechanisms is largest where a
   pass begins, and falls within a pass. */
static void cell_noise(struct outlook *outlook, int64_t t0, int64_t end, int64_t width,
                       struct cell *cell) {
  const tacit_plan *plan = outlook->plan;
  double noise = noise_at(outlook, t0, cell->s), node = 0, digits = log2((double)width);
  if (plan->vault.encoder == &tacit_encoder_tree) {
    node = outlook->row_scale * cell->s * plan->sens_norm_ratio / outlook->rows_mean;
  } else {
    int64_t begin = (t0 - 2 + plan->per_pass) / plan->per_pass * plan->per_pass + 1;
    if (begin < end) noise = fmax(noise, noise_at(outlook, begin, cell->s));
  }
  cell->noise_mean = sqrt(noise * noise + digits / 2 * node * node);
  cell->noise_max = sqrt(noise * noise + digits * node * node);
}

static double follow_cells(struct outlook *outlook) {
  const tacit_plan *plan = outlook->plan;
  tacit_weights first, last;
  tacit_weights_init(&first, plan->power, plan->rounds);
  last = first;
  int64_t width = 1;
  for (int64_t t0 = 1, end; t0 <= plan->rounds; t0 = end) {
    while (t0 >= 2 * CELLS * width)
      width *= 2;
    end = plan->rounds - t0 < width ? plan->rounds + 1 : t0 + width;
    if (width == 1)
      tacit_weights_next(&first);
    else
      tacit_weights_jump(&first, t0);
    last = first;
    if (width > 1) tacit_weights_jump(&last, end - 1);
    struct cell cell = {
        .first = (double)t0,
        .rounds = (double)(end - t0),
        .s = fmax(bound_at_most(plan, &first), bound_at_most(plan, &last)),
        .share_first = first.share,
        .share_last = last.share,
    };
    cell_noise(outlook, t0, end, width, &cell);
    take(outlook, &cell);
  }
  tacit_weights_jump(&last, plan->rounds);
  outlook->plan->noise_last =
      noise_at(outlook, plan->rounds, bound_at_most(plan, &last));
  return last.horizon;
}

tacit_status tacit_plan_outlook(tacit_plan *plan, tacit_error *err) {
  const tacit_vault_facts *vault = &plan->vault;
  struct outlook outlook = {.plan = plan};
  tacit_encoder_facts shape = vault->shape;
  shape.dim = 0; /* only the noise is computed */
  TACIT_TRY(tacit_decoder_new(vault->encoder, &shape, &outlook.decoder, err));
  if (!isinf(vault->budget)) {
    outlook.row_scale = vault->kappa * vault->lattice.sens / vault->budget;
    outlook.row_scale = ldexp(outlook.row_scale, -vault->lattice.weight_bits);
  }
  if (plan->power == 0)
    TACIT_TRY(tacit_covariance_new(vault->encoder, &vault->shape, 1,
                                   &outlook.covariance, err));
  outlook.rows_mean = (double)plan->rows / (double)plan->per_pass;
  outlook.root_v =
      sqrt(tacit_law_second_moment(vault->law, plan->dim, vault->exponent));
  outlook.tail = sqrt(2 * log(1e3 * (double)plan->rounds)) *
                 (vault->law->pure ? outlook.root_v : 1);
  double horizon = plan->rounds <= rounds_followed ? follow_rounds(&outlook)
                                                   : follow_cells(&outlook);
  plan->noise_last_norm = outlook.root_v * plan->noise_last;
  plan->noise_last *= tacit_law_std(vault->law, plan->dim, vault->exponent);
  plan->term_sampling /= horizon;
  plan->term_noise /= horizon;
  double size = sqrt(plan->power + 0.5) / plan->learner.grad_bound;
  plan->term_regret =
      (sqrt((double)plan->rounds) / size + size * outlook.steps) / (2 * horizon);
  tacit_covariance_free(outlook.covariance);
  tacit_decoder_free(outlook.decoder);
  if (!isfinite(plan->term_noise))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "mechanism %s leaves nothing of a gradient after so many passes: "
                      "use fewer",
                      vault->encoder->name);
  return TACIT_OK;
}
