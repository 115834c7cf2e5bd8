/* SPDX-License-Identifier: MIT */
/* The opaque sums of the vault as arrays of integers, and encoders without a vault. */
#ifndef TACIT_TESTS_SUMS_H
#define TACIT_TESTS_SUMS_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "gradient/delta.h"
#include "vault/vault.h"

/* tacit_delta_add into an array of integers. */
static inline tacit_status delta_add(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, int64_t *raw_sum,
                                     tacit_error *err) {
  tacit_sum *sum = NULL;
  CHECK_OK(tacit_delta_sum_new(delta, &sum, err), *err);
  CHECK_OK(tacit_delta_open(delta, NULL, sum, err), *err);
  tacit_status status = tacit_delta_add(delta, batch, first, end, sum, err);
  tacit_sum_close(sum, NULL);
  for (size_t i = 0; i < tacit_sum_dim(sum); ++i)
    raw_sum[i] += tacit_sum_raw_integers(sum)[i];
  assert_true(status != TACIT_OK || tacit_sum_rows(sum) == end - first);
  tacit_sum_free(sum);
  return status;
}

/* tacit_round_release of `dim` integers that `rows` rows have, each within `clip`. */
static inline tacit_status release_integers(tacit_vault *vault,
                                            const tacit_vault_facts *facts,
                                            tacit_pool *pool, int64_t t, int64_t clip,
                                            int64_t rows, const int64_t *raw_sum,
                                            tacit_release *out, tacit_error *err) {
  tacit_sum *sum = NULL;
  const tacit_shape flat = {.rule = {.features = facts->shape.dim, .outputs = 1}};
  CHECK_OK(tacit_sum_new(&flat, NULL, &sum, err), *err);
  CHECK_OK(tacit_sum_open(sum, NULL, clip, facts->law->sens_norm, NULL, err), *err);
  memcpy(tacit_sum_raw_load(sum, rows), raw_sum, facts->shape.dim * sizeof *raw_sum);
  tacit_status status = tacit_round_release(vault, pool, t, sum, out, err);
  tacit_sum_free(sum);
  return status;
}

static inline tacit_encoder *encoder_of(const struct tacit_encoder_ops *ops,
                                        const tacit_encoder_facts *shape) {
  tacit_encoder *encoder = calloc(1, sizeof *encoder);
  tacit_error err;
  CHECK_OK(tacit_encoder_init(encoder, ops, shape, shape->dim, &err), err);
  return encoder;
}

static inline void encoder_free(tacit_encoder *encoder) {
  tacit_encoder_fini(encoder);
  free(encoder);
}

static inline int64_t encoder_begin(tacit_encoder *encoder, int64_t t, int64_t clip) {
  return encoder->ops->begin(encoder->self, t, clip);
}

static inline void encoder_encode(tacit_encoder *encoder, const int64_t *raw_sum,
                                  size_t first, size_t count, tacit_i128 *raw_out) {
  encoder->ops->encode(encoder->self, raw_sum, first, count, raw_out);
}

static inline tacit_encoder_sens sens_of(const struct tacit_encoder_ops *ops,
                                         const tacit_encoder_facts *shape) {
  tacit_encoder encoder;
  tacit_encoder_sens sens;
  tacit_error err;
  CHECK_OK(tacit_encoder_init(&encoder, ops, shape, 1, &err), err);
  CHECK_OK(encoder.ops->sens(encoder.self, &encoder.facts, &sens, &err), err);
  tacit_encoder_fini(&encoder);
  return sens;
}

#endif
