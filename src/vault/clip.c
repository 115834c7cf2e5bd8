/* SPDX-License-Identifier: MIT */
/*
 * T1: the integers of every row have norm at most the clip, rounding included
 * (docs/proofs/lattice.md). Rows pass in blocks, in two sweeps over memory: the first
 * measures norms and products, the second adds the rows, each times its factor. Between
 * them the caller turns products into slopes.
 */
#include "vault/clip.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "vault/bounds.h"
#include "vault/integers.h"

struct tacit_sum {
  tacit_shape shape;
  const tacit_level *kernel;
  size_t dim;
  int64_t clip, rows;
  int64_t raw_reach; /* the sum of floor(clip/m) of the rows added so far */
  double exponent;
  int64_t *raw_integers;
  int dirty; /* 0 if all integers are zero */
  tacit_centre centre;
  int is_open; /* 1 until tacit_sum_close brings the offset into the integers */
  /* The block that was measured and not yet added; block_rows is 0 without one. */
  tacit_batch block;
  int64_t block_first;
  size_t block_rows;
  tacit_sums raw_sums[TACIT_SUM_ROWS];
  double raw_norms[TACIT_SUM_ROWS];
  double *raw_weights; /* the factor of each row's features, per output TACIT_SUM_ROWS
                          numbers */
  tacit_bounds bounds;
  tacit_sum *plain; /* the sum by plain loops, to compare with; NULL if blocks are not
                       verified */
};

/* Returns 1 if every block is added a second time by plain loops: always in debug
   builds, otherwise if TACIT_VERIFY is 1. */
static int is_verified(const tacit_level *level) {
#if defined(__OPTIMIZE__)
  const char *wanted = getenv("TACIT_VERIFY");
  if (wanted == NULL || strcmp(wanted, "1") != 0) return 0;
#endif
  return level != &tacit_level_plain;
}

tacit_status tacit_sum_new(const tacit_shape *shape, const tacit_level *kernel,
                           tacit_sum **out, tacit_error *err) {
  tacit_sum *sum = tacit_raw_new(1, sizeof *sum);
  if (sum == NULL) return tacit_fail_memory(err);
  sum->shape = *shape;
  sum->kernel = kernel;
  sum->dim = tacit_shape_dim(shape);
  sum->raw_integers = tacit_raw_new(sum->dim, sizeof *sum->raw_integers);
  sum->raw_weights =
      tacit_raw_new(shape->rule.outputs * TACIT_SUM_ROWS, sizeof *sum->raw_weights);
  tacit_status status = TACIT_OK;
  if (sum->raw_integers == NULL || sum->raw_weights == NULL)
    status = tacit_fail_memory(err);
  else if (is_verified(kernel))
    status = tacit_sum_new(shape, &tacit_level_plain, &sum->plain, err);
  return TACIT_HAND_OVER(status, sum, tacit_sum_free, out);
}

void tacit_sum_free(tacit_sum *sum) {
  if (sum == NULL) return;
  TACIT_RAW_FREE(sum->raw_integers, sum->raw_weights);
  tacit_sum_free(sum->plain);
  tacit_raw_free(sum);
}

/* Ends the comparison with plain loops, because these do not know integers that come
   from elsewhere. */
static void forget_plain(tacit_sum *sum) {
  tacit_sum_free(sum->plain);
  sum->plain = NULL;
}

tacit_status tacit_sum_open(tacit_sum *sum, tacit_pool *pool, int64_t clip,
                            double exponent, const tacit_offset *offset,
                            tacit_error *err) {
  if (sum->dirty) tacit_integers_clear(pool, sum->raw_integers, sum->dim);
  sum->dirty = 0;
  sum->rows = sum->raw_reach = 0;
  sum->block_rows = 0;
  sum->clip = clip > 0 ? clip : 0;
  tacit_bounds_init(&sum->bounds, sum->clip);
  sum->exponent = exponent;
  sum->is_open = offset != NULL;
  if ((offset != NULL && (exponent != 2 || sum->shape.counts)) ||
      !tacit_centre_init(&sum->centre, offset, &sum->shape, sum->clip, exponent, pool))
    return tacit_fail(err, TACIT_EPRIVACY, "rows cannot be centred like this");
  if (sum->plain == NULL) return TACIT_OK;
  return tacit_sum_open(sum->plain, pool, clip, exponent, offset, err);
}

