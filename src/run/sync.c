/* SPDX-License-Identifier: MIT */
/*
 * Several processes, one run. Sums are integers, so adding them up in any order gives
 * equal bits. The noise of a block of 1024 coordinates depends on the run key, the
 * round, the block and its encoded integers, so any rank that has the key and the sums
 * of a block can release it. A round therefore ends in five steps: agree that all is
 * well, add up and scatter the sums, release the own blocks, agree again, gather the
 * release. After that every rank computes with equal released numbers. Every round
 * checks that these stay equal, because bounds and noise depend on them.
 */
#include "run/sync.h"

#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/schema/schema.h"

enum { ROWS_PER_TURN = 64 };

const tacit_group *tacit_config_group(const tacit_config *config) {
  size_t needed = offsetof(tacit_config, group) + sizeof config->group;
  return config != NULL && config->struct_size >= needed ? config->group : NULL;
}

enum { CHECK_BYTES = 16 };

static uint64_t hash_end(tacit_hash *hash) {
  unsigned char digest[CHECK_BYTES];
  tacit_hash_end(hash, digest, sizeof digest);
  return tacit_load_le64(digest);
}

/* Writes a check of the plan. The texts in it spell out every resolved option. */
tacit_status tacit_plan_check(const tacit_plan *plan, uint64_t *out, tacit_error *err) {
  tacit_hash hash;
  json_t *schema = NULL;
  char *schema_text = NULL;
  TACIT_TRY(tacit_schema_to_json(plan->schema, &schema, err));
  tacit_status status = tacit_json_text(schema, 0, &schema_text, err);
  json_decref(schema);
  TACIT_TRY(status);
  const tacit_lattice *lattice = &plan->vault.lattice;
  double numbers[] = {plan->power, plan->clip, plan->grad_bound,      plan->smoothness,
                      plan->l2,    plan->mu,   plan->sens_norm_ratio, lattice->sens};
  int64_t counts[] = {
      plan->rows,         plan->passes,          plan->per_pass,    (int64_t)plan->dim,
      lattice->exponent,  lattice->clip_max,     plan->vault.kappa, plan->config.seeded,
      plan->config.units, plan->config.unit_rows};
  tacit_hash_begin(&hash, CHECK_BYTES, NULL);
  tacit_hash_add_text(&hash, tacit_version());
  tacit_hash_add_text(&hash, schema_text);
  tacit_hash_add_text(&hash, plan->json);
  tacit_hash_add_text(&hash, plan->statement_json);
  tacit_hash_add_text(&hash, plan->learner_spec);
  tacit_hash_add_text(&hash, plan->loss_spec);
  tacit_hash_add(&hash, numbers, sizeof numbers);
  tacit_hash_add(&hash, counts, sizeof counts);
  if (plan->start != NULL)
    tacit_hash_add(&hash, plan->start, plan->dim * sizeof *plan->start);
  if (plan->start_offset != NULL)
    tacit_hash_add(&hash, plan->start_offset,
                   plan->row.outputs * sizeof *plan->start_offset);
  if (plan->matrix_entries != NULL)
    tacit_hash_add(&hash, plan->matrix_entries,
                   (size_t)(plan->rounds * plan->rounds) *
                       sizeof *plan->matrix_entries);
  *out = hash_end(&hash);
  tacit_array_free(schema_text);
  return TACIT_OK;
}

uint64_t tacit_numbers_check(const double *numbers, size_t count, const double *x,
                             size_t dim) {
  tacit_hash hash;
  tacit_hash_begin(&hash, CHECK_BYTES, NULL);
  tacit_hash_add(&hash, numbers, count * sizeof *numbers);
  tacit_hash_add(&hash, x, dim * sizeof *x);
  return hash_end(&hash);
}

int tacit_ranks_takes(const tacit_ranks *ranks, int64_t place) {
  return place / ROWS_PER_TURN % ranks->group->size == ranks->group->rank;
}

static size_t blocks_of(size_t dim) {
  return dim / TACIT_NOISE_BLOCK + (dim % TACIT_NOISE_BLOCK > 0);
}

/* Divides the coordinates in whole noise blocks: `lead` blocks to rank 0, the others to
   the other ranks as evenly as that allows. The last ranks get more, because the last
   block may be short. */
static void divide(tacit_split *split, const tacit_group *group, size_t lead,
                   size_t dim) {
  size_t blocks = blocks_of(dim), size = (size_t)group->size;
  size_t sharers = size > 1 ? size - 1 : 1;
  size_t each = (blocks - lead) / sharers, more = (blocks - lead) % sharers;
  size_t first = 0;
  for (size_t i = 0; i < size; ++i) {
    size_t count = i == 0 ? lead : each + (i >= size - more);
    count *= TACIT_NOISE_BLOCK;
    if (count > dim - first) count = dim - first;
    split->counts[i] = count;
    split->bytes[i] = count * sizeof(double);
    if (i == (size_t)group->rank) {
      split->first = first;
      split->count = count;
    }
    first += count;
  }
}

/* Returns how many numbers the busiest rank sends or receives in a round whose sums
   rank 0 collects. Rank 0 receives the sums of its own coordinates from every rank, and
   all other sums and releases. Another rank sends its sums of all other coordinates,
   the total of its own, and its release to every rank. */
