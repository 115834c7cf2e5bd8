/* SPDX-License-Identifier: MIT */
/* Writes what a column or a cross adds to a margin, or to the square of a row's norm. A
   cell chooses a level, or a piece of a line. A cross is a choice within a choice. */
#include <math.h>

#include "data/schema/date.h"
#include "data/schema/parts.h"
#include "extra/export/formula.h"

/* The place in a formula where a level is known. */
struct leaf {
  const tacit_formula *f;
  int output;
  const tacit_cross *cross; /* NULL for a column alone */
  size_t depth, index;      /* of a cross: columns decided, combination so far */
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
static void put_number(const struct leaf *at, int is_double) {
  if (column_of(at)->type == TACIT_COLUMN_DATE)
    tacit_formula_days(at->f, at->column);
  else
    tacit_formula_cell(at->f, at->column, is_double);
}

/* Writes the branch of cells that compare with a number in this way. A cell of SQLite
   may be a text, which would be compared as one. A number that need not be exact, since
   the values on both sides of it are nearly equal, has fewer digits. */
static void put_when(const struct leaf *at, const char *compares, double number,
                     int is_exact) {
  const tacit_formula *f = at->f;
  tacit_spelt spelt = tacit_formula_spell(f, number);
  if (!is_exact || number == rint(number))
    (void)snprintf(spelt.text, sizeof spelt.text, "%.*g", is_exact ? 17 : 13, number);
  tacit_formula_when(f, 0);
  put_number(at, f->language == TACIT_LANGUAGE_SQLITE);
  tacit_formula_put(f, "%s%s", compares, spelt.text);
  tacit_formula_then(f);
}

/* Writes the mapped number, within its bounds. */
static void put_mapped(const struct leaf *at) {
  tacit_number_map map = curve_of(at)->map;
  if (map == TACIT_MAP_LOG || map == TACIT_MAP_LOG1P)
    tacit_formula_function(at->f, "ln");
  if (map == TACIT_MAP_SQRT) tacit_formula_function(at->f, "sqrt");
  (void)fputs(map == TACIT_MAP_LOG1P ? "(1 + " : "(", at->f->to);
  put_number(at, 1);
  (void)fputc(')', at->f->to);
}

/* Writes (mapped - from) / width, or mapped - from if the width is 1. PostgreSQL fails
   where a product is too small for a double: nothing is that near to 0 there. */
static void put_share(const struct leaf *at, double from, double width) {
  if (from == 0 && at->f->language == TACIT_LANGUAGE_POSTGRESQL) from = -1e-140;
  (void)fputs(width != 1 ? "((" : "(", at->f->to);
  put_mapped(at);
  tacit_formula_put(at->f, " - %s)", tacit_formula_spell(at->f, from).text);
  if (width != 1)
    tacit_formula_put(at->f, " / %s)", tacit_formula_spell(at->f, width).text);
}

/* Returns what a number between two points adds, `right` of the way from the left one.
   A line has one interval. A margin has the line beside hats in the values of the
   knots; the square of a row's norm has its square. */
static double between(const struct leaf *at, size_t left, double right) {
  const tacit_curve *curve = curve_of(at);
  int power = 1 + squares(at);
  if (curve->shape == TACIT_TERM_STEPS) return worth(at, left);
  if (curve->shape == TACIT_TERM_LINE)
    return pow(curve->low + (1 - curve->low) * right, power) * worth(at, 0);
  double sum = pow(1 - right, power) * worth(at, left) +
               (right > 0 ? pow(right, power) * worth(at, left + 1) : 0);
  if (!curve->has_line || power == 1) return sum;
  double mapped = curve->at[left] + right * (curve->at[left + 1] - curve->at[left]);
  return sum + pow(tacit_curve_scale(curve) * tacit_curve_beside(curve, mapped), 2);
}

/* Writes the value between two points as a polynomial of the mapped number: a line for
   a margin, a parabola for squares. */
static void put_polynomial(const struct leaf *at, size_t left, double from, double to) {
  const tacit_formula *f = at->f;
  double y0 = between(at, left, 0), y1 = between(at, left, 1), width = to - from;
  if (squares(at)) {
    double middle = between(at, left, 0.5), bend = 2 * (y0 + y1 - 2 * middle);
    tacit_formula_put(f, "%s + ", tacit_formula_spell(f, y0).text);
    put_share(at, from, width);
    tacit_formula_put(f, " * (%s + %s * ", tacit_formula_spell(f, y1 - y0 - bend).text,
                      tacit_formula_spell(f, bend).text);
    put_share(at, from, width);
    (void)fputc(')', f->to);
    return;
  }
  double slope = (y1 - y0) / width;
  /* A line is given at 0 unless that is far away. */
  double origin = fabs(slope * from) <= 8 * (fabs(y0) + fabs(y1)) ? 0 : from;
  double length = fmax(2, fmax(fabs(from - origin), fabs(to - origin)));
  tacit_formula_number(f, y0 + slope * (origin - from));
  tacit_formula_put(f, slope < 0 ? "-%s*" : "+%s*",
                    tacit_formula_value(f, fabs(slope), length).text);
  if (origin != 0 || f->language == TACIT_LANGUAGE_POSTGRESQL)
    put_share(at, origin, 1);
  else if (curve_of(at)->map == TACIT_MAP_LINEAR)
    put_number(at, 0);
  else
    put_mapped(at);
}

/* Writes the value between two knots within a cross, where knots have expressions:
   (1 - share) left + share right, or the sum of the squares of both terms. */
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
  (void)fputc(')', at->f->to);
}

