/* SPDX-License-Identifier: MIT */
/*
 * Reads "NAME:key=value,key=value" against a list of params. Numbers are decimal with a
 * point, whatever the locale of the program. Infinities, NaN and hexadecimal are
 * refused, so a value that passes is finite and in range.
 */
#include "base/args.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Messages quote so many characters of a mistyped text: enough to recognise it. */
#define SHOWN "%.*s"
enum { SHOWN_MAX = 40, NUMBER_SIZE = 64, LIST_SIZE = 160 };

static int shown(size_t length) {
  return length < SHOWN_MAX ? (int)length : (int)SHOWN_MAX;
}

/* Returns 1 if the text has no control characters, because messages quote it and are
   one line. */
static int is_printable(const char *text) {
  for (; *text != '\0'; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x20 || c == 0x7f) return 0;
  }
  return 1;
}

static size_t name_length(const char *spec) { return strcspn(spec, ":"); }

tacit_status tacit_args_name(const char *spec, char *out_name, size_t size,
                             tacit_error *err) {
  if (spec == NULL || !is_printable(spec))
    return tacit_fail(err, TACIT_EINVAL,
                      "a name is missing or holds a control character; write NAME or "
                      "NAME:key=value");
  size_t length = name_length(spec);
  if (length == 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "\"" SHOWN "\" has no name; write NAME or NAME:key=value",
                      shown(strlen(spec)), spec);
  if (length >= size)
    return tacit_fail(err, TACIT_EINVAL,
                      "\"" SHOWN "…\" is longer than any name; write NAME or "
                      "NAME:key=value",
                      shown(length), spec);
  memcpy(out_name, spec, length);
  out_name[length] = '\0';
  return TACIT_OK;
}

size_t tacit_args_count(const tacit_param *params) {
  size_t count = 0;
  while (params != NULL && params[count].name != NULL)
    ++count;
  return count;
}

/* Appends a name to a list "a, b, c" while there is room. A list that is too long ends
   with "…" as its last entry. */
static void list_add(char *list, size_t size, const char *name) {
  size_t used = strlen(list);
  const char *comma = used > 0 ? ", " : "";
  if (used + strlen(comma) + strlen(name) + sizeof ", …" <= size)
    (void)snprintf(list + used, size - used, "%s%s", comma, name);
  else if (used + sizeof ", …" <= size && strstr(list, "…") == NULL)
    (void)snprintf(list + used, size - used, ", …");
}

tacit_status tacit_args_unknown(const char *what, const char *name,
                                tacit_name_fn name_at, tacit_error *err) {
  char list[LIST_SIZE] = "";
  for (size_t i = 0; name_at(i) != NULL; ++i)
    list_add(list, sizeof list, name_at(i));
  return tacit_fail(err, TACIT_EINVAL, "unknown %s \"" SHOWN "\"; there are: %s", what,
                    shown(strlen(name)), name, list);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns 1 if the text is plain decimal as strtod reads it: sign, digits with at most
   one point, exponent. */
static int is_decimal(const char *text, size_t length) {
  size_t i = 0, digits = 0;
  if (i < length && (text[i] == '+' || text[i] == '-')) ++i;
  for (; i < length && is_digit(text[i]); ++i)
    ++digits;
  if (i < length && text[i] == '.')
    for (++i; i < length && is_digit(text[i]); ++i)
      ++digits;
  if (digits == 0) return 0;
  if (i < length && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < length && (text[i] == '+' || text[i] == '-')) ++i;
    size_t first = i;
    while (i < length && is_digit(text[i]))
      ++i;
    if (i == first) return 0;
  }
  return i == length;
}

/* Reads a decimal number. *out_is_number becomes 0 if the text is not one. */
static tacit_status read_number(const char *text, size_t length, double *out,
                                int *out_is_number, tacit_error *err) {
  char number[NUMBER_SIZE];
  *out_is_number = length < sizeof number && is_decimal(text, length);
  if (!*out_is_number) return TACIT_OK;
  memcpy(number, text, length);
  number[length] = '\0';
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (plain == (locale_t)0) return tacit_fail_memory(err);
  *out = strtod_l(number, NULL, plain);
  freelocale(plain);
  return TACIT_OK;
}

