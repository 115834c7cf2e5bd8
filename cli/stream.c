/* SPDX-License-Identifier: MIT */
/*
 * `tacit stream`: a model a day under one budget. All options are fixed by init and
 * kept in the state; feed takes only what differs from day to day.
 */
#include "stream.h"

#include <tacit/account.h>

#include "budget.h"
#include "cli.h"
#include "data.h"
#include "release.h"
#include "train.h"

static int need(const struct cli_args *args, const char *name, const char *why) {
  if (cli_given(args, name)) return 0;
  return cli_refuse("--%s is missing: %s", name, why);
}

static int fill_options(const struct cli_args *args, const char *path,
                        tacit_stream_options *options) {
  tacit_stream_options_init(options);
  int exit_code = need(args, "horizon", "how many days the stream has in all");
  if (exit_code == 0)
    exit_code = need(args, "batch-rows", "rows of an ordinary day, a public fact");
  if (exit_code == 0 && !cli_given(args, "schema") && !cli_given(args, "features"))
    exit_code = cli_refuse("the columns are missing: give --features N for LIBSVM "
                           "files or --schema FILE for CSV files");
  options->path = path;
  options->key_file = path != NULL ? cli_text(args, "key-file", NULL) : NULL;
  options->horizon = cli_integer(args, "horizon", 0);
  options->batch_rows = cli_integer(args, "batch-rows", 0);
  options->window = cli_integer(args, "window", 0);
  options->units = cli_given(args, "persons");
  options->unit_once = cli_given(args, "unit-once");
  options->evaluate = cli_number(args, "evaluate", 0);
  return exit_code;
}

/* Options and config of init and plan. */
int cli_stream_settings(const struct cli_args *args, const char *path,
                        tacit_stream_options *options, struct cli_run *run) {
  CLI_TRY(fill_options(args, path, options));
  CLI_TRY(cli_settings(args, run));
  run->config.weighted = cli_given(args, "max-weight");
  run->config.shuffled = 0;
  run->config.threads = (unsigned)cli_integer(args, "threads", 0);
  return 0;
}

static int print_statement(const struct cli_args *args, const tacit_stream *stream,
                           json_t *object) {
  if (!cli_given(args, "json")) {
    json_decref(object);
    printf("%s", tacit_stream_statement_text(stream));
    return cli_close_stdout();
  }
  return cli_print_json_parts(
      object, CLI_PARTS({"statement", tacit_stream_statement_json(stream)}));
}

int cli_stream_init(const struct cli_args *args, const char *path) {
  tacit_stream_options options;
  struct cli_budget budget;
  struct cli_run run;
  tacit_error err;
  tacit_stream *stream = NULL;
  CLI_TRY(cli_budget_open(args, &budget));
  CLI_TRY(cli_stream_settings(args, path, &options, &run));
  options.ledger = budget.where;
  options.dataset = budget.where != NULL ? budget.dataset : NULL;
  options.note = budget.note;
  int exit_code =
      tacit_stream_init(&options, &run.config, &stream, &err) != TACIT_OK
          ? cli_fail_error(&err)
          : print_statement(args, stream, json_pack("{s:s}", "state", path));
  tacit_stream_free(stream);
  cli_settings_free(&run);
  return exit_code;
}

/* Opens the rows of a day. A day without operands has no rows. */
static tacit_status open_rows(const struct cli_args *args, const tacit_stream *stream,
                              tacit_reader **out, tacit_error *err) {
  tacit_reader_options options;
  if (args->n_operands == 2) return TACIT_OK;
  tacit_reader_options_init(&options);
  cli_limit_reader(args, &options);
  cli_row_files(args, &options);
  options.schema = tacit_stream_schema(stream);
  options.shuffle = 0;
  options.may_be_empty = 1;
  return tacit_reader_open(args->operands + 2, args->n_operands - 2, &options, out,
                           err);
}

static int write_model(const char *path, const tacit_model *model) {
  struct cli_output output = {0};
  int exit_code = cli_train_write(path, model, &output);
  if (exit_code == 0) exit_code = cli_output_place(&output);
  cli_output_abandon(&output);
  return exit_code;
}

static int print_fed(const struct cli_args *args, const tacit_stream *stream,
                     const char *path) {
  tacit_error err;
  tacit_stream_status status = {.struct_size = sizeof status};
  if (tacit_stream_look(stream, &status, &err) != TACIT_OK) return cli_fail_error(&err);
  const char *text = tacit_stream_score(stream);
  if (cli_given(args, "json")) {
    const struct cli_json_part parts[] = {{text != NULL ? "score" : NULL, text},
                                          {NULL, NULL}};
    return cli_print_json_parts(json_pack("{s:s?, s:I, s:I, s:o}", "model", path,
                                          "round", (json_int_t)status.round, "horizon",
                                          (json_int_t)status.horizon, "noise",
                                          cli_json_number(status.noise)),
                                parts);
  }
  if (text == NULL) return 0;
  json_t *score = cli_json_read(text);
  printf("the model of round %lld on these rows, with noise%s:\n",
         (long long)status.round - 1,
         tacit_stream_statement(stream)->is_private ? "" : " (NOT PRIVATE)");
  static const char *const names[] = {"loss", "accuracy", "auc", "rmse"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const json_t *number = json_object_get(json_object_get(score, "metrics"), names[i]);
    if (number != NULL) cli_release_print_number(names[i], number);
  }
  json_decref(score);
  return cli_close_stdout();
}

/* Tells the ledger which model this is. Feeding the same rows again repeats what failed
   here. */
