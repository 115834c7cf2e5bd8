/* SPDX-License-Identifier: MIT */
/* Fields of a CSV line: delimiters, quotes, doubled quotes. Blanks around a field are
   not part of it unless they are quoted. */
#include "data/text/fields.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_FIELDS = 32 };

void tacit_fields_fini(tacit_fields *fields) {
  tacit_raw_free(fields->fields);
  tacit_raw_free(fields->unquoted);
  memset(fields, 0, sizeof *fields);
}

static int append(tacit_fields *fields, const char *begin, const char *end) {
  if (fields->count == fields->capacity) {
    size_t capacity = fields->capacity > 0 ? 2 * fields->capacity : FIRST_FIELDS;
    tacit_field *larger = tacit_raw_grow(fields->fields, capacity, sizeof *larger);
    if (larger == NULL) return 0;
    fields->fields = larger;
    fields->capacity = capacity;
  }
  fields->fields[fields->count].begin = begin;
  fields->fields[fields->count].size = (size_t)(end - begin);
  ++fields->count;
  return 1;
}

static int is_blank(char c, char delimiter) {
  return (c == ' ' || c == '\t') && c != delimiter;
}

/* A quoted field that is being read. */
struct quoted {
  const char *begin, *end; /* between its quotes */
  size_t n_doubled;
};

/* Reads from after the opening quote. Returns where the text continues after the
   closing quote, or NULL. */
static const char *find_quote(const char *at, const char *end, struct quoted *out) {
  out->begin = at;
  out->n_doubled = 0;
  for (; at < end; ++at) {
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') {
      out->end = at;
      return at + 1;
    }
    ++out->n_doubled;
    ++at;
  }
  return NULL;
}

/* Makes room for a whole line at once, because fields must not move while the line is
   split. */
static int make_room(tacit_fields *fields, size_t size) {
  if (size <= fields->unquoted_size) return 1;
  char *larger = tacit_raw_grow(fields->unquoted, 2 * size, 1);
  if (larger == NULL) return 0;
  fields->unquoted = larger;
  fields->unquoted_size = 2 * size;
  return 1;
}

static void undouble(const struct quoted *quoted, char *to) {
  for (const char *at = quoted->begin; at < quoted->end; ++at) {
    *to++ = *at;
    if (*at == '"') ++at;
  }
}

static const char *skip_blanks(const char *at, const char *end, char delimiter) {
  while (at < end && is_blank(*at, delimiter))
    ++at;
  return at;
}

/* Reads from after the opening quote to the delimiter or the end. NULL: *fault is
   set. */
static const char *take_quoted(tacit_fields *fields, const char *at, const char *end,
                               char delimiter, size_t *used, const char **fault) {
  struct quoted quoted;
  const char *begin = at;
  at = find_quote(at, end, &quoted);
  if (at == NULL) {
    *fault = fields->line_breaks
                 ? "a quote is not closed"
                 : "a quote is not closed (a field with line breaks needs "
                   "\"quoted_newlines\": true in the schema)";
    return NULL;
  }
  at = skip_blanks(at, end, delimiter);
  if (at < end && *at != delimiter) {
    *fault = "text after a closing quote; write a quote inside quotes twice";
    return NULL;
  }
  *fault = "out of memory";
  if (quoted.n_doubled > 0) {
    size_t size = (size_t)(quoted.end - quoted.begin) - quoted.n_doubled;
    if (*used == 0 && !make_room(fields, (size_t)(end - begin))) return NULL;
    char *to = fields->unquoted + *used;
    undouble(&quoted, to);
    *used += size;
    return append(fields, to, to + size) ? at : NULL;
  }
  return append(fields, quoted.begin, quoted.end) ? at : NULL;
}

/* Reads from the first character to the delimiter. NULL: *fault is set. */
static const char *take_plain(tacit_fields *fields, const char *at, const char *end,
                              char delimiter, const char **fault) {
  const char *stop = NULL;
  if (at < end) stop = memchr(at, delimiter, (size_t)(end - at));
  if (stop == NULL) stop = end;
  if (fields->line_breaks && stop > at && memchr(at, '"', (size_t)(stop - at))) {
    *fault = "a quote in a field without quotes; quote the field and double the quote";
    return NULL;
  }
  const char *last = stop;
  while (last > at && is_blank(last[-1], delimiter))
    --last;
  return append(fields, at, last) ? stop : NULL;
}

const char *tacit_fields_split(tacit_fields *fields, const char *begin, const char *end,
                               char delimiter, size_t max, int *out_memory) {
  fields->count = 0;
  *out_memory = 0;
  size_t used = 0;
  const char *at = begin;
  for (;;) {
    const char *fault = "out of memory";
    at = skip_blanks(at, end, delimiter);
    if (at < end && *at == '"') {
      at = take_quoted(fields, at + 1, end, delimiter, &used, &fault);
    } else {
      at = take_plain(fields, at, end, delimiter, &fault);
    }
    if (at == NULL) {
      *out_memory = fault[0] == 'o';
      return fault;
    }
    if (at == end || fields->count > max) return NULL;
    ++at;
  }
}
