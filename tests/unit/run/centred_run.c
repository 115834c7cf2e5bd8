/* SPDX-License-Identifier: MIT */
/* Runs whose rows are centred: round 0 comes first, and the model is the same however
   the rows arrive. */
#include "unit/data_files.h"

#include <stdlib.h>

#include "run/run.h"

enum { ROWS = 3000, FEATURES = 6, OUTPUTS_MAX = 3, WEIGHTS_MAX = 64 };
enum { TWO, THREE, NUMBER, COUNT, WEIGHTED, SECOND, MAPPED, KINDS };

static double raw_values[ROWS * FEATURES], raw_labels[KINDS][ROWS], raw_weights[ROWS];
static tacit_schema *schemas[KINDS];

/* Rows far from 0, with labels that depend on the first two columns. */
static int make_rows(void **state) {
  uint64_t s = 7;
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    double *row = raw_values + (ptrdiff_t)i * FEATURES;
    for (int j = 0; j < FEATURES; ++j) {
      s = s * 6364136223846793005u + 1442695040888963407u;
      row[j] = 1 + 0.5 * ((double)(s >> 11) * 0x1p-53 - 0.5) * (j + 1);
    }
    s = s * 6364136223846793005u + 1442695040888963407u;
    double score = 4 * (row[0] - 1) + 3 * (row[1] - 1) + (double)(s >> 11) * 0x1p-53;
    raw_labels[TWO][i] = raw_labels[WEIGHTED][i] = score > 1.2 ? 1 : -1;
    raw_labels[THREE][i] = raw_labels[MAPPED][i] = score > 1 ? 2 : score > 0 ? 1 : 0;
    raw_labels[NUMBER][i] = raw_labels[SECOND][i] = 80 + score;
    raw_labels[COUNT][i] = floor(fmax(0, 4 + score));
    raw_weights[i] = i % 4 == 0 ? 0.25 : 1;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schemas[TWO], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 2, 0, 0, &schemas[WEIGHTED], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 3, 0, 0, &schemas[THREE], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 3, 0, 0, &schemas[MAPPED], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 0, 0, 100, &schemas[NUMBER], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 0, 0, 100, &schemas[SECOND], NULL) != TACIT_OK ||
         tacit_schema_memory(FEATURES, 0, 0, 20, &schemas[COUNT], NULL) != TACIT_OK;
}

static int free_rows(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind)
    tacit_schema_free(schemas[kind]);
  return 0;
}

static tacit_config config_of(int kind) {
  static const char *const losses[] = {"logistic", "softmax", "squared", "poisson",
                                       "logistic", "squared", "softmax"};
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schemas[kind];
  config.loss = losses[kind];
  config.rows = ROWS;
  config.passes = 2;
  config.batch = ROWS / 8;
  config.epsilon = 4;
  config.adjacency = TACIT_ZERO_OUT;
  config.seeded = 1;
  config.threads = 1;
  config.weighted = kind == WEIGHTED;
  config.centre = TACIT_CENTRE_ON;
  if (kind == NUMBER || kind == COUNT) config.row_norm = 4; /* divides all rows */
  if (kind == SECOND || kind == MAPPED)
    config.passes = 8, config.moments = TACIT_MOMENTS_ON;
  return config;
}

static tacit_batch rows_from(int kind, int64_t first, int64_t end) {
  tacit_batch batch = dense_rows(raw_values + first * FEATURES,
                                 raw_labels[kind] + first, end - first, FEATURES);
  if (kind == WEIGHTED) batch.raw_weights = raw_weights + first;
  return batch;
}

/* Weights and offsets of a model. */
struct result {
  double numbers[WEIGHTS_MAX];
};

static struct result finish(tacit_train *train) {
  struct result result = {{0}};
  tacit_model *model = NULL;
  tacit_error err;
  size_t count;
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  const double *weights = tacit_model_weights(model, &count);
  const double *offset = tacit_model_offset(model);
  assert_non_null(offset);
  memcpy(result.numbers, weights, count * sizeof *weights);
  memcpy(result.numbers + count, offset, tacit_model_outputs(model) * sizeof *offset);
  tacit_model_free(model);
  tacit_train_free(train);
  return result;
}

static tacit_train *start(const tacit_config *config) {
  tacit_train *train = NULL;
  tacit_error err;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  return train;
}

