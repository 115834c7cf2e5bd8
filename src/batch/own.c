/* SPDX-License-Identifier: MIT */
/* Copies of rows. One block of raw memory, which grows as needed, holds values, labels,
   weights, row starts, indices and raw_unit_rows, in this order. */
#include "batch/own.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"

enum { NEAR_BYTES = 1 << 16, MAX_ROWS = 256, CHUNK = 1024, LINE = 64 };

tacit_status tacit_batch_take(const tacit_batch *batch, size_t features, int labels,
                              tacit_batch *out, tacit_error *err) {
  if (!tacit_batch_is_whole(batch))
    return tacit_batch_check(NULL, features, labels, err);
  tacit_batch taken = tacit_batch_copy(batch);
  int64_t *start = NULL;
  if (taken.raw_row_start != NULL && taken.n_rows > 0) {
    if ((uint64_t)taken.n_rows >= SIZE_MAX / sizeof *start)
      return tacit_fail_memory(err);
    start = tacit_raw_new((size_t)taken.n_rows + 1, sizeof *start);
    if (start == NULL) return tacit_fail_memory(err);
    memcpy(start, taken.raw_row_start, ((size_t)taken.n_rows + 1) * sizeof *start);
  }
  if (taken.n_rows > 0) taken.raw_row_start = start;
  tacit_status status = tacit_batch_check(&taken, features, labels, err);
  if (status != TACIT_OK) {
    tacit_raw_free(start);
    return status;
  }
  *out = taken;
  return TACIT_OK;
}

void tacit_batch_drop(tacit_batch *taken) {
  if (taken->n_rows > 0) tacit_raw_free((void *)(uintptr_t)taken->raw_row_start);
  tacit_batch_init(taken);
}

void tacit_own_fini(tacit_own *own) {
  tacit_raw_free(own->bytes);
  *own = (tacit_own){0};
}

/* Returns the number of entries of rows first … end-1. */
static size_t entries(const tacit_batch *batch, int64_t first, int64_t end) {
  const int64_t *start = batch->raw_row_start;
  return start != NULL ? (size_t)(start[end] - start[first])
                       : (size_t)(end - first) * batch->n_features;
}

const void *tacit_own_prefetch(const tacit_batch *batch, int64_t row, int64_t count) {
  if (batch->raw_row_start != NULL || count > batch->n_rows - row) return NULL;
  size_t at = (size_t)row * batch->n_features;
  return batch->raw_values32 != NULL ? (const void *)(batch->raw_values32 + at)
                                     : batch->raw_values + at;
}

int64_t tacit_own_end(const tacit_batch *batch, int64_t first, int64_t end) {
  size_t size = sizeof(double);
  if (batch->raw_row_start == NULL) {
    size_t rows = tacit_batch_block(batch); /* as many rows as the vault takes per
                                               call */
    return (size_t)(end - first) > rows ? first + (int64_t)rows : end;
  }
  if (end - first > MAX_ROWS) end = first + MAX_ROWS;
  int64_t next = first + 1;
  while (next < end && entries(batch, first, next + 1) <= NEAR_BYTES / size)
    ++next;
  return next < end ? next : end;
}

/* Rounds up to a multiple of 8, so that the array that follows is aligned. */
static size_t aligned(size_t bytes) { return (bytes + 7) / 8 * 8; }

