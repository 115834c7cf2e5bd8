/* SPDX-License-Identifier: MIT */
/* Reads a cache. Head, schema and index are checked when it is opened, a block each
   time it is read. Blocks are read at their offsets, so any number of threads can read
   at once. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/files.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/bytes/source.h"
#include "data/cache/cache.h"
#include "data/schema/schema.h"

enum { INDEX_STEP = 2048 }; /* number of entries of the index that are read at a time */

/* An entry of the index: where a block is in the file. The entry after the last block
   marks the end of the blocks. */
typedef struct block_entry {
  int64_t offset, first_row;
  unsigned char digest[TACIT_CACHE_BLOCK_DIGEST];
} block_entry;

struct tacit_cache {
  char name[TACIT_NAME_BYTES];
  int fd;
  tacit_cache_head head;
  tacit_schema *schema;
  block_entry *entries;   /* n_blocks + 1 */
  tacit_content_key pads; /* of checksums */
};

static tacit_status fail_damaged(const tacit_cache *cache, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: damaged: a checksum does not match; make it again",
                    cache->name);
}

tacit_status tacit_cache_read_bytes(const tacit_cache *cache, int64_t offset, void *out,
                                    size_t size, tacit_error *err) {
  ssize_t got = tacit_io_read_at(cache->fd, out, size, offset);
  if (got < 0)
    return tacit_fail(err, TACIT_EIO, "%s: cannot be read (error %d)", cache->name,
                      errno);
  if ((size_t)got < size)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: cut off: it ends too early; make it "
                      "again",
                      cache->name);
  return TACIT_OK;
}

static tacit_status parse_schema(tacit_cache *cache, const char *text,
                                 tacit_error *err) {
  json_t *json = NULL;
  TACIT_TRY(tacit_json_parse(text, cache->head.schema_size, cache->name, &json, err));
  tacit_status status = tacit_schema_from_json(json, cache->name, &cache->schema, err);
  json_decref(json);
  if (status == TACIT_OK && cache->schema->features != cache->head.n_features)
    return fail_damaged(cache, err);
  return status;
}

/* Decodes and checks entries i … i+count-1 of the index. */
static tacit_status take_entries(tacit_cache *cache, int64_t i, int64_t count,
                                 const unsigned char *bytes, tacit_error *err) {
  int64_t bytes_left = cache->head.block_bytes, end = i + count;
  int64_t start = TACIT_CACHE_HEAD + (int64_t)cache->head.schema_size;
  for (; i < end; ++i, bytes += TACIT_CACHE_ENTRY) {
    block_entry *entry = &cache->entries[i];
    uint64_t size, rows;
    memcpy(&size, bytes, 8);
    memcpy(&rows, bytes + 8, 8);
    memcpy(entry->digest, bytes + 16, TACIT_CACHE_BLOCK_DIGEST);
    int64_t left = bytes_left - (entry->offset - start);
    if (size > (uint64_t)left || rows < 1 || rows > TACIT_CACHE_ROWS)
      return fail_damaged(cache, err);
    entry[1].offset = entry->offset + (int64_t)size;
    entry[1].first_row = entry->first_row + (int64_t)rows;
  }
  return TACIT_OK;
}

static tacit_status read_index(tacit_cache *cache, tacit_hash *hash, tacit_error *err) {
  int64_t n_blocks = cache->head.n_blocks;
  int64_t start = TACIT_CACHE_HEAD + (int64_t)cache->head.schema_size;
  int64_t offset = start + cache->head.block_bytes;
  TACIT_TRY(TACIT_RAW_NEW(cache->entries, (size_t)n_blocks + 1, err));
  unsigned char *bytes = tacit_raw_new(INDEX_STEP, TACIT_CACHE_ENTRY);
  tacit_status status = bytes != NULL ? TACIT_OK : tacit_fail_memory(err);
  cache->entries[0].offset = start;
  for (int64_t i = 0; i < n_blocks && status == TACIT_OK; i += INDEX_STEP) {
    int64_t count = n_blocks - i < INDEX_STEP ? n_blocks - i : INDEX_STEP;
    size_t size = (size_t)count * TACIT_CACHE_ENTRY;
    status =
        tacit_cache_read_bytes(cache, offset + i * TACIT_CACHE_ENTRY, bytes, size, err);
    if (status != TACIT_OK) break;
    tacit_hash_add(hash, bytes, size);
    status = take_entries(cache, i, count, bytes, err);
  }
  tacit_raw_free(bytes);
  if (status == TACIT_OK && (cache->entries[n_blocks].offset != offset ||
                             cache->entries[n_blocks].first_row != cache->head.n_rows))
    return fail_damaged(cache, err);
  return status;
}

/* Checks head, text of the schema and index against the digest, before the schema is
   parsed. */
static tacit_status check_digest(tacit_cache *cache, const unsigned char *bytes,
                                 char *text, tacit_error *err) {
  tacit_hash hash;
  unsigned char digest[TACIT_CACHE_DIGEST];
  tacit_hash_begin(&hash, sizeof digest, NULL);
  tacit_hash_add(&hash, bytes, TACIT_CACHE_HEAD - TACIT_CACHE_DIGEST);
  TACIT_TRY(tacit_cache_read_bytes(cache, TACIT_CACHE_HEAD, text,
                                   cache->head.schema_size, err));
  tacit_hash_add(&hash, text, cache->head.schema_size);
  TACIT_TRY(read_index(cache, &hash, err));
  tacit_hash_end(&hash, digest, sizeof digest);
  return memcmp(digest, cache->head.digest, sizeof digest) == 0
             ? TACIT_OK
             : fail_damaged(cache, err);
}

