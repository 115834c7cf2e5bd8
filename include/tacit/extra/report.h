/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_REPORT_H
#define TACIT_EXTRA_REPORT_H

#include <tacit/config.h>
#include <tacit/extra/audit.h>
#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Pages for people who decide: what a model guarantees, how good it is, what a budget
 * would cost. A page is one text that needs no other file, no network and no script. It
 * is made only of released and public numbers, so it is as private as the models and
 * results on it.
 */

/** What the people who sign a page say of it. Each text is one line, or NULL. */
typedef struct tacit_report_about {
  const char *title;       /**< heading of the page */
  const char *institution; /**< who publishes the model */
  const char *purpose;     /**< what the model is for */
  const char *contact;     /**< whom to ask */
  const char *date;        /**< date of the page */
  const char *bounds; /**< where the bounds and categories of the schema are from */
  const char *note;   /**< anything else */
} tacit_report_about;

/** The models and files that a report is about. */
typedef struct tacit_report_options {
  size_t struct_size; /**< set by tacit_report_options_init */
  const tacit_model *const *models;
  const char *const *names; /**< names of the models on the page */
  size_t n_models;          /**< number of models, at least 1 */
  /** Paths of JSON files. Each evaluation must be by `tacit eval` of one of the models;
      each audit by `tacit audit` of a plan with the guarantee of one of the models. */
  const char *const *evaluations, *const *audits;
  size_t n_evaluations, n_audits;
  const char
      *ledger; /**< ledger that keeps the budget (tacit/extra/ledger.h), or NULL */
  const char *dataset; /**< data set of the ledger */
  /** True to report also models and evaluations that are not private, under a banner.
   */
  bool include_not_private;
  uint64_t max_bytes; /**< limit on an evaluation or audit file; 0 means 64 MiB */
  bool markdown;      /**< true for a model card in Markdown, without figures; false for
                          HTML */
  tacit_report_about about;
  /** File of a JSON object with the texts of `about`, or NULL. Texts that are NULL are
      read from it if it exists; texts that are given are stored in it. */
  const char *about_file;
} tacit_report_options;

TACIT_API void tacit_report_options_init(tacit_report_options *options);

/**
 * Makes the report as text. Free *out with tacit_string_free. Returns TACIT_EPRIVACY if
 * a model or an evaluation is not private and include_not_private is false. Returns
 * TACIT_EDATA if a file is not JSON of the expected kind, or is about another model.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_report_text(const tacit_report_options *options, char **out, tacit_error *err);

/** Returns the name of e to the power of an effect, "odds ratio" or "rate ratio".
    Returns NULL if rows are scaled by their own norms, if the score is no logarithm, or
    for several classes. */
TACIT_API const char *tacit_model_ratio(const tacit_model *model);

/**
 * Makes an HTML page about a run with this config: small figures of the noise to expect
 * and the advised passes for other values of epsilon and other numbers of rows (or
 * persons). Reads no record. Free *out with tacit_string_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_plan_page(const tacit_config *config,
                                                       char **out, tacit_error *err);

/** The scores that one attacker of an audit gave to the runs (tacit/extra/audit.h). */
typedef struct tacit_audit_curve {
  const char *name;
  const double *first, *second; /**< scores of the runs on each data set, `count`
                                     each */
  int64_t count;
  double low; /**< mu_low of tacit_audit_judge, or epsilon_low for a claim of epsilon */
} tacit_audit_curve;

/** Draws the ROC curves of attackers, and the curve that the claim allows, as an SVG
    file. Free *out with tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_audit_figure(const tacit_audit_claim *claim, const tacit_audit_curve *curves,
                   size_t n_curves, char **out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
