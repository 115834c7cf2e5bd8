/* SPDX-License-Identifier: MIT */
/*
 * A run that is stopped anywhere and resumed gives the same model, bit for bit, as a
 * run that was not stopped; and it is not resumed when anything it depends on has
 * changed.
 */
#include "made.h"
#include "unit/checkpoint/checkpoint_place.h"

#include "base/memory.h"
#include "learner/learner.h"
#include "run/run.h"
#include "vault/words.h"

#include <tacit/version.h>

enum { ROWS = 220, FEATURES = 5, CLASSES = 3, MAX = (FEATURES + 1) * CLASSES };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS], raw_kinds[ROWS];
static tacit_schema *schema, *schema_kinds;

static int setup(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = "checkpoint tests";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = made_uniform(&words);
    raw_labels[i] = raw_values[i * FEATURES] > 0.1 ? 1 : -1;
    raw_kinds[i] = (double)(tacit_words_next(&words) % CLASSES);
  }
  if (tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK) return -1;
  if (tacit_schema_memory(FEATURES, CLASSES, 0, 0, &schema_kinds, NULL) != TACIT_OK)
    return -1;
  return place_make();
}

static int teardown(void **state) {
  (void)state;
  tacit_schema_free(schema);
  tacit_schema_free(schema_kinds);
  return place_remove();
}

static tacit_config plain(void) {
  tacit_config config = made_config(schema, ROWS);
  config.preset = TACIT_ANYTIME; /* `centred_runs` has the default */
  config.passes = 1;
  config.seeded = 1;
  config.seed = 3;
  config.threads = 1;
  config.batch = 20; /* 11 rounds a pass */
  return config;
}

static void with_checkpoint(tacit_config *config, int resume) {
  config->checkpoint = place_file;
  config->key_file = place_key;
  config->resume = resume;
}

/* Stops after so many calls; 0: never. */
struct stop {
  int calls, at;
  int64_t round; /* rounds released at the last call */
};

static int stop_at(void *cookie, const tacit_progress *progress) {
  struct stop *stop = cookie;
  assert_true(progress->round >= stop->round);
  stop->round = progress->round;
  return ++stop->calls == stop->at;
}

static tacit_batch rows_from(const tacit_config *config, int64_t first, int64_t end) {
  return dense_rows(raw_values + first * FEATURES,
                    (config->schema == schema ? raw_labels : raw_kinds) + first,
                    end - first, FEATURES);
}

static tacit_status feed_all(tacit_train *train, const tacit_config *config,
                             int64_t chunk, tacit_error *err) {
  int readings = config->passes + (config->centre == TACIT_CENTRE_ON);
  for (int pass = 0; pass < readings; ++pass) {
    for (int64_t first = 0; first < ROWS; first += chunk) {
      tacit_batch batch =
          rows_from(config, first, first + chunk < ROWS ? first + chunk : ROWS);
      tacit_status status = tacit_train_feed(train, &batch, err);
      if (status != TACIT_OK) return status;
    }
  }
  return TACIT_OK;
}

/* The rows through a reader of arrays. */
static tacit_status run_all(tacit_train *train, const tacit_config *config,
                            tacit_error *err) {
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values;
  arrays.row_stride = FEATURES * (int64_t)sizeof(double);
  arrays.column_stride = (int64_t)sizeof(double);
  arrays.raw_labels = config->schema == schema ? raw_labels : raw_kinds;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = config->schema;
  options.shuffle = 0;
  tacit_reader *reader;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, err), *err);
  tacit_status status = tacit_train_run(train, reader, err);
  tacit_reader_free(reader);
  return status;
}

/* Runs until the end, and then writes the weights, or until it is stopped, and then
   returns 1. `chunk` is the number of rows per feed; 0: through a reader. */
static int attempt(tacit_config *config, int64_t chunk, struct stop *stop,
                   double *out) {
  tacit_train *train;
  tacit_error err;
  config->progress = stop_at;
  config->progress_cookie = stop;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  tacit_status status =
      chunk > 0 ? feed_all(train, config, chunk, &err) : run_all(train, config, &err);
  if (status == TACIT_ECANCELED) {
    tacit_train_free(train);
    return 1;
  }
  CHECK_OK(status, err);
  size_t count;
  tacit_model *model;
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  const double *weights = tacit_model_weights(model, &count);
  memset(out, 0, MAX * sizeof *out);
  memcpy(out, weights, count * sizeof *weights);
  tacit_model_free(model);
  tacit_train_free(train);
  return 0;
}

