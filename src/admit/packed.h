/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_PACKED_H
#define TACIT_ADMIT_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * A batch in less memory, without loss. Memory that is touched for the first time costs
 * more than anything else about keeping a row, so numbers are stored in as few bytes as
 * the largest of the batch needs. Values are used where they are; numbers that were
 * made smaller are made whole again in a room that stays in the processor's cache. Rows
 * that are kept between passes and the blocks of a cache file are packed alike.
 */
enum tacit_part {
  TACIT_PART_VALUES,
  TACIT_PART_INDICES,
  TACIT_PART_COUNTS, /* entries per row */
  TACIT_PART_LABELS,
  TACIT_PART_WEIGHTS,
  TACIT_PART_UNITS, /* ids of persons */
  TACIT_PART_PLACES,
  TACIT_PARTS
};

/* How a batch is packed. Depends on records. The parts follow each other in the order
   of the enum above; each begins at a multiple of TACIT_PACKED_ALIGN. */
typedef struct tacit_packing {
  int64_t rows;
  size_t features, entries;
  int64_t first;                    /* place of the first row */
  unsigned char width[TACIT_PARTS]; /* bytes per number of each part, or 0 if the part
                                       is not stored. Values that are not stored are 1,
                                       places follow each other, and rows without
                                       indices are dense. */
} tacit_packing;

enum { TACIT_PACKED_ALIGN = 64 };

/* Returns how to pack the batch. `places` must ascend. If it is NULL, the ids of
   persons are packed, which a run does not use. */
tacit_packing tacit_packing_of(const tacit_batch *batch, const int64_t *places);
/* Returns the bytes of all parts, a multiple of TACIT_PACKED_ALIGN. */
size_t tacit_packing_bytes(const tacit_packing *packing);
/* Packs the batch into raw_memory, which must be aligned to TACIT_PACKED_ALIGN and have
   tacit_packing_bytes. */
void tacit_pack_batch(const tacit_packing *packing, const tacit_batch *batch,
                      const int64_t *places, unsigned char *raw_memory);

/* A packed batch in memory that it does not own. */
typedef struct tacit_packed {
  tacit_packing packing;
  const unsigned char *raw_memory;
  const int64_t *places; /* NULL if places follow each other */
} tacit_packed;

/* Returns the batch that is packed at raw_memory. */
tacit_packed tacit_packed_at(const tacit_packing *packing,
                             const unsigned char *raw_memory);

/* Returns the place of row i. */
static inline int64_t tacit_packed_place(const tacit_packed *packed, int64_t i) {
  return packed->places != NULL ? packed->places[i] : packed->packing.first + i;
}

/* The memory that a thread unpacks into. It must be zero before its first use. */
typedef struct tacit_packed_room {
  uint32_t *raw_indices;
  int64_t *raw_starts, *places;
  double *raw_labels, *raw_ones;
  size_t entries, ones, rows; /* numbers that there is room for */
} tacit_packed_room;

/* Unpacks the batch and its places, which are valid until the room or the packed batch
   changes. Returns 0 if memory runs out. */
int tacit_unpack(const tacit_packed *packed, tacit_packed_room *room,
                 tacit_batch *raw_out, const int64_t **out_places);
void tacit_packed_room_fini(tacit_packed_room *room);

#endif
