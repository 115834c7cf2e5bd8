/* SPDX-License-Identifier: MIT */
/* Records under authenticated encryption. Each record is bound to the record before it,
   so a log that opens is a prefix of a log that was written under this key. */
#include "checkpoint/seal.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/numbers.h"

enum {
  MAGIC_BYTES = 16,
  PREFIX_BYTES = MAGIC_BYTES + 8, /* the bytes in clear at the beginning of the file */
  NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  FRONT_BYTES = 8 + NONCE_BYTES, /* size and nonce of a record */
  AROUND_BYTES = FRONT_BYTES + TACIT_SEALED_TAG,
  BOUND_BYTES = PREFIX_BYTES + 16 + TACIT_SEALED_TAG /* data that is authenticated with
                                                        a record, but not stored in
                                                        it */
};
_Static_assert((int)TACIT_SEALED_TAG == crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "the tag of the cipher");

/* The first MAGIC_BYTES of the file, without the closing zero. */
static const char magic[] = "tacit checkpoint";

tacit_status tacit_sealed_fail(const char *name, const char *doing, tacit_error *err) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: cannot %s: %s", name, doing,
                    tacit_io_reason(errno, reason));
}

/* Reports that the bytes have changed or the key is wrong. Nothing tells the two cases
   apart. */
static tacit_status fail_damaged(const char *name, tacit_error *err) {
  return tacit_fail(
      err, TACIT_EDATA,
      "%s: the wrong key file, or a damaged file: nothing is read from it", name);
}

static tacit_status read_at(const tacit_sealed *log, unsigned char *bytes, size_t size,
                            int64_t offset, tacit_error *err) {
  ssize_t got = tacit_io_read_at(log->fd, bytes, size, offset);
  if (got < 0) return tacit_sealed_fail(log->name, "read", err);
  if ((size_t)got == size) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "%s: changed while being read", log->name);
}

static void fill_prefix(unsigned char *out) {
  memcpy(out, magic, MAGIC_BYTES);
  tacit_store_le64(out + MAGIC_BYTES, TACIT_SEALED_VERSION);
}

/* Writes the data that is authenticated with the next record, which has `size`
   bytes. */
static void fill_bound(const tacit_sealed *log, size_t size, unsigned char *out) {
  fill_prefix(out);
  tacit_store_le64(out + PREFIX_BYTES, log->records);
  tacit_store_le64(out + PREFIX_BYTES + 8, (uint64_t)size);
  memcpy(out + PREFIX_BYTES + 16, log->tag, TACIT_SEALED_TAG);
}

/* Moves the position past the record at raw_sealed. */
static void advance(tacit_sealed *log, const unsigned char *raw_sealed, size_t size) {
  memcpy(log->tag, raw_sealed + FRONT_BYTES + size, TACIT_SEALED_TAG);
  log->end += (int64_t)(AROUND_BYTES + size);
  ++log->records;
}

tacit_status tacit_sealed_start(tacit_sealed *log, int fd, const char *name,
                                const tacit_key *key, tacit_error *err) {
  unsigned char prefix[PREFIX_BYTES];
  *log = (tacit_sealed){.fd = fd, .name = name, .key = key, .end = PREFIX_BYTES};
  fill_prefix(prefix);
  if (tacit_io_write_at(fd, prefix, sizeof prefix, 0) != 0)
    return tacit_sealed_fail(name, "write", err);
  return TACIT_OK;
}

/* Writes all bytes at the end of the log, or leaves the log as it was. */
static tacit_status append(const tacit_sealed *log, const unsigned char *raw_sealed,
                           size_t size, tacit_error *err) {
  if (ftruncate(log->fd, (off_t)log->end) == 0 &&
      tacit_io_write_at(log->fd, raw_sealed, size, log->end) == 0 &&
      fsync(log->fd) == 0)
    return TACIT_OK;
  tacit_status status = tacit_sealed_fail(log->name, "write", err);
  /* If this fails as well, the file ends with a part of a record, as after a crash, and
     readers leave it out. */
  if (ftruncate(log->fd, (off_t)log->end) == 0) (void)fsync(log->fd);
  return status;
}

