/* SPDX-License-Identifier: MIT */
/* Keys made from a seed, for runs that can be repeated. */
#include "not_private/seed.h"

#include <sodium.h>

#include "base/error.h"
#include "base/numbers.h"

tacit_status tacit_key_from_seed(uint64_t seed, tacit_key *out, tacit_error *err) {
  static const unsigned char personal[crypto_generichash_blake2b_PERSONALBYTES] =
      "tacit-seed-1";
  unsigned char bytes[8];
  if (sodium_init() < 0)
    return tacit_fail(err, TACIT_ERANDOM, "libsodium cannot be initialised");
  tacit_store_le64(bytes, seed);
  (void)crypto_generichash_blake2b_salt_personal(out->bytes, sizeof out->bytes, bytes,
                                                 sizeof bytes, NULL, 0, NULL, personal);
  return TACIT_OK;
}
