/* SPDX-License-Identifier: MIT */
/* data/: bytes of files, plain and compressed; lines. */
#include "unit/data_files.h"

#include "data/bytes/random_access.h"

#include <sys/stat.h>

static char *read_source(tacit_source *source, size_t step, size_t *out_size,
                         tacit_error *err) {
  size_t room = 1 << 23, size = 0, got;
  char *bytes = malloc(room);
  assert_non_null(bytes);
  do {
    assert_true(size < room);
    size_t want = step < room - size ? step : room - size;
    if (tacit_source_read(source, bytes + size, want, &got, err) != TACIT_OK) {
      free(bytes);
      return NULL;
    }
    size += got;
  } while (got > 0);
  *out_size = size;
  return bytes;
}

static void check_source(const char *path, const char *text, size_t size, size_t step) {
  tacit_source *source;
  tacit_error err;
  CHECK_OK(tacit_source_open(path, &source, &err), err);
  assert_int_equal(tacit_source_is_regular(source), 1);
  for (int pass = 0; pass < 2; ++pass) {
    size_t got;
    char *bytes = read_source(source, step, &got, &err);
    if (bytes == NULL) fail_msg("%s", err.message);
    assert_int_equal(got, size);
    assert_memory_equal(bytes, text, size);
    free(bytes);
    CHECK_OK(tacit_source_check(source, &err), err);
    tacit_source_rewind(source);
  }
  tacit_source_free(source);
}

/* About 6 MB that compress well. */
static char *long_text(size_t *out_size) {
  size_t room = 7000000, size = 0;
  char *text = malloc(room);
  assert_non_null(text);
  uint64_t word = 1;
  while (size < 6000000) {
    word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
    size += (size_t)sprintf(text + size, "%d %d:1 %d:0.5\n", (int)(word >> 63),
                            1 + (int)(word >> 60 & 7), 10 + (int)(word >> 50 & 63));
  }
  *out_size = size;
  return text;
}

static unsigned char *compress_as(const char *name, const char *text, size_t size,
                                  size_t *out_size) {
#ifdef TACIT_HAVE_ZSTD
  if (strcmp(name, "zstd") == 0) return zstd_of(text, size, out_size);
#endif
  assert_string_equal(name, "gzip");
  return gzip_of(text, size, out_size);
}

static const char *const codecs[] = {
    "gzip",
#ifdef TACIT_HAVE_ZSTD
    "zstd",
#endif
};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

static void the_catalog_knows_the_codecs(void **state) {
  (void)state;
  tacit_catalog_entry entry;
  for (size_t i = 0; i < N_CODECS; ++i) {
    assert_true(tacit_catalog_get(TACIT_COMPRESSIONS, i, &entry));
    assert_string_equal(entry.name, codecs[i]);
  }
  assert_false(tacit_catalog_get(TACIT_COMPRESSIONS, N_CODECS, &entry));
}

static void plain_and_compressed_bytes_are_the_same(void **state) {
  (void)state;
  size_t size, packed;
  char *text = long_text(&size);
  static const size_t steps[] = {1 << 20, 777};
  for (int i = 0; i < 2; ++i) {
    check_source(file_of_bytes("plain", text, size), text, size, steps[i]);
    for (int c = 0; c < N_CODECS; ++c) {
      unsigned char *bytes = compress_as(codecs[c], text, size, &packed);
      assert_true(packed < size / 2);
      check_source(file_of_bytes("packed", bytes, packed), text, size, steps[i]);
      free(bytes);
    }
  }
  check_source(file_of("empty", ""), "", 0, 10);
  check_source(file_of("short", "1"), "1", 1, 10);
  free(text);
}

static void members_that_follow_each_other_are_one(void **state) {
  (void)state;
  for (int c = 0; c < N_CODECS; ++c) {
    unsigned char all[1000];
    size_t size = 0, packed;
    for (int i = 0; i < 3; ++i) {
      unsigned char *bytes = compress_as(codecs[c], "ab\nc", i == 1 ? 0 : 4, &packed);
      memcpy(all + size, bytes, packed);
      size += packed;
      free(bytes);
    }
    check_source(file_of_bytes("members", all, size), "ab\ncab\nc", 8, 100);
    check_source(file_of_bytes("members", all, size), "ab\ncab\nc", 8, 1);
    /* Bytes after a member must be a member too. */
    all[size] = 'x';
    tacit_source *source;
    tacit_error err;
    CHECK_OK(tacit_source_open(file_of_bytes("garbage", all, size + 5), &source, &err),
             err);
    assert_null(read_source(source, 100, &packed, &err));
    assert_int_equal(err.status, TACIT_EDATA);
    tacit_source_free(source);
  }
}

