/* SPDX-License-Identifier: MIT */
/* Compares tables with a schema, by the texts of their cells. */
#include "base/error.h"
#include "base/memory.h"
#include "data/table/store.h"
#include "extra/check/check.h"

/* Checks the rows of one table. `scratch` has room for the text of each of its
   columns. */
static tacit_status check_rows(tacit_check *check, const tacit_table *table,
                               int64_t first, char (*scratch)[TACIT_CELL_BYTES],
                               tacit_error *err) {
  tacit_parse *parse = check->parse;
  const tacit_csv_layout *layout = parse->layout;
  for (int64_t cell = 0; cell < table->n_rows; ++cell) {
    const tacit_line row = {.number = first + cell + 1};
    int64_t before = check->faults;
    for (size_t i = 0; i <= check->schema->n_columns; ++i) {
      const tacit_column *column =
          i < check->schema->n_columns ? &check->schema->columns[i] : NULL;
      size_t field = column != NULL ? layout->field_of[i] : layout->label_field;
      int is_read = tacit_cells_fault(&table->columns[field], table->n_rows) == NULL;
      parse->fields.fields[field] =
          is_read ? tacit_tables_text(parse, table, field, column, cell, scratch[field])
                  : (tacit_field){"", 0}; /* of a column that is ignored */
    }
    ++check->n_rows;
    TACIT_TRY(tacit_check_row(check, &row, err));
    check->bad_rows += check->faults > before;
  }
  return TACIT_OK;
}

static tacit_status check_tables(tacit_check *check, const tacit_tables *tables,
                                 tacit_error *err) {
  char(*scratch)[TACIT_CELL_BYTES] =
      tacit_raw_new(tables->list[0].n_columns + 1, sizeof *scratch);
  void *layout = NULL;
  tacit_status status = scratch != NULL ? TACIT_OK : tacit_fail_memory(err);
  if (status == TACIT_OK)
    status = tacit_tables_layout(tables, check->parse, &layout, err);
  check->parse->layout = layout;
  for (size_t i = 0; status == TACIT_OK && i < tables->count; ++i)
    status = check_rows(check, &tables->list[i], tables->first[i], scratch, err);
  tacit_csv_layout_free(layout);
  tacit_raw_free(scratch);
  return status;
}

tacit_status tacit_check_table(const tacit_table *tables, size_t n_tables,
                               const tacit_check_options *options, char **out,
                               int *out_trains, tacit_error *err) {
  TACIT_TRY(tacit_check_arguments(tables, n_tables, options, out, out_trains, err));
  tacit_tables all = {.list = NULL};
  tacit_parse parse;
  tacit_check check = {.schema = options->schema, .options = options, .parse = &parse};
  tacit_status status = tacit_parse_init(&parse, options->schema, 1, err);
  parse.ignores_extra = 1;
  if (status == TACIT_OK) status = tacit_tables_init(&all, tables, n_tables, err);
  if (status == TACIT_OK) status = tacit_check_begin(&check, err);
  if (status == TACIT_OK) status = check_tables(&check, &all, err);
  tacit_parse_fini(&parse);
  tacit_tables_fini(&all);
  return tacit_check_end(&check, status, out, out_trains, err);
}
