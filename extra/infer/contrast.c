/* SPDX-License-Identifier: MIT */
/* Contrasts: "age: 30 - 60" is the effect of age 30 against age 60, "region: north -
   south" the effect of one level against another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"
#include "extra/infer/effects.h"

/* Returns the value of a text that is a number from end to end, or NaN. */
static double value_of(const char *text) {
  char *end;
  double value = strtod(text, &end);
  return *text != '\0' && *end == '\0' ? value : NAN;
}

static const tacit_effects_group *group_named(const tacit_effects *effects,
                                              const char *name, size_t *out_term) {
  for (size_t g = 0; g < effects->columns.n_groups; ++g) {
    const char *own = effects->columns.groups[g].name;
    *out_term = g;
    if (own == NULL) own = effects->columns.names[effects->columns.groups[g].first];
    if (strcmp(own, name) == 0) return &effects->columns.groups[g];
  }
  return NULL;
}

/* Adds `sign` times the columns of a side of a contrast to the weights of columns.
   Returns 0 if the side is not a value of the group. */
static int add_side(const tacit_effects *effects, const tacit_effects_group *group,
                    size_t term, const char *side, double sign, double *weights) {
  const tacit_schema *schema = effects->columns.schema;
  double value = value_of(side), parts[3];
  tacit_term own = {.struct_size = sizeof own};
  tacit_error unused;
  int is_csv = tacit_schema_term(schema, term, &own, &unused) == TACIT_OK;
  if (group->is_number && isnan(value)) return 0;
  if (group->is_number && !is_csv) {
    weights[group->first] += sign * value;
    return 1;
  }
  if (is_csv && !isnan(value) &&
      (own.kind == TACIT_TERM_LINE || own.kind == TACIT_TERM_HATS ||
       own.kind == TACIT_TERM_STEPS)) {
    size_t first = tacit_schema_term_parts(schema, term, value, parts);
    double scale = group->is_number ? 1 / group->slope : 1;
    weights[group->first + first] += sign * parts[0] * scale;
    if (group->is_shared) weights[group->first + first + 1] += sign * parts[1];
    return 1;
  }
  for (size_t k = 0; k < group->n; ++k) {
    const char *name = effects->columns.names[group->first + k];
    const char *level = strchr(name, '=');
    if (strcmp(name, side) != 0 && (level == NULL || strcmp(level + 1, side) != 0))
      continue;
    weights[group->first + k] += sign;
    return 1;
  }
  return 0;
}

/* Cuts blanks from both ends of a text. Returns its new beginning. */
static char *trim(char *text) {
  text += strspn(text, " ");
  size_t size = strlen(text);
  while (size > 0 && text[size - 1] == ' ')
    text[--size] = '\0';
  return text;
}

/* Finds the weights of the columns of a contrast. `room` is a copy of its text. */
static tacit_status weights_of(const tacit_effects *effects, char *room,
                               const char *text, double *weights, tacit_error *err) {
  char *colon = strrchr(room, ':');
  char *minus = colon != NULL ? strstr(colon, " - ") : NULL;
  size_t term;
  if (minus == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "contrast '%.80s': write \"COLUMN: VALUE - VALUE\", for example "
                      "\"age: 30 - 60\"",
                      text);
  *colon = *minus = '\0';
  const tacit_effects_group *group = group_named(effects, trim(room), &term);
  if (group == NULL)
    return tacit_fail(err, TACIT_EINVAL, "contrast '%.80s': there is no such column",
                      text);
  if (!add_side(effects, group, term, trim(colon + 1), 1, weights) ||
      !add_side(effects, group, term, trim(minus + 3), -1, weights))
    return tacit_fail(err, TACIT_EINVAL,
                      "contrast '%.80s': a side is neither a number nor a level of the "
                      "column",
                      text);
  return TACIT_OK;
}

/* Sums up the coefficients of a contrast. It is identified if all of them are. */
static void sum_up(const tacit_effects *effects, const double *weights,
                   tacit_effect *out) {
  double variance = 0;
  out->df = 1e9;
  for (size_t i = 0; i < effects->n_lines; ++i) {
    const tacit_effect *line = &effects->lines[i];
    if (weights[i] == 0 || line->state == TACIT_EFFECT_REFERENCE) continue;
    if (line->state != TACIT_EFFECT_IDENTIFIED) {
      out->state = line->state;
      out->rows_needed = fmax(out->rows_needed, line->rows_needed);
    }
    out->estimate += weights[i] * line->estimate;
    out->df = fmin(out->df, line->df);
    out->remainder = fmax(out->remainder, line->remainder);
    for (size_t j = 0; j < effects->n_lines; ++j)
      variance +=
          weights[i] * weights[j] *
          effects->covariance[line->index * effects->d + effects->lines[j].index] *
          (effects->lines[j].index > 0);
  }
  if (out->state == TACIT_EFFECT_IDENTIFIED)
    tacit_effect_interval(&effects->view, variance, out);
}

tacit_status tacit_effects_contrasts(tacit_effects *effects, tacit_error *err) {
  size_t n = effects->view.n_contrasts;
  if (n == 0) return TACIT_OK;
  double *weights;
  TACIT_TRY(TACIT_NEW(effects->contrasts, n, err));
  tacit_status status = TACIT_NEW(weights, effects->n_lines, err);
  for (size_t i = 0; status == TACIT_OK && i < n; ++i) {
    const char *text = effects->view.contrasts[i];
    char *room = tacit_string_copy(text);
    effects->contrasts[i].name = tacit_string_copy(text);
    memset(weights, 0, effects->n_lines * sizeof *weights);
    status = room == NULL || effects->contrasts[i].name == NULL
                 ? tacit_fail_memory(err)
                 : weights_of(effects, room, text, weights, err);
    if (status == TACIT_OK) sum_up(effects, weights, &effects->contrasts[i]);
    tacit_array_free(room);
  }
  tacit_array_free(weights);
  return status;
}
