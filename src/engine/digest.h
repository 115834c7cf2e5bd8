/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ENGINE_DIGEST_H
#define TACIT_ENGINE_DIGEST_H

#include <stdint.h>
#include <tacit/data.h>

#include "vault/random.h"

/* One keyed 128-bit digest a batch of the first pass, so that a later pass over other
   rows is noticed: the sensitivity counts each row at known rounds. Secret like the
   rows. */
typedef struct tacit_digests tacit_digests;

tacit_status tacit_digests_new(const tacit_key *key, int64_t per_pass,
                               tacit_digests **out, tacit_error *err);
void tacit_digests_free(tacit_digests *digests);

/* Rows first … end-1 belong to the batch under way. */
void tacit_digests_add(tacit_digests *digests, const tacit_batch *batch, int64_t first,
                       int64_t end);
/* Ends batch j of a pass: kept in the first pass, compared in later ones. */
tacit_status tacit_digests_end(tacit_digests *digests, int64_t batch_number,
                               int first_pass, tacit_error *err);

#endif
