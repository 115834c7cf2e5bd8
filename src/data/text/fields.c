/* SPDX-License-Identifier: MIT */
/* Splits a CSV line into fields: delimiters, quotes, doubled quotes. Blanks around a
   field do not belong to it unless they are quoted. */
#include "data/text/fields.h"

#include <string.h>

#include "base/memory.h"

void tacit_fields_fini(tacit_fields *fields) {
  TACIT_RAW_FREE(fields->fields, fields->unquoted);
  memset(fields, 0, sizeof *fields);
}

static int append(tacit_fields *fields, const char *begin, const char *end) {
  if (!tacit_raw_reserve(&fields->fields, &fields->capacity, fields->count + 1,
                         sizeof *fields->fields))
    return 0;
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
  const char *begin, *end; /* its text between the quotes */
  size_t n_doubled;
};

/* Finds the closing quote; `at` must be after the opening one. Returns where the text
   continues after the closing quote, or NULL if there is no such quote. */
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

/* Reads a quoted field up to the delimiter or the end; `at` must be after the opening
   quote. Returns NULL and sets *fault on a fault. */
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
    /* room for the whole line, because fields must not move while it is split */
    if (*used == 0 && !tacit_raw_reserve(&fields->unquoted, &fields->unquoted_size,
                                         (size_t)(end - begin), 1))
      return NULL;
    char *to = fields->unquoted + *used;
    undouble(&quoted, to);
    *used += size;
    return append(fields, to, to + size) ? at : NULL;
  }
  return append(fields, quoted.begin, quoted.end) ? at : NULL;
}

/* Reads a field without quotes up to the delimiter. Returns NULL and sets *fault on a
   fault. */
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
    if (at < end && *at == '"')
      at = take_quoted(fields, at + 1, end, delimiter, &used, &fault);
    else
      at = take_plain(fields, at, end, delimiter, &fault);
    if (at == NULL) {
      *out_memory = fault[0] == 'o';
      return fault;
    }
    if (at == end || fields->count > max) return NULL;
    ++at;
  }
}
