/* SPDX-License-Identifier: MIT */
/*
 * A worker computes sums for a run in another process. A contribution depends on the
 * round and on options; the digest of these options must be the one in the round. A
 * worker has no key and no vault, so its sums are raw.
 *
 * The run alone decides what its preset chooses, because a worker may not know the
 * budget or the learner. The round brings rounds and rows, and its digest tells which
 * of the few kinds of problem the run has; the worker prepares all of them.
 */
#include "run/worker.h"

#include <math.h>
#include <sodium.h>
#include <string.h>
#include <tacit/version.h>

#include "admit/digest.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "batch/own.h"
#include "gradient/interleave.h"
#include "run/run.h"

enum { PROBLEMS = 8 };

struct tacit_worker {
  /* only with the parts that tacit_plan_problem sets */
  tacit_plan *plans[PROBLEMS];
  unsigned char problems[PROBLEMS][TACIT_PROBLEM_BYTES];
};

static void hash_real(tacit_hash *hash, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  tacit_hash_add_number(hash, bits);
}

void tacit_plan_digest(const tacit_plan *plan, unsigned char out[TACIT_PROBLEM_BYTES]) {
  const uint64_t counts[] = {
      (uint64_t)tacit_plan_rows_all(plan),
      (uint64_t)plan->row.features,
      (uint64_t)plan->row.bias,
      (uint64_t)plan->row.outputs,
      (uint64_t)(plan->gradient != NULL ? plan->dim : tacit_row_weights(&plan->row)),
      (uint64_t)plan->label.kind,
      (uint64_t)plan->label.classes,
      (uint64_t)plan->config.units,
      (uint64_t)plan->config.unit_rows,
      (uint64_t)(plan->config.weighted != 0),
      (uint64_t)(plan->spreads != 0),
  };
  const double reals[] = {plan->row.row_norm, plan->row.scale, plan->row.exponent,
                          plan->sens_norm,    plan->label.min, plan->label.max};
  tacit_hash hash;
  tacit_hash_begin(&hash, TACIT_PROBLEM_BYTES, NULL);
  tacit_hash_add_text(&hash, "tacit-problem-3");
  tacit_hash_add_text(&hash, TACIT_VERSION);
  tacit_hash_add_text(&hash, plan->gradient != NULL ? "own gradient" : plan->loss_spec);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    tacit_hash_add_number(&hash, counts[i]);
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i)
    hash_real(&hash, reals[i]);
  for (size_t i = 0; plan->class_weights != NULL && i < plan->label.classes; ++i)
    hash_real(&hash, plan->class_weights[i]);
  tacit_hash_end(&hash, out, TACIT_PROBLEM_BYTES);
}

tacit_status tacit_worker_new(const tacit_config *config, tacit_worker **out,
                              tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the worker");
  tacit_worker *worker = tacit_array_new(1, sizeof *worker);
  if (worker == NULL) return tacit_fail_memory(err);
  for (int i = 0; i < PROBLEMS; ++i) {
    tacit_problem problem = {.centres = i & 1, .plain = i >> 1 & 1, .spreads = i >> 2};
    tacit_status status = tacit_plan_problem(config, problem, &worker->plans[i], err);
    if (status != TACIT_OK) {
      tacit_worker_free(worker);
      return status;
    }
    tacit_plan_digest(worker->plans[i], worker->problems[i]);
  }
  *out = worker;
  return TACIT_OK;
}

void tacit_worker_free(tacit_worker *worker) {
  if (worker == NULL) return;
  for (int i = 0; i < PROBLEMS; ++i)
    tacit_plan_free(worker->plans[i]);
  tacit_array_free(worker);
}

size_t tacit_worker_dim(const tacit_worker *worker) { return worker->plans[0]->dim; }

/* Returns the plan whose problem the round has, or NULL if these options cannot have
   it. */
static const tacit_plan *plan_of(const tacit_worker *worker, const tacit_round *round) {
  for (int i = 0; i < PROBLEMS; ++i)
    if (memcmp(round->problem, worker->problems[i], TACIT_PROBLEM_BYTES) == 0)
      return worker->plans[i];
  return NULL;
}

/* Returns the delta of a round that was received. */
static tacit_delta delta_of(const tacit_plan *plan, const tacit_round *round,
                            const tacit_offset *offset) {
  tacit_delta delta = tacit_plan_delta(plan);
  delta.steps = round->lattice_scale;
  delta.clip = round->lattice_clip;
  if (round->t < 1 && round->offset == NULL) {
    tacit_moments_delta(&plan->moments, &delta);
    return delta;
  }
  if (round->t < 1) {
    delta.kind = TACIT_DELTA_PRODUCTS;
    delta.offset = offset;
    delta.radius = round->radius;
    return delta;
  }
  delta.x = round->x;
  delta.x_prev = round->x_prev;
  delta.ratio = round->ratio;
  delta.clip_dual = round->lattice_clip_dual;
  if (round->offset == NULL) return delta;
  delta.offset = offset;
  delta.offsets = round->margins;
  delta.offsets_prev = round->margins_prev;
  delta.stretch = round->stretch;
  delta.radius = round->radius;
  delta.slope_max = round->slope_max;
  delta.square_scale = round->square_scale;
  delta.square_max = round->square_max;
  return delta;
}

static int is_positive(double number) { return number > 0 && isfinite(number); }

/* Returns 1 if the numbers of a round with centred rows are all there, or all
   absent. */
