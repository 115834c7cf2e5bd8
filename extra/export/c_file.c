/* SPDX-License-Identifier: MIT */
/* Writes a model as a C file: a struct for the row, and one function for its scores. */
#include "extra/export/c_file.h"

#include <string.h>

#include "data/schema/date.h"
#include "extra/export/export_texts.h"

static int is_text(const tacit_column *column) {
  return column->type == TACIT_COLUMN_CATEGORY || column->type == TACIT_COLUMN_ORDINAL;
}

static int has_type(const tacit_schema *schema, tacit_column_type type) {
  for (size_t i = 0; i < schema->n_columns; ++i)
    if (schema->columns[i].type == type) return 1;
  return 0;
}

/* Returns 1 if a date has a part of several values. Elapsed days do not count, because
   they are not compared, nor does the year if both bounds have the same one. */
static int has_date_part(const tacit_schema *schema) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    if (column->type != TACIT_COLUMN_DATE) continue;
    unsigned parts = column->parts & ~(1u << TACIT_DATE_DAYS);
    if (tacit_date_of((int64_t)column->curve.min).year ==
        tacit_date_of((int64_t)column->curve.max).year)
      parts &= ~(1u << TACIT_DATE_YEAR);
    if (parts != 0) return 1;
  }
  return 0;
}

static void put_row(const tacit_formula *f) {
  (void)fputs("/* A row. A missing number is NAN, a missing text NULL. */\n"
              "struct tacit_row {\n",
              f->to);
  for (size_t i = 0; i < f->schema->n_columns; ++i) {
    const tacit_column *column = &f->schema->columns[i];
    if (column->type >= TACIT_COLUMN_IGNORE) continue;
    (void)fputs(is_text(column) ? "  const char *" : "  double ", f->to);
    tacit_formula_c_name(f, i);
    (void)fputs(column->type == TACIT_COLUMN_DATE   ? "; /* days since 1970-01-01 */\n"
                : column->type == TACIT_COLUMN_BOOL ? "; /* 0 or 1 */\n"
                                                    : ";\n",
                f->to);
  }
  (void)fputs("};\n\n", f->to);
}

static void put_helpers(const tacit_formula *f) {
  int ordered = has_type(f->schema, TACIT_COLUMN_ORDINAL);
  if (ordered || has_type(f->schema, TACIT_COLUMN_CATEGORY))
    (void)fputs("static int is_text(const char *cell, const char *text) {\n"
                "  return strcmp(cell != NULL ? cell : \"\", text) == 0;\n}\n\n",
                f->to);
  if (ordered) {
    (void)fputs("static int is_missing(const char *cell) {\n"
                "  return is_text(cell, \"\")",
                f->to);
    for (size_t i = 0; i < f->schema->n_na; ++i) {
      (void)fputs("\n    || is_text(cell, ", f->to);
      tacit_formula_text(f, f->schema->na[i]);
      (void)fputc(')', f->to);
    }
    (void)fputs(";\n}\n\n", f->to);
  }
  if (has_date_part(f->schema)) (void)fputs(TEXT_DATE_PART "\n", f->to);
}

static void put_margin_name(const tacit_formula *f, size_t output) {
  tacit_formula_put(f, "margin[%zu]", output);
}

/* Writes the margins of rows that are arrays of numbers. */
static void put_array_margins(const tacit_formula *f) {
  const tacit_model *model = f->model;
  size_t outputs = model->row.outputs, features = f->schema->features;
  tacit_formula_put(f, "  static const double weights[%zu] = {", outputs * features);
  for (size_t i = 0; i < outputs * features; ++i)
    tacit_formula_put(f, i % 4 == 0 ? "\n    %s," : " %s,",
                      tacit_formula_spell(f, model->weights[i]).text);
  tacit_formula_put(
      f,
      "};\n  double squares = %d, scale = 1;\n"
      "  for (size_t i = 0; i < %zu; ++i)\n    squares += row[i] * row[i];\n",
      model->row.bias ? 1 : 0, features);
  tacit_spelt norm = tacit_formula_spell(f, model->row.row_norm);
  if (model->row.scale > 0)
    tacit_formula_put(f, "  scale = %s;\n",
                      tacit_formula_spell(f, model->row.scale).text);
  else
    tacit_formula_put(f, "  if (sqrt(squares) > %s) scale = %s / sqrt(squares);\n",
                      norm.text, norm.text);
  for (size_t k = 0; k < outputs; ++k) {
    double bias = model->row.bias ? model->weights[outputs * features + k] : 0;
    double offset = model->offset != NULL ? model->offset[k] : 0;
    tacit_formula_put(f,
                      "  margin[%zu] = %s;\n  for (size_t i = 0; i < %zu; ++i)\n"
                      "    margin[%zu] += weights[%zu + i] * row[i];\n"
                      "  margin[%zu] = margin[%zu] * scale + %s;\n",
                      k, tacit_formula_spell(f, bias).text, features, k, k * features,
                      k, k, tacit_formula_spell(f, offset).text);
  }
}

static void put_softmax(const tacit_formula *f) {
  size_t outputs = f->model->row.outputs;
  tacit_formula_put(
      f,
      "  double top = margin[0], sum = 0;\n"
      "  for (int k = 1; k < %zu; ++k)\n"
      "    top = margin[k] > top ? margin[k] : top;\n"
      "  for (int k = 0; k < %zu; ++k)\n    sum += exp(margin[k] - top);\n"
      "  for (int k = 0; k < %zu; ++k)\n"
      "    scores[k] = exp(margin[k] - top) / sum;\n",
      outputs, outputs, outputs);
}

void tacit_formula_c_file(const tacit_formula *f) {
  size_t outputs = f->model->row.outputs;
  int named = f->schema->kind == TACIT_SCHEMA_CSV;
  tacit_formula_put(f,
                    "/* Scores of a Tacit model. Digest: %s */\n#include <math.h>\n"
                    "#include <string.h>\n\n",
                    tacit_model_digest(f->model) != NULL ? tacit_model_digest(f->model)
                                                         : "none");
  if (named) {
    put_row(f);
    put_helpers(f);
  }
  tacit_formula_put(
      f,
      "/* Writes %zu score%s. A row that breaks the schema has the score NAN. "
      "*/\n"
      "void tacit_scores(const %s *row, double *scores) {\n"
      "  double margin[%zu];\n",
      outputs, outputs > 1 ? "s, one per class" : "",
      named ? "struct tacit_row" : "double", outputs);
  if (!named) put_array_margins(f);
  for (size_t k = 0; named && k < outputs; ++k) {
    tacit_formula_put(f, "  margin[%zu] = ", k);
    tacit_formula_margin(f, k);
    (void)fputs(";\n", f->to);
  }
  if (outputs > 1 && strcmp(tacit_model_loss(f->model), "softmax") == 0) {
    put_softmax(f);
  } else {
    for (size_t k = 0; k < outputs; ++k) {
      tacit_formula_put(f, "  scores[%zu] = ", k);
      tacit_formula_score(f, k, put_margin_name);
      (void)fputs(";\n", f->to);
    }
  }
  (void)fputs("}\n", f->to);
}
