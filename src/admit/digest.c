/* SPDX-License-Identifier: MIT */
/*
 * Digests of batches. Values and indices of a row go through a universal hash under
 * secret pads, which runs at the speed of memory. The digest of the row is SipHash-2-4
 * (128 bits, secret key) of its place, its label and these hashes. The digest of a
 * batch is the XOR over its rows. Two different batches have equal digests with
 * probability 2^-127. Proof: docs/proofs/row_digest.md
 */
#include "admit/digest.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "batch/row.h"
#include "vault/words.h"

/* Two hashes of 16 bytes cover so many bytes of values and so many of indices. */
enum { CHUNK = 1 << 11 };

struct tacit_digests {
  tacit_key key; /* its first bytes are the SipHash key */
  tacit_key content_key;
  uint64_t pads[2 * CHUNK / 8 + 2];
  tacit_digest *raw_first_pass;
};

static void fill_pads(const tacit_key *key, uint64_t *pads, size_t count) {
  tacit_key raw_own;
  tacit_words words;
  tacit_key_derive(key, "tacit-digest-3", &raw_own);
  tacit_words_init(&words, raw_own.bytes);
  for (size_t i = 0; i < count; ++i)
    pads[i] = tacit_words_next(&words);
  tacit_words_wipe(&words);
  tacit_key_wipe(&raw_own);
}

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
  fill_pads(key, digests->pads, sizeof digests->pads / sizeof digests->pads[0]);
  *out = digests;
  return TACIT_OK;
}

tacit_status tacit_digests_fixed(tacit_digests **out, tacit_error *err) {
  static const tacit_key fixed = {{0}};
  return tacit_digests_new(&fixed, 1, out, err);
}

void tacit_digests_free(tacit_digests *digests) {
  if (digests == NULL) return;
  TACIT_RAW_FREE(digests->raw_first_pass, digests);
}

void tacit_digest_room_fini(tacit_digest_room *room) {
  tacit_raw_free(room->raw_bytes);
  room->raw_bytes = NULL;
  room->capacity = 0;
}

/* Two hashes that are being computed. The second uses the pads of the first, shifted by
   one pair of words. */
struct hashes {
  const uint64_t *pads; /* the pads of the next pair */
  tacit_u128 raw_first, raw_second;
};

static inline void hash_pair(struct hashes *hashes, const uint64_t raw_pair[2]) {
  const uint64_t *pads = hashes->pads;
  hashes->raw_first += (tacit_u128)(raw_pair[0] + pads[0]) * (raw_pair[1] + pads[1]);
  hashes->raw_second += (tacit_u128)(raw_pair[0] + pads[2]) * (raw_pair[1] + pads[3]);
  hashes->pads += 2;
}

/* Hashes numbers of 4 or 8 bytes from byte `at` on, at most CHUNK bytes, filled up with
   zeros to pairs of words. */
static inline void hash_bytes(struct hashes *hashes, const void *raw_bytes, size_t at,
                              size_t size) {
  if (at >= size) return;
  const unsigned char *raw_from = (const unsigned char *)raw_bytes + at;
  size_t left = size - at < CHUNK ? size - at : CHUNK;
  uint64_t raw_pair[2];
  for (; left >= sizeof raw_pair; left -= sizeof raw_pair) {
    memcpy(raw_pair, raw_from, sizeof raw_pair);
    raw_from += sizeof raw_pair;
    hash_pair(hashes, raw_pair);
  }
  if (left == 0) return;
  uint32_t raw_last = 0;
  raw_pair[0] = raw_pair[1] = 0;
  if (left >= 8) memcpy(&raw_pair[0], raw_from, 8);
  if (left % 8 != 0) memcpy(&raw_last, raw_from + left - 4, 4);
  raw_pair[left / 8] |= raw_last;
  hash_pair(hashes, raw_pair);
}

/* Writes the hashes of values and indices. Returns the end of what it wrote. */
static uint64_t *put_hashes(uint64_t *raw_at, const tacit_digests *digests,
                            const void *raw_values, size_t values,
                            const uint32_t *raw_indices, size_t indices) {
  for (size_t at = 0; at < values || at < indices; at += CHUNK) {
    struct hashes hashes = {digests->pads, 0, 0};
    hash_bytes(&hashes, raw_values, at, values);
    hash_bytes(&hashes, raw_indices, at, indices);
    *raw_at++ = (uint64_t)hashes.raw_first;
    *raw_at++ = (uint64_t)(hashes.raw_first >> 64);
    *raw_at++ = (uint64_t)hashes.raw_second;
    *raw_at++ = (uint64_t)(hashes.raw_second >> 64);
  }
  return raw_at;
}

