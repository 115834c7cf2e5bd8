/* SPDX-License-Identifier: MIT */
/* The registry of encoders, and the one that adds nothing. */
#include "vault/encoder.h"

#include <string.h>

static const struct tacit_encoder_ops *const encoders[] = {
    &tacit_encoder_tree,
    &tacit_encoder_none,
    NULL,
};

const struct tacit_encoder_ops *tacit_encoder_at(size_t i) {
  size_t count = sizeof encoders / sizeof encoders[0] - 1;
  return i < count ? encoders[i] : NULL;
}

const struct tacit_encoder_ops *tacit_encoder_find(const char *name) {
  if (strcmp(name, "auto") == 0) return &tacit_encoder_tree;
  for (size_t i = 0; encoders[i] != NULL; ++i) {
    if (strcmp(encoders[i]->name, name) == 0) return encoders[i];
  }
  return NULL;
}

/* C = I: a record is in as many rows as there are passes. */
static tacit_status none_sens_squared(const tacit_encoder_facts *facts, double *out,
                                      tacit_error *err) {
  (void)err;
  *out = (double)(facts->rounds / facts->per_pass);
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
    .sens_squared = none_sens_squared,
    .begin = none_begin,
    .encode = none_encode,
};
