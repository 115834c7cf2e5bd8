/* SPDX-License-Identifier: MIT */
/* Caches: reading gives the bits that were written; a file that is damaged or forged is
   refused. */
#include "unit/data_files.h"

#include <dirent.h>
#include <sodium.h>
#include <sys/stat.h>

#include "data/cache/cache.h"

static const char *path_of(const char *name) {
  static char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", test_folder, name);
  return path;
}

static tacit_reader *open_file(const char *path, const tacit_schema *schema,
                               int shuffle, int labels) {
  tacit_reader_options options;
  tacit_error err = {TACIT_OK, ""};
  tacit_reader *reader = NULL;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.labels = labels;
  CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
  return reader;
}

/* Makes a cache of a file; returns its path. */
static const char *cache_of(const char *path, const tacit_schema *schema, int shuffle,
                            int labels) {
  tacit_error err = {TACIT_OK, ""};
  tacit_cache_options options;
  tacit_reader *reader = open_file(path, schema, shuffle, labels);
  tacit_cache_options_init(&options);
  options.schema = schema;
  options.sources = &path;
  options.n_sources = 1;
  const char *out = path_of("a.cache");
  CHECK_OK(tacit_cache_write(reader, out, &options, &err), err);
  tacit_reader_free(reader);
  return out;
}

static unsigned char *bytes_of(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char *bytes = malloc(1 << 20);
  assert_non_null(bytes);
  *out_size = fread(bytes, 1, 1 << 20, file);
  (void)fclose(file);
  return bytes;
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a text, sorted; frees the text. */
static char *sorted(char *text) {
  size_t size = strlen(text), count = 0;
  char **lines = calloc(size + 1, sizeof *lines), *out = calloc(size + 2, 1);
  assert_non_null(lines);
  assert_non_null(out);
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    lines[count++] = line;
  qsort(lines, count, sizeof *lines, compare_lines);
  for (size_t i = 0, at = 0; i < count; ++i)
    at += (size_t)sprintf(out + at, "%s\n", lines[i]);
  free(lines);
  free(text);
  return out;
}

/* A shuffled cache has the same rows, in an order that nobody else knows. */
static void check_round_trip(const char *text, const tacit_schema *schema) {
  tacit_error err;
  const char *path = file_of("rows", text);
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    char *expected = read_rows(path, schema, shuffle, 1, &err);
    assert_non_null(expected);
    if (shuffle) expected = sorted(expected);
    const char *cache = cache_of(path, schema, shuffle, 1);
    tacit_reader *reader = open_file(cache, schema, shuffle, 1);
    assert_int_equal(tacit_reader_shuffled(reader), shuffle);
    assert_int_equal(tacit_reader_rewinds(reader), 1);
    for (int pass = 0; pass < 2; ++pass) {
      char *rows = rows_of(reader, &err);
      assert_non_null(rows);
      if (shuffle) rows = sorted(rows);
      assert_string_equal(rows, expected);
      free(rows);
      CHECK_OK(tacit_reader_rewind(reader, &err), err);
    }
    tacit_reader_free(reader);
    free(expected);
  }
}

static void keeps_every_bit(void **state) {
  (void)state;
  tacit_schema *narrow = libsvm_schema(5), *wide = libsvm_schema(70000), *numbers,
               *classes;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(5, 0, -9, 1000, &numbers, &err), err);
  CHECK_OK(tacit_schema_libsvm(5, 300, 0, 0, &classes, &err), err);
  check_round_trip("1 1:1 3:1\n-1\n1 5:1\n", narrow);
  check_round_trip("1 1:0.5 3:-2\n0 2:1\n", narrow);
  check_round_trip("1 1:0.1 3:1e-310 4:1e300\n0 2:3\n", narrow);
  check_round_trip("1 1:1 2:2 3:3 4:4 5:5\n0 1:9 2:8 3:7 4:6 5:5\n", narrow);
  check_round_trip("1 1:.1 2:.2 3:.3 4:.4 5:.5\n0 1:9 3:7 4:6 5:5\n", narrow);
  check_round_trip("-1\n1\n-1\n", narrow);
  check_round_trip("1 1:1 70000:1\n0 65536:1 65537:2 65538:1\n", wide);
  check_round_trip("0.1 1:1\n999 2:1\n-3 4:4\n-0.0 1:2\n", numbers);
  check_round_trip("0.5 1:1\n12 2:1\n", numbers);
  check_round_trip("0 1:1\n299 2:1\n127 3:1\n128 3:1\n", classes);
  tacit_schema_free(narrow);
  tacit_schema_free(wide);
  tacit_schema_free(numbers);
  tacit_schema_free(classes);
}

