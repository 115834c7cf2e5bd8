/* SPDX-License-Identifier: MIT */
/*
 * The clip factors and weighed slopes of centred rows, WIDTH rows in a vector. Compiled
 * like vector.c. Every operation is rounded as in vault/plain.c and kernel/plain.c, so
 * the bits are equal.
 */
#include <float.h>
#include <math.h>

#include "kernel/vector.h"

/* the sign bit of a double in every lane */
#define SIGN ((whole){0} + INT64_MIN)

INLINE real absolute(real raw_v) { return (real)((whole)raw_v & ~SIGN); }

/* Returns raw_v where the mask has ones, raw_other elsewhere. */
INLINE real choose(whole mask, real raw_v, real raw_other) {
  return (real)(((whole)raw_v & mask) | ((whole)raw_other & ~mask));
}

INLINE real root(real raw_v) {
#if defined(__AVX512DQ__)
  return (real)_mm512_sqrt_pd((__m512d)raw_v);
#elif defined(__AVX__)
  return (real)_mm256_sqrt_pd((__m256d)raw_v);
#else
  for (int k = 0; k < WIDTH; ++k)
    raw_v[k] = sqrt(raw_v[k]);
  return raw_v;
#endif
}

/* Returns the products of WIDTH rows with the offset. */
INLINE real dots_of(const tacit_sums *raw_sums) {
  real raw_dots = {0};
  for (int k = 0; k < WIDTH; ++k)
    raw_dots[k] = raw_sums[k].raw_offset;
  return raw_dots;
}

/* Returns tacit_centre_square_up of rows i … i+WIDTH-1. */
INLINE real square_up(const tacit_centred_rows *centred, size_t i) {
  const tacit_centre *centre = centred->centre;
  const real raw_scale = load(centred->raw_scales + i), raw_size = absolute(raw_scale);
  const real raw_length = raw_size * load(centred->raw_norms + i);
  const real raw_reach = raw_length + centre->norm;
  const real raw_dot = dots_of(centred->raw_sums + i) + centre->bias;
  const real raw_square =
      raw_length * raw_length + 2 * (raw_scale * raw_dot) + centre->square;
  const real raw_up = raw_square + centre->slack * (raw_reach * raw_reach);
  return choose((whole)(raw_size <= 0x1p64), raw_up, (real){0});
}

/* Clips the factors of centred rows as `factors` of vault/plain.c does, operation by
   operation. `rows` must be a multiple of WIDTH. */
INLINE void factors_all(const tacit_centred_rows *centred, size_t rows,
                        const double *raw_bounds, const double *raw_slopes,
                        const double *raw_tails, double *raw_factors) {
  const size_t count = tacit_shape_count(&centred->centre->shape, 1);
  const real least = spread(TACIT_ROW_NORM_MIN), most = spread(DBL_MAX), zero = {0};
  const real part = spread(1 - ((double)count + 8) * 0x1p-50);
  for (size_t i = 0; i < rows; i += WIDTH) {
    const real raw_factor = load(raw_factors + i), raw_bound = load(raw_bounds + i);
    const real raw_slope = absolute(load(raw_slopes + i));
    real raw_norm = raw_slope * root(square_up(centred, i));
    whole counts = (whole)(raw_slope > least) & (whole)(raw_norm > least) &
                   (whole)(raw_bound > zero);
    if (raw_tails != NULL) {
      const real raw_tail = load(raw_tails + i);
      raw_norm = root(raw_norm * raw_norm + raw_tail * raw_tail);
    }
    const real limit = raw_bound * part, raw_length = absolute(raw_factor) * raw_norm;
    const real raw_clipped = choose(SIGN, raw_factor, limit / raw_norm);
    counts &= (whole)(raw_length <= most);
    const real raw_new = choose((whole)(raw_length <= limit), raw_factor, raw_clipped);
    *(real_there *)(raw_factors + i) = choose(counts, raw_new, zero);
  }
}

/* Returns the rows from `first` on, which are too few to fill a vector. */
INLINE tacit_centred_rows rest_of(const tacit_centred_rows *centred, size_t first) {
  return (tacit_centred_rows){centred->centre, centred->raw_sums + first,
                              centred->raw_norms + first, centred->raw_scales + first};
}

