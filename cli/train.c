/* SPDX-License-Identifier: MIT */
/*
 * `tacit train`: makes a model with its privacy statement from files. Everything that
 * can be checked without the data is checked before the first row is read, so that a
 * typo does not cost privacy budget.
 */
#include "train.h"

#include <string.h>
#include <tacit/plan.h>

#include "budget.h"
#include "cache.h"
#include "cli.h"
#include "data.h"
#include "group.h"
#include "progress.h"
#include "settings.h"

/* The number of persons, which --units must be if it is given. */
static tacit_status count_persons(tacit_config *config, tacit_reader *reader,
                                  tacit_error *err) {
  int64_t declared = config->units;
  tacit_status status =
      tacit_reader_units(reader, config->unit_rows, &config->units, err);
  if (status != TACIT_OK || declared == 0 || declared == config->units) return status;
  *err = (tacit_error){TACIT_EDATA, ""};
  (void)snprintf(err->message, sizeof err->message,
                 "--units declares %lld persons, the data has %lld: correct --units or "
                 "the data",
                 (long long)declared, (long long)config->units);
  return TACIT_EDATA;
}

/* What the reader found, for the statement and the plan. */
static tacit_status learn_counts(tacit_config *config, tacit_reader *reader,
                                 tacit_error *err) {
  config->rows = tacit_reader_rows(reader);
  if (tacit_reader_has_units(reader) || config->units > 0) {
    tacit_status status = count_persons(config, reader, err);
    if (status != TACIT_OK) return status;
  }
  config->shuffled = tacit_reader_shuffled(reader);
  config->weighted = tacit_reader_weighted(reader);
  return TACIT_OK;
}

/* Trains with a progress line. Nothing is shown before the run is made: a run that is
   resumed draws old noise again. */
static tacit_status train_reader(tacit_config *config, tacit_reader *reader, int quiet,
                                 tacit_model **out_model, tacit_error *err) {
  tacit_train *train = NULL;
  struct cli_progress progress;
  cli_progress_start(&progress, 1);
  config->progress = cli_progress_show;
  config->progress_cookie = &progress;
  tacit_status status = tacit_train_new(config, &train, err);
  if (status == TACIT_OK) {
    cli_progress_start(&progress, quiet || !cli_speaks());
    status = tacit_train_run(train, reader, err);
    if (status == TACIT_OK) status = tacit_train_finish(train, out_model, err);
    cli_progress_end(&progress);
  }
  tacit_train_free(train);
  return status;
}

int cli_train_files(const char *const *paths, size_t n_paths,
                    const tacit_reader_options *reading, tacit_config *config,
                    int quiet, struct cli_budget *budget, tacit_model **out_model) {
  tacit_reader_options options = *reading;
  options.schema = config->schema;
  options.rows = config->rows > 0 ? config->rows : -1;
  options.shuffle = config->shuffled;
  options.map = 1; /* cli_stop_catch handles SIGBUS */
  options.threads = config->threads;
  options.group = config->group;
  config->payer = cli_budget_payer(budget);
  tacit_error err;
  tacit_reader *reader = NULL;
  int exit_code = 0;
  tacit_status status = tacit_reader_open(paths, n_paths, &options, &reader, &err);
  int together = config->group != NULL; /* then all ranks fail together */
  if (status == TACIT_OK) exit_code = cli_budget_identify(budget, reader);
  if (status == TACIT_OK && exit_code == 0 && cli_stop_signal() == 0)
    status = learn_counts(config, reader, &err);
  if (status == TACIT_OK && exit_code == 0 && cli_stop_signal() == 0)
    status = train_reader(config, reader, quiet, out_model, &err);
  cli_budget_tell(budget);
  tacit_reader_free(reader);
  if (exit_code != 0) return exit_code;
  if (together && status != TACIT_OK) return cli_agreed(&err);
  int stopped_by = cli_stop_signal();
  if (stopped_by != 0) {
    if (status == TACIT_OK) tacit_model_free(*out_model);
    *out_model = NULL;
    /* In a group the ranks agree before one prints. */
    return config->group != NULL ? 128 + stopped_by : cli_stop_fail(stopped_by);
  }
  return status == TACIT_OK ? 0 : cli_fail_error(&err);
}

static int check_output(const struct cli_args *args, int *out_regular) {
  const char *path = cli_text(args, "output", NULL);
  if (path == NULL)
    return cli_refuse("-o MODEL is missing: the file the model is written to");
  *out_regular = 1;
  if (!cli_speaks()) return 0; /* rank 0 writes it */
  return cli_output_check(path, out_regular);
}

static int print_result(const struct cli_args *args, const char *path,
                        const tacit_config *config, const tacit_model *model,
                        json_t *traffic) {
  if (!cli_given(args, "json")) {
    json_decref(traffic);
    printf("%s", tacit_model_statement_text(model));
    return cli_close_stdout();
  }
  json_t *object = json_pack(
      "{s:s, s:I, s:o*}", "model", path, config->units > 0 ? "units" : "rows",
      (json_int_t)(config->units > 0 ? config->units : config->rows), "ranks", traffic);
  return cli_print_json_parts(
      object, CLI_PARTS({"statement", tacit_model_statement_json(model)}));
}

int cli_train_write(const char *path, const tacit_model *model,
                    struct cli_output *output) {
  tacit_error err;
  CLI_TRY(cli_output_begin(output, path, 0666));
  char *text = NULL;
  tacit_status status = tacit_model_text(model, &text, &err);
  if (status == TACIT_OK)
    status = tacit_output_write(output->file, text, strlen(text), &err);
  if (status == TACIT_OK) status = tacit_output_write(output->file, "\n", 1, &err);
  tacit_string_free(text);
  if (status == TACIT_OK) return cli_output_complete(output, 1);
  cli_output_abandon(output);
  return cli_fail_error(&err);
}

