/* SPDX-License-Identifier: MIT */
/* A stream gives the same models in one process and in many, each day counts once, and
   what would be a second answer is refused. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <tacit/extra/ledger.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "extra/stream/stream.h"

enum { ROWS = 900, FEATURES = 3, DAYS = 6 };

static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
static int64_t raw_ids[ROWS];
static tacit_schema *schema;
static char folder[] = "/tmp/tacit-stream-XXXXXX", state[64], key[64], ledger[64];

/* Day d: where its rows begin, and how many they are. Day 3 has none. */
static const int first_of[DAYS + 1] = {0, 100, 250, 250, 400, 430, 600};

static void path_in(char *out, const char *name) {
  (void)snprintf(out, 64, "%.40s/%s", folder, name);
}

static int set_up(void **unused) {
  (void)unused;
  if (mkdtemp(folder) == NULL) return -1;
  path_in(state, "s");
  path_in(key, "key");
  path_in(ledger, "ledger");
  FILE *file = fopen(key, "w");
  if (file == NULL || fputs("0123456789abcdef0123456789abcdef", file) < 0 ||
      fclose(file) != 0 || chmod(key, 0600) != 0)
    return -1;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      raw_values[i * FEATURES + j] = sin(1.7 * i + 2.3 * j + i * j);
    raw_labels[i] = raw_values[i * FEATURES] > raw_values[i * FEATURES + 1] ? 1 : -1;
    raw_ids[i] = i / 2;
  }
  return tacit_schema_memory(FEATURES, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

/* Removes what a test left behind, in the order of files before their folder. */
static void remove_files(void) {
  static const char *const names[] = {"s", "s.persons", "s.tmp", "ledger", "old"};
  char path[64];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    path_in(path, names[i]);
    (void)remove(path);
  }
}

static int tear_down(void **unused) {
  (void)unused;
  remove_files();
  tacit_schema_free(schema);
  return remove(key) != 0 || remove(folder) != 0;
}

static int fresh(void **unused) {
  (void)unused;
  remove_files();
  return 0;
}

static tacit_reader *rows_of(int first, int end, int with_ids) {
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  if (first == end) return NULL;
  tacit_arrays_init(&arrays);
  arrays.n_rows = end - first;
  arrays.n_features = FEATURES;
  arrays.raw_values = raw_values + (ptrdiff_t)first * FEATURES;
  arrays.row_stride = FEATURES * sizeof(double);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = raw_labels + first;
  if (with_ids) arrays.raw_units = raw_ids + first;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  return reader;
}

static tacit_stream_options plain(void) {
  tacit_stream_options options;
  tacit_stream_options_init(&options);
  options.path = state;
  options.key_file = key;
  options.horizon = DAYS;
  options.batch_rows = 100;
  return options;
}

static tacit_config learned(const char *mechanism) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.epsilon = 8;
  config.mechanism = mechanism;
  config.threads = 1;
  config.seeded = 1;
  config.seed = 5;
  return config;
}

static tacit_stream *begin(const tacit_stream_options *options,
                           const tacit_config *config) {
  tacit_stream *stream = NULL;
  tacit_error err;
  CHECK_OK(tacit_stream_init(options, config, &stream, &err), err);
  return stream;
}

static tacit_stream *open_again(tacit_stream *stream) {
  tacit_error err;
  tacit_stream_free(stream);
  CHECK_OK(tacit_stream_open(state, key, 1, &stream, &err), err);
  return stream;
}

/* Feeds rows first … end-1; returns the status, and the model as text if it was OK. */
static tacit_status feed_rows(tacit_stream *stream, int first, int end, int64_t round,
                              char **out) {
  tacit_model *model = NULL;
  tacit_error err;
  tacit_reader *reader = rows_of(first, end, stream->options.units);
  tacit_status status = tacit_stream_feed(stream, reader, round, 0, &model, &err);
  if (status == TACIT_OK && out != NULL) {
    char path[64];
    size_t size;
    path_in(path, "old");
    CHECK_OK(tacit_model_save(model, path, &err), err);
    CHECK_OK(tacit_file_read(path, 1 << 20, "nothing", out, &size, &err), err);
  }
  tacit_model_free(model);
  tacit_reader_free(reader);
  return status;
}

static char *feed_day(tacit_stream *stream, int day) {
  char *text = NULL;
  assert_int_equal(feed_rows(stream, first_of[day - 1], first_of[day], day, &text),
                   TACIT_OK);
  return text;
}

