/* SPDX-License-Identifier: MIT */
/* data/: counting, a secret order over files, pipes, passes, files that change. */
#include "unit/data_files.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

/* n rows; row i has the label i. */
static char *numbered_rows(int n, size_t *out_size) {
  char *text = malloc((size_t)n * 40 + 1);
  assert_non_null(text);
  size_t size = 0;
  for (int i = 0; i < n; ++i) {
    size += (size_t)sprintf(text + size, "%d", i);
    for (int j = 0; j < i % 5; ++j)
      size += (size_t)sprintf(text + size, " %d:%d", 1 + i % 3 + j, i % 7 + 1);
    text[size++] = '\n';
    if (i % 11 == 0) text[size++] = '\n';
  }
  text[size] = '\0';
  *out_size = size;
  return text;
}

static tacit_schema *number_schema(void) {
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(20, 0, 0, 1e6, &schema, &err), err);
  return schema;
}

/* Small pieces, few offsets and little memory: all ways of finding a row. */
static tacit_reader_limits limits_of(int64_t max_blocks, int64_t piece_bytes) {
  tacit_reader_limits limits = {1 << 24, 1 << 20, piece_bytes, 4 * max_blocks,
                                1 << 24, 1 << 30, 64,          0};
  if (piece_bytes % 2 == 0) limits.max_open = 0;
  if (piece_bytes % 2 == 1) limits.max_held = 1000;
  if (piece_bytes % 3 == 1) limits.max_offsets = max_blocks / 3 + 1;
  return limits;
}

static tacit_reader *open_pieces(const char *const *paths, size_t n_paths,
                                 const tacit_schema *schema, int shuffle,
                                 int64_t max_blocks, int64_t piece_bytes) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.threads = 1 + (unsigned)(piece_bytes % 3);
  options.map = piece_bytes % 5 == 0;
  tacit_reader_limits limits = limits_of(max_blocks, piece_bytes);
  tacit_reader *reader;
  tacit_error err;
  CHECK_OK(tacit_reader_open_limited(paths, n_paths, &options, &limits, &reader, &err),
           err);
  assert_int_equal(tacit_reader_shuffled(reader), shuffle);
  assert_int_equal(tacit_reader_rewinds(reader), 1);
  return reader;
}

static tacit_reader *open_files(const char *const *paths, size_t n_paths,
                                const tacit_schema *schema, int shuffle,
                                int64_t max_blocks) {
  return open_pieces(paths, n_paths, schema, shuffle, max_blocks, 1 << 22);
}

/* Adds the labels of a batch; every row must be the one numbered_rows made. */
static int add_labels(const tacit_batch *batch, int64_t *labels, int count, int n) {
  assert_true(batch->n_rows <= 4096);
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    assert_true(count < n);
    int64_t label = (int64_t)batch->raw_labels[i];
    const int64_t *start = batch->raw_row_start + i;
    assert_int_equal(start[1] - start[0], label % 5);
    for (int64_t j = 0; j < label % 5; ++j) {
      assert_int_equal(batch->raw_indices[start[0] + j], label % 3 + j);
      assert_true(batch->raw_values[start[0] + j] == (double)(label % 7 + 1));
    }
    labels[count++] = label;
  }
  return count;
}

/* tacit_reader_next gives the rows as they are in the files, also to be shuffled. */
static void check_file_order(tacit_reader *reader, int n) {
  int64_t *labels = calloc((size_t)n, sizeof *labels);
  tacit_error err;
  int count = 0;
  for (;;) {
    const tacit_batch *batch;
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    if (batch->n_rows == 0) break;
    count = add_labels(batch, labels, count, n);
  }
  assert_int_equal(count, n);
  for (int i = 0; i < n; ++i)
    assert_int_equal(labels[i], i);
  free(labels);
}

static void check_secret_order(tacit_reader *reader, int n, int64_t batches) {
  int64_t *labels = calloc((size_t)n, sizeof *labels);
  int64_t *expected = calloc((size_t)n, sizeof *expected);
  unsigned char key[TACIT_ORDER_KEY_BYTES] = {1};
  tacit_order *order;
  tacit_cursor *cursor;
  tacit_error err;
  int count = 0;
  CHECK_OK(tacit_order_new(n, batches < n ? batches : n, key, NULL, &order, &err), err);
  CHECK_OK(tacit_order_rows(order, 0, n, expected, &err), err);
  CHECK_OK(tacit_reader_cursor(reader, order, 1, 1024, &cursor, &err), err);
  CHECK_OK(tacit_cursor_range(cursor, 0, n, &err), err);
  for (;;) {
    tacit_cursor_rows rows;
    CHECK_OK(tacit_cursor_next(cursor, 0, &rows, &err), err);
    if (rows.batch->n_rows == 0) break;
    count = add_labels(rows.batch, labels, count, n);
  }
  assert_int_equal(count, n);
  assert_memory_equal(labels, expected, (size_t)n * sizeof *labels);
  tacit_cursor_free(cursor);
  tacit_order_free(order);
  free(expected);
  free(labels);
}

