/* SPDX-License-Identifier: MIT */
/* The ids of the rows: from a file of their own, from the caller's array, or from a
   column of the rows. One scan over them makes the roster of a reader. */
#include <inttypes.h>
#include <string.h>

#include "admit/digest.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/array/npy.h"
#include "data/reader/units.h"

enum { SCAN_ROWS = 4096, STEP_LOADED = 0x756e6900, STEP_SCANNED };

/* The ids that are being read. */
struct ids {
  tacit_unit *list;
  int64_t count, wanted;
  const char *name; /* of the file, for messages */
};

static tacit_status fail_count(const struct ids *ids, int64_t found, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: has %s ids than the data has rows: give one id per row",
                    ids->name, found > ids->wanted ? "more" : "fewer");
}

static tacit_status fail_missing(const struct ids *ids, const char *what,
                                 int64_t number, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: %s %" PRId64 ": no id; every row must say who it belongs to",
                    ids->name, what, number);
}

static tacit_status read_lines(struct ids *ids, tacit_source *source, size_t max_line,
                               tacit_error *err) {
  tacit_lines *lines = NULL;
  TACIT_TRY(tacit_lines_new(max_line, 0, &lines, err));
  tacit_lines_start(lines, source);
  tacit_status status = TACIT_OK;
  tacit_line line;
  int more = 1;
  while (status == TACIT_OK) {
    status = tacit_lines_next(lines, &line, &more, err);
    if (status != TACIT_OK || !more) break;
    const char *begin = line.begin, *end = line.end;
    while (begin < end && (*begin == ' ' || *begin == '\t'))
      ++begin;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
      --end;
    if (ids->count == ids->wanted)
      status = fail_count(ids, ids->wanted + 1, err);
    else if (!tacit_unit_take(begin, (size_t)(end - begin), &ids->list[ids->count++]))
      status = fail_missing(ids, "line", line.number, err);
  }
  tacit_lines_free(lines);
  return status;
}

static tacit_status read_numbers(struct ids *ids, const char *path, tacit_error *err) {
  tacit_npy npy = {0};
  tacit_status status = tacit_npy_open(&npy, path, err);
  tacit_npy_type type = npy.head.type;
  if (status == TACIT_OK &&
      (npy.head.n_dims != 1 || (type != TACIT_NPY_I8 && type != TACIT_NPY_I4)))
    status = tacit_fail(err, TACIT_EDATA,
                        "%s: ids must be an array of one dimension, of int64 or int32; "
                        "write other ids as text, one per line",
                        ids->name);
  if (status == TACIT_OK && npy.head.n_rows != ids->wanted)
    status = fail_count(ids, npy.head.n_rows, err);
  for (; status == TACIT_OK && ids->count < ids->wanted; ++ids->count) {
    int64_t number = 0;
    int32_t small = 0;
    memcpy(type == TACIT_NPY_I8 ? (void *)&number : (void *)&small,
           tacit_npy_at(&npy, ids->count), (size_t)tacit_npy_size(type));
    if (type == TACIT_NPY_I4) number = small;
    tacit_unit_of_number(number, &ids->list[ids->count]);
  }
  tacit_npy_close(&npy);
  return status;
}

static tacit_status load(tacit_reader *reader, const tacit_reader_options *options,
                         tacit_error *err) {
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(options->unit_path, 90, name);
  struct ids ids = {.wanted = reader->rows, .name = name};
  if (reader->has_units)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: the schema names a column of ids: drop one of them", name);
  TACIT_TRY(TACIT_RAW_NEW(ids.list, (size_t)reader->rows, err));
  reader->units = ids.list;
  reader->has_units = 1;
  if (tacit_file_kind_of(options->unit_path) == TACIT_FILE_NPY)
    return read_numbers(&ids, options->unit_path, err);
  tacit_source *source = NULL;
  TACIT_TRY(tacit_source_open(options->unit_path, &source, err));
  tacit_status status =
      read_lines(&ids, source, tacit_line_max(options->max_line), err);
  tacit_source_free(source);
  if (status == TACIT_OK && ids.count < ids.wanted)
    status = fail_count(&ids, ids.count, err);
  return status;
}

tacit_status tacit_units_open(tacit_reader *reader, const tacit_reader_options *options,
                              tacit_error *err) {
  reader->group = options->group;
  if (options->labels && options->schema->unit_column != NULL) reader->has_units = 1;
  if (options->unit_path == NULL) return TACIT_OK;
  tacit_status status = load(reader, options, err);
  return tacit_group_agree(options->group, STEP_LOADED, status, err);
}

