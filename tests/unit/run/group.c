/* SPDX-License-Identifier: MIT */
/* run/sync.c on a group of threads: the same model for any number of ranks, and a
   failure of one rank is the failure of all. */
#include "made.h"
#include "unit/checkpoint/checkpoint_place.h"

#include <pthread.h>
#include <stdlib.h>

#include "run/run.h"
#include "vault/words.h"

enum { ROWS = 700, FEATURES = 2500, ENTRIES = 6, DIM = FEATURES + 1, RANKS_MAX = 5 };

static double raw_values[ROWS * ENTRIES], raw_labels[ROWS], raw_bad_labels[ROWS];
static uint32_t raw_indices[ROWS * ENTRIES];
static int64_t raw_row_start[ROWS + 1];
static tacit_schema *schema, *schema_other;

static int make_rows(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = "group tests";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int i = 0; i < ROWS; ++i) {
    raw_row_start[i + 1] = (i + 1) * ENTRIES;
    for (uint32_t j = 0; j < ENTRIES; ++j) {
      uint32_t step = FEATURES / ENTRIES;
      raw_indices[i * ENTRIES + (int)j] =
          j * step + (uint32_t)tacit_words_below(&words, step);
      raw_values[i * ENTRIES + (int)j] = made_uniform(&words);
    }
    raw_labels[i] = raw_values[i * ENTRIES] > 0 ? 1 : -1;
    raw_bad_labels[i] = i == ROWS / 2 ? 7 : raw_labels[i];
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK ||
         tacit_schema_libsvm(FEATURES, 2, 0, 0, &schema_other, NULL) != TACIT_OK;
}

static int free_rows(void **state) {
  (void)state;
  tacit_schema_free(schema);
  tacit_schema_free(schema_other);
  return 0;
}

/* ---- the group ---- */

struct hall {
  pthread_barrier_t barrier;
  int size, lost_after; /* calls until they fail; -1: never */
  void *bytes[RANKS_MAX];
  const int64_t *numbers[RANKS_MAX];
  const void *pieces[RANKS_MAX];
};

struct seat {
  struct hall *hall;
  tacit_group group;
  int calls;
  size_t sent, received; /* bytes, as a pairwise exchange sends them */
};

static int lost(struct seat *seat) {
  return seat->hall->lost_after >= 0 && ++seat->calls > seat->hall->lost_after;
}

static int broadcast(void *self, void *bytes, size_t count, int root) {
  struct seat *seat = self;
  struct hall *hall = seat->hall;
  if (lost(seat)) return 1;
  hall->bytes[seat->group.rank] = bytes;
  pthread_barrier_wait(&hall->barrier);
  if (seat->group.rank != root) memcpy(bytes, hall->bytes[root], count);
  pthread_barrier_wait(&hall->barrier);
  return 0;
}

static int gather_all(void *self, void *bytes, const size_t *counts) {
  struct seat *seat = self;
  struct hall *hall = seat->hall;
  if (lost(seat)) return 1;
  seat->sent += counts[seat->group.rank] * (size_t)(hall->size - 1);
  hall->bytes[seat->group.rank] = bytes;
  pthread_barrier_wait(&hall->barrier);
  size_t first = 0;
  for (int i = 0; i < hall->size; ++i) {
    if (i != seat->group.rank && counts[i] > 0) {
      memcpy((char *)bytes + first, (char *)hall->bytes[i] + first, counts[i]);
      seat->received += counts[i];
    }
    first += counts[i];
  }
  pthread_barrier_wait(&hall->barrier);
  return 0;
}

static int gather(void *self, const void *raw_mine, const size_t *counts, void *raw_all,
                  int root) {
  struct seat *seat = self;
  struct hall *hall = seat->hall;
  int rank = seat->group.rank;
  if (lost(seat)) return 1;
  if (rank != root) seat->sent += counts[rank];
  hall->pieces[rank] = raw_mine;
  pthread_barrier_wait(&hall->barrier);
  char *at = raw_all; /* others than the root pass NULL */
  for (int i = 0; rank == root && i < hall->size; at += counts[i++]) {
    if (counts[i] > 0) memcpy(at, hall->pieces[i], counts[i]);
    if (i != root) seat->received += counts[i];
  }
  pthread_barrier_wait(&hall->barrier);
  return 0;
}

