/* SPDX-License-Identifier: MIT */
/* A whole run from a reader: pass after pass, round after round. */
#include "base/error.h"
#include "engine/train.h"

static tacit_status run_passes(tacit_train *train, tacit_reader *reader,
                               tacit_error *err) {
  for (int pass = tacit_train_skip_passes(train); pass <= train->plan->passes; ++pass) {
    if (pass > 1) TACIT_TRY(tacit_reader_rewind(reader, err));
    for (;;) {
      const tacit_batch *batch = NULL;
      TACIT_TRY(tacit_reader_next(reader, &batch, err));
      if (batch->n_rows == 0) break;
      TACIT_TRY(tacit_train_feed(train, batch, err));
    }
    /* Every pass must be whole before the next begins: rounds count on it. */
    if (train->rows_fed != pass * train->plan->rows) {
      return tacit_fail(err, TACIT_EDATA,
                        "a pass has other than the %lld rows declared",
                        (long long)train->plan->rows);
    }
  }
  return TACIT_OK;
}

tacit_status tacit_train_run(tacit_train *train, tacit_reader *reader,
                             tacit_error *err) {
  if (train == NULL || reader == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_train_alive(train, err));
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
    return tacit_train_kill(train,
                            tacit_fail(err, TACIT_EDATA,
                                       "the reader has %lld rows, %lld are declared",
                                       (long long)rows, (long long)train->plan->rows));
  }
  tacit_status status = tacit_train_begin(train, tacit_reader_identity(reader), 1, err);
  if (status == TACIT_OK) status = run_passes(train, reader, err);
  return status == TACIT_OK ? status : tacit_train_kill(train, status);
}
