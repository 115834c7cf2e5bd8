/* SPDX-License-Identifier: MIT */
/*
 * The privacy of a plan: law, budget, lattice, and the noise that follows from them.
 * Everything is computed from public facts, and rounded so that the claim stays true.
 */
#include <math.h>
#include <tacit/account.h>

#include "base/args.h"
#include "base/error.h"
#include "mechanism/lattice.h"
#include "norm/norm.h"
#include "not_private/laws.h"
#include "plan/plan.h"

static const double delta_default = 1e-6; /* the default of delta is this number, or
                                             1/rows^2 if that is smaller */

static const char *law_name(size_t i) {
  const struct tacit_law_ops *law = tacit_law_at(i);
  return law != NULL ? law->name : NULL;
}

tacit_status tacit_plan_law(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  const char *name = config->law != NULL ? config->law
                     : config->pure      ? "laplace"
                                         : "gaussian";
  const struct tacit_law_ops *law = tacit_law_find(name);
  if (law == NULL) return tacit_args_unknown("law", name, law_name, err);
  if (law->pure != (config->pure != 0)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      law->pure ? "law %s gives pure DP: it goes with delta 0"
                                : "law %s cannot give delta 0: use laplace",
                      name);
  }
  if (law->pure && plan->vault.encoder->relative) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "pure DP does not go with mechanism %s: use tree",
                      plan->vault.encoder->name);
  }
  plan->vault.law = law;

  /* Rows and contributions are bounded in the dual norm, unless the law needs another
     norm. */
  double exponent = tacit_norm_dual(plan->learner.norm);
  if (law->pure && law->sens_norm > 0) exponent = law->sens_norm;
  plan->row.exponent = plan->vault.exponent = exponent;
  plan->sens_norm = law->pure ? exponent : 2;
  /* |v|_2 <= d^(1/2 - 1/q) |v|_q for q >= 2. */
  plan->sens_norm_ratio =
      plan->sens_norm == exponent ? 1 : pow((double)plan->dim, 0.5 - 1 / exponent);
  return TACIT_OK;
}

static tacit_status resolve_delta(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  double n = (double)plan->rows;
  if (config->pure) {
    if (config->delta > 0 || config->rho > 0) {
      return tacit_fail(err, TACIT_EINVAL,
                        "pure DP takes epsilon alone: no delta, no rho");
    }
    return TACIT_OK;
  }
  plan->delta = config->delta > 0 ? config->delta : fmin(1 / (n * n), delta_default);
  if (plan->delta > 0.5)
    return tacit_fail(err, TACIT_EINVAL, "delta must be at most 0.5");
  return TACIT_OK;
}

/* Divides mu between scores and rounds of a stream. The squares of both parts add up,
   because both parts are about the same rows. Proof: docs/proofs/stream.md */
static tacit_status share_budget(tacit_plan *plan, tacit_error *err) {
  double share = plan->days.evaluate, both;
  plan->vault.budget = plan->mu;
  if (share == 0) return TACIT_OK;
  plan->score_mu = plan->mu * sqrt(share) * (1 - 1e-12);
  plan->vault.budget = plan->mu * sqrt(1 - share) * (1 - 1e-12);
  TACIT_TRY(tacit_mu_compose_up(plan->score_mu, plan->vault.budget, &both, err));
  if (both <= plan->mu) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY, "scores and rounds do not share one budget");
}

tacit_status tacit_plan_budget(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  if (!plan->vault.encoder->private_noise) {
    if (config->epsilon > 0 || config->rho > 0 || config->delta > 0 || config->pure) {
      return tacit_fail(err, TACIT_EINVAL,
                        "mechanism none adds no noise and gives no privacy: leave out "
                        "epsilon, delta and rho");
    }
    plan->epsilon = plan->mu = plan->vault.budget = INFINITY;
    return TACIT_OK;
  }
  if (config->epsilon == 0 && config->rho == 0) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a privacy budget is needed: epsilon (for example 1), or rho");
  }
  TACIT_TRY(resolve_delta(plan, err));
  int paper = config->preset == TACIT_PAPER;
  plan->epsilon = config->epsilon;
  plan->mu = config->rho;
  if (config->pure) {
    plan->vault.budget = plan->epsilon;
    return tacit_mu_from_pure_up(plan->epsilon, &plan->mu, err);
  }
  tacit_status status;
  if (config->rho > 0) {
    status = paper
                 ? tacit_epsilon_from_rho_paper_up(plan->mu, plan->delta,
                                                   &plan->epsilon, err)
                 : tacit_epsilon_from_mu_up(plan->mu, plan->delta, &plan->epsilon, err);
  } else {
    status =
        paper ? tacit_rho_paper_from_dp_down(plan->epsilon, plan->delta, &plan->mu, err)
              : tacit_mu_from_dp_down(plan->epsilon, plan->delta, &plan->mu, err);
  }
  return status == TACIT_OK ? share_budget(plan, err) : status;
}

