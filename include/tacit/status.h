/* SPDX-License-Identifier: MIT */
#ifndef TACIT_STATUS_H
#define TACIT_STATUS_H

#include <tacit/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every status: name, number, short text, exit code of the command line. Numbers never
 * change; new statuses are added at the end.
 */
#define TACIT_STATUS_LIST(X)                                                           \
  X(TACIT_OK, 0, "ok", 0)                                                              \
  X(TACIT_EINVAL, 1, "invalid argument", 2)                                            \
  X(TACIT_ENOMEM, 2, "out of memory", 1)                                               \
  X(TACIT_EIO, 3, "input or output failed", 1)                                         \
  X(TACIT_EDATA, 4, "bad data", 3)                                                     \
  X(TACIT_EBUDGET, 5, "privacy budget refused", 4)                                     \
  X(TACIT_EPRIVACY, 6, "privacy precondition not met", 5)                              \
  X(TACIT_ECANCELED, 7, "stopped by the caller", 1)                                    \
  X(TACIT_ERANDOM, 8, "no secure randomness", 1)                                       \
  X(TACIT_ESTATE, 9, "called out of order", 1)

typedef enum tacit_status {
#define TACIT_STATUS_ENUM(name, number, text, exit_code) name = number,
  TACIT_STATUS_LIST(TACIT_STATUS_ENUM)
#undef TACIT_STATUS_ENUM
} tacit_status;

/**
 * The error of a call. The caller owns it; every call that can fail takes it as its
 * last argument and accepts NULL. The message is one line: what is wrong, where, what
 * to do. It names files, rows, columns and rules, never a value from a record.
 */
typedef struct tacit_error {
  tacit_status status;
  char message[248];
} tacit_error;

/** Returns the name of a status, for example "TACIT_EDATA", or "TACIT_?" if it is
    unknown. */
TACIT_API const char *tacit_status_name(tacit_status status);
/** Returns the short text of a status, for example "bad data". */
TACIT_API const char *tacit_status_text(tacit_status status);
/** Returns the exit code of the command line for this status. */
TACIT_API int tacit_status_exit_code(tacit_status status);

/** Frees a text that a function of the library has made; NULL is allowed. */
TACIT_API void tacit_string_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