static tacit_status open_cache(tacit_cache *cache, const char *path, tacit_error *err) {
  struct stat facts;
  unsigned char bytes[TACIT_CACHE_HEAD] = {0};
  cache->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (cache->fd < 0 || fstat(cache->fd, &facts) != 0)
    return tacit_fail(err, TACIT_EIO, "%s: cannot be opened (error %d)", cache->name,
                      errno);
  if (!S_ISREG(facts.st_mode))
    return tacit_fail(err, TACIT_EDATA, "%s: a cache must be a regular file",
                      cache->name);
  size_t size = facts.st_size < TACIT_CACHE_HEAD ? (size_t)facts.st_size : sizeof bytes;
  TACIT_TRY(tacit_cache_read_bytes(cache, 0, bytes, size, err));
  if (!tacit_cache_match(bytes, size))
    return tacit_fail(err, TACIT_EDATA, "%s: not a cache file", cache->name);
  TACIT_TRY(
      tacit_cache_head_read(bytes, facts.st_size, cache->name, &cache->head, err));
  tacit_cache_pads_fill(&cache->pads);
  char *text = tacit_array_new(cache->head.schema_size, 1);
  if (text == NULL) return tacit_fail_memory(err);
  tacit_status status = check_digest(cache, bytes, text, err);
  if (status == TACIT_OK) status = parse_schema(cache, text, err);
  tacit_array_free(text);
  return status;
}

tacit_status tacit_cache_open(const char *path, tacit_cache **out, tacit_error *err) {
  tacit_cache *cache = tacit_array_new(1, sizeof *cache);
  if (cache == NULL) return tacit_fail_memory(err);
  cache->fd = -1;
  tacit_name_shorten(path, 90, cache->name);
  tacit_status status = open_cache(cache, path, err);
  return TACIT_HAND_OVER(status, cache, tacit_cache_free, out);
}

void tacit_cache_free(tacit_cache *cache) {
  if (cache == NULL) return;
  if (cache->fd >= 0) (void)close(cache->fd);
  tacit_schema_free(cache->schema);
  tacit_raw_free(cache->entries);
  tacit_array_free(cache);
}

const tacit_cache_head *tacit_cache_head_of(const tacit_cache *cache) {
  return &cache->head;
}

tacit_status tacit_cache_schema(const char *path, tacit_schema **out,
                                tacit_error *err) {
  if (path == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "cache: path or out is NULL");
  tacit_cache *cache = NULL;
  TACIT_TRY(tacit_cache_open(path, &cache, err));
  *out = cache->schema;
  cache->schema = NULL;
  tacit_cache_free(cache);
  return TACIT_OK;
}

const char *tacit_cache_name(const tacit_cache *cache) { return cache->name; }

tacit_status tacit_cache_agrees(const tacit_cache *cache, const tacit_schema *schema,
                                int *out, tacit_error *err) {
  char *own = NULL, *other = NULL;
  tacit_status status = tacit_cache_schema_text(cache->schema, &own, err);
  if (status == TACIT_OK) status = tacit_cache_schema_text(schema, &other, err);
  if (status == TACIT_OK) *out = strcmp(own, other) == 0;
  TACIT_FREE(own, other);
  return status;
}

int64_t tacit_cache_block_of(const tacit_cache *cache, int64_t row,
                             int64_t *out_first) {
  int64_t low = 0, high = cache->head.n_blocks;
  TACIT_HALVE(int64_t, low, high, cache->entries[middle].first_row <= row);
  *out_first = cache->entries[low].first_row;
  return low;
}

int64_t tacit_cache_size(const tacit_cache *cache) {
  const tacit_cache_head *head = &cache->head;
  return TACIT_CACHE_HEAD + (int64_t)head->schema_size + head->block_bytes +
         head->n_blocks * TACIT_CACHE_ENTRY;
}

static tacit_status fail_block(const tacit_cache *cache, int64_t block,
                               const char *fault, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "%s: block %lld: %s; make it again", cache->name,
                    (long long)block + 1, fault);
}

tacit_status tacit_cache_read(const tacit_cache *cache, int64_t block,
                              tacit_cache_block *out, tacit_error *err) {
  const block_entry *entry = &cache->entries[block];
  size_t size = (size_t)(entry[1].offset - entry->offset);
  unsigned char digest[TACIT_CACHE_BLOCK_DIGEST];
  TACIT_TRY(tacit_cache_block_reserve(out, size, err));
  TACIT_TRY(tacit_cache_read_bytes(cache, entry->offset, out->bytes, size, err));
  tacit_cache_checksum(&cache->pads, out->bytes, size, digest);
  if (memcmp(digest, entry->digest, sizeof digest) != 0)
    return fail_block(cache, block, "its checksum does not match", err);
  const char *fault = NULL;
  tacit_status status =
      tacit_cache_decode(out, &cache->head, entry[1].first_row - entry->first_row,
                         cache->schema->n_classes, &fault, err);
  return fault != NULL ? fail_block(cache, block, fault, err) : status;
}
