/* SPDX-License-Identifier: MIT */
/*
 * From a config to a plan: every default is resolved and every contradiction refused.
 * No record is read. plan/preset.c chooses the defaults.
 */
#include "plan/plan.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "norm/domain.h"
#include "norm/norm.h"
#include "plan/preset.h"

static const char *encoder_name(size_t i) {
  const struct tacit_encoder_ops *ops = tacit_encoder_at(i);
  return ops != NULL ? ops->name : NULL;
}

/* Uses the caller's matrix instead of a named mechanism. Copies the matrix, so that its
   sensitivity and its rows are computed from the same entries. */
static tacit_status resolve_matrix(tacit_plan *plan, tacit_error *err) {
  const tacit_matrix *matrix = plan->config.matrix;
  const char *name = plan->config.mechanism;
  if (name != NULL && strcmp(name, tacit_encoder_matrix.name) != 0) {
    return tacit_fail(err, TACIT_EINVAL,
                      "mechanism %s does not go with a matrix: leave it out", name);
  }
  if (matrix->rounds != plan->rounds || matrix->rounds > TACIT_MATRIX_ROUNDS_MAX ||
      matrix->entries == NULL || matrix->bits < 0 ||
      matrix->bits > TACIT_MATRIX_ENTRY_BITS) {
    return tacit_fail(err, TACIT_EINVAL,
                      "the matrix must have a row and a column for each of the %lld "
                      "rounds, at most %d, and 0 to %d bits",
                      (long long)plan->rounds, TACIT_MATRIX_ROUNDS_MAX,
                      TACIT_MATRIX_ENTRY_BITS);
  }
  size_t size = (size_t)(plan->rounds * plan->rounds);
  plan->matrix_entries = tacit_array_new(size, sizeof *plan->matrix_entries);
  if (plan->matrix_entries == NULL) return tacit_fail_memory(err);
  memcpy(plan->matrix_entries, matrix->entries, size * sizeof *plan->matrix_entries);
  plan->matrix = (tacit_matrix){matrix->rounds, matrix->bits, plan->matrix_entries};
  plan->vault.shape.matrix = &plan->matrix;
  plan->vault.encoder = &tacit_encoder_matrix;
  return TACIT_OK;
}

/* Finds the mechanism for "auto", "NAME" or "NAME:key=value,…". */
static tacit_status resolve_mechanism(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  if (config->matrix != NULL) return resolve_matrix(plan, err);
  const char *spec = config->mechanism;
  if (spec == NULL) spec = config->preset == TACIT_PAPER ? "tree" : "auto";
  char name[TACIT_ARGS_NAME_SIZE];
  TACIT_TRY(tacit_args_name(spec, name, sizeof name, err));
  int automatic = strcmp(name, "auto") == 0;
  const struct tacit_encoder_ops *ops =
      automatic ? tacit_encoder_auto(plan->rounds, config->pure)
                : tacit_encoder_find(name);
  if (ops == NULL) return tacit_args_unknown("mechanism", name, encoder_name, err);
  tacit_encoder_facts *shape = &plan->vault.shape;
  TACIT_TRY(tacit_args_values(automatic ? ops->name : spec, "mechanism", ops->params,
                              shape->values, sizeof shape->values / sizeof(double),
                              err));
  ops = tacit_encoder_serving(ops, plan->per_pass, plan->passes, shape->values);
  if (ops->rounds_max > 0 && plan->rounds > ops->rounds_max) {
    return tacit_fail(
        err, TACIT_EPRIVACY, "mechanism %s serves up to %lld rounds: use %s", ops->name,
        (long long)ops->rounds_max, ops == &tacit_encoder_blt ? "tree" : "blt");
  }
  plan->vault.encoder = ops;
  return TACIT_OK;
}

