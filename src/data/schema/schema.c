/* SPDX-License-Identifier: MIT */
/* Schemas declare what a row becomes before any row is read. Everything in this file is
   public, because it comes from the user, never from records. */
#include "data/schema/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/schema/lookup.h"
#include "data/schema/parts.h"

const char *tacit_schema_kind_name(tacit_schema_kind kind) {
  static const char *const names[] = {"csv", "libsvm", "memory"};
  return names[kind];
}

const char *tacit_column_type_name(tacit_column_type type) {
  static const char *const names[] = {"numeric", "category", "hashed", "bool",
                                      "ordinal", "date",     "text"};
  return type < TACIT_COLUMN_IGNORE ? names[type] : "ignore";
}

int tacit_is_delimiter(char c) { return c != '\0' && strchr(",;\t|:", c) != NULL; }

tacit_schema *tacit_schema_new(tacit_schema_kind kind) {
  tacit_schema *schema = tacit_array_new(1, sizeof *schema);
  if (schema == NULL) return NULL;
  schema->kind = kind;
  schema->delimiter = ',';
  return schema;
}

static void free_texts(char **texts, size_t count) {
  for (size_t i = 0; texts != NULL && i < count; ++i)
    tacit_array_free(texts[i]);
  tacit_array_free(texts);
}

static void free_columns(tacit_schema *schema) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column *column = &schema->columns[i];
    free_texts(column->values, column->n_values);
    tacit_array_free(column->sorted);
    tacit_lookup_free(column->lookup);
    TACIT_FREE(column->name, column->format);
    tacit_curve_fini(&column->curve);
  }
  tacit_array_free(schema->columns);
  for (size_t i = 0; i < schema->n_crosses; ++i)
    tacit_array_free(schema->crosses[i].name);
  tacit_array_free(schema->crosses);
}

void tacit_schema_free(tacit_schema *schema) {
  if (schema == NULL) return;
  free_columns(schema);
  tacit_schema_terms_free(schema);
  TACIT_FREE(schema->by_name, schema->label_column);
  free_texts(schema->label_values, schema->n_label_values);
  free_texts(schema->na, schema->n_na);
  free_texts(schema->classes, schema->n_classes);
  tacit_array_free(schema->class_sorted);
  tacit_lookup_free(schema->class_lookup);
  TACIT_FREE(schema->names, schema->name_start);
  json_decref(schema->described);
  json_decref(schema->notes);
  tacit_array_free(schema);
}

static tacit_status sort_values(tacit_column *column, const char *where,
                                tacit_error *err) {
  const char *twice;
  TACIT_TRY(tacit_entries_new(column->values, column->n_values, &column->sorted,
                              &column->n_sorted, &column->lookup, &twice, err));
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(column->name, 40, name);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: column '%s': \"values\" holds the same value twice", where,
                    name);
}

/* Adds model inputs to a schema. Sets *out_first to the number of the first one. */
static tacit_status place(tacit_schema *schema, size_t n_inputs, const char *where,
                          size_t *out_first, tacit_error *err) {
  if (n_inputs > TACIT_FEATURES_MAX - schema->features)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: more than 2147483647 model inputs in all; use fewer slots",
                      where);
  *out_first = schema->features;
  schema->features += n_inputs;
  return TACIT_OK;
}

/* Returns the largest number of entries of a row that come from a column. */
static size_t entries_of(const tacit_column *column) {
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC: return 2 + (size_t)column->curve.has_line;
  case TACIT_COLUMN_ORDINAL: return column->n_values;
  case TACIT_COLUMN_DATE: return TACIT_DATE_PARTS + 1 + (size_t)column->curve.has_line;
  case TACIT_COLUMN_TEXT: return 0;
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return 1; /* one even if the column adds none, because tacit_rows_put also writes
               zeros */
}

