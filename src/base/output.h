/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_OUTPUT_H
#define TACIT_BASE_OUTPUT_H

#include <tacit/output.h>

/* Whether the file has a name while it is written. NAMELESS is tried first if the file
   system can do it (O_TMPFILE), because a killed process then leaves nothing. */
typedef enum tacit_output_way {
  TACIT_OUTPUT_NAMELESS,
  TACIT_OUTPUT_NAMED,
} tacit_output_way;

/* Opens an output file in a chosen way, so that tests reach both ways. */
tacit_status tacit_output_begin(const char *path, unsigned mode, tacit_output_way way,
                                tacit_output **out, tacit_error *err);
/* Removes the temporary files in a folder whose processes have died; a process that
   lives holds a lock on its file. The name of the folder must end with a slash. */
void tacit_output_remove_stale(const char *folder);

#endif
