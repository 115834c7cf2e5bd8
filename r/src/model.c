/* SPDX-License-Identifier: MIT */
/* Models: an external pointer owns a tacit_model. */
#include <string.h>
#include <tacit/extra/export.h>
#include <tacit/table.h>

#include "core.h"
#include "entry.h"

static void finalize(SEXP pointer) {
  tacit_model_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

SEXP core_model_wrap(tacit_model *model) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(model, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  UNPROTECT(1);
  return pointer;
}

const tacit_model *core_model_of(SEXP pointer) {
  const tacit_model *model =
      TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  if (model == NULL)
    Rf_error("the model is gone, as it does when an R session is saved and restored: "
             "keep models with tacit_save");
  return model;
}

SEXP R_model_is_gone(SEXP pointer) {
  return Rf_ScalarLogical(TYPEOF(pointer) != EXTPTRSXP ||
                          R_ExternalPtrAddr(pointer) == NULL);
}

SEXP R_model_load(SEXP path) {
  tacit_model *model = NULL;
  tacit_error err;
  if (tacit_model_load(core_text(path), 0, &model, &err) != TACIT_OK) core_raise(&err);
  return core_model_wrap(model);
}

SEXP R_model_parse(SEXP text) {
  tacit_model *model = NULL;
  tacit_error err;
  const char *bytes = core_text(text);
  if (tacit_model_parse(bytes, strlen(bytes), &model, &err) != TACIT_OK)
    core_raise(&err);
  return core_model_wrap(model);
}

SEXP R_model_save(SEXP model, SEXP path) {
  tacit_error err;
  if (tacit_model_save(core_model_of(model), core_text(path), &err) != TACIT_OK)
    core_raise(&err);
  return R_NilValue;
}

SEXP R_model_text(SEXP model) {
  char *text = NULL;
  tacit_error err;
  if (tacit_model_text(core_model_of(model), &text, &err) != TACIT_OK) core_raise(&err);
  return core_take_text(text);
}

static SEXP reals(const double *values, size_t count) {
  SEXP result = Rf_allocVector(REALSXP, values == NULL ? 0 : (R_xlen_t)count);
  if (values != NULL && count > 0) memcpy(REAL(result), values, count * sizeof *values);
  return result;
}

static SEXP text_or_null(const char *text) {
  return text == NULL ? R_NilValue : Rf_mkString(text);
}

/* Everything about a model that is not its rows. */
SEXP R_model_facts(SEXP pointer) {
  static const char *const names[] = {
      "loss",       "outputs",        "weights", "offset", "noise",
      "term_scale", "row_scale",      "bias",    "digest", "private",
      "statement",  "statement_json", "names"};
  const tacit_model *model = core_model_of(pointer);
  const tacit_schema *schema = tacit_model_schema(model);
  size_t weights, noise, outputs = tacit_model_outputs(model);
  const double *values = tacit_model_weights(model, &weights);
  const double *stds = tacit_model_noise(model, &noise);
  SEXP facts = core_list(13, names);
  SET_VECTOR_ELT(facts, 0, Rf_mkString(tacit_model_loss(model)));
  SET_VECTOR_ELT(facts, 1, Rf_ScalarInteger((int)outputs));
  SET_VECTOR_ELT(facts, 2, reals(values, weights));
  SET_VECTOR_ELT(facts, 3, reals(tacit_model_offset(model), outputs));
  SET_VECTOR_ELT(facts, 4, reals(stds, noise));
  SET_VECTOR_ELT(facts, 5, Rf_ScalarReal(tacit_model_term_scale(model)));
  SET_VECTOR_ELT(facts, 6, Rf_ScalarReal(tacit_model_row_scale(model)));
  SET_VECTOR_ELT(facts, 7, Rf_ScalarLogical(tacit_model_has_bias(model)));
  SET_VECTOR_ELT(facts, 8, text_or_null(tacit_model_digest(model)));
  SET_VECTOR_ELT(facts, 9, Rf_ScalarLogical(tacit_model_statement(model)->is_private));
  SET_VECTOR_ELT(facts, 10, Rf_mkString(tacit_model_statement_text(model)));
  SET_VECTOR_ELT(facts, 11, Rf_mkString(tacit_model_statement_json(model)));
  size_t features = tacit_schema_features(schema);
  int named = tacit_schema_feature_name(schema, 0) != NULL;
  SEXP inputs = Rf_allocVector(STRSXP, named ? (R_xlen_t)features : 0);
  SET_VECTOR_ELT(facts, 12, inputs);
  for (size_t i = 0; named && i < features; ++i)
    SET_STRING_ELT(inputs, (R_xlen_t)i,
                   Rf_mkCharCE(tacit_schema_feature_name(schema, i), CE_UTF8));
  UNPROTECT(1);
  return facts;
}

/* The terms of the schema with what each adds to the score of one output. */
static SEXP shape_of(const tacit_model *model, const tacit_term *term, size_t which,
                     size_t output, size_t points) {
  static const char *const names[] = {"name", "column", "kind",  "min",
                                      "max",  "values", "shape", "noise"};
  tacit_error err;
  size_t room = points > term->count + 1 ? points : term->count + 1, count;
  double *shape = (double *)(void *)R_alloc(room, sizeof *shape);
  double *noise = (double *)(void *)R_alloc(room, sizeof *noise);
  if (tacit_model_shape(model, which, output, points, &count, shape, noise, &err) !=
      TACIT_OK)
    core_raise(&err);
  SEXP result = core_list(8, names);
  SET_VECTOR_ELT(result, 0, Rf_ScalarString(Rf_mkCharCE(term->name, CE_UTF8)));
  SET_VECTOR_ELT(result, 1, text_or_null(term->column));
  SET_VECTOR_ELT(result, 2, Rf_ScalarInteger((int)term->kind));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(term->min));
  SET_VECTOR_ELT(result, 4, Rf_ScalarReal(term->max));
  SEXP values =
      Rf_allocVector(STRSXP, term->values == NULL ? 0 : (R_xlen_t)term->n_values);
  SET_VECTOR_ELT(result, 5, values);
  for (R_xlen_t i = 0; i < XLENGTH(values); ++i)
    SET_STRING_ELT(values, i, Rf_mkCharCE(term->values[i], CE_UTF8));
  SET_VECTOR_ELT(result, 6, reals(shape, count));
  SET_VECTOR_ELT(result, 7, reals(noise, count));
  return result;
}

