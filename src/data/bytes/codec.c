/* SPDX-License-Identifier: MIT */
/* The registry of the compressed formats of this build. */
#include "data/bytes/codec.h"

#include <string.h>

static const struct tacit_codec_ops *const codecs[] = {
    &tacit_codec_gzip,
#ifdef TACIT_HAVE_ZSTD
    &tacit_codec_zstd,
#endif
    NULL,
};

const struct tacit_codec_ops *tacit_codec_at(size_t i) {
  return i < sizeof codecs / sizeof codecs[0] ? codecs[i] : NULL;
}

const struct tacit_codec_ops *tacit_codec_match(const unsigned char *bytes,
                                                size_t size) {
  for (size_t i = 0; codecs[i] != NULL; ++i)
    if (codecs[i]->matches(bytes, size)) return codecs[i];
  return NULL;
}

const char *tacit_codec_foreign(const unsigned char *bytes, size_t size) {
  static const struct {
    const char *name;
    const char *magic;
    size_t size;
  } known[] = {
      {"zstd", "\x28\xb5\x2f\xfd", 4},
      {"xz",
       "\xfd"
       "7zXZ",
       6},
      {"bzip2", "BZh91AY&SY", 10},
      {"zip", "PK\3\4", 4},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (size >= known[i].size && memcmp(bytes, known[i].magic, known[i].size) == 0)
      return known[i].name;
  return NULL;
}
