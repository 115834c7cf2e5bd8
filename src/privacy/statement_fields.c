/* SPDX-License-Identifier: MIT */
/*
 * The privacy statement read from its JSON object, which may come from a hostile file:
 * every field is checked for presence, type and range, and text with control
 * characters, which could break out of its line, is refused. A statement contains the
 * statement of its initial model, and so on; they are read level by level, without
 * recursion, up to a limit.
 */
#include "privacy/statement_fields.h"

#include "base/error.h"
#include "privacy/compose.h"

#include <math.h>
#include <string.h>

enum { LINE_MAX_BYTES = 400 };

/* Whether a field may be null. Every field must be present. */
enum presence { REQUIRED, NULLABLE };

typedef tacit_statement fields;

static tacit_status bad_field(const char *key, const char *rule, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "privacy statement: \"%s\" must be %s", key,
                    rule);
}

static int is_line(const json_t *value) {
  if (!json_is_string(value)) return 0;
  size_t length = json_string_length(value);
  const char *text = json_string_value(value);
  if (length == 0 || length > LINE_MAX_BYTES) return 0;
  for (size_t i = 0; i < length; ++i) {
    unsigned char c = (unsigned char)text[i];
    /* the control characters of ASCII and, as bytes C2 80 … C2 9F, of Unicode */
    if (c < 0x20 || c == 0x7f) return 0;
    if (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0) return 0;
  }
  return 1;
}

static tacit_status get_line(const json_t *object, const char *key,
                             enum presence presence, const char **out,
                             tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (presence == NULLABLE && json_is_null(value)) {
    *out = NULL;
    return TACIT_OK;
  }
  if (!is_line(value)) return bad_field(key, "one line of text", err);
  *out = json_string_value(value);
  return TACIT_OK;
}

static tacit_status get_positive(const json_t *object, const char *key,
                                 enum presence presence, double *out,
                                 tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (presence == NULLABLE && json_is_null(value)) {
    *out = NAN;
    return TACIT_OK;
  }
  double number = json_number_value(value);
  if (!(json_is_number(value) && number > 0 && isfinite(number)))
    return bad_field(key, "a number greater than 0", err);
  *out = number;
  return TACIT_OK;
}

/* Reads an epsilon. Unlike other numbers it may be 0, namely for a small mu and a large
   delta. */
static tacit_status get_epsilon(const json_t *object, const char *key,
                                enum presence presence, double *out, tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (json_is_number(value) && json_number_value(value) == 0) {
    *out = 0;
    return TACIT_OK;
  }
  return get_positive(object, key, presence, out, err);
}

static tacit_status get_count(const json_t *object, const char *key, int64_t *out,
                              tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (!(json_is_integer(value) && json_integer_value(value) >= 1))
    return bad_field(key, "a whole number of at least 1", err);
  *out = json_integer_value(value);
  return TACIT_OK;
}

static tacit_status get_flag(const json_t *object, const char *key, bool *out,
                             tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_boolean(value)) return bad_field(key, "true or false", err);
  *out = json_is_true(value);
  return TACIT_OK;
}

static tacit_status get_privacy(const json_t *object, fields *out, tacit_error *err) {
  TACIT_TRY(get_flag(object, "private", &out->is_private, err));
  const json_t *reasons = json_object_get(object, "reasons");
  size_t count = json_array_size(reasons);
  if (!json_is_array(reasons) || count > TACIT_STATEMENT_REASONS)
    return bad_field("reasons", "a list of at most 8 lines of text", err);
  if (out->is_private != (count == 0))
    return bad_field("reasons", "empty when private and only then", err);
  for (size_t i = 0; i < count; ++i) {
    const json_t *reason = json_array_get(reasons, i);
    if (!is_line(reason)) return bad_field("reasons", "a list of lines of text", err);
    out->reasons[i] = json_string_value(reason);
  }
  out->n_reasons = count;
  return TACIT_OK;
}

/* Checks fields that statements of version 0.1.0 lack. Nothing here uses their values:
   the text derives its cautions from the numbers, and model/digest.c checks the
   digest. */
static tacit_status check_optional(const json_t *object, tacit_error *err) {
  const json_t *digest = json_object_get(object, "digest");
  if (digest != NULL && !is_line(digest))
    return bad_field("digest", "one line of text", err);
  const json_t *cautions = json_object_get(object, "cautions");
  if (cautions == NULL) return TACIT_OK;
  size_t count = json_array_size(cautions);
  int right = json_is_array(cautions) && count <= TACIT_STATEMENT_CAUTIONS;
  for (size_t i = 0; right && i < count; ++i)
    right = is_line(json_array_get(cautions, i));
  return right ? TACIT_OK
               : bad_field("cautions", "a list of at most 3 lines of text", err);
}

