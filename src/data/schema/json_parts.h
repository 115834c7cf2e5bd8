/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_JSON_PARTS_H
#define TACIT_DATA_SCHEMA_JSON_PARTS_H

#include "data/schema/schema.h"

/* What json.c and json_columns.c share. */

/* "FILE: column 'age'", for messages. */
enum { TACIT_PLACE_BYTES = 216 };
typedef struct tacit_place {
  char text[TACIT_PLACE_BYTES];
} tacit_place;

tacit_place tacit_place_of(const char *where, const char *part, const char *name);
/* TACIT_EDATA for a key that is none of the known ones; a note is always allowed. */
tacit_status tacit_json_check_keys(const json_t *object, const char *const *known,
                                   const char *where, tacit_error *err);
/* Copies a string of at most `max` bytes, at least 1 unless it may be empty, without
   control characters. */
tacit_status tacit_json_copy_text(const json_t *value, const char *what,
                                  int may_be_empty, size_t max, const char *where,
                                  char **out, tacit_error *err);
/* "min" and "max". */
tacit_status tacit_json_bounds(const json_t *object, const char *where, double *out_min,
                               double *out_max, tacit_error *err);
/* The list of columns. */
tacit_status tacit_schema_columns(const json_t *columns, const char *where,
                                  tacit_schema *schema, tacit_error *err);

#endif
