/* SPDX-License-Identifier: MIT */
/* Reads schemas from JSON. Everything is checked: types, ranges, sizes, unknown keys.
   Every message starts with the file and names the column and the key.
   docs/howto/schema.md describes the format. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/schema/parts.h"
#include "data/schema/schema.h"
#include "privacy/statement_fields.h"

enum { NA_MAX = 100 };

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

tacit_status tacit_schema_copy_texts(const json_t *list, const char *what,
                                     int may_be_empty, const char *where, char ***out,
                                     size_t *out_count, tacit_error *err) {
  size_t count = json_array_size(list);
  if (count == 0) return TACIT_OK;
  *out = tacit_array_new(count, sizeof **out);
  if (*out == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    TACIT_TRY(tacit_schema_copy_text(json_array_get(list, i), what, may_be_empty,
                                     TACIT_VALUE_MAX, where, &(*out)[i], err));
    *out_count = i + 1;
  }
  return TACIT_OK;
}

tacit_status tacit_schema_bounds(const json_t *object, const char *where,
                                 double *out_min, double *out_max, tacit_error *err) {
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

tacit_status tacit_schema_monotone_from(const json_t *column, const char *where,
                                        int *out, tacit_error *err) {
  const json_t *json = json_object_get(column, "monotone");
  const char *text = json_string_value(json);
  if (json == NULL) return TACIT_OK;
  if (text == NULL || (strcmp(text, "up") != 0 && strcmp(text, "down") != 0))
    return tacit_fail(err, TACIT_EDATA, "%s: \"monotone\" must be \"up\" or \"down\"",
                      where);
  *out = *text == 'u' ? 1 : -1;
  return TACIT_OK;
}

/* Reads "delimiter", "na" and "quoted_newlines", which say how the file is written. */
static tacit_status file_from(const json_t *json, const char *where,
                              tacit_schema *schema, tacit_error *err) {
  const json_t *delimiter = json_object_get(json, "delimiter");
  const json_t *na = json_object_get(json, "na");
  const json_t *newlines = json_object_get(json, "quoted_newlines");
  if (delimiter != NULL) {
    const char *text = json_string_value(delimiter);
    if (text == NULL || !tacit_is_delimiter(text[0]) || text[1] != '\0')
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"delimiter\" must be one of , ; | : or \\t", where);
    schema->delimiter = text[0];
  }
  if (newlines != NULL && !json_is_boolean(newlines))
    return tacit_fail(err, TACIT_EDATA, "%s: \"quoted_newlines\" must be true or false",
                      where);
  schema->quoted_newlines = json_is_true(newlines);
  if (na == NULL) return TACIT_OK;
  if (!json_is_array(na) || json_array_size(na) > NA_MAX)
    return tacit_fail(err, TACIT_EDATA, "%s: \"na\" must be a list of at most %d texts",
                      where, NA_MAX);
  return tacit_schema_copy_texts(na, "a text of \"na\"", 1, where, &schema->na,
                                 &schema->n_na, err);
}

/* Keeps the description of counts that "tacit schema --counts" wrote, because a run
   with this schema must count their cost. */
static tacit_status described_from(const json_t *description, const char *where,
                                   tacit_schema *schema, tacit_error *err) {
  if (description == NULL) return TACIT_OK;
  tacit_described read;
  tacit_error inside = {TACIT_OK, ""};
  if (tacit_described_read(description, &read, &inside) != TACIT_OK)
    return tacit_fail(err, TACIT_EDATA, "%s: \"description\": %.200s", where,
                      inside.message);
  schema->described = json_deep_copy(description);
  return schema->described != NULL ? TACIT_OK : tacit_fail_memory(err);
}

/* Keeps the note of an object under a name, unless it is empty or what a template says
   to whoever fills it in. */
static int keep_note(const json_t *object, const char *name, tacit_schema *schema) {
  const char *note = json_string_value(json_object_get(object, "note"));
  if (note == NULL || *note == '\0' || strncmp(note, "Replace every null", 18) == 0)
    return 1;
  if (schema->notes == NULL) schema->notes = json_object();
  return json_object_set_new(schema->notes, name, json_string(note)) == 0;
}

static tacit_status notes_from(const json_t *json, tacit_schema *schema,
                               tacit_error *err) {
  const json_t *columns = json_object_get(json, "columns"), *column;
  int is_kept = keep_note(json, "", schema) &&
                keep_note(json_object_get(json, "label"), schema->label_column, schema);
  size_t i;
  json_array_foreach(columns, i, column) {
    const char *name = json_string_value(json_object_get(column, "name"));
    is_kept = is_kept && keep_note(column, name, schema);
  }
  return is_kept ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status csv_from(const json_t *json, const char *where,
                             tacit_schema *schema, tacit_error *err) {
  static const char *const known[] = {"tacit_schema",
                                      "format",
                                      "delimiter",
                                      "label",
                                      "columns",
                                      "crosses",
                                      "weight",
                                      "missing_label",
                                      "unit",
                                      "na",
                                      "quoted_newlines",
                                      "description",
                                      NULL};
  TACIT_TRY(tacit_schema_check_keys(json, known, where, err));
  TACIT_TRY(file_from(json, where, schema, err));
  TACIT_TRY(described_from(json_object_get(json, "description"), where, schema, err));
  TACIT_TRY(
      tacit_schema_label_from(json_object_get(json, "label"), where, schema, err));
  TACIT_TRY(
      tacit_schema_columns_from(json_object_get(json, "columns"), where, schema, err));
  TACIT_TRY(tacit_schema_weights_from(json, where, schema, err));
  TACIT_TRY(notes_from(json, schema, err));
  return tacit_schema_crosses_from(json_object_get(json, "crosses"), where, schema,
                                   err);
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
  return tacit_schema_label_from(json_object_get(json, "label"), where, schema, err);
}

static tacit_status kind_from(const json_t *json, const char *where, int *out_version,
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
  *out_version = (int)number;
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
  int version = 0;
  TACIT_TRY(kind_from(json, where, &version, &kind, err));
  tacit_schema *schema = tacit_schema_new(kind);
  if (schema == NULL) return tacit_fail_memory(err);
  tacit_status status = kind == TACIT_SCHEMA_CSV ? csv_from(json, where, schema, err)
                                                 : plain_from(json, where, schema, err);
  if (status == TACIT_OK && version == 1 && tacit_schema_needs_2(schema))
    status = tacit_fail(err, TACIT_EDATA,
                        "%s: has keys of version 2: write \"tacit_schema\": 2", where);
  if (status == TACIT_OK) status = tacit_schema_finish(schema, where, err);
  return TACIT_HAND_OVER(status, schema, tacit_schema_free, out);
}
