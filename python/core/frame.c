/* SPDX-License-Identifier: MIT */
/*
 * tacit._core.Table: the columns of a frame as tables of the library. Arrow streams and
 * arrays of numbers are borrowed. Arrays of Python objects, mostly str, become codes
 * and levels in one loop over their pointers.
 */
#include <math.h>
#include <string.h>

#include "core.h"

/* Memory of a table, freed with it. */
struct memory {
  struct memory *next;
  Py_buffer view; /* released if view.obj is not NULL */
  tacit_arrow *arrow;
  void *block;
};

typedef struct table_object {
  PyObject_HEAD PyObject *kept; /* a list of objects whose memory is used */
  struct memory *memory;
  tacit_table *tables;
  size_t n_tables;
} table_object;

/* Adds memory to a table; `block` is of PyMem_Malloc or NULL. Returns NULL with an
   exception if there is none. */
static struct memory *keep(table_object *self, void *block) {
  struct memory *memory = PyMem_Calloc(1, sizeof *memory);
  if (memory == NULL) {
    PyMem_Free(block);
    (void)PyErr_NoMemory();
    return NULL;
  }
  memory->block = block;
  memory->next = self->memory;
  self->memory = memory;
  return memory;
}

static void *allocate(table_object *self, size_t count, size_t size) {
  void *block = PyMem_Calloc(count + 1, size);
  if (block == NULL) (void)PyErr_NoMemory();
  return block != NULL && keep(self, block) != NULL ? block : NULL;
}

/* The text of a cell, or its day if it is a date. */
struct item {
  const char *text; /* NULL: missing */
  size_t size;
  int64_t day;
  int is_date;
};

/* Reads the day of an object with a method toordinal; NaT has none. Returns 0 if the
   object is no date. */
static int read_day(PyObject *object, struct item *out) {
  static const int64_t epoch = 719163;
  PyObject *day = PyObject_CallMethod(object, "toordinal", NULL);
  if (day == NULL) {
    PyErr_Clear();
    return 0;
  }
  out->day = PyLong_AsLongLong(day) - epoch;
  out->text = (const char *)&out->day;
  out->size = sizeof out->day;
  out->is_date = 1;
  Py_DECREF(day);
  return 1;
}

/* Reads a str, or what str() makes of another object. */
static int read_item(table_object *self, PyObject *object, struct item *out) {
  Py_ssize_t size;
  PyObject *text = object;
  *out = (struct item){.text = NULL};
  if (object == NULL || object == Py_None) return 0;
  if (!PyUnicode_Check(object)) {
    if (PyFloat_Check(object) && isnan(PyFloat_AsDouble(object))) return 0;
    if (!PyFloat_Check(object) && !PyLong_Check(object) && read_day(object, out))
      return 0;
    text = PyObject_Str(object);
    if (text == NULL || PyList_Append(self->kept, text) < 0) {
      Py_XDECREF(text);
      return -1;
    }
    Py_DECREF(text);
  }
  out->text = PyUnicode_AsUTF8AndSize(text, &size);
  if (out->text == NULL) { /* a surrogate, which stands for a byte */
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
    if (bytes == NULL || PyList_Append(self->kept, bytes) < 0) {
      Py_XDECREF(bytes);
      return -1;
    }
    Py_DECREF(bytes);
    out->text = PyBytes_AsString(bytes);
    size = PyBytes_Size(bytes);
  }
  out->size = (size_t)size;
  if (text == object) return 0;
  if (strcmp(out->text, "nan") == 0 || strcmp(out->text, "NaT") == 0 ||
      strcmp(out->text, "<NA>") == 0)
    out->text = NULL;
  return 0;
}

/* A dictionary under construction. */
struct encoding {
  tacit_text_cell *levels; /* memory of PyMem */
  int64_t *days;
  int32_t *slots; /* level + 1 by hash; 0: free */
  size_t count, room, dates;
};

enum { FIRST_ROOM = 256, RECENT = 1024, NO_LEVEL = -2 };

