/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TABLE_LEVELS_H
#define TACIT_DATA_TABLE_LEVELS_H

#include "data/table/store.h"

/* What a cell becomes if it has a certain level. */
typedef struct tacit_outcome {
  size_t begin, end; /* its entries */
  double label;      /* the number of a label */
  double weight; /* of a label: 0 if it is missing; of a weight: the weight, 0 … 1 */
  int is_fault;  /* 1 if the level breaks a rule */
} tacit_outcome;

/* What every level of a column becomes, and last what a missing cell becomes. */
typedef struct tacit_outcomes {
  int64_t n_levels;
  tacit_outcome *list;
  tacit_rows rows; /* the entries */
} tacit_outcomes;

/* Computes the outcomes of a column of a table. `column` is NULL for the label. */
tacit_status tacit_outcomes_new(tacit_parse *parse, const tacit_table *table,
                                size_t field, const tacit_column *column,
                                tacit_outcomes **out, tacit_error *err);
void tacit_outcomes_free(tacit_outcomes *outcomes);
/* Returns 1 if the levels of two columns are the same memory, spelled alike. */
int tacit_levels_are_same(const tacit_table *a, const tacit_table *b, size_t field);

/* Looks up the texts of cells of a column of texts, of which `column` is a category.
   Writes the number of the category, n_values if a text is none of them, or -1 if
   tacit_table_cell must read the cell. */
void tacit_table_words(const tacit_column *column, const tacit_table_column *cells,
                       const int64_t *places, size_t count, int64_t *out);

/* Reads a cell by its text: adds its entries, or writes the label and multiplies
 *io_weight. `column` is NULL for the label. */
tacit_status tacit_table_cell(tacit_parse *parse, const tacit_line *line,
                              const tacit_column *column, const tacit_field *cell,
                              tacit_rows *rows, size_t *io_count, double *out_label,
                              double *io_weight, tacit_error *err);

#endif
