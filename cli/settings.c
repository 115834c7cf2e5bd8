/* SPDX-License-Identifier: MIT */
/*
 * The options that define a run, and the config made from them. This file refuses
 * options that contradict each other, in messages that name the options. The library
 * checks ranges and the problem itself.
 */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data.h"

const struct cli_group cli_privacy_group =
    GROUP("Privacy", TACIT_PRIVACY_FIELDS(FIELD) LAST);

const struct cli_group cli_problem_group =
    GROUP("Problem", TACIT_PROBLEM_FIELDS(FIELD) TEXT(
                         "class-weight", "LIST",
                         "declared weights of the classes, one number each (1,7), or "
                         "balanced: and the rates of the classes (balanced:0.88,0.12); "
                         "divided by the largest"));

const struct cli_group cli_algorithm_group =
    GROUP("Algorithm",
          TACIT_ALGORITHM_FIELDS(FIELD)
              INPUT("init", "MODEL",
                    "start from the weights of this model (private fine tuning); its "
                    "budget is added to that of the run"));

const struct cli_group cli_noise_group = GROUP(
    "Noise", TACIT_NOISE_FIELDS(FIELD) INTEGER(
                 "seed", "N", 0, UINT64_MAX,
                 "repeatable noise, for experiments: the model is marked not private",
                 DEFAULT("secret randomness of the system")));

static int check_budget(const struct cli_args *args) {
  int epsilon = cli_given(args, "epsilon");
  int rho = cli_given(args, "rho");
  int delta = cli_given(args, "delta");
  int none = strcmp(cli_text(args, "mechanism", "auto"), "none") == 0;
  if (epsilon && rho)
    return cli_refuse("--epsilon and --rho both set the budget: give one");
  if (none && (epsilon || rho || delta))
    return cli_refuse("--mechanism none gives no privacy: drop it, or drop "
                      "--epsilon, --delta and --rho");
  if (!none && !epsilon && !rho)
    return cli_refuse("a privacy budget is missing: give --epsilon E (or --rho "
                      "R), for example --epsilon 1");
  return 0;
}

static int check_algorithm(const struct cli_args *args) {
  const struct cli_value *bound = cli_value(args, "bound");
  if (cli_given(args, "clip") && bound->given && bound->choice != 0)
    return cli_refuse("--clip is for --bound clip: with --bound %s the loss sets "
                      "the bound",
                      bound->text);
  if (cli_given(args, "init-public") && !cli_given(args, "init"))
    return cli_refuse("--init-public is about an --init model: give one");
  return 0;
}

/* Writes the value of an option to the field of the config. */
static void fill_field(const struct cli_args *args, const tacit_setting *field,
                       tacit_config *config) {
  char *at = (char *)config + field->offset;
  const struct cli_value *value = cli_value(args, field->option);
  int64_t whole = (int64_t)value->integer;
  if (!value->given) return;
  switch (field->kind) {
  case TACIT_KIND_REAL: *(double *)(void *)at = value->number; break;
  case TACIT_KIND_WHOLE: *(int *)(void *)at = (int)whole; break;
  case TACIT_KIND_COUNT: *(unsigned *)(void *)at = (unsigned)whole; break;
  case TACIT_KIND_LONG: *(int64_t *)(void *)at = whole; break;
  case TACIT_KIND_FLAG: *(bool *)at ^= 1; break;
  case TACIT_KIND_WORD: *(int *)(void *)at = (int)value->choice + 1; break;
  case TACIT_KIND_TEXT: *(const char **)(void *)at = value->text; break;
  }
}

static void fill_config(const struct cli_args *args, tacit_config *config) {
  static const tacit_setting fields[] = {TACIT_OPTION_FIELDS(TACIT_FIELD)};
  tacit_config_init(config);
  config->rows = 0;
  config->shuffled = true;
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    fill_field(args, &fields[i], config);
  config->pure = cli_given(args, "delta") && config->delta == 0;
  config->rereadable = true; /* unless cli/pipes.c finds a pipe */
  config->seeded = cli_given(args, "seed");
  config->seed = cli_value(args, "seed")->integer;
}

/* The config points to `run`, which stays where it is. */
static int load_matrix(struct cli_run *run) {
  const char *path = cli_matrix_file(run->config.mechanism);
  if (path == NULL) return 0;
  run->config.mechanism = "matrix";
  run->config.matrix = &run->matrix;
  return cli_matrix_load(path, &run->matrix);
}

int cli_settings(const struct cli_args *args, struct cli_run *out) {
  int failed = check_budget(args);
  if (!failed) failed = check_algorithm(args);
  if (failed) return failed;
  *out = (struct cli_run){0};
  fill_config(args, &out->config);
  failed = load_matrix(out);
  if (!failed) failed = cli_data_schema(args, &out->schema);
  if (!failed) failed = cli_class_weights(args, out->schema, &out->class_weights);
  if (failed) {
    cli_settings_free(out);
    return failed;
  }

  tacit_error err;
  const char *init = cli_text(args, "init", NULL);
  tacit_status status =
      init != NULL ? cli_model_load(args, init, &out->init, &err) : TACIT_OK;
  if (status != TACIT_OK) {
    cli_settings_free(out);
    return cli_fail_error(&err);
  }
  out->config.schema = out->schema;
  out->config.class_weights = out->class_weights;
  out->config.init = out->init;
  out->config.init_name = init;
  return 0;
}

void cli_settings_free(struct cli_run *run) {
  tacit_model_free(run->init);
  free(run->class_weights);
  tacit_schema_free(run->schema);
  free((void *)(uintptr_t)run->matrix.entries);
}