/* Measures the norms of rows and their products with the points, and holds the rows for
   tacit_sum_add. */
size_t tacit_sum_measure(tacit_sum *sum, const tacit_batch *batch, int64_t first,
                         size_t rows, const tacit_points *points,
                         tacit_measures *raw_out) {
  const tacit_row_rule *rule = &sum->shape.rule;
  sum->block_rows = 0;
  if (rows > TACIT_SUM_ROWS) return 0;
  if (batch->raw_row_start == NULL && batch->n_features != rule->features) return 0;
  for (size_t i = 0; batch->raw_row_start != NULL && i < rows; ++i) {
    tacit_row row = tacit_row_of(batch, first + (int64_t)i);
    if (sum->shape.twice > 0 || !tacit_row_is_sound(&row, rule->features)) return i;
  }
  sum->block = *batch;
  sum->block_first = first;
  sum->block_rows = rows;
  /* The offset must be the sum's own, because the norms rest on it. */
  const tacit_points own = tacit_centre_points(&sum->centre, points);
  tacit_batch_sums(sum->kernel, batch, first, rows, &own, sum->raw_sums);
  for (size_t i = 0; i < rows; ++i)
    sum->raw_norms[i] = tacit_sums_norm(&sum->raw_sums[i], batch, first + (int64_t)i,
                                        rule->bias, sum->exponent);
  if (sum->plain != NULL)
    (void)tacit_sum_measure(sum->plain, batch, first, rows, points, raw_out);
  *raw_out = (tacit_measures){sum->raw_sums, sum->raw_norms, &sum->centre};
  return rows;
}

/*
 * Returns the factor for which |trunc(factor * row)| <= clip holds with the exact real
 * norm: (count + 8) 2^-50 covers the rounding of norm, product and quotient. The first
 * comparison is written so that NaN falls to zero.
 * Proof: docs/proofs/tacit_clip_factor.md
 */
double tacit_clip_factor(double raw_factor, double clip, double raw_norm,
                         size_t count) {
  double limit = clip * (1 - ((double)count + 8) * 0x1p-50);
  double raw_length = fabs(raw_factor) * raw_norm;
  double raw_clipped = copysign(limit / raw_norm, raw_factor);
  if (!(raw_length <= DBL_MAX)) return 0;
  return raw_length <= limit ? raw_factor : raw_clipped;
}

/* Returns the norm of z of row i (vault/centre.h), or 0 or NaN for a row that must not
   count: an empty row, or one too small for its square to be trusted. */
static double norm_of(const tacit_sum *sum, size_t i, const double *raw_scales) {
  double raw_norm = sum->raw_norms[i];
  double raw_scale = raw_scales != NULL ? raw_scales[i] : 1;
  tacit_row row = tacit_row_of(&sum->block, sum->block_first + (int64_t)i);
  double raw_square = raw_norm * raw_norm;
  for (size_t j = 0; j < sum->shape.twice; ++j)
    raw_square += tacit_row_value(&row, j) * tacit_row_value(&row, j);
  if (sum->shape.twice > 0) return sqrt(raw_square);
  if (sum->shape.centred)
    return sqrt(tacit_centre_square_up(&sum->centre, raw_scale, raw_norm,
                                       sum->raw_sums[i].raw_offset));
  return raw_norm > TACIT_ROW_NORM_MIN ? raw_norm * fabs(raw_scale) : 0;
}

/* Returns 1 if row i of the block, times its factor, is a vector of numbers >= 0. */
static int is_count(const tacit_sum *sum, size_t i, const tacit_contribution *raw) {
  tacit_row row = tacit_row_of(&sum->block, sum->block_first + (int64_t)i);
  int is_one = !raw->raw_scales && !raw->raw_slopes && !raw->raw_tails;
  return is_one && tacit_row_is_count(&row) && raw->raw_factors[i] >= 0;
}

/* Returns the clipped factor of row i of the block, or 0 for a row that must not count.
   A matrix a z^T has norm |a| |z|. raw_tail is the norm of the tails, `count` the
   argument of tacit_clip_factor. */
