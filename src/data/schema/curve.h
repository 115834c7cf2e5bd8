/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_CURVE_H
#define TACIT_DATA_SCHEMA_CURVE_H

#include <math.h>
#include <tacit/data.h>

#include "base/numbers.h"
#include "batch/rows.h"

/* How a number becomes model inputs: it is clamped to declared bounds and mapped, and
   then becomes a line, steps or hats. The absolute values of these inputs sum to at
   most 1. A line beside hats is one more input, at most TACIT_CURVE_LINE.

   An atom is a declared value that many rows have. A number that is an atom after the
   clamp sets only the input of that atom, to 1. If a curve has atoms, its other inputs
   are TACIT_CURVE_REST times as large, because the rows that they are for are rare. */

typedef enum tacit_number_map {
  TACIT_MAP_LINEAR = 0,
  TACIT_MAP_LOG = 1,
  TACIT_MAP_LOG1P = 2,
  TACIT_MAP_SQRT = 3
} tacit_number_map;

/* Smallest and largest number of steps or knots. */
enum { TACIT_CURVE_MIN = 2, TACIT_CURVE_MAX = 4096 };

/* A line beside hats goes from -TACIT_CURVE_LINE to TACIT_CURVE_LINE
   (docs/results/curves.md has the evidence). */
#define TACIT_CURVE_LINE 1.0

/* The largest number of atoms, and the factor of the other inputs beside them. */
enum { TACIT_CURVE_ATOMS = 64 };
#define TACIT_CURVE_REST 2.0

typedef struct tacit_curve {
  double min, max;       /* declared bounds */
  tacit_number_map map;  /* applied to the clamped number */
  tacit_term_kind shape; /* TACIT_TERM_LINE, _STEPS or _HATS */
  double low;            /* input of a line at `min`: -1 or 0; at `max` it is 1 */
  int has_line;          /* hats: 1 if the last input is a line of the same number */
  int has_edges;         /* 1 if the points are declared; 0 if they have equal
                            distances */
  size_t n_points;       /* number of edges (steps) or knots (hats), with min and max; 0
                            for a line */
  double *points;        /* the points in the units of the file */
  double *at;            /* the points mapped */
  size_t n_atoms; /* number of atoms; their inputs follow the inputs of the curve */
  double *atoms;  /* the atoms, ascending, from min to max, or NULL */
  double start, width; /* mapped min, and mapped max less mapped min */
} tacit_curve;

/* Returns the name of a map: "linear", "log", "log1p" or "sqrt". */
const char *tacit_number_map_name(tacit_number_map map);
/* Returns the number of model inputs, less the inputs of atoms. */
static inline size_t tacit_curve_rest(const tacit_curve *curve) {
  return curve->shape == TACIT_TERM_LINE
             ? 1
             : curve->n_points - (curve->shape == TACIT_TERM_STEPS) +
                   (size_t)curve->has_line;
}
/* Returns the number of model inputs. */
static inline size_t tacit_curve_inputs(const tacit_curve *curve) {
  return tacit_curve_rest(curve) + curve->n_atoms;
}
/* Returns the factor of the inputs that are not of atoms. */
static inline double tacit_curve_scale(const tacit_curve *curve) {
  return curve->n_atoms > 0 ? TACIT_CURVE_REST : 1;
}
/* Makes the points of a curve whose other members are set. The points between min and
   max are `edges`, or n_points - 2 points at equal distances if `edges` is NULL. Fails
   only if memory runs out. */
tacit_status tacit_curve_finish(tacit_curve *curve, const double *edges,
                                tacit_error *err);
void tacit_curve_fini(tacit_curve *curve);

/* Returns the natural logarithm of x >= 1e-308, computed by additions, multiplications
   and divisions only, so that it has the same bits with every processor and C
   library. */
double tacit_curve_log(double x);

static inline double tacit_curve_clamp(const tacit_curve *curve, double value) {
  double clamped = value > curve->min ? value : curve->min;
  return clamped < curve->max ? clamped : curve->max;
}

/* Returns the number of the atom that a number is, or n_atoms if no atom has
   this value. */
