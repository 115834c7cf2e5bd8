/* SPDX-License-Identifier: MIT */
/* Writes a model as a formula: the margin, the scale of the row, and the score. */
#include "extra/export/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "extra/export/c_file.h"

static int is_input(const tacit_column *column) {
  return column->type != TACIT_COLUMN_IGNORE && column->type != TACIT_COLUMN_UNIT &&
         column->type != TACIT_COLUMN_WEIGHT;
}

/* Writes a number and the sum over all columns and crosses. The number makes a double
   of the sum. */
static void put_sum(const tacit_formula *f, int output, double first) {
  tacit_formula_put(f, "(%s", tacit_formula_spell(f, first).text);
  if (f->language == TACIT_LANGUAGE_POSTGRESQL) (void)fputs("::float8", f->to);
  for (size_t i = 0; i < f->schema->n_columns + f->schema->n_crosses; ++i) {
    size_t cross = i - f->schema->n_columns;
    int is_cross = i >= f->schema->n_columns;
    if (!is_cross && !is_input(&f->schema->columns[i])) continue;
    (void)fputs("\n+", f->to);
    if (is_cross)
      tacit_formula_cross(f, cross, output);
    else
      tacit_formula_column(f, i, output);
  }
  (void)fputc(')', f->to);
}

/* Returns half the range of the label if the margin is in units of it, else 0. */
static double half_range(const tacit_model *model) {
  if (model->label.kind != TACIT_LOSS_UNIT) return 0;
  return (model->label.max - model->label.min) / 2;
}

void tacit_formula_margin(const tacit_formula *f, size_t output) {
  const tacit_model *model = f->model;
  size_t bias = model->row.outputs * f->schema->features + output;
  double norm = model->row.row_norm;
  double first = model->row.bias ? f->unit * model->weights[bias] : 0;
  double offset = model->offset != NULL ? model->offset[output] : 0;
  if (f->is_sum) {
    double half = half_range(model);
    if (half > 0) offset = offset * half + half + model->label.min;
    put_sum(f, (int)output, first + offset);
    return;
  }
  (void)fputc('(', f->to);
  put_sum(f, (int)output, first);
  tacit_formula_put(f, " * ");
  tacit_formula_open(f);
  tacit_formula_when(f, 1);
  put_sum(f, TACIT_FORMULA_SQUARES, model->row.bias);
  tacit_formula_put(f, " <= %s", tacit_formula_spell(f, norm * norm).text);
  tacit_formula_then(f);
  tacit_formula_number(f, 1);
  tacit_formula_otherwise(f);
  tacit_formula_put(f, "%s / ", tacit_formula_spell(f, norm).text);
  tacit_formula_function(f, "sqrt");
  put_sum(f, TACIT_FORMULA_SQUARES, model->row.bias);
  tacit_formula_close(f);
  tacit_formula_put(f, " + %s)", tacit_formula_spell(f, offset).text);
}

double tacit_formula_poisson_top(const tacit_model *model) {
  char spec[512];
  const char *at =
      tacit_loss_spec_full(model->loss, spec, sizeof spec, NULL) == TACIT_OK
          ? strstr(spec, "umax=")
          : NULL;
  return at != NULL ? strtod(at + 5, NULL) : INFINITY;
}

/* Writes e^x, where `x` writes the exponent. In other languages exp() gives 0 or
   infinity for large exponents; in PostgreSQL it fails, so the exponent is bounded. */
static void put_exp(const tacit_formula *f, tacit_formula_part x, size_t which) {
  static const double far = 600;
  int is_bounded = f->language == TACIT_LANGUAGE_POSTGRESQL;
  if (is_bounded) {
    tacit_formula_open(f);
    for (int is_max = 0; is_max < 2; ++is_max) {
      tacit_formula_when(f, is_max == 0);
      x(f, which);
      tacit_formula_put(f, is_max ? " > %s" : " < %s",
                        tacit_formula_spell(f, is_max ? far : -far).text);
      tacit_formula_then(f);
      tacit_formula_number(f, is_max ? exp(far) : 0);
    }
    tacit_formula_otherwise(f);
  }
  tacit_formula_function(f, "exp");
  (void)fputc('(', f->to);
  x(f, which);
  (void)fputc(')', f->to);
  if (is_bounded) tacit_formula_close(f);
}

static void put_poisson(const tacit_formula *f, tacit_formula_part margin) {
  double top = tacit_formula_poisson_top(f->model);
  tacit_formula_open(f);
  tacit_formula_when(f, 1);
  margin(f, 0);
  tacit_formula_put(f, " > %s", tacit_formula_spell(f, top).text);
  tacit_formula_then(f);
  tacit_formula_put(f, "%s * (1 + (", tacit_formula_spell(f, exp(top)).text);
  margin(f, 0);
  tacit_formula_put(f, " - %s))", tacit_formula_spell(f, top).text);
  tacit_formula_otherwise(f);
  put_exp(f, margin, 0);
  tacit_formula_close(f);
}

void tacit_formula_score(const tacit_formula *f, size_t output,
                         tacit_formula_part margin) {
  const tacit_model *model = f->model;
  const char *loss = tacit_model_loss(model);
  if (strcmp(loss, "poisson") == 0) {
    put_poisson(f, margin);
    return;
  }
  if (strcmp(loss, "logistic") == 0 || strcmp(loss, "softmax") == 0) {
    /* Equals 1/(1 + e^-m), but no margin leaves the range of doubles. */
    (void)fputs("0.5 * (1.0 + tanh(0.5 * ", f->to);
    margin(f, output);
    (void)fputs("))", f->to);
    return;
  }
  double half = f->is_sum ? 0 : half_range(model);
  if (half > 0)
    tacit_formula_put(f, "%s + (", tacit_formula_spell(f, model->label.min).text);
  margin(f, output);
  if (half > 0) tacit_formula_put(f, " + 1) * %s", tacit_formula_spell(f, half).text);
}

