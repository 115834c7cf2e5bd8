/* SPDX-License-Identifier: MIT */
/* The first releases: means, counts of levels, and spreads. A row has parts, and adds a
   number from 0 to 1 to one column of each: a vector of numbers >= 0, whose norm is at
   most the root of the sum of the squares of the parts' scales. The vault refuses
   negative numbers. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"
#include "loss/exp.h"

/* A histogram of a number between 0 and 2 has bins between 2 2^(-k/4), k = 0 … BINS,
   from the largest to the smallest. */
enum { BINS = 44 };

/* The largest tail, about the tail of log-normal errors. A larger one would be noise
   that looks like rows. */
enum { TAIL_MAX = 3 };

struct part {
  size_t columns;
  double scale; /* the root of 2 for a number with two columns, one per sign, whose
                   noise is then as large as the noise of a level */
};
static const struct part number = {2, 1.4142135623730951}, one = {1, 1},
                         histogram = {BINS, 1};

struct tally;
/* Finds what row i of a batch adds: for each part, one column and the number for it. */
typedef void (*place_fn)(const struct tally *tally, const tacit_effects_work *work,
                         const tacit_batch *batch, int64_t i, uint32_t *raw_columns,
                         double *raw_values);
struct tally {
  tacit_effects_sum sum; /* must be first */
  place_fn place;
  struct part *parts;
  size_t n_parts, columns;
  double norm;
};

static void add_part(struct tally *tally, struct part part) {
  tally->parts[tally->n_parts++] = part;
  tally->columns += part.columns;
  tally->norm = sqrt(tally->norm * tally->norm + part.scale * part.scale);
}

/* Leaves room for rounding, so that no row is clipped. */
static double unit_of(const struct tally *tally) { return (1 - 0x1p-30) / tally->norm; }

/* Adds rows first … first+n-1 of a batch, as sparse rows with an entry per part. */
static tacit_status add_rows(const struct tally *tally, size_t worker,
                             const tacit_batch *batch, int64_t first, size_t n,
                             tacit_error *err) {
  const tacit_effects_work *work = &tally->sum.works[worker];
  size_t parts = tally->n_parts;
  int64_t starts[TACIT_SUM_ROWS + 1] = {0};
  for (size_t i = 0; i < n; ++i) {
    uint32_t *raw_indices = work->raw_indices + i * parts, at = 0;
    double *raw_values = work->raw_values + i * parts;
    tally->place(tally, work, batch, first + (int64_t)i, raw_indices, raw_values);
    for (size_t p = 0; p < parts; ++p) {
      raw_indices[p] += at;
      raw_values[p] *= tally->parts[p].scale * unit_of(tally);
      at += (uint32_t)tally->parts[p].columns;
    }
    starts[i + 1] = starts[i] + (int64_t)parts;
  }
  tacit_batch rows;
  tacit_batch_init(&rows);
  rows.n_rows = (int64_t)n;
  rows.n_features = tally->columns;
  rows.raw_row_start = starts;
  rows.raw_indices = work->raw_indices;
  rows.raw_values = work->raw_values;
  if (batch->raw_weights != NULL) rows.raw_weights = batch->raw_weights + first;
  if (batch->raw_unit_rows != NULL) rows.raw_unit_rows = batch->raw_unit_rows + first;
  return tacit_effects_put(&tally->sum, worker, &rows, err);
}

static tacit_status add_batch(void *context, size_t worker, const tacit_batch *batch,
                              tacit_error *err) {
  const struct tally *tally = context;
  for (int64_t first = 0; first < batch->n_rows; first += TACIT_SUM_ROWS) {
    int64_t left = batch->n_rows - first;
    size_t n = left < TACIT_SUM_ROWS ? (size_t)left : TACIT_SUM_ROWS;
    TACIT_TRY(add_rows(tally, worker, batch, first, n, err));
  }
  return TACIT_OK;
}

/* Releases a tally. Writes one number per column, in units of rows, and the standard
   deviation of the noise in a part of scale 1. */
static tacit_status release(struct tally *tally, tacit_inference *inference,
                            double share, double **out, double *out_noise,
                            tacit_error *err) {
  tally->sum.inference = inference;
  tally->sum.facts = (tacit_once_facts){.columns = tally->columns, .counts = 1};
  tally->sum.entries = tally->n_parts;
  tally->sum.rows = TACIT_SUM_ROWS;
  tally->sum.add = add_batch;
  TACIT_TRY(TACIT_NEW(*out, tally->columns, err));
  TACIT_TRY(tacit_effects_sum_up(&tally->sum, share, *out, out_noise, err));
  *out_noise /= unit_of(tally);
  double *at = *out;
  for (size_t p = 0; p < tally->n_parts; ++p)
    for (size_t k = 0; k < tally->parts[p].columns; ++k)
      *at++ /= tally->parts[p].scale * unit_of(tally);
  return TACIT_OK;
}

/* ---- means ---- */

/* Writes the column and the value of a number from -1 to 1 in a part of two columns,
   one for either sign. */
