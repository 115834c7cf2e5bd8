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

#endif
