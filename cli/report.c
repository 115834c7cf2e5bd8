/* SPDX-License-Identifier: MIT */
/* `tacit report`: a page about models for people who decide. The library writes it. */
#include <tacit/extra/report.h>

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data.h"

/* `files` has room for the values of --eval and --audit. */
static int report(const struct cli_args *args, const tacit_model **models,
                  const char **files) {
  tacit_report_options options;
  tacit_error err;
  char *text = NULL;
  tacit_report_options_init(&options);
  options.models = models;
  options.names = args->operands;
  options.n_models = args->n_operands;
  options.evaluations = files;
  options.n_evaluations = cli_texts(args, "eval", files);
  options.audits = files + options.n_evaluations;
  options.n_audits = cli_texts(args, "audit", files + options.n_evaluations);
  options.ledger = cli_text(args, "ledger", NULL);
  options.dataset = cli_text(args, "dataset", NULL);
  options.include_not_private = cli_given(args, "include-not-private");
  options.max_bytes = cli_limit_model(args);
  options.markdown = cli_given(args, "markdown");
  options.about_file = cli_text(args, "about", NULL);
  options.about =
      (tacit_report_about){.title = cli_text(args, "title", NULL),
                           .institution = cli_text(args, "institution", NULL),
                           .purpose = cli_text(args, "purpose", NULL),
                           .contact = cli_text(args, "contact", NULL),
                           .date = cli_text(args, "date", NULL),
                           .bounds = cli_text(args, "bounds", NULL),
                           .note = cli_text(args, "note", NULL)};
  CLI_TRY(cli_judge(tacit_report_text(&options, &text, &err), &err));
  return cli_emit(args, text, strlen(text), 1);
}

static int run(const struct cli_args *args) {
  size_t count = args->n_operands;
  tacit_error err;
  if (cli_given(args, "ledger") != cli_given(args, "dataset"))
    return cli_refuse("--ledger FILE and --dataset NAME go together: a ledger has "
                      "budgets of several data sets");
  tacit_model **models = calloc(count, sizeof *models);
  const char **files = calloc(args->n_repeated + 1, sizeof *files);
  int exit_code =
      models == NULL || files == NULL ? cli_fail(CLI_FAILED, "out of memory") : 0;
  for (size_t i = 0; exit_code == 0 && i < count; ++i)
    exit_code =
        cli_judge(cli_model_load(args, args->operands[i], &models[i], &err), &err);
  if (exit_code == 0) exit_code = report(args, (const tacit_model **)models, files);
  for (size_t i = 0; models != NULL && i < count; ++i)
    tacit_model_free(models[i]);
  free(models);
  free(files);
  return exit_code;
}

static const struct cli_group group = GROUP(
    "Options",
    INPUT("eval", "FILE",
          "the output of \"tacit eval --epsilon E --json\" for one of the "
          "models; for several models it may be given several times",
          REPEATS),
    INPUT("audit", "FILE",
          "the output of \"tacit audit --json\" for the guarantee of one of the "
          "models; likewise",
          REPEATS),
    INPUT("ledger", "LEDGER",
          "what is spent and left, by this ledger (\"tacit ledger\"): a file, or "
          "postgresql://USER@HOST/DATABASE"),
    TEXT("dataset", "NAME", "the data set of the ledger"),
    TEXT("title", "TEXT", "heading of the page"),
    TEXT("institution", "TEXT", "who publishes the model"),
    TEXT("purpose", "TEXT", "what the model is for"),
    TEXT("contact", "TEXT", "whom to ask"), TEXT("date", "DATE", "date of the page"),
    TEXT("bounds", "TEXT", "where bounds and categories of the schema come from"),
    TEXT("note", "TEXT", "anything else to say below the title"),
    OUTPUT("about", "FILE",
           "a small JSON file that keeps these seven texts: those that are not "
           "given are taken from it, those that are given are stored in it"),
    FLAG("include-not-private",
         "also report models and evaluations that are not private, under a "
         "banner that says so; otherwise they are refused (exit code 5)"),
    FLAG("markdown", "write a model card in Markdown, without figures"),
    OUTPUT_OR_PRINT("output", "FILE", "where to write", LETTER('o')));

CLI_COMMAND(report, "MODEL...", 1, ANY,
            "a page about models for people who decide, as HTML or Markdown",
            GROUPS(&group, &cli_limit_model_group));
