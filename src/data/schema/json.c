/* SPDX-License-Identifier: MIT */
/* Schemas from JSON. Everything is checked: types, ranges, sizes, unknown keys. Every
   message starts with the file and names the column and the key. docs/howto/schema.md
   describes the format. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/schema/json_parts.h"

tacit_place tacit_place_of(const char *where, const char *part, const char *name) {
  tacit_place place;
  char shown[TACIT_NAME_BYTES], file[TACIT_NAME_BYTES];
  tacit_name_shorten(where, 100, file);
  tacit_name_shorten(name, 40, shown);
  (void)snprintf(place.text, sizeof place.text, "%s: %s%s%s%s", file, part,
                 *name ? " '" : "", shown, *name ? "'" : "");
  return place;
}

tacit_status tacit_json_check_keys(const json_t *object, const char *const *known,
                                   const char *where, tacit_error *err) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    if (strcmp(key, "note") == 0) {
      if (json_is_string(value)) continue;
      return tacit_fail(err, TACIT_EDATA, "%s: \"note\" must be a string", where);
    }
    size_t i = 0;
    while (known[i] != NULL && strcmp(known[i], key) != 0)
      ++i;
    if (known[i] != NULL) continue;
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(key, 30, shown);
    return tacit_fail(err, TACIT_EDATA, "%s: unknown key \"%s\"", where, shown);
  }
  return TACIT_OK;
}

/* Copies a string of at most `max` bytes, at least 1 unless it may be empty, without
   control characters. */
tacit_status tacit_json_copy_text(const json_t *value, const char *what,
                                  int may_be_empty, size_t max, const char *where,
                                  char **out, tacit_error *err) {
  const char *text = json_string_value(value);
  if (text == NULL)
    return tacit_fail(err, TACIT_EDATA, "%s: %s must be a string", where, what);
  size_t size = json_string_length(value);
  if (size > max || (size == 0 && !may_be_empty))
    return tacit_fail(err, TACIT_EDATA, "%s: %s must have %d to %zu bytes", where, what,
                      may_be_empty ? 0 : 1, max);
  for (size_t i = 0; i < size; ++i) {
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
      return tacit_fail(err, TACIT_EDATA, "%s: %s holds a control character", where,
                        what);
  }
  *out = tacit_string_copy(text);
  return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_json_bounds(const json_t *object, const char *where, double *out_min,
                               double *out_max, tacit_error *err) {
  const json_t *min = json_object_get(object, "min");
  const json_t *max = json_object_get(object, "max");
  if (json_is_null(min) || json_is_null(max))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: min and max are not filled in: give bounds you know "
                      "without looking at the data",
                      where);
  if (!json_is_number(min) || !json_is_number(max))
    return tacit_fail(err, TACIT_EDATA, "%s: \"min\" and \"max\" must be numbers",
                      where);
  double low = json_number_value(min), high = json_number_value(max);
  if (!(low < high) || !isfinite(high - low))
    return tacit_fail(err, TACIT_EDATA, "%s: \"min\" must be below \"max\"", where);
  *out_min = low;
  *out_max = high;
  return TACIT_OK;
}

/* The names of the classes as they appear in a CSV file. */
static tacit_status class_names_from(const json_t *classes, const char *where,
                                     tacit_schema *schema, tacit_error *err) {
  size_t count = json_array_size(classes);
  if (count < 2 || count > TACIT_CLASSES_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"classes\" must be a list of 2 to %d values; of two, the "
                      "negative class comes first",
                      where, TACIT_CLASSES_MAX);
  schema->classes = tacit_array_new(count, sizeof *schema->classes);
  if (schema->classes == NULL) return tacit_fail_memory(err);
  schema->n_classes = count;
  for (size_t i = 0; i < count; ++i) {
    const json_t *name = json_array_get(classes, i);
    if (json_is_null(name))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: the classes are not filled in: give the values of the "
                        "label, or min and max for a number",
                        where);
    TACIT_TRY(tacit_json_copy_text(name, "a class", 0, TACIT_VALUE_MAX, where,
                                   &schema->classes[i], err));
  }
  return TACIT_OK;
}

