/* SPDX-License-Identifier: MIT */
/* Dates without the C library, whose strptime depends on the locale. */
#include "data/schema/date.h"

#include <stdio.h>
#include <string.h>

/* Day number of 0000-03-01, counted from 1970-01-01. Years of 365.2425 days on average
   are counted from it. */
static const int64_t epoch = -719468;
enum { ERA_YEARS = 400, ERA_DAYS = 146097 };

static int is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

/* Counts years from March, so that a leap day is the last day of its year. */
int64_t tacit_date_days(const tacit_date *date) {
  int64_t year = date->year - (date->month <= 2);
  int64_t era = year / ERA_YEARS, of_era = year % ERA_YEARS;
  int64_t month = (date->month + 9) % 12;
  int64_t of_year = (153 * month + 2) / 5 + date->day - 1;
  return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year + epoch;
}

tacit_date tacit_date_of(int64_t days) {
  int64_t shifted = days - epoch;
  int64_t era = shifted / ERA_DAYS, of_era = shifted % ERA_DAYS;
  int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  int64_t month = (5 * of_year + 2) / 153;
  tacit_date date = {.year = (int)(year + era * ERA_YEARS + (month >= 10)),
                     .month = (int)(month < 10 ? month + 3 : month - 9),
                     .day = (int)(of_year - (153 * month + 2) / 5 + 1)};
  return date;
}

int tacit_date_weekday(int64_t days) {
  int64_t since_monday = (days + 3) % 7; /* 1970-01-01 was a Thursday */
  return (int)(since_monday < 0 ? since_monday + 7 : since_monday) + 1;
}

int tacit_date_yearday(const tacit_date *date) {
  const tacit_date first = {date->year, 1, 1};
  return (int)(tacit_date_days(date) - tacit_date_days(&first)) + 1;
}

const char *tacit_date_format_fault(const char *format) {
  int year = 0, month = 0, day = 0;
  for (const char *at = format; *at != '\0'; ++at) {
    if (*at != '%') continue;
    ++at;
    if (*at == '\0' || strchr("YymdbBHMS%", *at) == NULL)
      return "\"format\" may have %Y, %y, %m, %b, %B, %d, %H, %M, %S and %%";
    year += *at == 'Y' || *at == 'y';
    month += *at == 'm' || *at == 'b' || *at == 'B';
    day += *at == 'd';
  }
  return year == 1 && month == 1 && day == 1
             ? NULL
             : "\"format\" must have a year, a month and a day, each once";
}

/* The part of a text that is still to be read. */
struct rest {
  const char *at, *end;
};

/* Reads a number of 1 to `digits` digits. Returns 0 if there is no digit. */
static int take_digits(struct rest *rest, int digits, int *out) {
  int count = 0, value = 0;
  for (; count < digits && rest->at < rest->end; ++count, ++rest->at) {
    if (*rest->at < '0' || *rest->at > '9') break;
    value = 10 * value + (*rest->at - '0');
  }
  *out = value;
  return count > 0;
}

/* Takes a name, in upper or lower case. Returns 0 if the text does not continue with
   it. */
static int take_name(struct rest *rest, const char *name) {
  size_t size = strlen(name);
  if ((size_t)(rest->end - rest->at) < size) return 0;
  for (size_t i = 0; i < size; ++i)
    if ((rest->at[i] | 0x20) != (name[i] | 0x20)) return 0;
  rest->at += size;
  return 1;
}

static const char *const names[] = {"January",   "February", "March",    "April",
                                    "May",       "June",     "July",     "August",
                                    "September", "October",  "November", "December"};

static int take_month(struct rest *rest, int *out) {
  for (int i = 0; i < 12; ++i) {
    const char beginning[] = {names[i][0], names[i][1], names[i][2], '\0'};
    if (!take_name(rest, names[i]) && !take_name(rest, beginning)) continue;
    *out = i + 1;
    return 1;
  }
  return 0;
}

static int take_part(char part, struct rest *rest, tacit_date *date) {
  int unused;
  switch (part) {
  case 'Y': return take_digits(rest, 4, &date->year);
  case 'y':
    if (!take_digits(rest, 2, &date->year)) return 0;
    date->year += date->year >= 69 ? 1900 : 2000;
    return 1;
  case 'm': return take_digits(rest, 2, &date->month);
  case 'd': return take_digits(rest, 2, &date->day);
  case 'b':
  case 'B': return take_month(rest, &date->month);
  case '%': return rest->at < rest->end && *rest->at++ == '%';
  default: return take_digits(rest, 2, &unused); /* %H, %M, %S */
  }
}

int tacit_date_parse(const char *format, const char *text, size_t size,
                     tacit_date *out) {
  struct rest rest = {text, text + size};
  tacit_date date = {0};
  for (; *format != '\0'; ++format) {
    if (*format == '%') {
      if (!take_part(*++format, &rest, &date)) return 0;
    } else if (rest.at == rest.end || *rest.at++ != *format) {
      return 0;
    }
  }
  if (rest.at != rest.end || date.year < 1 || date.month < 1 || date.month > 12 ||
      date.day < 1 || date.day > days_of_month(date.year, date.month))
    return 0;
  *out = date;
  return 1;
}

size_t tacit_date_write(const char *format, const tacit_date *date, char *out,
                        size_t room) {
  size_t size = 0;
  for (; *format != '\0'; ++format) {
    char part[8] = {*format};
    if (*format == '%') {
      switch (*++format) {
      case 'Y': (void)snprintf(part, sizeof part, "%04d", date->year % 10000); break;
      case 'y': (void)snprintf(part, sizeof part, "%02d", date->year % 100); break;
      case 'm': (void)snprintf(part, sizeof part, "%02d", date->month % 100); break;
      case 'd': (void)snprintf(part, sizeof part, "%02d", date->day % 100); break;
      case 'b':
      case 'B':
        (void)snprintf(part, sizeof part, "%.3s", names[date->month - 1]);
        break;
      case '%': break;
      default: (void)snprintf(part, sizeof part, "00"); /* %H, %M, %S */
      }
    }
    for (const char *at = part; *at != '\0' && size < room; ++at)
      out[size++] = *at;
  }
  return size;
}
