/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ENGINE_SEALED_H
#define TACIT_ENGINE_SEALED_H

#include <stddef.h>
#include <tacit/status.h>

#include "vault/random.h"

/*
 * Secret bytes in a file that anyone may see: "tacit checkpoint", the version of the
 * format (8 bytes, least significant first), then libsodium's secretstream
 * (XChaCha20-Poly1305): its header of 24 bytes and pieces of 64 KiB with 17 bytes of
 * tag each, the last one marked as such. Clear text and pieces are authenticated: a
 * changed byte, a missing end and bytes too many are all found.
 */
enum { TACIT_SEALED_VERSION = 1 };

/* Writes `size` bytes to an open, empty file. `name` is what messages call it. */
tacit_status tacit_seal(int fd, const char *name, const tacit_key *key,
                        const unsigned char *raw_bytes, size_t size, tacit_error *err);
/* Reads a file from its first byte to its last; *raw_out for tacit_raw_free.
   TACIT_EDATA for what was not written by tacit_seal under this key. */
tacit_status tacit_unseal(int fd, const char *name, const tacit_key *key,
                          unsigned char **raw_out, size_t *out_size, tacit_error *err);

#endif