/* Stops a run at call 1, 2, 3 … and resumes it each time; then stops one run again and
   again, each time one call later. */
static void every_moment(tacit_config config, int64_t chunk) {
  double expected[MAX], found[MAX];
  struct stop none = {0};
  assert_int_equal(attempt(&config, chunk, &none, expected), 0);
  assert_true(none.calls >= 10);
  for (int at = 1; at < none.calls; ++at) {
    struct stop stop = {.at = at}, go = {0};
    (void)unlink(place_file);
    with_checkpoint(&config, 0);
    config.threads = 1;
    assert_int_equal(attempt(&config, chunk, &stop, found), 1);
    with_checkpoint(&config, 1);
    config.threads = 1 + (unsigned)at % 3;
    assert_int_equal(attempt(&config, chunk > 0 ? chunk + 5 : 0, &go, found), 0);
    assert_memory_equal(found, expected, sizeof found);
  }
  /* A chain: every attempt releases one round more. */
  (void)unlink(place_file);
  int64_t reached = -1;
  for (int stopped = 1, attempts = 0; stopped; ++attempts) {
    struct stop stop = {.at = 0};
    stop.at = attempts + 2; /* some calls are for rows that are only compared */
    stopped = attempt(&config, chunk, &stop, found);
    assert_true(stop.round >= reached);
    reached = stop.round;
    assert_true(attempts < 500);
  }
  assert_memory_equal(found, expected, sizeof found);
  /* All rounds are in the checkpoint: it is resumed once more. */
  struct stop go = {0};
  assert_int_equal(attempt(&config, chunk, &go, found), 0);
  assert_memory_equal(found, expected, sizeof found);
  (void)unlink(place_file);
}

static void every_mechanism(void **state) {
  (void)state;
  static const char *const mechanisms[] = {"tree", "banded", "blt", "none"};
  for (size_t i = 0; i < 4; ++i) {
    for (int passes = 1; passes <= 3; passes += 2) {
      tacit_config config = plain();
      config.mechanism = mechanisms[i];
      config.passes = passes;
      if (i == 3) config.epsilon = 0;
      every_moment(config, passes == 1 ? 13 : 20);
      every_moment(config, 0);
    }
  }
}

static void every_learner(void **state) {
  (void)state;
  const tacit_learner_ops *ops;
  for (size_t i = 0; (ops = tacit_learner_at(i)) != NULL; ++i) {
    tacit_config config = plain();
    config.learner = ops->name;
    config.batch = 40;
    if (strcmp(ops->name, "strongly-convex") == 0) config.l2 = 0.1;
    if (strcmp(ops->name, "eg") == 0) config.domain = TACIT_DOMAIN_SIMPLEX;
    tacit_plan *plan = NULL;
    tacit_error err;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    tacit_plan_free(plan);
    every_moment(config, 20);
  }
}

static void softmax_laplace_and_tight(void **state) {
  (void)state;
  tacit_config config = plain();
  config.schema = schema_kinds;
  config.passes = 2;
  every_moment(config, 20);
  config = plain();
  config.pure = 1;
  every_moment(config, 20);
  config = plain();
  config.bound = TACIT_BOUND_TIGHT;
  config.mechanism = "tree";
  every_moment(config, 0);
}

/* Round 0 is in the checkpoint like the others, and its rows are compared too. */
static void centred_runs(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    tacit_config config = plain();
    config.centre = TACIT_CENTRE_ON;
    config.adjacency = TACIT_ZERO_OUT;
    config.epsilon = 8;
    config.passes = 1 + kind;
    if (kind == 1) config.schema = schema_kinds;
    if (kind == 2) config.preset = TACIT_PRACTICAL;
    every_moment(config, kind == 0 ? 13 : 20);
    every_moment(config, 0);
  }
}

/* A learner of the user's with a state: steps along the sign, which grow while the sign
   of the first coordinate stays the same. */
struct signs {
  double before, length;
};

static void signs_step(void *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       double *w) {
  struct signs *signs = self;
  (void)vectors;
  signs->length = signs->before * loss->grad[0] > 0 ? 1.5 * signs->length : 0.01;
  signs->before = loss->grad[0];
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] -= loss->grad[i] > 0 ? signs->length : -signs->length;
  tacit_domain_project(facts, w);
}

static const tacit_learner_ops signs_ops = {
    .version = 1,
    .name = "signs",
    .summary = "for a test",
    .state_size = sizeof(struct signs),
    .step = signs_step,
};

