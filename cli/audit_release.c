/* SPDX-License-Identifier: MIT */
/* `tacit audit --release eval|describe`: the options that such a release has. */
#include "audit.h"
#include "cli.h"
#include "limit.h"

enum { BINS = 16 }; /* of `tacit describe` */

int tacit_cli_audit_kind(const struct cli_arguments *arguments) {
  return (int)tacit_cli_choice(arguments, "release");
}

static int load_schema(const struct cli_arguments *arguments,
                       struct cli_run *settings) {
  tacit_error err;
  const char *path = tacit_cli_text(arguments, "schema", NULL);
  if (path == NULL)
    return tacit_cli_refuse(
        arguments, "--schema FILE is missing: a description is of its columns");
  if (tacit_schema_load_counting(path, tacit_cli_limit_model(arguments), BINS, 0,
                                 &settings->schema, &err) != TACIT_OK)
    return tacit_cli_fail_error(arguments->command, &err);
  tacit_config_init(&settings->config);
  settings->config.schema = settings->schema;
  settings->config.rows = tacit_cli_integer(arguments, "rows", 0);
  settings->config.units = tacit_cli_integer(arguments, "units", 0);
  if (tacit_cli_choice(arguments, "adjacency") == 1)
    settings->config.adjacency = TACIT_ZERO_OUT;
  return 0;
}

int tacit_cli_audit_budget(const struct cli_arguments *arguments,
                           struct cli_run *settings,
                           tacit_evaluation_options *release) {
  static const char *const fit[] = {
      "release",  "trials", "svg",       "weighted", "threads", "quiet",  "json",
      "epsilon",  "delta",  "adjacency", "rows",     "units",   "schema", "max-model",
      "features", "labels", "classes",   "loss",     NULL};
  enum { OF_BOTH = 14 }; /* the others are for a model */
  int kind = tacit_cli_audit_kind(arguments), exit_code = 0;
  const char *describing[OF_BOTH + 1] = {NULL};
  if (kind == CLI_AUDIT_TRAIN) return 0;
  for (int i = 0; i < OF_BOTH; ++i)
    describing[i] = fit[i];
  exit_code = tacit_cli_audit_only(
      arguments, kind == CLI_AUDIT_DESCRIBE ? describing : fit,
      kind == CLI_AUDIT_DESCRIBE ? "is not an option of \"tacit describe\""
                                 : "is not an option of \"tacit eval\"");
  if (exit_code != 0) return exit_code;
  if (!tacit_cli_given(arguments, "epsilon"))
    return tacit_cli_refuse(arguments,
                            "--epsilon is missing: the budget of the release, for "
                            "example 0.5");
  tacit_evaluation_options_init(release);
  release->epsilon = tacit_cli_number(arguments, "epsilon", 0);
  release->delta = tacit_cli_number(arguments, "delta", 0);
  if (tacit_cli_choice(arguments, "adjacency") == 1)
    release->adjacency = TACIT_ZERO_OUT;
  if (kind == CLI_AUDIT_DESCRIBE) return load_schema(arguments, settings);
  return 0;
}
