/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NOT_PRIVATE_LAWS_H
#define TACIT_NOT_PRIVATE_LAWS_H

#include "vault/law.h"

/* The registry of all laws, exact ones included: entry i, or NULL past the end; by
   name, NULL if unknown. */
const struct tacit_law_ops *tacit_law_at(size_t i);
const struct tacit_law_ops *tacit_law_find(const char *name);
/* One line about a law. */
const char *tacit_law_summary(const struct tacit_law_ops *law);

/* Moments of a law at scale 1: the standard deviation of one coordinate, and V = E|x|^2
   in the norm of `exponent`, which the paper's bound needs. Accuracy rests on them,
   privacy does not. */
double tacit_law_std(const struct tacit_law_ops *law, size_t dim, double exponent);
double tacit_law_second_moment(const struct tacit_law_ops *law, size_t dim,
                               double exponent);

/* exp(-|x|), continuous, never private. */
extern const struct tacit_law_ops tacit_law_exp_l1, tacit_law_exp_l2,
    tacit_law_exp_linf, tacit_law_exp_lp;

#endif
