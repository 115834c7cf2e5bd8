/* SPDX-License-Identifier: MIT */
/*
 * Round 0: whether the mean row is released before round 1, which part of the budget
 * the release takes, and its vault. Public numbers decide all of it. The mean has mu_0,
 * the rounds have mu_1, and mu_0^2 + mu_1^2 <= mu^2 with every rounding against the
 * user. Proof: docs/proofs/mean_release.md
 */
#include <math.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "centre/products.h"
#include "mechanism/lattice.h"
#include "norm/domain.h"
#include "plan/plan.h"

enum {
  OFFSET_BITS = 12,    /* most fraction bits of the mean, below the norm of a row */
  OFFSET_BITS_MIN = 6, /* fewest: with fewer, rows cannot be centred */
  BITS_MAX = 30,       /* most bits that vault/centre.h takes */
  WIDTH = 62,          /* sums stay below 2^62 */
  HEAD_SHARE = 16,     /* with centre head, round 0 has one in 16 rows */
  SPARE = 4 /* truncation moves a sum by less than 2^-4 (mechanism/lattice.c) */
};

/* Most rows in round 0: their sum fits with 4 bits below the length of one row
   (mechanism/lattice.c). */
static const int64_t mean_rows_max = INT64_C(1) << 29;
/* Share of mu that the mean has if second moments are released for numbers, and shares
   of the mu^2 left which they take. */
static const double mean_share = 0.3;
static const double products_share = 0.15, products_share_classes = 0.2;

/* Length of the noise of the mean row, as a share of the row norm, above which round 0
   has a larger share of mu, and that share. */
static const double long_noise = 0.05, share_faint = 0.3;

/* Returns a bound on the rows of a round. A batch of persons may contain all
   persons. */
static int64_t rows_of_round(const tacit_plan *plan) {
  return plan->config.units > 0 ? plan->rows : (plan->rows - 1) / plan->per_pass + 1;
}

static int bits_that_fit(const tacit_plan *plan) {
  int bits = WIDTH - SPARE - 2 * tacit_ceil_log2((uint64_t)rows_of_round(plan));
  return bits < OFFSET_BITS ? bits : OFFSET_BITS;
}

/* Returns what in the config does not go with centred rows, or NULL. Pure DP does not,
   because it needs the L1 norm, in which centring makes sparse rows longer, not
   shorter. */
static const char *obstacle(const tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  if (config->preset == TACIT_PAPER) return "preset paper";
  if (plan->gradient != NULL) return "a gradient of your own";
  if (plan->vault.law->pure) return "pure differential privacy";
  if (plan->vault.law->add == NULL) return "this law of noise";
  if (plan->row.exponent != 2) return "a norm other than 2";
  if (config->domain == TACIT_DOMAIN_SIMPLEX) return "domain simplex";
  if (config->bound != TACIT_BOUND_DEFAULT && config->bound != TACIT_BOUND_CLIP)
    return "a bound other than clip";
  if (config->centre == TACIT_CENTRE_HEAD && config->shuffled)
    return "a secret order, if the mean has rows apart (--no-shuffle: order of the "
           "file)";
  if (config->centre == TACIT_CENTRE_HEAD && (config->units > 0 || config->passes > 1))
    return "several passes or persons, if the mean has rows apart";
  int bits = bits_that_fit(plan), own = bits - ilogb(plan->row.row_norm);
  if (bits < OFFSET_BITS_MIN ||
      (plan->config.centre == TACIT_CENTRE_HEAD ? plan->rows / HEAD_SHARE
                                                : plan->rows) > mean_rows_max)
    return "so many rows in a round";
  if (own < 1 || own > BITS_MAX) return "a row norm so far from 1";
  return NULL;
}

static double kappa_of(const tacit_plan *plan) {
  return plan->config.adjacency == TACIT_ZERO_OUT ? 1 : 2;
}

/* Returns the noise in one number of the mean row, for a share of mu. */
static double noise_of_mean(const tacit_plan *plan, double share) {
  return kappa_of(plan) * plan->moments.reach /
         (share * plan->mu * (double)plan->mean_rows);
}

/* Gives round 0 a larger share of mu if the rows are measured in their spread and the
   noise of the mean row may be as long as that. */
static void raise_share(tacit_plan *plan) {
  double noise = noise_of_mean(plan, plan->moments.share) / plan->row.row_norm;
  if (plan->spreads && !plan->apart &&
      (double)plan->moments.columns * noise * noise > long_noise * long_noise)
    plan->moments.share = share_faint;
}

