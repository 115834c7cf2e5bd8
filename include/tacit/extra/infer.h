/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_INFER_H
#define TACIT_EXTRA_INFER_H

#include <tacit/config.h>
#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A table of effects: the coefficients of a logistic, linear or Poisson model with
 * confidence intervals that cover both the choice of the rows and the noise
 * (docs/howto/infer.md). It is a run of its own, which needs no trained model.
 *
 *   status = tacit_inference_new(schema, reader, &options, &inference, &err);
 *   reserve the budget of tacit_inference_statement_json in a ledger;
 *   status = tacit_inference_run(inference, reader, &err);
 *   status = tacit_model_save(tacit_inference_model(inference), "effects.json", &err);
 *   status = tacit_effects_table(model, &view, TACIT_EFFECTS_TEXT, &text, &err);
 */
typedef struct tacit_inference tacit_inference;

/** What a table of effects is of. No value may be computed from the records. */
typedef struct tacit_inference_options {
  size_t struct_size;
  double epsilon; /**< must be positive, unless mu is given */
  double delta;   /**< 0 means 1/rows^2, at most 1e-6 */
  double mu;      /**< replaces epsilon; 0 if epsilon is given */
  tacit_adjacency adjacency;
  const char *loss; /**< "logistic", "squared" or "poisson"; NULL means logistic for two
                         classes, squared for a number */
  bool seeded; /**< true to draw the noise from `seed`; the table is then not private */
  uint64_t seed;
  unsigned threads; /**< 0 means one per core. The result does not depend on it */
  double low, high; /**< declared bounds of all inputs, for arrays and files without a
                         schema; larger inputs count as these */
  const char *unit_name; /**< unit_name of the config */
} tacit_inference_options;

TACIT_API void tacit_inference_options_init(tacit_inference_options *options);

/**
 * Plans a table of effects of all rows of a reader, which is read several times. The
 * schema must be the schema of the reader and outlive the table. If rows have ids of
 * persons, counts and protects persons. Returns TACIT_EINVAL for a loss, a schema or a
 * reader that a table cannot have.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_inference_new(
    const tacit_schema *schema, tacit_reader *reader,
    const tacit_inference_options *options, tacit_inference **out, tacit_error *err);
TACIT_API void tacit_inference_free(tacit_inference *inference);
/** Returns the privacy statement as one JSON object, valid as long as the table. */
TACIT_API const char *tacit_inference_statement_json(const tacit_inference *inference);
/** Reads the rows in every pass, and makes the table. Must be called only once, with
    the reader of tacit_inference_new. */
TACIT_API TACIT_NODISCARD tacit_status tacit_inference_run(tacit_inference *inference,
                                                           tacit_reader *reader,
                                                           tacit_error *err);
/** Returns 1 as soon as noise may have been drawn: the budget is spent. */
TACIT_API int tacit_inference_noise_begun(const tacit_inference *inference);
/** Returns the model with its table of effects, valid as long as the inference, or NULL
    before the run. tacit_model_save stores it. */
TACIT_API const tacit_model *tacit_inference_model(const tacit_inference *inference);

/**
 * Writes what a table of so many rows (or persons) will show, before any row is read:
 * one JSON object with the ratio of the width of an interval to its width without
 * privacy, and whether effects will be identified. `columns` is the number of
 * coefficients with the intercept; 0 counts those that the schema can have. Free *out
 * with tacit_string_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_inference_plan(
    const tacit_schema *schema, int64_t rows, size_t columns,
    const tacit_inference_options *options, char **out, tacit_error *err);

/** How a table is shown. */
typedef enum tacit_effects_form {
  TACIT_EFFECTS_TEXT = 0, /**< lines for people, with a forest plot */
  TACIT_EFFECTS_JSON = 1, /**< one JSON object */
  TACIT_EFFECTS_CSV = 2   /**< a line per coefficient */
} tacit_effects_form;

typedef struct tacit_effects_view {
  size_t struct_size;
  double level; /**< confidence, 0.5 … 0.9999; default 0.95 */
  int side;     /**< 0 for two sides, 1 for lower bounds alone, -1 for upper
                        bounds alone */
  const char *const *contrasts; /**< n_contrasts lines such as "age: 30 - 60" or
                                     "region: north - south" */
  size_t n_contrasts;
} tacit_effects_view;

TACIT_API void tacit_effects_view_init(tacit_effects_view *view);

/** Returns 1 if the model has a table of effects. */
TACIT_API int tacit_model_has_effects(const tacit_model *model);
/** Writes the table of effects of a model. Costs no privacy. Free *out with
    tacit_string_free. Returns TACIT_EINVAL if the model has no table, or for a contrast
    of what is not in it. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_effects_table(const tacit_model *model, const tacit_effects_view *view,
                    tacit_effects_form form, char **out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
