/* SPDX-License-Identifier: MIT */
/* Rows become contributions of units to a joint release. Each unit adds one
   contribution; a person's rows follow each other, and their number says when the
   person is complete. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"
#include "kernel/kernel.h"
#include "kernel/margins.h"

enum { BLOCK_NUMBERS = 1 << 12, BLOCK_LEAST = 8 };

struct joint {
  tacit_effects_sum sum; /* must be first */
  const tacit_joint_facts *facts;
  tacit_joint_scale scale;
  size_t dim, block, width; /* numbers of a contribution; rows of a block; numbers of a
                               row of z, the last of which are zeros */
  double *theta, *metric;   /* of rows with `width` numbers */
};

/* Writes z of rows first … first+n-1 in the metric, as rows of *out, and their labels
   and weights. */
static tacit_status block_of(const struct joint *joint, tacit_effects_work *work,
                             const tacit_batch *batch, int64_t first, size_t n,
                             tacit_dense *out, tacit_error *err) {
  const tacit_inference *inference = joint->sum.inference;
  size_t width = joint->width, d = joint->facts->d;
  double *raw_z = work->raw_z;
  memset(raw_z, 0, 2 * n * width * sizeof *raw_z);
  for (size_t i = 0; i < n; ++i) {
    if (!tacit_label_is_declared(&inference->label,
                                 batch->raw_labels[first + (int64_t)i]))
      return tacit_fail(err, TACIT_EDATA, "a row has a class that is not declared");
    work->raw_weights[i] =
        tacit_effects_z(inference, batch, first + (int64_t)i, work->raw_x,
                        raw_z + i * width, &work->raw_y[i]);
  }
  *out = (tacit_dense){raw_z, TACIT_DOUBLES, width};
  if (joint->metric == NULL) return TACIT_OK;
  const tacit_wide metric = {joint->metric, width, width, 0};
  tacit_kernel_of(inference->level)->wide(out, n, 0, d, &metric, raw_z + n * width);
  out->raw_values = raw_z + n * width;
  return TACIT_OK;
}

/* Adds the complete contributions of a worker to its sum, and brings the contribution
   that is not complete to the front. */
static tacit_status flush(const struct joint *joint, size_t worker, tacit_error *err) {
  tacit_effects_work *work = &joint->sum.works[worker];
  size_t n = work->n_units;
  tacit_batch rows;
  tacit_batch_init(&rows);
  rows.n_rows = (int64_t)n;
  rows.n_features = joint->dim;
  rows.raw_values = work->raw_values;
  work->n_units = 0;
  if (n == 0) return TACIT_OK;
  TACIT_TRY(tacit_effects_put(&joint->sum, worker, &rows, err));
  if (work->left > 0)
    memcpy(work->raw_values, work->raw_values + n * joint->dim,
           joint->dim * sizeof *work->raw_values);
  return TACIT_OK;
}

/* Adds row i of a block to the open unit, which has raw_m rows, and completes the unit
   after its last row. */
static tacit_status add_row(const struct joint *joint, size_t worker,
                            const double *raw_z, size_t i, uint32_t raw_m,
                            tacit_error *err) {
  tacit_effects_work *work = &joint->sum.works[worker];
  double *raw_unit = work->raw_values + work->n_units * joint->dim;
  int is_first = work->left == 0;
  if (is_first) work->left = work->raw_m = raw_m;
  if (raw_m != work->raw_m || raw_m == 0)
    return tacit_fail(err, TACIT_EPRIVACY, "the rows of a person are not together");
  tacit_joint_row(joint->facts, &joint->scale, raw_z, &work->raw_sums[i],
                  work->raw_y[i], work->raw_weights[i], 1 / (double)raw_m, is_first,
                  raw_unit);
  if (--work->left > 0) return TACIT_OK;
  tacit_joint_unit(joint->facts, &joint->scale, raw_unit);
  return ++work->n_units < joint->block ? TACIT_OK : flush(joint, worker, err);
}

static tacit_status add_batch(void *context, size_t worker, const tacit_batch *batch,
                              tacit_error *err) {
  const struct joint *joint = context;
  tacit_effects_work *work = &joint->sum.works[worker];
  const tacit_points theta = {.x = joint->theta};
  const tacit_level *level = joint->sum.inference->level;
  for (int64_t first = 0; first < batch->n_rows; first += (int64_t)joint->block) {
    int64_t left = batch->n_rows - first;
    size_t n = left < (int64_t)joint->block ? (size_t)left : joint->block;
    tacit_dense z;
    TACIT_TRY(block_of(joint, work, batch, first, n, &z, err));
    level->sums(&z, n, &theta, work->raw_sums);
    for (size_t i = 0; i < n; ++i) {
      const uint32_t *raw_m = batch->raw_unit_rows;
      TACIT_TRY(add_row(joint, worker, tacit_dense_row(&z, i), i,
                        raw_m != NULL ? raw_m[first + (int64_t)i] : 1, err));
    }
  }
  return flush(joint, worker, err);
}

/* Copies theta and metric to rows of `width` numbers. */
static tacit_status joint_init(struct joint *joint, tacit_error *err) {
  const tacit_joint_facts *facts = joint->facts;
  size_t d = facts->d, width = tacit_wide_width(d, 1);
  joint->width = width;
  TACIT_TRY(TACIT_NEW(joint->theta, width, err));
  memcpy(joint->theta, facts->theta, d * sizeof *joint->theta);
  if (facts->metric == NULL) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(joint->metric, d * width, err));
  for (size_t i = 0; i < d; ++i)
    memcpy(joint->metric + i * width, facts->metric + i * d, d * sizeof *joint->metric);
  return TACIT_OK;
}

tacit_status tacit_effects_joint(tacit_inference *inference, tacit_joint_facts *facts,
                                 double share, tacit_joint_sums *out,
                                 tacit_error *err) {
  facts->kappa = inference->kappa;
  size_t dim = tacit_joint_dim(facts), block = BLOCK_NUMBERS / dim;
  if (block < BLOCK_LEAST) block = BLOCK_LEAST;
  if (block > TACIT_SUM_ROWS - 1) block = TACIT_SUM_ROWS - 1;
  struct joint joint = {
      .sum = {.inference = inference,
              .facts = {.columns = dim, .twice = tacit_joint_twice(facts)},
              .entries = dim,
              .rows = block + 1,
              .add = add_batch},
      .facts = facts,
      .scale = tacit_joint_scale_of(facts),
      .dim = dim,
      .block = block};
  double *y = NULL, noise;
  tacit_status status = joint_init(&joint, err);
  if (status == TACIT_OK) status = TACIT_NEW(y, dim, err);
  if (status == TACIT_OK)
    status = tacit_effects_sum_up(&joint.sum, share, y, &noise, err);
  if (status == TACIT_OK) status = tacit_joint_decode(facts, y, noise, out, err);
  TACIT_FREE(joint.theta, joint.metric, y);
  return status;
}