static tacit_status get_adjacency(const json_t *object, bool *out_zero_out,
                                  tacit_error *err) {
  const char *adjacency = "";
  TACIT_TRY(get_line(object, "adjacency", REQUIRED, &adjacency, err));
  *out_zero_out = strcmp(adjacency, "zero-out") == 0;
  if (!*out_zero_out && strcmp(adjacency, "replace") != 0)
    return bad_field("adjacency", "\"replace\" or \"zero-out\"", err);
  return TACIT_OK;
}

static tacit_status get_guarantee(const json_t *object, fields *out, tacit_error *err) {
  enum presence if_private = out->is_private ? REQUIRED : NULLABLE;
  TACIT_TRY(get_flag(object, "pure", &out->pure, err));
  if (out->pure) {
    TACIT_TRY(get_positive(object, "epsilon", if_private, &out->epsilon, err));
    const json_t *delta = json_object_get(object, "delta");
    if (!(json_is_number(delta) && json_number_value(delta) == 0))
      return bad_field("delta", "0 when pure", err);
    out->delta = 0;
  } else {
    TACIT_TRY(get_epsilon(object, "epsilon", if_private, &out->epsilon, err));
    TACIT_TRY(get_positive(object, "delta", if_private, &out->delta, err));
  }
  TACIT_TRY(get_positive(object, "mu", if_private, &out->mu, err));
  TACIT_TRY(get_positive(object, "zcdp", if_private, &out->zcdp, err));
  TACIT_TRY(get_positive(object, "epsilon_exact", NULLABLE, &out->epsilon_exact, err));
  double unused;
  TACIT_TRY(get_positive(object, "epsilon_zcdp", NULLABLE, &unused, err));
  TACIT_TRY(get_adjacency(object, &out->zero_out, err));
  /* Statements of version 0.1.0 lack this field. Their neighbours are lists. */
  if (json_object_get(object, "as_sets") != NULL)
    TACIT_TRY(get_flag(object, "as_sets", &out->as_sets, err));
  return get_line(object, "unit", REQUIRED, &out->unit, err);
}

static tacit_status get_norm_exponent(const json_t *object, double *out,
                                      tacit_error *err) {
  const json_t *value = json_object_get(object, "norm_exponent");
  const char *name = json_string_value(value);
  double number = json_number_value(value);
  if (name != NULL && strcmp(name, "infinity") == 0) number = INFINITY;
  /* json_number_value returns 0 if the value is not a number */
  if (!(number >= 1))
    return bad_field("norm_exponent", "a number of at least 1, or \"infinity\"", err);
  *out = number;
  return TACIT_OK;
}

/* Reads "round_0", which only statements of centred runs have. */
static tacit_status get_mean(const json_t *object, fields *out, tacit_error *err) {
  enum presence if_private = out->is_private ? REQUIRED : NULLABLE;
  const json_t *mean = json_object_get(object, "round_0");
  if (mean == NULL) return TACIT_OK;
  if (!json_is_object(mean)) return bad_field("round_0", "an object", err);
  TACIT_TRY(get_line(mean, "released", REQUIRED, &out->mean, err));
  if (json_object_get(mean, "rows_apart") != NULL)
    TACIT_TRY(get_count(mean, "rows_apart", &out->mean_rows, err));
  TACIT_TRY(get_positive(mean, "mu", if_private, &out->mean_mu, err));
  return get_positive(mean, "rounds_mu", if_private, &out->rounds_mu, err);
}

