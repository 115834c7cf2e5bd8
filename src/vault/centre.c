/* SPDX-License-Identifier: MIT */
/* Proof: docs/proofs/centred_rows.md */
#include "vault/centre.h"

#include <math.h>

#include "base/numbers.h"
#include "norm/norm.h"
#include "vault/nearest.h"

enum { BITS_MAX = 30 };

struct entries {
  const double *values;
  double scale; /* 2^bits */
};

/* Returns the largest of the values first … end-1 in steps of 2^-bits. Returns infinity
   if a value is not a whole number of steps or has more than 2^52. */
static double most_steps(void *context, size_t first, size_t end) {
  const struct entries *entries = context;
  double most = 0;
  for (size_t j = first; j < end; ++j) {
    double steps = entries->values[j] * entries->scale;
    if (!(fabs(steps) <= 0x1p52) || steps != (double)(int64_t)steps) return INFINITY;
    most = fmax(most, fabs(steps));
  }
  return most;
}

/* Chooses between cutting integers and rounding them, and sets the margin that rounding
   needs: 1/2 per feature and output. Rounding is chosen only if that margin is small
   compared with the clip. Centred rows have a larger margin anyway.
   Proof: docs/proofs/nearest_integers.md */
static void set_rounding(tacit_centre *centre, int64_t clip, double exponent) {
  const tacit_row_rule *rule = &centre->shape.rule;
  double cells = (double)rule->outputs * (double)rule->features;
  double margin = centre->shape.centred ? 0 : sqrt(cells) / 2 + 1;
  if (rule->outputs < 2 || exponent != 2 || centre->shape.counts ||
      !(margin * 0x1p12 <= (double)clip))
    return;
  centre->together = tacit_together(clip);
  if (centre->together > 0) centre->margin += margin;
}

int tacit_centre_init(tacit_centre *centre, const tacit_offset *offset,
                      const tacit_shape *shape, int64_t clip, double exponent,
                      tacit_pool *pool) {
  size_t columns = tacit_shape_columns(shape);
  *centre = (tacit_centre){.shape = *shape, .unit = 1};
  set_rounding(centre, clip, exponent);
  if (shape->twice > 0) centre->margin += sqrt(2 * (double)columns) + 1;
  if (shape->centred != (offset != NULL)) return 0;
  if (offset == NULL) return 1;
  if (offset->bits < 1 || offset->bits > BITS_MAX) return 0;
  double scale = ldexp(1, offset->bits);
  struct entries entries = {offset->values, scale};
  double most = tacit_parallel_max(pool, columns + 1, most_steps, &entries);
  if (isinf(most)) return 0;
  centre->is_short = most <= 0x1p29; /* entries are also at least 2^-30:
                                        kernel/short.h */
  double square = tacit_norm_dot(pool, offset->values, offset->values, columns + 1);
  double norm = sqrt(square), last = offset->values[columns];
  centre->norm = norm;
  if (shape->rule.bias) centre->bias = offset->values[shape->rule.features];
  centre->offset = *offset;
  centre->unit = 1 / scale;
  centre->square = square;
  centre->inner = square - last * last;
  centre->slack = ((double)columns + 16) * 0x1p-50;
  /* One more than the exact margin, for what is rounded on the way. */
  centre->margin =
      sqrt((double)shape->rule.outputs) * (sqrt((double)columns) + norm + 1);
  return last > 0 && norm <= (scale - 2) * last;
}

struct close {
  int64_t *raw_integers;
  double scale;
  const double *offset; /* NULL for zeros */
  int64_t raw_count;
};

/* Multiplies integers first … end-1 with 2^bits and adds raw_count times the offset to
   each. */
static double close_chunk(void *context, size_t first, size_t end) {
  const struct close *close = context;
  for (size_t j = first; j < end; ++j) {
    tacit_i128 raw_own = (tacit_i128)close->raw_integers[j] * (int64_t)close->scale;
    if (close->offset != NULL)
      raw_own +=
          (tacit_i128)close->raw_count * (int64_t)(close->offset[j] * close->scale);
    close->raw_integers[j] = (int64_t)raw_own;
  }
  return 0;
}

void tacit_centre_close(const tacit_centre *centre, tacit_pool *pool,
                        int64_t *raw_integers) {
  size_t features = centre->shape.rule.features, outputs = centre->shape.rule.outputs;
  size_t columns = tacit_shape_columns(&centre->shape);
  const double *offset = centre->offset.values;
  double scale = 1 / centre->unit;
  int64_t *raw_bias = raw_integers + outputs * features;
  int64_t *raw_last = raw_integers + outputs * columns;
  for (size_t k = 0; k < outputs; ++k) {
    struct close own = {raw_integers + k * features, scale, offset, raw_last[k]};
    (void)tacit_parallel_sum(pool, features, close_chunk, &own);
    struct close bias = {raw_bias + k, scale, offset + features, raw_last[k]};
    if (columns > features) (void)close_chunk(&bias, 0, 1);
  }
  for (size_t k = 0; k < outputs; ++k)
    raw_last[k] *= (int64_t)(offset[columns] * scale);
  struct close tails = {raw_last + outputs, scale, NULL, 0};
  (void)close_chunk(&tails, 0, centre->shape.tails);
}