/* Enough rows for several blocks, and rows so long that a block has few. */
static void many_blocks(void **state) {
  (void)state;
  tacit_schema *narrow = libsvm_schema(5), *wide = libsvm_schema(100000);
  size_t room = 1 << 22, size = 0;
  char *text = malloc(room);
  assert_non_null(text);
  for (int i = 0; i < 3 * TACIT_CACHE_ROWS + 7; ++i)
    size += (size_t)sprintf(text + size, "%d %d:%d.%d\n", i % 2, 1 + i % 5, i, i % 9);
  check_round_trip(text, narrow);
  size = 0;
  for (int i = 0; i < 3; ++i) {
    size += (size_t)sprintf(text + size, "1");
    for (int j = 0; j < TACIT_CACHE_ENTRIES / 2 + i; ++j)
      size += (size_t)sprintf(text + size, " %d:%d", 3 * j + 1, 1 + (j + i) % 3);
    text[size++] = '\n';
    text[size] = '\0';
  }
  check_round_trip(text, wide);
  tacit_cache *cache = NULL;
  tacit_error err;
  CHECK_OK(tacit_cache_open(path_of("a.cache"), &cache, &err), err);
  assert_int_equal(tacit_cache_head_of(cache)->n_blocks, 2);
  tacit_cache_free(cache);
  free(text);
  tacit_schema_free(narrow);
  tacit_schema_free(wide);
}

/* Packs two rows with this value and this label and returns the widths of the block. */
static const unsigned char *widths_of(double value, double label,
                                      tacit_cache_block *block) {
  static const int64_t starts[] = {0, 2, 3};
  static const uint32_t indices[] = {0, 7, 3};
  double values[] = {1, value, 1}, labels[] = {label, -1};
  tacit_batch batch;
  tacit_error err;
  tacit_batch_init(&batch);
  batch.n_rows = 2;
  batch.n_features = 100;
  batch.raw_values = values;
  batch.raw_row_start = starts;
  batch.raw_indices = indices;
  batch.raw_labels = labels;
  CHECK_OK(tacit_cache_encode(&batch, block, &err), err);
  assert_int_equal(block->size % TACIT_PACKED_ALIGN, 0);
  return block->bytes + 16;
}

