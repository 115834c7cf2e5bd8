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

/* What is known of a round's rows. Both digests are keyed. */
typedef struct tacit_stream_day {
  int64_t round, count;                           /* rows or persons */
  unsigned char raw_content[TACIT_STREAM_DIGEST]; /* of the files; 0: no rows came */
  unsigned char raw_sums[TACIT_STREAM_DIGEST];    /* of the integers to be released */
} tacit_stream_day;

/* The fixed part of the state. */
typedef struct tacit_stream_head {
  tacit_key key; /* of the stream: noise, digests */
  char version[TACIT_STREAM_VERSION_BYTES];
  unsigned char plan[TACIT_STREAM_DIGEST]; /* what the rounds are planned with */
  int64_t window;                          /* number of the one at work, from 0 */
  int64_t round;                           /* rounds fed in all windows */
  int64_t rows;                            /* in them; persons if these are the unit */
  int64_t rows_window;                     /* in this window */
  int64_t ledger_entry;
  tacit_stream_day last;                    /* round 0: nothing was fed */
  uint64_t seen_records;                    /* of the file of persons */
  unsigned char seen_tag[TACIT_SEALED_TAG]; /* of the last of them */
} tacit_stream_head;

/* Who has been there. */
typedef struct tacit_seen {
  tacit_checkpoint_file file;
  unsigned char (*raw_slots)[TACIT_STREAM_DIGEST]; /* an open table; zeros: free */
  size_t n_slots, count;
} tacit_seen;

struct tacit_stream {
  tacit_stream_options options; /* of the state: no path; strings belong to `about` */
  char *path, *key_file;
  json_t *about; /* options and config, as the state has them */
  char *about_text;
  tacit_config config; /* of a window; its strings belong to `about` */
  tacit_schema *schema;
  double *class_weights;
  double *start; /* where this window began; NULL: at zero */
  size_t start_count;
  tacit_stream_head head;
  tacit_stream_day begun; /* its round is head.round + 1, or nothing was begun */
  tacit_checkpoint_file file;
  tacit_seen *seen;   /* NULL: nobody asks */
  tacit_train *train; /* the next round is open in it, unless all are done */
  char *score;        /* of the model before the last day, JSON; NULL: none */
  int64_t state_bytes;
  int closed;
  int dead; /* a failure after a round was begun */
};

/* extra/stream/options.c: options and config as JSON, and back. TACIT_EINVAL for parts
   of a config that a state cannot hold. The config of a stream is set up for its
   windows. */
tacit_status tacit_stream_describe(const tacit_stream_options *options,
                                   const tacit_config *config, json_t **out,
                                   tacit_error *err);
tacit_status tacit_stream_recall(tacit_stream *stream, tacit_error *err);

/* extra/stream/stream.c: names the stream in its models and in a ledger, by a digest of
   its secret key. Models of one stream share a guarantee, models of two streams do not.
   Writes TACIT_STREAM_NAME bytes. */
void tacit_stream_name(const tacit_stream *stream, char *out);

/* extra/stream/state.c: a new run for the window, at its first round. */
tacit_status tacit_stream_start_window(tacit_stream *stream, tacit_error *err);
/* Writes the state; the run is between rounds. */
tacit_status tacit_stream_save(tacit_stream *stream, tacit_error *err);
/* Reads the state and what was begun; the run is then between rounds. */
tacit_status tacit_stream_load(tacit_stream *stream, tacit_error *err);
/* The write-ahead record. When it returns, the round may be released. */
tacit_status tacit_stream_log_day(tacit_stream *stream, const tacit_stream_day *day,
                                  tacit_error *err);
/* Ends the stream in its file. */
tacit_status tacit_stream_seal(tacit_stream *stream, tacit_error *err);
/* Notes in the head what the rounds are planned with. */
void tacit_stream_note_plan(tacit_stream *stream);
/* Opens the next round, if there is one: x is then the model. */
tacit_status tacit_stream_open_round(tacit_stream *stream, tacit_error *err);

/* extra/stream/seen.c: the file of persons, new or as the head says. */
tacit_status tacit_seen_open(tacit_stream *stream, int is_new, tacit_error *err);
void tacit_seen_free(tacit_seen *seen);
/* Leaves out the rows of persons who came in an earlier round, and stores the others
   (their number in head->seen_records and seen_tag is set by the caller's save). */
tacit_status tacit_seen_leave_out(tacit_stream *stream, tacit_roster *roster,
                                  unsigned char **raw_new, size_t *out_count,
                                  tacit_error *err);
/* Stores the persons who are new in a round; they count as seen from the next on. */
tacit_status tacit_seen_store(tacit_stream *stream, int64_t round,
                              const unsigned char *raw_new, size_t count,
                              tacit_error *err);

#endif
