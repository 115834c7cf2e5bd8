/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_CODEC_H
#define TACIT_DATA_BYTES_CODEC_H

#include <stddef.h>
#include <tacit/status.h>

/* Where a decoder stands: it moves the pointers past what it took and gave. */
typedef struct tacit_codec_io {
  const unsigned char *in;
  size_t in_size;
  unsigned char *out;
  size_t out_size;
} tacit_codec_io;

enum { TACIT_CODEC_MAGIC = 4 }; /* first bytes of a file that `matches` looks at */

/* A compressed format. It sees raw data and keeps it only behind `self`. */
struct tacit_codec_ops {
  const char *name; /* required; "gzip" */
  /* Required. 1 when a file that starts with these bytes is of this format. */
  int (*matches)(const unsigned char *bytes, size_t size);
  size_t state_size; /* bytes behind `self`, zeroed before init */
  /* Required. Ready for the first byte of a file. */
  tacit_status (*init)(void *self, tacit_error *err);
  /* Required. Decodes some; no progress means that more input is needed. *inside is 1
     while a member is open: a file that ends there is truncated. Members that follow
     each other are one stream. `name` is the file's, for messages. */
  tacit_status (*step)(void *self, const char *name, tacit_codec_io *io, int *inside,
                       tacit_error *err);
  /* Required. Wipes and frees what init took; also after a failed init. */
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
