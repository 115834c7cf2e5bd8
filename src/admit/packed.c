/* SPDX-License-Identifier: MIT */
/* Batches in less memory. Loops take BLOCK numbers at a time, so that compilers make
   vectors of them; arrays have room for a whole last block. */
#include "admit/packed.h"

#include <string.h>

#include "base/memory.h"
#include "batch/unit.h"

enum { BLOCK = 16 };

static size_t aligned(size_t bytes) {
  return (bytes + TACIT_PACKED_ALIGN - 1) / TACIT_PACKED_ALIGN * TACIT_PACKED_ALIGN;
}

/* Returns the width of a number below 2^32 in bytes: 1, 2 or 4. */
static unsigned char bytes_of(uint64_t raw_number) {
  return raw_number <= UINT8_MAX ? 1 : raw_number <= UINT16_MAX ? 2 : 4;
}

static unsigned char index_bytes(const uint32_t *raw_indices, size_t count) {
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

/* Returns 1 if all labels are small whole numbers, otherwise 8. -0 does not count as
   small, because it would lose its sign. */
static unsigned char label_bytes(const double *raw_labels, size_t rows) {
  for (size_t i = 0; i < rows; ++i) {
    double raw_label = raw_labels[i];
    if (!(raw_label >= INT8_MIN && raw_label <= INT8_MAX)) return sizeof(double);
    double raw_small = (double)(int8_t)raw_label;
    /* NOLINTNEXTLINE(*-memory-comparison,cert-exp42-c,cert-flp37-c): bits are meant */
    if (memcmp(&raw_small, &raw_label, sizeof raw_small) != 0) return sizeof(double);
  }
  return 1;
}

static int are_ones(const double *raw_values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (raw_values[i] != 1) return 0;
  return 1;
}

static void pack_sparse(tacit_packing *packing, const tacit_batch *batch) {
  const int64_t *raw_starts = batch->raw_row_start;
  uint64_t raw_most = 0;
  size_t entry = (size_t)raw_starts[0];
  packing->entries = (size_t)raw_starts[batch->n_rows] - entry;
  for (int64_t i = 0; i < batch->n_rows; ++i)
    raw_most |= (uint64_t)(raw_starts[i + 1] - raw_starts[i]);
  /* Rows longer than four bytes can count do not fit into memory. */
  packing->width[TACIT_PART_COUNTS] = bytes_of(raw_most);
  packing->width[TACIT_PART_INDICES] =
      index_bytes(batch->raw_indices + entry, packing->entries);
  if (batch->raw_values != NULL &&
      are_ones(batch->raw_values + entry, packing->entries))
    packing->width[TACIT_PART_VALUES] = 0;
}

tacit_packing tacit_packing_of(const tacit_batch *batch, const int64_t *places) {
  size_t rows = (size_t)batch->n_rows;
  tacit_packing packing = {.rows = batch->n_rows,
                           .features = batch->n_features,
                           .entries = rows * batch->n_features};
  unsigned char *width = packing.width;
  if (batch->raw_values != NULL) width[TACIT_PART_VALUES] = sizeof(double);
  if (batch->raw_values32 != NULL) width[TACIT_PART_VALUES] = sizeof(float);
  if (batch->raw_row_start != NULL) pack_sparse(&packing, batch);
  if (batch->raw_labels != NULL)
    width[TACIT_PART_LABELS] = label_bytes(batch->raw_labels, rows);
  if (batch->raw_weights != NULL) width[TACIT_PART_WEIGHTS] = sizeof(double);
  if (places == NULL) {
    if (batch->raw_units != NULL) width[TACIT_PART_UNITS] = sizeof(tacit_unit);
    return packing;
  }
  packing.first = places[0];
  if (places[rows - 1] - places[0] != batch->n_rows - 1)
    width[TACIT_PART_PLACES] = sizeof *places;
  return packing;
}

/* Returns the offset of a part, or for TACIT_PARTS the end of the last part. */
static size_t offset_of(const tacit_packing *packing, int part) {
  size_t offset = 0;
  for (int i = 0; i < part; ++i) {
    int per_entry = i == TACIT_PART_VALUES || i == TACIT_PART_INDICES;
    size_t count = per_entry ? packing->entries : (size_t)packing->rows;
    offset += aligned(count * packing->width[i]);
  }
  return offset;
}

size_t tacit_packing_bytes(const tacit_packing *packing) {
  return offset_of(packing, TACIT_PARTS);
}

/* Returns a part, or NULL if it is not stored. */
static const void *part_of(const tacit_packed *packed, int part) {
  if (packed->packing.width[part] == 0) return NULL;
  return packed->raw_memory + offset_of(&packed->packing, part);
}

tacit_packed tacit_packed_at(const tacit_packing *packing,
                             const unsigned char *raw_memory) {
  tacit_packed packed = {.packing = *packing, .raw_memory = raw_memory};
  packed.places = part_of(&packed, TACIT_PART_PLACES);
  return packed;
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

static void put_indices(const tacit_packing *packing, const uint32_t *raw_indices,
                        void *raw_to) {
  size_t count = packing->entries;
  if (packing->width[TACIT_PART_INDICES] == 1)
    narrow_bytes(raw_indices, count, raw_to);
  else if (packing->width[TACIT_PART_INDICES] == 2)
    narrow_pairs(raw_indices, count, raw_to);
  else if (count > 0)
    memcpy(raw_to, raw_indices, count * sizeof *raw_indices);
}

static void put_counts(unsigned bytes, const tacit_batch *batch, void *raw_to) {
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    int64_t raw_count = batch->raw_row_start[i + 1] - batch->raw_row_start[i];
    if (bytes == 1)
      ((uint8_t *)raw_to)[i] = (uint8_t)raw_count;
    else if (bytes == 2)
      ((uint16_t *)raw_to)[i] = (uint16_t)raw_count;
    else
      ((uint32_t *)raw_to)[i] = (uint32_t)raw_count;
  }
}

/* Copies `count` numbers of a part, unless it is not stored. */
static void put(const tacit_packing *packing, int part, const void *raw_from,
                size_t count, unsigned char *raw_memory) {
  size_t bytes = count * packing->width[part];
  if (bytes > 0) memcpy(raw_memory + offset_of(packing, part), raw_from, bytes);
}

void tacit_pack_batch(const tacit_packing *packing, const tacit_batch *batch,
                      const int64_t *places, unsigned char *raw_memory) {
  size_t rows = (size_t)packing->rows, entry = 0;
  if (batch->raw_row_start != NULL) {
    entry = (size_t)batch->raw_row_start[0];
    put_indices(packing, batch->raw_indices + entry,
                raw_memory + offset_of(packing, TACIT_PART_INDICES));
    put_counts(packing->width[TACIT_PART_COUNTS], batch,
               raw_memory + offset_of(packing, TACIT_PART_COUNTS));
  }
  const void *raw_values = batch->raw_values32 != NULL
                               ? (const void *)(batch->raw_values32 + entry)
                               : (const void *)(batch->raw_values + entry);
  put(packing, TACIT_PART_VALUES, raw_values, packing->entries, raw_memory);
  if (packing->width[TACIT_PART_LABELS] == 1) {
    unsigned char *raw_to = raw_memory + offset_of(packing, TACIT_PART_LABELS);
    for (size_t i = 0; i < rows; ++i)
      raw_to[i] = (unsigned char)(int8_t)batch->raw_labels[i];
  } else {
    put(packing, TACIT_PART_LABELS, batch->raw_labels, rows, raw_memory);
  }
  put(packing, TACIT_PART_WEIGHTS, batch->raw_weights, rows, raw_memory);
  put(packing, TACIT_PART_UNITS, batch->raw_units, rows, raw_memory);
  put(packing, TACIT_PART_PLACES, places, rows, raw_memory);
}

void tacit_packed_room_fini(tacit_packed_room *room) {
  TACIT_RAW_FREE(room->raw_indices, room->raw_starts, room->places, room->raw_labels,
                 room->raw_ones);
  *room = (tacit_packed_room){0};
}

/* Returns a new array instead of the old one, whose content is not needed. */
static void *renew(void *raw_array, size_t count, size_t size) {
  tacit_raw_free(raw_array);
  return tacit_raw_new(count, size);
}

static int make_room(const tacit_packing *packing, tacit_packed_room *room) {
  size_t rows = (size_t)packing->rows + BLOCK, entries = packing->entries + BLOCK;
  if (rows > room->rows) {
    room->rows = 0;
    room->raw_starts = renew(room->raw_starts, rows, sizeof *room->raw_starts);
    room->places = renew(room->places, rows, sizeof *room->places);
    room->raw_labels = renew(room->raw_labels, rows, sizeof *room->raw_labels);
    if (room->raw_starts == NULL || room->places == NULL || room->raw_labels == NULL)
      return 0;
    room->rows = rows;
  }
  if (packing->width[TACIT_PART_INDICES] == 0 || entries <= room->entries) return 1;
  room->raw_indices = renew(room->raw_indices, entries, sizeof *room->raw_indices);
  room->entries = room->raw_indices != NULL ? entries : 0;
  return room->raw_indices != NULL;
}

static int make_ones(const tacit_packing *packing, tacit_packed_room *room) {
  if (packing->entries < room->ones) return 1;
  size_t count = packing->entries + 1;
  room->raw_ones = renew(room->raw_ones, count, sizeof *room->raw_ones);
  room->ones = room->raw_ones != NULL ? count : 0;
  for (size_t i = 0; i < room->ones; ++i)
    room->raw_ones[i] = 1;
  return room->raw_ones != NULL;
}

/* Widens whole blocks, because there is room after the last number. */
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
  const void *raw_from = part_of(packed, TACIT_PART_INDICES);
  if (packed->packing.width[TACIT_PART_INDICES] == 1)
    widen_bytes(raw_from, packed->packing.entries, room->raw_indices);
  else if (packed->packing.width[TACIT_PART_INDICES] == 2)
    widen_pairs(raw_from, packed->packing.entries, room->raw_indices);
  else
    return raw_from;
  return room->raw_indices;
}

