/* SPDX-License-Identifier: MIT */
/*
 * Private fine tuning: a run that starts from the weights of another model. Its excess
 * loss depends on the distance between that start and the optimum (paper, section 5).
 * A person may be in both data sets, so the two guarantees are composed unless the
 * initial model is declared public.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "plan/plan.h"
#include "privacy/compose.h"

/* Returns the schema as JSON (new reference) without the parts that do not change the
   inputs of a model: ids, ignored columns, counts. Returns NULL if memory runs out. */
static json_t *inputs_of(const tacit_schema *schema) {
  static const char *const others[] = {"unit", "description", "tacit_schema"};
  json_t *json = NULL;
  if (tacit_schema_to_json(schema, &json, NULL) != TACIT_OK) return NULL;
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    (void)json_object_del(json, others[i]);
  json_t *columns = json_object_get(json, "columns");
  for (size_t i = json_array_size(columns); i-- > 0;) {
    json_t *type = json_object_get(json_array_get(columns, i), "type");
    if (json_is_string(type) && strcmp(json_string_value(type), "ignore") == 0)
      (void)json_array_remove(columns, i);
  }
  return json;
}

static int same_inputs(const tacit_schema *a, const tacit_schema *b) {
  json_t *left = inputs_of(a), *right = inputs_of(b);
  int same = left != NULL && right != NULL && json_equal(left, right);
  json_decref(left);
  json_decref(right);
  return same;
}

tacit_status tacit_plan_init_model(tacit_plan *plan, tacit_error *err) {
  const tacit_model *init = plan->config.init;
  if (init == NULL) {
    if (!plan->config.init_public) return TACIT_OK;
    return tacit_fail(err, TACIT_EINVAL,
                      "init-public goes with an initial model (init)");
  }
  if (plan->config.start != NULL || plan->gradient != NULL) {
    return tacit_fail(
        err, TACIT_EINVAL,
        "an initial model excludes a start point and a gradient of your own");
  }
  if (!same_inputs(init->schema, plan->schema) || init->row.bias != plan->row.bias ||
      init->row.row_norm != plan->row.row_norm || init->row.scale != plan->row.scale ||
      init->row.exponent != plan->row.exponent) {
    return tacit_fail(
        err, TACIT_EINVAL,
        "the initial model takes other rows: schema, bias, row norm and norm "
        "must be the same");
  }
  if (plan->learner.domain == TACIT_DOMAIN_SIMPLEX) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "domain simplex is not centred: it does not go with init");
  }
  plan->start = tacit_array_new(plan->dim, sizeof *plan->start);
  if (plan->start == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < plan->dim; ++i)
    plan->start[i] = init->weights[i];
  if (init->offset != NULL) {
    size_t outputs = plan->row.outputs;
    plan->start_offset = tacit_array_new(outputs, sizeof *plan->start_offset);
    if (plan->start_offset == NULL) return tacit_fail_memory(err);
    memcpy(plan->start_offset, init->offset, outputs * sizeof *plan->start_offset);
  }
  plan->init = json_incref(init->statement);
  plan->init_private = init->stated.is_private;
  return TACIT_OK;
}

tacit_status tacit_plan_compose(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  tacit_statement init = {0};
  tacit_described described = {0};
  char unit[TACIT_UNIT_WORDS];
  int joins = plan->init != NULL && !config->init_public;
  plan->all = (tacit_guarantee){
      .unit = tacit_plan_unit(plan, unit),
      .persons = config->units > 0,
      .zero_out = config->adjacency == TACIT_ZERO_OUT,
      .as_sets = tacit_plan_as_sets(plan),
      .day_only = tacit_plan_day_only(plan),
      .pure = config->pure,
      .epsilon = plan->epsilon,
      .delta = plan->delta,
      .mu = plan->mu,
  };
  if (tacit_schema_described(plan->schema) != NULL)
    TACIT_TRY(
        tacit_described_read(tacit_schema_described(plan->schema), &described, err));
  plan->described_private = described.digest == NULL || described.is_private;
  /* A run that is not private has no guarantee to add up. */
  if (isinf(plan->mu) || (joins && !plan->init_private) || !plan->described_private)
    return TACIT_OK;
  if (joins) TACIT_TRY(tacit_statement_read(plan->init, &init, NULL, NULL, err));
  tacit_error inside = {TACIT_OK, ""};
  tacit_status status =
      tacit_guarantee_build_on(&plan->all, joins ? &init : NULL, &described, &inside);
  plan->all.unit = NULL; /* points into `unit`, which ends with this function */
  if (status == TACIT_OK) return TACIT_OK;
  if (status == TACIT_EPRIVACY && config->pure && joins && !init.pure)
    return tacit_fail(err, status,
                      "pure DP cannot start from a model that has a delta: declare it "
                      "public or train it with delta 0");
  return tacit_fail(err, status, "%s: %.200s",
                    joins ? "the initial model and this run"
                          : "the counts behind the schema and this run",
                    inside.message);
}
