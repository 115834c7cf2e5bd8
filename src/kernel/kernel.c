/* SPDX-License-Identifier: MIT */
/* Picks the level of the loops that a run uses, once per run, by what the processor
   has. The choice changes the speed and no result. */
#include "kernel/kernel.h"

#include <string.h>

#include "base/error.h"
#include "base/level.h"

extern const tacit_level tacit_level_baseline;
extern const tacit_level tacit_level_avx2;
extern const tacit_level tacit_level_avx512;

static const tacit_level *const levels[] = {
    &tacit_level_plain,
#if defined(TACIT_HAVE_VECTORS)
    &tacit_level_baseline,
#endif
#if defined(TACIT_HAVE_X86_LEVELS)
    &tacit_level_avx2,
    &tacit_level_avx512,
#endif
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

const tacit_level *tacit_kernel_at(size_t i) { return i < LEVELS ? levels[i] : NULL; }

int tacit_kernel_runs(const tacit_level *kernel) {
#if defined(TACIT_HAVE_X86_LEVELS)
  if (kernel == &tacit_level_avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kernel == &tacit_level_avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
  return kernel != NULL;
}

static tacit_status find(const tacit_level *const *from, size_t count,
                         const char *wanted, const tacit_level **out,
                         tacit_error *err) {
  int any = wanted == NULL, known = any;
  for (size_t i = count; i-- > 0;) {
    if (!any && strcmp(wanted, from[i]->name) != 0) continue;
    known = 1;
    if (!tacit_kernel_runs(from[i])) continue;
    *out = from[i];
    return TACIT_OK;
  }
  return tacit_fail(err, TACIT_EINVAL,
                    known ? "TACIT_DISPATCH: this processor lacks %s; unset it"
                          : "TACIT_DISPATCH: no level %s in this build; use plain, "
                            "baseline, avx2, avx512 or unset it",
                    wanted);
}

tacit_status tacit_kernel_pick_from(const tacit_level *const *from, size_t count,
                                    const char *wanted, const tacit_level **out,
                                    tacit_error *err) {
  const tacit_level *found = NULL;
  TACIT_TRY(find(from, count, wanted, &found, err));
  TACIT_TRY(tacit_kernel_check(found, err));
  *out = found;
  return TACIT_OK;
}

tacit_status tacit_kernel_pick(const tacit_level **out, tacit_error *err) {
  return tacit_kernel_pick_from(levels, LEVELS, tacit_level_wanted(), out, err);
}

tacit_status tacit_kernel_pick_untested(const tacit_level **out, tacit_error *err) {
  return find(levels, LEVELS, tacit_level_wanted(), out, err);
}