tacit_status tacit_sealed_append(tacit_sealed *log, const unsigned char *raw_bytes,
                                 size_t size, tacit_error *err) {
  if (size > SIZE_MAX - AROUND_BYTES) return tacit_fail_memory(err);
  unsigned char bound[BOUND_BYTES];
  unsigned char *raw_sealed = tacit_raw_new(AROUND_BYTES + size, 1);
  if (raw_sealed == NULL) return tacit_fail_memory(err);
  tacit_store_le64(raw_sealed, (uint64_t)size);
  randombytes_buf(raw_sealed + 8, NONCE_BYTES);
  fill_bound(log, size, bound);
  (void)crypto_aead_xchacha20poly1305_ietf_encrypt(
      raw_sealed + FRONT_BYTES, NULL, raw_bytes, size, bound, sizeof bound, NULL,
      raw_sealed + 8, log->key->bytes);
  tacit_status status = append(log, raw_sealed, AROUND_BYTES + size, err);
  if (status == TACIT_OK) advance(log, raw_sealed, size);
  tacit_raw_free(raw_sealed);
  return status;
}

tacit_status tacit_sealed_open(tacit_sealed *log, int fd, const char *name,
                               const tacit_key *key, tacit_error *err) {
  unsigned char prefix[PREFIX_BYTES], expected[PREFIX_BYTES];
  struct stat facts;
  *log = (tacit_sealed){.fd = fd, .name = name, .key = key, .end = PREFIX_BYTES};
  if (fstat(fd, &facts) != 0) return tacit_sealed_fail(name, "read", err);
  if (facts.st_size < PREFIX_BYTES + AROUND_BYTES)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: too short for a checkpoint or stream of tacit", name);
  TACIT_TRY(read_at(log, prefix, sizeof prefix, 0, err));
  fill_prefix(expected);
  if (memcmp(prefix, expected, MAGIC_BYTES) != 0)
    return tacit_fail(err, TACIT_EDATA, "%s: not a checkpoint or stream of tacit",
                      name);
  if (memcmp(prefix, expected, sizeof prefix) != 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: a checkpoint in another format than version %d, or damaged: "
                      "nothing is read from it",
                      name, TACIT_SEALED_VERSION);
  return TACIT_OK;
}

/* Decrypts the record of `size` bytes at the position into raw_bytes. Sets *out_whole
   to 1 if it authenticates, otherwise to 0. */
static tacit_status decrypt(tacit_sealed *log, size_t size, unsigned char *raw_bytes,
                            int *out_whole, tacit_error *err) {
  unsigned char bound[BOUND_BYTES];
  unsigned char *raw_sealed = tacit_raw_new(AROUND_BYTES + size, 1);
  if (raw_sealed == NULL) return tacit_fail_memory(err);
  tacit_status status = read_at(log, raw_sealed, AROUND_BYTES + size, log->end, err);
  if (status == TACIT_OK) {
    fill_bound(log, size, bound);
    *out_whole =
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            raw_bytes, NULL, NULL, raw_sealed + FRONT_BYTES, size + TACIT_SEALED_TAG,
            bound, sizeof bound, raw_sealed + 8, log->key->bytes) == 0;
    if (*out_whole) advance(log, raw_sealed, size);
  }
  tacit_raw_free(raw_sealed);
  return status;
}

tacit_status tacit_sealed_next(tacit_sealed *log, unsigned char **raw_out,
                               size_t *out_size, tacit_error *err) {
  unsigned char front[8];
  struct stat facts;
  *raw_out = NULL;
  if (fstat(log->fd, &facts) != 0) return tacit_sealed_fail(log->name, "read", err);
  int64_t left = (int64_t)facts.st_size - log->end;
  uint64_t size = 0;
  if (left >= AROUND_BYTES) {
    TACIT_TRY(read_at(log, front, sizeof front, log->end, err));
    size = tacit_load_le64(front);
  }
  if (left < AROUND_BYTES || size > (uint64_t)(left - AROUND_BYTES))
    return log->records > 0 ? TACIT_OK : fail_damaged(log->name, err);
  unsigned char *raw_bytes = tacit_raw_new((size_t)size, 1);
  if (raw_bytes == NULL) return tacit_fail_memory(err);
  int whole = 0, is_last = size == (uint64_t)(left - AROUND_BYTES);
  tacit_status status = decrypt(log, (size_t)size, raw_bytes, &whole, err);
  if (status == TACIT_OK && !whole && !(is_last && log->records > 0))
    status = fail_damaged(log->name, err);
  if (status == TACIT_OK && whole) {
    *raw_out = raw_bytes;
    *out_size = (size_t)size;
    return TACIT_OK;
  }
  tacit_raw_free(raw_bytes);
  return status;
}
