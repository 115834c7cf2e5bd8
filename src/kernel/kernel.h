/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_KERNEL_H
#define TACIT_KERNEL_KERNEL_H

#include <tacit/status.h>

#include "vault/centre.h"

/* Weights of several outputs, side by side for each column: column j has its `outputs`
   weights from weights[j width] on. `width` must be a multiple of TACIT_LANES.
   are_exact is 1 if every product of a weight and a value of the rows is exact
   (kernel/short.h). */
typedef struct tacit_wide {
  const double *weights;
  size_t outputs, width;
  int are_exact;
} tacit_wide;

enum { TACIT_TURNS = 4, TACIT_FREQUENCIES = 5 };

/* The loops of a level that the vault does not call: products with several outputs, and
   slopes of centred rows. No guarantee rests on them. */
typedef struct tacit_kernel {
  /* Adds products of dense rows with several outputs: raw_out[r width + k] += the sum,
     over columns j = first … end-1, of value j of row r times weight k of column j.
     Numbers of raw_out after the last output of a row may be overwritten. */
  void (*wide)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
               const tacit_wide *wide, double *raw_out);
  /* Adds the products of one sparse row with several outputs: raw_out[k] += the sum,
     over all entries of the row, of the value times weight k of its column. The indices
     of the row must be below the number of columns of `wide`. */
  void (*wide_sparse)(const tacit_sparse *row, const tacit_wide *wide, double *raw_out);
  /* Cuts each slope to -most … most and multiplies it with min(1, radius/|z|), where z
     is the centred row (vault/centre.h) without its last number. */
  void (*weigh)(const tacit_centred_rows *centred, size_t rows, double radius,
                double most, double *raw_slopes);
  /* Cuts each number to -most … most and multiplies it with `by`. */
  void (*cut)(size_t count, double most, double by, double *raw_numbers);
  /* Writes, for each of TACIT_TURNS places of a row, the points of the unit circle at
     the place times 1, 4, 16, …, times `unit`: by frequency, then by place, cosine
     before sine. Row r has its places from raw_places[r TACIT_TURNS] and its points
     from raw_out[r stride] on. */
  void (*turn)(size_t rows, const double *raw_places, double unit, size_t stride,
               double *raw_out);
} tacit_kernel;

extern const tacit_kernel tacit_kernel_plain;

/* Returns the loops of a level that the vault does not call. */
static inline const tacit_kernel *tacit_kernel_of(const tacit_level *level) {
  return level->kernel != NULL ? level->kernel : &tacit_kernel_plain;
}
/* Returns |z|^2 of a centred row z without its last number (vault/centre.h), with
   ordinary rounding errors, because no guarantee rests on it. */
static inline double tacit_centre_inner(const tacit_centre *centre, double raw_scale,
                                        double raw_norm, double raw_dot) {
  double raw_length = raw_scale * raw_norm;
  return raw_length * raw_length + 2 * raw_scale * (raw_dot + centre->bias) +
         centre->inner;
}

/* Returns level i of this build, counted from the plainest, or NULL past the widest. */
const tacit_level *tacit_kernel_at(size_t i);
/* Returns 1 if this processor can run the level. */
int tacit_kernel_runs(const tacit_level *kernel);
/* Compares a level with the plain loops, bit for bit, on a few rows. Returns
   TACIT_EPRIVACY if they differ. */
tacit_status tacit_kernel_check(const tacit_level *kernel, tacit_error *err);
/* Picks the widest level that this processor runs, or the level that TACIT_DISPATCH
   names, and tests it once. Returns TACIT_EINVAL if TACIT_DISPATCH names no level of
   this build or one that this processor lacks. */
tacit_status tacit_kernel_pick(const tacit_level **out, tacit_error *err);
/* Picks a level as tacit_kernel_pick does, but does not test it: for prediction, on
   which no guarantee rests. */
tacit_status tacit_kernel_pick_untested(const tacit_level **out, tacit_error *err);
/* Picks and tests a level among `count` levels, the plainest first: the level that
   `wanted` names, or the widest that this processor runs if `wanted` is NULL. */
tacit_status tacit_kernel_pick_from(const tacit_level *const *from, size_t count,
                                    const char *wanted, const tacit_level **out,
                                    tacit_error *err);

#endif
