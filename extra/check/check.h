/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_CHECK_CHECK_H
#define TACIT_EXTRA_CHECK_CHECK_H

#include <jansson.h>
#include <tacit/extra/check.h>

#include "data/text/files.h"

enum { TACIT_CHECK_BAD = 10, TACIT_CHECK_CELL = 80 };

/* How the cells of a column follow each other. */
typedef struct tacit_check_order {
  int64_t cells, rises, falls;
  int is_number; /* 1 if the last cell was a number */
  double number; /* last cell of a column that is compared as numbers */
  char *text;    /* last cell of a column that is compared as texts */
  size_t size, room;
} tacit_check_order;

/* Raw counts of a column, or of the label. */
typedef struct tacit_check_column {
  int64_t missing, below, above; /* below and above: numbers outside the bounds, which
                                    training clamps */
  int64_t other, other_number;   /* other: cells of undeclared categories; other_number:
                                    such cells, and bad cells of ordinals and labels, that
                                    equal a declared number in another spelling */
  int64_t bad, atoms;            /* atoms: numbers that are one of the declared atoms */
  tacit_check_order order;
  unsigned char *places; /* registers that count the different values of an id, or NULL
                            if the column is no id */
  int is_no_id;          /* 1 if a cell cannot be an id */
  double *numbers;       /* declared values that are numbers, sorted, or NULL */
  size_t n_numbers;
} tacit_check_column;

/* One of the faults that are kept. */
typedef struct tacit_check_fault {
  char message[sizeof((tacit_error *)0)->message];
  char cell[TACIT_CHECK_CELL + 4]; /* quoted cell; empty unless values are asked for */
} tacit_check_fault;

typedef struct tacit_check {
  const tacit_schema *schema;
  const tacit_check_options *options;
  tacit_text_files *files; /* NULL for tables */
  tacit_parse *parse;
  tacit_rows rows;
  int64_t n_rows, bad_rows, skipped, longer;
  double largest; /* largest norm of a row, with its bias */
  tacit_check_column *columns;
  tacit_check_column label;
  int64_t *classes; /* rows per class */
  tacit_check_fault
      *bad; /* the first fault of every column and of lines, then others */
  size_t n_bad, n_first, bad_room;
  int64_t faults, line_faults, bad_files;
} tacit_check;

/* check.c: checks the arguments of a check of `count` files or tables, prepares the
   counts of a check whose parser is set, checks a row whose cells are parse->fields,
   and makes the report, if `status` is TACIT_OK, and frees the check. */
tacit_status tacit_check_arguments(const void *data, size_t count,
                                   const tacit_check_options *options, char **out,
                                   int *out_trains, tacit_error *err);
tacit_status tacit_check_begin(tacit_check *check, tacit_error *err);
tacit_status tacit_check_row(tacit_check *check, const tacit_line *line,
                             tacit_error *err);
tacit_status tacit_check_end(tacit_check *check, tacit_status status, char **out,
                             int *out_trains, tacit_error *err);

/* ids.c: prepare to count the values of a column that looks like an id, if the schema
   names no column of persons, and count a cell. */
tacit_status tacit_check_ids_begin(const tacit_schema *schema,
                                   const tacit_column *column,
                                   tacit_check_column *counts, tacit_error *err);
void tacit_check_ids_take(tacit_check_column *counts, const tacit_field *cell);
/* Returns about how many values a column has that looks like an id and repeats, or 0 if
   it does not. */
int64_t tacit_check_ids_values(const tacit_check_column *counts);

/* Makes the report. Fails only if memory runs out. */
tacit_status tacit_check_report(const tacit_check *check, json_t **out,
                                tacit_error *err);

#endif
