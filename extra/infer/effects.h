/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_INFER_EFFECTS_H
#define TACIT_EXTRA_INFER_EFFECTS_H

#include <jansson.h>
#include <stdio.h>
#include <tacit/extra/infer.h>

#include "extra/infer/columns.h"
#include "extra/infer/joint.h"

/* The version of the object "effects" in the training of a model. */
enum { TACIT_EFFECTS_FORMAT = 1 };

/* Returns what the coefficients are, in one sentence. */
const char *tacit_effects_estimand(tacit_effects_loss loss, int persons);

typedef enum tacit_effect_state {
  TACIT_EFFECT_IDENTIFIED = 0,
  TACIT_EFFECT_NOISY = 1, /* the noise is too large for a number */
  TACIT_EFFECT_RARE = 2,  /* too few rows have the level */
  TACIT_EFFECT_REFERENCE = 3,
  TACIT_EFFECT_UNDECLARED = 4 /* rare too, but the level of what is not declared */
} tacit_effect_state;

/* Returns what a table says of a line in this state. */
const char *tacit_effects_state_name(tacit_effect_state state);

/* A line of the table. Numbers are per unit and for the level of the view; they are not
   set unless the state is "identified". */
typedef struct tacit_effect {
  char *name;
  tacit_effect_state state;
  size_t index; /* row of the covariance; 0 without one */
  double estimate, sampling, privacy, remainder, df;
  double error, low, high, z, p, holm;
  double rows_needed; /* if it is not identified */
} tacit_effect;

/* The test that all levels of a group have no effect. */
typedef struct tacit_joint_test {
  const char *name;
  size_t levels;
  double f, df, p;
} tacit_joint_test;

/* A table that was read from a model, with its view. */
typedef struct tacit_effects {
  const tacit_model *model;
  tacit_effects_loss loss;
  tacit_effects_view view;
  json_t *json; /* the object in the model; borrowed */
  tacit_effects_columns columns;
  tacit_effect *lines; /* one per column */
  size_t n_lines, d;
  int64_t units;
  int persons;
  double tau, low_weight, low_error;
  tacit_effect intercept;
  double *covariance;      /* d x d */
  tacit_effect *contrasts; /* n_contrasts of the view */
  tacit_joint_test *tests;
  size_t n_tests;
} tacit_effects;

/* Reads the table of a model and computes intervals, tests and contrasts for the view.
   Free it with tacit_effects_fini, also after a failure. */
tacit_status tacit_effects_read(const tacit_model *model,
                                const tacit_effects_view *view, tacit_effects *out,
                                tacit_error *err);
void tacit_effects_fini(tacit_effects *effects);
/* Sets error, interval, z and p of an effect from its variance without the
   remainder. */
void tacit_effect_interval(const tacit_effects_view *view, double variance,
                           tacit_effect *effect);
/* Computes the contrasts of the view (contrast.c). */
tacit_status tacit_effects_contrasts(tacit_effects *effects, tacit_error *err);
/* Returns 1 if the exponential of a coefficient is an odds ratio or a rate ratio. */
static inline int tacit_effects_has_ratio(const tacit_effects *effects) {
  return effects->loss != TACIT_EFFECTS_SQUARED;
}
/* Writes a p value, or "<1e-6" for a smaller one. */
void tacit_effects_p(double p, char out[16]);

/* Writes a text as printf does, of less than 2^15 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tacit_effects_say(FILE *to, const char *format, ...);
/* Write the table (text.c, document.c). */
void tacit_effects_text(const tacit_effects *effects, FILE *to);
json_t *tacit_effects_json(const tacit_effects *effects);
void tacit_effects_csv(const tacit_effects *effects, FILE *to);

#endif