static struct result fed(const tacit_config *config, int kind, int64_t chunk) {
  tacit_train *train = start(config);
  tacit_error err;
  int readings = config->passes + (config->centre == TACIT_CENTRE_ON) +
                 (config->moments == TACIT_MOMENTS_ON);
  for (int reading = 0; reading < readings; ++reading) {
    for (int64_t first = 0; first < ROWS; first += chunk) {
      tacit_batch batch =
          rows_from(kind, first, first + chunk < ROWS ? first + chunk : ROWS);
      CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    }
  }
  return finish(train);
}

static struct result read_from_arrays(const tacit_config *config, int kind) {
  tacit_train *train = start(config);
  tacit_error err;
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * (int64_t)sizeof(double);
  arrays.column_stride = (int64_t)sizeof(double);
  arrays.raw_labels = raw_labels[kind];
  if (kind == WEIGHTED) arrays.raw_weights = raw_weights;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = config->schema;
  options.shuffle = 0;
  tacit_reader *reader;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  CHECK_OK(tacit_train_run(train, reader, &err), err);
  tacit_reader_free(reader);
  return finish(train);
}

/* The rows as LIBSVM text. Sparse ones lack some of their entries. */
static const char *text_file(int kind, int sparse) {
  static char text[ROWS * FEATURES * 30];
  size_t at = 0;
  for (int i = 0; i < ROWS; ++i) {
    at += (size_t)snprintf(text + at, sizeof text - at, "%.17g", raw_labels[kind][i]);
    for (int j = 0; j < FEATURES; ++j)
      if (!sparse || (i + j) % 3 != 0)
        at += (size_t)snprintf(text + at, sizeof text - at, " %d:%.17g", j + 1,
                               raw_values[i * FEATURES + j]);
    text[at++] = '\n';
  }
  return file_of_bytes(sparse ? "sparse.svm" : "full.svm", text, at);
}

static struct result read_from_text(const tacit_config *config, const char *path,
                                    uint64_t max_kept) {
  tacit_train *train = start(config);
  tacit_error err;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = config->schema;
  options.shuffle = 0;
  options.max_kept = max_kept;
  tacit_reader *reader;
  CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
  CHECK_OK(tacit_train_run(train, reader, &err), err);
  tacit_reader_free(reader);
  return finish(train);
}

/* With room for no row and for all rows. */
static void same_bits_if_rows_are_kept(void **state) {
  (void)state;
  static const uint64_t kept[] = {1, 0};
  for (int kind = TWO; kind <= THREE; ++kind) {
    for (int sparse = 0; sparse < 2; ++sparse) {
      const char *path = text_file(kind, sparse);
      struct result expected = {{0}};
      for (int way = 0; way < 4; ++way) {
        tacit_config config = config_of(kind);
        tacit_schema *schema = NULL;
        tacit_error err;
        config.passes = 3;
        config.threads = way < 2 ? 1 : 3;
        CHECK_OK(kind == TWO ? tacit_schema_libsvm(FEATURES, 2, 0, 0, &schema, &err)
                             : tacit_schema_libsvm(FEATURES, 3, 0, 0, &schema, &err),
                 err);
        config.schema = schema;
        struct result result = read_from_text(&config, path, kept[way % 2]);
        if (way == 0) expected = result;
        assert_memory_equal(&expected, &result, sizeof result);
        tacit_schema_free(schema);
      }
    }
  }
}

/* Every vector of the round in other memory, as if it had been sent. */
struct letter {
  tacit_round round;
  double x[WEIGHTS_MAX], x_prev[WEIGHTS_MAX], offset[FEATURES + 2];
  double margins[OUTPUTS_MAX], margins_prev[OUTPUTS_MAX];
};

static void post(const tacit_round *round, struct letter *out) {
  out->round = *round;
  if (round->offset == NULL) return;
  memcpy(out->offset, round->offset, round->offset_count * sizeof *out->offset);
  out->round.offset = out->offset;
  if (round->x == NULL) return;
  memcpy(out->x, round->x, round->weights * sizeof *out->x);
  memcpy(out->x_prev, round->x_prev, round->weights * sizeof *out->x);
  memcpy(out->margins, round->margins, round->outputs * sizeof *out->margins);
  memcpy(out->margins_prev, round->margins_prev, round->outputs * sizeof(double));
  out->round.x = out->x;
  out->round.x_prev = out->x_prev;
  out->round.margins = out->margins;
  out->round.margins_prev = out->margins_prev;
}

