/* SPDX-License-Identifier: MIT */
/*
 * tacit._core.Worker: computes integer sums for a run in another process.
 * tacit._core.Order: the secret order of rows.
 */
#include <string.h>

#include "core.h"

typedef struct worker_object {
  PyObject_HEAD tacit_worker *worker;
} worker_object;

static PyObject *worker_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *settings;
  core_config config;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O", &settings)) return NULL;
  core_state *state = PyType_GetModuleState(type);
  if (core_config_begin(state, settings, &config) < 0) return NULL;
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_status status = tacit_worker_new(&config.config, &worker, &err);
  core_config_end(&config);
  if (status != TACIT_OK) return core_raise(state, &err);
  worker_object *self =
      (worker_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL)
    tacit_worker_free(worker);
  else
    self->worker = worker;
  return (PyObject *)self;
}

static void worker_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  tacit_worker_free(((worker_object *)object)->worker);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* Some numbers of a round as bytes; no numbers: none. */
static PyObject *numbers_of(const double *numbers, size_t count) {
  if (numbers == NULL) count = 0;
  return PyBytes_FromStringAndSize((const char *)numbers,
                                   (Py_ssize_t)(count * sizeof *numbers));
}

PyObject *core_round_build(const tacit_round *round) {
  return Py_BuildValue(
      "(LLLLnddLdy#iddddNNNNNN)", (long long)round->t, (long long)round->rounds,
      (long long)round->n_rows, (long long)round->first, (Py_ssize_t)round->dim,
      round->ratio, round->lattice_scale, (long long)round->lattice_clip,
      round->lattice_clip_dual, (const char *)round->problem,
      (Py_ssize_t)sizeof round->problem, round->offset_bits, round->radius,
      round->slope_max, round->square_scale, round->square_max,
      numbers_of(round->offset, round->offset_count),
      numbers_of(round->margins, round->outputs),
      numbers_of(round->margins_prev, round->outputs),
      numbers_of(round->x, round->weights), numbers_of(round->x_prev, round->weights),
      numbers_of(round->stretch, round->stretch_count));
}

enum { VECTORS = 6 }; /* of a round, in the order of core_round_build */

/* Copies the vectors to *room, because bytes need not be aligned. */
static int copy_vectors(const Py_buffer *from, tacit_round *out, double **room) {
  const double **to[VECTORS] = {&out->offset, &out->margins, &out->margins_prev,
                                &out->x,      &out->x_prev,  &out->stretch};
  Py_ssize_t bytes = 0, at = 0, size = (Py_ssize_t)sizeof(double);
  for (int i = 0; i < VECTORS; ++i)
    bytes += from[i].len;
  *room = PyMem_Malloc((size_t)bytes + 1);
  if (*room == NULL) {
    (void)PyErr_NoMemory();
    return -1;
  }
  for (int i = 0; i < VECTORS; ++i) {
    memcpy(*room + at, from[i].buf, (size_t)from[i].len);
    *to[i] = from[i].len > 0 ? *room + at : NULL;
    at += from[i].len / size;
  }
  out->offset_count = (size_t)(from[0].len / size);
  out->outputs = (size_t)(from[1].len / size);
  out->weights = (size_t)(from[3].len / size);
  out->stretch_count = (size_t)(from[5].len / size);
  return 0;
}

static int is_sound(const Py_buffer *vectors, const Py_buffer *problem) {
  for (int i = 0; i < VECTORS; ++i)
    if (vectors[i].len % (Py_ssize_t)sizeof(double) != 0 ||
        vectors[i].len > PY_SSIZE_T_MAX / (2 * VECTORS))
      return 0;
  return vectors[1].len == vectors[2].len && vectors[3].len == vectors[4].len &&
         problem->len == TACIT_PROBLEM_BYTES;
}