static void check_order(tacit_reader *reader, int n, int shuffle, int64_t batches) {
  tacit_error err;
  assert_int_equal(tacit_reader_rows(reader), n);
  for (int pass = 0; pass < 2; ++pass) {
    check_file_order(reader, n);
    CHECK_OK(tacit_reader_rewind(reader, &err), err);
    if (shuffle) check_secret_order(reader, n, batches);
  }
}

/* One file, several files, plain and compressed, with a dense or a sparse index. */
static void rows_come_in_any_order(void **state) {
  (void)state;
  enum { N = 10000 };
  tacit_schema *schema = number_schema();
  size_t size, packed;
  char *text = numbered_rows(N, &size);
  char *cut = strchr(text + size / 3, '\n') + 1,
       *cut_2 = strchr(cut + size / 4, '\n') + 1;
  unsigned char *bytes = gzip_of(cut, (size_t)(cut_2 - cut), &packed);
  const char *whole[] = {file_of_bytes("whole", text, size)};
  const char *parts[] = {file_of_bytes("1", text, (size_t)(cut - text)),
                         file_of_bytes("2", bytes, packed), file_of("3", "\n# none\n"),
                         file_of("4", cut_2)};
  free(bytes);
  bytes = gzip_of(text, size, &packed);
  const char *coded[] = {file_of_bytes("whole.gz", bytes, packed)};
  static const int64_t blocks[] = {1 << 20, 1000, 64, 3, 1};
  static const int64_t index[] = {1 << 22, 4099, 1000, 61, 20};
  for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; ++b) {
    for (int shuffle = 0; shuffle < 2; ++shuffle) {
      for (size_t p = 0; p < sizeof index / sizeof index[0]; ++p) {
        tacit_reader *reader =
            open_pieces(whole, 1, schema, shuffle, blocks[b], index[p]);
        check_order(reader, N, shuffle, blocks[b]);
        tacit_reader_free(reader);
        reader = open_pieces(parts, 4, schema, shuffle, blocks[b], index[p]);
        check_order(reader, N, shuffle, blocks[b]);
        tacit_reader_free(reader);
        reader = open_pieces(coded, 1, schema, shuffle, blocks[b], index[p]);
        check_order(reader, N, shuffle, blocks[b]);
        tacit_reader_free(reader);
      }
    }
  }
  free(bytes);
  free(text);
  tacit_schema_free(schema);
}

static void a_pass_may_be_broken_off(void **state) {
  (void)state;
  enum { N = 9000 };
  tacit_schema *schema = number_schema();
  size_t size;
  char *text = numbered_rows(N, &size);
  const char *path = file_of_bytes("r", text, size);
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    tacit_reader *reader = open_files(&path, 1, schema, shuffle, 700);
    const tacit_batch *batch;
    tacit_error err;
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    assert_int_equal(batch->n_rows, 4096);
    CHECK_OK(tacit_reader_rewind(reader, &err), err);
    check_order(reader, N, shuffle, 700);
    tacit_reader_free(reader);
  }
  free(text);
  tacit_schema_free(schema);
}

/* Otherwise a table of one score per row and class would not fit into memory. */
static void batches_are_small_when_there_are_many_classes(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(3, 100000, 0, 0, &schema, &err), err);
  char text[100 * 16] = "";
  size_t size = 0;
  for (int i = 0; i < 100; ++i)
    size += (size_t)sprintf(text + size, "%d 2:1\n", 1000 * i);
  const char *path = file_of("k", text);
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  tacit_reader *reader;
  CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
  static const int sizes[] = {42, 42, 16, 0};
  int row = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const tacit_batch *batch;
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    assert_int_equal(batch->n_rows, sizes[i]);
    for (int j = 0; j < sizes[i]; ++j)
      assert_true(batch->raw_labels[j] == 1000 * row++);
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
}

