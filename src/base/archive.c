/* SPDX-License-Identifier: MIT */
#include "base/archive.h"

#include <string.h>

void tacit_archive_part(tacit_archive *archive, void *raw_part, size_t size) {
  size_t at = archive->at;
  archive->at += size;
  if (archive->way == TACIT_ARCHIVE_COUNT || size == 0 || at > archive->size ||
      size > archive->size - at)
    return;
  if (archive->way == TACIT_ARCHIVE_SAVE)
    memcpy(archive->raw_bytes + at, raw_part, size);
  else
    memcpy(raw_part, archive->raw_bytes + at, size);
}

int tacit_archive_ended(const tacit_archive *archive) {
  return archive->at == archive->size;
}
