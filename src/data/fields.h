/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_FIELDS_H
#define TACIT_DATA_FIELDS_H

#include <stddef.h>
#include <tacit/status.h>

/* One field of a CSV line, without its quotes and the blanks around it. */
typedef struct tacit_field {
  char *raw_begin;
  size_t size;
} tacit_field;

typedef struct tacit_fields {
  tacit_field *raw_fields;
  size_t count, capacity;
} tacit_fields;

void tacit_fields_fini(tacit_fields *fields);

/* Splits a line, at most `most` fields and one more that tells there are too many.
   Doubled quotes are undone in place. Returns NULL, or what is wrong with field number
   fields->count + 1; out of memory is told by *out_memory. */
const char *tacit_fields_split(tacit_fields *fields, char *raw_begin, char *raw_end,
                               char delimiter, size_t most, int *out_memory);

#endif
