/* SPDX-License-Identifier: MIT */
/* Schemas: what a row becomes, declared before any row is read. Everything in this file
   is public: it comes from the user, never from records. */
#include "data/schema/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/schema/lookup.h"

const char *tacit_schema_kind_name(tacit_schema_kind kind) {
  static const char *const names[] = {"csv", "libsvm", "memory"};
  return names[kind];
}

const char *tacit_column_type_name(tacit_column_type type) {
  static const char *const names[] = {"numeric", "category", "hashed"};
  return type < TACIT_COLUMN_IGNORE ? names[type] : "ignore";
}

int tacit_is_delimiter(char c) { return c != '\0' && strchr(",;\t|:", c) != NULL; }

static int compare_entries(const void *a, const void *b) {
  const tacit_entry *left = a, *right = b;
  return strcmp(left->text, right->text);
}

const tacit_entry *tacit_entry_find(const tacit_entry *entries, size_t count,
                                    const char *text, size_t size) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    /* Texts contain no NUL, so strncmp orders them as strcmp did when they were
       sorted. */
    int order = strncmp(entries[middle].text, text, size);
    if (order == 0 && entries[middle].text[size] != '\0') order = 1;
    if (order == 0) return &entries[middle];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

tacit_schema *tacit_schema_new(tacit_schema_kind kind) {
  tacit_schema *schema = tacit_array_new(1, sizeof *schema);
  if (schema == NULL) return NULL;
  schema->kind = kind;
  schema->delimiter = ',';
  return schema;
}

void tacit_schema_free(tacit_schema *schema) {
  if (schema == NULL) return;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column *column = &schema->columns[i];
    for (size_t j = 0; j < column->n_values; ++j)
      tacit_array_free(column->values[j]);
    tacit_array_free(column->values);
    tacit_array_free(column->sorted);
    tacit_array_free(column->lookup);
    tacit_array_free(column->name);
  }
  tacit_array_free(schema->columns);
  tacit_array_free(schema->by_name);
  tacit_array_free(schema->label_column);
  for (size_t i = 0; schema->classes != NULL && i < schema->n_classes; ++i)
    tacit_array_free(schema->classes[i]);
  tacit_array_free(schema->classes);
  tacit_array_free(schema->class_sorted);
  tacit_array_free(schema->class_lookup);
  tacit_array_free(schema->names);
  tacit_array_free(schema->name_start);
  tacit_array_free(schema);
}

/* Sorts the entries. Returns a text that occurs twice, or NULL. */
static const char *sort_entries(tacit_entry *entries, size_t count) {
  qsort(entries, count, sizeof *entries, compare_entries);
  for (size_t i = 1; i < count; ++i) {
    if (strcmp(entries[i - 1].text, entries[i].text) == 0) return entries[i].text;
  }
  return NULL;
}

/* Makes the look-up tables of texts. *out_twice is a text that occurs twice, or
   NULL. */
static tacit_status sort_texts(char *const *texts, size_t count, tacit_entry **out,
                               tacit_lookup **out_lookup, const char **out_twice,
                               tacit_error *err) {
  tacit_entry *entries = tacit_array_new(count, sizeof *entries);
  if (entries == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i)
    entries[i] = (tacit_entry){texts[i], i};
  *out = entries;
  *out_twice = sort_entries(entries, count);
  *out_lookup = tacit_lookup_new(entries, count);
  return *out_lookup != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status sort_values(tacit_column *column, const char *where,
                                tacit_error *err) {
  const char *twice;
  TACIT_TRY(sort_texts(column->values, column->n_values, &column->sorted,
                       &column->lookup, &twice, err));
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(column->name, 40, name);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: column '%s': \"values\" holds the same value twice", where,
                    name);
}

static tacit_status place_columns(tacit_schema *schema, const char *where,
                                  tacit_error *err) {
  size_t features = 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    tacit_column *column = &schema->columns[i];
    if (column->type == TACIT_COLUMN_CATEGORY)
      TACIT_TRY(sort_values(column, where, err));
    if (column->n_inputs > TACIT_FEATURES_MAX - features)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: more than 2147483647 model inputs in all; use fewer slots",
                        where);
    column->first = features;
    features += column->n_inputs;
  }
  if (features == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: no column is a model input; declare one with a type other "
                      "than \"ignore\"",
                      where);
  schema->features = features;
  return TACIT_OK;
}

