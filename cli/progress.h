/* SPDX-License-Identifier: MIT */
/* Progress of a training run on standard error. Public facts only. */
#ifndef TACIT_CLI_PROGRESS_H
#define TACIT_CLI_PROGRESS_H

#include <tacit/config.h>
#include <time.h>

struct cli_progress {
  int quiet;    /* nothing is printed */
  int terminal; /* 1: a bar that is redrawn; 0: one line per second */
  int drawn;    /* a bar is on the screen */
  struct timespec start, last;
};

void cli_progress_start(struct cli_progress *progress, int quiet);
/* tacit_progress_fn; the cookie is a struct cli_progress. Non-zero after a signal. */
int cli_progress_show(void *cookie, const tacit_progress *facts);
/* The same for the runs of an audit. */
int cli_progress_runs(void *cookie, int64_t done, int64_t all);
/* Clears the bar. */
void cli_progress_end(struct cli_progress *progress);
/* Seconds since the start. */
double cli_progress_seconds(const struct cli_progress *progress);

#endif
