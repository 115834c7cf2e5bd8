/* SPDX-License-Identifier: MIT */
/* LIBSVM text: `label index:value ...`, indices from 1 and strictly ascending, `#`
   starts a comment. An index is part of the record (it may say what somebody has), so
   messages give the number of the entry in its line instead.

   A line is first read in one go (quick_line), entries straight into the arrays of the
   batch. Where anything is out of the ordinary - a fault, a comment, no room - that is
   given up and the line read again token by token (careful_line), which knows all rules
   and all messages. Both give the same rows. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/text/format.h"
#include "data/text/number.h"

/* Characters of the text up to a comment. */
static const char *text_end(const char *raw_begin, const char *raw_end) {
  const char *raw_comment = memchr(raw_begin, '#', (size_t)(raw_end - raw_begin));
  return raw_comment != NULL ? raw_comment : raw_end;
}

static const char *skip_blanks(const char *raw_at, const char *raw_end) {
  while (raw_at < raw_end && (*raw_at == ' ' || *raw_at == '\t'))
    ++raw_at;
  return raw_at;
}

static const char *token_end(const char *raw_at, const char *raw_end) {
  while (raw_at < raw_end && *raw_at != ' ' && *raw_at != '\t')
    ++raw_at;
  return raw_at;
}

/* What may stand behind a value. */
static int is_gap(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static int is_end(const char *raw_at) {
  return *raw_at == '\n' || (*raw_at == '\r' && raw_at[1] == '\n');
}

static int libsvm_is_record(const tacit_schema *schema, const char *raw_begin,
                            const char *raw_end) {
  (void)schema;
  raw_begin = skip_blanks(raw_begin, raw_end);
  return raw_begin < raw_end && *raw_begin != '#';
}

/* What a label that was read becomes; 0: it is not declared. */
static int accept_label(const tacit_schema *schema, double raw_label, double *raw_out) {
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    *raw_out = raw_label;
    return 1;
  }
  if (schema->n_classes > 2) {
    *raw_out = fabs(raw_label); /* -0 is 0 */
    return raw_label >= 0 && raw_label < (double)schema->n_classes &&
           raw_label == floor(raw_label);
  }
  /* No branch: which class comes next is hard to foresee. */
  *raw_out = 2 * (raw_label > 0) - 1;
  return (raw_label == 1) | (raw_label == 0) | (raw_label == -1);
}

