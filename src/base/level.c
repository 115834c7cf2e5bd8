/* SPDX-License-Identifier: MIT */
#include "base/level.h"

#include <stdlib.h>
#include <string.h>

const char *tacit_level_wanted(void) {
  const char *wanted = getenv("TACIT_DISPATCH");
  return wanted != NULL && wanted[0] != '\0' ? wanted : NULL;
}

int tacit_level_allows(const char *level) {
  static const char *const levels[] = {"avx512", "avx2", "baseline", "plain"};
  const char *wanted = tacit_level_wanted();
  for (size_t i = 0; wanted != NULL && i < sizeof levels / sizeof levels[0]; ++i) {
    if (strcmp(wanted, levels[i]) == 0) return 1;
    if (strcmp(level, levels[i]) == 0) return 0;
  }
  return wanted == NULL;
}
