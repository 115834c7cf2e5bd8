/* SPDX-License-Identifier: MIT */
/* Batches in less memory. Loops take BLOCK numbers at a time, so that compilers make
   vectors of them; arrays have room for a whole last block. */
#include "admit/packed.h"

#include <string.h>

#include "base/memory.h"
#include "batch/row.h"

enum { BLOCK = 16 };

static size_t aligned(size_t bytes) {
  return (bytes + TACIT_PACKED_ALIGN - 1) / TACIT_PACKED_ALIGN * TACIT_PACKED_ALIGN;
}

/* Bytes that a number below 2^32 needs: 1, 2 or 4. */
static unsigned bytes_of(uint64_t raw_number) {
  return raw_number <= UINT8_MAX ? 1 : raw_number <= UINT16_MAX ? 2 : 4;
}

static unsigned index_bytes(const uint32_t *raw_indices, size_t count) {
  uint32_t raw_all[BLOCK] = {0};
  size_t i = 0;
  for (; i + BLOCK <= count; i += BLOCK)
    for (size_t j = 0; j < BLOCK; ++j)
      raw_all[j] |= raw_indices[i + j];
  for (; i < count; ++i)
    raw_all[0] |= raw_indices[i];
  for (size_t j = 1; j < BLOCK; ++j)
    raw_all[0] |= raw_all[j];
  return bytes_of(raw_all[0]);
}

/* 1 if all labels are small whole numbers; -0 is none. */
static unsigned label_bytes(const double *raw_labels, size_t rows) {
  for (size_t i = 0; i < rows; ++i) {
    double raw_label = raw_labels[i];
    if (!(raw_label >= INT8_MIN && raw_label <= INT8_MAX)) return sizeof(double);
    double raw_small = (double)(int8_t)raw_label;
    if (memcmp(&raw_small, &raw_label, sizeof raw_small) != 0) return sizeof(double);
  }
  return 1;
}

static int are_ones(const double *raw_values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (raw_values[i] != 1) return 0;
  return 1;
}

/* Bytes of the values that are stored. */
static size_t value_bytes(const tacit_packing *packing, const tacit_batch *batch) {
  if (packing->are_ones) return 0;
  if (batch->raw_values32 != NULL) return packing->entries * sizeof(float);
  return batch->raw_values != NULL ? packing->entries * sizeof(double) : 0;
}

static void pack_sparse(tacit_packing *packing, const tacit_batch *batch) {
  const int64_t *raw_starts = batch->raw_row_start;
  uint64_t raw_most = 0;
  packing->entry = (size_t)raw_starts[0];
  packing->entries = (size_t)(raw_starts[batch->n_rows] - raw_starts[0]);
  for (int64_t i = 0; i < batch->n_rows; ++i)
    raw_most |= (uint64_t)(raw_starts[i + 1] - raw_starts[i]);
  /* Longer rows than four bytes can count do not fit into memory. */
  packing->count_bytes = bytes_of(raw_most);
  packing->index_bytes =
      index_bytes(batch->raw_indices + packing->entry, packing->entries);
  packing->are_ones = batch->raw_values != NULL &&
                      are_ones(batch->raw_values + packing->entry, packing->entries);
}

tacit_packing tacit_packing_of(const tacit_batch *batch, const int64_t *places) {
  size_t rows = (size_t)batch->n_rows;
  tacit_packing packing = {.entries = rows * batch->n_features};
  if (batch->raw_row_start != NULL) pack_sparse(&packing, batch);
  if (batch->raw_labels != NULL)
    packing.label_bytes = label_bytes(batch->raw_labels, rows);
  packing.in_turn = places[rows - 1] - places[0] == batch->n_rows - 1;
  packing.bytes = aligned(value_bytes(&packing, batch)) +
                  aligned(packing.entries * packing.index_bytes) +
                  aligned(rows * packing.count_bytes) +
                  aligned(rows * packing.label_bytes) +
                  aligned(batch->raw_weights != NULL ? rows * sizeof(double) : 0) +
                  aligned(packing.in_turn ? 0 : rows * sizeof *places);
  return packing;
}

/* Copies to *at, which moves on; NULL stays NULL. */
static const void *put(unsigned char **at, const void *raw_from, size_t bytes) {
  void *raw_to = *at;
  if (raw_from == NULL) return NULL;
  if (bytes > 0) memcpy(raw_to, raw_from, bytes);
  *at += aligned(bytes);
  return raw_to;
}

