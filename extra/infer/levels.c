/* SPDX-License-Identifier: MIT */
/* Which columns have a coefficient, from released counts, and z of a row. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"

double tacit_effects_noise(const tacit_inference *inference, double share) {
  return inference->kappa / (inference->facts.mu * sqrt(share));
}

double tacit_effects_h0(const tacit_inference *inference) {
  double rate = fmin(fmax(inference->y_mean, 0.02), 0.98);
  return inference->loss == TACIT_EFFECTS_LOGISTIC ? rate * (1 - rate) : 1;
}

/* Sets the reference of every group: its most frequent level. */
static void set_references(tacit_inference *inference) {
  const tacit_effects_columns *columns = &inference->columns;
  for (size_t g = 0; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    inference->reference[g] = SIZE_MAX;
    if (group->is_number || group->cross != NULL) continue;
    size_t most = group->first;
    for (size_t k = 1; k < group->n; ++k)
      if (inference->counts[group->first + k] > inference->counts[most])
        most = group->first + k;
    inference->reference[g] = most;
  }
}

/* Returns how many rows a level needs: with fewer, its curvature is below the noise of
   the first rounds. */
static double rows_needed(const tacit_inference *inference, size_t d) {
  const tacit_joint_facts facts = {
      .loss = inference->loss, .d = d, .kappa = inference->kappa};
  double b = tacit_joint_b(facts.loss, 0) * (inference->kappa == 2 ? 2 : 1);
  double noise = (double)d * tacit_effects_noise(inference, TACIT_EFFECTS_ROUNDS);
  return 0.25 * noise / sqrt(b) * sqrt(2 * (double)d) / tacit_effects_h0(inference);
}

/* Leaves out levels that are too rare, the rarest first, because the others have less
   noise without them. The count of a level without rows is noise alone, and is below
   the limit with probability 0.977 or more. */
static void leave_out(tacit_inference *inference, size_t *d) {
  const tacit_effects_columns *columns = &inference->columns;
  for (;;) {
    size_t rarest = SIZE_MAX;
    for (size_t i = 0; i < columns->n; ++i) {
      int is_level = !columns->groups[columns->group_of[i]].is_number;
      if (is_level && inference->state[i] == TACIT_EFFECTS_USED &&
          (rarest == SIZE_MAX || inference->counts[i] < inference->counts[rarest]))
        rarest = i;
    }
    inference->rare_below =
        fmax(rows_needed(inference, *d), 2 * inference->counts_noise);
    if (rarest == SIZE_MAX || inference->counts[rarest] >= inference->rare_below)
      return;
    inference->state[rarest] = TACIT_EFFECTS_RARE;
    inference->n -= fmax(inference->counts[rarest], 0);
    --*d;
  }
}

tacit_status tacit_effects_choose(tacit_inference *inference, tacit_error *err) {
  const tacit_effects_columns *columns = &inference->columns;
  size_t d = 1;
  set_references(inference);
  for (size_t i = 0; i < columns->n; ++i) {
    int is_number = columns->groups[columns->group_of[i]].is_number;
    int is_implied = tacit_effects_is_implied(columns, i, inference->reference);
    inference->state[i] = is_implied ? TACIT_EFFECTS_REFERENCE : TACIT_EFFECTS_USED;
    inference->centre[i] = is_number ? inference->means[i] : 0;
    inference->spread[i] = 0.5; /* of levels; numbers get theirs later */
    inference->rise[i] = 2;
    d += !is_implied;
  }
  if (d > TACIT_EFFECTS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "%zu coefficients: a table of effects has at most %d; choose the "
                      "columns to report, or use fewer levels and knots",
                      d, TACIT_EFFECTS_MAX);
  leave_out(inference, &d);
  inference->n = fmax(inference->n, 1);
  inference->d = d;
  TACIT_TRY(TACIT_NEW(inference->used, columns->n, err));
  for (size_t i = 0, k = 0; i < columns->n; ++i) {
    if (inference->state[i] == TACIT_EFFECTS_USED) inference->used[k++] = i;
    if (inference->state[i] == TACIT_EFFECTS_RARE)
      inference->used[d - 1 + inference->n_rare++] = i;
  }
  return TACIT_OK;
}

double tacit_effects_z(const tacit_inference *inference, const tacit_batch *batch,
                       int64_t i, double *raw_x, double *raw_z, double *raw_y) {
  double raw_weight = batch->raw_weights != NULL ? batch->raw_weights[i] : 1;
  const size_t *used = inference->used;
  size_t n = inference->d - 1;
  tacit_effects_columns_of(&inference->columns, batch, i, raw_x);
  for (size_t k = 0; k < inference->n_rare; ++k)
    if (raw_x[used[n + k]] != 0) raw_weight = 0;
  *raw_y =
      raw_weight > 0 ? tacit_label_inside(&inference->label, batch->raw_labels[i]) : 0;
  if (raw_z == NULL) return raw_weight;
  raw_z[0] = 1;
  for (size_t k = 0; k < n; ++k)
    raw_z[k + 1] =
        (raw_x[used[k]] - inference->centre[used[k]]) * inference->rise[used[k]];
  return raw_weight;
}
