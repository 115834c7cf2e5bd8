/* SPDX-License-Identifier: MIT */
/*
 * The wall (T4, T5, T6). Integer sums go in, row t of (C u + noise) comes out, and
 * nothing else comes out. The run is an adaptive composition of Gaussian releases,
 * mu-GDP in all (docs/proofs/accounting_theorem.md): with row bound m_t = max clip of
 * its rounds, the noise scale is ceil(kappa S m_t / mu), so a record costs at most sum
 * over rows of (kappa m weight)^2 / scale^2 <= mu^2.
 */
#include "vault/vault.h"

#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "vault/integers.h"

struct tacit_vault {
  tacit_vault_facts facts;
  tacit_noise_key key;
  size_t first, count; /* the coordinates that are released here; the encoder knows only
                          these */
  tacit_encoder encoder;
  int extra_bits; /* bits that encoded sums have beyond the bits of sums of rows */
  int64_t t;      /* rounds released */
  int64_t rows;   /* rows in the released rounds */
  int dead;       /* 1 after a failed release: nothing leaves any more */
};

void tacit_vault_free(tacit_vault *vault) {
  if (vault == NULL) return;
  sodium_memzero(&vault->key, sizeof vault->key);
  tacit_encoder_fini(&vault->encoder);
  tacit_array_free(vault);
}

/* Returns TACIT_OK if the noise of the facts covers what one record can do. */
static tacit_status check_cover(tacit_vault *vault, tacit_error *err) {
  const tacit_vault_facts *facts = &vault->facts;
  const tacit_encoder *encoder = &vault->encoder;
  tacit_encoder_sens sens;
  if ((facts->kappa != 1 && facts->kappa != 2) || facts->shape.per_pass < 1 ||
      facts->shape.rounds % facts->shape.per_pass != 0)
    return tacit_fail(err, TACIT_EPRIVACY, "no neighbours, or passes cut short");
  TACIT_TRY(encoder->ops->sens(encoder->self, &encoder->facts, &sens, err));
  vault->extra_bits = sens.extra_bits;
  double needed = facts->law->pure ? sens.sum : sens.squares;
  if (facts->encoder->private_noise == (isinf(facts->budget) != 0) ||
      !(facts->budget > 0) || !(facts->lattice.sens >= needed) ||
      isinf(facts->lattice.sens) || facts->shape.clip_max != facts->lattice.clip_max)
    return tacit_fail(err, TACIT_EPRIVACY, "the noise does not cover the sensitivity");
  return TACIT_OK;
}

tacit_status tacit_vault_new(const tacit_vault_facts *facts, const tacit_key *key,
                             size_t first, size_t count, tacit_vault **out,
                             tacit_error *err) {
  size_t dim = facts->shape.dim;
  int whole_blocks = first % TACIT_NOISE_BLOCK == 0 &&
                     (count % TACIT_NOISE_BLOCK == 0 || first + count == dim);
  if (first > dim || count > dim - first || (count > 0 && !whole_blocks) ||
      (count != dim && facts->law->add == NULL))
    return tacit_fail(err, TACIT_EINVAL, "the noise cannot be shared out like this");
  tacit_vault *vault = tacit_array_new(1, sizeof *vault);
  if (vault == NULL) return tacit_fail_memory(err);
  vault->facts = *facts;
  tacit_noise_key_fill(key, &vault->key);
  vault->first = first;
  vault->count = count;
  tacit_status status = tacit_encoder_init(&vault->encoder, facts->encoder,
                                           &facts->shape, count > 0 ? count : 1, err);
  if (status == TACIT_OK) status = check_cover(vault, err);
  return TACIT_HAND_OVER(status, vault, tacit_vault_free, out);
}

/* Counts, saves or loads how far the vault is. Proof: docs/proofs/stream.md */
void tacit_vault_archive(tacit_vault *vault, tacit_archive *raw_archive) {
  tacit_archive_part(raw_archive, &vault->t, sizeof vault->t);
  tacit_archive_part(raw_archive, &vault->rows, sizeof vault->rows);
  vault->encoder.ops->archive(vault->encoder.self, raw_archive);
}

struct release_task {
  tacit_vault *vault;
  const int64_t *raw_sum;
  uint64_t scale;
  double *y;
  tacit_words words; /* words of the first block, the only ones for laws with
                        add_vector */
};

/* Encodes one block of coordinates, adds its noise and writes it to y. */
static void release_block(void *context, size_t block, size_t worker) {
  struct release_task *task = context;
  tacit_vault *vault = task->vault;
  const tacit_vault_facts *facts = &vault->facts;
  (void)worker;
  size_t first = block * TACIT_NOISE_BLOCK;
  size_t count = vault->count - first;
  if (count > TACIT_NOISE_BLOCK) count = TACIT_NOISE_BLOCK;

  tacit_i128 raw_row[TACIT_NOISE_BLOCK];
  vault->encoder.ops->encode(vault->encoder.self, task->raw_sum, first, count, raw_row);
  tacit_words words;
  if (task->scale > 0) {
    tacit_noise_words(&vault->key, (uint64_t)vault->t,
                      vault->first / TACIT_NOISE_BLOCK + block, task->scale, raw_row,
                      count, &words);
    if (facts->law->add != NULL)
      facts->law->add(&words, task->scale, raw_row, count);
    else if (block == 0)
      task->words = words;
    tacit_words_wipe(&words);
    sodium_stackzero(4096); /* digits that the sampler compared */
  }
  /* From here on the values are released. */
  double step = ldexp(1, -facts->lattice.exponent); /* a power of two, so the product is
                                                       exact */
  for (size_t i = 0; i < count; ++i)
    task->y[first + i] = tacit_nearest_double(raw_row[i]) * step;
  sodium_memzero(raw_row, sizeof raw_row);
}

