/* SPDX-License-Identifier: MIT */
/* Fields of a CSV line: delimiters, quotes, doubled quotes. Blanks around a field are
   not part of it unless they are quoted; a line break inside quotes is not supported,
   because one line is one record. */
#include "data/fields.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_FIELDS = 32 };

void tacit_fields_fini(tacit_fields *fields) {
  tacit_raw_free(fields->raw_fields);
  memset(fields, 0, sizeof *fields);
}

static int append(tacit_fields *fields, char *raw_begin, char *raw_end) {
  if (fields->count == fields->capacity) {
    size_t capacity = fields->capacity > 0 ? 2 * fields->capacity : FIRST_FIELDS;
    tacit_field *raw_larger =
        tacit_raw_grow(fields->raw_fields, capacity, sizeof *raw_larger);
    if (raw_larger == NULL) return 0;
    fields->raw_fields = raw_larger;
    fields->capacity = capacity;
  }
  fields->raw_fields[fields->count].raw_begin = raw_begin;
  fields->raw_fields[fields->count].size = (size_t)(raw_end - raw_begin);
  ++fields->count;
  return 1;
}

static int is_blank(char c, char delimiter) {
  return (c == ' ' || c == '\t') && c != delimiter;
}

/* From behind the opening quote; *raw_at moves behind the closing one. */
static char *unquote(char **raw_at, char *raw_end) {
  char *raw_from = *raw_at, *raw_to = *raw_at;
  for (; raw_from < raw_end; ++raw_from) {
    if (*raw_from == '"') {
      if (raw_from + 1 == raw_end || raw_from[1] != '"') {
        *raw_at = raw_from + 1;
        return raw_to;
      }
      ++raw_from;
    }
    *raw_to++ = *raw_from;
  }
  return NULL;
}

const char *tacit_fields_split(tacit_fields *fields, char *raw_begin, char *raw_end,
                               char delimiter, size_t most, int *out_memory) {
  fields->count = 0;
  *out_memory = 0;
  char *raw_at = raw_begin;
  for (;;) {
    while (raw_at < raw_end && is_blank(*raw_at, delimiter))
      ++raw_at;
    char *raw_first = raw_at, *raw_last;
    if (raw_at < raw_end && *raw_at == '"') {
      raw_first = ++raw_at;
      raw_last = unquote(&raw_at, raw_end);
      if (raw_last == NULL)
        return "a quote is not closed (a field cannot hold a line break)";
      while (raw_at < raw_end && is_blank(*raw_at, delimiter))
        ++raw_at;
      if (raw_at < raw_end && *raw_at != delimiter)
        return "text after a closing quote; write a quote inside quotes twice";
    } else {
      raw_last = NULL;
      if (raw_at < raw_end)
        raw_last = memchr(raw_at, delimiter, (size_t)(raw_end - raw_at));
      if (raw_last == NULL) raw_last = raw_end;
      raw_at = raw_last;
      while (raw_last > raw_first && is_blank(raw_last[-1], delimiter))
        --raw_last;
    }
    if (!append(fields, raw_first, raw_last)) {
      *out_memory = 1;
      return "out of memory";
    }
    if (raw_at == raw_end || fields->count > most) return NULL;
    ++raw_at;
  }
}