static tacit_status sort_columns(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  schema->by_name = tacit_array_new(schema->n_columns + 1, sizeof *schema->by_name);
  if (schema->by_name == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < schema->n_columns; ++i)
    schema->by_name[i] = (tacit_entry){schema->columns[i].name, i};
  schema->by_name[schema->n_columns] =
      (tacit_entry){schema->label_column, schema->n_columns};
  const char *twice = sort_entries(schema->by_name, schema->n_columns + 1);
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(twice, 40, name);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: column '%s' is declared twice (the label stands in \"label\" "
                    "only)",
                    where, name);
}

/* Room for the longest number after a column's name. */
enum { NUMBER_ROOM = 24 };

static size_t name_room(const tacit_schema *schema) {
  if (schema->kind != TACIT_SCHEMA_CSV) return schema->features * NUMBER_ROOM;
  size_t room = 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    room += column->n_inputs * (strlen(column->name) + NUMBER_ROOM);
    for (size_t j = 0; j < column->n_values; ++j)
      room += strlen(column->values[j]);
    if (room > TACIT_NAMES_BYTES) break;
  }
  return room;
}

static size_t write_name(const tacit_column *column, size_t slot, char *out,
                         size_t room) {
  int size = 0;
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC: size = snprintf(out, room, "%s", column->name); break;
  case TACIT_COLUMN_CATEGORY:
    size = snprintf(out, room, "%s=%s", column->name,
                    slot < column->n_values ? column->values[slot] : "other");
    break;
  case TACIT_COLUMN_HASHED:
    size = snprintf(out, room, "%s#%zu", column->name, slot);
    break;
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return (size_t)size + 1;
}

/* Writes "f" and a number; returns the bytes used, with the NUL. There may be a million
   of them, and snprintf is too slow for that. */
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

static tacit_status name_inputs(tacit_schema *schema, tacit_error *err) {
  if (schema->features > TACIT_NAMED_FEATURES) return TACIT_OK;
  size_t room = name_room(schema), used = 0;
  if (room > TACIT_NAMES_BYTES) return TACIT_OK;
  schema->names = tacit_array_new(room, 1);
  schema->name_start = tacit_array_new(schema->features, sizeof *schema->name_start);
  if (schema->names == NULL || schema->name_start == NULL)
    return tacit_fail_memory(err);
  if (schema->kind != TACIT_SCHEMA_CSV) {
    for (size_t i = 0; i < schema->features; ++i) {
      schema->name_start[i] = used;
      used += write_number_name(i + 1, schema->names + used);
    }
    return TACIT_OK;
  }
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    for (size_t j = 0; j < column->n_inputs; ++j) {
      schema->name_start[column->first + j] = used;
      used += write_name(column, j, schema->names + used, room - used);
    }
  }
  return TACIT_OK;
}

static tacit_status sort_classes(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  const char *twice;
  TACIT_TRY(sort_texts(schema->classes, schema->n_classes, &schema->class_sorted,
                       &schema->class_lookup, &twice, err));
  if (twice == NULL) return TACIT_OK;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(twice, 40, name);
  return tacit_fail(err, TACIT_EDATA, "%s: label: class '%s' is declared twice", where,
                    name);
}

