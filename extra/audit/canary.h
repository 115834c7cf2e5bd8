/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_CANARY_H
#define TACIT_EXTRA_AUDIT_CANARY_H

#include "loss/loss.h"
#include "plan/plan.h"

/*
 * The loss of an audit. It is the loss of the plan, but for records with one label it
 * lies about its slope, far beyond the bound: such a record, the canary, adds as much
 * as the vault lets it, in every round and in the direction of its row. The guarantee
 * must hold for it, because it rests on no promise of a loss.
 *
 * Centred rows have parts that a row cannot turn around. There the opposite of a canary
 * is the same row with another label, whose slopes lie in the other direction.
 */
typedef struct tacit_canary {
  tacit_loss base;  /* the loss of the plan */
  double labels[2]; /* of a canary and of its opposite, as the loss takes them */
  double slope;
} tacit_canary;

/* Whether the opposite of a canary is another label, and not the opposite row. */
int tacit_canary_turns_label(const tacit_plan *plan);
/* The label of a canary, and of its opposite, as rows have it. */
double tacit_canary_label(const tacit_plan *plan, int opposite);
/* Puts the lying slopes into the loss of a plan. `canary` must outlive them. */
void tacit_canary_put(tacit_plan *plan, tacit_canary *canary);
/* Takes them out again: a plan is freed as it was made. */
void tacit_canary_lift(tacit_plan *plan, const tacit_canary *canary);

#endif
