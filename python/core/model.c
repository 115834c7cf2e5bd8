/* SPDX-License-Identifier: MIT */
/*
 * tacit._core.Model: a trained model. It is immutable, so a copy is the object itself,
 * and its pickle is its JSON text. Rows are scored in batches, without the GIL.
 */
#include <string.h>
#include <tacit/extra/export.h>
#include <tacit/extra/report.h>

#include "core.h"

typedef struct model_object {
  PyObject_HEAD tacit_model *model;
} model_object;

PyObject *core_model_wrap(const core_state *state, tacit_model *model) {
  allocfunc alloc =
      (allocfunc)PyType_GetSlot((PyTypeObject *)state->model_type, Py_tp_alloc);
  model_object *self = (model_object *)alloc((PyTypeObject *)state->model_type, 0);
  if (self == NULL) {
    tacit_model_free(model);
    return NULL;
  }
  self->model = model;
  return (PyObject *)self;
}

const tacit_model *core_model_of(const core_state *state, PyObject *object) {
  if (Py_TYPE(object) == (PyTypeObject *)state->model_type)
    return ((model_object *)object)->model;
  PyErr_SetString(PyExc_TypeError, "a Model is needed");
  return NULL;
}

/* Wraps a model that was read; warns if its text has no digest. */
static PyObject *wrap_read(const core_state *state, tacit_model *model) {
  if (tacit_model_digest(model) == NULL &&
      PyErr_WarnEx(PyExc_UserWarning,
                   "the model has no digest, it is of format version 1: whether it was "
                   "edited cannot be told",
                   1) != 0) {
    tacit_model_free(model);
    return NULL;
  }
  return core_model_wrap(state, model);
}

PyObject *core_model_parse(PyObject *module, PyObject *text) {
  core_state *state = PyModule_GetState(module);
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == NULL) return NULL;
  tacit_model *model = NULL;
  tacit_error err;
  if (tacit_model_parse(bytes, (size_t)size, &model, &err) != TACIT_OK)
    return core_raise(state, &err);
  return wrap_read(state, model);
}

PyObject *core_model_load(PyObject *module, PyObject *arguments) {
  core_state *state = PyModule_GetState(module);
  PyObject *name = NULL;
  unsigned long long max = 0;
  if (!PyArg_ParseTuple(arguments, "O&|K:model_load", PyUnicode_FSConverter, &name,
                        &max))
    return NULL;
  tacit_model *model = NULL;
  tacit_error err;
  tacit_status status = tacit_model_load(PyBytes_AsString(name), max, &model, &err);
  Py_DECREF(name);
  return status == TACIT_OK ? wrap_read(state, model) : core_raise(state, &err);
}

static void model_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  tacit_model_free(((model_object *)object)->model);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject *model_save(PyObject *object, PyObject *path) {
  const tacit_model *model = ((model_object *)object)->model;
  PyObject *name = NULL;
  if (!PyUnicode_FSConverter(path, &name)) return NULL;
  tacit_error err;
  tacit_status status = tacit_model_save(model, PyBytes_AsString(name), &err);
  Py_DECREF(name);
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  Py_RETURN_NONE;
}

