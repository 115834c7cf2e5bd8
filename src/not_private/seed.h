/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NOT_PRIVATE_SEED_H
#define TACIT_NOT_PRIVATE_SEED_H

#include "vault/key.h"

/* Makes the key of a seed. Anyone can make it again, so a run that uses it is not
   private. */
tacit_status tacit_key_from_seed(uint64_t seed, tacit_key *out, tacit_error *err);

#endif
