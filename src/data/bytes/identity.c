/* SPDX-License-Identifier: MIT */
/* Names and sizes of the files of a run, as one digest. Folders are left out so that
   data may be mounted elsewhere when a run is resumed; times are left out because
   copying changes them. */
#include "data/bytes/identity.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/numbers.h"
#include "data/bytes/source.h"

tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err) {
  static const unsigned char personal[crypto_generichash_blake2b_PERSONALBYTES] =
      "tacit-files-1";
  crypto_generichash_blake2b_state hash;
  struct stat facts = {0};
  if (strcmp(path, "-") != 0 && stat(path, &facts) != 0) {
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(path, sizeof shown - 1, shown);
    return tacit_fail(err, TACIT_EIO, "%s: %s", shown, strerror(errno));
  }
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  unsigned char head[16], bytes[TACIT_IDENTITY_BYTES];
  tacit_store_le64(head, index);
  tacit_store_le64(head + 8, S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0);
  (void)crypto_generichash_blake2b_init_salt_personal(&hash, NULL, 0, sizeof bytes,
                                                      NULL, personal);
  (void)crypto_generichash_blake2b_update(&hash, head, sizeof head);
  (void)crypto_generichash_blake2b_update(&hash, (const unsigned char *)name,
                                          strlen(name));
  (void)crypto_generichash_blake2b_final(&hash, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; ++i)
    identity->raw_bytes[i] ^= bytes[i];
  sodium_memzero(&hash, sizeof hash);
  sodium_memzero(bytes, sizeof bytes);
  return TACIT_OK;
}
