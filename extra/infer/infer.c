/* SPDX-License-Identifier: MIT */
/* A table of effects, from its plan to its model. */
#include "extra/infer/infer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tacit/account.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "model/model.h"
#include "not_private/laws.h"
#include "not_private/seed.h"
#include "plan/plan.h"
#include "privacy/statement.h"
#include "run/payer.h"

static const double delta_default = 1e-6;

void tacit_inference_options_init(tacit_inference_options *options) {
  *options = (tacit_inference_options){.struct_size = sizeof *options};
}

void tacit_inference_free(tacit_inference *inference) {
  if (inference == NULL) return;
  tacit_effects_rows_close(&inference->rows);
  tacit_effects_columns_fini(&inference->columns);
  tacit_pool_free(inference->pool);
  tacit_key_wipe(&inference->key);
  tacit_array_free(inference->counts);
  tacit_array_free(inference->reference);
  tacit_array_free(inference->state);
  tacit_array_free(inference->used);
  tacit_array_free(inference->theta);
  tacit_array_free(inference->metric);
  tacit_array_free(inference->found);
  tacit_array_free(inference->covariance);
  tacit_array_free(inference->damped);
  tacit_array_free(inference->statement_text);
  json_decref(inference->statement);
  tacit_model_free(inference->model);
  tacit_array_free(inference);
}

/* Finds the loss, by name or by the kind of the label. Every other loss is refused with
   the way out. */
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

static tacit_status count_units(tacit_inference *inference, tacit_reader *reader,
                                tacit_error *err) {
  if (reader->group != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "a table of effects is of one process: open the reader without "
                      "group");
  if (!tacit_reader_rewinds(reader) || tacit_reader_rows(reader) < 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "a table of effects reads the rows several times: write the pipe "
                      "to a regular file first");
  inference->weighted = tacit_reader_weighted(reader);
  inference->persons = tacit_reader_has_units(reader);
  inference->units = tacit_reader_rows(reader);
  if (inference->persons)
    TACIT_TRY(tacit_reader_units(reader, 0, &inference->units, err));
  return inference->units > 0 ? TACIT_OK : tacit_fail(err, TACIT_EDATA, "no rows");
}

static tacit_status set_budget(tacit_inference *inference, tacit_error *err) {
  const tacit_inference_options *options = &inference->options;
  double n = (double)inference->units;
  inference->kappa = options->adjacency == TACIT_ZERO_OUT ? 1 : 2;
  inference->delta =
      options->delta > 0 ? options->delta : fmin(1 / (n * n), delta_default);
  inference->epsilon = options->epsilon;
  inference->mu = options->mu;
  if ((options->epsilon > 0) == (options->mu > 0))
    return tacit_fail(err, TACIT_EINVAL,
                      "a privacy budget is needed: epsilon, for example 1");
  if (options->mu > 0)
    return tacit_epsilon_from_mu_up(inference->mu, inference->delta,
                                    &inference->epsilon, err);
  return tacit_mu_from_dp_down(inference->epsilon, inference->delta, &inference->mu,
                               err);
}

tacit_status tacit_effects_spend(tacit_inference *inference, double share,
                                 double *out_mu, char purpose[TACIT_EFFECTS_PURPOSE],
                                 tacit_error *err) {
  double total, mu = inference->mu * sqrt(share) * (1 - 0x1p-40);
  TACIT_TRY(tacit_mu_compose_up(inference->spent, mu, &total, err));
  if (!(total <= inference->mu))
    return tacit_fail(err, TACIT_EPRIVACY, "the releases exceed their budget");
  inference->spent = total;
  (void)snprintf(purpose, TACIT_EFFECTS_PURPOSE, "tacit-effects-%02u",
                 (unsigned)++inference->releases % 100);
  *out_mu = mu;
  return TACIT_OK;
}

static tacit_status describe(tacit_inference *inference, tacit_error *err) {
  const tacit_schema *schema = inference->schema;
  char unit[256];
  int number = inference->loss != TACIT_EFFECTS_LOGISTIC;
  int rounds = 3 + number + (inference->rounds > 0 ? inference->rounds : 5);
  tacit_statement_parts statement = {
      .is_private = !inference->options.seeded,
      .epsilon = inference->epsilon,
      .delta = inference->delta,
      .mu = inference->mu,
      .adjacency = inference->options.adjacency,
      .unit = tacit_unit_words(inference->persons ? inference->units : 0, 0,
                               inference->options.unit_name, schema, unit, sizeof unit),
      .persons = inference->persons,
      .rows = inference->units,
      .rounds = rounds,
      .passes = rounds,
      .batches_per_pass = 1,
      .order = "sums over all rows",
      .as_sets = 1,
      .weights = inference->weighted ? tacit_weights_words : NULL,
      .mechanism = "one release per pass",
      .noise = "exact",
      .noise_law = tacit_law_summary(&tacit_law_gaussian),
      .bound = "a unit adds a vector of norm 1 to each release: counts and numbers, or "
               "slope, curvature and meat together",
      .clip = 1,
      .norm_exponent = 2,
      .sigma_formula = "sigma_i = Delta_i / mu_i, sum of mu_i^2 <= mu^2; shares of "
                       "mu^2: means 0.03, "
                       "spreads 0.03, rounds 0.2, the rest for the last release",
      .accounting = "mu-GDP, exact Gaussian conversion",
      .sensitivity_factor = 1,
      .noise_multiplier = tacit_div_down(1, inference->mu),
      .second_moment = 1,
      .preset = "infer",
      .version = TACIT_VERSION,
  };
  if (inference->options.seeded)
    statement.reasons[statement.n_reasons++] =
        "the noise comes from a seed: whoever knows it can take the noise off";
  if (schema->described != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "the schema was made from private counts, which a table of "
                      "effects does not add to its budget: remove \"described\" and "
                      "count them in the ledger");
  json_decref(inference->statement);
  inference->statement = NULL;
  tacit_array_free(inference->statement_text);
  inference->statement_text = NULL;
  TACIT_TRY(tacit_statement_json(&statement, &inference->statement, err));
  return tacit_json_text(inference->statement, 1, &inference->statement_text, err);
}

static tacit_status make_room(tacit_inference *inference, tacit_error *err) {
  size_t n = inference->columns.n;
  inference->counts = tacit_array_new(4 * n, sizeof(double));
  inference->reference =
      tacit_array_new(inference->columns.n_groups, sizeof *inference->reference);
  inference->state = tacit_array_new(n, sizeof *inference->state);
  if (inference->counts == NULL || inference->reference == NULL ||
      inference->state == NULL)
    return tacit_fail_memory(err);
  inference->means = inference->counts + n;
  inference->centre = inference->means + n;
  inference->spread = inference->centre + n;
  return TACIT_OK;
}

tacit_status tacit_effects_prepare(tacit_inference *inference, tacit_error *err) {
  const tacit_inference_options *options = &inference->options;
  TACIT_TRY(set_loss(inference, err));
  TACIT_TRY(set_budget(inference, err));
  return tacit_effects_columns_new(inference->schema, options->low, options->high,
                                   &inference->columns, err);
}

static tacit_status plan(tacit_inference *inference, tacit_reader *reader,
                         tacit_error *err) {
  TACIT_TRY(count_units(inference, reader, err));
  TACIT_TRY(tacit_effects_prepare(inference, err));
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

/* Makes the releases and the model. The rows must be open. */
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