static int sum_scatter(void *self, const int64_t *raw_all, const size_t *counts,
                       int64_t *raw_mine) {
  struct seat *seat = self;
  struct hall *hall = seat->hall;
  if (lost(seat)) return 1;
  size_t first = 0, all = 0, own = counts[seat->group.rank];
  for (int i = 0; i < hall->size; ++i) {
    if (i < seat->group.rank) first += counts[i];
    all += counts[i];
  }
  seat->sent += (all - own) * sizeof *raw_all;
  seat->received += (size_t)(hall->size - 1) * own * sizeof *raw_all;
  hall->numbers[seat->group.rank] = raw_all;
  pthread_barrier_wait(&hall->barrier);
  for (size_t i = 0; i < own; ++i) {
    raw_mine[i] = 0;
    for (int r = 0; r < hall->size; ++r)
      raw_mine[i] += hall->numbers[r][first + i];
  }
  pthread_barrier_wait(&hall->barrier);
  return 0;
}

/* What every rank of a test does and gets. */
struct rank {
  struct seat seat;
  tacit_config config;
  const double *raw_labels;
  int64_t chunk;
  int ask;  /* ask and tell in place of feeding */
  int lose; /* rows left out when telling */
  void (*meddle)(tacit_train *train);
  tacit_status status;
  tacit_error err;
  double weights[DIM];
  char id[2 * TACIT_RUN_ID_BYTES + 1];
};

static tacit_batch rows_from(const struct rank *rank, int64_t first, int64_t end) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = end - first;
  batch.n_features = FEATURES;
  batch.raw_values = raw_values;
  batch.raw_indices = raw_indices;
  batch.raw_row_start = raw_row_start + first;
  batch.raw_labels = rank->raw_labels + first;
  return batch;
}

static tacit_status feed(struct rank *rank, tacit_train *train) {
  tacit_status status = TACIT_OK;
  int readings = rank->config.passes + (rank->config.centre == TACIT_CENTRE_ON);
  for (int pass = 0; pass < readings; ++pass) {
    for (int64_t first = 0; status == TACIT_OK && first < ROWS; first += rank->chunk) {
      int64_t end = first + rank->chunk < ROWS ? first + rank->chunk : ROWS;
      tacit_batch batch = rows_from(rank, first, end);
      status = tacit_train_feed(train, &batch, &rank->err);
    }
  }
  return status;
}

/* Each rank computes an uneven slice of the round. */
static tacit_status tell(struct rank *rank, tacit_train *train) {
  int64_t *raw_sum = calloc(DIM, sizeof *raw_sum), place = 0,
          me = rank->seat.group.rank;
  int64_t size = rank->seat.hall->size;
  tacit_status status = TACIT_OK;
  tacit_round round = {.struct_size = sizeof round};
  while (place < ROWS && status == TACIT_OK) {
    int64_t raw_count = 0;
    status = tacit_round_ask(train, &round, &rank->err);
    if (status != TACIT_OK) break;
    int64_t first = round.n_rows * me * me / (size * size);
    int64_t end = round.n_rows * (me + 1) * (me + 1) / (size * size) - rank->lose;
    tacit_batch batch = rows_from(rank, place + first, place + end);
    memset(raw_sum, 0, DIM * sizeof *raw_sum);
    status = tacit_round_delta(train, &round, &batch, raw_sum, &raw_count, &rank->err);
    if (status == TACIT_OK)
      status = tacit_round_tell(train, raw_sum, raw_count, &rank->err);
    place += round.n_rows;
  }
  free(raw_sum);
  return status;
}

