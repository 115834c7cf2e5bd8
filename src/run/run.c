/* SPDX-License-Identifier: MIT */
/*
 * A whole run over the rows of a reader: the loop of Algorithm 1 (convert/algorithm1.c
 * lists its lines; docs/theory.md has them beside the paper).
 */
#include "run/run.h"

#include "base/error.h"
#include "data/reader/reader.h"
#include "run/rows.h"

static tacit_status run_rounds(tacit_train *train, tacit_row_threads *threads,
                               tacit_error *err) {
  int64_t skipped = tacit_replay_skip_passes(train); /* 0 unless the run is resumed */
  for (int64_t t = 1 + skipped; t <= train->plan->rounds; ++t) {
    TACIT_TRY(tacit_round_open(train, err));        /* line 1: w_t, x_t */
    TACIT_TRY(tacit_row_threads_add(threads, err)); /* line 2: delta_t of every row */
    TACIT_TRY(tacit_round_close(train, err));       /* line 3: release of gbar_t */
                                                    /* line 4: the learner gets it */
    TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

static tacit_status check_reader(const tacit_train *train, const tacit_reader *reader,
                                 tacit_error *err) {
  if (train->plan->passes > 1 && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a pipe can be read once: use 1 pass or a regular file");
  }
  if (train->checkpoint != NULL && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a run from a pipe cannot be resumed: store the rows in a file, "
                      "or drop the checkpoint");
  }
  if (train->rows_fed > 0) {
    return tacit_fail(err, TACIT_ESTATE,
                      "rows were fed already: run takes a fresh run");
  }
  int64_t rows = tacit_reader_rows(reader);
  if (rows >= 0 && rows != train->plan->rows) {
    return tacit_fail(err, TACIT_EDATA, "the reader has %lld rows, %lld are declared",
                      (long long)rows, (long long)train->plan->rows);
  }
  return TACIT_OK;
}

struct run {
  tacit_train *train;
  tacit_reader *reader;
};

static tacit_status run(void *context, tacit_error *err) {
  const struct run *run = context;
  tacit_train *train = run->train;
  tacit_row_threads *threads = NULL;
  TACIT_TRY(check_reader(train, run->reader, err));
  train->is_partitioned = run->reader->store.is_partitioned;
  TACIT_TRY(tacit_replay_bind(train, run->reader, 1, err));
  TACIT_TRY(tacit_row_threads_new(train, run->reader, &threads, err));
  tacit_status status = run_rounds(train, threads, err);
  tacit_row_threads_free(threads);
  return status;
}

tacit_status tacit_train_run(tacit_train *train, tacit_reader *reader,
                             tacit_error *err) {
  if (train == NULL || reader == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_run_alive(train->state, err));
  struct run context = {train, reader};
  tacit_status status = tacit_train_step(train, run, &context, err);
  if (status != TACIT_OK) (void)tacit_reader_kill(reader, status);
  return status;
}