/* Returns 1 if the noise of the mean row would be longer than a row can be. For losses
   on numbers the mean of the labels matters more, and its noise decides. */
static int is_drowned(const tacit_plan *plan) {
  const tacit_moments *moments = &plan->moments;
  double share = plan->apart ? 1 : moments->share;
  double noise = noise_of_mean(plan, share);
  if (moments->rates == 0) return noise >= moments->label;
  noise /= plan->row.row_norm;
  return (double)moments->columns * noise * noise >= 1;
}

/* Divides mu into parts for the mean, for second moments and for the rounds. Lowers the
   last until their composition, rounded up, is at most mu. */
static tacit_status divide_budget(tacit_plan *plan, tacit_error *err) {
  if (isinf(plan->mu)) {
    plan->mean.budget = plan->second.budget = plan->early_mu = INFINITY;
    return TACIT_OK;
  }
  plan->mean.budget = plan->early_mu = plan->mu;
  if (plan->apart)
    return TACIT_OK; /* no row is both in round 0 and in the other
                        rounds */
  double share = plan->moments.share, first = share * plan->mu, total;
  double rest = plan->mu * sqrt(1 - share * share), second = 0, both = first;
  if (plan->products) {
    double part = tacit_plan_maps(plan) ? products_share_classes : products_share;
    second = sqrt(part) * rest;
    rest *= sqrt(1 - part);
    TACIT_TRY(tacit_mu_compose_up(first, second, &both, err));
  }
  for (;;) {
    TACIT_TRY(tacit_mu_compose_up(both, rest, &total, err));
    if (total <= plan->mu) break;
    rest = tacit_down(rest);
  }
  plan->mean.budget = first;
  plan->second.budget = second;
  plan->early_mu = both;
  plan->vault.budget = rest;
  return TACIT_OK;
}

/* Extends the start point by zeros for the intercepts that centred runs add. */
static tacit_status widen_start(tacit_plan *plan, tacit_error *err) {
  if (plan->start == NULL) return TACIT_OK;
  double *wide = tacit_array_new(plan->dim, sizeof *wide);
  if (wide == NULL) return tacit_fail_memory(err);
  memcpy(wide, plan->start, tacit_row_weights(&plan->row) * sizeof *wide);
  tacit_array_free(plan->start);
  plan->start = wide;
  return TACIT_OK;
}

/* Computes the bound on contributions that holds whatever round 0 releases. */
static void resolve_reach(tacit_plan *plan) {
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(plan->loss, &bounds);
  double row_norm = plan->row.row_norm,
         signal = (double)plan->rows * plan->mu / kappa_of(plan);
  double slope = bounds.slope_is_global ? bounds.slope : bounds.slope_at_zero;
  if (plan->moments.rates > 0)
    slope = tacit_centre_slope(slope, signal, plan->dim);
  else if (!bounds.slope_is_global)
    slope *= 2; /* labels less their mean are up to twice as large */
  if (plan->config.clip > 0) slope = plan->slope = plan->config.clip / row_norm;
  double longest = plan->moments.rates > 0 ? row_norm : 2 * row_norm;
  plan->bound = TACIT_BOUND_CLIP;
  plan->constant = tacit_centre_constant(plan->moments.rates > 0, signal, plan->passes);
  plan->clip = plan->learner.grad_bound =
      tacit_centre_reach_max(longest, slope, plan->constant);
}

void tacit_plan_moments(tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  int weighs = config->weighted || plan->class_weights != NULL || config->unit_rows > 0;
  tacit_moments_of(&plan->row, &plan->label, weighs, plan->spreads, &plan->moments);
}

/* Decides whether there is a round 0. */
static tacit_status decide(tacit_plan *plan, tacit_error *err) {
  if (!tacit_config_centres(&plan->config)) return TACIT_OK;
  const char *against = obstacle(plan);
  if (against != NULL && plan->centre_optional) {
    plan->config.centre = TACIT_CENTRE_OFF;
    return TACIT_OK;
  }
  if (against != NULL)
    return tacit_fail(err, TACIT_EINVAL, "centre does not go with %s: leave it off",
                      against);
  tacit_plan_moments(plan);
  plan->apart = plan->config.centre == TACIT_CENTRE_HEAD;
  plan->mean_rows = plan->apart ? plan->rows / HEAD_SHARE : plan->rows;
  plan->centred = plan->rows - plan->mean_rows * plan->apart >= plan->per_pass &&
                  plan->mean_rows > 0 && !is_drowned(plan);
  if (!plan->centred) plan->apart = 0;
  if (plan->centred) raise_share(plan);
  if (plan->apart || !plan->centred) plan->products = 0;
  if (plan->products && !tacit_plan_maps(plan)) plan->moments.share = mean_share;
  if (plan->apart) plan->learner.rows = plan->rows -= plan->mean_rows;
  return TACIT_OK;
}

