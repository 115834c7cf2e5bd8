/* SPDX-License-Identifier: MIT */
/* Writing a cache: blocks as the rows come, then the index, then the head over the room
   left for it. A file without a whole head is refused by its reader, so nothing needs
   to be synced before it gets its name. */
#include <errno.h>
#include <locale.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/files.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/cache/cache.h"
#include "data/schema/schema.h"

enum { FIRST_BLOCKS = 1024 };

typedef struct writer {
  char name[TACIT_NAME_BYTES];
  int fd;
  int64_t offset;
  tacit_cache_head head;
  char *schema_text;
  tacit_cache_rows rows;
  tacit_cache_bytes bytes;
  unsigned char *index; /* an entry for each block so far */
  int64_t index_room;
} writer;

void tacit_cache_options_init(tacit_cache_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
}

static tacit_status fail_errno(const writer *w, const char *doing, tacit_error *err) {
  int code = errno;
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0)
    return tacit_fail(err, TACIT_EIO, "%s: cannot %s: error %d", w->name, doing, code);
  tacit_status status = tacit_fail(err, TACIT_EIO, "%s: cannot %s: %s", w->name, doing,
                                   strerror_l(code, locale));
  freelocale(locale);
  return status;
}

static tacit_status write_at(const writer *w, const void *from, size_t size,
                             int64_t offset, tacit_error *err) {
  const unsigned char *at = from;
  while (size > 0) {
    ssize_t done = pwrite(w->fd, at, size, (off_t)offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail_errno(w, "be written", err);
    at += done;
    size -= (size_t)done;
    offset += done;
  }
  return TACIT_OK;
}

static tacit_status append(writer *w, const void *from, size_t size, tacit_error *err) {
  TACIT_TRY(write_at(w, from, size, w->offset, err));
  w->offset += (int64_t)size;
  return TACIT_OK;
}

static tacit_status write_block(writer *w, tacit_error *err) {
  int64_t block = w->head.n_blocks;
  TACIT_TRY(tacit_cache_encode(&w->rows, &w->bytes, err));
  if (block == w->index_room) {
    int64_t room = w->index_room > 0 ? 2 * w->index_room : FIRST_BLOCKS;
    unsigned char *index = tacit_raw_grow(w->index, (size_t)room, TACIT_CACHE_ENTRY);
    if (index == NULL) return tacit_fail_memory(err);
    w->index = index;
    w->index_room = room;
  }
  unsigned char *entry = w->index + block * TACIT_CACHE_ENTRY;
  uint64_t sizes[2] = {w->bytes.size, (uint64_t)w->rows.view.n_rows};
  memcpy(entry, sizes, sizeof sizes);
  (void)crypto_generichash_blake2b(entry + 16, TACIT_CACHE_BLOCK_DIGEST, w->bytes.data,
                                   w->bytes.size, NULL, 0);
  TACIT_TRY(append(w, w->bytes.data, w->bytes.size, err));
  w->head.block_bytes += (int64_t)w->bytes.size;
  w->head.n_rows += w->rows.view.n_rows;
  ++w->head.n_blocks;
  tacit_cache_rows_clear(&w->rows);
  return TACIT_OK;
}

static tacit_status write_batch(writer *w, const tacit_batch *batch,
                                const tacit_cache_options *options, tacit_error *err) {
  int is_dense = batch->raw_row_start == NULL;
  int has_labels = batch->raw_labels != NULL;
  int is_first = w->head.n_rows == 0 && w->rows.view.n_rows == 0;
  if (batch->n_features != w->head.n_features)
    return tacit_fail(err, TACIT_EINVAL, "cache: the reader has another schema");
  if (is_first) {
    w->head.is_dense = is_dense;
    w->head.has_labels = has_labels;
  } else if (is_dense != w->head.is_dense || has_labels != w->head.has_labels) {
    return tacit_fail(err, TACIT_ESTATE, "cache: the reader changed its kind of rows");
  }
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    TACIT_TRY(tacit_cache_rows_add(&w->rows, batch, i, err));
    if (tacit_cache_rows_full(&w->rows)) TACIT_TRY(write_block(w, err));
  }
  if (options->progress != NULL &&
      options->progress(options->progress_cookie,
                        w->head.n_rows + w->rows.view.n_rows) != 0)
    return tacit_fail(err, TACIT_ECANCELED, "stopped by the caller");
  return TACIT_OK;
}

