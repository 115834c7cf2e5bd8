/* SPDX-License-Identifier: MIT */
/*
 * Writes what a column or a cross adds to a margin, or to the square of a row's norm. A
 * cell chooses levels: one for a category, two neighbouring ones with shares for a hat.
 * The value of a level is known here, so the formula has only numbers. A cross is a
 * choice within a choice.
 */
#include <math.h>

#include "data/schema/date.h"
#include "data/schema/parts.h"
#include "extra/export/formula.h"

/* The place in a formula where a level is known. */
struct leaf {
  const tacit_formula *f;
  int output;
  const tacit_cross *cross; /* NULL for a column alone */
  size_t depth, index;      /* for a cross: number of columns decided, and the
                               combination so far */
  size_t column;            /* number of the column that is decided */
  int part;                 /* part of a date, or -1 */
};

static void put_column(const struct leaf *at);

static const tacit_column *column_of(const struct leaf *at) {
  return &at->f->schema->columns[at->column];
}

static const tacit_curve *curve_of(const struct leaf *at) {
  return &column_of(at)->curve;
}

static int squares(const struct leaf *at) {
  return at->output == TACIT_FORMULA_SQUARES;
}

/* Returns the value of a level of a column alone. */
static double worth(const struct leaf *at, size_t level) {
  const tacit_column *column = column_of(at);
  size_t first = at->part >= 0 ? column->part_first[at->part] : 0;
  return tacit_formula_worth(at->f, column, first, level, at->output);
}

static void put_level(const struct leaf *at, size_t level) {
  if (at->cross == NULL) {
    tacit_formula_number(at->f, worth(at, level));
    return;
  }
  struct leaf next = *at;
  next.index = at->index * tacit_cross_levels(column_of(at)) + level;
  if (++next.depth < at->cross->n_columns) {
    next.column = at->cross->columns[next.depth];
    put_column(&next);
  } else {
    tacit_formula_number(
        at->f, tacit_formula_cross_worth(at->f, at->cross, next.index, at->output));
  }
}

/* Writes the cell as a number: for a date, its days. */
static void put_number(const struct leaf *at) {
  if (column_of(at)->type == TACIT_COLUMN_DATE)
    tacit_formula_days(at->f, at->column);
  else
    tacit_formula_cell(at->f, at->column);
}

/* Writes the branch of cells that compare with a number in this way. */
static void put_when(const struct leaf *at, const char *compares, double number) {
  tacit_formula_when(at->f, 0);
  put_number(at);
  tacit_formula_put(at->f, " %s %s", compares, tacit_formula_spell(at->f, number).text);
  tacit_formula_then(at->f);
}

/* Writes the mapped number, within its bounds. */
static void put_mapped(const struct leaf *at) {
  tacit_number_map map = curve_of(at)->map;
  if (map == TACIT_MAP_LOG || map == TACIT_MAP_LOG1P)
    tacit_formula_function(at->f, "ln");
  if (map == TACIT_MAP_SQRT) tacit_formula_function(at->f, "sqrt");
  (void)fputs(map == TACIT_MAP_LOG1P ? "(1 + " : "(", at->f->to);
  put_number(at);
  (void)fputc(')', at->f->to);
}

/* Writes (mapped - from) / width. PostgreSQL fails where a product underflows, so there no
   share is 0 but for rounding. */
static void put_share(const struct leaf *at, double from, double width) {
  if (from == 0 && at->f->language == TACIT_LANGUAGE_POSTGRESQL) from = -1e-140;
  (void)fputs("((", at->f->to);
  put_mapped(at);
  tacit_formula_put(at->f, " - %s) / %s)", tacit_formula_spell(at->f, from).text,
                    tacit_formula_spell(at->f, width).text);
}

/* Returns 1 if the square of the line beside hats must be added. A margin has the line
   in the values of the knots. */
static int adds_line(const struct leaf *at) {
  return curve_of(at)->has_line && at->cross == NULL && squares(at);
}

/* Writes a line `size` times as high, or its square if `power` is 2. */
static void put_power(const struct leaf *at, double size, int power) {
  const tacit_curve *curve = curve_of(at);
  for (int i = 0; i < power; ++i) {
    tacit_formula_put(at->f, i > 0 ? " * (%s + %s * " : "(%s + %s * ",
                      tacit_formula_spell(at->f, size * curve->low).text,
                      tacit_formula_spell(at->f, size * (1 - curve->low)).text);
    put_share(at, curve->start, curve->width);
    (void)fputc(')', at->f->to);
  }
}

/* Writes the value between two knots: (1 - share) left + share right, or the sum of the
   squares of both terms. */
static void put_between(const struct leaf *at, size_t left) {
  const tacit_curve *curve = curve_of(at);
  double from = curve->at[left], width = curve->at[left + 1] - from;
  for (size_t side = 0; side < 2; ++side) {
    (void)fputs(side == 0 ? "(" : " + ", at->f->to);
    for (int i = 0; i < 1 + squares(at); ++i) {
      (void)fputs(side == 0 ? "(1 - " : "(", at->f->to);
      put_share(at, from, width);
      (void)fputs(") * ", at->f->to);
    }
    put_level(at, left + side);
  }
  if (adds_line(at)) {
    (void)fputs(" + ", at->f->to);
    put_power(at, tacit_curve_scale(curve) * TACIT_CURVE_LINE, 2);
  }
  (void)fputc(')', at->f->to);
}

