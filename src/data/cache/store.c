/* SPDX-License-Identifier: MIT */
/* A cache as a store of rows. A batch shows a range of one decoded block, without a
   copy. A thread that takes a block row by row decodes it once. */
#include "data/cache/store.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/cache/cache.h"

struct cached {
  tacit_cache *cache;
  int labels; /* 1 if batches have labels */
};

struct builder {
  tacit_cache_block rows; /* the current block */
  int labels, has_block;
  int64_t block_first; /* first row of the current block */
  int64_t begin, end;  /* first row of the batch, and the row after its last */
  tacit_batch view;
};

static tacit_status builder_init(void *opaque, const void *self, tacit_error *err) {
  (void)err;
  ((struct builder *)opaque)->labels = ((const struct cached *)self)->labels;
  return TACIT_OK;
}

static void builder_fini(void *opaque) {
  tacit_cache_block_fini(&((struct builder *)opaque)->rows);
}

static void clear(void *opaque) {
  struct builder *builder = opaque;
  builder->begin = builder->end = 0;
}

static int holds(const struct builder *builder, int64_t row) {
  return builder->has_block && row >= builder->block_first &&
         row < builder->block_first + builder->rows.view.n_rows;
}

static tacit_status take(const void *self, void *opaque, const int64_t *rows,
                         int64_t count, int64_t *out_taken, tacit_error *err) {
  const struct cached *cached = self;
  struct builder *builder = opaque;
  int is_empty = builder->begin == builder->end;
  int64_t first = rows[0];
  *out_taken = 0;
  if (!is_empty && (first != builder->end || !holds(builder, first))) return TACIT_OK;
  if (!holds(builder, first)) {
    builder->has_block = 0;
    int64_t block = tacit_cache_block_of(cached->cache, first, &builder->block_first);
    TACIT_TRY(tacit_cache_read(cached->cache, block, &builder->rows, err));
    builder->has_block = 1;
  }
  int64_t left = builder->block_first + builder->rows.view.n_rows - first;
  count = tacit_store_run(rows, count);
  if (is_empty) builder->begin = first;
  *out_taken = count < left ? count : left;
  builder->end = first + *out_taken;
  return TACIT_OK;
}

static const tacit_batch *view(void *opaque) {
  struct builder *builder = opaque;
  int64_t from = builder->begin - builder->block_first;
  if (builder->begin == builder->end) {
    tacit_batch_init(&builder->view);
    return &builder->view;
  }
  builder->view =
      tacit_batch_part(&builder->rows.view, from, from + builder->end - builder->begin);
  if (!builder->labels) builder->view.raw_labels = NULL;
  return &builder->view;
}

static int64_t size(const void *self) {
  return tacit_cache_size(((const struct cached *)self)->cache);
}

static tacit_status read_bytes(const void *self, int64_t offset, void *out, size_t size,
                               tacit_error *err) {
  return tacit_cache_read_bytes(((const struct cached *)self)->cache, offset, out, size,
                                err);
}

static void free_store(void *self) {
  struct cached *cached = self;
  tacit_cache_free(cached->cache);
  tacit_array_free(cached);
}

static const struct tacit_store_ops store_cache = {
    .builder_size = sizeof(struct builder),
    .builder_init = builder_init,
    .builder_fini = builder_fini,
    .clear = clear,
    .take = take,
    .view = view,
    .size = size,
    .read_bytes = read_bytes,
    .free = free_store,
};

static tacit_status check_options(const tacit_cache *cache,
                                  const tacit_reader_options *options,
                                  tacit_error *err) {
  const tacit_cache_head *head = tacit_cache_head_of(cache);
  const char *name = tacit_cache_name(cache);
  int agrees;
  TACIT_TRY(tacit_cache_agrees(cache, options->schema, &agrees, err));
  if (!agrees)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the cache was made with another schema (columns, label or "
                      "classes) than this one",
                      name);
  if (options->labels && !head->has_labels)
    return tacit_fail(err, TACIT_EDATA, "%s: the cache was made without labels", name);
  if (options->labels && tacit_schema_unit(options->schema) != NULL && !head->has_units)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the schema names a column of ids, and the cache has none; "
                      "make it again",
                      name);
  if (options->shuffle == 0 && head->is_shuffled)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the cache holds the rows in shuffled order, and here they "
                      "are needed in file order: make one with --no-shuffle",
                      name);
  if (options->rows >= 0 && options->rows != head->n_rows)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: declared %" PRId64 " rows, found %" PRId64
                      "; correct --rows or the file",
                      name, options->rows, head->n_rows);
  return TACIT_OK;
}

tacit_status tacit_cache_store_open(const char *path,
                                    const tacit_reader_options *options,
                                    tacit_store *out, tacit_cache_facts *out_facts,
                                    tacit_error *err) {
  tacit_cache *cache = NULL;
  TACIT_TRY(tacit_cache_open(path, &cache, err));
  tacit_status status = check_options(cache, options, err);
  struct cached *cached = NULL;
  if (status == TACIT_OK) {
    cached = tacit_array_new(1, sizeof *cached);
    if (cached == NULL) status = tacit_fail_memory(err);
  }
  if (status != TACIT_OK) {
    tacit_cache_free(cache);
    return status;
  }
  cached->cache = cache;
  cached->labels = options->labels != 0;
  *out = (tacit_store){.ops = &store_cache, .self = cached};
  const tacit_cache_head *head = tacit_cache_head_of(cache);
  *out_facts = (tacit_cache_facts){
      .rows = head->n_rows,
      .is_shuffled = head->is_shuffled,
      .is_weighted = head->has_weights,
      .has_units = head->has_units,
  };
  return TACIT_OK;
}
