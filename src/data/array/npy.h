/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_ARRAY_NPY_H
#define TACIT_DATA_ARRAY_NPY_H

#include <tacit/data.h>

#include "data/bytes/source.h"

/* The element types of .npy files that can be read. */
typedef enum tacit_npy_type {
  TACIT_NPY_F4 = 0,
  TACIT_NPY_F8 = 1,
  TACIT_NPY_I1 = 2,
  TACIT_NPY_I4 = 3,
  TACIT_NPY_I8 = 4,
  TACIT_NPY_U1 = 5,
  TACIT_NPY_B1 = 6
} tacit_npy_type;

/* Bytes of one element. */
int64_t tacit_npy_size(tacit_npy_type type);

/* What the header of a file says. */
typedef struct tacit_npy_head {
  tacit_npy_type type;
  int is_fortran; /* stored column by column */
  int n_dims;     /* 1 or 2 */
  int64_t n_rows;
  size_t n_columns; /* 1 if n_dims is 1 */
  int64_t offset;   /* of the numbers */
} tacit_npy_head;

/* 1 if a file that starts with these bytes is a NumPy array. */
int tacit_npy_match(const void *bytes, size_t size);
/* Reads the header of a file of file_size bytes; `bytes` has its first `size` bytes.
   TACIT_EDATA if type, shape or byte order cannot be read, or the file size does not
   match the shape; `name` starts the message. */
tacit_status tacit_npy_head_read(const unsigned char *bytes, size_t size,
                                 int64_t file_size, const char *name,
                                 tacit_npy_head *out, tacit_error *err);

/* A mapped file. If the file shrinks meanwhile, reading raises SIGBUS. */
typedef struct tacit_npy {
  char name[TACIT_NAME_BYTES];
  tacit_npy_head head;
  void *map;
  size_t map_size;
  const unsigned char *numbers; /* any alignment */
} tacit_npy;

/* Where a row of one number is. */
static inline const unsigned char *tacit_npy_at(const tacit_npy *npy, int64_t row) {
  return npy->numbers + row * tacit_npy_size(npy->head.type);
}

/* `npy` must be zeroed before, and closed even if this fails. */
tacit_status tacit_npy_open(tacit_npy *npy, const char *path, tacit_error *err);
void tacit_npy_close(tacit_npy *npy);

/* Numbers first … first+count-1 of a file of one dimension. */
void tacit_npy_numbers(const tacit_npy *npy, int64_t first, int64_t count, double *out);

/* Rows and labels of two files. */
typedef struct tacit_npy_data {
  tacit_npy rows, labels;
  tacit_arrays arrays; /* of the rows */
  const tacit_schema *schema;
} tacit_npy_data;

/* Opens both; label_path is NULL when labels are not read. The schema is borrowed. */
tacit_status tacit_npy_data_new(const char *path, const char *label_path,
                                const tacit_schema *schema, tacit_npy_data **out,
                                tacit_error *err);
/* NULL-safe. */
void tacit_npy_data_free(tacit_npy_data *data);
/* Labels first … first+count-1 as a batch has them. TACIT_EDATA for a label that the
   schema does not declare. */
tacit_status tacit_npy_labels(const tacit_npy_data *data, int64_t first, int64_t count,
                              double *out, tacit_error *err);

#endif
