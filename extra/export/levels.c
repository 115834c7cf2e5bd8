/* SPDX-License-Identifier: MIT */
/* Computes the numbers of a formula: what a level of a column adds, and where it
   begins. */
#include <math.h>

#include "base/numbers.h"
#include "data/schema/date.h"
#include "data/schema/parts.h"
#include "extra/export/formula.h"

static double weight(const tacit_formula *f, int output, size_t input) {
  return f->unit * f->model->weights[(size_t)output * f->schema->features + input];
}

/* Returns 1 if a level is a knot of hats with a line beside them. `part` is the first
   input of a part of a date, else 0. */
static int is_on_line(const tacit_column *column, size_t part, size_t level) {
  if (!column->curve.has_line || level >= column->curve.n_points) return 0;
  return column->type == TACIT_COLUMN_NUMERIC ||
         (column->parts == 1u << TACIT_DATE_DAYS ||
          (part > 0 && part == column->part_first[TACIT_DATE_DAYS]));
}

/* Returns the value at a knot of a broken line, which is the sum of hats and a line:
   the weight of the hat plus the value of the line. */
static double knot(const tacit_formula *f, const tacit_column *column, size_t part,
                   size_t level, int output) {
  const tacit_curve *curve = &column->curve;
  size_t first = column->first + part;
  return weight(f, output, first + level) +
         weight(f, output, first + curve->n_points) *
             tacit_curve_beside(curve, curve->at[level]);
}

double tacit_formula_worth(const tacit_formula *f, const tacit_column *column,
                           size_t part, size_t level, int output) {
  int squares = output == TACIT_FORMULA_SQUARES;
  size_t own = column->missing == TACIT_MISSING_OWN;
  int cumulative =
      column->type == TACIT_COLUMN_ORDINAL || column->type == TACIT_COLUMN_BOOL;
  size_t steps = column->n_inputs - own; /* inputs of ordered levels */
  if (!cumulative || level > steps) {
    size_t input = cumulative ? level - 1 : tacit_level_input(column, level);
    double scale =
        column->type == TACIT_COLUMN_NUMERIC && input < tacit_curve_rest(&column->curve)
            ? tacit_curve_scale(&column->curve)
            : 1;
    if (squares) return scale * scale;
    return scale * (is_on_line(column, part, level)
                        ? knot(f, column, part, level, output)
                        : weight(f, output, column->first + part + input));
  }
  double size = 1 / sqrt((double)steps), sum = 0;
  for (size_t i = 0; i < level; ++i)
    sum += squares ? size * size : size * weight(f, output, column->first + i);
  return sum;
}

double tacit_formula_cross_worth(const tacit_formula *f, const tacit_cross *cross,
                                 size_t combination, int output) {
  return output == TACIT_FORMULA_SQUARES
             ? 1
             : weight(f, output, cross->first + combination);
}

double tacit_formula_edge(const tacit_curve *curve, size_t point) {
  double low = curve->min, high = curve->max;
  if (curve->map == TACIT_MAP_LINEAR) return curve->at[point];
  /* Keeps mapped(low) < at[point] <= mapped(high). */
  TACIT_HALVE(double, low, high,
              !(tacit_curve_mapped(curve, middle) >= curve->at[point]));
  return high;
}

size_t tacit_formula_date_level(const tacit_column *column, int part, double day) {
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

size_t tacit_formula_date_levels(const tacit_column *column, int part) {
  size_t end = column->n_inputs - (column->missing == TACIT_MISSING_OWN);
  for (int i = part + 1; i < TACIT_DATE_PARTS; ++i)
    if ((column->parts & 1u << i) != 0)
      return column->part_first[i] - column->part_first[part];
  return end - column->part_first[part];
}
