/* SPDX-License-Identifier: MIT */
/* LIBSVM text: `label index:value ...`, with indices from 1 that strictly ascend; `#`
   starts a comment. An index is part of the record, because it may say what somebody
   has, so messages give the number of the entry in its line instead. The fast parser
   (fast_line) first reads a line in one pass, entries directly into the arrays of the
   batch. If it meets anything unusual (a fault, a comment, no room), it gives up, and
   the strict parser (strict_line) reads the line again token by token. The strict
   parser knows all rules and messages. Both give equal rows. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/text/format.h"
#include "data/text/number.h"

/* Returns the end of the text before a comment. */
static const char *text_end(const char *begin, const char *end) {
  const char *comment = memchr(begin, '#', (size_t)(end - begin));
  return comment != NULL ? comment : end;
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t'))
    ++at;
  return at;
}

static const char *token_end(const char *at, const char *end) {
  while (at < end && *at != ' ' && *at != '\t')
    ++at;
  return at;
}

/* Returns 1 for characters that may follow a value. */
static int is_gap(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static int is_end(const char *at) {
  return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

static int libsvm_is_record(const tacit_schema *schema, const char *begin,
                            const char *end) {
  (void)schema;
  begin = skip_blanks(begin, end);
  return begin < end && *begin != '#';
}

/* Converts a label to what a batch has. Returns 0 if the class is not declared. */
static int accept_label(const tacit_schema *schema, double label, double *out) {
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    *out = label;
    return 1;
  }
  if (schema->n_classes > 2) {
    *out = fabs(label); /* turns -0 into 0 */
    return label >= 0 && label < (double)schema->n_classes && label == floor(label);
  }
  /* no branch on the class, because it is hard to predict */
  *out = 2 * (label > 0) - 1;
  return (label == 1) | (label == 0) | (label == -1);
}

/* Returns 1 if the line has fields between commas or semicolons, and no entry. */
static int looks_like_csv(const tacit_line *line) {
  size_t size = (size_t)(line->end - line->begin);
  return memchr(line->begin, ':', size) == NULL &&
         (memchr(line->begin, ',', size) != NULL ||
          memchr(line->begin, ';', size) != NULL);
}

static tacit_status parse_label(const tacit_parse *parse, const tacit_line *line,
                                const char *begin, const char *end, double *out,
                                tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  if (memchr(begin, ':', (size_t)(end - begin)) != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64
                      ": no label; a row is `label index:value ...`",
                      parse->name, line->number);
  double label;
  if (tacit_number_parse(begin, end, parse->c_locale, &label) &&
      accept_label(schema, label, out))
    return TACIT_OK;
  if (looks_like_csv(line))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": not a row of a LIBSVM file (`label "
                      "index:value ...`); if it is a CSV file, give --schema in place "
                      "of --features (\"tacit schema\" writes a template)",
                      parse->name, line->number);
  if (schema->label_kind == TACIT_LABEL_NUMBER)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": label is not a finite number", parse->name,
                      line->number);
  if (schema->n_classes > 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": label is not a declared class (0 to %zu)",
                      parse->name, line->number, schema->n_classes - 1);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: line %" PRId64
                    ": label is not a declared class (0/1 or -1/+1); for more "
                    "classes give --classes, for numbers --labels",
                    parse->name, line->number);
}

/* Parses an index. Returns NULL, or what is wrong with it. Large numbers saturate,
   because they are out of range anyway. */
static const char *parse_index(const char *at, const char *colon, size_t *out) {
  if (at == colon) return "index is missing before ':'";
  size_t index = 0;
  for (; at < colon; ++at) {
    if (*at < '0' || *at > '9') return "index is not a whole number";
    if (index <= TACIT_FEATURES_MAX) index = 10 * index + (size_t)(*at - '0');
  }
  if (index == 0) return "index below the first: indices start at 1";
  *out = index;
  return NULL;
}

/* Parses one `index:value`. *previous is the index before it, or 0 at the first entry.
   Returns the rule that is broken, or NULL. */
