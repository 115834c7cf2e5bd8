/* SPDX-License-Identifier: MIT */
/* A plan as JSON, and its privacy statement. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "data/schema/schema.h"
#include "learner/learner.h"
#include "mechanism/blt.h"
#include "not_private/laws.h"
#include "plan/plan.h"
#include "plan/preset.h"
#include "plan/words_text.h"
#include "privacy/statement_fields.h"

static const char *bound_name(tacit_bound bound) {
  switch (bound) {
  case TACIT_BOUND_TIGHT: return "tight";
  case TACIT_BOUND_PAPER: return "paper";
  case TACIT_BOUND_CLIP:
  case TACIT_BOUND_DEFAULT: break;
  }
  return "clip";
}

static const char *bound_words(tacit_bound bound) {
  switch (bound) {
  case TACIT_BOUND_TIGHT:
    return "tight: (beta_t - beta_{t-1}) G + beta_{t-1} min(H |x_t - x_{t-1}|, 2G)";
  case TACIT_BOUND_PAPER:
    return "paper: (k+1) t^(k-1) (G + H max_{i<=t} |w_i - x_{i-1}|)";
  case TACIT_BOUND_CLIP:
  case TACIT_BOUND_DEFAULT: break;
  }
  return "clip: C (beta_t - beta_{t-1})";
}

const char *tacit_plan_contribution(const tacit_plan *plan) {
  if (tacit_plan_is_plain(plan))
    return plan->centred ? "clip: C, from the release of round 0" : "clip: C";
  return plan->centred ? "clip: C (beta_t - beta_{t-1}), C from the release of round 0"
                       : bound_words(plan->bound);
}

static const char *mean_words(const tacit_plan *plan) {
  if (!plan->centred) return NULL;
  if (plan->products)
    return "the mean row, its mean square, and mean, mean square and histogram of the "
           "label; in a second reading, second moments of the rows less that mean";
  if (plan->spreads)
    return "the mean row, the rates of the classes, and the spread of the rows (20 "
           "waves "
           "of each row)";
  return plan->moments.rates > 0 ? "the mean row and the rates of the classes"
                                 : "the mean row, its mean square, and mean, mean "
                                   "square and histogram of the label";
}

double tacit_plan_sens(const tacit_plan *plan) {
  return ldexp(plan->vault.lattice.sens, -plan->vault.lattice.weight_bits);
}

static const char *sigma_words(const tacit_plan *plan) {
  if (plan->vault.law->pure) return "sigma_t = kappa S max_{i in S_t} s_i / epsilon";
  if (plan->vault.encoder->relative) {
    return "sigma = kappa S / mu on every row of C u, u_t the round's sum over its "
           "bound";
  }
  if (plan->config.preset == TACIT_PAPER && plan->bound == TACIT_BOUND_PAPER) {
    return "sigma_t^2 = Delta_t^2 log2(2T) / rho^2, Delta_t = kappa (k+1) t^(k-1) (G + "
           "H max_{i<=t} |w_i - x_{i-1}|)";
  }
  return "sigma_t = kappa S max_{i in S_t} s_i / mu";
}

static const char *accounting_words(const tacit_plan *plan) {
  if (plan->vault.law->pure)
    return "pure DP: the costs of the releases add up to epsilon";
  if (plan->config.preset == TACIT_PAPER) {
    return "RDP of the paper: (alpha, alpha rho^2/2)-RDP for every alpha > 1, epsilon "
           "= "
           "rho^2/2 + rho sqrt(2 ln(1/delta))";
  }
  return "mu-GDP, exact Gaussian conversion";
}

/* Returns 1 if a name fits into a line of text. */
static int is_plain(const char *name) {
  enum { NAME_BYTES_MAX = 200 };
  if (name[0] == '\0' || strlen(name) > NAME_BYTES_MAX) return 0;
  for (const char *c = name; *c != '\0'; ++c)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e) return 0;
  return 1;
}

/* Returns the last part of a path, or NULL if it does not fit into a line of text. */
static const char *plain_name(const char *path) {
  if (path == NULL) return NULL;
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return is_plain(name) ? name : NULL;
}

const char tacit_weights_words[] =
    "0 to 1, of each row and its class; a weight must depend on its own row and on "
    "public facts only: weights computed from other rows (raking, post-stratification) "
    "are outside the guarantee";

static const char *weights_words(const tacit_plan *plan) {
  if (plan->config.weighted) return tacit_weights_words;
  return plan->class_weights != NULL ? "declared for each class" : NULL;
}

