/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_CANARY_H
#define TACIT_EXTRA_AUDIT_CANARY_H

#include "loss/loss.h"
#include "plan/plan.h"

/*
 * The loss of an audit is the loss of the plan, except for records with one of two
 * labels. There it lies about its slope, far beyond the bound. Such a record, the
 * canary, adds as much as the vault lets it, in every round and in the direction of its
 * row. The guarantee must hold for it, because the guarantee rests on no promise of a
 * loss.
 *
 * Centred rows have parts that a row cannot turn around. There the opposite of a canary
 * is an equal row with another label, whose slopes have the other sign.
 */
typedef struct tacit_canary {
  tacit_loss base;  /* loss of the plan */
  double labels[2]; /* labels of a canary and of its opposite, as the loss takes them */
  double slope;
} tacit_canary;

/* Returns 1 if the opposite of a canary has another label, 0 if it is the opposite
   row. */
int tacit_canary_turns_label(const tacit_plan *plan);
/* Returns the label of a canary, or of its opposite, as rows have it. */
double tacit_canary_label(const tacit_plan *plan, int opposite);
/* Puts the lying slopes into the loss of a plan. `canary` must outlive them. */
void tacit_canary_put(tacit_plan *plan, tacit_canary *canary);
/* Puts the loss of the plan back. Must be called before the plan is freed. */
void tacit_canary_lift(tacit_plan *plan, const tacit_canary *canary);

#endif