/* All days in one process, then in a process a day. */
static void same_in_pieces(const tacit_stream_options *options, const char *mechanism) {
  tacit_config config = learned(mechanism);
  tacit_stream_options alone = *options;
  char *whole[DAYS + 1];
  if (!options->unit_once) alone.path = alone.key_file = NULL; /* in memory */
  tacit_stream *stream = begin(&alone, &config);
  for (int day = 1; day <= DAYS; ++day)
    whole[day] = feed_day(stream, day);
  tacit_stream_free(stream);
  remove_files();
  stream = begin(options, &config);
  for (int day = 1; day <= DAYS; ++day) {
    stream = open_again(stream);
    char *text = feed_day(stream, day);
    assert_string_equal(text, whole[day]);
    if (day > 1) assert_string_not_equal(text, whole[day - 1]);
    tacit_array_free(text);
  }
  stream = open_again(stream); /* the model of the last day is in the state */
  char *again = feed_day(stream, DAYS);
  assert_string_equal(again, whole[DAYS]);
  tacit_array_free(again);
  for (int day = 1; day <= DAYS; ++day)
    tacit_array_free(whole[day]);
  tacit_stream_free(stream);
}

static void a_process_a_day_gives_the_same_models(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  same_in_pieces(&options, "blt");
  remove_files();
  same_in_pieces(&options, "tree");
}

static void the_same_with_windows_and_persons(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  options.window = 4; /* the last one is cut short by the horizon */
  same_in_pieces(&options, "blt");
  remove_files();
  options.window = 2;
  options.units = options.unit_once = 1;
  same_in_pieces(&options, "blt");
}

static void the_size_of_the_state_does_not_grow(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_error err;
  tacit_stream_status at = {.struct_size = sizeof at};
  int64_t before = 0;
  options.horizon = 1 << 20;
  tacit_stream *stream = begin(&options, &config);
  for (int day = 1; day <= 40; ++day) {
    assert_int_equal(feed_rows(stream, 10 * day, 10 * day + 10, 0, NULL), TACIT_OK);
    CHECK_OK(tacit_stream_look(stream, &at, &err), err);
    assert_int_equal(at.round, day);
    assert_int_equal(at.rows, 10 * day);
    if (day > 1) assert_int_equal(at.state_bytes, before);
    before = at.state_bytes;
  }
  tacit_stream_free(stream);
}

static const double *point_of(const tacit_stream *stream) {
  return tacit_algorithm1_x(stream->train->algorithm1);
}

/* Without rows, all that moves the model is noise. */
static void every_day_and_window_has_noise_of_its_own(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  double moved[DAYS][FEATURES + 1] = {{0}}, last[FEATURES + 1] = {0};
  tacit_error err;
  options.window = 2;
  tacit_stream *stream = begin(&options, &config);
  for (int day = 0; day < DAYS; ++day) {
    stream = open_again(stream);
    CHECK_OK(tacit_stream_feed(stream, NULL, day + 1, 0, NULL, &err), err);
    for (int j = 0; j <= FEATURES; ++j) {
      moved[day][j] = point_of(stream)[j] - last[j];
      last[j] = point_of(stream)[j];
    }
    for (int earlier = 0; earlier < day; ++earlier)
      for (int j = 0; j <= FEATURES; ++j)
        assert_true(fabs(moved[day][j] - moved[earlier][j]) >
                    1e-9 * fabs(moved[earlier][j]));
  }
  tacit_stream_free(stream);
}

/* Feeds day 1 and fails to save the state after it: the name that the new state would
   have is taken by a folder. */
static tacit_stream *interrupt(tacit_stream *stream) {
  char path[64];
  path_in(path, "s.tmp");
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_not_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  assert_int_equal(remove(path), 0);
  /* What was begun in this process is not gone on with here. */
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_ESTATE);
  return open_again(stream);
}

static void a_round_that_was_begun_takes_the_same_rows_only(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_stream *stream = begin(&options, &config);
  char *whole = feed_day(stream, 1), *again = NULL;
  tacit_stream_free(stream);
  remove_files();
  stream = interrupt(begin(&options, &config));
  assert_int_equal(stream->begun.round, 1);
  assert_int_equal(feed_rows(stream, 0, 99, 1, NULL), TACIT_EPRIVACY);
  assert_int_equal(feed_rows(stream, 1, 101, 1, NULL), TACIT_EPRIVACY);
  assert_int_equal(feed_rows(stream, 0, 0, 1, NULL), TACIT_EPRIVACY);
  assert_int_equal(feed_rows(stream, 0, 100, 1, &again), TACIT_OK);
  assert_string_equal(again, whole);
  stream = open_again(stream);
  assert_int_equal(stream->head.round, 1);
  assert_int_equal(stream->begun.round, 0);
  tacit_array_free(whole);
  tacit_array_free(again);
  tacit_stream_free(stream);
}