static void add_reason(tacit_statement_parts *statement, int applies,
                       const char *reason) {
  if (applies) statement->reasons[statement->n_reasons++] = reason;
}

const char *tacit_unit_words(int64_t units, int one_day, const char *name,
                             const tacit_schema *schema, char *out, size_t size) {
  enum { DIGEST_BYTES = 16 };
  unsigned char digest[DIGEST_BYTES];
  char digits[2 * DIGEST_BYTES + 2] = "#";
  const char *column = tacit_schema_unit(schema);
  if (units == 0) return "row";
  if (name == NULL && column == NULL) name = "by id";
  /* Guarantees for persons add up if the words of their columns are the same, so a name
     that fits into no line has a digest in its place. */
  if (name == NULL && !is_plain(column)) {
    tacit_hash_of(column, strlen(column), "tacit-unit-column", NULL, 0, digest,
                  sizeof digest);
    sodium_bin2hex(digits + 1, sizeof digits - 1, digest, sizeof digest);
    column = digits;
  }
  (void)snprintf(out, size, "person%s (%s%s)", one_day ? " on one day" : "",
                 name != NULL ? "" : "column ", name != NULL ? name : column);
  return out;
}

int tacit_plan_day_only(const tacit_plan *plan) {
  return plan->days.horizon > 0 && !plan->days.unit_once;
}

const char *tacit_plan_unit(const tacit_plan *plan, char *text) {
  const tacit_config *config = &plan->config;
  return tacit_unit_words(config->units, tacit_plan_day_only(plan), config->unit_name,
                          plan->schema, text, TACIT_UNIT_WORDS);
}

/* Returns 1 if neighbours are sets of rows. In the preset paper they are lists, as in
   the paper's definition. */
int tacit_plan_as_sets(const tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  return config->units > 0 || plan->days.horizon > 0 ||
         (config->shuffled && config->preset != TACIT_PAPER);
}

static const char *order_words(const tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  if (plan->days.horizon > 0) return "a day a round; within a day it does not matter";
  if (config->units > 0)
    return "persons in batches by a keyed hash of their ids, the same in every pass";
  return config->shuffled ? "secret, drawn uniformly, the same in every pass"
                          : "as the rows came";
}

enum { LEAKS_WORDS = 256 }; /* has room for a line of at most 200 letters */

/* Adds every reason for which the run is not private. `leaks` has room for the last of
   them and must live as long as the statement. */
static void add_reasons(const tacit_plan *plan, char leaks[LEAKS_WORDS],
                        tacit_statement_parts *statement) {
  const tacit_config *config = &plan->config;
  const tacit_vault_facts *vault = &plan->vault;
  int noisy = vault->encoder->private_noise;
  add_reason(statement, !noisy, "no noise was added (mechanism none)");
  add_reason(statement, noisy && !vault->law->exact,
             "the noise is in double precision, whose low bits leak");
  add_reason(statement, noisy && config->seeded,
             "the noise comes from a seed: whoever knows it can take the noise off");
  add_reason(statement,
             plan->init != NULL && !config->init_public && !plan->init_private,
             "the initial model is not private, and was not declared public");
  add_reason(statement, !plan->described_private,
             "the schema was made from counts that are not private");
  (void)snprintf(leaks, LEAKS_WORDS, "settings were taken from the records: %s",
                 config->leaks != NULL ? config->leaks : "");
  add_reason(statement, config->leaks != NULL, leaks);
}