/* Reads the tuple of core_round_build. Free *room with PyMem_Free. */
static int round_parse(PyObject *tuple, tacit_round *out, double **room) {
  long long t, rounds, n_rows, first, clip;
  Py_ssize_t dim;
  Py_buffer problem, vectors[VECTORS];
  tacit_round_init(out);
  if (!PyTuple_Check(tuple)) {
    PyErr_SetString(PyExc_TypeError, "a round is a tuple of Run.ask");
    return -1;
  }
  if (!PyArg_ParseTuple(tuple, "LLLLnddLdy*iddddy*y*y*y*y*y*", &t, &rounds, &n_rows,
                        &first, &dim, &out->ratio, &out->lattice_scale, &clip,
                        &out->lattice_clip_dual, &problem, &out->offset_bits,
                        &out->radius, &out->slope_max, &out->square_scale,
                        &out->square_max, &vectors[0], &vectors[1], &vectors[2],
                        &vectors[3], &vectors[4], &vectors[5]))
    return -1;
  int failed = 1;
  if (dim > 0 && is_sound(vectors, &problem))
    failed = copy_vectors(vectors, out, room);
  else
    PyErr_SetString(PyExc_ValueError, "the round is damaged");
  if (!failed) memcpy(out->problem, problem.buf, sizeof out->problem);
  PyBuffer_Release(&problem);
  for (int i = 0; i < VECTORS; ++i)
    PyBuffer_Release(&vectors[i]);
  out->t = t;
  out->rounds = rounds;
  out->n_rows = n_rows;
  out->first = first;
  out->dim = (size_t)dim;
  out->lattice_clip = clip;
  return failed ? -1 : 0;
}

/* A sum under way. */
struct work {
  const tacit_worker *worker;
  const tacit_round *round;
  int64_t *raw_sum, raw_count;
};

static tacit_status add_rows(void *cookie, const tacit_batch *batch, tacit_error *err) {
  struct work *work = cookie;
  return tacit_worker_delta(work->worker, work->round, batch, work->raw_sum,
                            &work->raw_count, err);
}

/* delta(round, rows, sum): adds the contributions of the rows to `sum` and returns
   their number. */
static PyObject *worker_delta(PyObject *object, PyObject *args) {
  const tacit_worker *worker = ((worker_object *)object)->worker;
  PyObject *round_object, *rows_object, *sum_object;
  tacit_round round;
  double *room = NULL;
  core_rows rows;
  Py_buffer sum;
  if (!PyArg_ParseTuple(args, "OOO", &round_object, &rows_object, &sum_object) ||
      round_parse(round_object, &round, &room) < 0)
    return NULL;
  PyObject *result = NULL;
  if (core_rows_begin(rows_object, &rows) < 0) goto free_room;
  if (core_buffer_out(sum_object, 'q', (Py_ssize_t)round.dim, &sum) < 0) goto end_rows;
  tacit_error err = {TACIT_OK, ""};
  struct work work = {worker, &round, sum.buf, 0};
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status = core_rows_each(&rows, add_rows, &work, &err);
  Py_END_ALLOW_THREADS PyBuffer_Release(&sum);
  result = status == TACIT_OK ? PyLong_FromLongLong(work.raw_count)
                              : core_raise(core_state_of(object), &err);
end_rows:
  core_rows_end(&rows);
free_room:
  PyMem_Free(room);
  return result;
}

/* A digest under way. */
struct digesting {
  const tacit_worker *worker;
  const unsigned char *key;
  const int64_t *places;
  unsigned char *raw_digest;
};

static tacit_status digest_rows(void *cookie, const tacit_batch *batch,
                                tacit_error *err) {
  struct digesting *work = cookie;
  tacit_status status = tacit_worker_digest(work->worker, work->key, batch,
                                            work->places, work->raw_digest, err);
  work->places += batch->n_rows;
  return status;
}

/* digest(key, rows, places): 16 secret bytes. The digests of shards are combined by
   XOR. */
