/* SPDX-License-Identifier: MIT */
/* Progress of a training run on standard error. Public facts only. */
#ifndef TACIT_CLI_PROGRESS_H
#define TACIT_CLI_PROGRESS_H

#include <tacit/config.h>
#include <time.h>

struct cli_progress {
  int quiet;    /* 1 if nothing is printed */
  int terminal; /* 1 for a bar that is redrawn, 0 for one line per second */
  int drawn;    /* 1 if a bar is on the screen */
  struct timespec start, last;
};

void cli_progress_start(struct cli_progress *progress, int quiet);
/* Shows the progress of a run: a tacit_progress_fn whose cookie is a struct
   cli_progress. Returns a number other than 0 after a signal. */
int cli_progress_show(void *cookie, const tacit_progress *facts);
/* Like cli_progress_show, for the runs of an audit. */
int cli_progress_runs(void *cookie, int64_t done, int64_t all);
/* Clears the bar. */
void cli_progress_end(struct cli_progress *progress);
/* Returns the seconds since the start. */
double cli_progress_seconds(const struct cli_progress *progress);

#endif