static tacit_status describe_statement(tacit_plan *plan, tacit_error *err) {
  static const char *const presets[] = {NULL, "practical", "anytime", "paper"};
  const tacit_config *config = &plan->config;
  const tacit_vault_facts *vault = &plan->vault;
  int noisy = vault->encoder->private_noise;
  char unit[TACIT_UNIT_WORDS], days[TACIT_DAYS_WORDS];
  int64_t times = plan->days.horizon > 0 ? plan->days.horizon : plan->rounds;
  tacit_statement_parts statement = {
      .adjacency = config->adjacency,
      .unit = tacit_plan_unit(plan, unit),
      .persons = config->units > 0,
      .rows = plan->days.horizon > 0 ? plan->days.horizon * config->batch
                                     : tacit_plan_rows_all(plan),
      .rounds = times,
      .passes = plan->passes,
      .batches_per_pass = times / plan->passes,
      .days = tacit_plan_days(plan, days),
      .day_only = plan->all.day_only,
      .order = order_words(plan),
      .weights = weights_words(plan),
      .as_sets = plan->all.as_sets,
      .mechanism = vault->encoder->name,
      .noise = "none",
      .bound = tacit_plan_contribution(plan),
      .clip = plan->centred ? 0 : plan->clip,
      .mean = mean_words(plan),
      .norm_exponent = plan->row.exponent,
      .accounting = "none: there is no noise to account for",
      .preset = presets[config->preset],
      .version = TACIT_VERSION,
      .described = tacit_schema_described(plan->schema),
      .init = plan->init,
      .init_name = plain_name(config->init_name),
      .init_public = config->init_public,
  };
  if (noisy) {
    statement.epsilon = plan->all.epsilon;
    statement.delta = plan->all.delta;
    statement.mu = plan->all.mu;
    statement.pure = vault->law->pure;
    statement.run_epsilon = plan->epsilon;
    statement.run_mu = plan->mu;
    statement.mean_mu = plan->early_mu;
    statement.rounds_mu = vault->budget;
    statement.mean_rows = plan->apart ? plan->mean_rows : 0;
    statement.noise = vault->law->exact ? "exact" : "double precision";
    statement.noise_law = tacit_law_summary(vault->law);
    statement.second_moment =
        tacit_law_second_moment(vault->law, plan->dim, vault->exponent);
    statement.sigma_formula = sigma_words(plan);
    statement.accounting = accounting_words(plan);
    statement.sensitivity_factor = tacit_plan_sens(plan);
    statement.noise_multiplier = tacit_div_down(tacit_plan_sens(plan), vault->budget);
  }
  char leaks[LEAKS_WORDS];
  add_reasons(plan, leaks, &statement);
  statement.is_private = statement.n_reasons == 0;
  return tacit_statement_json(&statement, &plan->statement, err);
}

json_t *tacit_plan_learner_params(const tacit_learner *learner) {
  size_t count;
  const tacit_learner_ops *ops = tacit_learner_ops_of(learner);
  const double *values = tacit_learner_values(learner, &count);
  json_t *params = json_object();
  for (size_t i = 0; params != NULL && i < count; ++i) {
    /* A value that the learner derives only as it runs is NaN here, and becomes
       null. */
    json_t *value = isfinite(values[i]) ? json_real(values[i]) : json_null();
    if (json_object_set_new(params, ops->params[i].name, value) != 0) {
      json_decref(params);
      params = NULL;
    }
  }
  return params;
}

/* Makes the learner, so that a bad spec fails, and returns its parameters, such as
   {"eta": 0.4}. */
