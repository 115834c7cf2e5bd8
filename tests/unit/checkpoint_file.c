/* SPDX-License-Identifier: MIT */
/* engine/sealed.c and checkpoint_file.c: nothing but the very bytes that were written,
   under the very key, opens; key files that protect nothing are refused. */
#include "checkpoint_place.h"

#include <sodium.h>

#include "base/memory.h"
#include "engine/checkpoint_file.h"
#include "engine/sealed.h"

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

/* Seals `size` bytes of a pattern in a new file. */
static void write_pattern(size_t size) {
  tacit_checkpoint_file file;
  tacit_error err;
  unsigned char *bytes = malloc(size + 1);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  (void)unlink(place_file);
  CHECK_OK(init(&file, 0, &err), err);
  assert_int_equal(file.fd, -1);
  CHECK_OK(tacit_checkpoint_file_write(&file, bytes, size, &err), err);
  tacit_checkpoint_file_fini(&file);
  free(bytes);
}

/* What happens when the file is opened with a key; on success checks the pattern. */
static tacit_status open_pattern(const char *key, size_t size, tacit_error *err) {
  tacit_checkpoint_file file;
  unsigned char *raw_bytes = NULL;
  size_t found = 0;
  CHECK_OK(tacit_checkpoint_file_init(&file, place_file, key, 1, err), *err);
  assert_true(file.fd >= 0);
  tacit_status status = tacit_checkpoint_file_read(&file, &raw_bytes, &found, err);
  if (status == TACIT_OK) {
    assert_int_equal(found, size);
    for (size_t i = 0; i < size; ++i)
      assert_int_equal(raw_bytes[i], (unsigned char)(i * 7 + i / 251));
  } else {
    assert_null(raw_bytes);
  }
  tacit_raw_free(raw_bytes);
  tacit_checkpoint_file_fini(&file);
  return status;
}

static const size_t sizes[] = {0, 1, 300, 65535, 65536, 65537, 131072, 200000};

