/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_EXP_H
#define TACIT_LOSS_EXP_H

#include <stddef.h>

/* e^x within one unit in the last place and the same bits on every machine with IEEE
   doubles. 0 far below, infinity far above, NaN for NaN. */
double tacit_exp(double x);
/* x[i] becomes tacit_exp(x[i]), to the last bit. */
void tacit_exp_many(double *x, size_t count);

#endif
