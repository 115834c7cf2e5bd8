/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FORMAT_H
#define TACIT_DATA_TEXT_FORMAT_H

#include <locale.h>

#include "batch/rows.h"
#include "data/schema/cell.h"
#include "data/text/fields.h"
#include "data/text/lines.h"
#include "data/text/simd.h"

/* The state of a parser. Each thread has its own. The threads share schema, name and
   layout, and only read them. */
typedef struct tacit_parse {
  const tacit_schema *schema;
  int labels;              /* 1 if a label is required and read */
  int ignores_extra;       /* 1 if a header may have columns that are not declared */
  const char *const *keep; /* names of columns whose text is kept; for headers only */
  size_t n_keep;
  locale_t c_locale;  /* the "C" locale, for numbers */
  const char *name;   /* of the current file, for messages; set by the reader. NULL for
                         rows of tables, whose faults name the row, line->number */
  const void *layout; /* what the header of the current file says; set by the reader */
  int simd;           /* 1 if the SIMD parser reads what it can */
  tacit_stops stops;
  double *numbers; /* scratch of the SIMD parser: numbers of some lines */
  uint32_t *spans; /* where the numbers begin, and then their sizes */
  size_t n_numbers;
  tacit_fields fields;  /* scratch */
  tacit_cell_work work; /* scratch */
} tacit_parse;

tacit_status tacit_parse_init(tacit_parse *parse, const tacit_schema *schema,
                              int labels, tacit_error *err);
/* Frees the memory of a parser, also of a zeroed one or one whose init failed. */
void tacit_parse_fini(tacit_parse *parse);

/* Text to parse: whole lines, each ended by LF or CR LF, without NUL bytes. At least
   TACIT_TEXT_PADDING bytes after `end` must be readable. */
enum { TACIT_TEXT_PADDING = 64 };
typedef struct tacit_text {
  const char *at, *end;
  int64_t line; /* number of the line at `at`, counted from 1 */
} tacit_text;

/* Returns TACIT_EINVAL if the last line has no end, because parsers would read past
   it. */
tacit_status tacit_text_check(const tacit_text *text, tacit_error *err);
/* Finds the line at text->at, without its end. The text must not be empty. `quotes`
   must be 1 if line breaks between quotes do not end a line. */
void tacit_text_line(const tacit_text *text, int quotes, tacit_line *out);
/* Moves past the line. */
void tacit_text_pass(tacit_text *text, const tacit_line *line);

/* A text format with one record per line. What a line becomes depends only on the line,
   the schema and the header of its file. */
struct tacit_format_ops {
  const char *name; /* required; the schema's kind, such as "csv" */
  /* Returns 1 if the line is a record or the header, not blank and not a comment. Looks
     only at the first character that is not a blank. Required. */
  int (*is_record)(const tacit_schema *schema, const char *begin, const char *end);
  /* Reads the first record of a file as its header, and checks it against the schema.
     The caller frees *out with layout_free. NULL if files have no header. */
  tacit_status (*header)(tacit_parse *parse, const tacit_line *line, void **out,
                         tacit_error *err);
  void (*layout_free)(void *layout); /* frees a layout, or NULL; set if `header` is */
  /* Parses records into the rows until there are `max` of them, the rows are full
     (tacit_rows_full) or the text ends. Moves `text` past the lines that it takes.
     Skips lines that are not records, before and after, and counts them in text->line.
     *out_rows becomes the number of records. Never writes to the text, which other
     threads may be reading. A fault is TACIT_EDATA with file, line, column and rule,
     but no value of the record; `text` and `rows` are then undefined. Required. */
  tacit_status (*parse)(tacit_parse *parse, tacit_text *text, int64_t max,
                        tacit_rows *rows, int64_t *out_rows, tacit_error *err);
};

extern const struct tacit_format_ops tacit_format_libsvm;
extern const struct tacit_format_ops tacit_format_csv;

/* Returns the format of files with this schema, or NULL if the schema is not for text
   files. */
const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema);

#endif
