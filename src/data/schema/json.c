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
#include "data/schema/parts.h"
#include "data/schema/schema.h"

tacit_schema_place tacit_schema_place_of(const char *where, const char *part,
                                         const char *name) {
  tacit_schema_place place;
  char shown[TACIT_NAME_BYTES], file[TACIT_NAME_BYTES];
  tacit_name_shorten(where, 100, file);
  tacit_name_shorten(name, 40, shown);
  (void)snprintf(place.text, sizeof place.text, "%s: %s%s%s%s", file, part,
                 *name ? " '" : "", shown, *name ? "'" : "");
  return place;
}

tacit_status tacit_schema_check_keys(const json_t *object, const char *const *known,
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

tacit_status tacit_schema_copy_text(const json_t *value, const char *what,
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

static tacit_status get_bounds(const json_t *object, const char *where, double *out_min,
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

static tacit_status numeric_from(const json_t *json, const char *where,
                                 tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type",    "min", "max",
                                      "map",  "missing", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  TACIT_TRY(get_bounds(json, where, &column->min, &column->max, err));
  column->map_low = -1;
  const json_t *map = json_object_get(json, "map");
  if (map != NULL) {
    const json_t *low = json_array_get(map, 0), *high = json_array_get(map, 1);
    double map_low = json_is_number(low) ? json_number_value(low) : NAN;
    double map_high = json_is_number(high) ? json_number_value(high) : NAN;
    if (json_array_size(map) != 2 || map_high != 1 || !(map_low == -1 || map_low == 0))
      return tacit_fail(err, TACIT_EDATA, "%s: \"map\" must be [-1, 1] or [0, 1]",
                        where);
    column->map_low = map_low < 0 ? -1 : 0;
  }
  const json_t *missing = json_object_get(json, "missing");
  if (missing != NULL) {
    column->missing = json_is_number(missing) ? json_number_value(missing) : NAN;
    if (!(column->missing >= column->min && column->missing <= column->max))
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"missing\" must be a number from min to max", where);
    column->has_missing = 1;
  }
  column->n_inputs = 1;
  return TACIT_OK;
}

static tacit_status category_from(const json_t *json, const char *where,
                                  tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type", "values", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  const json_t *values = json_object_get(json, "values");
  size_t count = json_array_size(values);
  if (count == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"values\" must be a list of at least one value", where);
  column->values = tacit_array_new(count, sizeof *column->values);
  if (column->values == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    TACIT_TRY(tacit_schema_copy_text(json_array_get(values, i), "a value", 1,
                                     TACIT_VALUE_MAX, where, &column->values[i], err));
    column->n_values = i + 1;
    if (strcmp(column->values[i], "other") == 0)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: the value \"other\" is always there for what is not "
                        "declared; leave it out",
                        where);
  }
  column->n_inputs = count + 1;
  return TACIT_OK;
}

static tacit_status hashed_from(const json_t *json, const char *where,
                                tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type", "slots", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  const json_t *slots = json_object_get(json, "slots");
  json_int_t count = json_is_integer(slots) ? json_integer_value(slots) : 0;
  if (count < 1 || count > (json_int_t)TACIT_FEATURES_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"slots\" must be a whole number from 1 to 2147483647",
                      where);
  column->n_inputs = (size_t)count;
  return TACIT_OK;
}

static tacit_status column_from(const json_t *json, size_t number, const char *where,
                                tacit_column *column, tacit_error *err) {
  char part[40];
  (void)snprintf(part, sizeof part, "columns[%zu]", number);
  tacit_schema_place place = tacit_schema_place_of(where, part, "");
  if (!json_is_object(json))
    return tacit_fail(err, TACIT_EDATA, "%s: must be an object", place.text);
  TACIT_TRY(tacit_schema_copy_text(json_object_get(json, "name"), "\"name\"", 0,
                                   TACIT_COLUMN_NAME_MAX, place.text, &column->name,
                                   err));
  place = tacit_schema_place_of(where, "column", column->name);
  const char *type = json_string_value(json_object_get(json, "type"));
  if (type != NULL && strcmp(type, "numeric") == 0) {
    column->type = TACIT_COLUMN_NUMERIC;
    return numeric_from(json, place.text, column, err);
  }
  if (type != NULL && strcmp(type, "category") == 0) {
    column->type = TACIT_COLUMN_CATEGORY;
    return category_from(json, place.text, column, err);
  }
  if (type != NULL && strcmp(type, "hashed") == 0) {
    column->type = TACIT_COLUMN_HASHED;
    return hashed_from(json, place.text, column, err);
  }
  if (type != NULL && strcmp(type, "ignore") == 0) {
    /* Keys of other types are allowed, so that changing one word switches a column
       off. */
    static const char *const known[] = {"name",    "type",   "min",   "max", "map",
                                        "missing", "values", "slots", NULL};
    column->type = TACIT_COLUMN_IGNORE;
    return tacit_schema_check_keys(json, known, place.text, err);
  }
  return tacit_fail(err, TACIT_EDATA,
                    "%s: \"type\" must be \"numeric\", \"category\", \"hashed\" or "
                    "\"ignore\"",
                    place.text);
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
    TACIT_TRY(tacit_schema_copy_text(name, "a class", 0, TACIT_VALUE_MAX, where,
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
  tacit_schema_place place = tacit_schema_place_of(where, "label", "");
  if (!json_is_object(label))
    return tacit_fail(err, TACIT_EDATA, "%s: \"label\" must be an object", where);
  int is_csv = schema->kind == TACIT_SCHEMA_CSV;
  TACIT_TRY(tacit_schema_check_keys(label, is_csv ? known_csv : known_csv + 1,
                                    place.text, err));
  if (is_csv)
    TACIT_TRY(tacit_schema_copy_text(json_object_get(label, "column"), "\"column\"", 0,
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
  return get_bounds(label, place.text, &schema->label_min, &schema->label_max, err);
}

static tacit_status columns_from(const json_t *columns, const char *where,
                                 tacit_schema *schema, tacit_error *err) {
  size_t count = json_array_size(columns);
  if (count == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"columns\" must be a list of at least one column", where);
  schema->columns = tacit_array_new(count, sizeof *schema->columns);
  if (schema->columns == NULL) return tacit_fail_memory(err);
  schema->n_columns = count;
  for (size_t i = 0; i < count; ++i)
    TACIT_TRY(
        column_from(json_array_get(columns, i), i, where, &schema->columns[i], err));
  return TACIT_OK;
}

static tacit_status csv_from(const json_t *json, const char *where,
                             tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"tacit_schema",  "format",  "delimiter",
                                      "label",         "columns", "weight",
                                      "missing_label", "unit",    NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  const json_t *delimiter = json_object_get(json, "delimiter");
  if (delimiter != NULL) {
    const char *text = json_string_value(delimiter);
    if (text == NULL || !tacit_is_delimiter(text[0]) || text[1] != '\0')
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"delimiter\" must be one of , ; | : or \\t", where);
    schema->delimiter = text[0];
  }
  TACIT_TRY(label_from(json_object_get(json, "label"), where, schema, err));
  TACIT_TRY(columns_from(json_object_get(json, "columns"), where, schema, err));
  return tacit_schema_weights_from(json, where, schema, err);
}

static tacit_status plain_from(const json_t *json, const char *where,
                               tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"tacit_schema", "format", "features", "label",
                                      NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
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
