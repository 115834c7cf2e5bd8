/* SPDX-License-Identifier: MIT */
/*
 * Rows of tables by number. The cells of some rows are gathered column by column, so
 * that many are on their way from memory at once; then each row is made as the strict
 * parser makes it from text: by the number, the day or the level of a cell where that
 * is the same, else by its text.
 */
#include "data/table/store.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/table/plan.h"
#include "data/table/spell.h"

enum { BLOCK_ROWS = 256 };

/* A cell that was gathered. */
union cell {
  double number;
  int64_t level;
};

struct builder {
  tacit_parse parse;
  tacit_rows rows;
  union cell *raw_cells; /* BLOCK_ROWS cells of each source */
  size_t *table;         /* the table of each row of the block */
  int64_t *cell;         /* and which of its cells the row has */
};

static tacit_status builder_init(void *opaque, const void *self, tacit_error *err) {
  const tacit_table_store *store = self;
  struct builder *builder = opaque;
  const tacit_schema *schema = store->schema;
  TACIT_TRY(tacit_parse_init(&builder->parse, schema, store->labels, err));
  builder->parse.layout = store->layout;
  tacit_fields *fields = &builder->parse.fields;
  builder->raw_cells =
      tacit_raw_new(store->n_sources * BLOCK_ROWS, sizeof *builder->raw_cells);
  builder->table = tacit_array_new(BLOCK_ROWS, sizeof *builder->table);
  builder->cell = tacit_array_new(BLOCK_ROWS, sizeof *builder->cell);
  if (builder->raw_cells == NULL || builder->table == NULL || builder->cell == NULL ||
      !tacit_raw_reserve(&fields->fields, &fields->capacity,
                         store->layout->n_fields + 1, sizeof *fields->fields))
    return tacit_fail_memory(err);
  TACIT_TRY(tacit_rows_init(&builder->rows, schema->features, schema->n_classes,
                            store->labels, err));
  return store->weighs ? tacit_rows_weigh(&builder->rows, err) : TACIT_OK;
}

static void builder_fini(void *opaque) {
  struct builder *builder = opaque;
  tacit_parse_fini(&builder->parse);
  tacit_rows_fini(&builder->rows);
  tacit_raw_free(builder->raw_cells);
  tacit_array_free(builder->table);
  tacit_array_free(builder->cell);
}

static void clear(void *builder) {
  tacit_rows_clear(&((struct builder *)builder)->rows);
}

static const tacit_batch *view(void *builder) {
  return tacit_rows_view(&((struct builder *)builder)->rows);
}

/* Gathers the cells of one source for rows of one table. */
static void gather_source(const tacit_table_store *store, const struct builder *builder,
                          size_t which, size_t table, const int64_t *cells,
                          size_t count, union cell *out) {
  const tacit_table_source *source = tacit_table_source_of(store, table, which);
  const tacit_table_column *column = &store->tables.list[table].columns[source->field];
  if (source->way == TACIT_BY_NUMBER)
    tacit_cells_numbers(column, cells, count, builder->parse.c_locale, &out->number);
  if (source->way == TACIT_BY_DAY) tacit_cells_days(column, cells, count, &out->number);
  if (source->way == TACIT_BY_LEVEL)
    tacit_cells_levels(column, cells, count, source->outcomes->n_levels, &out->level);
  if (source->way == TACIT_BY_WORD)
    tacit_table_words(&store->schema->columns[which], column, cells, count,
                      &out->level);
}

/* Finds the cells of some rows and gathers them. */
static void gather(const tacit_table_store *store, struct builder *builder,
                   const int64_t *rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    builder->table[i] = tacit_tables_find(&store->tables, rows[i]);
    builder->cell[i] = rows[i] - store->tables.first[builder->table[i]];
  }
  for (size_t i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && builder->table[i + run] == builder->table[i];)
      ++run;
    for (size_t which = 0; which < store->n_sources; ++which)
      gather_source(store, builder, which, builder->table[i], builder->cell + i, run,
                    builder->raw_cells + which * BLOCK_ROWS + i);
  }
}

/* Returns 1 if the text of a number may mean a missing cell. */
static int may_be_na(const tacit_table_store *store, double number) {
  for (size_t i = 0; i < store->n_na; ++i)
    if (store->na[i] == number) return 1;
  return 0;
}