#ifdef TACIT_HAVE_ZSTD
static void zstd_may_start_with_a_skippable_frame(void **state) {
  (void)state;
  unsigned char all[200] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
  size_t packed;
  unsigned char *bytes = zstd_of("ab\n", 3, &packed);
  memcpy(all + 11, bytes, packed);
  check_source(file_of_bytes("skip", all, 11 + packed), "ab\n", 3, 100);
  free(bytes);
}
#endif

/* A compressed file that is cut anywhere is an error: never fewer rows, never a
   crash. */
static void truncation_is_always_an_error(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(100);
  char text[4000];
  size_t size = 0, packed;
  for (int i = 0; i < 200; ++i)
    size += (size_t)sprintf(text + size, "%d %d:1 %d:%d\n", i & 1, 1 + i * 7 % 40,
                            50 + i * 3 % 50, i * i % 17);
  for (int c = 0; c < N_CODECS; ++c) {
    unsigned char *bytes = compress_as(codecs[c], text, size, &packed);
    char truncated[100];
    (void)snprintf(truncated, sizeof truncated,
                   ": truncated %s data; get the whole file", codecs[c]);
    for (size_t cut = 0; cut < packed; ++cut) {
      const char *path = file_of_bytes("cut", bytes, cut);
      for (int shuffle = 0; shuffle < 2; ++shuffle) {
        tacit_error err;
        char *rows = read_rows(path, schema, shuffle, 1, &err);
        if (rows != NULL) fail_msg("%s cut at %zu was accepted", codecs[c], cut);
        assert_int_equal(err.status, TACIT_EDATA);
        if (cut >= 4) assert_string_equal(err.message + strlen(path), truncated);
      }
    }
    tacit_error err;
    char *rows = read_rows(file_of_bytes("cut", bytes, packed), schema, 0, 1, &err);
    assert_non_null(rows);
    free(rows);
    free(bytes);
  }
  tacit_schema_free(schema);
}

/* The checksum finds a changed bit, if nothing else does. */
static void damage_is_an_error(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(100);
  char text[2000];
  size_t size = 0, packed;
  for (int i = 0; i < 100; ++i)
    size += (size_t)sprintf(text + size, "1 %d:1\n", 1 + i * 7 % 40);
  for (int c = 0; c < N_CODECS; ++c) {
    unsigned char *bytes = compress_as(codecs[c], text, size, &packed);
    /* after the header, whose time and name fields may be anything */
    for (size_t at = 12; at < packed; ++at) {
      bytes[at] ^= 0x10;
      tacit_error err;
      char *rows = read_rows(file_of_bytes("bad", bytes, packed), schema, 0, 1, &err);
      if (rows != NULL) fail_msg("%s damaged at %zu was accepted", codecs[c], at);
      assert_int_equal(err.status, TACIT_EDATA);
      bytes[at] ^= 0x10;
    }
    free(bytes);
  }
  tacit_schema_free(schema);
}

static void what_cannot_be_opened(void **state) {
  (void)state;
  tacit_source *source = NULL;
  tacit_error err;
  assert_int_equal(tacit_source_open("/nonexistent/file", &source, &err), TACIT_EIO);
  assert_string_equal(err.message, "/nonexistent/file: No such file or directory");
  assert_int_equal(tacit_source_open(test_folder, &source, &err), TACIT_EIO);
  assert_string_equal(err.message + strlen(test_folder), ": Is a directory");
  if (geteuid() != 0) { /* root may read anything */
    const char *path = file_of("locked", "1 1:1\n");
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(tacit_source_open(path, &source, &err), TACIT_EIO);
    assert_string_equal(err.message + strlen(path), ": Permission denied");
  }
  /* Reading the memory of the process at 0 is an I/O error. */
  assert_int_equal(tacit_source_open("/proc/self/mem", &source, &err), TACIT_EIO);
  assert_string_equal(err.message, "/proc/self/mem: Input/output error");
  char path[400];
  memset(path, 'p', sizeof path);
  memcpy(path, "/start", 6);
  (void)strcpy(path + 200, "/the-end");
  assert_int_equal(tacit_source_open(path, &source, &err), TACIT_EIO);
  assert_non_null(strstr(err.message, "ppp/the-end: No such file or directory"));
  assert_int_equal(strncmp(err.message, "...ppp", 6), 0);
  assert_true(strlen(err.message) < 130);
  assert_null(source);
}

