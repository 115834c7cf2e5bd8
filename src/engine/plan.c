/* SPDX-License-Identifier: MIT */
/*
 * From a config to a run: every default resolved, every contradiction refused, the
 * noise calibrated. Reads no record. The rules are those of docs/design.md, "The
 * round".
 */
#include "engine/plan.h"

#include <tacit/account.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/decode.h"
#include "model/model.h"
#include "norm/domain.h"

static const double rounds_default = 32;
static const double clip_share =
    0.7; /* of the largest gradient; measured, docs/design.md */
static const double radius_guard = 100, radius_paper = 10;
static const double power_most = 16;

void tacit_config_init(tacit_config *config) {
  *config = (tacit_config){
      .struct_size = sizeof *config,
      .rows = -1,
      .row_norm = 1,
      .bias = 1,
      .loss = "logistic",
      .passes = 1,
  };
}

static tacit_status check_ranges(const tacit_config *config, tacit_error *err) {
  struct {
    const char *rule;
    int holds;
  } const rules[] = {
      {"a schema is needed", config->schema != NULL},
      {"rows must be between 1 and 2^42",
       config->rows >= 1 && config->rows <= INT64_C(1) << 42},
      {"row-norm must be greater than 0",
       config->row_norm > 0 && isfinite(config->row_norm)},
      {"l2 must not be negative", config->l2 >= 0 && isfinite(config->l2)},
      {"passes must be between 1 and 1000000",
       config->passes >= 1 && config->passes <= 1000000},
      {"batch must be between 1 and the number of rows",
       config->batch >= 0 && config->batch <= config->rows},
      {"power must be between 1 and 16",
       config->power == 0 || (config->power >= 1 && config->power <= power_most)},
      {"clip must be greater than 0", config->clip >= 0 && isfinite(config->clip)},
      {"radius must be greater than 0",
       config->radius >= 0 && isfinite(config->radius)},
      {"epsilon must be greater than 0", config->epsilon >= 0},
      {"rho must be greater than 0", config->rho >= 0},
      {"delta must be greater than 0 and less than 1",
       config->delta >= 0 && config->delta < 1},
      {"epsilon and rho exclude each other: give one of them",
       config->epsilon == 0 || config->rho == 0},
      {"clip goes with bound clip only",
       config->clip == 0 || config->bound == TACIT_BOUND_CLIP ||
           (config->bound == TACIT_BOUND_DEFAULT && config->preset == TACIT_PRACTICAL)},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
    if (!rules[i].holds) return tacit_fail(err, TACIT_EINVAL, "%s", rules[i].rule);
  }
  return TACIT_OK;
}

static void resolve_rounds(tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  int paper = config->preset == TACIT_PAPER;
  plan->rows = config->rows;
  plan->passes = config->passes;
  plan->power = config->power > 0 ? config->power : paper ? 1 : 2;
  plan->free_last_step = !paper;
  plan->l2 = config->l2;
  int64_t batch = config->batch > 0 ? config->batch : paper ? 1 : 0;
  if (batch > 0) {
    plan->per_pass = (plan->rows - 1) / batch + 1;
  } else {
    plan->per_pass = (int64_t)fmax(1, round(rounds_default / plan->passes));
    if (plan->per_pass > plan->rows) plan->per_pass = plan->rows;
  }
  plan->rounds = plan->per_pass * plan->passes; /* below 2^62 by check_ranges */
}

static tacit_status resolve_problem(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  int paper = config->preset == TACIT_PAPER;
  plan->row = (tacit_row_rule){
      .features = tacit_schema_features(plan->schema),
      .bias = config->bias != 0,
      .row_norm = config->row_norm,
  };
  plan->dim = plan->row.features + (plan->row.bias ? 1 : 0);
  if (plan->dim == 0) return tacit_fail(err, TACIT_EINVAL, "the model has no inputs");
  double radius = config->radius > 0 ? config->radius
                  : paper            ? radius_paper
                                     : radius_guard;
  plan->learner = (tacit_learner_facts){
      .dim = plan->dim,
      .rounds = plan->rounds,
      .power = plan->power,
      .domain = config->domain,
      .radius = radius,
  };
  plan->diameter = tacit_domain_diameter(&plan->learner);
  double start_norm = 0;
  if (config->start != NULL) {
    plan->start = tacit_array_new(plan->dim, sizeof *plan->start);
    if (plan->start == NULL) return tacit_fail_memory(err);
    memcpy(plan->start, config->start, plan->dim * sizeof *plan->start);
    start_norm = tacit_norm_l2(plan->start, plan->dim);
    if (!isfinite(start_norm)) {
      return tacit_fail(err, TACIT_EINVAL, "the start point is not finite");
    }
  }

  tacit_loss_labels kind;
  TACIT_TRY(tacit_loss_labels_of(config->loss, &kind, err));
  TACIT_TRY(tacit_label_rule_of(plan->schema, kind, config->loss, &plan->label, err));
  tacit_loss_facts facts = {
      .margin_max = (plan->diameter / 2 + start_norm) * plan->row.row_norm,
      .label_max = kind == TACIT_LOSS_COUNT ? plan->label.max : 1,
  };
  TACIT_TRY(tacit_loss_new(config->loss, &facts, &plan->loss, err));
  return tacit_loss_spec_full(plan->loss, plan->loss_spec, sizeof plan->loss_spec, err);
}

