/* SPDX-License-Identifier: MIT */
/* Statuses, their texts, and messages of one line. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *tacit_status_name(tacit_status status) {
  switch (status) {
#define TACIT_STATUS_CASE(name, number, text, exit_code)                               \
  case name: return #name;
    TACIT_STATUS_LIST(TACIT_STATUS_CASE)
#undef TACIT_STATUS_CASE
  }
  return "TACIT_?";
}

const char *tacit_status_text(tacit_status status) {
  switch (status) {
#define TACIT_STATUS_CASE(name, number, text, exit_code)                               \
  case name: return text;
    TACIT_STATUS_LIST(TACIT_STATUS_CASE)
#undef TACIT_STATUS_CASE
  }
  return "unknown status";
}

int tacit_status_exit_code(tacit_status status) {
  switch (status) {
#define TACIT_STATUS_CASE(name, number, text, exit_code)                               \
  case name: return exit_code;
    TACIT_STATUS_LIST(TACIT_STATUS_CASE)
#undef TACIT_STATUS_CASE
  }
  return 1;
}

/* Replaces control characters by '?'. Messages quote names from files, and a line break
   or an escape sequence in a name must not reach the terminal. */
static void hide_controls(char *message) {
  for (char *c = message; *c != '\0'; ++c)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
}

tacit_status tacit_fail(tacit_error *err, tacit_status status, const char *format,
                        ...) {
  if (err != NULL) {
    va_list args;
    va_start(args, format);
    err->status = status;
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    hide_controls(err->message);
  }
  return status;
}

tacit_status tacit_fail_memory(tacit_error *err) {
  return tacit_fail(err, TACIT_ENOMEM, "out of memory");
}
