/* SPDX-License-Identifier: MIT */
/*
 * Writes the columns of an ONNX model, in doubles. The cell of a column becomes the
 * number of a level (two neighbouring levels with shares for a hat), and a table has
 * the value of each level. A level that the schema refuses has the value NAN, and so
 * has the score. A date becomes the number of a day between its bounds: its table has
 * one row per day.
 */
#include "extra/export/onnx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/cell.h"
#include "data/schema/parts.h"

enum { MAX_TABLE = 1 << 24 /* limit on the numbers in the table of a date */ };

static tacit_value node(tacit_onnx *o, const char *operation, tacit_value a,
                        tacit_value b) {
  return tacit_graph_node(&o->graph, operation, a, b, 0);
}

/* Adds choose ? a : b for each row. */
static tacit_value choose(tacit_onnx *o, tacit_value where, tacit_value a,
                          tacit_value b) {
  return tacit_graph_node(&o->graph, "Where", where, a, b);
}

static tacit_value number(tacit_onnx *o, double value) {
  return tacit_graph_number(&o->graph, value);
}

static tacit_value whole(tacit_onnx *o, size_t value) {
  int64_t one = (int64_t)value;
  return tacit_graph_wholes(&o->graph, &one, 1);
}

static void add_to(tacit_onnx *o, tacit_value *sum, tacit_value term) {
  *sum = *sum != 0 ? node(o, "Add", *sum, term) : term;
}

/* Returns what a level of `of`, a column or a cross, adds to an output, or to the
   square of the norm of a row for TACIT_FORMULA_SQUARES. NAN refuses the row. */
typedef double (*worth_of)(const tacit_onnx *o, const void *of, size_t level,
                           int output);

/* Adds a table with a row per level from `first` on, and a column per output, or one
   for the squares. */
static tacit_value table_of(tacit_onnx *o, worth_of worth, const void *of, size_t first,
                            size_t rows, int squares) {
  size_t columns = squares ? 1 : o->outputs;
  double *values = tacit_array_new(rows, columns * sizeof *values);
  if (values == NULL) {
    o->graph.body.failed = 1;
    return 0;
  }
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k)
      values[i * columns + k] =
          worth(o, of, first + i, squares ? TACIT_FORMULA_SQUARES : (int)k);
  tacit_value table = tacit_graph_table(&o->graph, values, rows, columns);
  tacit_array_free(values);
  return table;
}

/* Picks the rows of a table that `index` chooses, one per input row. */
static tacit_value rows_of(tacit_onnx *o, tacit_value table, tacit_value index,
                           size_t columns) {
  const int64_t shape[] = {-1, (int64_t)columns};
  return node(o, "Reshape", node(o, "Gather", table, index),
              tacit_graph_wholes(&o->graph, shape, 2));
}

/* Adds the values of the chosen levels to the sums. `of` has `count` levels. */
static void add_levels(tacit_onnx *o, const tacit_onnx_levels *levels, worth_of worth,
                       const void *of, size_t count) {
  tacit_value worths = table_of(o, worth, of, 0, count, 0);
  tacit_value squares = o->scales ? table_of(o, worth, of, 0, count, 1) : 0;
  for (size_t i = 0; i < levels->count; ++i) {
    tacit_value share = levels->share[i];
    tacit_value term = rows_of(o, worths, levels->index[i], o->outputs);
    add_to(o, &o->margins, share != 0 ? node(o, "Mul", share, term) : term);
    if (!o->scales) continue;
    term = rows_of(o, squares, levels->index[i], 1);
    if (share != 0) term = node(o, "Mul", node(o, "Mul", share, share), term);
    add_to(o, &o->squares, term);
  }
}

/* Returns how many levels a column has. A line has one, besides atoms and missing
   cells. */
static size_t levels_of(const tacit_column *column) {
  return column->type == TACIT_COLUMN_NUMERIC && column->curve.shape == TACIT_TERM_LINE
             ? column->n_inputs
             : tacit_cross_levels(column);
}

/* Returns the worth of a level of a column. The level after the last is refused. */
static double column_worth(const tacit_onnx *o, const void *of, size_t level,
                           int output) {
  if (level == levels_of(of)) return (double)NAN;
  return tacit_formula_worth(&o->f, of, 0, level, output);
}

static void add_column(tacit_onnx *o, const tacit_column *column,
                       const tacit_onnx_levels *levels) {
  add_levels(o, levels, column_worth, column, levels_of(column) + 1);
}