static void open_refuses(const char *path, tacit_reader_options options,
                         tacit_status status, const char *message) {
  tacit_reader *reader = NULL;
  tacit_error err;
  assert_int_equal(tacit_reader_open(&path, 1, &options, &reader, &err), status);
  assert_null(reader);
  const char *tail = strlen(err.message) > strlen(message)
                         ? err.message + strlen(err.message) - strlen(message)
                         : err.message;
  assert_string_equal(tail, message);
}

static void declared_rows_must_be_there(void **state) {
  (void)state;
  tacit_schema *schema = number_schema();
  const char *path = file_of("three", "1 1:1\n2 1:1\n\n3 1:1\n");
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.rows = 4;
  open_refuses(path, options, TACIT_EDATA,
               "/three: declared 4 rows, found 3; correct --rows or the file");
  options.rows = 2;
  open_refuses(path, options, TACIT_EDATA,
               "/three: declared 2 rows, found 3; correct --rows or the file");
  options.shuffle = 0; /* not counted beforehand */
  for (int64_t rows = 1; rows <= 5; ++rows) {
    tacit_reader *reader;
    tacit_error err;
    options.rows = rows;
    CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
    assert_int_equal(tacit_reader_rows(reader), rows);
    char *text = rows_of(reader, &err);
    assert_int_equal(text != NULL, rows == 3);
    if (rows < 3)
      assert_string_equal(strrchr(err.message, '/') + 1,
                          rows == 1 ? "three: declared 1 rows, found more than 1; "
                                      "correct --rows or the file"
                                    : "three: declared 2 rows, found more than 2; "
                                      "correct --rows or the file");
    if (rows > 3) {
      assert_int_equal(err.status, TACIT_EDATA);
      assert_non_null(strstr(err.message, "rows, found 3; correct --rows or the file"));
      /* After an error a reader gives no more rows. */
      const tacit_batch *batch = NULL;
      assert_int_equal(tacit_reader_next(reader, &batch, &err), TACIT_ESTATE);
      assert_int_equal(tacit_reader_rewind(reader, &err), TACIT_ESTATE);
      assert_null(batch);
    }
    free(text);
    tacit_reader_free(reader);
  }
  tacit_schema_free(schema);
}

static void nothing_to_read_is_refused(void **state) {
  (void)state;
  tacit_schema *schema = number_schema();
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  open_refuses(file_of("e", ""), options, TACIT_EDATA, "/e: no rows");
  open_refuses(file_of("e", "# only\n\n"), options, TACIT_EDATA, "/e: no rows");
  open_refuses("/nonexistent", options, TACIT_EIO,
               "/nonexistent: No such file or directory");
  open_refuses(test_folder, options, TACIT_EIO, ": Is a directory");
  options.rows = 0;
  open_refuses(file_of("e", "1\n"), options, TACIT_EINVAL,
               "the number of rows must be at least 1");
  options.rows = -1;
  options.struct_size = 3;
  open_refuses(file_of("e", "1\n"), options, TACIT_EINVAL,
               "reader: paths, options, schema or out is missing");
  tacit_reader_options_init(&options);
  open_refuses(file_of("e", "1\n"), options, TACIT_EINVAL,
               "reader: paths, options, schema or out is missing");
  tacit_error err;
  tacit_schema *memory;
  CHECK_OK(tacit_schema_memory(3, 2, 0, 0, &memory, &err), err);
  options.schema = memory;
  open_refuses(file_of("e", "1\n"), options, TACIT_EINVAL,
               "reader: the schema is for arrays in memory, not for files");
  options.schema = schema;
  tacit_reader *reader = NULL;
  const char *twice[] = {"-", "-"};
  assert_int_equal(tacit_reader_open(twice, 2, &options, &reader, &err), TACIT_EINVAL);
  assert_string_equal(err.message, "standard input (-) can be given only once");
  assert_int_equal(tacit_reader_open(twice, 0, &options, &reader, &err), TACIT_EINVAL);
  assert_int_equal(tacit_reader_open(NULL, 1, &options, &reader, &err), TACIT_EINVAL);
  assert_null(reader);
  tacit_reader_free(NULL);
  tacit_schema_free(memory);
  tacit_schema_free(schema);
}

struct writer {
  const char *path;
  const void *bytes;
  size_t size, step;
};

static void *write_slowly(void *argument) {
  const struct writer *writer = argument;
  int fd = open(writer->path, O_WRONLY);
  for (size_t at = 0; fd >= 0 && at < writer->size; at += writer->step) {
    size_t left = writer->size - at;
    if (write(fd, (const char *)writer->bytes + at,
              left < writer->step ? left : writer->step) < 0)
      break;
  }
  (void)close(fd);
  return NULL;
}

