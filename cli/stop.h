/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM, files that are cut or grow too large, and no core dumps. */
#ifndef TACIT_CLI_STOP_H
#define TACIT_CLI_STOP_H

#include <stddef.h>

#include "options.h"

/* From here on a first SIGINT or SIGTERM only asks for a stop. When the program has not
   ended a second later (it may be waiting for a pipe; half a minute in a group, where
   it may be waiting for the others), or on a second signal, the handler prints the line
   and ends the process itself. */
void tacit_cli_stop_catch(const struct cli_command *command);
/* What the line tells the user to do, in place of "run it again"; before
   tacit_cli_stop_catch. Borrowed. */
void tacit_cli_stop_advise(const char *advice);
/* Part of it, for commands that a signal may end at any time: a mapped file that is cut
   ends the process with its line and the exit code of bad data. */
void tacit_cli_stop_faults(const struct cli_command *command);
/* The signal that asked for a stop, or 0. */
int tacit_cli_stop_signal(void);
/* A temporary file to remove should the handler end the process; NULL: none. Borrowed
   until the next call. */
void tacit_cli_stop_remove(const char *temporary);
/* From here on signals wait: what follows is short and must be whole. A reader of
   standard output that went away is then an error of the write. */
void tacit_cli_stop_hold(void);
/* Prints the line of a run stopped by a signal and returns its exit code, 128 + signal.
 */
int tacit_cli_stop_fail(int signal_number);

/* Keeps memory that holds records out of core dumps. `paths` are what the process will
   open, NULL entries skipped. */
void tacit_cli_no_core_dumps(const char *const *paths, size_t n_paths,
                             const char *output);

#endif
