/* SPDX-License-Identifier: MIT */
/*
 * Several processes read text together: each counts the rows of its own shards, then
 * all exchange the counts. Rows get the numbers that one process would give them, file
 * after file, so the order of a run deals rows to rounds in one way for any number of
 * ranks.
 */
#include "data/text/partition.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"

/* Rows and lines of a shard. */
struct count {
  int64_t rows, lines;
};

int64_t tacit_partition_parts(const tacit_text_files *files) {
  if (files->group == NULL) return 1;
  int64_t count = (int64_t)files->count, size = files->group->size;
  return (size + count - 1) / count;
}

static int owner(const tacit_text_files *files, int64_t shard) {
  return files->group != NULL ? (int)(shard % files->group->size) : 0;
}

int tacit_partition_is_ours(const tacit_text_files *files, size_t file, int64_t part) {
  if (files->group == NULL) return 1;
  int64_t parts = tacit_partition_parts(files);
  for (int64_t i = 0; i < parts; ++i)
    if ((part == TACIT_PARTITION_ANY || part == i) &&
        owner(files, (int64_t)file * parts + i) == files->group->rank)
      return 1;
  return 0;
}

/* Returns the index of a shard in a table that lists the shards of rank 0 first, then
   of rank 1 and so on. */
static size_t slot_of(const tacit_text_files *files, int64_t shards, int64_t shard) {
  int64_t size = files->group != NULL ? files->group->size : 1;
  int64_t rank = shard % size, slot = shard / size;
  for (int64_t i = 0; i < rank; ++i)
    slot += (shards - i + size - 1) / size;
  return (size_t)slot;
}

static uint64_t names_check(const char *const *paths, size_t n_paths) {
  tacit_hash hash;
  unsigned char digest[16];
  tacit_hash_begin(&hash, sizeof digest, NULL);
  for (size_t i = 0; i < n_paths; ++i)
    tacit_hash_add_text(&hash, paths[i]);
  tacit_hash_end(&hash, digest, sizeof digest);
  return tacit_load_le64(digest);
}

static tacit_status lost(const tacit_group *group, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "rank %d lost the other ranks: the job must be run again",
                    group->rank);
}

/* Checks that all ranks have one list of files. Ranks with different lists would number
   rows differently, and some rows would count twice. */
tacit_status tacit_partition_names(const tacit_group *group, const char *const *paths,
                                   size_t n_paths, tacit_error *err) {
  if (group == NULL) return TACIT_OK;
  size_t size = (size_t)group->size;
  uint64_t *checks = tacit_array_new(size, sizeof *checks);
  size_t *bytes = tacit_array_new(size, sizeof *bytes);
  tacit_status status = TACIT_OK;
  if (checks == NULL || bytes == NULL) status = tacit_fail_memory(err);
  status = tacit_group_agree(group, TACIT_PARTITION_STEP_NAMES, status, err);
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
  TACIT_FREE(checks, bytes);
  return status;
}

static tacit_status exchange(const tacit_text_files *files, int64_t shards,
                             struct count *counts, tacit_error *err) {
  const tacit_group *group = files->group;
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

/* Sets the first row and the first line of this rank's pieces. Messages need the
   lines. */
static tacit_status number_rows(const tacit_text_files *files, tacit_row_index *index,
                                const struct count *counts, int64_t *out_rows,
                                tacit_error *err) {
  int64_t parts = tacit_partition_parts(files), row = 0, line = 0;
  int64_t shards = (int64_t)files->count * parts;
  size_t at = 0;
  for (int64_t shard = 0; shard < shards; ++shard) {
    struct count count = counts[slot_of(files, shards, shard)];
    size_t file = (size_t)(shard / parts);
    if (shard % parts == 0) line = files->list[file].body_line;
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

tacit_status tacit_partition_number(const tacit_text_files *files,
                                    tacit_row_index *index, int64_t *out_rows,
                                    tacit_error *err) {
  int64_t parts = tacit_partition_parts(files);
  int64_t shards = (int64_t)files->count * parts;
  struct count *counts = tacit_array_new((size_t)shards, sizeof *counts);
  tacit_status status = counts != NULL ? TACIT_OK : tacit_fail_memory(err);
  /* A rank that cannot send its counts must not keep the others waiting. */
  status = tacit_group_agree(files->group, TACIT_PARTITION_STEP_COUNTED, status, err);
  for (size_t i = 0; status == TACIT_OK && i < index->count; ++i) {
    const tacit_piece *piece = &index->pieces[i];
    int64_t shard = (int64_t)piece->file * parts + piece->part;
    struct count *count = &counts[slot_of(files, shards, shard)];
    count->rows += piece->rows;
    count->lines += piece->lines;
  }
  if (status == TACIT_OK) status = exchange(files, shards, counts, err);
  if (status == TACIT_OK) {
    status = number_rows(files, index, counts, out_rows, err);
    status =
        tacit_group_agree(files->group, TACIT_PARTITION_STEP_NUMBERED, status, err);
  }
  tacit_array_free(counts);
  return status;
}