static void parts_are_small(void **state) {
  (void)state;
  tacit_cache_block block = {0};
  static const struct {
    double value, label;
    unsigned char values, labels;
  } cases[] = {{1, 1, 0, 1},     {0.5, 0.5, 8, 8}, {1e300, 1e300, 8, 8},
               {-2, -0.0, 8, 8}, {1, 127, 0, 1},   {1, 128, 0, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const unsigned char *widths = widths_of(cases[i].value, cases[i].label, &block);
    assert_int_equal(widths[TACIT_PART_VALUES], cases[i].values);
    assert_int_equal(widths[TACIT_PART_INDICES], 1);
    assert_int_equal(widths[TACIT_PART_COUNTS], 1);
    assert_int_equal(widths[TACIT_PART_LABELS], cases[i].labels);
    assert_int_equal(widths[TACIT_PART_WEIGHTS], 0);
  }
  tacit_cache_block_fini(&block);
}

/* An entry may be missing anywhere, also next to rows that have all. */
static void rows_may_lack_an_entry(void **state) {
  (void)state;
  enum { FEATURES = 21 };
  tacit_schema *schema = libsvm_schema(FEATURES);
  static char text[3 * FEATURES * FEATURES * 16];
  size_t size = 0;
  for (int missing = 0; missing <= FEATURES; ++missing) {
    for (int row = 0; row < 2; ++row) {
      size += (size_t)sprintf(text + size, "%d", row);
      for (int j = 1; j <= FEATURES; ++j) {
        if (row == 1 && j == missing) continue;
        size += (size_t)sprintf(text + size, " %d:%d.1", j, j + missing);
      }
      text[size++] = '\n';
    }
  }
  text[size] = '\0';
  check_round_trip(text, schema);
  tacit_schema_free(schema);
}

/* The indices of a row ascend, wherever they are in the block; those of two rows need
   not. */
static void indices_ascend(void **state) {
  (void)state;
  enum { ROWS = 3, EACH = 21, COUNT = ROWS * EACH };
  const int64_t starts[] = {0, EACH, 2 * EACH, COUNT};
  uint32_t indices[COUNT];
  double values[COUNT];
  tacit_batch batch;
  tacit_error err;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.raw_values = values;
  batch.raw_row_start = starts;
  batch.raw_indices = indices;
  for (uint32_t i = 0; i < COUNT; ++i) {
    indices[i] = (uint32_t)(i / EACH % 2 * 100) + 2 * (i % EACH) + 1;
    values[i] = 1;
  }
  for (int wide = 0; wide < 2; ++wide) {
    batch.n_features = wide ? 100000 : 1000;
    tacit_cache_head head = {.n_features = batch.n_features};
    for (size_t at = 0; at <= COUNT; ++at) {
      tacit_cache_block block = {0};
      const char *fault = NULL;
      uint32_t kept = at < COUNT ? indices[at] : 0;
      if (at < COUNT) indices[at] = at > 0 ? indices[at - 1] : (uint32_t)1 << 15;
      CHECK_OK(tacit_cache_encode(&batch, &block, &err), err);
      tacit_status status = tacit_cache_decode(&block, &head, ROWS, 0, &fault, &err);
      /* The first index of a row may be that of the entry before it, if the rest of
         the row is still above. */
      int sound = at == COUNT || (at % EACH == 0 && at > 0 && indices[at] < kept + 2);
      assert_int_equal(status, sound ? TACIT_OK : TACIT_EDATA);
      if (!sound) assert_non_null(strstr(fault, "do not ascend"));
      if (at < COUNT) indices[at] = kept;
      tacit_cache_block_fini(&block);
    }
  }
}

/* Weights come back with all their bits; a weight above 1 is refused. */
static void weights_come_back(void **state) {
  (void)state;
  double values[] = {1, 2}, labels[] = {1, -1}, weights[] = {1, 1};
  tacit_batch batch;
  tacit_error err;
  tacit_batch_init(&batch);
  batch.n_rows = 2;
  batch.n_features = 1;
  batch.raw_values = values;
  batch.raw_labels = labels;
  batch.raw_weights = weights;
  for (int i = 0; i < 4; ++i) {
    tacit_cache_block block = {0};
    tacit_cache_head head = {
        .has_labels = 1, .has_weights = i > 0, .is_dense = 1, .n_features = 1};
    const char *fault;
    weights[1] = i == 1 ? 1e-300 : i == 2 ? 0.1 : 1.5;
    batch.raw_weights = i == 0 ? NULL : weights;
    CHECK_OK(tacit_cache_encode(&batch, &block, &err), err);
    tacit_status status = tacit_cache_decode(&block, &head, 2, 2, &fault, &err);
    assert_int_equal(status, i < 3 ? TACIT_OK : TACIT_EDATA);
    if (i == 0)
      assert_null(block.view.raw_weights);
    else
      assert_memory_equal(block.view.raw_weights, weights, sizeof weights);
    if (i == 3) assert_string_equal(fault, "a weight is not 0 … 1");
    tacit_cache_block_fini(&block);
  }
}

/* Rows of floats come back as floats, and a number that is not finite is refused. */
static void floats_stay_floats(void **state) {
  (void)state;
  float values[] = {0.1F, -0.0F, 3, 1e-40F};
  tacit_batch batch;
  tacit_error err;
  tacit_batch_init(&batch);
  batch.n_rows = 2;
  batch.n_features = 2;
  batch.raw_values32 = values;
  const tacit_cache_head head = {.is_dense = 1, .n_features = 2};
  for (int bad = 0; bad < 3; ++bad) {
    tacit_cache_block block = {0};
    const char *fault;
    if (bad > 0) values[2] = bad == 1 ? NAN : INFINITY;
    CHECK_OK(tacit_cache_encode(&batch, &block, &err), err);
    tacit_status status = tacit_cache_decode(&block, &head, 2, 0, &fault, &err);
    assert_int_equal(status, bad ? TACIT_EDATA : TACIT_OK);
    if (bad) assert_string_equal(fault, "a value is not finite");
    assert_memory_equal(block.view.raw_values32, values, sizeof values);
    tacit_cache_block_fini(&block);
  }
}

static void dense_rows_stay_dense(void **state) {
  (void)state;
  enum { ROWS = 600, FEATURES = 3 };
  static double values[ROWS][FEATURES], labels[ROWS];
  tacit_schema *schema;
  tacit_error err;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      values[i][j] = j == 1 ? 0 : (i + 1) / (j + 3.0);
    labels[i] = i % 2 ? 1 : -1;
  }
  values[7][1] = -0.0;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = values;
  arrays.row_stride = sizeof values[0];
  arrays.column_stride = sizeof values[0][0];
  arrays.raw_labels = labels;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  tacit_reader *reader = NULL;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  tacit_cache_options making;
  tacit_cache_options_init(&making);
  making.schema = schema;
  CHECK_OK(tacit_cache_write(reader, path_of("d.cache"), &making, &err), err);
  tacit_reader_free(reader);
  reader = open_file(path_of("d.cache"), schema, 0, 1);
  int64_t row = 0;
  for (;;) {
    const tacit_batch *batch;
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    if (batch->n_rows == 0) break;
    assert_null(batch->raw_row_start);
    assert_int_equal(batch->n_features, FEATURES);
    assert_memory_equal(batch->raw_values, values[row],
                        (size_t)batch->n_rows * sizeof values[0]);
    assert_memory_equal(batch->raw_labels, labels + row,
                        (size_t)batch->n_rows * sizeof labels[0]);
    row += batch->n_rows;
  }
  assert_int_equal(row, ROWS);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
}

