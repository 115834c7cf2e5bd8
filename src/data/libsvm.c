/* SPDX-License-Identifier: MIT */
/* LIBSVM text: `label index:value ...`, indices from 1 and strictly ascending, `#`
   starts a comment. An index is part of the record (it may say what somebody has), so
   messages give the number of the entry in its line instead. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/format.h"
#include "data/number.h"

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

static int libsvm_is_record(const tacit_schema *schema, const char *raw_begin,
                            const char *raw_end) {
  (void)schema;
  raw_begin = skip_blanks(raw_begin, raw_end);
  return raw_begin < raw_end && *raw_begin != '#';
}

static tacit_status parse_label(const tacit_parse *parse, const tacit_line *line,
                                const char *raw_begin, const char *raw_end,
                                double *raw_out, tacit_error *err) {
  if (memchr(raw_begin, ':', (size_t)(raw_end - raw_begin)) != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64
                      ": no label; a row is `label index:value ...`",
                      parse->name, line->number);
  double raw_label = NAN;
  int is_number = tacit_number_parse(raw_begin, raw_end, parse->c_locale, &raw_label);
  if (parse->schema->label_kind == TACIT_LABEL_NUMBER) {
    if (!is_number)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: line %" PRId64 ": label is not a finite number",
                        parse->name, line->number);
    *raw_out = raw_label;
    return TACIT_OK;
  }
  if (parse->schema->n_classes > 2) {
    size_t last = parse->schema->n_classes - 1;
    if (!is_number ||
        !(raw_label >= 0 && raw_label <= (double)last && raw_label == floor(raw_label)))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: line %" PRId64
                        ": label is not a declared class (0 to %zu)",
                        parse->name, line->number, last);
    *raw_out = fabs(raw_label); /* -0 is 0 */
    return TACIT_OK;
  }
  if (!is_number || !(raw_label == 1 || raw_label == 0 || raw_label == -1))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64
                      ": label is not a declared class (0/1 or -1/+1); for more "
                      "classes give --classes, for numbers --labels",
                      parse->name, line->number);
  *raw_out = raw_label > 0 ? 1 : -1;
  return TACIT_OK;
}

/* An index, or why it is none. Saturates: what does not fit is out of range anyway. */
static const char *parse_index(const char *raw_at, const char *raw_colon,
                               size_t *raw_out) {
  if (raw_at == raw_colon) return "index is missing before ':'";
  size_t raw_index = 0;
  for (; raw_at < raw_colon; ++raw_at) {
    if (*raw_at < '0' || *raw_at > '9') return "index is not a whole number";
    if (raw_index <= TACIT_FEATURES_MOST)
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

static tacit_status parse_line(tacit_parse *parse, const tacit_line *line,
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

static tacit_status libsvm_parse(tacit_parse *parse, tacit_text *text, int64_t most,
                                 tacit_rows *rows, int64_t *out_rows,
                                 tacit_error *err) {
  int64_t taken = 0;
  tacit_line line;
  while (tacit_text_line(text, &line)) {
    if (libsvm_is_record(parse->schema, line.raw_begin, line.raw_end)) {
      if (taken == most || tacit_rows_full(rows)) break;
      TACIT_TRY(parse_line(parse, &line, rows, err));
      ++taken;
    }
    tacit_text_pass(text, &line);
  }
  *out_rows = taken;
  return TACIT_OK;
}

const struct tacit_format_ops tacit_format_libsvm = {
    .name = "libsvm",
    .is_record = libsvm_is_record,
    .parse = libsvm_parse,
};