/* A row under construction. */
struct row {
  tacit_line line; /* its number */
  size_t table, i; /* its table, and which row of the block it is */
  int64_t cell;
  size_t count; /* entries of the batch up to the end of this row */
  double label, weight;
};

static tacit_status put_by_text(const tacit_table_store *store, struct builder *builder,
                                const tacit_table_source *source,
                                const tacit_column *column, struct row *row,
                                tacit_error *err) {
  char scratch[TACIT_CELL_BYTES];
  tacit_field text = tacit_tables_text(&builder->parse, &store->tables.list[row->table],
                                       source->field, column, row->cell, scratch);
  return tacit_table_cell(&builder->parse, &row->line, column, &text, &builder->rows,
                          &row->count, &row->label, &row->weight, err);
}

/* Copies the entries of a level. Entries of texts may be more than the rows have room
   for. */
static tacit_status put_level(struct builder *builder, const tacit_table_source *source,
                              const tacit_outcome *outcome, const tacit_column *column,
                              size_t row_entries, struct row *row, tacit_error *err) {
  const tacit_rows *from = &source->outcomes->rows;
  tacit_rows *rows = &builder->rows;
  size_t n_entries = outcome->end - outcome->begin;
  if (column == NULL) row->label = outcome->label;
  row->weight *= outcome->weight;
  if (n_entries > 1)
    TACIT_TRY(tacit_rows_reserve(
        rows, row->count - rows->n_entries + n_entries + row_entries + TACIT_ROWS_SPARE,
        err));
  for (size_t k = outcome->begin; k < outcome->end; ++k)
    row->count = tacit_rows_put(rows, row->count, from->indices[k], from->values[k]);
  return TACIT_OK;
}

/* Uses the number of a cell. Returns 0 if the text of the cell must say what it is. */
static int put_number(const tacit_table_store *store, struct builder *builder,
                      const tacit_column *column, double number, struct row *row) {
  const tacit_schema *schema = store->schema;
  if (!isfinite(number) || may_be_na(store, number)) return 0;
  if (column == NULL) {
    row->label = number;
    if (schema->label_kind == TACIT_LABEL_NUMBER) return 1;
    int is_true = schema->label_rule == TACIT_RULE_ABOVE ? number > schema->label_cut
                                                         : number < schema->label_cut;
    row->label = tacit_schema_class_label(schema, (size_t)is_true);
    return 1;
  }
  if (column->type == TACIT_COLUMN_WEIGHT) {
    row->weight *= number >= 0 ? tacit_csv_weight(schema, number) : 1;
    return number >= 0;
  }
  row->count = tacit_curve_put(&column->curve, column->first, number, &builder->rows,
                               row->count);
  return 1;
}

static tacit_status put_cell(const tacit_table_store *store, struct builder *builder,
                             size_t which, struct row *row, tacit_error *err) {
  const tacit_table_source *source = tacit_table_source_of(store, row->table, which);
  const tacit_schema *schema = store->schema;
  const tacit_column *column =
      which < schema->n_columns ? &schema->columns[which] : NULL;
  const union cell *value = &builder->raw_cells[which * BLOCK_ROWS + row->i];
  switch (source->way) {
  case TACIT_BY_NOTHING: return TACIT_OK;
  case TACIT_BY_NUMBER:
    if (put_number(store, builder, column, value->number, row)) return TACIT_OK;
    break;
  case TACIT_BY_DAY: /* a text of "na" may be a date */
    if (!tacit_spell_is_date(value->number) || schema->n_na > 0) break;
    (void)tacit_cell_days(column, (int64_t)value->number, &builder->rows, &row->count);
    return TACIT_OK;
  case TACIT_BY_LEVEL: {
    const tacit_outcome *outcome = &source->outcomes->list[value->level];
    if (outcome->is_fault) break;
    return put_level(builder, source, outcome, column, schema->row_entries, row, err);
  }
  case TACIT_BY_WORD:
    if (value->level < 0) break;
    row->count = tacit_rows_put(&builder->rows, row->count,
                                column->first + (size_t)value->level, 1);
    return TACIT_OK;
  case TACIT_BY_TEXT: break;
  }
  return put_by_text(store, builder, source, column, row, err);
}

