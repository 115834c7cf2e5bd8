/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_ARCHIVE_H
#define TACIT_RUN_ARCHIVE_H

#include <jansson.h>

#include "base/archive.h"
#include "run/run.h"

/* What a stream needs of a run that stops after any round and continues later, in
   another process. extra/stream owns the key and makes sure that no round is released
   twice with different rows. */

/* Makes a run of a stream under a key that the caller keeps. Copies `key`. */
tacit_status tacit_train_of_stream(const tacit_config *config, const tacit_days *days,
                                   const tacit_key *key, tacit_train **out,
                                   tacit_error *err);
/* Counts, saves or loads a run between rounds. Loading needs a new run with equal
   options and key. Returns TACIT_EINVAL if the mechanism or the learner cannot be
   saved. */
tacit_status tacit_train_archive(tacit_train *train, tacit_archive *raw_archive,
                                 tacit_error *err);

/* Adds all rows of a reader, or of its persons, to the open round (run/run.c). */
tacit_status tacit_round_read(tacit_train *train, tacit_reader *reader,
                              tacit_error *err);
/* Joins what the threads added; the sum is then in partials[0] (run/round.c). */
tacit_status tacit_round_merge(tacit_train *train, tacit_error *err);
/* Empties the open round, as if no row had been added. */
tacit_status tacit_round_empty(tacit_train *train, tacit_error *err);
/* Makes the model at x_t (run/model.c). `about`, which is borrowed and may be NULL, is
   added to the text that says how it was trained. */
tacit_status tacit_train_model(const tacit_train *train, json_t *about,
                               tacit_model **out, tacit_error *err);

#endif
