/* SPDX-License-Identifier: MIT */
/* admit/roster: persons, their rows, shares and batches, alone and on three ranks that
   are threads. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "admit/roster.h"

enum { RANKS = 3, ROWS = 600, PERSONS = 90, BATCHES = 7 };

static const tacit_key key = {{1, 2, 3}};

/* Some persons have one row, one has 61; their rows are far apart. */
static int64_t person_of(int64_t row) {
  return row % 10 == 0 ? 0 : (row * 37 + row * row) % PERSONS;
}

static void add_row(tacit_roster *roster, int64_t row) {
  tacit_error err;
  tacit_unit unit;
  tacit_unit_of_number(person_of(row), &unit);
  CHECK_OK(tacit_roster_add(roster, row, &unit, (uint64_t)(row * 7919 % 1009), &err),
           err);
}

static tacit_roster *roster_of(int64_t cap) {
  tacit_roster *roster;
  tacit_error err;
  CHECK_OK(tacit_roster_new(cap, &roster, &err), err);
  return roster;
}

static tacit_roster *whole_roster(int64_t cap) {
  tacit_error err;
  tacit_roster *roster = roster_of(cap);
  for (int64_t row = 0; row < ROWS; ++row)
    add_row(roster, row);
  CHECK_OK(tacit_roster_meet(roster, NULL, &err), err);
  CHECK_OK(tacit_roster_deal(roster, &key, BATCHES, &err), err);
  return roster;
}

/* What a roster says of each row: its batch and its m; batch -1: left out. */
struct said {
  int64_t batch[ROWS];
  uint32_t unit_rows[ROWS];
};

static void listen(const tacit_roster *roster, struct said *out) {
  for (int64_t j = 0; j < BATCHES; ++j) {
    int64_t first, end, before = -1;
    tacit_roster_batch(roster, j, &first, &end);
    for (int64_t place = first; place < end; ++place) {
      int64_t row = tacit_roster_row(roster, place);
      assert_true(row > before); /* file order within a batch */
      before = row;
      assert_int_equal(out->batch[row], -1); /* each row once */
      out->batch[row] = j;
      out->unit_rows[row] = *tacit_roster_shares(roster, &place, 1, NULL);
    }
  }
}

static void forget(struct said *said) {
  memset(said, 0, sizeof *said);
  for (int64_t row = 0; row < ROWS; ++row)
    said->batch[row] = -1;
}

static void the_number_of_rows_of_each_person_is_found(void **state) {
  (void)state;
  int64_t counts[PERSONS] = {0}, persons = 0;
  for (int64_t row = 0; row < ROWS; ++row)
    persons += counts[person_of(row)]++ == 0;
  tacit_roster *roster = whole_roster(0);
  assert_int_equal(tacit_roster_units(roster), persons);
  struct said said;
  forget(&said);
  listen(roster, &said);
  int64_t batch_of_person[PERSONS];
  memset(batch_of_person, -1, sizeof batch_of_person);
  for (int64_t row = 0; row < ROWS; ++row) {
    int64_t person = person_of(row);
    assert_int_equal(said.unit_rows[row], counts[person]);
    if (batch_of_person[person] < 0) batch_of_person[person] = said.batch[row];
    assert_int_equal(said.batch[row], batch_of_person[person]);
  }
  tacit_roster_free(roster);
}

/* Dealing again, as another run or pass would, counts nobody twice. */
static void shares_of_a_person_add_up_to_one_bound(void **state) {
  (void)state;
  static const int64_t clips[] = {1, 6, 1000003, INT64_C(1) << 40};
  for (int64_t cap = 0; cap <= 4; cap += 2) {
    tacit_error err;
    tacit_roster *roster = whole_roster(cap);
    CHECK_OK(tacit_roster_deal(roster, &key, BATCHES, &err), err);
    struct said said;
    forget(&said);
    listen(roster, &said);
    for (size_t c = 0; c < sizeof clips / sizeof clips[0]; ++c) {
      int64_t sums[PERSONS] = {0};
      for (int64_t row = 0; row < ROWS; ++row)
        if (said.batch[row] >= 0)
          sums[person_of(row)] += clips[c] / said.unit_rows[row];
      for (int person = 0; person < PERSONS; ++person)
        assert_true(sums[person] <= clips[c]);
    }
    tacit_roster_free(roster);
  }
}

