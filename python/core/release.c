/* SPDX-License-Identifier: MIT */
/* Private evaluation, and the calls of a ledger. */
#include <string.h>

#include "core.h"

#include <tacit/extra/evaluate.h>
#include <tacit/extra/ledger.h>

/* The options of an evaluation from a dictionary; -1: an exception is raised. */
static int options_of(PyObject *settings, tacit_evaluation_options *out) {
  static const char *const names[] = {"epsilon", "delta", "loss_max", "error_max"};
  double *const numbers[] = {&out->epsilon, &out->delta, &out->loss_max,
                             &out->error_max};
  tacit_evaluation_options_init(out);
  for (int i = 0; i < 4; ++i) {
    PyObject *value = PyDict_GetItemString(settings, names[i]);
    if (value != NULL) *numbers[i] = PyFloat_AsDouble(value);
  }
  PyObject *bins = PyDict_GetItemString(settings, "bins");
  PyObject *seed = PyDict_GetItemString(settings, "seed");
  PyObject *zero_out = PyDict_GetItemString(settings, "zero_out");
  if (bins != NULL) out->bins = (int)PyLong_AsLong(bins);
  if (seed != NULL) out->seed = PyLong_AsUnsignedLongLong(seed);
  out->seeded = seed != NULL;
  if (zero_out == Py_True) out->adjacency = TACIT_ZERO_OUT;
  out->unit_name = "groups";
  return PyErr_Occurred() != NULL ? -1 : 0;
}

/* What the steps of an evaluation share. */
struct release {
  tacit_evaluation *evaluation;
  tacit_reader *reader;
  tacit_error err;
};

/* Opens the rows, a Table or arrays, and plans. */
static tacit_status plan(struct release *release, const tacit_model *model,
                         PyObject *table, const tacit_arrays *arrays,
                         const tacit_evaluation_options *options) {
  tacit_reader_options reading;
  tacit_reader_options_init(&reading);
  reading.schema = tacit_model_schema(model);
  reading.shuffle = 0;
  tacit_status status =
      table != NULL
          ? core_table_open(table, reading.schema, 1, 0, 1, &release->reader,
                            &release->err)
          : tacit_reader_open_arrays(arrays, &reading, &release->reader, &release->err);
  if (status != TACIT_OK) return status;
  return tacit_evaluation_new(model, release->reader, options, &release->evaluation,
                              &release->err);
}

/* Pays, runs, and tells `failed` whether noise was drawn if that fails. */
static PyObject *pay_and_run(core_state *state, struct release *release,
                             PyObject *reserve, PyObject *failed) {
  PyObject *paid = PyObject_CallFunction(
      reserve, "s", tacit_evaluation_statement_json(release->evaluation));
  if (paid == NULL) return NULL;
  Py_DECREF(paid);
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tacit_evaluation_run(release->evaluation, release->reader, &release->err);
  Py_END_ALLOW_THREADS if (status == TACIT_OK) return PyUnicode_FromString(
      tacit_evaluation_json(release->evaluation));
  PyObject *told = PyObject_CallFunction(
      failed, "i", tacit_evaluation_noise_begun(release->evaluation));
  Py_XDECREF(told);
  return core_raise(state, &release->err);
}

/* evaluate(model, rows, settings, reserve, failed): reserve(statement) is called before
   the first row is read, failed(drawn) if the evaluation then fails. */
PyObject *core_evaluate(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  PyObject *model_object, *rows_object, *settings, *reserve, *failed, *result = NULL;
  core_rows rows;
  tacit_evaluation_options options;
  struct release release = {.err = {TACIT_OK, ""}};
  if (!PyArg_ParseTuple(args, "OOOOO:evaluate", &model_object, &rows_object, &settings,
                        &reserve, &failed) ||
      options_of(settings, &options) < 0)
    return NULL;
  const tacit_model *model = core_model_of(state, model_object);
  if (model == NULL) return NULL;
  int is_table = Py_TYPE(rows_object) == (PyTypeObject *)state->table_type;
  memset(&rows, 0, sizeof rows);
  if (!is_table && core_rows_begin(rows_object, &rows) < 0) return NULL;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      plan(&release, model, is_table ? rows_object : NULL, &rows.arrays, &options);
  Py_END_ALLOW_THREADS if (status == TACIT_OK) result =
      pay_and_run(state, &release, reserve, failed);
  else(void) core_raise(state, &release.err);
  tacit_evaluation_free(release.evaluation);
  tacit_reader_free(release.reader);
  core_rows_end(&rows);
  return result;
}

