/* SPDX-License-Identifier: MIT */
/*
 * Several processes, one run. Sums are integers, so adding them up in any order gives
 * the same bits; the noise of a block of 1024 coordinates depends on the run key, the
 * round, the block and its encoded integers, so any rank that has the key and the sums
 * of a block can release it alone. A round is therefore: agree that all is well, add
 * up and scatter the sums, release the own blocks, agree again, gather the release.
 * Everything after is computed by every rank from the same released numbers; that they
 * stay the same is checked in every round, since bounds and noise rest on them.
 */
#include "run/ranks.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/schema.h"

enum { RANKS_MAX = 1 << 20, SHARE_ROWS = 64 };
/* Points of a run; those of callers lie below, the rounds' above. */
enum { PLACE_START = -1, PLACE_DONE = -2 };

/* What every rank tells all others before it goes on. */
struct tacit_note {
  int64_t status, place, raw_rows;
  uint64_t public_check;
  tacit_digest raw_digest;
};

static tacit_status lost(tacit_team *team, tacit_error *err) {
  team->over = 1;
  return tacit_fail(err, TACIT_EIO,
                    "rank %d lost the other ranks: the job must be run again",
                    team->group->rank);
}

static tacit_status set_counts(const tacit_team *team, size_t count, size_t **out,
                               tacit_error *err) {
  size_t size = (size_t)team->group->size;
  size_t *counts = tacit_array_new(size, sizeof *counts);
  if (counts == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < size; ++i)
    counts[i] = count;
  *out = counts;
  return TACIT_OK;
}

/* The fault of rank `from` to all of them, in the same words. */
static tacit_status spread(tacit_team *team, int from, tacit_status status,
                           tacit_error *err) {
  const tacit_group *group = team->group;
  tacit_error told = {status, ""};
  if (group->rank == from) {
    snprintf(told.message, sizeof told.message, "%s",
             err != NULL ? err->message : tacit_status_text(status));
  }
  if (group->broadcast(group->self, told.message, sizeof told.message, from) != 0) {
    return lost(team, err);
  }
  team->over = 1;
  told.message[sizeof told.message - 1] = '\0';
  if (from == 0) return tacit_fail(err, status, "%s", told.message);
  return tacit_fail(err, status, "rank %d: %s", from, told.message);
}

/* Who differs from rank 0 in a way that ends the run; the same answer on all ranks. */
static tacit_status compare(tacit_team *team, const struct tacit_note *notes,
                            tacit_error *err) {
  for (int i = 1; i < team->group->size; ++i) {
    if (notes[i].place != notes[0].place) {
      team->over = 1;
      return tacit_fail(err, TACIT_ESTATE,
                        "rank %d is at another point of the run than rank 0: start all "
                        "ranks alike",
                        i);
    }
    if (notes[i].public_check == notes[0].public_check) continue;
    team->over = 1;
    if (notes[0].place == PLACE_START) {
      return tacit_fail(err, TACIT_EINVAL,
                        "rank %d has other options, another schema or another version "
                        "than rank 0: start all ranks alike",
                        i);
    }
    return tacit_fail(err, TACIT_EPRIVACY,
                      "rank %d computes other numbers than rank 0: all machines must "
                      "have the same build of the program and of libm",
                      i);
  }
  return TACIT_OK;
}

/* Exchanges the notes of all ranks; a fault of one is one of all. Rows and digests are
   added up in *note. */
static tacit_status exchange(tacit_team *team, struct tacit_note *note,
                             tacit_error *err) {
  const tacit_group *group = team->group;
  struct tacit_note *notes = team->raw_notes;
  notes[group->rank] = *note;
  if (group->gather_all(group->self, notes, team->note_bytes) != 0) {
    return lost(team, err);
  }
  for (int i = 0; i < group->size; ++i) {
    if (notes[i].status != TACIT_OK) {
      return spread(team, i, (tacit_status)notes[i].status, err);
    }
  }
  TACIT_TRY(compare(team, notes, err));
  for (int i = 0; i < group->size; ++i) {
    if (i == group->rank) continue;
    note->raw_rows += notes[i].raw_rows;
    tacit_digest_merge(&note->raw_digest, &notes[i].raw_digest);
  }
  return TACIT_OK;
}