/* The rows that a cap keeps do not depend on the order of the file. */
static void a_cap_keeps_the_rows_with_the_smallest_content(void **state) {
  (void)state;
  enum { CAP = 4, MANY = 9 };
  tacit_error err;
  uint64_t kept_before = 0;
  for (int turn = 0; turn < MANY; ++turn) {
    tacit_roster *roster = roster_of(CAP);
    tacit_unit unit, other;
    tacit_unit_of("anna", 4, &unit);
    tacit_unit_of("bert", 4, &other);
    for (int64_t i = 0; i < MANY; ++i)
      CHECK_OK(
          tacit_roster_add(roster, i, &unit, (uint64_t)(100 + (i + turn) % MANY), &err),
          err);
    CHECK_OK(tacit_roster_add(roster, MANY, &other, 5, &err), err);
    CHECK_OK(tacit_roster_meet(roster, NULL, &err), err);
    CHECK_OK(tacit_roster_deal(roster, &key, 1, &err), err);
    int64_t first, end;
    tacit_roster_batch(roster, 0, &first, &end);
    assert_int_equal(end - first, CAP + 1);
    uint64_t kept = 0;
    for (int64_t place = first; place < end; ++place) {
      int64_t row = tacit_roster_row(roster, place);
      assert_int_equal(*tacit_roster_shares(roster, &place, 1, NULL), CAP);
      if (row < MANY) kept |= UINT64_C(1) << (row + turn) % MANY;
    }
    assert_int_equal(kept, 0xf);
    if (turn > 0) assert_int_equal(kept, kept_before);
    kept_before = kept;
    tacit_roster_free(roster);
  }
}

static void batches_are_balanced_and_depend_on_the_key(void **state) {
  (void)state;
  enum { MANY = 20000, PARTS = 16 };
  tacit_error err;
  tacit_roster *roster = roster_of(0);
  for (int64_t i = 0; i < MANY; ++i) {
    tacit_unit unit;
    tacit_unit_of_number(i, &unit);
    CHECK_OK(tacit_roster_add(roster, i, &unit, 0, &err), err);
  }
  CHECK_OK(tacit_roster_meet(roster, NULL, &err), err);
  int64_t firsts[2] = {0};
  for (int k = 0; k < 2; ++k) {
    tacit_key own = {{(unsigned char)(9 + k)}};
    CHECK_OK(tacit_roster_deal(roster, &own, PARTS, &err), err);
    for (int64_t j = 0; j < PARTS; ++j) {
      int64_t first, end;
      tacit_roster_batch(roster, j, &first, &end);
      /* 1250 expected, standard deviation 34; the keys are fixed */
      assert_in_range(end - first, 1080, 1420);
    }
    for (int64_t place = 0; place < 64; ++place)
      firsts[k] += tacit_roster_row(roster, place);
  }
  assert_true(firsts[0] != firsts[1]);
  tacit_roster_free(roster);
}

/* Three ranks, each with every third block of 50 rows. */
static pthread_barrier_t barrier;
static void *shared[RANKS];

struct rank {
  tacit_group group;
  int64_t cap;
  tacit_roster *roster;
};

static int broadcast(void *self, void *bytes, size_t count, int root) {
  const struct rank *rank = self;
  shared[rank->group.rank] = bytes;
  pthread_barrier_wait(&barrier);
  if (rank->group.rank != root) memcpy(bytes, shared[root], count);
  pthread_barrier_wait(&barrier);
  return 0;
}

static int gather_all(void *self, void *bytes, const size_t *counts) {
  const struct rank *rank = self;
  size_t first = 0;
  shared[rank->group.rank] = bytes;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < RANKS; first += counts[i++])
    if (i != rank->group.rank)
      memcpy((char *)bytes + first, (char *)shared[i] + first, counts[i]);
  pthread_barrier_wait(&barrier);
  return 0;
}

static int sum_scatter(void *self, const int64_t *raw_all, const size_t *counts,
                       int64_t *raw_mine) {
  (void)self, (void)raw_all, (void)counts, (void)raw_mine;
  return 1;
}

static void *run_rank(void *argument) {
  struct rank *rank = argument;
  tacit_error err;
  rank->roster = roster_of(rank->cap);
  for (int64_t row = 0; row < ROWS; ++row)
    if (row / 50 % RANKS == rank->group.rank) add_row(rank->roster, row);
  CHECK_OK(tacit_roster_meet(rank->roster, &rank->group, &err), err);
  CHECK_OK(tacit_roster_deal(rank->roster, &key, BATCHES, &err), err);
  return NULL;
}

