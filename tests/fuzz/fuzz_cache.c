/* SPDX-License-Identifier: MIT */
/* Any bytes as a cache: unchanged, and with corrected checksums, because otherwise only
   the checksums would be tested. What is read must be rows. */
#include "fuzz.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/cache/cache.h"
#include "data/schema/schema.h"

static double value_of(const tacit_batch *batch, size_t entry) {
  return batch->raw_values32 != NULL ? (double)batch->raw_values32[entry]
                                     : batch->raw_values[entry];
}

static void check_row(const tacit_batch *batch, int64_t i) {
  if (batch->raw_row_start == NULL) {
    for (size_t j = 0; j < batch->n_features; ++j)
      FUZZ_CHECK(isfinite(value_of(batch, (size_t)i * batch->n_features + j)));
    return;
  }
  int64_t begin = batch->raw_row_start[i], end = batch->raw_row_start[i + 1];
  FUZZ_CHECK(begin <= end);
  for (int64_t j = begin; j < end; ++j) {
    FUZZ_CHECK(isfinite(value_of(batch, (size_t)j)));
    FUZZ_CHECK(batch->raw_indices[j] < batch->n_features);
    FUZZ_CHECK(j == begin || batch->raw_indices[j] > batch->raw_indices[j - 1]);
  }
}

static void read_all(const tacit_cache *cache, const char *path) {
  const tacit_cache_head *head = tacit_cache_head_of(cache);
  tacit_cache_block rows = {0};
  tacit_error err = {TACIT_OK, ""};
  for (int64_t row = 0; row < head->n_rows;) {
    int64_t first;
    int64_t block = tacit_cache_block_of(cache, row, &first);
    FUZZ_CHECK(first == row);
    tacit_status status = tacit_cache_read(cache, block, &rows, &err);
    if (status != TACIT_OK) {
      FUZZ_CHECK(status == TACIT_EDATA && err.status == status);
      FUZZ_CHECK(strncmp(err.message, path, strlen(path)) == 0);
      break;
    }
    FUZZ_CHECK(rows.view.n_rows >= 1 && rows.view.n_features == head->n_features);
    FUZZ_CHECK((rows.view.raw_labels != NULL) == head->has_labels);
    for (int64_t i = 0; i < rows.view.n_rows; ++i)
      check_row(&rows.view, i);
    row += rows.view.n_rows;
  }
  tacit_cache_block_fini(&rows);
}

static void try_bytes(const uint8_t *data, size_t size) {
  char path[32];
  int fd = fuzz_file(data, size, path);
  tacit_cache *cache = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_cache_open(path, &cache, &err);
  FUZZ_CHECK((status == TACIT_OK) == (cache != NULL));
  if (cache != NULL) {
    read_all(cache, path);
  } else {
    FUZZ_CHECK(status == TACIT_EDATA && err.status == status);
    FUZZ_CHECK(strncmp(err.message, path, strlen(path)) == 0);
    FUZZ_CHECK(strchr(err.message, '\n') == NULL);
  }
  tacit_cache_free(cache);
  (void)close(fd);
}

/* Gives head and index the checksums that a forger would give them. */
static void sign(uint8_t *bytes, size_t size) {
  tacit_cache_head head;
  if (size < TACIT_CACHE_HEAD ||
      tacit_cache_head_read(bytes, (int64_t)size, "fuzz", &head, NULL) != TACIT_OK)
    return;
  static tacit_content_key pads;
  tacit_cache_pads_fill(&pads);
  uint8_t *block = bytes + TACIT_CACHE_HEAD + head.schema_size;
  uint8_t *index = block + head.block_bytes;
  for (int64_t i = 0; i < head.n_blocks; ++i) {
    uint8_t *entry = index + i * TACIT_CACHE_ENTRY;
    uint64_t length;
    memcpy(&length, entry, 8);
    if (length > (uint64_t)(index - block)) break;
    tacit_cache_checksum(&pads, block, (size_t)length, entry + 16);
    block += length;
  }
  crypto_generichash_blake2b_state state;
  (void)crypto_generichash_blake2b_init(&state, NULL, 0, TACIT_CACHE_DIGEST);
  (void)crypto_generichash_blake2b_update(&state, bytes,
                                          TACIT_CACHE_HEAD - TACIT_CACHE_DIGEST);
  (void)crypto_generichash_blake2b_update(&state, bytes + TACIT_CACHE_HEAD,
                                          head.schema_size);
  (void)crypto_generichash_blake2b_update(&state, index,
                                          (size_t)head.n_blocks * TACIT_CACHE_ENTRY);
  (void)crypto_generichash_blake2b_final(
      &state, bytes + TACIT_CACHE_HEAD - TACIT_CACHE_DIGEST, TACIT_CACHE_DIGEST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try_bytes(data, size);
  uint8_t *copy = malloc(size > 0 ? size : 1);
  FUZZ_CHECK(copy != NULL);
  memcpy(copy, data, size);
  sign(copy, size);
  try_bytes(copy, size);
  free(copy);
  return 0;
}
