/* SPDX-License-Identifier: MIT */
/* The columns of a schema, from JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/json_parts.h"

static tacit_status numeric_from(const json_t *json, const char *where,
                                 tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type",    "min", "max",
                                      "map",  "missing", NULL};
  TACIT_TRY(tacit_json_check_keys(json, known, where, err));
  TACIT_TRY(tacit_json_bounds(json, where, &column->min, &column->max, err));
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
  TACIT_TRY(tacit_json_check_keys(json, known, where, err));
  const json_t *values = json_object_get(json, "values");
  size_t count = json_array_size(values);
  if (count == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"values\" must be a list of at least one value", where);
  column->values = tacit_array_new(count, sizeof *column->values);
  if (column->values == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    TACIT_TRY(tacit_json_copy_text(json_array_get(values, i), "a value", 1,
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
  TACIT_TRY(tacit_json_check_keys(json, known, where, err));
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
  tacit_place place = tacit_place_of(where, part, "");
  if (!json_is_object(json))
    return tacit_fail(err, TACIT_EDATA, "%s: must be an object", place.text);
  TACIT_TRY(tacit_json_copy_text(json_object_get(json, "name"), "\"name\"", 0,
                                 TACIT_COLUMN_NAME_MAX, place.text, &column->name,
                                 err));
  place = tacit_place_of(where, "column", column->name);
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
    return tacit_json_check_keys(json, known, place.text, err);
  }
  return tacit_fail(err, TACIT_EDATA,
                    "%s: \"type\" must be \"numeric\", \"category\", \"hashed\" or "
                    "\"ignore\"",
                    place.text);
}

tacit_status tacit_schema_columns(const json_t *columns, const char *where,
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