static PyObject *worker_digest(PyObject *object, PyObject *args) {
  const tacit_worker *worker = ((worker_object *)object)->worker;
  PyObject *rows_object, *places_object, *result = NULL;
  const char *key;
  Py_ssize_t key_bytes;
  core_rows rows;
  Py_buffer places;
  if (!PyArg_ParseTuple(args, "y#OO", &key, &key_bytes, &rows_object, &places_object))
    return NULL;
  if (key_bytes != TACIT_WORKER_KEY_BYTES)
    return PyErr_Format(PyExc_ValueError, "the key must have 32 bytes");
  if (core_rows_begin(rows_object, &rows) < 0) return NULL;
  if (core_buffer_in(places_object, 'q', (Py_ssize_t)rows.arrays.n_rows, &places) ==
      0) {
    tacit_error err = {TACIT_OK, ""};
    unsigned char raw_digest[TACIT_WORKER_DIGEST_BYTES] = {0};
    struct digesting work = {worker, (const unsigned char *)key, places.buf,
                             raw_digest};
    tacit_status status;
    Py_BEGIN_ALLOW_THREADS status = core_rows_each(&rows, digest_rows, &work, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&places);
    result = status == TACIT_OK ? PyBytes_FromStringAndSize((const char *)raw_digest,
                                                            sizeof raw_digest)
                                : core_raise(core_state_of(object), &err);
  }
  core_rows_end(&rows);
  return result;
}

/* Contents under way. */
struct contents {
  const tacit_worker *worker;
  uint64_t *raw_next;
};

static tacit_status contents_of(void *cookie, const tacit_batch *batch,
                                tacit_error *err) {
  struct contents *work = cookie;
  tacit_status status = tacit_worker_contents(work->worker, batch, work->raw_next, err);
  work->raw_next += batch->n_rows;
  return status;
}

/* contents(rows, out): one number per row, the bits of an unsigned one. */
static PyObject *worker_contents(PyObject *object, PyObject *args) {
  PyObject *rows_object, *out_object, *result = NULL;
  core_rows rows;
  Py_buffer out;
  if (!PyArg_ParseTuple(args, "OO", &rows_object, &out_object) ||
      core_rows_begin(rows_object, &rows) < 0)
    return NULL;
  if (core_buffer_out(out_object, 'q', (Py_ssize_t)rows.arrays.n_rows, &out) == 0) {
    tacit_error err = {TACIT_OK, ""};
    struct contents work = {((worker_object *)object)->worker, out.buf};
    tacit_status status;
    Py_BEGIN_ALLOW_THREADS status = core_rows_each(&rows, contents_of, &work, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&out);
    result = status == TACIT_OK ? Py_NewRef(Py_None)
                                : core_raise(core_state_of(object), &err);
  }
  core_rows_end(&rows);
  return result;
}

static PyObject *get_dim(PyObject *object, void *closure) {
  (void)closure;
  return PyLong_FromSize_t(tacit_worker_dim(((worker_object *)object)->worker));
}

