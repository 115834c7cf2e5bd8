/* SPDX-License-Identifier: MIT */
/* The content of a reader: blocks of its files or of its rows, shared out among threads
   and ranks, each through a keyed function, and the XOR of all. */
#include "data/reader/content.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/row.h"
#include "data/reader/content_hash.h"
#include "data/reader/reader.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };
enum kind { KIND_TEXT = 1, KIND_ROWS, KIND_DIGEST };

/* What a worker digests with. */
struct builder {
  tacit_content_hash hash;
  tacit_content sum;
  unsigned char *window; /* of files that are not in memory */
  tacit_cursor *cursor;  /* of rows */
  tacit_error error;
  size_t error_task;
};

struct work {
  tacit_reader *reader;
  tacit_content_key *key;
  struct builder *builders;
  size_t workers;
  int rank, size;
};

static int64_t blocks_of(int64_t size, int64_t block) {
  return (size + block - 1) / block;
}

static int64_t file_blocks(const tacit_reader_file *file) {
  return file->access != NULL
             ? blocks_of(tacit_random_access_size(file->access), BLOCK_BYTES)
             : 0;
}

/* Each block of a file that ranks share belongs to one of them. */
static int is_ours(const struct work *work, size_t file, int64_t block) {
  const tacit_reader *reader = work->reader;
  if (!reader->store.is_partitioned) return block % work->size == work->rank;
  const tacit_reader_file *it = &reader->files[file];
  int64_t parts = tacit_source_is_plain(it->source) ? tacit_partition_parts(reader) : 1;
  return tacit_partition_is_ours(reader, file, block * parts / file_blocks(it));
}

static tacit_status text_block(const struct work *work, struct builder *builder,
                               size_t file, int64_t block, tacit_error *err) {
  const tacit_random_access *access = work->reader->files[file].access;
  int64_t offset = block * BLOCK_BYTES,
          left = tacit_random_access_size(access) - offset;
  size_t size = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
  const void *bytes = tacit_random_access_place(access, offset);
  if (bytes == NULL) {
    if (builder->window == NULL) builder->window = tacit_raw_new(BLOCK_BYTES, 1);
    if (builder->window == NULL) return tacit_fail_memory(err);
    TACIT_TRY(tacit_random_access_read(access, offset, builder->window, size, err));
    bytes = builder->window;
  }
  tacit_content_begin(&builder->hash, work->key, KIND_TEXT, file, (uint64_t)block);
  tacit_content_put(&builder->hash, bytes, size);
  tacit_content_end(&builder->hash, &builder->sum);
  return TACIT_OK;
}

static void put_row(tacit_content_hash *hash, const tacit_batch *batch, int64_t i) {
  tacit_row row = tacit_row_of(batch, i);
  uint64_t count = row.count;
  tacit_content_put(hash, &count, sizeof count);
  if (batch->raw_labels != NULL)
    tacit_content_put(hash, &batch->raw_labels[i], sizeof(double));
  if (row.raw_values32 != NULL)
    tacit_content_put(hash, row.raw_values32, row.count * sizeof(float));
  else
    tacit_content_put(hash, row.raw_values, row.count * sizeof(double));
  if (row.raw_indices != NULL)
    tacit_content_put(hash, row.raw_indices, row.count * sizeof(uint32_t));
}

static tacit_status row_block(const struct work *work, struct builder *builder,
                              int64_t block, tacit_error *err) {
  const tacit_reader *reader = work->reader;
  int64_t first = block * BLOCK_ROWS, left = reader->expected - first;
  if (builder->cursor == NULL)
    TACIT_TRY(tacit_cursor_new(&reader->store, NULL, &builder->cursor, err));
  tacit_cursor_range(builder->cursor, first,
                     first + (left < BLOCK_ROWS ? left : BLOCK_ROWS));
  tacit_content_begin(&builder->hash, work->key, KIND_ROWS, 0, (uint64_t)block);
  for (;;) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_cursor_next(builder->cursor, &batch, NULL, err));
    if (batch->n_rows == 0) break;
    for (int64_t i = 0; i < batch->n_rows; ++i)
      put_row(&builder->hash, batch, i);
  }
  tacit_content_end(&builder->hash, &builder->sum);
  return TACIT_OK;
}

/* Block number `task` of all files, or of all rows. */
static tacit_status add_block(const struct work *work, struct builder *builder,
                              size_t task, tacit_error *err) {
  const tacit_reader *reader = work->reader;
  int64_t block = (int64_t)task;
  if (reader->n_files == 0)
    return is_ours(work, 0, block) ? row_block(work, builder, block, err) : TACIT_OK;
  size_t file = 0;
  while (block >= file_blocks(&reader->files[file]))
    block -= file_blocks(&reader->files[file++]);
  return is_ours(work, file, block) ? text_block(work, builder, file, block, err)
                                    : TACIT_OK;
}

