/* SPDX-License-Identifier: MIT */
/* Removes temporary files whose processes were killed, because they may hold
   records. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

/* Returns 1 for names of the form tacit-PID-N.tmp. */
static int is_temporary(const char *name) {
  static const char digits[] = "0123456789";
  if (strncmp(name, "tacit-", 6) != 0) return 0;
  size_t pid = strspn(name + 6, digits);
  if (pid == 0 || name[6 + pid] != '-') return 0;
  const char *number = name + 6 + pid + 1;
  size_t size = strspn(number, digits);
  return size > 0 && strcmp(number + size, ".tmp") == 0;
}

static void remove_stale(int folder, const char *name) {
  struct stat facts;
  int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  /* On a file system without locks nobody can know, and the file stays. */
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0)
    (void)unlinkat(folder, name, 0);
  (void)close(fd);
}

void tacit_output_remove_stale(const char *folder) {
  DIR *list = opendir(folder);
  if (list == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(list)) != NULL)
    if (is_temporary(entry->d_name)) remove_stale(dirfd(list), entry->d_name);
  (void)closedir(list);
}