static void ranks_together_say_what_one_process_says(void **state) {
  (void)state;
  for (int64_t cap = 0; cap <= 4; cap += 4) {
    struct rank ranks[RANKS];
    pthread_t threads[RANKS];
    assert_int_equal(pthread_barrier_init(&barrier, NULL, RANKS), 0);
    for (int i = 0; i < RANKS; ++i) {
      ranks[i] = (struct rank){.group = {.struct_size = sizeof(tacit_group),
                                         .rank = i,
                                         .size = RANKS,
                                         .self = &ranks[i],
                                         .broadcast = broadcast,
                                         .gather_all = gather_all,
                                         .sum_scatter = sum_scatter},
                               .cap = cap};
      assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
    }
    for (int i = 0; i < RANKS; ++i)
      pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    tacit_roster *whole = whole_roster(cap);
    struct said alone, together;
    forget(&alone);
    forget(&together);
    listen(whole, &alone);
    for (int i = 0; i < RANKS; ++i) {
      assert_int_equal(tacit_roster_units(ranks[i].roster), tacit_roster_units(whole));
      listen(ranks[i].roster, &together);
      tacit_roster_free(ranks[i].roster);
    }
    assert_memory_equal(&alone, &together, sizeof alone);
    tacit_roster_free(whole);
  }
}

/* A cache: rows person by person, under hashes that nobody can make without the key,
   and every batch is a range of them, whatever the number of batches. */
static void persons_in_line_are_in_ranges_for_any_batches(void **state) {
  (void)state;
  static const tacit_key other = {{3, 2, 1}};
  tacit_error err;
  tacit_roster *roster = whole_roster(0), *again = whole_roster(0);
  CHECK_OK(tacit_roster_line_up(roster, &key, &err), err);
  CHECK_OK(tacit_roster_line_up(again, &other, &err), err);
  tacit_roster *cached = roster_of(0);
  for (int64_t place = 0; place < ROWS; ++place) {
    int64_t row = tacit_roster_row(roster, place), person = person_of(row);
    const tacit_unit *unit = tacit_roster_unit(roster, row);
    tacit_unit open;
    tacit_unit_of_number(person, &open);
    assert_memory_not_equal(unit, &open, sizeof open);
    assert_memory_not_equal(unit, tacit_roster_unit(again, row), sizeof open);
    if (place > 0 && person == person_of(tacit_roster_row(roster, place - 1)))
      assert_true(row > tacit_roster_row(roster, place - 1));
    CHECK_OK(tacit_roster_add(cached, place, unit, 0, &err), err);
  }
  CHECK_OK(tacit_roster_meet(cached, NULL, &err), err);
  assert_int_equal(tacit_roster_units(cached), tacit_roster_units(roster));
  for (int64_t batches = 1; batches <= tacit_roster_units(cached); ++batches) {
    CHECK_OK(tacit_roster_deal(cached, NULL, batches, &err), err);
    for (int64_t place = 0; place < ROWS; ++place) {
      int64_t row = tacit_roster_row(roster, place);
      assert_int_equal(tacit_roster_row(cached, place), place);
      assert_int_equal(*tacit_roster_shares(cached, &place, 1, NULL),
                       tacit_roster_rows_with(roster, row));
    }
  }
  tacit_roster_free(roster);
  tacit_roster_free(again);
  tacit_roster_free(cached);
}

/* Places in a row, and with gaps, as ranks have them. */
static void shares_are_those_of_the_places(void **state) {
  (void)state;
  tacit_roster *roster = whole_roster(0);
  int64_t places[ROWS], end, unused;
  uint32_t room[ROWS];
  tacit_roster_batch(roster, BATCHES - 1, &unused, &end);
  for (int64_t step = 1; step <= 3; ++step) {
    for (int64_t first = 0; first < end; ++first) {
      int64_t count = 0;
      for (int64_t place = first; place < end; place += 1 + place % step)
        places[count++] = place;
      const uint32_t *shares = tacit_roster_shares(roster, places, count, room);
      for (int64_t i = 0; i < count; ++i)
        assert_int_equal(shares[i], tacit_roster_rows_with(
                                        roster, tacit_roster_row(roster, places[i])));
    }
  }
  tacit_roster_free(roster);
}

static void an_id_is_its_text(void **state) {
  (void)state;
  tacit_unit number, text, other;
  tacit_unit_of_number(-17, &number);
  tacit_unit_of("-17", 3, &text);
  tacit_unit_of("-18", 3, &other);
  assert_memory_equal(&number, &text, sizeof number);
  assert_memory_not_equal(&number, &other, sizeof number);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_number_of_rows_of_each_person_is_found),
      cmocka_unit_test(shares_of_a_person_add_up_to_one_bound),
      cmocka_unit_test(a_cap_keeps_the_rows_with_the_smallest_content),
      cmocka_unit_test(batches_are_balanced_and_depend_on_the_key),
      cmocka_unit_test(ranks_together_say_what_one_process_says),
      cmocka_unit_test(persons_in_line_are_in_ranges_for_any_batches),
      cmocka_unit_test(shares_are_those_of_the_places),
      cmocka_unit_test(an_id_is_its_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