static tacit_status learner_json(const tacit_plan *plan, json_t **out,
                                 const char **name, tacit_error *err) {
  tacit_learner *learner = NULL;
  const tacit_learner_ops *own = plan->config.learner_ops;
  TACIT_TRY(own != NULL
                ? tacit_learner_new_ops(own, plan->learner_spec, &plan->learner,
                                        &learner, err)
                : tacit_learner_new(plan->learner_spec, &plan->learner, &learner, err));
  *name = tacit_learner_ops_of(learner)->name;
  *out = tacit_plan_learner_params(learner);
  tacit_learner_free(learner);
  return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status describe_classes(tacit_plan *plan, tacit_error *err) {
  json_t *weights = json_array();
  int failed = json_object_set_new(plan->training, "class_weights", weights) != 0;
  for (size_t i = 0; !failed && i < plan->label.classes; ++i)
    failed = json_array_append_new(weights, json_real(plan->class_weights[i])) != 0;
  return failed ? tacit_fail_memory(err) : TACIT_OK;
}

static tacit_status describe_training(tacit_plan *plan, tacit_error *err) {
  json_t *params = NULL;
  const char *name = NULL;
  TACIT_TRY(learner_json(plan, &params, &name, err));
  static const char *const domains[] = {NULL, "ball", "box", "simplex"};
  plan->training = json_pack(
      "{s:s, s:o, s:f, s:s, s:f, s:s, s:f, s:f, s:f, s:f, s:b, s:b}", "learner", name,
      "learner_params", params, "power", plan->power, "bound", bound_name(plan->bound),
      "clip", plan->clip, "domain", domains[plan->learner.domain], "radius",
      plan->learner.radius, "norm", plan->learner.norm, "reg_scale",
      plan->config.reg_scale, "l2", plan->l2, "free_last_step", plan->free_last_step,
      "start_given", plan->start != NULL);
  if (plan->training == NULL ||
      (plan->centred &&
       json_object_set_new(plan->training, "centre", json_true()) != 0) ||
      (plan->schema->notes != NULL &&
       json_object_set(plan->training, "notes", plan->schema->notes) != 0) ||
      (plan->row.scale > 0 && json_object_set_new(plan->training, "row_scale",
                                                  json_real(plan->row.scale)) != 0))
    return tacit_fail_memory(err);
  return plan->class_weights != NULL ? describe_classes(plan, err) : TACIT_OK;
}

/* Counts the memory that grows with the dimension: state of encoder and decoder, sums,
   vectors. */
double tacit_plan_memory(const tacit_plan *plan) {
  const struct tacit_encoder_ops *encoder = plan->vault.encoder;
  double kept = 8; /* mechanism none: the running sum */
  if (encoder == &tacit_encoder_tree)
    kept = 24 * (floor(log2((double)plan->rounds)) + 1);
  if (encoder == &tacit_encoder_banded)
    kept = 8 * ((double)plan->rounds + plan->vault.shape.values[1]) + 24;
  if (encoder == &tacit_encoder_matrix) kept = 16 * (double)plan->rounds + 8;
  if (encoder == &tacit_encoder_blt) kept = 24 * TACIT_BLT_MAX;
  if (plan->checkpoint != NULL)
    kept += 8 * (double)plan->rounds; /* the sums of all
                                         rounds */
  return (double)plan->dim * (kept + 8 * 13);
}

static json_t *real_or_null(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *centre_json(const tacit_plan *plan) {
  return json_pack("{s:o, s:o, s:i, s:b}", "mu", real_or_null(plan->early_mu),
                   "rounds_mu", real_or_null(plan->vault.budget), "readings",
                   tacit_plan_readings(plan), "moments", plan->products);
}

/* Returns the terms of the theorem, or null if it does not hold. */
static json_t *theorem_json(const tacit_plan *plan) {
  if (tacit_plan_obstacle(plan) != NULL) return json_null();
  return json_pack("{s:f, s:f, s:f}", "regret", plan->term_regret, "sampling",
                   plan->term_sampling, "noise", plan->term_noise);
}

static tacit_status describe_json(tacit_plan *plan, tacit_error *err) {
  double noise_norm = plan->noise_last_norm;
  json_t *json = json_pack(
      "{s:I, s:I, s:I, s:I, s:i, s:f, s:f, s:s, s:s, s:o, s:o, s:o, s:f, s:f, s:f, "
      "s:f, s:f, "
      "s:f, s:f, s:f, s:o, s:i, s:s, s:O}",
      plan->config.units > 0 ? "units" : "rows", (json_int_t)tacit_plan_rows_all(plan),
      "features", (json_int_t)plan->row.features, "parameters", (json_int_t)plan->dim,
      "rounds", (json_int_t)plan->rounds, "passes", plan->passes,
      plan->config.units > 0 ? "units_per_round" : "rows_per_round",
      (double)plan->rows / (double)plan->per_pass, "power", plan->power, "mechanism",
      plan->vault.encoder->name, "bound", bound_name(plan->bound), "epsilon",
      real_or_null(plan->epsilon), "delta",
      plan->delta > 0 ? json_real(plan->delta) : json_null(), "mu",
      real_or_null(plan->mu), "sensitivity_factor", tacit_plan_sens(plan),
      "gradient_bound", plan->learner.grad_bound, "noise_last_gradient",
      plan->noise_last, "noise_last_gradient_norm", noise_norm, "noise_share",
      tacit_rules_noise_share(plan), "noise_to_gradient",
      noise_norm / plan->learner.grad_bound, "noise_mean", plan->term_noise,
      "memory_bytes", tacit_plan_memory(plan), "bound_per_diameter", theorem_json(plan),
      "advised_passes", tacit_rules_passes(plan), "outlook", tacit_rules_outlook(plan),
      "training", plan->training);
  tacit_status status = TACIT_OK;
  if (plan->centred && json_object_set_new(json, "centre", centre_json(plan)) != 0)
    status = tacit_fail_memory(err);
  if (json == NULL) status = tacit_fail_memory(err);
  if (status == TACIT_OK) status = tacit_json_text(json, 2, &plan->json, err);
  json_decref(json);
  return status;
}

tacit_status tacit_plan_describe(tacit_plan *plan, tacit_error *err) {
  TACIT_TRY(describe_training(plan, err));
  TACIT_TRY(describe_statement(plan, err));
  TACIT_TRY(describe_json(plan, err));
  TACIT_TRY(tacit_plan_lines(plan, err));
  TACIT_TRY(tacit_statement_read(plan->statement, &plan->stated, &plan->stated_init,
                                 NULL, err));
  TACIT_TRY(tacit_statement_text(plan->statement, &plan->statement_text, err));
  return tacit_json_text(plan->statement, 2, &plan->statement_json, err);
}
