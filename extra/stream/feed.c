/* SPDX-License-Identifier: MIT */
/*
 * Feeds the days of a stream, each exactly once:
 *
 *   read     adds all rows of the day to integer sums
 *   compare  accepts only the same rows, if the round was begun before
 *   begin    writes ledger, new persons and the write-ahead record to the disk,
 *            before any noise is drawn
 *   score    evaluates the latest model on these rows, if the budget has a share for it
 *   release  adds the noise and takes the step, as any run does
 *   save     replaces the old state by the state after the round
 *
 * The noise is a function of key, round and sums. So a day that was begun and not saved
 * gives the same release again, which tells nothing new, and the same model.
 * Proof: docs/proofs/stream.md
 */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/reader/content.h"
#include "data/reader/reader.h"
#include "extra/evaluate/evaluate.h"
#include "extra/ledger/session.h"
#include "extra/stream/stream.h"

/* A day that is being fed. */
struct day {
  tacit_stream *stream;
  tacit_reader *reader;   /* NULL if the day has no rows */
  tacit_stream_day raw;   /* facts about its rows */
  unsigned char *raw_new; /* digests of the persons who are new */
  size_t n_new;
};

static tacit_status digest_content(struct day *day, tacit_error *err) {
  tacit_stream *stream = day->stream;
  tacit_content content;
  tacit_key raw_key;
  if (day->reader == NULL || day->reader->rows == 0) return TACIT_OK;
  tacit_key_derive(&stream->head.key, "tacit-day-1", &raw_key);
  tacit_status status = tacit_reader_content(day->reader, raw_key.bytes, 0, 1,
                                             stream->train->pool, &content, err);
  tacit_key_wipe(&raw_key);
  if (status == TACIT_OK)
    memcpy(day->raw.raw_content, content.raw_bytes, TACIT_STREAM_DIGEST);
  return status;
}

/* Computes a digest of the integers that the round would release, and of the number of
   rows or persons they sum. With scores it also covers the rows, because other rows
   with equal sums could change the score. */
static void digest_sums(struct day *day) {
  const tacit_sum *sum = day->stream->train->open.partials[0].sum;
  tacit_key raw_key;
  tacit_hash hash;
  tacit_key_derive(&day->stream->head.key, "tacit-sums-1", &raw_key);
  tacit_hash_begin_keyed(&hash, TACIT_STREAM_DIGEST, NULL, raw_key.bytes,
                         sizeof raw_key.bytes);
  tacit_hash_add_number(&hash, (uint64_t)day->raw.round);
  tacit_hash_add_number(&hash, (uint64_t)day->raw.count);
  tacit_hash_add(&hash, tacit_sum_raw_integers(sum),
                 tacit_sum_dim(sum) * sizeof(int64_t));
  if (day->stream->options.evaluate > 0)
    tacit_hash_add(&hash, day->raw.raw_content, TACIT_STREAM_DIGEST);
  tacit_hash_end(&hash, day->raw.raw_sums, TACIT_STREAM_DIGEST);
  tacit_key_wipe(&raw_key);
  sodium_memzero(&hash, sizeof hash);
}

/* Counts the persons of the day. Leaves out the rows of persons of earlier days but
   still counts them: the number of persons is public, and who they are is secret. */
static tacit_status count_persons(struct day *day, tacit_error *err) {
  tacit_stream *stream = day->stream;
  TACIT_TRY(
      tacit_reader_units(day->reader, stream->config.unit_rows, &day->raw.count, err));
  if (stream->seen == NULL) return TACIT_OK;
  if (day->reader->has_hashes)
    return tacit_fail(
        err, TACIT_EINVAL,
        "a cache hides ids under a key of its own, so that persons cannot "
        "be found again: feed the file it was made of");
  return tacit_seen_leave_out(stream, day->reader->roster, &day->raw_new, &day->n_new,
                              err);
}