tacit_status tacit_plan_centre(tacit_plan *plan, tacit_error *err) {
  TACIT_TRY(decide(plan, err));
  if (plan->config.moments == TACIT_MOMENTS_ON && !plan->products)
    return tacit_fail(err, TACIT_EINVAL, "moments do not go with %s: leave them out",
                      plan->products_obstacle != NULL ? plan->products_obstacle
                      : !plan->recipe
                          ? "this preset, learner, law, norm or domain, or so few rows"
                      : plan->apart ? "rows that can be read once"
                                    : "a mean that drowns in noise");
  plan->sums = plan->dim;
  if (!plan->centred && plan->start_offset != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "the initial model was trained on centred rows and has an "
                      "offset, which only a centred run can start from");
  if (!plan->centred) {
    plan->spreads = 0;
    return TACIT_OK;
  }
  plan->offset_bits = bits_that_fit(plan);
  plan->dim += plan->row.outputs;
  plan->sums = plan->dim + 1;
  plan->learner.dim = plan->dim;
  plan->diameter = tacit_domain_diameter_in(&plan->learner, plan->learner.norm);
  TACIT_TRY(widen_start(plan, err));
  resolve_reach(plan);
  return divide_budget(plan, err);
}

/* Computes the vault of a round before round 1. Its mechanism has one round, so the
   matrix is the number 1. */
static tacit_status vault_of(const tacit_plan *plan, size_t dim, double reach,
                             int offset_bits, tacit_vault_facts *out,
                             tacit_error *err) {
  const tacit_vault_facts *rounds = &plan->vault;
  out->encoder =
      rounds->encoder->private_noise ? &tacit_encoder_tree : &tacit_encoder_none;
  out->law = rounds->law;
  out->exponent = rounds->exponent;
  out->kappa = rounds->kappa;
  out->shape.dim = dim;
  out->shape.rounds = out->shape.per_pass = 1;
  tacit_lattice_facts facts = {
      .rows_round = plan->mean_rows,
      .rows_run = plan->mean_rows,
      .s_max = reach,
      .s_min = reach,
      .kappa = out->kappa,
      .encoder = out->encoder,
      .shape = out->shape,
      .budget = out->budget,
      .offset_bits = offset_bits,
  };
  TACIT_TRY(tacit_lattice_new(&facts, &out->lattice, err));
  out->shape.weight_bits = out->lattice.weight_bits;
  out->shape.clip_max = out->lattice.clip_max;
  return TACIT_OK;
}

tacit_status tacit_plan_mean(tacit_plan *plan, tacit_error *err) {
  const tacit_moments *moments = &plan->moments;
  if (!plan->centred) return TACIT_OK;
  TACIT_TRY(vault_of(plan, moments->columns + moments->tails, moments->reach, 0,
                     &plan->mean, err));
  if (!plan->products) return TACIT_OK;
  return vault_of(plan, tacit_products_dim(moments->columns), 1, plan->offset_bits,
                  &plan->second, err);
}

size_t tacit_plan_longest(const tacit_plan *plan) {
  size_t longest = plan->sums;
  if (plan->centred && plan->mean.shape.dim > longest) longest = plan->mean.shape.dim;
  if (plan->products && plan->second.shape.dim > longest)
    longest = plan->second.shape.dim;
  return longest;
}

tacit_frame_facts tacit_plan_frame(const tacit_plan *plan, double noise) {
  return (tacit_frame_facts){
      .moments = plan->moments,
      .row = plan->row,
      .label = plan->label,
      .loss = plan->loss,
      .rows = (double)plan->mean_rows,
      .noise = noise,
      .signal = (double)plan->rows * plan->mu / plan->vault.kappa,
      .slope = plan->slope,
      .constant = plan->constant,
      .products = plan->products,
      /* an L2 term and a radius are of the weights of rows as they are */
      .stretches = plan->products && plan->l2 == 0 && plan->config.radius == 0,
      .passes = plan->config.passes,
      .bits = plan->offset_bits - ilogb(plan->row.row_norm),
      .start = plan->start,
      .start_offset = plan->start_offset,
  };
}
