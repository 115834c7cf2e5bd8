/* SPDX-License-Identifier: MIT */
/* `tacit audit --release eval|describe`: the options of these releases. */
#include "audit.h"
#include "cli.h"
#include "data.h"

enum { BINS = 16 }; /* of `tacit describe` */

int cli_audit_kind(const struct cli_args *args) {
  return (int)cli_value(args, "release")->choice;
}

static int load_schema(const struct cli_args *args, struct cli_run *settings) {
  tacit_error err;
  const char *path = cli_text(args, "schema", NULL);
  if (path == NULL)
    return cli_refuse("--schema FILE is missing: a description is of its columns");
  CLI_TRY(cli_judge(tacit_schema_load_counting(path, cli_limit_model(args), BINS, 0,
                                               &settings->schema, &err),
                    &err));
  tacit_config_init(&settings->config);
  settings->config.schema = settings->schema;
  settings->config.rows = cli_integer(args, "rows", 0);
  settings->config.units = cli_integer(args, "units", 0);
  settings->config.adjacency = (tacit_adjacency)cli_choice(args, "adjacency");
  return 0;
}

int cli_audit_budget(const struct cli_args *args, struct cli_run *settings,
                     tacit_evaluation_options *release) {
  static const char *const fit[] = {
      "features", "labels",  "classes", "loss",      "release", "trials", "svg",
      "weighted", "threads", "quiet",   "json",      "epsilon", "delta",  "adjacency",
      "rows",     "units",   "schema",  "max-model", NULL};
  enum { OF_MODEL = 4 }; /* the options after these are also for a description */
  int kind = cli_audit_kind(args), describes = kind == CLI_AUDIT_DESCRIBE;
  if (kind == CLI_AUDIT_TRAIN) return 0;
  CLI_TRY(cli_audit_only(args, fit + (describes ? OF_MODEL : 0),
                         describes ? "is not an option of \"tacit describe\""
                                   : "is not an option of \"tacit eval\""));
  if (!cli_given(args, "epsilon"))
    return cli_refuse("--epsilon is missing: the budget of the release, for "
                      "example 0.5");
  tacit_evaluation_options_init(release);
  release->epsilon = cli_number(args, "epsilon", 0);
  release->delta = cli_number(args, "delta", 0);
  release->adjacency = (tacit_adjacency)cli_choice(args, "adjacency");
  return describes ? load_schema(args, settings) : 0;
}
