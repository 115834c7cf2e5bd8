/* SPDX-License-Identifier: MIT */
/*
 * Random access to files. Plain ones are read in place, or mapped if they are small and
 * whoever opened them is ready for the SIGBUS of a file that is cut; compressed ones
 * are decoded into memory, or into a temporary file if they are large. So memory does
 * not grow with the data; pages of a large mapping would count as ours.
 */
#include "data/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum {
  FIRST_BYTES = 1 << 20,
  DECODED_MOST = 1 << 26, /* of a compressed file in memory: its buffer doubles */
  SPILL_BYTES = 1 << 20
};

struct tacit_hold {
  const tacit_source *source;
  char *raw_bytes;     /* decoded */
  const char *raw_map; /* of a plain file */
  int64_t size;
  int fd; /* of the temporary file, or -1 */
};

void tacit_hold_free(tacit_hold *hold) {
  if (hold == NULL) return;
  tacit_raw_free(hold->raw_bytes);
  tacit_source_unmap(hold->raw_map, hold->size);
  if (hold->fd >= 0) (void)close(hold->fd);
  tacit_array_free(hold);
}

static tacit_status fail_space(const tacit_hold *hold, int code, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "%s: its decoded copy cannot be written (error %d); point TMPDIR "
                    "to a folder with room, or decompress the file",
                    tacit_source_name(hold->source), code);
}

static tacit_status open_temporary(tacit_hold *hold, tacit_error *err) {
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || *folder == '\0') folder = "/var/tmp";
  hold->fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (hold->fd >= 0) return TACIT_OK;
  /* A file system without nameless files: give it a name and take it away again. */
  static const char tail[] = "/tacit-XXXXXX";
  size_t length = strlen(folder);
  char *path = tacit_array_new(length + sizeof tail, 1);
  if (path == NULL) return tacit_fail_memory(err);
  memcpy(path, folder, length);
  memcpy(path + length, tail, sizeof tail);
  hold->fd = mkostemp(path, O_CLOEXEC);
  int code = errno;
  if (hold->fd >= 0) (void)unlink(path);
  tacit_array_free(path);
  return hold->fd >= 0 ? TACIT_OK : fail_space(hold, code, err);
}

static tacit_status spill(tacit_hold *hold, const char *raw_bytes, size_t size,
                          tacit_error *err) {
  while (size > 0) {
    ssize_t put = write(hold->fd, raw_bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail_space(hold, put < 0 ? errno : ENOSPC, err);
    raw_bytes += put;
    size -= (size_t)put;
  }
  return TACIT_OK;
}

/* The rest of the source behind what is in memory already, all to the temporary file.
 */
static tacit_status spill_rest(tacit_hold *hold, tacit_source *source,
                               tacit_error *err) {
  TACIT_TRY(open_temporary(hold, err));
  TACIT_TRY(spill(hold, hold->raw_bytes, (size_t)hold->size, err));
  for (;;) {
    size_t got;
    TACIT_TRY(tacit_source_read(source, hold->raw_bytes, SPILL_BYTES, &got, err));
    if (got == 0) break;
    TACIT_TRY(spill(hold, hold->raw_bytes, got, err));
    hold->size += (int64_t)got;
  }
  tacit_raw_free(hold->raw_bytes);
  hold->raw_bytes = NULL;
  return TACIT_OK;
}

static tacit_status decode(tacit_hold *hold, tacit_source *source, int64_t *budget,
                           tacit_error *err) {
  int64_t most = *budget < DECODED_MOST ? *budget : DECODED_MOST;
  size_t capacity = FIRST_BYTES;
  hold->raw_bytes = tacit_raw_new(capacity + TACIT_HOLD_PADDING, 1);
  if (hold->raw_bytes == NULL) return tacit_fail_memory(err);
  for (;;) {
    size_t got, room = capacity - (size_t)hold->size;
    TACIT_TRY(tacit_source_read(source, hold->raw_bytes + hold->size, room, &got, err));
    if (got == 0) break;
    hold->size += (int64_t)got;
    if (hold->size > most) return spill_rest(hold, source, err);
    if ((size_t)hold->size < capacity) continue;
    char *raw_larger =
        tacit_raw_grow(hold->raw_bytes, 2 * capacity + TACIT_HOLD_PADDING, 1);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    hold->raw_bytes = raw_larger;
    capacity *= 2;
  }
  *budget -= hold->size;
  return TACIT_OK;
}

/* Without a mapping the file is read in place. */
static void take_plain(tacit_hold *hold, int may_map, int64_t *budget) {
  hold->size = tacit_source_file_size(hold->source);
  if (!may_map || hold->size > *budget) return;
  hold->raw_map = tacit_source_map(hold->source);
  if (hold->raw_map != NULL) *budget -= hold->size;
}

tacit_status tacit_hold_new(tacit_source *source, int may_map, int64_t *budget,
                            tacit_hold **out, tacit_error *err) {
  tacit_hold *hold = tacit_array_new(1, sizeof *hold);
  if (hold == NULL) return tacit_fail_memory(err);
  hold->source = source;
  hold->fd = -1;
  tacit_status status = TACIT_OK;
  if (tacit_source_is_plain(source))
    take_plain(hold, may_map, budget);
  else
    status = decode(hold, source, budget, err);
  if (status == TACIT_OK) status = tacit_source_check(source, err);
  if (status != TACIT_OK) {
    tacit_hold_free(hold);
    return status;
  }
  if (hold->raw_bytes != NULL) hold->raw_bytes[hold->size] = '\n';
  *out = hold;
  return TACIT_OK;
}

int64_t tacit_hold_size(const tacit_hold *hold) { return hold->size; }

const char *tacit_hold_bytes(const tacit_hold *hold) { return hold->raw_bytes; }

const void *tacit_hold_place(const tacit_hold *hold, int64_t offset) {
  const char *raw_begin = hold->raw_bytes != NULL ? hold->raw_bytes : hold->raw_map;
  return raw_begin != NULL ? raw_begin + offset : NULL;
}

tacit_status tacit_hold_read(const tacit_hold *hold, int64_t offset, void *raw_out,
                             size_t size, tacit_error *err) {
  const void *raw_place = tacit_hold_place(hold, offset);
  if (raw_place != NULL) {
    memcpy(raw_out, raw_place, size);
    return TACIT_OK;
  }
  if (hold->fd < 0)
    return tacit_source_read_at(hold->source, offset, raw_out, size, err);
  for (size_t have = 0; have < size;) {
    ssize_t got = pread(hold->fd, (char *)raw_out + have, size - have,
                        (off_t)(offset + (int64_t)have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail_space(hold, got < 0 ? errno : EIO, err);
    have += (size_t)got;
  }
  return TACIT_OK;
}
