/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_ARCHIVE_H
#define TACIT_RUN_ARCHIVE_H

#include <jansson.h>

#include "base/archive.h"
#include "run/run.h"

/* What a stream needs of a run: one that stops after any round and goes on later, in
   another process. extra/stream owns the key and sees to it that no round is released
   twice with different rows. */

/* Makes a run of a stream under a key that the caller keeps. Copies `key`. */
tacit_status tacit_train_of_stream(const tacit_config *config, const tacit_days *days,
                                   const tacit_key *key, tacit_train **out,
                                   tacit_error *err);
/* Counts, saves or loads a run between rounds. Loading is for a new run with the same
   options and key. TACIT_EINVAL if the mechanism or the learner cannot be saved. */
tacit_status tacit_train_archive(tacit_train *train, tacit_archive *raw_archive,
                                 tacit_error *err);

/* run/run.c: adds all rows of a reader, or of its persons, to the open round. */
tacit_status tacit_round_read(tacit_train *train, tacit_reader *reader,
                              tacit_error *err);
/* run/round.c: joins what the threads added; the sum is then in partials[0]. */
tacit_status tacit_round_merge(tacit_train *train, tacit_error *err);
/* Empties the open round: rows that were added did not count. */
tacit_status tacit_round_empty(tacit_train *train, tacit_error *err);
/* run/model.c: the model at x_t. `about` (borrowed) is added to how it was trained. */
tacit_status tacit_train_model(const tacit_train *train, json_t *about,
                               tacit_model **out, tacit_error *err);

#endif
