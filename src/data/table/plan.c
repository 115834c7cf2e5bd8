/* SPDX-License-Identifier: MIT */
/* Says how each column of the schema is read from the cells of each table. */
#include "data/table/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/number.h"

/* A dictionary with more levels than this, and than a quarter of the rows, is read by
   the texts of the rows. */
enum { SPARE_LEVELS = 1024 };

/* Returns how a column is read from cells of this kind. */
static tacit_table_way way_of(const tacit_schema *schema, const tacit_column *column,
                              const tacit_table *table,
                              const tacit_table_column *cells) {
  int wants_number = column != NULL ? column->type == TACIT_COLUMN_NUMERIC ||
                                          column->type == TACIT_COLUMN_WEIGHT
                                    : schema->label_kind == TACIT_LABEL_NUMBER ||
                                          schema->label_rule == TACIT_RULE_ABOVE ||
                                          schema->label_rule == TACIT_RULE_BELOW;
  if (wants_number && tacit_cells_are_numbers(cells)) return TACIT_BY_NUMBER;
  int is_time =
      cells->per_day != 0 || (cells->levels != NULL && cells->levels->per_day != 0);
  if (column != NULL && column->type == TACIT_COLUMN_DATE && is_time)
    return TACIT_BY_DAY;
  if (tacit_cells_are_truths(cells) ||
      (cells->levels != NULL &&
       cells->levels->n_cells <= table->n_rows / 4 + SPARE_LEVELS))
    return TACIT_BY_LEVEL;
  int is_category =
      column != NULL && column->type == TACIT_COLUMN_CATEGORY && column->lookup != NULL;
  return is_category && cells->levels == NULL && cells->type >= TACIT_CELLS_TEXT32
             ? TACIT_BY_WORD
             : TACIT_BY_TEXT;
}

/* Says how a column of the schema is read in a table. Takes the outcomes of the table
   before if the levels are the same. */
static tacit_status set_source(tacit_table_store *store, tacit_parse *parse,
                               size_t table, size_t which, tacit_error *err) {
  const tacit_schema *schema = store->schema;
  tacit_table_source *source = &store->sources[table * store->n_sources + which];
  const tacit_column *column =
      which < schema->n_columns ? &schema->columns[which] : NULL;
  source->field =
      column != NULL ? store->layout->field_of[which] : store->layout->label_field;
  int is_used = column == NULL ? store->labels
                : column->type == TACIT_COLUMN_WEIGHT
                    ? store->weighs
                    : column->type < TACIT_COLUMN_IGNORE;
  if (source->field == TACIT_NO_FIELD || !is_used) return TACIT_OK;
  const tacit_table *list = store->tables.list;
  source->way =
      way_of(schema, column, &list[table], &list[table].columns[source->field]);
  if (source->way != TACIT_BY_LEVEL) return TACIT_OK;
  const tacit_table_source *before =
      table > 0 ? tacit_table_source_of(store, table - 1, which) : NULL;
  if (before != NULL && before->way == TACIT_BY_LEVEL &&
      tacit_levels_are_same(&list[table - 1], &list[table], source->field)) {
    source->outcomes = before->outcomes;
    return TACIT_OK;
  }
  source->owns_outcomes = 1;
  return tacit_outcomes_new(parse, &list[table], source->field, column,
                            &source->outcomes, err);
}

/* Takes the texts of "na" that are numbers. */
static tacit_status take_na(tacit_table_store *store, const tacit_parse *parse,
                            tacit_error *err) {
  const tacit_schema *schema = store->schema;
  TACIT_TRY(TACIT_NEW(store->na, schema->n_na + 1, err));
  for (size_t i = 0; i < schema->n_na; ++i) {
    const char *text = schema->na[i];
    if (tacit_number_parse(text, text + strlen(text), parse->c_locale,
                           &store->na[store->n_na]))
      ++store->n_na;
  }
  return TACIT_OK;
}

tacit_status tacit_table_plan(tacit_table_store *store, const tacit_table *list,
                              size_t count, const tacit_reader_options *options,
                              tacit_parse *parse, tacit_error *err) {
  const tacit_schema *schema = options->schema;
  void *layout = NULL;
  store->schema = schema;
  store->labels = options->labels;
  store->weighs = options->labels && tacit_schema_weighs(schema);
  store->n_sources = schema->n_columns + 1;
  TACIT_TRY(tacit_tables_init(&store->tables, list, count, err));
  parse->ignores_extra = options->extra;
  TACIT_TRY(tacit_tables_layout(&store->tables, parse, &layout, err));
  parse->layout = store->layout = layout;
  TACIT_TRY(TACIT_NEW(store->sources, count * store->n_sources, err));
  TACIT_TRY(take_na(store, parse, err));
  for (size_t i = 0; i < count * store->n_sources; ++i)
    TACIT_TRY(
        set_source(store, parse, i / store->n_sources, i % store->n_sources, err));
  return TACIT_OK;
}

void tacit_table_plan_free(tacit_table_store *store) {
  for (size_t i = 0;
       store->sources != NULL && i < store->tables.count * store->n_sources; ++i)
    if (store->sources[i].owns_outcomes)
      tacit_outcomes_free(store->sources[i].outcomes);
  tacit_array_free(store->sources);
  tacit_array_free(store->na);
  tacit_csv_layout_free(store->layout);
  tacit_tables_fini(&store->tables);
  tacit_array_free(store);
}