static double factor_of(const tacit_sum *sum, size_t i, const tacit_contribution *raw,
                        double raw_factor, double raw_tail, size_t count) {
  size_t outputs = sum->shape.rule.outputs;
  double raw_norm = norm_of(sum, i, raw->raw_scales);
  if (sum->shape.counts && !is_count(sum, i, raw)) return 0;
  if (raw->raw_slopes != NULL) {
    double raw_slope_norm = tacit_vector_norm(
        sum->kernel, raw->raw_slopes + i * outputs, outputs, sum->exponent);
    if (!(raw_slope_norm > TACIT_ROW_NORM_MIN)) return 0;
    raw_norm = raw_slope_norm * raw_norm;
  }
  if (!(raw_norm > TACIT_ROW_NORM_MIN)) return 0; /* also catches NaN */
  if (sum->shape.tails > 0)
    raw_norm = sum->exponent < 2 ? raw_norm + raw_tail
                                 : sqrt(raw_norm * raw_norm + raw_tail * raw_tail);
  double raw_bound = sum->bounds.raw_bounds[i];
  if (!(raw_bound > 0)) return 0;
  return tacit_clip_factor(raw_factor, raw_bound, raw_norm, count);
}

/* Clips the factors of the rows of the block. The level does this for centred rows of
   one output, factor_of for all other rows. */
static void clip_rows(const tacit_sum *sum, const tacit_contribution *raw,
                      double *raw_factors) {
  const tacit_shape *shape = &sum->shape;
  const tacit_bounds *bounds = &sum->bounds;
  size_t rows = sum->block_rows;
  for (size_t i = 0; i < rows; ++i)
    raw_factors[i] = raw->raw_factors[i] * bounds->raw_shares[i];
  if (shape->centred && shape->rule.outputs == 1 && shape->tails <= 1 &&
      raw->raw_scales != NULL && raw->raw_slopes != NULL) {
    const tacit_centred_rows centred = {&sum->centre, sum->raw_sums, sum->raw_norms,
                                        raw->raw_scales};
    sum->kernel->factors(&centred, rows, bounds->raw_bounds, raw->raw_slopes,
                         raw->raw_tails, raw_factors);
    return;
  }
  size_t count = tacit_shape_count(shape, raw->raw_slopes != NULL);
  double raw_tails[TACIT_SUM_ROWS] = {0};
  if (shape->tails > 0)
    tacit_vector_norms(sum->kernel, raw->raw_tails, rows, shape->tails, sum->exponent,
                       raw_tails);
  for (size_t i = 0; i < rows; ++i)
    raw_factors[i] = factor_of(sum, i, raw, raw_factors[i], raw_tails[i], count);
}

/* Clips the rows of the block, adds their bias, their count of the offset and their
   tails, and computes the weights that tacit_batch_add multiplies features with. */
static void add_rest(tacit_sum *sum, const tacit_contribution *raw) {
  const tacit_shape *shape = &sum->shape;
  size_t outputs = shape->rule.outputs, tails = shape->tails, rows = sum->block_rows;
  int64_t *raw_bias = sum->raw_integers + outputs * shape->rule.features;
  int64_t *raw_last = sum->raw_integers + outputs * tacit_shape_columns(shape);
  int64_t *raw_tails = sum->raw_integers + sum->dim - tails;
  double raw_factors[TACIT_SUM_ROWS];
  clip_rows(sum, raw, raw_factors);
  for (size_t i = 0; tails == 1 && i < rows; ++i)
    if (raw_factors[i] != 0)
      *raw_tails += (int64_t)(raw_factors[i] * raw->raw_tails[i]);
  const tacit_batch many = {.n_features = tails, .raw_values = raw->raw_tails};
  const tacit_row_rule alone = {.features = tails, .outputs = 1};
  if (tails > 1)
    tacit_batch_add(sum->kernel, &many, 0, rows, &alone, raw_factors,
                    tacit_size_of(sum->clip), 0, NULL, raw_tails);
  for (size_t k = 0; k < outputs; ++k)
    for (size_t i = 0; i < rows; ++i) {
      double raw_weight = raw_factors[i]; /* a test, because 0 times infinity is not
                                             0 */
      if (raw->raw_slopes != NULL && raw_weight != 0)
        raw_weight *= raw->raw_slopes[i * outputs + k];
      if (shape->centred) raw_last[k] += (int64_t)raw_weight;
      if (raw->raw_scales != NULL && raw_weight != 0) raw_weight *= raw->raw_scales[i];
      if (shape->rule.bias) raw_bias[k] += (int64_t)raw_weight;
      sum->raw_weights[k * TACIT_SUM_ROWS + i] = raw_weight;
    }
}

