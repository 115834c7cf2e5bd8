/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_PACKED_H
#define TACIT_ADMIT_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * A batch in less memory, without loss. Memory that is touched for the first time costs
 * more than anything else about keeping a row, so numbers are stored in as few bytes as
 * the largest of the batch needs. Values are used where they are; what was made smaller
 * is made whole again in a room that stays in the processor's cache.
 */
typedef struct tacit_packed {
  tacit_batch view; /* rows, features; values and weights, and indices of four bytes */
  size_t entries;   /* of sparse rows */
  unsigned index_bytes, count_bytes, label_bytes;
  const void *raw_indices, *raw_labels;
  const void *raw_counts; /* entries per row; NULL: dense rows */
  int64_t first;
  const int64_t *places; /* NULL: they are first, first + 1, … */
} tacit_packed;

static inline int64_t tacit_packed_place(const tacit_packed *packed, int64_t i) {
  return packed->places != NULL ? packed->places[i] : packed->first + i;
}

/* How a batch is packed. Depends on records. */
typedef struct tacit_packing {
  size_t entry, entries; /* the first one, and how many */
  unsigned index_bytes, count_bytes, label_bytes;
  int are_ones; /* all values are 1: they are not stored */
  int in_turn;  /* places follow each other */
  size_t bytes; /* of memory, a multiple of TACIT_PACKED_ALIGN */
} tacit_packing;

enum { TACIT_PACKED_ALIGN = 64 };

/* The places ascend. Ids are left out: a run does not use them. */
tacit_packing tacit_packing_of(const tacit_batch *batch, const int64_t *places);
/* Packs the batch into packing->bytes bytes at raw_memory, aligned to
   TACIT_PACKED_ALIGN. */
void tacit_pack_batch(const tacit_packing *packing, const tacit_batch *batch,
                      const int64_t *places, unsigned char *raw_memory,
                      tacit_packed *out);

/* Where a thread unpacks. Zero it before the first use. */
typedef struct tacit_packed_room {
  uint32_t *raw_indices;
  int64_t *raw_starts, *places;
  double *raw_labels, *raw_ones;
  size_t entries, ones, rows; /* that there is room for */
} tacit_packed_room;

/* The batch and its places, which are valid until the room or what is packed changes.
   0: there is no memory. */
int tacit_unpack(const tacit_packed *packed, tacit_packed_room *room,
                 tacit_batch *raw_out, const int64_t **out_places);
void tacit_packed_room_fini(tacit_packed_room *room);

#endif