static inline size_t tacit_curve_atom(const tacit_curve *curve, double value) {
  size_t i = 0;
  while (i < curve->n_atoms && tacit_curve_clamp(curve, value) != curve->atoms[i])
    ++i;
  return i;
}

static inline double tacit_curve_mapped(const tacit_curve *curve, double value) {
  double clamped = tacit_curve_clamp(curve, value);
  switch (curve->map) {
  case TACIT_MAP_LINEAR: break;
  case TACIT_MAP_LOG: return tacit_curve_log(clamped);
  case TACIT_MAP_LOG1P: return tacit_curve_log(1 + clamped);
  case TACIT_MAP_SQRT: return sqrt(clamped);
  }
  return clamped;
}

/* Returns the input of a line for a mapped number. */
static inline double tacit_curve_line_at(const tacit_curve *curve, double mapped) {
  /* width is finite, so min and max give exactly 0 and 1 */
  double share = (mapped - curve->start) / curve->width;
  return (1 - curve->low) * share + curve->low;
}

/* Returns the input of a line for a number. */
static inline double tacit_curve_line(const tacit_curve *curve, double value) {
  return tacit_curve_line_at(curve, tacit_curve_mapped(curve, value));
}

/* Returns the input of the line beside hats for a mapped number. */
static inline double tacit_curve_beside(const tacit_curve *curve, double mapped) {
  return TACIT_CURVE_LINE * tacit_curve_line_at(curve, mapped);
}

/* Returns the interval between points that a mapped number is in: the i with at[i] <=
   mapped < at[i + 1], or the last interval. */
static inline size_t tacit_curve_find(const tacit_curve *curve, double mapped) {
  const double *at = curve->at;
  size_t low = 0, high = curve->n_points - 1; /* at[low] <= mapped < at[high] */
  if (!curve->has_edges) {
    /* Guesses the interval by a division, which rounding may put one too far. */
    double guess = (mapped - curve->start) / curve->width * (double)high;
    low = guess < (double)high ? (size_t)guess : high - 1;
    if (low > 0 && mapped < at[low]) --low;
    if (low + 1 < high && mapped >= at[low + 1]) ++low;
    return low;
  }
  TACIT_HALVE(size_t, low, high, mapped >= at[middle]);
  return low;
}

/* Returns where a mapped number is between two knots: 0 at the left knot, 1 at the
   right knot. */
static inline double tacit_curve_between(const tacit_curve *curve, double mapped,
                                         size_t left) {
  return (mapped - curve->at[left]) / (curve->at[left + 1] - curve->at[left]);
}

/* Adds the two hats, and the line beside them, of a mapped number between knots left
   and left + 1. Returns the new count of entries. */
static inline size_t tacit_curve_put_hats(const tacit_curve *curve, size_t first,
                                          double mapped, size_t left, tacit_rows *rows,
                                          size_t count) {
  double right = tacit_curve_between(curve, mapped, left);
  double scale = tacit_curve_scale(curve);
  count = tacit_rows_put(rows, count, first + left, scale * (1 - right));
  count = tacit_rows_put(rows, count, first + left + 1, scale * right);
  if (!curve->has_line) return count;
  return tacit_rows_put(rows, count, first + curve->n_points,
                        scale * tacit_curve_beside(curve, mapped));
}

/* Adds the inputs of a number as entries from `count` on, at most three. Returns the
   new count (tacit_rows_put). */
static inline size_t tacit_curve_put(const tacit_curve *curve, size_t first,
                                     double value, tacit_rows *rows, size_t count) {
  size_t atom = tacit_curve_atom(curve, value);
  double scale = tacit_curve_scale(curve);
  if (atom < curve->n_atoms)
    return tacit_rows_put(rows, count, first + tacit_curve_rest(curve) + atom, 1);
  if (curve->shape == TACIT_TERM_LINE)
    return tacit_rows_put(rows, count, first, scale * tacit_curve_line(curve, value));
  double mapped = tacit_curve_mapped(curve, value);
  size_t place = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_STEPS)
    return tacit_rows_put(rows, count, first + place, scale);
  return tacit_curve_put_hats(curve, first, mapped, place, rows, count);
}

#endif
