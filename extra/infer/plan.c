/* SPDX-License-Identifier: MIT */
/* What a table of effects will show, from public numbers only. */
#include <math.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/json.h"
#include "data/schema/parts.h"
#include "extra/infer/infer.h"

/* Counts the coefficients that a schema can have, with the intercept. */
static size_t coefficients_of(const tacit_effects_columns *columns) {
  size_t d = 1;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    size_t own = group->is_number ? 1 : group->n - 1;
    const tacit_cross *cross = group->cross;
    for (size_t i = 0; cross != NULL && i < cross->n_columns; ++i) {
      const tacit_column *column = &columns->schema->columns[cross->columns[i]];
      own = (i == 0 ? 1 : own) * (tacit_cross_levels(column) - 1);
    }
    d += own;
  }
  return d;
}

/* What is planned for n rows: the noise of a slope relative to its sampling error, and
   the relative error of the curvature. */
struct outlook {
  double ratio, kappa;
};

static struct outlook outlook_of(tacit_effects_loss loss, double n, double d,
                                 double kappa, double mu) {
  double h = loss == TACIT_EFFECTS_LOGISTIC ? 0.2 : 1, wide = tacit_effects_wide(loss);
  double share = TACIT_EFFECTS_LAST;
  if (loss != TACIT_EFFECTS_LOGISTIC) share *= 1 - TACIT_EFFECTS_RESIDUALS;
  double noise = kappa / (mu * sqrt(share)) * sqrt(1 + TACIT_JOINT_C + TACIT_JOINT_LOW);
  double far = 0.09 * n * h / (noise * noise * wide * wide);
  double square = fmax(2 * d, fmin(16 * d, far));
  double b = tacit_joint_b(loss, 1) * (kappa > 1 ? 2 : 1);
  return (struct outlook){wide * sqrt(square) * noise / sqrt(n * h),
                          square * noise * sqrt(d / 2) / (sqrt(b) * n * h)};
}

double tacit_effects_rows_needed(tacit_effects_loss loss, double d, double kappa,
                                 double mu, double limit) {
  double low = 1, high = 2;
  while (outlook_of(loss, high, d, kappa, mu).kappa > limit && high < 1e15)
    high *= 2;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    *(outlook_of(loss, middle, d, kappa, mu).kappa > limit ? &low : &high) = middle;
  }
  double round = pow(10, floor(log10(high)) - 1);
  return ceil(high / round) * round;
}

static json_t *plan_json(const tacit_inference *inference, double d) {
  double n = (double)inference->facts.rows, kappa = inference->kappa;
  struct outlook outlook =
      outlook_of(inference->loss, n, d, kappa, inference->facts.mu);
  double width = sqrt(1 + outlook.ratio * outlook.ratio);
  double h = inference->loss == TACIT_EFFECTS_LOGISTIC ? 0.2 : 1;
  const char *identified = outlook.kappa > 0.3   ? "no"
                           : outlook.kappa > 0.1 ? "in part"
                                                 : "yes";
  json_t *object =
      json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:s, s:f, s:f}", "loss",
                tacit_effects_loss_name(inference->loss), "rows", n, "coefficients", d,
                "epsilon", inference->facts.epsilon, "delta", inference->facts.delta,
                "mu", inference->facts.mu, "width", width, "at_least", width >= 1.5,
                "identified", identified, "kappa", outlook.kappa, "half_width_of_sd_1",
                1.96 * width / sqrt(n * h));
  if (outlook.kappa > 0.1)
    (void)json_object_set_new(
        object, "rows_needed",
        json_real(tacit_effects_rows_needed(inference->loss, d, kappa,
                                            inference->facts.mu, 0.1)));
  return object;
}

tacit_status tacit_inference_plan(const tacit_schema *schema, int64_t rows,
                                  size_t columns,
                                  const tacit_inference_options *options, char **out,
                                  tacit_error *err) {
  if (schema == NULL || options == NULL || out == NULL || rows < 1 ||
      options->struct_size != sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "a plan needs a schema, the number of rows and a budget");
  tacit_inference inference = {.schema = schema, .options = *options};
  TACIT_TRY(tacit_effects_prepare(&inference, err));
  inference.facts.rows = rows;
  TACIT_TRY(tacit_release_budget(&inference.facts, err));
  double d = (double)(columns > 0 ? columns : coefficients_of(&inference.columns));
  tacit_effects_columns_fini(&inference.columns);
  if (d > TACIT_EFFECTS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "%.0f coefficients: a table of effects has at most %d", d,
                      TACIT_EFFECTS_MAX);
  json_t *object = plan_json(&inference, d);
  if (object == NULL) return tacit_fail_memory(err);
  tacit_status status = tacit_json_text(object, 1, out, err);
  json_decref(object);
  return status;
}