static tacit_status resolve_domain(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  plan->row = (tacit_row_rule){
      .features = tacit_schema_features(plan->schema),
      .bias = config->bias,
      .row_norm = config->row_norm,
  };
  plan->gradient = config->gradient;
  tacit_loss_facts facts = {.classes = tacit_schema_classes(plan->schema)};
  plan->row.outputs = tacit_loss_outputs(&facts);
  plan->dim = tacit_row_weights(&plan->row);
  if (plan->gradient != NULL) plan->dim = plan->gradient->dim;
  if (plan->dim == 0) return tacit_fail(err, TACIT_EINVAL, "the model has no inputs");
  plan->learner = (tacit_learner_facts){
      .dim = plan->dim,
      .rounds = plan->rounds,
      .power = plan->power,
      .domain = config->domain,
      .radius = config->domain == TACIT_DOMAIN_SIMPLEX ? 1 : tacit_rules_radius(config),
      .norm = config->norm == 0   ? 2
              : config->norm == 1 ? tacit_norm_for_l1(plan->dim)
                                  : config->norm,
      .strong = config->l2,
      .rows = plan->rows,
      .passes = plan->passes,
      .outputs = plan->gradient != NULL ? 1 : plan->row.outputs,
      .row_norm = plan->row.row_norm,
  };
  plan->diameter = tacit_domain_diameter_in(&plan->learner, plan->learner.norm);
  return TACIT_OK;
}

static tacit_status resolve_start(tacit_plan *plan, tacit_error *err) {
  const double *start = plan->config.start;
  if (start == NULL) return TACIT_OK;
  plan->start = tacit_array_new(plan->dim, sizeof *plan->start);
  if (plan->start == NULL) return tacit_fail_memory(err);
  memcpy(plan->start, start, plan->dim * sizeof *plan->start);
  for (size_t i = 0; i < plan->dim; ++i)
    if (!isfinite(start[i]))
      return tacit_fail(err, TACIT_EINVAL, "the start point is not finite");
  return TACIT_OK;
}

/* Copies the weights of the classes, divided by the largest. */
static tacit_status resolve_classes(tacit_plan *plan, tacit_error *err) {
  const double *weights = plan->config.class_weights;
  size_t count = tacit_schema_classes(plan->schema);
  if (weights == NULL) return TACIT_OK;
  if (count == 0 || plan->gradient != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "class weights need a loss on declared classes");
  double max = 0, min = INFINITY;
  for (size_t i = 0; i < count; ++i) {
    if (!(weights[i] >= 0 && weights[i] <= 1e100))
      return tacit_fail(err, TACIT_EINVAL, "class weights must be between 0 and 1e100");
    if (weights[i] > max) max = weights[i];
    if (weights[i] < min) min = weights[i];
  }
  if (max == 0) return tacit_fail(err, TACIT_EINVAL, "all class weights are 0");
  if (min == max) return TACIT_OK;
  plan->class_weights = tacit_array_new(count, sizeof *plan->class_weights);
  if (plan->class_weights == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i)
    plan->class_weights[i] = weights[i] / max;
  return TACIT_OK;
}

static tacit_status resolve_loss(tacit_plan *plan, tacit_error *err) {
  tacit_loss_labels kind;
  if (plan->gradient != NULL) {
    plan->label.kind = TACIT_LOSS_COUNT; /* labels are given to the callback
                                            unchanged */
    plan->grad_bound = plan->gradient->lipschitz;
    plan->smoothness = plan->gradient->smooth;
    return TACIT_OK;
  }
  const char *loss = tacit_plan_loss(plan);
  TACIT_TRY(tacit_loss_labels_of(loss, &kind, err));
  TACIT_TRY(tacit_label_rule_of(plan->schema, kind, loss, &plan->label, err));
  double reach = tacit_domain_reach_in(&plan->learner, plan->learner.norm);
  if (plan->start != NULL)
    reach += tacit_norm_lp(NULL, plan->start, plan->dim, plan->learner.norm);
  tacit_loss_facts facts = {
      .margin_max = reach * plan->row.row_norm,
      .label_max = kind == TACIT_LOSS_COUNT ? plan->label.max : 1,
      .classes = plan->label.classes,
      .plain = tacit_plan_is_plain(plan),
  };
  TACIT_TRY(tacit_loss_new(loss, &facts, &plan->loss, err));
  TACIT_TRY(
      tacit_loss_spec_full(plan->loss, plan->loss_spec, sizeof plan->loss_spec, err));
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(plan->loss, &bounds);
  double row_norm = plan->row.row_norm;
  plan->grad_bound = bounds.slope * row_norm;
  plan->smoothness = bounds.curvature * row_norm * row_norm;
  double slope = bounds.slope_is_global ? bounds.slope : bounds.slope_at_zero;
  plan->clip = tacit_rules_clip(row_norm, slope);
  /* The bound on slopes contains the root of the number of copies, which does not make
     a loss less stiff. */
  double copies = sqrt((double)tacit_loss_copies(plan->loss));
  plan->stiffness = copies * bounds.curvature * row_norm / slope;
  return TACIT_OK;
}