static tacit_status check_count(const struct day *day, tacit_error *err) {
  const tacit_plan *plan = tacit_train_plan(day->stream->train);
  int64_t max = tacit_plan_day_max(plan);
  int64_t left = tacit_plan_days_max(plan) - day->stream->head.rows_window;
  if (day->raw.count <= max && day->raw.count <= left) return TACIT_OK;
  return tacit_fail(
      err, TACIT_EDATA,
      "the day has %lld %s, and this stream takes at most %lld more: batch-rows was "
      "declared too small for them; begin another stream, or leave rows out",
      (long long)day->raw.count, day->stream->options.units ? "persons" : "rows",
      (long long)(max < left ? max : left));
}

/* Reads the rows into the sums of the open round. Nothing of this leaves the
   process. */
static tacit_status read_rows(struct day *day, tacit_error *err) {
  tacit_train *train = day->stream->train;
  if (day->reader != NULL) {
    day->raw.count = day->reader->rows;
    if (day->reader->rows < 0)
      return tacit_fail(err, TACIT_EINVAL,
                        "a day is read twice, and a pipe cannot be: feed a file");
    if (day->stream->options.units && day->raw.count > 0)
      TACIT_TRY(count_persons(day, err));
    TACIT_TRY(check_count(day, err));
    TACIT_TRY(tacit_round_read(train, day->reader, err));
  }
  TACIT_TRY(tacit_round_merge(train, err));
  digest_sums(day);
  return TACIT_OK;
}

/* Fails if a round was begun with other rows, because a second answer is not paid for.
   Equal sums suffice without scores. With scores the rows must be equal, because other
   rows with equal sums could change the score. */
static tacit_status compare_begun(const struct day *day, tacit_error *err) {
  const tacit_stream_day *begun = &day->stream->begun;
  int same_sums =
      begun->count == day->raw.count &&
      sodium_memcmp(begun->raw_sums, day->raw.raw_sums, TACIT_STREAM_DIGEST) == 0;
  int same_rows =
      sodium_memcmp(begun->raw_content, day->raw.raw_content, TACIT_STREAM_DIGEST) == 0;
  if (begun->round == 0 ||
      (same_sums && (same_rows || day->stream->options.evaluate == 0)))
    return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "round %lld was begun with other rows: feed it those, which gives "
                    "the model they had; a second answer is not in the budget",
                    (long long)begun->round);
}

/* Writes all that must be on the disk before the release. */
static tacit_status write_ahead(struct day *day, tacit_error *err) {
  tacit_stream *stream = day->stream;
  const tacit_stream_options *options = &stream->options;
  char digest[2 * TACIT_STREAM_DIGEST + 1], name[TACIT_STREAM_NAME];
  sodium_bin2hex(digest, sizeof digest, day->raw.raw_sums, TACIT_STREAM_DIGEST);
  tacit_stream_name(stream, name);
  if (options->ledger != NULL)
    TACIT_TRY(tacit_ledger_advance(options->ledger, stream->head.ledger_entry, name,
                                   day->raw.round, digest, err));
  stream->dead = 1; /* until the round is saved */
  if (stream->seen != NULL)
    TACIT_TRY(tacit_seen_store(stream, day->raw.round, day->raw_new, day->n_new, err));
  if (stream->begun.round > 0) return TACIT_OK;
  return tacit_stream_log_day(stream, &day->raw, err);
}

/* Derives the key for the score of this round alone. */
static void score_key(const struct day *day, tacit_key *out) {
  const tacit_key *raw_key = &day->stream->head.key;
  tacit_hash hash;
  tacit_hash_begin_keyed(&hash, sizeof out->bytes, "tacit-score-1", raw_key->bytes,
                         sizeof raw_key->bytes);
  tacit_hash_add_number(&hash, (uint64_t)day->raw.round);
  tacit_hash_end(&hash, out->bytes, sizeof out->bytes);
  sodium_memzero(&hash, sizeof hash);
}

