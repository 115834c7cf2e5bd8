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

enum { TACIT_CODEC_MAGIC = 4 }; /* first bytes of a file that `matches` looks at */

/* A compressed format. It keeps raw data only in the memory that `self` points to. */
struct tacit_codec_ops {
  const char *name; /* required; "gzip" */
  /* Required. 1 if a file that starts with these bytes has this format. */
  int (*matches)(const unsigned char *bytes, size_t size);
  size_t state_size; /* bytes of `self`, zeroed before init */
  /* Required. Prepares for the first byte of a file. */
  tacit_status (*init)(void *self, tacit_error *err);
  /* Required. Decodes some bytes; no progress means that it needs more input. *inside
     is 1 while a member is open: a file that ends there is truncated. Consecutive
     members are one stream. `name` is the file's, for messages. */
  tacit_status (*step)(void *self, const char *name, tacit_codec_io *io, int *inside,
                       tacit_error *err);
  /* Required. Wipes and frees what init allocated; also called after a failed init. */
  void (*fini)(void *self);
};

extern const struct tacit_codec_ops tacit_codec_gzip;
extern const struct tacit_codec_ops tacit_codec_zstd;

/* The format of a file that starts with these bytes; NULL: plain. */
const struct tacit_codec_ops *tacit_codec_match(const unsigned char *bytes,
                                                size_t size);
/* Name of a compressed format that this build cannot read, for the message; else NULL.
 */
const char *tacit_codec_foreign(const unsigned char *bytes, size_t size);

#endif
