/* SPDX-License-Identifier: MIT */
/*
 * The digest of a model: BLAKE2b-256 of everything in its file except the digest. First
 * comes the object of the file without weights, as JSON on one line with the keys of
 * every object sorted and reals in 17 digits. Then come the weights, 8 bytes each,
 * least significant first. White space and the order of keys in the file do not matter.
 */
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "model/model.h"

enum { WEIGHTS_AT_ONCE = 512, DIGEST_BYTES = 32 };

static const char key_digest[] = "digest";

static int take(const char *part, size_t size, void *cookie) {
  tacit_hash_add(cookie, part, size);
  return 0;
}

static void take_weights(tacit_hash *hash, const double *weights, size_t count) {
  unsigned char bytes[8 * WEIGHTS_AT_ONCE];
  for (size_t first = 0; first < count; first += WEIGHTS_AT_ONCE) {
    size_t n = count - first < WEIGHTS_AT_ONCE ? count - first : WEIGHTS_AT_ONCE;
    for (size_t i = 0; i < n; ++i) {
      uint64_t word;
      memcpy(&word, &weights[first + i], sizeof word);
      tacit_store_le64(bytes + 8 * i, word);
    }
    tacit_hash_add(hash, bytes, 8 * n);
  }
}

/* Copies the statement, with this digest, or without a digest if `digest` is NULL.
   Returns NULL if memory runs out. json_copy would leave out fields in that case. */
static json_t *statement_with(const json_t *statement, const char *digest) {
  json_t *copy = json_object();
  if (copy == NULL || json_object_update(copy, (json_t *)statement) != 0 ||
      (digest != NULL &&
       json_object_set_new(copy, key_digest, json_string(digest)) != 0)) {
    json_decref(copy);
    return NULL;
  }
  if (digest == NULL) (void)json_object_del(copy, key_digest);
  return copy;
}

static tacit_status compute(const tacit_model *model, char out[TACIT_DIGEST_TEXT],
                            tacit_error *err) {
  json_t *statement = statement_with(model->statement, NULL);
  if (statement == NULL) return tacit_fail_memory(err);
  json_t *file = NULL;
  tacit_status status = tacit_model_object(model, statement, &file, err);
  json_decref(statement);
  if (status != TACIT_OK) return status;

  tacit_hash hash;
  unsigned char digest[DIGEST_BYTES];
  tacit_hash_begin(&hash, sizeof digest, NULL);
  int failed = json_dump_callback(
      file, take, &hash, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  json_decref(file);
  if (failed) return tacit_fail_memory(err);
  take_weights(&hash, model->weights, model->dim);
  tacit_hash_end(&hash, digest, sizeof digest);
  (void)sodium_bin2hex(out, TACIT_DIGEST_TEXT, digest, sizeof digest);
  return TACIT_OK;
}

tacit_status tacit_model_seal(tacit_model *model, tacit_error *err) {
  char digest[TACIT_DIGEST_TEXT];
  TACIT_TRY(compute(model, digest, err));
  const char *stated = tacit_model_digest(model);
  if (stated != NULL && strcmp(stated, digest) != 0)
    return tacit_fail(err, TACIT_EDATA,
                      "model: its digest does not fit: the file was edited or damaged");
  if (stated != NULL) return TACIT_OK;
  json_t *statement = statement_with(model->statement, digest);
  if (statement == NULL) return tacit_fail_memory(err);
  json_decref(model->statement);
  model->statement = statement;
  return TACIT_OK;
}

const char *tacit_model_digest(const tacit_model *model) {
  return json_string_value(json_object_get(model->statement, key_digest));
}
