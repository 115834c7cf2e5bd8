/* SPDX-License-Identifier: MIT */
/*
 * Output files. All memory is allocated when a file is opened, so that neither
 * completing nor placing it can run out of memory. A file with a temporary name is
 * locked: the lock shows other processes that its writer lives, and ends when the
 * writer is killed.
 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/io.h"
#include "base/memory.h"

enum { TRIES = 1000, MAX_LINKS = 40 };

struct tacit_output {
  char path[PATH_MAX];      /* as given, for messages */
  char target[PATH_MAX];    /* the file that `path` leads to through links */
  char folder[PATH_MAX];    /* the folder of the target, with its slash */
  char temporary[PATH_MAX]; /* the name until the file is placed, if has_name */
  int fd;
  int is_direct; /* 1 for a device or a pipe, where nothing is renamed */
  int has_name;
  int replaces; /* 1 if a file is at the target already; `old` describes it */
  struct stat old;
};

static tacit_status fail_errno(const tacit_output *output, tacit_error *err) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "cannot write %.160s: %s", output->path,
                    tacit_io_reason(errno, reason));
}

/* Joins two texts. Returns 0 with errno set if the result is too long. */
static int join(char out[PATH_MAX], const char *first, size_t size,
                const char *second) {
  size_t second_size = strlen(second);
  if (size + second_size >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return 0;
  }
  memmove(out, first, size);
  memcpy(out + size, second, second_size + 1);
  return 1;
}