/* Clips the factors of centred rows of one output. */
void LEVEL(tacit_factors_)(const tacit_centred_rows *centred, size_t rows,
                           const double *raw_bounds, const double *raw_slopes,
                           const double *raw_tails, double *raw_factors) {
  const size_t i = rows / WIDTH * WIDTH;
  const tacit_centred_rows rest = rest_of(centred, i);
  if (raw_tails != NULL)
    factors_all(centred, i, raw_bounds, raw_slopes, raw_tails, raw_factors);
  else
    factors_all(centred, i, raw_bounds, raw_slopes, NULL, raw_factors);
  if (i < rows)
    tacit_level_plain.factors(&rest, rows - i, raw_bounds + i, raw_slopes + i,
                              raw_tails != NULL ? raw_tails + i : NULL,
                              raw_factors + i);
}

/* Returns the numbers cut to -most … most. */
INLINE real between(real raw_number, double most) {
  const real high = spread(most), low = spread(-most);
  const real raw_lower = choose((whole)(raw_number > high), high, raw_number);
  return choose((whole)(raw_number < low), low, raw_lower);
}

/* Cuts the slopes of centred rows and weighs them by min(1, radius/|z|). */
void LEVEL(tacit_weigh_)(const tacit_centred_rows *centred, size_t rows, double radius,
                         double most, double *raw_slopes) {
  const tacit_centre *centre = centred->centre;
  const real far = spread(radius * radius), one = spread(1);
  size_t i = 0;
  for (; i + WIDTH <= rows; i += WIDTH) {
    const real raw_scale = load(centred->raw_scales + i);
    const real raw_length = raw_scale * load(centred->raw_norms + i);
    const real raw_dot = dots_of(centred->raw_sums + i) + centre->bias;
    const real raw_square =
        raw_length * raw_length + 2 * raw_scale * raw_dot + centre->inner;
    const real raw_omega =
        choose((whole)(raw_square > far), radius / root(raw_square), one);
    *(real_there *)(raw_slopes + i) = between(load(raw_slopes + i), most) * raw_omega;
  }
  const tacit_centred_rows rest = rest_of(centred, i);
  if (i < rows) tacit_kernel_plain.weigh(&rest, rows - i, radius, most, raw_slopes + i);
}

/* Cuts numbers to -most … most and multiplies them with `by`. */
void LEVEL(tacit_cut_)(size_t count, double most, double by, double *raw_numbers) {
  size_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH)
    *(real_there *)(raw_numbers + i) = by * between(load(raw_numbers + i), most);
  tacit_kernel_plain.cut(count - i, most, by, raw_numbers + i);
}

/* Writes points of the unit circle, the places of a row in one vector. */
void LEVEL(tacit_turn_)(size_t rows, const double *raw_places, double unit,
                        size_t stride, double *raw_out) {
  for (size_t i = 0; i < rows; ++i, raw_out += stride) {
    const quad raw_t = *(const quad_there *)(raw_places + i * TACIT_TURNS) / 16,
               raw_whole = 1 + raw_t * raw_t;
    quad raw_cos = (1 - raw_t * raw_t) / raw_whole, raw_sin = 2 * raw_t / raw_whole;
    double *raw_to = raw_out;
    for (int k = 0; k < TACIT_FREQUENCIES; ++k, raw_to += 2 * TACIT_TURNS) {
      for (int half = 0; half < (k == 0 ? 3 : 2); ++half) {
        const quad raw_twice = 2 * raw_sin * raw_cos;
        raw_cos = 1 - 2 * raw_sin * raw_sin;
        raw_sin = raw_twice;
      }
      const quad raw_left = unit * raw_cos, raw_right = unit * raw_sin;
      *(quad_there *)raw_to =
          (quad){raw_left[0], raw_right[0], raw_left[1], raw_right[1]};
      *(quad_there *)(raw_to + TACIT_TURNS) =
          (quad){raw_left[2], raw_right[2], raw_left[3], raw_right[3]};
    }
  }
}
