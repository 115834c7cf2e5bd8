/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_STREAM_STREAM_H
#define TACIT_EXTRA_STREAM_STREAM_H

#include <jansson.h>
#include <tacit/extra/stream.h>

#include "checkpoint/file.h"
#include "data/bytes/content_hash.h"
#include "run/archive.h"

enum {
  TACIT_STREAM_DIGEST = 16,
  TACIT_STREAM_NAME = 2 * TACIT_STREAM_DIGEST + 1,
  TACIT_STREAM_VERSION_BYTES = 32
};

/* The facts about a round's rows. Both digests are keyed. */
typedef struct tacit_stream_day {
  int64_t round, count;                           /* count: rows or persons */
  unsigned char raw_content[TACIT_STREAM_DIGEST]; /* of the files; all 0 if no rows
                                                     came */
  unsigned char raw_sums[TACIT_STREAM_DIGEST];    /* of the integers to be released */
} tacit_stream_day;

/* The fixed part of the state. */
typedef struct tacit_stream_head {
  tacit_key key; /* key of the stream, for noise and digests */
  char version[TACIT_STREAM_VERSION_BYTES];
  unsigned char plan[TACIT_STREAM_DIGEST]; /* digest of the facts that the rounds are
                                              planned with */
  int64_t window;                          /* number of the current window, from 0 */
  int64_t round;                           /* rounds fed in all windows */
  int64_t rows;                            /* rows or persons of these rounds */
  int64_t rows_window;                     /* rows or persons of the current window */
  int64_t ledger_entry;
  tacit_stream_day last;                    /* last round that was fed; its round is 0
                                               if nothing was fed */
  uint64_t seen_records;                    /* records in the file of persons */
  unsigned char seen_tag[TACIT_SEALED_TAG]; /* tag of the last of these records */
} tacit_stream_head;

/* The persons of earlier days, as digests in memory and in a file. */
typedef struct tacit_seen {
  tacit_checkpoint_file file;
  tacit_roster *roster; /* the digests: persons without rows */
} tacit_seen;

struct tacit_stream {
  tacit_stream_options options; /* options in the state, without path and key file;
                                   strings belong to `about` */
  char *path, *key_file;
  json_t *about; /* options and config, as stored in the state */
  char *about_text;
  tacit_config config; /* config of a window; its strings belong to `about` */
  tacit_days days;
  tacit_schema *schema;
  double *class_weights;
  double *start; /* point where this window began, or NULL for zero */
  size_t start_count;
  tacit_stream_head head;
  tacit_stream_day begun; /* the open round head.round + 1; its round is 0 if nothing
                             was begun */
  tacit_checkpoint_file file;
  tacit_seen *seen;   /* NULL without unit_once */
  tacit_train *train; /* run of the window, with the next round open in it unless all
                         are done */
  char *score;        /* JSON of the score on the last day, or NULL */
  int64_t state_bytes;
  int closed;
  int dead; /* 1 after a failure in a round that was begun */
};

/* extra/stream/options.c: turns options and config into JSON, and back. Returns
   TACIT_EINVAL for parts of a config that a state cannot hold. tacit_stream_recall sets
   up the config of the stream for one window. */
tacit_status tacit_stream_describe(const tacit_stream_options *options,
                                   const tacit_config *config, json_t **out,
                                   tacit_error *err);
tacit_status tacit_stream_recall(tacit_stream *stream, tacit_error *err);

/* extra/stream/stream.c: names the stream in its models and in a ledger, by a digest of
   its secret key. Models of one stream share a guarantee, models of two streams do not.
   Writes TACIT_STREAM_NAME bytes. */
void tacit_stream_name(const tacit_stream *stream, char *out);

/* extra/stream/state.c: makes a new run for the window, before its first round. */
tacit_status tacit_stream_start_window(tacit_stream *stream, tacit_error *err);
/* Writes the state. The run must be between rounds. */
tacit_status tacit_stream_save(tacit_stream *stream, tacit_error *err);
/* Reads the state and the round that was begun. The run is then between rounds. */
tacit_status tacit_stream_load(tacit_stream *stream, tacit_error *err);
/* Writes the write-ahead record of a round. Once it returns, the round may be
   released. */
tacit_status tacit_stream_log_day(tacit_stream *stream, const tacit_stream_day *day,
                                  tacit_error *err);
/* Records in the file that the stream is closed. */
tacit_status tacit_stream_seal(tacit_stream *stream, tacit_error *err);
/* Stores the digest of the plan in the head. */
void tacit_stream_note_plan(tacit_stream *stream);
/* Opens the next round unless all rounds are done. The point x of the run is then the
   model. */
tacit_status tacit_stream_open_round(tacit_stream *stream, tacit_error *err);

/* extra/stream/seen.c: opens the file of persons, which is new or must match the
   head. */
tacit_status tacit_seen_open(tacit_stream *stream, int is_new, tacit_error *err);
void tacit_seen_free(tacit_seen *seen);
/* Leaves out the rows of persons who came in an earlier round. Returns the digests of
   the others in *raw_new, for tacit_seen_store; the caller frees them. */
tacit_status tacit_seen_leave_out(tacit_stream *stream, tacit_roster *roster,
                                  unsigned char **raw_new, size_t *out_count,
                                  tacit_error *err);
/* Stores the persons who are new in a round. They count as seen from the next round
   on. */
tacit_status tacit_seen_store(tacit_stream *stream, int64_t round,
                              const unsigned char *raw_new, size_t count,
                              tacit_error *err);

#endif