static tacit_status agree(tacit_team *team, int64_t place, uint64_t public_check,
                          tacit_status status, tacit_error *err) {
  struct tacit_note note = {
      .status = (int64_t)status, .place = place, .public_check = public_check};
  return exchange(team, &note, err);
}

tacit_status tacit_team_agree(tacit_team *team, tacit_status status, tacit_error *err) {
  if (team->group == NULL || team->over) return status;
  return agree(team, PLACE_DONE, 0, status, err);
}

static tacit_status check_group(const tacit_group *group, tacit_error *err) {
  if (group->struct_size < sizeof *group || group->size < 1 ||
      group->size > RANKS_MAX || group->rank < 0 || group->rank >= group->size ||
      group->broadcast == NULL || group->gather_all == NULL ||
      group->sum_scatter == NULL) {
    return tacit_fail(err, TACIT_EINVAL,
                      "the group has no size, no rank in it or no functions");
  }
  return TACIT_OK;
}

/* Room for notes at once: without it a fault could not be told. */
static tacit_status join(tacit_team *team, const tacit_group *group, tacit_error *err) {
  TACIT_TRY(check_group(group, err));
  team->group = group;
  team->over = 1;
  team->raw_notes = tacit_raw_new((size_t)group->size, sizeof *team->raw_notes);
  if (team->raw_notes == NULL) return tacit_fail_memory(err);
  TACIT_TRY(set_counts(team, sizeof *team->raw_notes, &team->note_bytes, err));
  team->over = 0;
  return TACIT_OK;
}

tacit_status tacit_group_agree(const tacit_group *group, int64_t place,
                               tacit_status status, tacit_error *err) {
  if (group == NULL) return status;
  tacit_team team = {0};
  tacit_error memory;
  if (join(&team, group, &memory) != TACIT_OK) {
    if (err != NULL) *err = memory;
    status = memory.status;
  } else {
    status = agree(&team, PLACE_DONE - 1 - (place & INT32_MAX), 0, status, err);
  }
  tacit_team_fini(&team);
  return status;
}

tacit_status tacit_team_init(tacit_team *team, const tacit_config *config,
                             tacit_error *err) {
  size_t needed = offsetof(tacit_config, group) + sizeof config->group;
  if (config == NULL || config->struct_size < needed || config->group == NULL) {
    return TACIT_OK;
  }
  return join(team, config->group, err);
}

void tacit_team_fini(tacit_team *team) {
  tacit_array_free(team->counts);
  tacit_array_free(team->bytes);
  tacit_array_free(team->note_bytes);
  tacit_raw_free(team->raw_notes);
  tacit_sum_free(team->part);
  tacit_raw_free(team->raw_all);
}

static void hash_text(crypto_generichash_blake2b_state *hash, const char *text) {
  (void)crypto_generichash_blake2b_update(hash, (const unsigned char *)text,
                                          strlen(text) + 1);
}

static void hash_bytes(crypto_generichash_blake2b_state *hash, const void *bytes,
                       size_t count) {
  if (count > 0) (void)crypto_generichash_blake2b_update(hash, bytes, count);
}

static void hash_init(crypto_generichash_blake2b_state *hash) {
  (void)crypto_generichash_blake2b_init(hash, NULL, 0, sizeof(uint64_t[2]));
}

static uint64_t hash_end(crypto_generichash_blake2b_state *hash) {
  unsigned char digest[sizeof(uint64_t[2])];
  (void)crypto_generichash_blake2b_final(hash, digest, sizeof digest);
  return tacit_load_le64(digest);
}

