/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_EXP_H
#define TACIT_LOSS_EXP_H

#include <stddef.h>

/* Returns e^x within one unit in the last place, with the same bits on every machine
   with IEEE doubles. Underflows to 0, overflows to infinity, and returns NaN for
   NaN. */
double tacit_exp(double x);
/* Replaces each x[i] by tacit_exp(x[i]), with the same bits. */
void tacit_exp_many(double *x, size_t count);

#endif
