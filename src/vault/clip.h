/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_CLIP_H
#define TACIT_VAULT_CLIP_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>
#include <tacit/status.h>

#include "base/threads.h"
#include "vault/centre.h"

/*
 * The integer sum of one round, and the only way into it. Every row in a sum has norm
 * at most the clip of the sum, whatever the caller computed: the sum measures the rows
 * itself, keeps their norms to itself, and clips last. So a bug in a gradient costs
 * accuracy and no privacy (docs/proofs/tacit_clip_factor.md).
 *
 * A sum is used by one thread at a time.
 */
typedef struct tacit_sum tacit_sum;

/* Makes an empty sum of the shape. A row adds factor * (a z^T, tail) to it, with z as
   in vault/centre.h and one number of a per output. The caller frees it. */
tacit_status tacit_sum_new(const tacit_shape *shape, const tacit_level *kernel,
                           tacit_sum **out, tacit_error *err);
void tacit_sum_free(tacit_sum *sum);
/* Empties the sum. Rows added from now on have norm at most `clip`, in the norm of
   `exponent`. `offset` is public, NULL if rows are not centred, and must not change
   before the sum is closed. Returns TACIT_EPRIVACY if the offset breaks the rules of
   vault/centre.h, or if there is an offset and the exponent is not 2 or the sum counts.
   Threads of the pool help unless it is NULL. */
tacit_status tacit_sum_open(tacit_sum *sum, tacit_pool *pool, int64_t clip,
                            double exponent, const tacit_offset *offset,
                            tacit_error *err);

enum {
  TACIT_SUM_ROWS = TACIT_BATCH_ROWS
}; /* the most rows that are measured at a
      time */

/* What the caller learns of measured rows: squares and products with the points and
   with the offset of the sum, and norms in the norm of the sum, bias included. Valid
   until the next call for the sum. */
typedef struct tacit_measures {
  const tacit_sums *raw_sums;
  const double *raw_norms;
  const tacit_centre *centre;
} tacit_measures;

/* Measures rows first … first+rows-1 of a batch, at most TACIT_SUM_ROWS, and holds them
   for tacit_sum_add. Returns how many rows are sound, counted from the first: their
   indices ascend and stay below the number of features. If one is not, no row is held.
   The memory of the rows must not change before they are added. */
size_t tacit_sum_measure(tacit_sum *sum, const tacit_batch *batch, int64_t first,
                         size_t rows, const tacit_points *points,
                         tacit_measures *raw_out);
/* What the rows of a block add, in the order of the rows. */
typedef struct tacit_contribution {
  const double *raw_factors; /* one per row, in steps of the closed sum */
  const double *raw_scales;  /* one per row; NULL if all are 1 */
  const double *raw_slopes;  /* a: one per output and row; NULL if all are 1, for one
                                output only */
  const double *raw_tails;   /* numbers after the features and bias, `tails` per row;
                                NULL if the shape has no tails */
} tacit_contribution;

/* Adds the rows that were measured last, once each: row i times its factor and w/m,
   with w and m from raw_weights and raw_unit_rows of the batch, clipped to w
   floor(clip/m). Numbers are truncated toward zero; features of several outputs may be
   rounded instead (docs/proofs/nearest_integers.md). raw_prefetch must be the dense
   rows of the next call or NULL. Returns TACIT_EPRIVACY if so many rows could overflow
   the integers, if slopes or tails are missing, or if the sum is closed. */
tacit_status tacit_sum_add(tacit_sum *sum, const tacit_contribution *raw,
                           const void *raw_prefetch, tacit_error *err);
/* Brings the offset of centred rows into the sum. Until then the integers are sums of
   the rows without it, in steps of 2^bits. Closing is exact and linear, so sums may be
   closed before they are merged or after. Only closed sums are released or leave the
   process. A sum without offset is always closed. */
void tacit_sum_close(tacit_sum *sum, tacit_pool *pool);
/* Moves the rows of one sum into another and empties the first. Returns TACIT_EPRIVACY
   if size, clip, norm or offset differ, if only one of the two is closed, or if the
   integers could overflow. */
tacit_status tacit_sum_merge(tacit_sum *into, tacit_sum *from, tacit_pool *pool,
                             tacit_error *err);

/* Returns the factor, at most raw_factor in size, that keeps a vector of norm raw_norm
   within `clip` after truncation. `count` must cover the roundings that the norm was
   computed with. Returns 0 if the product of raw_factor and raw_norm is not finite. */
double tacit_clip_factor(double raw_factor, double clip, double raw_norm, size_t count);

size_t tacit_sum_dim(const tacit_sum *sum);
int64_t tacit_sum_rows(const tacit_sum *sum);
int64_t tacit_sum_clip(const tacit_sum *sum);
double tacit_sum_exponent(const tacit_sum *sum);
/* Returns 1 if replacing a row moves the sum by at most the root of 2 times its clip:
   no row adds a negative number, or rows have squares (`twice` of tacit_shape). */
int tacit_sum_narrow(const tacit_sum *sum);

/* Sets how many units the sum counts at its release, at least 0. Needed because
   persons, and the persons of a day, have several rows. The integers stay as they
   are. */
void tacit_sum_set_units(tacit_sum *sum, int64_t units);

/*
 * Doors for sums that cross a process border: ranks, checkpoints, ask and tell. Both
 * give the integers of a closed sum; tacit_sum_raw_integers returns NULL for a sum that
 * is not closed. Only src/run may call tacit_sum_raw_load, which forgets the rows of
 * the sum: whoever fills the integers answers for their clip.
 */
const int64_t *tacit_sum_raw_integers(const tacit_sum *sum);
int64_t *tacit_sum_raw_load(tacit_sum *sum, int64_t raw_rows);

#endif
