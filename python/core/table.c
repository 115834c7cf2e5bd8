/* SPDX-License-Identifier: MIT */
/* What Python does with tables and schemas: counts, checks, labels and terms. */
#include <string.h>
#include <tacit/extra/check.h>

#include "core.h"

static tacit_schema *schema_of(const core_state *state, const char *text,
                               Py_ssize_t size) {
  tacit_schema *schema = NULL;
  tacit_error err;
  if (tacit_schema_from_text(text, (size_t)size, "schema", &schema, &err) == TACIT_OK)
    return schema;
  (void)core_raise(state, &err);
  return NULL;
}

/* schema_text(text): the text of a schema file, defaults written out. */
PyObject *core_schema_text(PyObject *module, PyObject *given) {
  core_state *state = PyModule_GetState(module);
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(given, &size);
  tacit_schema *schema = bytes != NULL ? schema_of(state, bytes, size) : NULL;
  if (schema == NULL) return NULL;
  char *text = NULL;
  tacit_error err;
  tacit_status status = tacit_schema_to_text(schema, &text, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) return core_raise(state, &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}

/* table_count(schema, table, unit_rows, extra): (rows, persons, whether rows have
   weights). */
PyObject *core_table_count(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text;
  PyObject *table;
  Py_ssize_t size;
  long long unit_rows;
  int extra;
  if (!PyArg_ParseTuple(args, "s#OLp", &text, &size, &table, &unit_rows, &extra))
    return NULL;
  tacit_schema *schema = schema_of(state, text, size);
  if (schema == NULL) return NULL;
  tacit_reader *reader = NULL;
  tacit_error err;
  int64_t rows = 0, units = 0;
  int weighted = 0;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      core_table_open(table, schema, 1, 1, extra, &reader, &err);
  if (status == TACIT_OK) {
    rows = tacit_reader_rows(reader);
    weighted = tacit_reader_weighted(reader);
    if (tacit_reader_has_units(reader))
      status = tacit_reader_units(reader, unit_rows, &units, &err);
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  Py_END_ALLOW_THREADS if (status != TACIT_OK) return core_raise(state, &err);
  return Py_BuildValue("(LLi)", (long long)rows, (long long)units, weighted);
}

/* table_labels(schema, table, extra, out): the label of every row as a number. */
PyObject *core_table_labels(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text;
  PyObject *table, *out_object;
  Py_ssize_t size;
  Py_buffer out;
  int extra;
  if (!PyArg_ParseTuple(args, "s#OpO", &text, &size, &table, &extra, &out_object) ||
      core_buffer_out(out_object, 'd', core_table_rows(table), &out) < 0)
    return NULL;
  tacit_schema *schema = schema_of(state, text, size);
  tacit_reader *reader = NULL;
  tacit_error err;
  double *at = out.buf;
  tacit_status status = TACIT_EINVAL;
  if (schema != NULL) {
    const tacit_batch *batch = NULL;
    Py_BEGIN_ALLOW_THREADS status =
        core_table_open(table, schema, 1, 0, extra, &reader, &err);
    do {
      if (status == TACIT_OK) status = tacit_reader_next(reader, &batch, &err);
      if (status != TACIT_OK) break;
      memcpy(at, batch->raw_labels, (size_t)batch->n_rows * sizeof *at);
      at += batch->n_rows;
    } while (batch->n_rows > 0);
    tacit_reader_free(reader);
    Py_END_ALLOW_THREADS
  }
  PyBuffer_Release(&out);
  tacit_schema_free(schema);
  if (schema == NULL) return NULL;
  if (status != TACIT_OK) return core_raise(state, &err);
  Py_RETURN_NONE;
}

/* table_inputs(schema, table, extra): the inputs of the first row that are not 0, as a
   list of (number, value). */
PyObject *core_table_inputs(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text;
  PyObject *table, *list = NULL;
  Py_ssize_t size;
  int extra;
  if (!PyArg_ParseTuple(args, "s#Op", &text, &size, &table, &extra)) return NULL;
  tacit_schema *schema = schema_of(state, text, size);
  if (schema == NULL) return NULL;
  tacit_reader *reader = NULL;
  const tacit_batch *batch = NULL;
  tacit_error err;
  tacit_status status = core_table_open(table, schema, 0, 0, extra, &reader, &err);
  if (status == TACIT_OK) status = tacit_reader_next(reader, &batch, &err);
  if (status == TACIT_OK) list = PyList_New(0);
  for (int64_t i = 0; list != NULL && i < batch->raw_row_start[1]; ++i) {
    PyObject *item = Py_BuildValue("(Id)", batch->raw_indices[i], batch->raw_values[i]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status == TACIT_OK ? list : core_raise(state, &err);
}

/* table_check(schema, table, row_norm, values): the report of tacit_check_table. */
PyObject *core_table_check(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text;
  PyObject *table;
  Py_ssize_t size;
  size_t count;
  int values;
  tacit_check_options options;
  tacit_check_options_init(&options);
  if (!PyArg_ParseTuple(args, "s#Odp", &text, &size, &table, &options.row_norm,
                        &values))
    return NULL;
  options.values = values;
  tacit_schema *schema = schema_of(state, text, size);
  if (schema == NULL) return NULL;
  options.schema = schema;
  char *report = NULL;
  int trains;
  tacit_error err;
  tacit_status status;
  const tacit_table *tables = core_table_list(table, &count);
  Py_BEGIN_ALLOW_THREADS status =
      tacit_check_table(tables, count, &options, &report, &trains, &err);
  Py_END_ALLOW_THREADS tacit_schema_free(schema);
  if (status != TACIT_OK) return core_raise(state, &err);
  PyObject *result = PyUnicode_FromString(report);
  tacit_string_free(report);
  return result;
}

static PyObject *numbers_of(const double *numbers, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = PyFloat_FromDouble(numbers[i]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *texts_of(const char *const *texts, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = PyUnicode_FromString(texts[i]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* The terms of a model: (name, column, kind, first, count, min, max, points, values,
   atoms). */
PyObject *core_terms(PyObject *object, const tacit_schema *schema) {
  static const char *const kinds[] = {"line", "steps",  "hats",  "values", "levels",
                                      "flag", "hashed", "words", "cross"};
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < tacit_schema_terms(schema); ++i) {
    tacit_term term = {.struct_size = sizeof term};
    tacit_error err;
    if (tacit_schema_term(schema, i, &term, &err) != TACIT_OK) {
      Py_DECREF(list);
      return core_raise(core_state_of(object), &err);
    }
    PyObject *item = Py_BuildValue(
        "(sssnnddNNN)", term.name, term.column != NULL ? term.column : "",
        kinds[term.kind], (Py_ssize_t)term.first, (Py_ssize_t)term.count, term.min,
        term.max, numbers_of(term.points, term.n_points),
        texts_of(term.values, term.n_values), numbers_of(term.atoms, term.n_atoms));
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
