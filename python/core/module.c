/* SPDX-License-Identifier: MIT */
/*
 * tacit._core: the C library for Python, on the limited API, without NumPy's headers.
 * It is thin: convenience is written in Python (python/tacit/). This file has the
 * module, the exceptions, made from the library's list of statuses, and the functions
 * that take no records.
 */
#include <string.h>

#include "core.h"

/* The Python name of each status; the compiler warns if one is missing. */
static const char *name_of(tacit_status status) {
  switch (status) {
  case TACIT_OK: return NULL;
  case TACIT_EINVAL: return "tacit.ArgumentError";
  case TACIT_ENOMEM: return "tacit.OutOfMemoryError";
  case TACIT_EIO: return "tacit.FileError";
  case TACIT_EDATA: return "tacit.DataError";
  case TACIT_EBUDGET: return "tacit.BudgetError";
  case TACIT_EPRIVACY: return "tacit.PrivacyError";
  case TACIT_ECANCELED: return "tacit.StoppedError";
  case TACIT_ERANDOM: return "tacit.RandomnessError";
  case TACIT_ESTATE: return "tacit.StateError";
  }
  return NULL;
}

/* The built-in exception that each one derives from, so that usual handlers catch it.
 */
static PyObject *builtin_of(tacit_status status) {
  switch (status) {
  case TACIT_ENOMEM: return PyExc_MemoryError;
  case TACIT_EIO:
  case TACIT_ERANDOM: return PyExc_OSError;
  case TACIT_ECANCELED:
  case TACIT_ESTATE: return PyExc_RuntimeError;
  default: return PyExc_ValueError;
  }
}

core_state *core_state_of(PyObject *object) {
  return PyType_GetModuleState(Py_TYPE(object));
}

PyObject *core_raise(const core_state *state, const tacit_error *err) {
  if (PyErr_Occurred()) return NULL; /* a signal or a callback stopped the run */
  int known = err->status > 0 && err->status < CORE_STATUSES;
  PyErr_SetString(known ? state->errors[err->status] : state->error, err->message);
  return NULL;
}

static int add_error(PyObject *module, core_state *state, tacit_status status,
                     const char *text) {
  const char *name = name_of(status);
  PyObject *bases = PyTuple_Pack(2, state->error, builtin_of(status));
  PyObject *fields = Py_BuildValue("{s:i,s:s}", "status", (int)status, "status_name",
                                   tacit_status_name(status));
  PyObject *error = NULL;
  if (bases != NULL && fields != NULL)
    error = PyErr_NewExceptionWithDoc(name, text, bases, fields);
  Py_XDECREF(bases);
  Py_XDECREF(fields);
  if (error == NULL) return -1;
  state->errors[status] = error;
  return PyModule_AddObjectRef(module, strchr(name, '.') + 1, error);
}

static int add_errors(PyObject *module, core_state *state) {
  state->error = PyErr_NewExceptionWithDoc(
      "tacit.TacitError", "Anything Tacit refuses.", PyExc_Exception, NULL);
  if (state->error == NULL ||
      PyModule_AddObjectRef(module, "TacitError", state->error) < 0)
    return -1;
#define CORE_ADD_ERROR(name, number, text, exit_code)                                  \
  if ((number) != 0 && add_error(module, state, name, text) < 0) return -1;
  TACIT_STATUS_LIST(CORE_ADD_ERROR)
#undef CORE_ADD_ERROR
  return 0;
}

PyObject *core_plan(PyObject *module, PyObject *settings) {
  core_state *state = PyModule_GetState(module);
  core_config config;
  if (core_config_begin(state, settings, &config) < 0) return NULL;
  tacit_plan *plan = NULL;
  tacit_error err;
  tacit_status status = tacit_plan_new(&config.config, &plan, &err);
  core_config_end(&config);
  if (status != TACIT_OK) return core_raise(state, &err);
  PyObject *texts =
      Py_BuildValue("(ssss)", tacit_plan_text(plan), tacit_plan_json(plan),
                    tacit_plan_statement_text(plan), tacit_plan_statement_json(plan));
  tacit_plan_free(plan);
  return texts;
}

