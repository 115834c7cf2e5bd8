/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_CSV_H
#define TACIT_DATA_TEXT_CSV_H

#include <string.h>

#include "data/schema/lookup.h"
#include "data/text/format.h"

#define TACIT_NO_FIELD SIZE_MAX

/* The kinds of steps of the SIMD parser. */
typedef enum tacit_csv_step_kind {
  TACIT_STEP_LINES,      /* numbers that become one input each */
  TACIT_STEP_STEPS,      /* numbers that become even steps */
  TACIT_STEP_HATS,       /* numbers that become hats of even distances */
  TACIT_STEP_BOTH,       /* numbers that become hats of even distances and a line */
  TACIT_STEP_CURVE,      /* a number that becomes something else */
  TACIT_STEP_CATEGORIES, /* texts that are looked up */
  TACIT_STEP_TEXT        /* any other cell */
} tacit_csv_step_kind;

typedef struct tacit_csv_step {
  tacit_csv_step_kind kind;
  const tacit_column *column; /* the first of `count` columns */
  uint32_t field;             /* the field of the first column; the fields of CATEGORIES
                                 follow it */
  uint32_t number;            /* index of the first number among all numbers of a
                                 record, for LINES, STEPS, HATS, BOTH and CURVE */
  uint32_t first;             /* index of the first entry in `fours`, or in `texts` for
                                 CATEGORIES */
  uint32_t count;
} tacit_csv_step;

/* Four neighbouring columns of LINES, STEPS, HATS or BOTH. If there are fewer, the rest
   is harmless. */
typedef struct tacit_csv_four {
  double min[4], max[4], width[4];
  double scale[4]; /* 1 - low for lines, number of intervals for other kinds */
  double low[4];   /* for lines the input at `min`, which is -1 or 0; for other kinds
                      the index of the last interval, counted from 0 */
  const double *at[4]; /* the points of each column; unused for lines */
  uint32_t input[4];   /* the first input of each column */
} tacit_csv_four;

/* Numbers whose fields follow each other. */
typedef struct tacit_csv_run {
  uint32_t field, count;
} tacit_csv_run;

/* How a category or the class is looked up. */
typedef struct tacit_csv_text {
  const tacit_lookup_short *slots; /* the slots of `lookup`; one slot that matches
                                      nothing if it has no short texts */
  uint64_t factor;
  unsigned shift;
  uint32_t input; /* the first input; 0 for classes */
  uint32_t other; /* the number of declared texts */
  const tacit_lookup *lookup;
} tacit_csv_text;

/* How the SIMD parser reads a record, whatever the order of its fields: first all
   numbers, four at a time, then the columns in the order of the schema. */
typedef struct tacit_csv_plan {
  int is_used;            /* 0 if records are left to the other parsers */
  uint32_t *number_field; /* the field of each number */
  size_t n_numbers;       /* numbers of columns, then of the label, then of the
                             weight */
  size_t n_of_columns;
  tacit_csv_run *runs; /* `number_field` as runs of neighbouring fields */
  size_t n_runs;
  size_t label, weight; /* which of the numbers they are; TACIT_NO_FIELD without one */
  tacit_csv_four *fours;
  tacit_csv_text *texts;
  size_t n_texts;       /* number of category columns */
  tacit_csv_text class; /* how the label is looked up if it is a name */
  tacit_csv_step *steps;
  size_t n_steps;
} tacit_csv_plan;

/* What the header of a file says. */
typedef struct tacit_csv_layout {
  size_t n_fields;
  size_t label_field; /* TACIT_NO_FIELD without a label */
  size_t n_unknown;   /* fields that are neither declared nor kept */
  size_t *kept;       /* the fields whose text is kept, in the order that the caller
                         gave; NULL if no text is */
  size_t n_kept;
  int in_order;     /* 1 if columns have the order of the schema; the label may be
                       between them */
  size_t *field_of; /* the field of each column of the schema; TACIT_NO_FIELD if it has
                       no field */
  const tacit_column **column_at; /* the column of each field; NULL for the label */
  int na_is_number; /* 1 if a text that means a missing cell looks like a number */
  tacit_csv_plan plan;
} tacit_csv_layout;