static void place_signed(double raw_value, uint32_t *raw_column, double *raw_out) {
  *raw_column = raw_value < 0;
  *raw_out = fmin(fabs(raw_value), 1);
}

/* Writes the column and the value of a row with levels: the level whose share is
   largest, and 1, or 0 if no level has a share. */
static void place_level(const double *raw_x, size_t n, uint32_t *raw_column,
                        double *raw_out) {
  size_t raw_most = 0;
  for (size_t k = 1; k < n; ++k)
    if (raw_x[k] > raw_x[raw_most]) raw_most = k;
  *raw_column = (uint32_t)raw_most;
  *raw_out = raw_x[raw_most] > 0;
}

static void place_means(const struct tally *tally, const tacit_effects_work *work,
                        const tacit_batch *batch, int64_t i, uint32_t *raw_columns,
                        double *raw_values) {
  const tacit_inference *inference = tally->sum.inference;
  const tacit_effects_columns *columns = &inference->columns;
  size_t g = 0;
  double raw_y,
      raw_weight = tacit_effects_z(inference, batch, i, work->raw_x, NULL, &raw_y);
  for (; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    const double *raw_x = work->raw_x + group->first;
    if (group->is_number)
      place_signed(*raw_x, &raw_columns[g], &raw_values[g]);
    else
      place_level(raw_x, group->n, &raw_columns[g], &raw_values[g]);
  }
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) {
    raw_columns[g] = 0;
    raw_values[g++] = batch->raw_labels[i] > 0;
  } else if (inference->loss == TACIT_EFFECTS_SQUARED) {
    place_signed(raw_weight > 0 ? raw_y : 0, &raw_columns[g], &raw_values[g]);
    ++g;
  }
  if (!inference->facts.weighted) return;
  raw_columns[g] = 0;
  raw_values[g] = 1;
}

/* Computes the means from the release. The sum of a number has two columns. */
static void means_of(tacit_inference *inference, const double *at) {
  const tacit_effects_columns *columns = &inference->columns;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    if (group->is_number)
      inference->means[group->first] = at[0] - at[1];
    else
      memcpy(inference->counts + group->first, at, group->n * sizeof *at);
    at += group->is_number ? 2 : group->n;
  }
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) inference->y_mean = *at++;
  if (inference->loss == TACIT_EFFECTS_SQUARED) {
    inference->y_mean = at[0] - at[1];
    at += 2;
  }
  inference->n =
      inference->facts.weighted ? fmax(*at, 1) : (double)inference->facts.rows;
  inference->y_mean = fmin(fmax(inference->y_mean / inference->n, -1), 1);
  for (size_t i = 0; i < columns->n; ++i)
    inference->means[i] = fmin(fmax(inference->means[i] / inference->n, -1), 1);
}

tacit_status tacit_effects_means(tacit_inference *inference, tacit_error *err) {
  const tacit_effects_columns *columns = &inference->columns;
  struct tally tally = {.place = place_means};
  double *table = NULL;
  TACIT_TRY(TACIT_NEW(tally.parts, columns->n_groups + 2, err));
  for (size_t g = 0; g < columns->n_groups; ++g)
    add_part(&tally, columns->groups[g].is_number
                         ? number
                         : (struct part){columns->groups[g].n, 1});
  if (inference->loss != TACIT_EFFECTS_POISSON)
    add_part(&tally, inference->loss == TACIT_EFFECTS_LOGISTIC ? one : number);
  if (inference->facts.weighted) add_part(&tally, one);
  tacit_status status = release(&tally, inference, TACIT_EFFECTS_MEANS, &table,
                                &inference->counts_noise, err);
  if (status == TACIT_OK) means_of(inference, table);
  TACIT_FREE(tally.parts, table);
  return status;
}

/* ---- spreads ---- */

/* Returns the bin of a number. */
static uint32_t bin_of(double raw_value) {
  static const double steps[] = {0.8408964152537145, 0.7071067811865476,
                                 0.5946035575013605};
  int raw_octave;
  double raw_part = frexp(fmin(fmax(raw_value, 1e-9), 2) / 2, &raw_octave);
  int raw_bin = -4 * raw_octave;
  for (size_t i = 0; i < 3; ++i)
    raw_bin += raw_part <= steps[i];
  return raw_bin < 0 ? 0 : raw_bin >= BINS ? BINS - 1 : (uint32_t)raw_bin;
}

/* Returns the lower edge of bin k, counted from the smallest. */
static double edge_of(int k) { return 2 * exp2((double)(k - BINS) / 4); }

/* Returns the number that 68% of `n` rows are below, from the counts of a histogram. */
static double spread_of(const double *counts, double n) {
  double below = 0;
  for (int k = 0; k < BINS; ++k) {
    double count = counts[BINS - 1 - k];
    if (below + count < 0.68 * n && k < BINS - 1) {
      below += count;
      continue;
    }
    double part = fmin(fmax((0.68 * n - below) / fmax(count, 1), 0), 1);
    return fmax(0x1p-10, edge_of(k) + (edge_of(k + 1) - edge_of(k)) * part);
  }
  return 2;
}

