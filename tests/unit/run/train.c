/* SPDX-License-Identifier: MIT */
/* A run gives the same bits however the rows come, and no model after any failure. */
#include "made.h"

#include <stdlib.h>

#include "run/run.h"
#include "vault/words.h"

enum { ROWS = 3000, FEATURES = 7, SUMS = FEATURES + 4 + 40 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static tacit_schema *schema;

static int make_rows(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = "train tests";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int i = 0; i < ROWS; ++i) {
    double margin = 0.3;
    for (int j = 0; j < FEATURES; ++j) {
      double value = made_uniform(&words);
      raw_values[i * FEATURES + j] = value;
      margin += value * (j - 3);
    }
    raw_labels[i] = margin > 0 ? 1 : -1;
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
  config.seeded = 1;
  config.seed = 11;
  config.threads = 1;
  return config;
}

static tacit_batch rows_from(int64_t first, int64_t end) {
  return dense_rows(raw_values + first * FEATURES, raw_labels + first, end - first,
                    FEATURES);
}

/* Trains with `chunk` rows per feed; writes the weights to out. */
static void train_chunks(const tacit_config *config, int64_t chunk, double *out) {
  tacit_train *train;
  tacit_model *model;
  tacit_error err;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  /* One reading of a stream; of several passes one more, for the mean. */
  int readings = config->passes > 1 ? config->passes + 1 : 1;
  for (int pass = 0; pass < readings; ++pass) {
    for (int64_t first = 0; first < ROWS; first += chunk) {
      tacit_batch batch = rows_from(first, first + chunk < ROWS ? first + chunk : ROWS);
      CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    }
  }
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  assert_int_equal(count, FEATURES + 1);
  memcpy(out, weights, count * sizeof *weights);
  tacit_model_free(model);
  tacit_train_free(train);
}

static void same_bits_for_any_threads_and_chunks(void **state) {
  (void)state;
  static const unsigned threads[] = {1, 2, 3, 8};
  static const int64_t chunks[] = {ROWS, 1, 97, 1024};
  for (int variant = 0; variant < 4; ++variant) {
    tacit_config config = plain();
    if (variant == 1) config.passes = 3;
    if (variant == 2) config.bound = TACIT_BOUND_TIGHT, config.batch = 7; /* blt */
    if (variant == 3) config.mechanism = "tree";
    double first[FEATURES + 1], other[FEATURES + 1];
    train_chunks(&config, ROWS, first);
    for (int i = 0; i < 4; ++i) {
      config.threads = threads[i];
      train_chunks(&config, chunks[(i + variant) % 4], other);
      assert_memory_equal(first, other, sizeof first);
    }
    config.seed = 12;
    train_chunks(&config, ROWS, other);
    assert_memory_not_equal(first, other, sizeof first);
  }
}

static void operating_system_noise_differs_every_time(void **state) {
  (void)state;
  tacit_config config = plain();
  double first[FEATURES + 1], other[FEATURES + 1];
  config.seeded = 0;
  train_chunks(&config, ROWS, first);
  train_chunks(&config, ROWS, other);
  assert_memory_not_equal(first, other, sizeof first);
}

/* The same rows, sparse. */
static void sparse_equals_dense(void **state) {
  (void)state;
  static int64_t row_start[ROWS + 1];
  static uint32_t indices[ROWS * FEATURES];
  for (int64_t i = 0; i <= ROWS; ++i)
    row_start[i] = i * FEATURES;
  for (uint32_t i = 0; i < ROWS * FEATURES; ++i)
    indices[i] = i % FEATURES;
  tacit_config config = plain();
  double dense[FEATURES + 1];
  train_chunks(&config, ROWS, dense);
  tacit_train *train;
  tacit_model *model;
  tacit_error err;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  tacit_batch batch = rows_from(0, ROWS);
  batch.raw_row_start = row_start;
  batch.raw_indices = indices;
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  size_t count;
  assert_memory_equal(tacit_model_weights(model, &count), dense, sizeof dense);
  tacit_model_free(model);
  tacit_train_free(train);
}

/* Two shards per round through ask and tell give the same model as feeding. */
static void ask_and_tell_equals_feeding(void **state) {
  (void)state;
  tacit_config config = plain();
  config.passes = 2;
  double fed[FEATURES + 1];
  train_chunks(&config, ROWS, fed);
  tacit_train *train;
  tacit_model *model;
  tacit_error err;
  tacit_round round = {.struct_size = sizeof round};
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  int64_t at = 0;
  for (int64_t t = 0; t <= round.rounds; ++t) {
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    assert_true(round.t == t && round.dim <= SUMS);
    int64_t raw_sum[SUMS] = {0}, raw_other[SUMS] = {0};
    int64_t raw_count = 0, raw_count_other = 0, cut = at + round.n_rows / 3;
    tacit_batch left = rows_from(at, cut), right = rows_from(cut, at + round.n_rows);
    CHECK_OK(tacit_round_delta(train, &round, &left, raw_sum, &raw_count, &err), err);
    CHECK_OK(
        tacit_round_delta(train, &round, &right, raw_other, &raw_count_other, &err),
        err);
    for (int j = 0; j < SUMS; ++j)
      raw_sum[j] += raw_other[j];
    CHECK_OK(tacit_round_tell(train, raw_sum, raw_count + raw_count_other, &err), err);
    at = (at + round.n_rows) % ROWS;
  }
  assert_int_equal(tacit_round_ask(train, &round, &err), TACIT_ESTATE);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  size_t count;
  assert_memory_equal(tacit_model_weights(model, &count), fed, sizeof fed);
  tacit_model_free(model);
  tacit_train_free(train);
}

static void check_dead(tacit_train *train) {
  tacit_error err;
  tacit_model *model = NULL;
  tacit_batch batch = rows_from(0, 1);
  tacit_round round = {.struct_size = sizeof round};
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_ESTATE);
  assert_int_equal(tacit_round_ask(train, &round, &err), TACIT_ESTATE);
  assert_int_equal(tacit_train_finish(train, &model, &err), TACIT_ESTATE);
  assert_null(model);
  tacit_train_free(train);
}

