/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FORMAT_H
#define TACIT_DATA_TEXT_FORMAT_H

#include <locale.h>

#include "data/batch/rows.h"
#include "data/schema/schema.h"
#include "data/text/bulk.h"
#include "data/text/fields.h"
#include "data/text/lines.h"

/* What a parser works with. Each thread has its own; schema, name and layout are shared
   and only read. */
typedef struct tacit_parse {
  const tacit_schema *schema;
  int labels;         /* 1: a label is required and read */
  locale_t c_locale;  /* for numbers */
  const char *name;   /* of the file at hand, for messages; set by the reader */
  const void *layout; /* of the file at hand: what its header said; likewise */
  tacit_bulk_trust bulk;
  tacit_fields fields; /* scratch */
  unsigned char *scratch;
  size_t scratch_size;
} tacit_parse;

tacit_status tacit_parse_init(tacit_parse *parse, const tacit_schema *schema,
                              int labels, tacit_error *err);
/* Also for one that is all zeros, or whose init failed. */
void tacit_parse_fini(tacit_parse *parse);

/* Text at hand: whole lines, each ended by LF or CR LF, without NUL bytes; at least
   TACIT_TEXT_PADDING bytes behind end can be read. */
enum { TACIT_TEXT_PADDING = 64 };
typedef struct tacit_text {
  const char *at, *end;
  int64_t line; /* 1-based number of the line at at */
} tacit_text;

/* TACIT_EINVAL when the last line has no end: parsers would read on. */
tacit_status tacit_text_check(const tacit_text *text, tacit_error *err);
/* The line at hand without its end; there must be one. */
void tacit_text_line(const tacit_text *text, tacit_line *out);
/* Moves behind it. */
void tacit_text_pass(tacit_text *text, const tacit_line *line);

/* A text format: one record a line. What a line becomes depends on that line, the
   schema and the header of its file, on nothing else. */
struct tacit_format_ops {
  const char *name; /* required; the schema's kind: "csv" */
  /* Required. 1 when the line is a record (or the header): not blank, not a comment.
     Tells by its first character that is not a blank. */
  int (*is_record)(const tacit_schema *schema, const char *begin, const char *end);
  /* Optional; present: the first record of each file is a header. Checks it against the
     schema; *out belongs to the caller, who frees it with layout_free. */
  tacit_status (*header)(tacit_parse *parse, const tacit_line *line, void **out,
                         tacit_error *err);
  void (*layout_free)(void *layout); /* with header; NULL-safe */
  /* Required. Takes records until `most` of them are in, the rows are full
     (tacit_rows_full) or the text is at its end, and moves `text` behind the lines
     taken; lines that are no records, before and after, are passed over and counted in
     text->line. *out_rows counts the records taken. Never writes to the text, which
     other threads may be reading. A fault is TACIT_EDATA with file, line, column and
     rule, and no value of the record; what is in `text` and `rows` is then of no use.
   */
  tacit_status (*parse)(tacit_parse *parse, tacit_text *text, int64_t max,
                        tacit_rows *rows, int64_t *out_rows, tacit_error *err);
};

extern const struct tacit_format_ops tacit_format_libsvm;
extern const struct tacit_format_ops tacit_format_csv;

/* The format of files with this schema; NULL when it is not for files. */
const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema);

#endif
