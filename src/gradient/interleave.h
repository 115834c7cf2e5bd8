/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_INTERLEAVE_H
#define TACIT_GRADIENT_INTERLEAVE_H

#include "base/threads.h"
#include "gradient/delta.h"

/* Both points side by side, once a round: all fields but `spread` are set, room has
   tacit_interleave_size numbers and outlives the use of the delta. Threads of the
   pool help, if there is one. */
size_t tacit_interleave_size(const tacit_row_rule *rule);
void tacit_interleave(tacit_delta *delta, tacit_pool *pool, double *room);

#endif
