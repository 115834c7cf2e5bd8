/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_SOURCE_H
#define TACIT_DATA_BYTES_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

enum { TACIT_NAME_BYTES = 104 };

/* Shortens a text to its last `max` bytes with "..." in front, at a UTF-8 boundary, so
   that a long path leaves room for the message. `out` must have room for
   TACIT_NAME_BYTES bytes. */
void tacit_name_shorten(const char *text, size_t max, char *out);

/* The decoded bytes of one file, pipe or standard input. */
typedef struct tacit_source tacit_source;

/* Opens a path, or standard input for "-", and looks at its first bytes. Returns
   TACIT_EIO if the path cannot be opened or is a directory. */
tacit_status tacit_source_open(const char *path, tacit_source **out, tacit_error *err);
void tacit_source_free(tacit_source *source);

/* Returns the path as shown in messages. */
const char *tacit_source_name(const tacit_source *source);
/* Returns 1 for a regular file, which can be read again. Returns 0 for standard input
   unless it was kept (tacit_source_keep). */
int tacit_source_is_regular(const tacit_source *source);
/* Returns 1 for a regular file that is not compressed. */
int tacit_source_is_plain(const tacit_source *source);
/* Returns the size in bytes that the file had when it was opened. */
int64_t tacit_source_file_size(const tacit_source *source);

/* Reads the next bytes, at most `size` >= 1. *out_size is 0 only at the end. Returns
   TACIT_EDATA for corrupt or truncated compressed data. */
tacit_status tacit_source_read(tacit_source *source, void *out, size_t size,
                               size_t *out_size, tacit_error *err);
/* Goes back to the first byte of a regular file. */
void tacit_source_rewind(tacit_source *source);
/* Rewinds and closes a regular file (the file is then at rest), so that it uses no
   descriptor and no buffer. The next read opens it again by its path, and returns
   TACIT_EDATA if the file has changed or another file is there. */
void tacit_source_rest(tacit_source *source);

/* Reads a pipe to its end into an unnamed temporary file of at most *io_max bytes, and
   subtracts its size from *io_max. From then on the source is this file, which is plain
   and regular. Returns TACIT_EDATA if the pipe has more bytes. Does nothing for a
   regular file. */
tacit_status tacit_source_keep(tacit_source *source, int64_t *io_max, tacit_error *err);

/* Reads exactly `size` bytes of a plain regular file, independent of other reads. Any
   thread may call it. Returns TACIT_EDATA if there are fewer bytes. A file at rest
   stays at rest. */
tacit_status tacit_source_read_at(const tacit_source *source, int64_t offset, void *out,
                                  size_t size, tacit_error *err);

/* Maps a plain regular file that is not at rest, for reading. Returns the mapping,
   which has tacit_source_file_size bytes, or NULL if that fails. */
const char *tacit_source_map(const tacit_source *source);
/* Removes a mapping; NULL is allowed. */
void tacit_source_unmap(const char *map, int64_t size);

/* Returns TACIT_EDATA if size or time of a regular file have changed since it was
   opened or, for a file at rest, if its path leads to another file. */
tacit_status tacit_source_check(const tacit_source *source, tacit_error *err);

#endif
