/* SPDX-License-Identifier: MIT */
/* Makes, opens and closes a stream; extra/stream/feed.c feeds it. README.md of this
   room says what is stored, what is refused, and why. */
#include "extra/stream/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/extra/ledger.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "not_private/seed.h"

void tacit_stream_options_init(tacit_stream_options *options) {
  *options = (tacit_stream_options){.struct_size = sizeof *options};
}

void tacit_stream_free(tacit_stream *stream) {
  if (stream == NULL) return;
  tacit_train_free(stream->train);
  tacit_seen_free(stream->seen);
  tacit_checkpoint_file_fini(&stream->file);
  tacit_schema_free(stream->schema);
  TACIT_FREE(stream->class_weights, stream->start, stream->about_text, stream->score);
  json_decref(stream->about);
  TACIT_FREE(stream->path, stream->key_file);
  tacit_raw_free(stream); /* wiped, because it holds the key */
}

static tacit_status stream_new(const char *path, const char *key_file,
                               tacit_stream **out, tacit_error *err) {
  tacit_stream *stream = tacit_raw_new(1, sizeof *stream);
  if (stream == NULL) return tacit_fail_memory(err);
  stream->file.fd = -1;
  if (path != NULL) {
    stream->path = tacit_string_copy(path);
    stream->key_file = tacit_string_copy(key_file);
    if (stream->path == NULL || stream->key_file == NULL) {
      tacit_stream_free(stream);
      return tacit_fail_memory(err);
    }
  }
  *out = stream;
  return TACIT_OK;
}

/* Takes the options as the state will have them. */
static tacit_status take_options(tacit_stream *stream,
                                 const tacit_stream_options *options,
                                 const tacit_config *config, tacit_error *err) {
  TACIT_TRY(tacit_stream_describe(options, config, &stream->about, err));
  TACIT_TRY(tacit_json_text(stream->about, 0, &stream->about_text, err));
  TACIT_TRY(tacit_stream_recall(stream, err));
  stream->config.threads = config->threads;
  return TACIT_OK;
}

/* Fills *out with all options, even if the caller knows fewer fields. */
static tacit_status whole_options(const tacit_stream_options *options,
                                  const tacit_config *config, tacit_stream_options *out,
                                  tacit_error *err) {
  if (options == NULL || config == NULL || options->struct_size == 0 ||
      options->struct_size > sizeof *options || config->struct_size != sizeof *config)
    return tacit_fail(err, TACIT_EINVAL,
                      "stream: options not filled with tacit_stream_options_init, or "
                      "config with tacit_config_init");
  tacit_stream_options_init(out);
  memcpy(out, options, options->struct_size);
  return TACIT_OK;
}

tacit_status tacit_stream_plan(const tacit_stream_options *options,
                               const tacit_config *config, tacit_plan **out,
                               tacit_error *err) {
  tacit_stream_options whole;
  tacit_stream *stream = NULL;
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the plan");
  TACIT_TRY(whole_options(options, config, &whole, err));
  TACIT_TRY(stream_new(NULL, NULL, &stream, err));
  tacit_status status = take_options(stream, &whole, config, err);
  if (status == TACIT_OK)
    status = tacit_plan_of_days(&stream->config, &stream->days, out, err);
  tacit_stream_free(stream);
  return status;
}

static tacit_status check_free(const char *path, tacit_error *err) {
  struct stat facts;
  if (path == NULL || lstat(path, &facts) != 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: exists: a stream is begun once; feed it, or choose another "
                    "name",
                    path);
}

void tacit_stream_name(const tacit_stream *stream, char *out) {
  unsigned char digest[TACIT_STREAM_DIGEST];
  tacit_hash_of("", 0, "tacit-stream-name", stream->head.key.bytes,
                sizeof stream->head.key.bytes, digest, sizeof digest);
  sodium_bin2hex(out, TACIT_STREAM_NAME, digest, sizeof digest);
}

/* Reserves the budget of all rounds. The statement of a window covers all rounds. */
static tacit_status reserve(tacit_stream *stream, tacit_error *err) {
  const tacit_stream_options *options = &stream->options;
  char name[TACIT_STREAM_NAME];
  tacit_ledger_run run = {
      .dataset = options->dataset,
      .kind = "stream",
      .statement = tacit_plan_statement_json(tacit_train_plan(stream->train)),
      .id = name,
      .note = options->note,
  };
  if (options->ledger == NULL) return TACIT_OK;
  tacit_stream_name(stream, name);
  return tacit_ledger_reserve(options->ledger, &run, &stream->head.ledger_entry, err);
}

static tacit_status make_key(tacit_stream *stream, tacit_error *err) {
  const tacit_config *config = &stream->config;
  return config->seeded ? tacit_key_from_seed(config->seed, &stream->head.key, err)
                        : tacit_key_from_os(&stream->head.key, err);
}

/* Begins the stream. Everything that can fail without cost comes before the budget is
   reserved. */
