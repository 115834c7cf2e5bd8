/* SPDX-License-Identifier: MIT */
/* Whether numbers are read in bulk: the same rows either way. */
#include "data/bulk.h"

#include <stdlib.h>
#include <string.h>

int tacit_bulk_allowed(void) {
#if defined(TACIT_HAVE_BULK)
  const char *wanted = getenv("TACIT_DISPATCH");
  if (wanted != NULL && wanted[0] != '\0' && strcmp(wanted, "avx512") != 0) return 0;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
#else
  return 0;
#endif
}