static void *run_rank(void *argument) {
  struct rank *rank = argument;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  rank->status = tacit_train_new(&rank->config, &train, &rank->err);
  if (rank->status == TACIT_OK)
    (void)snprintf(rank->id, sizeof rank->id, "%s", tacit_train_id(train));
  if (rank->status == TACIT_OK && rank->meddle != NULL) rank->meddle(train);
  if (rank->status == TACIT_OK)
    rank->status = rank->ask ? tell(rank, train) : feed(rank, train);
  if (rank->status == TACIT_OK)
    rank->status = tacit_train_finish(train, &model, &rank->err);
  if (rank->status == TACIT_OK) {
    size_t count;
    memcpy(rank->weights, tacit_model_weights(model, &count), sizeof rank->weights);
  } else if (train != NULL && tacit_train_finish(train, &model, NULL) == TACIT_OK) {
    rank->status = TACIT_OK; /* a model after a failure: the test will fail */
  }
  tacit_model_free(model);
  tacit_train_free(train);
  return NULL;
}

static struct hall hall;
static struct rank ranks[RANKS_MAX];

static void start_ranks(int size) {
  memset(&hall, 0, sizeof hall);
  memset(ranks, 0, sizeof ranks);
  hall.size = size;
  hall.lost_after = -1;
  assert_int_equal(pthread_barrier_init(&hall.barrier, NULL, (unsigned)size), 0);
  for (int i = 0; i < size; ++i) {
    struct rank *rank = &ranks[i];
    rank->seat.hall = &hall;
    rank->seat.group = (tacit_group){.struct_size = sizeof(tacit_group),
                                     .rank = i,
                                     .size = size,
                                     .self = &rank->seat,
                                     .broadcast = broadcast,
                                     .gather_all = gather_all,
                                     .sum_scatter = sum_scatter,
                                     .gather = gather};
    tacit_config_init(&rank->config);
    rank->config.preset = TACIT_ANYTIME; /* variant 8 is the default */
    rank->config.passes = 1;
    rank->config.schema = schema;
    rank->config.rows = ROWS;
    rank->config.epsilon = 1;
    rank->config.seeded = 1;
    rank->config.seed = 5;
    rank->config.threads = 1 + (unsigned)i % 2;
    rank->config.group = &rank->seat.group;
    rank->raw_labels = raw_labels;
    rank->chunk = 100 + 37 * i;
  }
}

static void run_ranks(void) {
  pthread_t threads[RANKS_MAX];
  for (int i = 0; i < hall.size; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
  for (int i = 0; i < hall.size; ++i)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&hall.barrier);
}

static void all_fail(tacit_status status, const char *words) {
  run_ranks();
  for (int i = 0; i < hall.size; ++i) {
    assert_int_equal(ranks[i].status, status);
    assert_string_equal(ranks[i].err.message, ranks[0].err.message);
    if (strstr(ranks[i].err.message, words) == NULL)
      fail_msg("\"%s\" does not say \"%s\"", ranks[i].err.message, words);
  }
}

/* ---- tests ---- */

static void vary(tacit_config *config, int variant) {
  if (variant == 1) config->passes = 3;
  if (variant == 2) config->mechanism = "tree", config->bound = TACIT_BOUND_TIGHT;
  if (variant == 3) config->batch = 7; /* blt */
  if (variant == 4) config->pure = 1;
  if (variant == 5) config->pure = 1, config->law = "exp-l2"; /* one vector a round */
  if (variant == 6) config->mechanism = "none", config->epsilon = 0;
  if (variant == 7) /* enough budget that the mean is worth it */
    config->centre = TACIT_CENTRE_ON, config->epsilon = 40, config->passes = 2;
  if (variant == 8) config->preset = TACIT_PRACTICAL, config->epsilon = 40;
}

