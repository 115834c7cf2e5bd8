/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_CENTRE_H
#define TACIT_VAULT_CENTRE_H

#include <math.h>

#include "base/threads.h"
#include "vault/rows.h"

/*
 * Sums over rows of (a z^T, tail), one a per output, where a row x is
 *   z = s (x, 1)                  as it is: s a scale, the 1 if rows have a bias
 *   z = (s (x, 1) + o, o_last)    centred: (o, o_last) are public, the same for all
 * rows Centred rows stay as they are stored: o costs one product per row, and one
 * multiple of o per sum. A sum has, in this order: the features of each output, the
 * bias of each output, o_last of each output, the tails.
 */
typedef struct tacit_shape {
  tacit_row_rule rule; /* numbers of features and outputs, whether rows have a bias, the
                          norm */
  int centred;
  size_t tails; /* numbers that each row adds after its features, bias and o_last */
  int counts;   /* 1 if the sum counts: a row that would add a negative number adds
                   nothing */
  size_t twice; /* if not 0, so many first features count twice in the square of the
                   norm, and the other features are squares: their inner product is >= 0
                   for any two rows. Rows must be dense and have no bias */
} tacit_shape;

/* Returns the inputs of a row: its features, and the bias if there is one. */
static inline size_t tacit_shape_columns(const tacit_shape *shape) {
  return shape->rule.features + (shape->rule.bias ? 1 : 0);
}
/* Returns how many numbers a sum has. */
static inline size_t tacit_shape_dim(const tacit_shape *shape) {
  size_t inputs = tacit_shape_columns(shape) + (shape->centred ? 1 : 0);
  return shape->rule.outputs * inputs + shape->tails;
}

/* Returns how many roundings the clip of a row has to cover, with slopes or without. It
   counts columns and not entries, because a row must have the same bits stored densely
   and sparsely. */
static inline size_t tacit_shape_count(const tacit_shape *shape, int has_slopes) {
  size_t count = has_slopes ? 2 * (shape->rule.features + shape->rule.outputs) + 8
                            : tacit_shape_columns(shape);
  return shape->tails > 0 ? count + 2 * shape->tails + 8 : count;
}

/* The public vector (o, o_last) that is added to centred rows: one number per feature,
   one for the bias if there is one, and o_last > 0. Every number must be a whole
   multiple of 2^-bits. */
typedef struct tacit_offset {
  const double *values;
  int bits;
} tacit_offset;

typedef struct tacit_centre {
  tacit_shape shape;
  tacit_offset offset;
  int is_short;        /* 1 if all its numbers are short (kernel/short.h) */
  double unit;         /* 2^-bits; 1 if rows are not centred */
  double square, norm; /* |(o, o_last)|^2 and its root */
  double inner;        /* |o|^2 */
  double bias;         /* the bias of o; 0 if rows have no bias */
  double slack;        /* what tacit_centre_square_up adds, per square of its lengths,
                          for rounding errors */
  /* The largest norm that making integers of a row can add to it. For centred rows,
     before tacit_centre_close: 1 per column plus |(o, o_last)|, per output. 0 if rows
     are not centred and integers are cut. */
  double margin;
  /* 0 if integers are cut toward zero. Otherwise features are rounded to the nearest
     integer, and `together` rows may be added up as doubles. */
  size_t together;
} tacit_centre;

/* Prepares the centre of a sum whose rows will have norm at most `clip` in the norm of
   `exponent`. `offset` must be NULL if rows are not centred, and must not change while
   the centre is used. Returns 0 if the offset breaks the rules of tacit_offset or is
   longer than (2^bits - 2) o_last. */
int tacit_centre_init(tacit_centre *centre, const tacit_offset *offset,
                      const tacit_shape *shape, int64_t clip, double exponent,
                      tacit_pool *pool);
/* Returns the points with the centre's offset as one of them. */
static inline tacit_points tacit_centre_points(const tacit_centre *centre,
                                               const tacit_points *points) {
  tacit_points own = *points;
  own.offset = centre->offset.values;
  own.is_offset_short = centre->is_short;
  return own;
}
/* Returns a number never below |z|^2 for the centred row z, from |(x, 1)| and <x, o>.
   Returns 0 or NaN if it cannot know |z|^2. The terms cancel if the row is near -o; the
   last term covers all rounding errors, and the errors of the integers that are made of
   s and x. Proof: docs/proofs/centred_rows.md */
static inline double tacit_centre_square_up(const tacit_centre *centre,
                                            double raw_scale, double raw_norm,
                                            double raw_dot) {
  double raw_length = fabs(raw_scale) * raw_norm;
  double raw_reach = raw_length + centre->norm;
  double raw_square = raw_length * raw_length +
                      2 * (raw_scale * (raw_dot + centre->bias)) + centre->square;
  if (!(fabs(raw_scale) <= 0x1p64)) return 0; /* x may have lost digits below 1e-140 */
  return raw_square + centre->slack * (raw_reach * raw_reach);
}
/* Brings the offset into the integers of a sum, exactly: sums of a s x, a s, a and
   tails, as at the head of this file, become 2^bits times the sums of a z and tails.
   Cannot overflow, because tacit_sum_add bounds the integers. */
void tacit_centre_close(const tacit_centre *centre, tacit_pool *pool,
                        int64_t *raw_integers);

#endif
