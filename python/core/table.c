/* SPDX-License-Identifier: MIT */
/*
 * Tables: the rows of a data frame as CSV text. The library reads them with the schema
 * as it reads a file, so a frame and its file give the same model, bit for bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/check.h>

#include "arrow.h"
#include "core.h"

/* Text under construction. It holds records. */
struct text {
  char *bytes;
  size_t size, room;
  int failed;
};

/* How cells are written. */
struct style {
  char delimiter;
  int breaks;       /* line breaks are kept */
  const char *date; /* format of dates */
  int pointed; /* the number 5 of a column of floats is "5.0", as in a file of it */
};

static void put(struct text *text, const char *bytes, size_t size) {
  if (text->failed) return;
  if (size > text->room - text->size) {
    size_t room = 2 * (text->size + size) + 4096;
    char *larger = PyMem_Realloc(text->bytes, room);
    if (larger == NULL) {
      text->failed = 1;
      return;
    }
    text->bytes = larger;
    text->room = room;
  }
  if (size > 0) memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
}

/* A number in the fewest digits that read back as the same; 5.0 is "5" unless it is
   pointed. A missing number is an empty cell. */
static void put_number(struct text *text, double value, int is_single, int pointed) {
  char out[40];
  if (isnan(value)) return;
  if (pointed && floor(value) == value && fabs(value) < 1e16) {
    snprintf(out, sizeof out, "%.1f", value);
    put(text, out, strlen(out));
    return;
  }
  for (int digits = is_single ? 6 : 15; digits <= 17; ++digits) {
    snprintf(out, sizeof out, "%.*g", digits, value);
    double again = strtod(out, NULL);
    if (again == value || (is_single && (float)again == (float)value)) break;
  }
  put(text, out, strlen(out));
}

/* A text without the blanks around it, in quotes if it needs them. Line breaks become
   blanks unless the schema allows them. */
static void put_cell(struct text *text, const char *cell, size_t size,
                     const struct style *style) {
  while (size > 0 && (*cell == ' ' || *cell == '\t'))
    ++cell, --size;
  while (size > 0 && (cell[size - 1] == ' ' || cell[size - 1] == '\t'))
    --size;
  int plain = 1;
  for (size_t i = 0; i < size && plain; ++i)
    plain = cell[i] != style->delimiter && cell[i] != '"' && cell[i] != '\r' &&
            cell[i] != '\n';
  if (plain) {
    put(text, cell, size);
    return;
  }
  put(text, "\"", 1);
  for (size_t i = 0; i < size; ++i) {
    int is_break = cell[i] == '\n' || cell[i] == '\r';
    if (cell[i] == '"') put(text, "\"", 1);
    put(text, is_break && !style->breaks ? " " : cell + i, 1);
  }
  put(text, "\"", 1);
}

/* Days since 1970-01-01 as a date, by the format of the schema: the algorithm counts
   years from March, so that a leap day is the last day of a year. */
static void put_date(struct text *text, int64_t days, const char *format) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  char out[24];
  int64_t shifted = days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int64_t day_of_era = shifted - era * 146097;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month_from_march = (5 * day_of_year + 2) / 153;
  int day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  int month =
      (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  int year = (int)(year_of_era + era * 400 + (month <= 2));
  for (; *format != '\0'; ++format) {
    if (*format != '%' || format[1] == '\0') {
      put(text, format, 1);
      continue;
    }
    out[0] = '\0';
    switch (*++format) {
    case 'Y': snprintf(out, sizeof out, "%04d", year); break;
    case 'y': snprintf(out, sizeof out, "%02d", year % 100); break;
    case 'm': snprintf(out, sizeof out, "%02d", month); break;
    case 'd': snprintf(out, sizeof out, "%02d", day); break;
    case 'b':
    case 'B': snprintf(out, sizeof out, "%.3s", months + 3 * (month - 1)); break;
    case '%': snprintf(out, sizeof out, "%%"); break;
    default: snprintf(out, sizeof out, "00"); break; /* %H, %M, %S */
    }
    put(text, out, strlen(out));
  }
}

static int is_null(const struct ArrowArray *array, int64_t i) {
  if (array->null_count == 0 || array->n_buffers < 1 || array->buffers[0] == NULL)
    return 0;
  return !(((const unsigned char *)array->buffers[0])[i / 8] >> (i % 8) & 1);
}

