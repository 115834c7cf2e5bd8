/* SPDX-License-Identifier: MIT */
/* Where the blocks of rows begin, in bounded memory: when there are too many blocks,
   every second entry is dropped and blocks are twice as long. */
#include "data/index.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { FIRST_PLACES = 1024 };

void tacit_index_init(tacit_index *index, int64_t most_blocks) {
  memset(index, 0, sizeof *index);
  index->most_blocks = most_blocks;
  index->block_rows = 1;
}

void tacit_index_fini(tacit_index *index) {
  tacit_raw_free(index->raw_places);
  index->raw_places = NULL;
}

static void halve(tacit_index *index) {
  size_t kept = (index->n_places + 1) / 2;
  for (size_t i = 1; i < kept; ++i)
    index->raw_places[i] = index->raw_places[2 * i];
  index->n_places = kept;
  index->block_rows *= 2;
}

tacit_status tacit_index_add(tacit_index *index, const tacit_place *raw_place,
                             tacit_error *err) {
  if (index->n_rows % index->block_rows == 0) {
    if (index->n_places == index->capacity) {
      size_t capacity = index->capacity > 0 ? 2 * index->capacity : FIRST_PLACES;
      tacit_place *raw_larger =
          tacit_raw_grow(index->raw_places, capacity, sizeof *raw_larger);
      if (raw_larger == NULL) return tacit_fail_memory(err);
      index->raw_places = raw_larger;
      index->capacity = capacity;
    }
    index->raw_places[index->n_places++] = *raw_place;
  }
  ++index->n_rows;
  if (index->n_rows / index->block_rows > index->most_blocks) halve(index);
  return TACIT_OK;
}
