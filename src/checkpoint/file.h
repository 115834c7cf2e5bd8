/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CHECKPOINT_FILE_H
#define TACIT_CHECKPOINT_FILE_H

#include <stddef.h>
#include <tacit/status.h>

#include "checkpoint/seal.h"
#include "vault/key.h"

enum { TACIT_KEY_FILE_MIN = 32, TACIT_KEY_FILE_MAX = 1 << 16 /* bytes */ };

/* The file of a checkpoint: a sealed log. It is locked, so that two runs never use one
   checkpoint at the same time. */
typedef struct tacit_checkpoint_file {
  char *path, *temporary;
  int fd; /* the file at `path`, locked; -1 if there is no file yet */
  tacit_key key;
  tacit_sealed log; /* set by start and open; borrows path and key */
} tacit_checkpoint_file;

/* Makes a key from the bytes of a key file. Returns TACIT_EPRIVACY if others may read
   the file, if it is too short, or if all its bytes are the same. */
tacit_status tacit_key_file_load(const char *path, tacit_key *out, tacit_error *err);

/* Reads the key file, and opens and locks the checkpoint if it exists. Returns
   TACIT_EPRIVACY if it exists and `resume` is 0. Call tacit_checkpoint_file_fini also
   after a failure. */
tacit_status tacit_checkpoint_file_init(tacit_checkpoint_file *file, const char *path,
                                        const char *key_path, int resume,
                                        tacit_error *err);
/* Wipes the key and releases the lock; the file stays. */
void tacit_checkpoint_file_fini(tacit_checkpoint_file *file);

/* Opens the log of the file at fd, at its first record. */
tacit_status tacit_checkpoint_file_open(tacit_checkpoint_file *file, tacit_error *err);
/* Creates the file with its first record, or replaces the open file. At any moment the
   path leads to no file or the old file, or to the complete new file. */
tacit_status tacit_checkpoint_file_start(tacit_checkpoint_file *file,
                                         const unsigned char *raw_bytes, size_t size,
                                         tacit_error *err);

#endif
