/* SPDX-License-Identifier: MIT */
/* gzip through zlib. zlib's window holds decoded records, so it is allocated as raw
   memory and wiped when freed. zlib verifies checksum and length at the end of each
   member. */
#include <limits.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/codec.h"

enum {
  GZIP_ONLY = 16
}; /* added to the window bits, it makes zlib require a gzip
      header */

struct gzip {
  z_stream stream;
  int open;
};

static void *alloc(void *opaque, unsigned items, unsigned size) {
  (void)opaque;
  return tacit_raw_new(items, size);
}

static void dealloc(void *opaque, void *memory) {
  (void)opaque;
  tacit_raw_free(memory);
}

static int gzip_matches(const unsigned char *bytes, size_t size) {
  return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static tacit_status gzip_init(void *self, tacit_error *err) {
  struct gzip *gzip = self;
  gzip->stream.zalloc = alloc;
  gzip->stream.zfree = dealloc;
  if (inflateInit2(&gzip->stream, MAX_WBITS + GZIP_ONLY) != Z_OK)
    return tacit_fail_memory(err);
  gzip->open = 1;
  return TACIT_OK;
}

static unsigned int_size(size_t size) {
  return size > UINT_MAX ? UINT_MAX : (unsigned)size;
}

static tacit_status gzip_step(void *self, const char *name, tacit_codec_io *io,
                              int *inside, tacit_error *err) {
  z_stream *stream = &((struct gzip *)self)->stream;
  unsigned in_size = int_size(io->in_size), out_size = int_size(io->out_size);
  stream->next_in = (unsigned char *)io->in; /* zlib does not write to the input */
  stream->avail_in = in_size;
  stream->next_out = io->out;
  stream->avail_out = out_size;
  if (in_size > 0) *inside = 1;
  int result = inflate(stream, Z_NO_FLUSH);
  io->in = stream->next_in;
  io->in_size -= in_size - stream->avail_in;
  io->out = stream->next_out;
  io->out_size -= out_size - stream->avail_out;
  if (result == Z_STREAM_END) {
    *inside = 0;
    return inflateReset(stream) == Z_OK ? TACIT_OK : tacit_fail_memory(err);
  }
  if (result == Z_OK || result == Z_BUF_ERROR) return TACIT_OK;
  if (result == Z_MEM_ERROR) return tacit_fail_memory(err);
  return tacit_fail(err, TACIT_EDATA, "%s: corrupt gzip data; get the file again",
                    name);
}

static void gzip_fini(void *self) {
  struct gzip *gzip = self;
  if (gzip->open) (void)inflateEnd(&gzip->stream);
  gzip->open = 0;
}

const struct tacit_codec_ops tacit_codec_gzip = {
    .name = "gzip",
    .summary = "deflate, by zlib",
    .matches = gzip_matches,
    .state_size = sizeof(struct gzip),
    .init = gzip_init,
    .step = gzip_step,
    .fini = gzip_fini,
};