/* Returns 1 if the text of the column with this name is kept. */
static inline int tacit_csv_is_kept(const tacit_parse *parse, const tacit_field *name) {
  for (size_t i = 0; i < parse->n_keep; ++i)
    if (strlen(parse->keep[i]) == name->size &&
        memcmp(parse->keep[i], name->begin, name->size) == 0)
      return 1;
  return 0;
}
/* Returns a weight from 0 to 1, made of a number that must be at least 0. */
static inline double tacit_csv_weight(const tacit_schema *schema, double value) {
  return value < schema->weight_max ? value / schema->weight_max : 1;
}
/* Returns 1 if the cell of a column is missing. In categories, hashed columns and words
   an empty text counts as any other text. */
static inline int tacit_csv_is_missing(const tacit_schema *schema,
                                       const tacit_column *column, const char *text,
                                       size_t size) {
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC:
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_ORDINAL:
  case TACIT_COLUMN_DATE: return tacit_schema_is_missing(schema, text, size);
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_TEXT:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return 0;
}

/* Read a header and free what was read (csv_layout.c): the slots `header` and
   `layout_free` of the format. */
tacit_status tacit_csv_header(tacit_parse *parse, const tacit_line *line, void **out,
                              tacit_error *err);
void tacit_csv_layout_free(void *layout);
/* Makes the layout of a header whose names are parse->fields. */
tacit_status tacit_csv_layout_new(tacit_parse *parse, const tacit_line *line,
                                  void **out, tacit_error *err);
/* Make and free the plan of the SIMD parser (csv_plan.c). */
tacit_status tacit_csv_plan_init(const tacit_parse *parse, tacit_csv_layout *layout,
                                 tacit_error *err);
void tacit_csv_plan_fini(tacit_csv_plan *plan);

/* The next functions read the parts of a record, for callers that continue after a
   fault. A fault is TACIT_EDATA with file, line, column and rule. */
/* Splits a line into parse->fields: at most `max`, and one more if there are too
   many. */
tacit_status tacit_csv_split_max(tacit_parse *parse, const tacit_line *line, size_t max,
                                 tacit_error *err);
/* Splits a line into parse->fields, which must be as many as the header has. */
tacit_status tacit_csv_split(tacit_parse *parse, const tacit_line *line,
                             tacit_error *err);
/* Reads the label of a record that was split. Sets *out_weight to 0 if the label is
   missing and the schema allows that. */
tacit_status tacit_csv_label(const tacit_parse *parse, const tacit_line *line,
                             double *out, double *out_weight, tacit_error *err);
/* Returns the error for a cell that breaks a rule. */
tacit_status tacit_csv_fail_cell(const tacit_parse *parse, const tacit_line *line,
                                 const char *column, const char *rule,
                                 tacit_error *err);
/* Adds the entries of a cell, from entry number *io_count of the batch on. */
tacit_status tacit_csv_cell(tacit_parse *parse, const tacit_line *line,
                            const tacit_column *column, const tacit_field *cell,
                            tacit_rows *rows, size_t *io_count, tacit_error *err);
/* Divides a weight by the declared maximum and multiplies *io_weight with it, which is
   0 already if the label is missing. */
tacit_status tacit_csv_take_weight(const tacit_parse *parse, const tacit_line *line,
                                   const tacit_field *cell, double *io_weight,
                                   tacit_error *err);

/* Adds the entries of a cell of any type but numeric, weight and label. Returns 0 if
   the strict parser must read the record, or if memory runs out, which the strict
   parser then reports. */
int tacit_csv_put_text(tacit_parse *parse, const tacit_column *column, const char *text,
                       size_t size, tacit_rows *rows, size_t *count);

/* Parses one record into the rows, which must have room for an entry per column.
   Returns where the next line begins. Returns NULL and adds nothing if the strict
   parser must read the record, which may be faulty. */
const char *tacit_csv_fast(tacit_parse *parse, const char *at, tacit_rows *rows);

#endif
