/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_STREAM_H
#define TACIT_EXTRA_STREAM_H

#include <stdint.h>
#include <tacit/config.h>
#include <tacit/model.h>
#include <tacit/plan.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A stream makes a model a day (or hour, or week) under one budget. Its horizon, the
 * number of its rounds, is declared at the start; every round has the rows of a new
 * day and ends with a new model. All models together have the privacy that each of them
 * states (docs/howto/stream.md).
 *
 * The state is a sealed file, of a size that does not depend on the rounds with
 * mechanism blt. It holds sums without noise. Every round is begun by a record of its
 * rows in that file, so that a process that is killed at any moment can feed the same
 * rows again and gets the same model, bit for bit, while other rows for a round that
 * was begun are refused: a second answer was not paid for. Whether rows are refused
 * says whether they are the same: feeding is for the data holder, never a service.
 */
typedef struct tacit_stream tacit_stream;

typedef struct tacit_stream_options {
  size_t struct_size;
  const char *path;     /**< the state; NULL: in memory only, and gone with it */
  const char *key_file; /**< 32 bytes or more that no one else can read; with path */
  int64_t horizon;      /**< rounds in all, 1 to 2^30; required */
  int64_t batch_rows;   /**< rows (persons) of an ordinary day; required. Sums are
                           divided by it, whatever a day has. A day may have 16 times as
                           many and 1000 more */
  int64_t window;       /**< sums begin anew after so many rounds; 0: never */
  int units;     /**< 1: rows belong to persons, whose ids the data has; also if the
                    schema names a column of ids */
  int unit_once; /**< 1: keeps who has been there, as keyed digests in PATH.persons.
                    Rows of a person who came on an earlier day count nothing */
  const char *ledger;  /**< takes the budget of all rounds from this ledger, which also
                          notices an old copy of the state; NULL: none */
  const char *dataset; /**< of the ledger */
  double evaluate; /**< 0 to 0.5: share of mu^2 for scores: every day the model at hand
                      is evaluated on the rows of the day before they are learned, and
                      the result released (tacit_stream_score). 0: no scores */
} tacit_stream_options;

/** Fills in the size; everything else is 0 or NULL. */
TACIT_API void tacit_stream_options_init(tacit_stream_options *options);

/**
 * Begins a stream. The config says what is learned and how: schema, loss, budget,
 * learner, mechanism (blt, the default, or tree). Rows, batch, units, shuffled and the
 * preset (anytime) follow from the options; delta is by default the smaller of 1e-6 and
 * 1/(horizon batch_rows)^2. Not for streams: initial models, start points, groups,
 * checkpoints, tables of your own, several passes, centre. TACIT_EPRIVACY if PATH
 * exists.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_stream_init(const tacit_stream_options *options, const tacit_config *config,
                  tacit_stream **out, tacit_error *err);
/** What such a stream would do and state, as a plan. Nothing is written or read. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_stream_plan(const tacit_stream_options *options, const tacit_config *config,
                  tacit_plan **out, tacit_error *err);
/** Opens the state of a stream and locks it. threads: 0 for all cores. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_open(const char *path,
                                                         const char *key_file,
                                                         unsigned threads,
                                                         tacit_stream **out,
                                                         tacit_error *err);
/** Frees the memory and the lock; the state stays in its file. NULL is allowed. */
TACIT_API void tacit_stream_free(tacit_stream *stream);

/** The schema that the rows of every day have. */
TACIT_API const tacit_schema *tacit_stream_schema(const tacit_stream *stream);

/**
 * Feeds a day and returns the model after it. `reader` has the rows; NULL: a day
 * without rows. It must be able to read twice.
 *
 * `round` is the number of the day, from 1. Then feeding is safe to repeat: the day
 * that was fed last gives its model again, and other rows for it are TACIT_EPRIVACY. 0:
 * the next day, or the last one if the rows are those of the last one. If rounds before
 * `round` were missed, `skip` must be 1, and they have no rows.
 *
 * Rows that cannot be read are an error before the round is begun: correct them and
 * feed again. After an error that says so, open the stream again.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_feed(tacit_stream *stream,
                                                         tacit_reader *reader,
                                                         int64_t round, int skip,
                                                         tacit_model **out,
                                                         tacit_error *err);
/** The model after the last round that was fed. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_model(const tacit_stream *stream,
                                                          tacit_model **out,
                                                          tacit_error *err);

/**
 * How well the model before the last day did on the rows of that day, as the JSON of
 * tacit_evaluation_json: released with noise, and paid for by the share `evaluate` of
 * the budget. NULL if there is none, as for a day without rows. Valid until the next
 * feed.
 */
TACIT_API const char *tacit_stream_score(const tacit_stream *stream);

/** Where a stream is. Everything here is public. */
typedef struct tacit_stream_status {
  size_t struct_size;
  int64_t round;       /**< the last one that was fed; 0: none */
  int64_t horizon;     /**< rounds in all */
  int64_t batch_rows;  /**< rows or persons of an ordinary day */
  int64_t window;      /**< 0: none */
  int64_t rows;        /**< rows, or persons, of all days so far */
  int64_t state_bytes; /**< of the state file, without the persons */
  int begun;           /**< 1: the next round was begun: feed its rows again */
  int closed;
  int persons;          /**< 1: rows and batch_rows count persons */
  double noise;         /**< in a coordinate of the last mean gradient */
  const char *ledger;   /**< NULL: none; valid as long as the stream */
  int64_t ledger_entry; /**< 0: none */
  const char *dataset;  /**< of the ledger; NULL: none; valid as long as the stream */
} tacit_stream_status;

/** struct_size says how much of it the caller knows. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_look(const tacit_stream *stream,
                                                         tacit_stream_status *out,
                                                         tacit_error *err);
/** The statement of all models, as JSON and as text; valid as long as the stream. */
TACIT_API const char *tacit_stream_statement_json(const tacit_stream *stream);
TACIT_API const char *tacit_stream_statement_text(const tacit_stream *stream);

/**
 * Ends the stream: nothing can be fed any more. The budget stays spent, all of it; only
 * if no round was begun, a ledger gives it back.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_close(tacit_stream *stream,
                                                          tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
