/* SPDX-License-Identifier: MIT */
/*
 * Rows of arrays in memory. The arrays stay where they are, in their own number types
 * and layout. A few thousand rows at a time are copied into a batch, as floats for
 * dense float rows and as doubles for other rows. So the extra memory is a few
 * megabytes. Only the copy is checked and used, so that a thread that changes the
 * arrays at the same time can spoil the model but not the process.
 */
#include "data/array/store.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/array/npy.h"

enum {
  CHUNK_ROWS = 4096,
  CHUNK_ENTRIES = 1 << 17,
  CACHE_LINE = 64,
  AHEAD = 8,             /* number of rows to prefetch ahead */
  PREFETCH_MAX = 1 << 10 /* bytes of a row to prefetch, after which the processor
                            continues by itself */
};

/* The batch that a thread makes. */
struct builder {
  size_t features;
  int64_t chunk_rows;
  size_t n_entries, capacity; /* entries of the batch under construction, and room for
                                 them */
  double *values;
  float *values32;    /* used instead of values, for dense rows of floats */
  uint32_t *indices;  /* NULL for dense rows */
  int64_t *row_start; /* NULL for dense rows */
  double *labels;     /* NULL if labels are not read */
  tacit_batch view;
};

struct memory {
  tacit_arrays arrays;
  int labels;
  tacit_npy_data *npy; /* the mapped files that contain the arrays, owned; NULL if the
                          arrays are the caller's */
};

void tacit_arrays_init(tacit_arrays *arrays) {
  if (arrays == NULL) return;
  memset(arrays, 0, sizeof *arrays);
  arrays->struct_size = sizeof *arrays;
}

/* Reads a floating-point number at any alignment. */
static double real_at(const unsigned char *place, tacit_number type) {
  if (type == TACIT_FLOAT64) {
    double value;
    memcpy(&value, place, sizeof value);
    return value;
  }
  float value;
  memcpy(&value, place, sizeof value);
  return (double)value;
}

static int64_t integer_at(const void *array, int64_t index, tacit_number type) {
  if (type == TACIT_INT64) {
    int64_t value;
    memcpy(&value, (const unsigned char *)array + index * 8, 8);
    return value;
  }
  int32_t value;
  memcpy(&value, (const unsigned char *)array + index * 4, 4);
  return value;
}

static int64_t real_size(tacit_number type) { return type == TACIT_FLOAT64 ? 8 : 4; }

static tacit_status builder_init(void *opaque, const void *self, tacit_error *err) {
  const struct memory *memory = self;
  const tacit_arrays *arrays = &memory->arrays;
  struct builder *builder = opaque;
  size_t features = arrays->n_features;
  int csr = arrays->raw_row_start != NULL;
  int64_t rows = CHUNK_ROWS;
  if (!csr && features > CHUNK_ENTRIES / CHUNK_ROWS)
    rows = 1 + (int64_t)(CHUNK_ENTRIES / features);
  if (rows > arrays->n_rows) rows = arrays->n_rows;
  builder->features = features;
  builder->chunk_rows = rows;
  builder->capacity = csr ? CHUNK_ENTRIES : (size_t)rows * features;
  int narrow = !csr && arrays->values_type == TACIT_FLOAT32 &&
               arrays->column_stride == sizeof(float);
  tacit_batch_init(&builder->view);
  builder->view.n_features = features;
  TACIT_TRY(narrow ? TACIT_RAW_NEW(builder->values32, builder->capacity, err)
                   : TACIT_RAW_NEW(builder->values, builder->capacity, err));
  if (csr) TACIT_TRY(TACIT_RAW_NEW(builder->indices, builder->capacity, err));
  if (csr) TACIT_TRY(TACIT_RAW_NEW(builder->row_start, (size_t)rows + 1, err));
  if (memory->labels) TACIT_TRY(TACIT_RAW_NEW(builder->labels, (size_t)rows, err));
  return TACIT_OK;
}

