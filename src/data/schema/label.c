/* SPDX-License-Identifier: MIT */
/* Reads the label of a schema: classes by name, classes by a rule, or a number. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"

/* Reads the names of the classes as they appear in a CSV file. */
static tacit_status class_names_from(const json_t *classes, const char *where,
                                     tacit_schema *schema, tacit_error *err) {
  size_t count = json_array_size(classes);
  if (count < 2 || count > TACIT_CLASSES_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"classes\" must be a list of 2 to %d values; of two, the "
                      "negative class comes first",
                      where, TACIT_CLASSES_MAX);
  TACIT_TRY(TACIT_NEW(schema->classes, count, err));
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

/* Reads the classes of a file that is not CSV: ["-1", "+1"], or the number of classes,
   whose labels are 0, 1, 2 and so on. */
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

/* Names the classes of a rule without names, for example "<=15" and ">15". */
static tacit_status name_by_rule(tacit_schema *schema, tacit_error *err) {
  static const char *const before[][2] = {
      [TACIT_RULE_ABOVE] = {"<=", ">"}, [TACIT_RULE_BELOW] = {">=", "<"}};
  char names[2][40] = {"no", "yes"};
  for (size_t i = 0; schema->label_rule != TACIT_RULE_IS && i < 2; ++i) {
    char number[TACIT_SHORT_BYTES];
    tacit_number_short(schema->label_cut, number);
    (void)snprintf(names[i], sizeof names[i], "%s%s", before[schema->label_rule][i],
                   number);
  }
  TACIT_TRY(TACIT_NEW(schema->classes, 2, err));
  schema->n_classes = 2;
  for (size_t i = 0; i < 2; ++i) {
    schema->classes[i] = tacit_string_copy(names[i]);
    if (schema->classes[i] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

/* Reads a rule: "above": 15, "below": 15 or "is": ["late", "cancelled"]. Rows for which
   it is true are in the second of two classes. */
static tacit_status rule_from(const json_t *label, const char *where,
                              tacit_schema *schema, tacit_error *err) {
  const json_t *above = json_object_get(label, "above");
  const json_t *below = json_object_get(label, "below");
  const json_t *is = json_object_get(label, "is");
  const json_t *classes = json_object_get(label, "classes");
  if ((above != NULL) + (below != NULL) + (is != NULL) > 1)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: give one of \"above\", \"below\" and \"is\"", where);
  schema->label_kind = TACIT_LABEL_CLASSES;
  if (is != NULL) {
    schema->label_rule = TACIT_RULE_IS;
    if (json_array_size(is) == 0)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"is\" must be a list of at least one value", where);
    TACIT_TRY(tacit_schema_copy_texts(is, "a value of \"is\"", 0, where,
                                      &schema->label_values, &schema->n_label_values,
                                      err));
  } else {
    const json_t *cut = above != NULL ? above : below;
    schema->label_rule = above != NULL ? TACIT_RULE_ABOVE : TACIT_RULE_BELOW;
    schema->label_cut = json_number_value(cut);
    if (!json_is_number(cut) || !isfinite(schema->label_cut))
      return tacit_fail(err, TACIT_EDATA, "%s: \"%s\" must be a number", where,
                        above != NULL ? "above" : "below");
  }
  if (classes == NULL) return name_by_rule(schema, err);
  if (json_array_size(classes) != 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: \"classes\" must be two names: of the rows for which the "
                      "rule is not true, then of the others",
                      where);
  return class_names_from(classes, where, schema, err);
}

static int has_rule(const json_t *label) {
  return json_object_get(label, "above") != NULL ||
         json_object_get(label, "below") != NULL ||
         json_object_get(label, "is") != NULL;
}

tacit_status tacit_schema_label_from(const json_t *label, const char *where,
                                     tacit_schema *schema, tacit_error *err) {
  static const char *const known_csv[] = {"column",  "above", "below", "is",
                                          "classes", "min",   "max",   NULL};
  tacit_schema_place place = tacit_schema_place_of(where, "label", "");
  if (!json_is_object(label))
    return tacit_fail(err, TACIT_EDATA, "%s: \"label\" must be an object", where);
  int is_csv = schema->kind == TACIT_SCHEMA_CSV;
  TACIT_TRY(tacit_schema_check_keys(label, is_csv ? known_csv : known_csv + 4,
                                    place.text, err));
  if (is_csv)
    TACIT_TRY(tacit_schema_copy_text(json_object_get(label, "column"), "\"column\"", 0,
                                     TACIT_COLUMN_NAME_MAX, place.text,
                                     &schema->label_column, err));
  const json_t *classes = json_object_get(label, "classes");
  int has_bounds =
      json_object_get(label, "min") != NULL || json_object_get(label, "max") != NULL;
  int has_classes = classes != NULL || has_rule(label);
  if (has_classes == has_bounds)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: give either \"classes\" or \"min\" and \"max\"", place.text);
  if (has_rule(label)) return rule_from(label, place.text, schema, err);
  if (has_classes) {
    schema->label_kind = TACIT_LABEL_CLASSES;
    return is_csv ? class_names_from(classes, place.text, schema, err)
                  : class_count_from(classes, place.text, schema, err);
  }
  schema->label_kind = TACIT_LABEL_NUMBER;
  return tacit_schema_bounds(label, place.text, &schema->label_min, &schema->label_max,
                             err);
}
