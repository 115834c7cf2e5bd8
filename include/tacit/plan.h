/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_H
#define TACIT_PLAN_H

#include <tacit/config.h>
#include <tacit/statement.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A config with all defaults resolved and the noise calibrated. Reads no record. */
typedef struct tacit_plan tacit_plan;

/**
 * Checks the whole config and computes the plan. Returns TACIT_EINVAL if a value is out
 * of range or options contradict each other, and TACIT_EPRIVACY if no guarantee can be
 * given.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_plan_new(const tacit_config *config,
                                                      tacit_plan **out,
                                                      tacit_error *err);
TACIT_API void tacit_plan_free(tacit_plan *plan);

/* The texts and the statement below are valid as long as the plan. */

/** Returns rounds, batch, noise, memory and theorem bounds as text for people. */
TACIT_API const char *tacit_plan_text(const tacit_plan *plan);
/** Returns the plan as one JSON object. */
TACIT_API const char *tacit_plan_json(const tacit_plan *plan);
/** Return the privacy statement of a model with this plan, as text for people, and as
    one JSON object. */
TACIT_API const tacit_statement *tacit_plan_statement(const tacit_plan *plan);
TACIT_API const char *tacit_plan_statement_text(const tacit_plan *plan);
TACIT_API const char *tacit_plan_statement_json(const tacit_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
