/* SPDX-License-Identifier: MIT */
/* What the parts of `tacit audit` share. */
#ifndef TACIT_CLI_AUDIT_H
#define TACIT_CLI_AUDIT_H

#include <jansson.h>
#include <tacit/audit.h>

#include "options.h"

/* How one attacker scored the runs. */
struct cli_attack {
  const char *name; /* for JSON */
  const char *text; /* for people */
  const double *first, *second;
  int64_t count; /* runs on each data set; 0: no such attacker */
  tacit_audit_result result;
};

enum { CLI_ATTACKS = 2 };

/* What is reported about an audit. */
struct cli_audit {
  const struct cli_arguments *arguments;
  double mu, epsilon, delta; /* as stated; epsilon NaN: not known */
  char what[200];            /* that was audited, for people */
  json_t *facts;             /* the same for JSON */
  struct cli_attack attacks[CLI_ATTACKS];
};

/* audit_report.c: judges the scores, prints the report and writes the figure. Frees
   `facts`. Returns the exit code: 5 if the guarantee does not hold. */
int tacit_cli_audit_report(struct cli_audit *audit);

/* audit_command.c: audits the program of --command. */
int tacit_cli_audit_command(const struct cli_arguments *arguments);

/* audit_scores.c: the scores in a text of the command's, which is changed; one per line
   if there are several `runs`. Returns the exit code. */
int tacit_cli_audit_scores(const struct cli_command *command, char *text, int64_t runs,
                           int64_t features, double *out);

/* audit.c: runs on each data set, and how many at a time. */
int64_t tacit_cli_audit_trials(const struct cli_arguments *arguments, int64_t fallback);
unsigned tacit_cli_audit_threads(const struct cli_arguments *arguments);

#endif
