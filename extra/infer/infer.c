/* SPDX-License-Identifier: MIT */
/* A table of effects, from its plan to its model. */
#include "extra/infer/infer.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "not_private/seed.h"
#include "run/payer.h"

void tacit_inference_options_init(tacit_inference_options *options) {
  *options = (tacit_inference_options){.struct_size = sizeof *options};
}

void tacit_inference_free(tacit_inference *inference) {
  if (inference == NULL) return;
  tacit_effects_rows_close(&inference->rows);
  tacit_effects_columns_fini(&inference->columns);
  tacit_pool_free(inference->pool);
  tacit_key_wipe(&inference->key);
  TACIT_FREE(inference->counts, inference->reference, inference->state, inference->used,
             inference->theta, inference->metric, inference->found,
             inference->covariance, inference->damped, inference->statement_text);
  json_decref(inference->statement);
  tacit_model_free(inference->model);
  tacit_array_free(inference);
}

/* Sets the loss, by its name or by the kind of the label. Returns TACIT_EINVAL with the
   way out for a loss that tables cannot have. */
static tacit_status set_loss(tacit_inference *inference, tacit_error *err) {
  static const tacit_loss_labels labels[] = {TACIT_LOSS_CLASSES, TACIT_LOSS_UNIT,
                                             TACIT_LOSS_COUNT};
  size_t classes = tacit_schema_classes(inference->schema);
  const char *name = inference->options.loss;
  if (classes > 2)
    return tacit_fail(err, TACIT_EINVAL,
                      "a table of effects is of two classes or a number, and the label "
                      "has %zu classes: name those that are the case (\"positive\" of "
                      "the label), one table per class",
                      classes);
  if (name == NULL) name = classes == 2 ? "logistic" : "squared";
  int loss = TACIT_EFFECTS_LOGISTIC;
  while (loss <= TACIT_EFFECTS_POISSON &&
         strcmp(name, tacit_effects_loss_name((tacit_effects_loss)loss)) != 0)
    ++loss;
  if (loss > TACIT_EFFECTS_POISSON)
    return tacit_fail(err, TACIT_EINVAL,
                      "loss %.40s has no intervals: use logistic for classes, squared "
                      "for a number, poisson for counts",
                      name);
  inference->loss = (tacit_effects_loss)loss;
  return tacit_label_rule_of(inference->schema, labels[loss], name, &inference->label,
                             err);
}

static tacit_status describe(tacit_inference *inference, tacit_error *err) {
  int number = inference->loss != TACIT_EFFECTS_LOGISTIC;
  const tacit_release_words words = {
      .passes = 3 + number + (inference->rounds > 0 ? inference->rounds : 5),
      .columns = 1,
      .order = "sums over all rows",
      .mechanism = "one release per pass",
      .bound = "a unit adds a vector of norm 1 to each release: counts and numbers, or "
               "slope, curvature and meat together",
      .sigma_formula = "sigma_i = Delta_i / mu_i, sum of mu_i^2 <= mu^2; shares of "
                       "mu^2: means 0.03, spreads 0.03, rounds 0.2, the rest for the "
                       "last release",
      .preset = "infer",
  };
  return tacit_release_describe(&inference->facts, inference->schema, &words,
                                &inference->statement, &inference->statement_text, err);
}

static tacit_status make_room(tacit_inference *inference, tacit_error *err) {
  size_t n = inference->columns.n;
  TACIT_TRY(TACIT_NEW(inference->counts, 5 * n, err));
  TACIT_TRY(TACIT_NEW(inference->reference, inference->columns.n_groups, err));
  TACIT_TRY(TACIT_NEW(inference->state, n, err));
  inference->means = inference->counts + n;
  inference->centre = inference->means + n;
  inference->spread = inference->centre + n;
  inference->rise = inference->spread + n;
  return TACIT_OK;
}

tacit_status tacit_effects_prepare(tacit_inference *inference, tacit_error *err) {
  const tacit_inference_options *options = &inference->options;
  inference->facts.options = (tacit_evaluation_options){
      .epsilon = options->epsilon,
      .delta = options->delta,
      .mu = options->mu,
      .adjacency = options->adjacency,
      .seeded = options->seeded,
      .unit_name = options->unit_name,
  };
  inference->kappa = options->adjacency == TACIT_ZERO_OUT ? 1 : 2;
  TACIT_TRY(set_loss(inference, err));
  return tacit_effects_columns_new(inference->schema, options->low, options->high,
                                   &inference->columns, err);
}

