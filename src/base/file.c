/* SPDX-License-Identifier: MIT */
/* Reads whole files of public content, such as models, and syncs folders. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"

enum { HEAD_BYTES = 4096 };

static tacit_status fail_errno(tacit_error *err, const char *path) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: cannot read: %s", path,
                    tacit_io_reason(errno, reason));
}

void tacit_file_sync_folder(const char *path) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder) return;
  if (length > 0) {
    memcpy(folder, path, length);
    folder[length] = '\0';
  }
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  (void)close(fd);
}

/* The file that is read, and how large it may be. */
struct wanted {
  const char *path;
  const char *kind; /* a text in the first bytes of files that may be large; NULL if any
                       file may be */
  size_t max;
  const char *limit; /* the option that raises `max` */
};

static tacit_status fail_large(const struct wanted *wanted, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%.100s: larger than %zu bytes; raise the limit with %s if it "
                    "should be",
                    wanted->path, wanted->max, wanted->limit);
}

/* Fills the room, except for its last byte, which is left for the closing zero.
 *out_more becomes 1 if the file may continue. */
static tacit_status fill(int fd, const struct wanted *wanted, char *text, size_t room,
                         size_t *io_size, int *out_more, tacit_error *err) {
  size_t left = room - 1 - *io_size;
  ssize_t got = tacit_io_read(fd, text + *io_size, left);
  if (got < 0) return fail_errno(err, wanted->path);
  *io_size += (size_t)got;
  *out_more = (size_t)got == left;
  return *io_size > wanted->max ? fail_large(wanted, err) : TACIT_OK;
}

/* Reads the whole file. Reads its head first, which says how large the file may be. The
   room is never larger than the limit and one byte, which is enough to see that a file
   is too large. */
static tacit_status read_open(int fd, struct wanted wanted, char **text,
                              size_t *out_size, tacit_error *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) return fail_errno(err, wanted.path);
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return fail_errno(err, wanted.path);
  }
  size_t room = HEAD_BYTES, size = 0,
         length = info.st_size > 0 ? (size_t)info.st_size : 0;
  for (int more = 1; more;) {
    char *larger = tacit_array_grow(*text, room, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    *text = larger;
    TACIT_TRY(fill(fd, &wanted, *text, room, &size, &more, err));
    if (room == HEAD_BYTES && wanted.kind != NULL && wanted.max > TACIT_FILE_SMALL &&
        memmem(*text, size, wanted.kind, strlen(wanted.kind)) == NULL)
      wanted.max = TACIT_FILE_SMALL;
    if (length > wanted.max) return fail_large(&wanted, err);
    room = length > size           ? length + 2
           : room > wanted.max / 2 ? wanted.max + 2
                                   : 2 * room;
  }
  (*text)[size] = '\0';
  *out_size = size;
  return TACIT_OK;
}

tacit_status tacit_file_read_kind(const char *path, const char *kind, uint64_t max,
                                  const char *limit, char **out, size_t *out_size,
                                  tacit_error *err) {
  if (max > SIZE_MAX / 2) max = SIZE_MAX / 2;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return fail_errno(err, path);
  char *text = NULL;
  struct wanted wanted = {path, kind, (size_t)max, limit};
  tacit_status status = read_open(fd, wanted, &text, out_size, err);
  (void)close(fd);
  if (status == TACIT_OK)
    *out = text;
  else
    tacit_array_free(text);
  return status;
}

tacit_status tacit_file_read(const char *path, uint64_t max, const char *limit,
                             char **out, size_t *out_size, tacit_error *err) {
  return tacit_file_read_kind(path, NULL, max, limit, out, out_size, err);
}
