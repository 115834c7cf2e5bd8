/* SPDX-License-Identifier: MIT */
/*
 * One line and one exit code for a job of many processes. A rank that fails informs the
 * others at the next point where they agree; rank 0 prints for all.
 */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int is_settled; /* 1 if all ranks know the result, so that no rank waits */

int cli_speaks(void) {
  const tacit_group *group = cli_group();
  return group == NULL || group->rank == 0;
}

/* Returns the status of the library for an exit code of the table in program.c. */
static tacit_status status_of(int exit_code) {
  static const tacit_status statuses[] = {TACIT_OK,    TACIT_EIO,     TACIT_EINVAL,
                                          TACIT_EDATA, TACIT_EBUDGET, TACIT_EPRIVACY};
  if (exit_code >= 128) return TACIT_ECANCELED;
  return exit_code < (int)(sizeof statuses / sizeof statuses[0]) ? statuses[exit_code]
                                                                 : TACIT_EIO;
}

/* Returns the signal that stopped any rank, or 0. All ranks must call it. */
static int common_signal(const tacit_group *group) {
  size_t size = (size_t)group->size;
  int *signals = calloc(size, sizeof *signals), found = cli_stop_signal();
  size_t *counts = calloc(size, sizeof *counts);
  if (signals != NULL && counts != NULL) {
    for (size_t i = 0; i < size; ++i)
      counts[i] = sizeof *signals;
    signals[group->rank] = found;
    if (group->gather_all(group->self, signals, counts) == 0) {
      for (size_t i = 0; i < size; ++i)
        if (signals[i] > found) found = signals[i];
    }
  }
  free(signals);
  free(counts);
  return found;
}

int cli_agreed(const tacit_error *err) {
  const tacit_group *group = cli_group();
  is_settled = 1;
  if (group != NULL && err->status == TACIT_ECANCELED) {
    int signal_number = common_signal(group);
    if (signal_number != 0) return cli_stop_fail(signal_number);
  }
  return cli_fail_error(err);
}

int cli_agree(enum cli_place place, int exit_code) {
  const tacit_group *group = cli_group();
  if (group == NULL || is_settled) return exit_code;
  tacit_error err = {status_of(exit_code), ""};
  if (exit_code != 0) snprintf(err.message, sizeof err.message, "%s", cli_last_line());
  if (tacit_group_agree(group, (int64_t)place, err.status, &err) == TACIT_OK) {
    is_settled = place == CLI_WRITTEN;
    return 0;
  }
  if (exit_code == 0 || err.status == TACIT_ECANCELED) return cli_agreed(&err);
  /* Rank 0 has printed its own line already. */
  is_settled = 1;
  return tacit_status_exit_code(err.status);
}