static tacit_status plan(tacit_inference *inference, tacit_reader *reader,
                         tacit_error *err) {
  TACIT_TRY(tacit_effects_prepare(inference, err));
  TACIT_TRY(tacit_release_plan(&inference->facts, reader, err));
  if (!tacit_reader_rewinds(reader))
    return tacit_fail(err, TACIT_EINVAL,
                      "a table of effects reads the rows several times: write the pipe "
                      "to a regular file first");
  if (inference->schema->described != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "the schema was made from private counts, which a table of "
                      "effects does not add to its budget: remove \"described\" and "
                      "count them in the ledger");
  TACIT_TRY(tacit_kernel_pick(&inference->level, err));
  TACIT_TRY(tacit_pool_new(inference->options.threads, &inference->pool, err));
  TACIT_TRY(make_room(inference, err));
  return describe(inference, err);
}

tacit_status tacit_inference_new(const tacit_schema *schema, tacit_reader *reader,
                                 const tacit_inference_options *options,
                                 tacit_inference **out, tacit_error *err) {
  if (schema == NULL || reader == NULL || options == NULL || out == NULL ||
      options->struct_size != sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "a table of effects needs rows, a schema, and options that "
                      "tacit_inference_options_init filled in");
  tacit_inference *inference = tacit_array_new(1, sizeof *inference);
  if (inference == NULL) return tacit_fail_memory(err);
  inference->options = *options;
  inference->schema = schema;
  tacit_status status = plan(inference, reader, err);
  return TACIT_HAND_OVER(status, inference, tacit_inference_free, out);
}

const char *tacit_inference_statement_json(const tacit_inference *inference) {
  return inference->statement_text;
}

int tacit_inference_noise_begun(const tacit_inference *inference) {
  return inference != NULL && inference->noise_begun;
}

const tacit_model *tacit_inference_model(const tacit_inference *inference) {
  return inference->model;
}

/* Makes all releases, in their order, and the model. The rows must be open. */
static tacit_status release_all(tacit_inference *inference, tacit_error *err) {
  TACIT_TRY(tacit_effects_means(inference, err));
  TACIT_TRY(tacit_effects_choose(inference, err));
  TACIT_TRY(tacit_effects_spreads(inference, err));
  TACIT_TRY(tacit_effects_newton(inference, err));
  if (inference->loss != TACIT_EFFECTS_LOGISTIC)
    TACIT_TRY(tacit_effects_residuals(inference, err));
  TACIT_TRY(tacit_effects_last(inference, err));
  TACIT_TRY(describe(inference, err));
  return tacit_effects_model(inference, err);
}

tacit_status tacit_inference_run(tacit_inference *inference, tacit_reader *reader,
                                 tacit_error *err) {
  if (inference == NULL || reader == NULL)
    return tacit_fail(err, TACIT_EINVAL, "no table of effects");
  if (inference->has_begun)
    return tacit_fail(err, TACIT_ESTATE, "a table of effects is made once");
  inference->has_begun = 1;
  const tacit_inference_options *options = &inference->options;
  TACIT_TRY(options->seeded ? tacit_key_from_seed(options->seed, &inference->key, err)
                            : tacit_key_from_os(&inference->key, err));
  const tacit_payment payment = {.kind = "infer",
                                 .statement = inference->statement_text};
  TACIT_TRY(tacit_payer_reserve(options->payer, &payment, err));
  tacit_status status =
      tacit_effects_rows_open(&inference->rows, reader, inference->schema->features,
                              inference->pool, &inference->key, err);
  if (status == TACIT_OK) status = release_all(inference, err);
  /* The reader may be freed before the table. */
  tacit_effects_rows_close(&inference->rows);
  const char *digest = status == TACIT_OK ? tacit_model_digest(inference->model) : NULL;
  status = tacit_payer_settle(options->payer, status, inference->noise_begun, digest,
                              NULL, err);
  if (status == TACIT_OK) return TACIT_OK;
  tacit_model_free(inference->model);
  inference->model = NULL;
  return status;
}
