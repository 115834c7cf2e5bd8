/* SPDX-License-Identifier: MIT */
/* Writes the rows of a reader to a cache file. */
#include <string.h>
#include <sys/stat.h>
#include <tacit/files.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "data/bytes/source.h"
#include "data/cache/write.h"
#include "data/reader/reader.h"
#include "vault/key.h"

enum { ROWS_AT_ONCE = 4096 };

void tacit_cache_options_init(tacit_cache_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
}

static tacit_status add_batch(tacit_cache_writer *writer, const tacit_batch *batch,
                              const tacit_cache_options *options, tacit_error *err) {
  TACIT_TRY(tacit_cache_writer_add(writer, batch, err));
  if (options->progress != NULL &&
      options->progress(options->progress_cookie, tacit_cache_writer_rows(writer)) != 0)
    return tacit_fail(err, TACIT_ECANCELED, "stopped by the caller");
  return TACIT_OK;
}

/* Writes the rows in the order in which the reader gives them. */
static tacit_status write_in_order(tacit_cache_writer *writer, tacit_reader *reader,
                                   const tacit_cache_options *options,
                                   tacit_error *err) {
  for (;;) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_reader_next(reader, &batch, err));
    if (batch->n_rows == 0) return TACIT_OK;
    TACIT_TRY(add_batch(writer, batch, options, err));
  }
}

/* Adds rows with the ids of their persons. If the reader takes an order, the persons
   must be lined up. */
static tacit_status add_persons(tacit_cache_writer *writer, const tacit_reader *reader,
                                const tacit_cursor_rows *rows, tacit_unit *raw_units,
                                const tacit_cache_options *options, tacit_error *err) {
  const tacit_roster *roster = reader->roster;
  tacit_batch batch = *rows->batch;
  for (int64_t i = 0; i < batch.n_rows; ++i) {
    int64_t place = rows->places[i];
    int64_t row = reader->takes_order ? tacit_roster_row(roster, place) : place;
    raw_units[i] = *tacit_roster_unit(roster, row);
  }
  batch.raw_units = raw_units;
  return add_batch(writer, &batch, options, err);
}

static tacit_status write_dealt(tacit_cache_writer *writer, tacit_reader *reader,
                                tacit_cursor *cursor, tacit_unit *raw_units,
                                const tacit_cache_options *options, tacit_error *err) {
  int64_t all = tacit_reader_rows(reader);
  for (int64_t first = 0; first < all; first += ROWS_AT_ONCE) {
    int64_t end = all - first < ROWS_AT_ONCE ? all : first + ROWS_AT_ONCE;
    TACIT_TRY(tacit_cursor_range(cursor, first, end, err));
    for (;;) {
      tacit_cursor_rows rows;
      TACIT_TRY(tacit_cursor_next(cursor, 0, &rows, err));
      if (rows.batch->n_rows == 0) break;
      TACIT_TRY(reader->roster != NULL
                    ? add_persons(writer, reader, &rows, raw_units, options, err)
                    : add_batch(writer, rows.batch, options, err));
    }
  }
  return tacit_reader_check(reader, err);
}

/* Draws a uniformly random order of the rows: as many batches as rows. Any number of
   batches that are cut from it in sequence is then a uniform assignment. If rows belong
   to persons, they are ordered by the keyed hashes of the ids, which decide about the
   batch of a person. */
static tacit_status draw_order(tacit_reader *reader, const tacit_key *key,
                               tacit_order **out, tacit_error *err) {
  int64_t rows = tacit_reader_rows(reader), persons;
  if (!reader->has_units)
    return reader->takes_order ? tacit_order_new(rows, rows, key->bytes, NULL, out, err)
                               : TACIT_OK;
  TACIT_TRY(tacit_reader_units(reader, 0, &persons, err));
  TACIT_TRY(tacit_roster_line_up(reader->roster, key, err));
  return reader->takes_order ? tacit_order_of_roster(reader->roster, out, err)
                             : TACIT_OK;
}

