/* SPDX-License-Identifier: MIT */
/* A folder with a key file and a checkpoint in it, for the tests of checkpoints. */
#ifndef TACIT_TESTS_CHECKPOINT_PLACE_H
#define TACIT_TESTS_CHECKPOINT_PLACE_H

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char place_folder[128], place_file[160], place_key[160], place_other_key[160];

static inline void write_bytes(const char *path, const void *bytes, size_t size,
                               mode_t mode) {
  (void)unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  assert_true(fd >= 0);
  assert_true(write(fd, bytes, size) == (ssize_t)size);
  assert_int_equal(close(fd), 0);
}

static inline unsigned char *read_bytes(const char *path, size_t *out_size) {
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  unsigned char *bytes = malloc((size_t)facts.st_size + 1);
  assert_non_null(bytes);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  *out_size = fread(bytes, 1, (size_t)facts.st_size, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(*out_size, facts.st_size);
  return bytes;
}

static inline int place_make(void) {
  /* Checkpoints are synced; in memory that costs nothing. */
  const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
  (void)snprintf(place_folder, sizeof place_folder, "%.80s/tacit-checkpoint-XXXXXX",
                 base != NULL ? base : "/tmp");
  if (mkdtemp(place_folder) == NULL) return -1;
  (void)snprintf(place_file, sizeof place_file, "%s/run.ckpt", place_folder);
  (void)snprintf(place_key, sizeof place_key, "%s/key", place_folder);
  (void)snprintf(place_other_key, sizeof place_other_key, "%s/other", place_folder);
  write_bytes(place_key, "0123456789abcdef0123456789abcdef", 32, 0600);
  write_bytes(place_other_key, "0123456789abcdef0123456789abcdeg", 32, 0600);
  return 0;
}

static inline int place_remove(void) {
  char command[200];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", place_folder);
  return system(command);
}

#endif