static size_t busiest(const tacit_split *split, size_t size, size_t dim) {
  size_t max = 2 * (dim - split->counts[0]) + (size - 1) * split->counts[0];
  for (size_t i = 1; i < size; ++i) {
    size_t sent = dim + (size - 1) * split->counts[i];
    if (sent > max) max = sent;
  }
  return max;
}

/* Divides the coordinates evenly. Rank 0 gets fewer blocks, or none, if it collects the
   sums and the busiest rank then sends and receives less. */
static void divide_best(tacit_split *split, const tacit_group *group, size_t dim) {
  size_t size = (size_t)group->size, even = blocks_of(dim) / size, best = even;
  divide(split, group, even, dim);
  if (!split->collects || size == 1) return;
  size_t min = busiest(split, size, dim);
  for (size_t lead = even; lead-- > 0;) {
    divide(split, group, lead, dim);
    size_t max = busiest(split, size, dim);
    if (max >= min) continue;
    min = max;
    best = lead;
  }
  divide(split, group, best, dim);
}

tacit_status tacit_split_init(tacit_split *split, const tacit_ranks *ranks,
                              const tacit_plan *plan, const tacit_vault_facts *facts,
                              tacit_error *err) {
  const tacit_group *group = ranks->group;
  size_t dim = facts->shape.dim;
  *split = (tacit_split){.count = dim};
  if (group == NULL) return TACIT_OK;
  split->whole = facts->law->add == NULL;
  TACIT_TRY(TACIT_NEW(split->counts, (size_t)group->size, err));
  TACIT_TRY(TACIT_NEW(split->bytes, (size_t)group->size, err));
  int keeps_sums = plan->checkpoint != NULL && !split->whole;
  split->collects = keeps_sums && tacit_ranks_collects(ranks);
  divide_best(split, group, dim);
  const tacit_shape flat = {
      .rule = {.features = split->whole ? dim : split->count, .outputs = 1}};
  TACIT_TRY(tacit_sum_new(&flat, plan->kernel, &split->part, err));
  if (!keeps_sums || (split->collects && !tacit_ranks_leads(ranks))) return TACIT_OK;
  return TACIT_RAW_NEW(split->raw_all, dim, err);
}

void tacit_split_fini(tacit_split *split) {
  TACIT_FREE(split->counts, split->bytes);
  tacit_sum_free(split->part);
  tacit_raw_free(split->raw_all);
}

/* Adds up the sums of all ranks in this rank's coordinates, into `part`. */
static tacit_status add_up(tacit_split *split, tacit_ranks *ranks, tacit_pool *pool,
                           int64_t raw_count, const tacit_sum *sum, tacit_error *err) {
  TACIT_TRY(tacit_sum_open(split->part, pool, tacit_sum_clip(sum),
                           tacit_sum_exponent(sum), NULL, err));
  int64_t *raw_part = tacit_sum_raw_load(split->part, raw_count);
  TACIT_TRY(tacit_ranks_sum(ranks, tacit_sum_raw_integers(sum), split->counts,
                            raw_part + (split->whole ? split->first : 0), err));
  if (!split->whole) return TACIT_OK;
  /* A sum has 8 bytes, like a number of the release. */
  return tacit_ranks_gather(ranks, raw_part, split->bytes, err);
}

tacit_status tacit_split_total(tacit_split *split, tacit_ranks *ranks,
                               const int64_t *raw_sum, const int64_t **raw_out,
                               tacit_error *err) {
  *raw_out = ranks->group == NULL ? raw_sum : tacit_sum_raw_integers(split->part);
  if (ranks->group == NULL || split->whole) return TACIT_OK;
  const int64_t *raw_mine = *raw_out;
  *raw_out = split->raw_all;
  if (split->collects)
    return tacit_ranks_collect(ranks, raw_mine, split->bytes, split->raw_all, err);
  if (split->count > 0)
    memcpy(split->raw_all + split->first, raw_mine, split->count * sizeof *raw_mine);
  return tacit_ranks_gather(ranks, split->raw_all, split->bytes, err);
}

/* One release of this rank's vault. */
struct part {
  tacit_vault *vault;
  tacit_pool *pool;
  int64_t t;
  const tacit_sum *sum;
  tacit_release *out;
};

static tacit_status release_part(void *context, tacit_error *err) {
  const struct part *part = context;
  return tacit_round_release(part->vault, part->pool, part->t, part->sum, part->out,
                             err);
}

tacit_status tacit_split_close(tacit_split *split, tacit_ranks *ranks,
                               tacit_vault *vault, tacit_pool *pool, int64_t t,
                               int64_t raw_count, const tacit_sum *sum,
                               tacit_release *out, tacit_error *err) {
  /* Round 0 is the only round of its vault. */
  struct part part = {vault, pool, t > 0 ? t : 1, sum, out};
  if (ranks->group == NULL) return release_part(&part, err);
  TACIT_TRY(add_up(split, ranks, pool, raw_count, sum, err));
  tacit_release mine = {.y = out->y + (split->whole ? 0 : split->first)};
  part.sum = split->part;
  part.out = &mine;
  tacit_sync sync = {.point = 2 * t + 1};
  TACIT_TRY(tacit_ranks_sync(ranks, &sync, release_part, &part, err));
  out->noise_scale = mine.noise_scale;
  if (split->whole) return TACIT_OK;
  return tacit_ranks_gather(ranks, out->y, split->bytes, err);
}
