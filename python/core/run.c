/* SPDX-License-Identifier: MIT */
/*
 * tacit._core.Run: one training run. The library works without the GIL. Its progress
 * callback takes the GIL now and then, to check for signals, so that ^C stops a run,
 * and to call the caller's callback.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

typedef struct run_object {
  PyObject_HEAD tacit_train *train;
  PyObject *progress;   /* the caller's callback, or NULL */
  PyThreadState *saved; /* the thread that runs the library */
  double last_s;        /* when the callback last took the GIL */
  int64_t last_round;
  int64_t unit_rows; /* of the config */
  int busy;          /* 1: a call is changing the run */
  int shards;        /* calls of delta that are running */
  int ended;         /* 1: end() was called, nothing may change the run */
  pid_t process;     /* that began the run: its copy in a forked child frees nothing */
} run_object;

static double now_s(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int tell_caller(run_object *self, const tacit_progress *p) {
  PyObject *result = PyObject_CallFunction(
      self->progress, "LLLLiid", (long long)p->round, (long long)p->rounds,
      (long long)p->rows, (long long)p->rows_all, p->pass, p->passes, p->noise_scale);
  if (result == NULL) return -1;
  Py_DECREF(result);
  return 0;
}

static int on_progress(void *cookie, const tacit_progress *p) {
  run_object *self = cookie;
  double now = now_s();
  int is_new = self->progress != NULL && p->round != self->last_round;
  if (!is_new && now - self->last_s < 0.05) return 0;
  self->last_s = now;
  self->last_round = p->round;
  PyEval_RestoreThread(self->saved);
  int failed = PyErr_CheckSignals() < 0;
  if (!failed && self->progress != NULL) failed = tell_caller(self, p) < 0;
  self->saved = PyEval_SaveThread();
  return failed;
}

static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *settings, *progress = Py_None;
  core_config config;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O|O", &settings, &progress)) return NULL;
  core_state *state = PyType_GetModuleState(type);
  if (core_config_begin(state, settings, &config) < 0) return NULL;
  run_object *self =
      (run_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL) {
    core_config_end(&config);
    return NULL;
  }
  self->progress = progress != Py_None ? Py_NewRef(progress) : NULL;
  self->process = getpid();
  config.config.progress = on_progress;
  config.config.progress_cookie = self;
  self->unit_rows = config.config.unit_rows;
  tacit_error err;
  tacit_status status = tacit_train_new(&config.config, &self->train, &err);
  core_config_end(&config);
  if (status == TACIT_OK) return (PyObject *)self;
  Py_DECREF(self);
  return core_raise(state, &err);
}

