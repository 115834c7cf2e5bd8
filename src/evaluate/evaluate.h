/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EVALUATE_INTERNAL_H
#define TACIT_EVALUATE_INTERNAL_H

#include <tacit/evaluate.h>

#include "vault/key.h"

/*
 * The way of an evaluation: rows become columns and numbers of a tally (score.c for
 * models, columns.c for descriptions), the tally is released once (tally.c), and the
 * released table becomes metrics with intervals (metrics.c, interval.c) and JSON.
 */

/* tacit_evaluation_run with the key of the caller, who answers for its secrecy and for
   using it once: for a run that evaluates again and again under keys of its own. The
   options were given mu in place of epsilon. */
tacit_status tacit_evaluation_run_key(tacit_evaluation *evaluation,
                                      tacit_reader *reader, const tacit_key *key,
                                      tacit_error *err);

#endif
