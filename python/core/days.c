/* SPDX-License-Identifier: MIT */
/* tacit._core.Days: a stream of days (tacit/extra/stream.h). The library works without
   the GIL. */
#include <string.h>
#include <tacit/extra/stream.h>
#include <unistd.h>

#include "core.h"

typedef struct days_object {
  PyObject_HEAD tacit_stream *stream;
  int busy;      /* 1: a call is changing the stream */
  pid_t process; /* that opened it: its copy in a forked child frees nothing */
} days_object;

static tacit_status make(core_state *state, PyObject *settings,
                         const tacit_stream_options *options, tacit_stream **out,
                         tacit_error *err) {
  core_config config;
  if (settings == Py_None)
    return tacit_stream_open(options->path, options->key_file, 0, out, err);
  if (core_config_begin(state, settings, &config) < 0) return TACIT_EINVAL;
  tacit_status status = tacit_stream_init(options, &config.config, out, err);
  core_config_end(&config);
  return status;
}

/* Days(settings, path, key_file, horizon, batch_rows, window, units, unit_once, ledger,
   dataset, evaluate); settings None opens what is at path. */
static PyObject *days_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *settings;
  tacit_stream_options options;
  tacit_error err = {TACIT_OK, ""};
  long long horizon, batch_rows, window;
  int units = 0, unit_once = 0;
  (void)kwargs;
  tacit_stream_options_init(&options);
  if (!PyArg_ParseTuple(args, "OzzLLLppzzd", &settings, &options.path,
                        &options.key_file, &horizon, &batch_rows, &window, &units,
                        &unit_once, &options.ledger, &options.dataset,
                        &options.evaluate))
    return NULL;
  options.horizon = horizon;
  options.batch_rows = batch_rows;
  options.window = window;
  options.units = units;
  options.unit_once = unit_once;
  days_object *self =
      (days_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL) return NULL;
  core_state *state = PyType_GetModuleState(type);
  self->process = getpid();
  if (make(state, settings, &options, &self->stream, &err) == TACIT_OK)
    return (PyObject *)self;
  Py_DECREF(self);
  return core_raise(state, &err);
}

static void days_dealloc(PyObject *object) {
  days_object *self = (days_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  if (self->process == getpid()) tacit_stream_free(self->stream);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static int enter(days_object *self) {
  if (!self->busy && self->process == getpid()) {
    self->busy = 1;
    return 0;
  }
  PyErr_SetString(core_state_of((PyObject *)self)->errors[TACIT_ESTATE],
                  "the stream is in use by another thread, or belongs to another "
                  "process");
  return -1;
}

static tacit_status feed_rows(tacit_stream *stream, const core_rows *rows,
                              long long round, int skip, tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_status status =
      rows != NULL ? core_rows_open(rows, 0, &schema, &reader, err) : TACIT_OK;
  if (status == TACIT_OK)
    status = tacit_stream_feed(stream, reader, round, skip, NULL, err);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

/* feed(rows, round, skip): rows None is a day without any; round 0 is the next one. */
static PyObject *days_feed(PyObject *object, PyObject *args) {
  days_object *self = (days_object *)object;
  PyObject *rows_object;
  long long round;
  int skip;
  core_rows rows;
  tacit_error err = {TACIT_OK, ""};
  if (!PyArg_ParseTuple(args, "OLp", &rows_object, &round, &skip)) return NULL;
  int has_rows = rows_object != Py_None;
  if (has_rows && core_rows_begin(rows_object, &rows) < 0) return NULL;
  if (enter(self) < 0) {
    if (has_rows) core_rows_end(&rows);
    return NULL;
  }
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      feed_rows(self->stream, has_rows ? &rows : NULL, round, skip, &err);
  Py_END_ALLOW_THREADS self->busy = 0;
  if (has_rows) core_rows_end(&rows);
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  Py_RETURN_NONE;
}

static PyObject *days_model(PyObject *object, PyObject *nothing) {
  days_object *self = (days_object *)object;
  core_state *state = core_state_of(object);
  tacit_model *model = NULL;
  tacit_error err;
  (void)nothing;
  if (enter(self) < 0) return NULL;
  tacit_status status = tacit_stream_model(self->stream, &model, &err);
  self->busy = 0;
  return status == TACIT_OK ? core_model_wrap(state, model) : core_raise(state, &err);
}

static PyObject *days_close(PyObject *object, PyObject *nothing) {
  days_object *self = (days_object *)object;
  tacit_error err;
  (void)nothing;
  if (enter(self) < 0) return NULL;
  tacit_status status = tacit_stream_close(self->stream, &err);
  self->busy = 0;
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  Py_RETURN_NONE;
}

static PyObject *days_look(PyObject *object, PyObject *nothing) {
  days_object *self = (days_object *)object;
  tacit_stream_status at = {.struct_size = sizeof at};
  tacit_error err;
  (void)nothing;
  if (tacit_stream_look(self->stream, &at, &err) != TACIT_OK)
    return core_raise(core_state_of(object), &err);
  return Py_BuildValue(
      "{s:L,s:L,s:L,s:L,s:L,s:L,s:N,s:N,s:N,s:d,s:z,s:z}", "round", (long long)at.round,
      "horizon", (long long)at.horizon, "batch_rows", (long long)at.batch_rows,
      "window", (long long)at.window, at.persons ? "units" : "rows", (long long)at.rows,
      "state_bytes", (long long)at.state_bytes, "begun", PyBool_FromLong(at.begun),
      "closed", PyBool_FromLong(at.closed), "persons", PyBool_FromLong(at.persons),
      "noise", at.noise, "ledger", at.ledger, "dataset", at.dataset);
}

static PyObject *days_statement(PyObject *object, void *text) {
  const tacit_stream *stream = ((days_object *)object)->stream;
  return PyUnicode_FromString(text != NULL ? tacit_stream_statement_text(stream)
                                           : tacit_stream_statement_json(stream));
}

static PyObject *days_score(PyObject *object, void *unused) {
  const char *text = tacit_stream_score(((days_object *)object)->stream);
  (void)unused;
  if (text == NULL) Py_RETURN_NONE;
  return PyUnicode_FromString(text);
}

static PyMethodDef methods[] = {
    {"feed", days_feed, METH_VARARGS, "feed(rows, round, skip): the rows of a day"},
    {"model", days_model, METH_NOARGS, "the model after the last day"},
    {"close", days_close, METH_NOARGS, "ends the stream"},
    {"look", days_look, METH_NOARGS, "where the stream is"},
    {NULL, NULL, 0, NULL}};

static char as_text[] = "text";
static PyGetSetDef members[] = {
    {"score", days_score, NULL, "how the model before did on the last day", NULL},
    {"statement_json", days_statement, NULL, "the statement of all models", NULL},
    {"statement_text", days_statement, NULL, "the same for people", as_text},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, days_new},   {Py_tp_dealloc, days_dealloc},    {Py_tp_methods, methods},
    {Py_tp_getset, members}, {Py_tp_doc, "A stream of days."}, {0, NULL}};

PyType_Spec core_days_spec = {
    .name = "tacit._core.Days",
    .basicsize = sizeof(days_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