static void run_dealloc(PyObject *object) {
  run_object *self = (run_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  /* A forked child has no copies of the run's threads: waiting for them would never
     end. */
  if (self->process == getpid()) tacit_train_free(self->train);
  Py_XDECREF(self->progress);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* One call at a time may change a run; calls of delta may run in parallel otherwise. */
static int enter(run_object *self, int shard) {
  const char *fault = NULL;
  if (self->busy || (!shard && self->shards > 0))
    fault = "the run is in use by another thread";
  if (self->ended) fault = "the run has ended: start a new one";
  if (!shard && self->process != getpid())
    fault = "the run belongs to the process that began it, and this is another one";
  if (fault != NULL) {
    PyErr_SetString(core_state_of((PyObject *)self)->errors[TACIT_ESTATE], fault);
    return -1;
  }
  if (shard)
    ++self->shards;
  else
    self->busy = 1;
  return 0;
}

static PyObject *leave(run_object *self, tacit_status status, const tacit_error *err) {
  self->busy = 0;
  if (status != TACIT_OK) return core_raise(core_state_of((PyObject *)self), err);
  Py_RETURN_NONE;
}

static tacit_status feed(void *cookie, const tacit_batch *batch, tacit_error *err) {
  return tacit_train_feed(cookie, batch, err);
}

/* Every pass over the rows; those of persons are counted first. */
static tacit_status run_all(const run_object *self, const core_rows *rows, int shuffle,
                            tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  int64_t units;
  tacit_status status = core_rows_open(rows, shuffle, &schema, &reader, err);
  if (status == TACIT_OK && rows->arrays.raw_units != NULL)
    status = tacit_reader_units(reader, self->unit_rows, &units, err);
  if (status == TACIT_OK) status = tacit_train_run(self->train, reader, err);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

static PyObject *take_rows(PyObject *object, PyObject *rows_object, int shuffle,
                           int whole) {
  run_object *self = (run_object *)object;
  core_rows rows;
  tacit_error err = {TACIT_OK, ""};
  if (core_rows_begin(rows_object, &rows) < 0) return NULL;
  if (enter(self, 0) < 0) {
    core_rows_end(&rows);
    return NULL;
  }
  self->saved = PyEval_SaveThread();
  tacit_status status = whole ? run_all(self, &rows, shuffle, &err)
                              : core_rows_each(&rows, feed, self->train, &err);
  PyEval_RestoreThread(self->saved);
  core_rows_end(&rows);
  return leave(self, status, &err);
}

static PyObject *run_feed(PyObject *object, PyObject *rows) {
  return take_rows(object, rows, 0, 0);
}

static PyObject *run_run(PyObject *object, PyObject *args) {
  PyObject *rows;
  int shuffle;
  if (!PyArg_ParseTuple(args, "Op", &rows, &shuffle)) return NULL;
  return take_rows(object, rows, shuffle, 1);
}

/* run_table(schema, table, extra): every pass over the rows of a table, in a secret
 * order. */
static PyObject *run_table(PyObject *object, PyObject *args) {
  run_object *self = (run_object *)object;
  const char *text;
  PyObject *table;
  Py_ssize_t size;
  int64_t units;
  int extra;
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_OK, ""};
  if (!PyArg_ParseTuple(args, "s#Op", &text, &size, &table, &extra) ||
      enter(self, 0) < 0)
    return NULL;
  self->saved = PyEval_SaveThread();
  tacit_status status =
      tacit_schema_from_text(text, (size_t)size, "schema", &schema, &err);
  if (status == TACIT_OK)
    status = core_table_open(table, schema, 1, 1, extra, &reader, &err);
  if (status == TACIT_OK && tacit_reader_has_units(reader))
    status = tacit_reader_units(reader, self->unit_rows, &units, &err);
  if (status == TACIT_OK) status = tacit_train_run(self->train, reader, &err);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  PyEval_RestoreThread(self->saved);
  return leave(self, status, &err);
}

static PyObject *run_finish(PyObject *object, PyObject *nothing) {
  run_object *self = (run_object *)object;
  tacit_model *model = NULL;
  tacit_error err;
  (void)nothing;
  if (enter(self, 0) < 0) return NULL;
  tacit_status status = tacit_train_finish(self->train, &model, &err);
  self->busy = 0;
  core_state *state = core_state_of(object);
  return status == TACIT_OK ? core_model_wrap(state, model) : core_raise(state, &err);
}

/* order_key(): the key of the order of the rows. Secret, for workers only. */
static PyObject *run_order_key(PyObject *object, PyObject *nothing) {
  run_object *self = (run_object *)object;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
  tacit_error err;
  (void)nothing;
  if (tacit_train_order_key(self->train, raw_key, &err) != TACIT_OK)
    return core_raise(core_state_of(object), &err);
  return PyBytes_FromStringAndSize((const char *)raw_key, sizeof raw_key);
}

static PyObject *run_ask(PyObject *object, PyObject *nothing) {
  run_object *self = (run_object *)object;
  tacit_round round = {.struct_size = sizeof round};
  tacit_error err;
  (void)nothing;
  if (enter(self, 1) < 0) return NULL;
  tacit_status status = tacit_round_ask(self->train, &round, &err);
  --self->shards;
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  return core_round_build(&round);
}

/* A sum under way. */
struct shard {
  const tacit_train *train;
  const tacit_round *round;
  int64_t *raw_sum, raw_count;
};

static tacit_status add_shard(void *cookie, const tacit_batch *batch,
                              tacit_error *err) {
  struct shard *shard = cookie;
  return tacit_round_delta(shard->train, shard->round, batch, shard->raw_sum,
                           &shard->raw_count, err);
}

/* delta(rows, sum): adds the contributions of the rows to `sum` and returns their
   number. It is for the current round; `tell` of the Python class refuses sums of
   others. */
static PyObject *run_delta(PyObject *object, PyObject *args) {
  run_object *self = (run_object *)object;
  PyObject *rows_object, *sum_object;
  tacit_round round = {.struct_size = sizeof round};
  tacit_error err = {TACIT_OK, ""};
  core_rows rows;
  Py_buffer sum;
  if (!PyArg_ParseTuple(args, "OO", &rows_object, &sum_object)) return NULL;
  if (enter(self, 1) < 0) return NULL;
  tacit_status status = tacit_round_ask(self->train, &round, &err);
  if (status != TACIT_OK) {
    --self->shards;
    return core_raise(core_state_of(object), &err);
  }
  if (core_rows_begin(rows_object, &rows) < 0) {
    --self->shards;
    return NULL;
  }
  if (core_buffer_out(sum_object, 'q', (Py_ssize_t)round.dim, &sum) < 0) {
    core_rows_end(&rows);
    --self->shards;
    return NULL;
  }
  struct shard shard = {self->train, &round, sum.buf, 0};
  Py_BEGIN_ALLOW_THREADS status = core_rows_each(&rows, add_shard, &shard, &err);
  Py_END_ALLOW_THREADS PyBuffer_Release(&sum);
  core_rows_end(&rows);
  --self->shards;
  if (status != TACIT_OK) return core_raise(core_state_of(object), &err);
  return PyLong_FromLongLong(shard.raw_count);
}

static PyObject *run_tell(PyObject *object, PyObject *args) {
  run_object *self = (run_object *)object;
  PyObject *sum_object;
  long long raw_count;
  tacit_round round = {.struct_size = sizeof round};
  tacit_error err = {TACIT_OK, ""};
  Py_buffer sum;
  if (!PyArg_ParseTuple(args, "OL", &sum_object, &raw_count)) return NULL;
  if (enter(self, 0) < 0) return NULL;
  tacit_status status = tacit_round_ask(self->train, &round, &err);
  if (status != TACIT_OK) return leave(self, status, &err);
  if (core_buffer_in(sum_object, 'q', (Py_ssize_t)round.dim, &sum) < 0) {
    self->busy = 0;
    return NULL;
  }
  self->saved = PyEval_SaveThread();
  status = tacit_round_tell(self->train, sum.buf, raw_count, &err);
  PyEval_RestoreThread(self->saved);
  PyBuffer_Release(&sum);
  return leave(self, status, &err);
}

/* end(): gives up the run. Returns whether noise was drawn, or may be drawn at this
   moment by another thread. */
static PyObject *run_end(PyObject *object, PyObject *nothing) {
  run_object *self = (run_object *)object;
  (void)nothing;
  self->ended = 1;
  return PyBool_FromLong(self->busy || tacit_train_noise_begun(self->train));
}

static PyMethodDef methods[] = {
    {"feed", run_feed, METH_O, "feed(rows): the next rows, in their order"},
    {"run", run_run, METH_VARARGS, "run(rows, shuffle): every pass over the rows"},
    {"run_table", run_table, METH_VARARGS,
     "run_table(schema, table, extra): every pass"},
    {"finish", run_finish, METH_NOARGS, "the model, once all rows were fed"},
    {"order_key", run_order_key, METH_NOARGS, "the secret key of the order"},
    {"ask", run_ask, METH_NOARGS, "the round under way"},
    {"delta", run_delta, METH_VARARGS, "delta(rows, sum): adds rows to a sum"},
    {"tell", run_tell, METH_VARARGS, "tell(sum, count): releases the round"},
    {"end", run_end, METH_NOARGS, "gives the run up; whether noise was drawn"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, run_new},
                              {Py_tp_dealloc, run_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "One training run."},
                              {0, NULL}};

PyType_Spec core_run_spec = {
    .name = "tacit._core.Run",
    .basicsize = sizeof(run_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