static void any_number_of_ranks_gives_the_same_bits(void **state) {
  (void)state;
  for (int variant = 0; variant <= 8; ++variant) {
    double alone[DIM];
    for (int size = 1; size <= RANKS_MAX; size += 1 + (size > 2)) {
      start_ranks(size);
      for (int i = 0; i < size; ++i)
        vary(&ranks[i].config, variant);
      if (size == 1) ranks[0].config.group = NULL;
      run_ranks();
      for (int i = 0; i < size; ++i) {
        if (ranks[i].status != TACIT_OK)
          fail_msg("variant %d, %d ranks: %s", variant, size, ranks[i].err.message);
        assert_int_equal(strlen(ranks[i].id), 2 * TACIT_RUN_ID_BYTES);
        assert_string_equal(ranks[i].id, ranks[0].id);
        if (size == 1)
          memcpy(alone, ranks[0].weights, sizeof alone);
        else
          assert_memory_equal(ranks[i].weights, alone, sizeof alone);
      }
    }
  }
}

static void tell_takes_the_sums_of_each_rank(void **state) {
  (void)state;
  start_ranks(1);
  ranks[0].config.group = NULL;
  run_ranks();
  assert_int_equal(ranks[0].status, TACIT_OK);
  double alone[DIM];
  memcpy(alone, ranks[0].weights, sizeof alone);
  start_ranks(3);
  for (int i = 0; i < 3; ++i)
    ranks[i].ask = 1;
  run_ranks();
  for (int i = 0; i < 3; ++i) {
    if (ranks[i].status != TACIT_OK) fail_msg("%s", ranks[i].err.message);
    assert_memory_equal(ranks[i].weights, alone, sizeof alone);
  }
  /* One rank leaves out a row. */
  start_ranks(3);
  for (int i = 0; i < 3; ++i)
    ranks[i].ask = 1;
  ranks[2].lose = 1;
  all_fail(TACIT_EPRIVACY, "round 1");
}

/* The key comes from the operating system: rank 0 must share it, or ranks differ. */
static void ranks_share_a_key_nobody_knows(void **state) {
  (void)state;
  double before[DIM];
  for (int turn = 0; turn < 2; ++turn) {
    start_ranks(3);
    for (int i = 0; i < 3; ++i)
      ranks[i].config.seeded = 0;
    run_ranks();
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(ranks[i].status, TACIT_OK);
      assert_memory_equal(ranks[i].weights, ranks[0].weights, sizeof before);
    }
    if (turn == 1) assert_memory_not_equal(ranks[0].weights, before, sizeof before);
    memcpy(before, ranks[0].weights, sizeof before);
  }
}

static void a_bad_row_on_one_rank_ends_all(void **state) {
  (void)state;
  /* Ranks take turns of 64 rows; row ROWS/2 = 350 is in turn 5: rank 2 of 3 adds it. */
  start_ranks(3);
  ranks[2].raw_labels = raw_bad_labels;
  all_fail(TACIT_EDATA, "rank 2: ");
  /* Rank 0 does not look at this row. */
  start_ranks(3);
  ranks[0].raw_labels = raw_bad_labels;
  run_ranks();
  assert_int_equal(ranks[0].status, TACIT_OK);
}

static void ranks_that_differ_are_refused(void **state) {
  (void)state;
  for (int variant = 0; variant < 5; ++variant) {
    start_ranks(3);
    tacit_config *config = &ranks[1].config;
    if (variant == 0) config->epsilon = 2;
    if (variant == 1) config->schema = schema_other;
    if (variant == 2) config->l2 = 1e-3;
    if (variant == 3) config->radius = 50;
    if (variant == 4) config->learner = "kt:e0=3";
    all_fail(TACIT_EINVAL, "rank 1 has other options");
  }
  start_ranks(3);
  ranks[1].config.epsilon = -1; /* not even a plan */
  all_fail(TACIT_EINVAL, "rank 1: epsilon");
}

static void meddle_bound(tacit_train *train) {
  assert_int_equal(tacit_round_open(train, NULL), TACIT_OK);
  train->open.bound *= 2;
}
static void meddle_x(tacit_train *train) {
  assert_int_equal(tacit_round_open(train, NULL), TACIT_OK);
  train->open.delta.x = train->open.y;
}

