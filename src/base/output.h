/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_OUTPUT_H
#define TACIT_BASE_OUTPUT_H

#include <stddef.h>
#include <tacit/status.h>

/*
 * A file that replaces `path` only when it is complete. Readers see the old file or the
 * new one, and after a failure the old file is unchanged. Until then the new file has
 * no name if the file system supports that, so a killed process leaves nothing.
 * Otherwise it is named tacit-PID-N.tmp in the folder of `path` and is locked; if its
 * process dies, the next output in that folder removes it.
 */
typedef struct tacit_output tacit_output;

/*
 * Begins a file. If `path` is a link, the target is made or replaced and the link
 * stays. A replaced file keeps its mode and, if permitted, its owner and group; a new
 * file gets `mode` without the bits of the umask. If `path` is a device or a pipe, it
 * is written directly.
 */
tacit_status tacit_output_open(const char *path, unsigned mode, tacit_output **out,
                               tacit_error *err);
/* Returns the descriptor, for other ways of writing. The output owns it: do not close
    it. */
int tacit_output_descriptor(const tacit_output *output);
/* Returns the current temporary name, for programs that must remove it when a signal
    ends them, or NULL if the file has no name. Valid as long as the output. */
const char *tacit_output_temporary(const tacit_output *output);
/* Appends bytes to the file. */
tacit_status tacit_output_write(tacit_output *output, const void *bytes, size_t size,
                                tacit_error *err);
/*
 * Ends writing; after it only tacit_output_place can remain. If `durable` is not 0, the
 * contents are synced to the disk, so that they survive a power failure.
 */
tacit_status tacit_output_complete(tacit_output *output, int durable, tacit_error *err);
/* Gives a complete file its name: one rename, which needs no memory. */
tacit_status tacit_output_place(tacit_output *output, tacit_error *err);
/* Frees the output, and deletes a file that was not placed. NULL is allowed. */
void tacit_output_free(tacit_output *output);

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
