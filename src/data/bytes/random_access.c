/* SPDX-License-Identifier: MIT */
/*
 * Random access to files. Plain files are read in place, or mapped if the caller can
 * handle SIGBUS when a file shrinks. Compressed files are decoded into memory, or into
 * a temporary file if they are large. So memory does not grow with the data. Mapped
 * pages belong to the page cache but count towards the process, so they have a limit of
 * their own.
 */
#include "data/bytes/random_access.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "data/bytes/temporary.h"

enum {
  FIRST_BYTES = 1 << 20,
  DECODED_MAX = 1 << 26, /* most decoded bytes of one file in memory; the buffer doubles
                            up to this size */
  SPILL_BYTES = 1 << 20
};

struct tacit_random_access {
  const tacit_source *source;
  char *bytes;     /* decoded bytes, or NULL */
  const char *map; /* mapping of a plain file, or NULL */
  int64_t size;
  const tacit_random_access_space *spilled; /* the space whose temporary file has the
                                               bytes, or NULL */
  int64_t start;                            /* offset of the bytes in that file */
};

void tacit_random_access_space_init(tacit_random_access_space *space, int64_t memory,
                                    int64_t mapping, int64_t temporary) {
  *space = (tacit_random_access_space){.memory = memory,
                                       .mapping = mapping,
                                       .temporary = temporary,
                                       .max_temporary = temporary};
}

void tacit_random_access_space_fini(tacit_random_access_space *space) {
  if (space->has_file) (void)close(space->fd);
  space->has_file = 0;
}

void tacit_random_access_free(tacit_random_access *access) {
  if (access == NULL) return;
  tacit_raw_free(access->bytes);
  tacit_source_unmap(access->map, access->size);
  tacit_array_free(access);
}

static tacit_status fail_space(const tacit_random_access *access, int code,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "%s: its decoded copy cannot be written (error %d); point TMPDIR "
                    "to a folder with room, or decompress the file",
                    tacit_source_name(access->source), code);
}

static tacit_status open_temporary(const tacit_random_access *access,
                                   tacit_random_access_space *space, tacit_error *err) {
  if (space->has_file) return TACIT_OK;
  space->fd = tacit_temporary_open();
  space->has_file = space->fd >= 0;
  return space->has_file ? TACIT_OK : fail_space(access, errno, err);
}

static tacit_status spill(const tacit_random_access *access,
                          tacit_random_access_space *space, const char *bytes,
                          size_t size, tacit_error *err) {
  if ((int64_t)size > space->temporary)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its decoded copy needs more than the %" PRId64
                      " bytes that temporary files may take; raise --max-temp, or "
                      "decompress it",
                      tacit_source_name(access->source), space->max_temporary);
  space->temporary -= (int64_t)size;
  if (tacit_io_write_at(space->fd, bytes, size, space->fd_size) != 0)
    return fail_space(access, errno, err);
  space->fd_size += (int64_t)size;
  return TACIT_OK;
}

/* Writes the bytes decoded so far and the rest of the source to the temporary file. */
static tacit_status spill_rest(tacit_random_access *access, tacit_source *source,
                               tacit_random_access_space *space, tacit_error *err) {
  TACIT_TRY(open_temporary(access, space, err));
  access->spilled = space;
  access->start = space->fd_size;
  TACIT_TRY(spill(access, space, access->bytes, (size_t)access->size, err));
  for (;;) {
    size_t got;
    TACIT_TRY(tacit_source_read(source, access->bytes, SPILL_BYTES, &got, err));
    if (got == 0) break;
    TACIT_TRY(spill(access, space, access->bytes, got, err));
    access->size += (int64_t)got;
  }
  tacit_raw_free(access->bytes);
  access->bytes = NULL;
  return TACIT_OK;
}

/* Shrinks the buffer to the size of the file, so that many small files do not each keep
   a large buffer. */
static void give_back(tacit_random_access *access, size_t capacity) {
  size_t size = (size_t)access->size + TACIT_RANDOM_ACCESS_PADDING;
  if (size > capacity / 2) return;
  char *smaller = tacit_raw_grow(access->bytes, size, 1);
  if (smaller != NULL) access->bytes = smaller;
}

static tacit_status decode(tacit_random_access *access, tacit_source *source,
                           tacit_random_access_space *space, tacit_error *err) {
  int64_t memory = space->memory;
  int64_t max = memory < DECODED_MAX ? memory : DECODED_MAX;
  size_t capacity = FIRST_BYTES;
  TACIT_TRY(TACIT_RAW_NEW(access->bytes, capacity + TACIT_RANDOM_ACCESS_PADDING, err));
  for (;;) {
    size_t got, room = capacity - (size_t)access->size;
    TACIT_TRY(tacit_source_read(source, access->bytes + access->size, room, &got, err));
    if (got == 0) break;
    access->size += (int64_t)got;
    if (access->size > max) return spill_rest(access, source, space, err);
    if ((size_t)access->size < capacity) continue;
    char *larger =
        tacit_raw_grow(access->bytes, 2 * capacity + TACIT_RANDOM_ACCESS_PADDING, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    access->bytes = larger;
    capacity *= 2;
  }
  space->memory -= access->size;
  give_back(access, capacity);
  return TACIT_OK;
}

/* Maps a plain file while there is space. Without a mapping the file is read in
   place. */
static void take_plain(tacit_random_access *access, tacit_random_access_space *space) {
  access->size = tacit_source_file_size(access->source);
  if (access->size > space->mapping) return;
  access->map = tacit_source_map(access->source);
  if (access->map != NULL) space->mapping -= access->size;
}

tacit_status tacit_random_access_new(tacit_source *source,
                                     tacit_random_access_space *space,
                                     tacit_random_access **out, tacit_error *err) {
  tacit_random_access *access = tacit_array_new(1, sizeof *access);
  if (access == NULL) return tacit_fail_memory(err);
  access->source = source;
  tacit_status status = TACIT_OK;
  if (tacit_source_is_plain(source))
    take_plain(access, space);
  else
    status = decode(access, source, space, err);
  if (status == TACIT_OK) status = tacit_source_check(source, err);
  if (status != TACIT_OK) {
    tacit_random_access_free(access);
    return status;
  }
  if (access->bytes != NULL) access->bytes[access->size] = '\n';
  *out = access;
  return TACIT_OK;
}

int64_t tacit_random_access_size(const tacit_random_access *access) {
  return access->size;
}

const void *tacit_random_access_pointer(const tacit_random_access *access,
                                        int64_t offset) {
  const char *begin = access->bytes != NULL ? access->bytes : access->map;
  return begin != NULL ? begin + offset : NULL;
}

tacit_status tacit_random_access_read(const tacit_random_access *access, int64_t offset,
                                      void *out, size_t size, tacit_error *err) {
  const void *place = tacit_random_access_pointer(access, offset);
  if (place != NULL) {
    memcpy(out, place, size);
    return TACIT_OK;
  }
  if (access->spilled == NULL)
    return tacit_source_read_at(access->source, offset, out, size, err);
  ssize_t got =
      tacit_io_read_at(access->spilled->fd, out, size, access->start + offset);
  if (got < 0) return fail_space(access, errno, err);
  return (size_t)got == size ? TACIT_OK : fail_space(access, EIO, err);
}
