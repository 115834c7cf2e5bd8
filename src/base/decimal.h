/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_DECIMAL_H
#define TACIT_BASE_DECIMAL_H

#include <stddef.h>

/* The most bytes that tacit_decimal_write writes, without a closing zero. */
enum { TACIT_DECIMAL_SIZE = 32 };

/* Writes a double with 17 significant digits, correctly rounded, so that reading it
   gives the same bits. The format is jansson's: "%.17g" in the "C" locale, but a real
   always has a point or an exponent ("1.0"), and exponents are short ("1e-5"). Returns
   the number of characters. Returns 0 and writes nothing for values that it does not
   handle: infinities, NaN, sizes above 1e15, or below 1e-38 other than 0. */
size_t tacit_decimal_write(double value, char *out);

#endif