static uint64_t hash_of(const char *text, size_t size) {
  uint64_t hash = size;
  for (; size >= 8; text += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  uint64_t word = 0;
  memcpy(&word, text, size);
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static size_t slot_of(const struct encoding *all, const char *text, size_t size) {
  size_t mask = 4 * all->room - 1, slot = (size_t)hash_of(text, size) & mask;
  for (; all->slots[slot] != 0; slot = (slot + 1) & mask) {
    const tacit_text_cell *level = &all->levels[all->slots[slot] - 1];
    if (level->size == size && memcmp(level->raw_text, text, size) == 0) break;
  }
  return slot;
}

/* Makes room for a level, and places all again. Returns -1 with an exception if there
   is none. */
static int grow(struct encoding *all) {
  size_t room = all->room > 0 ? 2 * all->room : FIRST_ROOM;
  tacit_text_cell *levels = PyMem_Realloc(all->levels, room * sizeof *levels);
  if (levels != NULL) all->levels = levels;
  int64_t *days = levels != NULL ? PyMem_Realloc(all->days, room * sizeof *days) : NULL;
  if (days != NULL) all->days = days;
  int32_t *slots = days != NULL ? PyMem_Calloc(4 * room, sizeof *slots) : NULL;
  if (slots == NULL) {
    (void)PyErr_NoMemory();
    return -1;
  }
  PyMem_Free(all->slots);
  all->slots = slots;
  all->room = room;
  for (size_t i = 0; i < all->count; ++i) {
    if (all->dates > 0) all->levels[i].raw_text = (const char *)&all->days[i];
    slots[slot_of(all, all->levels[i].raw_text, all->levels[i].size)] = (int32_t)i + 1;
  }
  return 0;
}

/* Returns the level of an item, -1 if it is missing, or NO_LEVEL if memory is missing
   or dates are mixed with texts. */
static int32_t level_of(struct encoding *all, const struct item *item) {
  if (item->text == NULL) return -1;
  if ((all->count > 0 && (all->dates > 0) != item->is_date) ||
      (all->count == all->room && grow(all) < 0))
    return NO_LEVEL;
  size_t slot = slot_of(all, item->text, item->size);
  if (all->slots[slot] > 0) return all->slots[slot] - 1;
  size_t level = all->count++;
  all->days[level] = item->day;
  all->dates += (size_t)item->is_date;
  all->levels[level] = (tacit_text_cell){
      item->is_date ? (const char *)&all->days[level] : item->text, item->size};
  all->slots[slot] = (int32_t)level + 1;
  return (int32_t)level;
}

/* Raises the error of a row, from 0, that has no level, unless memory is missing. */
static void raise_mixed(table_object *self, const char *name, Py_ssize_t row) {
  tacit_error err = {.status = TACIT_EDATA};
  if (PyErr_Occurred()) return;
  (void)PyOS_snprintf(err.message, sizeof err.message,
                      "row %lld, column '%.40s': dates and other cells are mixed: make "
                      "all of them dates, or all texts",
                      (long long)row + 1, name);
  (void)core_raise(core_state_of((PyObject *)self), &err);
}

/* Encodes the objects of a buffer. Equal pointers that follow soon need no look-up. */
static int encode(table_object *self, const Py_buffer *view, const char *name,
                  struct encoding *all, int32_t *codes) {
  static const struct {
    PyObject *object;
    int32_t code;
  } none = {NULL, -1};
  struct {
    PyObject *object;
    int32_t code;
  } recent[RECENT];
  for (size_t i = 0; i < RECENT; ++i)
    memcpy(&recent[i], &none, sizeof none);
  Py_ssize_t stride = view->strides != NULL ? view->strides[0] : view->itemsize;
  for (Py_ssize_t i = 0; i < view->shape[0]; ++i) {
    PyObject *object = *(PyObject **)((char *)view->buf + i * stride);
    size_t place = ((size_t)(uintptr_t)object >> 4) % RECENT;
    struct item item;
    if (recent[place].object == object) {
      codes[i] = recent[place].code;
      continue;
    }
    if (read_item(self, object, &item) < 0) return -1;
    codes[i] = level_of(all, &item);
    if (codes[i] == NO_LEVEL) {
      raise_mixed(self, name, i);
      return -1;
    }
    recent[place].object = object;
    recent[place].code = codes[i];
  }
  return 0;
}

/* Shows encoded levels as a column. */
static int set_levels(table_object *self, struct encoding *all,
                      tacit_table_column *out) {
  void *unused = all->dates > 0 ? (void *)all->levels : (void *)all->days;
  void *used = all->dates > 0 ? (void *)all->days : (void *)all->levels;
  PyMem_Free(unused);
  PyMem_Free(all->slots);
  *out = (tacit_table_column){.name = "",
                              .type = all->dates > 0 ? TACIT_CELLS_INT64
                                                     : TACIT_CELLS_TEXTS,
                              .n_cells = (int64_t)all->count,
                              .raw_cells = used,
                              .per_day = all->dates > 0};
  if (used == NULL) out->type = TACIT_CELLS_EMPTY;
  return keep(self, used) != NULL ? 0 : -1;
}

static int set_objects(table_object *self, const Py_buffer *view,
                       tacit_table_column *out) {
  struct encoding all = {.levels = NULL};
  int32_t *codes = allocate(self, (size_t)view->shape[0], sizeof *codes);
  tacit_table_column *levels = allocate(self, 1, sizeof *levels);
  if (codes == NULL || levels == NULL) return -1;
  int failed = encode(self, view, out->name, &all, codes);
  if (set_levels(self, &all, levels) < 0 || failed < 0) return -1;
  out->type = TACIT_CELLS_INT32;
  out->stride = 0;
  out->raw_cells = codes;
  out->levels = levels;
  return 0;
}

/* The type of the numbers of a buffer. */
static tacit_cells type_of(const Py_buffer *view) {
  const char *format = view->format != NULL ? view->format : "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (*format == '\0' || format[1] != '\0') return TACIT_CELLS_UNKNOWN;
  if (*format == 'd') return TACIT_CELLS_FLOAT64;
  if (*format == 'f') return TACIT_CELLS_FLOAT32;
  if (*format == '?') return TACIT_CELLS_BOOL8;
  int is_signed = strchr("bhilqn", *format) != NULL;
  if (!is_signed && strchr("BHILQN", *format) == NULL) return TACIT_CELLS_UNKNOWN;
  switch (view->itemsize) {
  case 8: return is_signed ? TACIT_CELLS_INT64 : TACIT_CELLS_UINT64;
  case 4: return is_signed ? TACIT_CELLS_INT32 : TACIT_CELLS_UINT32;
  case 2: return is_signed ? TACIT_CELLS_INT16 : TACIT_CELLS_UINT16;
  default: return is_signed ? TACIT_CELLS_INT8 : TACIT_CELLS_UINT8;
  }
}

/* Gets a buffer of one dimension that lives as long as the table. */
static const Py_buffer *view_of(table_object *self, PyObject *object) {
  struct memory *memory = keep(self, NULL);
  if (memory == NULL || PyObject_GetBuffer(object, &memory->view, PyBUF_RECORDS_RO) < 0)
    return NULL;
  if (memory->view.ndim == 1) return &memory->view;
  PyErr_SetString(PyExc_ValueError, "a column has one dimension");
  return NULL;
}

/* Reads the only column and batch of a stream. */
static int set_arrow(table_object *self, PyObject *capsule, tacit_table_column *out) {
  struct memory *memory = keep(self, NULL);
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  tacit_error err;
  size_t count;
  if (memory == NULL || stream == NULL) return -1;
  if (tacit_arrow_read(stream, &memory->arrow, &err) != TACIT_OK) {
    (void)core_raise(core_state_of((PyObject *)self), &err);
    return -1;
  }
  const tacit_table *tables = tacit_arrow_tables(memory->arrow, &count);
  if (count != 1 || tables[0].n_columns != 1) {
    PyErr_SetString(PyExc_ValueError, "a stream of one column and one batch is needed");
    return -1;
  }
  const char *name = out->name;
  *out = tables[0].columns[0];
  out->name = name;
  return 0;
}

/* Makes texts or days of codes, for levels, which have no levels themselves. */
static int flatten(table_object *self, tacit_table_column *column) {
  const tacit_table_column *levels = column->levels;
  const int32_t *codes = column->raw_cells;
  int are_days = levels->type == TACIT_CELLS_INT64;
  size_t size = are_days ? sizeof(int64_t) : sizeof(tacit_text_cell);
  char *cells = allocate(self, (size_t)column->n_cells, size);
  if (cells == NULL) return -1;
  for (size_t i = 0; i < (size_t)column->n_cells; ++i)
    if (codes[i] >= 0)
      memcpy(cells + i * size,
             (const char *)levels->raw_cells + (size_t)codes[i] * size, size);
    else if (are_days)
      memcpy(cells + i * size, &(int64_t){INT64_MIN}, size);
  column->type = levels->type;
  column->per_day = levels->per_day;
  column->has_missing = are_days;
  column->raw_cells = cells;
  column->levels = NULL;
  return 0;
}

/* Makes a column from (name, cells, valid, levels, per_day). */
static int set_column(table_object *self, PyObject *item, tacit_table_column *out) {
  PyObject *name, *cells, *valid, *levels;
  long long per_day;
  *out = (tacit_table_column){.name = NULL};
  if (!PyArg_ParseTuple(item, "UOOOL", &name, &cells, &valid, &levels, &per_day) ||
      PyList_Append(self->kept, name) < 0)
    return -1;
  out->name = PyUnicode_AsUTF8AndSize(name, NULL);
  if (out->name == NULL) return -1;
  if (PyCapsule_CheckExact(cells)) return set_arrow(self, cells, out);
  const Py_buffer *view = view_of(self, cells);
  if (view == NULL) return -1;
  out->type = type_of(view);
  out->n_cells = view->shape[0];
  out->stride = view->strides != NULL ? view->strides[0] : view->itemsize;
  out->raw_cells = view->buf;
  out->per_day = per_day;
  out->has_missing = per_day > 0;
  out->missing = INT64_MIN; /* NaT */
  if (strcmp(view->format, "O") == 0 && set_objects(self, view, out) < 0) return -1;
  if (out->n_cells == 0)
    *out = (tacit_table_column){.name = out->name, .type = TACIT_CELLS_EMPTY};
  if (valid != Py_None) {
    const Py_buffer *bits = view_of(self, valid);
    if (bits == NULL) return -1;
    out->raw_valid = bits->buf;
  }
  if (levels == Py_None || out->n_cells == 0) return 0;
  tacit_table_column *made = allocate(self, 1, sizeof *made);
  if (made == NULL || set_column(self, levels, made) < 0 ||
      (made->levels != NULL && flatten(self, made) < 0))
    return -1;
  out->levels = made;
  return 0;
}

/* Copies the columns of the stream to a table, and adds those that were given. */
static int fill_table(table_object *self, tacit_table *table, const tacit_table *from,
                      const tacit_table_column *own, size_t n_own, int64_t first) {
  size_t n_from = from != NULL ? from->n_columns : 0;
  tacit_table_column *columns = allocate(self, n_from + n_own, sizeof *columns);
  if (columns == NULL) return -1;
  tacit_table_init(table);
  table->columns = columns;
  table->n_rows = from != NULL ? from->n_rows : n_own > 0 ? own[0].n_cells : 0;
  for (size_t i = 0; i < n_from; ++i) {
    int is_replaced = 0;
    for (size_t k = 0; k < n_own; ++k)
      is_replaced |= strcmp(own[k].name, from->columns[i].name) == 0;
    if (!is_replaced) columns[table->n_columns++] = from->columns[i];
  }
  for (size_t i = 0; i < n_own; ++i) {
    tacit_table_column *column = &columns[table->n_columns++];
    *column = own[i];
    if (from == NULL) continue;
    column->first += first;
    if (own[i].n_cells >= first + table->n_rows) column->n_cells = table->n_rows;
  }
  return 0;
}

static int fill(table_object *self, PyObject *capsule, PyObject *columns) {
  const tacit_table *from = NULL;
  size_t n_own = (size_t)PyList_Size(columns), n_from = 1;
  tacit_table_column *own = allocate(self, n_own, sizeof *own);
  for (size_t i = 0; own != NULL && i < n_own; ++i)
    if (set_column(self, PyList_GetItem(columns, (Py_ssize_t)i), &own[i]) < 0)
      return -1;
  if (own == NULL) return -1;
  if (capsule != Py_None) {
    struct memory *memory = keep(self, NULL);
    struct ArrowArrayStream *stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    tacit_error err;
    tacit_status status;
    if (memory == NULL || stream == NULL) return -1;
    Py_BEGIN_ALLOW_THREADS status = tacit_arrow_read(stream, &memory->arrow, &err);
    Py_END_ALLOW_THREADS if (status != TACIT_OK) {
      (void)core_raise(core_state_of((PyObject *)self), &err);
      return -1;
    }
    from = tacit_arrow_tables(memory->arrow, &n_from);
  }
  self->tables = allocate(self, n_from, sizeof *self->tables);
  if (self->tables == NULL) return -1;
  int64_t first = 0;
  for (size_t i = 0; i < n_from; ++i) {
    if (fill_table(self, &self->tables[i], from != NULL ? &from[i] : NULL, own, n_own,
                   first) < 0)
      return -1;
    first += self->tables[i].n_rows;
  }
  self->n_tables = n_from;
  return 0;
}

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *capsule, *columns;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyList_Type, &columns)) return NULL;
  table_object *self =
      (table_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self == NULL) return NULL;
  self->kept = PyList_New(0);
  if (self->kept != NULL && fill(self, capsule, columns) == 0) return (PyObject *)self;
  Py_DECREF(self);
  return NULL;
}