static void other_compressions_are_named(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *name;
  } cases[] = {{"\xfd"
                "7zXZ\0rest",
                10, "xz"},
               {"BZh91AY&SYrest", 14, "bzip2"},
               {"PK\3\4rest", 8, "zip"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_source *source = NULL;
    tacit_error err;
    char message[100];
    (void)snprintf(message, sizeof message,
                   ": %s data, which this build does not read; decompress it first",
                   cases[i].name);
    const char *path = file_of_bytes("foreign", cases[i].bytes, cases[i].size);
    assert_int_equal(tacit_source_open(path, &source, &err), TACIT_EDATA);
    assert_string_equal(err.message + strlen(path), message);
    assert_null(source);
  }
}

static tacit_random_access *hold_of(tacit_source *source,
                                    tacit_random_access_space *room, int within) {
  tacit_random_access *access;
  tacit_error err;
  int64_t budget = room->memory;
  assert_int_equal(room->mapping, budget);
  CHECK_OK(tacit_random_access_new(source, room, &access, &err), err);
  assert_int_equal(tacit_random_access_pointer(access, 0) != NULL, within);
  int64_t taken = within ? tacit_random_access_size(access) : 0;
  int plain = tacit_source_is_plain(source);
  assert_int_equal(room->memory, budget - (plain ? 0 : taken));
  assert_int_equal(room->mapping, budget - (plain ? taken : 0));
  return access;
}

/* A mapping, the file, memory and a decoded copy give the same bytes at any offset. */
static void held_bytes_are_the_same(void **state) {
  (void)state;
  size_t size, packed;
  char *text = long_text(&size);
  unsigned char *bytes = gzip_of(text, size, &packed);
  tacit_source *sources[4];
  tacit_random_access *holds[4];
  tacit_random_access_space rooms[4];
  tacit_error err;
  const char *plain = file_of_bytes("plain", text, size);
  const char *coded = file_of_bytes("packed", bytes, packed);
  for (int i = 0; i < 4; ++i) {
    CHECK_OK(tacit_source_open(i < 2 ? plain : coded, &sources[i], &err), err);
    assert_int_equal(tacit_source_is_plain(sources[i]), i < 2);
    int64_t budget = (int64_t)size - i % 2;
    tacit_random_access_space_init(&rooms[i], budget, budget, (int64_t)size);
    holds[i] = hold_of(sources[i], &rooms[i], i % 2 == 0);
    if (i % 2 == 0) tacit_source_rest(sources[i]);
    assert_int_equal(tacit_random_access_size(holds[i]), size);
  }
  uint64_t word = 5;
  for (int i = 0; i < 2000; ++i) {
    word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
    size_t offset = (size_t)((word >> 20) % size);
    size_t count = size - offset < 300 ? size - offset : 300;
    for (int k = 0; k < 4; ++k) {
      char got[300];
      CHECK_OK(tacit_random_access_read(holds[k], (int64_t)offset, got, count, &err),
               err);
      assert_memory_equal(got, text + offset, count);
    }
  }
  assert_int_equal(*(const char *)tacit_random_access_pointer(holds[2], (int64_t)size),
                   '\n');
  /* A read past the new end of a file fails. */
  (void)file_of_bytes("plain", text, size / 2);
  char one;
  assert_int_equal(tacit_random_access_read(holds[1], (int64_t)size - 1, &one, 1, &err),
                   TACIT_EDATA);
  for (int i = 0; i < 4; ++i) {
    tacit_random_access_free(holds[i]);
    tacit_random_access_space_fini(&rooms[i]);
    tacit_source_free(sources[i]);
  }
  free(bytes);
  free(text);
}

/* A decoded copy that cannot be written is an error. */
static void no_room_for_a_decoded_copy(void **state) {
  (void)state;
  size_t size, packed;
  char *text = long_text(&size);
  unsigned char *bytes = gzip_of(text, size, &packed);
  const char *path = file_of_bytes("packed", bytes, packed);
  tacit_source *source;
  tacit_random_access *access = NULL;
  tacit_error err;
  tacit_random_access_space room;
  tacit_random_access_space_init(&room, 1, 1, INT64_MAX);
  CHECK_OK(tacit_source_open(path, &source, &err), err);
  char *kept = getenv("TMPDIR") != NULL ? strdup(getenv("TMPDIR")) : NULL;
  assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
  assert_int_equal(tacit_random_access_new(source, &room, &access, &err), TACIT_EIO);
  assert_non_null(strstr(err.message, "point TMPDIR to a folder with room"));
  assert_null(access);
  if (kept != NULL)
    (void)setenv("TMPDIR", kept, 1);
  else
    (void)unsetenv("TMPDIR");
  free(kept);
  tacit_source_free(source);
  free(bytes);
  free(text);
}