static void a_learner_of_ones_own(void **state) {
  (void)state;
  tacit_config config = plain();
  config.learner_ops = &signs_ops;
  every_moment(config, 20);
}

/* 220 rounds: after 64, several are written at once; less than a seventeenth is lost.
 */
static void long_runs_are_written_now_and_then(void **state) {
  (void)state;
  tacit_config config = plain();
  config.batch = 1;
  double expected[MAX], found[MAX];
  struct stop none = {0};
  assert_int_equal(attempt(&config, 1, &none, expected), 0);
  static const int stops[] = {64, 65, 67, 68, 100, 219};
  for (size_t i = 0; i < sizeof stops / sizeof stops[0]; ++i) {
    struct stop stop = {.at = stops[i]}, go = {0};
    (void)unlink(place_file);
    with_checkpoint(&config, 0);
    assert_int_equal(attempt(&config, 1, &stop, found), 1);
    with_checkpoint(&config, 1);
    tacit_train *train;
    tacit_error err;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    assert_true(train->log.resumed <= stops[i]);
    assert_true(17 * train->log.resumed >= 16 * stops[i] - 17);
    assert_true(stops[i] > 64 || train->log.resumed == stops[i]);
    tacit_train_free(train);
    assert_int_equal(attempt(&config, 1, &go, found), 0);
    assert_memory_equal(found, expected, sizeof found);
  }
  /* The last round is always written. */
  tacit_train *train;
  tacit_error err;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_true(train->log.resumed == ROWS);
  tacit_train_free(train);
}

/* A key from the operating system is in the checkpoint: resuming gives the same model
   any number of times, and it is private. */
static void the_key_is_kept(void **state) {
  (void)state;
  tacit_config config = plain();
  config.seeded = 0;
  double first[MAX], other[MAX];
  struct stop stop = {.at = 1}, go = {0}, again = {0}, third = {0};
  (void)unlink(place_file);
  with_checkpoint(&config, 1); /* no file yet: a new run */
  assert_int_equal(attempt(&config, 20, &stop, first), 1);
  size_t size;
  unsigned char *bytes = read_bytes(place_file, &size);
  assert_int_equal(attempt(&config, 20, &go, first), 0);
  write_bytes(place_file, bytes, size, 0600);
  assert_int_equal(attempt(&config, 0, &again, other), 0);
  assert_memory_equal(first, other, sizeof first);
  (void)unlink(place_file);
  assert_int_equal(attempt(&config, 20, &third, other), 0);
  assert_memory_not_equal(first, other, sizeof first);
  tacit_train *train;
  tacit_error err;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_non_null(
      strstr(tacit_plan_statement_json(tacit_train_plan(train)), "\"private\": true"));
  tacit_train_free(train);
  free(bytes);
}

/* Leaves the checkpoint of a run that was stopped after `calls` feeds of 20 rows. */
static void stop_after(tacit_config *config, int calls) {
  double unused[MAX];
  struct stop stop = {.at = calls};
  (void)unlink(place_file);
  with_checkpoint(config, 0);
  assert_int_equal(attempt(config, 20, &stop, unused), 1);
  with_checkpoint(config, 1);
}

static void id_of(const tacit_config *config, char *out) {
  tacit_train *train;
  tacit_error err;
  CHECK_OK(tacit_train_new(config, &train, &err), err);
  strcpy(out, tacit_train_id(train));
  tacit_train_free(train);
}

/* Whatever its seed, and the same when it is resumed. */
static void each_run_has_an_id(void **state) {
  (void)state;
  char ids[5][2 * TACIT_RUN_ID_BYTES + 1];
  tacit_config config = plain();
  id_of(&config, ids[0]);
  id_of(&config, ids[1]);
  stop_after(&config, 2);
  id_of(&config, ids[2]);
  stop_after(&config, 2);
  id_of(&config, ids[3]);
  id_of(&config, ids[4]);
  assert_string_equal(ids[4], ids[3]);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(strlen(ids[i]), sizeof ids[i] - 1);
    for (int j = 0; j < i; ++j)
      assert_string_not_equal(ids[i], ids[j]);
  }
}

/* Writes the log again without the last bytes of its first record, and with another
   version in it, which has as many characters at most. */