static void table_dealloc(PyObject *object) {
  table_object *self = (table_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  while (self->memory != NULL) {
    struct memory *memory = self->memory;
    self->memory = memory->next;
    if (memory->view.obj != NULL) PyBuffer_Release(&memory->view);
    tacit_arrow_free(memory->arrow);
    PyMem_Free(memory->block);
    PyMem_Free(memory);
  }
  Py_XDECREF(self->kept);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

const tacit_table *core_table_list(PyObject *object, size_t *out_count) {
  table_object *self = (table_object *)object;
  *out_count = self->n_tables;
  return self->tables;
}

Py_ssize_t core_table_rows(PyObject *object) {
  const table_object *self = (const table_object *)object;
  int64_t rows = 0;
  for (size_t i = 0; i < self->n_tables; ++i)
    rows += self->tables[i].n_rows;
  return (Py_ssize_t)rows;
}

tacit_status core_table_open(PyObject *object, const tacit_schema *schema, int labels,
                             int shuffle, int extra, tacit_reader **out,
                             tacit_error *err) {
  const table_object *self = (const table_object *)object;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.labels = labels != 0;
  options.shuffle = shuffle;
  options.extra = extra != 0;
  return tacit_reader_open_table(self->tables, self->n_tables, &options, out, err);
}

static Py_ssize_t table_length(PyObject *object) { return core_table_rows(object); }

/* The names of the columns. */
static PyObject *get_names(PyObject *object, void *closure) {
  const table_object *self = (const table_object *)object;
  PyObject *list = PyList_New(0);
  (void)closure;
  for (size_t i = 0; list != NULL && i < self->tables[0].n_columns; ++i) {
    PyObject *name = PyUnicode_FromString(self->tables[0].columns[i].name);
    if (name == NULL || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyGetSetDef getters[] = {
    {"names", get_names, NULL, "names of the columns", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, table_new},
                              {Py_tp_dealloc, table_dealloc},
                              {Py_tp_getset, getters},
                              {Py_sq_length, table_length},
                              {Py_tp_doc, "Table(stream, columns)"},
                              {0, NULL}};

PyType_Spec core_table_spec = {
    .name = "tacit._core.Table",
    .basicsize = sizeof(table_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
