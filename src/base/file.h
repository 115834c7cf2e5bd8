/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_FILE_H
#define TACIT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* Makes a rename or removal at `path` durable by syncing its folder. Ignores failure,
   because some file systems cannot sync folders. */
void tacit_file_sync_folder(const char *path);
/* Reads a whole file or pipe of at most `max` bytes. Adds a zero that *out_size does
   not count; the caller frees *out with tacit_array_free. Returns TACIT_EDATA if there
   are more bytes; the message names `limit`, the option that raises `max`. */
tacit_status tacit_file_read(const char *path, uint64_t max, const char *limit,
                             char **out, size_t *out_size, tacit_error *err);
/* Reads a whole file like tacit_file_read. The file must contain the text `kind` in its
   first bytes if it has more than TACIT_FILE_SMALL bytes. */
enum { TACIT_FILE_SMALL = 64 << 20 };
tacit_status tacit_file_read_kind(const char *path, const char *kind, uint64_t max,
                                  const char *limit, char **out, size_t *out_size,
                                  tacit_error *err);

#endif
