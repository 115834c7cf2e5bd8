/* SPDX-License-Identifier: MIT */
/* engine/ seen from the wall: the vault is told the truth about the run, and what the
   outside is told depends on no row. */
#include "made.h"
#include "sums.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/numbers.h"
#include "run/run.h"

enum { ROWS = 600, FEATURES = 4, REPORTS_MAX = 200 };

static double raw_values[2][ROWS * FEATURES], raw_labels[2][ROWS];
static tacit_schema *schema;

/* Two data sets that have no row in common. */
static int make_rows(void **state) {
  (void)state;
  for (int set = 0; set < 2; ++set) {
    for (int i = 0; i < ROWS * FEATURES; ++i)
      raw_values[set][i] = sin(1 + i + 1000 * set) * (1 + 5 * set);
    for (int i = 0; i < ROWS; ++i)
      raw_labels[set][i] = (i * i + set) % 3 == 0 ? 1 : -1;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

static int free_rows(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return 0;
}

static tacit_config plain(void) {
  tacit_config config = made_config(schema, ROWS);
  config.preset = TACIT_ANYTIME; /* no release decides about the noise */
  config.passes = 1;
  config.seeded = 1;
  config.threads = 2;
  return config;
}

struct reports {
  tacit_progress all[REPORTS_MAX];
  int count;
};

static int keep_report(void *cookie, const tacit_progress *progress) {
  struct reports *reports = cookie;
  assert_true(reports->count < REPORTS_MAX);
  reports->all[reports->count++] = *progress;
  return 0;
}

static tacit_batch rows_from(int set, int64_t first, int64_t count) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = count;
  batch.n_features = FEATURES;
  batch.raw_values = raw_values[set] + first * FEATURES;
  batch.raw_labels = raw_labels[set] + first;
  return batch;
}

/* Feeds data set `set` in chunks that are not rounds. Returns the noise that was said
   of the last round. */
static double train_set(tacit_config config, int set, struct reports *out) {
  tacit_train *train;
  tacit_error err;
  memset(out, 0, sizeof *out);
  config.progress = keep_report;
  config.progress_cookie = out;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  for (int pass = 0; pass < config.passes; ++pass) {
    for (int64_t first = 0; first < ROWS; first += 100) {
      tacit_batch batch = rows_from(set, first, 100);
      CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    }
  }
  tacit_train_free(train);
  return out->all[out->count - 1].noise_scale;
}

static const char *const mechanisms[] = {"tree", "banded", "blt"};

/* With bounds that do not follow the steps, no number in a report depends on the rows,
   in the middle of a round neither. */
static void progress_says_nothing_of_the_rows(void **state) {
  (void)state;
  static struct reports reports[2];
  for (int which = 0; which < 3; ++which) {
    tacit_config config = plain();
    config.mechanism = mechanisms[which];
    config.passes = 2;
    config.batch = 150;
    for (int set = 0; set < 2; ++set)
      (void)train_set(config, set, &reports[set]);
    assert_true(reports[0].count == reports[1].count && reports[0].count >= 12);
    for (int i = 0; i < reports[0].count; ++i) {
      const tacit_progress *a = &reports[0].all[i], *b = &reports[1].all[i];
      assert_true(a->round == b->round && a->rounds == b->rounds);
      assert_true(a->rows == b->rows && a->rows_all == b->rows_all);
      assert_true(a->pass == b->pass && a->passes == b->passes);
      assert_memory_equal(&a->noise_scale, &b->noise_scale, sizeof a->noise_scale);
    }
  }
}

/* What the vault is built from, against facts counted here. */
static void the_vault_knows_adjacency_rounds_and_passes(void **state) {
  (void)state;
  for (int which = 0; which < 3 * 2 * 3; ++which) {
    tacit_config config = plain();
    tacit_plan *plan;
    tacit_error err;
    config.mechanism = mechanisms[which % 3];
    config.adjacency = which / 3 % 2 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    config.passes = 1 + which / 6;
    config.batch = 60;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    tacit_encoder_facts shape = plan->vault.shape;
    shape.dim = FEATURES + 1;
    shape.per_pass = 10;
    shape.rounds = 10 * config.passes;
    tacit_encoder_sens sens = sens_of(plan->vault.encoder, &shape);
    CHECK_AT_MAX(sens.squares, plan->vault.lattice.sens);
    assert_int_equal(plan->vault.kappa, config.adjacency == TACIT_ZERO_OUT ? 1 : 2);
    CHECK_AT_MAX(plan->vault.budget, plan->mu);
    /* A row that comes twice counts more than one that comes once. */
    shape.per_pass = shape.rounds;
    tacit_encoder_sens once = sens_of(plan->vault.encoder, &shape);
    if (strcmp(config.mechanism, "tree") == 0 && config.passes > 1)
      assert_true(once.squares < sens.squares);
    tacit_plan_free(plan);
  }
}

/* The noise of the last round is the one the plan foresees. */
static void rounds_get_the_noise_of_the_plan(void **state) {
  (void)state;
  static struct reports reports;
  for (int which = 0; which < 3 * 2 * 2; ++which) {
    tacit_config config = plain();
    tacit_plan *plan;
    tacit_error err;
    config.mechanism = mechanisms[which % 3];
    config.adjacency = which / 3 % 2 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    config.passes = 1 + which / 6;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    CHECK_RELATIVE(train_set(config, which % 2, &reports), plan->noise_last, 1e-3);
    tacit_plan_free(plan);
  }
}

/* What a single row adds to a round is within the bound the vault is told, in the norm
   of the noise: L1 for pure DP, else L2. */
static void rows_are_within_what_the_vault_is_told(void **state) {
  (void)state;
  static const struct {
    int pure;
    double norm;
  } ways[] = {{0, 2}, {0, 1.5}, {0, 1}, {1, 2}};
  for (int way = 0; way < 4; ++way) {
    tacit_config config = plain();
    tacit_train *train;
    tacit_error err;
    config.pure = ways[way].pure;
    config.norm = ways[way].norm;
    config.batch = 150;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    for (int64_t t = 1; t <= 4; ++t) {
      tacit_round round;
      tacit_round_init(&round);
      CHECK_OK(tacit_round_ask(train, &round, &err), err);
      int64_t raw_sum[FEATURES + 1] = {0}, raw_count = 0;
      for (int64_t i = 0; i < round.n_rows; ++i) {
        tacit_batch one = rows_from(1, round.first + i, 1);
        int64_t raw_one[FEATURES + 1] = {0}, raw_ones = 0;
        CHECK_OK(tacit_round_delta(train, &round, &one, raw_one, &raw_ones, &err), err);
        tacit_i128 sum = 0, squares = 0, clip = round.lattice_clip;
        for (int j = 0; j <= FEATURES; ++j) {
          sum += raw_one[j] < 0 ? -raw_one[j] : raw_one[j];
          squares += (tacit_i128)raw_one[j] * raw_one[j];
          raw_sum[j] += raw_one[j];
        }
        assert_true(config.pure ? sum <= clip : squares <= clip * clip);
        raw_count += raw_ones;
      }
      CHECK_OK(tacit_round_tell(train, raw_sum, raw_count, &err), err);
    }
    tacit_train_free(train);
  }
}

/* Makes sure that two threads work on a round: the first and the last row of it, which
   are not in one task, wait for each other. */
struct meeting {
  pthread_mutex_t lock;
  pthread_cond_t arrival;
  int waits, arrived;
};

static int meet(struct meeting *meeting) {
  struct timespec limit;
  (void)clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 60; /* only where there is no second thread */
  pthread_mutex_lock(&meeting->lock);
  int mine = ++meeting->arrived, needed = mine + mine % 2, late = 0;
  pthread_cond_broadcast(&meeting->arrival);
  while (meeting->arrived < needed && late == 0)
    late = pthread_cond_timedwait(&meeting->arrival, &meeting->lock, &limit);
  int met = meeting->arrived >= needed;
  pthread_mutex_unlock(&meeting->lock);
  return met;
}

enum { HALF = ROWS / 2 };

static tacit_status meeting_gradient(void *self, const tacit_batch *batch, int64_t row,
                                     const double *weights, double *raw_out) {
  struct meeting *meeting = self;
  int64_t number = (int64_t)batch->raw_labels[row] % HALF;
  if (meeting->waits && (number == 0 || number == HALF - 1) && !meet(meeting))
    return TACIT_ESTATE;
  for (int j = 0; j < FEATURES; ++j)
    raw_out[j] = batch->raw_values[row * FEATURES + j] - weights[j];
  return TACIT_OK;
}

/* What one thread added up counts in its round and in no other. */
static void a_second_thread_counts_once(void **state) {
  (void)state;
  double weights[2][FEATURES];
  static double raw_numbers[ROWS];
  for (int i = 0; i < ROWS; ++i)
    raw_numbers[i] = i;
  for (int threads = 1; threads <= 2; ++threads) {
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                              threads > 1, 0};
    tacit_gradient_ops ops = {
        .version = 1, .dim = FEATURES, .gradient = meeting_gradient, .self = &meeting};
    tacit_config config = plain();
    tacit_train *train;
    tacit_error err;
    config.gradient = &ops;
    config.clip = 1;
    config.batch = HALF;
    config.threads = (unsigned)threads;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    tacit_batch batch = rows_from(0, 0, ROWS);
    batch.raw_labels = raw_numbers;
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    CHECK_OK(tacit_train_weights(train, FEATURES, weights[threads - 1], &err), err);
    tacit_train_free(train);
    assert_true(threads == 1 || meeting.arrived >= 6); /* once, then at two points */
  }
  assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(progress_says_nothing_of_the_rows),
      cmocka_unit_test(the_vault_knows_adjacency_rounds_and_passes),
      cmocka_unit_test(rounds_get_the_noise_of_the_plan),
      cmocka_unit_test(rows_are_within_what_the_vault_is_told),
      cmocka_unit_test(a_second_thread_counts_once),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
