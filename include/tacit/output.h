/* SPDX-License-Identifier: MIT */
#ifndef TACIT_OUTPUT_H
#define TACIT_OUTPUT_H

#include <stddef.h>
#include <tacit/export.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A file in the making. It takes the place of `path` when it is complete and not
 * before: readers see the old file or the new one, and a failure leaves the old one as
 * it was. Meanwhile it has no name at all where the file system allows that, so that
 * nothing is left of a process that is killed; elsewhere it is named
 * tacit-PID-N.tmp beside `path`, is locked, and the next output in that folder removes
 * it should its process have died.
 */
typedef struct tacit_output tacit_output;

/**
 * Begins a file. Through a link its target is made or replaced, not the link. A file
 * that is replaced keeps its mode and, as far as we may, its owner and group; a new one
 * gets `mode` without the bits of the umask. What is there and is not a regular file (a
 * device, a pipe) is opened and written directly.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_output_open(const char *path,
                                                         unsigned mode,
                                                         tacit_output **out,
                                                         tacit_error *err);
/** Where to write, also by other means. It stays the output's: do not close it. */
TACIT_API int tacit_output_descriptor(const tacit_output *output);
/** The temporary name at present, for programs that remove it when a signal ends them;
    NULL: none. Lives as long as the output. */
TACIT_API const char *tacit_output_temporary(const tacit_output *output);
/** Adds to the file. */
TACIT_API TACIT_NODISCARD tacit_status tacit_output_write(tacit_output *output,
                                                          const void *bytes,
                                                          size_t size,
                                                          tacit_error *err);
/**
 * All is written: sees to it that only tacit_output_place is missing. With `durable`
 * not 0 the contents reach the disk first, so that they outlast a power failure.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_output_complete(tacit_output *output,
                                                             int durable,
                                                             tacit_error *err);
/** Puts a complete file in its place: one rename, which asks for no memory. */
TACIT_API TACIT_NODISCARD tacit_status tacit_output_place(tacit_output *output,
                                                          tacit_error *err);
/** Gives up a file that was not put in its place: nothing is left of it. NULL-safe. */
TACIT_API void tacit_output_free(tacit_output *output);

#ifdef __cplusplus
}
#endif
#endif
