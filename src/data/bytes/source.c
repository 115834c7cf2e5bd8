/* SPDX-License-Identifier: MIT */
/* The bytes of a file, which may be plain or compressed, regular or a pipe. Regular
   files are read at file_offset, because other processes may share the file position.
   Buffers contain records, so they are raw memory. */
#include "data/bytes/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "data/bytes/codec.h"
#include "data/bytes/temporary.h"

enum { INPUT_BYTES = 256 * 1024 };

struct tacit_source {
  char name[TACIT_NAME_BYTES];
  char *path; /* path to open the file again */
  int fd;     /* -1 if the file is at rest */
  int owns_fd;
  int is_regular;
  int is_kept;       /* 1 if the file is a temporary file with the bytes of a pipe,
                        which has no path */
  struct stat first; /* the file's facts when it was opened */
  int64_t file_offset;

  unsigned char *input; /* bytes read and not yet decoded; NULL until needed */
  size_t input_begin, input_end;
  int input_ended;

  const struct tacit_codec_ops *codec; /* NULL if the file is plain */
  void *codec_state;                   /* state of the codec; NULL between uses */
  int inside;
};

void tacit_name_shorten(const char *text, size_t max, char *out) {
  size_t size = strlen(text);
  if (max > TACIT_NAME_BYTES - 1) max = TACIT_NAME_BYTES - 1;
  if (size <= max) {
    memcpy(out, text, size + 1);
    return;
  }
  const char *tail = text + (size - (max - 3));
  while (((unsigned char)*tail & 0xc0) == 0x80)
    ++tail;
  memcpy(out, "...", 3);
  memcpy(out + 3, tail, strlen(tail) + 1);
}

static tacit_status fail_errno(const tacit_source *source, int code, tacit_error *err) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: %s", source->name,
                    tacit_io_reason(code, reason));
}

static tacit_status read_file(tacit_source *source, void *out, size_t size,
                              size_t *out_size, tacit_error *err) {
  for (;;) {
    ssize_t got = source->is_regular ? pread(source->fd, out, size, source->file_offset)
                                     : read(source->fd, out, size);
    if (got >= 0) {
      source->file_offset += got;
      *out_size = (size_t)got;
      return TACIT_OK;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return fail_errno(source, errno, err);
    struct pollfd ready = {.fd = source->fd, .events = POLLIN};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR)
      return fail_errno(source, errno, err);
  }
}

/* Reads bytes into the input buffer. Sets input_ended at the end of the file. */
static tacit_status fill_input(tacit_source *source, tacit_error *err) {
  if (source->input == NULL) TACIT_TRY(TACIT_RAW_NEW(source->input, INPUT_BYTES, err));
  if (source->input_begin == source->input_end)
    source->input_begin = source->input_end = 0;
  size_t got;
  TACIT_TRY(read_file(source, source->input + source->input_end,
                      INPUT_BYTES - source->input_end, &got, err));
  source->input_end += got;
  if (got == 0) source->input_ended = 1;
  return TACIT_OK;
}

static int open_path(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

static tacit_status fail_changed(const tacit_source *source, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    source->name);
}

static int is_same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Returns 1 if a file is unchanged. Compares ctime as well, because a program can set
   mtime back, but not ctime. */
static int is_unchanged(const struct stat *now, const struct stat *first) {
  return now->st_dev == first->st_dev && now->st_ino == first->st_ino &&
         now->st_size == first->st_size && is_same_time(now->st_mtim, first->st_mtim) &&
         is_same_time(now->st_ctim, first->st_ctim);
}

/* Opens a file at rest again. Fails if another file has taken its place, because rows
   could then be read twice. */
static tacit_status open_again(const tacit_source *source, int *out_fd,
                               tacit_error *err) {
  struct stat now;
  int fd = open_path(source->path);
  if (fd < 0) return fail_errno(source, errno, err);
  tacit_status status = TACIT_OK;
  if (fstat(fd, &now) != 0)
    status = fail_errno(source, errno, err);
  else if (!is_unchanged(&now, &source->first))
    status = fail_changed(source, err);
  if (status != TACIT_OK)
    (void)close(fd);
  else
    *out_fd = fd;
  return status;
}