static const int64_t *get_starts(const tacit_packed *packed, tacit_packed_room *room) {
  const void *raw_from = part_of(packed, TACIT_PART_COUNTS);
  const uint8_t *raw_bytes = raw_from;
  const uint16_t *raw_pairs = raw_from;
  const uint32_t *raw_fours = raw_from;
  unsigned width = packed->packing.width[TACIT_PART_COUNTS];
  int64_t *raw_to = room->raw_starts, raw_sum = 0, rows = packed->packing.rows, i = 0;
  raw_to[0] = 0;
  for (; width == 1 && i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_bytes[i];
  for (; width == 2 && i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_pairs[i];
  for (; i < rows; ++i)
    raw_to[i + 1] = raw_sum += raw_fours[i];
  return raw_to;
}

static const double *get_labels(const tacit_packed *packed, tacit_packed_room *room) {
  const void *raw_from = part_of(packed, TACIT_PART_LABELS);
  const int8_t *raw_small = raw_from;
  if (packed->packing.width[TACIT_PART_LABELS] != 1) return raw_from;
  for (int64_t i = 0; i < packed->packing.rows; ++i)
    room->raw_labels[i] = raw_small[i];
  return room->raw_labels;
}

/* Shows the values, which may be missing because all are 1. Returns 0 if memory runs
   out. */
static int get_values(const tacit_packed *packed, tacit_packed_room *room,
                      tacit_batch *raw_out) {
  const void *raw_values = part_of(packed, TACIT_PART_VALUES);
  if (packed->packing.width[TACIT_PART_VALUES] == sizeof(float)) {
    raw_out->raw_values32 = raw_values;
  } else if (raw_values != NULL) {
    raw_out->raw_values = raw_values;
  } else if (packed->packing.width[TACIT_PART_INDICES] > 0) {
    if (!make_ones(&packed->packing, room)) return 0;
    raw_out->raw_values = room->raw_ones;
  }
  return 1;
}

int tacit_unpack(const tacit_packed *packed, tacit_packed_room *room,
                 tacit_batch *raw_out, const int64_t **out_places) {
  const tacit_packing *packing = &packed->packing;
  if (!make_room(packing, room)) return 0;
  tacit_batch_init(raw_out);
  raw_out->n_rows = packing->rows;
  raw_out->n_features = packing->features;
  if (!get_values(packed, room, raw_out)) return 0;
  if (packing->width[TACIT_PART_INDICES] > 0) {
    raw_out->raw_indices = get_indices(packed, room);
    raw_out->raw_row_start = get_starts(packed, room);
  }
  raw_out->raw_labels = get_labels(packed, room);
  raw_out->raw_weights = part_of(packed, TACIT_PART_WEIGHTS);
  raw_out->raw_units = part_of(packed, TACIT_PART_UNITS);
  *out_places = packed->places;
  if (*out_places != NULL) return 1;
  for (int64_t i = 0; i < packing->rows; ++i)
    room->places[i] = packing->first + i;
  *out_places = room->places;
  return 1;
}
