/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TABLE_SPELL_H
#define TACIT_DATA_TABLE_SPELL_H

#include <locale.h>
#include <stdint.h>
#include <tacit/table.h>

/* Numbers and dates as other programs write them, and the numbers that a reader of what
   they wrote would see. All texts have at most TACIT_CELL_BYTES bytes. */

/* Writes a double, or a float if is_single is 1, in the fewest digits that read back as
   the same number. Returns the size, which is 0 for NaN. */
size_t tacit_spell_float(double value, int is_single, tacit_spelling spelling,
                         locale_t c_locale, char *out);
/* Returns the double nearest to the text of a float. */
double tacit_spell_single_number(double value, locale_t c_locale);
/* Writes high 2^64 + low, times 10^-scale, with `scale` digits after the point. Returns
   the size. */
size_t tacit_spell_decimal(uint64_t high, uint64_t low, int scale, int negative,
                           char *out);
/* Returns the double nearest to that number. */
double tacit_spell_decimal_number(uint64_t high, uint64_t low, int scale, int negative,
                                  locale_t c_locale);
/* Writes a day since 1970-01-01 by a format (data/schema/date.h). Returns the size,
   which is 0 for NaN. */
size_t tacit_spell_date(double day, const char *format, char *out);
/* Returns 1 for days of the years 1 to 9999, which texts can have. */
static inline int tacit_spell_is_date(double day) {
  return day >= -719162 && day <= 2932896;
}

#endif
