/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FORMAT_H
#define TACIT_DATA_TEXT_FORMAT_H

#include <locale.h>

#include "batch/rows.h"
#include "data/schema/cell.h"
#include "data/text/fields.h"
#include "data/text/lines.h"
#include "data/text/simd.h"

/* The state of a parser. Each thread has its own; schema, name and layout are shared
   and only read. */
typedef struct tacit_parse {
  const tacit_schema *schema;
  int labels;              /* 1: a label is required and read */
  int ignores_extra;       /* 1: a header may have columns that are not declared */
  const char *const *keep; /* names of columns whose text is kept; for headers only */
  size_t n_keep;
  locale_t c_locale;  /* for numbers */
  const char *name;   /* of the current file, for messages; set by the reader */
  const void *layout; /* of the current file: what its header says; set by the reader */
  int simd; /* 1: by the SIMD parser where that is possible */
  tacit_stops stops;
  double *numbers; /* scratch of the SIMD parser: numbers of some lines */
  uint32_t *spans; /* where they begin, and their sizes */
  size_t n_numbers;
  tacit_fields fields;  /* scratch */
  tacit_cell_work work; /* likewise */
} tacit_parse;

tacit_status tacit_parse_init(tacit_parse *parse, const tacit_schema *schema,
                              int labels, tacit_error *err);
/* Also for a zeroed parser, or one whose init failed. */
void tacit_parse_fini(tacit_parse *parse);

/* Text to parse: whole lines, each ended by LF or CR LF, without NUL bytes. At least
   TACIT_TEXT_PADDING bytes after `end` must be readable. */
enum { TACIT_TEXT_PADDING = 64 };
typedef struct tacit_text {
  const char *at, *end;
  int64_t line; /* number of the line at `at`, from 1 */
} tacit_text;

/* TACIT_EINVAL if the last line has no end: parsers would read past it. */
tacit_status tacit_text_check(const tacit_text *text, tacit_error *err);
/* The line at text->at without its end. The text must not be empty. `quotes`: 1 if line
   breaks between quotes do not end it. */
void tacit_text_line(const tacit_text *text, int quotes, tacit_line *out);
/* Moves past the line. */
void tacit_text_pass(tacit_text *text, const tacit_line *line);

/* A text format: one record per line. What a line becomes depends only on the line, the
   schema and the header of its file. */
struct tacit_format_ops {
  const char *name; /* required; the schema's kind: "csv" */
  /* Required. 1 if the line is a record or the header, not blank and not a comment.
     Looks only at the first character that is not a blank. */
  int (*is_record)(const tacit_schema *schema, const char *begin, const char *end);
  /* Optional. If present, the first record of each file is a header. Checks it against
     the schema. The caller owns *out and frees it with layout_free. */
  tacit_status (*header)(tacit_parse *parse, const tacit_line *line, void **out,
                         tacit_error *err);
  void (*layout_free)(void *layout); /* with header; NULL-safe */
  /* Required. Parses records into the rows until there are `max` of them, the rows are
     full (tacit_rows_full) or the text ends. Moves `text` past the lines taken. Lines
     that are not records are skipped, before and after, and counted in text->line.
     *out_rows is the number of records taken. Never writes to the text, which other
     threads may be reading. A fault is TACIT_EDATA with file, line, column and rule,
     but no value of the record; `text` and `rows` are then undefined. */
  tacit_status (*parse)(tacit_parse *parse, tacit_text *text, int64_t max,
                        tacit_rows *rows, int64_t *out_rows, tacit_error *err);
};

extern const struct tacit_format_ops tacit_format_libsvm;
extern const struct tacit_format_ops tacit_format_csv;

/* The format of files with this schema; NULL if the schema is not for text files. */
const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema);

#endif