static struct result told(const tacit_config *config, int kind, int remote) {
  tacit_train *train = start(config);
  tacit_worker *worker = NULL;
  tacit_error err;
  tacit_config alone = *config;
  alone.epsilon = 0;
  CHECK_OK(tacit_worker_new(&alone, &worker, &err), err);
  tacit_round round;
  int64_t t = config->moments == TACIT_MOMENTS_ON ? -1 : 0;
  do {
    int64_t raw_sum[WEIGHTS_MAX] = {0}, raw_count = 0;
    struct letter letter;
    tacit_round_init(&round);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    assert_int_equal(round.t, t);
    assert_int_equal(round.n_rows, t < 1 ? ROWS : ROWS / 8);
    post(&round, &letter);
    int64_t cuts[] = {round.first, round.first + 77, round.first + round.n_rows};
    for (int i = 0; i < 2; ++i) {
      tacit_batch shard = rows_from(kind, cuts[i], cuts[i + 1]);
      CHECK_OK(
          remote ? tacit_worker_delta(worker, &letter.round, &shard, raw_sum,
                                      &raw_count, &err)
                 : tacit_round_delta(train, &round, &shard, raw_sum, &raw_count, &err),
          err);
    }
    CHECK_OK(tacit_round_tell(train, raw_sum, raw_count, &err), err);
  } while (t++ < round.rounds);
  tacit_worker_free(worker);
  return finish(train);
}

static void same_bits_however_the_rows_arrive(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    tacit_config config = config_of(kind);
    struct result expected = fed(&config, kind, ROWS), found;
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
      config.threads = threads;
      found = fed(&config, kind, 19 * threads);
      assert_memory_equal(&found, &expected, sizeof found);
    }
    found = read_from_arrays(&config, kind);
    assert_memory_equal(&found, &expected, sizeof found);
    if (kind == MAPPED) continue; /* rounds that are told carry no map */
    found = told(&config, kind, 0);
    assert_memory_equal(&found, &expected, sizeof found);
    found = told(&config, kind, 1);
    assert_memory_equal(&found, &expected, sizeof found);
  }
}

/* Without noise: what a model trained on centred rows predicts is not centred. */
static void the_intercept_is_right_at_once(void **state) {
  (void)state;
  tacit_config config = config_of(NUMBER);
  config.epsilon = 0;
  config.mechanism = "none";
  struct result result = fed(&config, NUMBER, ROWS);
  double error = 0, total = 0, mean = 0;
  for (int i = 0; i < ROWS; ++i)
    mean += raw_labels[NUMBER][i] / ROWS;
  for (int i = 0; i < ROWS; ++i) {
    const double *row = raw_values + (ptrdiff_t)i * FEATURES;
    double dot = result.numbers[FEATURES];
    for (int j = 0; j < FEATURES; ++j)
      dot += result.numbers[j] * row[j];
    double margin = dot / config.row_norm + result.numbers[FEATURES + 1];
    double label = 50 * (margin + 1), own = raw_labels[NUMBER][i];
    error += (label - own) * (label - own);
    total += (own - mean) * (own - mean);
  }
  assert_true(error < 0.6 * total);
}

/* Rows that are read once: the first ones are for the mean only. */
static void rows_apart_are_read_once(void **state) {
  (void)state;
  tacit_config config = config_of(TWO);
  config.centre = TACIT_CENTRE_HEAD;
  config.passes = 1;
  config.epsilon = 8;
  struct result expected = fed(&config, TWO, ROWS), found = fed(&config, TWO, 41);
  assert_memory_equal(&found, &expected, sizeof found);
  config.threads = 4;
  found = read_from_arrays(&config, TWO);
  assert_memory_equal(&found, &expected, sizeof found);
  tacit_train *train = start(&config);
  tacit_error err;
  tacit_batch batch = rows_from(TWO, 0, ROWS);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  assert_int_equal(tacit_train_feed(train, &batch, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "3000"));
  tacit_train_free(train);
}

struct seen {
  int64_t rounds[64], rows, rows_all;
  int calls;
};

static int note(void *cookie, const tacit_progress *progress) {
  struct seen *seen = cookie;
  if (seen->calls < 64) seen->rounds[seen->calls++] = progress->round;
  seen->rows = progress->rows;
  seen->rows_all = progress->rows_all;
  return 0;
}

static void progress_counts_the_first_reading(void **state) {
  (void)state;
  struct seen seen = {0};
  tacit_config config = config_of(TWO);
  config.progress = note;
  config.progress_cookie = &seen;
  (void)fed(&config, TWO, ROWS);
  assert_int_equal(seen.rounds[0], 0);
  assert_int_equal(seen.rounds[1], 1);
  assert_int_equal(seen.rows, 3 * ROWS);
  assert_int_equal(seen.rows_all, 3 * ROWS);
}

