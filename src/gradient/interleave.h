/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_INTERLEAVE_H
#define TACIT_GRADIENT_INTERLEAVE_H

#include "base/threads.h"
#include "gradient/delta.h"

/* Returns the numbers of room that tacit_interleave needs. tacit_interleave sets
   delta->pairs from the other fields, once per round; its room must outlive the delta.
   Threads of the pool help unless it is NULL. */
size_t tacit_interleave_size(const tacit_row_rule *rule);
void tacit_interleave(tacit_delta *delta, tacit_pool *pool, double *room);
/* Returns the points of a delta of one output for the kernels. */
tacit_points tacit_interleaved(const tacit_delta *delta);

#endif