/* Checks that the round is the next one, that rows within the clip can have this sum in
   the norm of the law, and that encoded sums of all rounds so far fit their
   integers. */
static tacit_status check_sum(const tacit_vault *vault, tacit_pool *pool, int64_t t,
                              const tacit_sum *sum, tacit_error *err) {
  const tacit_vault_facts *facts = &vault->facts;
  int64_t clip = tacit_sum_clip(sum), rows = tacit_sum_rows(sum);
  double norm = facts->law->sens_norm;
  if (vault->dead || t != vault->t + 1 || t > facts->shape.rounds)
    return tacit_fail(err, TACIT_EPRIVACY, "round %lld is released out of order",
                      (long long)t);
  if (clip < 0 || clip > facts->lattice.clip_max ||
      tacit_sum_dim(sum) != vault->count || tacit_sum_raw_integers(sum) == NULL ||
      (norm > 0 && tacit_sum_exponent(sum) != norm))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the bound of round %lld is not the lattice's", (long long)t);
  tacit_i128 max = (tacit_i128)clip * rows; /* beyond 64 bits a sum may have wrapped */
  if (rows < 0 || max > INT64_MAX ||
      !tacit_integers_within(pool, tacit_sum_raw_integers(sum), vault->count,
                             (int64_t)max))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "round %lld: a sum is larger than its rows allow", (long long)t);
  if (rows > INT64_MAX - vault->rows ||
      tacit_ceil_log2((uint64_t)facts->lattice.clip_max) +
              tacit_ceil_log2((uint64_t)(vault->rows + rows)) + vault->extra_bits >
          TACIT_SIMD_BITS)
    return tacit_fail(err, TACIT_EPRIVACY, "the sums of round %lld do not fit",
                      (long long)t);
  return TACIT_OK;
}

/* Returns the integer noise scale, rounded up.
   Proof: docs/proofs/tacit_noise_scale_up.md */
uint64_t tacit_noise_scale_up(double kappa, double sens, int64_t clip, double budget) {
  if (isinf(budget)) return 0;
  double clip_up = tacit_up((double)clip); /* conversion may round down past 2^53 */
  double scale = tacit_mul_up(tacit_mul_up(kappa, sens), clip_up);
  scale = ceil(tacit_div_up(scale, budget));
  if (!(scale < 0x1p63)) return UINT64_MAX;
  return (uint64_t)scale < 1 ? 1 : (uint64_t)scale;
}

/* Returns how far a record that is replaced moves the sum of a round, in clips. Vectors
   of numbers >= 0 are at most a right angle apart (docs/proofs/count_release.md), and
   so are squares (docs/proofs/joint_bound.md). */
static double kappa_of(const tacit_vault_facts *facts, const tacit_sum *sum) {
  int narrow = tacit_sum_narrow(sum) && facts->shape.rounds == 1;
  if (facts->kappa == 1 || !narrow || facts->law->sens_norm != 2) return facts->kappa;
  return facts->shape.dim == 1 ? 1 : 1.4142135623730951; /* above the root of 2 */
}

/* Checks the sum of a round, encodes it, adds noise and writes y_t.
   Proof: docs/proofs/tacit_round_release.md */
tacit_status tacit_round_release(tacit_vault *vault, tacit_pool *pool, int64_t t,
                                 const tacit_sum *sum, tacit_release *out,
                                 tacit_error *err) {
  const tacit_vault_facts *facts = &vault->facts;
  tacit_status status = check_sum(vault, pool, t, sum, err);
  vault->dead = 1; /* until the release is complete */
  TACIT_TRY(status);
  vault->t = t;
  vault->rows += tacit_sum_rows(sum);
  int64_t row_clip =
      vault->encoder.ops->begin(vault->encoder.self, t, tacit_sum_clip(sum));
  struct release_task task = {
      .vault = vault,
      .raw_sum = tacit_sum_raw_integers(sum),
      .scale = tacit_noise_scale_up(kappa_of(facts, sum), facts->lattice.sens, row_clip,
                                    facts->budget),
      .y = out->y,
  };
  if (task.scale > TACIT_NOISE_SCALE_MAX)
    return tacit_fail(err, TACIT_EPRIVACY, "the noise of round %lld does not fit",
                      (long long)t);
  size_t blocks = (vault->count + TACIT_NOISE_BLOCK - 1) / TACIT_NOISE_BLOCK;
  tacit_pool_run(pool, blocks, release_block, &task);
  out->noise_scale = ldexp((double)task.scale, -facts->lattice.exponent);
  if (task.scale > 0 && facts->law->add == NULL && /* laws for experiments */
      !facts->law->add_vector(&task.words, out->noise_scale, vault->count,
                              facts->exponent, out->y))
    return tacit_fail_memory(err);
  vault->dead = 0;
  return TACIT_OK;
}
