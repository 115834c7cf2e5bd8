/* SPDX-License-Identifier: MIT */
/* Workers of a run in another process: the same integers as in the run itself, for
   every kind of problem; rounds of other runs refused; digests. */
#include "check.h"

#include <stdlib.h>

#include "plan/plan.h"

enum { ROWS = 203, FEATURES = 5, MAX = 4 * (FEATURES + 2) + 8 + 40 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS], raw_classes[ROWS];

static int make_rows(void **state) {
  uint64_t s = 5;
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j) {
      s = s * 6364136223846793005u + 1442695040888963407u;
      raw_values[i * FEATURES + j] = (double)(s >> 11) * 0x1p-53 - 0.4;
    }
    raw_labels[i] = raw_values[i * FEATURES] > 0.1 ? 1 : -1;
    raw_classes[i] = i % 4;
  }
  return 0;
}

static tacit_batch rows_from(int64_t first, int64_t end, const double *labels) {
  return dense_rows(raw_values + first * FEATURES, labels + first, end - first,
                    FEATURES);
}

/* One of each kind of problem. */
enum { PLAIN, PURE, NORM, CLASSES, NUMBER, PAPER, PASSES, OWN, SECOND, N_KINDS };

/* Kinds that differ in what the run alone decides. */
static int is_told(int kind) {
  return kind == PLAIN || kind == PAPER || kind == PASSES;
}

static tacit_status own_gradient(void *self, const tacit_batch *batch, int64_t row,
                                 const double *w, double *raw_out) {
  const double *raw_x = batch->raw_values + row * FEATURES;
  (void)self;
  for (int j = 0; j < 3; ++j)
    raw_out[j] = raw_x[j] * (w[j] + batch->raw_labels[row]);
  return TACIT_OK;
}

static const tacit_gradient_ops own = {
    .version = 1, .dim = 3, .gradient = own_gradient, .lipschitz = 2, .smooth = 1};

static int is_number(int kind) { return kind == NUMBER || kind == SECOND; }

static tacit_config config_of(int kind, tacit_schema **schema) {
  tacit_error err;
  tacit_config config;
  tacit_config_init(&config);
  if (kind == CLASSES)
    CHECK_OK(tacit_schema_memory(FEATURES, 4, 0, 0, schema, &err), err);
  else
    CHECK_OK(
        tacit_schema_memory(FEATURES, is_number(kind) ? 0 : 2, -1, 2, schema, &err),
        err);
  config.schema = *schema;
  config.rows = ROWS;
  if (kind == NUMBER) config.loss = "quantile:tau=0.3";
  if (kind == NORM) config.norm = 1.5;
  if (kind == PURE) config.pure = 1;
  if (kind == PAPER) config.preset = TACIT_PAPER;
  if (kind == PASSES) config.passes = 3;
  if (kind == PASSES) config.batch = 20;
  if (kind == OWN) config.gradient = &own;
  if (kind == SECOND) config.passes = 8, config.moments = TACIT_MOMENTS_ON;
  return config;
}

/* Options that only the run needs. */
static tacit_config run_of(tacit_config config) {
  config.epsilon = 2;
  config.seeded = 1;
  config.threads = 1;
  config.l2 = 0.01;
  if (config.gradient != NULL) config.clip = 1;
  return config;
}

/* A round as if it had been sent: everything is in other memory. `numbers` has five
   vectors of MAX. */
static tacit_round sent(const tacit_round *round, double numbers[5][MAX]) {
  const double *from[5] = {round->x, round->x_prev, round->offset, round->margins,
                           round->margins_prev};
  const size_t counts[5] = {round->weights, round->weights, round->offset_count,
                            round->outputs, round->outputs};
  tacit_round copy = *round;
  const double **to[5] = {&copy.x, &copy.x_prev, &copy.offset, &copy.margins,
                          &copy.margins_prev};
  for (int i = 0; i < 5; ++i) {
    if (from[i] == NULL) continue;
    assert_true(counts[i] > 0 && counts[i] <= MAX);
    memcpy(numbers[i], from[i], counts[i] * sizeof **numbers);
    *to[i] = numbers[i];
  }
  return copy;
}

