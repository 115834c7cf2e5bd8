/* SPDX-License-Identifier: MIT */
/*
 * Random access to files. Plain ones are read in place, or mapped if whoever opened
 * them is ready for the SIGBUS of a file that is cut; compressed ones are decoded into
 * memory, or into a temporary file if they are large. So memory does not grow with the
 * data; but mappings, whose pages are the page cache's, count as the process's too, and
 * have a limit of their own.
 */
#include "data/bytes/random_access.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum {
  FIRST_BYTES = 1 << 20,
  DECODED_MAX = 1 << 26, /* of a compressed file in memory: its buffer doubles */
  SPILL_BYTES = 1 << 20
};

struct tacit_hold {
  const tacit_source *source;
  char *raw_bytes;     /* decoded */
  const char *raw_map; /* of a plain file */
  int64_t size;
  const tacit_hold_room *spilled; /* where its temporary file is; NULL: not in one */
  int64_t start;                  /* of its bytes there */
};

void tacit_hold_room_init(tacit_hold_room *room, int64_t memory, int64_t mapping,
                          int64_t temporary) {
  *room = (tacit_hold_room){.memory = memory,
                            .mapping = mapping,
                            .temporary = temporary,
                            .max_temporary = temporary};
}

void tacit_hold_room_fini(tacit_hold_room *room) {
  if (room->has_file) (void)close(room->fd);
  room->has_file = 0;
}

void tacit_hold_free(tacit_hold *hold) {
  if (hold == NULL) return;
  tacit_raw_free(hold->raw_bytes);
  tacit_source_unmap(hold->raw_map, hold->size);
  tacit_array_free(hold);
}

static tacit_status fail_space(const tacit_hold *hold, int code, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "%s: its decoded copy cannot be written (error %d); point TMPDIR "
                    "to a folder with room, or decompress the file",
                    tacit_source_name(hold->source), code);
}

static tacit_status open_temporary(const tacit_hold *hold, tacit_hold_room *room,
                                   tacit_error *err) {
  if (room->has_file) return TACIT_OK;
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || *folder == '\0') folder = "/var/tmp";
  room->fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  room->has_file = room->fd >= 0;
  if (room->has_file) return TACIT_OK;
  /* A file system without nameless files: give it a name and take it away again. */
  static const char tail[] = "/tacit-XXXXXX";
  size_t length = strlen(folder);
  char *path = tacit_array_new(length + sizeof tail, 1);
  if (path == NULL) return tacit_fail_memory(err);
  memcpy(path, folder, length);
  memcpy(path + length, tail, sizeof tail);
  room->fd = mkostemp(path, O_CLOEXEC);
  int code = errno;
  room->has_file = room->fd >= 0;
  if (room->has_file) (void)unlink(path);
  tacit_array_free(path);
  return room->has_file ? TACIT_OK : fail_space(hold, code, err);
}

static tacit_status spill(const tacit_hold *hold, tacit_hold_room *room,
                          const char *raw_bytes, size_t size, tacit_error *err) {
  if ((int64_t)size > room->temporary)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its decoded copy needs more than the %" PRId64
                      " bytes that temporary files may take; raise --max-temp, or "
                      "decompress it",
                      tacit_source_name(hold->source), room->max_temporary);
  room->temporary -= (int64_t)size;
  while (size > 0) {
    ssize_t put = pwrite(room->fd, raw_bytes, size, (off_t)room->fd_size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail_space(hold, put < 0 ? errno : ENOSPC, err);
    raw_bytes += put;
    size -= (size_t)put;
    room->fd_size += put;
  }
  return TACIT_OK;
}

/* The rest of the source behind what is in memory already, all to the temporary file.
 */
static tacit_status spill_rest(tacit_hold *hold, tacit_source *source,
                               tacit_hold_room *room, tacit_error *err) {
  TACIT_TRY(open_temporary(hold, room, err));
  hold->spilled = room;
  hold->start = room->fd_size;
  TACIT_TRY(spill(hold, room, hold->raw_bytes, (size_t)hold->size, err));
  for (;;) {
    size_t got;
    TACIT_TRY(tacit_source_read(source, hold->raw_bytes, SPILL_BYTES, &got, err));
    if (got == 0) break;
    TACIT_TRY(spill(hold, room, hold->raw_bytes, got, err));
    hold->size += (int64_t)got;
  }
  tacit_raw_free(hold->raw_bytes);
  hold->raw_bytes = NULL;
  return TACIT_OK;
}

/* Many small files must not each keep the room of a large one. */
static void give_back(tacit_hold *hold, size_t capacity) {
  size_t size = (size_t)hold->size + TACIT_HOLD_PADDING;
  if (size > capacity / 2) return;
  char *raw_smaller = tacit_raw_grow(hold->raw_bytes, size, 1);
  if (raw_smaller != NULL) hold->raw_bytes = raw_smaller;
}

static tacit_status decode(tacit_hold *hold, tacit_source *source,
                           tacit_hold_room *room_left, tacit_error *err) {
  int64_t memory = room_left->memory;
  int64_t max = memory < DECODED_MAX ? memory : DECODED_MAX;
  size_t capacity = FIRST_BYTES;
  hold->raw_bytes = tacit_raw_new(capacity + TACIT_HOLD_PADDING, 1);
  if (hold->raw_bytes == NULL) return tacit_fail_memory(err);
  for (;;) {
    size_t got, room = capacity - (size_t)hold->size;
    TACIT_TRY(tacit_source_read(source, hold->raw_bytes + hold->size, room, &got, err));
    if (got == 0) break;
    hold->size += (int64_t)got;
    if (hold->size > max) return spill_rest(hold, source, room_left, err);
    if ((size_t)hold->size < capacity) continue;
    char *raw_larger =
        tacit_raw_grow(hold->raw_bytes, 2 * capacity + TACIT_HOLD_PADDING, 1);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    hold->raw_bytes = raw_larger;
    capacity *= 2;
  }
  room_left->memory -= hold->size;
  give_back(hold, capacity);
  return TACIT_OK;
}

/* Without a mapping the file is read in place. */
static void take_plain(tacit_hold *hold, tacit_hold_room *room) {
  hold->size = tacit_source_file_size(hold->source);
  if (hold->size > room->mapping) return;
  hold->raw_map = tacit_source_map(hold->source);
  if (hold->raw_map != NULL) room->mapping -= hold->size;
}

tacit_status tacit_hold_new(tacit_source *source, tacit_hold_room *room,
                            tacit_hold **out, tacit_error *err) {
  tacit_hold *hold = tacit_array_new(1, sizeof *hold);
  if (hold == NULL) return tacit_fail_memory(err);
  hold->source = source;
  tacit_status status = TACIT_OK;
  if (tacit_source_is_plain(source))
    take_plain(hold, room);
  else
    status = decode(hold, source, room, err);
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
  if (hold->spilled == NULL)
    return tacit_source_read_at(hold->source, offset, raw_out, size, err);
  for (size_t have = 0; have < size;) {
    ssize_t got = pread(hold->spilled->fd, (char *)raw_out + have, size - have,
                        (off_t)(hold->start + offset + (int64_t)have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail_space(hold, got < 0 ? errno : EIO, err);
    have += (size_t)got;
  }
  return TACIT_OK;
}
