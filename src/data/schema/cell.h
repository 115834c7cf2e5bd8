/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_CELL_H
#define TACIT_DATA_SCHEMA_CELL_H

#include "data/schema/schema.h"

/* Functions that turn a cell into entries of the current row. They write entries from
   number *io_count of the batch on (tacit_rows_put), in ascending order, and return
   NULL. If the cell breaks a rule, they return the rule and add nothing. The rows must
   have room for schema->row_entries more entries; tacit_cell_text makes room for words
   itself. */

/* Working memory for a cell. Zero it before use. */
typedef struct tacit_cell_work {
  unsigned char *bytes;
  size_t size;
  uint32_t *slots;
  size_t slot_capacity;
  int no_memory; /* 1 if the cell failed because memory ran out */
} tacit_cell_work;

void tacit_cell_work_fini(tacit_cell_work *work);

/* Returns the slot of a text of a hashed column, of a word or of a cross, by
   SipHash-2-4 of the name, a zero byte and the text. Returns SIZE_MAX if memory runs
   out. */
size_t tacit_cell_slot(tacit_cell_work *work, const char *name, const void *text,
                       size_t size, size_t n_slots);

/* Adds a missing cell of any type except category, hashed and text. In those types a
   missing cell is a text like any other. */
const char *tacit_cell_missing(const tacit_column *column, tacit_rows *rows,
                               size_t *io_count);
/* Adds a number: of a numeric column, or 0 or 1 of a bool. It must be finite. */
const char *tacit_cell_number(const tacit_column *column, double value,
                              tacit_rows *rows, size_t *io_count);
/* Adds the days since 1970-01-01 of a date. */
const char *tacit_cell_days(const tacit_column *column, int64_t days, tacit_rows *rows,
                            size_t *io_count);
/* Adds a text that is not missing, of any type except numeric. */
const char *tacit_cell_text(const tacit_schema *schema, const tacit_column *column,
                            const char *text, size_t size, tacit_cell_work *work,
                            tacit_rows *rows, size_t *io_count);

/* Returns 1 for "true" and "false" in upper or lower case. Some programs write them for
   columns whose cells look like truth values. */
int tacit_cell_is_truth(const char *text, size_t size);
#define TACIT_TRUTH_HINT                                                               \
  "true or false: read its column as text (DuckDB makes BOOLEAN of yes and no)"

/* Adds the crosses of a row. Entries row_begin … *io_count-1 of the batch must be the
   complete columns of the row. */
const char *tacit_cell_crosses(const tacit_schema *schema, size_t row_begin,
                               tacit_cell_work *work, tacit_rows *rows,
                               size_t *io_count);

#endif