static void change_first_record(size_t bytes, const char *version) {
  tacit_checkpoint_file old, new;
  tacit_error err;
  unsigned char *raw_bytes;
  size_t size;
  CHECK_OK(tacit_checkpoint_file_init(&old, place_file, place_key, 1, &err), err);
  CHECK_OK(tacit_checkpoint_file_open(&old, &err), err);
  (void)unlink(place_file);
  CHECK_OK(tacit_checkpoint_file_init(&new, place_file, place_key, 0, &err), err);
  CHECK_OK(tacit_sealed_next(&old.log, &raw_bytes, &size, &err), err);
  char *said = memmem(raw_bytes, size, TACIT_VERSION, sizeof TACIT_VERSION);
  assert_non_null(said);
  (void)strncpy(said, version, sizeof TACIT_VERSION);
  CHECK_OK(tacit_checkpoint_file_start(&new, raw_bytes, size - bytes, &err), err);
  tacit_raw_free(raw_bytes);
  for (;;) {
    CHECK_OK(tacit_sealed_next(&old.log, &raw_bytes, &size, &err), err);
    if (raw_bytes == NULL) break;
    CHECK_OK(tacit_sealed_append(&new.log, raw_bytes, size, &err), err);
    tacit_raw_free(raw_bytes);
  }
  tacit_checkpoint_file_fini(&old);
  tacit_checkpoint_file_fini(&new);
}

/* It is resumed; a ledger refuses it (unit/book). */
static void a_checkpoint_from_before_runs_had_ids_has_none(void **state) {
  (void)state;
  tacit_config config = plain();
  double expected[MAX], found[MAX];
  char id[2 * TACIT_RUN_ID_BYTES + 1];
  struct stop none = {0}, go = {0};
  assert_int_equal(attempt(&config, 20, &none, expected), 0);
  stop_after(&config, 5);
  change_first_record(TACIT_RUN_ID_BYTES, TACIT_VERSION);
  id_of(&config, id);
  assert_string_equal(id, "");
  assert_int_equal(attempt(&config, 20, &go, found), 0);
  assert_memory_equal(found, expected, sizeof found);
}

/* Formats have numbers; the version is for people. */
static void the_version_that_began_a_run_does_not_matter(void **state) {
  (void)state;
  tacit_config config = plain();
  double expected[MAX], found[MAX];
  struct stop none = {0}, go = {0};
  assert_int_equal(attempt(&config, 20, &none, expected), 0);
  stop_after(&config, 5);
  change_first_record(0, "0.0.9");
  assert_int_equal(attempt(&config, 20, &go, found), 0);
  assert_memory_equal(found, expected, sizeof found);
}

static void another_run_is_refused(void **state) {
  (void)state;
  tacit_config base = plain();
  base.passes = 2;
  static const double start[FEATURES + 1] = {0.5};
  stop_after(&base, 7);
  tacit_error err;
  tacit_train *train = NULL;
  for (int i = 0;; ++i) {
    tacit_config config = base;
    if (i == 0) config.epsilon = 2;
    if (i == 1) config.delta = 1e-7;
    if (i == 2) config.adjacency = TACIT_ZERO_OUT;
    if (i == 3) config.rows = ROWS - 1;
    if (i == 4) config.row_norm = 2;
    if (i == 5) config.bias = 0;
    if (i == 6) config.shuffled = !base.shuffled;
    if (i == 7) config.loss = "hinge";
    if (i == 8) config.l2 = 0.1;
    if (i == 9) config.start = start;
    if (i == 10) config.learner = "adagrad";
    if (i == 11) config.mechanism = "tree";
    if (i == 12) config.bound = TACIT_BOUND_TIGHT;
    if (i == 13) config.passes = 3;
    if (i == 14) config.batch = 30;
    if (i == 15) config.power = 1;
    if (i == 16) config.clip = 0.5;
    if (i == 17) config.radius = 50;
    if (i == 18) config.domain = TACIT_DOMAIN_BOX;
    if (i == 19) config.scaling = TACIT_SCALE_SAME;
    if (i == 20) config.seed = 4;
    if (i == 21) config.seeded = 0;
    if (i == 22) config.norm = 1.5;
    if (i == 23) config.reg_scale = 0.5;
    if (i == 24) config.learner_ops = &signs_ops;
    if (i == 25) config.learner = "kt:e0=11";
    if (i == 26) config.preset = TACIT_PAPER;
    if (i == 27) config.schema = schema_kinds;
    if (i == 28) config.leaks = "classes";
    if (i == 29) break;
    tacit_status status = tacit_train_new(&config, &train, &err);
    if (status != TACIT_EPRIVACY || strstr(err.message, "other options") == NULL)
      fail_msg("case %d: %s", i, status == TACIT_OK ? "accepted" : err.message);
    assert_null(train);
  }
  tacit_config config = base;
  config.key_file = place_other_key;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EDATA);
  config = base;
  config.resume = 0;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EPRIVACY);
  config.key_file = NULL;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  config = base;
  config.checkpoint = NULL;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EINVAL);
  /* None of this touched it. */
  CHECK_OK(tacit_train_new(&base, &train, &err), err);
  assert_true(train->log.resumed == 7);
  assert_int_equal(tacit_train_noise_begun(train), 1); /* in the run before */
  tacit_train_free(train);
}

