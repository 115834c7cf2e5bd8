/* SPDX-License-Identifier: MIT */
/*
 * Whose rows are whose when several processes read together, and how all agree on their
 * numbers: each counts its own shards and tells the others. The numbering is that of
 * one process, file after file, so the public order deals rows to rounds in the same
 * way for any number of ranks.
 */
#include <sodium.h>
#include <string.h>
#include <tacit/group.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/reader/reader.h"

/* Points of the program that no other agreement has. */
enum { PLACE_COUNTED = 0x636e7400, PLACE_NAMES, PLACE_NUMBERED, PLACE_OPEN };

/* What a shard holds. */
struct count {
  int64_t rows, lines;
};

int64_t tacit_partition_parts(const tacit_reader *reader) {
  if (reader->group == NULL) return 1;
  int64_t files = (int64_t)reader->n_files, size = reader->group->size;
  return (size + files - 1) / files;
}

static int owner(const tacit_reader *reader, int64_t shard) {
  return reader->group != NULL ? (int)(shard % reader->group->size) : 0;
}

int tacit_partition_is_ours(const tacit_reader *reader, size_t file, int64_t part) {
  if (reader->group == NULL) return 1;
  int64_t parts = tacit_partition_parts(reader);
  for (int64_t i = 0; i < parts; ++i) {
    if ((part < 0 || part == i) &&
        owner(reader, (int64_t)file * parts + i) == reader->group->rank)
      return 1;
  }
  return 0;
}

const char *tacit_reader_name(const tacit_reader *reader) {
  for (size_t i = 0; i < reader->n_files; ++i) {
    if (reader->files[i].source != NULL)
      return tacit_source_name(reader->files[i].source);
  }
  return "the input";
}

/* Where shard s stands in a table that has the shards of rank 0 first, then those of
   rank 1, …. */
static size_t slot_of(const tacit_reader *reader, int64_t shards, int64_t shard) {
  int64_t size = reader->group != NULL ? reader->group->size : 1;
  int64_t rank = shard % size, slot = shard / size;
  for (int64_t i = 0; i < rank; ++i)
    slot += (shards - i + size - 1) / size;
  return (size_t)slot;
}

static uint64_t names_check(const char *const *paths, size_t n_paths) {
  crypto_generichash_blake2b_state hash;
  unsigned char digest[16];
  (void)crypto_generichash_blake2b_init(&hash, NULL, 0, sizeof digest);
  for (size_t i = 0; i < n_paths; ++i) {
    (void)crypto_generichash_blake2b_update(&hash, (const unsigned char *)paths[i],
                                            strlen(paths[i]) + 1);
  }
  (void)crypto_generichash_blake2b_final(&hash, digest, sizeof digest);
  return tacit_load_le64(digest);
}

static tacit_status lost(const tacit_group *group, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "rank %d lost the other ranks: the job must be run again",
                    group->rank);
}

/* With another list a rank would take other rows for its own, and some would count
   twice. All ranks come to the same answer. */
tacit_status tacit_partition_names(const tacit_reader *reader, const char *const *paths,
                                   size_t n_paths, tacit_error *err) {
  const tacit_group *group = reader->group;
  if (group == NULL) return TACIT_OK;
  size_t size = (size_t)group->size;
  uint64_t *checks = tacit_array_new(size, sizeof *checks);
  size_t *bytes = tacit_array_new(size, sizeof *bytes);
  tacit_status status = TACIT_OK;
  if (checks == NULL || bytes == NULL) status = tacit_fail_memory(err);
  status = tacit_group_agree(group, PLACE_NAMES, status, err);
  for (size_t i = 0; status == TACIT_OK && i < size; ++i)
    bytes[i] = sizeof *checks;
  if (status == TACIT_OK) {
    checks[group->rank] = names_check(paths, n_paths);
    if (group->gather_all(group->self, checks, bytes) != 0) status = lost(group, err);
  }
  for (size_t i = 1; status == TACIT_OK && i < size; ++i) {
    if (checks[i] == checks[0]) continue;
    status = tacit_fail(err, TACIT_EINVAL,
                        "rank %zu was given other files than rank 0: start all ranks "
                        "alike",
                        i);
  }
  tacit_array_free(checks);
  tacit_array_free(bytes);
  return status;
}

static tacit_status exchange(const tacit_reader *reader, int64_t shards,
                             struct count *counts, tacit_error *err) {
  const tacit_group *group = reader->group;
  if (group == NULL) return TACIT_OK;
  size_t size = (size_t)group->size;
  size_t *bytes = tacit_array_new(size, sizeof *bytes);
  if (bytes == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = ((size_t)shards - i + size - 1) / size * sizeof *counts;
  int failed = group->gather_all(group->self, counts, bytes);
  tacit_array_free(bytes);
  return failed == 0 ? TACIT_OK : lost(group, err);
}

/* First rows of our pieces, and of the lines as far as messages need them. */
static tacit_status number_rows(const tacit_reader *reader, tacit_row_index *index,
                                int64_t shards, const struct count *counts,
                                int64_t *out_rows, tacit_error *err) {
  int64_t parts = tacit_partition_parts(reader), row = 0, line = 0;
  size_t at = 0;
  for (int64_t shard = 0; shard < shards; ++shard) {
    struct count count = counts[slot_of(reader, shards, shard)];
    size_t file = (size_t)(shard / parts);
    if (shard % parts == 0) line = reader->files[file].body_line;
    int64_t own_row = row, own_line = line;
    for (; at < index->count && index->pieces[at].file == file &&
           index->pieces[at].part == shard % parts;
         ++at) {
      tacit_piece *piece = &index->pieces[at];
      piece->first_row = own_row;
      piece->first_line = own_line;
      TACIT_TRY(tacit_piece_check(index, piece, err));
      own_row += piece->rows;
      own_line += piece->lines;
    }
    row += count.rows;
    line += count.lines;
  }
  *out_rows = row;
  return TACIT_OK;
}

tacit_status tacit_partition_number(const tacit_reader *reader, tacit_row_index *index,
                                    tacit_status status, int64_t *out_rows,
                                    tacit_error *err) {
  int64_t parts = tacit_partition_parts(reader);
  int64_t shards = (int64_t)reader->n_files * parts;
  struct count *counts = NULL;
  if (status == TACIT_OK) {
    counts = tacit_array_new((size_t)shards, sizeof *counts);
    if (counts == NULL) status = tacit_fail_memory(err);
  }
  /* A rank without its shards must not keep the others waiting. */
  status = tacit_group_agree(reader->group, PLACE_COUNTED, status, err);
  for (size_t i = 0; status == TACIT_OK && i < index->count; ++i) {
    const tacit_piece *piece = &index->pieces[i];
    int64_t shard = (int64_t)piece->file * parts + piece->part;
    struct count *count = &counts[slot_of(reader, shards, shard)];
    count->rows += piece->rows;
    count->lines += piece->lines;
  }
  if (status == TACIT_OK) status = exchange(reader, shards, counts, err);
  if (status == TACIT_OK) {
    status = number_rows(reader, index, shards, counts, out_rows, err);
    status = tacit_group_agree(reader->group, PLACE_NUMBERED, status, err);
  }
  tacit_array_free(counts);
  return status;
}

tacit_status tacit_partition_end(const tacit_reader *reader, tacit_status status,
                                 tacit_error *err) {
  return tacit_group_agree(reader->group, PLACE_OPEN, status, err);
}
