/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_CODEC_H
#define TACIT_DATA_BYTES_CODEC_H

#include <stddef.h>
#include <tacit/status.h>

/* Input and output of a decoder, which moves the pointers past what it read and
   wrote. */
typedef struct tacit_codec_io {
  const unsigned char *in;
  size_t in_size;
  unsigned char *out;
  size_t out_size;
} tacit_codec_io;

enum {
  TACIT_CODEC_MAGIC = 4
}; /* number of first bytes of a file that `matches`
      needs */

/* A compressed format. It keeps raw data only in the memory that `self` points to. */
struct tacit_codec_ops {
  const char *name;    /* required, for example "gzip" */
  const char *summary; /* required, one line */
  /* Required. Returns 1 if a file that starts with these bytes has this format. */
  int (*matches)(const unsigned char *bytes, size_t size);
  size_t state_size; /* bytes of `self`, zeroed before init */
  /* Required. Prepares for the first byte of a file. */
  tacit_status (*init)(void *self, tacit_error *err);
  /* Required. Decodes some bytes. If it reads and writes nothing, it needs more input.
     *inside is 1 inside a member, so that a file that ends there is truncated.
     Consecutive members are one stream. `name` is the name of the file, for
     messages. */
  tacit_status (*step)(void *self, const char *name, tacit_codec_io *io, int *inside,
                       tacit_error *err);
  /* Required. Wipes and frees what init allocated; also called after a failed init. */
  void (*fini)(void *self);
};

extern const struct tacit_codec_ops tacit_codec_gzip;
extern const struct tacit_codec_ops tacit_codec_zstd;

/* Returns format `i` of this build, or NULL past the end. */
const struct tacit_codec_ops *tacit_codec_at(size_t i);
/* Returns the format of a file that starts with these bytes, or NULL if it is not
   compressed. */
const struct tacit_codec_ops *tacit_codec_match(const unsigned char *bytes,
                                                size_t size);
/* Returns the name of the format, for messages, if a file that starts with these bytes
   is compressed in a format that this build cannot read. Otherwise returns NULL. */
const char *tacit_codec_foreign(const unsigned char *bytes, size_t size);

#endif
