/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_INDEX_H
#define TACIT_DATA_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* Where a row stands. The offset tells the length of records: raw. */
typedef struct tacit_place {
  int64_t raw_offset;
  int64_t line;
  size_t file;
} tacit_place;

/* Places of the rows 0, m, 2m, ... where m doubles as rows are added, so that it is
   always the block size of tacit_order for the rows so far. */
typedef struct tacit_index {
  int64_t most_blocks;
  int64_t n_rows, block_rows;
  tacit_place *raw_places;
  size_t n_places, capacity;
} tacit_index;

void tacit_index_init(tacit_index *index, int64_t most_blocks);
void tacit_index_fini(tacit_index *index);
tacit_status tacit_index_add(tacit_index *index, const tacit_place *raw_place,
                             tacit_error *err);

#endif
