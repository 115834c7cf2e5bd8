/* SPDX-License-Identifier: MIT */
/* Computes a keyed digest of the content of a reader. A ledger compares digests to
   notice that one file is used under two names. */
#include <sodium.h>
#include <tacit/extra/ledger.h>

#include "base/error.h"
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