static void a_day_counts_once(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("tree");
  tacit_stream *stream = begin(&options, &config);
  char *model = NULL, *again = NULL;
  tacit_error err;
  assert_int_equal(feed_rows(stream, 0, 100, 0, NULL), TACIT_OK);
  assert_int_equal(feed_rows(stream, 100, 200, 0, &model), TACIT_OK);
  /* The same rows again are the same day, with or without its number. */
  assert_int_equal(feed_rows(stream, 100, 200, 0, &again), TACIT_OK);
  assert_string_equal(again, model);
  tacit_array_free(again);
  assert_int_equal(feed_rows(stream, 100, 200, 2, &again), TACIT_OK);
  assert_string_equal(again, model);
  assert_int_equal(stream->head.round, 2);
  /* Other rows for a day that is over are not. */
  assert_int_equal(feed_rows(stream, 200, 300, 2, NULL), TACIT_EPRIVACY);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_EINVAL);
  assert_int_equal(feed_rows(stream, 200, 300, 4, NULL), TACIT_EINVAL);
  /* Missed days, and days without rows. */
  tacit_reader *reader = rows_of(200, 300, 0);
  CHECK_OK(tacit_stream_feed(stream, reader, 4, 1, NULL, &err), err);
  tacit_reader_free(reader);
  assert_int_equal(stream->head.round, 4);
  CHECK_OK(tacit_stream_feed(stream, NULL, 0, 0, NULL, &err), err);
  assert_int_equal(tacit_stream_feed(stream, NULL, 0, 0, NULL, &err), TACIT_EINVAL);
  CHECK_OK(tacit_stream_feed(stream, NULL, 5, 0, NULL, &err), err);
  assert_int_equal(stream->head.round, 5);
  CHECK_OK(tacit_stream_feed(stream, NULL, 6, 0, NULL, &err), err);
  assert_int_equal(feed_rows(stream, 300, 400, 0, NULL), TACIT_EBUDGET);
  tacit_array_free(model);
  tacit_array_free(again);
  tacit_stream_free(stream);
}

/* The sums of the open round, of these rows. */
static void sums_of(tacit_stream *stream, int first, int end, int64_t *raw_out) {
  tacit_error err;
  tacit_train *train = stream->train;
  tacit_reader *reader = rows_of(first, end, 1);
  int64_t count;
  unsigned char *raw_new = NULL;
  size_t n_new;
  CHECK_OK(tacit_reader_units(reader, 0, &count, &err), err);
  CHECK_OK(tacit_seen_leave_out(stream, reader->roster, &raw_new, &n_new, &err), err);
  CHECK_OK(tacit_round_read(train, reader, &err), err);
  CHECK_OK(tacit_round_merge(train, &err), err);
  memcpy(raw_out, tacit_sum_raw_integers(train->open.partials[0].sum),
         (FEATURES + 1) * sizeof *raw_out);
  CHECK_OK(tacit_round_empty(train, &err), err);
  tacit_raw_free(raw_new);
  tacit_reader_free(reader);
}

/* Persons 0 … 49 have rows 0 … 99, two each. */
static void nobody_takes_part_twice(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  int64_t raw_sums[FEATURES + 1], raw_new[FEATURES + 1], raw_all[FEATURES + 1];
  options.units = options.unit_once = 1;
  tacit_stream *stream = begin(&options, &config);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  stream = open_again(stream);
  assert_int_equal(stream->head.rows, 50);
  sums_of(stream, 0, 100, raw_sums);
  for (int j = 0; j <= FEATURES; ++j)
    assert_int_equal(raw_sums[j], 0);
  sums_of(stream, 100, 200, raw_new);
  sums_of(stream, 40, 200, raw_all);
  assert_memory_equal(raw_all, raw_new, sizeof raw_new);
  assert_int_not_equal(raw_new[0], 0);
  /* They still count: how many came is public, who is not. */
  assert_int_equal(feed_rows(stream, 40, 200, 2, NULL), TACIT_OK);
  assert_int_equal(stream->head.rows, 50 + 80);
  tacit_stream_free(stream);
}

/* Ids that are not in the rows are part of a day: the same rows of other persons are
   another day, whether or not the reader has counted its persons. */
