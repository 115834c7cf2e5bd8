/* SPDX-License-Identifier: MIT */
/* The options of a run: their defaults and the values they may have. */
#include <tacit/config.h>

#include "base/error.h"
#include "plan/plan.h"

void tacit_config_init(tacit_config *config) {
  *config = (tacit_config){
      .struct_size = sizeof *config,
      .rows = -1,
      .row_norm = 1,
      .bias = 1,
  };
}

/* Returns 1 for 0, which means the default, and for numbers in a range in which a
   product of a few of them is finite. */
static int is_size(double number) {
  return number == 0 || (number >= 1e-100 && number <= 1e100);
}

/* Returns 1 if the text is NULL or a line that a statement can quote. */
static int is_plain_line(const char *text) {
  enum { LETTERS_MAX = 200 };
  if (text == NULL) return 1;
  size_t length = 0;
  while (length <= LETTERS_MAX && text[length] >= 0x20 && text[length] <= 0x7e)
    ++length;
  return length > 0 && length <= LETTERS_MAX && text[length] == '\0';
}

/* Returns 1 if a value belongs to an enumeration 0 … last. */
static int is_known(int value, int last) { return value >= 0 && value <= last; }

tacit_status tacit_config_check(const tacit_config *config, const tacit_days *days,
                                tacit_error *err) {
  struct {
    const char *rule;
    int holds;
  } const rules[] = {
      {"a schema is needed", config->schema != NULL},
      {"units must be between 1 and 2^32 - 1, and unit-rows goes with units",
       config->units >= 0 && config->units <= UINT32_MAX && config->unit_rows >= 0 &&
           config->unit_rows <= UINT32_MAX &&
           (config->units > 0 || config->unit_rows == 0)},
      {"the schema declares persons (\"unit\"): give their number, units",
       config->schema == NULL || tacit_schema_unit(config->schema) == NULL ||
           config->units > 0},
      {"rows must be between 1 and 2^42",
       config->rows >= 1 && config->rows <= INT64_C(1) << 42},
      {"row-norm must be between 1e-100 and 1e100",
       config->row_norm >= 1e-100 && config->row_norm <= 1e100},
      {"l2 must be between 0 and 1e100", config->l2 >= 0 && config->l2 <= 1e100},
      {"passes must be between 1 and 1000000, or 0 for the preset's",
       config->passes >= 0 && config->passes <= 1000000},
      {"batch must be between 1 and the number of rows",
       config->batch >= 0 && config->batch <= config->rows},
      {"power must be between 1 and 16",
       config->power == 0 || (config->power >= 1 && config->power <= 16)},
      {"clip must be between 1e-100 and 1e100", is_size(config->clip)},
      {"radius must be between 1e-100 and 1e100", is_size(config->radius)},
      {"epsilon must be greater than 0", config->epsilon >= 0},
      {"rho must be greater than 0", config->rho >= 0},
      {"delta must be greater than 0 and less than 1",
       config->delta >= 0 && config->delta < 1},
      {"epsilon and rho exclude each other: give one of them",
       config->epsilon == 0 || config->rho == 0},
      {"clip goes with bound clip only",
       config->clip == 0 || config->bound == TACIT_BOUND_CLIP ||
           (config->bound == TACIT_BOUND_DEFAULT && config->preset != TACIT_PAPER)},
      {"reg-scale must be between 0 and 1",
       config->reg_scale >= 0 && config->reg_scale <= 1},
      {"the gradient table is not version 1, or has no dimension or no callback",
       config->gradient == NULL ||
           (config->gradient->version == 1 && config->gradient->dim > 0 &&
            config->gradient->gradient != NULL)},
      {"lipschitz and smooth of the gradient must be between 1e-100 and 1e100",
       config->gradient == NULL ||
           (is_size(config->gradient->lipschitz) && is_size(config->gradient->smooth))},
      {"checkpoint and key-file go together, and resume with them",
       (config->checkpoint != NULL) == (config->key_file != NULL) &&
           (!config->resume || config->checkpoint != NULL)},
      {"leaks must be one line of 1 to 200 plain letters",
       is_plain_line(config->leaks)},
      {"unit-name must be one line of 1 to 200 plain letters",
       is_plain_line(config->unit_name)},
      {"the horizon of a stream is between 1 and 2^30 days, with batch, anytime, one "
       "pass and no centre",
       days->horizon == 0 || (days->horizon > 0 && days->horizon <= INT64_C(1) << 30 &&
                              config->batch > 0 && config->preset == TACIT_ANYTIME &&
                              config->passes <= 1 && !tacit_config_centres(config) &&
                              config->group == NULL && config->checkpoint == NULL &&
                              config->gradient == NULL && config->learner_ops == NULL)},
      {"evaluate is for streams, and a share from 0 to 0.5; not for pure DP or "
       "unit-rows",
       days->evaluate == 0 ||
           (days->evaluate > 0 && days->evaluate <= 0.5 && days->horizon > 0 &&
            !config->pure && config->unit_rows == 0)},
      {"unit-once is for streams whose rows belong to persons",
       !days->unit_once || (days->horizon > 0 && config->units > 0)},
      {"adjacency, preset, bound, domain, centre, scaling or moments is none of the "
       "known ones",
       is_known((int)config->adjacency, TACIT_ZERO_OUT) &&
           is_known((int)config->preset, TACIT_PAPER) &&
           is_known((int)config->bound, TACIT_BOUND_PAPER) &&
           is_known((int)config->domain, TACIT_DOMAIN_SIMPLEX) &&
           is_known((int)config->centre, TACIT_CENTRE_HEAD) &&
           is_known((int)config->scaling, TACIT_SCALE_SPREAD) &&
           is_known((int)config->moments, TACIT_MOMENTS_OFF)},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i)
    if (!rules[i].holds) return tacit_fail(err, TACIT_EINVAL, "%s", rules[i].rule);
  if (config->norm != 0 && !(config->norm >= 1 && config->norm <= 2)) {
    return tacit_fail(
        err, TACIT_EPRIVACY,
        "norm must be between 1 and 2: the square of a p-norm is strongly "
        "convex for 1 < p <= 2 only");
  }
  if (config->domain == TACIT_DOMAIN_SIMPLEX && config->radius > 0)
    return tacit_fail(err, TACIT_EPRIVACY, "domain simplex has no radius");
  return TACIT_OK;
}