static const char *parse_entry(const tacit_parse *parse, const char *begin,
                               const char *end, size_t *previous, double *value) {
  const char *colon = memchr(begin, ':', (size_t)(end - begin));
  if (colon == NULL) return "no ':'; an entry is `index:value`";
  size_t index;
  const char *fault = parse_index(begin, colon, &index);
  if (fault != NULL) return fault;
  if (index > parse->schema->features) return ""; /* the message has a number in it */
  if (index == *previous) return "the same index twice; drop one of the entries";
  if (index < *previous)
    return "indices descend; sort the entries of each row by index";
  if (colon + 1 == end) return "value is missing after ':'";
  if (!tacit_number_parse(colon + 1, end, parse->c_locale, value))
    return "value is not a finite number";
  *previous = index;
  return NULL;
}

static tacit_status fail_entry(const tacit_parse *parse, const tacit_line *line,
                               size_t entry, const char *fault, tacit_error *err) {
  if (*fault != '\0')
    return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", entry %zu: %s",
                      parse->name, line->number, entry, fault);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: line %" PRId64 ", entry %zu: index out of range: the features "
                    "are 1 to %zu (--features)",
                    parse->name, line->number, entry, parse->schema->features);
}

static tacit_status strict_line(tacit_parse *parse, const tacit_line *line,
                                tacit_rows *rows, tacit_error *err) {
  const char *end = text_end(line->begin, line->end);
  const char *at = skip_blanks(line->begin, end);
  const char *stop = token_end(at, end);
  double label = 0;
  if (parse->labels) {
    TACIT_TRY(parse_label(parse, line, at, stop, &label, err));
    at = skip_blanks(stop, end);
  } else if (memchr(at, ':', (size_t)(stop - at)) == NULL) {
    at = skip_blanks(stop, end); /* a label that is not wanted */
  }
  size_t index = 0;
  for (size_t entry = 1; at < end; ++entry) {
    stop = token_end(at, end);
    double value = 0;
    const char *fault = parse_entry(parse, at, stop, &index, &value);
    if (fault != NULL) return fail_entry(parse, line, entry, fault, err);
    TACIT_TRY(tacit_rows_push(rows, index - 1, value, err));
    at = skip_blanks(stop, end);
  }
  tacit_rows_end(rows, label);
  return TACIT_OK;
}

static const char *fast_number(const tacit_parse *parse, const char *at, double *out) {
  const char *stop = tacit_number_fast(at, out);
  return stop != NULL ? stop : tacit_number_take(at, parse->c_locale, out);
}

/* Parses the label up to the blank or line end after it. Returns NULL for anything
   unusual. */
static const char *fast_label(const tacit_parse *parse, const char *at, double *out) {
  double label;
  const char *digit = at + ((*at == '+') | (*at == '-'));
  if (parse->labels && parse->schema->label_kind != TACIT_LABEL_NUMBER &&
      parse->schema->n_classes <= 2 && (unsigned char)(*digit - '0') <= 1 &&
      is_gap(digit[1])) { /* most labels are such a digit; accept_label would give equal
                             results */
    *out = 2 * ((*digit == '1') & (*at != '-')) - 1;
    return digit + 1;
  }
  int plus = (*at == '+') & (at[1] >= '0') & (at[1] <= '9');
  const char *stop = fast_number(parse, at + plus, &label);
  if (stop == NULL) return NULL;
  if (parse->labels) {
    if (!accept_label(parse->schema, label, out)) return NULL;
  } else if (*stop == ':') {
    return at; /* an entry: the line has no label, and the caller wants none */
  }
  return is_gap(*stop) ? stop : NULL;
}

/* Parses an index of eight to ten digits. Returns the character after it. */
static const char *fast_index(const char *at, uint64_t *out) {
  uint64_t index = tacit_digits_eight(tacit_chars(at));
  const char *stop = at + 8;
  for (; *stop >= '0' && *stop <= '9' && stop < at + 10; ++stop)
    index = 10 * index + (uint64_t)(*stop - '0');
  *out = index;
  return stop;
}

/* Skips a blank, or a CR before the end of the line. Returns NULL if something else is
   there. */
static const char *pass_gap(const char *at) {
  if (!is_gap(*at) || (*at == '\r' && at[1] != '\n')) return NULL;
  return at + 1;
}

/* Parses one entry. *next becomes the place where another entry may begin. Returns 0 if
   the entry is not a simple one. */
