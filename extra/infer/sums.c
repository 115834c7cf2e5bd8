/* SPDX-License-Identifier: MIT */
/* A joint release: rows become contributions of units, which the vault clips, adds up
   and releases. Each unit adds one contribution; a person's rows follow each other, and
   their number says when the person is complete. */
#include "base/error.h"
#include "base/memory.h"
#include "extra/infer/infer.h"

enum { BLOCK_NUMBERS = 1 << 15 }; /* of the contributions that are added together */

/* What a worker needs for rows. */
struct work {
  double *raw_x, *raw_z, *raw_room;
  double *raw_units;    /* contributions that the sum does not have yet */
  size_t n_units;       /* their number, without the one that is not complete */
  uint32_t raw_m, left; /* rows of the open person, and those still to come */
};

struct joint {
  tacit_inference *inference;
  const tacit_joint_facts *facts;
  tacit_once once;
  size_t dim, block;  /* numbers of a contribution; contributions of a block */
  struct work *works; /* one per worker */
};

static tacit_status work_init(const struct joint *joint, struct work *work,
                              tacit_error *err) {
  work->raw_x = tacit_raw_new(joint->inference->columns.n, sizeof *work->raw_x);
  work->raw_z = tacit_raw_new(joint->facts->d, sizeof *work->raw_z);
  work->raw_room = tacit_raw_new(joint->facts->d, sizeof *work->raw_room);
  work->raw_units = tacit_raw_new(joint->dim * joint->block, sizeof *work->raw_units);
  if (work->raw_x == NULL || work->raw_z == NULL || work->raw_room == NULL ||
      work->raw_units == NULL)
    return tacit_fail_memory(err);
  return TACIT_OK;
}

static void work_fini(struct work *work) {
  tacit_raw_free(work->raw_x);
  tacit_raw_free(work->raw_z);
  tacit_raw_free(work->raw_room);
  tacit_raw_free(work->raw_units);
}

/* Adds the complete contributions of a worker to its sum. */
static tacit_status flush(const struct joint *joint, size_t worker, tacit_error *err) {
  struct work *work = &joint->works[worker];
  size_t n = work->n_units;
  double raw_factors[TACIT_SUM_ROWS];
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = (int64_t)n;
  batch.n_features = joint->dim;
  batch.raw_values = work->raw_units;
  for (size_t i = 0; i < n; ++i)
    raw_factors[i] = tacit_once_steps(&joint->once);
  const tacit_points squares_alone = {0};
  const tacit_contribution raw = {.raw_factors = raw_factors};
  tacit_measures raw_measures;
  tacit_sum *sum = joint->once.sums[worker];
  work->n_units = 0;
  if (tacit_sum_measure(sum, &batch, 0, n, &squares_alone, &raw_measures) < n)
    return tacit_fail(err, TACIT_EPRIVACY, "a contribution has another length");
  TACIT_TRY(tacit_sum_add(sum, &raw, NULL, err));
  for (size_t i = 0; i < n * joint->dim; ++i)
    work->raw_units[i] = 0;
  return TACIT_OK;
}

/* Adds row i of a batch to the open unit, and completes the unit after its last
   row. */
static tacit_status add_row(const struct joint *joint, size_t worker,
                            const tacit_batch *batch, int64_t i, tacit_error *err) {
  struct work *work = &joint->works[worker];
  uint32_t raw_m = batch->raw_unit_rows != NULL ? batch->raw_unit_rows[i] : 1;
  if (work->left == 0) work->left = work->raw_m = raw_m;
  if (raw_m != work->raw_m || raw_m == 0)
    return tacit_fail(err, TACIT_EPRIVACY, "the rows of a person are not together");
  if (!tacit_label_is_declared(&joint->inference->label, batch->raw_labels[i]))
    return tacit_fail(err, TACIT_EDATA, "a row has a class that is not declared");
  double raw_y, *raw_unit = work->raw_units + work->n_units * joint->dim;
  double raw_weight =
      tacit_effects_z(joint->inference, batch, i, work->raw_x, work->raw_z, &raw_y);
  tacit_joint_row(joint->facts, work->raw_z, raw_y, raw_weight, 1 / (double)raw_m,
                  work->raw_room, raw_unit);
  if (--work->left > 0) return TACIT_OK;
  tacit_joint_unit(joint->facts, raw_unit);
  return ++work->n_units < joint->block ? TACIT_OK : flush(joint, worker, err);
}

static tacit_status add_batch(void *context, size_t worker, const tacit_batch *batch,
                              tacit_error *err) {
  const struct joint *joint = context;
  for (int64_t i = 0; i < batch->n_rows; ++i)
    TACIT_TRY(add_row(joint, worker, batch, i, err));
  return TACIT_OK;
}

static tacit_status add_all(struct joint *joint, tacit_error *err) {
  tacit_inference *inference = joint->inference;
  TACIT_TRY(tacit_effects_pass(&inference->rows, 1, add_batch, joint, err));
  for (size_t i = 0; i < joint->once.workers; ++i) {
    if (joint->works[i].left > 0)
      return tacit_fail(err, TACIT_EPRIVACY, "the rows of a person are not together");
    if (joint->works[i].n_units > 0) TACIT_TRY(flush(joint, i, err));
  }
  return TACIT_OK;
}

static tacit_status joint_run(struct joint *joint, const char *purpose,
                              tacit_joint_sums *out, tacit_error *err) {
  tacit_inference *inference = joint->inference;
  const tacit_once_facts facts = tacit_joint_once(joint->facts);
  TACIT_TRY(tacit_once_init(&joint->once, &facts, inference->pool, err));
  joint->works = tacit_array_new(joint->once.workers, sizeof *joint->works);
  double *y = tacit_array_new(joint->dim, sizeof *y), noise;
  tacit_status status = TACIT_OK;
  if (joint->works == NULL || y == NULL) status = tacit_fail_memory(err);
  for (size_t i = 0; status == TACIT_OK && i < joint->once.workers; ++i)
    status = work_init(joint, &joint->works[i], err);
  if (status == TACIT_OK) status = add_all(joint, err);
  inference->noise_begun |= status == TACIT_OK;
  if (status == TACIT_OK)
    status = tacit_once_end(&joint->once, inference->pool, &inference->key, purpose, y,
                            &noise, err);
  if (status == TACIT_OK) status = tacit_joint_decode(joint->facts, y, noise, out, err);
  for (size_t i = 0; joint->works != NULL && i < joint->once.workers; ++i)
    work_fini(&joint->works[i]);
  tacit_array_free(joint->works);
  tacit_array_free(y);
  return status;
}

tacit_status tacit_effects_joint(tacit_inference *inference, tacit_joint_facts *facts,
                                 double share, tacit_joint_sums *out,
                                 tacit_error *err) {
  char purpose[TACIT_EFFECTS_PURPOSE];
  facts->units = inference->units;
  facts->kappa = inference->kappa;
  TACIT_TRY(tacit_effects_spend(inference, share, &facts->mu, purpose, err));
  size_t dim = tacit_joint_dim(facts), block = BLOCK_NUMBERS / dim;
  struct joint joint = {
      .inference = inference,
      .facts = facts,
      .dim = dim,
      .block = block < 1                ? 1
               : block > TACIT_SUM_ROWS ? TACIT_SUM_ROWS
                                        : block,
  };
  tacit_status status = joint_run(&joint, purpose, out, err);
  tacit_once_fini(&joint.once);
  return status;
}
