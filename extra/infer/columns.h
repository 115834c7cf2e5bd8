/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_INFER_COLUMNS_H
#define TACIT_EXTRA_INFER_COLUMNS_H

#include <stdint.h>

#include "data/schema/schema.h"

/*
 * The columns of a table of effects, in groups. A group is a term of the schema. A
 * number has one column. A category, an ordered column, a flag, steps, knots and a
 * cross have one column per level. Flags and ordered columns have one level more than
 * model inputs, because no input is set at their first level. One level per group
 * becomes the reference, which has no coefficient (levels.c). Groups of numbers and of
 * crosses have no reference.
 */
typedef struct tacit_effects_group {
  const char *name;   /* the name of the term; NULL for arrays */
  size_t feature;     /* number of the first model input */
  size_t first, n;    /* number of the first column, and number of columns */
  int is_number;      /* 1 if the column is a number in -1 … 1 */
  int is_shared;      /* 1 if two levels of a row may share its 1 (knots) */
  int is_stepped;     /* 1 if column i + 1 is the level at which input i is the last
                         one that is set */
  double steps_root;  /* if is_stepped: 1 over the value of an input */
  double slope, zero; /* of a number: change of the input per unit of the (mapped)
                         column, and the input where that is 0 */
  double shift, rate; /* a number is rate times (input less shift), cut to -1 … 1 */
  const tacit_cross *cross; /* NULL unless the group is a cross */
  int map;                  /* tacit_number_map of a number */
  size_t undeclared; /* the level of all values that are not declared; 0 if "other" is
                        declared, or if the group is no category */
} tacit_effects_group;

typedef struct tacit_effects_columns {
  const tacit_schema *schema;
  tacit_effects_group *groups;
  size_t n_groups, n; /* numbers of groups, and of columns */
  size_t *group_of;   /* group of each column */
  char **names;       /* name of each column */
  double *empty;      /* the columns of a row whose inputs are all 0 */
  uint32_t *of_input; /* group of each model input; UINT32_MAX if it is left out */
} tacit_effects_columns;

enum { TACIT_EFFECTS_COLUMNS_MAX = 4096 };

/* Makes the columns of a schema. `low` and `high` bound every input of a schema without
   columns of its own. Returns TACIT_EINVAL, with the way out, for a schema that tables
   of effects cannot have. */
tacit_status tacit_effects_columns_new(const tacit_schema *schema, double low,
                                       double high, tacit_effects_columns *out,
                                       tacit_error *err);
void tacit_effects_columns_fini(tacit_effects_columns *columns);

/* Writes the columns of row i of a batch, with all levels. */
void tacit_effects_columns_of(const tacit_effects_columns *columns,
                              const tacit_batch *batch, int64_t i, double *raw_out);
/* Returns 1 if a column of a cross has the reference level of one of its columns.
   `reference` has the column of the reference of each group. */
int tacit_effects_is_implied(const tacit_effects_columns *columns, size_t column,
                             const size_t *reference);

#endif