static void noise_begins_with_the_mean(void **state) {
  (void)state;
  tacit_config config = config_of(TWO);
  tacit_train *train = start(&config);
  tacit_error err;
  tacit_batch batch = rows_from(TWO, 0, ROWS - 1),
              last = rows_from(TWO, ROWS - 1, ROWS);
  CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  assert_false(tacit_train_noise_begun(train));
  CHECK_OK(tacit_train_feed(train, &last, &err), err);
  assert_true(tacit_train_noise_begun(train));
  tacit_model *model = NULL;
  assert_int_equal(tacit_train_finish(train, &model, &err), TACIT_EDATA);
  tacit_train_free(train);
}

/* Round 1 has sums of another length than round 0. */
static void sums_may_be_told_without_asking(void **state) {
  (void)state;
  const tacit_config config = config_of(TWO);
  tacit_train *train = start(&config);
  tacit_error err;
  int64_t raw_sum[WEIGHTS_MAX] = {0};
  CHECK_OK(tacit_round_tell(train, raw_sum, ROWS, &err), err);
  for (int t = 1; t <= 2; ++t)
    CHECK_OK(tacit_round_tell(train, raw_sum, ROWS / 8, &err), err);
  tacit_train_free(train);
}

static void rounds_with_a_map_are_not_asked_for(void **state) {
  (void)state;
  const tacit_config config = config_of(MAPPED);
  tacit_train *train = start(&config);
  tacit_error err;
  tacit_round round;
  tacit_round_init(&round);
  assert_int_equal(tacit_round_ask(train, &round, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "moments"));
  tacit_train_free(train);
}

/* Sums of nothing are released as noise of the size that their share of the budget
   wants: the mean, the second moments, and round 1. */
static void noise_of_releases(int kind) {
  const tacit_config config = config_of(kind);
  tacit_train *train = start(&config);
  tacit_error err;
  for (int64_t t = -1; t <= 1; ++t) {
    const tacit_vault_facts *facts = tacit_plan_vault(train->plan, t);
    int64_t raw_sum[WEIGHTS_MAX] = {0};
    double squares = 0, count = (double)facts->shape.dim;
    CHECK_OK(tacit_round_tell(train, raw_sum, t < 1 ? ROWS : ROWS / 8, &err), err);
    for (size_t i = 0; i < facts->shape.dim; ++i)
      squares += pow(ldexp(train->open.y[i], facts->lattice.exponent), 2) / count;
    double scale = (double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens,
                                                facts->lattice.clip_max, facts->budget);
    CHECK_WITHIN(squares / (scale * scale), 1, 5 * sqrt(2 / count));
  }
  tacit_train_free(train);
}

static void every_release_has_its_noise(void **state) {
  (void)state;
  noise_of_releases(SECOND);
  noise_of_releases(MAPPED);
}

/* Columns of different sizes that lean on each other, and classes that only a direction
   of little variance tells apart: moments find it. */
static void a_map_finds_small_directions(void **state) {
  (void)state;
  double right[2] = {0};
  for (int way = 0; way < 2; ++way) {
    tacit_config config = config_of(THREE);
    config.passes = 8;
    config.epsilon = 40;
    config.moments = way ? TACIT_MOMENTS_ON : TACIT_MOMENTS_OFF;
    for (int i = 0; i < ROWS; ++i) {
      double *row = raw_values + (ptrdiff_t)i * FEATURES,
             *label = raw_labels[THREE] + i;
      if (way == 0) row[0] = 0.02 * *label + 5 * (row[5] - 1) + 0.002 * (row[2] - 1);
    }
    struct result result = fed(&config, THREE, ROWS);
    for (int i = 0; i < ROWS; ++i) {
      const double *row = raw_values + (ptrdiff_t)i * FEATURES;
      double best = -INFINITY, norm = 1;
      int found = 0;
      for (int j = 0; j < FEATURES; ++j)
        norm += row[j] * row[j];
      for (int k = 0; k < 3; ++k) {
        double dot = result.numbers[3 * FEATURES + k];
        for (int j = 0; j < FEATURES; ++j)
          dot += result.numbers[k * FEATURES + j] * row[j];
        double margin = dot / sqrt(norm) + result.numbers[3 * (FEATURES + 1) + k];
        if (margin > best) best = margin, found = k;
      }
      right[way] += found == raw_labels[THREE][i];
    }
  }
  printf("# right: %g without and %g with moments\n", right[0] / ROWS, right[1] / ROWS);
  assert_true(right[1] > right[0] + 0.1 * ROWS);
}