/* Returns the level of a missing cell that does not count as a number. */
static size_t missing_level(const tacit_column *column, size_t count) {
  if (column->missing == TACIT_MISSING_REFUSED) return count;
  return column->missing == TACIT_MISSING_OWN ? count - 1
                                              : (size_t)column->missing_number;
}

/* Adds a number within its bounds. *out_missing is true where it is missing. */
static tacit_value read_number(tacit_onnx *o, const tacit_column *column,
                               tacit_value *out_missing) {
  const tacit_curve *curve = &column->curve;
  int has_value = column->missing == TACIT_MISSING_VALUE;
  tacit_value cell = tacit_graph_input(&o->graph, column->name, TACIT_ONNX_DOUBLE, 1);
  *out_missing = node(o, "IsNaN", cell, 0);
  cell = choose(o, *out_missing,
                number(o, has_value ? column->missing_number : curve->min), cell);
  cell = node(o, "Max", cell, number(o, curve->min));
  return node(o, "Min", cell, number(o, curve->max));
}

static tacit_value map_number(tacit_onnx *o, const tacit_curve *curve,
                              tacit_value cell) {
  switch (curve->map) {
  case TACIT_MAP_LINEAR: break;
  case TACIT_MAP_LOG: return node(o, "Log", cell, 0);
  case TACIT_MAP_LOG1P: return node(o, "Log", node(o, "Add", number(o, 1), cell), 0);
  case TACIT_MAP_SQRT: return node(o, "Sqrt", cell, 0);
  }
  return cell;
}

/* Computes the value of a line at a mapped number. */
static tacit_value line_of(tacit_onnx *o, const tacit_curve *curve,
                           tacit_value mapped) {
  tacit_value share = node(o, "Div", node(o, "Sub", mapped, number(o, curve->start)),
                           number(o, curve->width));
  return node(o, "Add", node(o, "Mul", share, number(o, 1 - curve->low)),
              number(o, curve->low));
}

static tacit_value is_atom(tacit_onnx *o, const tacit_curve *curve, tacit_value cell,
                           size_t i) {
  return node(o, "Equal", cell, number(o, curve->atoms[i]));
}

/* Returns `at_atom` where the cell is an atom, else `value`. */
static tacit_value at_atoms(tacit_onnx *o, const tacit_curve *curve, tacit_value cell,
                            double at_atom, tacit_value value) {
  for (size_t i = 0; i < curve->n_atoms; ++i)
    value = choose(o, is_atom(o, curve, cell, i), number(o, at_atom), value);
  return value;
}

/* Computes the interval of a curve: the number of edges that a cell reaches. */
static tacit_value find_interval(tacit_onnx *o, const tacit_curve *curve,
                                 tacit_value cell) {
  size_t last = curve->n_points - 1;
  double *edges = tacit_array_new(last, sizeof *edges);
  if (edges == NULL) {
    o->graph.body.failed = 1;
    return cell;
  }
  for (size_t i = 1; i < last; ++i)
    edges[i - 1] = tacit_formula_edge(curve, i);
  edges[last - 1] = INFINITY; /* the last interval has no end */
  tacit_value reached =
      node(o, "GreaterOrEqual", cell, tacit_graph_table(&o->graph, edges, 1, last));
  tacit_array_free(edges);
  return node(o, "ReduceSum", tacit_graph_whole_of(&o->graph, reached), whole(o, 1));
}

/* Computes the shares of the two knots around a number. */
static void split(tacit_onnx *o, const tacit_curve *curve, tacit_value mapped,
                  tacit_onnx_levels *levels) {
  size_t intervals = curve->n_points - 1;
  double *width = tacit_array_new(intervals, sizeof *width);
  if (width == NULL) {
    o->graph.body.failed = 1;
    return;
  }
  for (size_t i = 0; i < intervals; ++i)
    width[i] = curve->at[i + 1] - curve->at[i];
  tacit_value at = tacit_graph_table(&o->graph, curve->at, intervals, 1);
  tacit_value widths = tacit_graph_table(&o->graph, width, intervals, 1);
  tacit_value right = node(o, "Sub", mapped, rows_of(o, at, levels->index[0], 1));
  right = node(o, "Div", right, rows_of(o, widths, levels->index[0], 1));
  levels->index[1] = node(o, "Add", levels->index[0], whole(o, 1));
  levels->share[0] = node(o, "Sub", number(o, 1), right);
  levels->share[1] = right;
  levels->count = 2;
  tacit_array_free(width);
}

