/* SPDX-License-Identifier: MIT */
/* Reads the columns of a schema from JSON, for types whose cells are texts.
   data/schema/numbers.c reads columns of numbers and dates. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"

/* Takes "other" out of the values, because the last input of a category is for all
   values that are not declared, and so also for "other". */
static void take_other(tacit_column *column) {
  size_t kept = 0;
  for (size_t i = 0; i < column->n_values; ++i) {
    if (strcmp(column->values[i], "other") == 0) {
      column->has_other = 1;
      tacit_array_free(column->values[i]);
    } else {
      column->values[kept++] = column->values[i];
    }
  }
  column->n_values = kept;
}

static tacit_status category_from(const json_t *json, const char *where,
                                  tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type", "values", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  const json_t *values = json_object_get(json, "values");
  if (json_is_null(values))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: values are not filled in: give those you know without "
                      "looking at the data",
                      where);
  if (json_array_size(values) == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"values\" must be a list of at least one value", where);
  TACIT_TRY(tacit_schema_copy_texts(values, "a value", 1, where, &column->values,
                                    &column->n_values, err));
  take_other(column);
  if (column->n_values == 0)
    return tacit_fail(
        err, TACIT_EDATA,
        "%s: \"values\" must have a value besides \"other\", which is there "
        "anyway for what is not declared",
        where);
  column->n_inputs = column->n_values + 1;
  return TACIT_OK;
}

/* Reads "slots" of a hashed column or of text. */
static tacit_status slots_from(const json_t *json, const char *where,
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

/* Returns 1 if "missing" is "own": missing cells have their own input. */
static int is_own(const json_t *missing) {
  const char *text = json_string_value(missing);
  return text != NULL && strcmp(text, "own") == 0;
}

static tacit_status bool_from(const json_t *json, const char *where,
                              tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name", "type", "missing", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  const json_t *missing = json_object_get(json, "missing");
  if (missing != NULL && !json_is_boolean(missing) && !is_own(missing))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"missing\" must be true, false or \"own\"", where);
  if (missing != NULL)
    column->missing = is_own(missing) ? TACIT_MISSING_OWN : TACIT_MISSING_VALUE;
  column->missing_number = json_is_true(missing);
  column->n_inputs = 1 + (column->missing == TACIT_MISSING_OWN);
  return TACIT_OK;
}

/* Reads "missing" of an ordinal column: one of its values, or "own". If a value is
   called "own", that value is meant. */
static tacit_status missing_level(const json_t *missing, const char *where,
                                  tacit_column *column, tacit_error *err) {
  const char *text = json_string_value(missing);
  for (size_t i = 0; text != NULL && i < column->n_values; ++i) {
    if (strcmp(column->values[i], text) != 0) continue;
    column->missing = TACIT_MISSING_VALUE;
    column->missing_number = (double)i;
    return TACIT_OK;
  }
  column->missing = TACIT_MISSING_OWN;
  return is_own(missing) ? TACIT_OK
                         : tacit_fail(err, TACIT_EDATA,
                                      "%s: \"missing\" must be one of the values or "
                                      "\"own\"",
                                      where);
}

static tacit_status ordinal_from(const json_t *json, const char *where,
                                 tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name",    "type",     "values",
                                      "missing", "monotone", NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  TACIT_TRY(tacit_schema_monotone_from(json, where, &column->monotone, err));
  const json_t *values = json_object_get(json, "values");
  size_t count = json_array_size(values);
  if (count < 2 || count > TACIT_LEVELS_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"values\" must be a list of 2 to %d values, the lowest "
                      "first",
                      where, TACIT_LEVELS_MAX);
  TACIT_TRY(tacit_schema_copy_texts(values, "a value", 0, where, &column->values,
                                    &column->n_values, err));
  const json_t *missing = json_object_get(json, "missing");
  if (missing != NULL) TACIT_TRY(missing_level(missing, where, column, err));
  column->n_inputs = count - 1 + (column->missing == TACIT_MISSING_OWN);
  return TACIT_OK;
}

/* Reads a column of type ignore. Allows the keys of other types, so that changing one
   word switches a column off. */
static tacit_status ignore_from(const json_t *json, const char *where,
                                tacit_column *column, tacit_error *err) {
  static const char *const known[] = {"name",  "type",  "min",    "max",      "map",
                                      "curve", "edges", "atoms",  "missing",  "values",
                                      "slots", "parts", "format", "monotone", NULL};
  (void)column;
  return tacit_schema_check_keys(json, known, where, err);
}

static tacit_status type_from(const json_t *json, const char *where,
                              tacit_column *column, tacit_error *err) {
  static tacit_status (*const readers[])(const json_t *, const char *, tacit_column *,
                                         tacit_error *) = {
      [TACIT_COLUMN_NUMERIC] = tacit_schema_numeric_from,
      [TACIT_COLUMN_CATEGORY] = category_from,
      [TACIT_COLUMN_HASHED] = slots_from,
      [TACIT_COLUMN_BOOL] = bool_from,
      [TACIT_COLUMN_ORDINAL] = ordinal_from,
      [TACIT_COLUMN_DATE] = tacit_schema_date_from,
      [TACIT_COLUMN_TEXT] = slots_from,
      [TACIT_COLUMN_IGNORE] = ignore_from};
  const char *text = json_string_value(json_object_get(json, "type"));
  for (int type = 0; text != NULL && type <= TACIT_COLUMN_IGNORE; ++type) {
    if (strcmp(text, tacit_column_type_name((tacit_column_type)type)) != 0) continue;
    column->type = (tacit_column_type)type;
    return readers[type](json, where, column, err);
  }
  return tacit_fail(err, TACIT_EDATA,
                    "%s: \"type\" must be \"numeric\", \"category\", \"hashed\", "
                    "\"bool\", \"ordinal\", \"date\", \"text\" or \"ignore\"",
                    where);
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
  return type_from(json, place.text, column, err);
}

tacit_status tacit_schema_columns_from(const json_t *columns, const char *where,
                                       tacit_schema *schema, tacit_error *err) {
  size_t count = json_array_size(columns);
  if (count == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"columns\" must be a list of at least one column", where);
  TACIT_TRY(TACIT_NEW(schema->columns, count, err));
  schema->n_columns = count;
  for (size_t i = 0; i < count; ++i)
    TACIT_TRY(
        column_from(json_array_get(columns, i), i, where, &schema->columns[i], err));
  return TACIT_OK;
}
