/* SPDX-License-Identifier: MIT */
/* Loads the subjects of a report: models, and files that must belong to them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/ledger.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "extra/report/report.h"

enum { FILE_MAX = 64 << 20 };

void tacit_report_options_init(tacit_report_options *options) {
  *options = (tacit_report_options){.struct_size = sizeof *options};
}

static tacit_status load_json(const char *path, uint64_t max, const char *kind,
                              json_t **out, tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  TACIT_TRY(tacit_file_read(path, max > 0 ? max : FILE_MAX, "--max-model", &text, &size,
                            err));
  *out = json_loadb(text, size, 0, NULL);
  tacit_array_free(text);
  if (json_is_object(*out)) return TACIT_OK;
  json_decref(*out);
  *out = NULL;
  return tacit_fail(err, TACIT_EDATA,
                    "%.100s is not a JSON object: it must be the output of \"tacit %s "
                    "--json\"",
                    path, kind);
}

/* Reads the statement in a file. Messages begin with the name of the file. */
static tacit_status read_statement(const char *path, const json_t *statement,
                                   tacit_statement *out, tacit_error *err) {
  tacit_statement init;
  tacit_error inner = {TACIT_OK, ""};
  tacit_status status = tacit_statement_read(statement, out, &init, NULL, &inner);
  if (status == TACIT_OK && !out->is_private)
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s: its privacy statement says that it is not private",
                      path);
  if (status == TACIT_OK) return TACIT_OK;
  return tacit_fail(err, status, "%.80s: %.160s", path, inner.message);
}

/* Finds the model that an evaluation is about. */
static tacit_status find_evaluated(tacit_report *report, const char *path,
                                   const json_t *evaluation, tacit_reported **out,
                                   tacit_error *err) {
  const char *digest = json_string_value(json_object_get(evaluation, "model"));
  if (!json_is_boolean(json_object_get(evaluation, "private")) ||
      (!json_is_object(json_object_get(evaluation, "metrics")) &&
       !json_is_number(json_object_get(evaluation, "loss"))))
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s is not an evaluation: it must be the output of \"tacit "
                      "eval --json\"",
                      path);
  if (digest == NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s does not say which model it is of: make it again with "
                      "this version of \"tacit eval\"",
                      path);
  for (size_t i = 0; i < report->n_subjects; ++i) {
    const char *own = tacit_model_digest(report->subjects[i].model);
    *out = &report->subjects[i];
    if (own != NULL && strcmp(own, digest) == 0) return TACIT_OK;
  }
  return tacit_fail(err, TACIT_EDATA,
                    "%.100s is the evaluation of another model: its digest is that of "
                    "none of the models here",
                    path);
}

/* Returns 1 if an audited plan has the guarantee of this model. */
static int is_audited(const tacit_reported *subject, const tacit_statement *plan) {
  const tacit_statement *f = &subject->f;
  return f->is_private && fabs(plan->mu - f->mu) <= 1e-6 * f->mu &&
         plan->pure == f->pure && plan->zero_out == f->zero_out &&
         plan->persons == f->persons && strcmp(plan->mechanism, f->mechanism) == 0;
}

static tacit_status find_audited(tacit_report *report, const char *path,
                                 const json_t *audit, tacit_reported **out,
                                 tacit_error *err) {
  tacit_statement plan;
  const json_t *statement = json_object_get(audit, "statement");
  if (!json_is_array(json_object_get(audit, "attacks")) ||
      !json_is_boolean(json_object_get(audit, "holds")))
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s is not an audit: it must be the output of \"tacit audit "
                      "--json\"",
                      path);
  if (!json_is_number(json_object_get(
          json_array_get(json_object_get(audit, "attacks"), 0), "auc_low")))
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s is an audit of an older version, without limits of the "
                      "area under the curve: run the audit again",
                      path);
  if (statement == NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%.100s is the audit of another program, not of a plan of Tacit",
                      path);
  TACIT_TRY(read_statement(path, statement, &plan, err));
  for (size_t i = 0; i < report->n_subjects; ++i) {
    *out = &report->subjects[i];
    if (is_audited(*out, &plan)) return TACIT_OK;
  }
  const tacit_statement *f = &report->subjects[0].f;
  return tacit_fail(err, TACIT_EDATA,
                    "%.60s is the audit of another guarantee (mu %.6g, %s, %s, %s); "
                    "audit the model's (%s, %s): --rho %.17g --adjacency %s --%s %lld",
                    path, plan.mu, plan.zero_out ? "zero-out" : "replace",
                    plan.persons ? "persons" : "rows", plan.mechanism,
                    f->persons ? "persons" : "rows", f->mechanism, f->mu,
                    f->zero_out ? "zero-out" : "replace", f->persons ? "units" : "rows",
                    (long long)f->rows);
}