/* Writes the value of a bound: in a cross the expression of a level. */
static void put_point(const struct leaf *at, size_t left, int right) {
  if (at->cross == NULL)
    tacit_formula_number(at->f, between(at, left, right));
  else
    put_level(at, left + (size_t)right);
}

/* Writes the branches of the atoms. An atom at a bound also has the numbers beyond. */
static void put_atoms(const struct leaf *at) {
  const tacit_curve *curve = curve_of(at);
  const char *equals = tacit_formula_is_sql(at->f) ? "=" : "==";
  for (size_t i = 0; i < curve->n_atoms; ++i) {
    double atom = curve->atoms[i];
    put_when(at,
             atom == curve->min   ? "<="
             : atom == curve->max ? ">="
                                  : equals,
             atom, 1);
    put_level(at, tacit_curve_rest(curve) - (size_t)curve->has_line + i);
  }
}

/* Writes a curve. Branches for the bounds come first, so that logarithms and roots see
   only numbers that the schema allows. Cells are compared with edges in their own
   units, because the logarithms of two languages may differ in the last digit. */
static void put_curve(const struct leaf *at) {
  const tacit_curve *curve = curve_of(at);
  int is_line = curve->shape == TACIT_TERM_LINE;
  int is_steps = curve->shape == TACIT_TERM_STEPS;
  size_t intervals = is_line ? 1 : curve->n_points - 1;
  put_atoms(at);
  put_when(at, "<=", curve->min, 1);
  put_point(at, 0, 0);
  put_when(at, ">=", curve->max, 1);
  put_point(at, intervals - 1, !is_steps);
  for (size_t i = 0; i < intervals; ++i) {
    if (i + 1 < intervals)
      put_when(at, "<", tacit_formula_edge(curve, i + 1),
               is_steps || at->cross != NULL);
    else
      tacit_formula_otherwise(at->f);
    if (is_steps)
      put_level(at, i);
    else if (at->cross != NULL)
      put_between(at, i);
    else
      put_polynomial(at, i, is_line ? curve->start : curve->at[i],
                     is_line ? curve->start + curve->width : curve->at[i + 1]);
  }
}

