/* SPDX-License-Identifier: MIT */
/* The content of a reader as a digest. Threads and ranks share the blocks of its files,
   or of its rows. Each block goes through a keyed function, and the digest is the XOR
   of all blocks. */
#include "data/reader/content.h"

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/reader/reader.h"
#include "data/reader/units.h"
#include "data/text/partition.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };
enum kind { KIND_TEXT = 1, KIND_ROWS, KIND_FILE, KIND_WEIGHTS, KIND_UNITS };

/* What one thread digests with. */
struct digester {
  tacit_content_hash hash;
  tacit_content sum;
  unsigned char *window; /* room for bytes of files that are not in memory */
  tacit_cursor *cursor;  /* over the rows of a store */
  tacit_error error;
  size_t error_task;
};

struct tacit_content_work {
  tacit_content_key *key;
  tacit_pool *pool;
  struct digester *digesters; /* one per thread */
  size_t threads;
  int rank, size;
};

/* The blocks of a store, for tacit_pool_run. */
struct blocks {
  const tacit_stored_reader *stored;
  const struct tacit_content_work *work;
};

static int64_t blocks_of(int64_t size, int64_t block) {
  return (size + block - 1) / block;
}

static int64_t file_blocks(const tacit_text_file *file) {
  if (file->access == NULL) return 0;
  return blocks_of(tacit_random_access_size(file->access), BLOCK_BYTES);
}

static int64_t count_blocks(const tacit_stored_reader *stored) {
  const tacit_store *store = &stored->store;
  if (store->ops->size != NULL)
    return blocks_of(store->ops->size(store->self), BLOCK_BYTES);
  if (stored->text == NULL) return blocks_of(stored->base.rows, BLOCK_ROWS);
  int64_t blocks = 0;
  for (size_t i = 0; i < stored->text->count; ++i)
    blocks += file_blocks(&stored->text->list[i]);
  return blocks;
}

/* Returns 1 if a block belongs to this rank. A block of a partitioned file belongs to
   the rank that reads that part. */
static int is_ours(const struct blocks *blocks, size_t file, int64_t block) {
  const struct tacit_content_work *work = blocks->work;
  if (!blocks->stored->base.is_partitioned) return block % work->size == work->rank;
  const tacit_text_files *files = blocks->stored->text;
  const tacit_text_file *it = &files->list[file];
  int64_t parts = tacit_source_is_plain(it->source) ? tacit_partition_parts(files) : 1;
  return tacit_partition_is_ours(files, file, block * parts / file_blocks(it));
}

