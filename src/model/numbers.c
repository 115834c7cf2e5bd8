/* SPDX-License-Identifier: MIT */
/* Writes the weights of a model file with 17 digits, and reads each as the nearest
   double. */
#include "model/numbers.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/text/number.h"

/* NAME occurs once in the file, because a line break in a string is written as \n and
   inner objects are indented further. */
#define NAME "\n \"weights\": ["

/* Writes a number, at most TACIT_DECIMAL_SIZE characters. Returns their number, or 0 if
   memory runs out. */
static size_t put_number(double number, char *out) {
  size_t size = tacit_decimal_write(number, out);
  if (size > 0) return size;
  json_t *json = json_real(number);
  if (json == NULL) return 0;
  size = json_dumpb(json, out, TACIT_DECIMAL_SIZE,
                    JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  json_decref(json);
  return size <= TACIT_DECIMAL_SIZE ? size : 0;
}

tacit_status tacit_numbers_insert(const double *numbers, size_t count, char **text,
                                  tacit_error *err) {
  static const char before[] = {'\n', ' ', ' '};
  const char *place = strstr(*text, NAME "]");
  size_t length = strlen(*text), each = sizeof before + TACIT_DECIMAL_SIZE + 1;
  if (place == NULL || count > (SIZE_MAX - length - 2) / each)
    return tacit_fail_memory(err);
  char *whole = tacit_array_new(length + 2 + count * each, 1);
  if (whole == NULL) return tacit_fail_memory(err);
  place += strlen(NAME);
  size_t used = (size_t)(place - *text);
  memcpy(whole, *text, used);
  for (size_t i = 0; i < count; ++i) {
    memcpy(whole + used, before, sizeof before);
    used += sizeof before;
    size_t size = put_number(numbers[i], whole + used);
    if (size == 0) {
      tacit_array_free(whole);
      return tacit_fail_memory(err);
    }
    used += size;
    whole[used++] = i + 1 < count ? ',' : '\n';
  }
  whole[used++] = ' ';
  memcpy(whole + used, place, strlen(place) + 1);
  tacit_array_free(*text);
  *text = whole;
  return TACIT_OK;
}

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
    ++at;
  return at;
}

/* Returns the position after the string that begins at `at`, or `end` if the string
   does not end. */
static const char *skip_string(const char *at, const char *end) {
  for (++at; at < end && *at != '"'; ++at)
    if (*at == '\\' && ++at == end) return end;
  return at < end ? at + 1 : end;
}

/* Returns the position after the bracket that opens the array "weights" of the
   outermost object, or NULL if there is no such array. */
static const char *find_array(const char *at, const char *end) {
  static const char name[] = "\"weights\"";
  int depth = 0;
  while (at < end) {
    if (*at != '"') {
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
      ++at;
      continue;
    }
    const char *begin = at;
    at = skip_string(at, end);
    if (depth != 1 || (size_t)(at - begin) != strlen(name) ||
        memcmp(begin, name, strlen(name)) != 0)
      continue;
    at = skip_space(at, end);
    if (at == end || *at != ':') continue;
    at = skip_space(at + 1, end);
    return at < end && *at == '[' ? at + 1 : NULL;
  }
  return NULL;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns 1 if JSON allows a number that tacit_number_take accepted. JSON has no sign
   +, no leading zeros, and digits on both sides of a point. Returns 0 also for -0 and
   for integers that might not fit 64 bits, which jansson then reads. */
static int is_json(const char *begin, const char *end) {
  if (*begin == '-' && ++begin + 1 == end && *begin == '0') return 0;
  if (!is_digit(*begin) || !is_digit(end[-1])) return 0;
  if (*begin == '0' && is_digit(begin[1])) return 0;
  const char *point = memchr(begin, '.', (size_t)(end - begin));
  if (point != NULL) return is_digit(point[1]);
  return end - begin <= 18 || memchr(begin, 'e', (size_t)(end - begin)) != NULL;
}

/* Returns a position that is not inside a number and has at least eight characters
   after it, because the parser may read that far. */
static const char *last_stop(const char *text, size_t size) {
  size_t i = size < 9 ? 0 : size - 9;
  while (i > 0 && (is_digit(text[i]) || strchr("+-.eE", text[i]) != NULL))
    --i;
  return text + i;
}

/* Reads numbers up to the closing bracket. Returns the position of the bracket, or NULL
   if there is anything else. */
static const char *read_numbers(const char *at, const char *stop, locale_t c_locale,
                                tacit_numbers *out, size_t room) {
  for (;;) {
    at = skip_space(at, stop);
    double value;
    if (at >= stop || out->count == room) return NULL;
    const char *end = tacit_number_take(at, c_locale, &value);
    if (end == NULL || !is_json(at, end)) return NULL;
    out->values[out->count++] = value;
    at = skip_space(end, stop);
    if (at >= stop) return NULL;
    if (*at == ']') return at;
    if (*at++ != ',') return NULL;
  }
}

/* Returns an upper bound of the count of numbers: the commas up to the first closing
   bracket, plus one. */
static size_t count_numbers(const char *at, const char *end) {
  size_t count = 1;
  const char *close = memchr(at, ']', (size_t)(end - at));
  for (; close != NULL && at < close; ++at)
    count += *at == ',';
  return count;
}

/* Fills in both the numbers and the rest of the text, or neither. */
static tacit_status split(const char *text, size_t size, locale_t c_locale,
                          tacit_numbers *out, tacit_error *err) {
  const char *end = text + size, *open = find_array(text, end);
  if (open == NULL) return TACIT_OK;
  size_t room = count_numbers(open, end);
  TACIT_TRY(TACIT_NEW(out->values, room, err));
  const char *close = read_numbers(open, last_stop(text, size), c_locale, out, room);
  if (close == NULL) {
    tacit_numbers_fini(out);
    return TACIT_OK;
  }
  size_t head = (size_t)(open - text), tail = (size_t)(end - close);
  TACIT_TRY(TACIT_NEW(out->rest, head + tail, err));
  memcpy(out->rest, text, head);
  memcpy(out->rest + head, close, tail);
  out->rest_size = head + tail;
  return TACIT_OK;
}

tacit_status tacit_numbers_take(const char *text, size_t size, tacit_numbers *out,
                                tacit_error *err) {
  *out = (tacit_numbers){0};
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) return tacit_fail_memory(err);
  tacit_status status = split(text, size, c_locale, out, err);
  freelocale(c_locale);
  if (status != TACIT_OK) tacit_numbers_fini(out);
  return status;
}

void tacit_numbers_fini(tacit_numbers *numbers) {
  TACIT_FREE(numbers->values, numbers->rest);
  *numbers = (tacit_numbers){0};
}
