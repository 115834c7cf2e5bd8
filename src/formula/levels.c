/* SPDX-License-Identifier: MIT */
/* The numbers of a formula: what a level of a column is worth, and where it begins. */
#include <math.h>

#include "formula/formula.h"

static double weight(const tacit_formula *f, int output, size_t input) {
  return f->model->weights[(size_t)output * f->schema->features + input];
}

double tacit_formula_worth(const tacit_formula *f, const tacit_column *column,
                           size_t part, size_t level, int output) {
  int squares = output == TACIT_FORMULA_SQUARES;
  size_t own = column->missing == TACIT_MISSING_OWN;
  int cumulative =
      column->type == TACIT_COLUMN_ORDINAL || column->type == TACIT_COLUMN_BOOL;
  size_t steps = column->n_inputs - own; /* inputs of ordered levels */
  if (!cumulative || level > steps) {
    size_t input = column->first + part + (cumulative ? level - 1 : level);
    return squares ? 1 : weight(f, output, input);
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
  /* mapped(low) < at[point] <= mapped(high), until no double is between them */
  for (;;) {
    double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    if (tacit_curve_mapped(curve, middle) >= curve->at[point])
      high = middle;
    else
      low = middle;
  }
}
