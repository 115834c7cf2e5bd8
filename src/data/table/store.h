/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TABLE_STORE_H
#define TACIT_DATA_TABLE_STORE_H

#include "admit/store.h"
#include "batch/unit.h"
#include "data/table/cells.h"
#include "data/text/csv.h"

/* Some tables as rows one after the other. */
typedef struct tacit_tables {
  const tacit_table *list;
  size_t count;
  int64_t *first; /* the number of the first row of each table, and the number of all
                     rows */
} tacit_tables;

/* Counts the rows of tables and checks that they have the same columns. Borrows the
   tables. */
tacit_status tacit_tables_init(tacit_tables *tables, const tacit_table *list,
                               size_t count, tacit_error *err);
void tacit_tables_fini(tacit_tables *tables);
/* Returns the table that a row is in. */
size_t tacit_tables_find(const tacit_tables *tables, int64_t row);

/* Prepares a parser for cells of tables: its faults name rows. Finds the columns by
   their names, as in the header of a CSV file. Every column that the schema uses must
   have cells that are read. Free the layout with tacit_csv_layout_free. */
tacit_status tacit_tables_layout(const tacit_tables *tables, tacit_parse *parse,
                                 void **out_layout, tacit_error *err);
/* Returns the text of a cell as a CSV file would have it, with dates in the format of a
   column of the schema, which is NULL for the label. It is empty if the cell is
   missing. */
tacit_field tacit_tables_text(const tacit_parse *parse, const tacit_table *table,
                              size_t field, const tacit_column *column, int64_t cell,
                              char scratch[TACIT_CELL_BYTES]);

/* Makes a store of the rows of tables. Borrows the list. */
tacit_status tacit_table_store_new(const tacit_table *list, size_t count,
                                   const tacit_reader_options *options,
                                   tacit_store *out, int64_t *out_rows,
                                   tacit_error *err);
/* Computes the digests of the ids of all rows, from the column that the schema
   names. */
tacit_status tacit_table_store_units(const tacit_store *store, tacit_unit *out,
                                     tacit_error *err);

#endif