static tacit_status put_row(const tacit_table_store *store, struct builder *builder,
                            struct row *row, tacit_error *err) {
  const tacit_schema *schema = store->schema;
  tacit_rows *rows = &builder->rows;
  TACIT_TRY(tacit_rows_reserve(rows, schema->row_entries + TACIT_ROWS_SPARE, err));
  row->count = rows->n_entries;
  TACIT_TRY(put_cell(store, builder, schema->n_columns, row, err));
  for (size_t which = 0; which < schema->n_columns; ++which)
    TACIT_TRY(put_cell(store, builder, which, row, err));
  if (schema->n_crosses > 0 &&
      tacit_cell_crosses(schema, rows->n_entries, &builder->parse.work, rows,
                         &row->count) != NULL)
    return tacit_fail_memory(err);
  rows->n_entries = row->count;
  if (rows->weights != NULL) rows->weights[rows->view.n_rows] = row->weight;
  tacit_rows_end(rows, row->label);
  return TACIT_OK;
}

static tacit_status take(const void *self, void *opaque, const int64_t *rows,
                         int64_t count, int64_t *out_taken, tacit_error *err) {
  const tacit_table_store *store = self;
  struct builder *builder = opaque;
  int64_t taken = 0;
  while (taken < count && !tacit_rows_full(&builder->rows)) {
    int64_t block = count - taken < BLOCK_ROWS ? count - taken : BLOCK_ROWS;
    gather(store, builder, rows + taken, (size_t)block);
    for (int64_t i = 0; i < block && !tacit_rows_full(&builder->rows); ++i, ++taken) {
      struct row row = {.line.number = rows[taken] + 1,
                        .table = builder->table[i],
                        .i = (size_t)i,
                        .cell = builder->cell[i],
                        .weight = 1};
      TACIT_TRY(put_row(store, builder, &row, err));
    }
  }
  *out_taken = taken;
  return TACIT_OK;
}

static void store_free(void *self) { tacit_table_plan_free(self); }

static const struct tacit_store_ops store_table = {
    .builder_size = sizeof(struct builder),
    .builder_init = builder_init,
    .builder_fini = builder_fini,
    .clear = clear,
    .take = take,
    .view = view,
    .free = store_free,
};

tacit_status tacit_table_store_new(const tacit_table *list, size_t count,
                                   const tacit_reader_options *options,
                                   tacit_store *out, int64_t *out_rows,
                                   tacit_error *err) {
  tacit_table_store *store = tacit_array_new(1, sizeof *store);
  tacit_parse parse;
  if (store == NULL) return tacit_fail_memory(err);
  tacit_status status = tacit_parse_init(&parse, options->schema, options->labels, err);
  if (status == TACIT_OK)
    status = tacit_table_plan(store, list, count, options, &parse, err);
  tacit_parse_fini(&parse);
  if (status != TACIT_OK) {
    tacit_table_plan_free(store);
    return status;
  }
  *out = (tacit_store){.ops = &store_table, .self = store};
  *out_rows = store->tables.first[count];
  return TACIT_OK;
}

tacit_status tacit_table_store_units(const tacit_store *store, tacit_unit *out,
                                     tacit_error *err) {
  const tacit_table_store *self = store->self;
  const tacit_schema *schema = self->schema;
  char scratch[TACIT_CELL_BYTES], shown[TACIT_NAME_BYTES];
  tacit_parse parse;
  size_t which = 0;
  while (schema->columns[which].type != TACIT_COLUMN_UNIT)
    ++which;
  tacit_status status = tacit_parse_init(&parse, schema, 1, err);
  for (size_t i = 0; status == TACIT_OK && i < self->tables.count; ++i) {
    const tacit_table *table = &self->tables.list[i];
    for (int64_t cell = 0; status == TACIT_OK && cell < table->n_rows; ++cell) {
      int64_t row = self->tables.first[i] + cell;
      tacit_field text = tacit_tables_text(&parse, table, self->layout->field_of[which],
                                           NULL, cell, scratch);
      if (!tacit_schema_is_missing(schema, text.begin, text.size) &&
          tacit_unit_take(text.begin, text.size, &out[row]))
        continue;
      tacit_name_shorten(schema->unit_column, 40, shown);
      status = tacit_fail(err, TACIT_EDATA,
                          "row %lld, column '%s': no id; every row must say who it "
                          "belongs to",
                          (long long)row + 1, shown);
    }
  }
  tacit_parse_fini(&parse);
  return status;
}
