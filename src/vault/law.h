/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_LAW_H
#define TACIT_VAULT_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"
#include "vault/words.h"

/*
 * A law of noise for sensitivity 1. The paper asks of it (alpha, alpha/2)-RDP
 * (Gaussian) or pure DP (a density that falls like exp(-|x|) in some norm). Its
 * moments, which nobody has to trust, are in not_private/laws.h.
 */
struct tacit_law_ops {
  const char *name; /* required */
  int exact;        /* 1 if the sampler is proven exact, so that a model may be
                       private */
  int pure;         /* 1 if costs add up and delta is 0; 0 if squared costs add up
                       (mu-GDP) */
  /* Exponent of the norm in which a contribution must be bounded for the guarantee: 1,
     2 or INFINITY; 0 for the dual norm of the run. */
  double sens_norm;
  /* Adds independent integers at an integer scale. Either this slot or the next one
     must be set, the other one NULL. */
  void (*add)(tacit_words *words, uint64_t scale, tacit_i128 *raw_row, size_t count);
  /* Adds `step` times a random vector of doubles to y: for experiments, never private.
     Returns 0 if memory runs out. */
  int (*add_vector)(tacit_words *words, double step, size_t dim, double exponent,
                    double *y);
};

/* The largest noise scale: any number of standard deviations then fits into 128-bit
   sums. */
#define TACIT_NOISE_SCALE_MAX ((uint64_t)1 << 57)
/* Returns round(scale * Z), Z standard normal, sampled exactly (vault/gaussian.c).
   `scale` must be 1 … TACIT_NOISE_SCALE_MAX. */
tacit_i128 tacit_noise_exact(tacit_words *words, uint64_t scale);

/* The two laws that a private model can have. not_private/laws.h has the other laws,
   and the registry of all of them. */
extern const struct tacit_law_ops tacit_law_gaussian; /* rounded Gaussian */
extern const struct tacit_law_ops tacit_law_laplace;  /* discrete Laplace */

#endif
