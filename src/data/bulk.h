/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BULK_H
#define TACIT_DATA_BULK_H

#include "data/rows.h"

/* Numbers of a line several at a time, on processors that can (AVX-512 with VBMI2); the
   first step of the quick way, which stands without it. What is ordinary in the 64
   characters at hand - up to eight digits, a point or none, a minus or none - is taken;
   everything else is left where it is, for one number at a time. */
typedef struct tacit_bulk {
  const char *raw_at; /* 64 characters from here can be read */
  size_t raw_count;   /* entries so far, with those of earlier rows */
  uint32_t raw_previous; /* LIBSVM: the last index from 1, 0: none in this row */
} tacit_bulk;

/* 1 when this processor, and TACIT_DISPATCH, allow the functions below. */
int tacit_bulk_allowed(void);

/* Entries `index:value` from raw_at on, up to the end of the line at most, into the
   rows. Stops before anything else. */
void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows);

#endif
