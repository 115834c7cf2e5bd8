/* SPDX-License-Identifier: MIT */
/*
 * `tacit demo`: makes a synthetic patient registry, trains on it through the calls of
 * `tacit train`, and compares the private model with the same learner without noise,
 * with guessing, and with the model that made the data.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli.h"
#include "paths.h"
#include "registry.h"
#include "report.h"
#include "train.h"

enum { PATH_SIZE = 1024, N_LINES = 4, N_OUTPUTS = 3 };

struct paths {
  const char *folder;
  char schema[PATH_SIZE], train[PATH_SIZE], test[PATH_SIZE];
  char private_model[PATH_SIZE], plain_model[PATH_SIZE];
  char evaluation[PATH_SIZE], ledger[PATH_SIZE], report[PATH_SIZE];
};

/* Returns 1 if a ledger pays for the runs: not if a seed makes them not private, nor if
   three times epsilon is too large for a ledger. */
static int has_ledger(const struct cli_args *arguments, double epsilon) {
  return !cli_given(arguments, "seed") && 3 * epsilon <= 1e3;
}

struct line {
  const char *name;
  double loss, accuracy, epsilon, time_s; /* NaN is not printed */
};

static int fill_paths(const char *folder, struct paths *paths) {
  struct {
    char *path;
    const char *name;
  } const files[] = {{paths->schema, "schema.json"},
                     {paths->train, "train.csv"},
                     {paths->test, "test.csv"},
                     {paths->private_model, "private.json"},
                     {paths->plain_model, "no-noise.json"},
                     {paths->evaluation, "eval.json"},
                     {paths->ledger, "demo-ledger.db"},
                     {paths->report, "report.html"}};
  paths->folder = folder;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    int size = snprintf(files[i].path, PATH_SIZE, "%s/%s", folder, files[i].name);
    if (size < 0 || size >= PATH_SIZE)
      return cli_fail(CLI_USAGE, "--folder: the name is too long");
  }
  const char *const outputs[] = {
      paths->schema,      paths->train,      paths->test,   paths->private_model,
      paths->plain_model, paths->evaluation, paths->ledger, paths->report};
  int exit_code = cli_check_outputs(outputs, sizeof outputs / sizeof outputs[0]);
  if (exit_code != 0) return exit_code;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return cli_fail(CLI_FAILED, "cannot make the folder %s: %s", folder,
                    strerror(errno));
  return 0;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static tacit_status evaluate(const tacit_model *model, const char *path,
                             struct line *out, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = tacit_model_schema(model);
  options.shuffle = 0;
  tacit_reader *reader = NULL;
  tacit_metrics metrics = {.struct_size = sizeof metrics};
  tacit_status status = tacit_reader_open(&path, 1, &options, &reader, err);
  if (status == TACIT_OK)
    status = tacit_model_eval(model, reader, &metrics, NULL, NULL, err);
  tacit_reader_free(reader);
  if (status != TACIT_OK) return status;
  out->loss = metrics.loss;
  out->accuracy = metrics.accuracy;
  return TACIT_OK;
}

/* Does the work of the printed commands: trains with the defaults, evaluates, and
   writes the model without putting it in its place. */