static void what_was_written_is_read(void **state) {
  (void)state;
  tacit_error err;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    write_pattern(sizes[i]);
    CHECK_OK(open_pattern(place_key, sizes[i], &err), err);
  }
  struct stat facts;
  assert_int_equal(stat(place_file, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
}

/* Neither the contents nor the same bytes twice can be seen in the file. */
static void the_file_shows_nothing(void **state) {
  (void)state;
  size_t first_size, other_size;
  write_pattern(300);
  unsigned char *first = read_bytes(place_file, &first_size);
  write_pattern(300);
  unsigned char *other = read_bytes(place_file, &other_size);
  assert_int_equal(first_size, other_size);
  assert_memory_equal(first, "tacit checkpoint\1\0\0\0\0\0\0\0", 24);
  int same = 0;
  for (size_t i = 24; i < first_size; ++i)
    same += first[i] == other[i];
  assert_true(same < 20); /* of 341; by chance 1.3, 20 has probability below 1e-16 */
  free(first);
  free(other);
}

static void every_flipped_byte_is_found(void **state) {
  (void)state;
  tacit_error err;
  size_t size;
  write_pattern(300);
  unsigned char *bytes = read_bytes(place_file, &size);
  for (size_t i = 0; i < size; ++i) {
    for (int bit = 0; bit < 8; bit += 7) {
      bytes[i] ^= (unsigned char)(1 << bit);
      write_bytes(place_file, bytes, size, 0600);
      assert_int_equal(open_pattern(place_key, 300, &err), TACIT_EDATA);
      const char *part = i < 16   ? ": not a checkpoint of tacit"
                         : i < 24 ? ": a checkpoint in another format than version 1"
                                  : ": the wrong key file, or a damaged checkpoint";
      assert_non_null(strstr(err.message, part));
      bytes[i] ^= (unsigned char)(1 << bit);
    }
  }
  write_bytes(place_file, bytes, size, 0600);
  CHECK_OK(open_pattern(place_key, 300, &err), err);
  free(bytes);
}

static void every_other_length_is_found(void **state) {
  (void)state;
  tacit_error err;
  size_t size;
  write_pattern(300);
  unsigned char *bytes = read_bytes(place_file, &size);
  unsigned char *longer = calloc(size + 40, 1);
  memcpy(longer, bytes, size);
  for (size_t i = 0; i < size + 40; ++i) {
    if (i == size) continue;
    write_bytes(place_file, longer, i, 0600);
    assert_int_equal(open_pattern(place_key, 300, &err), TACIT_EDATA);
  }
  free(longer);
  free(bytes);
}

/* Pieces of 64 KiB can be cut, swapped and repeated at their borders. */
static void pieces_cannot_be_moved(void **state) {
  (void)state;
  enum { HEAD = 48, PIECE = 65536 + 17 };
  tacit_error err;
  size_t size;
  write_pattern(200000);
  unsigned char *bytes = read_bytes(place_file, &size);
  for (size_t cut = HEAD; cut < size; cut += PIECE) {
    write_bytes(place_file, bytes, cut, 0600);
    assert_int_equal(open_pattern(place_key, 200000, &err), TACIT_EDATA);
  }
  unsigned char *moved = malloc(size + PIECE);
  memcpy(moved, bytes, size);
  memcpy(moved + HEAD, bytes + HEAD + PIECE, PIECE);
  memcpy(moved + HEAD + PIECE, bytes + HEAD, PIECE);
  write_bytes(place_file, moved, size, 0600);
  assert_int_equal(open_pattern(place_key, 200000, &err), TACIT_EDATA);
  memcpy(moved, bytes, HEAD + PIECE);
  memcpy(moved + HEAD + PIECE, bytes + HEAD, size - HEAD);
  write_bytes(place_file, moved, size + PIECE, 0600);
  assert_int_equal(open_pattern(place_key, 200000, &err), TACIT_EDATA);
  free(moved);
  free(bytes);
}

static void another_key_does_not_open(void **state) {
  (void)state;
  tacit_error err;
  write_pattern(300);
  assert_int_equal(open_pattern(place_other_key, 300, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "the wrong key file, or a damaged checkpoint"));
}

static void weak_key_files_are_refused(void **state) {
  (void)state;
  static const struct {
    size_t size;
    mode_t mode;
    int fill, last;
    const char *said; /* NULL: taken */
  } cases[] = {
      {31, 0600, 'a', 'b', "has 32 to"},    {0, 0600, 'a', 'b', "has 32 to"},
      {32, 0640, 'a', 'b', "others may"},   {32, 0604, 'a', 'b', "others may"},
      {32, 0620, 'a', 'b', "others may"},   {65537, 0600, 'a', 'b', "has 32 to"},
      {32, 0400, 'a', 'b', NULL},           {65536, 0600, 0, 1, NULL},
      {32, 0600, 0, 0, "/dev/urandom"},     {32, 0600, 255, 255, "/dev/urandom"},
      {33, 0600, '\n', '\n', "are the same"}, {65536, 0600, 'x', 'x', "are the same"},
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

/* One run at a time, and none over the checkpoint of another. */
static void a_checkpoint_has_one_run(void **state) {
  (void)state;
  tacit_checkpoint_file file, other;
  tacit_error err;
  write_pattern(300);
  assert_int_equal(init(&file, 0, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "add --resume to go on, or delete it"));
  tacit_checkpoint_file_fini(&file);

  CHECK_OK(init(&file, 1, &err), err);
  assert_int_equal(init(&other, 1, &err), TACIT_ESTATE);
  tacit_checkpoint_file_fini(&other);
  /* Also after a write, which puts another file in its place. */
  CHECK_OK(tacit_checkpoint_file_write(&file, (const unsigned char *)"x", 1, &err),
           err);
  assert_int_equal(init(&other, 1, &err), TACIT_ESTATE);
  assert_non_null(strstr(err.message, "another run is using this checkpoint"));
  tacit_checkpoint_file_fini(&other);
  tacit_checkpoint_file_fini(&file);
  CHECK_OK(init(&other, 1, &err), err);
  tacit_checkpoint_file_fini(&other);

  /* Two that start together: the second one to write finds the first one's. */
  (void)unlink(place_file);
  CHECK_OK(init(&file, 0, &err), err);
  CHECK_OK(init(&other, 0, &err), err);
  CHECK_OK(tacit_checkpoint_file_write(&file, (const unsigned char *)"x", 1, &err),
           err);
  assert_int_equal(
      tacit_checkpoint_file_write(&other, (const unsigned char *)"y", 1, &err),
      TACIT_EPRIVACY);
  tacit_checkpoint_file_fini(&file);
  tacit_checkpoint_file_fini(&other);
}

/* What a killed run left under the temporary name is in nobody's way; a failed write
   leaves the old contents. */
static void a_failed_write_changes_nothing(void **state) {
  (void)state;
  char temporary[200];
  (void)snprintf(temporary, sizeof temporary, "%s.tmp", place_file);
  tacit_checkpoint_file file;
  tacit_error err;
  write_pattern(300);
  write_bytes(temporary, "left behind", 11, 0644);
  CHECK_OK(init(&file, 1, &err), err);
  CHECK_OK(tacit_checkpoint_file_write(&file, (const unsigned char *)"x", 1, &err),
           err);
  tacit_checkpoint_file_fini(&file);
  struct stat facts;
  assert_int_equal(stat(place_file, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
  assert_int_equal(access(temporary, F_OK), -1);

  write_pattern(300);
  assert_int_equal(mkdir(temporary, 0700), 0);
  CHECK_OK(init(&file, 1, &err), err);
  assert_int_equal(
      tacit_checkpoint_file_write(&file, (const unsigned char *)"x", 1, &err),
      TACIT_EIO);
  tacit_checkpoint_file_fini(&file);
  assert_int_equal(rmdir(temporary), 0);
  CHECK_OK(open_pattern(place_key, 300, &err), err);
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
  write_pattern(10);
  CHECK_OK(tacit_checkpoint_check(place_file, place_key, 1, &found, &err), err);
  assert_int_equal(found, 1);
  assert_int_equal(tacit_checkpoint_check(place_file, place_key, 0, NULL, &err),
                   TACIT_EPRIVACY);
  assert_int_equal(tacit_checkpoint_check(place_file, place_other_key, 1, NULL, &err),
                   TACIT_EDATA);
  /* A link is followed: the file goes, not the link. */
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
      cmocka_unit_test(every_other_length_is_found),
      cmocka_unit_test(pieces_cannot_be_moved),
      cmocka_unit_test(another_key_does_not_open),
      cmocka_unit_test(weak_key_files_are_refused),
      cmocka_unit_test(a_checkpoint_has_one_run),
      cmocka_unit_test(a_failed_write_changes_nothing),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(check_and_remove),
  };
  if (sodium_init() < 0) return 1;
  return cmocka_run_group_tests(tests, setup, teardown);
}
