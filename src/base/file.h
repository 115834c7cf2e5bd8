/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_FILE_H
#define TACIT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* Makes what was renamed or removed at `path` last through a power failure, as far as
   the file system lets us: a folder that cannot be synced is no fault of the file. */
void tacit_file_sync_folder(const char *path);
/* Reads a whole file, or what a pipe has, up to `most` bytes; *out is NUL-ended,
   tacit_array_free it. A larger one is TACIT_EDATA; `limit` names the option that
   raises the limit. */
tacit_status tacit_file_read(const char *path, uint64_t max, const char *limit,
                             char **out, size_t *out_size, tacit_error *err);

#endif
