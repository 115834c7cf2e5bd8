/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an Arrow stream: types, offsets, bitmaps, codes of dictionaries, sizes
 * of views and the contents of cells come from them, and so do the faults that a reader
 * can see (missing buffers and dictionaries, too few rows, other columns, a stream that
 * fails). Sizes of buffers are what a sound producer gives, so that a read beyond them
 * is a fault of the reader.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <tacit/table.h>

#include "data/reader/reader.h"
#include "data/table/arrow_abi.h"

#define SCHEMA                                                                         \
  "{\"tacit_schema\": 2, \"na\": [\"NA\", \"7\"], \"missing_label\": \"skip\", "       \
  "\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": ["        \
  "{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 110, "                \
  "\"curve\": {\"knots\": 4, \"line\": true}, \"missing\": \"own\"},"                  \
  "{\"name\": \"b\", \"type\": \"bool\", \"missing\": true},"                          \
  "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"1\", \"True\"]},"   \
  "{\"name\": \"d\", \"type\": \"date\", \"format\": \"%Y-%m-%d\", \"min\": "          \
  "\"2020-01-01\", \"max\": "                                                          \
  "\"2021-12-31\", \"parts\": [\"month\", \"days\"], \"missing\": \"own\"},"           \
  "{\"name\": \"h\", \"type\": \"hashed\", \"slots\": 64},"                            \
  "{\"name\": \"w\", \"type\": \"text\", \"slots\": 8}]}"

enum { COLUMNS = 7, BATCHES = 3, ROWS = 24, BYTES = 64, WIDEST = 16 };
static const char *const names[COLUMNS] = {"a", "b", "c", "d", "h", "w", "y"};
static const char *const formats[] = {
    "n",  "b",   "c",   "C",          "s",        "S",         "i",
    "I",  "l",   "L",   "f",          "g",        "u",         "U",
    "vu", "tdD", "tdm", "tss:",       "tsm:UTC",  "tsu:",      "tsn:+02:00",
    "z",  "+l",  "e",   "d:7,2",      "d:38,38",  "d:9,2,256", "d:5,-1",
    "ts", "",    "tdq", "tsn:-09:30", "tss:Mars", "ttm",       "tiM"};

struct bytes {
  const uint8_t *at, *end;
};

/* A batch, its arrays and what they own. */
struct batch {
  struct ArrowArray array, columns[COLUMNS], levels[COLUMNS], *children[COLUMNS];
  const void *buffers[2 * COLUMNS + 1][4];
  void *blocks[8 * COLUMNS];
  size_t n_blocks;
};

struct producer {
  struct bytes *bytes;
  int left, fails;
  struct ArrowSchema schema, columns[COLUMNS], levels[COLUMNS], *children[COLUMNS];
  int64_t alive;
};

static unsigned take(struct bytes *bytes) {
  return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static void fill(struct bytes *bytes, void *out, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((uint8_t *)out)[i] = (uint8_t)take(bytes);
}

static void *block(struct batch *batch, size_t size) {
  void *memory = calloc(size > 0 ? size : 1, 1); /* of exactly its size */
  FUZZ_CHECK(memory != NULL);
  batch->blocks[batch->n_blocks++] = memory;
  return memory;
}

/* Makes offsets of texts that stay in BYTES bytes, in any order. */
static void make_offsets(struct bytes *bytes, void *out, size_t count, int is_wide) {
  for (size_t i = 0; i < count; ++i) {
    int64_t wide = take(bytes) % (BYTES + 1);
    int32_t narrow = (int32_t)wide;
    if (is_wide)
      memcpy((char *)out + 8 * i, &wide, 8);
    else
      memcpy((char *)out + 4 * i, &narrow, 4);
  }
}

/* Makes views: sizes of any sign up to 12, or texts in the first of their buffers. */
static void make_views(struct bytes *bytes, char *out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t view[4];
    fill(bytes, view, sizeof view);
    view[0] %= BYTES;
    if (view[0] > 12) {
      view[2] = 0;
      view[3] = (int32_t)((uint32_t)view[3] % (uint32_t)(BYTES - view[0] + 1));
    }
    memcpy(out + 16 * i, view, sizeof view);
  }
}

static void make_array(struct bytes *bytes, struct batch *batch, const char *format,
                       int64_t length, const void **buffers, struct ArrowArray *out) {
  unsigned what = take(bytes);
  int64_t offset = what & 3;
  if (what % 64 == 63 && length > 0) --length; /* too few rows */
  size_t cells = (size_t)(offset + length);
  char *data = block(batch, BYTES);
  *out = (struct ArrowArray){.length = length,
                             .offset = what % 64 == 62 ? -1 : offset,
                             .null_count = (what & 4) ? -1 : 0,
                             .n_buffers = what % 64 == 61 ? 1 : 3,
                             .buffers = buffers};
  buffers[0] = (what & 8) ? block(batch, (cells + 7) / 8) : NULL;
  if (buffers[0] != NULL)
    fill(bytes, batch->blocks[batch->n_blocks - 1], (cells + 7) / 8);
  buffers[1] = block(batch, WIDEST * (cells + 1));
  buffers[2] = data;
  buffers[3] = NULL;
  char *main_buffer = batch->blocks[batch->n_blocks - 1];
  if (strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "z") == 0)
    make_offsets(bytes, main_buffer, cells + 1, format[0] == 'U');
  else if (strcmp(format, "vu") == 0)
    make_views(bytes, main_buffer, cells);
  else
    fill(bytes, main_buffer, (size_t)(take(bytes) % WIDEST + 1) * cells);
  fill(bytes, data, BYTES);
  if (what % 64 == 60) buffers[1] = NULL;
}

static void release_batch(struct ArrowArray *array) {
  struct batch *batch = array->private_data;
  for (size_t i = 0; i < batch->n_blocks; ++i)
    free(batch->blocks[i]);
  free(batch);
  array->release = NULL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  struct producer *producer = stream->private_data;
  struct bytes *bytes = producer->bytes;
  memset(out, 0, sizeof *out);
  if (producer->left-- <= 0) return producer->fails;
  struct batch *batch = calloc(1, sizeof *batch);
  FUZZ_CHECK(batch != NULL);
  int64_t length = take(bytes) % ROWS;
  for (size_t i = 0; i < COLUMNS; ++i) {
    const struct ArrowSchema *schema = producer->schema.children[i];
    make_array(bytes, batch, schema->format, length, batch->buffers[2 * i],
               &batch->columns[i]);
    batch->children[i] = &batch->columns[i];
    if (schema->dictionary == NULL) continue;
    make_array(bytes, batch, schema->dictionary->format, take(bytes) % 5,
               batch->buffers[2 * i + 1], &batch->levels[i]);
    if (take(bytes) != 1) batch->columns[i].dictionary = &batch->levels[i];
  }
  unsigned what = take(bytes);
  batch->array = (struct ArrowArray){.length = what == 1 ? -1 : length,
                                     .null_count = what == 2,
                                     .n_buffers = 1,
                                     .buffers = batch->buffers[2 * COLUMNS],
                                     .n_children = COLUMNS - (what == 3),
                                     .children = batch->children,
                                     .release = release_batch,
                                     .private_data = batch};
  *out = batch->array;
  return 0;
}

static void release_schema(struct ArrowSchema *schema) { schema->release = NULL; }

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  *out = ((struct producer *)stream->private_data)->schema;
  return 0;
}

