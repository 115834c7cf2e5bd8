/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_FORMAT_H
#define TACIT_DATA_FORMAT_H

#include <locale.h>

#include "data/fields.h"
#include "data/lines.h"
#include "data/rows.h"
#include "data/schema.h"

/* What a parser works with; owned by the reader. */
typedef struct tacit_parse {
  const tacit_schema *schema;
  int labels;          /* 1: a label is required and read */
  locale_t c_locale;   /* for numbers */
  const char *name;    /* of the file at hand, for messages */
  const void *layout;  /* of the file at hand: what its header said */
  tacit_fields fields; /* scratch */
  unsigned char *raw_scratch;
  size_t scratch_size;
} tacit_parse;

/* A text format: one record a line. What a line becomes depends on that line, the
   schema and the header of its file, on nothing else. */
struct tacit_format_ops {
  const char *name; /* required; the schema's kind: "csv" */
  /* Required. 1 when the line is a record (or the header): not blank, not a comment. */
  int (*is_record)(const tacit_schema *schema, const char *raw_begin,
                   const char *raw_end);
  /* Optional; present: the first record of each file is a header. Checks it against the
     schema; *out belongs to the caller, who frees it with layout_free. */
  tacit_status (*header)(tacit_parse *parse, const tacit_line *line, void **out,
                         tacit_error *err);
  void (*layout_free)(void *layout); /* with header; NULL-safe */
  /* Required. Adds one row. May write to the line. A fault is TACIT_EDATA with file,
     line, column and rule, and no value of the record. */
  tacit_status (*parse)(tacit_parse *parse, const tacit_line *line, tacit_rows *rows,
                        tacit_error *err);
};

extern const struct tacit_format_ops tacit_format_libsvm;
extern const struct tacit_format_ops tacit_format_csv;

/* The format of files with this schema; NULL when it is not for files. */
const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema);

#endif