/* Returns a bound on the rows in the sums of all rounds. If the unit is a person, every
   round counts with all persons. */
static int64_t rows_run(const tacit_plan *plan) {
  if (plan->days.horizon > 0) return tacit_plan_days_max(plan);
  int64_t times = plan->config.units > 0 ? plan->rounds : plan->passes;
  int64_t max = INT64_C(1) << 62;
  return plan->rows > max / times ? max : plan->rows * times;
}

/* Returns a bound on the rows in the sum of a round. A batch of persons may contain all
   persons. */
static int64_t rows_round(const tacit_plan *plan) {
  if (plan->days.horizon > 0) return tacit_plan_day_max(plan);
  return plan->config.units > 0 ? plan->rows : (plan->rows - 1) / plan->per_pass + 1;
}

static tacit_status resolve_lattice(tacit_plan *plan, tacit_error *err) {
  tacit_vault_facts *vault = &plan->vault;
  tacit_weights first, last;
  tacit_weights_init(&first, plan->power, plan->rounds);
  tacit_weights_next(&first);
  last = first;
  last.t = plan->rounds - 1;
  tacit_weights_next(&last);
  last.horizon = 1; /* gives the largest bound, because x_R moves by at most the
                       diameter of W */
  vault->kappa = plan->config.adjacency == TACIT_ZERO_OUT ? 1 : 2;
  vault->shape.dim = plan->sums;
  vault->shape.rounds = plan->rounds;
  vault->shape.per_pass = plan->per_pass;
  tacit_lattice_facts facts = {
      .rows_round = rows_round(plan),
      .rows_run = rows_run(plan),
      .s_max = tacit_plan_bound(plan, &last, plan->diameter, plan->diameter) *
               plan->sens_norm_ratio,
      .s_min = tacit_plan_bound(plan, &first, 0, 0) * plan->sens_norm_ratio,
      .kappa = vault->kappa,
      .encoder = vault->encoder,
      .shape = vault->shape,
      .pure = vault->law->pure,
      .budget = vault->budget,
      .offset_bits = plan->offset_bits,
  };
  if (plan->centred) /* round 0 decides how short the centred rows are, so the smallest
                        bound is a limit */
    facts.s_min *=
        plan->moments.rates > 0 && !plan->spreads ? TACIT_CENTRE_REACH_MIN : 0x1p-16;
  if (plan->config.preset == TACIT_PAPER && vault->encoder == &tacit_encoder_tree) {
    /* The paper counts log2(2T) levels instead of floor(log2 T) + 1 (erratum E7). */
    double levels = tacit_log2_up(2 * (double)plan->rounds);
    facts.sens_min = vault->law->pure ? levels : tacit_sqrt_up(levels);
  }
  TACIT_TRY(tacit_lattice_new(&facts, &vault->lattice, err));
  vault->shape.weight_bits = vault->lattice.weight_bits;
  vault->shape.clip_max = vault->lattice.clip_max;
  return TACIT_OK;
}

tacit_status tacit_plan_noise(tacit_plan *plan, tacit_error *err) {
  TACIT_TRY(resolve_lattice(plan, err));
  TACIT_TRY(tacit_plan_mean(plan, err));
  const tacit_vault_facts *vault = &plan->vault;
  plan->learner.noise_once = vault->kappa * plan->learner.grad_bound *
                             plan->sens_norm_ratio *
                             tacit_law_std(vault->law, plan->dim, vault->exponent) /
                             (vault->budget * (double)plan->rows);
  return tacit_plan_outlook(plan, err);
}

/*
 * Computes high-probability bounds on the error of the gradient that the learner gets,
 * with C^2 = 2 in docs/theory.md: xi_t/beta_t = A Phi G / sqrt(t) + |gamma_t| and
 * nu_t/beta_t = A Phi H / sqrt(t), A = 4 sqrt2 (k+1), Phi^2 = ln(20 d T ln(2 kappa
 * T)/delta), kappa = 1 + H D/G.
 */
void tacit_plan_regulariser(const tacit_plan *plan, tacit_algorithm1_regulariser *out) {
  double t = (double)plan->rounds, d = fmax(2, (double)plan->dim), fail = 1 / t;
  double g = plan->learner.grad_bound, h = plan->smoothness;
  double kappa = 1 + h * plan->diameter / g;
  double phi = sqrt(log(20 * d * t * log(2 * kappa * t + 1) / fail));
  out->scale = plan->config.reg_scale;
  out->xi = 4 * sqrt(2) * (plan->power + 1) * phi * g;
  out->nu = 4 * sqrt(2) * (plan->power + 1) * phi * h;
  out->noise =
      (sqrt(tacit_law_second_moment(plan->vault.law, plan->dim, plan->vault.exponent)) +
       sqrt(2 * log(2 * t / fail))) /
      tacit_law_std(plan->vault.law, plan->dim, plan->vault.exponent);
}
