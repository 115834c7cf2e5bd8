/* SPDX-License-Identifier: MIT */
/* The registry of encoders, and the encoder `none`. */
#include "mechanism/mechanism.h"

#include <string.h>

static const struct tacit_encoder_ops *const encoders[] = {
    &tacit_encoder_banded, &tacit_encoder_matrix, &tacit_encoder_blt,
    &tacit_encoder_tree,   &tacit_encoder_none,   NULL,
};

const struct tacit_encoder_ops *tacit_encoder_at(size_t i) {
  size_t count = sizeof encoders / sizeof encoders[0] - 1;
  return i < count ? encoders[i] : NULL;
}

const struct tacit_encoder_ops *tacit_encoder_find(const char *name) {
  size_t i = 0;
  while (encoders[i] != NULL && strcmp(encoders[i]->name, name) != 0)
    ++i;
  return encoders[i];
}

const struct tacit_encoder_ops *tacit_encoder_auto(int64_t rounds, int pure) {
  if (pure || rounds > tacit_encoder_blt.rounds_max) return &tacit_encoder_tree;
  return rounds <= 64 ? &tacit_encoder_banded : &tacit_encoder_blt;
}

/* Computes the sensitivity of C = I, where a record is in one row per pass. */
static tacit_status none_sens(const void *self, const tacit_encoder_facts *facts,
                              tacit_encoder_sens *out, tacit_error *err) {
  (void)self, (void)err;
  int64_t whole = facts->rounds / facts->per_pass;
  double passes = (double)whole;
  out->squares = tacit_sqrt_up(passes);
  out->extra_bits = 0;
  out->sum = passes;
  return TACIT_OK;
}

static int64_t none_begin(void *self, int64_t t, int64_t clip) {
  (void)self;
  (void)t;
  return clip;
}

static void none_encode(void *self, const int64_t *raw_sum, size_t first, size_t count,
                        tacit_i128 *raw_out) {
  (void)self;
  for (size_t i = 0; i < count; ++i)
    raw_out[i] = raw_sum[first + i];
}

const struct tacit_encoder_ops tacit_encoder_none = {
    .name = "none",
    .summary = "no noise at all: not private, for comparison",
    .private_noise = 0,
    .state_size = 0,
    .sens = none_sens,
    .begin = none_begin,
    .encode = none_encode,
};