/* 1 if the bytes are refused as bad data, with a message of one line that names the
   file. */
static int is_refused(const unsigned char *bytes, size_t size,
                      const tacit_schema *schema, tacit_error *err) {
  const char *path = file_of_bytes("bad.cache", bytes, size);
  char *rows = read_rows(path, schema, 1, 1, err);
  free(rows);
  if (rows != NULL) return 0;
  assert_int_equal(err->status, TACIT_EDATA);
  assert_int_equal(strncmp(err->message, path, strlen(path)), 0);
  assert_null(strchr(err->message, '\n'));
  return 1;
}

static const char small_text[] = "1 1:0.5 3:-2\n0 2:1\n1\n0 1:1 2:0.1\n";

static void damage_is_found(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5);
  tacit_error err;
  size_t size;
  unsigned char *bytes =
      bytes_of(cache_of(file_of("small", small_text), schema, 1, 1), &size);
  assert_false(is_refused(bytes, size, schema, &err));
  for (size_t i = 0; i < size; ++i) {
    unsigned char bit = (unsigned char)(1 << i % 8);
    bytes[i] ^= bit;
    if (!is_refused(bytes, size, schema, &err))
      fail_msg("byte %zu changed and nobody saw it", i);
    bytes[i] ^= bit;
  }
  for (size_t i = 0; i < size; ++i)
    if (!is_refused(bytes, i, schema, &err)) fail_msg("cut at %zu and not seen", i);
  bytes[size] = 0;
  assert_true(is_refused(bytes, size + 1, schema, &err));
  free(bytes);
  tacit_schema_free(schema);
}

static void other_versions_are_named(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5);
  tacit_error err;
  size_t size;
  unsigned char *bytes =
      bytes_of(cache_of(file_of("small", small_text), schema, 1, 1), &size);
  uint32_t version;
  for (version = 1; version <= TACIT_CACHE_VERSION + 1; ++version) {
    char expected[64];
    memcpy(bytes + 8, &version, sizeof version);
    if (version == TACIT_CACHE_VERSION) continue;
    (void)snprintf(expected, sizeof expected,
                   "a cache of format %u, this build reads format 4; make", version);
    assert_true(is_refused(bytes, size, schema, &err));
    assert_non_null(strstr(err.message, expected));
    assert_non_null(strstr(err.message, "tacit cache -o FILE DATA"));
  }
  version = 1;
  memcpy(bytes + 8, &version, sizeof version);
  unsigned char mark[4] = {bytes[15], bytes[14], bytes[13], bytes[12]};
  memcpy(bytes + 12, mark, 4);
  assert_true(is_refused(bytes, size, schema, &err));
  assert_non_null(strstr(err.message, "byte order"));
  free(bytes);
  tacit_schema_free(schema);
}

