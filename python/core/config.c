/* SPDX-License-Identifier: MIT */
/*
 * A config from a dictionary of settings. One table lists the keys with their types and
 * where each value goes; the library checks ranges and contradictions.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <tacit/config_fields.h>

#include "core.h"

static const tacit_setting fields[] = {TACIT_CONFIG_FIELDS(TACIT_FIELD)};

static int set_word(const tacit_setting *field, PyObject *value, void *place) {
  const char *text = PyUnicode_AsUTF8AndSize(value, NULL), *word = field->words;
  if (text == NULL) return -1;
  size_t size = strlen(text), length;
  int number = strcmp(text, "default") == 0 ? 0 : 1;
  for (; number > 0; ++number, word += length + 1) {
    length = strcspn(word, " ");
    if (length == size && memcmp(word, text, size) == 0) break;
    if (word[length] != '\0') continue;
    PyErr_Format(PyExc_ValueError, "%s cannot be '%s'; it is one of: default %s",
                 field->name, text, field->words);
    return -1;
  }
  memcpy(place, &number, sizeof number); /* the enums of the config are ints */
  return 0;
}

static int set_field(const tacit_setting *field, PyObject *value,
                     tacit_config *config) {
  void *place = (char *)config + field->offset;
  switch (field->kind) {
  case TACIT_KIND_REAL: {
    double number = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) return -1;
    *(double *)place = number;
    return 0;
  }
  case TACIT_KIND_FLAG: {
    int flag = PyObject_IsTrue(value);
    if (flag < 0) return -1;
    *(bool *)place = flag;
    return 0;
  }
  case TACIT_KIND_WHOLE:
  case TACIT_KIND_COUNT:
  case TACIT_KIND_LONG: {
    long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) return -1;
    if (field->kind == TACIT_KIND_LONG) {
      *(int64_t *)place = number;
    } else if (number < 0 || number > (long long)field->most) {
      PyErr_Format(PyExc_ValueError, "%s must be between 0 and %s", field->name,
                   field->most_text);
      return -1;
    } else {
      *(int *)place = (int)number;
    }
    return 0;
  }
  case TACIT_KIND_TEXT:
    *(const char **)place = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char **)place != NULL ? 0 : -1;
  case TACIT_KIND_WORD: return set_word(field, value, place);
  }
  return -1;
}

/* "schema": the text of a schema file, for tables. */
static int read_schema(core_state *state, PyObject *text, core_config *out) {
  Py_ssize_t size;
  tacit_error err;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == NULL) return -1;
  if (tacit_schema_from_text(bytes, (size_t)size, "schema", &out->schema, &err) ==
      TACIT_OK)
    return 0;
  (void)core_raise(state, &err);
  return -1;
}

/* Makes the schema from "schema", or from "features" and either "classes": K or
   "labels": (min, max). "format" says which rows the model will predict: "memory"
   arrays, "libsvm" files. */
static int make_schema(core_state *state, PyObject *settings, core_config *out) {
  PyObject *text = PyDict_GetItemString(settings, "schema");
  if (text != NULL) return read_schema(state, text, out);
  PyObject *features = PyDict_GetItemString(settings, "features");
  PyObject *classes = PyDict_GetItemString(settings, "classes");
  PyObject *labels = PyDict_GetItemString(settings, "labels");
  PyObject *format = PyDict_GetItemString(settings, "format");
  double min = NAN, max = NAN;
  int libsvm = 0;
  if (format != NULL) {
    libsvm = PyUnicode_Check(format) &&
             PyUnicode_CompareWithASCIIString(format, "libsvm") == 0;
    if (!libsvm && (!PyUnicode_Check(format) ||
                    PyUnicode_CompareWithASCIIString(format, "memory") != 0)) {
      PyErr_SetString(PyExc_ValueError, "format is 'memory' or 'libsvm'");
      return -1;
    }
  }
  if (features == NULL) {
    PyErr_SetString(PyExc_TypeError, "features is missing");
    return -1;
  }
  size_t n_features = PyLong_AsSize_t(features);
  size_t n_classes = classes != NULL ? PyLong_AsSize_t(classes) : 2;
  if (PyErr_Occurred()) return -1;
  if (labels != NULL &&
      (!PyTuple_Check(labels) || !PyArg_ParseTuple(labels, "dd", &min, &max)))
    return -1;
  tacit_error err;
  if (labels != NULL) n_classes = 0;
  tacit_status status = (libsvm ? tacit_schema_libsvm : tacit_schema_memory)(
      n_features, n_classes, min, max, &out->schema, &err);
  if (status == TACIT_OK) return 0;
  (void)core_raise(state, &err);
  return -1;
}

/* "class_weights": a list with one number per class. The library reads as many as the
   schema has classes, so another number of them is refused. */
static int take_class_weights(PyObject *settings, core_config *out) {
  PyObject *list = PyDict_GetItemString(settings, "class_weights");
  if (list == NULL || list == Py_None) return 0;
  Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : -1;
  if (count < 0 || (size_t)count != tacit_schema_classes(out->schema)) {
    PyErr_SetString(PyExc_ValueError,
                    "class_weights must be a list with one number per class");
    return -1;
  }
  out->class_weights = PyMem_Calloc((size_t)count + 1, sizeof *out->class_weights);
  if (out->class_weights == NULL) {
    (void)PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    out->class_weights[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
  out->config.class_weights = out->class_weights;
  return PyErr_Occurred() ? -1 : 0;
}

/* Handles the keys that are not plain fields; returns 1 if this is one of them. */
static int set_special(const core_state *state, const char *name, PyObject *value,
                       core_config *out) {
  tacit_config *config = &out->config;
  if (strcmp(name, "schema") == 0 || strcmp(name, "features") == 0 ||
      strcmp(name, "classes") == 0 || strcmp(name, "labels") == 0 ||
      strcmp(name, "format") == 0 || strcmp(name, "class_weights") == 0)
    return 1;
  if (strcmp(name, "seed") == 0) {
    config->seed = PyLong_AsUnsignedLongLong(value);
    config->seeded = 1;
    return PyErr_Occurred() ? -1 : 1;
  }
  if (strcmp(name, "init") == 0) {
    config->init = core_model_of(state, value);
    return config->init != NULL ? 1 : -1;
  }
  return 0;
}

static int set_item(const core_state *state, PyObject *key, PyObject *value,
                    core_config *out) {
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  if (name == NULL) return -1;
  int special = set_special(state, name, value, out);
  if (special != 0) return special < 0 ? -1 : 0;
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    if (strcmp(fields[i].name, name) == 0)
      return set_field(&fields[i], value, &out->config);
  PyErr_Format(PyExc_TypeError, "no setting is called '%s'", name);
  return -1;
}

int core_config_begin(core_state *state, PyObject *settings, core_config *out) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  memset(out, 0, sizeof *out);
  tacit_config_init(&out->config);
  if (!PyDict_Check(settings)) {
    PyErr_SetString(PyExc_TypeError, "settings must be a dictionary");
    return -1;
  }
  int failed = 0;
  while (!failed && PyDict_Next(settings, &position, &key, &value))
    failed = set_item(state, key, value, out) < 0;
  if (failed || make_schema(state, settings, out) < 0 ||
      take_class_weights(settings, out) < 0) {
    core_config_end(out);
    return -1;
  }
  out->config.schema = out->schema;
  return 0;
}

void core_config_end(core_config *config) {
  tacit_schema_free(config->schema);
  PyMem_Free(config->class_weights);
  config->schema = NULL;
  config->class_weights = NULL;
}