/* An entry of the catalog: (name, summary, [(param, min, max, fallback, help), …]). */
static PyObject *entry_of(const tacit_catalog_entry *entry) {
  PyObject *params = PyList_New(0);
  for (const tacit_param *p = entry->params; params && p && p->name; ++p) {
    PyObject *item =
        Py_BuildValue("(sddds)", p->name, p->min, p->max, p->fallback, p->help);
    if (item == NULL || PyList_Append(params, item) < 0) Py_CLEAR(params);
    Py_XDECREF(item);
  }
  if (params == NULL) return NULL;
  return Py_BuildValue("(ssN)", entry->name, entry->summary, params);
}

PyObject *core_catalog(PyObject *module, PyObject *nothing) {
  static const char *const families[] = {"losses", "learners", "mechanisms", "laws"};
  (void)module;
  (void)nothing;
  PyObject *all = PyDict_New();
  for (int f = 0; all != NULL && f < 4; ++f) {
    PyObject *list = PyList_New(0);
    tacit_catalog_entry entry;
    for (size_t i = 0; list != NULL && tacit_catalog_get((tacit_family)f, i, &entry);
         ++i) {
      PyObject *item = entry_of(&entry);
      if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
      Py_XDECREF(item);
    }
    if (list == NULL || PyDict_SetItemString(all, families[f], list) < 0) Py_CLEAR(all);
    Py_XDECREF(list);
  }
  return all;
}

/* Calls a conversion of one or two numbers by its name: account("delta_from_mu_up", mu,
   epsilon). */
PyObject *core_account(PyObject *module, PyObject *args) {
  static const struct {
    const char *name;
    tacit_status (*one)(double, double *, tacit_error *);
    tacit_status (*two)(double, double, double *, tacit_error *);
  } functions[] = {
      {"delta_from_mu_up", NULL, tacit_delta_from_mu_up},
      {"epsilon_from_mu_up", NULL, tacit_epsilon_from_mu_up},
      {"mu_from_dp_down", NULL, tacit_mu_from_dp_down},
      {"mu_from_pure_up", tacit_mu_from_pure_up, NULL},
      {"zcdp_from_mu_up", tacit_zcdp_from_mu_up, NULL},
      {"mu_from_zcdp_down", tacit_mu_from_zcdp_down, NULL},
      {"epsilon_from_zcdp_up", NULL, tacit_epsilon_from_zcdp_up},
      {"mu_compose_up", NULL, tacit_mu_compose_up},
  };
  const char *name;
  double first, second = 0, result = 0;
  if (!PyArg_ParseTuple(args, "sd|d", &name, &first, &second)) return NULL;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    if (strcmp(functions[i].name, name) != 0) continue;
    tacit_error err;
    tacit_status status = functions[i].two != NULL
                              ? functions[i].two(first, second, &result, &err)
                              : functions[i].one(first, &result, &err);
    if (status != TACIT_OK) return core_raise(PyModule_GetState(module), &err);
    return PyFloat_FromDouble(result);
  }
  return PyErr_Format(PyExc_ValueError, "no conversion is called %s", name);
}

