/* SPDX-License-Identifier: MIT */
/*
 * The model file: one JSON object. An unknown format version is refused, and every
 * field is checked, because a file may have been edited or damaged (tests/fuzz).
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/model.h"
#include "model/numbers.h"

#define FORMAT_NAME "tacit-model"
/* Files of UNSEALED_VERSION have no digest. A model read from such a file is written as
   UNSEALED_VERSION again. */
enum { UNSEALED_VERSION = 1, FORMAT_VERSION = 2, SPEC_SIZE = 512, FIELDS = 10 };
static const uint64_t file_max = UINT64_C(1) << 30;
/* Fields that a file of version 2 has only if the model needs them. */
static const char key_offset[] = "offset", key_scale[] = "row_scale",
                  key_noise[] = "noise";

static json_t *loss_to_json(const tacit_loss *loss) {
  json_t *params = json_object();
  for (size_t i = 0; params != NULL && i < loss->n_values; ++i) {
    if (json_object_set_new(params, loss->ops->params[i].name,
                            json_real(loss->values[i])) != 0) {
      json_decref(params);
      params = NULL;
    }
  }
  return params == NULL
             ? NULL
             : json_pack("{s:s, s:o}", "name", loss->ops->name, "params", params);
}

/* Writes the exponent of a norm. Writes infinity, the maximum norm, as null, because
   JSON has no infinity. */
static json_t *exponent_to_json(double exponent) {
  return isinf(exponent) ? json_null() : json_real(exponent);
}

static double exponent_from_json(const json_t *json) {
  if (json_is_null(json)) return INFINITY;
  return json_is_number(json) ? json_number_value(json) : NAN;
}

/* Adds an array of numbers to the file, or nothing if `numbers` is NULL. Returns 1 if
   memory runs out. */
static int add_numbers(json_t *file, const char *key, const double *numbers,
                       size_t count) {
  if (numbers == NULL) return 0;
  json_t *array = json_array();
  int failed = json_object_set_new(file, key, array) != 0;
  for (size_t i = 0; !failed && i < count; ++i)
    failed = json_array_append_new(array, json_real(numbers[i])) != 0;
  return failed;
}

static int add_further(json_t *file, const tacit_model *model) {
  int failed = model->row.scale > 0 &&
               json_object_set_new(file, key_scale, json_real(model->row.scale)) != 0;
  size_t n_noise;
  const double *noise = tacit_model_noise(model, &n_noise);
  return failed || add_numbers(file, key_offset, model->offset, model->row.outputs) ||
         add_numbers(file, key_noise, noise, n_noise);
}

tacit_status tacit_model_object(const tacit_model *model, json_t *statement,
                                json_t **out, tacit_error *err) {
  json_t *schema = NULL;
  TACIT_TRY(tacit_schema_to_json(model->schema, &schema, err));
  int version = model->unsealed ? UNSEALED_VERSION : FORMAT_VERSION;
  /* json_pack owns the "o" references, even if it fails. */
  json_t *file = json_pack(
      "{s:s, s:i, s:O, s:o, s:o, s:f, s:o, s:b, s:o, s:O}", "format", FORMAT_NAME,
      "format_version", version, "statement", statement, "schema", schema, "loss",
      loss_to_json(model->loss), "row_norm", model->row.row_norm, "row_exponent",
      exponent_to_json(model->row.exponent), "bias", model->row.bias, "weights",
      json_array(), "training", model->training);
  if (file == NULL || add_further(file, model)) {
    json_decref(file);
    return tacit_fail_memory(err);
  }
  *out = file;
  return TACIT_OK;
}

tacit_status tacit_model_text(const tacit_model *model, char **out, tacit_error *err) {
  json_t *file = NULL;
  TACIT_TRY(tacit_model_object(model, model->statement, &file, err));
  char *text = NULL;
  tacit_status status = tacit_json_text(file, 1, &text, err);
  json_decref(file);
  if (status == TACIT_OK)
    status = tacit_numbers_insert(model->weights, model->dim, &text, err);
  return TACIT_HAND_OVER(status, text, tacit_array_free, out);
}

static tacit_status write_text(const tacit_model *model, tacit_output *output,
                               tacit_error *err) {
  char *text = NULL;
  TACIT_TRY(tacit_model_text(model, &text, err));
  size_t size = strlen(text);
  text[size] = '\n'; /* replaces the closing zero, which is not needed any more */
  tacit_status status = tacit_output_write(output, text, size + 1, err);
  tacit_array_free(text);
  return status;
}

tacit_status tacit_model_save(const tacit_model *model, const char *path,
                              tacit_error *err) {
  tacit_output *output = NULL;
  TACIT_TRY(tacit_output_open(path, 0666, &output, err));
  tacit_status status = write_text(model, output, err);
  if (status == TACIT_OK) status = tacit_output_complete(output, 1, err);
  if (status == TACIT_OK) status = tacit_output_place(output, err);
  tacit_output_free(output);
  return status;
}

