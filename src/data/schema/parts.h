/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_PARTS_H
#define TACIT_DATA_SCHEMA_PARTS_H

#include "data/schema/schema.h"

/* Functions that the files which read a schema from JSON share. */

/* A place in a schema for messages, such as "FILE: column 'age'". */
typedef struct tacit_schema_place {
  char text[272]; /* room for two shortened names and the text between them */
} tacit_schema_place;

tacit_schema_place tacit_schema_place_of(const char *where, const char *part,
                                         const char *name);
/* Returns TACIT_EDATA if the object has a key that is neither known nor "note". */
tacit_status tacit_schema_check_keys(const json_t *object, const char *const *known,
                                     const char *where, tacit_error *err);
/* Copies a string of at most `max` bytes, at least 1 unless it may be empty, without
   control characters. */
tacit_status tacit_schema_copy_text(const json_t *value, const char *what,
                                    int may_be_empty, size_t max, const char *where,
                                    char **out, tacit_error *err);
/* Copies a list of strings. `what` is what messages call one of the strings. *out_count
   is the number of copied strings, also after a failure. */
tacit_status tacit_schema_copy_texts(const json_t *list, const char *what,
                                     int may_be_empty, const char *where, char ***out,
                                     size_t *out_count, tacit_error *err);
/* Reads "min" and "max" of a number. */
tacit_status tacit_schema_bounds(const json_t *object, const char *where,
                                 double *out_min, double *out_max, tacit_error *err);

/* Reads "monotone": "up" or "down". */
tacit_status tacit_schema_monotone_from(const json_t *column, const char *where,
                                        int *out, tacit_error *err);

/* data/schema/columns.c: reads the list of columns. */
tacit_status tacit_schema_columns_from(const json_t *columns, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* data/schema/numbers.c: read columns of numbers and of dates. */
tacit_status tacit_schema_numeric_from(const json_t *json, const char *where,
                                       tacit_column *column, tacit_error *err);
tacit_status tacit_schema_date_from(const json_t *json, const char *where,
                                    tacit_column *column, tacit_error *err);
/* data/schema/counting.c: changes the JSON of a schema so that sums over rows count
   values and bins. Returns non-zero if memory runs out. */
int tacit_schema_change_for_counts(json_t *json, const tacit_counting *counting);
/* data/schema/label.c: reads the label. */
tacit_status tacit_schema_label_from(const json_t *label, const char *where,
                                     tacit_schema *schema, tacit_error *err);
/* data/schema/weights.c: reads "weight", "unit" and "missing_label" of a schema of
   version 2. */
tacit_status tacit_schema_weights_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* data/schema/cross.c: reads "crosses". */
tacit_status tacit_schema_crosses_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err);
/* Returns how many levels (one-hot inputs) a column has in crosses, or 0 if it cannot
   be in a cross. */
size_t tacit_cross_levels(const tacit_column *column);
/* Returns the input of a level of a numeric column or a category, counted from the
   first input of the column. The line beside hats is not a level. */
size_t tacit_level_input(const tacit_column *column, size_t level);
/* Computes sizes and first inputs of crosses. Their columns must already have their
   inputs. */
tacit_status tacit_schema_place_crosses(tacit_schema *schema, const char *where,
                                        tacit_error *err);
/* data/schema/terms.c: makes the terms and the names of the inputs of a CSV schema.
   Columns and crosses must already have their inputs. */
tacit_status tacit_schema_name_terms(tacit_schema *schema, tacit_error *err);
void tacit_schema_terms_free(tacit_schema *schema);
/* Returns the name of a part of a date: "year", "month", "weekday", "yearday" or
   "days". */
const char *tacit_date_part_name(unsigned part);
/* Finds the column with this name and gives it `type`, or adds such a column. Takes
   ownership of `name`. If "columns" declares the column, its type there must be
   "ignore", because the column is not a feature. */
tacit_status tacit_schema_special_column(tacit_schema *schema, char *name,
                                         tacit_column_type type, const char *where,
                                         const char **out_name, tacit_error *err);

/* Writes a number as a person would, in six digits, the same in every locale. */
enum { TACIT_SHORT_BYTES = 24 };
void tacit_number_short(double value, char out[TACIT_SHORT_BYTES]);

/* Returns 1 if the schema needs version 2 of the format. */
int tacit_schema_needs_2(const tacit_schema *schema);

#endif