/* Adds the square of the line beside hats; the values of the knots contain its margin.
   A missing cell has no line unless it counts as a number. */
static void add_line_square(tacit_onnx *o, const tacit_column *column, tacit_value cell,
                            tacit_value mapped, tacit_value missing) {
  const tacit_curve *curve = &column->curve;
  if (!o->scales || !curve->has_line) return;
  tacit_value line = node(o, "Mul", line_of(o, curve, mapped),
                          number(o, tacit_curve_scale(curve) * TACIT_CURVE_LINE));
  tacit_value square = at_atoms(o, curve, cell, 0, node(o, "Mul", line, line));
  if (column->missing != TACIT_MISSING_VALUE)
    square = choose(o, missing, number(o, 0), square);
  add_to(o, &o->squares, square);
}

/* Adds a number. A line is a level whose share is the value of the line. */
static void add_numeric(tacit_onnx *o, const tacit_column *column,
                        tacit_onnx_levels *levels) {
  const tacit_curve *curve = &column->curve;
  int is_line = curve->shape == TACIT_TERM_LINE;
  tacit_value missing, cell = read_number(o, column, &missing);
  levels->index[0] = is_line ? whole(o, 0) : find_interval(o, curve, cell);
  levels->count = 1;
  if (curve->shape != TACIT_TERM_STEPS) {
    tacit_value mapped = map_number(o, curve, cell);
    if (is_line)
      levels->share[0] = line_of(o, curve, mapped);
    else
      split(o, curve, mapped, levels);
    for (size_t i = 0; i < levels->count; ++i)
      levels->share[i] = at_atoms(o, curve, cell, i == 0, levels->share[i]);
    add_line_square(o, column, cell, mapped, missing);
  }
  size_t level = tacit_curve_rest(curve) - (size_t)curve->has_line; /* of an atom */
  for (size_t i = 0; i < curve->n_atoms; ++i, ++level)
    levels->index[0] =
        choose(o, is_atom(o, curve, cell, i), whole(o, level), levels->index[0]);
  /* A missing cell is at the lower bound here, so the second knot has share 0. */
  if (column->missing != TACIT_MISSING_VALUE) {
    level = missing_level(column, levels_of(column));
    levels->index[0] = choose(o, missing, whole(o, level), levels->index[0]);
    if (is_line) levels->share[0] = choose(o, missing, number(o, 1), levels->share[0]);
  }
  add_column(o, column, levels);
}

static void add_bool(tacit_onnx *o, const tacit_column *column,
                     tacit_onnx_levels *levels) {
  tacit_value cell = tacit_graph_input(&o->graph, column->name, TACIT_ONNX_DOUBLE, 1);
  tacit_value is_no = node(o, "Equal", cell, number(o, 0));
  tacit_value level = tacit_graph_whole_of(&o->graph, node(o, "Not", is_no, 0));
  size_t missing = missing_level(column, tacit_cross_levels(column));
  levels->index[0] = choose(o, node(o, "IsNaN", cell, 0), whole(o, missing), level);
  levels->count = 1;
  add_column(o, column, levels);
}

/* Adds a column of categories or ordered values. */
static void add_texts(tacit_onnx *o, const tacit_column *column,
                      tacit_onnx_levels *levels) {
  const tacit_schema *schema = o->f.schema;
  int ordered = column->type == TACIT_COLUMN_ORDINAL;
  size_t most = column->n_sorted + schema->n_na + 1, count = tacit_cross_levels(column);
  tacit_graph_texts texts = {tacit_array_new(most, sizeof *texts.texts),
                             tacit_array_new(most, sizeof *texts.numbers), 0,
                             (int64_t)(ordered ? count : column->n_values)};
  if (texts.texts == NULL || texts.numbers == NULL) {
    o->graph.body.failed = 1;
  } else {
    for (size_t i = 0; i < column->n_sorted; ++i) {
      const char *value = column->sorted[i].text;
      if (ordered && tacit_schema_is_missing(schema, value, strlen(value))) continue;
      texts.texts[texts.count] = value;
      texts.numbers[texts.count++] = (int64_t)column->sorted[i].number;
    }
    for (size_t i = 0; ordered && i <= schema->n_na; ++i) {
      texts.texts[texts.count] = i < schema->n_na ? schema->na[i] : "";
      texts.numbers[texts.count++] = (int64_t)missing_level(column, count);
    }
    tacit_value cell = tacit_graph_input(&o->graph, column->name, TACIT_ONNX_STRING, 1);
    levels->index[0] = tacit_graph_text_numbers(&o->graph, cell, &texts);
    levels->count = 1;
    add_column(o, column, levels);
  }
  TACIT_FREE(texts.texts, texts.numbers);
}