static tacit_status write_head(writer *w, tacit_error *err) {
  unsigned char bytes[TACIT_CACHE_HEAD];
  size_t index_size = (size_t)w->head.n_blocks * TACIT_CACHE_ENTRY;
  crypto_generichash_blake2b_state state;
  tacit_cache_head_write(&w->head, bytes);
  (void)crypto_generichash_blake2b_init(&state, NULL, 0, TACIT_CACHE_DIGEST);
  (void)crypto_generichash_blake2b_update(&state, bytes,
                                          TACIT_CACHE_HEAD - TACIT_CACHE_DIGEST);
  (void)crypto_generichash_blake2b_update(&state, (const unsigned char *)w->schema_text,
                                          w->head.schema_size);
  (void)crypto_generichash_blake2b_update(&state, w->index, index_size);
  (void)crypto_generichash_blake2b_final(&state, w->head.digest, TACIT_CACHE_DIGEST);
  tacit_cache_head_write(&w->head, bytes);
  TACIT_TRY(append(w, w->index, index_size, err));
  return write_at(w, bytes, sizeof bytes, 0, err);
}

static tacit_status write_rows(writer *w, tacit_reader *reader,
                               const tacit_cache_options *options, tacit_error *err) {
  w->offset = TACIT_CACHE_HEAD;
  TACIT_TRY(append(w, w->schema_text, w->head.schema_size, err));
  for (;;) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_reader_next(reader, &batch, err));
    if (batch->n_rows == 0) break;
    TACIT_TRY(write_batch(w, batch, options, err));
  }
  if (w->rows.view.n_rows > 0) TACIT_TRY(write_block(w, err));
  if (w->head.n_rows == 0)
    return tacit_fail(err, TACIT_EDATA, "%s: no rows to write to it", w->name);
  return write_head(w, err);
}

/* To an output of our own, complete and in its place or gone. */
static tacit_status write_file(writer *w, tacit_reader *reader, const char *path,
                               const tacit_cache_options *options, tacit_error *err) {
  tacit_output *output = NULL;
  TACIT_TRY(tacit_output_open(path, S_IRUSR | S_IWUSR, &output, err));
  w->fd = tacit_output_descriptor(output);
  tacit_status status = write_rows(w, reader, options, err);
  if (status == TACIT_OK) status = tacit_output_complete(output, 0, err);
  if (status == TACIT_OK) status = tacit_output_place(output, err);
  tacit_output_free(output);
  return status;
}

static tacit_status check_target(const writer *w, const char *path,
                                 const tacit_cache_options *options, tacit_error *err) {
  struct stat facts, source;
  if (stat(path, &facts) != 0) return TACIT_OK;
  if (!S_ISREG(facts.st_mode))
    return tacit_fail(err, TACIT_EIO, "%s: a cache must be a regular file", w->name);
  for (size_t i = 0; i < options->n_sources; ++i) {
    if (strcmp(options->sources[i], "-") != 0 &&
        stat(options->sources[i], &source) == 0 && source.st_ino == facts.st_ino &&
        source.st_dev == facts.st_dev)
      return tacit_fail(err, TACIT_EINVAL,
                        "%s: is one of the files the rows come from; give another name",
                        w->name);
  }
  return TACIT_OK;
}

static tacit_status write_cache(writer *w, tacit_reader *reader, const char *path,
                                const tacit_cache_options *options, tacit_error *err) {
  TACIT_TRY(check_target(w, path, options, err));
  w->head.is_shuffled = tacit_reader_shuffled(reader);
  w->head.n_features = options->schema->features;
  TACIT_TRY(tacit_cache_schema_text(options->schema, &w->schema_text, err));
  w->head.schema_size = strlen(w->schema_text);
  if (options->n_sources > 0)
    TACIT_TRY(tacit_cache_sources(options->sources, options->n_sources, w->head.sources,
                                  err));
  if (options->output == NULL) return write_file(w, reader, path, options, err);
  w->fd = tacit_output_descriptor(options->output);
  return write_rows(w, reader, options, err);
}

tacit_status tacit_cache_write(tacit_reader *reader, const char *path,
                               const tacit_cache_options *options, tacit_error *err) {
  if (reader == NULL || path == NULL || options == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options ||
      (options->n_sources > 0 && options->sources == NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "cache: reader, path, options or schema is missing");
  writer *w = tacit_array_new(1, sizeof *w);
  if (w == NULL) return tacit_fail_memory(err);
  tacit_name_shorten(path, 90, w->name);
  tacit_status status = write_cache(w, reader, path, options, err);
  tacit_array_free(w->schema_text);
  tacit_cache_rows_fini(&w->rows);
  tacit_cache_bytes_fini(&w->bytes);
  tacit_raw_free(w->index);
  tacit_array_free(w);
  return status;
}