static PyObject *model_json(PyObject *object, PyObject *nothing) {
  char *text = NULL;
  tacit_error err;
  (void)nothing;
  if (tacit_model_text(((model_object *)object)->model, &text, &err) != TACIT_OK)
    return core_raise(core_state_of(object), &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}

static PyObject *model_onnx(PyObject *object, PyObject *nothing) {
  void *bytes = NULL;
  size_t size;
  tacit_error err;
  (void)nothing;
  if (tacit_model_onnx(((model_object *)object)->model, &bytes, &size, &err) !=
      TACIT_OK)
    return core_raise(core_state_of(object), &err);
  PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
  tacit_string_free(bytes);
  return result;
}

static PyObject *model_reduce(PyObject *object, PyObject *nothing) {
  PyObject *module = PyType_GetModule(Py_TYPE(object));
  PyObject *text = model_json(object, nothing);
  if (text == NULL) return NULL;
  PyObject *parse = PyObject_GetAttrString(module, "model_parse");
  if (parse == NULL) {
    Py_DECREF(text);
    return NULL;
  }
  return Py_BuildValue("(N(N))", parse, text);
}

static PyObject *model_copy(PyObject *object, PyObject *ignored) {
  (void)ignored;
  return Py_NewRef(object);
}

typedef tacit_status (*score_fn)(const tacit_model *, const tacit_batch *, double *,
                                 tacit_error *);

/* Applies `score` to all rows and writes to `out`; checks for signals now and then. */
static tacit_status score_all(const tacit_model *model, score_fn score,
                              tacit_reader *reader, double *out, tacit_error *err) {
  size_t outputs = tacit_model_outputs(model);
  tacit_status status = TACIT_OK;
  for (unsigned chunk = 1; status == TACIT_OK; ++chunk) {
    const tacit_batch *batch = NULL;
    status = tacit_reader_next(reader, &batch, err);
    if (status != TACIT_OK || batch->n_rows == 0) break;
    status = score(model, batch, out, err);
    out += (size_t)batch->n_rows * outputs;
    if (chunk % 16 == 0) {
      PyGILState_STATE gil = PyGILState_Ensure();
      if (PyErr_CheckSignals() != 0) status = TACIT_ECANCELED;
      PyGILState_Release(gil);
    }
  }
  return status;
}

static PyObject *score_rows(PyObject *object, PyObject *args, score_fn score) {
  const tacit_model *model = ((model_object *)object)->model;
  PyObject *rows_object, *out_object;
  core_rows rows;
  Py_buffer out;
  if (!PyArg_ParseTuple(args, "OO", &rows_object, &out_object) ||
      core_rows_begin(rows_object, &rows) < 0)
    return NULL;
  Py_ssize_t count =
      (Py_ssize_t)rows.arrays.n_rows * (Py_ssize_t)tacit_model_outputs(model);
  if (core_buffer_out(out_object, 'd', count, &out) < 0) {
    core_rows_end(&rows);
    return NULL;
  }
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_ECANCELED, "stopped"};
  tacit_reader_options_init(&options);
  options.schema = tacit_model_schema(model);
  options.shuffle = 0;
  options.labels = 0;
  tacit_status status = TACIT_OK;
  if (rows.arrays.n_rows > 0) {
    Py_BEGIN_ALLOW_THREADS status =
        tacit_reader_open_arrays(&rows.arrays, &options, &reader, &err);
    if (status == TACIT_OK) status = score_all(model, score, reader, out.buf, &err);
    tacit_reader_free(reader);
    Py_END_ALLOW_THREADS
  }
  PyBuffer_Release(&out);
  core_rows_end(&rows);
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  Py_RETURN_NONE;
}

/* table_scores(table, out, margins, extra): scores of the rows of a table, in their
 * order. */
static PyObject *model_table_scores(PyObject *object, PyObject *args) {
  const tacit_model *model = ((model_object *)object)->model;
  PyObject *table, *out_object;
  Py_buffer out;
  int margins, extra;
  if (!PyArg_ParseTuple(args, "OOpp", &table, &out_object, &margins, &extra) ||
      PyObject_GetBuffer(out_object, &out, PyBUF_CONTIG) < 0)
    return NULL;
  size_t row_bytes = tacit_model_outputs(model) * sizeof(double);
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_ECANCELED, "stopped"};
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      core_table_open(table, tacit_model_schema(model), 0, 0, extra, &reader, &err);
  if (status == TACIT_OK &&
      (size_t)tacit_reader_rows(reader) * row_bytes != (size_t)out.len) {
    err = (tacit_error){TACIT_EDATA, "the table has another number of rows"};
    status = TACIT_EDATA;
  }
  if (status == TACIT_OK)
    status = score_all(model, margins ? tacit_model_margins : tacit_model_scores,
                       reader, out.buf, &err);
  tacit_reader_free(reader);
  Py_END_ALLOW_THREADS PyBuffer_Release(&out);
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  Py_RETURN_NONE;
}

