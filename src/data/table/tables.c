/* SPDX-License-Identifier: MIT */
/* Tables one after the other, and which of their columns the schema means. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/table/store.h"

void tacit_table_init(tacit_table *table) {
  if (table == NULL) return;
  memset(table, 0, sizeof *table);
  table->struct_size = sizeof *table;
}

static tacit_status check_table(const tacit_table *table, const tacit_table *first,
                                tacit_error *err) {
  if (table->struct_size < sizeof *table || table->n_rows < 0 ||
      (table->n_columns > 0 && table->columns == NULL))
    return tacit_fail(err, TACIT_EINVAL, "table: its size, rows or columns are wrong");
  for (size_t i = 0; i < table->n_columns; ++i) {
    if (table->columns[i].name == NULL)
      return tacit_fail(err, TACIT_EINVAL, "table: a column has no name");
    if (i < first->n_columns &&
        strcmp(table->columns[i].name, first->columns[i].name) != 0)
      break;
    if (i + 1 == table->n_columns && table->n_columns == first->n_columns)
      return TACIT_OK;
  }
  if (table->n_columns == 0 && first->n_columns == 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "table: its parts have different columns");
}

tacit_status tacit_tables_init(tacit_tables *tables, const tacit_table *list,
                               size_t count, tacit_error *err) {
  *tables = (tacit_tables){.list = list, .count = count};
  for (size_t i = 0; i < count; ++i)
    TACIT_TRY(check_table(&list[i], &list[0], err));
  TACIT_TRY(TACIT_NEW(tables->first, count + 1, err));
  for (size_t i = 0; i < count; ++i) {
    if (list[i].n_rows > INT64_MAX - tables->first[i])
      return tacit_fail(err, TACIT_EINVAL, "table: too many rows");
    tables->first[i + 1] = tables->first[i] + list[i].n_rows;
  }
  return TACIT_OK;
}

void tacit_tables_fini(tacit_tables *tables) {
  tacit_array_free(tables->first);
  tables->first = NULL;
}

size_t tacit_tables_find(const tacit_tables *tables, int64_t row) {
  size_t low = 0, high = tables->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (row >= tables->first[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Checks that the cells of a column can be read in all tables. */
static tacit_status check_field(const tacit_tables *tables, size_t field,
                                tacit_error *err) {
  for (size_t i = 0; field != TACIT_NO_FIELD && i < tables->count; ++i) {
    const tacit_table_column *column = &tables->list[i].columns[field];
    const char *fault = tacit_cells_fault(column, tables->list[i].n_rows);
    if (fault == NULL) continue;
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(column->name, 40, shown);
    return tacit_fail(err, TACIT_EDATA, "column '%s': %s", shown, fault);
  }
  return TACIT_OK;
}

static tacit_status check_fields(const tacit_tables *tables, const tacit_parse *parse,
                                 const tacit_csv_layout *layout, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  if (parse->labels) TACIT_TRY(check_field(tables, layout->label_field, err));
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column_type type = schema->columns[i].type;
    int is_used =
        type < TACIT_COLUMN_IGNORE || (type > TACIT_COLUMN_IGNORE && parse->labels);
    if (is_used) TACIT_TRY(check_field(tables, layout->field_of[i], err));
  }
  return TACIT_OK;
}

tacit_status tacit_tables_layout(const tacit_tables *tables, tacit_parse *parse,
                                 void **out_layout, tacit_error *err) {
  const tacit_table *table = &tables->list[0];
  const tacit_line nowhere = {.number = 0};
  tacit_fields *fields = &parse->fields;
  if (!tacit_raw_reserve(&fields->fields, &fields->capacity, table->n_columns + 1,
                         sizeof *fields->fields))
    return tacit_fail_memory(err);
  fields->count = table->n_columns;
  for (size_t i = 0; i < table->n_columns; ++i)
    fields->fields[i] =
        (tacit_field){table->columns[i].name, strlen(table->columns[i].name)};
  void *layout;
  TACIT_TRY(tacit_csv_layout_new(parse, &nowhere, &layout, err));
  tacit_status status = check_fields(tables, parse, layout, err);
  return TACIT_HAND_OVER(status, layout, tacit_csv_layout_free, out_layout);
}
