/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EXPORT_C_FILE_H
#define TACIT_EXTRA_EXPORT_C_FILE_H

#include "extra/export/formula.h"

/* Writes a margin, or the name of a variable that holds it. */
typedef void (*tacit_formula_part)(const tacit_formula *f, size_t output);

/* formula.c: returns TACIT_EINVAL for models that no language here can express. */
tacit_status tacit_formula_check(const tacit_formula *f, tacit_error *err);
/* Returns the margin above which Poisson's prediction is a tangent. */
double tacit_formula_poisson_top(const tacit_model *model);
/* Returns 1 if a row may have to be scaled by its own norm. tacit_formula_margin writes
   the margin of an output, tacit_formula_score its score, with `margin` to write the
   margin. */
int tacit_formula_scales(const tacit_model *model);
void tacit_formula_margin(const tacit_formula *f, size_t output);
void tacit_formula_score(const tacit_formula *f, size_t output,
                         tacit_formula_part margin);

/* Writes the whole C file. */
void tacit_formula_c_file(const tacit_formula *f);

#endif
