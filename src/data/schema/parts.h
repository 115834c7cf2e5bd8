/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_PARTS_H
#define TACIT_DATA_SCHEMA_PARTS_H

#include "data/schema/schema.h"

/* What the files that read a schema from JSON share. */

/* "FILE: column 'age'", for messages. */
typedef struct tacit_schema_place {
  char text[216];
} tacit_schema_place;

tacit_schema_place tacit_schema_place_of(const char *where, const char *part,
                                         const char *name);
/* TACIT_EDATA for a key that is none of the known ones and not "note". */
tacit_status tacit_schema_check_keys(const json_t *object, const char *const *known,
                                     const char *where, tacit_error *err);
/* Copies a string of at most `max` bytes, at least 1 unless it may be empty, without
   control characters. */
tacit_status tacit_schema_copy_text(const json_t *value, const char *what,
                                    int may_be_empty, size_t max, const char *where,
                                    char **out, tacit_error *err);

/* data/schema/weights.c: "weight", "unit" and "missing_label" of a schema of version 2.
 */
tacit_status tacit_schema_weights_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* Finds the column with this name, which is taken, or adds it. Its type in "columns"
   must be "ignore": it is not a feature. */
tacit_status tacit_schema_special_column(tacit_schema *schema, char *name,
                                         tacit_column_type type, const char *where,
                                         const char **out_name, tacit_error *err);

#endif
