/* SPDX-License-Identifier: MIT */
/* The first releases: means, counts of levels, and spreads. Every one is a tally
   (extra/evaluate/tally.h): in each of its parts a row adds a number from 0 to 1 to one
   column. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"
#include "loss/exp.h"

/* A histogram of a number between 0 and 2 has bins between 2 2^(-k/4), k = 0 … BINS,
   from the largest to the smallest. */
enum { BINS = 44 };

/* Finds the columns and numbers of the rows of a batch, as tacit_tally_add takes
   them. */
struct tally;
typedef void (*place_fn)(struct tally *tally, const tacit_batch *batch, int64_t i,
                         uint32_t *raw_columns, double *raw_values);
struct tally {
  tacit_inference *inference;
  place_fn place;
  tacit_tally_part *parts;
  size_t n_parts;
  tacit_tally *sums;
  double *raw_x, *raw_z; /* columns of a row */
  uint32_t *raw_columns;
  double *raw_values;
};

static tacit_status add_batch(void *context, size_t worker, const tacit_batch *batch,
                              tacit_error *err) {
  struct tally *tally = context;
  size_t n = tally->n_parts;
  (void)worker;
  for (int64_t i = 0; i < batch->n_rows; ++i)
    tally->place(tally, batch, i, tally->raw_columns + (size_t)i * n,
                 tally->raw_values + (size_t)i * n);
  return tacit_tally_add(tally->sums, batch, tally->raw_columns, tally->raw_values,
                         err);
}

static tacit_status tally_run(struct tally *tally, double share, double *out,
                              tacit_error *err) {
  tacit_inference *inference = tally->inference;
  tacit_tally_facts facts = {.parts = tally->parts,
                             .n_parts = tally->n_parts,
                             .rows = inference->units,
                             .kappa = inference->kappa};
  char purpose[TACIT_EFFECTS_PURPOSE];
  TACIT_TRY(tacit_effects_spend(inference, share, &facts.mu, purpose, err));
  TACIT_TRY(tacit_tally_new(&facts, &tally->sums, err));
  size_t room = TACIT_CURSOR_ROWS * tally->n_parts;
  tally->raw_columns = tacit_raw_new(room, sizeof *tally->raw_columns);
  tally->raw_values = tacit_raw_new(room, sizeof *tally->raw_values);
  tally->raw_x = tacit_raw_new(inference->columns.n, sizeof *tally->raw_x);
  tally->raw_z = tacit_raw_new(inference->columns.n + 1, sizeof *tally->raw_z);
  if (tally->raw_columns == NULL || tally->raw_values == NULL || tally->raw_x == NULL ||
      tally->raw_z == NULL)
    return tacit_fail_memory(err);
  TACIT_TRY(tacit_effects_pass(&inference->rows, 0, add_batch, tally, err));
  inference->noise_begun = 1;
  tacit_key own;
  tacit_key_derive(&inference->key, purpose, &own);
  tacit_status status = tacit_tally_end(tally->sums, &own, out, err);
  tacit_key_wipe(&own);
  return status;
}

/* Releases a tally. Writes one number per column, and the standard deviation of the
   noise of part `part` in rows. */
static tacit_status release(struct tally *tally, double share, size_t part, double *out,
                            double *out_noise, tacit_error *err) {
  tacit_status status = tally_run(tally, share, out, err);
  if (status == TACIT_OK) *out_noise = tacit_tally_noise(tally->sums, part);
  tacit_tally_free(tally->sums);
  tacit_raw_free(tally->raw_columns);
  tacit_raw_free(tally->raw_values);
  tacit_raw_free(tally->raw_x);
  tacit_raw_free(tally->raw_z);
  return status;
}

/* ---- means ---- */

/* Writes the column and the value of a number from -1 to 1 in a part of two columns,
   one for either sign. */
static void place_signed(double raw_value, uint32_t *raw_column, double *raw_out) {
  *raw_column = raw_value < 0;
  *raw_out = fmin(fabs(raw_value), 1);
}

