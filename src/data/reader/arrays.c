/* SPDX-License-Identifier: MIT */
/* Opens readers of arrays that the caller has in memory. */
#include "base/error.h"
#include "data/array/store.h"
#include "data/reader/units.h"

static tacit_status check_arrays(const tacit_arrays *arrays,
                                 const tacit_reader_options *options,
                                 tacit_reader **out, tacit_error *err) {
  if (arrays == NULL || options == NULL || out == NULL || options->schema == NULL ||
      arrays->struct_size < sizeof *arrays || options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "arrays: arrays, options, schema or out is missing");
  if (tacit_schema_is_csv(options->schema))
    return tacit_fail(err, TACIT_EINVAL,
                      "arrays: the schema is for CSV files, not for arrays");
  if (arrays->n_features != tacit_schema_features(options->schema))
    return tacit_fail(err, TACIT_EINVAL,
                      "arrays: they have %zu features, the schema %zu",
                      arrays->n_features, tacit_schema_features(options->schema));
  if (arrays->n_rows < 1) return tacit_fail(err, TACIT_EDATA, "arrays: no rows");
  if (options->rows != -1 && options->rows != arrays->n_rows)
    return tacit_fail(err, TACIT_EDATA, "arrays: declared %lld rows, found %lld",
                      (long long)options->rows, (long long)arrays->n_rows);
  int csr = arrays->raw_row_start != NULL;
  int filled = !csr || arrays->n_entries > 0;
  if ((filled && arrays->raw_values == NULL) ||
      (csr && filled && arrays->raw_indices == NULL) || arrays->n_entries < 0 ||
      (options->labels && arrays->raw_labels == NULL))
    return tacit_fail(err, TACIT_EINVAL, "arrays: values, indices or labels missing");
  if (arrays->values_type > TACIT_FLOAT32 ||
      (csr &&
       (arrays->starts_type < TACIT_INT64 || arrays->starts_type > TACIT_INT32 ||
        arrays->indices_type < TACIT_INT64 || arrays->indices_type > TACIT_INT32)))
    return tacit_fail(err, TACIT_EINVAL,
                      "arrays: values are float64 or float32, starts and indices int64 "
                      "or int32");
  return TACIT_OK;
}

tacit_status tacit_reader_open_arrays(const tacit_arrays *arrays,
                                      const tacit_reader_options *options,
                                      tacit_reader **out, tacit_error *err) {
  TACIT_TRY(check_arrays(arrays, options, out, err));
  tacit_store store;
  tacit_stored_reader *stored;
  TACIT_TRY(tacit_array_store_new(arrays, NULL, options->labels != 0, &store, err));
  TACIT_TRY(
      tacit_stored_new(&store, arrays->n_rows, options->shuffle > 0, &stored, err));
  tacit_status status =
      tacit_reader_weigh(&stored->base, arrays->raw_weights, options, err);
  if (status == TACIT_OK) status = tacit_units_of_arrays(&stored->base, arrays, err);
  return TACIT_HAND_OVER(status, &stored->base, tacit_reader_free, out);
}
