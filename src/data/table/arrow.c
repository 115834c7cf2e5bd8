/* SPDX-License-Identifier: MIT */
/* Tables of the Arrow C stream interface: each batch is a table, whose columns show its
   memory. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/table/arrow_abi.h"
#include "data/table/cells.h"

/* A batch and the columns that show it. */
struct batch {
  struct ArrowArray array;
  tacit_table_column *columns; /* of the batch, then the levels of each */
};

struct tacit_arrow {
  struct ArrowSchema schema;
  struct batch *batches;
  size_t n_batches, room;
  tacit_table *tables;
  size_t table_room;
};

/* The types whose format is one letter. */
static tacit_cells plain_type(char letter) {
  static const char letters[] = "nbcCsSiIlLfguU";
  static const tacit_cells types[] = {
      TACIT_CELLS_EMPTY,  TACIT_CELLS_BIT,    TACIT_CELLS_INT8,    TACIT_CELLS_UINT8,
      TACIT_CELLS_INT16,  TACIT_CELLS_UINT16, TACIT_CELLS_INT32,   TACIT_CELLS_UINT32,
      TACIT_CELLS_INT64,  TACIT_CELLS_UINT64, TACIT_CELLS_FLOAT32, TACIT_CELLS_FLOAT64,
      TACIT_CELLS_TEXT32, TACIT_CELLS_TEXT64};
  const char *at = letter != '\0' ? strchr(letters, letter) : NULL;
  return at != NULL ? types[at - letters] : TACIT_CELLS_UNKNOWN;
}

/* Returns the units per day of a letter of Arrow's times. */
static int64_t units_per_day(char letter) {
  switch (letter) {
  case 's': return 86400;
  case 'm': return 86400000;
  case 'u': return INT64_C(86400000000);
  default: return INT64_C(86400000000000);
  }
}

/* Reads a zone: none, UTC, or "+02:00". Returns 0 for other zones, whose distance from
   UTC changes. */
static int read_zone(const char *zone, int64_t per_day, int64_t *out) {
  static const char *const utc[] = {"", "UTC", "Z", "Etc/UTC", "GMT", "Etc/GMT"};
  *out = 0;
  for (size_t i = 0; i < sizeof utc / sizeof utc[0]; ++i)
    if (strcmp(zone, utc[i]) == 0) return 1;
  if (strlen(zone) != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':')
    return 0;
  int64_t minutes = 60 * atoi(zone + 1) + atoi(zone + 4);
  *out = (zone[0] == '-' ? -1 : 1) * minutes * (per_day / 1440);
  return 1;
}

/* Sets the type of a column from Arrow's format. */
static void set_type(tacit_table_column *column, const char *format) {
  if (format[0] != '\0' && format[1] == '\0') column->type = plain_type(format[0]);
  if (strcmp(format, "vu") == 0) column->type = TACIT_CELLS_VIEWS;
  if (strcmp(format, "tdD") == 0) {
    column->type = TACIT_CELLS_INT32;
    column->per_day = 1;
  }
  if (strcmp(format, "tdm") == 0) {
    column->type = TACIT_CELLS_INT64;
    column->per_day = units_per_day('m');
  }
  if (strncmp(format, "ts", 2) == 0 && format[2] != '\0' && format[3] == ':') {
    column->per_day = units_per_day(format[2]);
    if (read_zone(format + 4, column->per_day, &column->zone))
      column->type = TACIT_CELLS_INT64;
  }
  if (strncmp(format, "d:", 2) == 0) {
    char *end = NULL;
    const char *scale = strchr(format, ',');
    long digits = scale != NULL ? strtol(scale + 1, &end, 10) : -1;
    int is_wide = end != NULL && *end == ',' && strcmp(end, ",128") != 0;
    if (digits < 0 || digits > 38 || is_wide) return;
    column->type = TACIT_CELLS_DECIMAL;
    column->scale = (int)digits;
  }
}

/* Returns the number of buffers that a column of a type must have. */
static int64_t buffers_of(tacit_cells type) {
  if (type == TACIT_CELLS_EMPTY || type == TACIT_CELLS_UNKNOWN) return 0;
  return type == TACIT_CELLS_TEXT32 || type == TACIT_CELLS_TEXT64 ? 3 : 2;
}

/* Shows an array as a column; levels are shown by `levels`. */
static void set_column(tacit_table_column *column, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t first, int64_t n_cells,
                       tacit_table_column *levels) {
  *column = (tacit_table_column){.name = schema->name != NULL ? schema->name : "",
                                 .n_cells = n_cells,
                                 .first = array->offset + first};
  if (schema->dictionary != NULL && (levels == NULL || array->dictionary == NULL))
    return;
  set_type(column, schema->format);
  if (array->n_buffers < buffers_of(column->type)) column->type = TACIT_CELLS_UNKNOWN;
  if (buffers_of(column->type) == 0) return;
  column->raw_cells = array->buffers[1];
  column->raw_valid = array->null_count != 0 ? array->buffers[0] : NULL;
  if (column->type == TACIT_CELLS_VIEWS) column->raw_bytes = array->buffers + 2;
  if (buffers_of(column->type) == 3) column->raw_bytes = array->buffers[2];
  if (schema->dictionary == NULL) return;
  set_column(levels, schema->dictionary, array->dictionary, 0,
             array->dictionary->length, NULL);
  column->levels = levels;
}

