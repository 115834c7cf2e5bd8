/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_ONCE_H
#define TACIT_EXTRA_EVALUATE_ONCE_H

#include "vault/vault.h"

/* A sum that is released once: a vault of one round, whose mechanism is the matrix of
   the number 1. Rows have norm at most 1 and are added times 2^exponent. */
typedef struct tacit_once_facts {
  size_t columns;
  int counts;   /* 1 if rows have one entry >= 0 each, as in tacit_shape */
  size_t twice; /* numbers that count twice in the norm, as in tacit_shape */
  int64_t units;
  int kappa; /* 1 for zero-out, 2 for replace */
  double mu;
} tacit_once_facts;

typedef struct tacit_once {
  tacit_vault_facts facts;
  tacit_sum **sums; /* one per worker */
  size_t workers;
} tacit_once;

/* Makes open sums, one per worker of the pool. Free them with tacit_once_fini, also
   after a failure. */
tacit_status tacit_once_init(tacit_once *once, const tacit_once_facts *facts,
                             tacit_pool *pool, tacit_error *err);
void tacit_once_fini(tacit_once *once);
/* Returns the factor of every row. */
double tacit_once_steps(const tacit_once *once);
/* Merges the sums and releases them: `columns` numbers in the units of the rows.
   `purpose` names the noise: no two releases with one key may have the same. */
tacit_status tacit_once_end(tacit_once *once, tacit_pool *pool, const tacit_key *key,
                            const char *purpose, double *out, double *out_noise,
                            tacit_error *err);

#endif