/* Checks that an evaluation may be on the page, and reads its statement. */
static tacit_status check_private(const tacit_report *report, const char *path,
                                  const json_t *evaluation, tacit_statement *out,
                                  tacit_error *err) {
  if (json_is_true(json_object_get(evaluation, "private")))
    return read_statement(path, json_object_get(evaluation, "statement"), out, err);
  if (report->options->include_not_private) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%.80s is not private: use \"tacit eval --epsilon\", or "
                    "--include-not-private for a page that must not be published",
                    path);
}

/* Takes the output of `tacit eval` or `tacit audit` for the model that it is about. */
static tacit_status take_file(tacit_report *report, const char *path, int is_audit,
                              tacit_error *err) {
  json_t *file = NULL;
  tacit_reported *subject = NULL;
  TACIT_TRY(load_json(path, report->options->max_bytes, is_audit ? "audit" : "eval",
                      &file, err));
  tacit_status status =
      (is_audit ? find_audited : find_evaluated)(report, path, file, &subject, err);
  if (status == TACIT_OK && (is_audit ? subject->audit : subject->evaluation) != NULL)
    status =
        tacit_fail(err, TACIT_EINVAL, "%.100s is a second %s %.80s: a report shows one",
                   path, is_audit ? "audit for" : "evaluation of", subject->name);
  if (status == TACIT_OK && !is_audit)
    status = check_private(report, path, file, &subject->cost, err);
  if (status == TACIT_OK)
    *(is_audit ? &subject->audit : &subject->evaluation) = file;
  else
    json_decref(file);
  return status;
}

static tacit_status take_ledger(tacit_report *report, tacit_error *err) {
  const tacit_report_options *options = report->options;
  char *text = NULL;
  size_t i;
  const json_t *set;
  if (options->ledger == NULL) return TACIT_OK;
  if (options->dataset == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "a ledger has budgets of several data sets: name one");
  TACIT_TRY(tacit_ledger_read(options->ledger, &text, err));
  report->ledger = json_loads(text, 0, NULL);
  tacit_ledger_text_free(text);
  if (report->ledger == NULL) return tacit_fail_memory(err);
  json_array_foreach(json_object_get(report->ledger, "datasets"), i, set) {
    if (strcmp(tacit_words_of(set, "dataset"), options->dataset) == 0)
      report->budget = set;
  }
  if (report->budget != NULL) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL, "data set %.100s is not in the ledger",
                    options->dataset);
}

static tacit_status take_model(const tacit_report_options *options, size_t which,
                               tacit_reported *out, tacit_error *err) {
  tacit_statement init;
  const char *name = options->names[which], *folder = strrchr(name, '/');
  /* The page of one model does not say in which folder the file was. */
  if (options->n_models == 1 && folder != NULL && folder[1] != '\0') name = folder + 1;
  *out = (tacit_reported){.model = options->models[which], .name = name};
  TACIT_TRY(tacit_statement_read(out->model->statement, &out->f, &init, NULL, err));
  if (out->f.is_private || options->include_not_private) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%.80s is not private: train it without --seed and --mechanism "
                    "none, or give --include-not-private",
                    out->name);
}

const char *tacit_report_stream(const tacit_reported *subject) {
  return json_string_value(
      json_object_get(json_object_get(subject->model->training, "stream"), "id"));
}

int64_t tacit_report_day(const tacit_reported *subject) {
  return json_integer_value(
      json_object_get(json_object_get(subject->model->training, "stream"), "round"));
}

int64_t tacit_report_rows(const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  if (tacit_report_stream(subject) == NULL) return f->rows;
  return f->rows / f->rounds * tacit_report_day(subject);
}

tacit_status tacit_report_open(const tacit_report_options *options, tacit_report *out,
                               tacit_error *err) {
  *out = (tacit_report){.options = options};
  if (options->struct_size != sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "options of the report: call tacit_report_options_init first");
  if (options->n_models == 0)
    return tacit_fail(err, TACIT_EINVAL, "a report needs a model");
  TACIT_TRY(TACIT_NEW(out->subjects, options->n_models, err));
  for (size_t i = 0; i < options->n_models; ++i) {
    TACIT_TRY(take_model(options, i, &out->subjects[i], err));
    out->n_subjects = i + 1;
  }
  for (size_t i = 0; i < options->n_evaluations; ++i)
    TACIT_TRY(take_file(out, options->evaluations[i], 0, err));
  for (size_t i = 0; i < options->n_audits; ++i)
    TACIT_TRY(take_file(out, options->audits[i], 1, err));
  TACIT_TRY(take_ledger(out, err));
  return tacit_report_take_about(out, err);
}

void tacit_report_close(tacit_report *report) {
  for (size_t i = 0; i < report->n_subjects; ++i) {
    json_decref(report->subjects[i].evaluation);
    json_decref(report->subjects[i].audit);
  }
  tacit_array_free(report->subjects);
  json_decref(report->ledger);
  json_decref(report->about);
}