static tacit_status make_room(tacit_own *own, size_t size, tacit_error *err) {
  if (size > own->capacity) {
    unsigned char *larger = tacit_raw_new(size + size / 4, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    tacit_raw_free(own->bytes);
    own->bytes = larger;
    own->capacity = size + size / 4;
    own->used = 0;
  }
  /* Wipes the part of the previous rows that the new rows do not overwrite. */
  if (own->used > size) memset(own->bytes + size, 0, own->used - size);
  own->used = size;
  return TACIT_OK;
}

/* Copies bytes and fetches an eighth as many bytes from `next` on into the cache,
   unless `next` is NULL. The prefetch uses time in which memory would be idle. */
static void copy_bytes(unsigned char *out, const void *array, size_t bytes,
                       const unsigned char *next) {
  const unsigned char *from = array;
  size_t done = 0;
  for (; done + CHUNK <= bytes; done += CHUNK) {
    for (size_t i = 0; next != NULL && i < CHUNK / 8; i += LINE)
      __builtin_prefetch(next + done / 8 + i, 0, 2);
    memcpy(out + done, from + done, CHUNK);
  }
  memcpy(out + done, from + done, bytes - done);
}

static void copy_values(const tacit_batch *batch, size_t from, size_t count, int widen,
                        const void *next, void *out) {
  if (widen) {
    double *values = out;
    for (size_t j = 0; j < count; ++j)
      values[j] = (double)batch->raw_values32[from + j];
  } else if (count > 0 && batch->raw_values32 != NULL) {
    copy_bytes(out, batch->raw_values32 + from, count * sizeof(float), next);
  } else if (count > 0) {
    copy_bytes(out, batch->raw_values + from, count * sizeof(double), next);
  }
}

/* Copies items first … first+count-1 to *at and moves *at past them. Returns the copy,
   or NULL if the array is NULL. */
static const void *copy_array(unsigned char **at, const void *array, size_t size,
                              size_t first, size_t count) {
  if (array == NULL) return NULL;
  const unsigned char *from = array;
  unsigned char *copy = *at;
  if (count > 0) memcpy(copy, from + first * size, count * size);
  *at += count * size;
  return copy;
}

/* Proof: docs/proofs/own_rows.md */
tacit_status tacit_own_rows(tacit_own *own, const tacit_batch *batch, int64_t first,
                            int64_t end, int as_doubles, tacit_error *err) {
  size_t rows = (size_t)(end - first), count = entries(batch, first, end);
  const int64_t *row_start = batch->raw_row_start;
  int is32 = batch->raw_values32 != NULL && !as_doubles;
  size_t values = aligned(count * (is32 ? sizeof(float) : sizeof(double)));
  size_t labels = batch->raw_labels != NULL ? rows * sizeof(double) : 0;
  size_t weights = batch->raw_weights != NULL ? rows * sizeof(double) : 0;
  size_t starts = row_start != NULL ? (rows + 1) * sizeof *row_start : 0;
  size_t indices = row_start != NULL ? count * sizeof(uint32_t) : 0;
  size_t units = batch->raw_unit_rows != NULL ? rows * sizeof(uint32_t) : 0;
  TACIT_TRY(make_room(own, values + labels + weights + starts + indices + units, err));
  unsigned char *at = own->bytes + values;
  tacit_batch *view = &own->view;
  tacit_batch_init(view);
  own->first = first;
  view->n_rows = end - first;
  view->n_features = batch->n_features;
  size_t from =
      row_start != NULL ? (size_t)row_start[first] : (size_t)first * batch->n_features;
  copy_values(batch, from, count, as_doubles && batch->raw_values32 != NULL,
              tacit_own_prefetch(batch, end, end - first), own->bytes);
  if (is32)
    view->raw_values32 = (const float *)own->bytes;
  else
    view->raw_values = (const double *)own->bytes;
  view->raw_labels =
      copy_array(&at, batch->raw_labels, sizeof(double), (size_t)first, rows);
  view->raw_weights =
      copy_array(&at, batch->raw_weights, sizeof(double), (size_t)first, rows);
  if (row_start != NULL) {
    int64_t *start = (int64_t *)at;
    for (size_t i = 0; i <= rows; ++i)
      start[i] = row_start[first + (int64_t)i] - row_start[first];
    view->raw_row_start = start;
    at += starts;
    view->raw_indices =
        copy_array(&at, batch->raw_indices, sizeof(uint32_t), from, count);
  }
  view->raw_unit_rows =
      copy_array(&at, batch->raw_unit_rows, sizeof(uint32_t), (size_t)first, rows);
  return TACIT_OK;
}

/* Groups of four become vectors. */
enum { GROUP = 4 };

static void stretch_floats(float *restrict raw, const double *restrict factors,
                           size_t count) {
  size_t j = 0;
  for (; j + GROUP <= count; j += GROUP)
    for (size_t k = 0; k < GROUP; ++k)
      raw[j + k] *= (float)factors[j + k];
  for (; j < count; ++j)
    raw[j] *= (float)factors[j];
}

static void stretch_doubles(double *restrict raw, const double *restrict factors,
                            size_t count) {
  size_t j = 0;
  for (; j + GROUP <= count; j += GROUP)
    for (size_t k = 0; k < GROUP; ++k)
      raw[j + k] *= factors[j + k];
  for (; j < count; ++j)
    raw[j] *= factors[j];
}

void tacit_own_stretch(tacit_own *own, const double *factors) {
  const tacit_batch *view = &own->view;
  size_t columns = view->n_features, count = entries(view, 0, view->n_rows);
  float *narrow = (float *)own->bytes;
  double *wide = (double *)own->bytes;
  int is32 = view->raw_values32 != NULL, sparse = view->raw_row_start != NULL;
  for (size_t i = 0; !sparse && i < count; i += columns)
    if (is32)
      stretch_floats(narrow + i, factors, columns);
    else
      stretch_doubles(wide + i, factors, columns);
  for (size_t i = 0; sparse && i < count; ++i) {
    size_t j = view->raw_indices[i];
    if (j >= columns) continue;
    if (is32)
      narrow[i] *= (float)factors[j];
    else
      wide[i] *= factors[j];
  }
}
