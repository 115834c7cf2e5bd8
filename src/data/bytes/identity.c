/* SPDX-License-Identifier: MIT */
/* The digest of the files of a run. Folders are left out so that data may be mounted
   elsewhere when a run is resumed. Times are left out because copying changes them. */
#include "data/bytes/identity.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "data/bytes/source.h"

tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err) {
  struct stat facts = {0};
  if (strcmp(path, "-") != 0 && stat(path, &facts) != 0) {
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(path, sizeof shown - 1, shown);
    char reason[TACIT_IO_REASON];
    return tacit_fail(err, TACIT_EIO, "%s: %s", shown, tacit_io_reason(errno, reason));
  }
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  unsigned char bytes[TACIT_IDENTITY_BYTES];
  tacit_hash hash;
  tacit_hash_begin(&hash, sizeof bytes, "tacit-files-1");
  tacit_hash_add_number(&hash, index);
  tacit_hash_add_number(&hash, S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0);
  tacit_hash_add(&hash, name, strlen(name));
  tacit_hash_end(&hash, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; ++i)
    identity->raw_bytes[i] ^= bytes[i];
  sodium_memzero(&hash, sizeof hash);
  sodium_memzero(bytes, sizeof bytes);
  return TACIT_OK;
}
