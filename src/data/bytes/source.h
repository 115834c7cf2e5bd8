/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_SOURCE_H
#define TACIT_DATA_BYTES_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

enum { TACIT_NAME_BYTES = 104 };

/* Shortens a text to its last `max` bytes with "..." in front, at a UTF-8 boundary, so
   that a long path leaves room for the message. `out` has room for TACIT_NAME_BYTES. */
void tacit_name_shorten(const char *text, size_t max, char *out);

/* The decoded bytes of one file, pipe or standard input. */
typedef struct tacit_source tacit_source;

/* Opens a path ("-": standard input) and looks at its first bytes. TACIT_EIO if it
   cannot be opened or is a directory. */
tacit_status tacit_source_open(const char *path, tacit_source **out, tacit_error *err);
void tacit_source_free(tacit_source *source);

/* The path as shown in messages. */
const char *tacit_source_name(const tacit_source *source);
/* 1 for a regular file: it can be read again. Standard input is not, unless it was
   kept. */
int tacit_source_is_regular(const tacit_source *source);
/* 1 for a regular file that is not compressed. */
int tacit_source_is_plain(const tacit_source *source);
/* Bytes of the file as it was when opened. */
int64_t tacit_source_file_size(const tacit_source *source);

/* The next bytes, at most `size` >= 1; *out_size is 0 only at the end. Corrupt or
   truncated compressed data is TACIT_EDATA. */
tacit_status tacit_source_read(tacit_source *source, void *out, size_t size,
                               size_t *out_size, tacit_error *err);
/* Back to the first byte of a regular file. */
void tacit_source_rewind(tacit_source *source);
/* Closes a regular file until it is needed again, and rewinds it. Meanwhile it uses no
   descriptor and no buffer. The next read opens it by its path again: TACIT_EDATA if
   the file changed or another one is there. */
void tacit_source_rest(tacit_source *source);

/* Reads a pipe to its end into an unnamed temporary file of at most *io_max bytes, and
   subtracts what it took. The source is this file from now on: plain and regular.
   TACIT_EDATA if the pipe has more. A regular file stays as it is. */
tacit_status tacit_source_keep(tacit_source *source, int64_t *io_max, tacit_error *err);

/* Reads exactly `size` bytes of a plain regular file, independent of other reads; any
   thread may call it. A short read is TACIT_EDATA. A file at rest stays at rest. */
tacit_status tacit_source_read_at(const tacit_source *source, int64_t offset, void *out,
                                  size_t size, tacit_error *err);

/* Maps a plain regular file that is not at rest, for reading; NULL if that fails. The
   mapping has tacit_source_file_size bytes. */
const char *tacit_source_map(const tacit_source *source);
/* NULL-safe. */
void tacit_source_unmap(const char *map, int64_t size);

/* TACIT_EDATA if a regular file has changed its size or time since it was opened or, at
   rest, if another file has taken its place. */
tacit_status tacit_source_check(const tacit_source *source, tacit_error *err);

#endif