static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static void merge_siphash(const tacit_digests *digests, const void *raw_bytes,
                          size_t size, tacit_digest *sum) {
  tacit_digest raw_part;
  (void)crypto_shorthash_siphashx24(raw_part.raw_bytes, raw_bytes, size,
                                    digests->key.bytes);
  tacit_digest_merge(sum, &raw_part);
}

/* Returns the bytes of one value of the row; index_size returns the bytes of one
   index. */
static size_t value_size(const tacit_row *row) {
  return row->raw_values32 != NULL ? sizeof(float) : sizeof(double);
}
static size_t index_size(const tacit_row *row) {
  return row->raw_indices != NULL ? sizeof(uint32_t) : 0;
}
static const void *values_of(const tacit_row *row) {
  return row->raw_values32 != NULL ? (const void *)row->raw_values32 : row->raw_values;
}

tacit_status tacit_digest_add(const tacit_digests *digests, const tacit_batch *batch,
                              int64_t i, int64_t place, tacit_digest_room *room,
                              tacit_digest *sum, tacit_error *err) {
  tacit_row row = tacit_row_of(batch, i);
  size_t values = row.count * value_size(&row), indices = row.count * index_size(&row);
  double raw_weight = tacit_batch_weight(batch, i);
  uint32_t raw_rows = tacit_batch_unit_rows(batch, i);
  int is_weighted = raw_weight != 1 || raw_rows != 1;
  if (!tacit_raw_reserve(&room->raw_bytes, &room->capacity,
                         (5 + 4 * (row.count * 8 / CHUNK + 1)) * 8, 1))
    return tacit_fail_memory(err);
  uint64_t *raw_head = (uint64_t *)room->raw_bytes, *raw_at = raw_head;
  *raw_at++ = (uint64_t)place;
  *raw_at++ = (uint64_t)row.count << 3 | (uint64_t)(row.raw_indices != NULL) << 2 |
              (uint64_t)(row.raw_values32 != NULL) << 1 | (uint64_t)is_weighted;
  *raw_at++ = bits_of(batch->raw_labels[i]);
  if (is_weighted) {
    *raw_at++ = bits_of(raw_weight);
    *raw_at++ = raw_rows;
  }
  raw_at =
      put_hashes(raw_at, digests, values_of(&row), values, row.raw_indices, indices);
  merge_siphash(digests, raw_head, (size_t)(raw_at - raw_head) * 8, sum);
  return TACIT_OK;
}

static unsigned char *put(unsigned char *raw_at, const void *raw_bytes, size_t size) {
  if (size > 0) memcpy(raw_at, raw_bytes, size);
  return raw_at + size;
}

tacit_status tacit_digest_content(const tacit_digests *digests,
                                  const tacit_batch *batch, int64_t i,
                                  tacit_digest_room *room, uint64_t *raw_out,
                                  tacit_error *err) {
  tacit_row row = tacit_row_of(batch, i);
  size_t values = row.count * value_size(&row), indices = row.count * index_size(&row);
  double raw_weight = tacit_batch_weight(batch, i);
  uint32_t raw_rows = tacit_batch_unit_rows(batch, i);
  tacit_digest raw_sum = {{0}};
  int has_weight = raw_weight != 1 || raw_rows != 1;
  uint64_t head[4] = {0, (uint64_t)row.count,
                      (row.raw_indices != NULL) + 2 * (uint64_t)has_weight,
                      row.raw_values32 != NULL};
  if (!tacit_raw_reserve(&room->raw_bytes, &room->capacity,
                         sizeof head + 20 + values + indices, 1))
    return tacit_fail_memory(err);
  unsigned char *raw_at = put(room->raw_bytes, head, sizeof head);
  raw_at = put(raw_at, &batch->raw_labels[i], sizeof(double));
  if (has_weight) {
    raw_at = put(raw_at, &raw_weight, sizeof raw_weight);
    raw_at = put(raw_at, &raw_rows, sizeof raw_rows);
  }
  raw_at = put(raw_at, values_of(&row), values);
  raw_at = put(raw_at, row.raw_indices, indices);
  merge_siphash(digests, room->raw_bytes, (size_t)(raw_at - room->raw_bytes), &raw_sum);
  *raw_out = tacit_load_le64(raw_sum.raw_bytes);
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
