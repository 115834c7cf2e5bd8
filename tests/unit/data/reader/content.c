/* SPDX-License-Identifier: MIT */
/* data/reader/content.c: the digest depends on every byte a reader will read and on its
   position, but not on who digests it. */
#include "check.h"

#include <sodium.h>
#include <stdlib.h>
#include <tacit/files.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/bytes/content_hash.h"
#include "data/reader/content.h"

enum { FEATURES = 6, ROWS = 40000 };
static const unsigned char key[TACIT_KEY_BYTES] = "content tests";
static char folder[64];
static tacit_schema *libsvm, *memory;

static int setup(void **state) {
  (void)state;
  (void)snprintf(folder, sizeof folder, "%s/tacit-content-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  return mkdtemp(folder) == NULL ||
         tacit_schema_libsvm(FEATURES, 2, 0, 0, &libsvm, NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 2, 0, 0, &memory, NULL) != TACIT_OK;
}

static int teardown(void **state) {
  (void)state;
  char command[100];
  tacit_schema_free(libsvm);
  tacit_schema_free(memory);
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

/* The digest of a reader by `size` ranks that all read everything, on some threads. */
static tacit_content content_of(tacit_reader *reader, int size, unsigned threads) {
  tacit_content sum = {{0}}, part;
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
  for (int rank = 0; rank < size; ++rank) {
    CHECK_OK(tacit_reader_content(reader, key, rank, size, pool, &part, &err), err);
    for (size_t i = 0; i < sizeof sum.raw_bytes; ++i)
      sum.raw_bytes[i] ^= part.raw_bytes[i];
  }
  tacit_pool_free(pool);
  return sum;
}

static int same(tacit_content a, tacit_content b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* 3 MiB of text rows in a file. */
static char *text;
static size_t text_size;

static void write_text(const char *path, const char *from, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(from, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void make_text(void) {
  text = malloc((size_t)ROWS * 80 + 1);
  assert_non_null(text);
  text_size = 0;
  for (int i = 0; i < ROWS; ++i)
    text_size +=
        (size_t)sprintf(text + text_size,
                        "%d 1:0.%06d 2:0.5 3:0.25000000000000000000000000000000 "
                        "5:1e0 6:-0.%05d\n",
                        i % 2, i, i * 7 % 99991);
}

enum how { SHUFFLED, IN_ORDER, STREAM };

static tacit_reader *open_text(const char *const *paths, size_t n_paths, enum how how,
                               int map) {
  tacit_reader_options options;
  tacit_reader *reader;
  tacit_error err;
  tacit_reader_options_init(&options);
  options.schema = libsvm;
  options.shuffle = how == SHUFFLED;
  options.map = map;
  if (how == STREAM) options.rows = (int64_t)n_paths * ROWS;
  CHECK_OK(tacit_reader_open(paths, n_paths, &options, &reader, &err), err);
  return reader;
}

static tacit_content text_content(const char *const *paths, size_t n_paths,
                                  enum how how, int map, int size, unsigned threads) {
  tacit_reader *reader = open_text(paths, n_paths, how, map);
  tacit_content content = content_of(reader, size, threads);
  tacit_reader_free(reader);
  return content;
}

static void every_byte_of_text_counts(void **state) {
  (void)state;
  char paths[2][100];
  (void)snprintf(paths[0], sizeof paths[0], "%s/a", folder);
  (void)snprintf(paths[1], sizeof paths[1], "%s/b", folder);
  const char *const both[] = {paths[0], paths[1]}, *const turned[] = {paths[1],
                                                                      paths[0]};
  make_text();
  write_text(paths[0], text, text_size);
  write_text(paths[1], text, text_size);
  tacit_content whole = text_content(both, 1, SHUFFLED, 0, 1, 1);
  assert_false(sodium_is_zero(whole.raw_bytes, sizeof whole.raw_bytes));
  for (int how = SHUFFLED; how <= IN_ORDER; ++how) {
    for (int map = 0; map < 2; ++map) {
      assert_true(same(whole, text_content(both, 1, (enum how)how, map, 1, 3)));
      assert_true(same(whole, text_content(both, 1, (enum how)how, map, 3, 2)));
    }
  }
  assert_true(same(whole, text_content(both, 1, STREAM, 0, 1, 1)));

  /* Two equal files do not cancel: their numbers differ. */
  tacit_content two = text_content(both, 2, SHUFFLED, 1, 1, 2);
  assert_false(same(whole, two));
  assert_false(sodium_is_zero(two.raw_bytes, sizeof two.raw_bytes));
  assert_true(same(two, text_content(turned, 2, IN_ORDER, 0, 2, 2)));
  assert_true(same(two, text_content(both, 2, STREAM, 0, 1, 1)));

  /* One changed digit: the first, the last, and around the borders of chunks and
     blocks. */
  static const size_t borders[] = {0, 1 << 14, 1 << 20, 2 << 20, 1 << 21, 3000000};
  for (size_t b = 0; b < sizeof borders / sizeof borders[0]; ++b) {
    for (size_t at = borders[b] > 60 ? borders[b] - 60 : 0;
         at < borders[b] + 60 && at < text_size; ++at) {
      if (text[at] < '1' || text[at] > '8' || text[at + 1] == ':') continue;
      ++text[at];
      write_text(paths[0], text, text_size);
      --text[at];
      assert_false(same(whole, text_content(both, 1, SHUFFLED, at % 2 == 0, 1, 2)));
    }
  }
  write_text(paths[0], text, text_size);
  assert_false(same(two, text_content(both, 1, SHUFFLED, 1, 1, 2)));

  /* After a digest, a reader still gives all rows from the first one on. */
  tacit_reader *reader = open_text(both, 1, STREAM, 0);
  const tacit_batch *batch;
  tacit_error err;
  int64_t rows = 0;
  (void)content_of(reader, 1, 1);
  do {
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    if (rows == 0) CHECK_WITHIN(batch->raw_labels[0], -1, 0);
    rows += batch->n_rows;
  } while (batch->n_rows > 0);
  assert_true(rows == ROWS);
  tacit_reader_free(reader);
  free(text);
}

/* A byte of a block may change such that its checksum does not: the digest is keyed. */
static void every_byte_of_a_cache_counts(void **state) {
  (void)state;
  char path[100], made[100];
  (void)snprintf(path, sizeof path, "%s/c", folder);
  (void)snprintf(made, sizeof made, "%s/c.cache", folder);
  const char *const source = path, *const cache = made;
  tacit_cache_options options;
  tacit_error err;
  make_text();
  write_text(path, text, text_size);
  free(text);
  tacit_cache_options_init(&options);
  options.schema = libsvm;
  tacit_reader *reader = open_text(&source, 1, SHUFFLED, 0);
  CHECK_OK(tacit_cache_write(reader, made, &options, &err), err);
  tacit_reader_free(reader);
  reader = open_text(&cache, 1, SHUFFLED, 0);
  tacit_content whole = content_of(reader, 1, 1);
  assert_true(same(whole, content_of(reader, 3, 2)));
  FILE *file = fopen(made, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  long size = ftell(file);
  const long places[] = {0, 500, 5000, (1 << 20) - 1, 1 << 20, size - 40, size - 1};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    for (int turn = 0; turn < 2; ++turn) { /* changed, and back */
      assert_int_equal(fseek(file, places[i], SEEK_SET), 0);
      int byte = fgetc(file);
      assert_int_equal(fseek(file, places[i], SEEK_SET), 0);
      assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
      assert_int_equal(fflush(file), 0);
      assert_int_equal(same(whole, content_of(reader, 2, 1)), turn);
    }
  }
  assert_int_equal(fclose(file), 0);
  tacit_reader_free(reader);
}

static tacit_content arrays_content(const tacit_arrays *arrays, int size,
                                    unsigned threads, int shuffle) {
  tacit_reader_options options;
  tacit_reader *reader;
  tacit_error err;
  tacit_reader_options_init(&options);
  options.schema = memory;
  options.shuffle = shuffle;
  CHECK_OK(tacit_reader_open_arrays(arrays, &options, &reader, &err), err);
  tacit_content content = content_of(reader, size, threads);
  tacit_reader_free(reader);
  return content;
}

static void every_number_of_arrays_counts(void **state) {
  (void)state;
  double *values = calloc((size_t)ROWS * FEATURES, sizeof *values);
  double *labels = calloc(ROWS, sizeof *labels);
  float *narrow = calloc((size_t)ROWS * FEATURES, sizeof *narrow);
  int32_t *starts = calloc(ROWS + 1, sizeof *starts);
  int32_t *indices = calloc((size_t)ROWS * FEATURES, sizeof *indices);
  assert_true(values != NULL && labels != NULL && narrow != NULL && starts != NULL &&
              indices != NULL);
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    values[i] = narrow[i] = (float)(i % 91 + 1);
    indices[i] = i % FEATURES;
  }
  for (int i = 0; i < ROWS; ++i) {
    labels[i] = i % 2 ? 1 : -1;
    starts[i + 1] = (i + 1) * FEATURES;
  }
  for (int kind = 0; kind < 3; ++kind) {
    tacit_arrays arrays;
    tacit_arrays_init(&arrays);
    arrays.n_rows = ROWS;
    arrays.n_features = FEATURES;
    arrays.raw_labels = labels;
    arrays.raw_values = kind == 1 ? (const void *)narrow : values;
    arrays.values_type = kind == 1 ? TACIT_FLOAT32 : TACIT_FLOAT64;
    arrays.column_stride = kind == 1 ? 4 : 8;
    arrays.row_stride = arrays.column_stride * FEATURES;
    if (kind == 2) {
      arrays.raw_row_start = starts;
      arrays.raw_indices = indices;
      arrays.starts_type = arrays.indices_type = TACIT_INT32;
      arrays.n_entries = ROWS * FEATURES;
    }
    tacit_content whole = arrays_content(&arrays, 1, 1, 0);
    assert_true(same(whole, arrays_content(&arrays, 1, 3, 1)));
    assert_true(same(whole, arrays_content(&arrays, 4, 2, 0)));
    for (int i = 0; i < ROWS; i += i < 3 || i > ROWS - 4 ? 1 : 4093) {
      int at = i * FEATURES + i % FEATURES;
      values[at] += 0.5;
      narrow[at] += 0.5F;
      assert_false(same(whole, arrays_content(&arrays, 1, 2, 0)));
      values[at] -= 0.5;
      narrow[at] -= 0.5F;
      labels[i] = -labels[i];
      assert_false(same(whole, arrays_content(&arrays, 1, 2, 0)));
      labels[i] = -labels[i];
    }
    assert_true(same(whole, arrays_content(&arrays, 1, 2, 0)));
  }
  free(values);
  free(labels);
  free(narrow);
  free(starts);
  free(indices);
}

/* Ids that are not in the rows: those that were counted count. */
static void every_id_counts(void **state) {
  (void)state;
  enum { FEW = 50 };
  static const double values[FEW * FEATURES], labels[FEW] = {1};
  int64_t ids[FEW], units;
  tacit_content whole = {{0}};
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = FEW;
  arrays.n_features = FEATURES;
  arrays.raw_values = values;
  arrays.column_stride = sizeof *values;
  arrays.row_stride = FEATURES * arrays.column_stride;
  arrays.raw_labels = labels;
  arrays.raw_units = ids;
  for (int changed = -1; changed <= FEW; ++changed) {
    tacit_reader_options options;
    tacit_reader *reader;
    tacit_error err;
    for (int i = 0; i < FEW; ++i)
      ids[i] = i % 10 + (i == changed ? 100 : 0);
    tacit_reader_options_init(&options);
    options.schema = memory;
    CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
    CHECK_OK(tacit_reader_units(reader, 0, &units, &err), err);
    tacit_content content = content_of(reader, 1, 2);
    if (changed < 0) whole = content;
    assert_int_equal(same(whole, content), changed < 0 || changed == FEW);
    tacit_reader_free(reader);
  }
}

/* A block is the same however its bytes are split; its number, kind, length and the key
   matter. */
static tacit_content hash_of(const unsigned char *bytes, size_t size, size_t step,
                             uint64_t kind, uint64_t stream, uint64_t number,
                             const unsigned char *with) {
  tacit_content_key *keys = malloc(sizeof *keys);
  tacit_content_hash *hash = malloc(sizeof *hash);
  tacit_content sum = {{0}};
  tacit_content_key_fill(keys, with);
  tacit_content_begin(hash, keys, kind, stream, number);
  for (size_t at = 0; at < size; at += step)
    tacit_content_put(hash, bytes + at, size - at < step ? size - at : step);
  tacit_content_end(hash, &sum);
  free(hash);
  free(keys);
  return sum;
}

static void a_block_is_its_bytes_and_its_place(void **state) {
  (void)state;
  enum { SIZE = 3 * TACIT_CONTENT_CHUNK + 100 };
  static unsigned char bytes[SIZE + 16];
  unsigned char other_key[TACIT_KEY_BYTES] = "content testS";
  for (size_t i = 0; i < SIZE; ++i)
    bytes[i] = (unsigned char)(i * 31 + i / 253);
  tacit_content whole = hash_of(bytes, SIZE, SIZE, 1, 2, 3, key);
  static const size_t steps[] = {1, 7, 16, 1000, TACIT_CONTENT_CHUNK, 20000};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i)
    assert_true(same(whole, hash_of(bytes, SIZE, steps[i], 1, 2, 3, key)));
  assert_false(same(whole, hash_of(bytes, SIZE, SIZE, 2, 2, 3, key)));
  assert_false(same(whole, hash_of(bytes, SIZE, SIZE, 1, 3, 3, key)));
  assert_false(same(whole, hash_of(bytes, SIZE, SIZE, 1, 2, 4, key)));
  assert_false(same(whole, hash_of(bytes, SIZE, SIZE, 1, 2, 3, other_key)));
  assert_false(same(whole, hash_of(bytes, SIZE - 1, SIZE, 1, 2, 3, key)));
  assert_false(same(whole, hash_of(bytes, SIZE + 1, SIZE + 1, 1, 2, 3, key)));
  for (size_t i = 0; i < SIZE; i += i < 200 || i > SIZE - 200 ? 1 : 97) {
    bytes[i] ^= 1;
    assert_false(same(whole, hash_of(bytes, SIZE, SIZE, 1, 2, 3, key)));
    bytes[i] ^= 1;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_byte_of_text_counts),
      cmocka_unit_test(every_byte_of_a_cache_counts),
      cmocka_unit_test(every_number_of_arrays_counts),
      cmocka_unit_test(every_id_counts),
      cmocka_unit_test(a_block_is_its_bytes_and_its_place),
  };
  if (sodium_init() < 0) return 1;
  return cmocka_run_group_tests(tests, setup, teardown);
}