static tacit_status open_file(tacit_source *source, const char *path,
                              tacit_error *err) {
  if (strcmp(path, "-") == 0) {
    source->fd = STDIN_FILENO;
  } else {
    source->path = tacit_string_copy(path);
    if (source->path == NULL) return tacit_fail_memory(err);
    source->fd = open_path(path);
    if (source->fd < 0) return fail_errno(source, errno, err);
    source->owns_fd = 1;
  }
  if (fstat(source->fd, &source->first) != 0) return fail_errno(source, errno, err);
  if (S_ISDIR(source->first.st_mode)) return fail_errno(source, EISDIR, err);
  source->is_regular = source->owns_fd && S_ISREG(source->first.st_mode);

  while (source->input_end < TACIT_CODEC_MAGIC && !source->input_ended)
    TACIT_TRY(fill_input(source, err));
  source->codec = tacit_codec_match(source->input, source->input_end);
  if (source->codec != NULL) return TACIT_OK;
  const char *foreign = tacit_codec_foreign(source->input, source->input_end);
  if (foreign == NULL) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: %s data, which this build does not read; decompress it first",
                    source->name, foreign);
}

tacit_status tacit_source_open(const char *path, tacit_source **out, tacit_error *err) {
  tacit_source *source = tacit_array_new(1, sizeof *source);
  if (source == NULL) return tacit_fail_memory(err);
  source->fd = -1;
  tacit_name_shorten(strcmp(path, "-") == 0 ? "standard input" : path, 90,
                     source->name);
  tacit_status status = open_file(source, path, err);
  return TACIT_HAND_OVER(status, source, tacit_source_free, out);
}

static void codec_close(tacit_source *source) {
  if (source->codec_state != NULL) source->codec->fini(source->codec_state);
  tacit_raw_free(source->codec_state);
  source->codec_state = NULL;
  source->inside = 0;
}

void tacit_source_free(tacit_source *source) {
  if (source == NULL) return;
  codec_close(source);
  tacit_raw_free(source->input);
  if (source->owns_fd && source->fd >= 0) (void)close(source->fd);
  TACIT_FREE(source->path, source);
}

const char *tacit_source_name(const tacit_source *source) { return source->name; }

int tacit_source_is_regular(const tacit_source *source) { return source->is_regular; }

int tacit_source_is_plain(const tacit_source *source) {
  return source->is_regular && source->codec == NULL;
}

int64_t tacit_source_file_size(const tacit_source *source) {
  return (int64_t)source->first.st_size;
}

static tacit_status read_plain(tacit_source *source, void *out, size_t size,
                               size_t *out_size, tacit_error *err) {
  size_t buffered = source->input_end - source->input_begin;
  if (buffered == 0) {
    if (!source->input_ended) return read_file(source, out, size, out_size, err);
    *out_size = 0;
    return TACIT_OK;
  }
  size_t count = buffered < size ? buffered : size;
  memcpy(out, source->input + source->input_begin, count);
  source->input_begin += count;
  *out_size = count;
  return TACIT_OK;
}

static tacit_status codec_open(tacit_source *source, tacit_error *err) {
  source->codec_state = tacit_raw_new(1, source->codec->state_size);
  if (source->codec_state == NULL) return tacit_fail_memory(err);
  return source->codec->init(source->codec_state, err);
}

static tacit_status read_coded(tacit_source *source, void *out, size_t size,
                               size_t *out_size, tacit_error *err) {
  if (source->codec_state == NULL) TACIT_TRY(codec_open(source, err));
  for (;;) {
    if (source->input_begin == source->input_end && !source->input_ended)
      TACIT_TRY(fill_input(source, err));
    size_t in_size = source->input_end - source->input_begin;
    if (in_size == 0 && !source->inside) {
      *out_size = 0;
      return TACIT_OK;
    }
    tacit_codec_io io = {source->input + source->input_begin, in_size, out, size};
    TACIT_TRY(source->codec->step(source->codec_state, source->name, &io,
                                  &source->inside, err));
    source->input_begin = source->input_end - io.in_size;
    if (io.out_size < size) {
      *out_size = size - io.out_size;
      return TACIT_OK;
    }
    /* The file has ended inside a member, and the decoder has given all output. */
    if (in_size == 0 && source->inside)
      return tacit_fail(err, TACIT_EDATA, "%s: truncated %s data; get the whole file",
                        source->name, source->codec->name);
  }
}

tacit_status tacit_source_read(tacit_source *source, void *out, size_t size,
                               size_t *out_size, tacit_error *err) {
  if (source->fd < 0) TACIT_TRY(open_again(source, &source->fd, err));
  if (source->codec == NULL) return read_plain(source, out, size, out_size, err);
  return read_coded(source, out, size, out_size, err);
}

