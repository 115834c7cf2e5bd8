/* SPDX-License-Identifier: MIT */
/* A table of effects for programs: JSON and CSV. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "extra/infer/effects.h"

/* Returns a number, or null for infinity. */
static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

const char *tacit_effects_state_name(tacit_effect_state state) {
  static const char *const names[] = {"identified", "not identified",
                                      "not identified: too few rows", "reference",
                                      "not declared"};
  return names[state];
}

/* The numbers of a line that is identified, in the order of the CSV. */
static const struct field {
  const char *name;
  size_t offset;
  int is_of_column; /* 1 if the intercept and contrasts do not have it */
} fields[] = {{"estimate", offsetof(tacit_effect, estimate), 0},
              {"low", offsetof(tacit_effect, low), 0},
              {"high", offsetof(tacit_effect, high), 0},
              {"se", offsetof(tacit_effect, error), 0},
              {"se_sampling", offsetof(tacit_effect, sampling), 1},
              {"se_privacy", offsetof(tacit_effect, privacy), 1},
              {"df", offsetof(tacit_effect, df), 0},
              {"z", offsetof(tacit_effect, z), 0},
              {"p", offsetof(tacit_effect, p), 0},
              {"p_holm", offsetof(tacit_effect, holm), 1}};
enum { FIELDS = sizeof fields / sizeof *fields };

static double field_of(const tacit_effect *line, size_t i) {
  return *(const double *)((const char *)line + fields[i].offset);
}

static int has_field(const tacit_effect *line, size_t i) {
  return line->state == TACIT_EFFECT_IDENTIFIED &&
         (line->index > 0 || !fields[i].is_of_column);
}

/* Returns the object of a line, or NULL if memory runs out. */
static json_t *line_json(const tacit_effects *effects, const tacit_effect *line) {
  json_t *object = json_pack("{s:s, s:s}", "name", line->name, "state",
                             tacit_effects_state_name(line->state));
  if (line->rows_needed > 0)
    (void)json_object_set_new(object, "rows_needed", json_real(line->rows_needed));
  if (line->state != TACIT_EFFECT_IDENTIFIED) return object;
  for (size_t i = 0; i < FIELDS; ++i)
    if (has_field(line, i))
      (void)json_object_set_new(object, fields[i].name, number(field_of(line, i)));
  if (tacit_effects_has_ratio(effects))
    (void)json_object_set_new(
        object, effects->loss == TACIT_EFFECTS_LOGISTIC ? "odds_ratio" : "rate_ratio",
        json_pack("{s:o, s:o, s:o}", "value", number(exp(line->estimate)), "low",
                  number(exp(line->low)), "high", number(exp(line->high))));
  return object;
}

static json_t *lines_json(const tacit_effects *effects, const tacit_effect *lines,
                          size_t n) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; ++i)
    if (json_array_append_new(list, line_json(effects, &lines[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static json_t *tests_json(const tacit_effects *effects) {
  json_t *list = json_array();
  for (size_t i = 0; i < effects->n_tests; ++i) {
    const tacit_joint_test *test = &effects->tests[i];
    (void)json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f, s:f}", "name",
                                                test->name, "levels",
                                                (json_int_t)test->levels, "f", test->f,
                                                "df", test->df, "p", test->p));
  }
  return list;
}

json_t *tacit_effects_json(const tacit_effects *effects) {
  const tacit_effect *intercept = &effects->intercept;
  json_t *object = json_pack(
      "{s:i, s:s, s:s, s:I, s:b, s:f, s:i, s:{s:f, s:f}, s:o, s:o, s:o}", "format",
      TACIT_EFFECTS_FORMAT, "loss", tacit_effects_loss_name(effects->loss), "estimand",
      tacit_effects_estimand(effects->loss, effects->persons), "units",
      (json_int_t)effects->units, "persons", effects->persons, "level",
      effects->view.level, "side", effects->view.side, "low_weight", "value",
      effects->low_weight, "error", effects->low_error, "coefficients",
      lines_json(effects, effects->lines, effects->n_lines), "contrasts",
      lines_json(effects, effects->contrasts, effects->view.n_contrasts), "tests",
      tests_json(effects));
  if (object == NULL) return NULL;
  if (effects->loss != TACIT_EFFECTS_POISSON)
    (void)json_object_set_new(object, "intercept", line_json(effects, intercept));
  (void)json_object_set(object, "covariance",
                        json_object_get(effects->json, "covariance"));
  (void)json_object_set(object, "releases", json_object_get(effects->json, "releases"));
  return object;
}

/* Writes a cell, in quotes where it needs them. */
static void cell(const char *text, FILE *to) {
  int quoted = strpbrk(text, ",\"\n") != NULL;
  if (quoted) fputc('"', to);
  for (; *text != '\0'; ++text) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  if (quoted) fputc('"', to);
}

static void csv_number(double value, FILE *to) {
  if (isfinite(value))
    tacit_effects_say(to, ",%.10g", value);
  else
    tacit_effects_say(to, ",");
}

static void csv_line(const tacit_effect *line, FILE *to) {
  cell(line->name, to);
  tacit_effects_say(to, ",%s", tacit_effects_state_name(line->state));
  for (size_t i = 0; i < FIELDS; ++i)
    csv_number(has_field(line, i) ? field_of(line, i) : NAN, to);
  csv_number(line->rows_needed > 0 ? line->rows_needed : NAN, to);
  tacit_effects_say(to, "\n");
}

void tacit_effects_csv(const tacit_effects *effects, FILE *to) {
  tacit_effects_say(to, "name,state");
  for (size_t i = 0; i < FIELDS; ++i)
    tacit_effects_say(to, ",%s", fields[i].name);
  tacit_effects_say(to, ",rows_needed\n");
  for (size_t i = 0; i < effects->n_lines; ++i)
    csv_line(&effects->lines[i], to);
  for (size_t i = 0; i < effects->view.n_contrasts; ++i)
    csv_line(&effects->contrasts[i], to);
}
