/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NOT_PRIVATE_LAWS_H
#define TACIT_NOT_PRIVATE_LAWS_H

#include "vault/law.h"

/* Return entry i of the registry of all laws, also the exact laws, or NULL past the
   end; and the law with a name, or NULL if it does not exist. */
const struct tacit_law_ops *tacit_law_at(size_t i);
const struct tacit_law_ops *tacit_law_find(const char *name);
/* Returns one line about a law. */
const char *tacit_law_summary(const struct tacit_law_ops *law);

/* Return moments of a law at scale 1: the standard deviation of one coordinate, and V =
   E|x|^2 in the norm of `exponent`, which the paper's bound needs. Accuracy rests on
   these numbers, privacy does not. */
double tacit_law_std(const struct tacit_law_ops *law, size_t dim, double exponent);
double tacit_law_second_moment(const struct tacit_law_ops *law, size_t dim,
                               double exponent);

/* Laws with density proportional to exp(-|x|), sampled in doubles, so never private. */
extern const struct tacit_law_ops tacit_law_exp_l1, tacit_law_exp_l2,
    tacit_law_exp_linf, tacit_law_exp_lp;

#endif
