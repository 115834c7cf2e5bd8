/* SPDX-License-Identifier: MIT */
/*
 * Writes and reads what a stream was begun with, as JSON inside its state. `feed` takes
 * no options, so no two days can be learned with different ones. The fields of the
 * config that a stream keeps are in tacit/config_fields.h.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <tacit/config_fields.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/schema.h"
#include "extra/stream/stream.h"

static const tacit_setting fields[] = {TACIT_CONFIG_FIELDS(TACIT_FIELD)};
_Static_assert(sizeof(tacit_adjacency) == sizeof(int) &&
                   sizeof(tacit_bound) == sizeof(int) &&
                   sizeof(tacit_domain) == sizeof(int) &&
                   sizeof(tacit_scaling) == sizeof(int),
               "enumerations are stored like whole numbers");

enum { N_FIELDS = sizeof fields / sizeof fields[0] };

static json_t *save_field(const tacit_setting *field, const tacit_config *config) {
  const char *at = (const char *)config + field->offset;
  double real;
  int whole;
  bool flag;
  int64_t number;
  const char *text;
  switch (field->kind) {
  case TACIT_KIND_REAL: memcpy(&real, at, sizeof real); return json_real(real);
  case TACIT_KIND_WHOLE:
  case TACIT_KIND_COUNT:
  case TACIT_KIND_WORD: memcpy(&whole, at, sizeof whole); return json_integer(whole);
  case TACIT_KIND_FLAG: memcpy(&flag, at, sizeof flag); return json_boolean(flag);
  case TACIT_KIND_LONG: memcpy(&number, at, sizeof number); return json_integer(number);
  case TACIT_KIND_TEXT: break;
  }
  memcpy(&text, at, sizeof text);
  return text != NULL ? json_string(text) : json_null();
}

static void load_field(const tacit_setting *field, const json_t *value,
                       tacit_config *config) {
  char *at = (char *)config + field->offset;
  double real = json_number_value(value);
  int64_t number = json_integer_value(value);
  int whole = (int)number;
  bool flag = json_is_true(value);
  const char *text = json_string_value(value);
  switch (field->kind) {
  case TACIT_KIND_REAL: memcpy(at, &real, sizeof real); break;
  case TACIT_KIND_WHOLE:
  case TACIT_KIND_COUNT:
  case TACIT_KIND_WORD: memcpy(at, &whole, sizeof whole); break;
  case TACIT_KIND_FLAG: memcpy(at, &flag, sizeof flag); break;
  case TACIT_KIND_LONG: memcpy(at, &number, sizeof number); break;
  case TACIT_KIND_TEXT: memcpy(at, &text, sizeof text); break;
  }
}

static tacit_status check_options(const tacit_stream_options *options,
                                  tacit_error *err) {
  struct {
    const char *rule;
    int holds;
  } const rules[] = {
      {"horizon must be between 1 and 2^30 rounds",
       options->horizon >= 1 && options->horizon <= INT64_C(1) << 30},
      {"batch-rows must be at least 1, and horizon times batch-rows at most 2^42",
       options->batch_rows >= 1 &&
           options->batch_rows <= (INT64_C(1) << 42) / options->horizon},
      {"window must be between 1 and the horizon; 0 for none",
       options->window >= 0 && options->window <= options->horizon},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i)
    if (!rules[i].holds) return tacit_fail(err, TACIT_EINVAL, "%s", rules[i].rule);
  return TACIT_OK;
}

static tacit_status check_config(const tacit_config *config, tacit_error *err) {
  if (config->schema == NULL)
    return tacit_fail(err, TACIT_EINVAL, "a schema is needed");
  if (config->start != NULL || config->init != NULL || config->group != NULL ||
      config->checkpoint != NULL || config->gradient != NULL ||
      config->learner_ops != NULL || config->matrix != NULL || config->passes > 1 ||
      config->centre == TACIT_CENTRE_ON || config->centre == TACIT_CENTRE_HEAD)
    return tacit_fail(err, TACIT_EINVAL,
                      "a stream has no initial model or start point, no group, no "
                      "checkpoint, no tables of your own, one pass and no centre");
  return TACIT_OK;
}

static json_t *class_weights_json(const tacit_config *config) {
  if (config->class_weights == NULL) return json_null();
  json_t *list = json_array();
  for (size_t i = 0; i < tacit_schema_classes(config->schema); ++i)
    if (json_array_append_new(list, json_real(config->class_weights[i])) != 0) break;
  return list;
}

tacit_status tacit_stream_describe(const tacit_stream_options *options,
                                   const tacit_config *config, json_t **out,
                                   tacit_error *err) {
  TACIT_TRY(check_options(options, err));
  TACIT_TRY(check_config(config, err));
  json_t *schema = NULL, *parts = json_object();
  TACIT_TRY(tacit_schema_to_json(config->schema, &schema, err));
  int failed = parts == NULL;
  for (size_t i = 0; !failed && i < N_FIELDS; ++i)
    failed =
        (fields[i].flags & TACIT_FIELD_STREAM) != 0 &&
        json_object_set_new(parts, fields[i].name, save_field(&fields[i], config)) != 0;
  int units =
      options->units || options->unit_once || tacit_schema_unit(config->schema) != NULL;
  *out = json_pack("{s:I, s:I, s:I, s:b, s:b, s:f, s:s?, s:s?, s:o, s:o, s:o}",
                   "horizon", (json_int_t)options->horizon, "batch_rows",
                   (json_int_t)options->batch_rows, "window",
                   (json_int_t)options->window, "units", units, "unit_once",
                   options->unit_once, "evaluate", options->evaluate, "ledger",
                   options->ledger, "dataset", options->dataset, "class_weights",
                   class_weights_json(config), "schema", schema, "config", parts);
  return *out != NULL && !failed ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status recall_classes(tacit_stream *stream, tacit_error *err) {
  const json_t *list = json_object_get(stream->about, "class_weights");
  size_t count = json_array_size(list);
  if (!json_is_array(list)) return TACIT_OK;
  if (count != tacit_schema_classes(stream->schema))
    return tacit_fail(err, TACIT_EDATA, "the state contradicts itself");
  TACIT_TRY(TACIT_NEW(stream->class_weights, count, err));
  for (size_t i = 0; i < count; ++i)
    stream->class_weights[i] = json_number_value(json_array_get(list, i));
  return TACIT_OK;
}

static int64_t number_of(const tacit_stream *stream, const char *name) {
  return json_integer_value(json_object_get(stream->about, name));
}

/* Sets the options that follow from others. A window is a run over its rounds, each
   with the rows of an ordinary day. */