static tacit_status evaluate(struct day *day, const tacit_model *model,
                             tacit_error *err) {
  const tacit_plan *plan = tacit_train_plan(day->stream->train);
  tacit_evaluation_options options;
  tacit_evaluation *evaluation = NULL;
  tacit_key raw_key;
  tacit_evaluation_options_init(&options);
  options.epsilon = 0;
  options.mu = plan->score_mu;
  options.delta = plan->delta;
  options.adjacency = plan->config.adjacency;
  /* A run that is not private must make no score that claims to be private. */
  options.seeded = plan->config.seeded || !tacit_model_statement(model)->is_private;
  options.absent = plan->days.unit_once;
  TACIT_TRY(tacit_evaluation_new(model, day->reader, &options, &evaluation, err));
  score_key(day, &raw_key);
  tacit_status status =
      tacit_evaluation_run_key(evaluation, day->reader, &raw_key, err);
  tacit_key_wipe(&raw_key);
  if (status == TACIT_OK) {
    day->stream->score = tacit_string_copy(tacit_evaluation_json(evaluation));
    if (day->stream->score == NULL) status = tacit_fail_memory(err);
  }
  tacit_evaluation_free(evaluation);
  return status;
}

/* Evaluates the latest model on the rows of the day, which it has not seen. */
static tacit_status score_rows(struct day *day, tacit_error *err) {
  tacit_stream *stream = day->stream;
  tacit_model *model = NULL;
  tacit_array_free(stream->score);
  stream->score = NULL;
  if (stream->options.evaluate == 0 || day->raw.count == 0) return TACIT_OK;
  TACIT_TRY(tacit_stream_model(stream, &model, err));
  tacit_status status = evaluate(day, model, err);
  tacit_model_free(model);
  return status;
}

/* Begins the next window, if this one is over, at the point where this one ended. */
static tacit_status next_window(tacit_stream *stream, tacit_error *err) {
  size_t dim = stream->train->plan->dim;
  if (stream->train->state != TACIT_RUN_COMPLETE ||
      stream->head.round == stream->options.horizon)
    return TACIT_OK;
  if (stream->start == NULL) stream->start = tacit_array_new(dim, sizeof(double));
  if (stream->start == NULL) return tacit_fail_memory(err);
  stream->start_count = dim;
  memcpy(stream->start, tacit_algorithm1_x(stream->train->algorithm1),
         dim * sizeof(double));
  ++stream->head.window;
  stream->head.rows_window = 0;
  return tacit_stream_start_window(stream, err);
}

static tacit_status release(struct day *day, tacit_error *err) {
  tacit_stream *stream = day->stream;
  tacit_train *train = stream->train;
  tacit_partial *sum = &train->open.partials[0];
  sum->rows = day->raw.count;
  sum->has_digest = 0;
  TACIT_TRY(tacit_round_close_with(train, sum, err));
  sum->rows = 0;
  stream->head.round = day->raw.round;
  stream->head.rows += day->raw.count;
  stream->head.rows_window += day->raw.count;
  stream->head.last = day->raw;
  TACIT_TRY(next_window(stream, err));
  TACIT_TRY(tacit_stream_save(stream, err));
  TACIT_TRY(tacit_stream_open_round(stream, err));
  stream->dead = 0;
  return TACIT_OK;
}

static tacit_status feed_round(tacit_stream *stream, tacit_reader *reader,
                               const unsigned char *raw_content, tacit_error *err) {
  struct day day = {.stream = stream, .reader = reader};
  tacit_error first = {TACIT_OK, ""};
  day.raw.round = stream->head.round + 1;
  if (raw_content != NULL)
    memcpy(day.raw.raw_content, raw_content, TACIT_STREAM_DIGEST);
  tacit_status status = read_rows(&day, &first);
  if (status == TACIT_OK) status = compare_begun(&day, &first);
  if (status == TACIT_OK) status = write_ahead(&day, &first);
  if (status == TACIT_OK) status = score_rows(&day, &first);
  if (status == TACIT_OK) status = release(&day, &first);
  if (status != TACIT_OK && !stream->dead &&
      tacit_round_empty(stream->train, NULL) != 0)
    stream->dead = 1;
  if (status != TACIT_OK && err != NULL) *err = first;
  tacit_raw_free(day.raw_new);
  sodium_memzero(&day, sizeof day);
  return status;
}

static tacit_status fail_last(const tacit_stream *stream, tacit_error *err) {
  return tacit_fail(err, TACIT_EPRIVACY,
                    "round %lld was fed with other rows: a second answer is not in the "
                    "budget; round %lld is next",
                    (long long)stream->head.round, (long long)stream->head.round + 1);
}

