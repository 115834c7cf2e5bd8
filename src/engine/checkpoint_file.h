/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ENGINE_CHECKPOINT_FILE_H
#define TACIT_ENGINE_CHECKPOINT_FILE_H

#include <stddef.h>
#include <tacit/status.h>

#include "vault/random.h"

enum { TACIT_KEY_FILE_LEAST = 32, TACIT_KEY_FILE_MOST = 1 << 16 /* bytes */ };

/* The file of a checkpoint: sealed, replaced whole, and locked, so that two runs never
   go on from one checkpoint at a time. */
typedef struct tacit_checkpoint_file {
  char *path, *temporary;
  int fd; /* the file at `path`, locked; -1: there is none yet */
  tacit_key key;
} tacit_checkpoint_file;

/* Reads the key file, and opens and locks the checkpoint if it is there: then `resume`
   must be set. Call fini also after a failure. */
tacit_status tacit_checkpoint_file_init(tacit_checkpoint_file *file, const char *path,
                                        const char *key_path, int resume,
                                        tacit_error *err);
/* The key is wiped, the lock given up; the file stays. */
void tacit_checkpoint_file_fini(tacit_checkpoint_file *file);

/* What is in the file at fd; *raw_out for tacit_raw_free. */
tacit_status tacit_checkpoint_file_read(const tacit_checkpoint_file *file,
                                        unsigned char **raw_out, size_t *out_size,
                                        tacit_error *err);
/* Replaces the contents: after a failure the old ones are still there. */
tacit_status tacit_checkpoint_file_write(tacit_checkpoint_file *file,
                                         const unsigned char *raw_bytes, size_t size,
                                         tacit_error *err);

#endif
