/* SPDX-License-Identifier: MIT */
/*
 * What a plan promises of its noise before any record is read.
 *
 * The convergence theorem, for rows drawn independently, one pass and no clipping: with
 * D the diameter, expected excess loss <= D (regret + sampling + noise),
 *   regret   sqrt2 sqrt(sum |gbar_t|^2) / beta_{1:R}, of AdaGrad-type learners
 *   sampling sum_t sqrt(sum_{i<=t} s_i^2 / B) / beta_{1:R}
 *   noise    sum_t sqrt(V Var gamma_t) / beta_{1:R}
 * and the noise of the last gradient, all with the largest bounds the rounds can have.
 *
 * Up to 2^16 rounds are followed one by one. More are taken in cells: rounds t0 … t0 +
 * 2^j - 1, t0 a multiple of 2^j and 2^j at most t0/256. All of a cell count as its
 * worst, and the noise of the tree, which goes up and down with the binary digits of t,
 * as the root of its mean square. So the three sums come out too large, by less than 2%
 * for powers up to 3, and the largest noise is never too small.
 */
#include <math.h>

#include "base/error.h"
#include "mechanism/decode.h"
#include "plan/plan.h"

enum { CELLS = 256 }; /* an octave of rounds */
static const int64_t rounds_followed = 1 << 16;

/* A stretch of rounds, and what holds for all of them. */
struct cell {
  double rounds;
  double s;           /* bound of a row's contribution */
  double share_first; /* smallest and largest beta_t / beta_R */
  double share_last;
  double noise_mean; /* root of the mean square of the noise in the sum, over rows */
  double noise_max;
};

struct view {
  tacit_plan *plan;
  tacit_decoder *decoder;
  double row_scale; /* noise of a row for a bound of 1, in the units of the row */
  double rows_mean;
  double root_v, tail; /* past root_v + tail deviations no noise vector of a run goes */
  double sampling_squared, grads_squared;
};

/* The largest bound round t can have: the learner stays in W. */
static double bound_at_most(const tacit_plan *plan, const tacit_weights *weights) {
  return tacit_plan_bound(plan, weights, plan->diameter, plan->diameter);
}

static double open_round(struct view *view, int64_t t, double s) {
  const tacit_vault_facts *vault = &view->plan->vault;
  double bound = s * view->plan->sens_norm_ratio;
  double scale = vault->encoder->relative ? view->row_scale : view->row_scale * bound;
  return tacit_decoder_open(view->decoder, t, bound, scale) / view->rows_mean;
}

static void take(struct view *view, const struct cell *cell) {
  tacit_plan *plan = view->plan;
  double grad_bound = plan->learner.grad_bound;
  double noise = view->root_v * cell->noise_mean, grad = cell->share_last * grad_bound;
  double noisy =
      grad_bound + (view->root_v + view->tail) * cell->noise_max / cell->share_first;
  plan->learner.noisy_bound = fmax(plan->learner.noisy_bound, noisy);
  view->sampling_squared += cell->rounds * (cell->s * cell->s / view->rows_mean);
  view->grads_squared += cell->rounds * (grad * grad + noise * noise);
  plan->term_sampling += cell->rounds * sqrt(view->sampling_squared);
  plan->term_noise += cell->rounds * noise;
}

/* Every round; returns beta_{1:R} / beta_R. */
static double follow_rounds(struct view *view) {
  tacit_weights weights;
  tacit_weights_init(&weights, view->plan->power, view->plan->rounds);
  double noise = 0;
  for (int64_t t = 1; t <= view->plan->rounds; ++t) {
    tacit_weights_next(&weights);
    double s = bound_at_most(view->plan, &weights);
    noise = open_round(view, t, s);
    take(view, &(struct cell){1, s, weights.share, weights.share, noise, noise});
  }
  view->plan->noise_last = noise;
  return weights.horizon;
}

