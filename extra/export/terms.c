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
  const tacit_column *column;
  size_t part; /* first input of the part of a date */
};

static void put_column(const struct leaf *at, size_t column);

/* Returns the value of a level of a column alone. */
static double worth(const struct leaf *at, size_t level) {
  return tacit_formula_worth(at->f, at->column, at->part, level, at->output);
}

static void put_level(const struct leaf *at, size_t level) {
  if (at->cross == NULL) {
    tacit_formula_number(at->f, worth(at, level));
    return;
  }
  const tacit_schema *schema = at->f->schema;
  const tacit_column *column = &schema->columns[at->cross->columns[at->depth]];
  struct leaf next = *at;
  next.index = at->index * tacit_cross_levels(column) + level;
  ++next.depth;
  if (next.depth < at->cross->n_columns)
    put_column(&next, at->cross->columns[next.depth]);
  else
    tacit_formula_number(
        at->f, tacit_formula_cross_worth(at->f, at->cross, next.index, at->output));
}

static void put_number(const tacit_formula *f, size_t column, int is_date) {
  if (is_date)
    tacit_formula_days(f, column);
  else
    tacit_formula_cell(f, column);
}

/* Writes the mapped number, within its bounds. */
static void put_mapped(const tacit_formula *f, const tacit_curve *curve, size_t column,
                       int is_date) {
  if (curve->map == TACIT_MAP_LOG || curve->map == TACIT_MAP_LOG1P)
    tacit_formula_function(f, "ln");
  if (curve->map == TACIT_MAP_SQRT) tacit_formula_function(f, "sqrt");
  (void)fputs(curve->map == TACIT_MAP_LOG1P ? "(1 + " : "(", f->to);
  put_number(f, column, is_date);
  (void)fputc(')', f->to);
}

/* Writes (mapped - from) / width. */
static void put_share(const tacit_formula *f, const tacit_curve *curve, size_t column,
                      int is_date, double from, double width) {
  (void)fputs("((", f->to);
  put_mapped(f, curve, column, is_date);
  (void)fputs(" - ", f->to);
  tacit_formula_number(f, from);
  (void)fputs(") / ", f->to);
  tacit_formula_number(f, width);
  (void)fputc(')', f->to);
}

/* Returns 1 if the square of the line beside hats must be added. A margin has the line
   in the values of the knots. */
static int adds_line(const struct leaf *at, const tacit_curve *curve) {
  return curve->has_line && at->cross == NULL && at->output == TACIT_FORMULA_SQUARES;
}

/* Writes a line `size` times as high, or its square if `power` is 2. */
static void put_power(const tacit_formula *f, const tacit_curve *curve, size_t column,
                      int is_date, double size, int power) {
  for (int i = 0; i < power; ++i) {
    (void)fputs(i > 0 ? " * (" : "(", f->to);
    tacit_formula_number(f, size * curve->low);
    (void)fputs(" + ", f->to);
    tacit_formula_number(f, size * (1 - curve->low));
    (void)fputs(" * ", f->to);
    put_share(f, curve, column, is_date, curve->start, curve->width);
    (void)fputc(')', f->to);
  }
}

/* Writes the value between two knots: (1 - share) left + share right, or the sum of the
   squares of both terms. */
static void put_between(const struct leaf *at, const tacit_curve *curve, size_t column,
                        int is_date, size_t left) {
  const tacit_formula *f = at->f;
  double from = curve->at[left], width = curve->at[left + 1] - from;
  for (size_t side = 0; side < 2; ++side) {
    int times = at->output == TACIT_FORMULA_SQUARES ? 2 : 1;
    (void)fputs(side == 0 ? "(" : " + ", f->to);
    for (int i = 0; i < times; ++i) {
      (void)fputs(side == 0 ? "(1 - " : "(", f->to);
      put_share(f, curve, column, is_date, from, width);
      (void)fputs(") * ", f->to);
    }
    put_level(at, left + side);
  }
  if (adds_line(at, curve)) {
    (void)fputs(" + ", f->to);
    put_power(f, curve, column, is_date, TACIT_CURVE_LINE, 2);
  }
  (void)fputc(')', f->to);
}

/* Writes a line: w (low + (1 - low) share), or its square. */
static void put_line(const struct leaf *at, const tacit_curve *curve, size_t column,
                     int is_date) {
  const tacit_formula *f = at->f;
  int squares = at->output == TACIT_FORMULA_SQUARES;
  (void)fputc('(', f->to);
  put_power(f, curve, column, is_date, 1, 1 + squares);
  (void)fputs(" * ", f->to);
  put_level(at, 0);
  (void)fputc(')', f->to);
}

