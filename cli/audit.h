/* SPDX-License-Identifier: MIT */
/* What the parts of `tacit audit` share. */
#ifndef TACIT_CLI_AUDIT_H
#define TACIT_CLI_AUDIT_H

#include <jansson.h>
#include <tacit/audit.h>

#include "settings.h"

/* How one attacker scored the runs. */
struct cli_attack {
  const char *name; /* for JSON */
  const char *text; /* for people */
  const double *first, *second;
  int64_t count; /* runs on each data set; 0: no such attacker */
  int is_ratio;  /* scores are exact likelihood ratios: the best threshold is 0 */
  tacit_audit_result result;
};

enum { CLI_ATTACKS = 2 };

/* What is reported about an audit. */
struct cli_audit {
  const struct cli_arguments *arguments;
  double mu, epsilon, delta; /* as stated; epsilon NaN: not known */
  double reach;              /* of the canary, as mu; NaN: not known */
  char what[200];            /* that was audited, for people */
  json_t *facts;             /* the same for JSON */
  struct cli_attack attacks[CLI_ATTACKS];
};

/* audit_report.c: judges the scores, prints the report and writes the figure. Frees
   `facts`. Returns the exit code: 5 if the guarantee does not hold. */
int tacit_cli_audit_report(struct cli_audit *audit);

/* audit_command.c: audits the program of --command. */
int tacit_cli_audit_command(const struct cli_arguments *arguments);

/* audit_release.c: reads what `--release eval` or `describe` needs of the options; for
   `train` it does nothing. Returns the exit code. */
int tacit_cli_audit_budget(const struct cli_arguments *arguments,
                           struct cli_run *settings, tacit_evaluation_options *release);
/* The release that --release names. */
enum { CLI_AUDIT_TRAIN = 0, CLI_AUDIT_EVAL = 1, CLI_AUDIT_DESCRIBE = 2 };
int tacit_cli_audit_kind(const struct cli_arguments *arguments);

/* audit.c: fails if an option is given that is not in the NULL-ended list `fit`;
   `instead` completes the message. */
int tacit_cli_audit_only(const struct cli_arguments *arguments, const char *const *fit,
                         const char *instead);

/* audit_scores.c: the scores in a text of the command's, which is changed; one per line
   if there are several `runs`. Returns the exit code. */
int tacit_cli_audit_scores(const struct cli_command *command, char *text, int64_t runs,
                           int64_t features, double *out);

/* audit.c: runs on each data set, and how many at a time. */
int64_t tacit_cli_audit_trials(const struct cli_arguments *arguments, int64_t fallback);
unsigned tacit_cli_audit_threads(const struct cli_arguments *arguments);

#endif