/* The decoded copies of several files share one temporary file, which has a limit. */
static void decoded_copies_share_one_limited_file(void **state) {
  (void)state;
  size_t size, packed;
  char *text = long_text(&size);
  unsigned char *bytes = gzip_of(text, size, &packed);
  const char *path = file_of_bytes("packed", bytes, packed);
  tacit_source *sources[3];
  tacit_random_access *holds[3] = {NULL, NULL, NULL};
  tacit_random_access_space room;
  tacit_error err;
  tacit_random_access_space_init(&room, 0, 0, 3 * (int64_t)size - 1);
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(tacit_source_open(path, &sources[i], &err), err);
    tacit_status status = tacit_random_access_new(sources[i], &room, &holds[i], &err);
    assert_int_equal(status, i < 2 ? TACIT_OK : TACIT_EDATA);
    tacit_source_rest(sources[i]);
  }
  char expected[160];
  (void)snprintf(
      expected, sizeof expected,
      ": its decoded copy needs more than the %zu bytes that temporary files "
      "may take; raise --max-temp, or decompress it",
      3 * size - 1);
  assert_string_equal(err.message + strlen(path), expected);
  for (size_t at = 0; at + 100 <= size; at += 7919) {
    for (int i = 0; i < 2; ++i) {
      char got[100];
      CHECK_OK(tacit_random_access_read(holds[i], (int64_t)at, got, 100, &err), err);
      assert_memory_equal(got, text + at, 100);
    }
  }
  for (int i = 0; i < 3; ++i) {
    tacit_random_access_free(holds[i]);
    tacit_source_free(sources[i]);
  }
  tacit_random_access_space_fini(&room);
  free(bytes);
  free(text);
}

static int descriptors_open(void) {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd)
    count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

/* A file at rest uses no descriptor and reads as before; another file of the same size
   in its place is refused. */
static void a_file_at_rest_is_opened_again(void **state) {
  (void)state;
  tacit_source *source;
  tacit_error err;
  size_t size;
  char part[3], *bytes;
  int before = descriptors_open();
  const char *path = file_of("rest", "1 1:1\n0 2:1\n");
  CHECK_OK(tacit_source_open(path, &source, &err), err);
  for (int i = 0; i < 2; ++i) {
    bytes = read_source(source, 5, &size, &err);
    assert_memory_equal(bytes, "1 1:1\n0 2:1\n", size);
    assert_int_equal(size, 12);
    free(bytes);
    assert_int_equal(descriptors_open(), before + 1);
    tacit_source_rest(source);
    assert_int_equal(descriptors_open(), before);
    CHECK_OK(tacit_source_read_at(source, 6, part, 3, &err), err);
    assert_memory_equal(part, "0 2", 3);
    assert_int_equal(descriptors_open(), before);
    CHECK_OK(tacit_source_check(source, &err), err);
  }
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  const char *other = file_of("other", "0 2:1\n0 2:1\n");
  const struct timespec times[2] = {facts.st_atim, facts.st_mtim};
  assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
  assert_int_equal(rename(other, path), 0);
  assert_int_equal(tacit_source_check(source, &err), TACIT_EDATA);
  assert_int_equal(tacit_source_read_at(source, 6, part, 3, &err), TACIT_EDATA);
  assert_null(read_source(source, 5, &size, &err));
  assert_string_equal(err.message + strlen(path),
                      ": changed while being read; run again when it is complete");
  tacit_source_free(source);
}

static void a_changed_file_is_noticed(void **state) {
  (void)state;
  tacit_source *source;
  tacit_error err;
  const char *path = file_of("grows", "1 1:1\n");
  CHECK_OK(tacit_source_open(path, &source, &err), err);
  CHECK_OK(tacit_source_check(source, &err), err);
  (void)file_of("grows", "1 1:1\n1 1:1\n");
  assert_int_equal(tacit_source_check(source, &err), TACIT_EDATA);
  assert_string_equal(err.message + strlen(path),
                      ": changed while being read; run again when it is complete");
  tacit_source_free(source);
}

/* Writes other bytes into the file, as many, until the clock of its time of change has
   moved on, and puts the modification time back. */