/* Units per day of a type of times; 0: it is none. */
static int64_t per_day(const char *format) {
  if (strcmp(format, "tdD") == 0) return 1;
  if (strcmp(format, "tdm") == 0) return 86400000;
  if (strncmp(format, "tss:", 4) == 0) return 86400;
  if (strncmp(format, "tsm:", 4) == 0) return 86400000;
  if (strncmp(format, "tsu:", 4) == 0) return INT64_C(86400000000);
  if (strncmp(format, "tsn:", 4) == 0) return INT64_C(86400000000000);
  return 0;
}

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Cell i of a column. Returns 0 if its type is not read. */
static int put_value(struct text *text, const struct ArrowSchema *schema,
                     const struct ArrowArray *array, int64_t i,
                     const struct style *style) {
  const char *format = schema->format;
  char out[32];
  if (is_null(array, i) || strcmp(format, "n") == 0) return 1;
  if (schema->dictionary != NULL) {
    int64_t code = (int64_t)core_arrow_number(format[0], array->buffers[1], i);
    return put_value(text, schema->dictionary, array->dictionary,
                     array->dictionary->offset + code, style);
  }
  size_t size;
  const char *cell = core_arrow_text(format, array, i, &size);
  if (cell != NULL) {
    put_cell(text, cell, size, style);
    return 1;
  }
  int64_t units = per_day(format);
  if (units > 0) {
    int64_t value = units == 1 ? ((const int32_t *)array->buffers[1])[i]
                               : ((const int64_t *)array->buffers[1])[i];
    put_date(text, floor_divide(value, units), style->date);
    return 1;
  }
  if (format[1] != '\0' || strchr("bcCsSiIlLfg", format[0]) == NULL) return 0;
  double value = core_arrow_number(format[0], array->buffers[1], i);
  if (format[0] == 'b') {
    put(text, value != 0 ? "True" : "False", value != 0 ? 4 : 5);
  } else if (format[0] == 'l') {
    snprintf(out, sizeof out, "%lld",
             (long long)((const int64_t *)array->buffers[1])[i]);
    put(text, out, strlen(out));
  } else {
    int is_float = strchr("fg", format[0]) != NULL;
    put_number(text, value, format[0] == 'f', is_float && style->pointed);
  }
  return 1;
}

/* text(columns, dates, delimiter, breaks): the rows of this batch as lines of CSV.
   `columns` are numbers; `dates` are the formats of those that are dates, POINTED for
   those whose numbers are, and "" for others. */
#define POINTED ".0"
PyObject *core_stream_text(PyObject *object, PyObject *args) {
  const struct ArrowSchema *schema;
  const struct ArrowArray *batch;
  PyObject *columns, *dates;
  struct style style = {0};
  const char *delimiter;
  if (!PyArg_ParseTuple(args, "O!O!sp", &PyTuple_Type, &columns, &PyTuple_Type, &dates,
                        &delimiter, &style.breaks) ||
      core_stream_batch(object, &schema, &batch) < 0)
    return NULL;
  style.delimiter = delimiter[0];
  struct text text = {0};
  Py_ssize_t width = PyTuple_Size(columns);
  for (int64_t i = 0; i < batch->length; ++i) {
    for (Py_ssize_t j = 0; j < width; ++j) {
      long long number = PyLong_AsLongLong(PyTuple_GetItem(columns, j));
      const char *how = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(dates, j), NULL);
      if (PyErr_Occurred() || number < 0 || number >= batch->n_children) goto failed;
      if (j > 0) put(&text, &style.delimiter, 1);
      const struct ArrowArray *column = batch->children[number];
      style.pointed = strcmp(how, POINTED) == 0;
      style.date = style.pointed || *how == '\0' ? "%Y-%m-%d" : how;
      if (!put_value(&text, schema->children[number], column,
                     column->offset + batch->offset + i, &style)) {
        PyErr_Format(core_state_of(object)->errors[TACIT_EDATA],
                     "column '%s': numbers, texts, booleans, categories and dates are "
                     "read, and it has another type",
                     schema->children[number]->name);
        goto failed;
      }
    }
    put(&text, "\n", 1);
  }
  if (!text.failed) {
    PyObject *result = PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.size);
    PyMem_Free(text.bytes);
    return result;
  }
  (void)PyErr_NoMemory();
failed:
  PyMem_Free(text.bytes);
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no such column");
  return NULL;
}