/* `learner` is one that the run alone knows; NULL: by the preset. */
static void check_kind(int kind, const char *learner) {
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_config config = config_of(kind, &schema), run = run_of(config);
  run.learner = learner;
  const double *labels = kind == CLASSES ? raw_classes : raw_labels;
  CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
  CHECK_OK(tacit_train_new(&run, &train, &err), err);
  tacit_round round;
  tacit_round_init(&round);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  if (round.t == 1) assert_int_equal(round.dim, tacit_worker_dim(worker));
  int64_t moved = 0;
  for (int64_t t = round.t, rounds = round.rounds; t <= rounds; ++t) {
    int64_t raw_here[MAX] = {0}, raw_there[MAX] = {0}, n_here = 0, n_there = 0;
    double numbers[5][MAX];
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    assert_true(round.dim <= MAX);
    tacit_round copy = sent(&round, numbers);
    int64_t cut = round.first + round.n_rows / 3, end = round.first + round.n_rows;
    tacit_batch all = rows_from(round.first, end, labels);
    tacit_batch left = rows_from(round.first, cut, labels),
                right = rows_from(cut, end, labels);
    CHECK_OK(tacit_round_delta(train, &round, &all, raw_here, &n_here, &err), err);
    CHECK_OK(tacit_worker_delta(worker, &copy, &left, raw_there, &n_there, &err), err);
    CHECK_OK(tacit_worker_delta(worker, &copy, &right, raw_there, &n_there, &err), err);
    assert_true(n_here == n_there && n_here == round.n_rows);
    assert_memory_equal(raw_here, raw_there, sizeof raw_here);
    for (size_t i = 0; i < round.dim; ++i)
      moved += raw_here[i] != 0;
    CHECK_OK(tacit_round_tell(train, raw_there, n_there, &err), err);
  }
  assert_true(moved > 0);
  tacit_worker_free(worker);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

static void a_worker_gives_the_integers_of_the_run(void **state) {
  (void)state;
  for (int kind = 0; kind < N_KINDS; ++kind)
    check_kind(kind, NULL);
}

/* Budget and learner, which a worker need not know, decide about the recipe: whether
   rows are centred, how those of numbers are scaled, the corner of a quantile. */
static void the_run_alone_decides_about_its_recipe(void **state) {
  (void)state;
  static const int kinds[] = {PLAIN, NUMBER, PASSES, CLASSES};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    check_kind(kinds[i], "adagrad"); /* not of the recipe */
    check_kind(kinds[i], "heavy-ball");
  }
}

static void rounds_of_other_runs_are_refused(void **state) {
  (void)state;
  for (int run_kind = 0; run_kind < N_KINDS; ++run_kind) {
    tacit_schema *schema = NULL, *other = NULL;
    tacit_train *train = NULL;
    tacit_error err;
    tacit_config run = run_of(config_of(run_kind, &schema));
    tacit_round round;
    tacit_round_init(&round);
    CHECK_OK(tacit_train_new(&run, &train, &err), err);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    for (int kind = 0; kind < N_KINDS; ++kind) {
      tacit_worker *worker = NULL;
      tacit_config config = config_of(kind, &other);
      CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
      int64_t raw_sum[MAX] = {0}, raw_count = 0;
      tacit_batch shard = rows_from(0, 1, kind == CLASSES ? raw_classes : raw_labels);
      tacit_status status =
          tacit_worker_delta(worker, &round, &shard, raw_sum, &raw_count, &err);
      int same = kind == run_kind || (is_told(kind) && is_told(run_kind));
      assert_int_equal(status, same ? TACIT_OK : TACIT_ESTATE);
      assert_true(raw_count == same);
      tacit_worker_free(worker);
      tacit_schema_free(other);
    }
    tacit_train_free(train);
    tacit_schema_free(schema);
  }
}

