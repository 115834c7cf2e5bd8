/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_OUTPUT_H
#define TACIT_BASE_OUTPUT_H

#include <tacit/output.h>

/* tacit_output_open; with `nameless` 0 as on a file system that has no nameless files:
   the tests look at both ways. */
tacit_status tacit_output_begin(const char *path, unsigned mode, int nameless,
                                tacit_output **out, tacit_error *err);
/* Removes the temporary files in a folder (its name ends with a slash) whose processes
   have died. Those that live hold a lock on theirs. */
void tacit_output_sweep(const char *folder);

#endif