/* Classes without names are named by their labels. */
static tacit_status name_classes(tacit_schema *schema, tacit_error *err) {
  schema->classes = tacit_array_new(schema->n_classes, sizeof *schema->classes);
  if (schema->classes == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < schema->n_classes; ++i) {
    char name[NUMBER_ROOM];
    (void)snprintf(name, sizeof name, schema->n_classes == 2 ? "%+.0f" : "%.0f",
                   tacit_schema_class_label(schema, i));
    schema->classes[i] = tacit_string_copy(name);
    if (schema->classes[i] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

tacit_status tacit_schema_finish(tacit_schema *schema, const char *where,
                                 tacit_error *err) {
  int is_csv = schema->kind == TACIT_SCHEMA_CSV;
  if (is_csv) {
    TACIT_TRY(place_columns(schema, where, err));
    TACIT_TRY(sort_columns(schema, where, err));
  }
  if (schema->label_kind == TACIT_LABEL_CLASSES)
    TACIT_TRY(is_csv ? sort_classes(schema, where, err) : name_classes(schema, err));
  return name_inputs(schema, err);
}

/* classes is 0 for a number between label_min and label_max. */
static tacit_status plain_schema(tacit_schema_kind kind, size_t features,
                                 size_t classes, double label_min, double label_max,
                                 tacit_schema **out, tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "schema: out is NULL");
  if (features < 1 || features > TACIT_FEATURES_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "the number of features must be from 1 to 2147483647");
  if (classes == 0 && !(label_min < label_max && isfinite(label_max - label_min)))
    return tacit_fail(err, TACIT_EINVAL,
                      "the bounds of the label must be finite and the first below the "
                      "second");
  tacit_schema *schema = tacit_schema_new(kind);
  if (schema == NULL) return tacit_fail_memory(err);
  schema->features = features;
  schema->n_classes = classes;
  schema->label_kind = classes == 0 ? TACIT_LABEL_NUMBER : TACIT_LABEL_CLASSES;
  schema->label_min = classes == 0 ? label_min : 0;
  schema->label_max = classes == 0 ? label_max : 0;
  tacit_status status = tacit_schema_finish(schema, "schema", err);
  if (status != TACIT_OK) {
    tacit_schema_free(schema);
    return status;
  }
  *out = schema;
  return TACIT_OK;
}

static size_t two_or_none(double label_min, double label_max) {
  return isnan(label_min) && isnan(label_max) ? 2 : 0;
}

tacit_status tacit_schema_libsvm(size_t features, double label_min, double label_max,
                                 tacit_schema **out, tacit_error *err) {
  return plain_schema(TACIT_SCHEMA_LIBSVM, features, two_or_none(label_min, label_max),
                      label_min, label_max, out, err);
}

tacit_status tacit_schema_memory(size_t features, double label_min, double label_max,
                                 tacit_schema **out, tacit_error *err) {
  return plain_schema(TACIT_SCHEMA_MEMORY, features, two_or_none(label_min, label_max),
                      label_min, label_max, out, err);
}

static tacit_status classes_schema(tacit_schema_kind kind, size_t features,
                                   size_t classes, tacit_schema **out,
                                   tacit_error *err) {
  if (classes < 3 || classes > TACIT_CLASSES_MAX)
    return tacit_fail(err, TACIT_EINVAL, "the number of classes must be from 3 to %d",
                      TACIT_CLASSES_MAX);
  return plain_schema(kind, features, classes, 0, 0, out, err);
}

tacit_status tacit_schema_libsvm_classes(size_t features, size_t classes,
                                         tacit_schema **out, tacit_error *err) {
  return classes_schema(TACIT_SCHEMA_LIBSVM, features, classes, out, err);
}

tacit_status tacit_schema_memory_classes(size_t features, size_t classes,
                                         tacit_schema **out, tacit_error *err) {
  return classes_schema(TACIT_SCHEMA_MEMORY, features, classes, out, err);
}

size_t tacit_schema_features(const tacit_schema *schema) {
  return schema != NULL ? schema->features : 0;
}

double tacit_schema_norm_max(const tacit_schema *schema, int bias, double exponent) {
  size_t inputs = bias ? 1 : 0;
  if (schema->kind != TACIT_SCHEMA_CSV) return INFINITY;
  for (size_t i = 0; i < schema->n_columns; ++i)
    inputs += schema->columns[i].n_inputs > 0;
  return pow((double)inputs, 1 / exponent);
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

size_t tacit_schema_classes(const tacit_schema *schema) {
  return schema != NULL ? schema->n_classes : 0;
}

const char *tacit_schema_class(const tacit_schema *schema, int which) {
  if (which < 0 || (size_t)which >= schema->n_classes) return NULL;
  return schema->classes[which];
}

double tacit_schema_class_label(const tacit_schema *schema, size_t which) {
  return schema->n_classes == 2 ? 2 * (double)which - 1 : (double)which;
}

const char *tacit_schema_feature_name(const tacit_schema *schema, size_t index) {
  if (schema->names == NULL || index >= schema->features) return NULL;
  return schema->names + schema->name_start[index];
}