/* Reads one "key=value" of `length` characters. `given` marks the params that were
   already read. */
static tacit_status read_item(const char *item, size_t length, const char *what,
                              const char *name, const tacit_param *params,
                              double *values, int *given, tacit_error *err) {
  const char *equals = memchr(item, '=', length);
  if (equals == NULL || equals == item || equals == item + length - 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s %s: \"" SHOWN "\" is not key=value; write %s:key=value,…",
                      what, name, shown(length), item, name);
  size_t key_length = (size_t)(equals - item);
  size_t count = tacit_args_count(params), found = 0;
  while (found < count && (strlen(params[found].name) != key_length ||
                           memcmp(params[found].name, item, key_length) != 0))
    ++found;
  if (found == count) {
    char list[LIST_SIZE] = "";
    for (size_t i = 0; i < count; ++i)
      list_add(list, sizeof list, params[i].name);
    return tacit_fail(err, TACIT_EINVAL,
                      "%s %s: unknown parameter \"" SHOWN "\"; it takes: %s", what,
                      name, shown(key_length), item, list);
  }
  const tacit_param *param = &params[found];
  if (given[found])
    return tacit_fail(err, TACIT_EINVAL, "%s %s: %s is given twice; give it once", what,
                      name, param->name);

  const char *text = equals + 1;
  size_t text_length = length - key_length - 1;
  double value = NAN;
  int is_number;
  TACIT_TRY(read_number(text, text_length, &value, &is_number, err));
  if (!is_number)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s %s: %s: \"" SHOWN "\" is not a number; write it like 0.5 or "
                      "1e-3",
                      what, name, param->name, shown(text_length), text);
  if (!(value >= param->min && value <= param->max))
    return tacit_fail(err, TACIT_EINVAL, "%s %s: %s must be between %g and %g", what,
                      name, param->name, param->min, param->max);
  values[found] = value;
  given[found] = 1;
  return TACIT_OK;
}

tacit_status tacit_args_values(const char *spec, const char *what,
                               const tacit_param *params, double *values, size_t n_max,
                               tacit_error *err) {
  char name[TACIT_ARGS_NAME_SIZE];
  TACIT_TRY(tacit_args_name(spec, name, sizeof name, err));
  size_t count = tacit_args_count(params);
  if (count > n_max || count > TACIT_ARGS_MAX)
    return tacit_fail(err, TACIT_EINVAL, "%s %s has more than %zu parameters", what,
                      name, n_max < TACIT_ARGS_MAX ? n_max : (size_t)TACIT_ARGS_MAX);

  double read[TACIT_ARGS_MAX] = {0};
  int given[TACIT_ARGS_MAX] = {0};
  for (size_t i = 0; i < count; ++i)
    read[i] = params[i].fallback;

  const char *rest = spec + name_length(spec);
  if (*rest == ':' && count == 0)
    return tacit_fail(err, TACIT_EINVAL, "%s %s takes no parameters; write just %s",
                      what, name, name);
  while (*rest != '\0') {
    ++rest; /* the ':' before the first item or the ',' before another */
    size_t length = strcspn(rest, ",");
    TACIT_TRY(read_item(rest, length, what, name, params, read, given, err));
    rest += length;
  }
  memcpy(values, read, count * sizeof *values);
  return TACIT_OK;
}

tacit_status tacit_args_values_of(const char *spec_or_null, const char *what,
                                  const char *name, const tacit_param *params,
                                  double *values, size_t n_max, tacit_error *err) {
  const char *spec = spec_or_null != NULL ? spec_or_null : name;
  char given[TACIT_ARGS_NAME_SIZE];
  TACIT_TRY(tacit_args_name(spec, given, sizeof given, err));
  if (strcmp(given, name) != 0)
    return tacit_fail(err, TACIT_EINVAL, "the %s is called %s, not %s", what, name,
                      given);
  return tacit_args_values(spec, what, params, values, n_max, err);
}