/* Rounds that differ in one number. */
static void every_option_of_a_contribution_counts(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_error err;
  tacit_config config = config_of(PLAIN, &schema), run = run_of(config);
  CHECK_OK(tacit_train_new(&run, &train, &err), err);
  for (int which = 0; which < 8; ++which) {
    tacit_config other = config;
    tacit_worker *worker = NULL;
    tacit_round round;
    int64_t raw_sum[MAX] = {0}, raw_count = 0;
    tacit_batch shard = rows_from(0, 1, raw_labels);
    if (which == 0) other.row_norm = 1.5;
    if (which == 1) other.bias = 0;
    if (which == 2) other.rows = ROWS + 1;
    if (which == 3) other.loss = "hinge";
    if (which == 4) other.scaling = TACIT_SCALE_SAME;
    /* Options that a worker does not look at. */
    if (which == 5) other.mechanism = "tree";
    if (which == 5) other.learner = "adagrad";
    if (which == 6) other.passes = 2;
    if (which == 6) other.preset = TACIT_ANYTIME;
    if (which == 7) other.batch = 100;
    tacit_round_init(&round);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    CHECK_OK(tacit_worker_new(&other, &worker, &err), err);
    assert_int_equal(
        tacit_worker_delta(worker, &round, &shard, raw_sum, &raw_count, &err),
        which >= 5 ? TACIT_OK : TACIT_ESTATE);
    tacit_worker_free(worker);
  }
  tacit_train_free(train);
  tacit_schema_free(schema);
}

