/* SPDX-License-Identifier: MIT */
/* The head of a cache file, the text of its schema, and the digest of the files from
   which it was made. A digest is enough because names and times of these files are only
   compared. */
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "data/bytes/source.h"
#include "data/cache/cache.h"
#include "data/schema/schema.h"

/* No text starts with the byte 0x9d, and a transfer as text would change \r\n. */
static const unsigned char magic[TACIT_CACHE_MAGIC] = {0x9d, 'T', 'A',  'C',
                                                       'I',  'T', '\r', '\n'};
/* A machine with the other byte order reads this as another number. */
static const uint32_t order_mark = 0x01020304;

enum {
  FLAG_SHUFFLED = 1,
  FLAG_LABELS = 2,
  FLAG_DENSE = 4,
  FLAG_WEIGHTS = 8,
  FLAG_UNITS = 16,
  FLAGS = 31
};
enum { SCHEMA_MAX = 1 << 28 };

int tacit_cache_match(const void *bytes, size_t size) {
  return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

void tacit_cache_head_write(const tacit_cache_head *head, unsigned char *out) {
  const uint32_t version = TACIT_CACHE_VERSION;
  const uint64_t numbers[6] = {(head->is_shuffled ? (uint64_t)FLAG_SHUFFLED : 0) |
                                   (head->has_labels ? (uint64_t)FLAG_LABELS : 0) |
                                   (head->is_dense ? (uint64_t)FLAG_DENSE : 0) |
                                   (head->has_weights ? (uint64_t)FLAG_WEIGHTS : 0) |
                                   (head->has_units ? (uint64_t)FLAG_UNITS : 0),
                               (uint64_t)head->n_rows,
                               head->n_features,
                               head->schema_size,
                               (uint64_t)head->n_blocks,
                               (uint64_t)head->block_bytes};
  memcpy(out, magic, sizeof magic);
  memcpy(out + 8, &version, 4);
  memcpy(out + 12, &order_mark, 4);
  memcpy(out + 16, numbers, sizeof numbers);
  memcpy(out + 64, head->sources, TACIT_CACHE_DIGEST);
  memcpy(out + 96, head->digest, TACIT_CACHE_DIGEST);
}

/* Returns 1 if the numbers of a head match each other and the size of the file. */
static int adds_up(const uint64_t numbers[6], int64_t size) {
  if (numbers[0] > FLAGS || numbers[2] < 1 || numbers[2] > TACIT_FEATURES_MAX) return 0;
  uint64_t left = (uint64_t)size - TACIT_CACHE_HEAD;
  if (numbers[3] > SCHEMA_MAX || numbers[3] > left) return 0;
  left -= numbers[3];
  if (numbers[4] < 1 || numbers[4] > left / TACIT_CACHE_ENTRY) return 0;
  left -= numbers[4] * TACIT_CACHE_ENTRY;
  /* Every block has at least one row and at most TACIT_CACHE_ROWS rows. */
  return numbers[5] == left && numbers[1] >= numbers[4] &&
         numbers[1] <= numbers[4] * TACIT_CACHE_ROWS;
}

tacit_status tacit_cache_head_read(const unsigned char *bytes, int64_t size,
                                   const char *name, tacit_cache_head *out,
                                   tacit_error *err) {
  uint32_t version, mark;
  uint64_t numbers[6];
  if (size < TACIT_CACHE_HEAD)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: cut off: it ends within the head of a cache; make it again",
                      name);
  memcpy(&version, bytes + 8, 4);
  memcpy(&mark, bytes + 12, 4);
  memcpy(numbers, bytes + 16, sizeof numbers);
  if (mark != order_mark)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: damaged, or a cache of a machine with another byte order; "
                      "make it again here",
                      name);
  if (version != TACIT_CACHE_VERSION)
    return tacit_fail(
        err, TACIT_EDATA,
        "%s: a cache of format %u, this build reads format %d; make a new "
        "one: tacit cache -o FILE DATA",
        name, (unsigned)version, TACIT_CACHE_VERSION);
  if (!adds_up(numbers, size))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: damaged or cut off: its head does not fit its size; make it "
                      "again",
                      name);
  out->is_shuffled = (numbers[0] & FLAG_SHUFFLED) != 0;
  out->has_labels = (numbers[0] & FLAG_LABELS) != 0;
  out->is_dense = (numbers[0] & FLAG_DENSE) != 0;
  out->has_weights = (numbers[0] & FLAG_WEIGHTS) != 0;
  out->has_units = (numbers[0] & FLAG_UNITS) != 0;
  out->n_rows = (int64_t)numbers[1];
  out->n_features = (size_t)numbers[2];
  out->schema_size = (size_t)numbers[3];
  out->n_blocks = (int64_t)numbers[4];
  out->block_bytes = (int64_t)numbers[5];
  memcpy(out->sources, bytes + 64, TACIT_CACHE_DIGEST);
  memcpy(out->digest, bytes + 96, TACIT_CACHE_DIGEST);
  return TACIT_OK;
}