static tacit_status begin(tacit_stream *stream, tacit_error *err) {
  TACIT_TRY(check_free(stream->path, err));
  if (stream->path != NULL)
    TACIT_TRY(tacit_checkpoint_file_init(&stream->file, stream->path, stream->key_file,
                                         0, err));
  TACIT_TRY(make_key(stream, err));
  (void)strncpy(stream->head.version, TACIT_VERSION, sizeof stream->head.version - 1);
  TACIT_TRY(tacit_stream_start_window(stream, err));
  tacit_stream_note_plan(stream);
  tacit_archive probe = {.way = TACIT_ARCHIVE_COUNT};
  TACIT_TRY(tacit_train_archive(stream->train, &probe, err));
  if (stream->options.window > 0 && stream->config.domain == TACIT_DOMAIN_SIMPLEX)
    return tacit_fail(err, TACIT_EINVAL,
                      "a window begins where the last one ended, and the simplex has "
                      "one centre: leave out the window");
  if (stream->options.unit_once) TACIT_TRY(tacit_seen_open(stream, 1, err));
  TACIT_TRY(reserve(stream, err));
  tacit_status status = tacit_stream_save(stream, err);
  if (status == TACIT_OK || stream->head.ledger_entry == 0) return status;
  tacit_error ignored; /* the caller learns of the first failure */
  if (tacit_ledger_refund(stream->options.ledger, stream->head.ledger_entry,
                          &ignored) != TACIT_OK)
    return tacit_fail(err, status, "%.200s; entry %lld of the ledger stays reserved",
                      err != NULL ? err->message : "",
                      (long long)stream->head.ledger_entry);
  return status;
}

static tacit_status init(tacit_stream *stream, const tacit_stream_options *options,
                         const tacit_config *config, tacit_error *err) {
  tacit_stream_options whole = *options;
  if ((whole.path != NULL) != (whole.key_file != NULL) ||
      (whole.ledger != NULL) != (whole.dataset != NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "the state and its key file go together, and so do ledger and "
                      "data set");
  if (whole.path == NULL && (whole.ledger != NULL || whole.unit_once))
    return tacit_fail(err, TACIT_EINVAL,
                      "a stream in memory has no ledger and no file of persons");
  /* An absolute path, because later days may be fed from another folder. */
  char *ledger = whole.ledger != NULL && strstr(whole.ledger, "://") == NULL
                     ? realpath(whole.ledger, NULL)
                     : NULL;
  if (ledger != NULL) whole.ledger = ledger;
  tacit_status status = take_options(stream, &whole, config, err);
  free(ledger);
  if (status == TACIT_OK) status = begin(stream, err);
  if (status == TACIT_OK) status = tacit_stream_open_round(stream, err);
  return status;
}

tacit_status tacit_stream_init(const tacit_stream_options *options,
                               const tacit_config *config, tacit_stream **out,
                               tacit_error *err) {
  tacit_stream_options whole;
  tacit_stream *stream = NULL;
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the stream");
  TACIT_TRY(whole_options(options, config, &whole, err));
  TACIT_TRY(stream_new(whole.path, whole.key_file, &stream, err));
  tacit_status status = init(stream, &whole, config, err);
  return TACIT_HAND_OVER(status, stream, tacit_stream_free, out);
}

static tacit_status load(tacit_stream *stream, tacit_error *err) {
  TACIT_TRY(tacit_checkpoint_file_init(&stream->file, stream->path, stream->key_file, 1,
                                       err));
  if (stream->file.fd < 0) {
    errno = ENOENT;
    return tacit_sealed_fail(stream->path, "read", err);
  }
  TACIT_TRY(tacit_stream_load(stream, err));
  if (stream->options.unit_once) TACIT_TRY(tacit_seen_open(stream, 0, err));
  return tacit_stream_open_round(stream, err);
}

tacit_status tacit_stream_open(const char *path, const char *key_file, unsigned threads,
                               tacit_stream **out, tacit_error *err) {
  tacit_stream *stream = NULL;
  if (path == NULL || key_file == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "a stream has a state and a key file");
  TACIT_TRY(stream_new(path, key_file, &stream, err));
  stream->config.threads = threads;
  tacit_status status = load(stream, err);
  return TACIT_HAND_OVER(status, stream, tacit_stream_free, out);
}

const tacit_schema *tacit_stream_schema(const tacit_stream *stream) {
  return stream->schema;
}

tacit_status tacit_stream_model(const tacit_stream *stream, tacit_model **out,
                                tacit_error *err) {
  if (stream == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no stream");
  char id[TACIT_STREAM_NAME];
  tacit_stream_name(stream, id);
  json_t *about = json_pack("{s:{s:s, s:I, s:I}}", "stream", "id", id, "round",
                            (json_int_t)stream->head.round, "horizon",
                            (json_int_t)stream->options.horizon);
  if (about == NULL) return tacit_fail_memory(err);
  tacit_status status = tacit_train_model(stream->train, about, out, err);
  json_decref(about);
  return status;
}

tacit_status tacit_stream_look(const tacit_stream *stream, tacit_stream_status *out,
                               tacit_error *err) {
  if (stream == NULL || out == NULL || out->struct_size == 0 ||
      out->struct_size > sizeof *out)
    return tacit_fail(err, TACIT_EINVAL, "stream: no place for its status");
  tacit_stream_status whole = {
      .struct_size = out->struct_size,
      .round = stream->head.round,
      .horizon = stream->options.horizon,
      .batch_rows = stream->options.batch_rows,
      .window = stream->options.window,
      .rows = stream->head.rows,
      .state_bytes = stream->state_bytes,
      .begun = stream->begun.round > 0,
      .closed = stream->closed,
      .persons = stream->options.units,
      .noise = stream->train->open.noise_last,
      .ledger = stream->options.ledger,
      .ledger_entry = stream->head.ledger_entry,
      .dataset = stream->options.dataset,
  };
  memcpy(out, &whole, out->struct_size);
  return TACIT_OK;
}

const char *tacit_stream_score(const tacit_stream *stream) { return stream->score; }

const tacit_statement *tacit_stream_statement(const tacit_stream *stream) {
  return tacit_plan_statement(tacit_train_plan(stream->train));
}

const char *tacit_stream_statement_json(const tacit_stream *stream) {
  return tacit_plan_statement_json(tacit_train_plan(stream->train));
}

const char *tacit_stream_statement_text(const tacit_stream *stream) {
  return tacit_plan_statement_text(tacit_train_plan(stream->train));
}