static tacit_status resume_all(tacit_config *config, int reader, double *out,
                               tacit_error *err) {
  tacit_train *train;
  tacit_model *model = NULL;
  size_t count;
  config->progress = NULL;
  CHECK_OK(tacit_train_new(config, &train, err), *err);
  tacit_status status =
      reader ? run_all(train, config, err) : feed_all(train, config, 20, err);
  tacit_error unused;
  tacit_status finished = tacit_train_finish(train, &model, &unused);
  assert_int_equal(finished, status == TACIT_OK ? TACIT_OK : TACIT_ESTATE);
  if (status == TACIT_OK) {
    memset(out, 0, MAX * sizeof *out);
    memcpy(out, tacit_model_weights(model, &count), (FEATURES + 1) * sizeof *out);
  }
  tacit_model_free(model);
  tacit_train_free(train);
  return status;
}

/* Rows that were consumed are bound by their digests: any change is found, in the first
   pass, in a later one, and when all rounds were done. */
static void changed_rows_are_refused(void **state) {
  (void)state;
  static const int calls[] = {5, 11, 15, 22};
  for (size_t i = 0; i < 4; ++i) {
    for (int reader = 0; reader < 2; ++reader) {
      tacit_config config = plain();
      config.passes = 2;
      double found[MAX], expected[MAX];
      tacit_error err;
      stop_after(&config, calls[i]);
      size_t size;
      unsigned char *bytes = read_bytes(place_file, &size);
      int64_t consumed = calls[i] < 11 ? calls[i] * ROWS / 11 : ROWS;
      for (int64_t row = 0; row < consumed; row += 13) {
        double before = raw_values[row * FEATURES + 2], label = raw_labels[row];
        write_bytes(place_file, bytes, size, 0600);
        if (row % 2 == 0)
          raw_values[row * FEATURES + 2] = nextafter(before, 9);
        else
          raw_labels[row] = -label;
        assert_int_equal(resume_all(&config, reader, found, &err), TACIT_EDATA);
        raw_values[row * FEATURES + 2] = before;
        raw_labels[row] = label;
      }
      write_bytes(place_file, bytes, size, 0600);
      CHECK_OK(resume_all(&config, reader, found, &err), err);
      tacit_config whole = plain();
      whole.passes = 2;
      struct stop none = {0};
      assert_int_equal(attempt(&whole, 20, &none, expected), 0);
      assert_memory_equal(found, expected, sizeof found);
      free(bytes);
    }
  }
}

/* A run from a reader is bound to all of its rows: also rows that were not read yet, or
   were read in an earlier pass, must be the same. */
static void changed_rows_of_a_reader_are_refused(void **state) {
  (void)state;
  for (int passes = 1; passes <= 2; ++passes) {
    tacit_config config = plain();
    config.passes = passes;
    double found[MAX], expected[MAX], unused[MAX];
    tacit_error err;
    struct stop none = {0}, stop = {.at = 4};
    assert_int_equal(attempt(&config, 0, &none, expected), 0);
    (void)unlink(place_file);
    with_checkpoint(&config, 0);
    assert_int_equal(attempt(&config, 0, &stop, unused), 1);
    with_checkpoint(&config, 1);
    size_t size;
    unsigned char *bytes = read_bytes(place_file, &size);
    for (int64_t row = 0; row < ROWS; row += 7) {
      double before = raw_values[row * FEATURES + 2], label = raw_labels[row];
      if (row % 2 == 0)
        raw_values[row * FEATURES + 2] = nextafter(before, 9);
      else
        raw_labels[row] = -label;
      config.threads = 1 + (unsigned)row % 3;
      assert_int_equal(resume_all(&config, 1, found, &err), TACIT_EDATA);
      assert_non_null(strstr(err.message, "the data is not what it was when"));
      raw_values[row * FEATURES + 2] = before;
      raw_labels[row] = label;
    }
    size_t after;
    unsigned char *same = read_bytes(place_file, &after);
    assert_int_equal(after, size);
    assert_memory_equal(same, bytes, size);
    CHECK_OK(resume_all(&config, 1, found, &err), err);
    assert_memory_equal(found, expected, sizeof found);
    free(same);
    free(bytes);
  }
}

