/* SPDX-License-Identifier: MIT */
/*
 * Key file, lock and first record of a checkpoint. A new log is written to FILE.tmp
 * with its first record, synced and renamed to FILE, so that FILE always has its first
 * record. Later records are appended. The temporary name is fixed, so that the next run
 * overwrites the file that a killed run left. The lock belongs to the open file, so it
 * survives the rename and ends with the process.
 */
#include "checkpoint/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tacit/train.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"

static tacit_status fail_exists(const char *path, tacit_error *err) {
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: this checkpoint is of a run that has not ended: add --resume "
                    "to go on, or delete it",
                    path);
}

static tacit_status fail_no_file(const char *path, tacit_error *err) {
  return tacit_fail(err, TACIT_EINVAL, "%s: a checkpoint is a regular file", path);
}

/* Reads a key file into raw_bytes, which must have room for TACIT_KEY_FILE_MAX + 1
   bytes. */
static tacit_status read_key(int fd, const char *path, unsigned char *raw_bytes,
                             size_t *out_size, tacit_error *err) {
  struct stat facts;
  if (fstat(fd, &facts) != 0) return tacit_sealed_fail(path, "read", err);
  if (S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    return tacit_sealed_fail(path, "read", err);
  }
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "%s: others may read or write this key file: chmod 600 it", path);
  ssize_t got = tacit_io_read(fd, raw_bytes, TACIT_KEY_FILE_MAX + 1);
  if (got < 0) return tacit_sealed_fail(path, "read", err);
  size_t size = (size_t)got;
  if (size < TACIT_KEY_FILE_MIN || size > TACIT_KEY_FILE_MAX)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "%s: a key file has %d to %d bytes, best random ones: head -c 32 "
                      "/dev/urandom > FILE",
                      path, TACIT_KEY_FILE_MIN, TACIT_KEY_FILE_MAX);
  size_t same = 1;
  while (same < size && raw_bytes[same] == raw_bytes[0])
    ++same;
  if (same == size)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "%s: all bytes of this key file are the same, which is no "
                      "secret: head -c 32 /dev/urandom > FILE",
                      path);
  *out_size = size;
  return TACIT_OK;
}

tacit_status tacit_key_file_load(const char *path, tacit_key *out, tacit_error *err) {
  unsigned char *raw_bytes = tacit_raw_new(TACIT_KEY_FILE_MAX + 1, 1);
  if (raw_bytes == NULL) return tacit_fail_memory(err);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  size_t size = 0;
  tacit_status status = fd >= 0 ? read_key(fd, path, raw_bytes, &size, err)
                                : tacit_sealed_fail(path, "read", err);
  if (fd >= 0) (void)close(fd);
  if (status == TACIT_OK)
    tacit_hash_of(raw_bytes, size, "tacit-seal-1", NULL, 0, out->bytes,
                  sizeof out->bytes);
  tacit_raw_free(raw_bytes);
  return status;
}

/* Locks an open file. Sets *out_there to 1 if the file still has its name, because
   another run may have renamed it between open and lock. */
static tacit_status lock(int fd, const char *path, const char *name, int *out_there,
                         tacit_error *err) {
  struct stat ours, there;
  /* On a file system without locks, flock fails with another error, and the run
     continues without a lock. */
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return tacit_fail(err, TACIT_ESTATE, "%s: another run is using this checkpoint",
                      path);
  if (fstat(fd, &ours) != 0) return tacit_sealed_fail(path, "read", err);
  if (!S_ISREG(ours.st_mode)) return fail_no_file(path, err);
  *out_there = lstat(name, &there) == 0 && there.st_ino == ours.st_ino &&
               there.st_dev == ours.st_dev;
  return TACIT_OK;
}

/* Opens and locks `name`. Sets *out to -1 if there is no such file and the flags do not
   create it. */
static tacit_status open_locked(const tacit_checkpoint_file *file, const char *name,
                                int flags, int *out, tacit_error *err) {
  for (int there = 0; !there;) {
    int fd = open(name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                  S_IRUSR | S_IWUSR);
    if (fd < 0) {
      *out = -1;
      if (errno == ENOENT && (flags & O_CREAT) == 0) return TACIT_OK;
      if (errno == EISDIR && (flags & O_CREAT) == 0)
        return fail_no_file(file->path, err);
      return tacit_sealed_fail(file->path, (flags & O_CREAT) ? "write" : "read", err);
    }
    tacit_status status = lock(fd, file->path, name, &there, err);
    if (status != TACIT_OK || !there) (void)close(fd);
    if (status != TACIT_OK) return status;
    if (there) *out = fd;
  }
  return TACIT_OK;
}

static tacit_status make_names(tacit_checkpoint_file *file, const char *path,
                               tacit_error *err) {
  /* If the path is a link, its target is replaced, not the link. */
  char *target = realpath(path, NULL);
  file->path = tacit_string_copy(target != NULL ? target : path);
  free(target);
  size_t size = file->path != NULL ? strlen(file->path) + sizeof ".tmp" : 0;
  if (size > 0) file->temporary = tacit_array_new(size, 1);
  if (file->temporary == NULL) return tacit_fail_memory(err);
  (void)snprintf(file->temporary, size, "%s.tmp", file->path);
  return TACIT_OK;
}