static tacit_schema *schema_of(const core_state *state, const char *text,
                               Py_ssize_t size) {
  tacit_schema *schema = NULL;
  tacit_error err;
  if (tacit_schema_from_text(text, (size_t)size, "schema", &schema, &err) == TACIT_OK)
    return schema;
  (void)core_raise(state, &err);
  return NULL;
}

/* schema_text(text): the text of a schema file, defaults written out. */
PyObject *core_schema_text(PyObject *module, PyObject *given) {
  core_state *state = PyModule_GetState(module);
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(given, &size);
  tacit_schema *schema = bytes != NULL ? schema_of(state, bytes, size) : NULL;
  if (schema == NULL) return NULL;
  char *text = NULL;
  tacit_error err;
  tacit_status status = tacit_schema_to_text(schema, &text, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) return core_raise(state, &err);
  PyObject *result = PyUnicode_FromString(text);
  tacit_string_free(text);
  return result;
}

tacit_status core_table_open(const char *path, const tacit_schema *schema, int labels,
                             int shuffle, tacit_reader **out, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.labels = labels;
  options.shuffle = shuffle;
  return tacit_reader_open(&path, 1, &options, out, err);
}

/* table_count(schema, path, unit_rows): (rows, persons, whether rows have weights). */
PyObject *core_table_count(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text, *path;
  Py_ssize_t size;
  long long unit_rows;
  if (!PyArg_ParseTuple(args, "s#sL", &text, &size, &path, &unit_rows)) return NULL;
  tacit_schema *schema = schema_of(state, text, size);
  if (schema == NULL) return NULL;
  tacit_reader *reader = NULL;
  tacit_error err;
  int64_t rows = 0, units = 0;
  int weighted = 0;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status = core_table_open(path, schema, 1, 1, &reader, &err);
  if (status == TACIT_OK) {
    rows = tacit_reader_rows(reader);
    weighted = tacit_reader_weighted(reader);
    if (tacit_reader_has_units(reader))
      status = tacit_reader_units(reader, unit_rows, &units, &err);
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  Py_END_ALLOW_THREADS if (status != TACIT_OK) return core_raise(state, &err);
  return Py_BuildValue("(LLi)", (long long)rows, (long long)units, weighted);
}

/* table_check(schema, path, row_norm, values): the report of tacit_check_files. */
PyObject *core_table_check(PyObject *module, PyObject *args) {
  core_state *state = PyModule_GetState(module);
  const char *text, *path;
  Py_ssize_t size;
  int values;
  tacit_check_options options;
  tacit_check_options_init(&options);
  if (!PyArg_ParseTuple(args, "s#sdp", &text, &size, &path, &options.row_norm, &values))
    return NULL;
  options.values = values;
  tacit_schema *schema = schema_of(state, text, size);
  if (schema == NULL) return NULL;
  options.schema = schema;
  char *report = NULL;
  int trains;
  tacit_error err;
  tacit_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tacit_check_files(&path, 1, &options, &report, &trains, &err);
  Py_END_ALLOW_THREADS tacit_schema_free(schema);
  if (status != TACIT_OK) return core_raise(state, &err);
  PyObject *result = PyUnicode_FromString(report);
  tacit_string_free(report);
  return result;
}

static PyObject *numbers_of(const double *numbers, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = PyFloat_FromDouble(numbers[i]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *texts_of(const char *const *texts, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = PyUnicode_FromString(texts[i]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* The terms of a model: (name, column, kind, first, count, min, max, points, values,
   atoms). */
PyObject *core_terms(PyObject *object, const tacit_schema *schema) {
  static const char *const kinds[] = {"line", "steps",  "hats",  "values", "levels",
                                      "flag", "hashed", "words", "cross"};
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < tacit_schema_terms(schema); ++i) {
    tacit_term term = {.struct_size = sizeof term};
    tacit_error err;
    if (tacit_schema_term(schema, i, &term, &err) != TACIT_OK) {
      Py_DECREF(list);
      return core_raise(core_state_of(object), &err);
    }
    PyObject *item = Py_BuildValue(
        "(sssnnddNNN)", term.name, term.column != NULL ? term.column : "",
        kinds[term.kind], (Py_ssize_t)term.first, (Py_ssize_t)term.count, term.min,
        term.max, numbers_of(term.points, term.n_points),
        texts_of(term.values, term.n_values), numbers_of(term.atoms, term.n_atoms));
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
