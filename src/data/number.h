/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_NUMBER_H
#define TACIT_DATA_NUMBER_H

#include <locale.h>

/* Characters of the longest number: an exact decimal expansion of any double fits. */
enum { TACIT_NUMBER_MOST = 1200 };

/* A decimal number, [+-] digits [. digits] [e [+-] digits], that fills the text whole,
   as the nearest double. 0 for anything else: empty, nan, inf, hexadecimal, a number
   that overflows, one longer than TACIT_NUMBER_MOST. c_locale is the "C" locale. */
int tacit_number_parse(const char *raw_begin, const char *raw_end, locale_t c_locale,
                       double *raw_out);

#endif
