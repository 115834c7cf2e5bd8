/* SPDX-License-Identifier: MIT */
/* Writes schemas as JSON, in the form that data/schema/json.c reads and with all
   defaults, so that a schema read back is the same schema. */
#include <math.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/schema/parts.h"

/* Makes a JSON number. Writes whole numbers without a fraction, as a person would. */
static json_t *number(double value) {
  if (value == floor(value) && fabs(value) < 9007199254740992.0 &&
      !(value == 0 && signbit(value)))
    return json_integer((json_int_t)value);
  return json_real(value);
}

/* Sets a key. json_object_set_new frees the value and fails also if the value is
   NULL. */
static int set(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0;
}

static int texts_to(json_t *json, const char *key, char *const *texts, size_t count) {
  json_t *list = json_array();
  if (!set(json, key, list)) return 0;
  for (size_t i = 0; i < count; ++i)
    if (json_array_append_new(list, json_string(texts[i])) != 0) return 0;
  return 1;
}

/* Makes the JSON string of a date, such as "2024-12-31". */
static json_t *day(double days) {
  char text[40];
  tacit_date date = tacit_date_of((int64_t)days);
  (void)snprintf(text, sizeof text, "%04d-%02d-%02d", date.year, date.month, date.day);
  return json_string(text);
}

static int curve_to(json_t *json, const tacit_curve *curve) {
  size_t last = curve->n_points - 1;
  if (curve->shape == TACIT_TERM_LINE) return 1;
  json_t *shape = curve->shape == TACIT_TERM_HATS ? json_pack("{s:s}", "kind", "linear")
                                                  : json_integer((json_int_t)last);
  if (curve->shape == TACIT_TERM_STEPS && curve->has_edges)
    json_decref(shape);
  else if (!set(json, "curve", shape))
    return 0;
  if (curve->has_line && !set(shape, "line", json_true())) return 0;
  if (!curve->has_edges)
    return curve->shape == TACIT_TERM_STEPS ||
           set(shape, "knots", json_integer((json_int_t)curve->n_points));
  json_t *edges = json_array();
  if (!set(json, "edges", edges)) return 0;
  for (size_t i = 1; i < last; ++i)
    if (json_array_append_new(edges, number(curve->points[i])) != 0) return 0;
  return 1;
}

static int atoms_to(json_t *json, const tacit_curve *curve) {
  json_t *atoms = json_array();
  int failed = curve->n_atoms > 0 && !set(json, "atoms", json_incref(atoms));
  for (size_t i = 0; i < curve->n_atoms; ++i)
    failed |= json_array_append_new(atoms, number(curve->atoms[i])) != 0;
  json_decref(atoms);
  return !failed;
}

static int missing_to(json_t *json, const tacit_column *column) {
  if (column->missing == TACIT_MISSING_REFUSED) return 1;
  if (column->missing == TACIT_MISSING_OWN)
    return set(json, "missing", json_string("own"));
  json_t *value = column->type == TACIT_COLUMN_BOOL
                      ? json_boolean(column->missing_number != 0)
                  : column->type == TACIT_COLUMN_DATE ? day(column->missing_number)
                  : column->type == TACIT_COLUMN_ORDINAL
                      ? json_string(column->values[(size_t)column->missing_number])
                      : number(column->missing_number);
  return set(json, "missing", value);
}

static int map_to(json_t *json, const tacit_curve *curve) {
  if (curve->map != TACIT_MAP_LINEAR)
    return set(json, "map", json_string(tacit_number_map_name(curve->map)));
  return curve->shape != TACIT_TERM_LINE ||
         set(json, "map", json_pack("[i, i]", curve->low < 0 ? -1 : 0, 1));
}

static int numeric_to(json_t *json, const tacit_column *column) {
  const tacit_curve *curve = &column->curve;
  return set(json, "min", number(curve->min)) && set(json, "max", number(curve->max)) &&
         map_to(json, curve) && curve_to(json, curve) && atoms_to(json, curve) &&
         missing_to(json, column);
}

static int date_to(json_t *json, const tacit_column *column) {
  if (!set(json, "format", json_string(column->format)) ||
      !set(json, "min", day(column->curve.min)) ||
      !set(json, "max", day(column->curve.max)))
    return 0;
  json_t *parts = json_array();
  if (!set(json, "parts", parts)) return 0;
  for (unsigned i = 0; i < TACIT_DATE_PARTS; ++i)
    if ((column->parts & 1u << i) != 0 &&
        json_array_append_new(parts, json_string(tacit_date_part_name(i))) != 0)
      return 0;
  return curve_to(json, &column->curve) && missing_to(json, column);
}

static int promise_to(json_t *json, const tacit_column *column) {
  return column->monotone == 0 ||
         set(json, "monotone", json_string(column->monotone > 0 ? "up" : "down"));
}