static void builder_fini(void *opaque) {
  struct builder *builder = opaque;
  TACIT_RAW_FREE(builder->values, builder->values32, builder->indices,
                 builder->row_start, builder->labels);
}

static void clear(void *opaque) {
  struct builder *builder = opaque;
  builder->n_entries = 0;
  builder->view.n_rows = 0;
}

/* Returns 1 if all numbers are finite. A number that is not finite has all bits of the
   exponent set. With the sign bit cleared, adding one to its exponent carries into the
   sign bit. So integer additions check a whole row without a branch. */
static int is_finite64(const double *cells, size_t count) {
  uint64_t carries[2] = {0, 0};
  for (size_t j = 0; j < count; ++j) {
    uint64_t bits;
    memcpy(&bits, cells + j, sizeof bits);
    carries[j % 2] |= (bits & INT64_MAX) + ((uint64_t)1 << 52);
  }
  return (carries[0] | carries[1]) >> 63 == 0;
}

/* is_finite32 checks floats as is_finite64 checks doubles, ABREAST floats at a time. */
enum { LANES = 4, ABREAST = 4 * LANES };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline lanes carry(lanes bits) {
  return (bits & (uint32_t)INT32_MAX) + ((uint32_t)1 << 23);
}

static int is_finite32(const float *cells, size_t count) {
  lanes carries = {0};
  for (; count >= ABREAST; count -= ABREAST, cells += ABREAST) {
    const lanes *bits = (const lanes *)(const void *)cells;
    carries |= (carry(bits[0]) | carry(bits[1])) | (carry(bits[2]) | carry(bits[3]));
  }
  uint32_t any[LANES], bits;
  memcpy(any, &carries, sizeof any);
  for (size_t j = 0; j < count; ++j) {
    memcpy(&bits, cells + j, sizeof bits);
    any[0] |= (bits & INT32_MAX) + ((uint32_t)1 << 23);
  }
  return (any[0] | any[1] | any[2] | any[3]) >> 31 == 0;
}

static int is_finite(const tacit_row *cells) {
  return cells->raw_values32 != NULL ? is_finite32(cells->raw_values32, cells->count)
                                     : is_finite64(cells->raw_values, cells->count);
}

static tacit_status check_finite(const struct memory *memory, const tacit_row *cells,
                                 int64_t row, tacit_error *err) {
  if (is_finite(cells)) return TACIT_OK;
  size_t j = 0;
  while (isfinite(tacit_row_value(cells, j)))
    ++j;
  return tacit_fail(err, TACIT_EDATA, "%s%srow %lld, column %zu: NaN or infinity",
                    memory->npy != NULL ? memory->npy->rows.name : "",
                    memory->npy != NULL ? ": " : "", (long long)row + 1,
                    (cells->raw_indices != NULL ? (size_t)cells->raw_indices[j] : j) +
                        1);
}

static void copy_dense(const tacit_arrays *arrays, int64_t row, double *out) {
  const unsigned char *cells =
      (const unsigned char *)arrays->raw_values + row * arrays->row_stride;
  size_t features = arrays->n_features;
  if (arrays->column_stride == 8 && arrays->values_type == TACIT_FLOAT64)
    memcpy(out, cells, features * sizeof *out);
  else
    for (size_t j = 0; j < features; ++j)
      out[j] = real_at(cells + (int64_t)j * arrays->column_stride, arrays->values_type);
}

static tacit_status make_room(struct builder *builder, size_t needed,
                              tacit_error *err) {
  size_t room = builder->capacity, other = room;
  if (!tacit_raw_reserve(&builder->values, &other, needed, sizeof *builder->values) ||
      !tacit_raw_reserve(&builder->indices, &room, needed, sizeof *builder->indices))
    return tacit_fail_memory(err);
  builder->capacity = room;
  return TACIT_OK;
}

