/* SPDX-License-Identifier: MIT */
/* base/: memory, words, numbers, threads. */
#include "check.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "vault/words.h"

static void arrays_refuse_overflow(void **state) {
  (void)state;
  assert_null(tacit_array_new(SIZE_MAX / 2, 4));
  assert_null(tacit_raw_new(SIZE_MAX / 2, 4));
  assert_null(tacit_raw_new(SIZE_MAX - 8, 1));
  tacit_array_free(NULL);
  tacit_raw_free(NULL);
}

static void raw_arrays_keep_their_content_when_grown(void **state) {
  (void)state;
  int64_t *raw_values = tacit_raw_new(4, sizeof *raw_values);
  assert_non_null(raw_values);
  for (int i = 0; i < 4; ++i)
    raw_values[i] = i + 1;
  raw_values = tacit_raw_grow(raw_values, 100, sizeof *raw_values);
  assert_non_null(raw_values);
  for (int i = 0; i < 100; ++i)
    assert_int_equal(raw_values[i], i < 4 ? i + 1 : 0);
  tacit_raw_free(raw_values);
}

/* Large ones come from the system in pages of their own. */
static void reserved_arrays_keep_their_content(void **state) {
  (void)state;
  int64_t *raw_values = NULL;
  size_t room = 0;
  for (size_t i = 0; i < 100; ++i) {
    size_t before = room;
    assert_true(tacit_raw_reserve(&raw_values, &room, i + 1, sizeof *raw_values));
    assert_true(room > i && (room == before || room >= 2 * before));
    raw_values[i] = (int64_t)i;
  }
  int64_t *same = raw_values;
  size_t before = room;
  assert_true(tacit_raw_reserve(&raw_values, &room, before, sizeof *raw_values));
  assert_false(tacit_raw_reserve(&raw_values, &room, SIZE_MAX / 2, sizeof *raw_values));
  assert_ptr_equal(raw_values, same);
  assert_true(room == before);
  for (int64_t i = 0; i < 100; ++i)
    assert_true(raw_values[i] == i);
  tacit_raw_free(raw_values);
}

static void large_arrays_are_zeroed_and_aligned(void **state) {
  (void)state;
  enum { COUNT = (9 << 20) + 5 };
  for (int turn = 0; turn < 2; ++turn) { /* the second may get memory used before */
    unsigned char *raw_bytes = tacit_raw_new(COUNT, 1);
    unsigned char *array = tacit_array_new(COUNT, 1);
    assert_non_null(raw_bytes);
    assert_non_null(array);
    assert_int_equal((uintptr_t)raw_bytes % 64, 0);
    for (size_t i = 0; i < COUNT; ++i) {
      assert_true(raw_bytes[i] == 0 && array[i] == 0);
      raw_bytes[i] = (unsigned char)(i % 251 + 1);
      array[i] = 1;
    }
    raw_bytes = tacit_raw_grow(raw_bytes, 2 * (size_t)COUNT, 1);
    assert_non_null(raw_bytes);
    for (size_t i = 0; i < 2 * (size_t)COUNT; ++i)
      assert_true(raw_bytes[i] == (i < COUNT ? i % 251 + 1 : 0));
    tacit_raw_free(raw_bytes);
    tacit_array_free(array);
  }
}

/* RFC 8439 A.1, test vectors 1 and 2: key and nonce 0, counter 0 and 1. */
static void words_are_chacha20(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = {0};
  tacit_words words;
  tacit_words_init(&words, key);
  assert_true(tacit_words_next(&words) == UINT64_C(0x903df1a0ade0b876));
  for (int i = 1; i < 8; ++i)
    (void)tacit_words_next(&words);
  assert_true(tacit_words_next(&words) == UINT64_C(0x7a385155bee7079f));
  tacit_words_wipe(&words);
  assert_true(words.key[0] == 0 && words.buffer[5] == 0);
}

