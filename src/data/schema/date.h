/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_DATE_H
#define TACIT_DATA_SCHEMA_DATE_H

#include <stddef.h>
#include <stdint.h>

/* Dates of the Gregorian calendar, years 1 to 9999. */
typedef struct tacit_date {
  int year, month, day; /* month and day from 1 */
} tacit_date;

/* Returns NULL if tacit_date_parse reads a format, else what is wrong with the format.
   A format must have %Y or %y, %m or %b, and %d. */
const char *tacit_date_format_fault(const char *format);
/* Reads a whole text by a format: %Y, %y (69 is 1969, 68 is 2068), %m, %d, %b or %B
   (English names of months), %H, %M, %S (read and left out), %%; any other character
   stands for itself. Returns 0 if the text has another format or there is no such
   day. */
int tacit_date_parse(const char *format, const char *text, size_t size,
                     tacit_date *out);
/* Writes a date by a format, with at most `room` bytes. Hours, minutes and seconds are
   00. Returns the number of bytes. */
size_t tacit_date_write(const char *format, const tacit_date *date, char *out,
                        size_t room);
/* Convert a date to days since 1970-01-01, and back. */
int64_t tacit_date_days(const tacit_date *date);
tacit_date tacit_date_of(int64_t days);
/* Returns the day of the week: Monday is 1, Sunday 7. */
int tacit_date_weekday(int64_t days);
/* Returns the day of the year, from 1. */
int tacit_date_yearday(const tacit_date *date);

#endif
