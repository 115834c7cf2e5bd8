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

/* Returns the bytes of one element. */
int64_t tacit_npy_size(tacit_npy_type type);

/* The contents of the header of a file. */
typedef struct tacit_npy_head {
  tacit_npy_type type;
  int is_fortran; /* 1 if the numbers are stored column by column */
  int n_dims;     /* 1 or 2 */
  int64_t n_rows;
  size_t n_columns; /* 1 if n_dims is 1 */
  int64_t offset;   /* offset of the numbers in the file */
} tacit_npy_head;

/* Returns 1 if a file that starts with these bytes is a NumPy array. */
int tacit_npy_match(const void *bytes, size_t size);
/* Reads the header of a file of file_size bytes, whose first `size` bytes are `bytes`.
   Returns TACIT_EDATA if type, shape or byte order cannot be read, or the file size
   does not match the shape; `name` starts the message. */
tacit_status tacit_npy_head_read(const unsigned char *bytes, size_t size,
                                 int64_t file_size, const char *name,
                                 tacit_npy_head *out, tacit_error *err);

/* A mapped file. If the file shrinks while it is mapped, reading raises SIGBUS. */
typedef struct tacit_npy {
  char name[TACIT_NAME_BYTES];
  tacit_npy_head head;
  void *map;
  size_t map_size;
  const unsigned char *numbers; /* the numbers in the mapping, at any alignment */
} tacit_npy;

/* Returns where the number of a row is, in an array of one dimension. */
static inline const unsigned char *tacit_npy_at(const tacit_npy *npy, int64_t row) {
  return npy->numbers + row * tacit_npy_size(npy->head.type);
}

/* Maps a file. `npy` must be zeroed before, and closed also after a failure. */
tacit_status tacit_npy_open(tacit_npy *npy, const char *path, tacit_error *err);
void tacit_npy_close(tacit_npy *npy);

/* Writes numbers first … first+count-1 of a file of one dimension. */
void tacit_npy_numbers(const tacit_npy *npy, int64_t first, int64_t count, double *out);

/* The rows of one file and the labels of another. */
typedef struct tacit_npy_data {
  tacit_npy rows, labels;
  tacit_arrays arrays; /* the arrays of the rows */
  const tacit_schema *schema;
} tacit_npy_data;

/* Opens the files of rows and labels. label_path is NULL if labels are not read.
   Borrows the schema. */
tacit_status tacit_npy_data_new(const char *path, const char *label_path,
                                const tacit_schema *schema, tacit_npy_data **out,
                                tacit_error *err);
/* Frees the data; NULL is allowed. */
void tacit_npy_data_free(tacit_npy_data *data);
/* Writes labels first … first+count-1 in the form of tacit_batch. Returns TACIT_EDATA
   for a label that the schema does not declare. */
tacit_status tacit_npy_labels(const tacit_npy_data *data, int64_t first, int64_t count,
                              double *out, tacit_error *err);

#endif
