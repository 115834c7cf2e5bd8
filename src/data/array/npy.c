/* SPDX-License-Identifier: MIT */
/* NumPy arrays. Rows stay in the mapped file, from which data/array/store.c reads them.
   Labels are checked and converted here. */
#include "data/array/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tacit/files.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "data/schema/schema.h"

static tacit_status fail_errno(const tacit_npy *npy, tacit_error *err) {
  int code = errno;
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: %s", npy->name, tacit_io_reason(code, reason));
}

static tacit_status map_file(tacit_npy *npy, int fd, tacit_error *err) {
  struct stat facts;
  if (fstat(fd, &facts) != 0) return fail_errno(npy, err);
  if (!S_ISREG(facts.st_mode) || facts.st_size < 1)
    return tacit_fail(err, TACIT_EDATA, "%s: not a .npy file", npy->name);
  if ((uint64_t)facts.st_size > SIZE_MAX) return tacit_fail_memory(err);
  size_t size = (size_t)facts.st_size;
  void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return fail_errno(npy, err);
  npy->map = map;
  npy->map_size = size;
  if (!tacit_npy_match(map, size))
    return tacit_fail(err, TACIT_EDATA, "%s: not a .npy file", npy->name);
  TACIT_TRY(tacit_npy_head_read(map, size, facts.st_size, npy->name, &npy->head, err));
  npy->numbers = (const unsigned char *)map + npy->head.offset;
  return TACIT_OK;
}

tacit_status tacit_npy_open(tacit_npy *npy, const char *path, tacit_error *err) {
  tacit_name_shorten(path, 90, npy->name);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return fail_errno(npy, err);
  tacit_status status = map_file(npy, fd, err);
  (void)close(fd);
  return status;
}

void tacit_npy_close(tacit_npy *npy) {
  if (npy->map != NULL) (void)munmap(npy->map, npy->map_size);
  memset(npy, 0, sizeof *npy);
}

/* Converts numbers of the given type, at any alignment, to doubles. */
#define NUMBERS_AT(type, place, count, out)                                            \
  for (int64_t i = 0; i < (count); ++i) {                                              \
    type number;                                                                       \
    memcpy(&number, (place) + i * (int64_t)sizeof number, sizeof number);              \
    (out)[i] = (double)number;                                                         \
  }

void tacit_npy_numbers(const tacit_npy *npy, int64_t first, int64_t count,
                       double *out) {
  const unsigned char *place = tacit_npy_at(npy, first);
  switch (npy->head.type) {
  case TACIT_NPY_F4: NUMBERS_AT(float, place, count, out) break;
  case TACIT_NPY_F8: NUMBERS_AT(double, place, count, out) break;
  case TACIT_NPY_I1: NUMBERS_AT(int8_t, place, count, out) break;
  case TACIT_NPY_I4: NUMBERS_AT(int32_t, place, count, out) break;
  case TACIT_NPY_I8: NUMBERS_AT(int64_t, place, count, out) break;
  case TACIT_NPY_U1: NUMBERS_AT(uint8_t, place, count, out) break;
  case TACIT_NPY_B1:
    for (int64_t i = 0; i < count; ++i)
      out[i] = place[i] != 0;
    break;
  }
}

/* Returns the label in the form of tacit_batch, or NaN if the schema does not declare
   it. */
static double label_of(const tacit_schema *schema, double label) {
  if (schema->label_kind == TACIT_LABEL_NUMBER)
    return isfinite(label) ? label : (double)NAN;
  if (schema->n_classes > 2) {
    int is_class =
        label >= 0 && label < (double)schema->n_classes && label == floor(label);
    return is_class ? fabs(label) : (double)NAN; /* turns -0 into 0 */
  }
  /* Computes without a branch on the class, which is hard to predict. */
  int is_class = (label == 1) | (label == 0) | (label == -1);
  return is_class ? 2 * (label > 0) - 1 : (double)NAN;
}

static tacit_status fail_label(const tacit_npy *npy, int64_t row,
                               const tacit_schema *schema, tacit_error *err) {
  if (schema->label_kind == TACIT_LABEL_NUMBER)
    return tacit_fail(err, TACIT_EDATA, "%s: row %lld: label is not a finite number",
                      npy->name, (long long)row + 1);
  if (schema->n_classes > 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: row %lld: label is not a declared class (0 to %zu)",
                      npy->name, (long long)row + 1, schema->n_classes - 1);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: row %lld: label is not a declared class (0/1 or -1/+1); for "
                    "more classes give --classes, for numbers --labels",
                    npy->name, (long long)row + 1);
}