/* Resumes from a file; 1 when that gives a model. */
static int gives_model(tacit_config *config, double *out) {
  tacit_train *train = NULL;
  tacit_error err;
  config->progress = NULL;
  if (tacit_train_new(config, &train, &err) != TACIT_OK) {
    assert_int_equal(err.status, TACIT_EDATA);
    return 0;
  }
  tacit_train_free(train);
  CHECK_OK(resume_all(config, 0, out, &err), err);
  return 1;
}

/* A file that is cut or has a flipped bit anywhere is refused, or gives the same model
   from an earlier round: a cut after the first record looks like a torn append. */
static void a_damaged_log_gives_the_same_model_or_none(void **state) {
  (void)state;
  tacit_config config = plain();
  double expected[MAX], found[MAX];
  struct stop none = {0};
  assert_int_equal(attempt(&config, 20, &none, expected), 0);
  stop_after(&config, 8);
  size_t size;
  unsigned char *bytes = read_bytes(place_file, &size);
  enum { FIRST = 24 + 48 + 192, RECORD = 48 + 40 + 16 + 8 * (FEATURES + 1) };
  assert_int_equal(size, FIRST + 8 * RECORD);
  int models = 0;
  for (size_t i = 0; i < size; i += 11) {
    write_bytes(place_file, bytes, i, 0600);
    int given = gives_model(&config, found);
    assert_int_equal(given, i >= FIRST);
    if (given) assert_memory_equal(found, expected, sizeof found);
    bytes[i] ^= 4;
    write_bytes(place_file, bytes, size, 0600);
    given = gives_model(&config, found);
    if (given) assert_memory_equal(found, expected, sizeof found);
    if (i < FIRST) assert_false(given);
    bytes[i] ^= 4;
    models += given;
  }
  assert_true(models > 5); /* in the last record, and in sizes */
  free(bytes);
}

/* A round is written once: the file grows by the sums of a round and by nothing else.
 */
static void each_round_is_written_once(void **state) {
  (void)state;
  tacit_config config = plain();
  size_t before = 0;
  for (int calls = 1; calls < 11; ++calls) {
    size_t size;
    stop_after(&config, calls);
    free(read_bytes(place_file, &size));
    if (calls > 1) assert_int_equal(size - before, 48 + 40 + 16 + 8 * (FEATURES + 1));
    before = size;
  }
}

/* Rows that are fed are not known in advance, so later ones may have changed. The noise
   is then different: every weight moves by far more than one row can move it. */
static void changed_later_rows_have_other_noise(void **state) {
  (void)state;
  tacit_config config = plain();
  double first[MAX], other[MAX];
  tacit_error err;
  stop_after(&config, 5);
  size_t size;
  unsigned char *bytes = read_bytes(place_file, &size);
  CHECK_OK(resume_all(&config, 0, first, &err), err);
  write_bytes(place_file, bytes, size, 0600);
  double before = raw_values[(ROWS - 1) * FEATURES];
  raw_values[(ROWS - 1) * FEATURES] = before + 0.25;
  CHECK_OK(resume_all(&config, 0, other, &err), err);
  raw_values[(ROWS - 1) * FEATURES] = before;
  for (int i = 0; i <= FEATURES; ++i)
    assert_true(fabs(first[i] - other[i]) > 1e-7);
  free(bytes);
}

/* A sharper case: one sum of one round is larger by one lattice step. With the same
   noise all other coordinates would be released as before. */