static PyMethodDef functions[] = {
    {"plan", core_plan, METH_O, "plan(settings): four texts of the plan of a run"},
    {"catalog", core_catalog, METH_NOARGS, "losses, learners, mechanisms and laws"},
    {"unit_batches", core_unit_batches, METH_VARARGS,
     "unit_batches(ids, batches, key, out): the batches of persons"},
    {"schema_text", core_schema_text, METH_O,
     "schema_text(text): defaults written out"},
    {"table_count", core_table_count, METH_VARARGS,
     "table_count(schema, table, unit_rows, extra): rows, persons, weighted"},
    {"table_labels", core_table_labels, METH_VARARGS,
     "table_labels(schema, table, extra, out): the label of every row as a number"},
    {"table_inputs", core_table_inputs, METH_VARARGS,
     "table_inputs(schema, table, extra): the inputs of the first row"},
    {"table_check", core_table_check, METH_VARARGS,
     "table_check(schema, table, row_norm, values): a report as JSON"},
    {"account", core_account, METH_VARARGS, "account(name, …): one conversion"},
    {"evaluate", core_evaluate, METH_VARARGS,
     "evaluate(model, rows, settings, reserve, failed): a private evaluation as JSON"},
    {"infer", core_infer, METH_VARARGS,
     "infer(schema, table, extra, settings, reserve, failed): a model with a table of "
     "effects"},
    {"effects", core_effects, METH_VARARGS,
     "effects(model, level, side, contrast, form): the table of effects of a model"},
    {"ledger_cost", core_ledger_cost, METH_VARARGS,
     "ledger_cost(name, run, zero_out, persons, in_place): mu of a run in a budget"},
    {"ledger_reserve", core_ledger_reserve, METH_VARARGS,
     "ledger_reserve(where, dataset, kind, statement): the number of the entry"},
    {"ledger_end", core_ledger_end, METH_VARARGS,
     "ledger_end(where, id, commit): commits an entry, or gives it back"},
    {"ledger_read", core_ledger_read, METH_O, "ledger_read(where): JSON text"},
    {"model_parse", core_model_parse, METH_O, "model_parse(text): the model of a file"},
    {"model_load", core_model_load, METH_VARARGS,
     "model_load(path, max_model): the model of a file of at most max_model bytes, "
     "1 GiB if there is none"},
    {NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, PyType_Spec *spec, PyObject **out) {
  *out = PyType_FromModuleAndSpec(module, spec, NULL);
  if (*out == NULL) return -1;
  return PyModule_AddType(module, (PyTypeObject *)*out);
}

static int module_exec(PyObject *module) {
  core_state *state = PyModule_GetState(module);
  if (tacit_abi() != TACIT_ABI) {
    PyErr_SetString(PyExc_ImportError, "tacit: built for another binary interface");
    return -1;
  }
  if (add_errors(module, state) < 0 ||
      add_type(module, &core_model_spec, &state->model_type) < 0 ||
      add_type(module, &core_run_spec, &state->run_type) < 0 ||
      add_type(module, &core_days_spec, &state->days_type) < 0 ||
      add_type(module, &core_stream_spec, &state->stream_type) < 0 ||
      add_type(module, &core_worker_spec, &state->worker_type) < 0 ||
      add_type(module, &core_order_spec, &state->order_type) < 0 ||
      add_type(module, &core_table_spec, &state->table_type) < 0)
    return -1;
  return PyModule_AddStringConstant(module, "version", tacit_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  core_state *state = PyModule_GetState(module);
  Py_VISIT(state->error);
  for (int i = 0; i < CORE_STATUSES; ++i)
    Py_VISIT(state->errors[i]);
  Py_VISIT(state->model_type);
  Py_VISIT(state->run_type);
  Py_VISIT(state->days_type);
  Py_VISIT(state->stream_type);
  Py_VISIT(state->worker_type);
  Py_VISIT(state->order_type);
  Py_VISIT(state->table_type);
  return 0;
}

static int module_clear(PyObject *module) {
  core_state *state = PyModule_GetState(module);
  Py_CLEAR(state->error);
  for (int i = 0; i < CORE_STATUSES; ++i)
    Py_CLEAR(state->errors[i]);
  Py_CLEAR(state->model_type);
  Py_CLEAR(state->run_type);
  Py_CLEAR(state->days_type);
  Py_CLEAR(state->stream_type);
  Py_CLEAR(state->worker_type);
  Py_CLEAR(state->order_type);
  Py_CLEAR(state->table_type);
  return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "tacit._core",
    .m_doc = "The C library. Use the classes of the package tacit.",
    .m_size = sizeof(core_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
