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
 * A stream makes one model per day (or hour, or week) under one budget. Its horizon,
 * the number of its rounds, is declared at the start; every round has the rows of a new
 * day and ends with a new model. All models together have the privacy that each of them
 * states (docs/howto/stream.md).
 *
 * The state is a sealed file, which holds sums without noise. With mechanism blt its
 * size does not depend on the number of rounds. Every round begins with a record of its
 * rows in that file. So a process that is killed at any moment can feed the same rows
 * again and gets the same model, bit for bit. Other rows for a round that was begun are
 * refused, because a second answer was not paid for. A refusal tells whether rows are
 * the same, so feeding is for the data holder and must not be offered as a service.
 */
typedef struct tacit_stream tacit_stream;

typedef struct tacit_stream_options {
  size_t struct_size;
  const char *path;     /**< file of the state; NULL keeps the state in memory until
                             tacit_stream_free */
  const char *key_file; /**< file of 32 bytes or more that no one else can read;
                             required with path */
  int64_t horizon;      /**< number of all rounds, 1 to 2^30; required */
  int64_t batch_rows;   /**< rows (persons) of an ordinary day; required. Sums of
                           every day are divided by it. A day may have at most 16 times
                           as many plus 1000 */
  int64_t window;       /**< rounds after which sums begin anew, or 0 for never */
  bool units; /**< true if rows belong to persons and the data has their ids; set also
                   if the schema names a column of ids */
  bool unit_once;     /**< true to keep the persons of earlier days, as keyed digests in
                          PATH.persons. Their rows then count nothing on later days */
  const char *ledger; /**< ledger that pays for all rounds, or NULL. It also notices an
                           old copy of the state */
  const char *dataset; /**< data set of the ledger */
  const char *note;    /**< line that the ledger keeps with the entry, or NULL; is not
                          part of the state */
  double evaluate; /**< share of mu^2 for scores, 0 to 0.5. Every day the latest model
                        is evaluated on the rows of the day before they are learned, and
                        the result is released (tacit_stream_score). 0 means no
                        scores */
} tacit_stream_options;

/** Fills in the size. All other fields become 0 or NULL. */
TACIT_API void tacit_stream_options_init(tacit_stream_options *options);

/**
 * Begins a stream. The config says what is learned and how: schema, loss, budget,
 * learner, mechanism (blt, the default, or tree). Rows, batch, units, shuffled and the
 * preset (anytime) follow from the options; delta is by default the smaller of 1e-6 and
 * 1/(horizon batch_rows)^2. A stream takes no initial models, start points, groups,
 * checkpoints, tables of your own, several passes or centre. Returns TACIT_EPRIVACY if
 * PATH exists.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_stream_init(const tacit_stream_options *options, const tacit_config *config,
                  tacit_stream **out, tacit_error *err);
/** Plans a stream with these options, and makes its statement. Writes and reads
    nothing. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_stream_plan(const tacit_stream_options *options, const tacit_config *config,
                  tacit_plan **out, tacit_error *err);
/** Opens the state of a stream and locks it. With `threads` 0 it uses all cores. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_open(const char *path,
                                                         const char *key_file,
                                                         unsigned threads,
                                                         tacit_stream **out,
                                                         tacit_error *err);
/** Frees the memory and the lock; the state stays in its file. NULL is allowed. */
TACIT_API void tacit_stream_free(tacit_stream *stream);

/** Returns the schema that the rows of every day have. */
TACIT_API const tacit_schema *tacit_stream_schema(const tacit_stream *stream);

/**
 * Feeds a day and returns the model after it. `reader` has the rows and must be able to
 * read twice; NULL means a day without rows.
 *
 * With the number of the day as `round`, counted from 1, feeding is safe to repeat: the
 * last day gives its model again if its rows are the same, and fails with
 * TACIT_EPRIVACY if they are not. With `round` 0 the rows are for the next day, or for
 * the last day if it had the same rows. If rounds before `round` were missed, `skip`
 * must be true, and the missed rounds have no rows.
 *
 * Rows that cannot be read are an error before the round is begun: correct them and
 * feed again. After an error that says so, open the stream again.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_feed(tacit_stream *stream,
                                                         tacit_reader *reader,
                                                         int64_t round, bool skip,
                                                         tacit_model **out,
                                                         tacit_error *err);
/** Returns the model after the last round that was fed. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_model(const tacit_stream *stream,
                                                          tacit_model **out,
                                                          tacit_error *err);

/**
 * Returns the quality of the model before the last day, measured on the rows of the
 * last day, as the JSON of tacit_evaluation_json. It is released with noise and paid
 * for by the share `evaluate` of the budget. Returns NULL if there is no score, for
 * example after a day without rows. The text is valid until the next feed.
 */
TACIT_API const char *tacit_stream_score(const tacit_stream *stream);

/** The state of a stream. All fields are public. */
typedef struct tacit_stream_status {
  size_t struct_size;
  int64_t round;       /**< number of the last round that was fed, or 0 */
  int64_t horizon;     /**< number of all rounds */
  int64_t batch_rows;  /**< rows or persons of an ordinary day */
  int64_t window;      /**< window of the options */
  int64_t rows;        /**< rows or persons of all days so far */
  int64_t state_bytes; /**< size of the state file, without the file of persons */
  bool begun;          /**< true if the next round was begun: feed its rows again */
  bool closed;
  bool persons;         /**< true if rows and batch_rows count persons */
  double noise;         /**< standard deviation in a coordinate of the last mean
                             gradient */
  const char *ledger;   /**< ledger of the options, or NULL; valid as long as the
                             stream */
  int64_t ledger_entry; /**< entry in the ledger, or 0 */
  const char *dataset;  /**< data set of the ledger, or NULL; valid as long as the
                             stream */
} tacit_stream_status;

/** Writes the status. out->struct_size must say how much of it the caller knows. */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_look(const tacit_stream *stream,
                                                         tacit_stream_status *out,
                                                         tacit_error *err);
/** Return the statement of all models, as JSON, and as text for people. Valid as long
   as the stream. */
TACIT_API const tacit_statement *tacit_stream_statement(const tacit_stream *stream);
TACIT_API const char *tacit_stream_statement_json(const tacit_stream *stream);
TACIT_API const char *tacit_stream_statement_text(const tacit_stream *stream);

/**
 * Ends the stream: nothing can be fed afterwards. The whole budget stays spent, unless
 * no round was begun: then a ledger gets it back.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_stream_close(tacit_stream *stream,
                                                          tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
