/* SPDX-License-Identifier: MIT */
/* checkpoint/seal.c and checkpoint/file.c: a log that opens is a prefix of a log that
   was written under the same key; key files that protect nothing are refused. */
#include "unit/checkpoint/checkpoint_place.h"

#include <sodium.h>

#include "base/memory.h"
#include "checkpoint/file.h"
#include "checkpoint/seal.h"

static int setup(void **state) {
  (void)state;
  return place_make();
}

static int teardown(void **state) {
  (void)state;
  return place_remove();
}

static tacit_status init(tacit_checkpoint_file *file, int resume, tacit_error *err) {
  return tacit_checkpoint_file_init(file, place_file, place_key, resume, err);
}

/* Record r of a log, `size` bytes of it. */
static unsigned char *pattern(size_t r, size_t size) {
  unsigned char *bytes = malloc(size + 1);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (unsigned char)(i * 7 + i / 251 + 31 * r);
  return bytes;
}

/* A new file with `count` records of these sizes. */
static void write_log(const size_t *sizes, size_t count) {
  tacit_checkpoint_file file;
  tacit_error err;
  (void)unlink(place_file);
  CHECK_OK(init(&file, 0, &err), err);
  assert_int_equal(file.fd, -1);
  for (size_t r = 0; r < count; ++r) {
    unsigned char *bytes = pattern(r, sizes[r]);
    CHECK_OK(r == 0 ? tacit_checkpoint_file_start(&file, bytes, sizes[r], &err)
                    : tacit_sealed_append(&file.log, bytes, sizes[r], &err),
             err);
    free(bytes);
  }
  tacit_checkpoint_file_fini(&file);
}

/* Opens the file with a key, checks every record and counts them. */
static tacit_status open_log(const char *key, const size_t *sizes, size_t *out_count,
                             tacit_error *err) {
  tacit_checkpoint_file file;
  CHECK_OK(tacit_checkpoint_file_init(&file, place_file, key, 1, err), *err);
  assert_true(file.fd >= 0);
  *out_count = 0;
  tacit_status status = tacit_checkpoint_file_open(&file, err);
  while (status == TACIT_OK) {
    unsigned char *raw_bytes;
    size_t size;
    status = tacit_sealed_next(&file.log, &raw_bytes, &size, err);
    if (raw_bytes == NULL) break;
    unsigned char *bytes = pattern(*out_count, sizes[*out_count]);
    assert_int_equal(size, sizes[*out_count]);
    assert_memory_equal(raw_bytes, bytes, size);
    tacit_raw_free(raw_bytes);
    free(bytes);
    ++*out_count;
  }
  tacit_checkpoint_file_fini(&file);
  return status;
}

enum { PREFIX = 24, AROUND = 48, COUNT = 5 };
static const size_t small[COUNT] = {300, 40, 0, 57, 120};

/* Bytes of a log of so many records. */
static size_t log_size(size_t count) {
  size_t size = PREFIX;
  for (size_t r = 0; r < count; ++r)
    size += AROUND + small[r];
  return size;
}

/* Whole records among the first `size` bytes of a log. */
static size_t whole_records(size_t size) {
  size_t count = 0;
  while (count < COUNT && log_size(count + 1) <= size)
    ++count;
  return count;
}

