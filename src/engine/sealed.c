/* SPDX-License-Identifier: MIT */
/* Authenticated encryption of a whole file, a piece at a time. Each writing has a fresh
   random nonce of 192 bits, so one key may seal any number of files. */
#include "engine/sealed.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

enum {
  MAGIC_BYTES = 16,
  PREFIX_BYTES = MAGIC_BYTES + 8, /* in clear */
  NONCE_BYTES = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
  TAG_BYTES = crypto_secretstream_xchacha20poly1305_ABYTES,
  HEAD_BYTES = PREFIX_BYTES + NONCE_BYTES,
  PIECE_BYTES = 1 << 16
};

/* Exactly MAGIC_BYTES, no zero at the end. */
static const char magic[] = "tacit checkpoint";

/* What both directions need. Raw memory: it holds pieces in clear. */
struct stream {
  crypto_secretstream_xchacha20poly1305_state state;
  unsigned char prefix[PREFIX_BYTES];
  unsigned char nonce[NONCE_BYTES];
  unsigned char sealed[PIECE_BYTES + TAG_BYTES];
};

static tacit_status fail_errno(const char *name, const char *doing, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO, "%s: cannot %s: %s", name, doing, strerror(errno));
}

static tacit_status write_all(int fd, const char *name, const unsigned char *bytes,
                              size_t size, tacit_error *err) {
  while (size > 0) {
    ssize_t done = write(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail_errno(name, "write", err);
    bytes += done;
    size -= (size_t)done;
  }
  return TACIT_OK;
}

static tacit_status read_all(int fd, const char *name, unsigned char *bytes,
                             size_t size, tacit_error *err) {
  while (size > 0) {
    ssize_t got = read(fd, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(name, "read", err);
    if (got == 0)
      return tacit_fail(err, TACIT_EDATA, "%s: changed while being read", name);
    bytes += got;
    size -= (size_t)got;
  }
  return TACIT_OK;
}

static tacit_status seal_stream(int fd, const char *name, struct stream *stream,
                                const unsigned char *raw_bytes, size_t size,
                                tacit_error *err) {
  TACIT_TRY(write_all(fd, name, stream->prefix, PREFIX_BYTES, err));
  TACIT_TRY(write_all(fd, name, stream->nonce, NONCE_BYTES, err));
  for (size_t at = 0;;) {
    size_t piece = size - at < PIECE_BYTES ? size - at : PIECE_BYTES;
    int last = at + piece == size;
    (void)crypto_secretstream_xchacha20poly1305_push(
        &stream->state, stream->sealed, NULL, raw_bytes + at, piece, stream->prefix,
        PREFIX_BYTES,
        last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL
             : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
    TACIT_TRY(write_all(fd, name, stream->sealed, piece + TAG_BYTES, err));
    at += piece;
    if (last) return TACIT_OK;
  }
}

tacit_status tacit_seal(int fd, const char *name, const tacit_key *key,
                        const unsigned char *raw_bytes, size_t size, tacit_error *err) {
  struct stream *stream = tacit_raw_new(1, sizeof *stream);
  if (stream == NULL) return tacit_fail_memory(err);
  memcpy(stream->prefix, magic, MAGIC_BYTES);
  tacit_store_le64(stream->prefix + MAGIC_BYTES, TACIT_SEALED_VERSION);
  (void)crypto_secretstream_xchacha20poly1305_init_push(&stream->state, stream->nonce,
                                                        key->bytes);
  tacit_status status = seal_stream(fd, name, stream, raw_bytes, size, err);
  tacit_raw_free(stream);
  return status;
}

/* What is not as it was written. The key cannot be told from the bytes. */
static tacit_status fail_damaged(const char *name, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: the wrong key file, or a damaged checkpoint: nothing is read "
                    "from it",
                    name);
}

static tacit_status open_head(int fd, const char *name, struct stream *stream,
                              const tacit_key *key, tacit_error *err) {
  TACIT_TRY(read_all(fd, name, stream->prefix, PREFIX_BYTES, err));
  if (memcmp(stream->prefix, magic, MAGIC_BYTES) != 0)
    return tacit_fail(err, TACIT_EDATA, "%s: not a checkpoint of tacit", name);
  unsigned char version[8];
  tacit_store_le64(version, TACIT_SEALED_VERSION);
  if (memcmp(stream->prefix + MAGIC_BYTES, version, sizeof version) != 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: a checkpoint in another format than version %d, or damaged: "
                      "nothing is read from it",
                      name, TACIT_SEALED_VERSION);
  TACIT_TRY(read_all(fd, name, stream->nonce, NONCE_BYTES, err));
  if (crypto_secretstream_xchacha20poly1305_init_pull(&stream->state, stream->nonce,
                                                      key->bytes) != 0)
    return fail_damaged(name, err);
  return TACIT_OK;
}

/* `left` sealed bytes of the file become *out_size bytes in raw_out. */
static tacit_status open_pieces(int fd, const char *name, struct stream *stream,
                                size_t left, unsigned char *raw_out, size_t *out_size,
                                tacit_error *err) {
  size_t at = 0;
  for (int last = 0; !last;) {
    size_t sealed = left < sizeof stream->sealed ? left : sizeof stream->sealed;
    unsigned char tag = 0;
    if (sealed < TAG_BYTES) return fail_damaged(name, err);
    TACIT_TRY(read_all(fd, name, stream->sealed, sealed, err));
    if (crypto_secretstream_xchacha20poly1305_pull(&stream->state, raw_out + at, NULL,
                                                   &tag, stream->sealed, sealed,
                                                   stream->prefix, PREFIX_BYTES) != 0)
      return fail_damaged(name, err);
    at += sealed - TAG_BYTES;
    left -= sealed;
    last = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
    if (last != (left == 0)) return fail_damaged(name, err);
  }
  *out_size = at;
  return TACIT_OK;
}

tacit_status tacit_unseal(int fd, const char *name, const tacit_key *key,
                          unsigned char **raw_out, size_t *out_size, tacit_error *err) {
  struct stat facts;
  if (fstat(fd, &facts) != 0 || lseek(fd, 0, SEEK_SET) != 0)
    return fail_errno(name, "read", err);
  if (facts.st_size < HEAD_BYTES + TAG_BYTES)
    return tacit_fail(err, TACIT_EDATA, "%s: too short for a checkpoint of tacit",
                      name);
  size_t left = (size_t)facts.st_size - HEAD_BYTES, size = 0;
  struct stream *stream = tacit_raw_new(1, sizeof *stream);
  unsigned char *raw_bytes = tacit_raw_new(left, 1);
  tacit_status status = stream != NULL && raw_bytes != NULL
                            ? open_head(fd, name, stream, key, err)
                            : tacit_fail_memory(err);
  if (status == TACIT_OK)
    status = open_pieces(fd, name, stream, left, raw_bytes, &size, err);
  tacit_raw_free(stream);
  if (status != TACIT_OK) {
    tacit_raw_free(raw_bytes);
    return status;
  }
  *raw_out = raw_bytes;
  *out_size = size;
  return TACIT_OK;
}