/* Writes "NAME:key=value,…" from {"name": NAME, "params": {"key": value, …}}. */
static tacit_status loss_from_json(const json_t *json, char *spec, size_t size,
                                   tacit_error *err) {
  const char *name = json_string_value(json_object_get(json, "name"));
  json_t *params = json_object_get(json, "params");
  const char *key;
  json_t *value;
  if (name == NULL || !json_is_object(params))
    return tacit_fail(err, TACIT_EDATA, "model: loss must have a name and params");
  int length = snprintf(spec, size, "%s", name);
  size_t used = length < 0 ? size : (size_t)length;
  char separator = ':';
  json_object_foreach(params, key, value) {
    char number[40];
    if (!json_is_number(value) || used >= size) break;
    tacit_format_up(json_number_value(value), 17, number);
    length = snprintf(spec + used, size - used, "%c%s=%s", separator, key, number);
    used = length < 0 ? size : used + (size_t)length;
    separator = ',';
  }
  if (used >= size) return tacit_fail(err, TACIT_EDATA, "model: loss cannot be read");
  return TACIT_OK;
}

static tacit_status array_from_json(const json_t *json, const char *what, double **out,
                                    tacit_error *err) {
  size_t count = json_array_size(json);
  double *numbers = tacit_array_new(count, sizeof *numbers);
  if (numbers == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    const json_t *value = json_array_get(json, i);
    if (!json_is_number(value)) {
      tacit_array_free(numbers);
      return tacit_fail(err, TACIT_EDATA, "model: %s %zu is not a number", what, i + 1);
    }
    numbers[i] = json_number_value(value);
  }
  *out = numbers;
  return TACIT_OK;
}

/* Returns the weights that tacit_numbers_take found, or otherwise reads them from the
   JSON array. Takes ownership of the numbers in `taken`. */
static tacit_status weights_from_json(const json_t *json, tacit_numbers *taken,
                                      size_t expected, double **out, tacit_error *err) {
  size_t count = taken->values != NULL ? taken->count : json_array_size(json);
  if (!json_is_array(json) || count != expected) {
    return tacit_fail(err, TACIT_EDATA,
                      "model: weights must be %zu numbers, one for each input",
                      expected);
  }
  if (taken->values == NULL) return array_from_json(json, "weight", out, err);
  *out = taken->values;
  taken->values = NULL;
  return TACIT_OK;
}

/* Returns the scale of rows, 0 if the file has no such field, or NaN if the field is
   bad. */
static double scale_from_json(const json_t *json) {
  if (json == NULL) return 0;
  double scale = json_number_value(json); /* 0 if it is not a number */
  return scale > 0 ? scale : NAN;
}

/* Reads the array `key` of `expected` numbers. Leaves *out unchanged if the file has no
   such field. */
static tacit_status further_from_json(const json_t *file, const char *key,
                                      size_t expected, double **out, tacit_error *err) {
  const json_t *json = json_object_get(file, key);
  if (json == NULL) return TACIT_OK;
  if (json_is_array(json) && json_array_size(json) == expected)
    return array_from_json(json, key, out, err);
  return tacit_fail(err, TACIT_EDATA, "model: %s must be %zu numbers", key, expected);
}

/* Checks the version and that the file has the fields of that version. So a file of
   version 2 whose digest was removed is refused. */
static tacit_status check_version(const json_t *file, int *out_unsealed,
                                  tacit_error *err) {
  const char *format = json_string_value(json_object_get(file, "format"));
  json_int_t version = json_integer_value(json_object_get(file, "format_version"));
  if (format == NULL || strcmp(format, FORMAT_NAME) != 0)
    return tacit_fail(err, TACIT_EDATA, "model: this is not a tacit model file");
  if (version != UNSEALED_VERSION && version != FORMAT_VERSION) {
    return tacit_fail(err, TACIT_EDATA,
                      "model: unknown format version: this program reads up to %d",
                      FORMAT_VERSION);
  }
  const json_t *digest = json_object_get(json_object_get(file, "statement"), "digest");
  if (version == UNSEALED_VERSION ? digest != NULL : !json_is_string(digest)) {
    return tacit_fail(err, TACIT_EDATA,
                      "model: files of version %d have %s digest: the file was edited",
                      (int)version, version == UNSEALED_VERSION ? "no" : "a");
  }
  size_t further = (size_t)(json_object_get(file, key_offset) != NULL) +
                   (json_object_get(file, key_scale) != NULL) +
                   (json_object_get(file, key_noise) != NULL);
  if (version == FORMAT_VERSION ? json_object_size(file) != FIELDS + further
                                : further > 0) {
    return tacit_fail(err, TACIT_EDATA,
                      "model: it does not have the fields of a model of version %d",
                      (int)version);
  }
  *out_unsealed = version == UNSEALED_VERSION;
  return TACIT_OK;
}

