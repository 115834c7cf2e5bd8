/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_FILE_H
#define TACIT_BASE_FILE_H

#include <stddef.h>
#include <tacit/status.h>

/* Writes a whole file: to a temporary name beside `path`, synced, then renamed, so that
   readers see the old file or the new one and a failure leaves nothing behind. What is
   there already and is not a regular file (a device, a pipe) is written directly. */
tacit_status tacit_file_write(const char *path, const char *text, size_t size,
                              tacit_error *err);
/* Makes what was renamed or removed at `path` last through a power failure, as far as
   the file system lets us: a folder that cannot be synced is no fault of the file. */
void tacit_file_sync_folder(const char *path);
/* Reads a whole regular file of at most `most` bytes; *out is NUL-ended,
   tacit_array_free it. */
tacit_status tacit_file_read(const char *path, size_t most, char **out,
                             size_t *out_size, tacit_error *err);

#endif
