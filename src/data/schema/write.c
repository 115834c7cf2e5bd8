/* SPDX-License-Identifier: MIT */
/* Schemas to JSON, in the form that json.c reads and with all defaults written out, so
   that a schema read back is the same schema. */
#include <math.h>

#include "base/error.h"
#include "data/schema/schema.h"

/* Whole numbers are written without a fraction, as a person would. */
static json_t *number(double value) {
  if (value == floor(value) && fabs(value) < 9007199254740992.0 &&
      !(value == 0 && signbit(value)))
    return json_integer((json_int_t)value);
  return json_real(value);
}

/* json_object_set_new frees the value and returns -1 on any failure, NULL included. */
static int set(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0;
}

static int numeric_to(json_t *json, const tacit_column *column) {
  return set(json, "min", number(column->min)) &&
         set(json, "max", number(column->max)) &&
         set(json, "map", json_pack("[i, i]", column->map_low < 0 ? -1 : 0, 1)) &&
         (!column->has_missing || set(json, "missing", number(column->missing)));
}

static int texts_to(json_t *json, const char *key, char *const *texts, size_t count) {
  json_t *list = json_array();
  if (!set(json, key, list)) return 0;
  for (size_t i = 0; i < count; ++i) {
    if (json_array_append_new(list, json_string(texts[i])) != 0) return 0;
  }
  return 1;
}

static int column_to(json_t *columns, const tacit_column *column) {
  json_t *json = json_object();
  if (json_array_append_new(columns, json) != 0) return 0;
  if (!set(json, "name", json_string(column->name)) ||
      !set(json, "type", json_string(tacit_column_type_name(column->type))))
    return 0;
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC: return numeric_to(json, column);
  case TACIT_COLUMN_CATEGORY:
    return texts_to(json, "values", column->values, column->n_values);
  case TACIT_COLUMN_HASHED:
    return set(json, "slots", json_integer((json_int_t)column->n_inputs));
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return 1;
}

static int label_to(json_t *json, const tacit_schema *schema) {
  json_t *label = json_object();
  if (!set(json, "label", label)) return 0;
  if (schema->kind == TACIT_SCHEMA_CSV &&
      !set(label, "column", json_string(schema->label_column)))
    return 0;
  if (schema->label_kind == TACIT_LABEL_CLASSES) {
    /* More than two classes without names: their number is enough. */
    if (schema->kind != TACIT_SCHEMA_CSV && schema->n_classes > 2)
      return set(label, "classes", json_integer((json_int_t)schema->n_classes));
    return texts_to(label, "classes", schema->classes, schema->n_classes);
  }
  return set(label, "min", number(schema->label_min)) &&
         set(label, "max", number(schema->label_max));
}

/* What version 2 adds. */
static int weights_to(json_t *json, const tacit_schema *schema) {
  if (schema->skips_missing_label && !set(json, "missing_label", json_string("skip")))
    return 0;
  if (schema->weight_column == NULL) return 1;
  json_t *weight = json_object();
  return set(json, "weight", weight) &&
         set(weight, "column", json_string(schema->weight_column)) &&
         set(weight, "max", number(schema->weight_max));
}

static int schema_to(json_t *json, const tacit_schema *schema) {
  int version = tacit_schema_weighs(schema) || schema->unit_column != NULL ? 2 : 1;
  if (!set(json, "tacit_schema", json_integer(version)) ||
      !set(json, "format", json_string(tacit_schema_kind_name(schema->kind))))
    return 0;
  if (schema->kind != TACIT_SCHEMA_CSV)
    return set(json, "features", json_integer((json_int_t)schema->features)) &&
           label_to(json, schema);
  if (!set(json, "delimiter", json_stringn(&schema->delimiter, 1)) ||
      !label_to(json, schema))
    return 0;
  json_t *columns = json_array();
  if (!set(json, "columns", columns)) return 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    if (schema->columns[i].type <= TACIT_COLUMN_IGNORE &&
        !column_to(columns, &schema->columns[i]))
      return 0;
  }
  if (schema->unit_column != NULL &&
      !set(json, "unit", json_string(schema->unit_column)))
    return 0;
  return weights_to(json, schema);
}

tacit_status tacit_schema_to_json(const tacit_schema *schema, json_t **out,
                                  tacit_error *err) {
  json_t *json = json_object();
  if (json == NULL) return tacit_fail_memory(err);
  if (!schema_to(json, schema)) {
    json_decref(json);
    return tacit_fail_memory(err);
  }
  *out = json;
  return TACIT_OK;
}