/* Returns the number of days between the bounds of a date. */
static size_t days_of(const tacit_column *column) {
  return (size_t)(column->curve.max - column->curve.min) + 1;
}

/* Returns the worth of a day of a date; the last level stands for missing cells. */
static double day_worth(const tacit_onnx *o, const void *of, size_t level, int output) {
  const tacit_column *column = of;
  const double *weights = o->f.model->weights;
  double values[2 * TACIT_DATE_PARTS], sum = 0;
  uint32_t indices[2 * TACIT_DATE_PARTS];
  tacit_rows inputs = {.values = values, .indices = indices};
  size_t count = 0;
  int is_refused = 0;
  if (level < days_of(column))
    (void)tacit_cell_days(column, (int64_t)column->curve.min + (int64_t)level, &inputs,
                          &count);
  else
    is_refused = tacit_cell_missing(column, &inputs, &count) != NULL;
  if (is_refused && output >= 0) return (double)NAN;
  for (size_t i = 0; i < count; ++i)
    sum += values[i] *
           (output == TACIT_FORMULA_SQUARES
                ? values[i]
                : weights[(size_t)output * o->f.schema->features + indices[i]]);
  return sum;
}

static tacit_status add_date(tacit_onnx *o, const tacit_column *column,
                             tacit_error *err) {
  size_t days = days_of(column);
  if (days > MAX_TABLE / (o->outputs + 1))
    return tacit_fail(err, TACIT_EINVAL,
                      "column '%.100s' has too many days between its bounds for ONNX, "
                      "which needs a table of them",
                      column->name);
  tacit_value missing, cell = read_number(o, column, &missing);
  cell = node(o, "Sub", cell, number(o, column->curve.min));
  cell = tacit_graph_whole_of(&o->graph, cell);
  tacit_onnx_levels levels = {.count = 1};
  levels.index[0] = choose(o, missing, whole(o, days), cell);
  add_levels(o, &levels, day_worth, column, days + 1);
  return TACIT_OK;
}

tacit_status tacit_onnx_add_column(tacit_onnx *o, const tacit_column *column,
                                   tacit_onnx_levels *levels, tacit_error *err) {
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC: add_numeric(o, column, levels); break;
  case TACIT_COLUMN_BOOL: add_bool(o, column, levels); break;
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_ORDINAL: add_texts(o, column, levels); break;
  case TACIT_COLUMN_DATE: return add_date(o, column, err);
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_TEXT:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return TACIT_OK;
}

/* Combines the levels of the columns of a cross so far with the levels of one more
   column. */
static tacit_onnx_levels combine(tacit_onnx *o, const tacit_onnx_levels *before,
                                 const tacit_onnx_levels *column, size_t count) {
  tacit_onnx_levels all = {.count = before->count * column->count};
  for (size_t i = 0; i < all.count; ++i) {
    size_t a = i / column->count, b = i % column->count;
    /* A refused level has no place in the table; the score is NAN already. */
    tacit_value level = node(o, "Min", column->index[b], whole(o, count - 1));
    tacit_value left = before->share[a], right = column->share[b];
    all.index[i] =
        node(o, "Add", node(o, "Mul", before->index[a], whole(o, count)), level);
    all.share[i] = left != 0 && right != 0 ? node(o, "Mul", left, right) : left + right;
  }
  return all;
}

static double cross_worth(const tacit_onnx *o, const void *of, size_t level,
                          int output) {
  return tacit_formula_cross_worth(&o->f, of, level, output);
}

void tacit_onnx_add_cross(tacit_onnx *o, const tacit_cross *cross,
                          const tacit_onnx_levels *of_columns) {
  tacit_onnx_levels all = {.count = 1, .index = {whole(o, 0)}};
  for (size_t i = 0; i < cross->n_columns; ++i) {
    size_t column = cross->columns[i];
    all = combine(o, &all, &of_columns[column],
                  tacit_cross_levels(&o->f.schema->columns[column]));
  }
  add_levels(o, &all, cross_worth, cross, cross->size);
}