static void one_changed_sum_has_other_noise(void **state) {
  (void)state;
  static const char *const mechanisms[] = {"tree", "banded", "blt"};
  for (size_t m = 0; m < 3; ++m) {
    tacit_config config = plain();
    tacit_error err;
    double y[3][FEATURES + 1];
    config.mechanism = mechanisms[m];
    (void)unlink(place_file);
    with_checkpoint(&config, 1);
    size_t size;
    unsigned char *bytes = NULL;
    for (int attempt_number = 0; attempt_number < 3; ++attempt_number) {
      tacit_train *train;
      tacit_round round = {.struct_size = sizeof round};
      int64_t raw_sum[FEATURES + 1] = {5, -7, 100, 0, 3, 1};
      if (bytes != NULL) write_bytes(place_file, bytes, size, 0600);
      CHECK_OK(tacit_train_new(&config, &train, &err), err);
      for (;;) {
        CHECK_OK(tacit_round_ask(train, &round, &err), err);
        if (round.t == 7) break;
        CHECK_OK(tacit_round_tell(train, raw_sum, round.n_rows, &err), err);
      }
      if (bytes == NULL) bytes = read_bytes(place_file, &size);
      raw_sum[2] += attempt_number == 1;
      CHECK_OK(tacit_round_tell(train, raw_sum, round.n_rows, &err), err);
      memcpy(y[attempt_number], train->open.y, sizeof y[0]);
      tacit_train_free(train);
    }
    assert_memory_equal(y[0], y[2],
                        sizeof y[0]); /* the same sums give the same release */
    for (int i = 0; i <= FEATURES; ++i)
      assert_true(y[0][i] != y[1][i]);
    free(bytes);
  }
}

/* The same sums under the same key at another scale have other noise: with the same
   words one would be a multiple of the other, and which sums agree could be seen. */
static void the_same_sums_at_another_scale_have_other_noise(void **state) {
  (void)state;
  double y[2][FEATURES + 1];
  for (int i = 0; i < 2; ++i) {
    tacit_config config = plain();
    tacit_train *train;
    tacit_error err;
    int64_t raw_sum[FEATURES + 1] = {0};
    config.epsilon = i == 0 ? 1 : 0.6;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    CHECK_OK(
        tacit_round_tell(train, raw_sum, tacit_plan_round_rows(train->plan, 1), &err),
        err);
    memcpy(y[i], train->open.y, sizeof y[0]);
    tacit_train_free(train);
  }
  double ratio = y[0][0] / y[1][0];
  for (int i = 1; i <= FEATURES; ++i)
    assert_true(fabs(y[0][i] / y[1][i] - ratio) > 1e-6 * fabs(ratio));
}

/* Ask and tell resume with the next round; there are no digests of their rows. */
static void told_and_resumed(tacit_config config) {
  double weights[2][MAX];
  int64_t first = config.centre == TACIT_CENTRE_ON ? 0 : 1;
  tacit_error err;
  for (int broken = 0; broken < 2; ++broken) {
    (void)unlink(place_file);
    with_checkpoint(&config, 1);
    tacit_train *train;
    tacit_round round = {.struct_size = sizeof round};
    tacit_model *model;
    size_t count;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    int64_t fed = 0;
    for (int64_t t = first, at = 0; t <= 22; ++t) {
      if (broken) {
        tacit_train_free(train);
        CHECK_OK(tacit_train_new(&config, &train, &err), err);
      }
      CHECK_OK(tacit_round_ask(train, &round, &err), err);
      assert_true(round.t == t);
      int64_t raw_sum[FEATURES + 4] = {0}, raw_count = 0;
      tacit_batch batch = rows_from(&config, at, at + round.n_rows);
      CHECK_OK(tacit_round_delta(train, &round, &batch, raw_sum, &raw_count, &err),
               err);
      CHECK_OK(tacit_round_tell(train, raw_sum, raw_count, &err), err);
      fed += round.n_rows;
      assert_true(train->rows.fed == fed);
      at = (at + round.n_rows) % ROWS;
    }
    CHECK_OK(tacit_train_finish(train, &model, &err), err);
    memcpy(weights[broken], tacit_model_weights(model, &count),
           (FEATURES + 1) * sizeof(double));
    tacit_model_free(model);
    tacit_train_free(train);
  }
  assert_memory_equal(weights[0], weights[1], (FEATURES + 1) * sizeof(double));
  double unused[MAX];
  assert_int_equal(resume_all(&config, 0, unused, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "ask and tell"));
}

static void ask_and_tell_resume(void **state) {
  (void)state;
  tacit_config config = plain();
  config.passes = 2;
  told_and_resumed(config);
  config.centre = TACIT_CENTRE_ON;
  config.epsilon = 8;
  told_and_resumed(config);
}

/* A replay that reaches another state is refused: here the learner is another one of
   the same name. */
static void other_step(void *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       double *w) {
  signs_step(self, facts, loss, vectors, w);
  w[0] = nextafter(w[0], 1);
}

static void another_replay_is_refused(void **state) {
  (void)state;
  tacit_learner_ops other = signs_ops;
  other.step = other_step;
  tacit_config config = plain();
  config.learner_ops = &signs_ops;
  stop_after(&config, 4);
  tacit_train *train = NULL;
  tacit_error err;
  config.learner_ops = &other;
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "come out otherwise here"));
  config.learner_ops = &signs_ops;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  tacit_train_free(train);
}