void tacit_source_rewind(tacit_source *source) {
  codec_close(source);
  source->file_offset = 0;
  source->input_begin = source->input_end = 0;
  source->input_ended = 0;
}

void tacit_source_rest(tacit_source *source) {
  if (!source->is_regular) return;
  tacit_source_rewind(source);
  tacit_raw_free(source->input);
  source->input = NULL;
  if (source->is_kept) return;
  if (source->fd >= 0) (void)close(source->fd);
  source->fd = -1;
}

static tacit_status fail_keep(const tacit_source *source, int code, tacit_error *err) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO,
                    "%s: cannot be kept in a temporary file: %s; point TMPDIR to a "
                    "folder with room",
                    source->name, tacit_io_reason(code, reason));
}

/* Copies the decoded bytes of a pipe to a file. */
static tacit_status copy_to(tacit_source *source, int fd, int64_t max, char *window,
                            int64_t *out_size, tacit_error *err) {
  for (*out_size = 0;;) {
    size_t got;
    TACIT_TRY(tacit_source_read(source, window, INPUT_BYTES, &got, err));
    if (got == 0) return TACIT_OK;
    if ((int64_t)got > max - *out_size)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: needs more than the %" PRId64
                        " bytes that temporary files may take; raise --max-temp, or "
                        "store it in a file",
                        source->name, max);
    if (tacit_io_write_at(fd, window, got, *out_size) != 0)
      return fail_keep(source, errno, err);
    *out_size += (int64_t)got;
  }
}

/* Makes the source read from the file fd, which it then owns. */
static void become(tacit_source *source, int fd, const struct stat *facts) {
  tacit_source_rewind(source);
  if (source->owns_fd) (void)close(source->fd);
  source->fd = fd;
  source->owns_fd = source->is_regular = source->is_kept = 1;
  source->first = *facts;
  source->codec = NULL;
}

tacit_status tacit_source_keep(tacit_source *source, int64_t *io_max,
                               tacit_error *err) {
  if (source->is_regular) return TACIT_OK;
  struct stat facts;
  int64_t size = 0;
  char *window = tacit_raw_new(INPUT_BYTES, 1);
  if (window == NULL) return tacit_fail_memory(err);
  int fd = tacit_temporary_open();
  tacit_status status = fd >= 0 ? TACIT_OK : fail_keep(source, errno, err);
  if (status == TACIT_OK) status = copy_to(source, fd, *io_max, window, &size, err);
  if (status == TACIT_OK && fstat(fd, &facts) != 0)
    status = fail_keep(source, errno, err);
  tacit_raw_free(window);
  if (status != TACIT_OK) {
    if (fd >= 0) (void)close(fd);
    return status;
  }
  become(source, fd, &facts);
  *io_max -= size;
  return TACIT_OK;
}

static tacit_status read_from(const tacit_source *source, int fd, int64_t offset,
                              void *out, size_t size, tacit_error *err) {
  ssize_t got = tacit_io_read_at(fd, out, size, offset);
  if (got < 0) return fail_errno(source, errno, err);
  return (size_t)got == size ? TACIT_OK : fail_changed(source, err);
}

tacit_status tacit_source_read_at(const tacit_source *source, int64_t offset, void *out,
                                  size_t size, tacit_error *err) {
  if (source->fd >= 0) return read_from(source, source->fd, offset, out, size, err);
  int fd = -1;
  TACIT_TRY(open_again(source, &fd, err));
  tacit_status status = read_from(source, fd, offset, out, size, err);
  (void)close(fd);
  return status;
}

const char *tacit_source_map(const tacit_source *source) {
  if (source->fd < 0 || !tacit_source_is_plain(source) || source->first.st_size == 0 ||
      (uintmax_t)source->first.st_size > SIZE_MAX)
    return NULL;
  void *map =
      mmap(NULL, (size_t)source->first.st_size, PROT_READ, MAP_SHARED, source->fd, 0);
  return map != MAP_FAILED ? map : NULL;
}

void tacit_source_unmap(const char *map, int64_t size) {
  if (map != NULL) (void)munmap((void *)(uintptr_t)map, (size_t)size);
}

tacit_status tacit_source_check(const tacit_source *source, tacit_error *err) {
  if (!source->is_regular) return TACIT_OK;
  struct stat now;
  if ((source->fd >= 0 ? fstat(source->fd, &now) : stat(source->path, &now)) != 0)
    return fail_errno(source, errno, err);
  return is_unchanged(&now, &source->first) ? TACIT_OK : fail_changed(source, err);
}
