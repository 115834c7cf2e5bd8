/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_FORMAT_H
#define TACIT_PRIVACY_FORMAT_H

enum { TACIT_NUMBER_TEXT = 32 };

/* Writes the shortest text that reads back as exactly this number. `out` must have room
   for TACIT_NUMBER_TEXT bytes. */
void tacit_format_shortest(double value, char *out);

#endif