/* Adds the rows that were measured last to the sum, each clipped by its own norm. */
tacit_status tacit_sum_add(tacit_sum *sum, const tacit_contribution *raw,
                           const void *raw_prefetch, tacit_error *err) {
  const tacit_row_rule *rule = &sum->shape.rule;
  tacit_i128 raw_reach =
      sum->raw_reach + tacit_bounds_find(&sum->bounds, &sum->centre, &sum->block,
                                         sum->block_first, sum->block_rows);
  if ((rule->outputs > 1 && raw->raw_slopes == NULL) ||
      (sum->shape.tails > 0) != (raw->raw_tails != NULL) ||
      sum->shape.centred != sum->is_open || raw_reach > INT64_MAX)
    return tacit_fail(err, TACIT_EPRIVACY, "so many rows do not fit the integers");
  add_rest(sum, raw);
  tacit_batch_add(sum->kernel, &sum->block, sum->block_first, sum->block_rows, rule,
                  sum->raw_weights, tacit_size_of(sum->clip), sum->centre.together,
                  raw_prefetch, sum->raw_integers);
  sum->dirty = 1;
  sum->rows += (int64_t)sum->block_rows;
  sum->raw_reach = (int64_t)raw_reach;
  sum->block_rows = 0;
  if (sum->plain == NULL) return TACIT_OK;
  TACIT_TRY(tacit_sum_add(sum->plain, raw, NULL, err));
  if (memcmp(sum->raw_integers, sum->plain->raw_integers,
             sum->dim * sizeof *sum->raw_integers) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "level %s adds other integers than plain loops: set "
                    "TACIT_DISPATCH=plain and report it",
                    sum->kernel->name);
}

void tacit_sum_close(tacit_sum *sum, tacit_pool *pool) {
  if (sum->plain != NULL) tacit_sum_close(sum->plain, pool);
  if (!sum->is_open) return;
  tacit_centre_close(&sum->centre, pool, sum->raw_integers);
  sum->is_open = 0;
}

tacit_status tacit_sum_merge(tacit_sum *into, tacit_sum *from, tacit_pool *pool,
                             tacit_error *err) {
  if (from->dim != into->dim || from->clip != into->clip ||
      from->exponent != into->exponent || from->is_open != into->is_open ||
      from->shape.counts != into->shape.counts ||
      from->shape.twice != into->shape.twice ||
      from->centre.offset.values != into->centre.offset.values ||
      from->centre.unit != into->centre.unit ||
      from->raw_reach > INT64_MAX - into->raw_reach)
    return tacit_fail(err, TACIT_EPRIVACY, "the sums do not fit together");
  if (!from->dirty) return TACIT_OK;
  if (into->plain != NULL && from->plain != NULL)
    TACIT_TRY(tacit_sum_merge(into->plain, from->plain, pool, err));
  else
    forget_plain(into);
  tacit_integers_move(pool, from->raw_integers, into->dim, into->raw_integers);
  into->dirty = 1;
  into->rows += from->rows;
  into->raw_reach += from->raw_reach;
  from->rows = from->raw_reach = from->dirty = 0;
  return TACIT_OK;
}

size_t tacit_sum_dim(const tacit_sum *sum) { return sum->dim; }
int64_t tacit_sum_rows(const tacit_sum *sum) { return sum->rows; }
int64_t tacit_sum_clip(const tacit_sum *sum) { return sum->clip; }
double tacit_sum_exponent(const tacit_sum *sum) { return sum->exponent; }
int tacit_sum_narrow(const tacit_sum *sum) {
  return sum->shape.counts || (sum->shape.twice > 0 && sum->dim > sum->shape.twice);
}

void tacit_sum_set_units(tacit_sum *sum, int64_t units) {
  sum->dirty = 1; /* a sum without rows also has units */
  sum->rows = units > 0 ? units : 0;
}

const int64_t *tacit_sum_raw_integers(const tacit_sum *sum) {
  return sum->is_open ? NULL : sum->raw_integers;
}

int64_t *tacit_sum_raw_load(tacit_sum *sum, int64_t raw_rows) {
  if (!sum->dirty) sum->is_open = 0; /* rows that were added must be closed first */
  sum->dirty = 1;
  sum->rows = raw_rows;
  forget_plain(sum);
  return sum->raw_integers;
}
