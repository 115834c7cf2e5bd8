/* SPDX-License-Identifier: MIT */
/* The self-test of a level: compares it with the plain loops, bit for bit, on a few
   rows of odd shapes, in a tenth of a millisecond. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "vault/centre.h"
#include "vault/nearest.h"

enum { ROWS = 9, COLUMNS = 35, WIDTH = 5 * TACIT_LANES, SPARSE = 2 };
/* The numbers that a centred row of the test has, one per slot of fill_parts. */
enum { NORM, DOT, SCALE, BOUND, SLOPE, TAIL, FACTOR, PARTS };

/* The inputs of the test, with equal values in floats and doubles, and the results of
   the plain level and of the other one. */
struct trial {
  double values[ROWS * COLUMNS], x[COLUMNS], x_prev[COLUMNS], offset[COLUMNS];
  double weights[COLUMNS * WIDTH], pairs[2 * COLUMNS];
  float narrow[ROWS * COLUMNS], narrow_ones[COLUMNS];
  double ones[COLUMNS];
  double factors[3][ROWS]; /* by tacit_size: products stay below that bound */
  double odd[ROWS * TACIT_OUTPUTS], parts[PARTS][COLUMNS];
  uint32_t indices[COLUMNS];
  struct results {
    tacit_sums sums[ROWS], sparse[SPARSE], ones[SPARSE];
    int64_t added[COLUMNS], nearest[TACIT_OUTPUTS * COLUMNS];
    double wide[ROWS * WIDTH], widened[ROWS * COLUMNS], turned[SPARSE * WIDTH];
    double factors[COLUMNS], weighed[COLUMNS], cut[COLUMNS];
  } plain, other;
};

/* Returns a number of few digits, so that a float holds it and its products are exact.
   Numbers have both signs and many sizes. */
static double number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  double mantissa = (double)(int64_t)(*state >> 44) - 0x1p19;
  return mantissa * (*state >> 40 & 1 ? 0x1p-20 : 0x1p-26);
}

static void fill(double *out, size_t count, uint64_t *state) {
  for (size_t i = 0; i < count; ++i)
    out[i] = number(state);
}

static void trial_init(struct trial *trial) {
  uint64_t state = 1;
  memset(trial, 0, sizeof *trial);
  fill(trial->values, ROWS * COLUMNS, &state);
  fill(trial->x, COLUMNS, &state);
  fill(trial->x_prev, COLUMNS, &state);
  fill(trial->offset, COLUMNS, &state);
  fill(trial->weights, COLUMNS * WIDTH, &state);
  fill(trial->pairs, 2 * COLUMNS, &state);
  fill(trial->parts[0], PARTS * COLUMNS, &state);
  for (size_t i = 0; i < ROWS * COLUMNS; ++i)
    trial->narrow[i] = (float)trial->values[i];
  /* Values are at most 1/2, so products reach a third of 2^47, 2^50 and 2^59, and nine
     of them stay below 2^63. They have digits after the point, which are cut off. */
  for (size_t i = 0; i < ROWS; ++i) {
    double factor = number(&state) / 3;
    trial->factors[TACIT_BELOW_2_48][i] = 0x1p49 * factor;
    trial->factors[TACIT_BELOW_2_51][i] = 0x1p52 * factor;
    trial->factors[TACIT_BELOW_2_63][i] = 0x1p61 * factor;
  }
  /* These factors use all digits, so that some products lie halfway between integers
     once they are rounded. */
  for (size_t i = 0; i < ROWS * TACIT_OUTPUTS; ++i)
    trial->odd[i] = tacit_odd(0x1p49 * number(&state) / 3);
  for (size_t i = 0; i < COLUMNS; ++i) {
    /* some indices are neighbours, because indices of curves are */
    trial->indices[i] = (uint32_t)(i % 4 < 2 ? i : i * 3 % COLUMNS);
    trial->narrow_ones[i] = i + 1 < COLUMNS ? 1 : 0.5f;
    trial->ones[i] = (double)trial->narrow_ones[i];
  }
}