static PyMethodDef worker_methods[] = {
    {"delta", worker_delta, METH_VARARGS,
     "delta(round, rows, sum): adds rows to a sum"},
    {"digest", worker_digest, METH_VARARGS, "digest(key, rows, places): 16 bytes"},
    {"contents", worker_contents, METH_VARARGS,
     "contents(rows, out): what a cap sorts"},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef worker_getters[] = {
    {"dim", get_dim, NULL, "length of the sums", NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot worker_slots[] = {
    {Py_tp_new, worker_new},
    {Py_tp_dealloc, worker_dealloc},
    {Py_tp_methods, worker_methods},
    {Py_tp_getset, worker_getters},
    {Py_tp_doc, "A worker of a run in another process."},
    {0, NULL}};

PyType_Spec core_worker_spec = {
    .name = "tacit._core.Worker",
    .basicsize = sizeof(worker_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = worker_slots,
};

/* unit_batches(ids, batches, key, out): the batches of persons, as int64. */
PyObject *core_unit_batches(PyObject *module, PyObject *args) {
  PyObject *ids_object, *out_object;
  const char *raw_key;
  Py_ssize_t key_size;
  long long batches;
  size_t unit_bytes;
  Py_buffer ids, out;
  tacit_error err;
  if (!PyArg_ParseTuple(args, "OLy#O", &ids_object, &batches, &raw_key, &key_size,
                        &out_object))
    return NULL;
  if (key_size != TACIT_ORDER_KEY_BYTES)
    return PyErr_Format(PyExc_ValueError, "the key of an order has 32 bytes");
  if (core_ids_in(ids_object, &ids, &unit_bytes) < 0) return NULL;
  if (core_buffer_out(out_object, 'q', ids.shape[0], &out) < 0) {
    PyBuffer_Release(&ids);
    return NULL;
  }
  tacit_status status =
      tacit_order_units(ids.buf, unit_bytes, ids.shape[0], batches,
                        (const unsigned char *)raw_key, out.buf, &err);
  PyBuffer_Release(&ids);
  PyBuffer_Release(&out);
  if (status != TACIT_OK) return core_raise(PyModule_GetState(module), &err);
  Py_RETURN_NONE;
}

typedef struct order_object {
  PyObject_HEAD tacit_order *order;
  long long n_rows;
} order_object;

static PyObject *order_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  long long n_rows, batches;
  const char *raw_key;
  Py_ssize_t key_size;
  tacit_error err;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "LLy#", &n_rows, &batches, &raw_key, &key_size))
    return NULL;
  if (key_size != TACIT_ORDER_KEY_BYTES) {
    PyErr_SetString(PyExc_ValueError, "the key of an order has 32 bytes");
    return NULL;
  }
  order_object *self =
      (order_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL) return NULL;
  self->n_rows = n_rows;
  if (tacit_order_open(n_rows, batches, (const unsigned char *)raw_key, &self->order,
                       &err) == TACIT_OK)
    return (PyObject *)self;
  Py_DECREF(self);
  return core_raise(PyType_GetModuleState(type), &err);
}

static void order_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  tacit_order_free(((order_object *)object)->order);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject *order_places(PyObject *object, PyObject *args) {
  const order_object *self = (const order_object *)object;
  PyObject *in_object, *out_object;
  Py_buffer in, out;
  if (!PyArg_ParseTuple(args, "OO", &in_object, &out_object)) return NULL;
  Py_ssize_t count = PyObject_Size(in_object);
  if (count < 0 || core_buffer_in(in_object, 'q', count, &in) < 0) return NULL;
  if (core_buffer_out(out_object, 'q', count, &out) < 0) {
    PyBuffer_Release(&in);
    return NULL;
  }
  const int64_t *from = in.buf;
  int64_t *to = out.buf;
  int known = 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    to[i] = tacit_order_place(self->order, from[i]);
    known &= to[i] >= 0;
  }
  PyBuffer_Release(&in);
  PyBuffer_Release(&out);
  if (known) Py_RETURN_NONE;
  return PyErr_Format(PyExc_IndexError, "rows are numbers from 0 to %lld",
                      self->n_rows - 1);
}

static PyObject *order_rows(PyObject *object, PyObject *args) {
  const order_object *self = (const order_object *)object;
  PyObject *out_object;
  long long first;
  Py_buffer out;
  tacit_error err;
  if (!PyArg_ParseTuple(args, "LO", &first, &out_object)) return NULL;
  Py_ssize_t count = PyObject_Size(out_object);
  if (count < 0 || core_buffer_out(out_object, 'q', count, &out) < 0) return NULL;
  tacit_status status = tacit_order_rows(self->order, first, count, out.buf, &err);
  PyBuffer_Release(&out);
  if (status == TACIT_OK) Py_RETURN_NONE;
  return PyErr_Format(PyExc_IndexError, "places are numbers from 0 to %lld",
                      self->n_rows - 1);
}

static PyMethodDef order_methods[] = {
    {"rows", order_rows, METH_VARARGS,
     "rows(first, out): the rows at places from first on"},
    {"places", order_places, METH_VARARGS, "places(rows, out): the places of rows"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot order_slots[] = {{Py_tp_new, order_new},
                                    {Py_tp_dealloc, order_dealloc},
                                    {Py_tp_methods, order_methods},
                                    {Py_tp_doc, "The secret order of n rows."},
                                    {0, NULL}};

PyType_Spec core_order_spec = {
    .name = "tacit._core.Order",
    .basicsize = sizeof(order_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = order_slots,
};