static void edit_in_place(const char *path, const char *text) {
  struct stat first, now;
  assert_int_equal(stat(path, &first), 0);
  const struct timespec times[2] = {first.st_atim, first.st_mtim};
  do {
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(futimens(fd, times), 0);
    assert_int_equal(fstat(fd, &now), 0);
    assert_int_equal(close(fd), 0);
  } while (now.st_ctim.tv_sec == first.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == first.st_ctim.tv_nsec);
  assert_int_equal(now.st_size, first.st_size);
  assert_memory_equal(&now.st_mtim, &first.st_mtim, sizeof now.st_mtim);
}

static void rows_edited_in_place_are_noticed(void **state) {
  (void)state;
  tacit_source *source;
  tacit_error err;
  const char *path = file_of("edited", "1 1:1\n");
  CHECK_OK(tacit_source_open(path, &source, &err), err);
  edit_in_place(path, "0 1:2\n");
  assert_int_equal(tacit_source_check(source, &err), TACIT_EDATA);
  assert_string_equal(err.message + strlen(path),
                      ": changed while being read; run again when it is complete");
  tacit_source_free(source);
}

static void lines_have_numbers_and_offsets(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t offset;
  } expected[] = {{"a", 0}, {"", 6}, {"bc", 7}, {"d\re", 11}, {"", 15}, {"f", 17}};
  tacit_source *source;
  tacit_lines *lines;
  tacit_error err;
  CHECK_OK(tacit_source_open(file_of("lines", "\xef\xbb\xbf"
                                              "a\r\n\nbc\r\nd\re\n\r\nf\r"),
                             &source, &err),
           err);
  CHECK_OK(tacit_lines_new(100, 0, &lines, &err), err);
  tacit_line line;
  int more;
  tacit_lines_start(lines, source);
  for (int i = 0; i < 6; ++i) {
    CHECK_OK(tacit_lines_next(lines, &line, &more, &err), err);
    assert_int_equal(more, 1);
    assert_int_equal(line.number, i + 1);
    assert_int_equal(line.offset, expected[i].offset);
    assert_int_equal(line.end - line.begin, strlen(expected[i].text));
    assert_memory_equal(line.begin, expected[i].text, strlen(expected[i].text));
  }
  CHECK_OK(tacit_lines_next(lines, &line, &more, &err), err);
  assert_int_equal(more, 0);
  tacit_lines_free(lines);
  tacit_source_free(source);
}

/* Of a line over the limit, only one byte more than the limit is kept. */
static void long_lines_are_refused(void **state) {
  (void)state;
  enum { MAX = 1 << 20 };
  char *text = malloc(MAX + 3);
  memset(text, 'x', MAX + 3);
  tacit_source *source;
  tacit_lines *lines;
  tacit_error err;
  tacit_line line;
  int more;
  static const size_t max[] = {MAX, 100};
  for (int i = 0; i < 6; ++i) {
    size_t limit = max[i / 3], length = limit + (i % 3 > 0);
    text[length] = i % 3 < 2 ? '\n' : 'x';
    text[length + 1] = '\n';
    const char *path = file_of_bytes("long", text, length + 2);
    text[length] = text[length + 1] = 'x';
    CHECK_OK(tacit_source_open(path, &source, &err), err);
    CHECK_OK(tacit_lines_new(limit, 0, &lines, &err), err);
    tacit_lines_start(lines, source);
    tacit_status status = tacit_lines_next(lines, &line, &more, &err);
    assert_int_equal(status, i % 3 == 0 ? TACIT_OK : TACIT_EDATA);
    if (i % 3 > 0) assert_non_null(strstr(err.message, "raise --max-line"));
    tacit_lines_free(lines);
    tacit_source_free(source);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_catalog_knows_the_codecs),
      cmocka_unit_test(plain_and_compressed_bytes_are_the_same),
      cmocka_unit_test(members_that_follow_each_other_are_one),
#ifdef TACIT_HAVE_ZSTD
      cmocka_unit_test(zstd_may_start_with_a_skippable_frame),
#endif
      cmocka_unit_test(truncation_is_always_an_error),
      cmocka_unit_test(damage_is_an_error),
      cmocka_unit_test(what_cannot_be_opened),
      cmocka_unit_test(other_compressions_are_named),
      cmocka_unit_test(held_bytes_are_the_same),
      cmocka_unit_test(no_room_for_a_decoded_copy),
      cmocka_unit_test(decoded_copies_share_one_limited_file),
      cmocka_unit_test(a_file_at_rest_is_opened_again),
      cmocka_unit_test(a_changed_file_is_noticed),
      cmocka_unit_test(rows_edited_in_place_are_noticed),
      cmocka_unit_test(lines_have_numbers_and_offsets),
      cmocka_unit_test(long_lines_are_refused),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
