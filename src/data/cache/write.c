/* SPDX-License-Identifier: MIT */
/* Writes a cache: blocks as the rows come, then the index, then the head into the space
   left for it. Readers refuse a file without a complete head, so nothing needs to be
   synced before the file gets its name. */
#include "data/cache/write.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/bytes/source.h"
#include "data/schema/schema.h"

struct tacit_cache_writer {
  char name[TACIT_NAME_BYTES];
  int fd;
  int64_t offset;
  tacit_cache_head head;
  char *schema_text;
  tacit_cache_block block;
  unsigned char *index;   /* entries of the index, one per block so far */
  size_t index_room;      /* bytes that `index` has room for */
  tacit_content_key pads; /* pads of checksums */
};

static tacit_status write_at(const tacit_cache_writer *w, const void *from, size_t size,
                             int64_t offset, tacit_error *err) {
  if (tacit_io_write_at(w->fd, from, size, offset) == 0) return TACIT_OK;
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: cannot be written: %s", w->name,
                    tacit_io_reason(errno, reason));
}

static tacit_status append(tacit_cache_writer *w, const void *from, size_t size,
                           tacit_error *err) {
  TACIT_TRY(write_at(w, from, size, w->offset, err));
  w->offset += (int64_t)size;
  return TACIT_OK;
}

static tacit_status write_block(tacit_cache_writer *w, const tacit_batch *rows,
                                tacit_error *err) {
  size_t before = (size_t)w->head.n_blocks * TACIT_CACHE_ENTRY;
  const tacit_cache_block *block = &w->block;
  TACIT_TRY(tacit_cache_encode(rows, &w->block, err));
  if (!tacit_raw_reserve(&w->index, &w->index_room, before + TACIT_CACHE_ENTRY, 1))
    return tacit_fail_memory(err);
  const uint64_t sizes[2] = {block->size, (uint64_t)rows->n_rows};
  memcpy(w->index + before, sizes, sizeof sizes);
  tacit_cache_checksum(&w->pads, block->bytes, block->size,
                       w->index + before + sizeof sizes);
  TACIT_TRY(append(w, block->bytes, block->size, err));
  w->head.block_bytes += (int64_t)block->size;
  w->head.n_rows += rows->n_rows;
  ++w->head.n_blocks;
  return TACIT_OK;
}

int64_t tacit_cache_writer_rows(const tacit_cache_writer *w) { return w->head.n_rows; }

tacit_status tacit_cache_writer_add(tacit_cache_writer *w, const tacit_batch *batch,
                                    tacit_error *err) {
  int is_dense = batch->raw_row_start == NULL;
  int has_labels = batch->raw_labels != NULL, has_units = batch->raw_units != NULL;
  if (batch->n_features != w->head.n_features)
    return tacit_fail(err, TACIT_EINVAL, "cache: the reader has another schema");
  if (tacit_cache_writer_rows(w) == 0) {
    w->head.is_dense = is_dense;
    w->head.has_labels = has_labels;
    w->head.has_units = has_units;
  } else if (is_dense != w->head.is_dense || has_labels != w->head.has_labels ||
             has_units != w->head.has_units) {
    return tacit_fail(err, TACIT_ESTATE, "cache: the reader changed its kind of rows");
  }
  if (batch->raw_weights != NULL) w->head.has_weights = 1;
  for (int64_t end, first = 0; first < batch->n_rows; first = end) {
    end = first + tacit_cache_block_rows(batch, first);
    tacit_batch rows = tacit_batch_part(batch, first, end);
    TACIT_TRY(write_block(w, &rows, err));
  }
  return TACIT_OK;
}

static tacit_status write_head(tacit_cache_writer *w, tacit_error *err) {
  unsigned char bytes[TACIT_CACHE_HEAD];
  size_t index_size = (size_t)w->head.n_blocks * TACIT_CACHE_ENTRY;
  tacit_hash hash;
  tacit_cache_head_write(&w->head, bytes);
  tacit_hash_begin(&hash, TACIT_CACHE_DIGEST, NULL);
  tacit_hash_add(&hash, bytes, TACIT_CACHE_HEAD - TACIT_CACHE_DIGEST);
  tacit_hash_add(&hash, w->schema_text, w->head.schema_size);
  tacit_hash_add(&hash, w->index, index_size);
  tacit_hash_end(&hash, w->head.digest, TACIT_CACHE_DIGEST);
  tacit_cache_head_write(&w->head, bytes);
  TACIT_TRY(append(w, w->index, index_size, err));
  return write_at(w, bytes, sizeof bytes, 0, err);
}

tacit_status tacit_cache_writer_begin(tacit_cache_writer *w, int fd, tacit_error *err) {
  w->fd = fd;
  w->offset = TACIT_CACHE_HEAD;
  return append(w, w->schema_text, w->head.schema_size, err);
}

tacit_status tacit_cache_writer_end(tacit_cache_writer *w, tacit_error *err) {
  if (w->head.n_rows == 0)
    return tacit_fail(err, TACIT_EDATA, "%s: no rows to write to it", w->name);
  return write_head(w, err);
}

static tacit_status init(tacit_cache_writer *w, const tacit_cache_options *options,
                         tacit_error *err) {
  tacit_cache_pads_fill(&w->pads);
  w->head.n_features = options->schema->features;
  TACIT_TRY(tacit_cache_schema_text(options->schema, &w->schema_text, err));
  w->head.schema_size = strlen(w->schema_text);
  return tacit_cache_sources(options, w->head.sources, err);
}

tacit_status tacit_cache_writer_new(const char *name,
                                    const tacit_cache_options *options, int is_shuffled,
                                    tacit_cache_writer **out, tacit_error *err) {
  tacit_cache_writer *w = tacit_array_new(1, sizeof *w);
  if (w == NULL) return tacit_fail_memory(err);
  tacit_name_shorten(name, 90, w->name);
  w->head.is_shuffled = is_shuffled;
  tacit_status status = init(w, options, err);
  return TACIT_HAND_OVER(status, w, tacit_cache_writer_free, out);
}

void tacit_cache_writer_free(tacit_cache_writer *w) {
  if (w == NULL) return;
  tacit_array_free(w->schema_text);
  tacit_cache_block_fini(&w->block);
  tacit_raw_free(w->index);
  tacit_array_free(w);
}