/* Files are bound by name, size and content, not by their folder. */
static void other_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *folder, *first, *second;
    const char *text;
    tacit_status status;
  } cases[] = {
      {"a", "one", "two", "1 1:0.5\n0 2:1\n1 1:1\n", TACIT_ECANCELED},
      {"b", "one", "two", "1 1:0.5\n0 2:1\n1 1:1\n", TACIT_OK},
      {"b", "two", "one", "1 1:0.5\n0 2:1\n1 1:1\n", TACIT_EPRIVACY},
      {"b", "one", "three", "1 1:0.5\n0 2:1\n1 1:1\n", TACIT_EPRIVACY},
      {"b", "one", "two", "1 1:0.50\n0 2:1\n1 1:1\n", TACIT_EPRIVACY},
      {"b", "one", "two", "1 1:0.5\n0 2:1\n0 1:1\n", TACIT_EDATA}, /* the last row */
      {"b", "one", "two", "1 1:0.4\n0 2:1\n1 1:1\n", TACIT_EDATA},
      {"b", "one", "two", "1 1:0.5\n0 2:1\n1 1:1\n", TACIT_OK},
  };
  static const char first_text[] = "0 3:1\n1 1:-1\n";
  tacit_schema *libsvm;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(3, 2, 0, 0, &libsvm, &err), err);
  (void)unlink(place_file);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char folder[150], paths[2][200];
    (void)snprintf(folder, sizeof folder, "%s/%s", place_folder, cases[i].folder);
    (void)mkdir(folder, 0700);
    (void)snprintf(paths[0], sizeof paths[0], "%s/%s", folder, cases[i].first);
    (void)snprintf(paths[1], sizeof paths[1], "%s/%s", folder, cases[i].second);
    write_bytes(paths[0], first_text, strlen(first_text), 0600);
    write_bytes(paths[1], cases[i].text, strlen(cases[i].text), 0600);
    if (strcmp(cases[i].first, "two") == 0) {
      write_bytes(paths[1], first_text, strlen(first_text), 0600);
      write_bytes(paths[0], cases[i].text, strlen(cases[i].text), 0600);
    }
    tacit_reader_options options;
    tacit_reader_options_init(&options);
    options.schema = libsvm;
    options.shuffle = 0;
    tacit_reader *reader;
    const char *const both[] = {paths[0], paths[1]};
    CHECK_OK(tacit_reader_open(both, 2, &options, &reader, &err), err);
    tacit_config config = plain();
    struct stop stop = {.at = i == 0 ? 3 : 0};
    with_checkpoint(&config, 1);
    config.schema = libsvm;
    config.rows = 5;
    config.batch = 1;
    config.progress = stop_at;
    config.progress_cookie = &stop;
    tacit_train *train;
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    tacit_status status = tacit_train_run(train, reader, &err);
    if (status != cases[i].status) fail_msg("case %zu: %s", i, err.message);
    if (cases[i].status == TACIT_EPRIVACY)
      assert_non_null(strstr(err.message, "other data files"));
    tacit_train_free(train);
    tacit_reader_free(reader);
  }
  tacit_schema_free(libsvm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mechanism),
      cmocka_unit_test(every_learner),
      cmocka_unit_test(softmax_laplace_and_tight),
      cmocka_unit_test(centred_runs),
      cmocka_unit_test(a_learner_of_ones_own),
      cmocka_unit_test(long_runs_are_written_now_and_then),
      cmocka_unit_test(the_key_is_kept),
      cmocka_unit_test(each_run_has_an_id),
      cmocka_unit_test(a_checkpoint_from_before_runs_had_ids_has_none),
      cmocka_unit_test(the_version_that_began_a_run_does_not_matter),
      cmocka_unit_test(another_run_is_refused),
      cmocka_unit_test(changed_rows_are_refused),
      cmocka_unit_test(changed_rows_of_a_reader_are_refused),
      cmocka_unit_test(a_damaged_log_gives_the_same_model_or_none),
      cmocka_unit_test(each_round_is_written_once),
      cmocka_unit_test(changed_later_rows_have_other_noise),
      cmocka_unit_test(one_changed_sum_has_other_noise),
      cmocka_unit_test(the_same_sums_at_another_scale_have_other_noise),
      cmocka_unit_test(ask_and_tell_resume),
      cmocka_unit_test(another_replay_is_refused),
      cmocka_unit_test(other_files_are_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
