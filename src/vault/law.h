/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_LAW_H
#define TACIT_VAULT_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"
#include "vault/words.h"

/*
 * A law of noise for sensitivity 1. The paper asks of it (alpha, alpha/2)-RDP
 * (Gaussian) or pure DP (density falling like exp(-|x|) in some norm). Its moments,
 * which nobody has to trust, are in not_private/laws.h.
 */
struct tacit_law_ops {
  const char *name; /* required */
  int exact;        /* 1: the sampler is proven exact, a model may be private */
  int pure;         /* 1: costs add up, delta = 0; 0: squared costs add up, mu-GDP */
  /* Exponent of the norm in which a contribution must be bounded for the guarantee: 1,
     2, INFINITY; 0: the dual norm of the run. */
  double sens_norm;
  /* One of the two is required. Adds independent integers at an integer scale: */
  void (*add)(tacit_words *words, uint64_t scale, tacit_i128 *raw_row, size_t count);
  /* Never private, for experiments: adds `step` times a vector in doubles to y. 0: no
     memory. */
  int (*add_vector)(tacit_words *words, double step, size_t dim, double exponent,
                    double *y);
};

/* Up to this scale, any number of standard deviations fits into 128-bit sums. */
#define TACIT_NOISE_SCALE_MAX ((uint64_t)1 << 57)
/* vault/gaussian.c: round(scale * Z), Z standard normal, sampled exactly; 1 <= scale <=
   TACIT_NOISE_SCALE_MAX. */
tacit_i128 tacit_noise_exact(tacit_words *words, uint64_t scale);

/* The two laws a private model can have. not_private/laws.h has the others, and the
   registry. */
extern const struct tacit_law_ops tacit_law_gaussian; /* rounded Gaussian */
extern const struct tacit_law_ops tacit_law_laplace;  /* discrete Laplace */

#endif
