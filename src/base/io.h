/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_IO_H
#define TACIT_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Reads and writes of whole pieces of a file: calls that a signal interrupts, or that
 * move fewer bytes than asked, are repeated.
 */

/* Reads `size` bytes, or fewer if the file ends. Returns the number of bytes read, or
   -1 with errno set. */
ssize_t tacit_io_read(int fd, void *out, size_t size);
/* Reads `size` bytes at an offset, or fewer if the file ends. The position of the
   descriptor does not move. */
ssize_t tacit_io_read_at(int fd, void *out, size_t size, int64_t offset);

/* Writes all bytes. Returns 0, or -1 with errno set. */
int tacit_io_write(int fd, const void *bytes, size_t size);
int tacit_io_write_at(int fd, const void *bytes, size_t size, int64_t offset);

/* Ends a text that open_memstream(text, ...) gathers. Returns 0. Returns -1 if memory
   ran out; *text is then NULL. A text of NULL also counts as failure, because fclose
   does not report the last request for memory. */
int tacit_io_text_end(FILE *stream, char **text);

enum { TACIT_IO_REASON = 96 };
/* Writes the system's message for an errno, in English whatever the locale of the
   program, and safe with threads. Returns `out`. */
const char *tacit_io_reason(int code, char out[TACIT_IO_REASON]);

#endif
