/* SPDX-License-Identifier: MIT */
/*
 * The state of a stream is a sealed log of one record and at most two more.
 *
 *   1  the state between two rounds: a fixed head, the options as JSON, the start of
 *      the window, the last score, and the state of vault, average and learner
 *   2  the round that was begun after it: the digests of its rows and sums
 *   3  the end of a closed stream; may come without record 2
 *
 * Record 2 is appended and synced before the round is released. After the release, a
 * new file with the next record 1 replaces the old one by a rename. A torn record 2
 * does not count, because nothing was released after it.
 */
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "extra/stream/stream.h"

/* The first bytes of record 1. The number rises when the layout or the meaning of the
   state changes. Its bytes have another order on another kind of machine. */
static const uint64_t mark = UINT64_C(0x7461636974730001);

/* Stands for the round in the record of a closed stream. */
static const int64_t round_closed = -1;

/* The part of record 1 before the options. */
struct front {
  uint64_t mark, about_size, start_count, score_size;
  tacit_stream_head head;
};

static tacit_status fail_state(const tacit_stream *stream, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: not the state of a stream, or of another kind of machine",
                    stream->path);
}

/* Computes a digest of everything that rounds of a window are released and learned
   with. */
static void plan_digest(const tacit_plan *plan, unsigned char *out) {
  const tacit_vault_facts *vault = &plan->vault;
  const tacit_learner_facts *learner = &plan->learner;
  const double numbers[] = {plan->power,         plan->l2,
                            plan->clip,          plan->mu,
                            plan->row.row_norm,  plan->row.scale,
                            plan->row.exponent,  plan->grad_bound,
                            plan->smoothness,    plan->diameter,
                            vault->budget,       vault->lattice.sens,
                            learner->radius,     learner->norm,
                            learner->grad_bound, learner->noisy_bound,
                            plan->bound,         plan->sens_norm_ratio};
  const int64_t integers[] = {plan->rows,
                              plan->rounds,
                              (int64_t)plan->dim,
                              (int64_t)plan->row.features,
                              plan->row.bias,
                              vault->kappa,
                              vault->shape.weight_bits,
                              vault->shape.clip_max,
                              vault->lattice.exponent,
                              vault->lattice.clip_max};
  tacit_hash hash;
  tacit_hash_begin(&hash, TACIT_STREAM_DIGEST, "tacit-stream-1");
  tacit_hash_add_text(&hash, plan->loss_spec);
  tacit_hash_add_text(&hash, plan->learner_spec);
  tacit_hash_add_text(&hash, vault->encoder->name);
  tacit_hash_add_text(&hash, vault->law->name);
  tacit_hash_add(&hash, numbers, sizeof numbers);
  tacit_hash_add(&hash, integers, sizeof integers);
  tacit_hash_add(&hash, vault->shape.values, sizeof vault->shape.values);
  tacit_hash_end(&hash, out, TACIT_STREAM_DIGEST);
}

/* Derives the key of a window, because every window is a run of its own. */
static void window_key(const tacit_stream *stream, tacit_key *out) {
  tacit_hash hash;
  tacit_hash_begin_keyed(&hash, sizeof out->bytes, "tacit-window-1",
                         stream->head.key.bytes, sizeof stream->head.key.bytes);
  tacit_hash_add_number(&hash, (uint64_t)stream->head.window);
  tacit_hash_end(&hash, out->bytes, sizeof out->bytes);
  sodium_memzero(&hash, sizeof hash);
}

tacit_status tacit_stream_start_window(tacit_stream *stream, tacit_error *err) {
  tacit_key key;
  tacit_config config = stream->config;
  config.start = stream->start;
  window_key(stream, &key);
  tacit_train_free(stream->train);
  stream->train = NULL;
  tacit_status status =
      tacit_train_of_stream(&config, &stream->days, &key, &stream->train, err);
  tacit_key_wipe(&key);
  return status;
}

/* Counts, saves or loads the parts of record 1. */
static tacit_status archive(tacit_stream *stream, struct front *front,
                            tacit_archive *raw_archive, tacit_error *err) {
  tacit_archive_part(raw_archive, front, sizeof *front);
  tacit_archive_part(raw_archive, stream->about_text, front->about_size);
  if (front->start_count > 0)
    tacit_archive_part(raw_archive, stream->start, front->start_count * sizeof(double));
  tacit_archive_part(raw_archive, stream->score, front->score_size);
  return tacit_train_archive(stream->train, raw_archive, err);
}

/* Begins a new file with record 1. Does nothing for a stream in memory. */
static tacit_status put_record(tacit_stream *stream, const unsigned char *raw_bytes,
                               size_t size, tacit_error *err) {
  struct stat facts;
  if (stream->path == NULL) return TACIT_OK;
  TACIT_TRY(tacit_checkpoint_file_start(&stream->file, raw_bytes, size, err));
  if (fstat(stream->file.fd, &facts) == 0) stream->state_bytes = facts.st_size;
  return TACIT_OK;
}

tacit_status tacit_stream_save(tacit_stream *stream, tacit_error *err) {
  struct front front = {.mark = mark,
                        .about_size = strlen(stream->about_text),
                        .start_count = stream->start != NULL ? stream->start_count : 0,
                        .score_size = stream->score != NULL ? strlen(stream->score) : 0,
                        .head = stream->head};
  tacit_archive raw_archive = {.way = TACIT_ARCHIVE_COUNT};
  TACIT_TRY(archive(stream, &front, &raw_archive, err));
  raw_archive = (tacit_archive){.way = TACIT_ARCHIVE_SAVE, .size = raw_archive.at};
  stream->state_bytes = (int64_t)raw_archive.size;
  TACIT_TRY(TACIT_RAW_NEW(raw_archive.raw_bytes, raw_archive.size, err));
  tacit_status status = archive(stream, &front, &raw_archive, err);
  if (status == TACIT_OK)
    status = put_record(stream, raw_archive.raw_bytes, raw_archive.size, err);
  tacit_raw_free(raw_archive.raw_bytes);
  sodium_memzero(&front, sizeof front);
  stream->begun = (tacit_stream_day){0};
  return status;
}

