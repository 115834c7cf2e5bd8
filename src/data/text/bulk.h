/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_BULK_H
#define TACIT_DATA_TEXT_BULK_H

#include "data/batch/rows.h"

/* Numbers of a line several at a time, on processors that can (AVX-512 with VBMI2); the
   first step of the quick way, which stands without it. What is ordinary in the 64
   characters at hand - up to eight digits, a point or none, a minus or none - is taken;
   everything else is left where it is, for one number at a time. */
typedef struct tacit_bulk {
  const char *at;    /* 64 characters from here can be read */
  size_t count;      /* entries so far, with those of earlier rows */
  uint32_t previous; /* LIBSVM: the last index from 1, 0: none in this row */
} tacit_bulk;

/* How it went in the lines before: where little is ordinary, trying costs more than it
   gains, and most lines go without. The rows are the same. */
typedef struct tacit_bulk_trust {
  int allowed;
  unsigned wait, pause; /* lines without */
} tacit_bulk_trust;

/* Entries that may be written behind the last. */
enum { TACIT_BULK_ROOM = 8 };

/* Whether this processor, and TACIT_DISPATCH, allow the functions below. */
tacit_bulk_trust tacit_bulk_trusted(void);

/* A line begins: its credit. Bulk is tried while that is not negative. */
#define TACIT_BULK_UNTRIED INT64_MIN
static inline int64_t tacit_bulk_begin(tacit_bulk_trust *trust) {
  if (!trust->allowed) return TACIT_BULK_UNTRIED;
  if (trust->wait == 0) return 4;
  --trust->wait;
  return TACIT_BULK_UNTRIED;
}
/* What a try that started here adds to it. */
static inline int64_t tacit_bulk_gain(const tacit_bulk *bulk, const char *start) {
  return (bulk->at - start) / 8 - 4;
}
/* A line ends. */
static inline void tacit_bulk_end(int64_t credit, tacit_bulk_trust *trust) {
  if (credit == TACIT_BULK_UNTRIED) return;
  trust->pause = credit < 0 ? (2 * trust->pause + 1) % 64 : 0;
  trust->wait = trust->pause;
}

/* Entries `index:value` from at on, up to the end of the line at most, into the
   rows. Stops before anything else. */
void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows);

/* Where the numbers of CSV fields go, as tacit_column_map does it: an array each, with
   TACIT_BULK_ROOM to spare. */
typedef struct tacit_bulk_map {
  double *min, *max, *width, *scale, *low;
  uint64_t *first;
} tacit_bulk_map;

/* Cells of numbers from field `field` on, before field `end`, each with the delimiter
   behind it, into the rows, which have room for that and TACIT_BULK_ROOM. Returns the
   field it stops before. */
size_t tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map, size_t field,
                      size_t end, char delimiter, tacit_rows *rows);

#endif