/* Adds a sparse row to the batch. Leaves out stored zeros, as readers of files do, so
   that the same rows give the same bits. */
static tacit_status copy_sparse(const struct memory *memory, struct builder *builder,
                                int64_t row, tacit_error *err) {
  const tacit_arrays *arrays = &memory->arrays;
  int64_t first = integer_at(arrays->raw_row_start, row, arrays->starts_type);
  int64_t end = integer_at(arrays->raw_row_start, row + 1, arrays->starts_type);
  if (first < 0 || end < first || end > arrays->n_entries)
    return tacit_fail(err, TACIT_EDATA,
                      "row %lld: its start and end do not fit the entries",
                      (long long)row + 1);
  TACIT_TRY(make_room(builder, builder->n_entries + (size_t)(end - first), err));
  const unsigned char *values = arrays->raw_values;
  int64_t before = -1;
  size_t begin = builder->n_entries;
  for (int64_t i = first; i < end; ++i) {
    int64_t index = integer_at(arrays->raw_indices, i, arrays->indices_type);
    if (index <= before || index >= (int64_t)arrays->n_features)
      return tacit_fail(err, TACIT_EDATA,
                        "row %lld: column indices must ascend, without one twice, and "
                        "stay below the number of features",
                        (long long)row + 1);
    before = index;
    double value =
        real_at(values + i * real_size(arrays->values_type), arrays->values_type);
    if (value == 0) continue;
    builder->values[builder->n_entries] = value;
    builder->indices[builder->n_entries++] = (uint32_t)index;
  }
  tacit_row cells = {.count = builder->n_entries - begin,
                     .raw_values = builder->values + begin,
                     .raw_indices = builder->indices + begin};
  return check_finite(memory, &cells, row, err);
}

