/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM, files that are cut or exceed their limit, and core dumps. */
#ifndef TACIT_CLI_STOP_H
#define TACIT_CLI_STOP_H

#include <stddef.h>

#include "options.h"

/* Installs the handlers. A first SIGINT or SIGTERM only asks for a stop. If the program
   has not ended after a second (it may wait for a pipe), or after half a minute in a
   group (it may wait for other ranks), or after a second signal, the handler prints the
   line and ends the process. */
void cli_stop_catch(const struct cli_command *command);
/* Sets the advice of the line, instead of "run it again". Call it before
   cli_stop_catch; the text must remain valid. */
void cli_stop_advise(const char *advice);
/* The part of cli_stop_catch for commands that a signal may end at any time: if a
   mapped file is cut, the process ends with a line and the exit code of bad data. */
void cli_stop_faults(const struct cli_command *command);
/* The signal that asked for a stop, or 0. */
int cli_stop_signal(void);
/* The temporary file that the handler removes if it ends the process; NULL: none. The
   text must remain valid until the next call. */
void cli_stop_remove(const char *temporary);
/* Blocks signals, for a short last part that must not be interrupted. A closed pipe on
   standard output is then a failed write. */
void cli_stop_hold(void);
/* Prints the line of a run that a signal stopped; returns 128 + signal. */
int cli_stop_fail(int signal_number);

/* Prevents core dumps, because memory holds records. `paths` and `output` are the files
   that the process will open. */
void cli_no_core_dumps(const char *const *paths, size_t n_paths, const char *output);

#endif
