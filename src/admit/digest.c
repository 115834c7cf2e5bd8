/* SPDX-License-Identifier: MIT */
/*
 * Digests of batches. The digest of a row is SipHash-2-4 (128 bits, secret key) of its
 * place and its bytes; the digest of a batch is the XOR over its rows. The places make
 * the rows of a batch distinct, so for a pseudo-random function two different batches
 * have the same digest with probability 2^-128.
 */
#include "admit/digest.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/row.h"

struct tacit_digests {
  tacit_key key; /* its first bytes are the SipHash key */
  tacit_key content_key;
  tacit_digest *raw_first_pass;
};

tacit_status tacit_digests_new(const tacit_key *key, int64_t per_pass,
                               tacit_digests **out, tacit_error *err) {
  tacit_digests *digests = tacit_raw_new(1, sizeof *digests);
  if (digests == NULL) return tacit_fail_memory(err);
  digests->raw_first_pass =
      tacit_raw_new((size_t)per_pass, sizeof *digests->raw_first_pass);
  if (digests->raw_first_pass == NULL) {
    tacit_raw_free(digests);
    return tacit_fail_memory(err);
  }
  tacit_key_derive(key, "tacit-digest-2", &digests->key);
  tacit_key_derive(key, "tacit-content-1", &digests->content_key);
  *out = digests;
  return TACIT_OK;
}

void tacit_digests_free(tacit_digests *digests) {
  if (digests == NULL) return;
  tacit_raw_free(digests->raw_first_pass);
  tacit_raw_free(digests);
}

void tacit_digest_room_fini(tacit_digest_room *room) {
  tacit_raw_free(room->raw_bytes);
  room->raw_bytes = NULL;
  room->capacity = 0;
}

static tacit_status make_room(tacit_digest_room *room, size_t size, tacit_error *err) {
  if (size <= room->capacity) return TACIT_OK;
  unsigned char *raw_larger = tacit_raw_grow(room->raw_bytes, 2 * size, 1);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  room->raw_bytes = raw_larger;
  room->capacity = 2 * size;
  return TACIT_OK;
}

static unsigned char *put(unsigned char *raw_at, const void *raw_bytes, size_t size) {
  if (size > 0) memcpy(raw_at, raw_bytes, size);
  return raw_at + size;
}

tacit_status tacit_digest_add(const tacit_digests *digests, const tacit_batch *batch,
                              int64_t i, int64_t place, tacit_digest_room *room,
                              tacit_digest *sum, tacit_error *err) {
  tacit_row row = tacit_row_of(batch, i);
  int is32 = row.raw_values32 != NULL;
  size_t value_size = is32 ? sizeof(float) : sizeof(double);
  double raw_weight = tacit_batch_weight(batch, i);
  uint32_t raw_rows = tacit_batch_unit_rows(batch, i);
  int is_weighted = raw_weight != 1 || raw_rows != 1;
  uint64_t head[4] = {(uint64_t)place, (uint64_t)row.count,
                      (row.raw_indices != NULL) + 2 * (uint64_t)is_weighted,
                      (uint64_t)is32};
  size_t max = sizeof head + row.count * (value_size + sizeof(uint32_t));
  TACIT_TRY(make_room(room, max + 2 * sizeof(double) + sizeof raw_rows, err));
  unsigned char *raw_at = put(room->raw_bytes, head, sizeof head);
  raw_at = put(raw_at, &batch->raw_labels[i], sizeof(double));
  if (is_weighted) {
    raw_at = put(raw_at, &raw_weight, sizeof raw_weight);
    raw_at = put(raw_at, &raw_rows, sizeof raw_rows);
  }
  raw_at = put(raw_at, is32 ? (const void *)row.raw_values32 : row.raw_values,
               row.count * value_size);
  if (row.raw_indices != NULL)
    raw_at = put(raw_at, row.raw_indices, row.count * sizeof(uint32_t));
  tacit_digest raw_part;
  (void)crypto_shorthash_siphashx24(raw_part.raw_bytes, room->raw_bytes,
                                    (size_t)(raw_at - room->raw_bytes),
                                    digests->key.bytes);
  tacit_digest_merge(sum, &raw_part);
  return TACIT_OK;
}

void tacit_digest_merge(tacit_digest *sum, const tacit_digest *part) {
  for (size_t i = 0; i < TACIT_DIGEST_BYTES; ++i)
    sum->raw_bytes[i] ^= part->raw_bytes[i];
}

const unsigned char *tacit_digests_content_key(const tacit_digests *digests) {
  return digests->content_key.bytes;
}

tacit_digest *tacit_digests_at(tacit_digests *digests, int64_t batch_number) {
  return &digests->raw_first_pass[batch_number];
}

tacit_status tacit_digests_end(tacit_digests *digests, int64_t batch_number,
                               int first_pass, const tacit_digest *sum,
                               tacit_error *err) {
  tacit_digest *raw_kept = &digests->raw_first_pass[batch_number];
  if (first_pass) *raw_kept = *sum;
  if (sodium_memcmp(raw_kept, sum, sizeof *sum) == 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "batch %lld differs from the first pass: every pass must see the "
                    "same rows in the same order",
                    (long long)batch_number + 1);
}
