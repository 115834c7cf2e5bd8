/* SPDX-License-Identifier: MIT */
/*
 * One digest of what a run must have in common with its checkpoint: every number and
 * name of the plan that can change a bit of the model. Threads, ranks and progress do
 * not count. Each item is hashed with its length, so different plans have different
 * digests.
 */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "checkpoint/checkpoint.h"
#include "data/schema/schema.h"

/* Begins a digest. The number in "tacit-binding-5" rises with every change of the
   program that moves a row to another round or changes the noise or the state that is
   bound. A run that continued across such a change would use rows or noise twice.
   Number 3 came with the public order in 2^17 blocks and noise stream 3, 4 with the
   state taken between rounds, 5 with the secret order. */
static void start(tacit_hash *hash) {
  tacit_hash_begin(hash, TACIT_BINDING_BYTES, "tacit-binding-5");
}

static void put_bytes(tacit_hash *hash, const void *bytes, size_t size) {
  tacit_hash_add_number(hash, size);
  tacit_hash_add(hash, bytes, size);
}

static void put_text(tacit_hash *hash, const char *text) {
  put_bytes(hash, text, text != NULL ? strlen(text) : 0);
}

static void put_reals(tacit_hash *hash, const double *values, size_t count) {
  put_bytes(hash, values, count * sizeof *values);
}

static tacit_status put_json(tacit_hash *hash, const json_t *json, tacit_error *err) {
  char *text = NULL;
  TACIT_TRY(tacit_json_text(json, 0, &text, err));
  put_text(hash, text);
  tacit_array_free(text);
  return TACIT_OK;
}

static void put_integers(tacit_hash *hash, const tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  const tacit_vault_facts *vault = &plan->vault;
  const int64_t values[] = {
      plan->rows,
      config->units,
      config->unit_rows,
      plan->per_pass,
      plan->rounds,
      plan->passes,
      plan->free_last_step,
      (int64_t)plan->dim,
      (int64_t)plan->row.features,
      (int64_t)plan->row.outputs,
      plan->row.bias,
      (int64_t)plan->label.kind,
      (int64_t)plan->learner.domain,
      (int64_t)plan->bound,
      (int64_t)config->preset,
      (int64_t)config->adjacency,
      config->pure,
      config->shuffled != 0,
      config->seeded != 0,
      config->seeded ? (int64_t)config->seed : 0,
      vault->kappa,
      vault->shape.weight_bits,
      vault->shape.clip_max,
      vault->lattice.exponent,
      vault->lattice.clip_max,
      vault->lattice.weight_bits,
  };
  put_bytes(hash, values, sizeof values);
}

static void put_numbers(tacit_hash *hash, const tacit_plan *plan) {
  const tacit_vault_facts *vault = &plan->vault;
  const double values[] = {
      plan->power,
      plan->l2,
      plan->row.row_norm,
      plan->row.scale,
      plan->row.exponent,
      plan->learner.radius,
      plan->learner.norm,
      plan->learner.grad_bound,
      plan->learner.noisy_bound,
      plan->learner.strong,
      plan->clip,
      plan->grad_bound,
      plan->smoothness,
      plan->diameter,
      plan->mu,
      plan->delta,
      plan->sens_norm,
      plan->sens_norm_ratio,
      plan->config.reg_scale,
      vault->lattice.sens,
      vault->exponent,
      vault->budget,
      plan->gradient != NULL ? plan->gradient->lipschitz : 0,
      plan->gradient != NULL ? plan->gradient->smooth : 0,
  };
  put_reals(hash, values, sizeof values / sizeof values[0]);
  put_reals(hash, vault->shape.values, sizeof vault->shape.values / sizeof(double));
  put_reals(hash, plan->start, plan->start != NULL ? plan->dim : 0);
  if (plan->start_offset != NULL)
    put_reals(hash, plan->start_offset, plan->row.outputs);
  if (plan->matrix_entries != NULL)
    put_bytes(hash, plan->matrix_entries,
              (size_t)(plan->rounds * plan->rounds) * sizeof *plan->matrix_entries);
}

tacit_status tacit_plan_binding(const tacit_plan *plan, tacit_binding *out,
                                tacit_error *err) {
  tacit_hash hash;
  json_t *schema = NULL;
  start(&hash);
  put_text(&hash, plan->loss_spec);
  put_text(&hash, plan->learner_spec);
  put_text(&hash, plan->vault.encoder->name);
  put_text(&hash, plan->vault.law->name);
  put_text(&hash, plan->gradient != NULL ? "gradient" : "loss");
  put_integers(&hash, plan);
  put_numbers(&hash, plan);
  TACIT_TRY(put_json(&hash, plan->training, err));
  TACIT_TRY(put_json(&hash, plan->statement, err));
  TACIT_TRY(tacit_schema_to_json(plan->schema, &schema, err));
  tacit_status status = put_json(&hash, schema, err);
  json_decref(schema);
  tacit_hash_end(&hash, out->bytes, sizeof out->bytes);
  return status;
}

void tacit_state_binding(size_t dim, const double *w, const double *x,
                         double longest_step, tacit_binding *out) {
  tacit_hash hash;
  start(&hash);
  put_reals(&hash, w, dim);
  put_reals(&hash, x, dim);
  put_reals(&hash, &longest_step, 1);
  tacit_hash_end(&hash, out->bytes, sizeof out->bytes);
}
