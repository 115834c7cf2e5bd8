/* SPDX-License-Identifier: MIT */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "entry.h"

#define ENTRY(name, count)                                                             \
  { "C_" #name, (DL_FUNC)&R_##name, count }

static const R_CallMethodDef entries[] = {
    ENTRY(train, 5),       ENTRY(plan, 2),         ENTRY(infer, 5),
    ENTRY(effects, 3),     ENTRY(evaluate, 4),     ENTRY(model_is_gone, 1),
    ENTRY(model_load, 1),  ENTRY(model_parse, 1),  ENTRY(model_save, 2),
    ENTRY(model_text, 1),  ENTRY(model_facts, 1),  ENTRY(model_shapes, 3),
    ENTRY(model_score, 3), ENTRY(model_export, 3), ENTRY(version, 0),
    ENTRY(schema, 1),      ENTRY(check, 2),        ENTRY(report, 5),
    ENTRY(ledger_init, 3), ENTRY(ledger_read, 1),  {NULL, NULL, 0}};

attribute_visible void R_init_tacit(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
