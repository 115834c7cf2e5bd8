/* SPDX-License-Identifier: MIT */
/* Tables of effects. */
#include "core.h"

#include <tacit/extra/infer.h>

/* The options of a table from a dictionary; -1: an exception is raised. */
static int options_of(PyObject *settings, tacit_inference_options *out) {
  tacit_inference_options_init(out);
  PyObject *delta = PyDict_GetItemString(settings, "delta");
  PyObject *seed = PyDict_GetItemString(settings, "seed");
  PyObject *loss = PyDict_GetItemString(settings, "loss");
  out->epsilon = PyFloat_AsDouble(PyDict_GetItemString(settings, "epsilon"));
  if (delta != NULL) out->delta = PyFloat_AsDouble(delta);
  if (seed != NULL) out->seed = PyLong_AsUnsignedLongLong(seed);
  out->seeded = seed != NULL;
  if (loss != NULL) out->loss = PyUnicode_AsUTF8AndSize(loss, NULL);
  if (PyDict_GetItemString(settings, "zero_out") == Py_True)
    out->adjacency = TACIT_ZERO_OUT;
  return PyErr_Occurred() != NULL ? -1 : 0;
}

/* What the steps of a table share. */
struct infer {
  tacit_schema *schema;
  tacit_reader *reader;
  tacit_inference *inference;
  tacit_error err;
};

static tacit_status plan(struct infer *infer, const char *text, size_t size,
                         PyObject *table, int extra,
                         const tacit_inference_options *options) {
  tacit_status status =
      tacit_schema_from_text(text, size, "schema", &infer->schema, &infer->err);
  if (status != TACIT_OK) return status;
  status =
      core_table_open(table, infer->schema, 1, 0, extra, &infer->reader, &infer->err);
  if (status != TACIT_OK) return status;
  return tacit_inference_new(infer->schema, infer->reader, options, &infer->inference,
                             &infer->err);
}

/* Pays, runs, and tells `failed` whether noise was drawn if that fails. */
static PyObject *pay_and_run(core_state *state, struct infer *infer, PyObject *reserve,
                             PyObject *failed) {
  PyObject *paid = PyObject_CallFunction(
      reserve, "s", tacit_inference_statement_json(infer->inference));
  if (paid == NULL) return NULL;
  Py_DECREF(paid);
  char *text = NULL;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tacit_inference_run(infer->inference, infer->reader, &infer->err);
  if (status == TACIT_OK)
    status =
        tacit_model_text(tacit_inference_model(infer->inference), &text, &infer->err);
  Py_END_ALLOW_THREADS if (status == TACIT_OK) {
    PyObject *result = PyUnicode_FromString(text);
    tacit_string_free(text);
    return result;
  }
  PyObject *told =
      PyObject_CallFunction(failed, "i", tacit_inference_noise_begun(infer->inference));
  Py_XDECREF(told);
  return core_raise(state, &infer->err);
}

/* infer(schema, table, extra, settings, reserve, failed): the text of the model with
   its table. reserve(statement) is called before the first row is read, failed(drawn)
   if the run then fails. */
PyObject *core_infer(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text;
  Py_ssize_t size;
  int extra;
  PyObject *table, *settings, *reserve, *failed, *result = NULL;
  tacit_inference_options options;
  struct infer infer = {.err = {TACIT_OK, ""}};
  if (!PyArg_ParseTuple(args, "s#OpOOO:infer", &text, &size, &table, &extra, &settings,
                        &reserve, &failed) ||
      options_of(settings, &options) < 0)
    return NULL;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      plan(&infer, text, (size_t)size, table, extra, &options);
  Py_END_ALLOW_THREADS if (status == TACIT_OK) result =
      pay_and_run(state, &infer, reserve, failed);
  else(void) core_raise(state, &infer.err);
  tacit_inference_free(infer.inference);
  tacit_reader_free(infer.reader);
  tacit_schema_free(infer.schema);
  return result;
}

/* effects(model, level, side, contrast, form): the table of a model as JSON, as text if
   form is 0. */
PyObject *core_effects(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  PyObject *object;
  const char *contrast;
  int form;
  tacit_effects_view view;
  tacit_error err;
  char *text = NULL;
  tacit_effects_view_init(&view);
  if (!PyArg_ParseTuple(args, "Odizi:effects", &object, &view.level, &view.side,
                        &contrast, &form))
    return NULL;
  view.contrasts = &contrast;
  view.n_contrasts = contrast != NULL;
  const tacit_model *model = core_model_of(state, object);
  if (model == NULL) return NULL;
  if (tacit_effects_table(model, &view, (tacit_effects_form)form, &text, &err) !=
      TACIT_OK)
    return core_raise(state, &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}