/* Of all that every rank must have alike. The texts spell every resolved option. */
static tacit_status plan_check(const tacit_plan *plan, uint64_t *out,
                               tacit_error *err) {
  crypto_generichash_blake2b_state hash;
  json_t *schema = NULL;
  char *schema_text = NULL;
  TACIT_TRY(tacit_schema_to_json(plan->schema, &schema, err));
  tacit_status status = tacit_json_text(schema, 0, &schema_text, err);
  json_decref(schema);
  TACIT_TRY(status);
  const tacit_lattice *lattice = &plan->vault.lattice;
  double numbers[] = {plan->power, plan->clip, plan->grad_bound,      plan->smoothness,
                      plan->l2,    plan->mu,   plan->sens_norm_ratio, lattice->sens};
  int64_t counts[] = {plan->rows,         plan->passes,       plan->per_pass,
                      (int64_t)plan->dim, lattice->exponent,  lattice->clip_max,
                      plan->vault.kappa,  plan->config.seeded};
  hash_init(&hash);
  hash_text(&hash, tacit_version());
  hash_text(&hash, schema_text);
  hash_text(&hash, plan->json);
  hash_text(&hash, plan->statement_json);
  hash_text(&hash, plan->learner_spec);
  hash_text(&hash, plan->loss_spec);
  hash_bytes(&hash, numbers, sizeof numbers);
  hash_bytes(&hash, counts, sizeof counts);
  if (plan->start != NULL) {
    hash_bytes(&hash, plan->start, plan->dim * sizeof *plan->start);
  }
  if (plan->matrix_entries != NULL) {
    hash_bytes(&hash, plan->matrix_entries,
               (size_t)(plan->rounds * plan->rounds) * sizeof *plan->matrix_entries);
  }
  *out = hash_end(&hash);
  tacit_array_free(schema_text);
  return TACIT_OK;
}

uint64_t tacit_team_check(const tacit_team *team, const double *numbers, size_t count,
                          const double *x, size_t dim) {
  if (team->group == NULL) return 0;
  crypto_generichash_blake2b_state hash;
  hash_init(&hash);
  hash_bytes(&hash, numbers, count * sizeof *numbers);
  hash_bytes(&hash, x, dim * sizeof *x);
  return hash_end(&hash);
}

tacit_status tacit_team_start(tacit_team *team, const tacit_plan *plan, tacit_key *key,
                              tacit_status status, tacit_error *err) {
  const tacit_group *group = team->group;
  if (group == NULL) return status;
  uint64_t check = 0;
  if (status == TACIT_OK) status = plan_check(plan, &check, err);
  TACIT_TRY(agree(team, PLACE_START, check, status, err));
  if (group->broadcast(group->self, key->bytes, sizeof key->bytes, 0) != 0) {
    return lost(team, err);
  }
  return TACIT_OK;
}

tacit_status tacit_team_share(tacit_team *team, const tacit_plan *plan,
                              tacit_error *err) {
  const tacit_group *group = team->group;
  size_t dim = plan->dim, first = 0;
  team->count = dim;
  if (group == NULL) return TACIT_OK;
  team->whole = plan->vault.law->add == NULL;
  TACIT_TRY(set_counts(team, 0, &team->counts, err));
  TACIT_TRY(set_counts(team, 0, &team->bytes, err));
  size_t blocks = dim / TACIT_NOISE_BLOCK + (dim % TACIT_NOISE_BLOCK > 0);
  size_t size = (size_t)group->size, each = blocks / size, more = blocks % size;
  for (size_t i = 0; i < size; ++i) {
    size_t count = (each + (i < more)) * TACIT_NOISE_BLOCK;
    if (count > dim - first) count = dim - first;
    team->counts[i] = count;
    team->bytes[i] = count * sizeof(double);
    if (i == (size_t)group->rank) {
      team->first = first;
      team->count = count;
    }
    first += count;
  }
  tacit_row_rule flat = {.features = team->whole ? dim : team->count, .outputs = 1};
  TACIT_TRY(tacit_sum_new(&flat, plan->kernel, &team->part, err));
  team->raw_part = tacit_sum_raw_load(team->part, 0);
  if (plan->checkpoint == NULL || team->whole) return TACIT_OK;
  team->raw_all = tacit_raw_new(dim, sizeof *team->raw_all);
  return team->raw_all != NULL ? TACIT_OK : tacit_fail_memory(err);
}

