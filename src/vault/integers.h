/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_INTEGERS_H
#define TACIT_VAULT_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/threads.h"

/* Sets n integers to zero. Threads of the pool help unless it is NULL, here and
   below. */

void tacit_integers_clear(tacit_pool *pool, int64_t *raw_integers, size_t n);
/* Adds raw_from to raw_into and sets raw_from to zero. */
void tacit_integers_move(tacit_pool *pool, int64_t *raw_from, size_t n,
                         int64_t *raw_into);
/* Returns 1 if all n integers lie in [-max, max]. */
int tacit_integers_within(tacit_pool *pool, const int64_t *raw_integers, size_t n,
                          int64_t max);

#endif