/* Writes what a missing cell adds that counts as a number. */
static void put_missing_number(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_curve *curve = curve_of(at);
  double value = column_of(at)->missing_number;
  double mapped = tacit_curve_mapped(curve, value);
  size_t atom = tacit_curve_atom(curve, value), left = 0;
  double right = (mapped - curve->start) / curve->width;
  if (atom < curve->n_atoms) {
    put_level(at, tacit_curve_rest(curve) - (size_t)curve->has_line + atom);
    return;
  }
  if (curve->shape != TACIT_TERM_LINE) left = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_HATS) right = tacit_curve_between(curve, mapped, left);
  if (at->cross == NULL) {
    tacit_formula_number(f, between(at, left, right));
    return;
  }
  if (curve->shape == TACIT_TERM_STEPS) {
    put_level(at, left);
    return;
  }
  for (size_t side = 0; side < 2; ++side) {
    double share = side == 0 ? 1 - right : right;
    tacit_formula_put(f, side == 0 ? "(%s * " : " + %s * ",
                      tacit_formula_spell(f, squares(at) ? share * share : share).text);
    put_level(at, left + side);
  }
  (void)fputc(')', f->to);
}

static void put_date_part(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_column *column = column_of(at);
  int first_value =
      at->part == TACIT_DATE_YEAR ? tacit_date_of((int64_t)column->curve.min).year : 1;
  put_when(at, "<=", column->curve.min, 1);
  put_level(at, tacit_formula_date_level(column, at->part, column->curve.min));
  put_when(at, ">=", column->curve.max, 1);
  put_level(at, tacit_formula_date_level(column, at->part, column->curve.max));
  size_t count = tacit_formula_date_levels(column, at->part);
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

/* Returns 1 if NULL gives no score without a branch of its own: the last branch is
   computed from the cell, or is NULL. */
static int needs_no_branch(const struct leaf *at) {
  const tacit_column *column = column_of(at);
  if (column->missing != TACIT_MISSING_REFUSED || !tacit_formula_is_sql(at->f))
    return 0;
  if (column->type == TACIT_COLUMN_NUMERIC || at->part == TACIT_DATE_DAYS)
    return column->curve.shape != TACIT_TERM_STEPS;
  return column->type == TACIT_COLUMN_ORDINAL;
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
    put_level(at, tacit_formula_date_level(column, at->part, column->missing_number));
  else
    put_level(at, (size_t)column->missing_number);
}

static void put_values(const struct leaf *at) {
  const tacit_formula *f = at->f;
  const tacit_column *column = column_of(at);
  int is_category = column->type == TACIT_COLUMN_CATEGORY;
  tacit_formula_open_text(f, at->column,
                          is_category && column->n_sorted > 0 &&
                              *column->sorted[0].text == '\0');
  for (size_t i = 0; i < column->n_sorted; ++i) {
    tacit_formula_when_text(f, i == 0, at->column, column->sorted[i].text);
    put_level(at, column->sorted[i].number);
  }
  tacit_formula_otherwise(f);
  if (is_category)
    put_level(at, column->n_values);
  else
    tacit_formula_nothing(f);
  tacit_formula_close(f);
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
  int is_text = type == TACIT_COLUMN_CATEGORY || type == TACIT_COLUMN_ORDINAL;
  int has_branch = type != TACIT_COLUMN_CATEGORY && !needs_no_branch(at);
  if (!is_text || has_branch) tacit_formula_open(at->f);
  if (has_branch) put_missing(at);
  if (is_text) {
    if (has_branch) tacit_formula_otherwise(at->f);
    put_values(at);
    if (!has_branch) return;
  } else if (type == TACIT_COLUMN_BOOL) {
    put_truth(at);
  } else if (type == TACIT_COLUMN_DATE && at->part != TACIT_DATE_DAYS) {
    put_date_part(at);
  } else {
    put_curve(at);
  }
  tacit_formula_close(at->f);
}

void tacit_formula_column(const tacit_formula *f, size_t number, int output) {
  const tacit_column *column = &f->schema->columns[number];
  struct leaf at = {.f = f, .output = output, .column = number, .part = -1};
  const char *sign = "(";
  if (column->type == TACIT_COLUMN_CATEGORY && squares(&at)) {
    tacit_formula_number(f, 1);
    return;
  }
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