/* New checksums for a file of one block, as a forger would make them. */
static void sign(unsigned char *bytes, size_t size) {
  static tacit_content_key pads;
  uint64_t schema_size;
  memcpy(&schema_size, bytes + 40, 8);
  unsigned char *block = bytes + TACIT_CACHE_HEAD + schema_size;
  unsigned char *entry = bytes + size - TACIT_CACHE_ENTRY;
  tacit_cache_pads_fill(&pads);
  tacit_cache_checksum(&pads, block, (size_t)(entry - block), entry + 16);
  crypto_generichash_blake2b_state hash;
  crypto_generichash_blake2b_init(&hash, NULL, 0, TACIT_CACHE_DIGEST);
  crypto_generichash_blake2b_update(&hash, bytes, 96);
  crypto_generichash_blake2b_update(&hash, bytes + TACIT_CACHE_HEAD, schema_size);
  crypto_generichash_blake2b_update(&hash, entry, TACIT_CACHE_ENTRY);
  crypto_generichash_blake2b_final(&hash, bytes + 96, TACIT_CACHE_DIGEST);
}

static void checksum_of(const unsigned char *bytes, size_t size, unsigned char *out) {
  static tacit_content_key pads;
  tacit_cache_pads_fill(&pads);
  tacit_cache_checksum(&pads, bytes, size, out);
}

/* In blocks of several chunks too, and the number of bytes counts. */
static void every_byte_of_a_block_counts(void **state) {
  (void)state;
  enum { SIZE = 2 * TACIT_CONTENT_CHUNK + 39, STEP = 37 };
  static unsigned char bytes[SIZE];
  unsigned char whole[TACIT_CACHE_BLOCK_DIGEST], other[TACIT_CACHE_BLOCK_DIGEST];
  for (size_t i = 0; i < SIZE; ++i)
    bytes[i] = (unsigned char)(i * i >> 3);
  checksum_of(bytes, SIZE, whole);
  for (size_t i = 0; i<SIZE; i += SIZE - i> 2 * STEP ? STEP : 1) {
    bytes[i] ^= 1;
    checksum_of(bytes, SIZE, other);
    assert_memory_not_equal(whole, other, sizeof whole);
    bytes[i] ^= 1;
  }
  memset(bytes, 0, sizeof bytes);
  for (size_t size = 1; size < 50; ++size) {
    checksum_of(bytes, size, whole);
    checksum_of(bytes, size - 1, other);
    assert_memory_not_equal(whole, other, sizeof whole);
  }
}

/* The offset, in a block of this machine, of byte `at` in that of a little-endian
   one. */
static size_t place_here(size_t at) {
  const uint16_t one = 1;
  size_t size = at < 16 || (at >= 64 && at < 128) ? 8 : 1;
  return *(const unsigned char *)&one == 1 ? at
                                           : at / size * size + size - 1 - at % size;
}

/* With correct checksums only the content can be wrong. The block of small_text has 4
   rows and 5 entries; head, values, indices, counts and labels take 64 bytes each. */