static int column_to(json_t *columns, const tacit_column *column) {
  json_t *json = json_object();
  if (json_array_append_new(columns, json) != 0) return 0;
  if (!set(json, "name", json_string(column->name)) ||
      !set(json, "type", json_string(tacit_column_type_name(column->type))))
    return 0;
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC:
    return numeric_to(json, column) && promise_to(json, column);
  case TACIT_COLUMN_CATEGORY:
    return texts_to(json, "values", column->values, column->n_values);
  case TACIT_COLUMN_ORDINAL:
    return texts_to(json, "values", column->values, column->n_values) &&
           missing_to(json, column) && promise_to(json, column);
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_TEXT:
    return set(json, "slots", json_integer((json_int_t)column->n_inputs));
  case TACIT_COLUMN_BOOL: return missing_to(json, column);
  case TACIT_COLUMN_DATE: return date_to(json, column);
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return 1;
}

static int rule_to(json_t *label, const tacit_schema *schema) {
  switch (schema->label_rule) {
  case TACIT_RULE_NAME: break;
  case TACIT_RULE_ABOVE: return set(label, "above", number(schema->label_cut));
  case TACIT_RULE_BELOW: return set(label, "below", number(schema->label_cut));
  case TACIT_RULE_IS:
    return texts_to(label, "is", schema->label_values, schema->n_label_values);
  }
  return 1;
}

static int label_to(json_t *json, const tacit_schema *schema) {
  json_t *label = json_object();
  if (!set(json, "label", label)) return 0;
  if (schema->kind == TACIT_SCHEMA_CSV &&
      !set(label, "column", json_string(schema->label_column)))
    return 0;
  if (!rule_to(label, schema)) return 0;
  if (schema->label_kind == TACIT_LABEL_CLASSES) {
    /* More than two classes without names are written as their number. */
    if (schema->kind != TACIT_SCHEMA_CSV && schema->n_classes > 2)
      return set(label, "classes", json_integer((json_int_t)schema->n_classes));
    return texts_to(label, "classes", schema->classes, schema->n_classes);
  }
  return set(label, "min", number(schema->label_min)) &&
         set(label, "max", number(schema->label_max));
}

int tacit_schema_needs_2(const tacit_schema *schema) {
  if (tacit_schema_weighs(schema) || schema->unit_column != NULL || schema->n_na > 0 ||
      schema->quoted_newlines || schema->n_crosses > 0 || schema->described != NULL ||
      schema->label_rule != TACIT_RULE_NAME)
    return 1;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    int is_new =
        column->type > TACIT_COLUMN_HASHED && column->type < TACIT_COLUMN_IGNORE;
    int is_number = column->type == TACIT_COLUMN_NUMERIC;
    if (is_new || column->missing == TACIT_MISSING_OWN || column->monotone != 0)
      return 1;
    if (is_number &&
        (column->curve.shape != TACIT_TERM_LINE ||
         column->curve.map != TACIT_MAP_LINEAR || column->curve.n_atoms > 0))
      return 1;
  }
  return 0;
}

static int crosses_to(json_t *json, const tacit_schema *schema) {
  json_t *list = json_array();
  if (schema->n_crosses == 0) {
    json_decref(list);
    return 1;
  }
  if (!set(json, "crosses", list)) return 0;
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    const tacit_cross *cross = &schema->crosses[i];
    json_t *columns = json_array();
    json_t *made = cross->slots > 0 ? json_pack("{s:o, s:I}", "columns", columns,
                                                "slots", (json_int_t)cross->slots)
                                    : columns;
    if (json_array_append_new(list, made) != 0) return 0;
    for (size_t j = 0; j < cross->n_columns; ++j) {
      const char *name = schema->columns[cross->columns[j]].name;
      if (json_array_append_new(columns, json_string(name)) != 0) return 0;
    }
  }
  return 1;
}

/* Writes what version 2 adds: weights and rows without a label. */
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
  int version = tacit_schema_needs_2(schema) ? 2 : 1;
  if (!set(json, "tacit_schema", json_integer(version)) ||
      !set(json, "format", json_string(tacit_schema_kind_name(schema->kind))))
    return 0;
  if (schema->kind != TACIT_SCHEMA_CSV)
    return set(json, "features", json_integer((json_int_t)schema->features)) &&
           label_to(json, schema);
  if (!set(json, "delimiter", json_stringn(&schema->delimiter, 1)) ||
      (schema->n_na > 0 && !texts_to(json, "na", schema->na, schema->n_na)) ||
      (schema->quoted_newlines && !set(json, "quoted_newlines", json_true())) ||
      !label_to(json, schema))
    return 0;
  json_t *columns = json_array();
  if (!set(json, "columns", columns)) return 0;
  for (size_t i = 0; i < schema->n_columns; ++i)
    if (schema->columns[i].type <= TACIT_COLUMN_IGNORE &&
        !column_to(columns, &schema->columns[i]))
      return 0;
  if (!crosses_to(json, schema)) return 0;
  if (schema->described != NULL &&
      !set(json, "description", json_deep_copy(schema->described)))
    return 0;
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

tacit_status tacit_schema_to_text(const tacit_schema *schema, char **out,
                                  tacit_error *err) {
  json_t *json = NULL;
  if (schema == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "schema: schema or out is NULL");
  TACIT_TRY(tacit_schema_to_json(schema, &json, err));
  tacit_status status = tacit_json_text(json, 2, out, err);
  json_decref(json);
  return status;
}
