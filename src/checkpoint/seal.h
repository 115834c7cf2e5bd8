/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CHECKPOINT_SEAL_H
#define TACIT_CHECKPOINT_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "vault/key.h"

/*
 * A log of secret records in a file that anyone may see. It begins in clear with "tacit
 * checkpoint" and the version of the format (8 bytes, least significant first). Then
 * come the records: number of bytes (8), nonce (24), the bytes under
 * XChaCha20-Poly1305, tag (16). Every nonce is random. The authentication of a record
 * covers the clear text, the number and size of the record, and the tag of the record
 * before it. So records cannot be changed, left out, moved or repeated; only the last
 * ones can be missing. One key may seal any number of files.
 */
enum { TACIT_SEALED_VERSION = 2, TACIT_SEALED_TAG = 16 };

/* A log and a position in it. All records before the position are whole. */
typedef struct tacit_sealed {
  int fd;
  const char *name; /* name of the file, for messages; borrowed, like the key */
  const tacit_key *key;
  int64_t end;                         /* number of bytes of the file before the
                                          position */
  uint64_t records;                    /* number of records before the position */
  unsigned char tag[TACIT_SEALED_TAG]; /* tag of the last record before the position */
} tacit_sealed;

/* Starts a log in an open, empty file. */
tacit_status tacit_sealed_start(tacit_sealed *log, int fd, const char *name,
                                const tacit_key *key, tacit_error *err);
/* Appends a record and waits until it is on the disk. Bytes after the position, such as
   half a record of a run that crashed, are cut off. Leaves the log unchanged after a
   failure. */
tacit_status tacit_sealed_append(tacit_sealed *log, const unsigned char *raw_bytes,
                                 size_t size, tacit_error *err);

/* Opens a log at its first record. Returns TACIT_EDATA if the file is not a log. */
tacit_status tacit_sealed_open(tacit_sealed *log, int fd, const char *name,
                               const tacit_key *key, tacit_error *err);
/* Reads the next record. Writes NULL to *raw_out at the end; otherwise the caller frees
   *raw_out with tacit_raw_free. Leaves out a last record that is not whole, because a
   crash during an append leaves such a record. Returns TACIT_EDATA for the wrong key,
   for a first record that is not whole, and for damage before the last record. */
tacit_status tacit_sealed_next(tacit_sealed *log, unsigned char **raw_out,
                               size_t *out_size, tacit_error *err);

/* Returns TACIT_EIO with a message that names the file, what failed (`doing`) and errno
   in words. */
tacit_status tacit_sealed_fail(const char *name, const char *doing, tacit_error *err);

#endif