static void ranks_that_drift_apart_are_refused(void **state) {
  (void)state;
  start_ranks(2);
  ranks[1].meddle = meddle_bound;
  all_fail(TACIT_EPRIVACY, "rank 1 computes other numbers");
  start_ranks(2);
  double start[DIM];
  for (int i = 0; i < DIM; ++i)
    start[i] = 0.01;
  ranks[0].config.start = ranks[1].config.start = start;
  ranks[1].meddle = meddle_x;
  all_fail(TACIT_EPRIVACY, "rank 1 computes other numbers");
}

static int stop_in_round_3(void *cookie, const tacit_progress *progress) {
  (void)cookie;
  return progress->round >= 3;
}

static int stop_at_round(void *cookie, const tacit_progress *progress) {
  return progress->round >= *(const int64_t *)cookie;
}

static void one_rank_can_stop_all(void **state) {
  (void)state;
  start_ranks(4);
  ranks[3].config.progress = stop_in_round_3;
  all_fail(TACIT_ECANCELED, "rank 3: stopped");
}

/* Stops in a round and resumes with another number of ranks, at last one process. */
static void a_group_goes_on_from_a_checkpoint(void **state) {
  (void)state;
  static const int sizes[] = {3, 2, 1, 4, 1};
  assert_int_equal(place_make(), 0);
  for (int variant = 0; variant <= 6; ++variant) {
    double expected[DIM];
    start_ranks(2);
    for (int i = 0; i < 2; ++i)
      vary(&ranks[i].config, variant);
    run_ranks();
    memcpy(expected, ranks[0].weights, sizeof expected);
    (void)unlink(place_file);
    for (int64_t part = 0; part < 5; ++part) {
      int64_t stop = 1 + 2 * part;
      start_ranks(sizes[part]);
      for (int i = 0; i < sizes[part]; ++i) {
        vary(&ranks[i].config, variant);
        if (variant % 2 == 1) ranks[i].seat.group.gather = NULL;
        if (variant % 4 == 2) /* of a program that does not know it */
          ranks[i].seat.group.struct_size = offsetof(tacit_group, gather);
        ranks[i].config.checkpoint = place_file;
        ranks[i].config.key_file = place_key;
        ranks[i].config.resume = 1;
        ranks[i].config.progress = part < 4 ? stop_at_round : NULL;
        ranks[i].config.progress_cookie = &stop;
      }
      if (part == 4) ranks[0].config.group = NULL;
      if (part < 4) {
        all_fail(TACIT_ECANCELED, "stopped");
      } else {
        run_ranks();
        CHECK_OK(ranks[0].status, ranks[0].err);
      }
    }
    assert_memory_equal(ranks[0].weights, expected, sizeof expected);
  }
  /* When rank 0 refuses the checkpoint, all ranks fail. */
  start_ranks(3);
  for (int i = 0; i < 3; ++i) {
    ranks[i].config.checkpoint = place_file;
    ranks[i].config.key_file = place_other_key;
    ranks[i].config.resume = 1;
  }
  all_fail(TACIT_EDATA, "the wrong key file");
  assert_int_equal(place_remove(), 0);
}

static void a_broken_group_ends_the_run(void **state) {
  (void)state;
  for (int after = 0; after < 12; ++after) {
    start_ranks(2);
    hall.lost_after = after;
    run_ranks();
    for (int i = 0; i < 2; ++i)
      assert_int_equal(ranks[i].status, TACIT_EIO);
  }
  start_ranks(1);
  for (int variant = 0; variant < 4; ++variant) {
    tacit_group group = ranks[0].seat.group;
    tacit_train *train = NULL;
    if (variant == 0) group.struct_size = 0;
    if (variant == 1) group.rank = 1;
    if (variant == 2) group.size = 0;
    if (variant == 3) group.sum_scatter = NULL;
    ranks[0].config.group = &group;
    assert_int_equal(tacit_train_new(&ranks[0].config, &train, NULL), TACIT_EINVAL);
    assert_int_equal(tacit_group_agree(&group, 0, TACIT_OK, NULL), TACIT_EINVAL);
  }
  assert_int_equal(tacit_group_agree(NULL, 0, TACIT_EIO, NULL), TACIT_EIO);
}

