/* SPDX-License-Identifier: MIT */
/* Reads what version 2 adds to a schema: the columns of weights and of ids, and rows
   without a label. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"

tacit_status tacit_schema_special_column(tacit_schema *schema, char *name,
                                         tacit_column_type type, const char *where,
                                         const char **out_name, tacit_error *err) {
  size_t i = 0;
  while (i < schema->n_columns && strcmp(schema->columns[i].name, name) != 0)
    ++i;
  if (i == schema->n_columns) {
    tacit_column *larger = tacit_array_grow(schema->columns, i + 1, sizeof *larger);
    if (larger == NULL) {
      tacit_array_free(name);
      return tacit_fail_memory(err);
    }
    schema->columns = larger;
    larger[i] = (tacit_column){.name = name, .type = TACIT_COLUMN_IGNORE};
    schema->n_columns = i + 1;
  } else {
    tacit_array_free(name);
  }
  if (schema->columns[i].type != TACIT_COLUMN_IGNORE)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its column is not a feature: give it the type \"ignore\", "
                      "or leave it out of \"columns\"",
                      where);
  schema->columns[i].type = type;
  *out_name = schema->columns[i].name;
  return TACIT_OK;
}

static tacit_status weight_from(const json_t *weight, const char *where,
                                tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"column", "max", NULL};
  tacit_schema_place place = tacit_schema_place_of(where, "weight", "");
  if (!json_is_object(weight))
    return tacit_fail(err, TACIT_EDATA, "%s: \"weight\" must be an object", where);
  TACIT_TRY(tacit_schema_check_keys(weight, known, place.text, err));
  double max = json_number_value(json_object_get(weight, "max"));
  if (!(max >= 1e-100 && max <= 1e100))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"max\" must be a number from 1e-100 to 1e100: the largest "
                      "weight, known without looking at the data",
                      place.text);
  char *name = NULL;
  TACIT_TRY(tacit_schema_copy_text(json_object_get(weight, "column"), "\"column\"", 0,
                                   TACIT_COLUMN_NAME_MAX, place.text, &name, err));
  schema->weight_max = max;
  return tacit_schema_special_column(schema, name, TACIT_COLUMN_WEIGHT, place.text,
                                     &schema->weight_column, err);
}

static tacit_status unit_from(const json_t *unit, const char *where,
                              tacit_schema *schema, tacit_error *err) {
  tacit_schema_place place = tacit_schema_place_of(where, "unit", "");
  char *name = NULL;
  TACIT_TRY(tacit_schema_copy_text(unit, "\"unit\"", 0, TACIT_COLUMN_NAME_MAX, where,
                                   &name, err));
  return tacit_schema_special_column(schema, name, TACIT_COLUMN_UNIT, place.text,
                                     &schema->unit_column, err);
}

tacit_status tacit_schema_weights_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err) {
  const json_t *missing = json_object_get(json, "missing_label");
  const json_t *weight = json_object_get(json, "weight");
  if (missing != NULL) {
    const char *text = json_string_value(missing);
    if (text == NULL || strcmp(text, "skip") != 0)
      return tacit_fail(err, TACIT_EDATA, "%s: \"missing_label\" must be \"skip\"",
                        where);
    schema->skips_missing_label = 1;
  }
  const json_t *unit = json_object_get(json, "unit");
  if (unit != NULL) TACIT_TRY(unit_from(unit, where, schema, err));
  return weight != NULL ? weight_from(weight, where, schema, err) : TACIT_OK;
}
