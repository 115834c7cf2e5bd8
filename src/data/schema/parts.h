/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_PARTS_H
#define TACIT_DATA_SCHEMA_PARTS_H

#include "data/schema/schema.h"

/* What the files that read a schema from JSON share. */

/* "FILE: column 'age'", for messages. */
typedef struct tacit_schema_place {
  char text[272]; /* two shortened names, and what is between them */
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
/* The same for a list; `what` names one of them. *out_count is how many are copied,
   also after a failure. */
tacit_status tacit_schema_copy_texts(const json_t *list, const char *what,
                                     int may_be_empty, const char *where, char ***out,
                                     size_t *out_count, tacit_error *err);
/* "min" and "max" of a number. */
tacit_status tacit_schema_bounds(const json_t *object, const char *where,
                                 double *out_min, double *out_max, tacit_error *err);

/* data/schema/columns.c: the list of columns. */
tacit_status tacit_schema_columns_from(const json_t *columns, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* data/schema/numbers.c: the columns that have numbers or dates. */
tacit_status tacit_schema_numeric_from(const json_t *json, const char *where,
                                       tacit_column *column, tacit_error *err);
tacit_status tacit_schema_date_from(const json_t *json, const char *where,
                                    tacit_column *column, tacit_error *err);
/* data/schema/counting.c: changes the JSON of a schema so that rows count; 0, or not 0
   if memory ran out. */
typedef struct tacit_counting {
  int bins; /* of numbers and dates */
  int wide; /* numbers: by sign and power of two instead */
} tacit_counting;
int tacit_schema_change_for_counts(json_t *json, const tacit_counting *counting);
/* data/schema/label.c */
tacit_status tacit_schema_label_from(const json_t *label, const char *where,
                                     tacit_schema *schema, tacit_error *err);
/* data/schema/weights.c: "weight", "unit" and "missing_label" of a schema of version 2.
 */
tacit_status tacit_schema_weights_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* data/schema/cross.c: "crosses". */
tacit_status tacit_schema_crosses_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* How many one-hot inputs a column has in crosses; 0: it cannot be crossed. */
size_t tacit_cross_levels(const tacit_column *column);
/* The input of a level of a numeric column or a category, counted from its first: the
   line beside hats is not a level. */
size_t tacit_level_input(const tacit_column *column, size_t level);
/* Sizes and first inputs of crosses, whose columns have their inputs. */
tacit_status tacit_schema_place_crosses(tacit_schema *schema, const char *where,
                                        tacit_error *err);
/* data/schema/terms.c: terms, and names of the inputs of a CSV schema whose columns and
   crosses are placed. */
tacit_status tacit_schema_name_terms(tacit_schema *schema, tacit_error *err);
void tacit_schema_terms_free(tacit_schema *schema);
/* "year", "month", "weekday", "yearday", "days". */
const char *tacit_date_part_name(unsigned part);
/* Finds the column with this name, which is taken, or adds it. Its type in "columns"
   must be "ignore": it is not a feature. */
tacit_status tacit_schema_special_column(tacit_schema *schema, char *name,
                                         tacit_column_type type, const char *where,
                                         const char **out_name, tacit_error *err);

/* A number as a person would write it, in six digits, whatever the locale. */
enum { TACIT_SHORT_BYTES = 24 };
void tacit_number_short(double value, char out[TACIT_SHORT_BYTES]);

/* 1 if the schema needs version 2 of the format. */
int tacit_schema_needs_2(const tacit_schema *schema);

#endif
