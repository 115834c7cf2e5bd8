/* SPDX-License-Identifier: MIT */
/* Passes over the rows of a reader. */
#include "admit/keep.h"
#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/reader/reader.h"
#include "extra/infer/infer.h"

enum { ROWS_PER_BLOCK = 1024 };

tacit_status tacit_effects_rows_open(tacit_effects_rows *rows, tacit_reader *reader,
                                     size_t features, tacit_pool *pool,
                                     const tacit_key *key, tacit_error *err) {
  size_t workers = tacit_pool_workers(pool);
  *rows = (tacit_effects_rows){.reader = reader, .features = features, .pool = pool};
  if (reader->roster != NULL) { /* person after person */
    TACIT_TRY(tacit_roster_line_up(reader->roster, key, err));
    rows->roster = reader->roster;
    TACIT_TRY(tacit_order_of_roster(reader->roster, &rows->order, err));
    TACIT_TRY(TACIT_RAW_NEW(rows->raw_unit_rows, TACIT_CURSOR_ROWS, err));
  }
  TACIT_TRY(tacit_reader_cursor(reader, rows->order, workers, ROWS_PER_BLOCK,
                                &rows->cursor, err));
  tacit_cursor *below = rows->cursor;
  if (reader->keep_max <= 0) return TACIT_OK;
  rows->cursor = NULL;
  return tacit_keep_new(below, workers, reader->rows, reader->keep_max, &rows->cursor,
                        err);
}

void tacit_effects_rows_close(tacit_effects_rows *rows) {
  tacit_keep_drop(rows->cursor, rows->pool);
  tacit_cursor_free(rows->cursor);
  tacit_order_free(rows->order);
  tacit_raw_free(rows->raw_unit_rows);
  *rows = (tacit_effects_rows){0};
}

struct pass {
  tacit_effects_rows *rows;
  tacit_effects_fn add;
  void *context;
  tacit_error *errors; /* first failure of each worker, and where it was */
  int64_t *failed_at;
};

static tacit_status add_next(const struct pass *pass, size_t worker, int *out_more,
                             tacit_error *err) {
  tacit_effects_rows *rows = pass->rows;
  tacit_cursor_rows next;
  TACIT_TRY(tacit_cursor_next(rows->cursor, worker, &next, err));
  *out_more = next.batch->n_rows > 0;
  if (!*out_more) return TACIT_OK;
  TACIT_TRY(tacit_batch_check(next.batch, rows->features, 1, err));
  tacit_batch batch = *next.batch;
  if (rows->roster != NULL)
    batch.raw_unit_rows = tacit_roster_shares(rows->roster, next.places, batch.n_rows,
                                              rows->raw_unit_rows);
  return pass->add(pass->context, worker, &batch, err);
}

static void add_task(void *context, size_t task, size_t worker) {
  const struct pass *pass = context;
  int more = pass->errors[worker].status == TACIT_OK;
  (void)task;
  while (more) {
    if (add_next(pass, worker, &more, &pass->errors[worker]) == TACIT_OK) continue;
    pass->failed_at[worker] = tacit_cursor_reached(pass->rows->cursor, worker);
    return;
  }
}

/* Returns the failure with the lowest place, which does not depend on the number of
   threads. */
static tacit_status first_failure(const struct pass *pass, size_t workers,
                                  tacit_error *err) {
  const tacit_error *first = NULL;
  int64_t place = INT64_MAX;
  for (size_t i = 0; i < workers; ++i) {
    if (pass->errors[i].status == TACIT_OK || pass->failed_at[i] >= place) continue;
    first = &pass->errors[i];
    place = pass->failed_at[i];
  }
  if (first == NULL) return TACIT_OK;
  return tacit_fail(err, first->status, "%s", first->message);
}

static tacit_status run_pass(struct pass *pass, tacit_error *err) {
  tacit_effects_rows *rows = pass->rows;
  size_t workers = tacit_pool_workers(rows->pool);
  tacit_keep_begin(rows->cursor);
  if (rows->has_read && !tacit_keep_is_whole(rows->cursor))
    TACIT_TRY(tacit_reader_rewind(rows->reader, err));
  rows->has_read = 1;
  TACIT_TRY(tacit_cursor_range(rows->cursor, 0, rows->reader->rows, err));
  if (rows->roster == NULL)
    tacit_pool_run(rows->pool, workers, add_task, pass);
  else
    add_task(pass, 0, 0);
  TACIT_TRY(first_failure(pass, workers, err));
  tacit_keep_end(rows->cursor);
  return tacit_reader_check(rows->reader, err);
}

tacit_status tacit_effects_pass(tacit_effects_rows *rows, tacit_effects_fn add,
                                void *context, tacit_error *err) {
  size_t workers = tacit_pool_workers(rows->pool);
  struct pass pass = {.rows = rows, .add = add, .context = context};
  pass.errors = tacit_array_new(workers, sizeof *pass.errors);
  pass.failed_at = tacit_array_new(workers, sizeof *pass.failed_at);
  tacit_status status = pass.errors == NULL || pass.failed_at == NULL
                            ? tacit_fail_memory(err)
                            : run_pass(&pass, err);
  tacit_array_free(pass.errors);
  tacit_array_free(pass.failed_at);
  if (status != TACIT_OK) tacit_reader_first_fault(rows->reader, err);
  return status;
}
