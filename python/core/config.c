/* SPDX-License-Identifier: MIT */
/*
 * A config from a dictionary of settings. One table lists the keys with their types and
 * where each value goes; the library checks ranges and contradictions.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core.h"

typedef enum kind { REAL, FLAG, COUNT, LONG_COUNT, TEXT, WORD } kind;

static const char *const adjacencies[] = {"default", "replace", "zero-out", NULL};
static const char *const presets[] = {"default", "practical", "anytime", "paper", NULL};
static const char *const bounds[] = {"default", "clip", "tight", "paper", NULL};
static const char *const domains[] = {"default", "ball", "box", "simplex", NULL};
static const char *const scalings[] = {"default", "own", "same", "spread", NULL};
static const char *const centres[] = {"default", "on", "off", "head", NULL};
static const char *const moments[] = {"default", "auto", "on", "off", NULL};

static const struct field {
  const char *name;
  kind kind;
  size_t offset;
  const char *const *words; /* for WORD: the words, by value of the enum */
} fields[] = {
#define CORE_FIELD(name, kind, words)                                                  \
  { #name, kind, offsetof(tacit_config, name), words }
    CORE_FIELD(epsilon, REAL, NULL),     CORE_FIELD(delta, REAL, NULL),
    CORE_FIELD(rho, REAL, NULL),         CORE_FIELD(adjacency, WORD, adjacencies),
    CORE_FIELD(rows, LONG_COUNT, NULL),  CORE_FIELD(row_norm, REAL, NULL),
    CORE_FIELD(bias, FLAG, NULL),        CORE_FIELD(shuffled, FLAG, NULL),
    CORE_FIELD(loss, TEXT, NULL),        CORE_FIELD(l2, REAL, NULL),
    CORE_FIELD(preset, WORD, presets),   CORE_FIELD(learner, TEXT, NULL),
    CORE_FIELD(mechanism, TEXT, NULL),   CORE_FIELD(bound, WORD, bounds),
    CORE_FIELD(passes, COUNT, NULL),     CORE_FIELD(batch, LONG_COUNT, NULL),
    CORE_FIELD(power, REAL, NULL),       CORE_FIELD(clip, REAL, NULL),
    CORE_FIELD(radius, REAL, NULL),      CORE_FIELD(domain, WORD, domains),
    CORE_FIELD(threads, COUNT, NULL),    CORE_FIELD(norm, REAL, NULL),
    CORE_FIELD(pure, FLAG, NULL),        CORE_FIELD(law, TEXT, NULL),
    CORE_FIELD(reg_scale, REAL, NULL),   CORE_FIELD(init_public, FLAG, NULL),
    CORE_FIELD(init_name, TEXT, NULL),   CORE_FIELD(checkpoint, TEXT, NULL),
    CORE_FIELD(key_file, TEXT, NULL),    CORE_FIELD(resume, FLAG, NULL),
    CORE_FIELD(leaks, TEXT, NULL),       CORE_FIELD(weighted, FLAG, NULL),
    CORE_FIELD(units, LONG_COUNT, NULL), CORE_FIELD(unit_rows, LONG_COUNT, NULL),
    CORE_FIELD(unit_name, TEXT, NULL),   CORE_FIELD(centre, WORD, centres),
    CORE_FIELD(scaling, WORD, scalings), CORE_FIELD(rereadable, FLAG, NULL),
    CORE_FIELD(moments, WORD, moments),
#undef CORE_FIELD
};

static int set_word(const struct field *field, PyObject *value, void *place) {
  const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
  if (text == NULL) return -1;
  for (int i = 0; field->words[i] != NULL; ++i) {
    if (strcmp(field->words[i], text) != 0) continue;
    memcpy(place, &i, sizeof i); /* the enums of the config are ints */
    return 0;
  }
  PyErr_Format(PyExc_ValueError, "%s cannot be '%s'; it is '%s', '%s' ...", field->name,
               text, field->words[1], field->words[2]);
  return -1;
}

static int set_field(const struct field *field, PyObject *value, tacit_config *config) {
  void *place = (char *)config + field->offset;
  switch (field->kind) {
  case REAL: {
    double number = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) return -1;
    *(double *)place = number;
    return 0;
  }
  case FLAG: {
    int flag = PyObject_IsTrue(value);
    if (flag < 0) return -1;
    *(bool *)place = flag;
    return 0;
  }
  case COUNT:
  case LONG_COUNT: {
    long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) return -1;
    if (field->kind == LONG_COUNT) {
      *(int64_t *)place = number;
    } else if (number < 0 || number > 1000000) {
      PyErr_Format(PyExc_ValueError, "%s must be between 0 and 1000000", field->name);
      return -1;
    } else {
      *(int *)place = (int)number;
    }
    return 0;
  }
  case TEXT:
    *(const char **)place = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char **)place != NULL ? 0 : -1;
  case WORD: return set_word(field, value, place);
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
  tacit_status status =
      labels == NULL && n_classes != 2
          ? (libsvm ? tacit_schema_libsvm_classes : tacit_schema_memory_classes)(
                n_features, n_classes, &out->schema, &err)
          : (libsvm ? tacit_schema_libsvm : tacit_schema_memory)(n_features, min, max,
                                                                 &out->schema, &err);
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
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
    if (strcmp(fields[i].name, name) == 0)
      return set_field(&fields[i], value, &out->config);
  }
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
