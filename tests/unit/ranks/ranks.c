/* SPDX-License-Identifier: MIT */
/* ranks/ranks.c on two ranks that are threads: steps, what ranks exchange, and the end
   after a failure. tests/unit/run/group.c has whole runs. */
#include "check.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "ranks/ranks.h"

enum { RANKS = 2 };

static pthread_barrier_t barrier;
static void *shared[RANKS];
static int calls; /* collectives, counted by rank 0 */

struct rank {
  tacit_group group;
  tacit_ranks ranks;
  int fails; /* the step of this rank fails */
  int ran;   /* steps that ran */
  tacit_sync sync;
  tacit_status status, status_after;
  tacit_error err;
};

static void meet(const struct rank *rank, void *bytes) {
  calls += rank->group.rank == 0;
  shared[rank->group.rank] = bytes;
  pthread_barrier_wait(&barrier);
}

static int broadcast(void *self, void *bytes, size_t count, int root) {
  const struct rank *rank = self;
  meet(rank, bytes);
  if (rank->group.rank != root) memcpy(bytes, shared[root], count);
  pthread_barrier_wait(&barrier);
  return 0;
}

static int gather_all(void *self, void *bytes, const size_t *counts) {
  const struct rank *rank = self;
  size_t first = rank->group.rank == 0 ? counts[0] : 0;
  int other = 1 - rank->group.rank;
  meet(rank, bytes);
  memcpy((char *)bytes + first, (char *)shared[other] + first, counts[other]);
  pthread_barrier_wait(&barrier);
  return 0;
}

static int sum_scatter(void *self, const int64_t *raw_all, const size_t *counts,
                       int64_t *raw_mine) {
  (void)self, (void)raw_all, (void)counts, (void)raw_mine;
  return 1; /* the network is gone */
}

static tacit_status step(void *context, tacit_error *err) {
  struct rank *rank = context;
  ++rank->ran;
  rank->sync.raw_count += rank->group.rank;
  if (!rank->fails) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "bad row");
}

static struct rank all[RANKS];
static void (*body)(struct rank *rank);

static void *run_rank(void *argument) {
  struct rank *rank = argument;
  rank->status = tacit_ranks_init(&rank->ranks, &rank->group, &rank->err);
  if (rank->status == TACIT_OK) body(rank);
  tacit_ranks_fini(&rank->ranks);
  return NULL;
}

static void run(void (*what)(struct rank *rank), int fails_at) {
  pthread_t threads[RANKS];
  memset(all, 0, sizeof all);
  body = what;
  calls = 0;
  assert_int_equal(pthread_barrier_init(&barrier, NULL, RANKS), 0);
  for (int i = 0; i < RANKS; ++i) {
    all[i].fails = i == fails_at;
    all[i].group = (tacit_group){.struct_size = sizeof(tacit_group),
                                 .rank = i,
                                 .size = RANKS,
                                 .self = &all[i],
                                 .broadcast = broadcast,
                                 .gather_all = gather_all,
                                 .sum_scatter = sum_scatter};
    assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &all[i]), 0);
  }
  for (int i = 0; i < RANKS; ++i)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
}

static void one_step(struct rank *rank) {
  rank->status = tacit_ranks_step(&rank->ranks, step, rank, &rank->err);
}

static void a_step_succeeds_or_fails_on_all_ranks(void **state) {
  (void)state;
  run(one_step, -1);
  for (int i = 0; i < RANKS; ++i)
    assert_int_equal(all[i].status, TACIT_OK);
  for (int bad = 0; bad < RANKS; ++bad) {
    run(one_step, bad);
    for (int i = 0; i < RANKS; ++i) {
      assert_int_equal(all[i].ran, 1);
      assert_int_equal(all[i].status, TACIT_EDATA);
      assert_string_equal(all[i].err.message, bad == 0 ? "bad row" : "rank 1: bad row");
    }
  }
}

/* A rank attempts rows while the other is already at the end of the round. */
static void attempt_or_sync(struct rank *rank) {
  if (rank->group.rank == 0) {
    rank->status = tacit_ranks_attempt(&rank->ranks, step, rank, &rank->err);
    if (rank->status != TACIT_OK) return;
  }
  rank->sync = (tacit_sync){.point = 2};
  rank->status = tacit_ranks_sync(&rank->ranks, &rank->sync, NULL, NULL, &rank->err);
}

static void an_attempt_is_heard_of_only_when_it_fails(void **state) {
  (void)state;
  run(attempt_or_sync, -1);
  assert_int_equal(all[0].status, TACIT_OK);
  assert_int_equal(all[1].status, TACIT_OK);
  assert_int_equal(calls, 1);
  run(attempt_or_sync, 0);
  assert_int_equal(all[0].status, TACIT_EDATA);
  assert_int_equal(all[1].status, TACIT_EDATA);
  assert_string_equal(all[1].err.message, "bad row");
}