static tacit_status place_columns(tacit_schema *schema, const char *where,
                                  tacit_error *err) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column *column = &schema->columns[i];
    if (column->n_values > 0) TACIT_TRY(sort_values(column, where, err));
    TACIT_TRY(place(schema, column->n_inputs, where, &column->first, err));
    schema->row_entries += entries_of(column);
  }
  if (schema->features == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: no column is a model input; declare one with a type other "
                      "than \"ignore\"",
                      where);
  TACIT_TRY(tacit_schema_place_crosses(schema, where, err));
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    tacit_cross *cross = &schema->crosses[i];
    TACIT_TRY(place(schema, cross->n_inputs, where, &cross->first, err));
    schema->row_entries += (size_t)1 << cross->n_columns;
  }
  return TACIT_OK;
}

static tacit_status sort_columns(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  TACIT_TRY(TACIT_NEW(schema->by_name, schema->n_columns + 1, err));
  for (size_t i = 0; i < schema->n_columns; ++i)
    schema->by_name[i] = (tacit_entry){schema->columns[i].name, i};
  schema->by_name[schema->n_columns] =
      (tacit_entry){schema->label_column, schema->n_columns};
  const char *twice = tacit_entries_sort(schema->by_name, schema->n_columns + 1);
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(twice, 40, name);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: column '%s' is declared twice (the label stands in \"label\" "
                    "only)",
                    where, name);
}

/* Room for the longest name made of "f" and a number. */
enum { NUMBER_ROOM = 24 };

/* Writes "f" and a number. Returns the bytes used, with the NUL. Replaces snprintf,
   which is too slow for a million names. */
static size_t write_number_name(size_t number, char *out) {
  char reversed[24];
  size_t count = 0, used = 0;
  for (; number > 0; number /= 10)
    reversed[count++] = (char)('0' + number % 10);
  out[used++] = 'f';
  while (count > 0)
    out[used++] = reversed[--count];
  out[used++] = '\0';
  return used;
}

/* Names the inputs of LIBSVM files and arrays by their numbers. */
static tacit_status number_inputs(tacit_schema *schema, tacit_error *err) {
  size_t room = schema->features * NUMBER_ROOM, used = 0;
  if (schema->features > TACIT_NAMED_FEATURES) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(schema->names, room, err));
  TACIT_TRY(TACIT_NEW(schema->name_start, schema->features, err));
  for (size_t i = 0; i < schema->features; ++i) {
    schema->name_start[i] = used;
    used += write_number_name(i + 1, schema->names + used);
  }
  return TACIT_OK;
}

static tacit_status sort_classes(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  const char *twice;
  TACIT_TRY(tacit_entries_new(schema->classes, schema->n_classes, &schema->class_sorted,
                              &schema->n_class_sorted, &schema->class_lookup, &twice,
                              err));
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(twice, 40, name);
  return tacit_fail(err, TACIT_EDATA, "%s: label: class '%s' is declared twice", where,
                    name);
}

