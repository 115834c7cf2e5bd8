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
  int64_t count; /* number of runs on each data set; 0 without this attacker */
  int is_ratio; /* 1 if scores are exact likelihood ratios, whose best threshold is 0 */
  tacit_audit_result result;
};

enum { CLI_ATTACKS = 2 };

/* What is reported about an audit. */
struct cli_audit {
  const struct cli_args *args;
  tacit_audit_claim claim; /* the stated guarantee; epsilon is NaN if it is not known */
  double reach;   /* how far the canary moves the releases, as mu; NaN if not known */
  char what[200]; /* name of the audited plan or program, for people */
  json_t *facts;  /* the audited plan or program, for JSON */
  struct cli_attack attacks[CLI_ATTACKS];
};

/* audit_report.c: judges the scores, prints the report and writes the figure. Frees
   `facts`. Returns the exit code: 5 if the guarantee does not hold. */
int cli_audit_report(struct cli_audit *audit);

/* audit_command.c: audits the program of --command. */
int cli_audit_command(const struct cli_args *args);

/* audit_release.c: reads the options of `--release eval` or `describe`. Does nothing
   for `train`. Returns the exit code. */
int cli_audit_budget(const struct cli_args *args, struct cli_run *settings,
                     tacit_evaluation_options *release);
enum { CLI_AUDIT_TRAIN = 0, CLI_AUDIT_EVAL = 1, CLI_AUDIT_DESCRIBE = 2 };
/* Returns which of these releases --release names. */
int cli_audit_kind(const struct cli_args *args);

/* audit.c: fails if an option is given that is not in the NULL-ended list `fit`;
   `instead` completes the message. */
int cli_audit_only(const struct cli_args *args, const char *const *fit,
                   const char *instead);

/* ---- audit_scores.c ---- */
enum { CLI_NUMBERS = 64 }; /* most numbers of a run that become scores */
/* The numbers that the command wrote in every run. */
struct cli_numbers {
  int64_t trials, runs, features; /* runs on each data set, runs per call, columns */
  int64_t wrote;  /* how many numbers a run wrote; 0 until the first call has ended */
  int64_t kept;   /* how many of them become scores */
  double *of[2];  /* `kept` numbers per trial, for each data set */
  double *scores; /* scores of the trials on the first data set, then on the second */
};
/* Takes the numbers of a call out of its text, which it changes. Its first run has
   number `trial`. If a call has several runs, each has its own line. Returns the exit
   code. */
int cli_audit_numbers(char *text, int which, int64_t trial,
                      struct cli_numbers *numbers);
/* Turns the numbers into the scores of the first attack of an audit. Returns the exit
   code. */
int cli_audit_look(struct cli_audit *audit, struct cli_numbers *numbers);
void cli_audit_numbers_free(struct cli_numbers *numbers);

/* ---- audit_table.c ---- */
enum { CLI_RANGES = 256 };
/* The two files that a command trains on. */
struct cli_table {
  int64_t rows, features;
  int zero_out;
  int n_ranges; /* 0 if rows have a norm of at most 1 instead of ranges */
  double ranges[CLI_RANGES][2], labels[2];
};
/* Reads --rows, --features, --adjacency, --ranges and --labels. Returns the exit code.
 */
int cli_audit_table(const struct cli_args *args, struct cli_table *table);
/* Writes data set 0 or 1 to a CSV file. Returns -1 on failure. */
int cli_audit_table_write(const struct cli_table *table, int which, const char *path);

#endif