/* Returns text as a str and frees it. */
static PyObject *take_text(PyObject *object, tacit_status status, char *text,
                           const tacit_error *err) {
  if (status != TACIT_OK) return core_raise(core_state_of(object), err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}

/* formula(language, table): the model as C or SQL. */
static PyObject *model_formula(PyObject *object, PyObject *args) {
  int language;
  const char *table;
  char *text = NULL;
  tacit_error err;
  if (!PyArg_ParseTuple(args, "is", &language, &table)) return NULL;
  tacit_status status = tacit_model_formula(
      ((model_object *)object)->model, (tacit_language)language, table, &text, &err);
  return take_text(object, status, text, &err);
}

/* page(name, evaluation, markdown, include_not_private): the page of tacit report. */
static PyObject *model_page(PyObject *object, PyObject *args) {
  const tacit_model *model = ((model_object *)object)->model;
  const char *name, *evaluation;
  int markdown, include;
  char *text = NULL;
  tacit_error err;
  tacit_report_options options;
  tacit_report_options_init(&options);
  if (!PyArg_ParseTuple(args, "szpp", &name, &evaluation, &markdown, &include))
    return NULL;
  options.models = &model;
  options.names = &name;
  options.n_models = 1;
  options.evaluations = &evaluation;
  options.n_evaluations = evaluation != NULL;
  options.markdown = markdown;
  options.include_not_private = include;
  tacit_status status = tacit_report_text(&options, &text, &err);
  return take_text(object, status, text, &err);
}

/* The names of the inputs; None if there are too many. */
static PyObject *get_feature_names(PyObject *object, void *closure) {
  const tacit_schema *schema = tacit_model_schema(((model_object *)object)->model);
  (void)closure;
  if (tacit_schema_feature_name(schema, 0) == NULL) Py_RETURN_NONE;
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < tacit_schema_features(schema); ++i) {
    PyObject *name = PyUnicode_FromString(tacit_schema_feature_name(schema, i));
    if (name == NULL || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *get_terms(PyObject *object, void *closure) {
  (void)closure;
  return core_terms(object, tacit_model_schema(((model_object *)object)->model));
}

static PyObject *get_schema(PyObject *object, void *closure) {
  char *text = NULL;
  tacit_error err;
  (void)closure;
  if (tacit_schema_to_text(tacit_model_schema(((model_object *)object)->model), &text,
                           &err) != TACIT_OK)
    return core_raise(core_state_of(object), &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}

/* shape(term, output, points): the shape of a term and the standard deviation of its
   noise (NaN: not known), each as bytes of float64. */
static PyObject *model_shape(PyObject *object, PyObject *args) {
  const tacit_model *model = ((model_object *)object)->model;
  Py_ssize_t which, output, points;
  size_t count = 0;
  tacit_error err;
  if (!PyArg_ParseTuple(args, "nnn", &which, &output, &points)) return NULL;
  if (tacit_model_shape(model, (size_t)which, (size_t)output, (size_t)points, &count,
                        NULL, NULL, &err) != TACIT_OK)
    return core_raise(core_state_of(object), &err);
  Py_ssize_t bytes = (Py_ssize_t)(count * sizeof(double));
  PyObject *shape = PyBytes_FromStringAndSize(NULL, bytes);
  PyObject *noise = PyBytes_FromStringAndSize(NULL, bytes);
  if (shape == NULL || noise == NULL) {
    Py_XDECREF(shape);
    Py_XDECREF(noise);
    return NULL;
  }
  tacit_status status =
      tacit_model_shape(model, (size_t)which, (size_t)output, (size_t)points, NULL,
                        (double *)(void *)PyBytes_AsString(shape),
                        (double *)(void *)PyBytes_AsString(noise), &err);
  PyObject *both = status == TACIT_OK ? PyTuple_Pack(2, shape, noise)
                                      : core_raise(core_state_of(object), &err);
  Py_DECREF(shape);
  Py_DECREF(noise);
  return both;
}

static PyObject *model_scores(PyObject *object, PyObject *args) {
  return score_rows(object, args, tacit_model_scores);
}

static PyObject *model_margins(PyObject *object, PyObject *args) {
  return score_rows(object, args, tacit_model_margins);
}

/* The weights as bytes of float64. */
static PyObject *get_weights(PyObject *object, void *closure) {
  size_t count;
  const double *weights = tacit_model_weights(((model_object *)object)->model, &count);
  (void)closure;
  return PyBytes_FromStringAndSize((const char *)weights,
                                   (Py_ssize_t)(count * sizeof *weights));
}

/* The offset as bytes of float64; empty if there is none. */
static PyObject *get_offset(PyObject *object, void *closure) {
  const tacit_model *model = ((model_object *)object)->model;
  const double *offset = tacit_model_offset(model);
  size_t count = offset != NULL ? tacit_model_outputs(model) : 0;
  (void)closure;
  return PyBytes_FromStringAndSize((const char *)offset,
                                   (Py_ssize_t)(count * sizeof *offset));
}

/* (min, max) of a number label; None for classes. */
static PyObject *get_label(PyObject *object, void *closure) {
  double min, max;
  (void)closure;
  if (tacit_schema_label(tacit_model_schema(((model_object *)object)->model), &min,
                         &max) == TACIT_LABEL_NUMBER)
    return Py_BuildValue("(dd)", min, max);
  Py_RETURN_NONE;
}

static PyObject *get_fact(PyObject *object, void *closure) {
  const tacit_model *model = ((model_object *)object)->model;
  const tacit_schema *schema = tacit_model_schema(model);
  switch (*(const char *)closure) {
  case 'f': return PyLong_FromSize_t(tacit_schema_features(schema));
  case 'c': return PyLong_FromSize_t(tacit_schema_classes(schema));
  case 'o': return PyLong_FromSize_t(tacit_model_outputs(model));
  case 'b': return PyBool_FromLong(tacit_model_has_bias(model));
  case 'p': return PyBool_FromLong(tacit_model_statement(model)->is_private);
  case 'r': return PyFloat_FromDouble(tacit_model_row_scale(model));
  case 'k': return PyFloat_FromDouble(tacit_model_term_scale(model));
  case 'l': return PyUnicode_FromString(tacit_model_loss(model));
  case 't': return PyUnicode_FromString(tacit_model_statement_text(model));
  default: return PyUnicode_FromString(tacit_model_statement_json(model));
  }
}

static PyMethodDef methods[] = {
    {"save", model_save, METH_O, "save(path): the model file of the command line"},
    {"json", model_json, METH_NOARGS, "the text of the model file"},
    {"onnx", model_onnx, METH_NOARGS,
     "the bytes of an ONNX file, as tacit export --onnx"},
    {"scores", model_scores, METH_VARARGS, "scores(rows, out)"},
    {"margins", model_margins, METH_VARARGS, "margins(rows, out)"},
    {"table_scores", model_table_scores, METH_VARARGS,
     "table_scores(table, out, margins, extra): scores of the rows of a table"},
    {"shape", model_shape, METH_VARARGS,
     "shape(term, output, points): shape of a term and its noise, as bytes"},
    {"formula", model_formula, METH_VARARGS, "formula(language, table): C or SQL"},
    {"page", model_page, METH_VARARGS,
     "page(name, evaluation, markdown, include_not_private): a report"},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {"__copy__", model_copy, METH_NOARGS, NULL},
    {"__deepcopy__", model_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static char codes[] = "fcobpltsrk";
static PyGetSetDef getters[] = {
    {"weights", get_weights, NULL, "the weights, bytes of float64", NULL},
    {"offset", get_offset, NULL, "one per output, bytes of float64, or empty", NULL},
    {"terms", get_terms, NULL, "groups of inputs that belong together", NULL},
    {"feature_names", get_feature_names, NULL, "names of the inputs, or None", NULL},
    {"schema", get_schema, NULL, "the text of the schema", NULL},
    {"label", get_label, NULL, "bounds of a number label, None for classes", NULL},
    {"features", get_fact, NULL, "number of features", codes},
    {"classes", get_fact, NULL, "number of classes, 0 for a number", codes + 1},
    {"outputs", get_fact, NULL, "number of outputs", codes + 2},
    {"has_bias", get_fact, NULL, "whether it has an intercept", codes + 3},
    {"is_private", get_fact, NULL, "what the statement says", codes + 4},
    {"loss", get_fact, NULL, "name of the loss", codes + 5},
    {"statement_text", get_fact, NULL, "the statement for people", codes + 6},
    {"statement_json", get_fact, NULL, "the statement as JSON", codes + 7},
    {"row_scale", get_fact, NULL, "what rows are multiplied by; 0: by own norm",
     codes + 8},
    {"term_scale", get_fact, NULL, "what a row of the largest norm is multiplied by",
     codes + 9},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_dealloc, model_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getters},
                              {Py_tp_doc, "A trained model with its statement."},
                              {0, NULL}};

PyType_Spec core_model_spec = {
    .name = "tacit._core.Model",
    .basicsize = sizeof(model_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