int tacit_team_leads(const tacit_team *team) {
  return team->group == NULL || team->group->rank == 0;
}

tacit_status tacit_team_tell(tacit_team *team, void *bytes, size_t count,
                             tacit_error *err) {
  const tacit_group *group = team->group;
  if (group == NULL) return TACIT_OK;
  return group->broadcast(group->self, bytes, count, 0) == 0 ? TACIT_OK
                                                             : lost(team, err);
}

int tacit_team_takes(const tacit_team *team, int64_t place) {
  return place / SHARE_ROWS % team->group->size == team->group->rank;
}

tacit_status tacit_team_meet(tacit_team *team, tacit_meeting *meeting,
                             tacit_error *err) {
  if (team->group == NULL) return TACIT_OK;
  struct tacit_note note = {.place = 2 * meeting->t,
                            .raw_rows = meeting->raw_rows,
                            .public_check = meeting->public_check,
                            .raw_digest = meeting->raw_digest};
  tacit_status status = exchange(team, &note, err);
  meeting->raw_rows = note.raw_rows;
  meeting->raw_digest = note.raw_digest;
  sodium_memzero(&note, sizeof note);
  return status;
}

static tacit_status add_up(tacit_team *team, const int64_t *raw_sum, tacit_error *err) {
  const tacit_group *group = team->group;
  int64_t *raw_mine = team->raw_part + (team->whole ? team->first : 0);
  if (group->sum_scatter(group->self, raw_sum, team->counts, raw_mine) != 0) {
    return lost(team, err);
  }
  if (!team->whole) return TACIT_OK;
  /* 8 bytes a number, as in the release. */
  if (group->gather_all(group->self, team->raw_part, team->bytes) != 0) {
    return lost(team, err);
  }
  return TACIT_OK;
}

tacit_status tacit_team_gather(tacit_team *team, const int64_t *raw_sum,
                               const int64_t **raw_out, tacit_error *err) {
  const tacit_group *group = team->group;
  *raw_out = group == NULL ? raw_sum : team->raw_part;
  if (group == NULL || team->whole) return TACIT_OK;
  memcpy(team->raw_all + team->first, team->raw_part,
         team->count * sizeof *team->raw_part);
  if (group->gather_all(group->self, team->raw_all, team->bytes) != 0)
    return lost(team, err);
  *raw_out = team->raw_all;
  return TACIT_OK;
}

tacit_status tacit_team_close(tacit_team *team, tacit_vault *vault, tacit_pool *pool,
                              int64_t t, int64_t raw_count, const tacit_sum *sum,
                              tacit_release *out, tacit_error *err) {
  if (team->group == NULL) return tacit_round_release(vault, pool, t, sum, out, err);
  const tacit_group *group = team->group;
  tacit_sum_open(team->part, pool, tacit_sum_clip(sum), tacit_sum_exponent(sum));
  team->raw_part = tacit_sum_raw_load(team->part, raw_count);
  TACIT_TRY(add_up(team, tacit_sum_raw_integers(sum), err));
  tacit_release part = {.y = out->y + (team->whole ? 0 : team->first)};
  tacit_status status = tacit_round_release(vault, pool, t, team->part, &part, err);
  TACIT_TRY(agree(team, 2 * t + 1, 0, status, err));
  out->noise_std = part.noise_std;
  if (team->whole) return TACIT_OK;
  if (group->gather_all(group->self, out->y, team->bytes) != 0) return lost(team, err);
  return TACIT_OK;
}
