/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_BULK_H
#define TACIT_DATA_TEXT_BULK_H

#include "batch/rows.h"

/* Reads several numbers of a line at once, on processors with AVX-512 VBMI2. This is an
   optional first step of the fast parser. It takes simple numbers from the next 64
   characters (up to eight digits, perhaps a point, perhaps a minus) and leaves
   everything else to the code that reads one number at a time. */
typedef struct tacit_bulk {
  const char *at;    /* 64 characters from here can be read */
  size_t count;      /* entries of the batch so far */
  uint32_t previous; /* LIBSVM: the last index, counted from 1; 0: none in this row */
} tacit_bulk;

/* How well bulk reading did in earlier lines. If few numbers are simple, trying costs
   more than it gains, so most lines are read without. The rows are the same. */
typedef struct tacit_bulk_trust {
  int allowed;
  unsigned wait;  /* lines still to be read without bulk */
  unsigned pause; /* what `wait` was set to last */
} tacit_bulk_trust;

/* The functions below may write this many entries after the last one. */
enum { TACIT_BULK_ROOM = 8 };

/* Allowed if the processor has the instructions and TACIT_DISPATCH does not forbid
   them. */
tacit_bulk_trust tacit_bulk_trusted(void);

/* Begins a line. Returns its credit: bulk reading is tried while that is not
   negative. */
#define TACIT_BULK_UNTRIED INT64_MIN
static inline int64_t tacit_bulk_begin(tacit_bulk_trust *trust) {
  if (!trust->allowed) return TACIT_BULK_UNTRIED;
  if (trust->wait == 0) return 4;
  --trust->wait;
  return TACIT_BULK_UNTRIED;
}
/* What a try that started at `start` adds to the credit. */
static inline int64_t tacit_bulk_gain(const tacit_bulk *bulk, const char *start) {
  return (bulk->at - start) / 8 - 4;
}
/* Ends a line. */
static inline void tacit_bulk_end(int64_t credit, tacit_bulk_trust *trust) {
  if (credit == TACIT_BULK_UNTRIED) return;
  trust->pause = credit < 0 ? (2 * trust->pause + 1) % 64 : 0;
  trust->wait = trust->pause;
}

/* Reads entries `index:value` into the rows, from bulk->at up to the end of the line at
   most. Stops before the first one that is not simple. */
void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows);

/* The parameters of tacit_column_map and the model input, one array element per CSV
   field. The arrays have TACIT_BULK_ROOM elements to spare. */
typedef struct tacit_bulk_map {
  double *min, *max, *width, *scale, *low;
  uint64_t *first;
} tacit_bulk_map;

/* Reads cells of numbers, each followed by a delimiter, from field `field` up to field
   `end` into the rows, which need room for that many entries and TACIT_BULK_ROOM.
   Returns the field it stops at. */
size_t tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map, size_t field,
                      size_t end, char delimiter, tacit_rows *rows);

#endif