static tacit_status resolve_bound(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  if (config->bound != TACIT_BOUND_DEFAULT) plan->bound = config->bound;
  if (config->clip > 0) plan->clip = config->clip;
  if (plan->bound != TACIT_BOUND_CLIP) plan->clip = 0;
  plan->learner.grad_bound =
      plan->bound == TACIT_BOUND_CLIP ? plan->clip : plan->grad_bound;
  if (!(plan->learner.grad_bound > 0) || !isfinite(plan->learner.grad_bound)) {
    return tacit_fail(
        err, TACIT_EINVAL,
        "a gradient of your own needs a bound: clip, or lipschitz and smooth");
  }
  return TACIT_OK;
}

static tacit_status copy_inputs(tacit_plan *plan, const tacit_config *config,
                                tacit_error *err) {
  plan->config = *config;
  if (config->adjacency == TACIT_ADJACENCY_DEFAULT)
    plan->config.adjacency = TACIT_REPLACE;
  if (config->preset == TACIT_PRESET_DEFAULT) plan->config.preset = TACIT_PRACTICAL;
  if (config->domain == TACIT_DOMAIN_DEFAULT) plan->config.domain = TACIT_DOMAIN_BALL;
  const char *learner = config->learner != NULL         ? config->learner
                        : config->preset == TACIT_PAPER ? "osd"
                                                        : "kt";
  if (config->learner_ops != NULL && config->learner == NULL)
    learner = config->learner_ops->name;
  size_t length = learner != NULL ? strlen(learner) : sizeof plan->learner_spec;
  if (length >= sizeof plan->learner_spec)
    return tacit_fail(err, TACIT_EINVAL, "learner: the name cannot be read");
  memcpy(plan->learner_spec, learner, length + 1);
  if (config->checkpoint != NULL) {
    plan->checkpoint = tacit_string_copy(config->checkpoint);
    plan->key_file = tacit_string_copy(config->key_file);
    if (plan->checkpoint == NULL || plan->key_file == NULL)
      return tacit_fail_memory(err);
  }
  json_t *json = NULL;
  TACIT_TRY(tacit_schema_to_json(config->schema, &json, err));
  tacit_status status = tacit_schema_from_json(json, "schema", &plan->schema, err);
  json_decref(json);
  if (status == TACIT_OK) plan->schema->notes = json_incref(config->schema->notes);
  return status;
}

/* Drops pointers of the caller from the config, because they may become invalid. */
static void forget_inputs(tacit_plan *plan) {
  plan->config.schema = NULL;
  plan->config.start = plan->config.class_weights = NULL;
  plan->config.init = NULL;
  plan->config.loss = plan->config.learner = plan->config.mechanism = NULL;
  plan->config.law = plan->config.init_name = plan->config.unit_name = NULL;
  plan->config.matrix = NULL;
  plan->config.checkpoint = plan->config.key_file = plan->config.leaks = NULL;
}

static tacit_status inputs_init(tacit_plan *plan, const tacit_config *config,
                                tacit_error *err) {
  TACIT_TRY(tacit_config_check(config, &plan->days, err));
  TACIT_TRY(tacit_kernel_pick(&plan->kernel, err));
  return copy_inputs(plan, config, err);
}

/* Decides how rows and contributions are measured: domain, weights of classes, law and
   scaling. */
static tacit_status frame_init(tacit_plan *plan, tacit_error *err) {
  TACIT_TRY(resolve_domain(plan, err));
  TACIT_TRY(resolve_classes(plan, err));
  TACIT_TRY(tacit_plan_law(plan, err));
  return tacit_plan_scale(plan, err);
}