tacit_status tacit_units_of_arrays(tacit_reader *reader, const tacit_arrays *arrays,
                                   tacit_error *err) {
  if (arrays->raw_units == NULL) return TACIT_OK;
  struct ids ids = {.name = "arrays"};
  tacit_unit *list = tacit_raw_new((size_t)arrays->n_rows, sizeof *list);
  if (list == NULL) return tacit_fail_memory(err);
  reader->units = list;
  reader->has_units = 1;
  for (int64_t i = 0; i < arrays->n_rows; ++i)
    if (!tacit_unit_at(arrays->raw_units, arrays->unit_bytes, i, &list[i]))
      return fail_missing(&ids, "row", i + 1, err);
  return TACIT_OK;
}

/* Adds all rows to the roster. `digests` is NULL without a cap. */
static tacit_status scan_rows(tacit_reader *reader, const tacit_digests *digests,
                              tacit_digest_room *room, tacit_cursor *cursor,
                              tacit_error *err) {
  TACIT_TRY(tacit_cursor_range(cursor, 0, reader->rows, err));
  for (;;) {
    tacit_cursor_rows rows;
    TACIT_TRY(tacit_cursor_next(cursor, 0, &rows, err));
    if (rows.batch->n_rows == 0) return TACIT_OK;
    const tacit_unit *units = rows.batch->raw_units;
    for (int64_t i = 0; i < rows.batch->n_rows; ++i) {
      int64_t row = rows.places[i];
      uint64_t content = 0;
      if (digests != NULL)
        TACIT_TRY(tacit_digest_content(digests, rows.batch, i, room, &content, err));
      TACIT_TRY(tacit_roster_add(
          reader->roster, row, reader->units != NULL ? &reader->units[row] : &units[i],
          content, err));
    }
  }
}

static tacit_status scan(tacit_reader *reader, tacit_error *err) {
  int64_t cap = tacit_roster_cap(reader->roster);
  tacit_status status = TACIT_OK;
  if (reader->units != NULL && cap == 0 && !reader->is_partitioned) {
    for (int64_t i = 0; status == TACIT_OK && i < reader->rows; ++i)
      status = tacit_roster_add(reader->roster, i, &reader->units[i], 0, err);
    return status;
  }
  tacit_digests *digests = NULL;
  tacit_digest_room room = {0};
  tacit_cursor *cursor = NULL;
  if (cap > 0) status = tacit_digests_fixed(&digests, err);
  if (status == TACIT_OK)
    status = tacit_reader_cursor(reader, NULL, 1, SCAN_ROWS, &cursor, err);
  if (status == TACIT_OK) status = scan_rows(reader, digests, &room, cursor, err);
  tacit_cursor_free(cursor);
  tacit_digest_room_fini(&room);
  tacit_digests_free(digests);
  return status;
}

void tacit_reader_digest_units(tacit_reader *reader) {
  if (reader->units != NULL)
    tacit_hash_of(reader->units, (size_t)reader->rows * sizeof *reader->units, NULL,
                  NULL, 0, reader->units_digest, sizeof reader->units_digest);
}

tacit_status tacit_reader_units(tacit_reader *reader, int64_t unit_rows, int64_t *out,
                                tacit_error *err) {
  if (reader == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "units: reader or result is missing");
  if (!reader->has_units || tacit_stored_store(reader) == NULL)
    return tacit_fail(
        err, TACIT_EINVAL,
        "the rows have no ids, or cannot be read twice: name their column "
        "in the schema (\"unit\"), or give a file of ids");
  if (reader->roster != NULL && tacit_roster_cap(reader->roster) != unit_rows)
    return tacit_fail(err, TACIT_ESTATE,
                      "the persons were counted already, with another unit-rows");
  if (reader->roster != NULL) {
    *out = tacit_roster_units(reader->roster);
    return TACIT_OK;
  }
  tacit_status status = tacit_roster_new(unit_rows, &reader->roster, err);
  if (status == TACIT_OK) status = scan(reader, err);
  status = tacit_group_agree(reader->group, STEP_SCANNED, status, err);
  if (status == TACIT_OK)
    status = tacit_roster_meet(reader->roster,
                               reader->is_partitioned ? reader->group : NULL, err);
  tacit_reader_digest_units(reader);
  tacit_raw_free(reader->units);
  reader->units = NULL;
  if (status != TACIT_OK) return tacit_reader_kill(reader, status);
  tacit_text_files *text = ((tacit_stored_reader *)reader)->text;
  if (text != NULL) text->ids_known = 1;
  *out = tacit_roster_units(reader->roster);
  return TACIT_OK;
}