/* Writes the numbers of some centred rows (NORM … FACTOR). A third of the rows are at
   their bound or above it by the last digit. A third have one number that is extreme or
   that the vault refuses. */
static void fill_parts(const struct trial *trial, const tacit_centre *centre, int way,
                       size_t rows, double parts[PARTS][COLUMNS]) {
  static const double extremes[] = {(double)NAN, (double)INFINITY, -(double)INFINITY,
                                    0,           0x1p-1070,        1e-141,
                                    -1e-139,     0x1p65,           -DBL_MAX};
  enum { EXTREMES = sizeof extremes / sizeof extremes[0] };
  double part = 1 - ((double)tacit_shape_count(&centre->shape, 1) + 8) * 0x1p-50;
  memcpy(parts, trial->parts, sizeof trial->parts);
  for (size_t i = 0; i < rows; ++i) {
    size_t kind = (i + (size_t)way) % 3;
    double norm = fabs(parts[SLOPE][i]) *
                  sqrt(tacit_centre_square_up(centre, parts[SCALE][i], parts[NORM][i],
                                              parts[DOT][i]));
    double tail = way % 2 == 0 ? parts[TAIL][i] : 0;
    parts[BOUND][i] = fabs(parts[BOUND][i]);
    if (kind == 0)
      parts[BOUND][i] = fabs(parts[FACTOR][i]) * sqrt(norm * norm + tail * tail) /
                        part * (1 - (double)(i % 2) * 0x1p-52);
    if (kind == 1)
      parts[(i + (size_t)way / 3) % PARTS][i] =
          extremes[(i / 3 + (size_t)way) % EXTREMES];
  }
}

/* Runs the loops of a level for centred rows: clips their factors, weighs and cuts
   slopes, turns places. */
static void run_centred(const tacit_level *kernel, const struct trial *trial, int way,
                        size_t rows, struct results *out) {
  const tacit_centre centre = {
      .square = 0.5, .norm = 0.75, .inner = 0.25, .bias = -0.125, .slack = 0x1p-45};
  double parts[PARTS][COLUMNS];
  tacit_sums sums[COLUMNS], dots[COLUMNS];
  fill_parts(trial, &centre, way, rows, parts);
  for (size_t i = 0; i < rows; ++i) {
    sums[i] = (tacit_sums){.raw_offset = trial->offset[i]};
    dots[i] = (tacit_sums){.raw_offset = parts[DOT][i]};
  }
  const tacit_centred_rows centred = {&centre, sums, trial->x, trial->x_prev};
  const tacit_centred_rows clipped = {&centre, dots, parts[NORM], parts[SCALE]};
  memcpy(out->factors, parts[FACTOR], rows * sizeof *out->factors);
  kernel->factors(&clipped, rows, parts[BOUND], parts[SLOPE],
                  way % 2 == 0 ? parts[TAIL] : NULL, out->factors);
  memcpy(out->weighed, trial->pairs, sizeof out->weighed);
  memcpy(out->cut, trial->pairs, sizeof out->cut);
  tacit_kernel_of(kernel)->weigh(&centred, rows, 0.5, 0.375, out->weighed);
  tacit_kernel_of(kernel)->cut(rows, 0.25, 0.3, out->cut);
  if (way == 0)
    tacit_kernel_of(kernel)->turn(SPARSE, trial->pairs, 0.3, WIDTH, out->turned);
}

/* Runs the sparse loops of a level on two rows, the first of which is short: once with
   the values of the trial, once with ones. If there are COLUMNS columns, the last of
   these ones is 1/2. */