/* Returns the value of a line at a bound. */
static double line_at(const struct leaf *at, const tacit_curve *curve, int is_max) {
  double value = is_max ? 1 : curve->low;
  return at->output == TACIT_FORMULA_SQUARES ? value * value : value * worth(at, 0);
}

static void put_bound(const struct leaf *at, const tacit_curve *curve, int is_max) {
  if (curve->shape == TACIT_TERM_LINE)
    tacit_formula_number(at->f, line_at(at, curve, is_max));
  else if (adds_line(at, curve))
    tacit_formula_number(at->f, 1 + TACIT_CURVE_LINE * TACIT_CURVE_LINE);
  else if (curve->shape == TACIT_TERM_HATS)
    put_level(at, is_max ? curve->n_points - 1 : 0);
  else
    put_level(at, is_max ? curve->n_points - 2 : 0);
}

/* Writes a curve. Branches for the bounds come first, so that logarithms and roots see
   only numbers that the schema allows. Cells are compared with edges in their own
   units, because the logarithms of two languages may differ in the last digit. */
static void put_curve(const struct leaf *at, const tacit_curve *curve, size_t column,
                      int is_date) {
  const tacit_formula *f = at->f;
  for (int is_max = 0; is_max < 2; ++is_max) {
    tacit_formula_when(f, 0);
    put_number(f, column, is_date);
    (void)fputs(is_max ? " >= " : " <= ", f->to);
    tacit_formula_number(f, is_max ? curve->max : curve->min);
    tacit_formula_then(f);
    put_bound(at, curve, is_max);
  }
  size_t intervals = curve->shape == TACIT_TERM_LINE ? 1 : curve->n_points - 1;
  for (size_t i = 0; i < intervals; ++i) {
    if (i + 1 < intervals) {
      tacit_formula_when(f, 0);
      put_number(f, column, is_date);
      (void)fputs(" < ", f->to);
      tacit_formula_number(f, tacit_formula_edge(curve, i + 1));
      tacit_formula_then(f);
    } else {
      tacit_formula_otherwise(f);
    }
    if (curve->shape == TACIT_TERM_LINE)
      put_line(at, curve, column, is_date);
    else if (curve->shape == TACIT_TERM_STEPS)
      put_level(at, i);
    else
      put_between(at, curve, column, is_date, i);
  }
}

/* Writes what a missing cell adds that counts as a number. */
static void put_missing_number(const struct leaf *at, const tacit_curve *curve) {
  const tacit_formula *f = at->f;
  double value = at->column->missing_number;
  if (curve->shape == TACIT_TERM_LINE) {
    double line = tacit_curve_line(curve, value);
    tacit_formula_number(f, at->output == TACIT_FORMULA_SQUARES ? line * line
                                                                : line * worth(at, 0));
    return;
  }
  double mapped = tacit_curve_mapped(curve, value);
  size_t place = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_STEPS) {
    put_level(at, place);
    return;
  }
  double right = tacit_curve_between(curve, mapped, place);
  int squares = at->output == TACIT_FORMULA_SQUARES;
  for (size_t side = 0; side < 2; ++side) {
    double share = side == 0 ? 1 - right : right;
    (void)fputs(side == 0 ? "(" : " + ", f->to);
    tacit_formula_number(f, squares ? share * share : share);
    (void)fputs(" * ", f->to);
    put_level(at, place + side);
  }
  if (adds_line(at, curve)) {
    double line = tacit_curve_beside(curve, mapped);
    (void)fputs(" + ", f->to);
    tacit_formula_number(f, line * line);
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
  for (int i = part + 1; i < TACIT_DATE_PARTS; ++i) {
    if ((column->parts & 1u << i) != 0)
      return column->part_first[i] - column->part_first[part];
  }
  return end - column->part_first[part];
}

