/* SPDX-License-Identifier: MIT */
/*
 * Rows of arrays in memory. The arrays stay where they are, in their own number types
 * and layout; a few thousand rows at a time are copied through the public permutation
 * into one batch, of floats where dense rows of floats are given, else of doubles, so
 * the memory beside them is a few megabytes. What is
 * checked is the copy: another thread that changes the arrays meanwhile can spoil the
 * model but not the process.
 */
#include "data/memory.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader.h"
#include "data/row.h"

enum { CHUNK_ROWS = 4096, CHUNK_ENTRIES = 1 << 17 };

struct tacit_memory {
  tacit_arrays arrays;
  const tacit_order *order;
  int64_t position, chunk_rows;
  size_t n_entries, capacity; /* of the batch under construction */
  double *raw_values;
  float *raw_values32;    /* in place of raw_values for dense rows of floats */
  uint32_t *raw_indices;  /* NULL for dense rows */
  int64_t *raw_row_start; /* NULL for dense rows */
  double *raw_labels;     /* NULL when labels are not read */
  tacit_batch view;
};

void tacit_arrays_init(tacit_arrays *arrays) {
  if (arrays == NULL) return;
  memset(arrays, 0, sizeof *arrays);
  arrays->struct_size = sizeof *arrays;
}

/* A number at any alignment. */
static double real_at(const unsigned char *raw_place, tacit_number type) {
  if (type == TACIT_FLOAT64) {
    double raw_value;
    memcpy(&raw_value, raw_place, sizeof raw_value);
    return raw_value;
  }
  float raw_value;
  memcpy(&raw_value, raw_place, sizeof raw_value);
  return (double)raw_value;
}

static int64_t integer_at(const void *raw_array, int64_t index, tacit_number type) {
  if (type == TACIT_INT64) {
    int64_t raw_value;
    memcpy(&raw_value, (const unsigned char *)raw_array + index * 8, 8);
    return raw_value;
  }
  int32_t raw_value;
  memcpy(&raw_value, (const unsigned char *)raw_array + index * 4, 4);
  return raw_value;
}

static int64_t real_size(tacit_number type) { return type == TACIT_FLOAT64 ? 8 : 4; }

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

