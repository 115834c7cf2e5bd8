/* SPDX-License-Identifier: MIT */
/*
 * tacit._core.ArrowStream: record batches of any producer with the Arrow C stream
 * interface, one at a time. Numbers and booleans become float32 or float64; labels may
 * also be text. Nulls are refused: a person must choose what replaces a missing value.
 */
#include "arrow.h"

#include <string.h>

#include "core.h"

typedef struct stream_object {
  PyObject_HEAD struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
} stream_object;

static PyObject *fail(PyObject *object, tacit_status status, const char *text,
                      const char *name) {
  PyErr_Format(core_state_of(object)->errors[status], text, name);
  return NULL;
}

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *capsule;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
  struct ArrowArrayStream *given = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (given == NULL) return NULL;
  stream_object *self =
      (stream_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL) return NULL;
  self->stream = *given; /* moved, as the specification demands */
  given->release = NULL;
  int code = -1;
  if (self->stream.release != NULL)
    code = self->stream.get_schema(&self->stream, &self->schema);
  if (code != 0) {
    self->schema.release = NULL;
    Py_DECREF(self);
    PyErr_SetString(PyExc_ValueError, "arrow: the stream was used up or has no schema");
    return NULL;
  }
  if (strcmp(self->schema.format, "+s") != 0) {
    Py_DECREF(self);
    PyErr_SetString(PyExc_ValueError, "arrow: the stream has no columns");
    return NULL;
  }
  return (PyObject *)self;
}

static void drop_batch(stream_object *self) {
  if (self->batch.release != NULL) self->batch.release(&self->batch);
  self->batch.release = NULL;
}

