/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_CLIP_H
#define TACIT_VAULT_CLIP_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>
#include <tacit/status.h>

#include "base/threads.h"
#include "kernel/margins.h"

/*
 * The integer sum of one round, and the only way into it. Every row in a sum has norm
 * at most the clip of the sum, whatever the caller computed: the sum measures the rows
 * itself, keeps their norms to itself, and clips last. So a bug in a gradient costs
 * accuracy and no privacy (docs/proofs/tacit_clip_factor.md).
 *
 * A sum is used by one thread at a time.
 */
typedef struct tacit_sum tacit_sum;

/* A row x adds factor * a x^T with one a per output, output after output, then factor *
   a once more if rows have a bias (a column of ones). One output: a = 1. Uses
   the members features, bias and outputs of the rule. */
tacit_status tacit_sum_new(const tacit_row_rule *rule, const tacit_kernel_ops *kernel,
                           tacit_sum **out, tacit_error *err);
void tacit_sum_free(tacit_sum *sum);
/* Empties the sum. Rows added from now on have norm at most `clip`, in the norm of
   `exponent`. Threads of the pool help, if there is one. */
void tacit_sum_open(tacit_sum *sum, tacit_pool *pool, int64_t clip, double exponent);

enum { TACIT_SUM_ROWS = TACIT_BATCH_ROWS }; /* rows measured at a time, at most */

/* What the caller learns of the rows: products with the points, squares, and norms in
   the norm of the sum, bias included. Valid until the next call. */
typedef struct tacit_measures {
  const tacit_sums *raw_sums;
  const double *raw_norms;
} tacit_measures;

/* Measures rows first … first+rows-1 of a batch and holds them for tacit_sum_add.
   Returns how many of them are sound from the first on: indices ascend and stay below
   the number of features. Fewer than `rows`: nothing is held. The memory of the rows
   must not change before they are added. */
size_t tacit_sum_measure(tacit_sum *sum, const tacit_batch *batch, int64_t first,
                         size_t rows, const tacit_points *points,
                         tacit_measures *raw_out);
/* Adds the rows that were measured last, once: row i times raw_factors[i] and w/m of
   the batch (raw_weights, raw_unit_rows), clipped to w floor(clip/m) and truncated
   toward zero. raw_slopes: a of every row, `outputs` numbers per row; NULL for one
   output. raw_prefetch: where the dense rows of the next call are, or NULL.
   TACIT_EPRIVACY if so many rows could overflow the integers. */
tacit_status tacit_sum_add(tacit_sum *sum, const double *raw_factors,
                           const double *raw_slopes, const void *raw_prefetch,
                           tacit_error *err);
/* Moves the rows of one sum into another. TACIT_EPRIVACY if size, clip or norm differ,
   or the integers could overflow. */
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

/*
 * Doors for sums that cross a process border: ranks, checkpoints, ask and tell. Only
 * src/run may call tacit_sum_raw_load, which takes the place of all rows of the sum:
 * whoever fills the integers answers for their clip.
 */
const int64_t *tacit_sum_raw_integers(const tacit_sum *sum);
int64_t *tacit_sum_raw_load(tacit_sum *sum, int64_t raw_rows);

#endif
