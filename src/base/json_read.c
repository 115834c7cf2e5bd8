/* SPDX-License-Identifier: MIT */
/*
 * Reads JSON (RFC 8259) into jansson's values. jansson's own reader writes through null
 * pointers when memory runs out. Its constructors, which are used here, report that.
 * This reader is stricter than the RFC: the text must be an object or an array, no key
 * occurs twice in an object, no string contains a NUL, integers fit 64 bits, and
 * nothing nests deeper than DEPTH_MAX.
 */
#include "base/json.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { DEPTH_MAX = 256 };

/* The text that is left to read. `status` keeps the first failure. */
struct reader {
  const char *at, *end;
  char *text; /* the string that was read last, with its closing zero */
  size_t room;
  locale_t c_locale;
  int depth, key_twice;
  tacit_status status;
};

static json_t *read_value(struct reader *reader);

static void fail(struct reader *reader, tacit_status status) {
  if (reader->status == TACIT_OK) reader->status = status;
}

static json_t *made(struct reader *reader, json_t *value) {
  if (value == NULL) fail(reader, TACIT_ENOMEM);
  return value;
}

/* Returns the next character, or 0 at the end. A 0 in the text is never allowed. */
static char peek(const struct reader *reader) {
  return reader->at < reader->end ? *reader->at : '\0';
}

static char after_space(struct reader *reader) {
  while (reader->at < reader->end && memchr(" \t\n\r", *reader->at, 4) != NULL)
    ++reader->at;
  return peek(reader);
}

static int take(struct reader *reader, char expected) {
  int there = after_space(reader) == expected;
  if (there)
    ++reader->at;
  else
    fail(reader, TACIT_EDATA);
  return there;
}

/* Reads four hexadecimal digits. Returns UINT32_MAX if there are fewer. */
static uint32_t read_hex(struct reader *reader) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++reader->at) {
    char c = peek(reader);
    if (c >= '0' && c <= '9')
      value = value << 4 | (uint32_t)(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
    else
      return UINT32_MAX;
  }
  return value;
}

/* Reads the code point after "\u", and the second half of a surrogate pair. Returns 0
   if it is invalid. */
static uint32_t read_escaped(struct reader *reader) {
  uint32_t high = read_hex(reader);
  if (high == UINT32_MAX || (high >= 0xdc00 && high < 0xe000)) return 0;
  if (high < 0xd800 || high >= 0xe000) return high;
  if (reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2) != 0) return 0;
  reader->at += 2;
  uint32_t low = read_hex(reader);
  if (low < 0xdc00 || low >= 0xe000) return 0;
  return 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

static size_t put_utf8(uint32_t point, char *out) {
  if (point < 0x80) {
    out[0] = (char)point;
    return 1;
  }
  size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(leads[more] | point >> 6 * more);
  for (size_t i = 1; i <= more; ++i)
    out[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3f));
  return more + 1;
}

size_t tacit_utf8_length(const char *text, size_t left) {
  const unsigned char *at = (const unsigned char *)text;
  size_t more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
  if (more == 0) return 1;
  if (at[0] < 0xc2 || at[0] > 0xf4 || left <= more) return 0;
  uint32_t point = at[0] & (0x3fU >> more);
  for (size_t i = 1; i <= more; ++i) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    point = point << 6 | (at[i] & 0x3f);
  }
  static const uint32_t min[] = {0, 0x80, 0x800, 0x10000};
  int surrogate = point >= 0xd800 && point < 0xe000;
  return point < min[more] || point > 0x10ffff || surrogate ? 0 : more + 1;
}

/* Reads one character of a string to `out`. Returns its bytes in UTF-8, or 0 if it is
   invalid. */
static size_t read_character(struct reader *reader, char *out) {
  if ((unsigned char)peek(reader) < 0x20) return 0;
  if (*reader->at != '\\') {
    size_t length = tacit_utf8_length(reader->at, (size_t)(reader->end - reader->at));
    memcpy(out, reader->at, length);
    reader->at += length;
    return length;
  }
  ++reader->at;
  static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char c = peek(reader);
  const char *name = c != '\0' ? strchr(names, c) : NULL;
  if (c != 'u' && name == NULL) return 0;
  ++reader->at;
  if (name != NULL) {
    *out = meant[name - names];
    return 1;
  }
  uint32_t point = read_escaped(reader);
  return point != 0 ? put_utf8(point, out) : 0;
}

/* Reads a string into reader->text. Returns its length. */
static size_t read_text(struct reader *reader) {
  size_t length = 0;
  if (!take(reader, '"')) return 0;
  while (reader->status == TACIT_OK) {
    if (!tacit_array_reserve(&reader->text, &reader->room, length + 5, 1)) {
      fail(reader, TACIT_ENOMEM);
      break;
    }
    if (peek(reader) == '"') {
      ++reader->at;
      reader->text[length] = '\0';
      break;
    }
    size_t size = read_character(reader, reader->text + length);
    if (size == 0) fail(reader, TACIT_EDATA);
    length += size;
  }
  return length;
}

static void skip_digits(struct reader *reader) {
  if (peek(reader) < '0' || peek(reader) > '9') fail(reader, TACIT_EDATA);
  while (peek(reader) >= '0' && peek(reader) <= '9')
    ++reader->at;
}

/* Reads a number. Refuses a number at the very end of the text and a digit after a
   leading 0. So a character that belongs to no number always follows within the text,
   where strtod, which knows no end, stops. */
