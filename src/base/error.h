/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ERROR_H
#define TACIT_BASE_ERROR_H

#include <tacit/status.h>

/* Writes one line into err, which may be NULL, and returns `status`. Control characters
   of quoted names become '?'. The message is written where the fault is found; callers
   pass the status on and leave the message alone. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
tacit_status
tacit_fail(tacit_error *err, tacit_status status, const char *format, ...);

/* Returns TACIT_ENOMEM and writes its usual message. */
tacit_status tacit_fail_memory(tacit_error *err);

/* Returns the status of a call if it failed. Use it where nothing has to be freed. */
#define TACIT_TRY(call)                                                                \
  do {                                                                                 \
    tacit_status tacit_try_status = (call);                                            \
    if (tacit_try_status != TACIT_OK) return tacit_try_status;                         \
  } while (0)

/* Ends a function that makes an object: gives it to *out if `status`, a variable, is
   TACIT_OK, otherwise frees it. The value is the status. */
#define TACIT_HAND_OVER(status, object, free_object, out)                              \
  ((status) == TACIT_OK ? (void)(*(out) = (object)) : free_object(object), (status))

#endif
