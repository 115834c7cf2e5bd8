/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_CURVE_H
#define TACIT_DATA_SCHEMA_CURVE_H

#include <math.h>
#include <tacit/data.h>

#include "batch/rows.h"

/* How a number becomes model inputs: clamped to declared bounds, mapped, then a line,
   steps or hats. Each adds numbers whose absolute values sum to at most 1; a line
   beside hats adds one number more, at most TACIT_CURVE_LINE. */

typedef enum tacit_number_map {
  TACIT_MAP_LINEAR = 0,
  TACIT_MAP_LOG = 1,
  TACIT_MAP_LOG1P = 2,
  TACIT_MAP_SQRT = 3
} tacit_number_map;

/* Limits of steps and knots. */
enum { TACIT_CURVE_MIN = 2, TACIT_CURVE_MAX = 4096 };

/* A line beside hats goes from minus this to this. Evidence in docs/results/curves.md.
 */
#define TACIT_CURVE_LINE 1.0

typedef struct tacit_curve {
  double min, max;       /* declared */
  tacit_number_map map;  /* before anything else */
  tacit_term_kind shape; /* TACIT_TERM_LINE, _STEPS or _HATS */
  double low;            /* a line goes from here to 1: -1 or 0 */
  int has_line;          /* hats: 1 if a line of the same number is the last input */
  int has_edges;         /* 1: the points are declared, 0: they have equal distances */
  size_t n_points;       /* steps: edges, hats: knots, min and max included; line: 0 */
  double *points;        /* in the units of the file */
  double *at;            /* mapped */
  double start, width;   /* mapped min, and mapped max less mapped min */
} tacit_curve;

/* "linear", "log", "log1p", "sqrt". */
const char *tacit_number_map_name(tacit_number_map map);
/* A number of model inputs. */
static inline size_t tacit_curve_inputs(const tacit_curve *curve) {
  return curve->shape == TACIT_TERM_LINE
             ? 1
             : curve->n_points - (curve->shape == TACIT_TERM_STEPS) +
                   (size_t)curve->has_line;
}
/* Makes the points of a curve whose other members are set; those between min and max
   are `edges`, or n_points - 2 of equal distance if that is NULL. TACIT_ENOMEM. */
tacit_status tacit_curve_finish(tacit_curve *curve, const double *edges,
                                tacit_error *err);
void tacit_curve_fini(tacit_curve *curve);

/* The natural logarithm of x >= 1e-308, by additions, multiplications and divisions
   only: the same bits on every processor, and the same whatever the C library. */
double tacit_curve_log(double x);

static inline double tacit_curve_mapped(const tacit_curve *curve, double value) {
  double clamped = value > curve->min ? value : curve->min;
  clamped = clamped < curve->max ? clamped : curve->max;
  switch (curve->map) {
  case TACIT_MAP_LINEAR: break;
  case TACIT_MAP_LOG: return tacit_curve_log(clamped);
  case TACIT_MAP_LOG1P: return tacit_curve_log(1 + clamped);
  case TACIT_MAP_SQRT: return sqrt(clamped);
  }
  return clamped;
}

/* What a line makes of a mapped number. */
static inline double tacit_curve_line_at(const tacit_curve *curve, double mapped) {
  /* width is finite, so min and max become exactly 0 and 1 here */
  double share = (mapped - curve->start) / curve->width;
  return (1 - curve->low) * share + curve->low;
}

/* What a line makes of a number. */
static inline double tacit_curve_line(const tacit_curve *curve, double value) {
  return tacit_curve_line_at(curve, tacit_curve_mapped(curve, value));
}

/* What the line beside hats makes of a mapped number. */
static inline double tacit_curve_beside(const tacit_curve *curve, double mapped) {
  return TACIT_CURVE_LINE * tacit_curve_line_at(curve, mapped);
}

/* The interval of the points that a mapped number is in: at[i] <= mapped < at[i + 1],
   or the last one. */
static inline size_t tacit_curve_find(const tacit_curve *curve, double mapped) {
  const double *at = curve->at;
  size_t low = 0, high = curve->n_points - 1; /* at[low] <= mapped < at[high] */
  if (!curve->has_edges) {
    /* A guess by division; rounding may put it one too far. */
    double guess = (mapped - curve->start) / curve->width * (double)high;
    low = guess < (double)high ? (size_t)guess : high - 1;
    if (low > 0 && mapped < at[low]) --low;
    if (low + 1 < high && mapped >= at[low + 1]) ++low;
    return low;
  }
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (mapped >= at[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Where a number lies between two knots: 0 at the left one, 1 at the right one. */
static inline double tacit_curve_between(const tacit_curve *curve, double mapped,
                                         size_t left) {
  return (mapped - curve->at[left]) / (curve->at[left + 1] - curve->at[left]);
}

/* Adds hats, and the line beside them, of a mapped number between two knots. */
static inline size_t tacit_curve_put_hats(const tacit_curve *curve, size_t first,
                                          double mapped, size_t left, tacit_rows *rows,
                                          size_t count) {
  double right = tacit_curve_between(curve, mapped, left);
  count = tacit_rows_put(rows, count, first + left, 1 - right);
  count = tacit_rows_put(rows, count, first + left + 1, right);
  if (!curve->has_line) return count;
  return tacit_rows_put(rows, count, first + curve->n_points,
                        tacit_curve_beside(curve, mapped));
}

/* Adds the inputs of a number as entries from `count` on; returns the new count
   (tacit_rows_put). At most three entries. */
static inline size_t tacit_curve_put(const tacit_curve *curve, size_t first,
                                     double value, tacit_rows *rows, size_t count) {
  if (curve->shape == TACIT_TERM_LINE)
    return tacit_rows_put(rows, count, first, tacit_curve_line(curve, value));
  double mapped = tacit_curve_mapped(curve, value);
  size_t place = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_STEPS)
    return tacit_rows_put(rows, count, first + place, 1);
  return tacit_curve_put_hats(curve, first, mapped, place, rows, count);
}

#endif