static tacit_train *fresh(const tacit_config *config) {
  tacit_train *train;
  tacit_error err;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  return train;
}

static void tell_refuses_what_the_rows_cannot_be(void **state) {
  (void)state;
  tacit_config config = plain();
  for (int fault = 0; fault < 5; ++fault) {
    tacit_train *train = fresh(&config);
    tacit_round round = {.struct_size = sizeof round};
    tacit_error err;
    int64_t raw_sum[SUMS] = {0};
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    if (fault == 0) raw_sum[2] = round.n_rows * round.lattice_clip + 1;
    if (fault == 1) raw_sum[2] = -round.n_rows * round.lattice_clip - 1;
    int64_t count = round.n_rows;
    if (fault == 2) count -= 1;
    if (fault == 3) count += 1;
    if (fault == 4) count = -1;
    assert_int_equal(tacit_round_tell(train, raw_sum, count, &err), TACIT_EPRIVACY);
    check_dead(train);
  }
}

static void wrong_numbers_of_rows_give_no_model(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_error err;
  tacit_model *model = NULL;
  tacit_batch all = rows_from(0, ROWS), one = rows_from(0, 1),
              few = rows_from(0, ROWS - 1);

  tacit_train *train = fresh(&config);
  CHECK_OK(tacit_train_feed(train, &few, &err), err);
  assert_int_equal(tacit_train_finish(train, &model, &err), TACIT_EDATA);
  check_dead(train);

  train = fresh(&config);
  CHECK_OK(tacit_train_feed(train, &all, &err), err);
  assert_int_equal(tacit_train_feed(train, &one, &err), TACIT_EDATA);
  check_dead(train);

  train = fresh(&config);
  CHECK_OK(tacit_train_feed(train, &all, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_model_free(model);
  check_dead(train); /* one run, one model */
}

/* The sensitivity counts a row at known rounds: another order in the second pass, or
   another row, ends the run. */
static void a_second_pass_that_differs_is_refused(void **state) {
  (void)state;
  tacit_config config = plain();
  config.passes = 2;
  for (int fault = 0; fault < 3; ++fault) {
    tacit_train *train = fresh(&config);
    tacit_error err;
    tacit_batch all = rows_from(0, ROWS), head = rows_from(1, ROWS);
    CHECK_OK(tacit_train_feed(train, &all, &err), err); /* for the mean */
    CHECK_OK(tacit_train_feed(train, &all, &err), err);
    double before = raw_values[5], label = raw_labels[4];
    tacit_status status;
    if (fault == 0) {
      status = tacit_train_feed(train, &head, &err); /* shifted by one row */
    } else {
      if (fault == 1) raw_values[5] = before + 1e-12;
      if (fault == 2) raw_labels[4] = -label;
      status = tacit_train_feed(train, &all, &err);
      raw_values[5] = before;
      raw_labels[4] = label;
    }
    assert_int_equal(status, TACIT_EDATA);
    check_dead(train);
  }
}

static void a_bad_row_ends_the_run(void **state) {
  (void)state;
  tacit_config config = plain();
  for (unsigned threads = 1; threads <= 2; ++threads) {
    config.threads = threads;
    tacit_train *train = fresh(&config);
    tacit_error err;
    tacit_batch all = rows_from(0, ROWS);
    double label = raw_labels[1500];
    raw_labels[1500] = 0.5;
    assert_int_equal(tacit_train_feed(train, &all, &err), TACIT_EDATA);
    assert_null(strstr(err.message, "0.5")); /* never a value from a record */
    raw_labels[1500] = label;
    check_dead(train);
  }
}

static int stop_half_way(void *cookie, const tacit_progress *progress) {
  ++*(int *)cookie;
  assert_true(progress->rounds == 24 && progress->rows_all == ROWS);
  return progress->round >= 16;
}

static void the_caller_can_stop(void **state) {
  (void)state;
  int calls = 0;
  tacit_config config = plain();
  config.progress = stop_half_way;
  config.progress_cookie = &calls;
  tacit_train *train = fresh(&config);
  tacit_error err;
  tacit_batch all = rows_from(0, ROWS);
  assert_int_equal(tacit_train_feed(train, &all, &err), TACIT_ECANCELED);
  assert_int_equal(calls, 17); /* round 0 is one more */
  check_dead(train);
}

static void contradictions_and_ranges_are_refused(void **state) {
  (void)state;
  struct {
    tacit_status status;
    tacit_config config;
  } cases[] = {
      {TACIT_EINVAL, plain()},   {TACIT_EINVAL, plain()}, {TACIT_EINVAL, plain()},
      {TACIT_EINVAL, plain()},   {TACIT_EINVAL, plain()}, {TACIT_EINVAL, plain()},
      {TACIT_EINVAL, plain()},   {TACIT_EINVAL, plain()}, {TACIT_EINVAL, plain()},
      {TACIT_EINVAL, plain()},   {TACIT_EINVAL, plain()}, {TACIT_EINVAL, plain()},
      {TACIT_EPRIVACY, plain()},
  };
  cases[0].config.epsilon = -1;
  cases[1].config.epsilon = 0;
  cases[2].config.delta = 1;
  cases[3].config.rho = 1;            /* with epsilon */
  cases[4].config.mechanism = "none"; /* with epsilon */
  cases[5].config.loss = "squared";   /* classes declared */
  cases[6].config.learner = "nonsense";
  cases[7].config.rows = 0;
  cases[8].config.bound = TACIT_BOUND_TIGHT;
  cases[8].config.clip = 1;
  cases[9].config.batch = ROWS + 1;
  cases[10].config.epsilon = NAN;
  cases[11].config.delta = 0.6;
  cases[12].config.mechanism = "tree";
  cases[12].config.power = 16; /* first and last bound differ by more than 2^44 */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_train *train = NULL;
    tacit_error err = {TACIT_OK, ""};
    tacit_status status = tacit_train_new(&cases[i].config, &train, &err);
    if (status != cases[i].status)
      fail_msg("case %zu: %s", i, tacit_status_name(status));
    assert_true(strlen(err.message) > 10 && err.status == status);
    assert_null(train);
  }
}

static void statements_say_what_was_done(void **state) {
  (void)state;
  struct {
    int seeded;
    const char *law; /* with delta 0 and the tree */
    const char *mechanism;
    int is_private;
  } const cases[] = {{0, NULL, NULL, 1},
                     {0, "laplace", "tree", 1},
                     {1, NULL, NULL, 0},
                     {0, "exp-l1", "tree", 0},
                     {0, NULL, "none", 0}};
  for (int i = 0; i < 5; ++i) {
    tacit_config config = plain();
    config.seeded = cases[i].seeded;
    config.law = cases[i].law;
    config.pure = cases[i].law != NULL;
    config.mechanism = cases[i].mechanism;
    if (config.pure)
      config.delta = 0;
    else if (cases[i].mechanism != NULL)
      config.epsilon = 0;
    tacit_train *train = fresh(&config);
    tacit_batch all = rows_from(0, ROWS);
    tacit_model *model;
    tacit_error err;
    CHECK_OK(tacit_train_feed(train, &all, &err), err);
    CHECK_OK(tacit_train_finish(train, &model, &err), err);
    assert_int_equal(tacit_model_statement(model)->is_private, cases[i].is_private);
    int says_not = strncmp(tacit_model_statement_text(model), "NOT PRIVATE", 11) == 0;
    assert_int_equal(says_not, !cases[i].is_private);
    tacit_model_free(model);
    tacit_train_free(train);
  }
}

/* The smaller of 1/rows^2 and 1e-6, also where 1/rows^2 would be no guarantee. */
static void delta_is_small_by_default(void **state) {
  (void)state;
  static const struct {
    int64_t rows;
    double delta;
  } cases[] = {{1, 1e-6}, {30, 1e-6}, {1000, 1e-6}, {2000, 2.5e-7}, {1000000, 1e-12}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_config config = plain();
    tacit_error err;
    tacit_plan *plan;
    config.rows = cases[i].rows;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    CHECK_RELATIVE(plan->delta, cases[i].delta, 1e-15);
    assert_true(plan->delta <= 1e-6);
    tacit_plan_free(plan);
  }
}

/* Rounds, rows and noise of two presets, against the formulas. */
static void plans_follow_the_formulas(void **state) {
  (void)state;
  tacit_config config = plain();
  config.preset = TACIT_ANYTIME;
  tacit_error err;
  tacit_plan *plan;
  double mu;
  CHECK_OK(tacit_mu_from_dp_down(1, 1.0 / ((double)ROWS * ROWS), &mu, &err), err);
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  assert_true(plan->rounds == 32 && plan->power == 2 && plan->free_last_step);
  CHECK_RELATIVE(plan->clip, 0.7, 1e-15);
  CHECK_RELATIVE(plan->mu, mu, 1e-12);
  assert_string_equal(plan->vault.encoder->name, "banded");
  tacit_plan_free(plan);
  config.mechanism = "tree";
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  /* last node: kappa sqrt(6) c (1 - r_32) / mu over the mean of a batch */
  double rise = 1 - (31.0 * 31) / (32.0 * 32);
  CHECK_RELATIVE(plan->noise_last, 2 * sqrt(6) * 0.7 * rise / mu / (ROWS / 32.0), 1e-9);
  tacit_plan_free(plan);

  int64_t seen = 0;
  config.passes = 5; /* round(32/5) = 6 batches per pass */
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  assert_true(plan->per_pass == 6 && plan->rounds == 30);
  for (int64_t t = 1; t <= plan->rounds; ++t)
    seen += tacit_plan_round_rows(plan, t);
  assert_true(seen == 5 * ROWS);
  tacit_plan_free(plan);

  config.passes = 1;
  config.preset = TACIT_PAPER;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  double log_delta = log((double)ROWS * ROWS);
  assert_true(plan->rounds == ROWS && plan->power == 1 && !plan->free_last_step);
  CHECK_RELATIVE(plan->mu, sqrt(2 * log_delta + 2) - sqrt(2 * log_delta), 1e-9);
  CHECK_RELATIVE(plan->vault.lattice.sens, sqrt(log2(2.0 * ROWS)), 1e-12);
  tacit_weights weights;
  tacit_weights_init(&weights, 1, ROWS);
  tacit_weights_next(&weights);
  /* s_t in units of beta_R: (k+1) t^(k-1) (G + H longest)/R, G = 1, H = 1/4 */
  CHECK_RELATIVE(tacit_plan_bound(plan, &weights, 1, 3), 2 * (1 + 0.75) / ROWS, 1e-12);
  tacit_plan_free(plan);
}

/* Whatever the practical preset becomes. */
static void anytime_has_the_defaults_of_version_0_1_0(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_plan *plan;
  tacit_error err;
  config.preset = TACIT_ANYTIME;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  assert_string_equal(plan->learner_spec, "kt");
  assert_string_equal(plan->vault.encoder->name, "banded");
  assert_true(plan->power == 2 && plan->rounds == 32 && plan->passes == 1);
  assert_true(plan->free_last_step && plan->bound == TACIT_BOUND_CLIP);
  assert_true(!plan->centred && plan->row.scale == 0 && plan->learner.radius == 100);
  CHECK_RELATIVE(plan->clip, 0.7, 1e-15);
  assert_non_null(strstr(plan->statement_text, "preset anytime"));
  tacit_plan_free(plan);
}

/* A ledger may cancel a failed run only before noise was drawn. With one row less than
   a round there was none; after the last row of a round, or a sum that the vault
   refuses, there may have been. */
static void noise_begins_with_the_first_release(void **state) {
  (void)state;
  tacit_config config = plain();
  tacit_train *train;
  tacit_error err;
  int64_t due = ROWS / 16; /* rows of round 0 */
  tacit_batch max = rows_from(0, due - 1), last = rows_from(due - 1, due);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_int_equal(tacit_train_noise_begun(train), 0);
  CHECK_OK(tacit_train_feed(train, &max, &err), err);
  assert_int_equal(tacit_train_noise_begun(train), 0);
  double bad = NAN;
  last.n_features = 1;
  last.raw_values = &bad;
  assert_int_not_equal(tacit_train_feed(train, &last, &err), TACIT_OK);
  assert_int_equal(tacit_train_noise_begun(train), 0);
  tacit_train_free(train);

  last = rows_from(due - 1, due);
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  CHECK_OK(tacit_train_feed(train, &max, &err), err);
  CHECK_OK(tacit_train_feed(train, &last, &err), err);
  assert_int_equal(tacit_train_noise_begun(train), 1);
  tacit_train_free(train);

  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  int64_t sum[SUMS] = {INT64_MAX};
  assert_int_equal(tacit_round_tell(train, sum, due, &err), TACIT_EPRIVACY);
  assert_int_equal(tacit_train_noise_begun(train), 1);
  tacit_train_free(train);
}

static void settings_from_the_records_take_privacy_away(void **state) {
  (void)state;
  tacit_config config = plain();
  config.seeded = 0;
  tacit_plan *plan;
  tacit_error err;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  assert_non_null(strstr(tacit_plan_statement_json(plan), "\"private\": true"));
  tacit_plan_free(plan);
  config.leaks = "row_norm, classes";
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  const char *reason = "settings were taken from the records: row_norm, classes";
  assert_non_null(strstr(tacit_plan_statement_json(plan), "\"private\": false"));
  assert_non_null(strstr(tacit_plan_statement_json(plan), reason));
  assert_non_null(strstr(tacit_plan_statement_text(plan), reason));
  tacit_plan_free(plan);
  char longest[202];
  memset(longest, 'a', sizeof longest);
  longest[200] = '\0';
  config.leaks = longest;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  tacit_plan_free(plan);
  longest[200] = 'a';
  longest[201] = '\0';
  const char *const wrong[] = {longest, "", "two\nlines", "\xc3\xa9"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    config.leaks = wrong[i];
    assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_for_any_threads_and_chunks),
      cmocka_unit_test(operating_system_noise_differs_every_time),
      cmocka_unit_test(sparse_equals_dense),
      cmocka_unit_test(ask_and_tell_equals_feeding),
      cmocka_unit_test(tell_refuses_what_the_rows_cannot_be),
      cmocka_unit_test(wrong_numbers_of_rows_give_no_model),
      cmocka_unit_test(a_second_pass_that_differs_is_refused),
      cmocka_unit_test(a_bad_row_ends_the_run),
      cmocka_unit_test(the_caller_can_stop),
      cmocka_unit_test(contradictions_and_ranges_are_refused),
      cmocka_unit_test(statements_say_what_was_done),
      cmocka_unit_test(delta_is_small_by_default),
      cmocka_unit_test(plans_follow_the_formulas),
      cmocka_unit_test(anytime_has_the_defaults_of_version_0_1_0),
      cmocka_unit_test(noise_begins_with_the_first_release),
      cmocka_unit_test(settings_from_the_records_take_privacy_away),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
