/* SPDX-License-Identifier: MIT */
/* Blocks of a cache: rows packed like those that a run keeps (admit/packed.h), after a
   head that says how. The checksum shows that the bytes have not changed since they
   were written, but not who wrote them. So every length, index, value and label is
   checked before it is used. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "batch/unit.h"
#include "data/cache/cache.h"

/* Where the fields of a block's head are. The bytes after them are 0. */
enum { AT_ROWS = 0, AT_ENTRIES = 8, AT_WIDTHS = 16 };

void tacit_cache_block_fini(tacit_cache_block *block) {
  tacit_raw_free(block->bytes);
  tacit_packed_room_fini(&block->room);
  memset(block, 0, sizeof *block);
}

tacit_status tacit_cache_block_reserve(tacit_cache_block *block, size_t size,
                                       tacit_error *err) {
  if (!tacit_raw_reserve(&block->bytes, &block->capacity, size, 1))
    return tacit_fail_memory(err);
  block->size = size;
  return TACIT_OK;
}

int64_t tacit_cache_block_rows(const tacit_batch *batch, int64_t first) {
  size_t entries = 0;
  int64_t rows = 0;
  while (first + rows < batch->n_rows && rows < TACIT_CACHE_ROWS &&
         entries < TACIT_CACHE_ENTRIES) {
    entries += tacit_row_of(batch, first + rows).count;
    ++rows;
  }
  return rows;
}

tacit_status tacit_cache_encode(const tacit_batch *batch, tacit_cache_block *out,
                                tacit_error *err) {
  tacit_packing packing = tacit_packing_of(batch, NULL);
  size_t size = TACIT_CACHE_BLOCK_HEAD + tacit_packing_bytes(&packing);
  TACIT_TRY(tacit_cache_block_reserve(out, size, err));
  memset(out->bytes, 0, size); /* also what is between the parts */
  const uint64_t rows = (uint64_t)packing.rows, entries = packing.entries;
  memcpy(out->bytes + AT_ROWS, &rows, sizeof rows);
  memcpy(out->bytes + AT_ENTRIES, &entries, sizeof entries);
  memcpy(out->bytes + AT_WIDTHS, packing.width, sizeof packing.width);
  tacit_pack_batch(&packing, batch, NULL, out->bytes + TACIT_CACHE_BLOCK_HEAD);
  return TACIT_OK;
}

/* Returns 1 if the width of a part is one that the packing of these rows can have. */
static int is_width(unsigned char width, int part, const tacit_cache_head *head) {
  switch (part) {
  case TACIT_PART_VALUES:
    return width == sizeof(float) || width == sizeof(double) ||
           (width == 0 && !head->is_dense);
  case TACIT_PART_INDICES:
  case TACIT_PART_COUNTS:
    return head->is_dense ? width == 0 : width == 1 || width == 2 || width == 4;
  case TACIT_PART_LABELS:
    return head->has_labels ? width == 1 || width == sizeof(double) : width == 0;
  case TACIT_PART_WEIGHTS:
    return width == 0 || (width == sizeof(double) && head->has_weights);
  case TACIT_PART_UNITS: return width == (head->has_units ? sizeof(tacit_unit) : 0);
  default: return width == 0;
  }
}

/* Reads the head of a block. Returns what is wrong with it, or NULL if nothing is
   wrong. */
static const char *read_head(const tacit_cache_block *block,
                             const tacit_cache_head *head, int64_t n_rows,
                             tacit_packing *out) {
  uint64_t rows, entries;
  if (block->size < TACIT_CACHE_BLOCK_HEAD) return "too short";
  memcpy(&rows, block->bytes + AT_ROWS, sizeof rows);
  memcpy(&entries, block->bytes + AT_ENTRIES, sizeof entries);
  if (rows != (uint64_t)n_rows) return "another number of rows than noted";
  uint64_t filled = rows * head->n_features; /* below 2^40 */
  if (entries > filled || (head->is_dense && entries != filled))
    return "another number of entries than its rows can have";
  *out = (tacit_packing){
      .rows = n_rows, .features = head->n_features, .entries = (size_t)entries};
  memcpy(out->width, block->bytes + AT_WIDTHS, sizeof out->width);
  for (int part = 0; part < TACIT_PARTS; ++part)
    if (!is_width(out->width[part], part, head)) return "unknown number types";
  if (TACIT_CACHE_BLOCK_HEAD + tacit_packing_bytes(out) != block->size)
    return "another size than its parts have";
  return NULL;
}

