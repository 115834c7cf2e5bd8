/* SPDX-License-Identifier: MIT */
/* Tables of effects with intervals. */
#include <string.h>
#include <tacit/extra/infer.h>

#include "core.h"
#include "entry.h"

/* Returns the table as JSON for a confidence level. */
SEXP R_effects(SEXP model, SEXP level, SEXP form) {
  tacit_effects_view view;
  char *out = NULL;
  tacit_error err;
  tacit_effects_view_init(&view);
  view.level = Rf_asReal(level);
  if (tacit_effects_table(core_model_of(model), &view,
                          (tacit_effects_form)Rf_asInteger(form), &out,
                          &err) != TACIT_OK)
    core_raise(&err);
  return core_take_text(out);
}