static tacit_status get_method(const json_t *object, fields *out, tacit_error *err) {
  enum presence if_private = out->is_private ? REQUIRED : NULLABLE;
  out->persons = json_object_get(object, "units") != NULL;
  if (out->persons == (strcmp(out->unit, "row") == 0))
    return bad_field("unit", "\"row\", or a person if there is a number of units", err);
  TACIT_TRY(get_count(object, out->persons ? "units" : "rows", &out->rows, err));
  TACIT_TRY(get_count(object, "rounds", &out->rounds, err));
  TACIT_TRY(get_count(object, "passes", &out->passes, err));
  TACIT_TRY(get_count(object, "batches_per_pass", &out->batches, err));
  TACIT_TRY(get_line(object, "order", REQUIRED, &out->order, err));
  if (json_object_get(object, "days") != NULL)
    TACIT_TRY(get_line(object, "days", REQUIRED, &out->days, err));
  /* A statement without days has this field if its initial model is from a stream. */
  if (out->days != NULL || json_object_get(object, "day_only") != NULL)
    TACIT_TRY(get_flag(object, "day_only", &out->day_only, err));
  if (json_object_get(object, "weights") != NULL)
    TACIT_TRY(get_line(object, "weights", REQUIRED, &out->weights, err));
  TACIT_TRY(get_mean(object, out, err));
  TACIT_TRY(get_line(object, "mechanism", REQUIRED, &out->mechanism, err));
  TACIT_TRY(get_line(object, "noise", REQUIRED, &out->noise, err));
  if (out->is_private && strcmp(out->noise, "exact") != 0)
    return bad_field("noise", "\"exact\" when private", err);
  TACIT_TRY(get_line(object, "noise_law", if_private, &out->law, err));
  TACIT_TRY(get_line(object, "bound", REQUIRED, &out->bound, err));
  TACIT_TRY(get_positive(object, "clip", NULLABLE, &out->clip, err));
  TACIT_TRY(get_norm_exponent(object, &out->norm_exponent, err));
  TACIT_TRY(get_line(object, "sigma_formula", if_private, &out->formula, err));
  TACIT_TRY(get_line(object, "accounting", REQUIRED, &out->accounting, err));
  TACIT_TRY(get_positive(object, "sensitivity_factor", if_private, &out->factor, err));
  TACIT_TRY(
      get_positive(object, "noise_multiplier", if_private, &out->multiplier, err));
  TACIT_TRY(
      get_positive(object, "second_moment", if_private, &out->second_moment, err));
  TACIT_TRY(get_line(object, "preset", REQUIRED, &out->preset, err));
  return get_line(object, "version", REQUIRED, &out->version, err);
}

tacit_status tacit_described_read(const json_t *object, tacit_described *out,
                                  tacit_error *err) {
  *out = (tacit_described){0};
  tacit_described read = {0};
  if (!json_is_object(object)) return bad_field("description", "an object", err);
  TACIT_TRY(get_line(object, "digest", REQUIRED, &read.digest, err));
  TACIT_TRY(get_flag(object, "private", &read.is_private, err));
  if (read.is_private) {
    TACIT_TRY(get_line(object, "unit", REQUIRED, &read.unit, err));
    TACIT_TRY(get_flag(object, "persons", &read.persons, err));
    TACIT_TRY(get_adjacency(object, &read.zero_out, err));
    TACIT_TRY(get_flag(object, "as_sets", &read.as_sets, err));
    TACIT_TRY(get_flag(object, "pure", &read.pure, err));
    TACIT_TRY(get_epsilon(object, "epsilon", REQUIRED, &read.epsilon, err));
    if (!read.pure)
      TACIT_TRY(get_positive(object, "delta", REQUIRED, &read.delta, err));
    TACIT_TRY(get_positive(object, "mu", REQUIRED, &read.mu, err));
    if (tacit_guarantee_numbers(read.pure, read.epsilon, read.delta, read.mu, NULL) !=
        TACIT_OK)
      return bad_field("mu", "what epsilon and delta of the counts imply", err);
  }
  *out = read;
  return TACIT_OK;
}