static int is_index(const struct ArrowSchema *schema) {
  static const char beginning[] = "__index_level_";
  return schema->name != NULL &&
         strncmp(schema->name, beginning, sizeof beginning - 1) == 0;
}

/* Returns 1 if a batch has the columns of the schema, each with all its rows. */
static int is_whole(const struct ArrowSchema *schema, const struct ArrowArray *batch) {
  if (batch->n_children != schema->n_children || batch->length < 0 ||
      batch->offset < 0 || batch->offset > INT64_MAX - batch->length)
    return 0;
  for (int64_t i = 0; i < batch->n_children; ++i)
    if (batch->children[i] == NULL || batch->children[i]->offset < 0 ||
        batch->children[i]->length < batch->offset + batch->length)
      return 0;
  return 1;
}

/* Makes the table of a batch. */
static tacit_status add_table(tacit_arrow *arrow, struct batch *batch,
                              tacit_table *table, tacit_error *err) {
  size_t width = (size_t)arrow->schema.n_children;
  const struct ArrowArray *array = &batch->array;
  if (!is_whole(&arrow->schema, array))
    return tacit_fail(err, TACIT_EDATA,
                      "arrow: a batch has other columns, or columns with too few rows");
  if (array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL)
    return tacit_fail(err, TACIT_EDATA, "arrow: a batch has missing rows");
  TACIT_TRY(TACIT_NEW(batch->columns, 2 * width + 1, err));
  tacit_table_init(table);
  table->n_rows = array->length;
  table->columns = batch->columns;
  for (size_t i = 0; i < width; ++i) {
    if (is_index(arrow->schema.children[i])) continue;
    set_column(&batch->columns[table->n_columns++], arrow->schema.children[i],
               array->children[i], array->offset, array->length,
               &batch->columns[width + i]);
  }
  return TACIT_OK;
}

/* Reads the next batch. Sets *out_more to 0 at the end. */
static tacit_status read_batch(tacit_arrow *arrow, struct ArrowArrayStream *stream,
                               int *out_more, tacit_error *err) {
  if (!tacit_raw_reserve(&arrow->batches, &arrow->room, arrow->n_batches + 1,
                         sizeof *arrow->batches) ||
      !tacit_raw_reserve(&arrow->tables, &arrow->table_room, arrow->n_batches + 1,
                         sizeof *arrow->tables))
    return tacit_fail_memory(err);
  struct batch *batch = &arrow->batches[arrow->n_batches];
  memset(batch, 0, sizeof *batch);
  if (stream->get_next(stream, &batch->array) != 0)
    return tacit_fail(err, TACIT_EIO,
                      "arrow: the stream failed: read it without tacit to see why");
  *out_more = batch->array.release != NULL;
  if (!*out_more) return TACIT_OK;
  return add_table(arrow, batch, &arrow->tables[arrow->n_batches++], err);
}

/* Shows a table without rows if a stream has no batch. */
static tacit_status add_empty(tacit_arrow *arrow, tacit_error *err) {
  size_t width = (size_t)arrow->schema.n_children;
  struct batch *batch = &arrow->batches[arrow->n_batches++];
  tacit_table *table = &arrow->tables[0];
  tacit_table_init(table);
  TACIT_TRY(TACIT_NEW(batch->columns, width + 1, err));
  table->columns = batch->columns;
  for (size_t i = 0; i < width; ++i) {
    const char *name = arrow->schema.children[i]->name;
    if (is_index(arrow->schema.children[i])) continue;
    batch->columns[table->n_columns++] = (tacit_table_column){
        .name = name != NULL ? name : "", .type = TACIT_CELLS_EMPTY};
  }
  return TACIT_OK;
}

static tacit_status read_all(tacit_arrow *arrow, struct ArrowArrayStream *stream,
                             tacit_error *err) {
  int more = 1;
  if (stream->release == NULL || stream->get_schema(stream, &arrow->schema) != 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "arrow: the stream was used up or has no schema");
  if (strcmp(arrow->schema.format, "+s") != 0)
    return tacit_fail(err, TACIT_EINVAL, "arrow: the stream has no columns");
  while (more)
    TACIT_TRY(read_batch(arrow, stream, &more, err));
  return arrow->n_batches > 0 ? TACIT_OK : add_empty(arrow, err);
}

tacit_status tacit_arrow_read(struct ArrowArrayStream *stream, tacit_arrow **out,
                              tacit_error *err) {
  if (stream == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "arrow: the stream or out is missing");
  tacit_arrow *arrow = tacit_array_new(1, sizeof *arrow);
  tacit_status status =
      arrow != NULL ? read_all(arrow, stream, err) : tacit_fail_memory(err);
  if (stream->release != NULL) stream->release(stream);
  return TACIT_HAND_OVER(status, arrow, tacit_arrow_free, out);
}

const tacit_table *tacit_arrow_tables(const tacit_arrow *arrow, size_t *out_count) {
  *out_count = arrow->n_batches;
  return arrow->tables;
}

void tacit_arrow_free(tacit_arrow *arrow) {
  if (arrow == NULL) return;
  for (size_t i = 0; i < arrow->n_batches; ++i) {
    struct ArrowArray *array = &arrow->batches[i].array;
    if (array->release != NULL) array->release(array);
    tacit_array_free(arrow->batches[i].columns);
  }
  if (arrow->schema.release != NULL) arrow->schema.release(&arrow->schema);
  tacit_raw_free(arrow->batches);
  tacit_raw_free(arrow->tables);
  tacit_array_free(arrow);
}