/* Counts are added, digests are XORed; the step fills in before they are sent. */
static void add_up(struct rank *rank) {
  rank->sync = (tacit_sync){.point = 4, .raw_count = 10};
  rank->sync.raw_digest[3] = rank->group.rank == 0 ? 0x51 : 0x12;
  rank->status = tacit_ranks_sync(&rank->ranks, &rank->sync, step, rank, &rank->err);
}

static void ranks_get_the_totals(void **state) {
  (void)state;
  run(add_up, -1);
  for (int i = 0; i < RANKS; ++i) {
    assert_int_equal(all[i].status, TACIT_OK);
    assert_true(all[i].sync.raw_count == 21);
    assert_int_equal(all[i].sync.raw_digest[3], 0x43);
  }
}

static void differ(struct rank *rank) {
  rank->sync = (tacit_sync){.point = 6,
                            .public_check = (uint64_t)rank->group.rank,
                            .differs = TACIT_EPRIVACY,
                            .message = "has another plan"};
  rank->status = tacit_ranks_sync(&rank->ranks, &rank->sync, NULL, NULL, &rank->err);
}

static void wander(struct rank *rank) {
  rank->sync = (tacit_sync){.point = rank->group.rank};
  rank->status = tacit_ranks_sync(&rank->ranks, &rank->sync, NULL, NULL, &rank->err);
}

static void ranks_that_differ_stop(void **state) {
  (void)state;
  run(differ, -1);
  for (int i = 0; i < RANKS; ++i) {
    assert_int_equal(all[i].status, TACIT_EPRIVACY);
    assert_string_equal(all[i].err.message, "rank 1 has another plan");
  }
  run(wander, -1);
  for (int i = 0; i < RANKS; ++i)
    assert_int_equal(all[i].status, TACIT_ESTATE);
}

static void fail_and_go_on(struct rank *rank) {
  one_step(rank);
  rank->fails = 0;
  rank->status_after = tacit_ranks_step(&rank->ranks, step, rank, NULL);
}

static void lose(struct rank *rank) {
  int64_t raw_one = 1;
  size_t counts[RANKS] = {1, 0};
  rank->status = tacit_ranks_sum(&rank->ranks, &raw_one, counts, &raw_one, &rank->err);
  rank->status_after = tacit_ranks_step(&rank->ranks, step, rank, NULL);
}

/* Nobody waits for a rank that has stopped. */
static void after_a_failure_no_collective_is_called(void **state) {
  (void)state;
  run(fail_and_go_on, 1);
  for (int i = 0; i < RANKS; ++i)
    assert_int_equal(all[i].status_after, TACIT_EIO);
  assert_int_equal(calls, 2); /* the messages, and the text of the failure */
  run(lose, -1);
  for (int i = 0; i < RANKS; ++i) {
    assert_int_equal(all[i].status, TACIT_EIO);
    assert_int_equal(all[i].status_after, TACIT_EIO);
  }
  assert_int_equal(calls, 0);
}

static void alone_a_step_is_just_called(void **state) {
  (void)state;
  struct rank rank = {.fails = 0};
  tacit_error err;
  assert_int_equal(tacit_ranks_init(&rank.ranks, NULL, &err), TACIT_OK);
  assert_true(tacit_ranks_leads(&rank.ranks));
  assert_int_equal(tacit_ranks_step(&rank.ranks, step, &rank, &err), TACIT_OK);
  assert_int_equal(tacit_group_step(NULL, 5, step, &rank, &err), TACIT_OK);
  rank.fails = 1;
  assert_int_equal(tacit_ranks_attempt(&rank.ranks, step, &rank, &err), TACIT_EDATA);
  assert_int_equal(tacit_group_step(NULL, 5, step, &rank, &err), TACIT_EDATA);
  assert_int_equal(tacit_ranks_step(&rank.ranks, step, &rank, NULL), TACIT_EDATA);
  assert_int_equal(rank.ran, 5);
  assert_int_equal(tacit_group_gather(NULL, NULL, NULL, &err), TACIT_OK);
  tacit_ranks_fini(&rank.ranks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_succeeds_or_fails_on_all_ranks),
      cmocka_unit_test(an_attempt_is_heard_of_only_when_it_fails),
      cmocka_unit_test(ranks_get_the_totals),
      cmocka_unit_test(ranks_that_differ_stop),
      cmocka_unit_test(after_a_failure_no_collective_is_called),
      cmocka_unit_test(alone_a_step_is_just_called),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