static void place_means(struct tally *tally, const tacit_batch *batch, int64_t i,
                        uint32_t *raw_columns, double *raw_values) {
  const tacit_inference *inference = tally->inference;
  const tacit_effects_columns *columns = &inference->columns;
  size_t part = columns->n_groups;
  tacit_effects_columns_of(columns, batch, i, tally->raw_x);
  for (size_t g = 0; g < part; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    const double *raw_x = tally->raw_x + group->first;
    if (group->is_number) {
      place_signed(*raw_x, &raw_columns[g], &raw_values[g]);
      continue;
    }
    size_t raw_most = 0;
    for (size_t k = 1; k < group->n; ++k)
      if (raw_x[k] > raw_x[raw_most]) raw_most = k;
    raw_columns[g] = (uint32_t)raw_most;
    raw_values[g] = raw_x[raw_most] > 0;
  }
  double raw_label = batch->raw_labels[i];
  double raw_weight = batch->raw_weights != NULL ? batch->raw_weights[i] : 1;
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) {
    raw_columns[part] = 0;
    raw_values[part++] = raw_label > 0;
  } else if (inference->loss == TACIT_EFFECTS_SQUARED) {
    double raw_inside = tacit_label_inside(&inference->label, raw_label);
    place_signed(raw_weight > 0 ? raw_inside : 0, &raw_columns[part],
                 &raw_values[part]);
    ++part;
  }
  raw_columns[part] = 0; /* the weight, if there is such a part */
  if (inference->weighted) raw_values[part] = 1;
}

/* Reads the means off the release. Sums of numbers have two columns each. */
static void means_of(tacit_inference *inference, const double *table) {
  const tacit_effects_columns *columns = &inference->columns;
  const double *at = table;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    if (group->is_number) inference->means[group->first] = at[0] - at[1];
    for (size_t k = 0; !group->is_number && k < group->n; ++k)
      inference->counts[group->first + k] = at[k];
    at += group->is_number ? 2 : group->n;
  }
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) inference->y_mean = *at++;
  if (inference->loss == TACIT_EFFECTS_SQUARED) {
    inference->y_mean = at[0] - at[1];
    at += 2;
  }
  inference->n = inference->weighted ? fmax(*at, 1) : (double)inference->units;
  inference->y_mean = fmin(fmax(inference->y_mean / inference->n, -1), 1);
  for (size_t i = 0; i < columns->n; ++i)
    inference->means[i] = fmin(fmax(inference->means[i] / inference->n, -1), 1);
}

tacit_status tacit_effects_means(tacit_inference *inference, tacit_error *err) {
  const tacit_effects_columns *columns = &inference->columns;
  struct tally tally = {.inference = inference, .place = place_means};
  size_t room = 2 * columns->n_groups + columns->n + 4;
  tally.parts = tacit_array_new(columns->n_groups + 2, sizeof *tally.parts);
  double *table = tacit_array_new(room, sizeof *table), noise;
  tacit_status status = TACIT_OK;
  if (tally.parts == NULL || table == NULL) status = tacit_fail_memory(err);
  const tacit_tally_part number = {2, sqrt(2)}, one = {1, 1};
  for (size_t g = 0; status == TACIT_OK && g < columns->n_groups; ++g)
    tally.parts[tally.n_parts++] = columns->groups[g].is_number
                                       ? number
                                       : (tacit_tally_part){columns->groups[g].n, 1};
  if (status == TACIT_OK && inference->loss != TACIT_EFFECTS_POISSON)
    tally.parts[tally.n_parts++] =
        inference->loss == TACIT_EFFECTS_LOGISTIC ? one : number;
  if (status == TACIT_OK && inference->weighted) tally.parts[tally.n_parts++] = one;
  if (status == TACIT_OK)
    status = release(&tally, TACIT_EFFECTS_MEANS, 0, table, &noise, err);
  if (status == TACIT_OK) means_of(inference, table);
  tacit_array_free(tally.parts);
  tacit_array_free(table);
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

/* Returns the spread that 68% of `n` rows are within, from the counts of a histogram
   with this noise. */
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
    return fmax(1, edge / (point * spread) / 1.1);
  }
  return 1;
}

