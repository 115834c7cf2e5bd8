/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_ARRAY_NPY_H
#define TACIT_DATA_ARRAY_NPY_H

#include <tacit/data.h>

#include "data/bytes/source.h"

/* Element types of a .npy file that are read. */
typedef enum tacit_npy_type {
  TACIT_NPY_F4 = 0,
  TACIT_NPY_F8 = 1,
  TACIT_NPY_I1 = 2,
  TACIT_NPY_I4 = 3,
  TACIT_NPY_I8 = 4,
  TACIT_NPY_U1 = 5,
  TACIT_NPY_B1 = 6
} tacit_npy_type;

/* Bytes of one. */
int64_t tacit_npy_size(tacit_npy_type type);

/* What the header of a file says. */
typedef struct tacit_npy_head {
  tacit_npy_type type;
  int is_fortran; /* columns one after the other */
  int n_dims;     /* 1 or 2 */
  int64_t n_rows;
  size_t n_columns; /* 1 when n_dims is */
  int64_t offset;   /* of the numbers */
} tacit_npy_head;

/* 1 when a file that begins with these bytes is an array of NumPy's. */
int tacit_npy_match(const void *bytes, size_t size);
/* The header at the start of `size` bytes, of a file of `file_size`. Another type,
   shape or byte order than can be read, and a size that is not the shape's, are
   TACIT_EDATA; `name` starts the message. */
tacit_status tacit_npy_head_read(const unsigned char *bytes, size_t size,
                                 int64_t file_size, const char *name,
                                 tacit_npy_head *out, tacit_error *err);

/* A mapped file. A file that shrinks meanwhile raises SIGBUS. */
typedef struct tacit_npy {
  char name[TACIT_NAME_BYTES];
  tacit_npy_head head;
  void *map;
  size_t map_size;
  const unsigned char *numbers; /* any alignment */
} tacit_npy;

/* Where a row of one number lies. */
static inline const unsigned char *tacit_npy_at(const tacit_npy *npy, int64_t row) {
  return npy->numbers + row * tacit_npy_size(npy->head.type);
}

/* `npy` is zeroed to begin with, and closed also when this failed. */
tacit_status tacit_npy_open(tacit_npy *npy, const char *path, tacit_error *err);
void tacit_npy_close(tacit_npy *npy);

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
/* Labels first … first+count-1 as batches have them; one that the schema does not know
   is TACIT_EDATA. */
tacit_status tacit_npy_labels(const tacit_npy_data *data, int64_t first, int64_t count,
                              double *out, tacit_error *err);

#endif