static void ids_are_part_of_a_day(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_error err;
  int64_t count;
  options.units = 1;
  tacit_stream *stream = begin(&options, &config);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  tacit_reader *reader = rows_of(0, 100, 1);
  CHECK_OK(tacit_reader_units(reader, config.unit_rows, &count, &err), err);
  CHECK_OK(tacit_stream_feed(stream, reader, 1, 0, NULL, &err), err);
  tacit_reader_free(reader);
  int64_t kept = raw_ids[99];
  raw_ids[99] = 0; /* one row more for the first person, one less for the last */
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_EPRIVACY);
  raw_ids[99] = kept;
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  assert_int_equal(stream->head.round, 1);
  tacit_stream_free(stream);
}

static char *bytes_of(const char *path, size_t *out_size) {
  char *bytes = NULL;
  tacit_error err;
  CHECK_OK(tacit_file_read(path, 1 << 20, "nothing", &bytes, out_size, &err), err);
  return bytes;
}

static void put_back(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void persons_of_another_state_are_refused(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_stream *stream = NULL;
  tacit_error err;
  char persons[64];
  size_t size, state_size, other_size;
  options.units = options.unit_once = 1;
  path_in(persons, "s.persons");
  tacit_stream_free(begin(&options, &config));
  char *bytes = bytes_of(persons, &size), *begun = bytes_of(state, &state_size);
  /* Two histories with as many records, of different persons. */
  stream = open_again(NULL);
  assert_int_equal(feed_rows(stream, 200, 300, 1, NULL), TACIT_OK);
  tacit_stream_free(stream);
  char *other = bytes_of(persons, &other_size);
  put_back(persons, bytes, size);
  put_back(state, begun, state_size);
  stream = open_again(NULL);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  tacit_stream_free(stream);
  put_back(persons, other, other_size);
  assert_int_equal(tacit_stream_open(state, key, 1, &stream, &err), TACIT_EPRIVACY);
  /* The file as it was before the day, and none at all. */
  put_back(persons, bytes, size);
  assert_int_equal(tacit_stream_open(state, key, 1, &stream, &err), TACIT_EPRIVACY);
  assert_int_equal(remove(persons), 0);
  assert_int_equal(tacit_stream_open(state, key, 1, &stream, &err), TACIT_EPRIVACY);
  tacit_array_free(bytes);
  tacit_array_free(begun);
  tacit_array_free(other);
}

static void persons_share_one_bound(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_error err;
  options.units = 1;
  tacit_stream *stream = begin(&options, &config);
  /* Rows without ids have no persons to share a bound with. */
  tacit_reader *reader = rows_of(0, 100, 0);
  assert_int_equal(tacit_stream_feed(stream, reader, 1, 0, NULL, &err), TACIT_EINVAL);
  tacit_reader_free(reader);
  assert_int_equal(feed_rows(stream, 0, 100, 1, NULL), TACIT_OK);
  assert_int_equal(stream->head.rows, 50);
  tacit_stream_free(stream);
}

static void an_old_copy_is_noticed_by_the_ledger(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_ledger_terms terms = {.dataset = "d", .epsilon = 8, .delta = 1e-6};
  tacit_stream *stream = NULL, *second = NULL;
  tacit_error err;
  char *again = NULL;
  size_t size;
  config.seeded = 0;
  options.ledger = ledger;
  options.dataset = "d";
  CHECK_OK(tacit_ledger_init(ledger, &terms, &err), err);
  stream = begin(&options, &config);
  assert_int_equal(stream->head.ledger_entry, 1);
  char *whole = feed_day(stream, 1);
  char *bytes = bytes_of(state, &size);
  tacit_array_free(feed_day(stream, 2));
  /* All of the budget is reserved. */
  assert_int_equal(remove(state), 0);
  assert_int_equal(tacit_stream_init(&options, &config, &second, &err), TACIT_EBUDGET);
  put_back(state, bytes, size);
  stream = open_again(stream); /* as it was after day 1 */
  assert_int_equal(feed_rows(stream, 300, 400, 2, NULL), TACIT_EPRIVACY);
  /* The day that was begun last, with its own rows, is the same answer again. */
  tacit_array_free(feed_day(stream, 2));
  tacit_array_free(feed_day(stream, 3));
  put_back(state, bytes, size);
  stream = open_again(stream);
  assert_int_equal(feed_rows(stream, 100, 250, 2, &again), TACIT_EPRIVACY);
  tacit_stream_free(stream);
  tacit_array_free(whole);
  tacit_array_free(bytes);
}

/* A stream with a budget of its own in the ledger, at round 0; *bytes: its state. */
static tacit_stream *begin_paid(const tacit_stream_options *options, char **bytes,
                                size_t *size) {
  tacit_config config = learned("blt");
  tacit_ledger_terms terms = {.dataset = "d", .epsilon = 8, .delta = 1e-6};
  tacit_error err;
  config.seeded = 0;
  config.bias = 0;
  CHECK_OK(tacit_ledger_init(ledger, &terms, &err), err);
  tacit_stream *stream = begin(options, &config);
  *bytes = bytes_of(state, size);
  return stream;
}

static void an_old_copy_gives_no_budget_back(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_stream *second = NULL;
  tacit_config config = learned("blt");
  tacit_error err;
  char *bytes;
  size_t size;
  config.seeded = 0;
  options.ledger = ledger;
  options.dataset = "d";
  tacit_stream *stream = begin_paid(&options, &bytes, &size);
  tacit_array_free(feed_day(stream, 1));
  put_back(state, bytes, size); /* no round was begun, as far as it knows */
  stream = open_again(stream);
  assert_int_equal(tacit_ledger_refund(ledger, 1, &err), TACIT_EPRIVACY);
  CHECK_OK(tacit_stream_close(stream, &err), err);
  tacit_stream_free(stream);
  assert_int_equal(remove(state), 0);
  assert_int_equal(tacit_stream_init(&options, &config, &second, &err), TACIT_EBUDGET);
  tacit_array_free(bytes);
}

/* In the place of its ledger there is one whose first entry is of another run. */
static void another_ledger_does_not_pay(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  const tacit_ledger_terms terms = {.dataset = "d", .epsilon = 8, .delta = 1e-6};
  tacit_error err;
  char *bytes;
  size_t size;
  int64_t id = 0;
  options.ledger = ledger;
  options.dataset = "d";
  tacit_stream *stream = begin_paid(&options, &bytes, &size);
  tacit_array_free(feed_day(stream, 1));
  put_back(state, bytes, size); /* before its first round */
  char *statement = tacit_string_copy(tacit_stream_statement_json(stream));
  tacit_ledger_run run = {.dataset = "d", .kind = "train", .statement = statement};
  for (int kind = 0; kind < 3; ++kind) {
    assert_int_equal(remove(ledger), 0);
    CHECK_OK(tacit_ledger_init(ledger, &terms, &err), err);
    if (kind == 1) run.id = "another run";
    if (kind == 2) run.kind = "stream";
    CHECK_OK(tacit_ledger_reserve(ledger, &run, &id, &err), err);
    stream = open_again(stream);
    assert_int_equal(feed_rows(stream, 0, first_of[1], 1, NULL), TACIT_EPRIVACY);
  }
  /* Older versions reserved without an id. */
  run.id = NULL;
  assert_int_equal(remove(ledger), 0);
  CHECK_OK(tacit_ledger_init(ledger, &terms, &err), err);
  CHECK_OK(tacit_ledger_reserve(ledger, &run, &id, &err), err);
  stream = open_again(stream);
  tacit_array_free(feed_day(stream, 1));
  tacit_stream_free(stream);
  tacit_array_free(statement);
  tacit_array_free(bytes);
}

static void turn_rows(int end) {
  for (int i = 0; i < end * FEATURES; ++i)
    raw_values[i] = -raw_values[i];
  for (int i = 0; i < end; ++i)
    raw_labels[i] = -raw_labels[i];
}

/* Rows that are turned around have the gradients that they had, and other scores. */
static void an_old_copy_scores_no_other_rows(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  char *bytes;
  size_t size;
  options.ledger = ledger;
  options.dataset = "d";
  options.evaluate = 0.25;
  tacit_stream *stream = begin_paid(&options, &bytes, &size);
  tacit_array_free(feed_day(stream, 1));
  put_back(state, bytes, size);
  stream = open_again(stream);
  turn_rows(first_of[1]);
  assert_int_equal(feed_rows(stream, 0, first_of[1], 1, NULL), TACIT_EPRIVACY);
  turn_rows(first_of[1]);
  tacit_array_free(feed_day(stream, 1));
  tacit_stream_free(stream);
  tacit_array_free(bytes);
}

static void a_closed_stream_takes_no_rows(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_error err;
  tacit_stream *stream = begin(&options, &config);
  char *model = feed_day(stream, 1), *again = NULL;
  CHECK_OK(tacit_stream_close(stream, &err), err);
  stream = open_again(stream);
  assert_int_equal(feed_rows(stream, 100, 200, 0, NULL), TACIT_EBUDGET);
  assert_int_equal(feed_rows(stream, 0, 100, 1, &again), TACIT_OK);
  assert_string_equal(again, model);
  CHECK_OK(tacit_stream_close(stream, &err), err);
  tacit_array_free(model);
  tacit_array_free(again);
  tacit_stream_free(stream);
}

static void what_a_stream_cannot_keep_is_refused(void **unused) {
  (void)unused;
  static const char *const learners[] = {"bettor", "heavy-ball"};
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_stream *stream = NULL;
  tacit_error err;
  for (size_t i = 0; i < 2; ++i) {
    config.learner = learners[i];
    assert_int_equal(tacit_stream_init(&options, &config, &stream, &err), TACIT_EINVAL);
  }
  config = learned("banded");
  assert_int_equal(tacit_stream_init(&options, &config, &stream, &err), TACIT_EINVAL);
  config = learned("blt");
  stream = begin(&options, &config);
  tacit_stream_free(stream);
  assert_int_equal(tacit_stream_init(&options, &config, &stream, &err), TACIT_EPRIVACY);
}

static void scores_are_paid_from_the_same_budget(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_plan *whole = NULL, *shared = NULL;
  tacit_error err;
  double both;
  CHECK_OK(tacit_stream_plan(&options, &config, &whole, &err), err);
  options.evaluate = 0.25;
  CHECK_OK(tacit_stream_plan(&options, &config, &shared, &err), err);
  assert_true(shared->mu == whole->mu);
  CHECK_OK(tacit_mu_compose_up(shared->score_mu, shared->vault.budget, &both, &err),
           err);
  assert_true(both <= whole->mu);
  CHECK_RELATIVE(shared->score_mu, whole->mu / 2, 1e-9);
  tacit_plan_free(whole);
  tacit_plan_free(shared);
  tacit_stream *stream = begin(&options, &config);
  assert_null(tacit_stream_score(stream));
  tacit_array_free(feed_day(stream, 1));
  char *first = tacit_string_copy(tacit_stream_score(stream));
  tacit_array_free(feed_day(stream, 2));
  assert_string_not_equal(tacit_stream_score(stream), first);
  char *second = tacit_string_copy(tacit_stream_score(stream));
  stream = open_again(stream); /* a score is in the state, and is not drawn again */
  assert_string_equal(tacit_stream_score(stream), second);
  tacit_array_free(feed_day(stream, 2));
  assert_string_equal(tacit_stream_score(stream), second);
  tacit_array_free(first);
  tacit_array_free(second);
  tacit_stream_free(stream);
}

static void delta_is_that_of_all_days(void **unused) {
  (void)unused;
  tacit_stream_options options = plain();
  tacit_config config = learned("blt");
  tacit_plan *plan = NULL;
  tacit_error err;
  options.horizon = 365;
  options.batch_rows = 5000;
  options.window = 30;
  CHECK_OK(tacit_stream_plan(&options, &config, &plan, &err), err);
  CHECK_RELATIVE(plan->delta, 1 / (365. * 5000 * 365 * 5000), 1e-12);
  assert_non_null(strstr(tacit_plan_statement_text(plan), "all 365 days together"));
  assert_non_null(strstr(tacit_plan_statement_text(plan), "365 rounds"));
  tacit_plan_free(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, fresh)
      TEST(a_process_a_day_gives_the_same_models),
      TEST(the_same_with_windows_and_persons),
      TEST(the_size_of_the_state_does_not_grow),
      TEST(every_day_and_window_has_noise_of_its_own),
      TEST(a_round_that_was_begun_takes_the_same_rows_only),
      TEST(a_day_counts_once),
      TEST(nobody_takes_part_twice),
      TEST(ids_are_part_of_a_day),
      TEST(persons_of_another_state_are_refused),
      TEST(persons_share_one_bound),
      TEST(an_old_copy_is_noticed_by_the_ledger),
      TEST(another_ledger_does_not_pay),
      TEST(an_old_copy_gives_no_budget_back),
      TEST(an_old_copy_scores_no_other_rows),
      TEST(a_closed_stream_takes_no_rows),
      TEST(what_a_stream_cannot_keep_is_refused),
      TEST(scores_are_paid_from_the_same_budget),
      TEST(delta_is_that_of_all_days),
#undef TEST
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
