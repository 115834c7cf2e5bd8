/* SPDX-License-Identifier: MIT */
/* The plain loops of what a level computes besides the loops of the vault. */
#include "kernel/kernel.h"

static void wide_one(double raw_value, const double *weights, size_t outputs,
                     double *raw_out) {
  for (size_t k = 0; k < outputs; ++k)
    raw_out[k] += weights[k] * raw_value;
}

static void wide(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                 const tacit_wide *wide, double *raw_out) {
  for (size_t r = 0; r < rows; ++r) {
    const void *raw_row = tacit_dense_row(dense, r);
    for (size_t j = first; j < end; ++j)
      wide_one(tacit_dense_value(raw_row, j, dense->stored),
               wide->weights + j * wide->width, wide->outputs,
               raw_out + r * wide->width);
  }
}

static void wide_sparse(const tacit_sparse *row, const tacit_wide *wide,
                        double *raw_out) {
  for (size_t e = 0; e < row->count; ++e)
    wide_one(tacit_dense_value(row->raw_values, e, row->stored),
             wide->weights + row->raw_indices[e] * wide->width, wide->outputs, raw_out);
}

static double between(double raw_number, double most) {
  return raw_number < -most ? -most : raw_number > most ? most : raw_number;
}

static void weigh(const tacit_centred_rows *centred, size_t rows, double radius,
                  double most, double *raw_slopes) {
  for (size_t i = 0; i < rows; ++i) {
    double raw_square =
        tacit_centre_inner(centred->centre, centred->raw_scales[i],
                           centred->raw_norms[i], centred->raw_sums[i].raw_offset);
    double raw_omega = raw_square > radius * radius ? radius / sqrt(raw_square) : 1;
    raw_slopes[i] = between(raw_slopes[i], most) * raw_omega;
  }
}

static void cut(size_t count, double most, double by, double *raw_numbers) {
  for (size_t i = 0; i < count; ++i)
    raw_numbers[i] = by * between(raw_numbers[i], most);
}

/* The point at twice the angle whose tangent is t, turned by powers of two: no function
   of the C library, so that all machines agree. At first the angle is close to an
   eighth of the place; three doublings make it the angle of frequency 1. */
static void turn(size_t rows, const double *raw_places, double unit, size_t stride,
                 double *raw_out) {
  for (size_t i = 0; i < rows * TACIT_TURNS; ++i) {
    double *raw_to = raw_out + i / TACIT_TURNS * stride + 2 * (i % TACIT_TURNS);
    double raw_t = raw_places[i] / 16, raw_whole = 1 + raw_t * raw_t;
    double raw_cos = (1 - raw_t * raw_t) / raw_whole, raw_sin = 2 * raw_t / raw_whole;
    for (int k = 0; k < TACIT_FREQUENCIES; ++k, raw_to += 2 * TACIT_TURNS) {
      for (int half = 0; half < (k == 0 ? 3 : 2); ++half) {
        double raw_twice = 2 * raw_sin * raw_cos;
        raw_cos = 1 - 2 * raw_sin * raw_sin;
        raw_sin = raw_twice;
      }
      raw_to[0] = unit * raw_cos;
      raw_to[1] = unit * raw_sin;
    }
  }
}

const tacit_kernel tacit_kernel_plain = {wide, wide_sparse, weigh, cut, turn};
