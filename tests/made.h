/* SPDX-License-Identifier: MIT */
/* What tests of several rooms make: numbers, options and plans. */
#ifndef TACIT_TESTS_MADE_H
#define TACIT_TESTS_MADE_H

#include "check.h"

#include <math.h>
#include <tacit/plan.h>

#include "vault/words.h"

/* Returns a number from -1 up to, but not including, 1. */
static inline double made_uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -52) - 1;
}

/* Returns the options of a run at epsilon 1. */
static inline tacit_config made_config(const tacit_schema *schema, int64_t rows) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = rows;
  config.epsilon = 1;
  return config;
}

/* Returns the plan of options that must be valid. The caller frees it. */
static inline tacit_plan *made_plan(const tacit_config *config) {
  tacit_plan *plan = NULL;
  tacit_error err;
  CHECK_OK(tacit_plan_new(config, &plan, &err), err);
  return plan;
}

#endif