static void put_date_part(const struct leaf *at, size_t column, int part) {
  const tacit_formula *f = at->f;
  const tacit_column *c = at->column;
  int first_value =
      part == TACIT_DATE_YEAR ? tacit_date_of((int64_t)c->curve.min).year : 1;
  for (int is_max = 0; is_max < 2; ++is_max) {
    double bound = is_max ? c->curve.max : c->curve.min;
    tacit_formula_when(f, 0);
    tacit_formula_days(f, column);
    (void)fputs(is_max ? " >= " : " <= ", f->to);
    tacit_formula_number(f, bound);
    tacit_formula_then(f);
    put_level(at, date_level(c, part, bound));
  }
  size_t count = part_inputs(c, part);
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count) {
      tacit_formula_when(f, 0);
      tacit_formula_date_part(f, column, part);
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

/* Writes the branch of a missing cell. `part` is the part of a date, else -1. */
static void put_missing(const struct leaf *at, size_t column, int part) {
  const tacit_formula *f = at->f;
  const tacit_column *c = &f->schema->columns[column];
  tacit_formula_when(f, 1);
  tacit_formula_is_missing(f, column);
  tacit_formula_then(f);
  if (c->missing == TACIT_MISSING_REFUSED) {
    tacit_formula_nothing(f);
  } else if (c->missing == TACIT_MISSING_OWN) {
    struct leaf own = *at;
    own.part = 0;
    /* Only the first part of a date counts the input of missing cells. */
    if (c->type == TACIT_COLUMN_DATE && part != first_part(c))
      tacit_formula_number(f, 0);
    else
      /* The input of missing cells is the last level. The line beside hats is no
         level. */
      put_level(&own, c->type == TACIT_COLUMN_ORDINAL || c->type == TACIT_COLUMN_BOOL
                          ? c->n_inputs
                      : c->type == TACIT_COLUMN_NUMERIC
                          ? c->n_inputs - 1 - (size_t)c->curve.has_line
                          : c->n_inputs - 1);
  } else if (c->type == TACIT_COLUMN_NUMERIC || part == TACIT_DATE_DAYS) {
    put_missing_number(at, &c->curve);
  } else {
    put_level(at, c->type == TACIT_COLUMN_DATE ? date_level(c, part, c->missing_number)
                                               : (size_t)c->missing_number);
  }
}

static void put_values(const struct leaf *at, size_t column) {
  const tacit_formula *f = at->f;
  const tacit_column *c = &f->schema->columns[column];
  int is_category = c->type == TACIT_COLUMN_CATEGORY;
  for (size_t i = 0; i < c->n_sorted; ++i) {
    tacit_formula_when(f, is_category && i == 0);
    tacit_formula_is_text(f, column, c->sorted[i].text);
    tacit_formula_then(f);
    put_level(at, c->sorted[i].number);
  }
  tacit_formula_otherwise(f);
  if (is_category)
    put_level(at, c->n_values);
  else
    tacit_formula_nothing(f);
}

static void put_column(const struct leaf *at, size_t column) {
  const tacit_formula *f = at->f;
  const tacit_column *c = &f->schema->columns[column];
  struct leaf here = *at;
  here.column = c;
  tacit_formula_open(f);
  switch (c->type) {
  case TACIT_COLUMN_CATEGORY: put_values(&here, column); break;
  case TACIT_COLUMN_ORDINAL:
    put_missing(&here, column, -1);
    put_values(&here, column);
    break;
  case TACIT_COLUMN_BOOL:
    put_missing(&here, column, -1);
    tacit_formula_when(f, 0);
    tacit_formula_is_true(f, column);
    tacit_formula_then(f);
    put_level(&here, 1);
    tacit_formula_otherwise(f);
    put_level(&here, 0);
    break;
  default:
    put_missing(&here, column, -1);
    put_curve(&here, &c->curve, column, 0);
    break;
  }
  tacit_formula_close(f);
}

static void put_date(const struct leaf *at, size_t column) {
  const tacit_formula *f = at->f;
  const tacit_column *c = &f->schema->columns[column];
  struct leaf here = *at;
  const char *sign = "(";
  here.column = c;
  for (int part = 0; part < TACIT_DATE_PARTS; ++part) {
    if ((c->parts & 1u << part) == 0) continue;
    (void)fputs(sign, f->to);
    sign = " + ";
    here.part = c->part_first[part];
    tacit_formula_open(f);
    put_missing(&here, column, part);
    if (part == TACIT_DATE_DAYS)
      put_curve(&here, &c->curve, column, 1);
    else
      put_date_part(&here, column, part);
    tacit_formula_close(f);
  }
  (void)fputc(')', f->to);
}

void tacit_formula_column(const tacit_formula *f, size_t column, int output) {
  struct leaf at = {.f = f, .output = output};
  if (f->schema->columns[column].type == TACIT_COLUMN_DATE)
    put_date(&at, column);
  else
    put_column(&at, column);
}

void tacit_formula_cross(const tacit_formula *f, size_t cross, int output) {
  struct leaf at = {.f = f, .output = output, .cross = &f->schema->crosses[cross]};
  put_column(&at, at.cross->columns[0]);
}