static int record_model(const tacit_stream *stream, const char *path,
                        const tacit_model *model) {
  tacit_error err;
  tacit_stream_status status = {.struct_size = sizeof status};
  if (tacit_stream_look(stream, &status, &err) != TACIT_OK) return cli_fail_error(&err);
  const struct cli_budget budget = {.where = status.ledger,
                                    .id = status.ledger_entry,
                                    .file = path,
                                    .digest = tacit_model_digest(model)};
  return cli_budget_record(&budget);
}

static int feed_open(const struct cli_args *args, tacit_stream *stream,
                     const char *path) {
  tacit_error err;
  tacit_reader *reader = NULL;
  tacit_model *model = NULL;
  int64_t round = cli_integer(args, "round", 0);
  tacit_status status = open_rows(args, stream, &reader, &err);
  if (status == TACIT_OK)
    status = tacit_stream_feed(stream, reader, round, cli_given(args, "skip"),
                               path != NULL ? &model : NULL, &err);
  tacit_reader_free(reader);
  if (status != TACIT_OK) return cli_fail_error(&err);
  int exit_code = path != NULL ? write_model(path, model) : 0;
  if (exit_code == 0 && path != NULL) exit_code = record_model(stream, path, model);
  tacit_model_free(model);
  return exit_code == 0 ? print_fed(args, stream, path) : exit_code;
}

static int check_feed(const struct cli_args *args, const char *path) {
  int regular, has_rows = args->n_operands > 2;
  if (cli_given(args, "skip") && !cli_given(args, "round"))
    return cli_refuse("--skip needs --round T: say which day it is now, so that a "
                      "command that is repeated skips nothing twice");
  if (!has_rows && !cli_given(args, "skip"))
    return cli_refuse("the rows of the day are missing: name its file, or give "
                      "--skip --round T for days without any");
  if (has_rows && path == NULL)
    return cli_refuse("-o MODEL is missing: the file the model is written to");
  for (size_t i = 2; i < args->n_operands; ++i)
    if (cli_is_pipe(args->operands[i]))
      return cli_refuse("%s: a day is read twice, and a pipe cannot be: store it "
                        "in a file",
                        args->operands[i]);
  return path != NULL ? cli_output_check(path, &regular) : 0;
}

static int open_stream(const struct cli_args *args, const char *path,
                       tacit_stream **out) {
  tacit_error err;
  unsigned threads = (unsigned)cli_integer(args, "threads", 0);
  if (tacit_stream_open(path, cli_text(args, "key-file", NULL), threads, out, &err) !=
      TACIT_OK)
    return cli_fail_error(&err);
  return 0;
}

int cli_stream_feed(const struct cli_args *args, const char *state) {
  const char *path = cli_text(args, "output", NULL);
  tacit_stream *stream = NULL;
  int exit_code = check_feed(args, path);
  if (exit_code == 0) exit_code = open_stream(args, state, &stream);
  if (exit_code == 0) exit_code = feed_open(args, stream, path);
  tacit_stream_free(stream);
  return exit_code;
}

static int print_status(const struct cli_args *args, const char *path,
                        const tacit_stream *stream) {
  const char *statement = tacit_stream_statement_json(stream);
  tacit_error err;
  tacit_stream_status at = {.struct_size = sizeof at};
  if (tacit_stream_look(stream, &at, &err) != TACIT_OK) return cli_fail_error(&err);
  const char *next = at.closed                ? "the stream is closed"
                     : at.round == at.horizon ? "the stream is complete"
                     : at.begun ? "the next is begun, not finished: feed it again"
                                : "the next is waiting for its rows";
  if (cli_given(args, "json"))
    return print_statement(
        args, stream,
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:o, s:s?, s:I}",
                  "state", path, "round", (json_int_t)at.round, "horizon",
                  (json_int_t)at.horizon, "batch_rows", (json_int_t)at.batch_rows,
                  "window", (json_int_t)at.window, at.persons ? "units" : "rows",
                  (json_int_t)at.rows, "state_bytes", (json_int_t)at.state_bytes,
                  "begun", at.begun, "closed", at.closed, "persons", at.persons,
                  "noise", cli_json_number(at.noise), "ledger", at.ledger,
                  "ledger_entry", (json_int_t)at.ledger_entry));
  printf("rounds        %lld of %lld; %s\n", (long long)at.round, (long long)at.horizon,
         next);
  printf("%s %lld so far; %lld in an ordinary round\n",
         at.persons ? "persons      " : "rows         ", (long long)at.rows,
         (long long)at.batch_rows);
  char delta[32], mu[32];
  tacit_format_up(cli_number_in(statement, "delta"), 4, delta);
  tacit_format_up(cli_number_in(statement, "mu"), 6, mu);
  printf("budget        %sepsilon %g, delta %s (mu %s) for all %lld rounds together\n",
         tacit_stream_statement(stream)->is_private ? ""
                                                    : "NOT PRIVATE; noise as if for ",
         cli_number_in(statement, "epsilon"), delta, mu, (long long)at.horizon);
  printf("noise         %.4g in a coordinate of the last mean gradient\n", at.noise);
  printf("state         %lld bytes\n", (long long)at.state_bytes);
  if (at.window > 0) printf("window        %lld rounds\n", (long long)at.window);
  if (at.ledger != NULL)
    printf("ledger        %s, entry %lld\n", at.ledger, (long long)at.ledger_entry);
  return cli_close_stdout();
}

int cli_stream_look(const struct cli_args *args, const char *path, int closes) {
  tacit_stream *stream = NULL;
  tacit_error err;
  int exit_code = open_stream(args, path, &stream);
  if (exit_code == 0 && closes && tacit_stream_close(stream, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  if (exit_code == 0) exit_code = print_status(args, path, stream);
  tacit_stream_free(stream);
  return exit_code;
}
