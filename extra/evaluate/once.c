/* SPDX-License-Identifier: MIT */
#include "extra/evaluate/once.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "mechanism/lattice.h"
#include "mechanism/mechanism.h"

/* Fills in the facts of the vault. */
static tacit_status facts_of(const tacit_once_facts *once, tacit_vault_facts *facts,
                             tacit_error *err) {
  *facts = (tacit_vault_facts){
      .encoder = &tacit_encoder_tree,
      .shape = {.dim = once->columns, .rounds = 1, .per_pass = 1},
      .law = &tacit_law_gaussian,
      .exponent = 2,
      .kappa = once->kappa,
      .budget = once->mu,
  };
  const tacit_lattice_facts lattice = {
      .rows_round = once->units,
      .rows_run = once->units,
      .s_max = 1,
      .s_min = 1,
      .kappa = facts->kappa,
      .encoder = facts->encoder,
      .shape = facts->shape,
      .budget = once->mu,
  };
  TACIT_TRY(tacit_lattice_new(&lattice, &facts->lattice, err));
  facts->shape.weight_bits = facts->lattice.weight_bits;
  facts->shape.clip_max = facts->lattice.clip_max;
  return TACIT_OK;
}

tacit_status tacit_once_init(tacit_once *once, const tacit_once_facts *facts,
                             tacit_pool *pool, tacit_error *err) {
  const tacit_level *kernel;
  *once = (tacit_once){.workers = tacit_pool_workers(pool)};
  TACIT_TRY(facts_of(facts, &once->facts, err));
  TACIT_TRY(tacit_kernel_pick(&kernel, err));
  const tacit_shape shape = {
      .rule = {.features = facts->columns, .row_norm = 1, .exponent = 2, .outputs = 1},
      .counts = facts->counts,
      .twice = facts->twice,
  };
  once->sums = tacit_array_new(once->workers, sizeof(tacit_sum *));
  if (once->sums == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < once->workers; ++i) {
    TACIT_TRY(tacit_sum_new(&shape, kernel, &once->sums[i], err));
    TACIT_TRY(tacit_sum_open(once->sums[i], pool, once->facts.lattice.clip_max, 2, NULL,
                             err));
  }
  return TACIT_OK;
}

void tacit_once_fini(tacit_once *once) {
  for (size_t i = 0; once->sums != NULL && i < once->workers; ++i)
    tacit_sum_free(once->sums[i]);
  tacit_array_free(once->sums);
  *once = (tacit_once){0};
}

double tacit_once_steps(const tacit_once *once) {
  return ldexp(1, once->facts.lattice.exponent);
}

tacit_status tacit_once_end(tacit_once *once, tacit_pool *pool, const tacit_key *key,
                            const char *purpose, double *out, double *out_noise,
                            tacit_error *err) {
  tacit_key own;
  tacit_vault *vault = NULL;
  tacit_release release = {.y = out};
  for (size_t i = 1; i < once->workers; ++i)
    TACIT_TRY(tacit_sum_merge(once->sums[0], once->sums[i], pool, err));
  tacit_key_derive(key, purpose, &own);
  tacit_status status =
      tacit_vault_new(&once->facts, &own, 0, once->facts.shape.dim, &vault, err);
  tacit_key_wipe(&own);
  if (status == TACIT_OK)
    status = tacit_round_release(vault, pool, 1, once->sums[0], &release, err);
  tacit_vault_free(vault);
  *out_noise = release.noise_scale;
  return status;
}