static json_t *read_number(struct reader *reader) {
  const char *begin = reader->at;
  int whole = 1;
  if (*begin == '-') ++reader->at;
  if (peek(reader) == '0') {
    ++reader->at;
    if (peek(reader) >= '0' && peek(reader) <= '9') fail(reader, TACIT_EDATA);
  } else {
    skip_digits(reader);
  }
  if (peek(reader) == '.') {
    whole = 0;
    ++reader->at;
    skip_digits(reader);
  }
  if ((peek(reader) | 0x20) == 'e') {
    whole = 0;
    ++reader->at;
    if (peek(reader) == '+' || peek(reader) == '-') ++reader->at;
    skip_digits(reader);
  }
  if (reader->at == reader->end) fail(reader, TACIT_EDATA);
  if (reader->status != TACIT_OK) return NULL;
  if (!whole) {
    double number = strtod_l(begin, NULL, reader->c_locale);
    if (isfinite(number)) return made(reader, json_real(number));
  } else {
    errno = 0;
    long long number = strtoll(begin, NULL, 10);
    if (errno == 0) return made(reader, json_integer(number));
  }
  fail(reader, TACIT_EDATA);
  return NULL;
}

static json_t *read_word(struct reader *reader) {
  static const char *const words[] = {"true", "false", "null"};
  json_t *const values[] = {json_true(), json_false(), json_null()};
  for (int i = 0; i < 3; ++i) {
    size_t length = strlen(words[i]);
    if ((size_t)(reader->end - reader->at) >= length &&
        memcmp(reader->at, words[i], length) == 0) {
      reader->at += length;
      return values[i];
    }
  }
  fail(reader, TACIT_EDATA);
  return NULL;
}

/* Returns 1 if another member or element follows. `first` must be 1 before the first
   one is read. */
static int goes_on(struct reader *reader, char close, int first) {
  if (reader->status != TACIT_OK) return 0;
  if (after_space(reader) == close) {
    ++reader->at;
    return 0;
  }
  return first || take(reader, ',');
}

static void read_member(struct reader *reader, json_t *object) {
  (void)read_text(reader);
  if (reader->status != TACIT_OK) return;
  if (json_object_get(object, reader->text) != NULL) {
    reader->key_twice = 1;
    fail(reader, TACIT_EDATA);
    return;
  }
  char *key = tacit_string_copy(reader->text);
  if (key == NULL) fail(reader, TACIT_ENOMEM);
  json_t *value = take(reader, ':') ? read_value(reader) : NULL;
  if (reader->status != TACIT_OK)
    json_decref(value);
  else if (json_object_set_new_nocheck(object, key, value) != 0)
    fail(reader, TACIT_ENOMEM);
  tacit_array_free(key);
}

static json_t *read_object(struct reader *reader) {
  json_t *object = made(reader, json_object());
  for (int first = 1; goes_on(reader, '}', first); first = 0)
    read_member(reader, object);
  return object;
}

static json_t *read_array(struct reader *reader) {
  json_t *array = made(reader, json_array());
  for (int first = 1; goes_on(reader, ']', first); first = 0) {
    json_t *value = read_value(reader);
    if (reader->status != TACIT_OK)
      json_decref(value);
    else if (json_array_append_new(array, value) != 0)
      fail(reader, TACIT_ENOMEM);
  }
  return array;
}

/* Reads a value. Returns NULL, or the part read so far, after a failure. */
static json_t *read_value(struct reader *reader) {
  char c = after_space(reader);
  if (reader->status != TACIT_OK) return NULL;
  if (c == '"') {
    size_t length = read_text(reader);
    if (reader->status != TACIT_OK) return NULL;
    return made(reader, json_stringn_nocheck(reader->text, length));
  }
  if (c == '-' || (c >= '0' && c <= '9')) return read_number(reader);
  if (c != '{' && c != '[') return read_word(reader);
  if (reader->depth == DEPTH_MAX) {
    fail(reader, TACIT_EDATA);
    return NULL;
  }
  ++reader->at;
  ++reader->depth;
  json_t *value = c == '{' ? read_object(reader) : read_array(reader);
  --reader->depth;
  return value;
}

/* Returns the line and the column of the reader, counted in characters from 1. */
static tacit_json_fault place_of(const struct reader *reader, const char *text) {
  tacit_json_fault fault = {.line = 1, .column = 1, .key_twice = reader->key_twice};
  for (; text < reader->at; ++text) {
    if (*text == '\n') {
      ++fault.line;
      fault.column = 1;
    } else if (((unsigned char)*text & 0xc0) != 0x80) {
      ++fault.column;
    }
  }
  return fault;
}

tacit_status tacit_json_read(const char *text, size_t size, json_t **out,
                             tacit_json_fault *out_fault) {
  struct reader reader = {.at = text, .end = text + size};
  reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (reader.c_locale == (locale_t)0) return TACIT_ENOMEM;
  char first = after_space(&reader);
  json_t *json = NULL;
  if (first == '{' || first == '[') json = read_value(&reader);
  if (json == NULL || after_space(&reader) != '\0' || reader.at < reader.end)
    fail(&reader, TACIT_EDATA);
  freelocale(reader.c_locale);
  tacit_array_free(reader.text);
  if (reader.status == TACIT_OK) {
    *out = json;
    return TACIT_OK;
  }
  json_decref(json);
  *out_fault = place_of(&reader, text);
  return reader.status;
}

tacit_status tacit_json_parse(const char *text, size_t size, const char *where,
                              json_t **out, tacit_error *err) {
  tacit_json_fault fault;
  tacit_status status = tacit_json_read(text, size, out, &fault);
  if (status == TACIT_ENOMEM) return tacit_fail_memory(err);
  if (status != TACIT_OK)
    return tacit_fail(err, TACIT_EDATA, "%.160s: not JSON: line %ld, column %ld", where,
                      fault.line, fault.column);
  return TACIT_OK;
}
