/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_CHECK_H
#define TACIT_EXTRA_CHECK_H

#include <tacit/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a check. Fill with tacit_check_options_init, then change. */
typedef struct tacit_check_options {
  size_t struct_size;
  const tacit_schema *schema; /**< schema of CSV files; required */
  double row_norm;   /**< rows that are longer, with their bias, are counted; 0 counts
                          none */
  bool values;       /**< true to quote the cells of bad lines; default false */
  uint64_t max_line; /**< limit on a line of text in bytes; 0 (default) means 64 MiB */
} tacit_check_options;

TACIT_API void tacit_check_options_init(tacit_check_options *options);

/**
 * Compares CSV files with a schema, in one pass that does not stop at a bad line. *out
 * is one JSON object (docs/howto/schema.md describes it); free it with
 * tacit_string_free. Sets *out_trains to 0 if training on these files would fail.
 *
 * The report comes straight from the records and is not private: it is for the holder
 * of the data. Bounds, categories or classes that are changed because of it leak.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_check_files(
    const char *const *paths, size_t n_paths, const tacit_check_options *options,
    char **out, int *out_trains, tacit_error *err);
/** Compares tables that follow each other with a schema, as tacit_check_files compares
    files. Leaves out columns that the schema does not declare. Returns TACIT_EDATA if a
    declared column is missing or has a type that is not read. */
TACIT_API TACIT_NODISCARD tacit_status tacit_check_table(
    const tacit_table *tables, size_t n_tables, const tacit_check_options *options,
    char **out, int *out_trains, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