static tacit_status parse_label(const tacit_parse *parse, const tacit_line *line,
                                const char *raw_begin, const char *raw_end,
                                double *raw_out, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  if (memchr(raw_begin, ':', (size_t)(raw_end - raw_begin)) != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64
                      ": no label; a row is `label index:value ...`",
                      parse->name, line->number);
  double raw_label;
  if (tacit_number_parse(raw_begin, raw_end, parse->c_locale, &raw_label) &&
      accept_label(schema, raw_label, raw_out))
    return TACIT_OK;
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

/* An index, or why it is none. Saturates: what does not fit is out of range anyway. */
static const char *parse_index(const char *raw_at, const char *raw_colon,
                               size_t *raw_out) {
  if (raw_at == raw_colon) return "index is missing before ':'";
  size_t raw_index = 0;
  for (; raw_at < raw_colon; ++raw_at) {
    if (*raw_at < '0' || *raw_at > '9') return "index is not a whole number";
    if (raw_index <= TACIT_FEATURES_MAX)
      raw_index = 10 * raw_index + (size_t)(*raw_at - '0');
  }
  if (raw_index == 0) return "index below the first: indices start at 1";
  *raw_out = raw_index;
  return NULL;
}

/* One `index:value`; *raw_previous is the last index (0: none). Returns the rule that
   is broken, or NULL. */
static const char *parse_entry(const tacit_parse *parse, const char *raw_begin,
                               const char *raw_end, size_t *raw_previous,
                               double *raw_value) {
  const char *raw_colon = memchr(raw_begin, ':', (size_t)(raw_end - raw_begin));
  if (raw_colon == NULL) return "no ':'; an entry is `index:value`";
  size_t raw_index;
  const char *fault = parse_index(raw_begin, raw_colon, &raw_index);
  if (fault != NULL) return fault;
  if (raw_index > parse->schema->features) return ""; /* needs a number in its text */
  if (raw_index == *raw_previous)
    return "the same index twice; drop one of the entries";
  if (raw_index < *raw_previous)
    return "indices descend; sort the entries of each row by index";
  if (raw_colon + 1 == raw_end) return "value is missing after ':'";
  if (!tacit_number_parse(raw_colon + 1, raw_end, parse->c_locale, raw_value))
    return "value is not a finite number";
  *raw_previous = raw_index;
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

static tacit_status careful_line(tacit_parse *parse, const tacit_line *line,
                                 tacit_rows *rows, tacit_error *err) {
  const char *raw_end = text_end(line->raw_begin, line->raw_end);
  const char *raw_at = skip_blanks(line->raw_begin, raw_end);
  const char *raw_stop = token_end(raw_at, raw_end);
  double raw_label = 0;
  if (parse->labels) {
    TACIT_TRY(parse_label(parse, line, raw_at, raw_stop, &raw_label, err));
    raw_at = skip_blanks(raw_stop, raw_end);
  } else if (memchr(raw_at, ':', (size_t)(raw_stop - raw_at)) == NULL) {
    raw_at = skip_blanks(raw_stop, raw_end); /* a label that nobody asked for */
  }
  size_t raw_index = 0;
  for (size_t entry = 1; raw_at < raw_end; ++entry) {
    raw_stop = token_end(raw_at, raw_end);
    double raw_value = 0;
    const char *fault = parse_entry(parse, raw_at, raw_stop, &raw_index, &raw_value);
    if (fault != NULL) return fail_entry(parse, line, entry, fault, err);
    TACIT_TRY(tacit_rows_push(rows, raw_index - 1, raw_value, err));
    raw_at = skip_blanks(raw_stop, raw_end);
  }
  tacit_rows_end(rows, raw_label);
  return TACIT_OK;
}

static const char *quick_number(const tacit_parse *parse, const char *raw_at,
                                double *raw_out) {
  const char *raw_stop = tacit_number_quick(raw_at, raw_out);
  return raw_stop != NULL ? raw_stop
                          : tacit_number_take(raw_at, parse->c_locale, raw_out);
}

/* The label, up to the blank or the end of the line behind it. */
static const char *quick_label(const tacit_parse *parse, const char *raw_at,
                               double *raw_out) {
  double raw_label;
  int plus = (*raw_at == '+') & (raw_at[1] >= '0') & (raw_at[1] <= '9');
  const char *raw_stop = quick_number(parse, raw_at + plus, &raw_label);
  if (raw_stop == NULL) return NULL;
  if (parse->labels) {
    if (!accept_label(parse->schema, raw_label, raw_out)) return NULL;
  } else if (*raw_stop == ':') {
    return raw_at; /* an entry: there is no label, and none is wanted */
  }
  return is_gap(*raw_stop) ? raw_stop : NULL;
}

/* An index of up to ten digits; NULL: something else. */
static const char *quick_index(const char *raw_at, uint64_t *raw_out) {
  uint64_t raw_index = tacit_digits_eight(tacit_chars(raw_at));
  const char *raw_stop = raw_at + 8;
  for (; *raw_stop >= '0' && *raw_stop <= '9' && raw_stop < raw_at + 10; ++raw_stop)
    raw_index = 10 * raw_index + (uint64_t)(*raw_stop - '0');
  *raw_out = raw_index;
  return raw_stop;
}

/* What ends no entry: blanks, and CR before the end of the line. */
static const char *pass_gap(const char *raw_at) {
  if (!is_gap(*raw_at) || (*raw_at == '\r' && raw_at[1] != '\n')) return NULL;
  return raw_at + 1;
}

/* The entry at hand; 0: something else. *raw_next is where another may begin. */
static inline int quick_entry(const tacit_parse *parse, const char *raw_at,
                              uint64_t *raw_index, double *raw_value,
                              const char **raw_next) {
  const uint64_t digit_gap = (uint64_t)' ' << 16 | ':';
  uint64_t raw_word = tacit_chars(raw_at), raw_stops = tacit_no_digits(raw_word);
  unsigned count = raw_stops != 0 ? tacit_chars_before(raw_stops) : 8;
  uint64_t raw_rest = count < 6 ? raw_word >> 8 * count : 0;
  if (count == 0) return 0;
  if ((raw_rest & 0xff00ff) == digit_gap && (raw_rest >> 8 & 0xff) - '0' < 10) {
    /* one digit and a blank: all there is in rows of zeros and ones */
    *raw_index = tacit_digits_value(raw_word, count);
    *raw_value = (double)(int64_t)((raw_rest >> 8 & 0xff) - '0');
    *raw_next = raw_at + count + 3;
    return 1;
  }
  const char *raw_gap = tacit_ahead_blank(raw_at), *raw_stop = raw_at + count;
  if (count < 8)
    *raw_index = tacit_digits_value(raw_word, count);
  else
    raw_stop = quick_index(raw_at, raw_index);
  if (*raw_stop != ':') return 0;
  raw_stop = quick_number(parse, raw_stop + 1, raw_value);
  if (raw_gap == raw_at + TACIT_AHEAD) raw_gap = raw_stop;
  if (raw_stop == NULL || raw_gap != raw_stop) return 0;
  if (*raw_gap == ' ') {
    *raw_next = raw_gap + 1;
    return 1;
  }
  *raw_next = raw_gap;
  return is_gap(*raw_gap);
}

/* The entries of a line, straight into the arrays. Returns where the next line begins;
   NULL: read this one with care. */
static const char *quick_entries(tacit_parse *parse, const char *raw_at,
                                 tacit_rows *rows) {
  size_t features = parse->schema->features;
  size_t raw_count = rows->n_entries, limit = rows->entry_capacity;
  uint64_t raw_previous = 0;
  int64_t raw_credit = tacit_bulk_begin(&parse->bulk);
  while (*raw_at != '\n') {
    uint64_t raw_index;
    double raw_value;
    if (*raw_at < '0') {
      raw_at = pass_gap(raw_at);
      if (raw_at == NULL) return NULL;
      continue;
    }
    if (raw_credit >= 0) {
      tacit_bulk bulk = {raw_at, raw_count, (uint32_t)raw_previous};
      tacit_bulk_libsvm(&bulk, features, rows);
      raw_credit += tacit_bulk_gain(&bulk, raw_at);
      raw_at = bulk.raw_at;
      raw_count = bulk.raw_count;
      raw_previous = bulk.raw_previous;
      if (*raw_at < '0') continue;
    }
    if (!quick_entry(parse, raw_at, &raw_index, &raw_value, &raw_at) ||
        raw_index <= raw_previous || raw_index > features || raw_count == limit)
      return NULL;
    raw_previous = raw_index;
    raw_count = tacit_rows_put(rows, raw_count, raw_index - 1, raw_value);
  }
  tacit_bulk_end(raw_credit, &parse->bulk);
  rows->n_entries = raw_count;
  return raw_at + 1;
}

/* One record into the rows; NULL: nothing was added, read it with care. */
static const char *quick_line(tacit_parse *parse, const char *raw_at,
                              tacit_rows *rows) {
  double raw_label = 0;
  raw_at = quick_label(parse, raw_at, &raw_label);
  if (raw_at != NULL) raw_at = quick_entries(parse, raw_at, rows);
  if (raw_at != NULL) tacit_rows_end(rows, raw_label);
  return raw_at;
}

static tacit_status libsvm_parse(tacit_parse *parse, tacit_text *text, int64_t max,
                                 tacit_rows *rows, int64_t *out_rows,
                                 tacit_error *err) {
  int64_t taken = 0;
  TACIT_TRY(tacit_text_check(text, err));
  while (text->raw_at < text->raw_end) {
    const char *raw_at = skip_blanks(text->raw_at, text->raw_end);
    tacit_line line;
    if (is_end(raw_at) || *raw_at == '#') {
      tacit_text_line(text, &line);
      tacit_text_pass(text, &line);
      continue;
    }
    if (taken == max || tacit_rows_full(rows)) break;
    ++taken;
    raw_at = quick_line(parse, raw_at, rows);
    if (raw_at != NULL) {
      text->raw_at = raw_at;
      ++text->line;
    } else {
      tacit_text_line(text, &line);
      TACIT_TRY(careful_line(parse, &line, rows, err));
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
