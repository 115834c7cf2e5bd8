/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TABLE_PLAN_H
#define TACIT_DATA_TABLE_PLAN_H

#include "data/table/levels.h"

/* How the cells of a column are read. */
typedef enum tacit_table_way {
  TACIT_BY_NOTHING = 0,
  TACIT_BY_NUMBER,
  TACIT_BY_DAY,
  TACIT_BY_LEVEL,
  TACIT_BY_WORD, /* the number of a category, of a column of texts */
  TACIT_BY_TEXT
} tacit_table_way;

typedef struct tacit_table_source {
  tacit_table_way way;
  size_t field; /* the column of the table */
  tacit_outcomes *outcomes;
  int owns_outcomes;
} tacit_table_source;

typedef struct tacit_table_store {
  const tacit_schema *schema;
  tacit_tables tables;
  int labels, weighs;
  tacit_csv_layout *layout;
  size_t n_sources; /* columns of the schema, and the label as the last one */
  tacit_table_source
      *sources; /* sources of the first table, then of the second, and so on */
  double *na;   /* numbers whose texts may mean a missing cell */
  size_t n_na;
} tacit_table_store;

/* Returns how a table gives a column of the schema, or the label if `which` is their
   number. */
static inline const tacit_table_source *
tacit_table_source_of(const tacit_table_store *store, size_t table, size_t which) {
  return &store->sources[table * store->n_sources + which];
}

/* Fills in a zeroed store. The layout of the parser becomes that of the store. */
tacit_status tacit_table_plan(tacit_table_store *store, const tacit_table *list,
                              size_t count, const tacit_reader_options *options,
                              tacit_parse *parse, tacit_error *err);
/* Frees a store and its parts. */
void tacit_table_plan_free(tacit_table_store *store);

#endif
