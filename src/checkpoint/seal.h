/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CHECKPOINT_SEAL_H
#define TACIT_CHECKPOINT_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "vault/key.h"

/*
 * A log of secret records in a file that anyone may see. In clear: "tacit checkpoint"
 * and the version of the format (8 bytes, least significant first). Then the records:
 * number of bytes (8), nonce (24), the bytes under XChaCha20-Poly1305, tag (16). Each
 * has a random nonce of its own; what is authenticated with it is the clear text in
 * front, its number in the file, its size and the tag of the record before it. So
 * records cannot be changed, left out, moved or repeated; only the last ones can be
 * missing. One key may seal any number of files.
 */
enum { TACIT_SEALED_VERSION = 2, TACIT_SEALED_TAG = 16 };

/* Where the log stands: all that was read or written so far is whole. */
typedef struct tacit_sealed {
  int fd;
  const char *name; /* what messages call it; borrowed, like the key */
  const tacit_key *key;
  int64_t end;                         /* bytes of the file up to here */
  uint64_t records;                    /* up to here */
  unsigned char tag[TACIT_SEALED_TAG]; /* of the last of them */
} tacit_sealed;

/* Starts a log in an open, empty file. */
tacit_status tacit_sealed_start(tacit_sealed *log, int fd, const char *name,
                                const tacit_key *key, tacit_error *err);
/* Adds a record and waits until it is on the disk. What lies behind the end, half a
   record of a run that crashed, goes. After a failure the log is as it was. */
tacit_status tacit_sealed_append(tacit_sealed *log, const unsigned char *raw_bytes,
                                 size_t size, tacit_error *err);

/* Opens a log for reading, in front of its first record. TACIT_EDATA for what is none.
 */
tacit_status tacit_sealed_open(tacit_sealed *log, int fd, const char *name,
                               const tacit_key *key, tacit_error *err);
/* The next record; *raw_out, for tacit_raw_free, is NULL when there is none. A last
   record that is not whole is none: it is what a crash in the middle of an append
   leaves behind. TACIT_EDATA for the wrong key, for a first record that is not whole,
   and for damage that has records behind it. */
tacit_status tacit_sealed_next(tacit_sealed *log, unsigned char **raw_out,
                               size_t *out_size, tacit_error *err);

#endif