/* The rows of a fifo that is written in small pieces; NULL with the message. */
static char *rows_of_pipe(const tacit_schema *schema, const void *bytes, size_t size,
                          int64_t rows, tacit_error *err) {
  static int number;
  char path[256];
  (void)snprintf(path, sizeof path, "%s/fifo%d", test_folder, number++);
  assert_int_equal(mkfifo(path, 0600), 0);
  struct writer writer = {path, bytes, size, 7};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, write_slowly, &writer), 0);
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.rows = rows;
  tacit_reader *reader;
  const char *paths[] = {path};
  CHECK_OK(tacit_reader_open(paths, 1, &options, &reader, err), *err);
  assert_int_equal(tacit_reader_rows(reader), rows);
  assert_int_equal(tacit_reader_shuffled(reader), 0);
  assert_int_equal(tacit_reader_rewinds(reader), 0);
  char *text = rows_of(reader, err);
  if (text != NULL) {
    tacit_error again;
    assert_int_equal(tacit_reader_rewind(reader, &again), TACIT_EINVAL);
    assert_non_null(strstr(again.message, "a pipe cannot be read twice"));
  }
  tacit_reader_free(reader);
  assert_int_equal(pthread_join(thread, NULL), 0);
  return text;
}

static void pipes_are_read_in_order(void **state) {
  (void)state;
  enum { N = 600 };
  tacit_schema *schema = number_schema();
  tacit_error err;
  size_t size, packed;
  char *text = numbered_rows(N, &size);
  unsigned char *bytes = gzip_of(text, size, &packed);
  char *expected = read_rows(file_of_bytes("f", text, size), schema, 0, 1, &err);
  assert_non_null(expected);
  static const int64_t declared[] = {-1, N};
  for (int i = 0; i < 2; ++i) {
    char *rows = rows_of_pipe(schema, text, size, declared[i], &err);
    if (rows == NULL) fail_msg("%s", err.message);
    assert_string_equal(rows, expected);
    free(rows);
    rows = rows_of_pipe(schema, bytes, packed, declared[i], &err);
    if (rows == NULL) fail_msg("%s", err.message);
    assert_string_equal(rows, expected);
    free(rows);
  }
  assert_null(rows_of_pipe(schema, text, size, N + 1, &err));
  assert_non_null(strstr(err.message, ": declared 601 rows, found 600;"));
  assert_null(rows_of_pipe(schema, text, size, N - 1, &err));
  assert_non_null(strstr(err.message, ": declared 599 rows, found more than 599;"));
  assert_null(rows_of_pipe(schema, bytes, packed - 1, N, &err));
  assert_non_null(strstr(err.message, ": truncated gzip data; get the whole file"));
  assert_null(rows_of_pipe(schema, "", 0, -1, &err));
  assert_non_null(strstr(err.message, ": no rows"));
  free(expected);
  free(bytes);
  free(text);
  tacit_schema_free(schema);
}

static void standard_input_is_a_stream(void **state) {
  (void)state;
  tacit_schema *schema = number_schema();
  tacit_error err;
  int kept = dup(STDIN_FILENO);
  int fd = open(file_of("in", "3 1:1\n2 1:1\n1 1:1\n"), O_RDONLY);
  assert_true(kept >= 0 && fd >= 0);
  assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
  char *rows = read_rows("-", schema, 1, 1, &err);
  assert_non_null(rows);
  assert_string_equal(rows, "3 1:1\n2 1:1\n1 1:1\n");
  free(rows);
  assert_null(read_rows("-", schema, 1, 1, &err)); /* at its end */
  assert_string_equal(err.message, "standard input: no rows");
  (void)dup2(kept, STDIN_FILENO);
  (void)close(kept);
  (void)close(fd);
  tacit_schema_free(schema);
}

static void a_file_that_changes_ends_the_run(void **state) {
  (void)state;
  enum { N = 9000 };
  tacit_schema *schema = number_schema();
  size_t size;
  char *text = numbered_rows(N, &size);
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    for (int change = 0; change < 3; ++change) {
      const char *path = file_of_bytes("c", text, size);
      tacit_reader *reader = open_files(&path, 1, schema, shuffle, 1 << 20);
      const tacit_batch *batch;
      tacit_error err;
      CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
      if (change == 0) (void)file_of_bytes("c", text, size / 2);
      if (change == 1) { /* longer by a row */
        FILE *file = fopen(path, "a");
        assert_non_null(file);
        (void)fputs("5\n", file);
        (void)fclose(file);
      }
      if (change == 2) { /* as long, another content */
        char *other = malloc(size);
        memset(other, 'x', size);
        (void)file_of_bytes("c", other, size);
        free(other);
      }
      assert_null(rows_of(reader, &err));
      assert_int_equal(err.status, TACIT_EDATA);
      assert_string_equal(err.message + strlen(path),
                          ": changed while being read; run again when it is complete");
      tacit_reader_free(reader);
    }
  }
  free(text);
  tacit_schema_free(schema);
}

