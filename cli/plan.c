/* SPDX-License-Identifier: MIT */
/*
 * `tacit plan`, and `tacit train --dry-run`: what a run would do and guarantee. No row
 * is read.
 */
#include "settings.h"

#include <tacit/extra/report.h>
#include <tacit/plan.h>

#include "cli.h"
#include "data.h"
#include "effects.h"

/* Writes the page of --html without giving it its name. */
static int write_page(const struct cli_args *args, const tacit_config *config,
                      struct cli_output *output) {
  tacit_error err;
  char *text = NULL;
  if (!cli_given(args, "html")) return 0;
  if (tacit_plan_page(config, &text, &err) != TACIT_OK) return cli_fail_error(&err);
  return cli_stage(args, "html", text, output);
}

int cli_print_plan(const struct cli_args *args, int with_statement) {
  if (!cli_given(args, "rows") && !cli_given(args, "units"))
    return cli_refuse("--rows N is missing: no row is read, so the number of rows "
                      "must be given (--units N for persons)");
  struct cli_run run;
  CLI_TRY(cli_settings(args, &run));
  if (with_statement) cli_pipes_settings(args, &run.config);
  tacit_error err;
  tacit_plan *plan = NULL;
  if (tacit_plan_new(&run.config, &plan, &err) != TACIT_OK) {
    cli_settings_free(&run);
    return cli_fail_error(&err);
  }
  struct cli_output page = {0};
  int exit_code = with_statement ? 0 : write_page(args, &run.config, &page);
  if (exit_code != 0) {
    /* nothing is printed beside a page that could not be written */
  } else if (cli_given(args, "json")) {
    const char *text = tacit_plan_json(plan);
    if (!with_statement) printf("%s\n", text);
    exit_code = !with_statement
                    ? cli_close_stdout()
                    : cli_print_json_parts(
                          json_object(),
                          CLI_PARTS({"statement", tacit_plan_statement_json(plan)},
                                    {"plan", text}));
  } else {
    if (with_statement) printf("%s\n", tacit_plan_statement_text(plan));
    printf("%s", tacit_plan_text(plan));
    exit_code = cli_close_stdout();
  }
  if (exit_code == 0) exit_code = cli_output_place(&page);
  cli_output_abandon(&page);
  tacit_plan_free(plan);
  cli_settings_free(&run);
  return exit_code;
}

static int run(const struct cli_args *args) {
  if (!cli_given(args, "infer")) return cli_print_plan(args, 0);
  if (cli_given(args, "html"))
    return cli_refuse("--html is for plans of training: leave out --infer");
  if (!cli_given(args, "rows") && !cli_given(args, "units"))
    return cli_refuse("--rows N is missing: no row is read, so the number of rows "
                      "must be given (--units N for persons)");
  return cli_effects_plan(args);
}

static const struct cli_group output_group =
    GROUP("Output",
          OUTPUT("html", "FILE",
                 "also write a page that shows the noise and the advised passes for "
                 "other values of epsilon and other numbers of rows"),
          FLAG("infer", "plan a table of effects (\"tacit infer\"): the width of its "
                        "intervals, and what it will show"),
          JSON);

CLI_COMMAND(plan, "", 0, 0,
            "rounds, noise and bounds of a run, before any data is read",
            GROUPS(&cli_data_group, &cli_person_group, &cli_privacy_group,
                   &cli_problem_group, &cli_algorithm_group, &cli_noise_group,
                   &cli_limit_model_group, &output_group));
