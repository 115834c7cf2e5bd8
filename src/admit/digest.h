/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_DIGEST_H
#define TACIT_ADMIT_DIGEST_H

#include <stdint.h>
#include <tacit/data.h>

#include "vault/key.h"

/* A keyed 128-bit digest per batch of the first pass. It shows if a later pass has
   other rows in a batch, because the sensitivity relies on each row taking part in
   known rounds. Digests are as secret as the rows. */
typedef struct tacit_digests tacit_digests;

enum { TACIT_DIGEST_BYTES = 16 };

/* The digest of some rows: the XOR, over the rows, of a keyed function of place and
   bytes. So any thread or rank can add rows in any order, and partial digests can be
   merged. */
typedef struct tacit_digest {
  unsigned char raw_bytes[TACIT_DIGEST_BYTES];
} tacit_digest;

tacit_status tacit_digests_new(const tacit_key *key, int64_t per_pass,
                               tacit_digests **out, tacit_error *err);
/* Makes digests under a fixed key, which is no secret. They are for
   tacit_digest_content only. */
tacit_status tacit_digests_fixed(tacit_digests **out, tacit_error *err);
void tacit_digests_free(tacit_digests *digests);

/* The memory of one thread for tacit_digest_add, which grows as needed. */
typedef struct tacit_digest_room {
  unsigned char *raw_bytes;
  size_t capacity;
} tacit_digest_room;

void tacit_digest_room_fini(tacit_digest_room *room);

/* Adds row i of the batch, which is at `place` of the pass, to the digest. */
tacit_status tacit_digest_add(const tacit_digests *digests, const tacit_batch *batch,
                              int64_t i, int64_t place, tacit_digest_room *room,
                              tacit_digest *sum, tacit_error *err);
/* Writes the number that a cap orders the rows of a person by: 8 bytes of SipHash of
   all bytes of row i, without its place. `digests` must come from
   tacit_digests_fixed. */
tacit_status tacit_digest_content(const tacit_digests *digests,
                                  const tacit_batch *batch, int64_t i,
                                  tacit_digest_room *room, uint64_t *raw_out,
                                  tacit_error *err);
void tacit_digest_merge(tacit_digest *sum, const tacit_digest *part);

/* Returns a second key, for the content of files (data/reader/content.h). */
const unsigned char *tacit_digests_content_key(const tacit_digests *digests);

/* Returns the digest of batch j = 0, 1, … in the first pass. */
tacit_digest *tacit_digests_at(tacit_digests *digests, int64_t batch_number);

/* Ends batch j of a pass. Keeps the digest in the first pass. Returns TACIT_EDATA in a
   later pass if the digest differs. */
tacit_status tacit_digests_end(tacit_digests *digests, int64_t batch_number,
                               int first_pass, const tacit_digest *sum,
                               tacit_error *err);

#endif