/* Names classes by their labels. */
static tacit_status name_classes(tacit_schema *schema, tacit_error *err) {
  TACIT_TRY(TACIT_NEW(schema->classes, schema->n_classes, err));
  for (size_t i = 0; i < schema->n_classes; ++i) {
    char name[NUMBER_ROOM];
    (void)snprintf(name, sizeof name, schema->n_classes == 2 ? "%+.0f" : "%.0f",
                   tacit_schema_class_label(schema, i));
    schema->classes[i] = tacit_string_copy(name);
    if (schema->classes[i] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

int tacit_schema_promises(const tacit_schema *schema) {
  for (size_t i = 0; i < schema->n_columns; ++i)
    if (schema->columns[i].monotone != 0) return 1;
  return 0;
}

/* Refuses promises that the weights of a column alone cannot keep. */
static tacit_status check_promises(const tacit_schema *schema, const char *where,
                                   tacit_error *err) {
  if (tacit_schema_promises(schema) && schema->n_classes > 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"monotone\" is for two classes or a number as the label",
                      where);
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    const tacit_cross *cross = &schema->crosses[i];
    for (size_t j = 0; j < cross->n_columns; ++j) {
      if (schema->columns[cross->columns[j]].monotone != 0)
        return tacit_fail(err, TACIT_EDATA,
                          "%s: crosses[%zu]: a monotone column cannot be crossed",
                          where, i);
    }
  }
  return TACIT_OK;
}

tacit_status tacit_schema_finish(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  int is_csv = schema->kind == TACIT_SCHEMA_CSV;
  if (is_csv) {
    TACIT_TRY(check_promises(schema, where, err));
    TACIT_TRY(place_columns(schema, where, err));
    TACIT_TRY(sort_columns(schema, where, err));
  }
  if (schema->label_kind == TACIT_LABEL_CLASSES)
    TACIT_TRY(is_csv ? sort_classes(schema, where, err) : name_classes(schema, err));
  return is_csv ? tacit_schema_name_terms(schema, err) : number_inputs(schema, err);
}

size_t tacit_schema_features(const tacit_schema *schema) {
  return schema != NULL ? schema->features : 0;
}

/* Returns the largest norm that the inputs of a column can have. Ordered values and
   words are scaled to Euclidean norm 1. Inputs of every other type have absolute values
   that add up to at most 1, for a date at most 1 per part. A line beside hats is one
   more input. Beside atoms the inputs of a curve are larger. */
static double column_norm(const tacit_column *column, double exponent) {
  double norm = 1, parts = 0;
  double line = column->curve.has_line ? pow(TACIT_CURVE_LINE, exponent) : 0;
  switch (column->type) {
  case TACIT_COLUMN_ORDINAL:
    norm = pow((double)(column->n_values - 1), 1 / exponent - 0.5);
    return column->missing == TACIT_MISSING_OWN ? fmax(norm, 1) : norm;
  case TACIT_COLUMN_TEXT:
    return pow((double)column->n_inputs, fmax(0, 1 / exponent - 0.5));
  case TACIT_COLUMN_DATE:
    for (unsigned i = 0; i < TACIT_DATE_PARTS; ++i)
      parts += (column->parts & 1u << i) != 0;
    if ((column->parts & 1u << TACIT_DATE_DAYS) != 0) parts += line;
    return pow(parts, 1 / exponent);
  case TACIT_COLUMN_NUMERIC:
    return tacit_curve_scale(&column->curve) * pow(1 + line, 1 / exponent);
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return norm;
}

double tacit_schema_norm_max(const tacit_schema *schema, int bias, double exponent) {
  if (schema->kind != TACIT_SCHEMA_CSV) return INFINITY;
  double sum = (double)schema->n_crosses + (bias ? 1 : 0), max = sum > 0 ? 1 : 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    if (schema->columns[i].n_inputs == 0) continue;
    double norm = column_norm(&schema->columns[i], exponent);
    max = fmax(max, norm);
    if (isfinite(exponent)) sum += pow(norm, exponent);
  }
  return isinf(exponent) ? max : pow(sum, 1 / exponent);
}

int tacit_schema_is_missing(const tacit_schema *schema, const char *text, size_t size) {
  for (size_t i = 0; size > 0 && i < schema->n_na; ++i)
    if (tacit_text_is(schema->na[i], text, size)) return 1;
  return size == 0;
}

int tacit_schema_is_csv(const tacit_schema *schema) {
  return schema != NULL && schema->kind == TACIT_SCHEMA_CSV;
}

tacit_label_kind tacit_schema_label(const tacit_schema *schema, double *out_min,
                                    double *out_max) {
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    if (out_min != NULL) *out_min = schema->label_min;
    if (out_max != NULL) *out_max = schema->label_max;
  }
  return schema->label_kind;
}

const char *tacit_schema_unit(const tacit_schema *schema) {
  return schema->unit_column;
}

const json_t *tacit_schema_described(const tacit_schema *schema) {
  return schema->described;
}

size_t tacit_schema_classes(const tacit_schema *schema) {
  return schema != NULL ? schema->n_classes : 0;
}

const char *tacit_schema_class(const tacit_schema *schema, int which) {
  if (which < 0 || (size_t)which >= schema->n_classes) return NULL;
  return schema->classes[which];
}

const char *tacit_schema_feature_name(const tacit_schema *schema, size_t index) {
  if (schema->names == NULL || index >= schema->features) return NULL;
  return schema->names + schema->name_start[index];
}