/* Halves and words in any mixture are the stream in order, across refills. */
static void halves_and_words_skip_nothing(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = {9}, nonce[8] = {0};
  static unsigned char stream[40000];
  (void)crypto_stream_chacha20(stream, sizeof stream, nonce, key);
  tacit_words words;
  tacit_words_init(&words, key);
  for (size_t at = 0, i = 0; at + 8 <= sizeof stream; ++i) {
    uint64_t expected = tacit_load_le64(stream + at);
    if (i % 7 < 4) {
      assert_true(tacit_words_next(&words) == expected);
      at += 8;
    } else {
      assert_true(tacit_words_half(&words) == (uint32_t)expected);
      at += 4;
    }
  }
  tacit_words_wipe(&words);
}

static void words_below_is_uniform(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = {7};
  tacit_words words;
  tacit_words_init(&words, key);
  int count[6] = {0};
  for (int i = 0; i < 600000; ++i)
    ++count[tacit_words_below(&words, 6)];
  /* standard deviation 289; 6 of them: false alarm 1e-8 */
  for (int i = 0; i < 6; ++i)
    CHECK_WITHIN(count[i], 100000, 1740);
  /* A bound that does not divide 2^64, and is not small: remainders alone would have
     the first third twice as often. Standard deviation 26. */
  int thirds[3] = {0};
  for (int i = 0; i < 3000; ++i)
    ++thirds[tacit_words_below(&words, (uint64_t)3 << 62) >> 62];
  for (int i = 0; i < 3; ++i)
    CHECK_WITHIN(thirds[i], 1000, 160);
}

static void ceil_log2_is_exact(void **state) {
  (void)state;
  assert_int_equal(tacit_ceil_log2(1), 0);
  assert_int_equal(tacit_ceil_log2(2), 1);
  assert_int_equal(tacit_ceil_log2(3), 2);
  assert_int_equal(tacit_ceil_log2(1024), 10);
  assert_int_equal(tacit_ceil_log2(1025), 11);
  assert_int_equal(tacit_ceil_log2(UINT64_MAX), 64);
}

struct sum {
  int64_t per_worker[64];
  int runs[10000];
};

static void add_task(void *context, size_t task, size_t worker) {
  struct sum *sum = context;
  sum->per_worker[worker] += (int64_t)task;
  ++sum->runs[task];
}

/* As the compiler converts, on both sides of 64 bits and at ties. */
static void nearest_doubles_are_the_nearest(void **state) {
  (void)state;
  for (int bit = 0; bit < 126; ++bit) {
    for (int other = 0; other <= bit; ++other) {
      for (int off = -1; off <= 1; ++off) {
        tacit_i128 value = ((tacit_i128)1 << bit) + ((tacit_i128)1 << other) + off;
        assert_true(tacit_nearest_double(value) == (double)value);
        assert_true(tacit_nearest_double(-value) == (double)-value);
      }
    }
  }
}

static void pool_runs_every_task_once(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 5; ++threads) {
    tacit_pool *pool;
    tacit_error err;
    CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
    assert_int_equal(tacit_pool_workers(pool), threads);
    static struct sum sum;
    memset(&sum, 0, sizeof sum);
    for (int repeat = 0; repeat < 20; ++repeat)
      tacit_pool_run(pool, 10000, add_task, &sum);
    int64_t total = 0;
    for (int i = 0; i < 64; ++i)
      total += sum.per_worker[i];
    assert_true(total == 20 * INT64_C(49995000));
    for (int i = 0; i < 10000; ++i)
      assert_int_equal(sum.runs[i], 20);
    tacit_pool_free(pool);
  }
}

/* Runs of few tasks, one straight after the other: workers come late to most. */
static void pool_runs_follow_each_other(void **state) {
  (void)state;
  for (unsigned threads = 2; threads <= 4; threads += 2) {
    tacit_pool *pool;
    tacit_error err;
    CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
    static struct sum sum;
    memset(&sum, 0, sizeof sum);
    for (size_t repeat = 0; repeat < 20000; ++repeat)
      tacit_pool_run(pool, 1 + repeat % 4, add_task, &sum);
    for (int i = 0; i < 4; ++i)
      assert_int_equal(sum.runs[i], 20000 - 5000 * i);
    tacit_pool_free(pool);
  }
}

/* Sums of very different sizes, so that another order would give other bits. */
static double uneven_chunk(void *context, size_t first, size_t end) {
  double sum = 0;
  char *seen = context;
  for (size_t i = first; i < end; ++i) {
    sum += ldexp(1 + (double)(i % 7), (int)(i % 97) - 40);
    ++seen[i];
  }
  return sum;
}