static void stream_dealloc(PyObject *object) {
  stream_object *self = (stream_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  drop_batch(self);
  if (self->schema.release != NULL) self->schema.release(&self->schema);
  if (self->stream.release != NULL) self->stream.release(&self->stream);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* next(): rows of the next batch, None at the end. */
static PyObject *stream_next(PyObject *object, PyObject *nothing) {
  stream_object *self = (stream_object *)object;
  int code;
  (void)nothing;
  drop_batch(self);
  Py_BEGIN_ALLOW_THREADS code = self->stream.get_next(&self->stream, &self->batch);
  Py_END_ALLOW_THREADS if (code != 0) {
    self->batch.release = NULL;
    /* The producer knows the reason, but its message may quote a record. */
    return fail(object, TACIT_EIO,
                "arrow: the stream failed: read it without tacit to see why%s", "");
  }
  if (self->batch.release == NULL) Py_RETURN_NONE;
  if (self->batch.n_children != self->schema.n_children)
    return fail(object, TACIT_EDATA, "arrow: a batch has other columns%s", "");
  return PyLong_FromLongLong(self->batch.length);
}

/* Column names and formats. */
static PyObject *get_columns(PyObject *object, void *closure) {
  const struct ArrowSchema *schema = &((stream_object *)object)->schema;
  PyObject *list = PyList_New(0);
  (void)closure;
  for (int64_t i = 0; list != NULL && i < schema->n_children; ++i) {
    const struct ArrowSchema *child = schema->children[i];
    PyObject *item =
        Py_BuildValue("(ss)", child->name != NULL ? child->name : "",
                      child->dictionary != NULL ? "dictionary" : child->format);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static int bit_at(const void *bits, int64_t index) {
  return ((const unsigned char *)bits)[index / 8] >> (index % 8) & 1;
}

/* 1 if an entry of the range is null. */
static int has_null(const struct ArrowArray *array, int64_t first, int64_t count) {
  if (array->null_count == 0 || array->n_buffers < 1 || array->buffers[0] == NULL)
    return 0;
  for (int64_t i = first; i < first + count; ++i)
    if (!bit_at(array->buffers[0], i)) return 1;
  return 0;
}

/* The column and the index of its first row; NULL with an exception if it has nulls. */
static const struct ArrowArray *column_of(PyObject *object, int64_t number,
                                          int64_t *out_first) {
  stream_object *self = (stream_object *)object;
  if (self->batch.release == NULL || number < 0 || number >= self->batch.n_children) {
    (void)fail(object, TACIT_ESTATE, "arrow: no batch or no such column%s", "");
    return NULL;
  }
  const struct ArrowArray *column = self->batch.children[number];
  *out_first = column->offset + self->batch.offset;
  if (column->offset < 0 || column->length < self->batch.offset + self->batch.length) {
    (void)fail(object, TACIT_EDATA, "column '%s': it has fewer rows than its batch",
               self->schema.children[number]->name);
    return NULL;
  }
  if (has_null(&self->batch, self->batch.offset, self->batch.length) ||
      has_null(column, *out_first, self->batch.length)) {
    (void)fail(object, TACIT_EDATA,
               "column '%s': it holds nulls; choose what stands for them first",
               self->schema.children[number]->name);
    return NULL;
  }
  return column;
}

/* Entry i of a column of numbers, whose format was checked. */
static double number_at(char format, const void *data, int64_t i) {
  switch (format) {
  case 'b': return bit_at(data, i);
  case 'c': return ((const int8_t *)data)[i];
  case 'C': return ((const uint8_t *)data)[i];
  case 's': return ((const int16_t *)data)[i];
  case 'S': return ((const uint16_t *)data)[i];
  case 'i': return ((const int32_t *)data)[i];
  case 'I': return ((const uint32_t *)data)[i];
  case 'l': return (double)((const int64_t *)data)[i];
  case 'L': return (double)((const uint64_t *)data)[i];
  case 'f': return (double)((const float *)data)[i];
  default: return ((const double *)data)[i];
  }
}

static int is_number(const char *format) {
  return format[0] != '\0' && format[1] == '\0' &&
         strchr("bcCsSiIlLfg", format[0]) != NULL;
}

/* Copies a column to every `step`-th entry of a matrix of floats or doubles. */
static int copy_column(PyObject *object, int64_t number, Py_buffer *out, int64_t place,
                       int64_t step) {
  const struct ArrowSchema *schema = ((stream_object *)object)->schema.children[number];
  int64_t first, length = ((stream_object *)object)->batch.length;
  const struct ArrowArray *column = column_of(object, number, &first);
  if (column == NULL) return -1;
  if (!is_number(schema->format) || schema->dictionary != NULL) {
    (void)fail(object, TACIT_EDATA,
               "column '%s': not a number or a boolean; encode it first", schema->name);
    return -1;
  }
  const void *data = column->buffers[1];
  for (int64_t i = 0; i < length; ++i) {
    double value = number_at(schema->format[0], data, first + i);
    if (out->itemsize == 8)
      ((double *)out->buf)[place + i * step] = value;
    else
      ((float *)out->buf)[place + i * step] = (float)value;
  }
  return 0;
}

/* fill(columns, out, row): copies the columns of this batch to the rows of `out` from
   `row` on; `out` is a C-contiguous matrix of float64 or float32. */
static PyObject *stream_fill(PyObject *object, PyObject *args) {
  const struct ArrowArray *batch = &((stream_object *)object)->batch;
  PyObject *columns, *out_object;
  Py_ssize_t row;
  Py_buffer out;
  if (!PyArg_ParseTuple(args, "O!On", &PyTuple_Type, &columns, &out_object, &row) ||
      PyObject_GetBuffer(out_object, &out, PyBUF_CONTIG | PyBUF_FORMAT) < 0)
    return NULL;
  Py_ssize_t width = PyTuple_Size(columns);
  int failed = out.ndim != 2 || out.shape[1] != width || row < 0 ||
               out.shape[0] - row < batch->length ||
               (strcmp(out.format, "d") != 0 && strcmp(out.format, "f") != 0);
  if (failed)
    PyErr_SetString(PyExc_ValueError, "arrow: the rows do not fit the matrix");
  for (Py_ssize_t j = 0; !failed && j < width; ++j) {
    long long number = PyLong_AsLongLong(PyTuple_GetItem(columns, j));
    failed = PyErr_Occurred() ||
             copy_column(object, number, &out, row * width + j, width) < 0;
  }
  PyBuffer_Release(&out);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

static const char *text_at(const char *format, const struct ArrowArray *array,
                           int64_t i, size_t *out_size) {
  if (strcmp(format, "u") == 0) {
    const int32_t *offsets = array->buffers[1];
    *out_size = (size_t)(offsets[i + 1] - offsets[i]);
    return *out_size > 0 ? (const char *)array->buffers[2] + offsets[i] : "";
  }
  if (strcmp(format, "U") == 0) {
    const int64_t *offsets = array->buffers[1];
    *out_size = (size_t)(offsets[i + 1] - offsets[i]);
    return *out_size > 0 ? (const char *)array->buffers[2] + offsets[i] : "";
  }
  if (strcmp(format, "vu") != 0) return NULL;
  /* length, then up to 12 bytes, or a prefix, a buffer and an offset */
  const unsigned char *view = (const unsigned char *)array->buffers[1] + 16 * i;
  int32_t length, buffer, offset;
  memcpy(&length, view, 4);
  *out_size = (size_t)length;
  if (length <= 12) return (const char *)view + 4;
  memcpy(&buffer, view + 8, 4);
  memcpy(&offset, view + 12, 4);
  return (const char *)array->buffers[2 + buffer] + offset;
}

/* Returns 1 if the code of a cell names a value of the dictionary that is not null. */
static int names_value(char format, const struct ArrowArray *array, int64_t i) {
  const struct ArrowArray *values = array->dictionary;
  double code = number_at(format, array->buffers[1], i);
  return values != NULL && code >= 0 && code < (double)values->length &&
         !has_null(values, values->offset + (int64_t)code, 1);
}

/* Returns entry i of a label. Its code must name a value if it has a dictionary. */
static PyObject *object_at(const struct ArrowSchema *schema,
                           const struct ArrowArray *array, int64_t i) {
  const char *format = schema->format;
  if (schema->dictionary != NULL) {
    int64_t code = (int64_t)number_at(format[0], array->buffers[1], i);
    return object_at(schema->dictionary, array->dictionary,
                     array->dictionary->offset + code);
  }
  if (!is_number(format)) {
    size_t size;
    const char *text = text_at(format, array, i, &size);
    int is_text = text != NULL && (Py_ssize_t)size > 0;
    return PyUnicode_DecodeUTF8(is_text ? text : "", is_text ? (Py_ssize_t)size : 0,
                                NULL);
  }
  double value = number_at(format[0], array->buffers[1], i);
  if (format[0] == 'b') return PyBool_FromLong(value != 0);
  if (format[0] == 'f' || format[0] == 'g') return PyFloat_FromDouble(value);
  if (format[0] == 'L')
    return PyLong_FromUnsignedLongLong(((const uint64_t *)array->buffers[1])[i]);
  if (format[0] == 'l')
    return PyLong_FromLongLong(((const int64_t *)array->buffers[1])[i]);
  return PyLong_FromLongLong((long long)value);
}

static int is_label(const struct ArrowSchema *schema) {
  const char *format = schema->format;
  if (schema->dictionary != NULL)
    return is_number(format) && schema->dictionary->dictionary == NULL &&
           is_label(schema->dictionary);
  return is_number(format) || strcmp(format, "u") == 0 || strcmp(format, "U") == 0 ||
         strcmp(format, "vu") == 0;
}

/* objects(column): the values of a column of this batch as a list. */
static PyObject *stream_objects(PyObject *object, PyObject *number_object) {
  stream_object *self = (stream_object *)object;
  long long number = PyLong_AsLongLong(number_object);
  int64_t first;
  if (PyErr_Occurred()) return NULL;
  const struct ArrowArray *column = column_of(object, number, &first);
  if (column == NULL) return NULL;
  const struct ArrowSchema *schema = self->schema.children[number];
  if (!is_label(schema))
    return fail(object, TACIT_EDATA,
                "column '%s': a label must be a number, a boolean or text",
                schema->name);
  PyObject *list = PyList_New((Py_ssize_t)self->batch.length);
  for (int64_t i = 0; list != NULL && i < self->batch.length; ++i) {
    if (schema->dictionary != NULL &&
        !names_value(schema->format[0], column, first + i)) {
      Py_DECREF(list);
      return fail(object, TACIT_EDATA,
                  "column '%s': a code is outside of its dictionary, or names a null; "
                  "choose what stands for it first",
                  schema->name);
    }
    PyObject *item = object_at(schema, column, first + i);
    if (item == NULL || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyMethodDef methods[] = {
    {"next", stream_next, METH_NOARGS, "rows of the next batch, None at the end"},
    {"fill", stream_fill, METH_VARARGS, "fill(columns, out, row)"},
    {"objects", stream_objects, METH_O, "objects(column): its values as a list"},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"columns", get_columns, NULL, "names and formats of the columns", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, stream_new},
                              {Py_tp_dealloc, stream_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getters},
                              {Py_tp_doc, "Record batches of an Arrow C stream."},
                              {0, NULL}};

PyType_Spec core_stream_spec = {
    .name = "tacit._core.ArrowStream",
    .basicsize = sizeof(stream_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