static int train_one(const struct cli_args *arguments, const struct paths *paths,
                     double epsilon, const char *model_path, struct cli_budget *budget,
                     struct line *out, struct cli_output *output,
                     tacit_model **out_model) {
  tacit_error err;
  tacit_schema *schema = NULL;
  if (tacit_schema_load(paths->schema, 0, &schema, &err) != TACIT_OK)
    return cli_fail_error(&err);
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.shuffled = 1;
  if (epsilon > 0) {
    config.epsilon = epsilon;
    config.seeded = cli_given(arguments, "seed");
    config.seed = cli_value(arguments, "seed")->integer;
  } else {
    config.mechanism = "none";
  }
  const char *train_path = paths->train;
  tacit_model *model = NULL;
  double start = seconds_now();
  tacit_reader_options reading;
  tacit_reader_options_init(&reading);
  budget->ledger.file = model_path;
  int exit_code = cli_train_files(&train_path, 1, &reading, &config,
                                  cli_given(arguments, "quiet"), budget, &model);
  out->time_s = seconds_now() - start;
  if (exit_code == 0 && evaluate(model, paths->test, out, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  if (exit_code == 0) exit_code = cli_train_write(model_path, model, output);
  *out_model = model;
  tacit_schema_free(schema);
  return exit_code;
}

/* Computes the quality of a guess: always the most frequent class of the training file,
   with its frequency as the probability. */
static void guess(const struct demo_facts *train, const struct demo_facts *test,
                  struct line *out) {
  double p = (double)train->positive / (double)train->rows;
  double share = (double)test->positive / (double)test->rows;
  out->loss = -share * log(p) - (1 - share) * log(1 - p);
  out->accuracy = p > 0.5 ? share : 1 - share;
}

static void print_cell(double value, int width, int decimals, const char *unit) {
  if (isnan(value))
    printf("%*s", width, "-");
  else
    printf("%*.*f%s", width - (int)strlen(unit), decimals, value, unit);
}

static void print_table(const struct line *lines) {
  printf("%-28s%10s%10s%10s%10s\n", "", "test loss", "accuracy", "epsilon", "time");
  for (size_t i = 0; i < N_LINES; ++i) {
    printf("%-28s", lines[i].name);
    print_cell(lines[i].loss, 10, 4, "");
    print_cell(lines[i].accuracy, 10, 4, "");
    if (isnan(lines[i].epsilon))
      printf("%10s", "-");
    else
      printf("%10g", lines[i].epsilon);
    print_cell(lines[i].time_s, 10, 2, " s");
    printf("\n");
  }
}

/* Prints a word, quoted for a shell if necessary. */
static void print_word(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_./-+=:,@%";
  if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
    printf("%s", word);
    return;
  }
  putchar('\'');
  for (; *word != '\0'; ++word)
    if (*word == '\'')
      printf("'\\''");
    else
      putchar(*word);
  putchar('\'');
}

/* Prints a line with the program and the words, with quoted paths. The list must end
   with NULL. */
static void print_command(const char *const *words) {
  printf("  ");
  print_word(cli_program());
  for (; *words != NULL; ++words) {
    printf(" ");
    if (strcmp(*words, "|") == 0 || strcmp(*words, ">") == 0)
      printf("%s", *words);
    else
      print_word(*words);
  }
  printf("\n");
}

#define COMMAND(...) print_command((const char *const[]){__VA_ARGS__, NULL})

static void print_commands_done(const struct cli_args *arguments, const struct paths *p,
                                const char *epsilon) {
  int pays = has_ledger(arguments, cli_number(arguments, "epsilon", 1));
  printf("\nThe same by hand:\n");
  if (pays)
    COMMAND("train", "--epsilon", epsilon, "--schema", p->schema, "--ledger", p->ledger,
            "--dataset", TACIT_CLI_DEMO_DATASET, "-o", p->private_model, p->train);
  else if (cli_given(arguments, "seed"))
    COMMAND("train", "--epsilon", epsilon, "--seed", cli_text(arguments, "seed", "0"),
            "--schema", p->schema, "-o", p->private_model, p->train);
  else
    COMMAND("train", "--epsilon", epsilon, "--schema", p->schema, "-o",
            p->private_model, p->train);
  COMMAND("train", "--mechanism", "none", "--schema", p->schema, "-o", p->plain_model,
          p->train);
  COMMAND("eval", p->private_model, p->test);
  if (!pays) return;
  COMMAND("eval", p->private_model, p->test, "--epsilon", epsilon, "--ledger",
          p->ledger, "--dataset", TACIT_CLI_DEMO_DATASET, "--json", ">", p->evaluation);
  COMMAND("report", p->private_model, "--eval", p->evaluation, "--ledger", p->ledger,
          "--dataset", TACIT_CLI_DEMO_DATASET, "-o", p->report);
}

static void print_commands_next(const struct paths *p, int64_t n_rows) {
  char strict[PATH_SIZE + 16], plan[PATH_SIZE + 16], rows[24];
  snprintf(rows, sizeof rows, "%" PRId64, n_rows);
  snprintf(strict, sizeof strict, "%s/strict.json", p->folder);
  snprintf(plan, sizeof plan, "%s/plan.html", p->folder);
  printf("\nWhat to try next:\n");
  COMMAND("predict", p->private_model, p->test, "|", "head");
  COMMAND("train", "--epsilon", "0.1", "--schema", p->schema, "-o", strict, p->train);
  COMMAND("plan", "--epsilon", "0.1", "--rows", rows, "--schema", p->schema, "--html",
          plan);
  COMMAND("account", "--epsilon", "1", "--delta", "1e-10");
  COMMAND("train", "--help");
}

static int print_json(const struct paths *paths, const struct demo_facts *train,
                      const struct demo_facts *test, const struct line *lines) {
  json_t *results = json_array();
  for (size_t i = 0; i < N_LINES; ++i) {
    json_array_append_new(results,
                          json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", lines[i].name,
                                    "loss", cli_json_number(lines[i].loss), "accuracy",
                                    cli_json_number(lines[i].accuracy), "epsilon",
                                    cli_json_number(lines[i].epsilon), "time_s",
                                    cli_json_number(lines[i].time_s)));
  }
  return cli_print_json(json_pack("{s:s, s:I, s:I, s:o}", "folder", paths->folder,
                                  "train_rows", (json_int_t)train->rows, "test_rows",
                                  (json_int_t)test->rows, "results", results));
}