/* The noise in the sum of rounds 1 … t. For the tree it comes from the nodes at the
   partial sums of the binary expansion of t, which clear the stack as they are opened;
   the other mechanisms of so many rounds know it at once. */
static double noise_at(struct view *view, int64_t t, double s) {
  if (view->plan->vault.encoder != &tacit_encoder_tree) return open_round(view, t, s);
  tacit_weights weights;
  tacit_weights_init(&weights, view->plan->power, view->plan->rounds);
  double noise = 0;
  for (int64_t node = 0; node < t;) {
    int64_t left = t - node, bit = 1;
    while (bit <= left / 2)
      bit *= 2;
    node += bit;
    tacit_weights_jump(&weights, node);
    noise = open_round(view, node, bound_at_most(view->plan, &weights));
  }
  return noise;
}

/* Noise of a cell of `width` rounds from t0. The tree: a node more for each binary
   digit of t - t0 that is 1, half of them on average (of the first n numbers it is
   never more). The others: noise is largest where a pass begins, and falls within a
   pass. */
static void cell_noise(struct view *view, int64_t t0, int64_t end, int64_t width,
                       struct cell *cell) {
  const tacit_plan *plan = view->plan;
  double noise = noise_at(view, t0, cell->s), node = 0, digits = log2((double)width);
  if (plan->vault.encoder == &tacit_encoder_tree) {
    node = view->row_scale * cell->s * plan->sens_norm_ratio / view->rows_mean;
  } else {
    int64_t begin = (t0 - 2 + plan->per_pass) / plan->per_pass * plan->per_pass + 1;
    if (begin < end) noise = fmax(noise, noise_at(view, begin, cell->s));
  }
  cell->noise_mean = sqrt(noise * noise + digits / 2 * node * node);
  cell->noise_max = sqrt(noise * noise + digits * node * node);
}

static double follow_cells(struct view *view) {
  const tacit_plan *plan = view->plan;
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
        .rounds = (double)(end - t0),
        .s = fmax(bound_at_most(plan, &first), bound_at_most(plan, &last)),
        .share_first = first.share,
        .share_last = last.share,
    };
    cell_noise(view, t0, end, width, &cell);
    take(view, &cell);
  }
  tacit_weights_jump(&last, plan->rounds);
  view->plan->noise_last = noise_at(view, plan->rounds, bound_at_most(plan, &last));
  return last.horizon;
}

tacit_status tacit_plan_foresee(tacit_plan *plan, tacit_error *err) {
  const tacit_vault_facts *vault = &plan->vault;
  struct view view = {.plan = plan};
  tacit_encoder_facts shape = vault->shape;
  shape.dim = 0; /* the noise alone */
  TACIT_TRY(tacit_decoder_new(vault->encoder, &shape, &view.decoder, err));
  if (!isinf(vault->budget)) {
    view.row_scale = vault->kappa * vault->lattice.sens / vault->budget;
    view.row_scale = ldexp(view.row_scale, -vault->lattice.weight_bits);
  }
  view.rows_mean = (double)plan->rows / (double)plan->per_pass;
  view.root_v = sqrt(vault->law->second_moment(plan->dim, vault->exponent));
  view.tail =
      sqrt(2 * log(1e3 * (double)plan->rounds)) * (vault->law->pure ? view.root_v : 1);
  double horizon =
      plan->rounds <= rounds_followed ? follow_rounds(&view) : follow_cells(&view);
  plan->noise_last_norm = view.root_v * plan->noise_last;
  plan->noise_last *= vault->law->std(plan->dim, vault->exponent);
  plan->term_sampling /= horizon;
  plan->term_noise /= horizon;
  plan->term_regret = sqrt(2 * view.grads_squared) / horizon;
  tacit_decoder_free(view.decoder);
  if (!isfinite(plan->term_noise) || !isfinite(plan->term_regret))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "mechanism %s leaves nothing of a gradient after so many passes: "
                      "use fewer",
                      vault->encoder->name);
  return TACIT_OK;
}
