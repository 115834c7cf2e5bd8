/* SPDX-License-Identifier: MIT */
/* Fields of a CSV line: delimiters, quotes, doubled quotes. Blanks around a field are
   not part of it unless they are quoted; a line break inside quotes is not supported,
   because one line is one record. */
#include "data/text/fields.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_FIELDS = 32 };

void tacit_fields_fini(tacit_fields *fields) {
  tacit_raw_free(fields->raw_fields);
  tacit_raw_free(fields->raw_unquoted);
  memset(fields, 0, sizeof *fields);
}

static int append(tacit_fields *fields, const char *raw_begin, const char *raw_end) {
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

/* A quoted field as it is being read. */
struct quoted {
  const char *raw_begin, *raw_end; /* between its quotes */
  size_t n_doubled;
};

/* From behind the opening quote; returns where the text goes on behind the closing one,
   or NULL. */
static const char *find_quote(const char *raw_at, const char *raw_end,
                              struct quoted *out) {
  out->raw_begin = raw_at;
  out->n_doubled = 0;
  for (; raw_at < raw_end; ++raw_at) {
    if (*raw_at != '"') continue;
    if (raw_at + 1 == raw_end || raw_at[1] != '"') {
      out->raw_end = raw_at;
      return raw_at + 1;
    }
    ++out->n_doubled;
    ++raw_at;
  }
  return NULL;
}

/* Room for all that a line may become: what is there does not move while the line is
   split. */
static int make_room(tacit_fields *fields, size_t size) {
  if (size <= fields->unquoted_size) return 1;
  char *raw_larger = tacit_raw_grow(fields->raw_unquoted, 2 * size, 1);
  if (raw_larger == NULL) return 0;
  fields->raw_unquoted = raw_larger;
  fields->unquoted_size = 2 * size;
  return 1;
}

static void undouble(const struct quoted *quoted, char *raw_to) {
  for (const char *raw_at = quoted->raw_begin; raw_at < quoted->raw_end; ++raw_at) {
    *raw_to++ = *raw_at;
    if (*raw_at == '"') ++raw_at;
  }
}

static const char *skip_blanks(const char *raw_at, const char *raw_end,
                               char delimiter) {
  while (raw_at < raw_end && is_blank(*raw_at, delimiter))
    ++raw_at;
  return raw_at;
}

/* From behind the opening quote to the delimiter; NULL with *fault, or the end. */
static const char *take_quoted(tacit_fields *fields, const char *raw_at,
                               const char *raw_end, char delimiter, size_t *used,
                               const char **fault) {
  struct quoted quoted;
  const char *raw_begin = raw_at;
  raw_at = find_quote(raw_at, raw_end, &quoted);
  if (raw_at == NULL) {
    *fault = "a quote is not closed (a field cannot hold a line break)";
    return NULL;
  }
  raw_at = skip_blanks(raw_at, raw_end, delimiter);
  if (raw_at < raw_end && *raw_at != delimiter) {
    *fault = "text after a closing quote; write a quote inside quotes twice";
    return NULL;
  }
  *fault = "out of memory";
  if (quoted.n_doubled > 0) {
    size_t size = (size_t)(quoted.raw_end - quoted.raw_begin) - quoted.n_doubled;
    if (*used == 0 && !make_room(fields, (size_t)(raw_end - raw_begin))) return NULL;
    char *raw_to = fields->raw_unquoted + *used;
    undouble(&quoted, raw_to);
    *used += size;
    return append(fields, raw_to, raw_to + size) ? raw_at : NULL;
  }
  return append(fields, quoted.raw_begin, quoted.raw_end) ? raw_at : NULL;
}

/* From the first character to the delimiter; NULL: no memory. */
static const char *take_plain(tacit_fields *fields, const char *raw_at,
                              const char *raw_end, char delimiter) {
  const char *raw_stop = NULL;
  if (raw_at < raw_end)
    raw_stop = memchr(raw_at, delimiter, (size_t)(raw_end - raw_at));
  if (raw_stop == NULL) raw_stop = raw_end;
  const char *raw_last = raw_stop;
  while (raw_last > raw_at && is_blank(raw_last[-1], delimiter))
    --raw_last;
  return append(fields, raw_at, raw_last) ? raw_stop : NULL;
}

const char *tacit_fields_split(tacit_fields *fields, const char *raw_begin,
                               const char *raw_end, char delimiter, size_t max,
                               int *out_memory) {
  fields->count = 0;
  *out_memory = 0;
  size_t used = 0;
  const char *raw_at = raw_begin;
  for (;;) {
    const char *fault = "out of memory";
    raw_at = skip_blanks(raw_at, raw_end, delimiter);
    if (raw_at < raw_end && *raw_at == '"') {
      raw_at = take_quoted(fields, raw_at + 1, raw_end, delimiter, &used, &fault);
    } else {
      raw_at = take_plain(fields, raw_at, raw_end, delimiter);
    }
    if (raw_at == NULL) {
      *out_memory = fault[0] == 'o';
      return fault;
    }
    if (raw_at == raw_end || fields->count > max) return NULL;
    ++raw_at;
  }
}