static double place_chunk(void *context, size_t first, size_t end) {
  size_t place = *(size_t *)context;
  return first <= place && place < end ? NAN : (double)end;
}

static void parallel_loops_do_not_depend_on_threads(void **state) {
  (void)state;
  static const size_t sizes[] = {
      0, 1, TACIT_CHUNK, 100001, (1 << 20) - 1, (1 << 20) + 1, 3 << 20};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    size_t n = sizes[k];
    char *seen = calloc(n + 1, 1);
    double alone = tacit_parallel_sum(NULL, n, uneven_chunk, seen);
    for (unsigned threads = 1; threads <= 8; ++threads) {
      tacit_pool *pool;
      tacit_error err;
      CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
      assert_true(tacit_parallel_sum(pool, n, uneven_chunk, seen) == alone);
      size_t nowhere = n, last = n - 1;
      assert_true(tacit_parallel_max(pool, n, place_chunk, &nowhere) == (double)n);
      if (n > 0) assert_true(isnan(tacit_parallel_max(pool, n, place_chunk, &last)));
      tacit_pool_free(pool);
    }
    for (size_t i = 0; i < n; ++i)
      assert_int_equal(seen[i], 9);
    free(seen);
  }
}

static void messages_are_one_line_whatever_they_quote(void **state) {
  (void)state;
  tacit_error err;
  assert_int_equal(
      tacit_fail(&err, TACIT_EDATA, "unknown '%s'", "a\r\nb\x1b[2Jc\x7f\xc3\xa9"),
      TACIT_EDATA);
  assert_string_equal(err.message, "unknown 'a??b?[2Jc?\xc3\xa9'");
}

static void statuses_have_names_and_exit_codes(void **state) {
  (void)state;
  assert_string_equal(tacit_status_name(TACIT_EDATA), "TACIT_EDATA");
  assert_string_equal(tacit_status_text(TACIT_EBUDGET), "privacy budget refused");
  assert_int_equal(tacit_status_exit_code(TACIT_EDATA), 3);
  assert_int_equal(tacit_status_exit_code(TACIT_EPRIVACY), 5);
  assert_int_equal(tacit_abi(), TACIT_ABI);
  assert_string_equal(tacit_version(), TACIT_VERSION);
}

static void a_level_allows_those_below(void **state) {
  (void)state;
  static const struct {
    const char *wanted;
    int plain, avx2;
  } cases[] = {
      {"", 1, 1}, {"avx512", 1, 1}, {"avx2", 1, 1}, {"baseline", 1, 0}, {"plain", 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    assert_int_equal(setenv("TACIT_DISPATCH", cases[i].wanted, 1), 0);
    assert_int_equal(tacit_level_allows("plain"), cases[i].plain);
    assert_int_equal(tacit_level_allows("avx2"), cases[i].avx2);
  }
  assert_int_equal(setenv("TACIT_DISPATCH", "avx9000", 1), 0);
  assert_int_equal(tacit_level_allows("avx2"), 0);
  assert_int_equal(unsetenv("TACIT_DISPATCH"), 0);
  assert_null(tacit_level_wanted());
  assert_int_equal(tacit_level_allows("avx512"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_refuse_overflow),
      cmocka_unit_test(raw_arrays_keep_their_content_when_grown),
      cmocka_unit_test(reserved_arrays_keep_their_content),
      cmocka_unit_test(large_arrays_are_zeroed_and_aligned),
      cmocka_unit_test(words_are_chacha20),
      cmocka_unit_test(halves_and_words_skip_nothing),
      cmocka_unit_test(words_below_is_uniform),
      cmocka_unit_test(ceil_log2_is_exact),
      cmocka_unit_test(nearest_doubles_are_the_nearest),
      cmocka_unit_test(pool_runs_every_task_once),
      cmocka_unit_test(pool_runs_follow_each_other),
      cmocka_unit_test(parallel_loops_do_not_depend_on_threads),
      cmocka_unit_test(messages_are_one_line_whatever_they_quote),
      cmocka_unit_test(statuses_have_names_and_exit_codes),
      cmocka_unit_test(a_level_allows_those_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
