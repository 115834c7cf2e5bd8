/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TABLE_CELLS_H
#define TACIT_DATA_TABLE_CELLS_H

#include <locale.h>
#include <tacit/table.h>

#include "data/text/fields.h"

/* What the cells of columns are, without a schema: numbers, days, codes of levels and
   texts. `cells` are numbers of cells, from 0. */

/* Room for the text of a number, a date or a truth value. */
enum { TACIT_CELL_BYTES = 64 };

/* Returns 1 if the cells are numbers that are neither times nor codes of levels. */
int tacit_cells_are_numbers(const tacit_table_column *column);
/* Returns 1 if the cells are truth values. */
int tacit_cells_are_truths(const tacit_table_column *column);

/* Return what is wrong with a column, or NULL. */
const char *tacit_cells_fault(const tacit_table_column *column, int64_t n_rows);

/* Reads `count` numbers; a missing cell becomes NaN. The column must have
   numbers or times. */
void tacit_cells_numbers(const tacit_table_column *column, const int64_t *cells,
                         size_t count, locale_t c_locale, double *out);
/* Reads the days since 1970-01-01 of times as numbers; a missing cell becomes
   NaN. */
void tacit_cells_days(const tacit_table_column *column, const int64_t *cells,
                      size_t count, double *out);
/* Reads levels, from 0: a missing cell becomes n_levels, which is 2 for truth
   values and the number of cells of column->levels for others. */
void tacit_cells_levels(const tacit_table_column *column, const int64_t *cells,
                        size_t count, int64_t n_levels, int64_t *out);
/* Finds the texts of cells of a column of texts; a missing one is empty. */
void tacit_cells_texts(const tacit_table_column *column, const int64_t *cells,
                       size_t count, tacit_field *out);
/* Returns the text of a cell as the program of `spelling` writes it, with dates in
   `format`. It is empty if the cell is missing. It is in `scratch` or in the column,
   and is valid until the next call with this scratch. */
tacit_field tacit_cells_text(const tacit_table_column *column, int64_t cell,
                             tacit_spelling spelling, const char *format,
                             locale_t c_locale, char scratch[TACIT_CELL_BYTES]);

#endif
