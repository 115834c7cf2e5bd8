/* SPDX-License-Identifier: MIT */
/* Any bytes as numbers, one per line: a finite decimal number is read to the same bits
   as by strtod; everything else is refused. */
#include "fuzz.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/text/number.h"

static const char *skip_digits(const char *at) { return at + strspn(at, "0123456789"); }

/* [+-] digits [. digits] [e [+-] digits], nothing more. */
static int is_written_as_number(const char *at) {
  at += *at == '+' || *at == '-';
  const char *begin = at;
  at = skip_digits(at);
  size_t digits = (size_t)(at - begin);
  if (*at == '.') {
    begin = ++at;
    at = skip_digits(at);
    digits += (size_t)(at - begin);
  }
  if (digits == 0) return 0;
  if (*at == 'e' || *at == 'E') {
    ++at;
    at += *at == '+' || *at == '-';
    begin = at;
    at = skip_digits(at);
    if (at == begin) return 0;
  }
  return *at == '\0';
}

/* A copy of exactly its size, followed by a NUL that is not part of it. */
static void check(const char *text, size_t size, locale_t c_locale) {
  double value = 7, taken = 7;
  double expected = strtod_l(text, NULL, c_locale);
  int is_number = strlen(text) == size && size <= TACIT_NUMBER_MAX &&
                  is_written_as_number(text) && isfinite(expected);
  FUZZ_CHECK(tacit_number_parse(text, text + size, c_locale, &value) == is_number);
  FUZZ_CHECK(is_number ? memcmp(&value, &expected, sizeof value) == 0 : value == 7);

  char *padded = calloc(size + 9, 1);
  FUZZ_CHECK(padded != NULL);
  memcpy(padded, text, size);
  const char *stop = tacit_number_take(padded, c_locale, &taken);
  FUZZ_CHECK(stop == NULL || (stop > padded && stop <= padded + size));
  if (is_number)
    FUZZ_CHECK(stop == padded + size && memcmp(&taken, &expected, sizeof taken) == 0);
  const char *fast = tacit_number_fast(padded, &value);
  if (fast != NULL) FUZZ_CHECK(fast == stop && memcmp(&value, &taken, 8) == 0);
  free(padded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char *text = malloc(size + 1);
  FUZZ_CHECK(c_locale != (locale_t)0 && text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\n';
  for (char *at = text; at <= text + size;) {
    char *end = memchr(at, '\n', (size_t)(text + size + 1 - at));
    *end = '\0';
    check(at, (size_t)(end - at), c_locale);
    at = end + 1;
  }
  free(text);
  freelocale(c_locale);
  return 0;
}