SEXP R_model_shapes(SEXP pointer, SEXP output, SEXP points) {
  const tacit_model *model = core_model_of(pointer);
  const tacit_schema *schema = tacit_model_schema(model);
  size_t count = tacit_schema_terms(schema);
  SEXP all = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; ++i) {
    tacit_term term = {.struct_size = sizeof term};
    tacit_error err;
    if (tacit_schema_term(schema, i, &term, &err) != TACIT_OK) core_raise(&err);
    SET_VECTOR_ELT(all, (R_xlen_t)i,
                   shape_of(model, &term, i, (size_t)Rf_asInteger(output) - 1,
                            (size_t)Rf_asInteger(points)));
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return all;
}

typedef tacit_status (*score_fn)(const tacit_model *, const tacit_batch *, double *,
                                 tacit_error *);

/* Scores of the rows of a frame, row by row. kind: 0 predictions, 1 scores, 2 margins.
 */
SEXP R_model_score(SEXP pointer, SEXP frame, SEXP kind) {
  static const score_fn kinds[] = {tacit_model_predict, tacit_model_scores,
                                   tacit_model_margins};
  const tacit_model *model = core_model_of(pointer);
  int which = Rf_asInteger(kind);
  size_t outputs = which == 0 ? 1 : tacit_model_outputs(model);
  tacit_table table;
  core_table(frame, &table);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)outputs * table.n_rows));
  double *out = REAL(result);
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_reader_options_init(&options);
  options.schema = tacit_model_schema(model);
  options.shuffle = 0;
  options.labels = 0;
  options.extra = 1;
  tacit_status status = TACIT_OK;
  if (table.n_rows > 0)
    status = tacit_reader_open_table(&table, 1, &options, &reader, &err);
  while (status == TACIT_OK && table.n_rows > 0) {
    const tacit_batch *batch = NULL;
    status = tacit_reader_next(reader, &batch, &err);
    if (status != TACIT_OK || batch->n_rows == 0) break;
    status = kinds[which](model, batch, out, &err);
    out += (size_t)batch->n_rows * outputs;
  }
  tacit_reader_free(reader);
  if (status != TACIT_OK) core_raise(&err);
  UNPROTECT(1);
  return result;
}

SEXP R_model_export(SEXP pointer, SEXP kind, SEXP table) {
  const tacit_model *model = core_model_of(pointer);
  tacit_error err;
  int language = Rf_asInteger(kind);
  if (language >= 0) {
    char *text = NULL;
    if (tacit_model_formula(model, (tacit_language)language, core_text(table), &text,
                            &err) != TACIT_OK)
      core_raise(&err);
    return core_take_text(text);
  }
  void *bytes = NULL;
  size_t size;
  if (tacit_model_onnx(model, &bytes, &size, &err) != TACIT_OK) core_raise(&err);
  SEXP result = Rf_allocVector(RAWSXP, (R_xlen_t)size);
  memcpy(RAW(result), bytes, size);
  tacit_string_free(bytes);
  return result;
}