static int is_text(const json_t *value, const char *text) {
  return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* Classes named by their labels: ["-1", "+1"], or a number of classes, labelled from
   0. */
static tacit_status class_count_from(const json_t *classes, const char *where,
                                     tacit_schema *schema, tacit_error *err) {
  json_int_t count = json_is_integer(classes) ? json_integer_value(classes) : 0;
  if (json_array_size(classes) == 2 && is_text(json_array_get(classes, 0), "-1") &&
      is_text(json_array_get(classes, 1), "+1")) {
    schema->n_classes = 2;
  } else if (count >= 3 && count <= TACIT_CLASSES_MAX) {
    schema->n_classes = (size_t)count;
  } else {
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"classes\" must be [\"-1\", \"+1\"] or a whole number from "
                      "3 to %d",
                      where, TACIT_CLASSES_MAX);
  }
  return TACIT_OK;
}

static tacit_status label_from(const json_t *label, const char *where,
                               tacit_schema *schema, tacit_error *err) {
  static const char *const known_csv[] = {"column", "classes", "min", "max", NULL};
  tacit_place place = tacit_place_of(where, "label", "");
  if (!json_is_object(label))
    return tacit_fail(err, TACIT_EDATA, "%s: \"label\" must be an object", where);
  int is_csv = schema->kind == TACIT_SCHEMA_CSV;
  TACIT_TRY(tacit_json_check_keys(label, is_csv ? known_csv : known_csv + 1, place.text,
                                  err));
  if (is_csv)
    TACIT_TRY(tacit_json_copy_text(json_object_get(label, "column"), "\"column\"", 0,
                                   TACIT_COLUMN_NAME_MAX, place.text,
                                   &schema->label_column, err));
  const json_t *classes = json_object_get(label, "classes");
  int has_bounds =
      json_object_get(label, "min") != NULL || json_object_get(label, "max") != NULL;
  if ((classes != NULL) == has_bounds)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: give either \"classes\" or \"min\" and \"max\"", place.text);
  if (classes != NULL) {
    schema->label_kind = TACIT_LABEL_CLASSES;
    return is_csv ? class_names_from(classes, place.text, schema, err)
                  : class_count_from(classes, place.text, schema, err);
  }
  schema->label_kind = TACIT_LABEL_NUMBER;
  return tacit_json_bounds(label, place.text, &schema->label_min, &schema->label_max,
                           err);
}

/* "unit" and "weight" name columns that are not features: one of the columns, if its
   type is "ignore", or one more. */
static tacit_status own_column(const json_t *name, tacit_column_type type,
                               const char *key, const char *where, tacit_schema *schema,
                               const char **out, tacit_error *err) {
  char *text = NULL;
  TACIT_TRY(
      tacit_json_copy_text(name, key, 0, TACIT_COLUMN_NAME_MAX, where, &text, err));
  size_t i = 0;
  while (i < schema->n_columns && strcmp(schema->columns[i].name, text) != 0)
    ++i;
  if (i == schema->n_columns) {
    tacit_column *larger = tacit_array_grow(schema->columns, i + 1, sizeof *larger);
    if (larger == NULL) {
      tacit_array_free(text);
      return tacit_fail_memory(err);
    }
    schema->columns = larger;
    larger[i] = (tacit_column){.name = text, .type = TACIT_COLUMN_IGNORE};
    schema->n_columns = i + 1;
  } else {
    tacit_array_free(text);
  }
  if (schema->columns[i].type != TACIT_COLUMN_IGNORE)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its column is not a feature: give it the type \"ignore\", "
                      "or leave it out of \"columns\"",
                      where);
  schema->columns[i].type = type;
  *out = schema->columns[i].name;
  return TACIT_OK;
}

static tacit_status unit_from(const json_t *unit, const char *where,
                              tacit_schema *schema, tacit_error *err) {
  tacit_place place = tacit_place_of(where, "unit", "");
  if (unit == NULL) return TACIT_OK;
  return own_column(unit, TACIT_COLUMN_UNIT, "\"unit\"", place.text, schema,
                    &schema->unit_column, err);
}

static tacit_status weight_from(const json_t *weight, const char *where,
                                tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"column", "max", NULL};
  tacit_place place = tacit_place_of(where, "weight", "");
  if (weight == NULL) return TACIT_OK;
  if (!json_is_object(weight))
    return tacit_fail(err, TACIT_EDATA, "%s: \"weight\" must be an object", where);
  TACIT_TRY(tacit_json_check_keys(weight, known, place.text, err));
  double max = json_number_value(json_object_get(weight, "max"));
  if (!(max >= 1e-100 && max <= 1e100))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"max\" must be a number from 1e-100 to 1e100: the largest "
                      "weight, known without looking at the data",
                      place.text);
  schema->weight_max = max;
  return own_column(json_object_get(weight, "column"), TACIT_COLUMN_WEIGHT,
                    "\"column\"", place.text, schema, &schema->weight_column, err);
}

