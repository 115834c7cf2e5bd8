/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_FILE_H
#define TACIT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* Makes a rename or removal at `path` durable by syncing its folder. Failure is
   ignored: some file systems cannot sync folders. */
void tacit_file_sync_folder(const char *path);
/* Reads a whole file or pipe of at most `max` bytes. *out ends with a zero that is not
   counted; free it with tacit_array_free. More bytes are TACIT_EDATA, with a message
   that names the option which raises the limit: `limit`. */
tacit_status tacit_file_read(const char *path, uint64_t max, const char *limit,
                             char **out, size_t *out_size, tacit_error *err);
/* The same for a file whose first bytes contain the text `kind`; any other file may
   have at most TACIT_FILE_SMALL bytes. */
enum { TACIT_FILE_SMALL = 64 << 20 };
tacit_status tacit_file_read_kind(const char *path, const char *kind, uint64_t max,
                                  const char *limit, char **out, size_t *out_size,
                                  tacit_error *err);

#endif