static void forgery_is_found(void **state) {
  (void)state;
  enum { BLOCK = 5 * TACIT_PACKED_ALIGN };
  tacit_schema *schema = libsvm_schema(5);
  tacit_error err;
  size_t size;
  unsigned char *bytes =
      bytes_of(cache_of(file_of("small", small_text), schema, 0, 1), &size);
  uint64_t schema_size;
  memcpy(&schema_size, bytes + 40, 8);
  size_t block = TACIT_CACHE_HEAD + (size_t)schema_size;
  assert_int_equal(size - block, BLOCK + TACIT_CACHE_ENTRY);
  sign(bytes, size);
  assert_false(is_refused(bytes, size, schema, &err));
  static const struct {
    size_t at;
    unsigned char value;
    const char *fault;
  } cases[] = {
      {0, 3, "number of rows"},
      {0, 5, "number of rows"},
      {7, 1, "number of rows"},
      {8, 21, "number of entries"},
      {15, 0xff, "number of entries"},
      {8, 4, "entries noted"},
      {8, 20, "another size"},
      {16, 7, "number types"},
      {16, 0, "another size"},
      {17, 0, "number types"},
      {17, 3, "number types"},
      {18, 0, "number types"},
      {19, 0, "number types"},
      {19, 4, "number types"},
      {20, 8, "number types"},
      {21, 16, "number types"},
      {22, 8, "number types"},
      {64 + 7, 0x7f, "value is not finite"}, /* with the byte before it: infinity */
      {128, 2, "indices"},
      {129, 5, "indices"},
      {129, 0, "indices"},
      {130, 255, "indices"},
      {192, 3, "entries noted"},
      {192, 0xff, "entries noted"},
      {256, 2, "label"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    unsigned char kept[BLOCK];
    memcpy(kept, bytes + block, sizeof kept);
    bytes[block + place_here(cases[i].at)] = cases[i].value;
    if (cases[i].at == 71) bytes[block + place_here(70)] = 0xf0;
    sign(bytes, size);
    if (!is_refused(bytes, size, schema, &err)) fail_msg("case %zu accepted", i);
    if (strstr(err.message, cases[i].fault) == NULL)
      fail_msg("case %zu: %s, not %s", i, err.message, cases[i].fault);
    memcpy(bytes + block, kept, sizeof kept);
  }
  free(bytes);
  tacit_schema_free(schema);
}

static void forged_heads_are_found(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5);
  tacit_error err;
  size_t size;
  unsigned char *bytes =
      bytes_of(cache_of(file_of("small", small_text), schema, 0, 1), &size);
  static const struct {
    size_t at;
    uint64_t value;
  } cases[] = {{16, 8},          {16, 0},         {16, 6}, {24, 3},          {24, 5},
               {24, UINT64_MAX}, {32, 0},         {32, 6}, {32, UINT64_MAX}, {40, 1},
               {40, UINT64_MAX}, {48, 0},         {48, 2}, {48, UINT64_MAX}, {56, 319},
               {56, 321},        {56, UINT64_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    unsigned char kept[8];
    memcpy(kept, bytes + cases[i].at, 8);
    uint64_t value = cases[i].value;
    memcpy(bytes + cases[i].at, &value, 8);
    if (cases[i].at != 40) sign(bytes, size);
    if (!is_refused(bytes, size, schema, &err)) fail_msg("case %zu accepted", i);
    memcpy(bytes + cases[i].at, kept, 8);
  }
  free(bytes);
  tacit_schema_free(schema);
}

static int files_in_folder(void) {
  int count = 0;
  DIR *folder = opendir(test_folder);
  assert_non_null(folder);
  while (readdir(folder) != NULL)
    ++count;
  (void)closedir(folder);
  return count;
}

static int stop_at_once(void *cookie, int64_t rows) {
  *(int64_t *)cookie = rows;
  return 1;
}

static void whole_or_not_at_all(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5);
  tacit_error err;
  struct stat facts;
  const char *source = file_of("source", small_text);
  const char *cache = cache_of(source, schema, 1, 1);
  assert_int_equal(stat(cache, &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0600);
  assert_int_equal(unlink(cache), 0);
  int before = files_in_folder();
  tacit_cache_options options;
  tacit_cache_options_init(&options);
  options.schema = schema;
  int64_t rows = 0;
  options.progress = stop_at_once;
  options.progress_cookie = &rows;
  tacit_reader *reader = open_file(source, schema, 1, 1);
  assert_int_equal(tacit_cache_write(reader, cache, &options, &err), TACIT_ECANCELED);
  assert_int_equal(rows, 4);
  tacit_reader_free(reader);
  options.progress = NULL;
  /* A row that cannot be read. */
  const char *bad = file_of("source", "1 1:1\n0 1:x\n");
  reader = open_file(bad, schema, 1, 1);
  assert_int_equal(tacit_cache_write(reader, cache, &options, &err), TACIT_EDATA);
  tacit_reader_free(reader);
  /* The target is the source itself, or not a regular file. */
  source = file_of("source", small_text);
  options.sources = &source;
  options.n_sources = 1;
  reader = open_file(source, schema, 1, 1);
  assert_int_equal(tacit_cache_write(reader, source, &options, &err), TACIT_EINVAL);
  assert_int_equal(tacit_cache_write(reader, "/dev/full", &options, &err), TACIT_EIO);
  assert_int_equal(tacit_cache_write(reader, test_folder, &options, &err), TACIT_EIO);
  assert_int_equal(tacit_cache_write(reader, path_of("no/a"), &options, &err),
                   TACIT_EIO);
  tacit_reader_free(reader);
  assert_int_equal(files_in_folder(), before);
  check_rows(source, schema, "1 1:0.5 3:-2\n-1 2:1\n1\n-1 1:1 2:0.10000000000000001\n");
  tacit_schema_free(schema);
}

static void belongs_to_its_sources(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5), *other = libsvm_schema(6);
  tacit_error err;
  const char *source = file_of("source", small_text);
  const char *cache = cache_of(source, schema, 1, 1);
  tacit_cache_options options;
  tacit_cache_options_init(&options);
  options.schema = schema;
  options.sources = &source;
  options.n_sources = 1;
  CHECK_OK(tacit_cache_check(cache, &options, 1, &err), err);
  assert_int_equal(tacit_cache_check(cache, &options, 0, &err), TACIT_EDATA);
  options.schema = other;
  assert_int_equal(tacit_cache_check(cache, &options, 1, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "other data, weights or ids"));
  options.schema = schema;
  const char *renamed = file_of("renamed", small_text);
  options.sources = &renamed;
  assert_int_equal(tacit_cache_check(cache, &options, 1, &err), TACIT_EDATA);
  source = file_of("source", "1 1:0.5 3:-2\n0 2:1\n1\n0 1:1\n");
  options.sources = &source;
  assert_int_equal(tacit_cache_check(cache, &options, 1, &err), TACIT_EDATA);
  tacit_schema *own = NULL;
  CHECK_OK(tacit_cache_schema(cache, &own, &err), err);
  assert_int_equal(tacit_schema_features(own), 5);
  assert_int_equal(tacit_file_kind_of(cache), TACIT_FILE_CACHE);
  assert_int_equal(tacit_file_kind_of(source), TACIT_FILE_TEXT);
  assert_int_equal(tacit_file_kind_of("-"), TACIT_FILE_TEXT);
  assert_int_equal(tacit_file_kind_of(path_of("none")), TACIT_FILE_TEXT);
  tacit_schema_free(own);
  tacit_schema_free(schema);
  tacit_schema_free(other);
}

