/* SPDX-License-Identifier: MIT */
/* Names and sizes of the files of a run, as one digest. Folders are left out, so that
   data may be mounted elsewhere when a run goes on; times are left out, since copying
   changes them. */
#include "data/reader/identity.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/numbers.h"
#include "data/reader/reader.h"

tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err) {
  static const unsigned char personal[crypto_generichash_blake2b_PERSONALBYTES] =
      "tacit-files-1";
  crypto_generichash_blake2b_state raw_hash;
  struct stat raw_facts = {0};
  if (strcmp(path, "-") != 0 && stat(path, &raw_facts) != 0) {
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(path, sizeof shown - 1, shown);
    return tacit_fail(err, TACIT_EIO, "%s: %s", shown, strerror(errno));
  }
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  unsigned char raw_head[16], raw_bytes[TACIT_IDENTITY_BYTES];
  tacit_store_le64(raw_head, index);
  tacit_store_le64(raw_head + 8,
                   S_ISREG(raw_facts.st_mode) ? (uint64_t)raw_facts.st_size : 0);
  (void)crypto_generichash_blake2b_init_salt_personal(&raw_hash, NULL, 0,
                                                      sizeof raw_bytes, NULL, personal);
  (void)crypto_generichash_blake2b_update(&raw_hash, raw_head, sizeof raw_head);
  (void)crypto_generichash_blake2b_update(&raw_hash, (const unsigned char *)name,
                                          strlen(name));
  (void)crypto_generichash_blake2b_final(&raw_hash, raw_bytes, sizeof raw_bytes);
  for (size_t i = 0; i < sizeof raw_bytes; ++i)
    identity->raw_bytes[i] ^= raw_bytes[i];
  sodium_memzero(&raw_hash, sizeof raw_hash);
  sodium_memzero(raw_bytes, sizeof raw_bytes);
  return TACIT_OK;
}

const tacit_identity *tacit_reader_identity(const tacit_reader *reader) {
  return &reader->identity;
}