tacit_status tacit_cache_schema_text(const tacit_schema *schema, char **out,
                                     tacit_error *err) {
  json_t *json = NULL;
  TACIT_TRY(tacit_schema_to_json(schema, &json, err));
  tacit_status status = tacit_json_text(json, 0, out, err);
  json_decref(json);
  return status;
}

static tacit_status add_file(tacit_hash *state, const char *path, tacit_error *err) {
  struct stat facts;
  memset(&facts, 0, sizeof facts);
  int is_file = strcmp(path, "-") != 0;
  if (is_file && stat(path, &facts) != 0) {
    char name[TACIT_NAME_BYTES];
    tacit_name_shorten(path, 90, name);
    return tacit_fail(err, TACIT_EIO, "%s: not found, or not to be read", name);
  }
  is_file = is_file && S_ISREG(facts.st_mode);
  tacit_hash_add_number(state, strlen(path));
  tacit_hash_add(state, path, strlen(path));
  tacit_hash_add_number(state, (uint64_t)is_file);
  tacit_hash_add_number(state, is_file ? (uint64_t)facts.st_size : 0);
  tacit_hash_add_number(state, is_file ? (uint64_t)facts.st_mtim.tv_sec : 0);
  tacit_hash_add_number(state, is_file ? (uint64_t)facts.st_mtim.tv_nsec : 0);
  return TACIT_OK;
}

/* Adds the files of labels, weights and ids to the digest, each after a number for its
   kind, and the largest weight. Adds nothing without such files. */
static tacit_status add_others(tacit_hash *state, const tacit_reader_options *reading,
                               tacit_error *err) {
  const char *const paths[3] = {reading->label_path, reading->weight_path,
                                reading->unit_path};
  for (uint64_t kind = 0; kind < 3; ++kind) {
    if (paths[kind] == NULL) continue;
    tacit_hash_add_number(state, kind + 1);
    TACIT_TRY(add_file(state, paths[kind], err));
  }
  if (reading->weight_path != NULL)
    tacit_hash_add(state, &reading->max_weight, sizeof reading->max_weight);
  return TACIT_OK;
}

tacit_status tacit_cache_sources(const tacit_cache_options *options,
                                 unsigned char out[TACIT_CACHE_DIGEST],
                                 tacit_error *err) {
  tacit_hash state;
  memset(out, 0, TACIT_CACHE_DIGEST);
  if (options->n_sources == 0) return TACIT_OK;
  tacit_hash_begin(&state, TACIT_CACHE_DIGEST, NULL);
  tacit_hash_add_number(&state, options->n_sources);
  for (size_t i = 0; i < options->n_sources; ++i)
    TACIT_TRY(add_file(&state, options->sources[i], err));
  if (options->reading != NULL) TACIT_TRY(add_others(&state, options->reading, err));
  tacit_hash_end(&state, out, TACIT_CACHE_DIGEST);
  return TACIT_OK;
}