tacit_status tacit_described_json(const json_t *statement, const char *digest,
                                  json_t **out, tacit_error *err) {
  tacit_guarantee g;
  if (statement == NULL) {
    *out = json_pack("{s:s, s:b}", "digest", digest, "private", 0);
    return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
  }
  TACIT_TRY(tacit_guarantee_of(statement, &g, err));
  *out =
      json_pack("{s:s, s:b, s:s, s:b, s:s, s:b, s:b, s:f, s:f, s:f}", "digest", digest,
                "private", 1, "unit", g.unit, "persons", g.persons, "adjacency",
                g.zero_out ? "zero-out" : "replace", "as_sets", g.as_sets, "pure",
                g.pure, "epsilon", g.epsilon, "delta", g.delta, "mu", g.mu);
  return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status get_described(const json_t *object, fields *out, tacit_error *err) {
  const json_t *description = json_object_get(object, "description");
  return description == NULL ? TACIT_OK
                             : tacit_described_read(description, &out->described, err);
}

static tacit_status get_init(const json_t *object, fields *out, const json_t **out_init,
                             tacit_error *err) {
  const json_t *init = json_object_get(object, "init");
  if (json_is_null(init) && out->described.digest == NULL) {
    if (!json_is_null(json_object_get(object, "run_epsilon")) ||
        !json_is_null(json_object_get(object, "run_mu")))
      return bad_field("run_epsilon\" and \"run_mu",
                       "null without an initial model "
                       "or counts",
                       err);
    out->run_epsilon = out->run_mu = NAN;
    return TACIT_OK;
  }
  if (!json_is_null(init)) {
    *out_init = json_object_get(init, "statement");
    if (!json_is_object(*out_init))
      return bad_field("init", "null, or \"name\", \"public\" and \"statement\"", err);
    TACIT_TRY(get_line(init, "name", NULLABLE, &out->init_name, err));
    TACIT_TRY(get_flag(init, "public", &out->init_public, err));
  }
  enum presence if_private = out->is_private ? REQUIRED : NULLABLE;
  TACIT_TRY(get_epsilon(object, "run_epsilon", if_private, &out->run_epsilon, err));
  return get_positive(object, "run_mu", if_private, &out->run_mu, err);
}

/* One statement of a chain, and the JSON of its initial model, or NULL. */
typedef struct level {
  fields f;
  const json_t *init;
} level;

/* Reads one statement, without the statements nested in it. */
static tacit_status read_level(const json_t *object, level *read, tacit_error *err) {
  fields *out = &read->f;
  if (!json_is_object(object))
    return tacit_fail(err, TACIT_EDATA, "privacy statement: not a JSON object");
  *read = (level){.init = NULL};
  TACIT_TRY(get_privacy(object, out, err));
  TACIT_TRY(check_optional(object, err));
  TACIT_TRY(get_guarantee(object, out, err));
  TACIT_TRY(get_method(object, out, err));
  TACIT_TRY(get_described(object, out, err));
  return get_init(object, out, &read->init, err);
}

/* Checks that the guarantee of a statement covers the run and what it builds on. */
static tacit_status check_covers(const level *from, const fields *inner,
                                 tacit_error *err) {
  const fields *outer = &from->f;
  if (!outer->is_private || !(from->init != NULL || outer->described.digest != NULL))
    return TACIT_OK;
  tacit_guarantee claimed, total;
  TACIT_TRY(tacit_guarantee_from(outer, &claimed, err));
  total = claimed;
  total.epsilon = outer->run_epsilon;
  total.mu = outer->run_mu;
  int joins = from->init != NULL && !outer->init_public;
  tacit_error inside = {TACIT_OK, ""};
  tacit_status status = tacit_guarantee_build_on(&total, joins ? inner : NULL,
                                                 &outer->described, &inside);
  if (status == TACIT_OK) status = tacit_guarantee_covers(&claimed, &total, &inside);
  if (status == TACIT_OK) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "privacy statement: %.200s", inside.message);
}

static tacit_status read_inner(const level *from, level *out, tacit_error *err) {
  const fields *outer = &from->f;
  tacit_error inner = {TACIT_OK, ""};
  tacit_status status = read_level(from->init, out, &inner);
  if (status != TACIT_OK)
    return tacit_fail(err, status, "initial model: %.200s", inner.message);
  int joins = outer->is_private && !outer->init_public;
  if (joins && !out->f.is_private)
    return bad_field("private", "false: the initial model is not private", err);
  if (joins && outer->pure && !out->f.pure)
    return bad_field("pure", "false: the initial model has a delta", err);
  return check_covers(from, &out->f, err);
}

tacit_status tacit_statement_read(const json_t *object, fields *out, fields *out_init,
                                  int *out_levels, tacit_error *err) {
  level first, second, outer, inner;
  TACIT_TRY(read_level(object, &first, err));
  second = outer = first;
  int levels = 1;
  for (; outer.init != NULL; ++levels) {
    if (levels == TACIT_STATEMENT_LEVELS)
      return tacit_fail(err, TACIT_EDATA,
                        "privacy statement: more than %d initial models in one another",
                        TACIT_STATEMENT_LEVELS - 1);
    TACIT_TRY(read_inner(&outer, &inner, err));
    if (levels == 1) second = inner;
    outer = inner;
  }
  TACIT_TRY(check_covers(&outer, NULL, err));
  *out = first.f;
  if (out_init != NULL && first.init != NULL) {
    *out_init = second.f;
    out->init = out_init;
  }
  if (out_levels != NULL) *out_levels = levels;
  return TACIT_OK;
}
