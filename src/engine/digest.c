/* SPDX-License-Identifier: MIT */
/* Batch digests: keyed BLAKE2b over the rows as they are fed, in order. */
#include "engine/digest.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/row.h"

enum { DIGEST_BYTES = 16 };

struct tacit_digests {
  tacit_key key;
  crypto_generichash_blake2b_state raw_state;
  unsigned char (*raw_first_pass)[DIGEST_BYTES];
};

static void restart(tacit_digests *digests) {
  (void)crypto_generichash_blake2b_init(&digests->raw_state, digests->key.bytes,
                                        sizeof digests->key.bytes, DIGEST_BYTES);
}

tacit_status tacit_digests_new(const tacit_key *key, int64_t per_pass,
                               tacit_digests **out, tacit_error *err) {
  tacit_digests *digests = tacit_raw_new(1, sizeof *digests);
  if (digests == NULL) return tacit_fail_memory(err);
  digests->raw_first_pass = tacit_raw_new((size_t)per_pass, DIGEST_BYTES);
  if (digests->raw_first_pass == NULL) {
    tacit_raw_free(digests);
    return tacit_fail_memory(err);
  }
  tacit_key_derive(key, "tacit-digest-1", &digests->key);
  restart(digests);
  *out = digests;
  return TACIT_OK;
}

void tacit_digests_free(tacit_digests *digests) {
  if (digests == NULL) return;
  tacit_raw_free(digests->raw_first_pass);
  tacit_raw_free(digests);
}

void tacit_digests_add(tacit_digests *digests, const tacit_batch *batch, int64_t first,
                       int64_t end) {
  crypto_generichash_blake2b_state *raw_state = &digests->raw_state;
  for (int64_t i = first; i < end; ++i) {
    tacit_row row = tacit_row_of(batch, i);
    uint64_t head[2] = {(uint64_t)row.count, row.raw_indices != NULL};
    (void)crypto_generichash_blake2b_update(raw_state, (unsigned char *)head,
                                            sizeof head);
    (void)crypto_generichash_blake2b_update(
        raw_state, (const unsigned char *)row.raw_values, row.count * sizeof(double));
    if (row.raw_indices != NULL) {
      (void)crypto_generichash_blake2b_update(raw_state,
                                              (const unsigned char *)row.raw_indices,
                                              row.count * sizeof(uint32_t));
    }
    (void)crypto_generichash_blake2b_update(
        raw_state, (const unsigned char *)&batch->raw_labels[i], sizeof(double));
  }
}

tacit_status tacit_digests_end(tacit_digests *digests, int64_t batch_number,
                               int first_pass, tacit_error *err) {
  unsigned char raw_digest[DIGEST_BYTES];
  unsigned char *raw_kept = digests->raw_first_pass[batch_number];
  (void)crypto_generichash_blake2b_final(&digests->raw_state, raw_digest, DIGEST_BYTES);
  restart(digests);
  int same = 1;
  if (first_pass)
    memcpy(raw_kept, raw_digest, DIGEST_BYTES);
  else
    same = sodium_memcmp(raw_kept, raw_digest, DIGEST_BYTES) == 0;
  sodium_memzero(raw_digest, sizeof raw_digest);
  if (!same) {
    return tacit_fail(err, TACIT_EDATA,
                      "batch %lld differs from the first pass: every pass must see the "
                      "same rows in the same order",
                      (long long)batch_number + 1);
  }
  return TACIT_OK;
}