/* Copies rows first … first+count-1 to the end of the batch. */
static void copy_rows(const tacit_arrays *arrays, struct builder *builder,
                      int64_t first, int64_t count) {
  size_t features = builder->features, at = (size_t)builder->view.n_rows * features;
  if (builder->values32 == NULL) {
    for (int64_t i = 0; i < count; ++i)
      copy_dense(arrays, first + i, builder->values + at + (size_t)i * features);
    return;
  }
  const unsigned char *in =
      (const unsigned char *)arrays->raw_values + first * arrays->row_stride;
  size_t bytes = features * sizeof(float);
  float *out = builder->values32 + at;
  if (arrays->row_stride == (int64_t)bytes) { /* no gap between rows */
    memcpy(out, in, (size_t)count * bytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    memcpy(out + (size_t)i * features, in + i * arrays->row_stride, bytes);
}

static void prefetch(const struct memory *memory, int64_t row) {
  const tacit_arrays *arrays = &memory->arrays;
  if (memory->labels)
    __builtin_prefetch(memory->npy != NULL
                           ? (const void *)tacit_npy_at(&memory->npy->labels, row)
                           : arrays->raw_labels + row);
  if (arrays->raw_row_start != NULL) return;
  const unsigned char *cells =
      (const unsigned char *)arrays->raw_values + row * arrays->row_stride;
  int64_t bytes = (int64_t)arrays->n_features * arrays->column_stride;
  for (int64_t i = 0; i < bytes && i < PREFETCH_MAX; i += CACHE_LINE)
    __builtin_prefetch(cells + i);
}

/* Adds `count` dense rows from `first` on, and checks that they are finite. */
static tacit_status take_dense(const struct memory *memory, struct builder *builder,
                               int64_t first, int64_t count, tacit_error *err) {
  copy_rows(&memory->arrays, builder, first, count);
  size_t features = builder->features, at = (size_t)builder->view.n_rows * features;
  tacit_row run = {.count = (size_t)count * features,
                   .raw_values = builder->values != NULL ? builder->values + at : NULL,
                   .raw_values32 =
                       builder->values32 != NULL ? builder->values32 + at : NULL};
  if (is_finite(&run)) return TACIT_OK;
  run.count = features;
  for (int64_t i = 0; i < count; ++i) {
    TACIT_TRY(check_finite(memory, &run, first + i, err));
    if (run.raw_values != NULL) run.raw_values += features;
    if (run.raw_values32 != NULL) run.raw_values32 += features;
  }
  return TACIT_OK;
}

/* Adds sparse rows from `first` on, at most `count`, until the batch has CHUNK_ENTRIES
   entries. The batch must have room for `count` rows. */
static tacit_status take_sparse(const struct memory *memory, struct builder *builder,
                                int64_t first, int64_t count, int64_t *out_taken,
                                tacit_error *err) {
  int64_t taken = 0;
  for (; taken < count && builder->n_entries < CHUNK_ENTRIES; ++taken) {
    TACIT_TRY(copy_sparse(memory, builder, first + taken, err));
    builder->row_start[builder->view.n_rows + taken + 1] = (int64_t)builder->n_entries;
  }
  *out_taken = taken;
  return TACIT_OK;
}

static tacit_status take_run(const struct memory *memory, struct builder *builder,
                             int64_t first, int64_t count, int64_t *out_taken,
                             tacit_error *err) {
  tacit_batch *view = &builder->view;
  if (builder->row_start != NULL)
    TACIT_TRY(take_sparse(memory, builder, first, count, &count, err));
  else
    TACIT_TRY(take_dense(memory, builder, first, count, err));
  double *labels = builder->labels;
  if (labels != NULL && memory->npy != NULL)
    TACIT_TRY(tacit_npy_labels(memory->npy, first, count, labels + view->n_rows, err));
  else if (labels != NULL)
    memcpy(labels + view->n_rows, memory->arrays.raw_labels + first,
           (size_t)count * sizeof *labels);
  view->n_rows += count;
  *out_taken = count;
  return TACIT_OK;
}

static tacit_status take(const void *self, void *opaque, const int64_t *rows,
                         int64_t count, int64_t *out_taken, tacit_error *err) {
  const struct memory *memory = self;
  struct builder *builder = opaque;
  int64_t taken = 0, room = builder->chunk_rows - builder->view.n_rows;
  if (count > room) count = room;
  while (taken < count) {
    int64_t run = tacit_store_run(rows + taken, count - taken), some;
    if (taken + AHEAD < count) prefetch(memory, rows[taken + AHEAD]);
    TACIT_TRY(take_run(memory, builder, rows[taken], run, &some, err));
    taken += some;
    if (some < run) break;
  }
  *out_taken = taken;
  return TACIT_OK;
}

static const tacit_batch *view(void *opaque) {
  struct builder *builder = opaque;
  builder->view.raw_values = builder->values;
  builder->view.raw_values32 = builder->values32;
  builder->view.raw_indices = builder->indices;
  builder->view.raw_row_start = builder->row_start;
  builder->view.raw_labels = builder->labels;
  return &builder->view;
}

static void free_memory(void *self) {
  struct memory *memory = self;
  tacit_npy_data_free(memory->npy);
  tacit_array_free(memory);
}

static const struct tacit_store_ops store_memory = {
    .builder_size = sizeof(struct builder),
    .builder_init = builder_init,
    .builder_fini = builder_fini,
    .clear = clear,
    .take = take,
    .view = view,
    .free = free_memory,
};

tacit_status tacit_array_store_new(const tacit_arrays *arrays, tacit_npy_data *npy,
                                   int labels, tacit_store *out, tacit_error *err) {
  struct memory *memory = tacit_array_new(1, sizeof *memory);
  if (memory == NULL) return tacit_fail_memory(err);
  memory->arrays = *arrays;
  memory->labels = labels;
  memory->npy = npy;
  *out = (tacit_store){.ops = &store_memory, .self = memory};
  return TACIT_OK;
}
