/* SPDX-License-Identifier: MIT */
/* Pages, ledgers, checks of files, and what every other file calls. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tacit/extra/check.h>
#include <tacit/extra/ledger.h>
#include <tacit/extra/report.h>

#include "core.h"
#include "entry.h"

void core_raise(const tacit_error *err) {
  SEXP name = PROTECT(Rf_mkString(tacit_status_name(err->status)));
  SEXP message = PROTECT(Rf_mkString(err->message));
  SEXP package = PROTECT(Rf_mkString("tacit"));
  SEXP space = PROTECT(R_FindNamespace(package));
  SEXP call = PROTECT(Rf_lang3(Rf_install("raise"), name, message));
  Rf_eval(call, space);
  UNPROTECT(5);
}

void core_refuse(const char *format, ...) {
  tacit_error err = {TACIT_EINVAL, ""};
  va_list words;
  va_start(words, format);
  vsnprintf(err.message, sizeof err.message, format, words);
  va_end(words);
  core_raise(&err);
  Rf_error("%s", err.message); /* core_raise does not return */
}

const char *core_text(SEXP text) {
  if (Rf_isNull(text)) return NULL;
  if (TYPEOF(text) != STRSXP || XLENGTH(text) != 1 || STRING_ELT(text, 0) == NA_STRING)
    core_refuse("a text is needed");
  return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

SEXP core_list(int count, const char *const *names) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP said = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i)
    SET_STRING_ELT(said, i, Rf_mkChar(names[i]));
  Rf_setAttrib(list, R_NamesSymbol, said);
  UNPROTECT(1);
  return list;
}

/* Makes a string of bytes in UTF-8. R_ExecWithCleanup frees them even if R runs out of
   memory. */
static SEXP make_text(void *text) {
  return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}
static void free_text(void *text) { tacit_string_free(text); }

SEXP core_take_text(char *text) {
  return R_ExecWithCleanup(make_text, text, free_text, text);
}

SEXP R_version(void) { return Rf_mkString(tacit_version()); }

/* The schema with all defaults, in one form: a schema that is wrong is refused. */
SEXP R_schema(SEXP text) {
  const char *bytes = core_text(text);
  tacit_schema *schema = NULL;
  char *out = NULL;
  tacit_error err;
  tacit_status status =
      tacit_schema_from_text(bytes, strlen(bytes), "schema", &schema, &err);
  if (status == TACIT_OK) status = tacit_schema_to_text(schema, &out, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) core_raise(&err);
  return core_take_text(out);
}

/* Compares a data frame, or the files of these paths, with a schema. Not private. */
SEXP R_check(SEXP data, SEXP text) {
  const char *bytes = core_text(text);
  int is_frame = TYPEOF(data) == VECSXP;
  size_t count = is_frame ? 0 : (size_t)XLENGTH(data);
  const char **names = (const char **)(void *)R_alloc(count + 1, sizeof *names);
  tacit_check_options options;
  tacit_table table;
  tacit_schema *schema = NULL;
  char *out = NULL;
  int trains;
  tacit_error err;
  for (size_t i = 0; i < count; ++i)
    names[i] = Rf_translateChar(STRING_ELT(data, (R_xlen_t)i));
  if (is_frame) core_table(data, &table);
  tacit_check_options_init(&options);
  tacit_status status =
      tacit_schema_from_text(bytes, strlen(bytes), "schema", &schema, &err);
  options.schema = schema;
  if (status == TACIT_OK)
    status = is_frame ? tacit_check_table(&table, 1, &options, &out, &trains, &err)
                      : tacit_check_files(names, count, &options, &out, &trains, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) core_raise(&err);
  return core_take_text(out);
}

/* The page about a model. ledger: list(where, dataset) or NULL. */
SEXP R_report(SEXP pointer, SEXP name, SEXP evaluations, SEXP ledger, SEXP flags) {
  const tacit_model *model = core_model_of(pointer);
  const char *title = core_text(name);
  tacit_report_options options;
  char *out = NULL;
  tacit_error err;
  size_t count = (size_t)XLENGTH(evaluations);
  const char **paths = (const char **)(void *)R_alloc(count + 1, sizeof *paths);
  for (size_t i = 0; i < count; ++i)
    paths[i] = Rf_translateChar(STRING_ELT(evaluations, (R_xlen_t)i));
  tacit_report_options_init(&options);
  options.models = &model;
  options.names = &title;
  options.n_models = 1;
  options.evaluations = paths;
  options.n_evaluations = count;
  if (!Rf_isNull(ledger)) {
    options.ledger = core_text(VECTOR_ELT(ledger, 0));
    options.dataset = core_text(VECTOR_ELT(ledger, 1));
  }
  options.markdown = LOGICAL(flags)[0] == 1;
  options.include_not_private = LOGICAL(flags)[1] == 1;
  if (tacit_report_text(&options, &out, &err) != TACIT_OK) core_raise(&err);
  return core_take_text(out);
}

/* Adds a data set to a ledger. numbers: epsilon, delta, zero_out, persons, in_place. */
SEXP R_ledger_init(SEXP where, SEXP dataset, SEXP numbers) {
  const double *given = REAL(numbers);
  tacit_ledger_terms terms = {
      core_text(dataset), given[0],
      given[1],           given[2] != 0 ? TACIT_ZERO_OUT : TACIT_REPLACE,
      given[3] != 0,      given[4] != 0};
  tacit_error err;
  if (tacit_ledger_init(core_text(where), &terms, &err) != TACIT_OK) core_raise(&err);
  return R_NilValue;
}

static SEXP make_ledger(void *text) {
  return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}
static void free_ledger(void *text) { tacit_ledger_text_free(text); }

SEXP R_ledger_read(SEXP where) {
  char *out = NULL;
  tacit_error err;
  if (tacit_ledger_read(core_text(where), &out, &err) != TACIT_OK) core_raise(&err);
  return R_ExecWithCleanup(make_ledger, out, free_ledger, out);
}
