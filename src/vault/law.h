/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_LAW_H
#define TACIT_VAULT_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"
#include "vault/words.h"

/*
 * A law of noise for sensitivity 1. The paper asks of it (alpha, alpha/2)-RDP
 * (Gaussian) or pure DP (density falling like exp(-|x|) in some norm), and V = E|x|_*^2
 * for its bound.
 */
struct tacit_law_ops {
  const char *name;    /* required */
  const char *summary; /* required; one line */
  int exact;           /* 1: the sampler is proven exact, a model may be private */
  int pure;            /* 1: costs add up, delta = 0; 0: squared costs add up, mu-GDP */
  /* Exponent of the norm in which a contribution must be bounded for the guarantee: 1,
     2, INFINITY; 0: the dual norm of the run. */
  double sens_norm;
  /* Required. Standard deviation of one coordinate at scale 1. */
  double (*std)(size_t dim, double exponent);
  /* Required. V = E|x|^2 at scale 1, in the norm of `exponent`. */
  double (*second_moment)(size_t dim, double exponent);
  /* One of the two is required: independent integers at an integer scale, added to the
     row, or one vector in doubles at scale 1 (never private). */
  void (*add)(tacit_words *words, uint64_t scale, tacit_i128 *raw_row, size_t count);
  void (*draw_vector)(tacit_words *words, size_t dim, double exponent, double *out);
};

/* The registry: entry i, or NULL past the end; by name, NULL when unknown. */
const struct tacit_law_ops *tacit_law_at(size_t i);
const struct tacit_law_ops *tacit_law_find(const char *name);

extern const struct tacit_law_ops tacit_law_gaussian;      /* rounded, exact */
extern const struct tacit_law_ops tacit_law_gaussian_fast; /* double precision */
extern const struct tacit_law_ops tacit_law_laplace;       /* discrete, exact */
extern const struct tacit_law_ops tacit_law_exp_l1, tacit_law_exp_l2,
    tacit_law_exp_linf, tacit_law_exp_lp; /* exp(-|x|), continuous */
/* What the discrete law shares with the continuous ones. */
double tacit_exp_std_l1(size_t dim, double exponent);
double tacit_exp_second_moment(size_t dim, double exponent);

#endif
