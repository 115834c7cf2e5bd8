/* SPDX-License-Identifier: MIT */
/* The options of a run: their defaults and the values they may have. */
#include <string.h>
#include <tacit/config_fields.h>

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

static const tacit_setting fields[] = {TACIT_CONFIG_FIELDS(TACIT_FIELD)};

/* Returns the number in a field that has one; the words of an enum are numbers. */
static double number_of(const tacit_config *config, const tacit_setting *field) {
  const char *at = (const char *)config + field->offset;
  switch (field->kind) {
  case TACIT_KIND_REAL: return *(const double *)(const void *)at;
  case TACIT_KIND_LONG: return (double)*(const int64_t *)(const void *)at;
  case TACIT_KIND_COUNT: return *(const unsigned *)(const void *)at;
  case TACIT_KIND_WHOLE:
  case TACIT_KIND_WORD: return *(const int *)(const void *)at;
  case TACIT_KIND_FLAG:
  case TACIT_KIND_TEXT: break;
  }
  return 0;
}

static int count_words(const char *words) {
  int count = 1;
  for (; *words != '\0'; ++words)
    count += *words == ' ';
  return count;
}

/* Checks one field by itself. */
static tacit_status check_field(const tacit_config *config, const tacit_setting *field,
                                tacit_error *err) {
  double number = number_of(config, field);
  int may_be_0 = (field->flags & TACIT_FIELD_DEFAULT) != 0;
  const char *text;
  if (field->kind == TACIT_KIND_WORD &&
      !(number >= 0 && number <= count_words(field->words)))
    return tacit_fail(err, TACIT_EINVAL, "%s must be one of: %s", field->option,
                      field->words);
  if (field->least < field->most && field->kind != TACIT_KIND_FLAG &&
      !(number >= field->least && number <= field->most) && !(may_be_0 && number == 0))
    return tacit_fail(err, TACIT_EINVAL, "%s must be between %s and %s%s",
                      field->option, field->least_text, field->most_text,
                      may_be_0 ? ", or 0 for the default" : "");
  if ((field->flags & TACIT_FIELD_LINE) == 0) return TACIT_OK;
  memcpy(&text, (const char *)config + field->offset, sizeof text);
  if (is_plain_line(text)) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL, "%s must be one line of 1 to 200 plain letters",
                    field->option);
}

tacit_status tacit_config_check(const tacit_config *config, const tacit_days *days,
                                tacit_error *err) {
  struct {
    const char *rule;
    int holds;
  } const rules[] = {
      {"unit-rows goes with units", config->units > 0 || config->unit_rows == 0},
      {"the schema declares persons (\"unit\"): give their number, units",
       config->schema == NULL || tacit_schema_unit(config->schema) == NULL ||
           config->units > 0},
      {"batch must be between 1 and the number of rows", config->batch <= config->rows},
      {"epsilon and rho exclude each other: give one of them",
       config->epsilon == 0 || config->rho == 0},
      {"clip goes with bound clip only",
       config->clip == 0 || config->bound == TACIT_BOUND_CLIP ||
           (config->bound == TACIT_BOUND_DEFAULT && config->preset != TACIT_PAPER)},
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
  };
  if (config->schema == NULL)
    return tacit_fail(err, TACIT_EINVAL, "a schema is needed");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    TACIT_TRY(check_field(config, &fields[i], err));
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