/* Returns the length of a path up to and including its last slash. */
static size_t folder_size(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces the target by what it links to. The file itself need not exist. Returns 0
   with errno set on failure. */
static int follow(char target[PATH_MAX]) {
  for (int i = 0; i < MAX_LINKS; ++i) {
    char link[PATH_MAX];
    ssize_t size = readlink(target, link, sizeof link - 1);
    if (size < 0) return errno == EINVAL || errno == ENOENT;
    link[size] = '\0';
    size_t kept = link[0] == '/' ? 0 : folder_size(target);
    if (!join(target, target, kept, link)) return 0;
  }
  errno = ELOOP;
  return 0;
}

static int make_names(tacit_output *output, const char *path) {
  if (!join(output->path, "", 0, path) || !join(output->target, "", 0, path) ||
      !follow(output->target))
    return 0;
  size_t size = folder_size(output->target);
  return size > 0 ? join(output->folder, output->target, size, "")
                  : join(output->folder, "", 0, "./");
}

static int next_name(tacit_output *output, int number) {
  char name[64];
  (void)snprintf(name, sizeof name, "tacit-%ld-%d.tmp", (long)getpid(), number);
  return join(output->temporary, output->folder, strlen(output->folder), name);
}

/* Links a nameless file to a temporary name. The direct way needs a privilege before
   Linux 6.10, the detour through /proc does not. */
static int give_name(tacit_output *output, int fd) {
  char self[64];
  (void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  for (int i = 0; i < TRIES; ++i) {
    if (!next_name(output, i)) return 0;
    if (linkat(fd, "", AT_FDCWD, output->temporary, AT_EMPTY_PATH) == 0) return 1;
    if (errno != EEXIST &&
        linkat(AT_FDCWD, self, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0)
      return 1;
    if (errno != EEXIST) return 0;
  }
  return 0;
}

/* Opens a nameless file, after a probe shows that such files can be given a name here.
   Returns 0 if they cannot. */
static int open_nameless(tacit_output *output, mode_t mode) {
  const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  int probe = open(output->folder, flags, S_IRUSR | S_IWUSR);
  if (probe < 0) return 0;
  int linked = give_name(output, probe);
  if (linked) (void)unlink(output->temporary);
  (void)close(probe);
  if (!linked) return 0;
  output->fd = open(output->folder, flags, mode);
  if (output->fd >= 0) (void)flock(output->fd, LOCK_EX | LOCK_NB);
  return output->fd >= 0;
}

/* Opens a file with a temporary name. Tries the next name if another process took the
   file for a stale one and removed it before it was locked. */
static int open_named(tacit_output *output, mode_t mode) {
  for (int i = 0; i < TRIES; ++i) {
    struct stat ours, there;
    if (!next_name(output, i)) return 0;
    int fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return 0;
    (void)flock(fd, LOCK_EX | LOCK_NB);
    if (fstat(fd, &ours) == 0 && lstat(output->temporary, &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) {
      output->fd = fd;
      output->has_name = 1;
      return 1;
    }
    (void)close(fd);
  }
  return 0;
}

static tacit_status begin(tacit_output *output, const char *path, mode_t mode,
                          tacit_output_way way, tacit_error *err) {
  if (!make_names(output, path)) {
    (void)snprintf(output->path, sizeof output->path, "%s", path);
    return fail_errno(output, err);
  }
  int exists = stat(path, &output->old) == 0;
  if (exists && S_ISDIR(output->old.st_mode)) {
    errno = EISDIR;
    return fail_errno(output, err);
  }
  if (exists && !S_ISREG(output->old.st_mode)) {
    output->is_direct = 1;
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    return output->fd >= 0 ? TACIT_OK : fail_errno(output, err);
  }
  output->replaces = exists;
  if (exists) mode = S_IRUSR | S_IWUSR; /* the old file's mode is set at the end */
  tacit_output_remove_stale(output->folder);
  if (way == TACIT_OUTPUT_NAMELESS && open_nameless(output, mode)) return TACIT_OK;
  if (open_named(output, mode)) return TACIT_OK;
  return fail_errno(output, err);
}

tacit_status tacit_output_begin(const char *path, unsigned mode, tacit_output_way way,
                                tacit_output **out, tacit_error *err) {
  if (path == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "output: path or out is NULL");
  tacit_output *output = tacit_array_new(1, sizeof *output);
  if (output == NULL) return tacit_fail_memory(err);
  output->fd = -1;
  tacit_status status = begin(output, path, (mode_t)mode, way, err);
  return TACIT_HAND_OVER(status, output, tacit_output_free, out);
}

tacit_status tacit_output_open(const char *path, unsigned mode, tacit_output **out,
                               tacit_error *err) {
  return tacit_output_begin(path, mode, TACIT_OUTPUT_NAMELESS, out, err);
}

int tacit_output_descriptor(const tacit_output *output) { return output->fd; }

const char *tacit_output_temporary(const tacit_output *output) {
  return output->has_name ? output->temporary : NULL;
}

tacit_status tacit_output_write(tacit_output *output, const void *bytes, size_t size,
                                tacit_error *err) {
  int failed = tacit_io_write(output->fd, bytes, size) != 0;
  return failed ? fail_errno(output, err) : TACIT_OK;
}

/* Gives the file the owner, group and mode of the file that it replaces. If the group
   cannot be kept, the new group does not get the rights of the old one. Ignores
   failures, because some file systems have no owners or modes. */
static void keep_mode(const tacit_output *output) {
  mode_t mode = output->old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  struct stat now;
  if (fstat(output->fd, &now) != 0) return;
  if (now.st_uid != output->old.st_uid || now.st_gid != output->old.st_gid) {
    if (fchown(output->fd, output->old.st_uid, output->old.st_gid) != 0 &&
        fchown(output->fd, (uid_t)-1, output->old.st_gid) != 0)
      mode &= ~(mode_t)S_IRWXG;
  }
  (void)fchmod(output->fd, mode);
}

tacit_status tacit_output_complete(tacit_output *output, int durable,
                                   tacit_error *err) {
  if (output->is_direct) return TACIT_OK;
  if (output->replaces) keep_mode(output);
  /* A network file system may report lost bytes only when a descriptor is closed. */
  int copy = durable ? -1 : dup(output->fd);
  if (durable ? fsync(output->fd) != 0 : copy >= 0 && close(copy) != 0)
    return fail_errno(output, err);
  if (output->has_name) return TACIT_OK;
  if (!give_name(output, output->fd)) return fail_errno(output, err);
  output->has_name = 1;
  return TACIT_OK;
}

static tacit_status close_direct(tacit_output *output, tacit_error *err) {
  int fd = output->fd;
  output->fd = -1;
  return close(fd) == 0 ? TACIT_OK : fail_errno(output, err);
}

tacit_status tacit_output_place(tacit_output *output, tacit_error *err) {
  if (output->is_direct) return close_direct(output, err);
  if (!output->has_name) return tacit_fail(err, TACIT_ESTATE, "output: not complete");
  if (rename(output->temporary, output->target) != 0) return fail_errno(output, err);
  output->has_name = 0;
  tacit_file_sync_folder(output->target);
  return TACIT_OK;
}

void tacit_output_free(tacit_output *output) {
  if (output == NULL) return;
  if (output->has_name) (void)unlink(output->temporary);
  if (output->fd >= 0) (void)close(output->fd);
  tacit_array_free(output);
}