/* Writes the model and prints its statement, on the one process that writes. A user who
   sees the command fail runs it again, which costs the budget again. So the model gets
   its name only after everything else succeeded on all ranks. */
static int write_result(const struct cli_args *args, const char *path, int regular,
                        const tacit_config *config, const tacit_model *model) {
  json_t *traffic = cli_group_traffic();
  struct cli_output output = {0};
  int exit_code = 0;
  /* The budget is spent, so a signal must not cost the model now. Writing to a pipe may
     wait for its reader, so signals are not blocked then. */
  if (regular) cli_stop_hold();
  if (cli_speaks()) {
    /* Output to a pipe cannot be undone, so it comes last. */
    if (regular) exit_code = cli_train_write(path, model, &output);
    if (exit_code == 0)
      exit_code = print_result(args, path, config, model, traffic);
    else
      json_decref(traffic);
    if (exit_code == 0 && !regular) exit_code = cli_train_write(path, model, &output);
  }
  exit_code = cli_agree(CLI_WRITTEN, exit_code);
  if (exit_code == 0) exit_code = cli_output_place(&output);
  cli_output_abandon(&output);
  if (exit_code == 0 && cli_speaks()) cli_checkpoint_remove(args);
  return exit_code;
}

/* Checks the whole plan before data is read, if --rows is known. */
static int check_plan(const tacit_config *config) {
  if (config->units == 0 &&
      (config->rows == 0 || tacit_schema_unit(config->schema) != NULL))
    return 0;
  tacit_error err;
  tacit_plan *plan = NULL;
  if (tacit_plan_new(config, &plan, &err) != TACIT_OK) return cli_fail_error(&err);
  tacit_plan_free(plan);
  return 0;
}

/* Trains on the files, or on the cache made from them. */
static int train_data(const struct cli_args *args, tacit_config *config,
                      struct cli_budget *budget, tacit_model **out_model) {
  int quiet = cli_given(args, "quiet");
  struct cli_cache cache = {
      .args = args,
      .path = cli_text(args, "cache", NULL),
      .sources = args->operands,
      .n_sources = args->n_operands,
      .schema = config->schema,
      .rows = config->rows,
      .shuffle = config->shuffled,
  };
  tacit_reader_options reading;
  tacit_reader_options_init(&reading);
  cli_limit_train(args, &reading);
  if (cache.path == NULL) {
    cli_row_files(args, &reading);
    return cli_train_files(cache.sources, cache.n_sources, &reading, config, quiet,
                           budget, out_model);
  }
  CLI_TRY(cli_cache_use(&cache));
  return cli_train_files(&cache.path, 1, &reading, config, quiet, budget, out_model);
}

/* Does everything that can fail before the data is read. */
static int prepare(const struct cli_args *args, int *out_regular,
                   struct cli_run *settings) {
  CLI_TRY(check_output(args, out_regular));
  CLI_TRY(cli_pipes_check(args));
  CLI_TRY(cli_weights_check(args));
  CLI_TRY(cli_settings(args, settings));
  tacit_config *config = &settings->config;
  cli_pipes_settings(args, config);
  config->group = cli_group();
  config->threads = cli_given(args, "threads")
                        ? (unsigned)cli_integer(args, "threads", 0)
                        : cli_group_threads();
  int exit_code = cli_pipes_persons(args, config);
  if (exit_code == 0) exit_code = cli_checkpoint_settings(args, config);
  if (exit_code == 0) exit_code = check_plan(config);
  if (exit_code != 0) cli_settings_free(settings);
  return exit_code;
}

static int run(const struct cli_args *args) {
  if (cli_given(args, "dry-run")) return cli_print_plan(args, 1);
  if (args->n_operands == 0)
    return cli_refuse("data is missing: name a file, or - for standard input");
  const char *path = cli_text(args, "output", NULL);
  int regular = 1;
  struct cli_run settings = {0};
  struct cli_budget budget;
  CLI_TRY(cli_budget_open(args, &budget));
  CLI_TRY(prepare(args, &regular, &settings));

  tacit_model *model = NULL;
  int exit_code = cli_agree(CLI_PREPARED, 0);
  if (exit_code == 0) {
    cli_no_core_dumps(args->operands, args->n_operands, path);
    cli_stop_catch();
    exit_code = train_data(args, &settings.config, &budget, &model);
    exit_code = cli_agree(CLI_TRAINED, exit_code);
  }
  if (exit_code == 0)
    exit_code = write_result(args, path, regular, &settings.config, model);
  tacit_model_free(model);
  cli_settings_free(&settings);
  return exit_code;
}

static const struct cli_group run_group = GROUP(
    "Run",
    OUTPUT("output", "MODEL", "file the model is written to; required unless --dry-run",
           LETTER('o'), COMMON),
    OUTPUT("cache", "FILE",
           "train through a cache of DATA, which contains the records: made if it does "
           "not exist, used if it was made from the same files"),
    INTEGER("threads", "N", 0, 256,
            "threads, 0 for all cores; the model does not depend on it",
            DEFAULT("all cores")),
    FLAG("dry-run", "print the statement and the plan and stop: no row is read",
         COMMON),
    QUIET, FLAG("json", "print one JSON object with the statement"));

CLI_COMMAND(train, "-o MODEL DATA...", 0, ANY,
            "train a private model; prints its privacy statement",
            GROUPS(&cli_data_group, &cli_person_group, &run_group, &cli_privacy_group,
                   &cli_budget_group, &cli_problem_group, &cli_algorithm_group,
                   &cli_noise_group, &cli_label_group, &cli_checkpoint_group,
                   &cli_limit_train_group));
