/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ERROR_H
#define TACIT_BASE_ERROR_H

#include <tacit/status.h>

/* Writes one line into err (which may be NULL) and returns status. The message stands
   as written where the fault was found: callers pass the status on and do not rewrite
   it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
tacit_status
tacit_fail(tacit_error *err, tacit_status status, const char *format, ...);

/* TACIT_ENOMEM with its usual message. */
tacit_status tacit_fail_memory(tacit_error *err);

/* For calls with nothing to release on the way out. */
#define TACIT_TRY(call)                                                                \
  do {                                                                                 \
    tacit_status tacit_try_status = (call);                                            \
    if (tacit_try_status != TACIT_OK) return tacit_try_status;                         \
  } while (0)

#endif