/* Writes a line: w (low + (1 - low) share), or its square. */
static void put_line(const struct leaf *at) {
  (void)fputc('(', at->f->to);
  put_power(at, 1, 1 + squares(at));
  (void)fputs(" * ", at->f->to);
  put_level(at, 0);
  (void)fputc(')', at->f->to);
}

/* Returns what a line of this value adds. */
static double line_worth(const struct leaf *at, double value) {
  return (squares(at) ? value * value : value) * worth(at, 0);
}

static void put_bound(const struct leaf *at, int is_max) {
  const tacit_curve *curve = curve_of(at);
  if (curve->shape == TACIT_TERM_LINE)
    tacit_formula_number(at->f, line_worth(at, is_max ? 1 : curve->low));
  else if (adds_line(at))
    tacit_formula_number(at->f,
                         worth(at, 0) * (1 + TACIT_CURVE_LINE * TACIT_CURVE_LINE));
  else if (curve->shape == TACIT_TERM_HATS)
    put_level(at, is_max ? curve->n_points - 1 : 0);
  else
    put_level(at, is_max ? curve->n_points - 2 : 0);
}

/* Writes the branches of the atoms. An atom at a bound also has the numbers beyond. */
static void put_atoms(const struct leaf *at) {
  const tacit_curve *curve = curve_of(at);
  const char *equals = tacit_formula_is_sql(at->f) ? "=" : "==";
  for (size_t i = 0; i < curve->n_atoms; ++i) {
    double atom = curve->atoms[i];
    put_when(at, atom == curve->min ? "<=" : atom == curve->max ? ">=" : equals, atom);
    put_level(at, tacit_curve_rest(curve) - (size_t)curve->has_line + i);
  }
}

/* Writes a curve. Branches for the bounds come first, so that logarithms and roots see
   only numbers that the schema allows. Cells are compared with edges in their own
   units, because the logarithms of two languages may differ in the last digit. */
static void put_curve(const struct leaf *at) {
  const tacit_curve *curve = curve_of(at);
  put_atoms(at);
  put_when(at, "<=", curve->min);
  put_bound(at, 0);
  put_when(at, ">=", curve->max);
  put_bound(at, 1);
  size_t intervals = curve->shape == TACIT_TERM_LINE ? 1 : curve->n_points - 1;
  for (size_t i = 0; i < intervals; ++i) {
    if (i + 1 < intervals)
      put_when(at, "<", tacit_formula_edge(curve, i + 1));
    else
      tacit_formula_otherwise(at->f);
    if (curve->shape == TACIT_TERM_LINE)
      put_line(at);
    else if (curve->shape == TACIT_TERM_STEPS)
      put_level(at, i);
    else
      put_between(at, i);
  }
}

/* Writes what a missing cell adds that counts as a number. */
static void put_missing_number(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_curve *curve = curve_of(at);
  double value = column_of(at)->missing_number;
  size_t atom = tacit_curve_atom(curve, value);
  if (atom < curve->n_atoms) {
    put_level(at, tacit_curve_rest(curve) - (size_t)curve->has_line + atom);
    return;
  }
  if (curve->shape == TACIT_TERM_LINE) {
    tacit_formula_number(f, line_worth(at, tacit_curve_line(curve, value)));
    return;
  }
  double mapped = tacit_curve_mapped(curve, value);
  size_t place = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_STEPS) {
    put_level(at, place);
    return;
  }
  double right = tacit_curve_between(curve, mapped, place);
  for (size_t side = 0; side < 2; ++side) {
    double share = side == 0 ? 1 - right : right;
    tacit_formula_put(f, side == 0 ? "(%s * " : " + %s * ",
                      tacit_formula_spell(f, squares(at) ? share * share : share).text);
    put_level(at, place + side);
  }
  if (adds_line(at)) {
    double line = tacit_curve_scale(curve) * tacit_curve_beside(curve, mapped);
    tacit_formula_put(f, " + %s", tacit_formula_spell(f, line * line).text);
  }
  (void)fputc(')', f->to);
}

/* Returns the level of a date part. */
static size_t date_level(const tacit_column *column, int part, double day) {
  int64_t days = (int64_t)fmin(fmax(day, column->curve.min), column->curve.max);
  tacit_date date = tacit_date_of(days);
  switch (part) {
  case TACIT_DATE_YEAR:
    return (size_t)(date.year - tacit_date_of((int64_t)column->curve.min).year);
  case TACIT_DATE_MONTH: return (size_t)date.month - 1;
  case TACIT_DATE_WEEKDAY: return (size_t)tacit_date_weekday(days) - 1;
  default: return (size_t)tacit_date_yearday(&date) - 1;
  }
}

