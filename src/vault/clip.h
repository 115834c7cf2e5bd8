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

/* A row adds factor * (a z^T, tail), z as in vault/centre.h: one a per output. */
tacit_status tacit_sum_new(const tacit_shape *shape, const tacit_level *kernel,
                           tacit_sum **out, tacit_error *err);
void tacit_sum_free(tacit_sum *sum);
/* Empties the sum. Rows added from now on have norm at most `clip`, in the norm of
   `exponent`. The offset, NULL if rows are not centred, is public and must not change
   before the sum is closed. TACIT_EPRIVACY if it is not as vault/centre.h asks, the
   norm is not 2, or the sum counts. Threads of the pool help, if there is one. */
tacit_status tacit_sum_open(tacit_sum *sum, tacit_pool *pool, int64_t clip,
                            double exponent, const tacit_offset *offset,
                            tacit_error *err);

enum { TACIT_SUM_ROWS = TACIT_BATCH_ROWS }; /* rows measured at a time, at most */

/* What the caller learns of the rows: squares and products with the points and with the
   offset of the sum, and norms in the norm of the sum, bias included. Valid until the
   next call. */
typedef struct tacit_measures {
  const tacit_sums *raw_sums;
  const double *raw_norms;
  const tacit_centre *centre;
} tacit_measures;

/* Measures rows first … first+rows-1 of a batch and holds them for tacit_sum_add.
   Returns how many of them are sound from the first on: indices ascend and stay below
   the number of features. Fewer than `rows`: nothing is held. The memory of the rows
   must not change before they are added. */
size_t tacit_sum_measure(tacit_sum *sum, const tacit_batch *batch, int64_t first,
                         size_t rows, const tacit_points *points,
                         tacit_measures *raw_out);
/* What rows add, row after row. */
typedef struct tacit_contribution {
  const double *raw_factors; /* one per row, in steps of the closed sum */
  const double *raw_scales;  /* one per row; NULL: all 1 */
  const double *raw_slopes;  /* a: one per output; NULL, for one output: all 1 */
  const double *raw_tails;   /* one per tail; NULL if the shape has none */
} tacit_contribution;

/* Adds the rows that were measured last, once: row i times its factor and w/m of the
   batch (raw_weights, raw_unit_rows), clipped to w floor(clip/m) and truncated toward
   zero or, features of several outputs, rounded (docs/proofs/nearest_integers.md).
   raw_prefetch: where the dense rows of the next call are, or NULL.
   TACIT_EPRIVACY if so many rows could overflow the integers, if slopes or tails are
   missing, or if the sum is closed. */
tacit_status tacit_sum_add(tacit_sum *sum, const tacit_contribution *raw,
                           const void *raw_prefetch, tacit_error *err);
/* Brings the offset of centred rows in; until then their integers are those of the rows
   without it, in steps of 2^bits. Closing is exact and linear, so sums may be closed
   before or after they are merged. Only closed sums are released or leave the process.
   A sum without offset is always closed. */
void tacit_sum_close(tacit_sum *sum, tacit_pool *pool);
/* Moves the rows of one sum into another. TACIT_EPRIVACY if size, clip, norm or offset
   differ, if one of the two is closed, or the integers could overflow. */
tacit_status tacit_sum_merge(tacit_sum *into, tacit_sum *from, tacit_pool *pool,
                             tacit_error *err);

/* The factor that keeps a vector of norm raw_norm within clip after truncation, at most
   raw_factor; `count` covers the numbers the norm was added up from. 0 for what is not
   finite. */
double tacit_clip_factor(double raw_factor, double clip, double raw_norm, size_t count);

size_t tacit_sum_dim(const tacit_sum *sum);
int64_t tacit_sum_rows(const tacit_sum *sum);
int64_t tacit_sum_clip(const tacit_sum *sum);
double tacit_sum_exponent(const tacit_sum *sum);
/* 1: no row adds a negative number. */
int tacit_sum_counts(const tacit_sum *sum);

/* Sets how many units the sum counts at its release, at least 0: persons, or persons of a
   day, have several rows. The integers stay as they are. */
void tacit_sum_set_units(tacit_sum *sum, int64_t units);

/*
 * Doors for sums that cross a process border: ranks, checkpoints, ask and tell. Only
 * src/run may call tacit_sum_raw_load, which takes the place of all rows of the sum:
 * whoever fills the integers answers for their clip. They are those of closed sums.
 */
const int64_t *tacit_sum_raw_integers(const tacit_sum *sum); /* NULL: not closed */
int64_t *tacit_sum_raw_load(tacit_sum *sum, int64_t raw_rows);

#endif
