/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_DECIMAL_H
#define TACIT_BASE_DECIMAL_H

#include <stddef.h>

/* Room that a number below may use; there is no closing zero. */
enum { TACIT_DECIMAL_SIZE = 32 };

/* A double in 17 significant digits, correctly rounded, so that it reads back to the
   same bits: what "%.17g" writes in the "C" locale, but marked as a real ("1.0") and
   with a short exponent ("1e-5"), as jansson has it. Returns the characters written; 0,
   and nothing written, for what it leaves to others: magnitudes below 1e-38 or above
   1e15 other than 0, and what is not finite. */
size_t tacit_decimal_write(double value, char *out);

#endif