static int print_text(const struct cli_args *arguments, const struct paths *paths,
                      const struct demo_facts *train, const struct demo_facts *test,
                      const struct line *lines, const char *statement) {
  printf("A synthetic patient registry: will a patient be readmitted?\n"
         "%" PRId64 " patients to train on, %" PRId64 " others to test.\n\n",
         train->rows, test->rows);
  print_table(lines);
  if (statement != NULL)
    printf(
        "\nWhat is guaranteed about the private model (it carries this with it):\n\n%s",
        statement);
  printf("\nThe files:\n  %s\n  %s\n  %s\n  %s\n  %s\n  %s\n  %s\n", paths->train,
         paths->test, paths->schema, paths->private_model, paths->plain_model,
         paths->evaluation, paths->report);
  if (has_ledger(arguments, cli_number(arguments, "epsilon", 1)))
    printf("  %s\n", paths->ledger);
  print_commands_done(arguments, paths, cli_text(arguments, "epsilon", "1"));
  print_commands_next(paths, train->rows);
  printf("\nA page about the private model, for people who decide: open %s\n",
         paths->report);
  return cli_close_stdout();
}

static int make_files(const struct cli_args *arguments, const struct paths *paths,
                      struct demo_facts *train, struct demo_facts *test) {
  const struct cli_value *given = cli_value(arguments, "rows");
  int64_t rows = given->given ? (int64_t)given->integer : 100000;
  int exit_code = cli_demo_write_schema(paths->schema);
  if (exit_code == 0)
    exit_code = cli_demo_write_patients(paths->train, rows, 1, 0, train);
  if (exit_code == 0)
    exit_code = cli_demo_write_patients(paths->test, rows / 4, 2, 0, test);
  return exit_code;
}