static void *agree(void *argument) {
  struct rank *rank = argument;
  rank->status =
      tacit_group_agree(&rank->seat.group, rank->chunk, rank->err.status, &rank->err);
  return NULL;
}

static void run_agree(void) {
  pthread_t threads[RANKS_MAX];
  for (int i = 0; i < hall.size; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, agree, &ranks[i]), 0);
  for (int i = 0; i < hall.size; ++i)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&hall.barrier);
}

static void the_lowest_fault_is_told(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; ++variant) {
    start_ranks(4);
    for (int i = 0; i < 4; ++i)
      ranks[i].chunk = 9;
    tacit_error one = {TACIT_EIO, "a.csv: gone"}, three = {TACIT_EDATA, "b.csv: bad"};
    if (variant == 1 || variant == 2) ranks[3].err = three;
    if (variant == 2) ranks[1].err = one;
    if (variant == 3) ranks[2].chunk = 10;
    run_agree();
    for (int i = 0; i < 4; ++i) {
      static const tacit_status expected[] = {TACIT_OK, TACIT_EDATA, TACIT_EIO,
                                              TACIT_ESTATE};
      static const char *const words[] = {
          "", "rank 3: b.csv: bad", "rank 1: a.csv: gone",
          "rank 2 is at another point of the run than rank 0: start all ranks alike"};
      assert_int_equal(ranks[i].status, expected[variant]);
      assert_string_equal(ranks[i].err.message, words[variant]);
    }
  }
}

/* Reduce-scatter and gather of d numbers of 8 bytes, and short messages: at most 2.2 *
   8 d bytes. */
static void check_cost(int size, double vector) {
  run_ranks();
  for (int i = 0; i < size; ++i) {
    const struct seat *seat = &ranks[i].seat;
    assert_int_equal(ranks[i].status, TACIT_OK);
    CHECK_AT_MAX((double)seat->sent / 32, 2.2 * 8 * vector);
    CHECK_AT_MAX((double)seat->received / 32, 2.2 * 8 * vector);
    assert_true((double)seat->sent / 32 > 8 * DIM / 2 - 8 * TACIT_NOISE_BLOCK);
  }
}

static void a_round_costs_two_vectors(void **state) {
  (void)state;
  start_ranks(4);
  check_cost(4, DIM);
}

/* Rank 0 gets the sums too, and leaves the release to the others. Three ranks have a
   block each, though the last one is not full. */
static void a_round_with_a_checkpoint_costs_two_vectors(void **state) {
  (void)state;
  assert_int_equal(place_make(), 0);
  for (int size = 2; size <= 4; ++size) {
    (void)unlink(place_file);
    start_ranks(size);
    for (int i = 0; i < size; ++i) {
      ranks[i].config.checkpoint = place_file;
      ranks[i].config.key_file = place_key;
    }
    check_cost(size, 3 * TACIT_NOISE_BLOCK);
  }
  assert_int_equal(place_remove(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
      cmocka_unit_test(tell_takes_the_sums_of_each_rank),
      cmocka_unit_test(ranks_share_a_key_nobody_knows),
      cmocka_unit_test(a_bad_row_on_one_rank_ends_all),
      cmocka_unit_test(ranks_that_differ_are_refused),
      cmocka_unit_test(ranks_that_drift_apart_are_refused),
      cmocka_unit_test(one_rank_can_stop_all),
      cmocka_unit_test(a_group_goes_on_from_a_checkpoint),
      cmocka_unit_test(a_broken_group_ends_the_run),
      cmocka_unit_test(the_lowest_fault_is_told),
      cmocka_unit_test(a_round_costs_two_vectors),
      cmocka_unit_test(a_round_with_a_checkpoint_costs_two_vectors),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