tacit_status tacit_checkpoint_file_init(tacit_checkpoint_file *file, const char *path,
                                        const char *key_path, int resume,
                                        tacit_error *err) {
  *file = (tacit_checkpoint_file){.fd = -1};
  if (sodium_init() < 0)
    return tacit_fail(err, TACIT_ERANDOM, "libsodium cannot be initialised");
  TACIT_TRY(tacit_key_file_load(key_path, &file->key, err));
  TACIT_TRY(make_names(file, path, err));
  struct stat facts;
  if (!resume && lstat(file->path, &facts) == 0) return fail_exists(path, err);
  TACIT_TRY(open_locked(file, file->path, O_RDWR, &file->fd, err));
  return file->fd >= 0 && !resume ? fail_exists(path, err) : TACIT_OK;
}

void tacit_checkpoint_file_fini(tacit_checkpoint_file *file) {
  if (file->fd >= 0) (void)close(file->fd);
  TACIT_FREE(file->path, file->temporary);
  tacit_key_wipe(&file->key);
  *file = (tacit_checkpoint_file){.fd = -1};
}

tacit_status tacit_checkpoint_file_open(tacit_checkpoint_file *file, tacit_error *err) {
  return tacit_sealed_open(&file->log, file->fd, file->path, &file->key, err);
}

static tacit_status fill_temporary(tacit_checkpoint_file *file, int fd,
                                   const unsigned char *raw_bytes, size_t size,
                                   tacit_error *err) {
  struct stat facts;
  if (fstat(fd, &facts) != 0) return tacit_sealed_fail(file->path, "write", err);
  if (facts.st_uid != geteuid())
    return tacit_fail(err, TACIT_EPRIVACY, "%s: belongs to somebody else: delete it",
                      file->temporary);
  /* On a file system without permissions this fails; the content is sealed anyway. */
  (void)fchmod(fd, S_IRUSR | S_IWUSR);
  if (ftruncate(fd, 0) != 0) return tacit_sealed_fail(file->path, "write", err);
  TACIT_TRY(tacit_sealed_start(&file->log, fd, file->path, &file->key, err));
  TACIT_TRY(tacit_sealed_append(&file->log, raw_bytes, size, err));
  if (file->fd < 0 && lstat(file->path, &facts) == 0)
    return fail_exists(file->path, err); /* another run has created it in the
                                            meantime */
  if (rename(file->temporary, file->path) != 0)
    return tacit_sealed_fail(file->path, "rename the finished file to it", err);
  return TACIT_OK;
}

tacit_status tacit_checkpoint_file_start(tacit_checkpoint_file *file,
                                         const unsigned char *raw_bytes, size_t size,
                                         tacit_error *err) {
  int fd;
  TACIT_TRY(open_locked(file, file->temporary, O_RDWR | O_CREAT, &fd, err));
  tacit_status status = fill_temporary(file, fd, raw_bytes, size, err);
  if (status != TACIT_OK) {
    (void)unlink(file->temporary); /* safe, because this process holds the lock on it */
    (void)close(fd);
    return status;
  }
  tacit_file_sync_folder(file->path);
  if (file->fd >= 0) (void)close(file->fd); /* the replaced file, with its lock */
  file->fd = fd;
  return TACIT_OK;
}

/* Creates and removes the temporary file, to see whether a checkpoint could be
   started. */
static tacit_status probe(const tacit_checkpoint_file *file, tacit_error *err) {
  int fd;
  TACIT_TRY(open_locked(file, file->temporary, O_RDWR | O_CREAT, &fd, err));
  (void)unlink(file->temporary);
  (void)close(fd);
  return TACIT_OK;
}

/* Reads every record of an existing checkpoint, to see whether the key opens it. */
static tacit_status read_over(tacit_checkpoint_file *file, tacit_error *err) {
  TACIT_TRY(tacit_checkpoint_file_open(file, err));
  for (unsigned char *raw_bytes;;) {
    size_t size;
    TACIT_TRY(tacit_sealed_next(&file->log, &raw_bytes, &size, err));
    if (raw_bytes == NULL) return TACIT_OK;
    tacit_raw_free(raw_bytes);
  }
}

tacit_status tacit_checkpoint_check(const char *checkpoint, const char *key_file,
                                    int resume, int *out_found, tacit_error *err) {
  if (checkpoint == NULL || key_file == NULL)
    return tacit_fail(err, TACIT_EINVAL, "a checkpoint needs a key file");
  tacit_checkpoint_file file;
  tacit_status status =
      tacit_checkpoint_file_init(&file, checkpoint, key_file, resume, err);
  int found = file.fd >= 0;
  if (status == TACIT_OK) status = found ? read_over(&file, err) : probe(&file, err);
  tacit_checkpoint_file_fini(&file);
  if (status == TACIT_OK && out_found != NULL) *out_found = found;
  return status;
}

tacit_status tacit_checkpoint_remove(const char *checkpoint, tacit_error *err) {
  if (checkpoint == NULL) return tacit_fail(err, TACIT_EINVAL, "no checkpoint");
  tacit_checkpoint_file file = {.fd = -1};
  tacit_status status = make_names(&file, checkpoint, err);
  if (status == TACIT_OK) {
    (void)unlink(file.temporary);
    if (unlink(file.path) != 0) status = tacit_sealed_fail(file.path, "delete", err);
    tacit_file_sync_folder(file.path);
  }
  tacit_checkpoint_file_fini(&file);
  return status;
}