/* Returns 1 if all values are finite. Adds up 0·x, which is 0 if x is finite and NaN
   otherwise. */
static int all_finite(const double *values, size_t count) {
  double sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; ++k)
      sums[k] += 0 * values[i + k];
  for (; i < count; ++i)
    sums[0] += 0 * values[i];
  return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}

static int all_finite32(const float *values, size_t count) {
  int finite = 1;
  for (size_t i = 0; i < count; ++i)
    finite &= isfinite(values[i]) != 0;
  return finite;
}

static int labels_sound(const double *labels, size_t count, size_t n_classes) {
  if (n_classes == 0) return all_finite(labels, count);
  int sound = 1;
  for (size_t i = 0; i < count; ++i) {
    double label = labels[i];
    sound &= n_classes == 2 ? label == 1 || label == -1
                            : label >= 0 && label < (double)n_classes &&
                                  label == floor(label) && !signbit(label);
  }
  return sound;
}

/* Numbers that are compared at a time: compilers make vectors of such loops. */
enum { EIGHT = 8 };

/* Returns how many of the `count` indices after the first are not above the index
   before them. `count` must be less than 2^32. */
static size_t count_drops(const uint32_t *indices, size_t count) {
  uint32_t drops[EIGHT] = {0};
  size_t i = 0, sum = 0;
  for (; i + EIGHT <= count; i += EIGHT)
    for (size_t k = 0; k < EIGHT; ++k)
      drops[k] += indices[i + k + 1] <= indices[i + k];
  for (; i < count; ++i)
    sum += indices[i + 1] <= indices[i];
  for (size_t k = 0; k < EIGHT; ++k)
    sum += drops[k];
  return sum;
}

/* Returns 1 if the indices ascend within each row and are below the number of features.
   The indices ascend if every index that is not above the index before it begins a
   row. */
static int indices_sound(const tacit_batch *rows) {
  const uint32_t *indices = rows->raw_indices;
  size_t drops = 0, count = (size_t)rows->raw_row_start[rows->n_rows];
  int sound = 1;
  for (size_t i = 0; i + 1 < count; i += TACIT_CACHE_ENTRIES) {
    size_t left = count - i - 1;
    drops += count_drops(indices + i,
                         left < TACIT_CACHE_ENTRIES ? left : TACIT_CACHE_ENTRIES);
  }
  for (int64_t i = 0; i < rows->n_rows; ++i) {
    int64_t begin = rows->raw_row_start[i], end = rows->raw_row_start[i + 1];
    if (begin == end) continue;
    drops -= begin > 0 && indices[begin] <= indices[begin - 1];
    sound &= indices[end - 1] < rows->n_features;
  }
  return sound && drops == 0;
}

/* Returns what is wrong with the rows, or NULL if nothing is wrong. */
static const char *fault_of(const tacit_packing *packing, const tacit_batch *rows,
                            size_t n_classes) {
  size_t n_rows = (size_t)rows->n_rows;
  if (rows->raw_row_start != NULL &&
      (uint64_t)rows->raw_row_start[n_rows] != packing->entries)
    return "its rows do not have the entries noted";
  if (rows->raw_row_start != NULL && !indices_sound(rows))
    return "its indices do not ascend below the number of features";
  if (rows->raw_values32 != NULL ? !all_finite32(rows->raw_values32, packing->entries)
                                 : !all_finite(rows->raw_values, packing->entries))
    return "a value is not finite";
  if (rows->raw_labels != NULL && !labels_sound(rows->raw_labels, n_rows, n_classes))
    return "a label is not one of the schema";
  for (int64_t i = 0; i < rows->n_rows; ++i)
    if (!tacit_weight_is_valid(tacit_batch_weight(rows, i)))
      return "a weight is not 0 … 1";
  return NULL;
}

tacit_status tacit_cache_decode(tacit_cache_block *block, const tacit_cache_head *head,
                                int64_t n_rows, size_t n_classes,
                                const char **out_fault, tacit_error *err) {
  tacit_packing packing;
  const int64_t *places;
  *out_fault = read_head(block, head, n_rows, &packing);
  if (*out_fault != NULL) return TACIT_EDATA;
  tacit_packed packed =
      tacit_packed_at(&packing, block->bytes + TACIT_CACHE_BLOCK_HEAD);
  if (!tacit_unpack(&packed, &block->room, &block->view, &places))
    return tacit_fail_memory(err);
  *out_fault = fault_of(&packing, &block->view, n_classes);
  return *out_fault == NULL ? TACIT_OK : TACIT_EDATA;
}
