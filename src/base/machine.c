/* SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }

/* Returns the number at the beginning of a file, or INT64_MAX if the file has no
   positive number there, such as "max". */
static int64_t number_in(const char *path) {
  long long number;
  FILE *file = fopen(path, "re");
  if (file == NULL) return INT64_MAX;
  int found = fscanf(file, "%lld", &number);
  (void)fclose(file);
  return found == 1 && number > 0 ? number : INT64_MAX;
}

static int64_t limit_of(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur > INT64_MAX) return INT64_MAX;
  return (int64_t)limit.rlim_cur;
}

int64_t tacit_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  int64_t bytes = (int64_t)pages * page_bytes;
  /* The limits of a container, as control groups of version 2 and of version 1 show
     them. */
  bytes = least(bytes, number_in("/sys/fs/cgroup/memory.max"));
  bytes = least(bytes, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return least(bytes, least(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA)));
}
