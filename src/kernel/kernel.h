/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_KERNEL_H
#define TACIT_KERNEL_KERNEL_H

#include <tacit/status.h>

#include "vault/centre.h"

/* Weights of several outputs: those of column j are `outputs` numbers from
   weights + j width on; the width is a multiple of TACIT_LANES. are_exact: 1 if every
   product with a value of the rows is exact (kernel/short.h). */
typedef struct tacit_wide {
  const double *weights;
  size_t outputs, width;
  int are_exact;
} tacit_wide;

/* What a level computes beside the loops of the vault: products with several outputs,
   and slopes of centred rows. No guarantee rests on it. */
typedef struct tacit_kernel {
  /* raw_out[r][k] += sum over j = first … end-1 of row r's value times the weight of
     column j and output k. Rows of raw_out have `width` numbers, too; those after the
     outputs may be computed or not. */
  void (*wide)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
               const tacit_wide *wide, double *raw_out);
  /* The same for one sparse row, all of its entries; indices below the number of
     columns of wide. */
  void (*wide_sparse)(const tacit_sparse *row, const tacit_wide *wide, double *raw_out);
  /* raw_slopes[i], cut to -most … most, times min(1, radius/|z|) for z of centred row
     i, without o_last. */
  void (*weigh)(const tacit_centred_rows *centred, size_t rows, double radius,
                double most, double *raw_slopes);
  /* raw_numbers[i], cut to -most … most, times `by`. */
  void (*cut)(size_t count, double most, double by, double *raw_numbers);
} tacit_kernel;

extern const tacit_kernel tacit_kernel_plain;

/* Returns the further loops of a level. */
static inline const tacit_kernel *tacit_kernel_of(const tacit_level *level) {
  return level->kernel != NULL ? level->kernel : &tacit_kernel_plain;
}
/* |z|^2 without o_last, as near as it is computed: no guarantee rests on it. */
static inline double tacit_centre_inner(const tacit_centre *centre, double raw_scale,
                                        double raw_norm, double raw_dot) {
  double raw_length = raw_scale * raw_norm;
  return raw_length * raw_length + 2 * raw_scale * (raw_dot + centre->bias) +
         centre->inner;
}

/* Levels from the plainest to the widest of this build; NULL past the end. */
const tacit_level *tacit_kernel_at(size_t i);
/* 1 if this processor runs the level. */
int tacit_kernel_runs(const tacit_level *kernel);
/* Compares a level with the plain loops, bit for bit, on a few rows; TACIT_EPRIVACY if
   they differ. */
tacit_status tacit_kernel_check(const tacit_level *kernel, tacit_error *err);
/* The widest level, or the one TACIT_DISPATCH names, once it has passed its self-test.
   TACIT_EINVAL if TACIT_DISPATCH is not a known level or this processor lacks it. */
tacit_status tacit_kernel_pick(const tacit_level **out, tacit_error *err);
/* The same without the self-test: for prediction, on which no guarantee rests. */
tacit_status tacit_kernel_pick_untested(const tacit_level **out, tacit_error *err);
/* The same among `count` levels, plainest first; `wanted` NULL or empty: the widest. */
tacit_status tacit_kernel_pick_from(const tacit_level *const *from, size_t count,
                                    const char *wanted, const tacit_level **out,
                                    tacit_error *err);

#endif
