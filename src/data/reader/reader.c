/* SPDX-License-Identifier: MIT */
/* What every reader does, whatever its kind. After an error a reader is dead, because a
   run must never continue with a part of the data. */
#include "data/reader/reader.h"

#include "base/error.h"
#include "base/memory.h"

void tacit_reader_free(tacit_reader *reader) {
  if (reader == NULL) return;
  tacit_cursor_free(reader->cursor);
  tacit_roster_free(reader->roster);
  TACIT_RAW_FREE(reader->units, reader->unit_rows, reader->weights);
  reader->ops->free(reader);
}

int64_t tacit_reader_rows(const tacit_reader *reader) { return reader->rows; }

int tacit_reader_shuffled(const tacit_reader *reader) { return reader->is_shuffled; }

int tacit_reader_weighted(const tacit_reader *reader) { return reader->is_weighted; }

int tacit_reader_has_units(const tacit_reader *reader) { return reader->has_units; }

int tacit_reader_rewinds(const tacit_reader *reader) { return reader->can_rewind; }

const tacit_identity *tacit_reader_identity(const tacit_reader *reader) {
  return &reader->identity;
}

tacit_status tacit_reader_kill(tacit_reader *reader, tacit_status status) {
  reader->is_dead = 1;
  return status;
}

tacit_status tacit_reader_cursor(tacit_reader *reader, const tacit_order *order,
                                 size_t threads, int64_t block_rows, tacit_cursor **out,
                                 tacit_error *err) {
  return reader->ops->cursor(reader, order, threads, block_rows, out, err);
}

tacit_status tacit_reader_check(const tacit_reader *reader, tacit_error *err) {
  return reader->ops->check != NULL ? reader->ops->check(reader, err) : TACIT_OK;
}

void tacit_reader_first_fault(tacit_reader *reader, tacit_error *io_err) {
  tacit_cursor *cursor = NULL;
  tacit_cursor_rows rows = {0};
  tacit_error fault = {TACIT_OK, ""};
  if (io_err == NULL || io_err->status != TACIT_EDATA || !reader->takes_order ||
      reader->is_partitioned)
    return;
  tacit_status status =
      reader->ops->cursor(reader, NULL, 1, INT64_MAX, &cursor, &fault);
  if (status == TACIT_OK) status = tacit_cursor_range(cursor, 0, reader->rows, &fault);
  do {
    if (status == TACIT_OK) status = tacit_cursor_next(cursor, 0, &rows, &fault);
  } while (status == TACIT_OK && rows.batch->n_rows > 0);
  if (status == TACIT_EDATA) *io_err = fault;
  tacit_cursor_free(cursor);
}

static tacit_status check_alive(const tacit_reader *reader, tacit_error *err) {
  if (!reader->is_dead) return TACIT_OK;
  return tacit_fail(err, TACIT_ESTATE, "reader: an earlier call failed");
}

static tacit_status begin_pass(tacit_reader *reader, tacit_error *err) {
  int64_t end = reader->rows >= 0 ? reader->rows : INT64_MAX;
  reader->given = 0;
  return tacit_cursor_range(reader->cursor, 0, end, err);
}

/* Adds the shares of their persons to rows, which must be in the order of their
   numbers. */
static tacit_status share(tacit_reader *reader, const tacit_cursor_rows *rows,
                          const tacit_batch **out, tacit_error *err) {
  if (reader->unit_rows == NULL)
    TACIT_TRY(TACIT_RAW_NEW(reader->unit_rows, TACIT_CURSOR_ROWS, err));
  reader->view = *rows->batch;
  for (int64_t i = 0; i < rows->batch->n_rows; ++i)
    reader->unit_rows[i] = tacit_roster_rows_with(reader->roster, rows->places[i]);
  reader->view.raw_unit_rows = reader->unit_rows;
  *out = &reader->view;
  return TACIT_OK;
}

static tacit_status next_batch(tacit_reader *reader, const tacit_batch **out,
                               tacit_error *err) {
  if (reader->cursor == NULL) {
    TACIT_TRY(reader->ops->cursor(reader, NULL, 1, INT64_MAX, &reader->cursor, err));
    TACIT_TRY(begin_pass(reader, err));
  }
  tacit_cursor_rows rows;
  TACIT_TRY(tacit_cursor_next(reader->cursor, 0, &rows, err));
  reader->given += rows.batch->n_rows;
  if (rows.batch->n_rows > 0 && reader->given == reader->rows)
    TACIT_TRY(tacit_reader_check(reader, err));
  if (reader->roster != NULL) return share(reader, &rows, out, err);
  *out = rows.batch;
  return TACIT_OK;
}

tacit_status tacit_reader_next(tacit_reader *reader, const tacit_batch **out,
                               tacit_error *err) {
  if (reader == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "reader: reader or out is NULL");
  TACIT_TRY(check_alive(reader, err));
  tacit_status status = next_batch(reader, out, err);
  return status == TACIT_OK ? status : tacit_reader_kill(reader, status);
}

tacit_status tacit_reader_rewind(tacit_reader *reader, tacit_error *err) {
  if (reader == NULL) return tacit_fail(err, TACIT_EINVAL, "reader: reader is NULL");
  TACIT_TRY(check_alive(reader, err));
  if (!reader->can_rewind)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: a pipe cannot be read twice; write it to a file first",
                      tacit_text_files_name(tacit_stream_files(reader)));
  if (reader->ops->rewind != NULL) reader->ops->rewind(reader);
  return reader->cursor != NULL ? begin_pass(reader, err) : TACIT_OK;
}
