/* SPDX-License-Identifier: MIT */
/* Names and sizes of the files of a run, as one digest. Folders are left out, so that
   data may be mounted elsewhere when a run goes on; times are left out, since copying
   changes them. */
#include "data/identity.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/numbers.h"
#include "data/reader.h"

static const unsigned char personal[crypto_generichash_blake2b_PERSONALBYTES] =
    "tacit-files-1";

tacit_status tacit_identity_of_files(const char *const *paths, size_t n_paths,
                                     tacit_identity *out, tacit_error *err) {
  crypto_generichash_blake2b_state raw_hash;
  (void)crypto_generichash_blake2b_init_salt_personal(
      &raw_hash, NULL, 0, TACIT_IDENTITY_BYTES, NULL, personal);
  for (size_t i = 0; i < n_paths; ++i) {
    struct stat raw_facts = {0};
    int pipe = strcmp(paths[i], "-") == 0;
    if (!pipe && stat(paths[i], &raw_facts) != 0) {
      char name[TACIT_NAME_BYTES];
      tacit_name_shorten(paths[i], sizeof name - 1, name);
      return tacit_fail(err, TACIT_EIO, "%s: %s", name, strerror(errno));
    }
    const char *slash = strrchr(paths[i], '/');
    const char *name = slash != NULL ? slash + 1 : paths[i];
    uint64_t raw_size = S_ISREG(raw_facts.st_mode) ? (uint64_t)raw_facts.st_size : 0;
    unsigned char raw_head[16];
    tacit_store_le64(raw_head, strlen(name));
    tacit_store_le64(raw_head + 8, raw_size);
    (void)crypto_generichash_blake2b_update(&raw_hash, raw_head, sizeof raw_head);
    (void)crypto_generichash_blake2b_update(&raw_hash, (const unsigned char *)name,
                                            strlen(name));
  }
  (void)crypto_generichash_blake2b_final(&raw_hash, out->raw_bytes,
                                         sizeof out->raw_bytes);
  sodium_memzero(&raw_hash, sizeof raw_hash);
  return TACIT_OK;
}

const tacit_identity *tacit_reader_identity(const tacit_reader *reader) {
  return &reader->identity;
}