static void block_task(void *context, size_t task, size_t worker) {
  const struct work *work = context;
  struct builder *builder = &work->builders[worker];
  if (builder->error.status != TACIT_OK) return; /* it met a fault in a lower task */
  tacit_error error = {TACIT_OK, ""};
  if (add_block(work, builder, task, &error) == TACIT_OK) return;
  builder->error = error;
  builder->error_task = task;
}

static tacit_status add_blocks(struct work *work, tacit_pool *pool, tacit_error *err) {
  const tacit_reader *reader = work->reader;
  int64_t blocks = 0;
  if (reader->n_files == 0) blocks = blocks_of(reader->expected, BLOCK_ROWS);
  for (size_t i = 0; i < reader->n_files; ++i)
    blocks += file_blocks(&reader->files[i]);
  tacit_pool_run(pool, (size_t)blocks, block_task, work);
  const struct builder *failed = NULL;
  for (size_t i = 0; i < work->workers; ++i) {
    const struct builder *builder = &work->builders[i];
    if (builder->error.status != TACIT_OK &&
        (failed == NULL || builder->error_task < failed->error_task))
      failed = builder;
  }
  if (failed == NULL) return TACIT_OK;
  if (err != NULL) *err = failed->error;
  return failed->error.status;
}

/* A file that is read from front to back, in the same blocks. */
static tacit_status add_source(const struct work *work, size_t file, tacit_error *err) {
  struct builder *builder = &work->builders[0];
  tacit_source *source = work->reader->files[file].source;
  if (builder->window == NULL) builder->window = tacit_raw_new(BLOCK_BYTES, 1);
  if (builder->window == NULL) return tacit_fail_memory(err);
  tacit_source_rewind(source);
  for (uint64_t block = 0;; ++block) {
    size_t size = 0, got = 1;
    while (size < BLOCK_BYTES && got > 0) {
      TACIT_TRY(tacit_source_read(source, builder->window + size, BLOCK_BYTES - size,
                                  &got, err));
      size += got;
    }
    if (size == 0) break;
    tacit_content_begin(&builder->hash, work->key, KIND_TEXT, file, block);
    tacit_content_put(&builder->hash, builder->window, size);
    tacit_content_end(&builder->hash, &builder->sum);
    if (got == 0) break;
  }
  TACIT_TRY(tacit_source_check(source, err));
  if (work->reader->must_rest) tacit_source_rest(source);
  return TACIT_OK;
}

static tacit_status add_stream(const struct work *work, tacit_error *err) {
  for (size_t i = 0; i < work->reader->n_files; ++i)
    TACIT_TRY(add_source(work, i, err));
  return tacit_reader_rewind(work->reader, err);
}

static tacit_status add_all(struct work *work, tacit_pool *pool, tacit_error *err) {
  const tacit_store *store = &work->reader->store;
  if (store->ops == NULL) return add_stream(work, err);
  if (store->ops->digest == NULL) return add_blocks(work, pool, err);
  if (work->rank != 0) return TACIT_OK;
  unsigned char digest[TACIT_STORE_DIGEST];
  struct builder *builder = &work->builders[0];
  store->ops->digest(store->self, digest);
  tacit_content_begin(&builder->hash, work->key, KIND_DIGEST, 0, 0);
  tacit_content_put(&builder->hash, digest, sizeof digest);
  tacit_content_end(&builder->hash, &builder->sum);
  return TACIT_OK;
}

tacit_status tacit_reader_content(tacit_reader *reader,
                                  const unsigned char key[TACIT_KEY_BYTES], int rank,
                                  int size, tacit_pool *pool, tacit_content *out,
                                  tacit_error *err) {
  struct work work = {.reader = reader,
                      .workers = tacit_pool_workers(pool),
                      .rank = rank,
                      .size = size};
  work.key = tacit_raw_new(1, sizeof *work.key);
  work.builders = tacit_raw_new(work.workers, sizeof *work.builders);
  tacit_status status = TACIT_OK;
  if (work.key == NULL || work.builders == NULL) status = tacit_fail_memory(err);
  if (status == TACIT_OK) {
    tacit_content_key_fill(work.key, key);
    status = add_all(&work, pool, err);
  }
  tacit_content sum = {{0}};
  for (size_t i = 0; work.builders != NULL && i < work.workers; ++i) {
    struct builder *builder = &work.builders[i];
    for (size_t k = 0; k < TACIT_CONTENT_BYTES; ++k)
      sum.raw_bytes[k] ^= builder->sum.raw_bytes[k];
    tacit_raw_free(builder->window);
    tacit_cursor_free(builder->cursor);
  }
  tacit_raw_free(work.builders);
  tacit_raw_free(work.key);
  if (status == TACIT_OK) *out = sum;
  return status;
}