/* Returns the tail that is visible in spite of the noise, relative to the tail of a
   Gaussian with this spread: 1 for a Gaussian, about 1.5 for an exponential tail. */
static double tail_of(const double *counts, double n, double noise, double spread) {
  double sum = 0, last = 0;
  for (int k = BINS - 1; k >= 0; --k) { /* the largest numbers first */
    sum += counts[BINS - 1 - k];
    double hidden = 0.002 * n + 3 * noise * sqrt((double)(BINS - k));
    double over = sum - hidden;
    if (over <= 0) {
      last = over;
      continue;
    }
    if (k == BINS - 1) return 1;
    double edge = edge_of(k) * exp2(0.25 * over / (over - last));
    double point = tacit_normal_point(fmin(0.3, hidden / n) / 2);
    return fmin(fmax(1, edge / (point * spread) / 1.1), TAIL_MAX);
  }
  return 1;
}

static void place_spreads(const struct tally *tally, const tacit_effects_work *work,
                          const tacit_batch *batch, int64_t i, uint32_t *raw_columns,
                          double *raw_values) {
  const tacit_inference *inference = tally->sum.inference;
  const tacit_effects_columns *columns = &inference->columns;
  double raw_y,
      raw_weight = tacit_effects_z(inference, batch, i, work->raw_x, NULL, &raw_y);
  size_t part = 0;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    size_t column = columns->groups[g].first;
    if (columns->groups[g].is_number)
      raw_columns[part++] =
          bin_of(fabs(work->raw_x[column] - inference->centre[column]));
  }
  if (inference->loss != TACIT_EFFECTS_LOGISTIC)
    raw_columns[part++] = bin_of(inference->loss == TACIT_EFFECTS_SQUARED
                                     ? fabs(raw_y - inference->y_mean)
                                     : raw_y / inference->label.max);
  for (size_t p = 0; p < part; ++p)
    raw_values[p] = raw_weight > 0;
}

tacit_status tacit_effects_spreads(tacit_inference *inference, tacit_error *err) {
  const tacit_effects_columns *columns = &inference->columns;
  struct tally tally = {.place = place_spreads};
  int is_number = inference->loss != TACIT_EFFECTS_LOGISTIC;
  double *table = NULL, noise;
  TACIT_TRY(TACIT_NEW(tally.parts, columns->n_groups + 1, err));
  for (size_t g = 0; g <= columns->n_groups; ++g)
    if (g < columns->n_groups ? columns->groups[g].is_number : is_number)
      add_part(&tally, histogram);
  tacit_status status = TACIT_OK;
  if (tally.n_parts > 0)
    status = release(&tally, inference, TACIT_EFFECTS_SPREADS, &table, &noise, err);
  const double *at = table;
  for (size_t g = 0; status == TACIT_OK && g < columns->n_groups; ++g) {
    if (!columns->groups[g].is_number) continue;
    size_t column = columns->groups[g].first;
    inference->spread[column] = spread_of(at, inference->n);
    inference->rise[column] = 1 / inference->spread[column];
    at += BINS;
  }
  if (status == TACIT_OK && is_number) {
    inference->y_spread = spread_of(at, inference->n);
    inference->y_tail = tail_of(at, inference->n, noise, inference->y_spread);
  }
  TACIT_FREE(tally.parts, table);
  return status;
}

/* ---- residuals ---- */

static void place_residual(const struct tally *tally, const tacit_effects_work *work,
                           const tacit_batch *batch, int64_t i, uint32_t *raw_column,
                           double *raw_value) {
  const tacit_inference *inference = tally->sum.inference;
  double raw_y, raw_eta = 0;
  double raw_weight =
      tacit_effects_z(inference, batch, i, work->raw_x, work->raw_z, &raw_y);
  for (size_t j = 0; j < inference->d; ++j)
    raw_eta += work->raw_z[j] * inference->theta[j];
  double raw_error = (raw_y - raw_eta) / 2;
  if (inference->loss == TACIT_EFFECTS_POISSON) {
    double raw_mean = tacit_exp(fmin(fmax(raw_eta, -30), 30));
    raw_error = (raw_y - raw_mean) / sqrt(1 + raw_mean) / (2 * inference->label.max);
  }
  *raw_column = bin_of(fabs(raw_error));
  *raw_value = raw_weight > 0;
}

tacit_status tacit_effects_residuals(tacit_inference *inference, tacit_error *err) {
  struct part parts[1];
  struct tally tally = {.place = place_residual, .parts = parts};
  double *table = NULL, noise;
  add_part(&tally, histogram);
  tacit_status status =
      release(&tally, inference, TACIT_EFFECTS_LAST * TACIT_EFFECTS_RESIDUALS, &table,
              &noise, err);
  if (status == TACIT_OK) {
    double spread = spread_of(table, inference->n);
    double tail = tail_of(table, inference->n, noise, spread);
    double unit = inference->loss == TACIT_EFFECTS_POISSON ? inference->label.max : 1;
    inference->tau = 3 * spread * tail * tail * tail * 2 * unit;
  }
  tacit_array_free(table);
  return status;
}
