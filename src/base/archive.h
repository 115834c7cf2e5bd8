/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ARCHIVE_H
#define TACIT_BASE_ARCHIVE_H

#include <stddef.h>

typedef enum tacit_archive_way {
  TACIT_ARCHIVE_COUNT, /* adds up the size and copies nothing */
  TACIT_ARCHIVE_SAVE,
  TACIT_ARCHIVE_LOAD
} tacit_archive_way;

/*
 * The state of an object as bytes. Each object lists its parts once, in one function,
 * which counts, saves or loads them: what is saved is what is loaded. The byte order is
 * the machine's. The bytes hold sums without noise, so they stay in raw memory or in a
 * sealed file.
 */
typedef struct tacit_archive {
  tacit_archive_way way;
  unsigned char *raw_bytes;
  size_t size, at; /* size of raw_bytes, and how much of it is used */
} tacit_archive;

/* Counts, saves or loads one part. Copies nothing beyond the end of the bytes; `at` is
   then larger than `size`. */
void tacit_archive_part(tacit_archive *archive, void *raw_part, size_t size);
/* Returns 1 if exactly all bytes were used. */
int tacit_archive_ended(const tacit_archive *archive);

#endif
