/* SPDX-License-Identifier: MIT */
/* Files for the tests of data/: a folder that is removed at the end, compressed copies,
   and what a reader gives as text. */
#ifndef TACIT_TESTS_DATA_FILES_H
#define TACIT_TESTS_DATA_FILES_H

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#ifdef TACIT_HAVE_ZSTD
#include <zstd.h>
#endif

#include "data/reader/reader.h"

static char test_folder[128];

static int folder_setup(void **state) {
  (void)state;
  const char *base = getenv("TMPDIR");
  (void)snprintf(test_folder, sizeof test_folder, "%.80s/tacit-data-XXXXXX",
                 base != NULL ? base : "/tmp");
  return mkdtemp(test_folder) != NULL ? 0 : -1;
}

static int folder_teardown(void **state) {
  (void)state;
  char command[200];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", test_folder);
  return system(command);
}

/* Writes a file to the test folder. Returns its path, which is valid until the eighth
   call after this one. */
static const char *file_of_bytes(const char *name, const void *bytes, size_t size) {
  static char paths[8][256];
  static int next;
  char *path = paths[next++ % 8];
  (void)snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline const char *file_of(const char *name, const char *text) {
  return file_of_bytes(name, text, strlen(text));
}

static inline unsigned char *gzip_of(const char *text, size_t size, size_t *out_size) {
  z_stream stream = {0};
  size_t room = size + size / 100 + 1000;
  unsigned char *bytes = malloc(room);
  assert_int_equal(
      deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in = (unsigned char *)text;
  stream.avail_in = (unsigned)size;
  stream.next_out = bytes;
  stream.avail_out = (unsigned)room;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  *out_size = room - stream.avail_out;
  (void)deflateEnd(&stream);
  return bytes;
}

#ifdef TACIT_HAVE_ZSTD
static inline unsigned char *zstd_of(const char *text, size_t size, size_t *out_size) {
  size_t room = ZSTD_compressBound(size);
  unsigned char *bytes = malloc(room);
  ZSTD_CCtx *context = ZSTD_createCCtx();
  assert_non_null(context);
  (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  *out_size = ZSTD_compress2(context, bytes, room, text, size);
  assert_false(ZSTD_isError(*out_size));
  (void)ZSTD_freeCCtx(context);
  return bytes;
}
#endif

/* All rows of a pass, "label index:value ...\n" each, 1-based; the caller frees them.
   NULL when the reader fails. */
static inline char *rows_of(tacit_reader *reader, tacit_error *err) {
  size_t room = 1 << 16, size = 0;
  char *text = malloc(room);
  assert_non_null(text);
  text[0] = '\0';
  for (;;) {
    const tacit_batch *batch;
    if (tacit_reader_next(reader, &batch, err) != TACIT_OK) {
      free(text);
      return NULL;
    }
    if (batch->n_rows == 0) return text;
    assert_int_equal(batch->struct_size, sizeof *batch);
    assert_int_equal(batch->raw_row_start[0], 0);
    for (int64_t i = 0; i < batch->n_rows; ++i) {
      int64_t count = batch->raw_row_start[i + 1] - batch->raw_row_start[i];
      if (size + (size_t)count * 40 + 100 > room) {
        room = 2 * room + (size_t)count * 40 + 100;
        text = realloc(text, room);
        assert_non_null(text);
      }
      if (batch->raw_labels != NULL)
        size += (size_t)sprintf(text + size, "%.17g", batch->raw_labels[i]);
      else
        size += (size_t)sprintf(text + size, "?");
      for (int64_t j = batch->raw_row_start[i]; j < batch->raw_row_start[i + 1]; ++j)
        size += (size_t)sprintf(text + size, " %u:%.17g", batch->raw_indices[j] + 1,
                                batch->raw_values[j]);
      text[size++] = '\n';
      text[size] = '\0';
    }
  }
}

/* The rows of one file; NULL with the message in err. */
static inline char *read_rows(const char *path, const tacit_schema *schema, int shuffle,
                              int labels, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.labels = labels;
  tacit_reader *reader = NULL;
  memset(err, 0, sizeof *err);
  if (tacit_reader_open(&path, 1, &options, &reader, err) != TACIT_OK) {
    assert_null(reader);
    return NULL;
  }
  char *rows = rows_of(reader, err);
  tacit_reader_free(reader);
  return rows;
}

static inline void check_rows(const char *path, const tacit_schema *schema,
                              const char *expected) {
  tacit_error err;
  char *rows = read_rows(path, schema, 0, 1, &err);
  if (rows == NULL) fail_msg("%s", err.message);
  assert_string_equal(rows, expected);
  free(rows);
}

/* The file is refused with this status and a message that ends so. The message contains
   neither `secret` (a value of the record; may be NULL) nor a line break. */
static inline void check_refused(const char *path, const tacit_schema *schema,
                                 tacit_status status, const char *message,
                                 const char *secret) {
  tacit_error err;
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    char *rows = read_rows(path, schema, shuffle, 1, &err);
    if (rows != NULL) fail_msg("accepted, expected: %s", message);
    assert_int_equal(err.status, status);
    assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
    assert_string_equal(err.message + strlen(path), message);
    if (secret != NULL) assert_null(strstr(err.message + strlen(path), secret));
  }
}

static inline tacit_schema *libsvm_schema(size_t features) {
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(features, 2, 0, 0, &schema, &err), err);
  return schema;
}

#endif
