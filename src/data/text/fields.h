/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FIELDS_H
#define TACIT_DATA_TEXT_FIELDS_H

#include <stddef.h>

/* One field of a CSV line, without its quotes and the blanks around it. */
typedef struct tacit_field {
  const char *begin;
  size_t size;
} tacit_field;

typedef struct tacit_fields {
  tacit_field *fields;
  size_t count, capacity;
  char *unquoted; /* fields that had doubled quotes, with single ones */
  size_t unquoted_size;
  int line_breaks; /* 1 if quoted fields may contain line breaks. A quote then always
                      begins or ends a field, so that counting quotes tells records
                      apart. */
} tacit_fields;

void tacit_fields_fini(tacit_fields *fields);

/* Splits a line into at most `max` fields; one more shows that there are too many. A
   field points into the line or, if it had doubled quotes, into `fields`, and is valid
   until the next split. Returns NULL, or what is wrong with field number fields->count
   + 1. *out_memory becomes 1 if memory runs out. */
const char *tacit_fields_split(tacit_fields *fields, const char *begin, const char *end,
                               char delimiter, size_t max, int *out_memory);

#endif