static tacit_status missing_from(const json_t *missing, const char *where,
                                 tacit_schema *schema, tacit_error *err) {
  if (missing == NULL) return TACIT_OK;
  const char *text = json_string_value(missing);
  if (text == NULL || strcmp(text, "skip") != 0)
    return tacit_fail(err, TACIT_EDATA, "%s: \"missing_label\" must be \"skip\"",
                      where);
  schema->skips_missing_label = 1;
  return TACIT_OK;
}

static tacit_status csv_from(const json_t *json, const char *where,
                             tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"tacit_schema",  "format",  "delimiter",
                                      "label",         "columns", "weight",
                                      "missing_label", "unit",    NULL};
  TACIT_TRY(tacit_json_check_keys(json, known, where, err));
  const json_t *delimiter = json_object_get(json, "delimiter");
  if (delimiter != NULL) {
    const char *text = json_string_value(delimiter);
    if (text == NULL || !tacit_is_delimiter(text[0]) || text[1] != '\0')
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"delimiter\" must be one of , ; | : or \\t", where);
    schema->delimiter = text[0];
  }
  TACIT_TRY(label_from(json_object_get(json, "label"), where, schema, err));
  TACIT_TRY(tacit_schema_columns(json_object_get(json, "columns"), where, schema, err));
  TACIT_TRY(unit_from(json_object_get(json, "unit"), where, schema, err));
  TACIT_TRY(missing_from(json_object_get(json, "missing_label"), where, schema, err));
  return weight_from(json_object_get(json, "weight"), where, schema, err);
}

static tacit_status plain_from(const json_t *json, const char *where,
                               tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"tacit_schema", "format", "features", "label",
                                      NULL};
  TACIT_TRY(tacit_json_check_keys(json, known, where, err));
  const json_t *features = json_object_get(json, "features");
  json_int_t count = json_is_integer(features) ? json_integer_value(features) : 0;
  if (count < 1 || count > (json_int_t)TACIT_FEATURES_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"features\" must be a whole number from 1 to 2147483647",
                      where);
  schema->features = (size_t)count;
  return label_from(json_object_get(json, "label"), where, schema, err);
}

static tacit_status kind_from(const json_t *json, const char *where,
                              tacit_schema_kind *out, tacit_error *err) {
  if (!json_is_object(json))
    return tacit_fail(err, TACIT_EDATA, "%s: a schema must be a JSON object", where);
  const json_t *version = json_object_get(json, "tacit_schema");
  json_int_t number = json_is_integer(version) ? json_integer_value(version) : 0;
  if (number != 1 && number != 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"tacit_schema\": 1 or 2 is missing; this library reads "
                      "these versions",
                      where);
  if (number == 1 && (json_object_get(json, "weight") != NULL ||
                      json_object_get(json, "missing_label") != NULL ||
                      json_object_get(json, "unit") != NULL))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"weight\", \"missing_label\" and \"unit\" need version 2: "
                      "\"tacit_schema\": 2",
                      where);
  const json_t *format = json_object_get(json, "format");
  if (format == NULL) {
    *out = TACIT_SCHEMA_CSV;
    return TACIT_OK;
  }
  const char *text = json_string_value(format);
  for (int kind = TACIT_SCHEMA_CSV; text != NULL && kind <= TACIT_SCHEMA_MEMORY;
       ++kind) {
    if (strcmp(text, tacit_schema_kind_name((tacit_schema_kind)kind)) != 0) continue;
    *out = (tacit_schema_kind)kind;
    return TACIT_OK;
  }
  return tacit_fail(err, TACIT_EDATA,
                    "%s: \"format\" must be \"csv\", \"libsvm\" or \"memory\"", where);
}

tacit_status tacit_schema_from_json(const json_t *json, const char *where,
                                    tacit_schema **out, tacit_error *err) {
  tacit_schema_kind kind = TACIT_SCHEMA_CSV;
  TACIT_TRY(kind_from(json, where, &kind, err));
  tacit_schema *schema = tacit_schema_new(kind);
  if (schema == NULL) return tacit_fail_memory(err);
  tacit_status status = kind == TACIT_SCHEMA_CSV ? csv_from(json, where, schema, err)
                                                 : plain_from(json, where, schema, err);
  if (status == TACIT_OK) status = tacit_schema_finish(schema, where, err);
  if (status != TACIT_OK) {
    tacit_schema_free(schema);
    return status;
  }
  *out = schema;
  return TACIT_OK;
}
