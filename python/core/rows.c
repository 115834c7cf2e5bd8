/* SPDX-License-Identifier: MIT */
/*
 * Python arrays as rows of the library, through the buffer protocol and without a copy:
 * any strides, float32 or float64, CSR with integers of 32 or 64 bits.
 */
#include <string.h>

#include "core.h"

/* The type of a native buffer: 'd', 'f', or for integers 'q' or 'i' by their size. */
static char kind_of(const Py_buffer *view) {
  const char *format = view->format != NULL ? view->format : "B";
  if (*format == '@' || *format == '=') ++format;
  if (*format == '\0' || format[1] != '\0') return '?';
  if (*format == 'd' || *format == 'f') return *format;
  if (strchr("ilq", *format) != NULL) return view->itemsize == 8 ? 'q' : 'i';
  return '?';
}

static int refuse(const char *what, const char *need) {
  PyErr_Format(PyExc_TypeError, "%s must be %s", what, need);
  return -1;
}

/* Gets the next buffer of the rows; it must have one of the kinds and `dimensions`. */
static Py_buffer *take(core_rows *rows, PyObject *object, const char *what,
                       const char *kinds, const char *need, int dimensions) {
  Py_buffer *view = &rows->buffers[rows->n_buffers];
  int flags = dimensions == 2 ? PyBUF_RECORDS_RO : PyBUF_CONTIG_RO | PyBUF_FORMAT;
  if (PyObject_GetBuffer(object, view, flags) < 0) return NULL;
  ++rows->n_buffers;
  if (view->ndim != dimensions || strchr(kinds, kind_of(view)) == NULL) {
    (void)refuse(what, need);
    return NULL;
  }
  return view;
}

/* One number per row: labels or weights; None for none. */
static int take_numbers(core_rows *rows, PyObject *object, const char *what,
                        const double **out) {
  if (object == Py_None) return 0;
  const Py_buffer *view =
      take(rows, object, what, "d", "a contiguous float64 array of one dimension", 1);
  if (view == NULL) return -1;
  if (view->shape[0] != rows->arrays.n_rows) {
    PyErr_Format(PyExc_ValueError, "%zd %s for %zd rows", view->shape[0], what,
                 (Py_ssize_t)rows->arrays.n_rows);
    return -1;
  }
  *out = view->buf;
  return 0;
}

/* The size of texts in a buffer of bytes, "12s" of NumPy's "S12"; 0: it has none. */
static size_t text_bytes(const Py_buffer *view) {
  const char *format = view->format != NULL ? view->format : "";
  size_t length = strlen(format);
  int is_text = length > 0 && format[length - 1] == 's' && view->itemsize > 0;
  return is_text ? (size_t)view->itemsize : 0;
}

int core_ids_in(PyObject *object, Py_buffer *out, size_t *out_bytes) {
  if (PyObject_GetBuffer(object, out, PyBUF_CONTIG_RO | PyBUF_FORMAT) < 0) return -1;
  *out_bytes = text_bytes(out);
  if (out->ndim == 1 && (*out_bytes > 0 || kind_of(out) == 'q')) return 0;
  PyBuffer_Release(out);
  return refuse("ids", "a contiguous array of int64 or of bytes");
}

/* Whom the rows belong to: ids, or how many rows share a bound. */
static int take_units(core_rows *rows, PyObject *object) {
  if (object == Py_None) return 0;
  Py_buffer *view = &rows->buffers[rows->n_buffers];
  if (PyObject_GetBuffer(object, view, PyBUF_CONTIG_RO | PyBUF_FORMAT) < 0) return -1;
  ++rows->n_buffers;
  if (view->ndim != 1 || view->shape[0] != rows->arrays.n_rows) {
    PyErr_SetString(PyExc_ValueError, "not one id per row");
    return -1;
  }
  rows->arrays.unit_bytes = text_bytes(view);
  if (rows->arrays.unit_bytes > 0 || kind_of(view) == 'q')
    rows->arrays.raw_units = view->buf;
  else if (view->itemsize == 4 && view->format != NULL &&
           strchr("IL", view->format[0]) != NULL)
    rows->raw_unit_rows = view->buf;
  else
    return refuse("ids", "int64, texts of bytes, or uint32 numbers of rows");
  return 0;
}

static int take_dense(core_rows *rows, PyObject *values) {
  tacit_arrays *arrays = &rows->arrays;
  const Py_buffer *view = take(rows, values, "values", "df",
                               "a float64 or float32 array of two dimensions", 2);
  if (view == NULL) return -1;
  arrays->n_rows = view->shape[0];
  arrays->n_features = (size_t)view->shape[1];
  arrays->raw_values = view->buf;
  arrays->values_type = kind_of(view) == 'd' ? TACIT_FLOAT64 : TACIT_FLOAT32;
  arrays->row_stride = view->strides[0];
  arrays->column_stride = view->strides[1];
  return 0;
}