/* Files that are closed between uses are recognised by more than their names: a shard
   that replaces another of the same size would give rows twice. */
static void a_shard_that_is_replaced_ends_the_run(void **state) {
  (void)state;
  enum { N = 9000 };
  tacit_schema *schema = number_schema();
  size_t size;
  char *text = numbered_rows(N, &size);
  for (int way = 0; way < 8; ++way) {
    const char *paths[3] = {file_of_bytes("a", text, size),
                            file_of_bytes("b", text, size),
                            file_of_bytes("d", text, size)};
    tacit_reader_options options;
    tacit_reader_options_init(&options);
    options.schema = schema;
    options.shuffle = way % 2;
    options.map = way / 2 % 2;
    options.rows = way / 4 % 2 ? 3 * N : -1;
    tacit_reader_limits limits = limits_of(1 << 20, 1 << 22);
    limits.max_open = 1;
    tacit_reader *reader = NULL;
    tacit_error err;
    CHECK_OK(tacit_reader_open_limited(paths, 3, &options, &limits, &reader, &err),
             err);
    const tacit_batch *batch;
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    struct stat facts;
    assert_int_equal(stat(paths[2], &facts), 0);
    const struct timespec times[2] = {facts.st_atim, facts.st_mtim};
    const char *other = file_of_bytes("other", text, size);
    assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
    assert_int_equal(rename(other, paths[2]), 0);
    assert_null(rows_of(reader, &err));
    assert_int_equal(err.status, TACIT_EDATA);
    assert_string_equal(err.message + strlen(paths[2]),
                        ": changed while being read; run again when it is complete");
    tacit_reader_free(reader);
  }
  free(text);
  tacit_schema_free(schema);
}

static void faults_are_found_with_their_line(void **state) {
  (void)state;
  tacit_schema *schema = number_schema();
  size_t size;
  char *text = numbered_rows(5000, &size);
  (void)strcpy(text + size - 2, "x\n");
  tacit_error err;
  const char *path = file_of("last", text);
  static const int64_t index[] = {1 << 22, 4099, 1000, 61};
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    for (size_t p = 0; p < sizeof index / sizeof index[0]; ++p) {
      tacit_reader *reader =
          open_pieces(&path, 1, schema, shuffle, p % 2 == 0 ? 1 << 20 : 7, index[p]);
      assert_null(rows_of(reader, &err));
      assert_string_equal(err.message + strlen(path),
                          ": line 5455, entry 4: value is not a finite number");
      tacit_reader_free(reader);
    }
  }
  char *place = strchr(text + size / 2, '\n') + 1;
  int line = 1;
  for (const char *at = text; at < place; ++at)
    line += *at == '\n';
  *place = '\0'; /* a NUL in the middle */
  path = file_of_bytes("nul", text, size);
  char expected[80];
  (void)snprintf(expected, sizeof expected,
                 ": line %d: a NUL byte; this is not a text file", line);
  for (size_t p = 0; p < sizeof index / sizeof index[0]; ++p) {
    tacit_reader_limits limits = limits_of(1 << 20, index[p]);
    tacit_reader_options options;
    tacit_reader_options_init(&options);
    options.schema = schema;
    tacit_reader *reader = NULL;
    assert_int_equal(
        tacit_reader_open_limited(&path, 1, &options, &limits, &reader, &err),
        TACIT_EDATA);
    assert_string_equal(err.message + strlen(path), expected);
  }
  free(text);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_in_any_order),
      cmocka_unit_test(a_pass_may_be_broken_off),
      cmocka_unit_test(batches_are_small_when_there_are_many_classes),
      cmocka_unit_test(declared_rows_must_be_there),
      cmocka_unit_test(nothing_to_read_is_refused),
      cmocka_unit_test(pipes_are_read_in_order),
      cmocka_unit_test(standard_input_is_a_stream),
      cmocka_unit_test(a_file_that_changes_ends_the_run),
      cmocka_unit_test(a_shard_that_is_replaced_ends_the_run),
      cmocka_unit_test(faults_are_found_with_their_line),
  };
  (void)signal(SIGPIPE, SIG_IGN); /* a reader may leave its writer behind */
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