static void put_margin_name(const tacit_formula *f, size_t output) {
  tacit_formula_put(f, "tacit_margin_%zu", output + 1);
}

/* Writes a name between double quotes. */
static void put_name(const tacit_formula *f, const char *before, const char *name) {
  tacit_formula_put(f, "\"%s", before);
  for (; *name != '\0'; ++name)
    tacit_formula_put(f, *name == '"' ? "%c\"" : "%c", *name);
  (void)fputc('"', f->to);
}

/* Writes the margin of one class less the margin of another. `pair` numbers the two. */
static void put_difference(const tacit_formula *f, size_t pair) {
  put_margin_name(f, pair / f->model->row.outputs);
  (void)fputs(" - ", f->to);
  put_margin_name(f, pair % f->model->row.outputs);
}

/* Writes e^(m_k) over the sum of all, as one over a sum of exponentials of
   differences. */
static void put_share_of_class(const tacit_formula *f, size_t output) {
  (void)fputs("1.0 / (", f->to);
  for (size_t i = 0; i < f->model->row.outputs; ++i) {
    if (i > 0) (void)fputs(" + ", f->to);
    put_exp(f, put_difference, i * f->model->row.outputs + output);
  }
  (void)fputc(')', f->to);
}

/* Writes a SELECT for several classes: margins in an inner SELECT, scores in the outer
   one. */
static void put_select(const tacit_formula *f, const char *table) {
  size_t outputs = f->model->row.outputs;
  int joint = strcmp(tacit_model_loss(f->model), "softmax") == 0;
  (void)fputs("SELECT scored.*", f->to);
  for (size_t k = 0; k < outputs; ++k) {
    (void)fputs(",\n  ", f->to);
    if (joint)
      put_share_of_class(f, k);
    else
      tacit_formula_score(f, k, put_margin_name);
    (void)fputs(" AS ", f->to);
    put_name(f, "score_", f->schema->classes[k]);
  }
  (void)fputs("\nFROM (SELECT rows_of.*", f->to);
  for (size_t k = 0; k < outputs; ++k) {
    (void)fputs(",\n  ", f->to);
    tacit_formula_margin(f, k);
    (void)fputs(" AS ", f->to);
    put_margin_name(f, k);
  }
  (void)fputs("\n  FROM ", f->to);
  put_name(f, "", table);
  /* OFFSET makes the databases compute the margins once, not once per score. */
  (void)fputs(f->language == TACIT_LANGUAGE_POSTGRESQL ? " AS rows_of OFFSET 0"
              : f->language == TACIT_LANGUAGE_SQLITE   ? " AS rows_of LIMIT -1 OFFSET 0"
                                                       : " AS rows_of",
              f->to);
  (void)fputs(") AS scored\n", f->to);
}

tacit_status tacit_formula_check(const tacit_formula *f, tacit_error *err) {
  const tacit_schema *schema = f->schema;
  int sql = tacit_formula_is_sql(f);
  if (sql && schema->kind != TACIT_SCHEMA_CSV)
    return tacit_fail(err, TACIT_EINVAL,
                      "the model has no columns with names: SQL needs a model that was "
                      "trained with a schema");
  if (f->model->row.exponent != 2 && !(tacit_model_row_scale(f->model) > 0))
    return tacit_fail(err, TACIT_EINVAL,
                      "the model scales rows in a norm other than the Euclidean");
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column_type type = schema->columns[i].type;
    if (type == TACIT_COLUMN_HASHED || type == TACIT_COLUMN_TEXT)
      return tacit_fail(err, TACIT_EINVAL,
                        "column '%.100s' is hashed: only tacit can score it",
                        schema->columns[i].name);
    if (type == TACIT_COLUMN_DATE && f->language == TACIT_LANGUAGE_SQL)
      return tacit_fail(
          err, TACIT_EINVAL,
          "column '%.100s' is a date, for which standard SQL has no "
          "common functions: give a dialect (postgresql, sqlite or duckdb)",
          schema->columns[i].name);
  }
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    if (schema->crosses[i].n_inputs < schema->crosses[i].size)
      return tacit_fail(err, TACIT_EINVAL,
                        "cross '%.100s' is hashed: only tacit can score it",
                        schema->crosses[i].name);
  }
  return TACIT_OK;
}

tacit_status tacit_model_formula(const tacit_model *model, tacit_language language,
                                 const char *table, char **out, tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  double scale = tacit_model_row_scale(model), half = half_range(model);
  tacit_formula f = {.language = language, .model = model, .schema = model->schema};
  f.is_sum = scale > 0 && f.schema->kind == TACIT_SCHEMA_CSV;
  f.unit = f.is_sum ? scale * (half > 0 ? half : 1) : 1;
  TACIT_TRY(tacit_formula_check(&f, err));
  f.to = open_memstream(&text, &size);
  if (f.to == NULL) return tacit_fail_memory(err);
  if (language == TACIT_LANGUAGE_C) {
    tacit_formula_c_file(&f);
  } else if (model->row.outputs == 1) {
    tacit_formula_score(&f, 0, tacit_formula_margin);
    (void)fputc('\n', f.to);
  } else {
    put_select(&f, table);
  }
  if (tacit_io_text_end(f.to, &text) != 0) return tacit_fail_memory(err);
  *out = text;
  return TACIT_OK;
}