static void set_up(tacit_stream *stream) {
  tacit_stream_options *options = &stream->options;
  tacit_config *config = &stream->config;
  double rows_all = (double)options->horizon * (double)options->batch_rows;
  int64_t rounds = options->window > 0 ? options->window : options->horizon;
  config->schema = stream->schema;
  config->class_weights = stream->class_weights;
  stream->days = (tacit_days){options->horizon, options->unit_once, options->evaluate};
  config->batch = options->batch_rows;
  config->rows = rounds * options->batch_rows;
  config->units = options->units ? config->rows : 0;
  config->weighted |= tacit_schema_weighs(stream->schema);
  config->preset = TACIT_ANYTIME;
  config->passes = 1;
  if (config->mechanism == NULL || strcmp(config->mechanism, "auto") == 0)
    config->mechanism = config->pure ? "tree" : "blt";
  /* The delta must be for all days; the default for one window alone would be
     larger. */
  if (config->delta == 0 && !config->pure)
    config->delta = fmin(1 / (rows_all * rows_all), 1e-6);
}

tacit_status tacit_stream_recall(tacit_stream *stream, tacit_error *err) {
  const json_t *about = stream->about, *parts = json_object_get(about, "config");
  tacit_stream_options *options = &stream->options;
  TACIT_TRY(tacit_schema_from_json(json_object_get(about, "schema"), "schema",
                                   &stream->schema, err));
  tacit_config_init(&stream->config);
  for (size_t i = 0; i < N_FIELDS; ++i)
    if ((fields[i].flags & TACIT_FIELD_STREAM) != 0)
      load_field(&fields[i], json_object_get(parts, fields[i].name), &stream->config);
  TACIT_TRY(recall_classes(stream, err));
  options->horizon = number_of(stream, "horizon");
  options->batch_rows = number_of(stream, "batch_rows");
  options->window = number_of(stream, "window");
  options->units = json_is_true(json_object_get(about, "units"));
  options->unit_once = json_is_true(json_object_get(about, "unit_once"));
  options->evaluate = json_number_value(json_object_get(about, "evaluate"));
  options->ledger = json_string_value(json_object_get(about, "ledger"));
  options->dataset = json_string_value(json_object_get(about, "dataset"));
  if (options->horizon < 1 || options->batch_rows < 1)
    return tacit_fail(err, TACIT_EDATA, "the state contradicts itself");
  set_up(stream);
  return TACIT_OK;
}
