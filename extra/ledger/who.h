/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_WHO_H
#define TACIT_EXTRA_LEDGER_WHO_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/status.h>

/* Sets time, user, host and program version of an event. */
void tacit_stamp(json_t *event);
/* Copies a text, cut to `size` bytes with the closing zero. Control characters, and all
   other bytes above 127 of a text that is not UTF-8, become '?'. */
void tacit_printable(const char *text, char *out, size_t size);
/* Copies the whole path of a file in the same way. The text is empty if the file is
   NULL or "-", which is standard output. */
void tacit_printable_path(const char *file, char *out, size_t size);
/* Checks a text that a person gives for the record, called `name` in the message. NULL
   is allowed. */
tacit_status tacit_check_text(const char *name, const char *text, tacit_error *err);

#endif