static void resolve_bound(tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  int paper = config->preset == TACIT_PAPER;
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(plan->loss, &bounds);
  double row_norm = plan->row.row_norm;
  plan->grad_bound = bounds.slope * row_norm;
  plan->smoothness = bounds.curvature * row_norm * row_norm;
  plan->bound = config->bound != TACIT_BOUND_DEFAULT ? config->bound
                : paper                              ? TACIT_BOUND_PAPER
                                                     : TACIT_BOUND_CLIP;
  if (plan->bound == TACIT_BOUND_CLIP) {
    double slope = bounds.slope_is_global ? bounds.slope : bounds.slope_at_zero;
    plan->clip = config->clip > 0 ? config->clip : clip_share * row_norm * slope;
  }
  plan->learner.grad_bound =
      plan->bound == TACIT_BOUND_CLIP ? plan->clip : plan->grad_bound;
}

static tacit_status resolve_budget(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  if (!plan->vault.encoder->private_noise) {
    if (config->epsilon > 0 || config->rho > 0 || config->delta > 0) {
      return tacit_fail(err, TACIT_EINVAL,
                        "mechanism none adds no noise and gives no privacy: leave out "
                        "epsilon, delta and rho");
    }
    plan->epsilon = plan->mu = INFINITY;
    return TACIT_OK;
  }
  if (config->epsilon == 0 && config->rho == 0) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a privacy budget is needed: epsilon (for example 1), or rho");
  }
  double n = (double)plan->rows;
  plan->delta = config->delta > 0 ? config->delta : tacit_down(1 / (n * n));
  if (plan->delta > 0.5) {
    return tacit_fail(err, TACIT_EINVAL,
                      config->delta > 0
                          ? "delta must be at most 0.5"
                          : "delta defaults to 1/rows^2, which is too large "
                            "for so few rows: give delta");
  }
  int paper = config->preset == TACIT_PAPER;
  if (config->rho > 0) {
    plan->mu = config->rho;
    return paper ? tacit_epsilon_from_rho_paper_up(plan->mu, plan->delta,
                                                   &plan->epsilon, err)
                 : tacit_epsilon_from_mu_up(plan->mu, plan->delta, &plan->epsilon, err);
  }
  plan->epsilon = config->epsilon;
  return paper
             ? tacit_rho_paper_from_dp_down(plan->epsilon, plan->delta, &plan->mu, err)
             : tacit_mu_from_dp_down(plan->epsilon, plan->delta, &plan->mu, err);
}

/* The largest bound round t can have: the learner stays in W. */
static double bound_at_most(const tacit_plan *plan, const tacit_weights *weights) {
  return tacit_plan_bound(plan, weights, plan->diameter, plan->diameter);
}

static tacit_status resolve_noise(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  tacit_vault_facts *vault = &plan->vault;
  vault->shape = (tacit_encoder_facts){
      .dim = plan->dim, .rounds = plan->rounds, .per_pass = plan->per_pass};
  vault->noise = config->noise;
  vault->kappa = config->adjacency == TACIT_REPLACE ? 2 : 1;
  vault->mu = plan->mu;
  double sens_squared;
  TACIT_TRY(vault->encoder->sens_squared(&vault->shape, &sens_squared, err));
  if (config->preset == TACIT_PAPER) {
    /* The paper counts log2(2T) levels; there are floor(log2 T) + 1 (erratum E7). */
    sens_squared = fmax(sens_squared, tacit_log2_up(2 * (double)plan->rounds));
  }
  vault->sens = tacit_sqrt_up(sens_squared);

  tacit_weights first, last;
  tacit_weights_init(&first, plan->power, plan->rounds);
  tacit_weights_next(&first);
  last = first;
  last.t = plan->rounds - 1;
  tacit_weights_next(&last);
  last.horizon = 1; /* x_R is then as far from x_{R-1} as W is wide */
  tacit_lattice_facts facts = {
      .rows_round = (plan->rows - 1) / plan->per_pass + 1,
      .rows_run = plan->rows * plan->passes,
      .s_max = bound_at_most(plan, &last),
      .s_min = tacit_plan_bound(plan, &first, 0, 0),
      .kappa = vault->kappa,
      .sens = vault->sens,
      .mu = vault->mu,
  };
  return tacit_lattice_new(&facts, &vault->lattice, err);
}

/*
 * What the convergence theorem promises, for rows drawn independently, one pass and no
 * clipping: with D the diameter, expected excess loss <= D (regret + sampling + noise),
 *   regret   sqrt2 sqrt(sum |gbar_t|^2) / beta_{1:R}, of AdaGrad-type learners
 *   sampling sum_t sqrt(sum_{i<=t} s_i^2 / B) / beta_{1:R}
 *   noise    sum_t sqrt(d Var gamma_t) / beta_{1:R}
 * and the noise of the last gradient, all with the largest bounds the rounds can have.
 */
