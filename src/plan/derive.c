/* SPDX-License-Identifier: MIT */
/* Parts of a plan that follow from the loss and the learner: how rows are scaled, and
   which gradients and weights the rounds have. */
#include <math.h>

#include "algorithm1/covariance.h"
#include "base/args.h"
#include "base/error.h"
#include "data/schema/schema.h"
#include "plan/plan.h"

const char *tacit_plan_loss(const tacit_plan *plan) {
  if (plan->config.loss != NULL) return plan->config.loss;
  size_t classes = tacit_schema_classes(plan->schema);
  return classes > 2 ? "softmax" : classes == 2 ? "logistic" : "squared";
}

/* Decides whether the spread of the rows is released, and whether one number scales all
   rows instead of each row's own norm. One number scales them if the config says so, if
   rows are centred and the loss is on numbers, or if a column promises to be monotone:
   own norms would change intercepts, and a score could fall where the norm rises. Rows
   scaled by one number have norm at most 1 if the declared bounds hold. */
tacit_status tacit_plan_scale(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  tacit_loss_labels kind = TACIT_LOSS_CLASSES;
  if (plan->gradient != NULL) return TACIT_OK;
  int promises = tacit_schema_promises(plan->schema);
  if (promises &&
      (config->scaling == TACIT_SCALE_OWN || config->scaling == TACIT_SCALE_SPREAD))
    return tacit_fail(err, TACIT_EINVAL,
                      "a monotone column needs one scale for all rows, because a score "
                      "may fall where the norm of a row rises: give \"same\"");
  if (config->scaling == TACIT_SCALE_OWN) return TACIT_OK;
  TACIT_TRY(tacit_loss_labels_of(tacit_plan_loss(plan), &kind, err));
  int may_spread =
      kind == TACIT_LOSS_CLASSES && tacit_config_centres(config) && !promises;
  if (config->scaling == TACIT_SCALE_SPREAD && !may_spread)
    return tacit_fail(err, TACIT_EINVAL,
                      "scale spread needs classes and centred rows (centre on)");
  plan->spreads =
      may_spread && !plan->products &&
      (config->scaling == TACIT_SCALE_SPREAD ||
       (config->scaling == TACIT_SCALE_DEFAULT && config->preset == TACIT_PRACTICAL));
  if (config->scaling == TACIT_SCALE_SPREAD) return TACIT_OK;
  if (config->scaling == TACIT_SCALE_DEFAULT && !promises &&
      (!tacit_config_centres(config) || kind == TACIT_LOSS_CLASSES))
    return TACIT_OK;
  double norm = tacit_schema_norm_max(plan->schema, plan->row.bias, plan->row.exponent);
  if (isinf(norm) || config->row_norm != 1) norm = config->row_norm;
  plan->row.scale = 1 / norm;
  plan->row.row_norm = plan->learner.row_norm = 1;
  return TACIT_OK;
}

/* Returns the table of the learner, or NULL if the name is not known. tacit_learner_new
   reports unknown names. */
static const tacit_learner_ops *ops_of(const tacit_plan *plan) {
  char name[TACIT_ARGS_NAME_SIZE];
  if (plan->config.learner_ops != NULL) return plan->config.learner_ops;
  if (tacit_args_name(plan->learner_spec, name, sizeof name, NULL) != TACIT_OK)
    return NULL;
  return tacit_learner_find(name);
}

int tacit_plan_is_plain(const tacit_plan *plan) {
  const tacit_learner_ops *ops = ops_of(plan);
  return ops != NULL && tacit_learner_ops_plain(ops);
}

/* Sets weights beta_t = 1 and one bound for all rounds if the learner takes plain
   gradients. */
tacit_status tacit_plan_plain(tacit_plan *plan, tacit_error *err) {
  const tacit_config *config = &plan->config;
  if (!tacit_plan_is_plain(plan)) return TACIT_OK;
  const tacit_learner_ops *ops = ops_of(plan);
  if (config->power > 0 || plan->bound != TACIT_BOUND_CLIP)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s takes plain gradients: power and bounds other than "
                      "clip do not go with it",
                      ops->name);
  if (plan->rounds > TACIT_COVARIANCE_ROUNDS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s serves up to %d rounds: give a larger batch",
                      ops->name, TACIT_COVARIANCE_ROUNDS_MAX);
  plan->power = plan->learner.power = 0;
  plan->free_last_step = 1;
  return TACIT_OK;
}
