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
 * Pages for people who decide: what a model guarantees and how good it is, what a
 * budget would cost. A page is one text that needs no other file, no network and no
 * script. It is made of released and public numbers only, so it is as private as the
 * models and results on it.
 */

/** What a report is about. */
typedef struct tacit_report_options {
  size_t struct_size; /**< set by tacit_report_options_init */
  const tacit_model *const *models;
  const char *const *names; /**< of the models, as the page calls them */
  size_t n_models;          /**< at least 1 */
  /** Files with the JSON of `tacit eval` for one of the models each, and of `tacit
      audit` for a plan with the guarantee of one of the models. */
  const char *const *evaluations, *const *audits;
  size_t n_evaluations, n_audits;
  const char
      *ledger; /**< where the budget is kept (tacit/extra/ledger.h); NULL: none */
  const char *dataset; /**< the data set of the ledger */
  /** 1: models and evaluations that are not private are reported too, under a banner.
   */
  int include_not_private;
  uint64_t max_bytes; /**< of a file of evaluations or audits; 0: 64 MiB */
  int markdown;       /**< 1: a model card in Markdown, without figures; 0: HTML */
} tacit_report_options;

TACIT_API void tacit_report_options_init(tacit_report_options *options);

/**
 * The report as text; free it with tacit_string_free. TACIT_EPRIVACY if a model or an
 * evaluation is not private and include_not_private is 0. TACIT_EDATA for a file that
 * is not JSON of the expected kind, or is about another model.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_report_text(const tacit_report_options *options, char **out, tacit_error *err);

/**
 * A page of small figures about a run with this config, in HTML: the noise to expect
 * and the advised passes for other values of epsilon and other numbers of rows (or
 * persons). Reads no record. Free it with tacit_string_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_plan_page(const tacit_config *config,
                                                       char **out, tacit_error *err);

/** How one attacker of an audit scored the runs (tacit/extra/audit.h). */
typedef struct tacit_audit_curve {
  const char *name;
  const double *first, *second; /**< scores, `count` of each */
  int64_t count;
  double low; /**< mu_low or epsilon_low of tacit_audit_judge, as the claim is */
} tacit_audit_curve;

/** The ROC curves of attackers beside the one that the claim allows, as an SVG file;
    free it with tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_audit_figure(const tacit_audit_claim *claim, const tacit_audit_curve *curves,
                   size_t n_curves, char **out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
