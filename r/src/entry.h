/* SPDX-License-Identifier: MIT */
#ifndef TACIT_R_ENTRY_H
#define TACIT_R_ENTRY_H

#include <Rinternals.h>

/* What .Call calls; the R functions of the package check their arguments first. */
SEXP R_train(SEXP settings, SEXP schema, SEXP frame, SEXP ledger, SEXP progress);
SEXP R_plan(SEXP settings, SEXP schema);
SEXP R_infer(SEXP schema, SEXP frame, SEXP numbers, SEXP loss, SEXP ledger);
SEXP R_effects(SEXP model, SEXP level, SEXP form);
SEXP R_evaluate(SEXP model, SEXP frame, SEXP numbers, SEXP ledger);
SEXP R_model_is_gone(SEXP model);
SEXP R_model_load(SEXP path);
SEXP R_model_parse(SEXP text);
SEXP R_model_save(SEXP model, SEXP path);
SEXP R_model_text(SEXP model);
SEXP R_model_facts(SEXP model);
SEXP R_model_shapes(SEXP model, SEXP output, SEXP points);
SEXP R_model_score(SEXP model, SEXP frame, SEXP kind);
SEXP R_model_export(SEXP model, SEXP kind, SEXP table);
SEXP R_version(void);
SEXP R_schema(SEXP text);
SEXP R_check(SEXP data, SEXP text);
SEXP R_report(SEXP model, SEXP name, SEXP evaluations, SEXP ledger, SEXP flags);
SEXP R_ledger_init(SEXP where, SEXP dataset, SEXP numbers);
SEXP R_ledger_read(SEXP where);

#endif