static inline int fast_entry(const tacit_parse *parse, const char *at, uint64_t *index,
                             double *value, const char **next) {
  const uint64_t digit_gap = (uint64_t)' ' << 16 | ':';
  uint64_t word = tacit_chars(at), stops = tacit_no_digits(word);
  unsigned count = stops != 0 ? tacit_chars_before(stops) : 8;
  uint64_t rest = count < 6 ? word >> 8 * count : 0;
  if (count == 0) return 0;
  if ((rest & 0xff00ff) == digit_gap && (rest >> 8 & 0xff) - '0' < 10) {
    /* The value is one digit, as usual in rows of zeros and ones. */
    *index = tacit_digits_value(word, count);
    *value = (double)(int64_t)((rest >> 8 & 0xff) - '0');
    *next = at + count + 3;
    return 1;
  }
  const char *gap = tacit_ahead_blank(at), *stop = at + count;
  if (count < 8)
    *index = tacit_digits_value(word, count);
  else
    stop = fast_index(at, index);
  if (*stop != ':') return 0;
  stop = fast_number(parse, stop + 1, value);
  if (gap == at + TACIT_AHEAD) gap = stop;
  if (stop == NULL || gap != stop) return 0;
  if (*gap == ' ') {
    *next = gap + 1;
    return 1;
  }
  *next = gap;
  return is_gap(*gap);
}

/* Parses the entries of a line directly into the arrays. Returns where the next line
   begins, or NULL if the strict parser must read the line. */
static const char *fast_entries(tacit_parse *parse, const char *at, tacit_rows *rows) {
  size_t features = parse->schema->features;
  size_t count = rows->n_entries, limit = rows->entry_capacity;
  uint64_t previous = 0;
  while (*at != '\n') {
    uint64_t index;
    double value;
    if (*at < '0') {
      at = pass_gap(at);
      if (at == NULL) return NULL;
      continue;
    }
    if (!fast_entry(parse, at, &index, &value, &at) || index <= previous ||
        index > features || count == limit)
      return NULL;
    previous = index;
    count = tacit_rows_put(rows, count, index - 1, value);
  }
  rows->n_entries = count;
  return at + 1;
}

/* Parses the entries after the label of the line at text->at by the SIMD parser.
   Returns where the next line begins, or NULL if another parser must read the line. */
static const char *simd_entries(tacit_parse *parse, const tacit_text *text,
                                const char *label_end, tacit_rows *rows) {
  tacit_stops_line line;
  if (!parse->simd || *label_end != ' ' ||
      !tacit_stops_next(&parse->stops, tacit_simd_find_entries, text->at, text->end, 0,
                        &line) ||
      line.base + line.after[0] != label_end + 1)
    return NULL;
  return tacit_simd_libsvm(parse, &line, rows);
}

/* Parses one record into the rows. Returns where the next line begins. Returns NULL and
   adds nothing if the strict parser must read the line. */
static const char *fast_line(tacit_parse *parse, const tacit_text *text, const char *at,
                             tacit_rows *rows) {
  double label = 0;
  const char *next = NULL;
  at = fast_label(parse, at, &label);
  if (at != NULL) next = simd_entries(parse, text, at, rows);
  if (at != NULL && next == NULL) next = fast_entries(parse, at, rows);
  if (next != NULL) tacit_rows_end(rows, label);
  return next;
}

/* Parses records of a text into the rows, each by the fastest parser that can read
   it. */
static tacit_status libsvm_parse(tacit_parse *parse, tacit_text *text, int64_t max,
                                 tacit_rows *rows, int64_t *out_rows,
                                 tacit_error *err) {
  int64_t taken = 0;
  TACIT_TRY(tacit_text_check(text, err));
  tacit_stops_forget(&parse->stops);
  while (text->at < text->end) {
    const char *at = skip_blanks(text->at, text->end);
    tacit_line line;
    if (is_end(at) || *at == '#') {
      tacit_text_line(text, 0, &line);
      tacit_text_pass(text, &line);
      continue;
    }
    if (taken == max || tacit_rows_full(rows)) break;
    ++taken;
    at = fast_line(parse, text, at, rows);
    if (at != NULL) {
      text->at = at;
      ++text->line;
    } else {
      tacit_text_line(text, 0, &line);
      TACIT_TRY(strict_line(parse, &line, rows, err));
      tacit_text_pass(text, &line);
    }
  }
  *out_rows = taken;
  return TACIT_OK;
}

const struct tacit_format_ops tacit_format_libsvm = {
    .name = "libsvm",
    .is_record = libsvm_is_record,
    .parse = libsvm_parse,
};
