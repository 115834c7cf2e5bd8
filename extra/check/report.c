/* SPDX-License-Identifier: MIT */
/* Makes the report of a check as JSON. */
#include <stdio.h>

#include "base/error.h"
#include "extra/check/check.h"

static void set(json_t *object, const char *key, json_t *value) {
  (void)json_object_set_new(object, key, value);
}

static void set_count(json_t *object, const char *key, int64_t count) {
  set(object, key, json_integer(count));
}

/* Returns "ascending", "descending" or "constant", or NULL if the cells have no order
   or are fewer than two. */
static const char *order_of(const tacit_check_order *order) {
  if (order->cells < 2 || (order->rises > 0 && order->falls > 0)) return NULL;
  if (order->rises > 0) return "ascending";
  return order->falls > 0 ? "descending" : "constant";
}

static void set_order(json_t *object, const tacit_check_order *order) {
  const char *name = order_of(order);
  if (name != NULL) set(object, "sorted", json_string(name));
}

static json_t *column_json(const tacit_column *column,
                           const tacit_check_column *counts) {
  static const char *const special[] = {"ignore", "unit", "weight"};
  const char *type = column->type >= TACIT_COLUMN_IGNORE
                         ? special[column->type - TACIT_COLUMN_IGNORE]
                         : tacit_column_type_name(column->type);
  json_t *object = json_pack("{s:s, s:s}", "name", column->name, "type", type);
  set_count(object, "missing", counts->missing);
  if (column->type == TACIT_COLUMN_NUMERIC || column->type == TACIT_COLUMN_DATE) {
    set_count(object, "below", counts->below);
    set_count(object, "above", counts->above);
  }
  if (column->curve.n_atoms > 0) set_count(object, "atoms", counts->atoms);
  if (column->type == TACIT_COLUMN_CATEGORY) {
    set_count(object, "other", counts->other);
    set_count(object, "other_as_number", counts->other_number);
  }
  set_count(object, "bad", counts->bad);
  if (column->type == TACIT_COLUMN_ORDINAL)
    set_count(object, "bad_as_number", counts->other_number);
  set_order(object, &counts->order);
  return object;
}

static json_t *label_json(const tacit_check *check) {
  const tacit_schema *schema = check->schema;
  const tacit_check_column *counts = &check->label;
  json_t *object = json_pack("{s:s}", "name", schema->label_column);
  set_count(object, "missing", counts->missing);
  set_count(object, "bad", counts->bad);
  if (schema->label_kind == TACIT_LABEL_NUMBER) {
    set_count(object, "below", counts->below);
    set_count(object, "above", counts->above);
  } else {
    json_t *classes = json_array();
    for (size_t i = 0; i < schema->n_classes; ++i)
      (void)json_array_append_new(classes,
                                  json_pack("{s:s, s:I}", "class", schema->classes[i],
                                            "rows", (json_int_t)check->classes[i]));
    set(object, "classes", classes);
    set_count(object, "bad_as_number", counts->other_number);
  }
  if (schema->skips_missing_label) set_count(object, "skipped", check->skipped);
  set_order(object, &counts->order);
  return object;
}

static json_t *lines_json(const tacit_check *check) {
  json_t *lines = json_array();
  for (size_t i = 0; i < check->n_bad; ++i) {
    json_t *line = json_pack("{s:s}", "message", check->bad[i].message);
    if (check->options->values && check->bad[i].cell[0] != '\0')
      set(line, "cell", json_string(check->bad[i].cell));
    (void)json_array_append_new(lines, line);
  }
  return lines;
}

/* Appends a warning of the form "column 'ward': rule". */
static void warn(json_t *warnings, const char *what, const char *name,
                 const char *rule) {
  char shown[TACIT_NAME_BYTES];
  tacit_name_shorten(name, 40, shown);
  (void)json_array_append_new(warnings, json_sprintf("%s '%s': %s", what, shown, rule));
}

/* Returns "every cell is" or "99% or more of the cells are", or NULL if fewer cells
   are. */
static const char *nearly_all(int64_t part, int64_t whole) {
  if (whole == 0 || part < whole - whole / 100) return NULL;
  return part == whole ? "every cell is" : "99% or more of the cells are";
}

static void warn_of(json_t *warnings, const char *what, const char *name,
                    const tacit_check_column *counts) {
  char rule[320];
  int64_t values = tacit_check_ids_values(counts);
  const char *share = nearly_all(counts->other, counts->order.cells);
  if (share != NULL) {
    (void)snprintf(rule, sizeof rule, "%s in \"other\"; see how the values are spelt",
                   share);
    warn(warnings, what, name, rule);
  }
  share = nearly_all(counts->below + counts->above, counts->order.cells);
  if (share != NULL) {
    (void)snprintf(rule, sizeof rule, "%s clamped; see in which unit the bounds are",
                   share);
    warn(warnings, what, name, rule);
  }
  if (values > 0) {
    (void)snprintf(
        rule, sizeof rule,
        "looks like an id that repeats (about %lld values in %lld rows), and "
        "the schema declares no \"unit\": if these are persons, the guarantee "
        "protects one row of a person and not all of them",
        (long long)values, (long long)counts->order.cells);
    warn(warnings, what, name, rule);
  }
}

/* Lists what does not stop a training but is likely a mistake. */
static json_t *warnings_json(const tacit_check *check) {
  json_t *warnings = json_array();
  for (size_t i = 0; i < check->schema->n_columns; ++i)
    warn_of(warnings, "column", check->schema->columns[i].name, &check->columns[i]);
  warn_of(warnings, "label", check->schema->label_column, &check->label);
  return warnings;
}

tacit_status tacit_check_report(const tacit_check *check, json_t **out,
                                tacit_error *err) {
  json_t *object = json_object(), *columns = json_array();
  for (size_t i = 0; i < check->schema->n_columns; ++i)
    (void)json_array_append_new(
        columns, column_json(&check->schema->columns[i], &check->columns[i]));
  set(object, "private", json_false());
  set_count(object, "rows", check->n_rows);
  set_count(object, "bad_rows", check->bad_rows);
  set_count(object, "faults", check->faults);
  set(object, "trains", json_boolean(check->faults == 0 && check->n_rows > 0));
  set(object, "columns", columns);
  set(object, "label", label_json(check));
  set(object, "largest_norm", json_real(check->largest));
  if (check->options->row_norm > 0) {
    set(object, "row_norm", json_real(check->options->row_norm));
    set_count(object, "longer_rows", check->longer);
  }
  set(object, "first_faults", lines_json(check));
  set(object, "warnings", warnings_json(check));
  if (json_object_size(object) < 10) {
    json_decref(object);
    return tacit_fail_memory(err);
  }
  *out = object;
  return TACIT_OK;
}