static tacit_status open_labels(tacit_npy_data *data, const char *path,
                                tacit_error *err) {
  tacit_npy *npy = &data->labels;
  TACIT_TRY(tacit_npy_open(npy, path, err));
  if (npy->head.n_dims != 1)
    return tacit_fail(err, TACIT_EDATA, "%s: labels need one dimension, not two",
                      npy->name);
  int64_t n_rows = data->rows.head.n_rows;
  if (npy->head.n_rows != n_rows)
    return tacit_fail(err, TACIT_EDATA, "%s: %lld labels for %lld rows", npy->name,
                      (long long)npy->head.n_rows, (long long)n_rows);
  return TACIT_OK;
}

tacit_status tacit_npy_labels(const tacit_npy_data *data, int64_t first, int64_t count,
                              double *out, tacit_error *err) {
  const tacit_npy *npy = &data->labels;
  tacit_npy_numbers(npy, first, count, out);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = label_of(data->schema, out[i]);
    if (isnan(out[i])) return fail_label(npy, first + i, data->schema, err);
  }
  return TACIT_OK;
}

static tacit_status open_data(tacit_npy_data *out, const char *path,
                              const char *label_path, const tacit_schema *schema,
                              tacit_error *err) {
  TACIT_TRY(tacit_npy_open(&out->rows, path, err));
  const tacit_npy_head *head = &out->rows.head;
  if (head->n_dims != 2)
    return tacit_fail(err, TACIT_EDATA, "%s: rows need two dimensions, not one",
                      out->rows.name);
  if (head->type != TACIT_NPY_F4 && head->type != TACIT_NPY_F8)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: rows must be float32 or float64; store them with "
                      "a.astype('float32')",
                      out->rows.name);
  if (schema->kind == TACIT_SCHEMA_CSV)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: an array has no columns with names: a schema for CSV does "
                      "not fit it",
                      out->rows.name);
  if (head->n_columns != schema->features)
    return tacit_fail(err, TACIT_EDATA, "%s: has %zu columns, %zu features expected",
                      out->rows.name, head->n_columns, schema->features);
  int64_t size = tacit_npy_size(head->type);
  tacit_arrays_init(&out->arrays);
  out->arrays.n_rows = head->n_rows;
  out->arrays.n_features = head->n_columns;
  out->arrays.raw_values = out->rows.numbers;
  out->arrays.values_type = head->type == TACIT_NPY_F4 ? TACIT_FLOAT32 : TACIT_FLOAT64;
  out->arrays.row_stride = head->is_fortran ? size : size * (int64_t)head->n_columns;
  out->arrays.column_stride = head->is_fortran ? size * head->n_rows : size;
  out->schema = schema;
  return label_path != NULL ? open_labels(out, label_path, err) : TACIT_OK;
}

tacit_status tacit_npy_data_new(const char *path, const char *label_path,
                                const tacit_schema *schema, tacit_npy_data **out,
                                tacit_error *err) {
  tacit_npy_data *data = tacit_array_new(1, sizeof *data);
  if (data == NULL) return tacit_fail_memory(err);
  tacit_status status = open_data(data, path, label_path, schema, err);
  return TACIT_HAND_OVER(status, data, tacit_npy_data_free, out);
}

void tacit_npy_data_free(tacit_npy_data *data) {
  if (data == NULL) return;
  tacit_npy_close(&data->rows);
  tacit_npy_close(&data->labels);
  tacit_array_free(data);
}

tacit_status tacit_npy_shape(const char *path, int64_t *out_rows, size_t *out_columns,
                             tacit_error *err) {
  if (path == NULL || out_rows == NULL || out_columns == NULL)
    return tacit_fail(err, TACIT_EINVAL, "npy: path or out is NULL");
  tacit_npy npy = {0};
  tacit_status status = tacit_npy_open(&npy, path, err);
  if (status == TACIT_OK) {
    *out_rows = npy.head.n_rows;
    *out_columns = npy.head.n_columns;
  }
  tacit_npy_close(&npy);
  return status;
}