/* Trains with and without noise, and writes the page about the private model. */
static int train_both(const struct cli_args *arguments, const struct paths *paths,
                      double epsilon, struct line *lines, tacit_model **models,
                      struct cli_output *outputs) {
  const char *ledger = has_ledger(arguments, epsilon) ? paths->ledger : NULL;
  struct cli_budget budget, nothing = {0};
  int exit_code = cli_demo_ledger(ledger, epsilon, &budget);
  if (exit_code == 0)
    exit_code = train_one(arguments, paths, epsilon, paths->private_model, &budget,
                          &lines[0], &outputs[0], &models[0]);
  if (exit_code == 0)
    exit_code = train_one(arguments, paths, 0, paths->plain_model, &nothing, &lines[1],
                          &outputs[1], &models[1]);
  if (exit_code != 0) return exit_code;
  const struct cli_demo_page page = {.arguments = arguments,
                                     .model = models[0],
                                     .model_path = paths->private_model,
                                     .test_path = paths->test,
                                     .eval_path = paths->evaluation,
                                     .page_path = paths->report,
                                     .ledger = ledger,
                                     .epsilon = epsilon};
  return cli_demo_page(&page, &budget, &outputs[2]);
}

static int run(const struct cli_args *arguments) {
  struct paths paths;
  struct demo_facts train, test;
  double epsilon = cli_number(arguments, "epsilon", 1);
  int exit_code = fill_paths(cli_text(arguments, "folder", "demo-data"), &paths);
  if (exit_code != 0) return exit_code;
  cli_stop_catch();
  if (cli_given(arguments, "days")) {
    const struct cli_value *rows = cli_value(arguments, "rows");
    return cli_demo_days(arguments, paths.folder,
                         (int64_t)cli_value(arguments, "days")->integer,
                         rows->given ? (int64_t)rows->integer : 500);
  }
  exit_code = make_files(arguments, &paths, &train, &test);
  if (exit_code != 0) return exit_code;

  const double nothing = (double)NAN;
  struct line lines[N_LINES] = {
      {"private model", nothing, nothing, epsilon, nothing},
      {"same learner without noise", nothing, nothing, nothing, nothing},
      {"majority class", nothing, nothing, nothing, nothing},
      {"best possible", test.best_loss, test.best_accuracy, nothing, nothing}};
  tacit_model *models[2] = {NULL, NULL};
  struct cli_output outputs[N_OUTPUTS] = {{0}, {0}, {0}};
  exit_code = train_both(arguments, &paths, epsilon, lines, models, outputs);
  guess(&train, &test, &lines[2]);
  if (exit_code == 0 && cli_given(arguments, "json"))
    exit_code = print_json(&paths, &train, &test, lines);
  else if (exit_code == 0)
    exit_code = print_text(arguments, &paths, &train, &test, lines,
                           tacit_model_statement_text(models[0]));
  for (int i = 0; i < N_OUTPUTS; ++i) {
    if (exit_code == 0) exit_code = cli_output_place(&outputs[i]);
    cli_output_abandon(&outputs[i]);
  }
  tacit_model_free(models[0]);
  tacit_model_free(models[1]);
  return exit_code;
}

static const struct cli_group group = GROUP(
    "Options",
    TEXT(
        "folder", "DIR",
        "folder for the files; made if missing; train.csv, test.csv, schema.json, "
        "eval.json, report.html, demo-ledger.db and models that are in it are replaced",
        DEFAULT("demo-data")),
    INTEGER("rows", "N", 100, 100000000,
            "patients to train on; a quarter as many to test", DEFAULT("100000")),
    INTEGER("days", "N", 1, 100000,
            "write only the schema and a file for each of N days, day-001.csv ..., of "
            "--rows patients (500) each, in a world that changes: for \"tacit stream\"",
            DEFAULT("none")),
    REAL("epsilon", "E", 1e-6, 1e3, "privacy budget of the private model",
         DEFAULT("1")),
    INTEGER("seed", "N", 0, UINT64_MAX,
            "repeatable noise: the model is then marked not private",
            DEFAULT("secret randomness of the system")),
    QUIET, JSON);

CLI_COMMAND(demo, "", 0, 0, "make a synthetic registry, train on it, compare",
            GROUPS(&group));
