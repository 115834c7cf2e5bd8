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
  tacit_row_rule rule; /* features, bias, outputs */
  int centred;
  size_t tails; /* further numbers per row */
  int counts;   /* 1: rows add no negative number; one that would adds nothing */
} tacit_shape;

static inline size_t tacit_shape_columns(const tacit_shape *shape) {
  return shape->rule.features + (shape->rule.bias ? 1 : 0);
}
/* Numbers in a sum. */
static inline size_t tacit_shape_dim(const tacit_shape *shape) {
  size_t inputs = tacit_shape_columns(shape) + (shape->centred ? 1 : 0);
  return shape->rule.outputs * inputs + shape->tails;
}

/* How many roundings the clip of a row covers, with slopes or without. Columns, not
   entries: a row has the same bits stored densely and sparsely. */
static inline size_t tacit_shape_count(const tacit_shape *shape, int has_slopes) {
  size_t count = has_slopes ? 2 * (shape->rule.features + shape->rule.outputs) + 8
                            : tacit_shape_columns(shape);
  return shape->tails > 0 ? count + 2 * shape->tails + 8 : count;
}

/* One number per feature, one for the bias if there is one, and o_last > 0, all of them
   whole multiples of 2^-bits. */
typedef struct tacit_offset {
  const double *values;
  int bits;
} tacit_offset;

typedef struct tacit_centre {
  tacit_shape shape;
  tacit_offset offset;
  int is_short;        /* its values are short numbers */
  double unit;         /* 2^-bits; 1 for rows as they are, with margin 0 */
  double square, norm; /* |(o, o_last)|^2 and its root */
  double inner;        /* |o|^2 */
  double bias;         /* of o; 0 if rows have none */
  double slack;        /* for tacit_centre_square_up */
  /* What making integers of a row can add to its norm. Centred rows, before
     tacit_centre_close: 1 per column and |(o, o_last)|, per output. */
  double margin;
  /* 0: integers are cut toward zero. Else features are rounded to the nearest integer,
     and so many rows may be added up as doubles. */
  size_t together;
} tacit_centre;

/* The offset is NULL if rows are not centred, and must not change while it is used. 0
   if it is not as above, or larger than (2^bits - 2) o_last. Rows will have norm at
   most `clip` in the norm of `exponent`. */
int tacit_centre_init(tacit_centre *centre, const tacit_offset *offset,
                      const tacit_shape *shape, int64_t clip, double exponent,
                      tacit_pool *pool);
/* The points with the offset of the centre. */
static inline tacit_points tacit_centre_points(const tacit_centre *centre,
                                               const tacit_points *points) {
  tacit_points own = *points;
  own.offset = centre->offset.values;
  own.is_offset_short = centre->is_short;
  return own;
}
/* |z|^2, never below the exact one, from |(x, 1)| and <x, o>; 0 or not a number if it
   is not known. The terms cancel where the row is near -o. The last one covers all
   rounding errors, and those of the integers that are made of s and x. Proof:
   docs/proofs/centred_rows.md */
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
/* Sums of a s x, a s, a and tail become 1/unit times the sums of a z and tail, exactly.
   The results fit. */
void tacit_centre_close(const tacit_centre *centre, tacit_pool *pool,
                        int64_t *raw_integers);

#endif