static void narrow_bytes(const uint32_t *restrict raw_from, size_t count,
                         uint8_t *restrict raw_to) {
  size_t i = 0;
  for (; i + BLOCK <= count; i += BLOCK)
    for (size_t j = 0; j < BLOCK; ++j)
      raw_to[i + j] = (uint8_t)raw_from[i + j];
  for (; i < count; ++i)
    raw_to[i] = (uint8_t)raw_from[i];
}

static void narrow_pairs(const uint32_t *restrict raw_from, size_t count,
                         uint16_t *restrict raw_to) {
  size_t i = 0;
  for (; i + BLOCK <= count; i += BLOCK)
    for (size_t j = 0; j < BLOCK; ++j)
      raw_to[i + j] = (uint16_t)raw_from[i + j];
  for (; i < count; ++i)
    raw_to[i] = (uint16_t)raw_from[i];
}

static const void *put_indices(unsigned char **at, const tacit_packing *packing,
                               const uint32_t *raw_indices) {
  size_t count = packing->entries;
  void *raw_to = *at;
  if (packing->index_bytes == 1)
    narrow_bytes(raw_indices, count, raw_to);
  else if (packing->index_bytes == 2)
    narrow_pairs(raw_indices, count, raw_to);
  else
    return put(at, raw_indices, count * sizeof *raw_indices);
  *at += aligned(count * packing->index_bytes);
  return raw_to;
}

static const void *put_counts(unsigned char **at, unsigned bytes,
                              const tacit_batch *batch) {
  void *raw_to = *at;
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    int64_t raw_count = batch->raw_row_start[i + 1] - batch->raw_row_start[i];
    if (bytes == 1)
      ((uint8_t *)raw_to)[i] = (uint8_t)raw_count;
    else if (bytes == 2)
      ((uint16_t *)raw_to)[i] = (uint16_t)raw_count;
    else
      ((uint32_t *)raw_to)[i] = (uint32_t)raw_count;
  }
  *at += aligned((size_t)batch->n_rows * bytes);
  return raw_to;
}

static const void *put_labels(unsigned char **at, unsigned bytes,
                              const double *raw_labels, size_t rows) {
  if (bytes != 1) return put(at, raw_labels, rows * bytes);
  int8_t *raw_to = (int8_t *)(void *)*at;
  for (size_t i = 0; i < rows; ++i)
    raw_to[i] = (int8_t)raw_labels[i];
  *at += aligned(rows);
  return raw_to;
}

void tacit_pack_batch(const tacit_packing *packing, const tacit_batch *batch,
                      const int64_t *places, unsigned char *raw_memory,
                      tacit_packed *out) {
  size_t rows = (size_t)batch->n_rows, values = value_bytes(packing, batch);
  const double *raw_values = batch->raw_values;
  const float *raw_values32 = batch->raw_values32;
  *out = (tacit_packed){.entries = packing->entries,
                        .index_bytes = packing->index_bytes,
                        .count_bytes = packing->count_bytes,
                        .label_bytes = packing->label_bytes,
                        .first = places[0]};
  tacit_batch_init(&out->view);
  out->view.n_rows = batch->n_rows;
  out->view.n_features = batch->n_features;
  if (raw_values != NULL && !packing->are_ones)
    out->view.raw_values = put(&raw_memory, raw_values + packing->entry, values);
  if (raw_values32 != NULL)
    out->view.raw_values32 = put(&raw_memory, raw_values32 + packing->entry, values);
  if (batch->raw_row_start != NULL) {
    out->raw_indices =
        put_indices(&raw_memory, packing, batch->raw_indices + packing->entry);
    out->raw_counts = put_counts(&raw_memory, packing->count_bytes, batch);
  }
  out->raw_labels =
      put_labels(&raw_memory, packing->label_bytes, batch->raw_labels, rows);
  out->view.raw_weights = put(&raw_memory, batch->raw_weights, rows * sizeof(double));
  if (!packing->in_turn)
    out->places = put(&raw_memory, places, rows * sizeof *places);
}

void tacit_packed_room_fini(tacit_packed_room *room) {
  tacit_raw_free(room->raw_indices);
  tacit_raw_free(room->raw_starts);
  tacit_raw_free(room->places);
  tacit_raw_free(room->raw_labels);
  tacit_raw_free(room->raw_ones);
  *room = (tacit_packed_room){0};
}

