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

const struct cli_group cli_privacy_group = GROUP(
    "Privacy",
    REAL("epsilon", "E", 1e-6, 1e3,
         "privacy budget; this or --rho is required unless --mechanism none", COMMON),
    REAL("delta", "D", 0, 0.5,
         "delta of the guarantee P(S) <= e^epsilon P'(S) + delta; 0 means pure "
         "differential privacy (--law laplace)",
         DEFAULT("1/rows^2, at most 1e-6"), COMMON),
    REAL("rho", "R", 1e-9, 1e3,
         "privacy budget as the paper's rho (the mu of Gaussian differential privacy) "
         "instead of --epsilon"),
    CHOICE("adjacency", "NAME", "replace zero-out",
           "which data sets are neighbours: one record replaced by any other, or by "
           "one that contributes nothing",
           DEFAULT("replace"), COMMON));

const struct cli_group cli_problem_group = GROUP(
    "Problem",
    REAL("row-norm", "X", 1e-6, 1e6,
         "rows, bias included, are scaled down to this norm: Euclidean, or the dual of "
         "--norm; L1 with --law laplace",
         DEFAULT("1")),
    CHOICE("scale", "NAME", "own same spread",
           "rows longer than --row-norm are scaled down to it, each by its own norm, "
           "or all rows are divided by the same number: --row-norm or, for a CSV "
           "schema without --row-norm, the largest norm that a row can have; spread: "
           "own, then centred rows are cut by their spread, which round 0 releases",
           DEFAULT("own; with --centre on same for numbers, spread for classes")),
    FLAG("no-bias", "do not append a column of ones"),
    TEXT("loss", "NAME", "loss (NAME or NAME:key=value,...)",
         DEFAULT("by the label: logistic or softmax for classes, squared for a number"),
         FAMILY(CLI_LOSS), COMMON),
    TEXT("class-weight", "LIST",
         "declared weights of the classes, one number each (1,7), or balanced: and the "
         "rates of the classes (balanced:0.88,0.12); divided by the largest"),
    REAL("l2", "L", 0, 1e6, "adds (L/2)|w|^2 without the bias; costs no privacy",
         DEFAULT("0")));

const struct cli_group cli_algorithm_group = GROUP(
    "Algorithm",
    CHOICE("preset", "NAME", "practical anytime paper",
           "set of defaults: the best we know (centred rows, several passes), those of "
           "version 0.1.0 (coin betting on differences), or the paper to the letter",
           DEFAULT("practical")),
    TEXT("learner", "NAME", "online learner (NAME or NAME:key=value,...)",
         DEFAULT(
             "bettor, heavy-ball if the loss is stiff or with moments, adagrad for few "
             "rows; "
             "anytime: kt or adagrad; paper: osd"),
         FAMILY(CLI_LEARNER)),
    TEXT("mechanism", "NAME",
         "how the noise of the rounds is correlated; none means no noise and no "
         "privacy; matrix:file=FILE reads your own matrix: a line \"rounds R bits B\", "
         "then line t has t whole numbers in units of 2^-B",
         DEFAULT("auto"), FAMILY(CLI_MECHANISM)),
    CHOICE("bound", "NAME", "clip tight paper",
           "where the bound on one row's contribution comes from; always enforced",
           DEFAULT("clip; tight for quantile; paper: paper")),
    CHOICE("centre", "on|off|head", "on off head",
           "on: read all rows once more at the start, release their mean with a share "
           "of the budget, and train on rows less that mean; head (with --no-shuffle), "
           "and on for a pipe: the first sixteenth of the rows is for the mean only",
           DEFAULT("on; anytime, paper: off")),
    CHOICE(
        "moments", "auto|on|off", "auto on off",
        "on: read all rows once more, release second moments of rows less their mean "
        "with a share of the budget, and make steps with them; for squared loss in 8 "
        "passes; auto: where public numbers say that they pay",
        DEFAULT("auto")),
    INTEGER("passes", "N", 1, 1000000, "passes over the data; the noise grows to match",
            DEFAULT("8, fewer for large data, 1 for a pipe; anytime, paper: 1"),
            COMMON),
    INTEGER("batch", "B", 1, 1000000000000000,
            "rows in a round; persons if these are the unit",
            DEFAULT("64 rounds in 8 passes, 24 in one; anytime: 32 in all; paper: 1")),
    REAL("power", "K", 1, 16, "round t has weight t^K",
         DEFAULT(
             "1.5, one pass 1.25; anytime: 2, or 3 where noise dominates; paper: 1")),
    REAL("clip", "C", 1e-9, 1e9, "bound on one row's gradient, for --bound clip",
         DEFAULT("from round 0; not centred: 0.7 x row norm x slope bound")),
    REAL("radius", "D", 1e-9, 1e9, "size of the set of allowed weights",
         DEFAULT("1000; anytime: 100; paper: 10")),
    CHOICE("domain", "NAME", "ball box simplex",
           "shape of that set; the simplex has no radius", DEFAULT("ball")),
    REAL("norm", "P", 1, 1e6,
         "the norm of the weights, 1 to 2; rows and contributions are bounded in its "
         "dual. 1 means 1 + 1/ln(number of weights)",
         DEFAULT("2")),
    REAL("reg-scale", "S", 0, 1,
         "size of the regulariser xi|w| + nu|w|^2 of the parameter-free theorem: 1 is "
         "the theorem's, 0 is off",
         DEFAULT("0")),
    INPUT("init", "MODEL",
          "start from the weights of this model (private fine tuning); its budget is "
          "added to that of the run"),
    FLAG("init-public", "the --init model was made without data of these people: its "
                        "budget is not added"));

