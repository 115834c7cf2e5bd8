/* SPDX-License-Identifier: MIT */
/* Computes a keyed digest of the content of a reader, which a ledger compares to notice
   that one file is used under two names, and the digest of what a run has made. */
#include <sodium.h>
#include <string.h>
#include <tacit/extra/ledger.h>
#include <tacit/model.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"
#include "checkpoint/file.h"
#include "data/reader/content.h"
#include "data/reader/reader.h"

tacit_status tacit_reader_fingerprint(tacit_reader *reader, const char *key_file,
                                      char *out, tacit_error *err) {
  if (reader == NULL || key_file == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "reader, key file and out must not be NULL");
  if (reader->group != NULL || !reader->can_rewind)
    return tacit_fail(err, TACIT_EINVAL,
                      "a fingerprint is taken of files or arrays, by one process");
  tacit_key key, own;
  tacit_pool *pool = NULL;
  tacit_content raw_content;
  TACIT_TRY(tacit_key_file_load(key_file, &key, err));
  tacit_key_derive(&key, "tacit-print-1", &own);
  tacit_status status = tacit_pool_new(0, &pool, err);
  if (status == TACIT_OK)
    status = tacit_reader_content(reader, own.bytes, 0, 1, pool, &raw_content, err);
  if (status == TACIT_OK)
    (void)sodium_bin2hex(out, TACIT_LEDGER_FINGERPRINT_SIZE, raw_content.raw_bytes,
                         TACIT_CONTENT_BYTES);
  tacit_pool_free(pool);
  tacit_key_wipe(&key);
  tacit_key_wipe(&own);
  return status;
}

/* Computes the digest of a model file. A file without a digest is taken as another
   result. */
static tacit_status digest_of_model(const char *text, char *out, tacit_error *err) {
  tacit_model *model = NULL;
  TACIT_TRY(tacit_model_parse(text, strlen(text), &model, err));
  const char *digest = tacit_model_digest(model);
  tacit_status status = TACIT_OK;
  if (digest != NULL)
    memcpy(out, digest, TACIT_LEDGER_DIGEST_SIZE);
  else
    status = tacit_fail(err, TACIT_EDATA, "a model of format version 1 has no digest");
  tacit_model_free(model);
  return status;
}

tacit_status tacit_ledger_digest(const char *text, const char *name,
                                 char out[TACIT_LEDGER_DIGEST_SIZE], tacit_error *err) {
  json_t *object = NULL;
  if (text == NULL || name == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "text, name and digest must not be NULL");
  TACIT_TRY(tacit_json_parse(text, strlen(text), name, &object, err));
  const char *format = json_string_value(json_object_get(object, "format"));
  int is_model = format != NULL && strcmp(format, "tacit-model") == 0;
  char *line =
      is_model
          ? NULL
          : json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  json_decref(object);
  if (is_model) return digest_of_model(text, out, err);
  if (line == NULL) return tacit_fail_memory(err);
  unsigned char digest[TACIT_LEDGER_DIGEST_SIZE / 2];
  tacit_hash_of(line, strlen(line), NULL, NULL, 0, digest, sizeof digest);
  (void)sodium_bin2hex(out, TACIT_LEDGER_DIGEST_SIZE, digest, sizeof digest);
  tacit_array_free(line);
  return TACIT_OK;
}

tacit_status tacit_ledger_digest_file(const char *path,
                                      char out[TACIT_LEDGER_DIGEST_SIZE],
                                      tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  if (path == NULL) return tacit_fail(err, TACIT_EINVAL, "the file has no name");
  TACIT_TRY(tacit_file_read(path, TACIT_FILE_SMALL, "the file", &text, &size, err));
  tacit_status status = tacit_ledger_digest(text, path, out, err);
  tacit_array_free(text);
  return status;
}