static tacit_status model_from_json(const json_t *file, tacit_numbers *taken,
                                    tacit_model **out, tacit_error *err) {
  int unsealed = 0;
  TACIT_TRY(check_version(file, &unsealed, err));
  json_t *statement = json_object_get(file, "statement");
  json_t *training = json_object_get(file, "training");
  const json_t *bias = json_object_get(file, "bias");
  const json_t *row_norm = json_object_get(file, "row_norm");
  if (!json_is_object(statement) || !json_is_object(training) ||
      !json_is_boolean(bias) || !json_is_number(row_norm)) {
    return tacit_fail(err, TACIT_EDATA,
                      "model: statement, training, bias or row_norm is missing");
  }
  char spec[SPEC_SIZE];
  TACIT_TRY(loss_from_json(json_object_get(file, "loss"), spec, sizeof spec, err));
  tacit_schema *schema = NULL;
  TACIT_TRY(
      tacit_schema_from_json(json_object_get(file, "schema"), "model", &schema, err));

  double *weights = NULL, *offset = NULL, *noise = NULL;
  tacit_loss_facts facts = {.classes = tacit_schema_classes(schema)};
  tacit_row_rule row = {.features = tacit_schema_features(schema),
                        .bias = json_is_true(bias),
                        .outputs = tacit_loss_outputs(&facts)};
  size_t dim = tacit_row_weights(&row);
  tacit_status status =
      weights_from_json(json_object_get(file, "weights"), taken, dim, &weights, err);
  if (status == TACIT_OK)
    status = further_from_json(file, key_offset, row.outputs, &offset, err);
  if (status == TACIT_OK)
    status =
        further_from_json(file, key_noise, row.outputs * row.features, &noise, err);
  if (status == TACIT_OK) {
    tacit_model_parts parts = {
        .schema = schema,
        .loss_spec = spec,
        .row_norm = json_number_value(row_norm),
        .row_exponent = exponent_from_json(json_object_get(file, "row_exponent")),
        .row_scale = scale_from_json(json_object_get(file, key_scale)),
        .bias = json_is_true(bias),
        .weights = weights,
        .offset = offset,
        .noise = noise,
        .training = training,
        .statement = statement,
        .unsealed = unsealed,
    };
    status = tacit_model_new(&parts, out, err);
  }
  TACIT_FREE(weights, offset, noise);
  tacit_schema_free(schema);
  /* Parts of a file that do not fit together are bad data, not a wrong argument. */
  if (status == TACIT_EINVAL) {
    status = TACIT_EDATA;
    if (err != NULL) err->status = status;
  }
  return status;
}

/* Checks that schema and loss of the file contain nothing that was not read, such as
   notes. The digest is computed from what was read, so it would not cover them. */
static tacit_status check_nothing_added(const json_t *file, const tacit_model *model,
                                        tacit_error *err) {
  if (model->unsealed) return TACIT_OK;
  json_t *read = NULL;
  TACIT_TRY(tacit_model_object(model, model->statement, &read, err));
  int same =
      json_equal(json_object_get(read, "schema"), json_object_get(file, "schema")) &&
      json_equal(json_object_get(read, "loss"), json_object_get(file, "loss"));
  json_decref(read);
  if (same) return TACIT_OK;
  return tacit_fail(
      err, TACIT_EDATA,
      "model: its schema or loss says more than its digest covers: the file "
      "was edited");
}

tacit_status tacit_model_parse(const char *text, size_t size, tacit_model **out,
                               tacit_error *err) {
  tacit_numbers taken;
  TACIT_TRY(tacit_numbers_take(text, size, &taken, err));
  json_t *file = NULL;
  tacit_status status = TACIT_EDATA;
  if (taken.values != NULL)
    status = tacit_json_parse(taken.rest, taken.rest_size, "model", &file, NULL);
  if (status == TACIT_EDATA) {
    /* No numbers were taken, or the rest is faulty: parse the whole text, so that a
       message has its line numbers. */
    tacit_numbers_fini(&taken);
    status = tacit_json_parse(text, size, "model", &file, err);
  } else if (status != TACIT_OK) {
    status = tacit_fail_memory(err);
  }
  tacit_model *model = NULL;
  if (status == TACIT_OK) status = model_from_json(file, &taken, &model, err);
  if (status == TACIT_OK) status = check_nothing_added(file, model, err);
  tacit_numbers_fini(&taken);
  json_decref(file);
  if (status == TACIT_OK)
    *out = model;
  else
    tacit_model_free(model);
  return status;
}

tacit_status tacit_model_load(const char *path, uint64_t max, tacit_model **out,
                              tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  TACIT_TRY(max > 0 ? tacit_file_read(path, max, "--max-model", &text, &size, err)
                    : tacit_file_read_kind(path, "\"tacit-model\"", file_max,
                                           "--max-model", &text, &size, err));
  tacit_error inner = {TACIT_OK, ""};
  tacit_status status = tacit_model_parse(text, size, out, &inner);
  tacit_array_free(text);
  if (status != TACIT_OK)
    return tacit_fail(err, status, "%.80s: %.160s", path, inner.message);
  return TACIT_OK;
}