static tacit_status plan_init(tacit_plan *plan, const tacit_config *config,
                              tacit_error *err) {
  TACIT_TRY(inputs_init(plan, config, err));
  tacit_rules_practical(plan);
  tacit_rules_rounds(plan);
  TACIT_TRY(resolve_mechanism(plan, err));
  TACIT_TRY(frame_init(plan, err));
  TACIT_TRY(tacit_plan_budget(plan, err));
  TACIT_TRY(resolve_start(plan, err));
  TACIT_TRY(tacit_plan_init_model(plan, err));
  TACIT_TRY(resolve_loss(plan, err));
  plan->bound = config->preset == TACIT_PAPER ? TACIT_BOUND_PAPER : TACIT_BOUND_CLIP;
  tacit_rules_learner(plan);
  TACIT_TRY(resolve_bound(plan, err));
  TACIT_TRY(tacit_plan_plain(plan, err));
  TACIT_TRY(tacit_plan_centre(plan, err));
  TACIT_TRY(tacit_plan_compose(plan, err));
  TACIT_TRY(tacit_plan_noise(plan, err));
  return tacit_plan_describe(plan, err);
}

/* Makes the plan of a worker. It has no start point, which changes bounds of the loss
   but not its slopes. A worker makes no noise, so any mechanism will do. */
static tacit_status problem_init(tacit_plan *plan, const tacit_config *config,
                                 tacit_error *err) {
  TACIT_TRY(inputs_init(plan, config, err));
  plan->rows = config->rows;
  plan->vault.encoder = &tacit_encoder_tree;
  TACIT_TRY(frame_init(plan, err));
  plan->sums = plan->dim;
  TACIT_TRY(resolve_loss(plan, err));
  if (plan->gradient == NULL) tacit_plan_moments(plan);
  return TACIT_OK;
}

/* Makes a whole plan or, if `problem` is not NULL, the part for workers of a run with
   this problem. `days` is NULL if the run is not a stream. */
static tacit_status make(const tacit_config *config, const tacit_days *days,
                         const tacit_problem *problem, tacit_plan **out,
                         tacit_error *err) {
  if (config == NULL || out == NULL || config->struct_size == 0 ||
      config->struct_size > sizeof *config)
    return tacit_fail(err, TACIT_EINVAL, "config: not filled with tacit_config_init");
  /* A program built with an older header has fewer fields. The other fields get
     defaults. */
  tacit_config whole;
  tacit_config_init(&whole);
  memcpy(&whole, config, config->struct_size);
  if (whole.units > 0)
    whole.rows = whole.units; /* the number of rows of persons is
                                 secret */
  if (problem != NULL) {
    whole.centre = problem->centres ? TACIT_CENTRE_ON : TACIT_CENTRE_OFF;
    if (whole.scaling == TACIT_SCALE_SPREAD) whole.scaling = TACIT_SCALE_DEFAULT;
    if (whole.scaling == TACIT_SCALE_DEFAULT)
      whole.preset = problem->spreads ? TACIT_PRACTICAL : TACIT_ANYTIME;
    whole.learner = problem->plain ? "heavy-ball" : "kt";
    whole.learner_ops = NULL;
  }
  tacit_plan *plan = tacit_array_new(1, sizeof *plan);
  if (plan == NULL) return tacit_fail_memory(err);
  if (days != NULL) plan->days = *days;
  tacit_status status =
      problem == NULL ? plan_init(plan, &whole, err) : problem_init(plan, &whole, err);
  if (status != TACIT_OK) {
    tacit_plan_free(plan);
    return status;
  }
  forget_inputs(plan);
  *out = plan;
  return TACIT_OK;
}

tacit_status tacit_plan_new(const tacit_config *config, tacit_plan **out,
                            tacit_error *err) {
  return make(config, NULL, NULL, out, err);
}

tacit_status tacit_plan_of_days(const tacit_config *config, const tacit_days *days,
                                tacit_plan **out, tacit_error *err) {
  return make(config, days, NULL, out, err);
}

tacit_status tacit_plan_problem(const tacit_config *config, tacit_problem problem,
                                tacit_plan **out, tacit_error *err) {
  return make(config, NULL, &problem, out, err);
}

void tacit_plan_free(tacit_plan *plan) {
  if (plan == NULL) return;
  tacit_schema_free(plan->schema);
  tacit_loss_free(plan->loss);
  tacit_array_free(plan->start);
  tacit_array_free(plan->start_offset);
  tacit_array_free(plan->class_weights);
  tacit_array_free(plan->matrix_entries);
  tacit_array_free(plan->checkpoint);
  tacit_array_free(plan->key_file);
  json_decref(plan->init);
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
const tacit_statement *tacit_plan_statement(const tacit_plan *plan) {
  return &plan->stated;
}

const char *tacit_plan_statement_json(const tacit_plan *plan) {
  return plan->statement_json;
}
