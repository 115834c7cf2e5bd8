/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_INTEGERS_H
#define TACIT_VAULT_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/threads.h"

/* Long vectors of integers; threads of the pool help, if there is one. */

void tacit_integers_clear(tacit_pool *pool, int64_t *raw_integers, size_t n);
/* raw_into += raw_from, and raw_from = 0. */
void tacit_integers_move(tacit_pool *pool, int64_t *raw_from, size_t n,
                         int64_t *raw_into);
/* 1 if all lie in [-max, max]. */
int tacit_integers_within(tacit_pool *pool, const int64_t *raw_integers, size_t n,
                          int64_t max);

#endif