const struct cli_group cli_noise_group =
    GROUP("Noise",
          TEXT("law", "NAME", "law of the noise",
               DEFAULT("gaussian; laplace with --delta 0"), FAMILY(CLI_LAW)),
          INTEGER("seed", "N", 0, UINT64_MAX,
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

/* The words of a choice are in the order of its enum, in which 0 is the default. */
static void fill_config(const struct cli_args *args, tacit_config *config) {
  tacit_config_init(config);
  config->epsilon = cli_number(args, "epsilon", config->epsilon);
  config->delta = cli_number(args, "delta", config->delta);
  config->pure = cli_given(args, "delta") && config->delta == 0;
  config->rho = cli_number(args, "rho", config->rho);
  config->adjacency = (tacit_adjacency)cli_choice(args, "adjacency");
  config->rows = cli_integer(args, "rows", 0);
  config->units = cli_integer(args, "units", 0);
  config->unit_rows = cli_integer(args, "unit-rows", 0);
  config->row_norm = cli_number(args, "row-norm", config->row_norm);
  config->scaling = (tacit_scaling)cli_choice(args, "scale");
  config->bias = !cli_given(args, "no-bias");
  config->shuffled = !cli_given(args, "no-shuffle");
  config->loss = cli_text(args, "loss", config->loss);
  config->l2 = cli_number(args, "l2", config->l2);
  config->preset = (tacit_preset)cli_choice(args, "preset");
  config->learner = cli_text(args, "learner", config->learner);
  config->mechanism = cli_text(args, "mechanism", config->mechanism);
  config->centre = (tacit_centring)cli_choice(args, "centre");
  config->moments = (tacit_moments_choice)cli_choice(args, "moments");
  config->bound = (tacit_bound)cli_choice(args, "bound");
  config->passes = (int)cli_integer(args, "passes", 0);
  config->rereadable = true; /* unless cli/pipes.c finds a pipe */
  config->batch = cli_integer(args, "batch", config->batch);
  config->power = cli_number(args, "power", config->power);
  config->clip = cli_number(args, "clip", config->clip);
  config->radius = cli_number(args, "radius", config->radius);
  config->domain = (tacit_domain)cli_choice(args, "domain");
  config->norm = cli_number(args, "norm", config->norm);
  config->reg_scale = cli_number(args, "reg-scale", config->reg_scale);
  config->law = cli_text(args, "law", config->law);
  config->init_public = cli_given(args, "init-public");
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
