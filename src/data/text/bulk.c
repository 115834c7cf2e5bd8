/* SPDX-License-Identifier: MIT */
/* Decides whether numbers are read in bulk. The rows are the same either way. */
#include "data/text/bulk.h"

#include <stdlib.h>
#include <string.h>

tacit_bulk_trust tacit_bulk_trusted(void) {
  tacit_bulk_trust trust = {0, 0, 0};
#if defined(TACIT_HAVE_BULK)
  const char *wanted = getenv("TACIT_DISPATCH");
  if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, "avx512") == 0)
    trust.allowed =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt");
#endif
  return trust;
}