static void run_sparse(const tacit_level *kernel, const struct trial *trial,
                       const void *values, tacit_stored stored, size_t columns,
                       tacit_size size, const tacit_points *points,
                       struct results *out) {
  const int64_t starts[] = {0, (int64_t)columns / 4, (int64_t)columns};
  const double *factors = trial->factors[size];
  tacit_sparse_rows all = {values, stored, trial->indices,
                           starts, SPARSE, columns > TACIT_AHEAD};
  kernel->sums_sparse(&all, points, out->sparse);
  kernel->add_sparse(&all, factors, size, out->added);
  all.raw_values =
      stored == TACIT_FLOATS ? (const void *)trial->narrow_ones : trial->ones;
  kernel->sums_sparse(&all, points, out->ones);
  kernel->add_sparse(&all, factors, size, out->added);
}

/* Runs every loop of a level on `rows` rows of `columns` columns. `way`, 0 … 11,
   chooses float or double, points, sizes and centring. */
static void run(const tacit_level *kernel, const struct trial *trial, int way,
                size_t rows, size_t columns, struct results *out) {
  tacit_stored stored = way % 2 == 0 ? TACIT_DOUBLES : TACIT_FLOATS;
  int dots = way / 2 % 3, centred = way >= 6;
  const void *values =
      stored == TACIT_FLOATS ? (const void *)trial->narrow : trial->values;
  const tacit_dense dense = {values, stored, columns};
  const void *each[ROWS];
  static const tacit_size sizes[] = {TACIT_BELOW_2_63, TACIT_BELOW_2_51,
                                     TACIT_BELOW_2_48};
  tacit_size size = sizes[dots];
  size_t outputs = (size_t)(1 + way % 5) * TACIT_LANES; /* so that all sizes of tiles
                                                           occur */
  memset(out, 0, sizeof *out);
  for (size_t r = 0; r < rows; ++r)
    each[r] = tacit_dense_row(&dense, r);
  const tacit_points points = {.x = dots > 0 ? trial->x : NULL,
                               .x_prev = dots > 1 ? trial->x_prev : NULL,
                               .pairs = dots > 1 ? trial->pairs : NULL,
                               .offset = centred ? trial->offset : NULL,
                               .are_short = rows % 2,
                               .is_offset_short = 1};
  const tacit_sparse sparse = {values, stored, trial->indices, columns, COLUMNS};
  kernel->sums(&dense, rows, &points, out->sums);
  run_sparse(kernel, trial, values, stored, columns, size, &points, out);
  kernel->add(each, stored, trial->factors[size], rows, columns, size, NULL,
              out->added);
  kernel->add_nearest(each, stored, trial->odd, rows, columns,
                      (size_t)(1 + way % TACIT_OUTPUTS), 4 + (size_t)way, COLUMNS,
                      out->nearest);
  kernel->add_nearest_sparse(&sparse, trial->odd[way], out->nearest);
  const tacit_wide wide = {trial->weights, outputs, WIDTH, rows % 2};
  tacit_kernel_of(kernel)->wide(&dense, rows, columns / 3, columns, &wide, out->wide);
  tacit_kernel_of(kernel)->wide_sparse(&sparse, &wide, out->wide);
  const tacit_dense floats = {trial->narrow, TACIT_FLOATS, columns};
  kernel->widen(&floats, rows, columns / 3, columns - columns / 3, out->widened);
  run_centred(kernel, trial, way, columns, out);
}

tacit_status tacit_kernel_check(const tacit_level *kernel, tacit_error *err) {
  static const size_t shapes[][2] = {{1, 1}, {2, 7}, {3, 8}, {5, 17}, {9, 35}, {4, 32}};
  struct trial trial;
  if (kernel == &tacit_level_plain) return TACIT_OK;
  trial_init(&trial);
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
    for (int way = 0; way < 12; ++way) {
      size_t rows = shapes[s][0], columns = shapes[s][1];
      run(&tacit_level_plain, &trial, way, rows, columns, &trial.plain);
      run(kernel, &trial, way, rows, columns, &trial.other);
      if (memcmp(&trial.plain, &trial.other, sizeof trial.plain) == 0) continue;
      return tacit_fail(err, TACIT_EPRIVACY,
                        "kernel %s fails its self-test on this processor: set "
                        "TACIT_DISPATCH=plain and report it",
                        kernel->name);
    }
  }
  return TACIT_OK;
}
