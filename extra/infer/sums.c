/* SPDX-License-Identifier: MIT */
/* One release: a pass in which every unit adds one vector of norm at most 1, which the
   vault measures, clips and adds up. */
#include <math.h>
#include <stdio.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"

tacit_status tacit_effects_put(const tacit_effects_sum *sum, size_t worker,
                               const tacit_batch *rows, tacit_error *err) {
  double raw_factors[TACIT_SUM_ROWS];
  const tacit_points squares_alone = {0};
  const tacit_contribution raw = {.raw_factors = raw_factors};
  tacit_measures raw_measures;
  size_t n = (size_t)rows->n_rows;
  for (size_t i = 0; i < n; ++i)
    raw_factors[i] = sum->steps;
  if (tacit_sum_measure(sum->once.sums[worker], rows, 0, n, &squares_alone,
                        &raw_measures) < n)
    return tacit_fail(err, TACIT_EPRIVACY, "a contribution has another length");
  return tacit_sum_add(sum->once.sums[worker], &raw, NULL, err);
}

static void work_fini(tacit_effects_work *work) {
  TACIT_RAW_FREE(work->raw_x, work->raw_z, work->raw_y, work->raw_weights,
                 work->raw_values, work->raw_indices, work->raw_sums);
}

static tacit_status work_init(const tacit_effects_sum *sum, tacit_effects_work *work,
                              tacit_error *err) {
  size_t width = sum->inference->columns.n + TACIT_LANES, rows = sum->rows;
  TACIT_TRY(TACIT_RAW_NEW(work->raw_x, sum->inference->columns.n, err));
  TACIT_TRY(TACIT_RAW_NEW(work->raw_z, 2 * rows * width, err));
  TACIT_TRY(TACIT_RAW_NEW(work->raw_y, rows, err));
  TACIT_TRY(TACIT_RAW_NEW(work->raw_weights, rows, err));
  TACIT_TRY(TACIT_RAW_NEW(work->raw_values, rows * sum->entries, err));
  TACIT_TRY(TACIT_RAW_NEW(work->raw_indices, rows * sum->entries, err));
  return TACIT_RAW_NEW(work->raw_sums, rows, err);
}

static tacit_status sum_init(tacit_effects_sum *sum, tacit_error *err) {
  TACIT_TRY(tacit_once_init(&sum->once, &sum->facts, sum->inference->pool, err));
  sum->steps = tacit_once_steps(&sum->once);
  TACIT_TRY(TACIT_NEW(sum->works, sum->once.workers, err));
  for (size_t i = 0; i < sum->once.workers; ++i)
    TACIT_TRY(work_init(sum, &sum->works[i], err));
  return TACIT_OK;
}

static tacit_status sum_run(tacit_effects_sum *sum, const char *purpose, double *out,
                            double *out_noise, tacit_error *err) {
  tacit_inference *inference = sum->inference;
  TACIT_TRY(sum_init(sum, err));
  TACIT_TRY(tacit_effects_pass(&inference->rows, sum->add, sum, err));
  for (size_t i = 0; i < sum->once.workers; ++i)
    if (sum->works[i].left > 0)
      return tacit_fail(err, TACIT_EPRIVACY, "the rows of a person are not together");
  inference->noise_begun = 1;
  return tacit_once_end(&sum->once, inference->pool, &inference->key, purpose, out,
                        out_noise, err);
}

tacit_status tacit_effects_spend(tacit_inference *inference, double share,
                                 double *out_mu, char purpose[TACIT_EFFECTS_PURPOSE],
                                 tacit_error *err) {
  double total, mu = inference->facts.mu * sqrt(share) * (1 - 0x1p-40);
  TACIT_TRY(tacit_mu_compose_up(inference->spent, mu, &total, err));
  if (!(total <= inference->facts.mu))
    return tacit_fail(err, TACIT_EPRIVACY, "the releases exceed their budget");
  inference->spent = total;
  (void)snprintf(purpose, TACIT_EFFECTS_PURPOSE, "tacit-effects-%02u",
                 (unsigned)++inference->releases % 100);
  *out_mu = mu;
  return TACIT_OK;
}

tacit_status tacit_effects_sum_up(tacit_effects_sum *sum, double share, double *out,
                                  double *out_noise, tacit_error *err) {
  char purpose[TACIT_EFFECTS_PURPOSE];
  sum->facts.units = sum->inference->facts.rows;
  sum->facts.kappa = sum->inference->kappa;
  TACIT_TRY(tacit_effects_spend(sum->inference, share, &sum->facts.mu, purpose, err));
  tacit_status status = sum_run(sum, purpose, out, out_noise, err);
  for (size_t i = 0; sum->works != NULL && i < sum->once.workers; ++i)
    work_fini(&sum->works[i]);
  tacit_array_free(sum->works);
  tacit_once_fini(&sum->once);
  return status;
}
