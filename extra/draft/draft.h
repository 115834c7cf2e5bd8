/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_DRAFT_DRAFT_H
#define TACIT_EXTRA_DRAFT_DRAFT_H

#include "data/schema/schema.h"

#include <tacit/extra/draft.h>

#include "data/text/fields.h"
#include "data/text/lines.h"

/* A schema that is being written: the facts known about each column so far. No fact
   comes from records, except from a sample that the user says is public. */

typedef struct tacit_draft_column {
  char *name;
  int is_known; /* 1 if the type below is known; 0 writes the column as numeric */
  tacit_column_type type;
  int has_bounds;
  double min, max; /* bounds of a number; of a date in days since 1970-01-01 */
  char **values;   /* values of a category or ordinal; classes of the label */
  size_t n_values, value_capacity;
  char *format; /* format of a date, or NULL if not known */
  size_t slots; /* for hashed and text columns */
  int has_missing;
  int may_have_atom; /* 1 if 0 means none, so that 0 may be an atom */
} tacit_draft_column;

typedef struct tacit_draft {
  char delimiter;
  int quoted_newlines, has_na;
  tacit_draft_column *columns;
  size_t count;
  size_t label;     /* number of the label column */
  const char *note; /* source of the facts, or NULL if nothing is known */
  int has_curves;   /* 1 if numbers become hats and a line, 0 if a line alone */
} tacit_draft;

/* The fault when memory runs out. */
extern const char tacit_draft_no_memory[];
/* Makes a fault an error: TACIT_EDATA with file, line and column, or TACIT_ENOMEM. */
tacit_status tacit_draft_fail(const char *file, int64_t line,
                              const tacit_draft_column *column, const char *fault,
                              tacit_error *err);
void tacit_draft_fini(tacit_draft *draft);
/* Returns the column with this name, or NULL. */
tacit_draft_column *tacit_draft_find(tacit_draft *draft, const char *text, size_t size);
/* Adds a value of a category. Returns NULL, or the fault of the value. */
const char *tacit_draft_add_value(tacit_draft_column *column, const char *text,
                                  size_t size);
/* Forgets all values. */
void tacit_draft_clear_values(tacit_draft_column *column);
/* Take what a data dictionary or a person says. Return NULL, or the fault of the text.
   Texts have `size` bytes. A type has many names: "continuous" is numeric, "factor" a
   category. */
const char *tacit_draft_set_type(tacit_draft_column *column, const char *text,
                                 size_t size);
const char *tacit_draft_set_bound(tacit_draft_column *column, int is_max,
                                  const char *text, size_t size);
/* Takes values that are separated by the first of | ; , that occurs. */
const char *tacit_draft_set_values(tacit_draft_column *column, const char *text,
                                   size_t size);
const char *tacit_draft_set_format(tacit_draft_column *column, const char *text,
                                   size_t size);

/* Returns 1 if number columns should be hats on TACIT_DRAFT_KNOTS knots with a line
   beside them, 0 if they should be lines alone. Decides by public numbers;
   docs/results/curves.md has the evidence. `columns` is the number of these columns.
   rows or epsilon may be 0 if not known. */
enum { TACIT_DRAFT_KNOTS = 8 };
int tacit_draft_curves(int64_t rows, double epsilon, double delta, size_t columns);

/* Writes the text of the schema, with null for what is not known. */
tacit_status tacit_draft_write(const tacit_draft *draft, char **out, tacit_error *err);

/* Read the parts of a draft. `path` is a file of the user. */
tacit_status tacit_draft_header(tacit_draft *draft, const char *path, const char *label,
                                uint64_t max_line, tacit_error *err);
tacit_status tacit_draft_dictionary(tacit_draft *draft, const char *path,
                                    uint64_t max_line, tacit_error *err);
tacit_status tacit_draft_sample(tacit_draft *draft, const char *path, uint64_t max_line,
                                tacit_error *err);
tacit_status tacit_draft_ask(tacit_draft *draft, const tacit_draft_options *options,
                             tacit_error *err);

/* Returns 1 if the text is UTF-8, as JSON must be. */
int tacit_draft_is_utf8(const char *text, size_t size);
/* Returns 1 if a text is this word, which must be in lower case, in any case. */
int tacit_draft_is_word(const char *word, const char *text, size_t size);

/* A CSV file that is read line by line (file.c). Fields are valid until the next
   line. */
typedef struct tacit_draft_file {
  tacit_source *source;
  tacit_lines *lines;
  tacit_fields fields; /* fields of the line that was split last */
  const char *name;
  char delimiter;
} tacit_draft_file;

/* Opens a file, which must be zeros. If `line_breaks` is 1, quoted fields may have line
   breaks. Call tacit_draft_close also after a failure. */
tacit_status tacit_draft_open(tacit_draft_file *file, const char *path, int line_breaks,
                              uint64_t max_line, tacit_error *err);
void tacit_draft_close(tacit_draft_file *file);
/* Goes to the end of the first line that is not blank, and takes the delimiter that it
   has most often outside quotes. Returns TACIT_EDATA if all lines are blank. */
tacit_status tacit_draft_first(tacit_draft_file *file, tacit_line *out,
                               tacit_error *err);
/* Splits the line that tacit_draft_first finds. */
tacit_status tacit_draft_names(tacit_draft_file *file, tacit_error *err);
/* Splits the next line into at most `most` fields and one more. Sets *out_more to 0 at
   the end of the file. */
tacit_status tacit_draft_next(tacit_draft_file *file, size_t most, tacit_line *out,
                              int *out_more, tacit_error *err);

#endif
