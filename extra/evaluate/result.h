/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_RESULT_H
#define TACIT_EXTRA_EVALUATE_RESULT_H

#include "extra/evaluate/evaluate.h"
#include "extra/evaluate/table.h"

/* Adds metrics with intervals, curves and the table of an evaluation to an object. */
tacit_status tacit_table_result(const tacit_score_table *table,
                                const tacit_schema *schema, const double *values,
                                const double *noise, json_t *object, tacit_error *err);
/* Makes {"value", "low", "high"}, or {"value": null, "low": null, "high": null,
   "too_noisy": true}. Returns NULL if memory runs out. */
json_t *tacit_interval_json(const tacit_interval *interval);
/* Makes a list of numbers. Returns NULL if memory runs out. */
json_t *tacit_numbers_json(const double *values, size_t count);

#endif