static void what_was_written_is_read(void **state) {
  (void)state;
  static const size_t large[] = {1, 65536, 0, 3000000, 17};
  tacit_error err;
  size_t count;
  for (size_t n = 1; n <= COUNT; ++n) {
    write_log(large, n);
    CHECK_OK(open_log(place_key, large, &count, &err), err);
    assert_int_equal(count, n);
  }
  write_log(small, COUNT);
  struct stat facts;
  assert_int_equal(stat(place_file, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
  assert_int_equal(facts.st_size, log_size(COUNT));
}

/* An append does not write earlier bytes again. */
static void a_log_only_grows(void **state) {
  (void)state;
  tacit_checkpoint_file file;
  tacit_error err;
  write_log(small, 2);
  size_t before, after, count;
  unsigned char *bytes = read_bytes(place_file, &before);
  struct stat first, then;
  assert_int_equal(stat(place_file, &first), 0);
  CHECK_OK(init(&file, 1, &err), err);
  CHECK_OK(tacit_checkpoint_file_open(&file, &err), err);
  for (unsigned char *raw_bytes;;) {
    size_t size;
    CHECK_OK(tacit_sealed_next(&file.log, &raw_bytes, &size, &err), err);
    if (raw_bytes == NULL) break;
    tacit_raw_free(raw_bytes);
  }
  for (size_t r = 2; r < COUNT; ++r) {
    unsigned char *more = pattern(r, small[r]);
    CHECK_OK(tacit_sealed_append(&file.log, more, small[r], &err), err);
    free(more);
  }
  tacit_checkpoint_file_fini(&file);
  unsigned char *longer = read_bytes(place_file, &after);
  assert_int_equal(stat(place_file, &then), 0);
  assert_true(first.st_ino == then.st_ino);
  assert_int_equal(after, log_size(COUNT));
  assert_memory_equal(bytes, longer, before);
  CHECK_OK(open_log(place_key, small, &count, &err), err);
  assert_int_equal(count, COUNT);
  free(bytes);
  free(longer);
}

/* The file shows neither the contents nor that two records are equal. */
static void the_file_shows_nothing(void **state) {
  (void)state;
  static const size_t equal[] = {300, 300};
  size_t first_size, other_size;
  write_log(equal, 2);
  unsigned char *first = read_bytes(place_file, &first_size);
  write_log(equal, 2);
  unsigned char *other = read_bytes(place_file, &other_size);
  assert_int_equal(first_size, other_size);
  assert_memory_equal(first, "tacit checkpoint\2\0\0\0\0\0\0\0", PREFIX);
  int same = 0, within = 0;
  for (size_t i = PREFIX + 8; i < PREFIX + AROUND + 300; ++i) {
    same += first[i] == other[i];
    within += first[i] == first[i + AROUND + 300];
  }
  assert_true(same < 20); /* of 340; by chance 1.3, 20 has probability below 1e-16 */
  assert_true(within < 20);
  free(first);
  free(other);
}

/* A flipped byte is found. In the last record, or where it makes a record seem to reach
   past the end, a crash could have caused it: the records before it are read. Elsewhere
   nothing is read. */
static void every_flipped_byte_is_found(void **state) {
  (void)state;
  tacit_error err;
  size_t size, count;
  write_log(small, COUNT);
  unsigned char *bytes = read_bytes(place_file, &size);
  for (size_t i = 0; i < size; ++i) {
    for (int bit = 0; bit < 8; bit += 7) {
      bytes[i] ^= (unsigned char)(1 << bit);
      write_bytes(place_file, bytes, size, 0600);
      tacit_status status = open_log(place_key, small, &count, &err);
      size_t before = whole_records(i);
      int in_size = before > 0 && i - log_size(before) < 8;
      if (i >= log_size(1) && (before == COUNT - 1 || in_size) && status == TACIT_OK) {
        assert_int_equal(count, before);
      } else {
        const char *part = i < 16       ? ": not a checkpoint or stream of tacit"
                           : i < PREFIX ? ": a checkpoint in another format than "
                                          "version 2"
                                        : ": the wrong key file, or a damaged";
        assert_int_equal(status, TACIT_EDATA);
        assert_non_null(strstr(err.message, part));
      }
      bytes[i] ^= (unsigned char)(1 << bit);
    }
  }
  write_bytes(place_file, bytes, size, 0600);
  CHECK_OK(open_log(place_key, small, &count, &err), err);
  assert_int_equal(count, COUNT);
  free(bytes);
}

/* A log that is cut anywhere has the records that are whole; without a whole first
   record it is refused. Half a record at the end is ignored, and the next append cuts
   it off. */
static void a_torn_end_is_left_out(void **state) {
  (void)state;
  tacit_error err;
  size_t size, count;
  write_log(small, COUNT);
  unsigned char *bytes = read_bytes(place_file, &size);
  for (size_t cut = 0; cut <= size; ++cut) {
    write_bytes(place_file, bytes, cut, 0600);
    if (cut < log_size(1)) {
      assert_int_equal(open_log(place_key, small, &count, &err), TACIT_EDATA);
      continue;
    }
    CHECK_OK(open_log(place_key, small, &count, &err), err);
    assert_int_equal(count, whole_records(cut));
    if (count == COUNT) continue;
    tacit_checkpoint_file file;
    CHECK_OK(init(&file, 1, &err), err);
    CHECK_OK(tacit_checkpoint_file_open(&file, &err), err);
    for (unsigned char *raw_bytes;;) {
      size_t unused;
      CHECK_OK(tacit_sealed_next(&file.log, &raw_bytes, &unused, &err), err);
      if (raw_bytes == NULL) break;
      tacit_raw_free(raw_bytes);
    }
    unsigned char *more = pattern(count, small[count]);
    CHECK_OK(tacit_sealed_append(&file.log, more, small[count], &err), err);
    free(more);
    tacit_checkpoint_file_fini(&file);
    size_t now;
    CHECK_OK(open_log(place_key, small, &now, &err), err);
    assert_int_equal(now, count + 1);
    unsigned char *again = read_bytes(place_file, &now);
    assert_int_equal(now, log_size(count + 1));
    free(again);
  }
  free(bytes);
}

/* Records of equal size that are swapped, left out, repeated or taken from another log
   of the same key are refused. */
static void records_cannot_be_moved(void **state) {
  (void)state;
  static const size_t equal[COUNT] = {300, 100, 100, 100, 100};
  enum { FIRST = PREFIX + AROUND + 300, RECORD = AROUND + 100 };
  tacit_error err;
  size_t size, count;
  write_log(equal, COUNT);
  unsigned char *other = read_bytes(place_file, &size);
  write_log(equal, COUNT);
  unsigned char *bytes = read_bytes(place_file, &size);
  unsigned char *moved = malloc(size + RECORD);
  for (int way = 0; way < 5; ++way) {
    size_t length = size;
    memcpy(moved, bytes, size);
    if (way == 0) { /* swapped */
      memcpy(moved + FIRST, bytes + FIRST + RECORD, RECORD);
      memcpy(moved + FIRST + RECORD, bytes + FIRST, RECORD);
    } else if (way == 1) { /* left out */
      memcpy(moved + FIRST, bytes + FIRST + RECORD, size - FIRST - RECORD);
      length -= RECORD;
    } else if (way == 2) { /* twice */
      memcpy(moved + FIRST + RECORD, bytes + FIRST, size - FIRST);
      length += RECORD;
    } else if (way == 3) { /* of another log */
      memcpy(moved + FIRST, other + FIRST, RECORD);
    } else { /* the first one of another log */
      memcpy(moved, other, FIRST);
    }
    write_bytes(place_file, moved, length, 0600);
    assert_int_equal(open_log(place_key, equal, &count, &err), TACIT_EDATA);
  }
  free(moved);
  free(other);
  free(bytes);
}

static void another_key_does_not_open(void **state) {
  (void)state;
  tacit_error err;
  size_t count;
  write_log(small, COUNT);
  assert_int_equal(open_log(place_other_key, small, &count, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "the wrong key file, or a damaged file"));
}

static void weak_key_files_are_refused(void **state) {
  (void)state;
  static const struct {
    size_t size;
    mode_t mode;
    int fill, last;
    const char *said; /* NULL: taken */
  } cases[] = {
      {31, 0600, 'a', 'b', "has 32 to"},
      {0, 0600, 'a', 'b', "has 32 to"},
      {65537, 0600, 'a', 'b', "has 32 to"},
      {32, 0640, 'a', 'b', "others may"},
      {32, 0604, 'a', 'b', "others may"},
      {32, 0620, 'a', 'b', "others may"},
      {32, 0400, 'a', 'b', NULL},
      {65536, 0600, 0, 1, NULL},
      {32, 0600, 0, 0, "/dev/urandom"},
      {32, 0600, 255, 255, "/dev/urandom"},
      {33, 0600, '\n', '\n', "are the same"},
      {65536, 0600, 'x', 'x', "are the same"},
  };
  static unsigned char bytes[65537];
  char path[200];
  (void)snprintf(path, sizeof path, "%s/weak", place_folder);
  (void)unlink(place_file);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_checkpoint_file file;
    tacit_error err;
    memset(bytes, cases[i].fill, sizeof bytes);
    if (cases[i].size > 0) bytes[cases[i].size - 1] = (unsigned char)cases[i].last;
    write_bytes(path, bytes, cases[i].size, 0600);
    assert_int_equal(chmod(path, cases[i].mode), 0);
    tacit_status status = tacit_checkpoint_file_init(&file, place_file, path, 0, &err);
    assert_int_equal(status, cases[i].said == NULL ? TACIT_OK : TACIT_EPRIVACY);
    if (cases[i].said != NULL) assert_non_null(strstr(err.message, cases[i].said));
    tacit_checkpoint_file_fini(&file);
  }
  tacit_checkpoint_file file;
  tacit_error err;
  assert_int_equal(tacit_checkpoint_file_init(&file, place_file, place_folder, 0, &err),
                   TACIT_EIO);
  tacit_checkpoint_file_fini(&file);
}

/* One run at a time uses a checkpoint, and no run overwrites another's. */
static void a_checkpoint_has_one_run(void **state) {
  (void)state;
  const unsigned char byte[1] = {'x'};
  tacit_checkpoint_file file, other;
  tacit_error err;
  write_log(small, 1);
  assert_int_equal(init(&file, 0, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "add --resume to go on, or delete it"));
  tacit_checkpoint_file_fini(&file);

  CHECK_OK(init(&file, 1, &err), err);
  assert_int_equal(init(&other, 1, &err), TACIT_ESTATE);
  assert_non_null(strstr(err.message, "another run is using this checkpoint"));
  tacit_checkpoint_file_fini(&other);
  tacit_checkpoint_file_fini(&file);
  CHECK_OK(init(&other, 1, &err), err);
  tacit_checkpoint_file_fini(&other);

  /* Two runs start together: the second to write finds the file of the first, which is
   locked from the moment it exists. */
  (void)unlink(place_file);
  CHECK_OK(init(&file, 0, &err), err);
  CHECK_OK(init(&other, 0, &err), err);
  CHECK_OK(tacit_checkpoint_file_start(&file, byte, 1, &err), err);
  assert_int_equal(tacit_checkpoint_file_start(&other, byte, 1, &err), TACIT_EPRIVACY);
  tacit_checkpoint_file_fini(&other);
  assert_int_equal(init(&other, 1, &err), TACIT_ESTATE);
  tacit_checkpoint_file_fini(&file);
  tacit_checkpoint_file_fini(&other);
}

/* A temporary file of a killed run does not disturb; a checkpoint that cannot be
   started leaves no file. */
static void a_failed_start_leaves_nothing(void **state) {
  (void)state;
  const unsigned char byte[1] = {'x'};
  char temporary[200];
  (void)snprintf(temporary, sizeof temporary, "%s.tmp", place_file);
  tacit_checkpoint_file file;
  tacit_error err;
  (void)unlink(place_file);
  write_bytes(temporary, "left behind", 11, 0644);
  CHECK_OK(init(&file, 1, &err), err);
  CHECK_OK(tacit_checkpoint_file_start(&file, byte, 1, &err), err);
  tacit_checkpoint_file_fini(&file);
  struct stat facts;
  assert_int_equal(stat(place_file, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
  assert_int_equal(access(temporary, F_OK), -1);

  (void)unlink(place_file);
  assert_int_equal(mkdir(temporary, 0700), 0);
  CHECK_OK(init(&file, 1, &err), err);
  assert_int_equal(tacit_checkpoint_file_start(&file, byte, 1, &err), TACIT_EIO);
  tacit_checkpoint_file_fini(&file);
  assert_int_equal(rmdir(temporary), 0);
  assert_int_equal(access(place_file, F_OK), -1);
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  tacit_error err;
  assert_int_equal(tacit_checkpoint_check(place_folder, place_key, 1, NULL, &err),
                   TACIT_EINVAL);
  char path[200];
  (void)snprintf(path, sizeof path, "%s/no/such/folder", place_folder);
  assert_int_equal(tacit_checkpoint_check(path, place_key, 1, NULL, &err), TACIT_EIO);
  assert_int_equal(tacit_checkpoint_check(place_file, path, 1, NULL, &err), TACIT_EIO);
}

static void check_and_remove(void **state) {
  (void)state;
  tacit_error err;
  int found = -1;
  (void)unlink(place_file);
  CHECK_OK(tacit_checkpoint_check(place_file, place_key, 1, &found, &err), err);
  assert_int_equal(found, 0);
  assert_int_equal(access(place_file, F_OK), -1);
  write_log(small, 2);
  CHECK_OK(tacit_checkpoint_check(place_file, place_key, 1, &found, &err), err);
  assert_int_equal(found, 1);
  assert_int_equal(tacit_checkpoint_check(place_file, place_key, 0, NULL, &err),
                   TACIT_EPRIVACY);
  assert_int_equal(tacit_checkpoint_check(place_file, place_other_key, 1, NULL, &err),
                   TACIT_EDATA);
  /* A link is followed: its target is deleted, not the link. */
  char link[200];
  (void)snprintf(link, sizeof link, "%s/link", place_folder);
  assert_int_equal(symlink(place_file, link), 0);
  CHECK_OK(tacit_checkpoint_check(link, place_key, 1, &found, &err), err);
  CHECK_OK(tacit_checkpoint_remove(link, &err), err);
  assert_int_equal(access(place_file, F_OK), -1);
  assert_int_equal(tacit_checkpoint_remove(place_file, &err), TACIT_EIO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(the_file_shows_nothing),
      cmocka_unit_test(every_flipped_byte_is_found),
      cmocka_unit_test(a_log_only_grows),
      cmocka_unit_test(a_torn_end_is_left_out),
      cmocka_unit_test(records_cannot_be_moved),
      cmocka_unit_test(another_key_does_not_open),
      cmocka_unit_test(weak_key_files_are_refused),
      cmocka_unit_test(a_checkpoint_has_one_run),
      cmocka_unit_test(a_failed_start_leaves_nothing),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(check_and_remove),
  };
  if (sodium_init() < 0) return 1;
  return cmocka_run_group_tests(tests, setup, teardown);
}
