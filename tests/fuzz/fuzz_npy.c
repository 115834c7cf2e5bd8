/* SPDX-License-Identifier: MIT */
/* Any bytes as a .npy file of rows, and of labels. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <tacit/files.h>
#include <unistd.h>

static void check_message(tacit_status status, const tacit_error *err) {
  FUZZ_CHECK(status == TACIT_EDATA && err->status == status);
  FUZZ_CHECK(strncmp(err->message, "/proc/self/fd/", 14) == 0);
  FUZZ_CHECK(strchr(err->message, '\n') == NULL);
}

static void read_rows(const char *path, const char *label_path, size_t columns) {
  tacit_schema *schema;
  tacit_error err = {TACIT_OK, ""};
  FUZZ_CHECK(tacit_schema_libsvm(columns, 0, -5, 5, &schema, NULL) == TACIT_OK);
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.labels = label_path != NULL;
  options.label_path = label_path;
  tacit_reader *reader = NULL;
  tacit_status status = tacit_reader_open(&path, 1, &options, &reader, &err);
  while (status == TACIT_OK) {
    const tacit_batch *batch;
    status = tacit_reader_next(reader, &batch, &err);
    if (status != TACIT_OK || batch->n_rows == 0) break;
    FUZZ_CHECK(batch->n_features == columns && batch->raw_row_start == NULL);
    for (size_t i = 0; i < (size_t)batch->n_rows * columns; ++i)
      FUZZ_CHECK(batch->raw_values32 != NULL ? isfinite(batch->raw_values32[i])
                                             : isfinite(batch->raw_values[i]));
    for (int64_t i = 0; label_path != NULL && i < batch->n_rows; ++i)
      FUZZ_CHECK(isfinite(batch->raw_labels[i]));
  }
  if (status != TACIT_OK) check_message(status, &err);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* Three rows of one column, to go with the labels. */
  static const uint8_t three[] =
      "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(3, 1), }\n\0\0\x80\x3f\0\0\0\x40\0\0\0";
  char path[32], rows_path[32];
  int fd = fuzz_file(data, size, path);
  int64_t rows;
  size_t columns;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_npy_shape(path, &rows, &columns, &err);
  if (status != TACIT_OK) {
    check_message(status, &err);
  } else {
    FUZZ_CHECK(rows >= 1 && columns >= 1);
    read_rows(path, NULL, columns);
  }
  int rows_fd = fuzz_file(three, sizeof three, rows_path);
  read_rows(rows_path, path, 1);
  (void)close(rows_fd);
  (void)close(fd);
  return 0;
}