static void damaged_rounds_and_shards_leave_nothing(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_config config = config_of(PLAIN, &schema), run = run_of(config);
  run.preset = TACIT_ANYTIME; /* round 1 has all numbers */
  CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
  CHECK_OK(tacit_train_new(&run, &train, &err), err);
  for (int fault = 0; fault < 11; ++fault) {
    tacit_round round;
    int64_t raw_sum[MAX], raw_count = 0;
    tacit_batch shard = rows_from(0, 3, raw_labels);
    double labels[3] = {1, -1, 0.5};
    for (int i = 0; i < MAX; ++i)
      raw_sum[i] = 7;
    tacit_round_init(&round);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    tacit_status expected = fault < 9 ? TACIT_EINVAL : TACIT_EDATA;
    if (fault == 0) round.struct_size = offsetof(tacit_round, first);
    if (fault == 1) round.t = round.rounds + 1;
    if (fault == 2) round.n_rows = ROWS + 1;
    if (fault == 3) --round.dim;
    if (fault == 4) round.x_prev = NULL;
    if (fault == 5) round.ratio = NAN;
    if (fault == 6) round.lattice_scale = INFINITY;
    if (fault == 7) round.lattice_clip = INT64_MAX;
    if (fault == 8) round.lattice_clip_dual = NAN;
    if (fault == 9) shard.raw_labels = labels;
    if (fault == 10) raw_count = round.n_rows - 2;
    int64_t before = raw_count;
    tacit_status status =
        tacit_worker_delta(worker, &round, &shard, raw_sum, &raw_count, &err);
    if (status != expected) fail_msg("fault %d: %s", fault, tacit_status_name(status));
    assert_true(raw_count == before);
    for (int i = 0; i < MAX; ++i)
      assert_true(raw_sum[i] == 7);
  }
  assert_int_equal(tacit_worker_new(NULL, &worker, &err), TACIT_EINVAL);
  config.rows = 0;
  assert_int_equal(tacit_worker_new(&config, &worker, &err), TACIT_EINVAL);
  tacit_worker_free(NULL);
  tacit_worker_free(worker);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

/* A program built with an older header has a shorter round: nothing is written past its
   end. One built with a newer header learns how much was filled in. */
static void ask_fills_what_the_caller_has(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_error err;
  tacit_config run = run_of(config_of(PLAIN, &schema));
  CHECK_OK(tacit_train_new(&run, &train, &err), err);
  struct {
    tacit_round round;
    unsigned char after[64];
  } place;
  memset(&place, 0xa5, sizeof place);
  place.round.struct_size = offsetof(tacit_round, first);
  CHECK_OK(tacit_round_ask(train, &place.round, &err), err);
  assert_int_equal(place.round.struct_size, offsetof(tacit_round, first));
  assert_true(place.round.t == 0 && place.round.lattice_clip > 0);
  const unsigned char *bytes = (const unsigned char *)&place;
  for (size_t i = offsetof(tacit_round, first); i < sizeof place; ++i)
    assert_int_equal(bytes[i], 0xa5);
  place.round.struct_size = sizeof place;
  CHECK_OK(tacit_round_ask(train, &place.round, &err), err);
  assert_int_equal(place.round.struct_size, sizeof place.round);
  for (size_t i = 0; i < sizeof place.after; ++i)
    assert_int_equal(place.after[i], 0xa5);
  place.round.struct_size = offsetof(tacit_round, first) - 1;
  assert_int_equal(tacit_round_ask(train, &place.round, &err), TACIT_EINVAL);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

static void digests_know_rows_and_places(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_config config = config_of(PLAIN, &schema);
  CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
  unsigned char key[TACIT_WORKER_KEY_BYTES] = {3};
  unsigned char whole[16] = {0}, parts[16] = {0}, other[16] = {0};
  int64_t places[ROWS];
  for (int64_t i = 0; i < ROWS; ++i)
    places[i] = 2 * i;
  tacit_batch all = rows_from(0, ROWS, raw_labels), left = rows_from(0, 50, raw_labels),
              right = rows_from(50, ROWS, raw_labels);
  CHECK_OK(tacit_worker_digest(worker, key, &all, places, whole, &err), err);
  CHECK_OK(tacit_worker_digest(worker, key, &right, places + 50, parts, &err), err);
  CHECK_OK(tacit_worker_digest(worker, key, &left, places, parts, &err), err);
  assert_memory_equal(whole, parts, sizeof whole);
  for (int which = 0; which < 4; ++which) {
    memset(other, 0, sizeof other);
    double value = raw_values[77], label = raw_labels[9];
    if (which == 0) raw_values[77] += 1e-15;
    if (which == 1) raw_labels[9] = -label;
    if (which == 2) places[4] = 5;
    if (which == 3) key[31] = 1;
    CHECK_OK(tacit_worker_digest(worker, key, &all, places, other, &err), err);
    raw_values[77] = value;
    raw_labels[9] = label;
    places[4] = 8;
    assert_memory_not_equal(whole, other, sizeof whole);
  }
  tacit_worker_free(worker);
  tacit_schema_free(schema);
}

static void contents_know_rows_alone(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_config config = config_of(PLAIN, &schema);
  CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
  static uint64_t whole[ROWS], other[ROWS];
  static uint32_t shares[ROWS];
  for (int i = 0; i < ROWS; ++i)
    shares[i] = (uint32_t)(i % 3 + 1);
  tacit_batch all = rows_from(0, ROWS, raw_labels), left = rows_from(0, 50, raw_labels),
              right = rows_from(50, ROWS, raw_labels);
  left.raw_unit_rows = shares;
  CHECK_OK(tacit_worker_contents(worker, &all, whole, &err), err);
  CHECK_OK(tacit_worker_contents(worker, &right, other + 50, &err), err);
  CHECK_OK(tacit_worker_contents(worker, &left, other, &err), err);
  assert_memory_equal(whole, other, sizeof whole);
  double value = raw_values[7 * FEATURES];
  raw_values[7 * FEATURES] += 1e-15;
  raw_labels[9] = -raw_labels[9];
  CHECK_OK(tacit_worker_contents(worker, &all, other, &err), err);
  raw_values[7 * FEATURES] = value;
  raw_labels[9] = -raw_labels[9];
  for (int i = 0; i < ROWS; ++i)
    assert_int_equal(whole[i] != other[i], i == 7 || i == 9);
  tacit_worker_free(worker);
  tacit_schema_free(schema);
}

static void the_plan_says_the_places_of_rounds(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_plan *plan = NULL;
  tacit_error err;
  tacit_config config = run_of(config_of(PASSES, &schema));
  config.preset = TACIT_ANYTIME; /* tests/unit/run/centred_run.c has round 0 */
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  int64_t rounds = tacit_plan_statement(plan)->rounds, at = 0, first, end;
  assert_true(rounds == 33);
  for (int64_t t = 1; t <= rounds; ++t) {
    first = tacit_plan_round_first(plan, t);
    end = first + tacit_plan_round_rows(plan, t);
    assert_true(first == at && end > first);
    at = end % ROWS;
  }
  assert_true(at == 0);
  tacit_plan_free(plan);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_worker_gives_the_integers_of_the_run),
      cmocka_unit_test(the_run_alone_decides_about_its_recipe),
      cmocka_unit_test(rounds_of_other_runs_are_refused),
      cmocka_unit_test(every_option_of_a_contribution_counts),
      cmocka_unit_test(damaged_rounds_and_shards_leave_nothing),
      cmocka_unit_test(ask_fills_what_the_caller_has),
      cmocka_unit_test(digests_know_rows_and_places),
      cmocka_unit_test(contents_know_rows_alone),
      cmocka_unit_test(the_plan_says_the_places_of_rounds),
  };
  return cmocka_run_group_tests(tests, make_rows, NULL);
}