static tacit_status foresee(tacit_plan *plan, tacit_error *err) {
  tacit_decoder *decoder = NULL;
  TACIT_TRY(
      tacit_decoder_new(plan->vault.encoder->name, 0, plan->rounds, &decoder, err));
  tacit_weights weights;
  tacit_weights_init(&weights, plan->power, plan->rounds);
  double rows_mean = (double)plan->rows / (double)plan->per_pass;
  double sampling_squared = 0, grads_squared = 0;
  for (int64_t t = 1; t <= plan->rounds; ++t) {
    tacit_weights_next(&weights);
    double s = bound_at_most(plan, &weights);
    double row_std =
        isinf(plan->mu) ? 0 : plan->vault.kappa * plan->vault.sens * s / plan->mu;
    double sum_std;
    tacit_decoder_step(decoder, t, NULL, row_std, NULL, &sum_std);
    double noise = sqrt((double)plan->dim) * sum_std / rows_mean;
    double grad = weights.share * plan->learner.grad_bound;
    sampling_squared += s * s / rows_mean;
    grads_squared += grad * grad + noise * noise;
    plan->term_sampling += sqrt(sampling_squared);
    plan->term_noise += noise;
    plan->noise_last = sum_std / rows_mean;
  }
  plan->term_sampling /= weights.horizon;
  plan->term_noise /= weights.horizon;
  plan->term_regret = sqrt(2 * grads_squared) / weights.horizon;
  tacit_decoder_free(decoder);
  return TACIT_OK;
}

static tacit_status copy_inputs(tacit_plan *plan, const tacit_config *config,
                                tacit_error *err) {
  plan->config = *config;
  const char *learner = config->learner != NULL         ? config->learner
                        : config->preset == TACIT_PAPER ? "osd"
                                                        : "kt";
  size_t length = strlen(learner);
  if (length >= sizeof plan->learner_spec || config->loss == NULL) {
    return tacit_fail(err, TACIT_EINVAL, "learner or loss cannot be read");
  }
  memcpy(plan->learner_spec, learner, length + 1);
  const char *mechanism = config->mechanism != NULL ? config->mechanism : "auto";
  plan->vault.encoder = tacit_encoder_find(mechanism);
  if (plan->vault.encoder == NULL) {
    return tacit_fail(err, TACIT_EINVAL, "there is no mechanism %.40s", mechanism);
  }
  json_t *json = NULL;
  TACIT_TRY(tacit_schema_to_json(config->schema, &json, err));
  tacit_status status = tacit_schema_from_json(json, "schema", &plan->schema, err);
  json_decref(json);
  return status;
}

static tacit_status plan_init(tacit_plan *plan, const tacit_config *config,
                              tacit_error *err) {
  TACIT_TRY(check_ranges(config, err));
  TACIT_TRY(copy_inputs(plan, config, err));
  resolve_rounds(plan);
  TACIT_TRY(resolve_problem(plan, err));
  resolve_bound(plan);
  TACIT_TRY(resolve_budget(plan, err));
  TACIT_TRY(resolve_noise(plan, err));
  TACIT_TRY(foresee(plan, err));
  /* What was borrowed for this call is not kept. */
  plan->config.schema = NULL;
  plan->config.start = NULL;
  plan->config.loss = plan->config.learner = plan->config.mechanism = NULL;
  return tacit_plan_describe(plan, err);
}

tacit_status tacit_plan_new(const tacit_config *config, tacit_plan **out,
                            tacit_error *err) {
  if (config == NULL || out == NULL || config->struct_size == 0 ||
      config->struct_size > sizeof *config) {
    return tacit_fail(err, TACIT_EINVAL, "config: not filled with tacit_config_init");
  }
  /* A program built against an older header knows fewer fields: the rest has defaults.
   */
  tacit_config whole;
  tacit_config_init(&whole);
  memcpy(&whole, config, config->struct_size);
  tacit_plan *plan = tacit_array_new(1, sizeof *plan);
  if (plan == NULL) return tacit_fail_memory(err);
  tacit_status status = plan_init(plan, &whole, err);
  if (status != TACIT_OK) {
    tacit_plan_free(plan);
    return status;
  }
  *out = plan;
  return TACIT_OK;
}

void tacit_plan_free(tacit_plan *plan) {
  if (plan == NULL) return;
  tacit_schema_free(plan->schema);
  tacit_loss_free(plan->loss);
  tacit_array_free(plan->start);
  json_decref(plan->training);
  json_decref(plan->statement);
  tacit_array_free(plan->text);
  tacit_array_free(plan->json);
  tacit_array_free(plan->statement_text);
  tacit_array_free(plan->statement_json);
  tacit_array_free(plan);
}

const char *tacit_plan_text(const tacit_plan *plan) { return plan->text; }
const char *tacit_plan_json(const tacit_plan *plan) { return plan->json; }
const char *tacit_plan_statement_text(const tacit_plan *plan) {
  return plan->statement_text;
}
const char *tacit_plan_statement_json(const tacit_plan *plan) {
  return plan->statement_json;
}