/* ledger_cost(name, run, zero_out, persons, in_place): mu of a run, a text with its
   statement, or of a release (mu, zero_out, persons), in a budget of these terms. */
PyObject *core_ledger_cost(PyObject *module, PyObject *args) {
  tacit_ledger_terms terms = {0};
  PyObject *run;
  int run_zero_out, run_persons, zero_out, persons, in_place;
  double mu;
  tacit_error err;
  tacit_status status;
  if (!PyArg_ParseTuple(args, "sOppp:ledger_cost", &terms.dataset, &run, &zero_out,
                        &persons, &in_place))
    return NULL;
  terms.persons = persons;
  terms.in_place = in_place;
  terms.adjacency = zero_out ? TACIT_ZERO_OUT : TACIT_REPLACE;
  if (PyUnicode_Check(run)) {
    const char *statement = PyUnicode_AsUTF8AndSize(run, NULL);
    if (statement == NULL) return NULL;
    status = tacit_ledger_cost(statement, &terms, &mu, &err);
  } else {
    if (!PyArg_ParseTuple(run, "dpp", &mu, &run_zero_out, &run_persons)) return NULL;
    status = tacit_ledger_cost_mu(mu, run_zero_out ? TACIT_ZERO_OUT : TACIT_REPLACE,
                                  run_persons, &terms, &mu, &err);
  }
  if (status != TACIT_OK) return core_raise(PyModule_GetState(module), &err);
  return PyFloat_FromDouble(mu);
}

/* ledger_reserve(where, dataset, kind, statement): the number of the entry. */
PyObject *core_ledger_reserve(PyObject *module, PyObject *args) {
  const char *where;
  tacit_ledger_run run = {0};
  int64_t id = 0;
  tacit_error err;
  tacit_status status;
  if (!PyArg_ParseTuple(args, "ssss:ledger_reserve", &where, &run.dataset, &run.kind,
                        &run.statement))
    return NULL;
  Py_BEGIN_ALLOW_THREADS status = tacit_ledger_reserve(where, &run, &id, &err);
  Py_END_ALLOW_THREADS if (status !=
                           TACIT_OK) return core_raise(PyModule_GetState(module), &err);
  return PyLong_FromLongLong(id);
}

/* ledger_end(where, id, commit): commits an entry, or gives it back. */
PyObject *core_ledger_end(PyObject *module, PyObject *args) {
  const char *where;
  long long id;
  int commit;
  tacit_error err;
  tacit_status status;
  if (!PyArg_ParseTuple(args, "sLp:ledger_end", &where, &id, &commit)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = commit
                                      ? tacit_ledger_commit(where, id, NULL, NULL, &err)
                                      : tacit_ledger_refund(where, id, &err);
  Py_END_ALLOW_THREADS if (status !=
                           TACIT_OK) return core_raise(PyModule_GetState(module), &err);
  Py_RETURN_NONE;
}

/* ledger_read(where): the ledger as JSON text. */
PyObject *core_ledger_read(PyObject *module, PyObject *where) {
  const char *name = PyUnicode_AsUTF8AndSize(where, NULL);
  char *text = NULL;
  tacit_error err;
  tacit_status status;
  if (name == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS status = tacit_ledger_read(name, &text, &err);
  Py_END_ALLOW_THREADS if (status !=
                           TACIT_OK) return core_raise(PyModule_GetState(module), &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_ledger_text_free(text);
  return result;
}