static tacit_status memory_init(tacit_memory *memory, const tacit_arrays *arrays,
                                int labels, tacit_error *err) {
  size_t features = arrays->n_features;
  int csr = arrays->raw_row_start != NULL;
  memory->arrays = *arrays;
  int64_t rows = CHUNK_ROWS;
  if (!csr && features > CHUNK_ENTRIES / CHUNK_ROWS)
    rows = 1 + (int64_t)(CHUNK_ENTRIES / features);
  if (rows > arrays->n_rows) rows = arrays->n_rows;
  memory->chunk_rows = rows;
  memory->capacity = csr ? CHUNK_ENTRIES : (size_t)rows * features;
  int narrow = !csr && arrays->values_type == TACIT_FLOAT32 &&
               arrays->column_stride == sizeof(float);
  int got;
  if (narrow) {
    memory->raw_values32 = tacit_raw_new(memory->capacity, sizeof(float));
    got = memory->raw_values32 != NULL;
  } else {
    memory->raw_values = tacit_raw_new(memory->capacity, sizeof(double));
    got = memory->raw_values != NULL;
  }
  if (csr) {
    memory->raw_indices = tacit_raw_new(memory->capacity, sizeof *memory->raw_indices);
    memory->raw_row_start =
        tacit_raw_new((size_t)rows + 1, sizeof *memory->raw_row_start);
    got = got && memory->raw_indices != NULL && memory->raw_row_start != NULL;
  }
  if (labels) {
    memory->raw_labels = tacit_raw_new((size_t)rows, sizeof *memory->raw_labels);
    got = got && memory->raw_labels != NULL;
  }
  tacit_batch_init(&memory->view);
  memory->view.n_features = features;
  return got ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_memory_new(const tacit_arrays *arrays, int labels,
                              const tacit_order *order, tacit_memory **out,
                              tacit_error *err) {
  tacit_memory *memory = tacit_array_new(1, sizeof *memory);
  if (memory == NULL) return tacit_fail_memory(err);
  tacit_status status = memory_init(memory, arrays, labels, err);
  if (status != TACIT_OK) {
    tacit_memory_free(memory);
    return status;
  }
  memory->order = order;
  *out = memory;
  return TACIT_OK;
}

void tacit_memory_free(tacit_memory *memory) {
  if (memory == NULL) return;
  tacit_raw_free(memory->raw_values);
  tacit_raw_free(memory->raw_values32);
  tacit_raw_free(memory->raw_indices);
  tacit_raw_free(memory->raw_row_start);
  tacit_raw_free(memory->raw_labels);
  tacit_array_free(memory);
}

void tacit_memory_rewind(tacit_memory *memory) { memory->position = 0; }

/* All bits of the exponent are set where a number is not finite, so a one added there
   carries into the sign, which was cleared: additions on whole words tell of a row. */
static int is_finite64(const double *raw_row, size_t count) {
  uint64_t raw_carries[2] = {0, 0};
  for (size_t j = 0; j < count; ++j) {
    uint64_t raw_bits;
    memcpy(&raw_bits, raw_row + j, sizeof raw_bits);
    raw_carries[j % 2] |= (raw_bits & INT64_MAX) + ((uint64_t)1 << 52);
  }
  return (raw_carries[0] | raw_carries[1]) >> 63 == 0;
}

/* Two floats in a word, each with a carry of its own. */
static int is_finite32(const float *raw_row, size_t count) {
  uint64_t raw_carries[4] = {0};
  for (size_t j = 0; j < count; j += 8) {
    uint64_t raw_bits[4] = {0};
    if (count - j >= 8)
      memcpy(raw_bits, raw_row + j, sizeof raw_bits);
    else
      memcpy(raw_bits, raw_row + j, (count - j) * sizeof *raw_row);
    for (size_t k = 0; k < 4; ++k)
      raw_carries[k] |=
          (raw_bits[k] & UINT64_C(0x7fffffff7fffffff)) + UINT64_C(0x0080000000800000);
  }
  uint64_t raw_any = raw_carries[0] | raw_carries[1] | raw_carries[2] | raw_carries[3];
  return (raw_any & UINT64_C(0x8000000080000000)) == 0;
}

/* `raw_row`: floats or doubles. */
static tacit_status check_finite(const tacit_row *raw_row, int64_t row,
                                 tacit_error *err) {
  if (raw_row->raw_values32 != NULL ? is_finite32(raw_row->raw_values32, raw_row->count)
                                    : is_finite64(raw_row->raw_values, raw_row->count))
    return TACIT_OK;
  size_t j = 0;
  while (isfinite(tacit_row_value(raw_row, j)))
    ++j;
  return tacit_fail(
      err, TACIT_EDATA, "row %lld, column %zu: NaN or infinity", (long long)row + 1,
      (raw_row->raw_indices != NULL ? (size_t)raw_row->raw_indices[j] : j) + 1);
}

static void copy_dense(const tacit_memory *memory, int64_t row, double *raw_out) {
  const tacit_arrays *arrays = &memory->arrays;
  const unsigned char *raw_row =
      (const unsigned char *)arrays->raw_values + row * arrays->row_stride;
  size_t features = arrays->n_features;
  if (arrays->column_stride == 8 && arrays->values_type == TACIT_FLOAT64) {
    memcpy(raw_out, raw_row, features * sizeof *raw_out);
  } else {
    for (size_t j = 0; j < features; ++j)
      raw_out[j] =
          real_at(raw_row + (int64_t)j * arrays->column_stride, arrays->values_type);
  }
}

static tacit_status make_room(tacit_memory *memory, size_t needed, tacit_error *err) {
  if (needed <= memory->capacity) return TACIT_OK;
  size_t capacity = 2 * memory->capacity > needed ? 2 * memory->capacity : needed;
  void *raw_larger =
      tacit_raw_grow(memory->raw_values, capacity, sizeof *memory->raw_values);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  memory->raw_values = raw_larger;
  raw_larger =
      tacit_raw_grow(memory->raw_indices, capacity, sizeof *memory->raw_indices);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  memory->raw_indices = raw_larger;
  memory->capacity = capacity;
  return TACIT_OK;
}

/* A stored zero is left out, as in files, so that the same rows are the same bits. */
static tacit_status copy_sparse(tacit_memory *memory, int64_t row, tacit_error *err) {
  const tacit_arrays *arrays = &memory->arrays;
  int64_t first = integer_at(arrays->raw_row_start, row, arrays->starts_type);
  int64_t end = integer_at(arrays->raw_row_start, row + 1, arrays->starts_type);
  if (first < 0 || end < first || end > arrays->n_entries)
    return tacit_fail(err, TACIT_EDATA,
                      "row %lld: its start and end do not fit the entries",
                      (long long)row + 1);
  TACIT_TRY(make_room(memory, memory->n_entries + (size_t)(end - first), err));
  const unsigned char *raw_values = arrays->raw_values;
  int64_t raw_before = -1;
  size_t begin = memory->n_entries;
  for (int64_t i = first; i < end; ++i) {
    int64_t raw_index = integer_at(arrays->raw_indices, i, arrays->indices_type);
    if (raw_index <= raw_before || raw_index >= (int64_t)arrays->n_features)
      return tacit_fail(err, TACIT_EDATA,
                        "row %lld: column indices must ascend, without one twice, and "
                        "stay below the number of features",
                        (long long)row + 1);
    raw_before = raw_index;
    double raw_value =
        real_at(raw_values + i * real_size(arrays->values_type), arrays->values_type);
    if (raw_value == 0) continue;
    memory->raw_values[memory->n_entries] = raw_value;
    memory->raw_indices[memory->n_entries++] = (uint32_t)raw_index;
  }
  tacit_row raw_row = {.count = memory->n_entries - begin,
                       .raw_values = memory->raw_values + begin,
                       .raw_indices = memory->raw_indices + begin};
  return check_finite(&raw_row, row, err);
}

static tacit_status copy_row(tacit_memory *memory, int64_t row, tacit_error *err) {
  const tacit_arrays *arrays = &memory->arrays;
  size_t features = arrays->n_features, at = (size_t)memory->view.n_rows * features;
  tacit_row raw_row = {.count = features};
  if (memory->raw_values32 != NULL) {
    float *raw_out = memory->raw_values32 + at;
    memcpy(raw_out,
           (const unsigned char *)arrays->raw_values + row * arrays->row_stride,
           features * sizeof *raw_out);
    raw_row.raw_values32 = raw_out;
  } else {
    copy_dense(memory, row, memory->raw_values + at);
    raw_row.raw_values = memory->raw_values + at;
  }
  return check_finite(&raw_row, row, err);
}

static int is_full(const tacit_memory *memory) {
  return memory->view.n_rows == memory->chunk_rows ||
         (memory->raw_row_start != NULL && memory->n_entries >= CHUNK_ENTRIES);
}

tacit_status tacit_memory_next(tacit_memory *memory, const tacit_batch **out,
                               tacit_error *err) {
  const tacit_arrays *arrays = &memory->arrays;
  tacit_batch *view = &memory->view;
  memory->n_entries = 0;
  view->n_rows = 0;
  while (memory->position < arrays->n_rows && !is_full(memory)) {
    int64_t row = memory->order != NULL
                      ? tacit_order_row(memory->order, memory->position)
                      : memory->position;
    if (memory->raw_row_start != NULL) {
      TACIT_TRY(copy_sparse(memory, row, err));
      memory->raw_row_start[view->n_rows + 1] = (int64_t)memory->n_entries;
    } else {
      TACIT_TRY(copy_row(memory, row, err));
    }
    if (memory->raw_labels != NULL)
      memory->raw_labels[view->n_rows] = arrays->raw_labels[row];
    ++view->n_rows;
    ++memory->position;
  }
  view->raw_values = memory->raw_values;
  view->raw_values32 = memory->raw_values32;
  view->raw_indices = memory->raw_indices;
  view->raw_row_start = memory->raw_row_start;
  view->raw_labels = memory->raw_labels;
  *out = view;
  return TACIT_OK;
}

static tacit_status open_arrays(tacit_reader *reader, const tacit_arrays *arrays,
                                const tacit_reader_options *options, tacit_error *err) {
  reader->expected = arrays->n_rows;
  reader->is_regular = 1;
  if (options->shuffle)
    TACIT_TRY(tacit_order_new(arrays->n_rows, TACIT_ORDER_BLOCKS, &reader->order, err));
  return tacit_memory_new(arrays, options->labels, reader->order, &reader->memory, err);
}

tacit_status tacit_reader_open_arrays(const tacit_arrays *arrays,
                                      const tacit_reader_options *options,
                                      tacit_reader **out, tacit_error *err) {
  TACIT_TRY(check_arrays(arrays, options, out, err));
  tacit_reader *reader = tacit_array_new(1, sizeof *reader);
  if (reader == NULL) return tacit_fail_memory(err);
  tacit_status status = open_arrays(reader, arrays, options, err);
  if (status != TACIT_OK) {
    tacit_reader_free(reader);
    return status;
  }
  *out = reader;
  return TACIT_OK;
}