static void release_stream(struct ArrowArrayStream *stream) { stream->release = NULL; }

static void make_schema(struct producer *producer) {
  static const size_t n_formats = sizeof formats / sizeof formats[0];
  for (size_t i = 0; i < COLUMNS; ++i) {
    unsigned first = take(producer->bytes), second = take(producer->bytes);
    producer->columns[i] = (struct ArrowSchema){
        .format = formats[first % n_formats], .name = second == 255 ? NULL : names[i]};
    producer->levels[i] = (struct ArrowSchema){.format = formats[second % n_formats]};
    if (first >= 192) producer->columns[i].dictionary = &producer->levels[i];
    producer->children[i] = &producer->columns[i];
  }
  producer->schema = (struct ArrowSchema){.format = "+s",
                                          .n_children = COLUMNS,
                                          .children = producer->children,
                                          .release = release_schema};
}

static void check_message(tacit_status status, const tacit_error *err) {
  FUZZ_CHECK(err->status == status && err->message[0] != '\0');
  FUZZ_CHECK(status == TACIT_EDATA || status == TACIT_EIO);
  FUZZ_CHECK(strchr(err->message, '\n') == NULL);
}

static struct fuzz_outcome read_tables(const tacit_table *tables, size_t count,
                                       const tacit_schema *schema, int shuffle,
                                       int labels) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.labels = labels;
  options.extra = 1;
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_reader_open_table(tables, count, &options, &reader, &err);
  struct fuzz_outcome outcome = fuzz_rows(status, reader, schema, labels, &err);
  if (outcome.status != TACIT_OK) check_message(outcome.status, &err);
  return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, data + size};
  struct producer producer = {.bytes = &bytes};
  unsigned what = take(&bytes);
  producer.left = (int)(what % (BATCHES + 1));
  producer.fails = what >= 250;
  make_schema(&producer);
  struct ArrowArrayStream stream = {.get_schema = get_schema,
                                    .get_next = get_next,
                                    .release = release_stream,
                                    .private_data = &producer};
  tacit_arrow *arrow = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_arrow_read(&stream, &arrow, &err);
  FUZZ_CHECK(stream.release == NULL && (status == TACIT_OK) == (arrow != NULL));
  if (status != TACIT_OK) {
    check_message(status, &err);
    return 0;
  }
  tacit_schema *schema;
  FUZZ_CHECK(tacit_schema_parse(SCHEMA, strlen(SCHEMA), "fuzz", &schema, NULL) ==
             TACIT_OK);
  size_t count;
  const tacit_table *tables = tacit_arrow_tables(arrow, &count);
  for (int labels = 0; labels < 2; ++labels) {
    struct fuzz_outcome plain = read_tables(tables, count, schema, 0, labels);
    struct fuzz_outcome mixed = read_tables(tables, count, schema, 1, labels);
    FUZZ_CHECK(plain.status == mixed.status);
    if (plain.status == TACIT_OK)
      FUZZ_CHECK(plain.rows == mixed.rows && plain.sum == mixed.sum);
  }
  tacit_schema_free(schema);
  tacit_arrow_free(arrow);
  return 0;
}
