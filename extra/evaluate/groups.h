/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_GROUPS_H
#define TACIT_EXTRA_EVALUATE_GROUPS_H

#include "batch/row.h"
#include "data/schema/schema.h"
#include "extra/evaluate/result.h"

/*
 * A table of scores once more for every group of rows with one declared value of a
 * column. The parts of a group lie side by side in the parts of a tally: a row counts
 * in the columns of its group alone, so its norm does not depend on the number of
 * groups, and a row that is replaced changes two groups. Whether the table of a group
 * says anything is decided by its released total.
 */
typedef struct tacit_groups {
  const tacit_column *column; /* NULL if there are no groups */
  size_t count;
  tacit_score_table table; /* table of one group, whose total is not public */
} tacit_groups;

enum { TACIT_GROUPS_MAX = 64 };

/* Finds the groups of the rows by a column, with tables like `table`. The column must
   be a category or a bool of at most TACIT_GROUPS_MAX values that the model uses. */
tacit_status tacit_groups_init(const tacit_schema *schema, const char *by,
                               const tacit_score_table *table, tacit_groups *out,
                               tacit_error *err);
/* Writes the parts of all groups into `out`, which has room for table.n_parts. */
void tacit_groups_parts(const tacit_groups *groups, tacit_tally_part *out);
/* Finds the columns and numbers of a row in the parts of its group, from those in the
   `n_base` parts of all rows, which lie before them. */
void tacit_groups_place(const tacit_groups *groups, const tacit_row *row, size_t n_base,
                        uint32_t *raw_columns, double *raw_values);
/* Adds "groups" to an object, from the released parts of the groups and their noise. */
tacit_status tacit_groups_result(const tacit_groups *groups, const tacit_schema *schema,
                                 const double *values, const double *noise,
                                 json_t *object, tacit_error *err);

/* columns.c: returns the number of the value of a row in a column. Columns must be
   asked for from left to right, because *raw_at only grows. */
uint32_t tacit_column_place(const tacit_column *column, const tacit_row *row,
                            size_t *raw_at);
/* Returns how many values of a column are counted. */
size_t tacit_column_values(const tacit_column *column);

#endif