static int is_whole(const tacit_plan *plan, const tacit_round *round) {
  const tacit_row_rule *row = &plan->row;
  int centred = round->offset != NULL;
  int has_offset = centred && plan->gradient == NULL &&
                   round->outputs == row->outputs &&
                   round->offset_count == row->features + (row->bias ? 1 : 0) + 1 &&
                   is_positive(round->radius) &&
                   round->stretch_count == (round->stretch != NULL ? row->features : 0);
  if (round->t < 1) return !centred || has_offset;
  if (round->x == NULL || round->x_prev == NULL ||
      round->weights != plan->dim + (centred ? row->outputs : 0))
    return 0;
  if (!centred) return 1;
  return has_offset && round->margins != NULL && round->margins_prev != NULL &&
         is_positive(round->slope_max) && is_positive(round->square_scale) &&
         is_positive(round->square_max);
}

/* Checks that the sums of a received round fit into 64 bits. Whether rows belong to the
   round is checked where they are told. */
static tacit_status check_round(const tacit_plan *plan, const tacit_round *round,
                                const tacit_delta *delta, tacit_error *err) {
  int64_t rows = round->n_rows;
  tacit_shape shape = tacit_delta_shape(delta);
  int fits = round->t >= (plan->gradient == NULL ? -1 : 1) &&
             round->t <= round->rounds &&
             (plan->config.units > 0 ? rows == 0 : rows > 0 && rows <= plan->rows) &&
             round->dim == tacit_shape_dim(&shape) && is_whole(plan, round) &&
             round->ratio >= 0 && round->ratio <= 1 &&
             is_positive(round->lattice_scale) && round->lattice_clip >= 0 &&
             round->lattice_clip <= INT64_MAX / (rows > 0 ? rows : plan->rows) &&
             round->lattice_clip_dual >= 0;
  if (!fits) return tacit_fail(err, TACIT_EINVAL, "round: damaged on its way");
  return TACIT_OK;
}

tacit_status tacit_worker_delta(const tacit_worker *worker, const tacit_round *round,
                                const tacit_batch *shard, int64_t *raw_sum,
                                int64_t *raw_count, tacit_error *err) {
  if (worker == NULL || round == NULL || raw_sum == NULL || raw_count == NULL)
    return tacit_fail(err, TACIT_EINVAL, "worker, round, sum and count are needed");
  if (round->struct_size < sizeof *round) {
    return tacit_fail(err, TACIT_EINVAL,
                      "round: not whole, or not filled with tacit_round_init");
  }
  tacit_round own = *round; /* a copy, so that what is checked is what is used */
  const tacit_plan *plan = plan_of(worker, &own);
  if (plan == NULL)
    return tacit_fail(err, TACIT_ESTATE,
                      "the round is of a run with other options or another version: "
                      "give the worker the options of the run");
  const tacit_offset offset = {own.offset, own.offset_bits};
  tacit_delta delta = delta_of(plan, &own, &offset);
  TACIT_TRY(check_round(plan, &own, &delta, err));
  double *interleaved = NULL;
  if (plan->gradient == NULL && own.t > 0) {
    interleaved =
        tacit_array_new(tacit_interleave_size(&plan->row), sizeof *interleaved);
    if (interleaved == NULL) return tacit_fail_memory(err);
    tacit_interleave(&delta, NULL, interleaved);
  }
  tacit_status status =
      tacit_shard_add(plan, &delta, own.n_rows, shard, raw_sum, raw_count, err);
  tacit_array_free(interleaved);
  return status;
}

tacit_status tacit_worker_digest(const tacit_worker *worker,
                                 const unsigned char key[TACIT_WORKER_KEY_BYTES],
                                 const tacit_batch *shard, const int64_t *places,
                                 unsigned char raw_digest[TACIT_WORKER_DIGEST_BYTES],
                                 tacit_error *err) {
  if (worker == NULL || key == NULL || places == NULL || raw_digest == NULL)
    return tacit_fail(err, TACIT_EINVAL, "worker, key, places and digest are needed");
  tacit_batch taken;
  TACIT_TRY(tacit_batch_take(shard, worker->plans[0]->row.features, 1, &taken, err));
  tacit_key raw_key;
  tacit_digests *digests = NULL;
  tacit_digest_room room = {NULL, 0};
  tacit_digest raw_sum = {{0}};
  memcpy(raw_key.bytes, key, sizeof raw_key.bytes);
  tacit_status status = tacit_digests_new(&raw_key, 1, &digests, err);
  tacit_key_wipe(&raw_key);
  for (int64_t i = 0; status == TACIT_OK && i < taken.n_rows; ++i)
    status = tacit_digest_add(digests, &taken, i, places[i], &room, &raw_sum, err);
  for (size_t i = 0; status == TACIT_OK && i < sizeof raw_sum.raw_bytes; ++i)
    raw_digest[i] ^= raw_sum.raw_bytes[i];
  sodium_memzero(&raw_sum, sizeof raw_sum);
  tacit_digest_room_fini(&room);
  tacit_digests_free(digests);
  tacit_batch_drop(&taken);
  return status;
}

tacit_status tacit_worker_contents(const tacit_worker *worker, const tacit_batch *shard,
                                   uint64_t *raw_contents, tacit_error *err) {
  if (worker == NULL || raw_contents == NULL)
    return tacit_fail(err, TACIT_EINVAL, "worker and contents are needed");
  tacit_batch taken;
  TACIT_TRY(tacit_batch_take(shard, worker->plans[0]->row.features, 1, &taken, err));
  taken.raw_unit_rows = NULL; /* the reader has not counted them either */
  tacit_digests *digests = NULL;
  tacit_digest_room room = {NULL, 0};
  tacit_status status = tacit_digests_fixed(&digests, err);
  for (int64_t i = 0; status == TACIT_OK && i < taken.n_rows; ++i)
    status = tacit_digest_content(digests, &taken, i, &room, &raw_contents[i], err);
  tacit_digest_room_fini(&room);
  tacit_digests_free(digests);
  tacit_batch_drop(&taken);
  return status;
}
