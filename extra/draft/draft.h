/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_DRAFT_DRAFT_H
#define TACIT_EXTRA_DRAFT_DRAFT_H

#include "data/schema/schema.h"

#include <tacit/extra/draft.h>

#include "data/text/lines.h"

/* A schema that is being written: what is known about each column so far. Nothing in it
   comes from records, except from a sample that the user says is public. */

typedef struct tacit_draft_column {
  char *name;
  int is_known; /* 1: the type below; 0: nothing, so it is written as numeric */
  tacit_column_type type;
  int has_bounds;
  double min, max; /* of a date: days since 1970-01-01 */
  char **values;   /* category, ordinal; classes of the label */
  size_t n_values, value_capacity;
  char *format; /* date; NULL: not known */
  size_t slots; /* hashed, text */
  int has_missing;
} tacit_draft_column;

typedef struct tacit_draft {
  char delimiter;
  int quoted_newlines, has_na;
  tacit_draft_column *columns;
  size_t count;
  size_t label;     /* number of the column that is the label */
  const char *note; /* where the facts come from; NULL: nothing is known */
  int has_curves;   /* numbers become hats and a line, not a line alone */
} tacit_draft;

/* The fault when memory runs out. */
extern const char tacit_draft_no_memory[];
/* A fault as an error, TACIT_EDATA with file, line and column, or TACIT_ENOMEM. */
tacit_status tacit_draft_fail(const char *file, int64_t line,
                              const tacit_draft_column *column, const char *fault,
                              tacit_error *err);
void tacit_draft_fini(tacit_draft *draft);
/* The column with this name; NULL: none. */
tacit_draft_column *tacit_draft_find(tacit_draft *draft, const char *text, size_t size);
/* Adds a value of a category. Returns NULL, or what is wrong with it. */
const char *tacit_draft_add_value(tacit_draft_column *column, const char *text,
                                  size_t size);
/* Forgets all values. */
void tacit_draft_clear_values(tacit_draft_column *column);
/* What a data dictionary or a person says: each returns NULL, or what is wrong. Texts
   are `size` bytes. A type has many names: "continuous" is numeric, "factor" a
   category. */
const char *tacit_draft_set_type(tacit_draft_column *column, const char *text,
                                 size_t size);
const char *tacit_draft_set_bound(tacit_draft_column *column, int is_max,
                                  const char *text, size_t size);
/* Values, separated by the first of | ; , that occurs. */
const char *tacit_draft_set_values(tacit_draft_column *column, const char *text,
                                   size_t size);
const char *tacit_draft_set_format(tacit_draft_column *column, const char *text,
                                   size_t size);

/* 1 if columns of numbers, so many, should be hats on TACIT_DRAFT_KNOTS knots and a
   line beside them, 0 if lines alone: by public numbers, evidence in
   docs/results/curves.md. rows or epsilon 0: not known. */
enum { TACIT_DRAFT_KNOTS = 8 };
int tacit_draft_curves(int64_t rows, double epsilon, double delta, size_t columns);

/* The text of the schema, with null for what is not known. */
tacit_status tacit_draft_write(const tacit_draft *draft, char **out, tacit_error *err);

/* Parts of a draft; `path` is a file of the user's. */
tacit_status tacit_draft_header(tacit_draft *draft, const char *path, const char *label,
                                uint64_t max_line, tacit_error *err);
tacit_status tacit_draft_dictionary(tacit_draft *draft, const char *path,
                                    uint64_t max_line, tacit_error *err);
tacit_status tacit_draft_sample(tacit_draft *draft, const char *path, uint64_t max_line,
                                tacit_error *err);
tacit_status tacit_draft_ask(tacit_draft *draft, const tacit_draft_options *options,
                             tacit_error *err);

/* JSON text must be UTF-8. */
int tacit_draft_is_utf8(const char *text, size_t size);
/* The most frequent delimiter of a header line, outside quotes. */
char tacit_draft_delimiter(const tacit_line *line);
/* The first line that is not blank. TACIT_EDATA: there is none. */
tacit_status tacit_draft_first_line(tacit_lines *lines, const char *name,
                                    tacit_line *out, tacit_error *err);

#endif