/* Reads the options, the start of the window and the score. */
static tacit_status load_about(tacit_stream *stream, const struct front *front,
                               const unsigned char *raw_bytes, tacit_error *err) {
  stream->about_text = tacit_array_new(front->about_size + 1, 1);
  stream->start_count = front->start_count;
  if (front->start_count > 0)
    stream->start = tacit_array_new(front->start_count, sizeof(double));
  if (front->score_size > 0) stream->score = tacit_array_new(front->score_size + 1, 1);
  if (stream->about_text == NULL || (front->start_count > 0 && stream->start == NULL) ||
      (front->score_size > 0 && stream->score == NULL))
    return tacit_fail_memory(err);
  memcpy(stream->about_text, raw_bytes, front->about_size);
  if (front->start_count > 0)
    memcpy(stream->start, raw_bytes + front->about_size,
           front->start_count * sizeof(double));
  TACIT_TRY(tacit_json_parse(stream->about_text, front->about_size, stream->path,
                             &stream->about, err));
  return tacit_stream_recall(stream, err);
}

/* Makes the run of the window. Fails if this version plans it differently. */
static tacit_status load_run(tacit_stream *stream, tacit_archive *raw_archive,
                             struct front *front, tacit_error *err) {
  unsigned char plan[TACIT_STREAM_DIGEST];
  unsigned threads = stream->config.threads;
  TACIT_TRY(load_about(stream, front, raw_archive->raw_bytes + sizeof *front, err));
  stream->config.threads = threads;
  stream->head = front->head;
  TACIT_TRY(tacit_stream_start_window(stream, err));
  plan_digest(tacit_train_plan(stream->train), plan);
  if (memcmp(plan, stream->head.plan, sizeof plan) != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "%s: the stream was begun by version %.31s, and this one would "
                      "go on with other noise or rounds: use that version",
                      stream->path, stream->head.version);
  TACIT_TRY(archive(stream, front, raw_archive, err));
  return tacit_archive_ended(raw_archive) ? TACIT_OK : fail_state(stream, err);
}

static tacit_status load_first(tacit_stream *stream, unsigned char *raw_bytes,
                               size_t size, tacit_error *err) {
  struct front front;
  tacit_archive raw_archive = {TACIT_ARCHIVE_LOAD, raw_bytes, size, 0};
  if (size < sizeof front) return fail_state(stream, err);
  memcpy(&front, raw_bytes, sizeof front);
  if (front.mark != mark || front.about_size > size - sizeof front ||
      front.start_count > (size - sizeof front - front.about_size) / sizeof(double) ||
      front.score_size > size)
    return fail_state(stream, err);
  tacit_status status = load_run(stream, &raw_archive, &front, err);
  sodium_memzero(&front, sizeof front);
  return status;
}

/* Applies a record after the first. A round other than the next one was not begun in
   this state. */
static void take_day(tacit_stream *stream, const unsigned char *raw_bytes) {
  tacit_stream_day day;
  memcpy(&day, raw_bytes, sizeof day);
  if (day.round == round_closed) stream->closed = 1;
  if (day.round == stream->head.round + 1) stream->begun = day;
  sodium_memzero(&day, sizeof day);
}

tacit_status tacit_stream_load(tacit_stream *stream, tacit_error *err) {
  tacit_sealed *log = &stream->file.log;
  unsigned char *raw_bytes = NULL;
  size_t size = 0;
  struct stat facts;
  TACIT_TRY(tacit_checkpoint_file_open(&stream->file, err));
  if (fstat(stream->file.fd, &facts) == 0) stream->state_bytes = facts.st_size;
  TACIT_TRY(tacit_sealed_next(log, &raw_bytes, &size, err));
  tacit_status status = load_first(stream, raw_bytes, size, err);
  tacit_raw_free(raw_bytes);
  TACIT_TRY(status);
  for (;;) {
    TACIT_TRY(tacit_sealed_next(log, &raw_bytes, &size, err));
    if (raw_bytes == NULL) return TACIT_OK;
    int is_day = size == sizeof(tacit_stream_day);
    if (is_day) take_day(stream, raw_bytes);
    tacit_raw_free(raw_bytes);
    if (!is_day) return fail_state(stream, err);
  }
}

/* Proof: docs/proofs/stream.md */
tacit_status tacit_stream_log_day(tacit_stream *stream, const tacit_stream_day *day,
                                  tacit_error *err) {
  stream->begun = *day;
  if (stream->path == NULL) return TACIT_OK;
  return tacit_sealed_append(&stream->file.log, (const unsigned char *)day, sizeof *day,
                             err);
}

tacit_status tacit_stream_seal(tacit_stream *stream, tacit_error *err) {
  tacit_stream_day end = {.round = round_closed};
  stream->closed = 1;
  if (stream->path == NULL) return TACIT_OK;
  return tacit_sealed_append(&stream->file.log, (const unsigned char *)&end, sizeof end,
                             err);
}

void tacit_stream_note_plan(tacit_stream *stream) {
  plan_digest(tacit_train_plan(stream->train), stream->head.plan);
}

tacit_status tacit_stream_open_round(tacit_stream *stream, tacit_error *err) {
  if (stream->train->state == TACIT_RUN_COMPLETE) return TACIT_OK;
  return tacit_round_open(stream->train, err);
}
