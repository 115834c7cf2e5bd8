/* SPDX-License-Identifier: MIT */
/* base/io and base/hash. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"

enum { PIECES = 5, PIECE = 3 };

/* A pipe gives the pieces one at a time. */
static void *write_in_pieces(void *context) {
  for (int i = 0; i < PIECES; ++i) {
    if (write(*(int *)context, "abc", PIECE) != PIECE) break;
    sched_yield();
  }
  close(*(int *)context);
  return NULL;
}

static void reading_joins_the_pieces_of_a_pipe(void **state) {
  (void)state;
  int ends[2];
  pthread_t writer;
  char bytes[64];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(pthread_create(&writer, NULL, write_in_pieces, &ends[1]), 0);
  assert_int_equal(tacit_io_read(ends[0], bytes, 7), 7);
  assert_memory_equal(bytes, "abcabca", 7);
  assert_int_equal(tacit_io_read(ends[0], bytes, sizeof bytes), PIECES * PIECE - 7);
  assert_int_equal(tacit_io_read(ends[0], bytes, sizeof bytes), 0);
  pthread_join(writer, NULL);
  close(ends[0]);
}

static void offsets_leave_the_position_alone(void **state) {
  (void)state;
  FILE *file = tmpfile();
  char bytes[16];
  assert_non_null(file);
  int fd = fileno(file);
  assert_int_equal(tacit_io_write(fd, "0123456789", 10), 0);
  assert_int_equal(tacit_io_write_at(fd, "xy", 2, 3), 0);
  assert_int_equal(tacit_io_read_at(fd, bytes, 4, 2), 4);
  assert_memory_equal(bytes, "2xy5", 4);
  assert_int_equal(tacit_io_read_at(fd, bytes, sizeof bytes, 8), 2);
  assert_int_equal(lseek(fd, 0, SEEK_CUR), 10);
  fclose(file);
}

static void failures_say_why(void **state) {
  (void)state;
  char bytes[4] = "abc", reason[TACIT_IO_REASON];
  errno = 0;
  assert_int_equal(tacit_io_read(-1, bytes, sizeof bytes), -1);
  assert_int_equal(errno, EBADF);
  errno = 0;
  assert_int_equal(tacit_io_write_at(-1, bytes, sizeof bytes, 0), -1);
  assert_string_equal(tacit_io_reason(errno, reason), "Bad file descriptor");
}

/* RFC 7693 appendix A: BLAKE2b-512 of "abc". */
static void hash_is_blake2b(void **state) {
  (void)state;
  static const unsigned char expected[] = {0xba, 0x80, 0xa5, 0x3f,
                                           0x98, 0x1c, 0x4d, 0x0d};
  unsigned char parts[64], whole[64];
  tacit_hash hash;
  tacit_hash_begin(&hash, sizeof parts, NULL);
  tacit_hash_add(&hash, "a", 1);
  tacit_hash_add(&hash, "bc", 2);
  tacit_hash_end(&hash, parts, sizeof parts);
  tacit_hash_of("abc", 3, NULL, NULL, 0, whole, sizeof whole);
  assert_memory_equal(parts, whole, sizeof whole);
  assert_memory_equal(parts, expected, sizeof expected);
}

static void purposes_and_keys_separate_hashes(void **state) {
  (void)state;
  unsigned char plain[32], one[32], longest[32], keyed[32], again[32];
  tacit_hash hash;
  tacit_hash_of("x", 1, NULL, NULL, 0, plain, sizeof plain);
  tacit_hash_of("x", 1, "one", NULL, 0, one, sizeof one);
  tacit_hash_of("x", 1, "sixteen-letters-", NULL, 0, longest, sizeof longest);
  tacit_hash_of("x", 1, "one", plain, sizeof plain, keyed, sizeof keyed);
  assert_memory_not_equal(plain, one, sizeof one);
  assert_memory_not_equal(longest, one, sizeof one);
  assert_memory_not_equal(keyed, one, sizeof one);
  tacit_hash_begin(&hash, sizeof again, "one");
  tacit_hash_add(&hash, "x", 1);
  tacit_hash_end(&hash, again, sizeof again);
  assert_memory_equal(again, one, sizeof one);
}

static void numbers_and_texts_are_their_bytes(void **state) {
  (void)state;
  unsigned char expected[32], given[32];
  tacit_hash hash;
  tacit_hash_of("ab\0\1\2\0\0\0\0\0\0", 11, NULL, NULL, 0, expected, sizeof expected);
  tacit_hash_begin(&hash, sizeof given, NULL);
  tacit_hash_add_text(&hash, "ab");
  tacit_hash_add_number(&hash, 0x0201);
  tacit_hash_end(&hash, given, sizeof given);
  assert_memory_equal(given, expected, sizeof given);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_joins_the_pieces_of_a_pipe),
      cmocka_unit_test(offsets_leave_the_position_alone),
      cmocka_unit_test(failures_say_why),
      cmocka_unit_test(hash_is_blake2b),
      cmocka_unit_test(purposes_and_keys_separate_hashes),
      cmocka_unit_test(numbers_and_texts_are_their_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
