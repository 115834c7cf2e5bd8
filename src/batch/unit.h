/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_UNIT_H
#define TACIT_BATCH_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* The id of a person as it is stored: 128 bits of BLAKE2b of its text. Different ids
   have different digests, except with probability about N^2 2^-129; persons whose
   digests were equal would be protected together, as one. */
typedef struct tacit_unit {
  unsigned char raw_bytes[16];
} tacit_unit;

/* 0: the text is no id, but empty or NaN. */
int tacit_unit_take(const char *text, size_t size, tacit_unit *out);
void tacit_unit_of(const char *text, size_t size, tacit_unit *out);
/* A whole number has the digest of its decimal text, so the same ids in an array and in
   a file are the same persons. */
void tacit_unit_of_number(int64_t number, tacit_unit *out);
/* Id i of an array as in tacit_arrays; 0: it is missing. */
int tacit_unit_at(const void *raw_units, size_t unit_bytes, int64_t i, tacit_unit *out);

#endif
