/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PYTHON_CORE_H
#define TACIT_PYTHON_CORE_H

/* One binary for CPython 3.11 and later. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <tacit/tacit.h>

#define CORE_STATUSES 10

/* The state of the module, in place of globals. */
typedef struct core_state {
  PyObject *error;                 /* tacit.TacitError, the root of the tree */
  PyObject *errors[CORE_STATUSES]; /* by status number */
  PyObject *model_type, *run_type, *days_type, *stream_type, *worker_type, *order_type,
      *table_type;
} core_state;

/* The state, from an instance of one of the types; none of them can be subclassed. */
core_state *core_state_of(PyObject *object);
/* Raises the exception of err->status unless one is raised already. Returns NULL. */
PyObject *core_raise(const core_state *state, const tacit_error *err);

/* Rows from Python: (values, labels) or (values, indptr, indices, n_features, labels),
   then weights from 0 to 1, then who the rows belong to; all from the labels on may be
   None. Whom: ids, as int64 or texts of fixed size ("S"), or uint32 numbers of rows
   that share the bound of a row. The buffers are held until core_rows_end. */
typedef struct core_rows {
  tacit_arrays arrays;
  const uint32_t *raw_unit_rows; /* NULL: none */
  Py_buffer buffers[6];
  int n_buffers;
} core_rows;

int core_rows_begin(PyObject *object, core_rows *out);
void core_rows_end(core_rows *rows);
/* A reader of the rows, and the schema it borrows, which has the number of columns
   only: the run checks the rest. */
tacit_status core_rows_open(const core_rows *rows, int shuffle, tacit_schema **schema,
                            tacit_reader **reader, tacit_error *err);
/* Calls `take` with all rows, some at a time, in their order. */
typedef tacit_status (*core_take)(void *cookie, const tacit_batch *batch,
                                  tacit_error *err);
tacit_status core_rows_each(const core_rows *rows, core_take take, void *cookie,
                            tacit_error *err);
/* Ids in a buffer; *out_bytes is unit_bytes of tacit_arrays. */
int core_ids_in(PyObject *object, Py_buffer *out, size_t *out_bytes);
/* Gets a writable contiguous buffer of `count` numbers of 8 bytes: kind 'd' or 'q'. */
int core_buffer_out(PyObject *object, char kind, Py_ssize_t count, Py_buffer *out);
/* The same, read only. */
int core_buffer_in(PyObject *object, char kind, Py_ssize_t count, Py_buffer *out);

/* A config, and the objects of the dictionary whose memory it uses. */
typedef struct core_config {
  tacit_config config;
  tacit_schema *schema;
  double *class_weights;
} core_config;

int core_config_begin(core_state *state, PyObject *settings, core_config *out);
void core_config_end(core_config *config);

/* Tables (frame.c, table.c). Opens the rows of a Table. */
tacit_status core_table_open(PyObject *table, const tacit_schema *schema, int labels,
                             int shuffle, int extra, tacit_reader **out,
                             tacit_error *err);
/* The parts of a Table, and their rows. */
const tacit_table *core_table_list(PyObject *table, size_t *out_count);
Py_ssize_t core_table_rows(PyObject *table);
PyObject *core_table_labels(PyObject *module, PyObject *args);
PyObject *core_table_inputs(PyObject *module, PyObject *args);
PyObject *core_schema_text(PyObject *module, PyObject *text);
PyObject *core_table_count(PyObject *module, PyObject *args);
PyObject *core_table_check(PyObject *module, PyObject *args);
PyObject *core_terms(PyObject *object, const tacit_schema *schema);

/* The types. */
PyObject *core_model_wrap(const core_state *state, tacit_model *model);
const tacit_model *core_model_of(const core_state *state, PyObject *object);
PyObject *core_model_parse(PyObject *module, PyObject *text);
PyObject *core_model_load(PyObject *module, PyObject *arguments);
/* The tuple that Worker.delta takes: (t, rounds, n_rows, first, dim, ratio,
   lattice_scale, lattice_clip, lattice_clip_dual, problem, x, x_prev). */
PyObject *core_round_build(const tacit_round *round);
extern PyType_Spec core_model_spec, core_run_spec, core_days_spec, core_stream_spec,
    core_worker_spec, core_order_spec, core_table_spec;

/* Functions on numbers, plan and catalog. */
PyObject *core_plan(PyObject *module, PyObject *settings);
PyObject *core_catalog(PyObject *module, PyObject *nothing);
PyObject *core_account(PyObject *module, PyObject *args);
/* Private evaluation, and the calls of a ledger. */
PyObject *core_evaluate(PyObject *module, PyObject *args);
PyObject *core_infer(PyObject *module, PyObject *args);
PyObject *core_effects(PyObject *module, PyObject *args);
PyObject *core_ledger_cost(PyObject *module, PyObject *args);
PyObject *core_ledger_reserve(PyObject *module, PyObject *args);
PyObject *core_ledger_end(PyObject *module, PyObject *args);
PyObject *core_ledger_read(PyObject *module, PyObject *where);
/* Batches of persons. */
PyObject *core_unit_batches(PyObject *module, PyObject *args);

#endif