/* Writes the rows in a random order, drawn with a key that nobody keeps. */
static tacit_status write_stored(tacit_cache_writer *writer, tacit_reader *reader,
                                 const tacit_cache_options *options, tacit_error *err) {
  tacit_key key;
  tacit_order *order = NULL;
  tacit_cursor *cursor = NULL;
  TACIT_TRY(tacit_key_from_os(&key, err));
  tacit_status status = draw_order(reader, &key, &order, err);
  tacit_key_wipe(&key);
  tacit_unit *raw_units = tacit_raw_new(TACIT_CURSOR_ROWS, sizeof *raw_units);
  if (status == TACIT_OK && raw_units == NULL) status = tacit_fail_memory(err);
  if (status == TACIT_OK)
    status = tacit_reader_cursor(reader, order, 1, ROWS_AT_ONCE, &cursor, err);
  if (status == TACIT_OK)
    status = write_dealt(writer, reader, cursor, raw_units, options, err);
  tacit_cursor_free(cursor);
  tacit_order_free(order);
  tacit_raw_free(raw_units);
  return status == TACIT_OK ? status : tacit_reader_kill(reader, status);
}

static tacit_status write_rows(tacit_cache_writer *writer, int fd, tacit_reader *reader,
                               const tacit_cache_options *options, tacit_error *err) {
  TACIT_TRY(tacit_cache_writer_begin(writer, fd, err));
  TACIT_TRY(reader->takes_order || reader->has_units
                ? write_stored(writer, reader, options, err)
                : write_in_order(writer, reader, options, err));
  return tacit_cache_writer_end(writer, err);
}

/* Writes to a file that gets its name when it is complete. Removes it on failure. */
static tacit_status write_file(tacit_cache_writer *writer, tacit_reader *reader,
                               const char *path, const tacit_cache_options *options,
                               tacit_error *err) {
  tacit_output *output = NULL;
  TACIT_TRY(tacit_output_open(path, S_IRUSR | S_IWUSR, &output, err));
  tacit_status status =
      write_rows(writer, tacit_output_descriptor(output), reader, options, err);
  if (status == TACIT_OK) status = tacit_output_complete(output, 0, err);
  if (status == TACIT_OK) status = tacit_output_place(output, err);
  tacit_output_free(output);
  return status;
}

static int is_file(const char *path, const struct stat *facts) {
  struct stat source;
  return path != NULL && strcmp(path, "-") != 0 && stat(path, &source) == 0 &&
         source.st_ino == facts->st_ino && source.st_dev == facts->st_dev;
}

static tacit_status check_target(const char *name, const char *path,
                                 const tacit_cache_options *options, tacit_error *err) {
  struct stat facts;
  if (stat(path, &facts) != 0) return TACIT_OK;
  if (!S_ISREG(facts.st_mode))
    return tacit_fail(err, TACIT_EIO, "%s: a cache must be a regular file", name);
  const tacit_reader_options *reading = options->reading;
  int is_source = reading != NULL && (is_file(reading->label_path, &facts) ||
                                      is_file(reading->weight_path, &facts) ||
                                      is_file(reading->unit_path, &facts));
  for (size_t i = 0; i < options->n_sources; ++i)
    is_source |= is_file(options->sources[i], &facts);
  if (!is_source) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "%s: is one of the files the rows come from; give another name",
                    name);
}

tacit_status tacit_cache_write(tacit_reader *reader, const char *path,
                               const tacit_cache_options *options, tacit_error *err) {
  if (reader == NULL || path == NULL || options == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options ||
      (options->n_sources > 0 && options->sources == NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "cache: reader, path, options or schema is missing");
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(path, 90, name);
  TACIT_TRY(check_target(name, path, options, err));
  tacit_cache_writer *writer = NULL;
  TACIT_TRY(tacit_cache_writer_new(path, options, tacit_reader_shuffled(reader),
                                   &writer, err));
  tacit_status status =
      options->descriptor == 0
          ? write_file(writer, reader, path, options, err)
          : write_rows(writer, options->descriptor, reader, options, err);
  tacit_cache_writer_free(writer);
  return status;
}
