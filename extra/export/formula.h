/* SPDX-License-Identifier: MIT */
/*
 * Writes a model as a formula in another language. One walk over the schema writes both
 * SQL and C: they differ in how a choice, a cell and a function are spelt (dialect.c).
 */
#ifndef TACIT_EXTRA_EXPORT_FORMULA_H
#define TACIT_EXTRA_EXPORT_FORMULA_H

#include <stdio.h>
#include <tacit/extra/export.h>

#include "model/model.h"

typedef struct tacit_formula {
  FILE *to;
  tacit_language language;
  const tacit_model *model;
  const tacit_schema *schema;
  int is_sum;  /* 1 if no row is scaled: the margin is a sum of terms, in units of a
                  label  that is a number */
  double unit; /* what the weights are multiplied by */
} tacit_formula;

/* dialect.c: appends to the text, as printf does. */
void tacit_formula_put(const tacit_formula *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Write a conditional expression (CASE or ?:) in this order: open; then when,
   condition, then, value for each case; then otherwise, value, close. */
void tacit_formula_open(const tacit_formula *f);
void tacit_formula_when(const tacit_formula *f, int is_first);
void tacit_formula_then(const tacit_formula *f);
void tacit_formula_otherwise(const tacit_formula *f);
void tacit_formula_close(const tacit_formula *f);
/* A number as a language spells it. */
typedef struct tacit_spelt {
  char text[48];
} tacit_spelt;
/* Returns a double with all its digits, in parentheses if it is negative. */
tacit_spelt tacit_formula_spell(const tacit_formula *f, double value);
/* Write or return a number that is a term of a sum, with the digits that the sum keeps:
   to 13 decimals, or 17 digits. In SQL it may be a decimal: it must not be multiplied
   by another one. If it is multiplied by something of size `length`, it keeps as many
   digits as its product, and is a double if length is above 1. */
void tacit_formula_number(const tacit_formula *f, double value);
tacit_spelt tacit_formula_value(const tacit_formula *f, double value, double length);
/* Writes a text between quotes. */
void tacit_formula_text(const tacit_formula *f, const char *text);
/* Writes the score of a row that `tacit predict` would refuse. */
void tacit_formula_nothing(const tacit_formula *f);
/* Writes the name of a function. `name` must be "ln", "sqrt" or "exp". */
void tacit_formula_function(const tacit_formula *f, const char *name);
/* Write the cell of a column: as the table has it, or as a double, to which a
   comparison or a subtraction may be added; or as days since 1970-01-01. */
void tacit_formula_cell(const tacit_formula *f, size_t column, int is_double);
void tacit_formula_days(const tacit_formula *f, size_t column);
/* Writes the part of a date cell that has numbered values, TACIT_DATE_YEAR to
   _YEARDAY. */
void tacit_formula_date_part(const tacit_formula *f, size_t column, int part);
/* Begin a choice by the text of a cell, and write its branch for a text. `has_empty`
   must be 1 if NULL counts as the empty text. */
void tacit_formula_open_text(const tacit_formula *f, size_t column, int has_empty);
void tacit_formula_when_text(const tacit_formula *f, int is_first, size_t column,
                             const char *text);
/* Write the condition that a cell is missing, or means yes. */
void tacit_formula_is_missing(const tacit_formula *f, size_t column);
void tacit_formula_is_true(const tacit_formula *f, size_t column);
static inline int tacit_formula_is_sql(const tacit_formula *f) {
  return f->language != TACIT_LANGUAGE_C;
}
/* Writes the unique name of a column in a declaration of C. */
void tacit_formula_c_name(const tacit_formula *f, size_t column);

enum { TACIT_FORMULA_SQUARES = -1 /* as output: the squared norm */ };

/* levels.c: return what a level of a column, or a combination of levels of a cross,
   adds to the margin of an output, or to the square of the norm of a row. `part` is the
   first input of a part of a date, else 0. */
double tacit_formula_worth(const tacit_formula *f, const tacit_column *column,
                           size_t part, size_t level, int output);
double tacit_formula_cross_worth(const tacit_formula *f, const tacit_cross *cross,
                                 size_t combination, int output);
/* Returns the smallest number, in the units of the file, that reaches a point of a
   curve. */
double tacit_formula_edge(const tacit_curve *curve, size_t point);
/* Return the level of a day in a part of a date, and the number of levels of the
   part. */
size_t tacit_formula_date_level(const tacit_column *column, int part, double day);
size_t tacit_formula_date_levels(const tacit_column *column, int part);

/* terms.c: write what a column or a cross adds to the margin of an output, or to the
   square of the norm of a row. */
void tacit_formula_column(const tacit_formula *f, size_t number, int output);
void tacit_formula_cross(const tacit_formula *f, size_t cross, int output);

#endif