static void check_not_opened(const char *const *paths, size_t n_paths,
                             const tacit_reader_options *options, tacit_status status,
                             const char *fault) {
  tacit_error err = {TACIT_OK, ""};
  tacit_reader *reader = NULL;
  assert_int_equal(tacit_reader_open(paths, n_paths, options, &reader, &err), status);
  assert_null(reader);
  if (strstr(err.message, fault) == NULL) fail_msg("%s, not: %s", err.message, fault);
}

static void opened_as_it_was_made(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(5), *other = libsvm_schema(6);
  tacit_error err;
  const char *source = file_of("source", small_text);
  const char *paths[2] = {cache_of(source, schema, 1, 1), source};
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = other;
  check_not_opened(paths, 1, &options, TACIT_EDATA, "another schema");
  options.schema = schema;
  options.shuffle = 0;
  check_not_opened(paths, 1, &options, TACIT_EDATA, "file order");
  options.shuffle = 1;
  options.rows = 5;
  check_not_opened(paths, 1, &options, TACIT_EDATA, "declared 5 rows, found 4");
  options.rows = 4;
  check_not_opened(paths, 2, &options, TACIT_EINVAL, "alone");
  options.label_path = "y.npy";
  check_not_opened(paths, 1, &options, TACIT_EINVAL, "labels");
  options.label_path = NULL;
  /* In either order; and without labels, whether the cache has them or not. */
  for (int has_labels = 0; has_labels < 2; ++has_labels) {
    paths[0] = cache_of(source, schema, 1, has_labels);
    char *rows = read_rows(paths[0], schema, -1, 0, &err);
    assert_non_null(rows);
    assert_int_equal(rows[0], '?');
    free(rows);
    rows = read_rows(paths[0], schema, -1, 1, &err);
    assert_int_equal(rows != NULL, has_labels);
    free(rows);
  }
  tacit_schema_free(schema);
  tacit_schema_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_every_bit),
      cmocka_unit_test(many_blocks),
      cmocka_unit_test(parts_are_small),
      cmocka_unit_test(rows_may_lack_an_entry),
      cmocka_unit_test(indices_ascend),
      cmocka_unit_test(weights_come_back),
      cmocka_unit_test(floats_stay_floats),
      cmocka_unit_test(dense_rows_stay_dense),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(other_versions_are_named),
      cmocka_unit_test(every_byte_of_a_block_counts),
      cmocka_unit_test(forgery_is_found),
      cmocka_unit_test(forged_heads_are_found),
      cmocka_unit_test(whole_or_not_at_all),
      cmocka_unit_test(belongs_to_its_sources),
      cmocka_unit_test(opened_as_it_was_made),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
