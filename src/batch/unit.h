/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_UNIT_H
#define TACIT_BATCH_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* The id of a person as it is stored: 128 bits of BLAKE2b of its text. Two of N ids
   have the same digest with probability about N^2 2^-129. Persons with the same digest
   would be protected together, as one person. */
typedef struct tacit_unit {
  unsigned char raw_bytes[16];
} tacit_unit;

/* Computes the digest of an id. Returns 0 if the text is empty or NaN, which means that
   the row has no id. tacit_unit_of takes any text. */
int tacit_unit_take(const char *text, size_t size, tacit_unit *out);
void tacit_unit_of(const char *text, size_t size, tacit_unit *out);
/* Computes the digest of a whole number, which is the digest of its decimal text, so
   that equal ids in an array and in a file are the same person. */
void tacit_unit_of_number(int64_t number, tacit_unit *out);
/* Computes the digest of id i of an array; raw_units and unit_bytes are as in
   tacit_arrays. Returns 0 if the id is missing. */
int tacit_unit_at(const void *raw_units, size_t unit_bytes, int64_t i, tacit_unit *out);

#endif