static tacit_status make_window(struct digester *digester, tacit_error *err) {
  if (digester->window == NULL) digester->window = tacit_raw_new(BLOCK_BYTES, 1);
  return digester->window != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static void add_bytes(const struct tacit_content_work *work, struct digester *digester,
                      enum kind kind, size_t file, uint64_t block, const void *bytes,
                      size_t size) {
  tacit_content_begin(&digester->hash, work->key, kind, file, block);
  tacit_content_put(&digester->hash, bytes, size);
  tacit_content_end(&digester->hash, &digester->sum);
}

static tacit_status text_block(const struct blocks *blocks, struct digester *digester,
                               size_t file, int64_t block, tacit_error *err) {
  const tacit_random_access *access = blocks->stored->text->list[file].access;
  int64_t offset = block * BLOCK_BYTES;
  int64_t left = tacit_random_access_size(access) - offset;
  size_t size = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
  const void *bytes = tacit_random_access_pointer(access, offset);
  if (bytes == NULL) {
    TACIT_TRY(make_window(digester, err));
    TACIT_TRY(tacit_random_access_read(access, offset, digester->window, size, err));
    bytes = digester->window;
  }
  add_bytes(blocks->work, digester, KIND_TEXT, file, (uint64_t)block, bytes, size);
  return TACIT_OK;
}

/* Digests a block of the file of a store. */
static tacit_status file_block(const struct blocks *blocks, struct digester *digester,
                               int64_t block, tacit_error *err) {
  const tacit_store *store = &blocks->stored->store;
  int64_t offset = block * BLOCK_BYTES, left = store->ops->size(store->self) - offset;
  size_t size = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
  TACIT_TRY(make_window(digester, err));
  TACIT_TRY(store->ops->read_bytes(store->self, offset, digester->window, size, err));
  add_bytes(blocks->work, digester, KIND_FILE, 0, (uint64_t)block, digester->window,
            size);
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

static tacit_status row_block(const struct blocks *blocks, struct digester *digester,
                              int64_t block, tacit_error *err) {
  const tacit_stored_reader *stored = blocks->stored;
  int64_t first = block * BLOCK_ROWS, left = stored->base.rows - first;
  if (digester->cursor == NULL)
    TACIT_TRY(tacit_store_cursor_new(&stored->store, NULL, 1, BLOCK_ROWS,
                                     &digester->cursor, err));
  int64_t end = first + (left < BLOCK_ROWS ? left : BLOCK_ROWS);
  TACIT_TRY(tacit_cursor_range(digester->cursor, first, end, err));
  tacit_content_begin(&digester->hash, blocks->work->key, KIND_ROWS, 0,
                      (uint64_t)block);
  for (;;) {
    tacit_cursor_rows rows;
    TACIT_TRY(tacit_cursor_next(digester->cursor, 0, &rows, err));
    if (rows.batch->n_rows == 0) break;
    for (int64_t i = 0; i < rows.batch->n_rows; ++i)
      put_row(&digester->hash, rows.batch, i);
  }
  tacit_content_end(&digester->hash, &digester->sum);
  return TACIT_OK;
}

/* Digests block number `task` of all files, or of all rows, if it belongs to this
   rank. */
static tacit_status add_block(const struct blocks *blocks, struct digester *digester,
                              size_t task, tacit_error *err) {
  const tacit_text_files *files = blocks->stored->text;
  int64_t block = (int64_t)task;
  if (files == NULL) {
    if (!is_ours(blocks, 0, block)) return TACIT_OK;
    return blocks->stored->store.ops->size != NULL
               ? file_block(blocks, digester, block, err)
               : row_block(blocks, digester, block, err);
  }
  size_t file = 0;
  while (block >= file_blocks(&files->list[file]))
    block -= file_blocks(&files->list[file++]);
  return is_ours(blocks, file, block) ? text_block(blocks, digester, file, block, err)
                                      : TACIT_OK;
}

static void block_task(void *context, size_t task, size_t thread) {
  const struct blocks *blocks = context;
  struct digester *digester = &blocks->work->digesters[thread];
  if (digester->error.status != TACIT_OK) return; /* it failed in a lower task */
  tacit_error error = {TACIT_OK, ""};
  if (add_block(blocks, digester, task, &error) == TACIT_OK) return;
  digester->error = error;
  digester->error_task = task;
}

/* Returns the failure of the lowest task, which does not depend on the number of
   threads. */
static tacit_status first_failure(const struct tacit_content_work *work,
                                  tacit_error *err) {
  const struct digester *failed = NULL;
  for (size_t i = 0; i < work->threads; ++i) {
    const struct digester *digester = &work->digesters[i];
    if (digester->error.status != TACIT_OK &&
        (failed == NULL || digester->error_task < failed->error_task))
      failed = digester;
  }
  if (failed == NULL) return TACIT_OK;
  if (err != NULL) *err = failed->error;
  return failed->error.status;
}

tacit_status tacit_content_of_store(tacit_reader *reader,
                                    struct tacit_content_work *work, tacit_error *err) {
  const tacit_stored_reader *stored = (const tacit_stored_reader *)reader;
  struct blocks blocks = {stored, work};
  tacit_pool_run(work->pool, (size_t)count_blocks(stored), block_task, &blocks);
  return first_failure(work, err);
}

/* Digests a file that is read from front to back, in blocks of BLOCK_BYTES. */
static tacit_status add_source(const struct tacit_content_work *work, size_t file,
                               tacit_source *source, tacit_error *err) {
  struct digester *digester = &work->digesters[0];
  TACIT_TRY(make_window(digester, err));
  tacit_source_rewind(source);
  for (uint64_t block = 0;; ++block) {
    size_t size = 0, got = 1;
    while (size < BLOCK_BYTES && got > 0) {
      TACIT_TRY(tacit_source_read(source, digester->window + size, BLOCK_BYTES - size,
                                  &got, err));
      size += got;
    }
    if (size == 0) break;
    add_bytes(work, digester, KIND_TEXT, file, block, digester->window, size);
    if (got == 0) break;
  }
  return tacit_source_check(source, err);
}

tacit_status tacit_content_of_stream(tacit_reader *reader,
                                     struct tacit_content_work *work,
                                     tacit_error *err) {
  const tacit_text_files *files = tacit_stream_files(reader);
  for (size_t i = 0; i < files->count; ++i) {
    TACIT_TRY(add_source(work, i, files->list[i].source, err));
    tacit_text_files_rest(files, i);
  }
  return tacit_reader_rewind(reader, err);
}

static void work_fini(struct tacit_content_work *work) {
  for (size_t i = 0; work->digesters != NULL && i < work->threads; ++i) {
    tacit_raw_free(work->digesters[i].window);
    tacit_cursor_free(work->digesters[i].cursor);
  }
  TACIT_RAW_FREE(work->digesters, work->key);
}

tacit_status tacit_reader_content(tacit_reader *reader,
                                  const unsigned char key[TACIT_KEY_BYTES], int rank,
                                  int size, tacit_pool *pool, tacit_content *out,
                                  tacit_error *err) {
  struct tacit_content_work work = {
      .pool = pool, .threads = tacit_pool_workers(pool), .rank = rank, .size = size};
  work.key = tacit_raw_new(1, sizeof *work.key);
  work.digesters = tacit_raw_new(work.threads, sizeof *work.digesters);
  tacit_status status = TACIT_OK;
  if (work.key == NULL || work.digesters == NULL) status = tacit_fail_memory(err);
  if (status == TACIT_OK) {
    tacit_content_key_fill(work.key, key);
    status = reader->ops->content(reader, &work, err);
  }
  if (status == TACIT_OK && rank == 0 && reader->weights != NULL)
    add_bytes(&work, &work.digesters[0], KIND_WEIGHTS, 0, 0, reader->weights,
              (size_t)reader->rows * sizeof *reader->weights);
  if (status == TACIT_OK && rank == 0 && reader->has_units) {
    tacit_reader_digest_units(reader);
    add_bytes(&work, &work.digesters[0], KIND_UNITS, 0, 0, reader->units_digest,
              sizeof reader->units_digest);
  }
  if (status == TACIT_OK) {
    tacit_content sum = {{0}};
    for (size_t i = 0; i < work.threads; ++i)
      for (size_t k = 0; k < TACIT_CONTENT_BYTES; ++k)
        sum.raw_bytes[k] ^= work.digesters[i].sum.raw_bytes[k];
    *out = sum;
  }
  work_fini(&work);
  return status;
}