static int take_sparse(core_rows *rows, PyObject *values, PyObject *starts,
                       PyObject *indices, Py_ssize_t features) {
  tacit_arrays *arrays = &rows->arrays;
  const char *need = "a contiguous array of int32 or int64";
  const Py_buffer *view =
      take(rows, values, "values", "df", "a contiguous float64 or float32 array", 1);
  if (view == NULL) return -1;
  arrays->raw_values = view->buf;
  arrays->values_type = kind_of(view) == 'd' ? TACIT_FLOAT64 : TACIT_FLOAT32;
  arrays->n_entries = view->shape[0];
  view = take(rows, starts, "indptr", "qi", need, 1);
  if (view == NULL) return -1;
  arrays->raw_row_start = view->buf;
  arrays->starts_type = kind_of(view) == 'q' ? TACIT_INT64 : TACIT_INT32;
  arrays->n_rows = view->shape[0] - 1;
  view = take(rows, indices, "indices", "qi", need, 1);
  if (view == NULL) return -1;
  arrays->raw_indices = view->buf;
  arrays->indices_type = kind_of(view) == 'q' ? TACIT_INT64 : TACIT_INT32;
  if (view->shape[0] < arrays->n_entries) arrays->n_entries = view->shape[0];
  arrays->n_features = (size_t)features;
  if (features < 0 || arrays->n_rows < 0) {
    PyErr_SetString(PyExc_ValueError, "a CSR matrix has row starts and features");
    return -1;
  }
  return 0;
}

int core_rows_begin(PyObject *object, core_rows *out) {
  PyObject *values, *starts, *indices, *labels, *weights = Py_None, *units = Py_None;
  Py_ssize_t features;
  memset(out, 0, sizeof *out);
  tacit_arrays_init(&out->arrays);
  if (!PyTuple_Check(object)) return refuse("rows", "a tuple of arrays");
  int failed;
  if (PyTuple_Size(object) <= 4) {
    failed = !PyArg_ParseTuple(object, "OO|OO", &values, &labels, &weights, &units) ||
             take_dense(out, values) < 0;
  } else {
    failed = !PyArg_ParseTuple(object, "OOOnO|OO", &values, &starts, &indices,
                               &features, &labels, &weights, &units) ||
             take_sparse(out, values, starts, indices, features) < 0;
  }
  if (failed || take_numbers(out, labels, "labels", &out->arrays.raw_labels) < 0 ||
      take_numbers(out, weights, "weights", &out->arrays.raw_weights) < 0 ||
      take_units(out, units) < 0) {
    core_rows_end(out);
    return -1;
  }
  return 0;
}

void core_rows_end(core_rows *rows) {
  while (rows->n_buffers > 0)
    PyBuffer_Release(&rows->buffers[--rows->n_buffers]);
}

tacit_status core_rows_open(const core_rows *rows, int shuffle, tacit_schema **schema,
                            tacit_reader **reader, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  tacit_status status = tacit_schema_memory(
      rows->arrays.n_features > 0 ? rows->arrays.n_features : 1, 3, 0, 0, schema, err);
  if (status != TACIT_OK) return status;
  options.schema = *schema;
  options.shuffle = shuffle;
  return tacit_reader_open_arrays(&rows->arrays, &options, reader, err);
}

tacit_status core_rows_each(const core_rows *rows, core_take take, void *cookie,
                            tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  const uint32_t *raw_unit_rows = rows->raw_unit_rows;
  tacit_status status = core_rows_open(rows, 0, &schema, &reader, err);
  while (status == TACIT_OK) {
    const tacit_batch *next = NULL;
    status = tacit_reader_next(reader, &next, err);
    if (status != TACIT_OK || next->n_rows == 0) break;
    tacit_batch batch = *next;
    batch.raw_unit_rows = raw_unit_rows;
    status = take(cookie, &batch, err);
    if (raw_unit_rows != NULL) raw_unit_rows += batch.n_rows;
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

static int get_buffer(PyObject *object, int flags, char kind, Py_ssize_t count,
                      Py_buffer *out) {
  if (PyObject_GetBuffer(object, out, flags | PyBUF_FORMAT) < 0) return -1;
  if (kind_of(out) == kind && out->len == count * 8) return 0;
  PyErr_Format(PyExc_ValueError, "expected a contiguous %s array of %zd numbers",
               kind == 'd' ? "float64" : "int64", count);
  PyBuffer_Release(out);
  return -1;
}

int core_buffer_out(PyObject *object, char kind, Py_ssize_t count, Py_buffer *out) {
  return get_buffer(object, PyBUF_CONTIG, kind, count, out);
}

int core_buffer_in(PyObject *object, char kind, Py_ssize_t count, Py_buffer *out) {
  return get_buffer(object, PyBUF_CONTIG_RO, kind, count, out);
}