/* The noise of round 0 comes from a key of its own, and its release moves all that
   follows: another seed gives another model. */
static void a_row_of_weight_0_does_not_count(void **state) {
  (void)state;
  tacit_config config = config_of(WEIGHTED);
  double kept = raw_weights[11], value = raw_values[11 * FEATURES];
  raw_weights[11] = 0;
  struct result before = fed(&config, WEIGHTED, ROWS);
  raw_values[11 * FEATURES] = 1e6;
  struct result after = fed(&config, WEIGHTED, ROWS);
  assert_memory_equal(&before, &after, sizeof before);
  raw_weights[11] = kept;
  after = fed(&config, WEIGHTED, ROWS);
  assert_memory_not_equal(&before, &after, sizeof before);
  raw_values[11 * FEATURES] = value;
}

static void a_start_point_is_where_the_run_starts(void **state) {
  (void)state;
  tacit_config config = config_of(TWO);
  static const double start[FEATURES + 1] = {3, 2, 0, 0, 0, 0, -4};
  config.radius = 1e-9; /* the weights stay where they are */
  config.start = start;
  struct result result = fed(&config, TWO, ROWS);
  for (int j = 0; j <= FEATURES; ++j)
    CHECK_WITHIN(result.numbers[j], start[j], 1e-8);
  CHECK_WITHIN(result.numbers[FEATURES + 1], 0, 1e-8);
}

static void damaged_rounds_are_refused(void **state) {
  (void)state;
  tacit_config config = config_of(TWO);
  tacit_train *train = start(&config);
  tacit_worker *worker = NULL;
  tacit_error err;
  CHECK_OK(tacit_worker_new(&config, &worker, &err), err);
  int64_t raw_sum[WEIGHTS_MAX] = {0}, raw_count = 0;
  tacit_batch all = rows_from(TWO, 0, ROWS), some = rows_from(TWO, 0, ROWS / 8);
  tacit_round round, bad;
  tacit_round_init(&round);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  bad = round;
  bad.dim += 1;
  assert_int_equal(tacit_worker_delta(worker, &bad, &all, raw_sum, &raw_count, &err),
                   TACIT_EINVAL);
  CHECK_OK(tacit_round_delta(train, &round, &all, raw_sum, &raw_count, &err), err);
  CHECK_OK(tacit_round_tell(train, raw_sum, raw_count, &err), err);
  CHECK_OK(tacit_round_ask(train, &round, &err), err);
  for (int i = 0; i < 6; ++i) {
    double wild[FEATURES + 2];
    memcpy(wild, round.offset, sizeof wild);
    bad = round;
    if (i == 0) bad.offset = NULL;
    if (i == 1) bad.margins = NULL;
    if (i == 2) bad.radius = NAN;
    if (i == 3) bad.offset_count = 1;
    if (i == 4) bad.weights = 1;
    if (i == 5) wild[FEATURES + 1] = -1, bad.offset = wild;
    raw_count = 0;
    tacit_status status =
        tacit_worker_delta(worker, &bad, &some, raw_sum, &raw_count, &err);
    assert_int_equal(status, i == 5 ? TACIT_EPRIVACY : TACIT_EINVAL);
    assert_int_equal(raw_count, 0);
  }
  tacit_worker_free(worker);
  tacit_train_free(train);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_however_the_rows_arrive),
      cmocka_unit_test_setup_teardown(same_bits_if_rows_are_kept, folder_setup,
                                      folder_teardown),
      cmocka_unit_test(the_intercept_is_right_at_once),
      cmocka_unit_test(rows_apart_are_read_once),
      cmocka_unit_test(progress_counts_the_first_reading),
      cmocka_unit_test(noise_begins_with_the_mean),
      cmocka_unit_test(sums_may_be_told_without_asking),
      cmocka_unit_test(rounds_with_a_map_are_not_asked_for),
      cmocka_unit_test(every_release_has_its_noise),
      cmocka_unit_test(a_row_of_weight_0_does_not_count),
      cmocka_unit_test(a_start_point_is_where_the_run_starts),
      cmocka_unit_test(damaged_rounds_are_refused),
      cmocka_unit_test(a_map_finds_small_directions), /* it changes the rows */
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