/* A new array in place of the old one, whose content is not needed. */
static void *renew(void *raw_array, size_t count, size_t size) {
  tacit_raw_free(raw_array);
  return tacit_raw_new(count, size);
}

static int make_room(const tacit_packed *packed, tacit_packed_room *room) {
  size_t rows = (size_t)packed->view.n_rows + BLOCK, entries = packed->entries + BLOCK;
  if (rows > room->rows) {
    room->rows = 0;
    room->raw_starts = renew(room->raw_starts, rows, sizeof *room->raw_starts);
    room->places = renew(room->places, rows, sizeof *room->places);
    room->raw_labels = renew(room->raw_labels, rows, sizeof *room->raw_labels);
    if (room->raw_starts == NULL || room->places == NULL || room->raw_labels == NULL)
      return 0;
    room->rows = rows;
  }
  if (packed->index_bytes == 0 || entries <= room->entries) return 1;
  room->raw_indices = renew(room->raw_indices, entries, sizeof *room->raw_indices);
  room->entries = room->raw_indices != NULL ? entries : 0;
  return room->raw_indices != NULL;
}

static int make_ones(const tacit_packed *packed, tacit_packed_room *room) {
  if (packed->entries < room->ones) return 1;
  size_t count = packed->entries + 1;
  room->raw_ones = renew(room->raw_ones, count, sizeof *room->raw_ones);
  room->ones = room->raw_ones != NULL ? count : 0;
  for (size_t i = 0; i < room->ones; ++i)
    room->raw_ones[i] = 1;
  return room->raw_ones != NULL;
}

/* Whole blocks: there is room after the last number. */
static void widen_bytes(const uint8_t *restrict raw_from, size_t count,
                        uint32_t *restrict raw_to) {
  for (size_t i = 0; i < count; i += BLOCK)
    for (size_t j = 0; j < BLOCK; ++j)
      raw_to[i + j] = raw_from[i + j];
}

static void widen_pairs(const uint16_t *restrict raw_from, size_t count,
                        uint32_t *restrict raw_to) {
  for (size_t i = 0; i < count; i += BLOCK)
    for (size_t j = 0; j < BLOCK; ++j)
      raw_to[i + j] = raw_from[i + j];
}

static const uint32_t *get_indices(const tacit_packed *packed,
                                   tacit_packed_room *room) {
  if (packed->index_bytes == 1)
    widen_bytes(packed->raw_indices, packed->entries, room->raw_indices);
  else if (packed->index_bytes == 2)
    widen_pairs(packed->raw_indices, packed->entries, room->raw_indices);
  else
    return packed->raw_indices;
  return room->raw_indices;
}

static const int64_t *get_starts(const tacit_packed *packed, tacit_packed_room *room) {
  const uint8_t *raw_bytes = packed->raw_counts;
  const uint16_t *raw_pairs = packed->raw_counts;
  const uint32_t *raw_fours = packed->raw_counts;
  int64_t *raw_to = room->raw_starts, raw_sum = 0, rows = packed->view.n_rows, i = 0;
  raw_to[0] = 0;
  for (; packed->count_bytes == 1 && i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_bytes[i];
  for (; packed->count_bytes == 2 && i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_pairs[i];
  for (; i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_fours[i];
  return raw_to;
}

static const double *get_labels(const tacit_packed *packed, tacit_packed_room *room) {
  const int8_t *raw_small = packed->raw_labels;
  if (packed->label_bytes != 1) return packed->raw_labels;
  for (int64_t i = 0; i < packed->view.n_rows; ++i)
    room->raw_labels[i] = raw_small[i];
  return room->raw_labels;
}

int tacit_unpack(const tacit_packed *packed, tacit_packed_room *room,
                 tacit_batch *raw_out, const int64_t **out_places) {
  if (!make_room(packed, room)) return 0;
  *raw_out = packed->view;
  if (packed->raw_counts != NULL) {
    int are_left_out =
        packed->view.raw_values == NULL && packed->view.raw_values32 == NULL;
    if (are_left_out && !make_ones(packed, room)) return 0;
    if (are_left_out) raw_out->raw_values = room->raw_ones;
    raw_out->raw_indices = get_indices(packed, room);
    raw_out->raw_row_start = get_starts(packed, room);
  }
  raw_out->raw_labels = get_labels(packed, room);
  *out_places = packed->places;
  if (packed->places != NULL) return 1;
  for (int64_t i = 0; i < packed->view.n_rows; ++i)
    room->places[i] = packed->first + i;
  *out_places = room->places;
  return 1;
}
