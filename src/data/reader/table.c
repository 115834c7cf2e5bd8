/* SPDX-License-Identifier: MIT */
/* Opens readers of tables that the caller has in memory. */
#include "base/error.h"
#include "base/memory.h"
#include "data/reader/units.h"
#include "data/table/store.h"

static tacit_status check_options(const tacit_table *tables, size_t n_tables,
                                  const tacit_reader_options *options,
                                  tacit_reader **out, tacit_error *err) {
  if (tables == NULL || n_tables == 0 || options == NULL || out == NULL ||
      options->schema == NULL || options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "table: tables, options, schema or out is missing");
  if (!tacit_schema_is_csv(options->schema))
    return tacit_fail(err, TACIT_EINVAL,
                      "table: the schema must declare columns, as of a CSV file");
  if (options->group != NULL || options->n_keep > 0 || options->unit_path != NULL ||
      options->weight_path != NULL || options->label_path != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "table: a group, texts to keep, and files of labels, ids or "
                      "weights are for files");
  return TACIT_OK;
}

/* Counts the rows that were declared, and gives the reader its ids and weights. */
static tacit_status complete(tacit_stored_reader *stored,
                             const tacit_reader_options *options, tacit_error *err) {
  tacit_reader *reader = &stored->base;
  if (reader->rows == 0 && !options->may_be_empty)
    return tacit_fail(err, TACIT_EDATA, "the table has no rows");
  if (options->rows != -1 && options->rows != reader->rows)
    return tacit_fail(err, TACIT_EDATA, "table: declared %lld rows, found %lld",
                      (long long)options->rows, (long long)reader->rows);
  reader->keep_max = tacit_reader_keep_max(options);
  TACIT_TRY(tacit_reader_weigh(reader, NULL, options, err));
  TACIT_TRY(tacit_units_open(reader, options, err));
  if (!reader->has_units) return TACIT_OK;
  TACIT_TRY(TACIT_RAW_NEW(reader->units, (size_t)reader->rows + 1, err));
  return tacit_table_store_units(&stored->store, reader->units, err);
}

tacit_status tacit_reader_open_table(const tacit_table *tables, size_t n_tables,
                                     const tacit_reader_options *options,
                                     tacit_reader **out, tacit_error *err) {
  tacit_store store;
  tacit_stored_reader *stored;
  int64_t rows;
  TACIT_TRY(check_options(tables, n_tables, options, out, err));
  TACIT_TRY(tacit_table_store_new(tables, n_tables, options, &store, &rows, err));
  TACIT_TRY(tacit_stored_new(&store, rows, options->shuffle > 0, &stored, err));
  tacit_status status = complete(stored, options, err);
  return TACIT_HAND_OVER(status, &stored->base, tacit_reader_free, out);
}