/* Finds which round the rows are for. Sets *out_again to 1 if that round was fed with
   the same rows. */
static tacit_status find_round(const tacit_stream *stream, const struct day *day,
                               int64_t *round, int skip, int *out_again,
                               tacit_error *err) {
  const tacit_stream_day *last = &stream->head.last;
  int64_t next = stream->head.round + 1, rows = 0;
  if (day->reader != NULL) rows = day->reader->rows;
  int same = last->round > 0 && sodium_memcmp(last->raw_content, day->raw.raw_content,
                                              TACIT_STREAM_DIGEST) == 0;
  *out_again = 0;
  if (*round == 0 && same && rows == 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "a day without rows after another: give its round, so that one "
                      "day is not taken for two");
  if (*round == 0) *round = same ? next - 1 : next;
  if (*round < 1 || *round < next - 1)
    return tacit_fail(err, TACIT_EINVAL, "round %lld is over: round %lld is next",
                      (long long)*round, (long long)next);
  if (*round == next - 1) {
    *out_again = same;
    return same ? TACIT_OK : fail_last(stream, err);
  }
  if (!stream->closed && next <= stream->options.horizon &&
      *round > stream->options.horizon)
    return tacit_fail(err, TACIT_EINVAL,
                      "round %lld is next, and the stream has %lld rounds, not %lld",
                      (long long)next, (long long)stream->options.horizon,
                      (long long)*round);
  if (stream->closed || *round > stream->options.horizon)
    return tacit_fail(err, TACIT_EBUDGET,
                      stream->closed
                          ? "the stream is closed: a new one has its own budget"
                          : "the stream has had its %lld rounds: a new one has its own "
                            "budget",
                      (long long)stream->options.horizon);
  if (*round == next || skip) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "round %lld is next, not %lld: skip the days between (--skip) if "
                    "they had no rows",
                    (long long)next, (long long)*round);
}

static tacit_status feed(tacit_stream *stream, tacit_reader *reader, int64_t round,
                         int skip, tacit_error *err) {
  struct day day = {.stream = stream, .reader = reader};
  int again = 0;
  TACIT_TRY(digest_content(&day, err));
  TACIT_TRY(find_round(stream, &day, &round, skip, &again, err));
  if (again) return TACIT_OK;
  while (stream->head.round + 1 < round)
    TACIT_TRY(feed_round(stream, NULL, NULL, err));
  return feed_round(stream, reader, day.raw.raw_content, err);
}

tacit_status tacit_stream_feed(tacit_stream *stream, tacit_reader *reader,
                               int64_t round, bool skip, tacit_model **out,
                               tacit_error *err) {
  if (stream == NULL) return tacit_fail(err, TACIT_EINVAL, "no stream");
  if (stream->dead)
    return tacit_fail(err, TACIT_ESTATE,
                      "a round was begun and not finished: open the stream again, and "
                      "feed the same rows");
  TACIT_TRY(feed(stream, reader, round, skip, err));
  return out != NULL ? tacit_stream_model(stream, out, err) : TACIT_OK;
}

tacit_status tacit_stream_close(tacit_stream *stream, tacit_error *err) {
  if (stream == NULL) return tacit_fail(err, TACIT_EINVAL, "no stream");
  const char *ledger = stream->options.ledger;
  int was_closed = stream->closed;
  int unused = stream->head.round == 0 && stream->begun.round == 0;
  if (!was_closed) TACIT_TRY(tacit_stream_seal(stream, err));
  if (ledger == NULL) return TACIT_OK;
  int64_t entry = stream->head.ledger_entry;
  tacit_status status =
      unused ? tacit_ledger_refund(ledger, entry, err) : TACIT_EPRIVACY;
  /* The refund failed because rounds were begun, here or by a later copy of the
     state. */
  if (status == TACIT_EPRIVACY)
    status = tacit_ledger_commit(ledger, entry, NULL, NULL, err);
  /* The entry of a closed stream has ended, unless closing was interrupted. */
  return was_closed && status == TACIT_EINVAL ? TACIT_OK : status;
}