static size_t part_inputs(const tacit_column *column, int part) {
  size_t end = column->n_inputs - (column->missing == TACIT_MISSING_OWN);
  for (int i = part + 1; i < TACIT_DATE_PARTS; ++i)
    if ((column->parts & 1u << i) != 0)
      return column->part_first[i] - column->part_first[part];
  return end - column->part_first[part];
}

static void put_date_part(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_column *column = column_of(at);
  int first_value =
      at->part == TACIT_DATE_YEAR ? tacit_date_of((int64_t)column->curve.min).year : 1;
  put_when(at, "<=", column->curve.min);
  put_level(at, date_level(column, at->part, column->curve.min));
  put_when(at, ">=", column->curve.max);
  put_level(at, date_level(column, at->part, column->curve.max));
  size_t count = part_inputs(column, at->part);
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count) {
      tacit_formula_when(f, 0);
      tacit_formula_date_part(f, at->column, at->part);
      tacit_formula_put(f, tacit_formula_is_sql(f) ? " = %d" : " == %d",
                        first_value + (int)i);
      tacit_formula_then(f);
    } else {
      tacit_formula_otherwise(f);
    }
    put_level(at, i);
  }
}

static int first_part(const tacit_column *column) {
  int part = 0;
  while ((column->parts & 1u << part) == 0)
    ++part;
  return part;
}

/* Writes the value of the input of missing cells, which is the last level; the line
   beside hats is no level. Only the first part of a date counts that input. */
static void put_missing_own(const struct leaf *at) {
  const tacit_column *column = column_of(at);
  struct leaf own = *at;
  own.part = -1;
  if (at->part >= 0 && at->part != first_part(column))
    tacit_formula_number(at->f, 0);
  else if (column->type == TACIT_COLUMN_ORDINAL || column->type == TACIT_COLUMN_BOOL)
    put_level(&own, column->n_inputs);
  else if (column->type == TACIT_COLUMN_NUMERIC)
    put_level(&own, column->n_inputs - 1 - (size_t)column->curve.has_line);
  else
    put_level(&own, column->n_inputs - 1);
}

/* Writes the branch of a missing cell. */
static void put_missing(const struct leaf *at) {
  const tacit_column *column = column_of(at);
  tacit_formula_when(at->f, 1);
  tacit_formula_is_missing(at->f, at->column);
  tacit_formula_then(at->f);
  if (column->missing == TACIT_MISSING_REFUSED)
    tacit_formula_nothing(at->f);
  else if (column->missing == TACIT_MISSING_OWN)
    put_missing_own(at);
  else if (column->type == TACIT_COLUMN_NUMERIC || at->part == TACIT_DATE_DAYS)
    put_missing_number(at);
  else if (column->type == TACIT_COLUMN_DATE)
    put_level(at, date_level(column, at->part, column->missing_number));
  else
    put_level(at, (size_t)column->missing_number);
}

static void put_values(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_column *column = column_of(at);
  int is_category = column->type == TACIT_COLUMN_CATEGORY;
  for (size_t i = 0; i < column->n_sorted; ++i) {
    tacit_formula_when(f, is_category && i == 0);
    tacit_formula_is_text(f, at->column, column->sorted[i].text);
    tacit_formula_then(f);
    put_level(at, column->sorted[i].number);
  }
  tacit_formula_otherwise(f);
  if (is_category)
    put_level(at, column->n_values);
  else
    tacit_formula_nothing(f);
}

static void put_truth(const struct leaf *at) {
  tacit_formula_when(at->f, 0);
  tacit_formula_is_true(at->f, at->column);
  tacit_formula_then(at->f);
  put_level(at, 1);
  tacit_formula_otherwise(at->f);
  put_level(at, 0);
}

/* Writes the choice of a column, or of a part of a date. */
static void put_column(const struct leaf *at) {
  tacit_column_type type = column_of(at)->type;
  tacit_formula_open(at->f);
  if (type != TACIT_COLUMN_CATEGORY) put_missing(at);
  if (type == TACIT_COLUMN_CATEGORY || type == TACIT_COLUMN_ORDINAL)
    put_values(at);
  else if (type == TACIT_COLUMN_BOOL)
    put_truth(at);
  else if (type == TACIT_COLUMN_DATE && at->part != TACIT_DATE_DAYS)
    put_date_part(at);
  else
    put_curve(at);
  tacit_formula_close(at->f);
}

void tacit_formula_column(const tacit_formula *f, size_t number, int output) {
  const tacit_column *column = &f->schema->columns[number];
  struct leaf at = {.f = f, .output = output, .column = number, .part = -1};
  const char *sign = "(";
  if (column->type != TACIT_COLUMN_DATE) {
    put_column(&at);
    return;
  }
  for (at.part = 0; at.part < TACIT_DATE_PARTS; ++at.part) {
    if ((column->parts & 1u << at.part) == 0) continue;
    (void)fputs(sign, f->to);
    sign = " + ";
    put_column(&at);
  }
  (void)fputc(')', f->to);
}

void tacit_formula_cross(const tacit_formula *f, size_t cross, int output) {
  const tacit_cross *own = &f->schema->crosses[cross];
  const struct leaf at = {
      .f = f, .output = output, .cross = own, .column = own->columns[0], .part = -1};
  put_column(&at);
}
