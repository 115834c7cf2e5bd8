/* SPDX-License-Identifier: MIT */
/* zstd through libzstd. If the library allows it, the window of decoded records is raw
   memory and wiped when freed. A frame may ask for a window of up to 128 MiB, libzstd's
   own limit. */
#ifdef TACIT_HAVE_ZSTD_MEMORY
#define ZSTD_STATIC_LINKING_ONLY
#endif
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/codec.h"

struct zstd {
  ZSTD_DStream *stream;
};

static int zstd_matches(const unsigned char *bytes, size_t size) {
  if (size < TACIT_CODEC_MAGIC) return 0;
  /* A frame, or a skippable frame, which parallel compressors write first. */
  if (bytes[0] == 0x28) return bytes[1] == 0xb5 && bytes[2] == 0x2f && bytes[3] == 0xfd;
  return (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d &&
         bytes[3] == 0x18;
}

#ifdef TACIT_HAVE_ZSTD_MEMORY
static void *alloc(void *opaque, size_t size) {
  (void)opaque;
  return tacit_raw_new(size, 1);
}

static void dealloc(void *opaque, void *memory) {
  (void)opaque;
  tacit_raw_free(memory);
}

static ZSTD_DStream *stream_new(void) {
  ZSTD_customMem memory = {alloc, dealloc, NULL};
  return ZSTD_createDCtx_advanced(memory);
}
#else
static ZSTD_DStream *stream_new(void) { return ZSTD_createDStream(); }
#endif

static tacit_status zstd_init(void *self, tacit_error *err) {
  struct zstd *zstd = self;
  zstd->stream = stream_new();
  return zstd->stream != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status zstd_step(void *self, const char *name, tacit_codec_io *io,
                              int *inside, tacit_error *err) {
  struct zstd *zstd = self;
  ZSTD_inBuffer in = {io->in, io->in_size, 0};
  ZSTD_outBuffer out = {io->out, io->out_size, 0};
  if (io->in_size > 0) *inside = 1;
  size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);
  io->in += in.pos;
  io->in_size -= in.pos;
  io->out += out.pos;
  io->out_size -= out.pos;
  if (!ZSTD_isError(result)) {
    if (result == 0) *inside = 0;
    return TACIT_OK;
  }
  ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
  if (code == ZSTD_error_memory_allocation) return tacit_fail_memory(err);
  if (code == ZSTD_error_frameParameter_windowTooLarge)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: zstd data with a window over 128 MiB; compress it without "
                      "--long or decompress it first",
                      name);
  return tacit_fail(err, TACIT_EDATA, "%s: corrupt zstd data; get the file again",
                    name);
}

static void zstd_fini(void *self) {
  struct zstd *zstd = self;
  (void)ZSTD_freeDStream(zstd->stream);
  zstd->stream = NULL;
}

const struct tacit_codec_ops tacit_codec_zstd = {
    .name = "zstd",
    .summary = "Zstandard",
    .matches = zstd_matches,
    .state_size = sizeof(struct zstd),
    .init = zstd_init,
    .step = zstd_step,
    .fini = zstd_fini,
};
