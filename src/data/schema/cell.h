/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_CELL_H
#define TACIT_DATA_SCHEMA_CELL_H

#include "data/schema/schema.h"

/* What a cell becomes. The functions add entries of the current row from number
   *io_count of the batch on (tacit_rows_put), in ascending order. They return NULL, or
   the rule that the cell breaks; nothing is added then. The rows have room for
   schema->row_entries more; tacit_cell_text makes room for words itself. */

/* Memory for a cell; zero it before use. */
typedef struct tacit_cell_work {
  unsigned char *bytes;
  size_t size;
  uint32_t *slots;
  size_t slot_capacity;
  int no_memory; /* 1: memory ran out, and that is the fault */
} tacit_cell_work;

void tacit_cell_work_fini(tacit_cell_work *work);

/* The slot of a text of a hashed column, of a word or of a cross, by SipHash-2-4 of the
   name, a zero byte and the text; SIZE_MAX: out of memory. */
size_t tacit_cell_slot(tacit_cell_work *work, const char *name, const void *text,
                       size_t size, size_t n_slots);

/* A missing cell of any type but category, hashed and text, where it is a text like any
   other. */
const char *tacit_cell_missing(const tacit_column *column, tacit_rows *rows,
                               size_t *io_count);
/* A number: of a numeric column, 0 or 1 of a bool. It must be finite. */
const char *tacit_cell_number(const tacit_column *column, double value,
                              tacit_rows *rows, size_t *io_count);
/* Days since 1970-01-01, of a date. */
const char *tacit_cell_days(const tacit_column *column, int64_t days, tacit_rows *rows,
                            size_t *io_count);
/* A text that is not missing, of any type but numeric. */
const char *tacit_cell_text(const tacit_schema *schema, const tacit_column *column,
                            const char *text, size_t size, tacit_cell_work *work,
                            tacit_rows *rows, size_t *io_count);

/* Returns 1 for "true" and "false" in any case, which programs write for columns that
   they take for truth values. */
int tacit_cell_is_truth(const char *text, size_t size);
#define TACIT_TRUTH_HINT                                                               \
  "true or false: read its column as text (DuckDB makes BOOLEAN of yes and no)"

/* Adds the crosses of a row whose columns are complete: entries row_begin … *io_count-1
   of the batch. */
const char *tacit_cell_crosses(const tacit_schema *schema, size_t row_begin,
                               tacit_cell_work *work, tacit_rows *rows,
                               size_t *io_count);

#endif