static void place_spreads(struct tally *tally, const tacit_batch *batch, int64_t i,
                          uint32_t *raw_columns, double *raw_values) {
  const tacit_inference *inference = tally->inference;
  const tacit_effects_columns *columns = &inference->columns;
  double raw_y;
  double raw_weight = tacit_effects_z(inference, batch, i, tally->raw_x, NULL, &raw_y);
  size_t part = 0;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    size_t column = columns->groups[g].first;
    if (!columns->groups[g].is_number) continue;
    raw_columns[part] = bin_of(fabs(tally->raw_x[column] - inference->centre[column]));
    raw_values[part++] = raw_weight > 0;
  }
  if (inference->loss == TACIT_EFFECTS_LOGISTIC) return;
  double raw_far = inference->loss == TACIT_EFFECTS_SQUARED
                       ? fabs(raw_y - inference->y_mean)
                       : raw_y / inference->label.max;
  raw_columns[part] = bin_of(raw_far);
  raw_values[part] = raw_weight > 0;
}

tacit_status tacit_effects_spreads(tacit_inference *inference, tacit_error *err) {
  const tacit_effects_columns *columns = &inference->columns;
  struct tally tally = {.inference = inference, .place = place_spreads};
  size_t n_groups = columns->n_groups;
  tally.parts = tacit_array_new(n_groups + 1, sizeof *tally.parts);
  double *table = tacit_array_new((n_groups + 1) * BINS, sizeof *table), noise;
  tacit_status status = TACIT_OK;
  if (tally.parts == NULL || table == NULL) status = tacit_fail_memory(err);
  int is_number = inference->loss != TACIT_EFFECTS_LOGISTIC;
  for (size_t g = 0; status == TACIT_OK && g <= n_groups; ++g)
    if (g < n_groups ? columns->groups[g].is_number : is_number)
      tally.parts[tally.n_parts++] = (tacit_tally_part){BINS, 1};
  if (status == TACIT_OK && tally.n_parts > 0)
    status = release(&tally, TACIT_EFFECTS_SPREADS, 0, table, &noise, err);
  size_t part = 0;
  for (size_t g = 0; status == TACIT_OK && g < n_groups; ++g)
    if (columns->groups[g].is_number)
      inference->spread[columns->groups[g].first] =
          spread_of(table + BINS * part++, inference->n);
  if (status == TACIT_OK && is_number) {
    inference->y_spread = spread_of(table + BINS * part, inference->n);
    inference->y_tail =
        tail_of(table + BINS * part, inference->n, noise, inference->y_spread);
  }
  tacit_array_free(tally.parts);
  tacit_array_free(table);
  return status;
}

/* ---- residuals ---- */

static void place_residuals(struct tally *tally, const tacit_batch *batch, int64_t i,
                            uint32_t *raw_columns, double *raw_values) {
  const tacit_inference *inference = tally->inference;
  double raw_y, raw_eta = 0;
  double raw_weight =
      tacit_effects_z(inference, batch, i, tally->raw_x, tally->raw_z, &raw_y);
  for (size_t j = 0; j < inference->d; ++j)
    raw_eta += tally->raw_z[j] * inference->theta[j];
  double raw_error = (raw_y - raw_eta) / 2;
  if (inference->loss == TACIT_EFFECTS_POISSON) {
    double raw_mean = tacit_exp(fmin(fmax(raw_eta, -30), 30));
    raw_error = (raw_y - raw_mean) / sqrt(1 + raw_mean) / (2 * inference->label.max);
  }
  raw_columns[0] = bin_of(fabs(raw_error));
  raw_values[0] = raw_weight > 0;
}

tacit_status tacit_effects_residuals(tacit_inference *inference, tacit_error *err) {
  tacit_tally_part part = {BINS, 1};
  struct tally tally = {
      .inference = inference, .place = place_residuals, .parts = &part, .n_parts = 1};
  double table[BINS], noise;
  TACIT_TRY(release(&tally, TACIT_EFFECTS_LAST * TACIT_EFFECTS_RESIDUALS, 0, table,
                    &noise, err));
  double spread = spread_of(table, inference->n);
  double tail = tail_of(table, inference->n, noise, spread);
  double unit = inference->loss == TACIT_EFFECTS_POISSON ? inference->label.max : 1;
  inference->tau = 3 * spread * tail * tail * tail * 2 * unit;
  return TACIT_OK;
}
