/* SPDX-License-Identifier: MIT */
/* What the parts of `tacit audit` share. */
#ifndef TACIT_CLI_AUDIT_H
#define TACIT_CLI_AUDIT_H

#include <jansson.h>
#include <tacit/extra/audit.h>

#include "settings.h"

/* How one attacker scored the runs. */
struct cli_attack {
  const char *name; /* for JSON */
  char text[120];   /* for people */
  const double *first, *second;
  int64_t count; /* runs on each data set; 0: no such attacker */
  int is_ratio;  /* scores are exact likelihood ratios: the best threshold is 0 */
  tacit_audit_result result;
};

enum { CLI_ATTACKS = 2 };

/* What is reported about an audit. */
struct cli_audit {
  const struct cli_args *args;
  tacit_audit_claim claim; /* as stated; epsilon NaN: not known */
  double reach;            /* of the canary, as mu; NaN: not known */
  char what[200];          /* that was audited, for people */
  json_t *facts;           /* the same for JSON */
  struct cli_attack attacks[CLI_ATTACKS];
};

/* audit_report.c: judges the scores, prints the report and writes the figure. Frees
   `facts`. Returns the exit code: 5 if the guarantee does not hold. */
int cli_audit_report(struct cli_audit *audit);

/* audit_command.c: audits the program of --command. */
int cli_audit_command(const struct cli_args *args);

/* audit_release.c: reads what `--release eval` or `describe` needs of the options; for
   `train` it does nothing. Returns the exit code. */
int cli_audit_budget(const struct cli_args *args, struct cli_run *settings,
                     tacit_evaluation_options *release);
/* The release that --release names. */
enum { CLI_AUDIT_TRAIN = 0, CLI_AUDIT_EVAL = 1, CLI_AUDIT_DESCRIBE = 2 };
int cli_audit_kind(const struct cli_args *args);

/* audit.c: fails if an option is given that is not in the NULL-ended list `fit`;
   `instead` completes the message. */
int cli_audit_only(const struct cli_args *args, const char *const *fit,
                   const char *instead);

/* audit_scores.c: the numbers that the command wrote in every run. */
enum { CLI_NUMBERS = 64 }; /* of a run that are looked at */
struct cli_numbers {
  int64_t trials, runs, features; /* on each data set; of one call; of a row */
  int64_t wrote;  /* numbers of a run, at least one; 0: no call has ended yet */
  int64_t kept;   /* how many of them are looked at */
  double *of[2];  /* `kept` numbers of each trial */
  double *scores; /* of the trials on the first data set, then of the others */
};
/* Takes the text of a call, which is changed: its runs are those from `trial` on. Lines
   are runs if a call has several. Returns the exit code. */
int cli_audit_numbers(char *text, int which, int64_t trial,
                      struct cli_numbers *numbers);
/* Makes scores of the numbers for the first attack of an audit. Returns the exit code.
 */
int cli_audit_look(struct cli_audit *audit, struct cli_numbers *numbers);
void cli_audit_numbers_free(struct cli_numbers *numbers);

/* audit_table.c: the two files that a command trains on. */
enum { CLI_RANGES = 256 };
struct cli_table {
  int64_t rows, features;
  int zero_out;
  int n_ranges; /* 0: rows have a norm of at most 1 */
  double ranges[CLI_RANGES][2], labels[2];
};
/* Reads --rows, --features, --adjacency, --ranges and --labels. Returns the exit code.
 */
int cli_audit_table(const struct cli_args *args, struct cli_table *table);
/* Writes file 0 or 1. Returns -1 on failure. */
int cli_audit_table_write(const struct cli_table *table, int which, const char *path);

#endif
