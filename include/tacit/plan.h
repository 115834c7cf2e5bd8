/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_H
#define TACIT_PLAN_H

#include <tacit/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A config with every default resolved and the noise calibrated. Sees no record. */
typedef struct tacit_plan tacit_plan;

/**
 * Checks the config whole and computes the plan. TACIT_EINVAL for values out of range
 * or options that contradict each other, TACIT_EPRIVACY when no guarantee can be given.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_plan_new(const tacit_config *config,
                                                      tacit_plan **out,
                                                      tacit_error *err);
TACIT_API void tacit_plan_free(tacit_plan *plan);

/** Rounds of all passes together. */
TACIT_API int64_t tacit_plan_rounds(const tacit_plan *plan);
/**
 * Places of round t, 1-based: its rows stand at places *out_first … *out_end - 1 of the
 * pass, counted from 0. TACIT_EINVAL for a round there is not.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_plan_round_places(const tacit_plan *plan,
                                                               int64_t t,
                                                               int64_t *out_first,
                                                               int64_t *out_end,
                                                               tacit_error *err);

/* The texts below live as long as the plan. */

/** Rounds, batch, noise, memory and theorem bounds, for people. */
TACIT_API const char *tacit_plan_text(const tacit_plan *plan);
/** The same as one JSON object. */
TACIT_API const char *tacit_plan_json(const tacit_plan *plan);
/** The privacy statement a model of this plan will carry, for people. */
TACIT_API const char *tacit_plan_statement_text(const tacit_plan *plan);
/** The same as one JSON object. */
TACIT_API const char *tacit_plan_statement_json(const tacit_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
