/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of a whole run fails once: request 1, then 2, then 3, … until the
 * run succeeds. Each time the call must return an error or do without the memory, must
 * not crash, and must leave no model after an error. The linker's --wrap puts the
 * counter in front of the allocator, so the library itself has no test hook. With ASan
 * the same test finds leaks.
 */
#include "check.h"

#include "alloc/countdown.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <tacit/extra/draft.h>
#include <unistd.h>

#include "data/reader/reader.h"

static char data_path[] = "/tmp/tacit-alloc-XXXXXX";
static char csv_path[] = "/tmp/tacit-alloc-XXXXXX";
static char schema_path[] = "/tmp/tacit-alloc-XXXXXX";
static char dictionary_path[] = "/tmp/tacit-alloc-XXXXXX";
static char rows_path[] = "/tmp/tacit-alloc-XXXXXX";
static char labels_path[] = "/tmp/tacit-alloc-XXXXXX";
static char model_path[64], cache_path[64], checkpoint_path[64], key_path[64];

static void write_file(char *path, const char *text) {
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
}

/* A .npy file of int8 or float32. */
static void write_npy(char *path, const char *dictionary, const void *numbers,
                      size_t size) {
  char head[10] = "\x93NUMPY\1";
  head[8] = (char)strlen(dictionary);
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_true(write(fd, head, 10) == 10);
  assert_true(write(fd, dictionary, strlen(dictionary)) == (ssize_t)strlen(dictionary));
  assert_true(write(fd, numbers, size) == (ssize_t)size);
  close(fd);
}

static int make_files(void **state) {
  (void)state;
  json_set_alloc_funcs(__wrap_malloc, free);
  write_file(data_path,
             "1 1:0.5 3:1\n0 2:1\n1 1:1 2:0.25 3:-1\n0 3:2\n1 1:0.125\n0 2:3\n");
  write_file(csv_path, "age,sex,zip,ok,edu,day,note,sick\n"
                       "30,f,a,T,low,2020-01-05,\"one\ntwo\",9\n"
                       "40,m,b,F,high,2020-11-30,a b a,1\n"
                       "NA,f,c,T,,,,9\n20,x,a,F,low,2021-01-01,c,1\n");
  write_file(dictionary_path, "name,type,min,max,values,format\n"
                              "age,numeric,0,100,,\nsex,category,,,f|m,\n"
                              "edu,ordinal,,,low|high,\nday,date,,,,%Y-%m-%d\n");
  write_file(
      schema_path,
      "{\"tacit_schema\": 2, \"na\": [\"NA\"], \"quoted_newlines\": true, \"label\": "
      "{\"column\": \"sick\", \"above\": 5}, \"columns\": [{\"name\": \"age\", "
      "\"type\": "
      "\"numeric\", \"min\": 0, \"max\": 100, \"curve\": {\"kind\": \"linear\"}, "
      "\"edges\": [20, 60], \"missing\": \"own\"}, {\"name\": \"sex\", \"type\": "
      "\"category\", \"values\": [\"f\", \"m\"]}, {\"name\": \"zip\", \"type\": "
      "\"hashed\", \"slots\": 4}, {\"name\": \"ok\", \"type\": \"bool\"}, {\"name\": "
      "\"edu\", \"type\": \"ordinal\", \"values\": [\"low\", \"high\"], \"missing\": "
      "\"own\"}, {\"name\": \"day\", \"type\": \"date\", \"format\": \"%Y-%m-%d\", "
      "\"min\": \"2020-01-01\", \"max\": \"2020-12-31\", \"parts\": [\"month\", "
      "\"days\"], \"curve\": 2, \"missing\": \"2020-06-01\"}, {\"name\": \"note\", "
      "\"type\": \"text\", \"slots\": 4}], \"crosses\": [[\"sex\", \"ok\"], "
      "{\"columns\": "
      "[\"age\", \"zip\"], \"slots\": 3}]}");
  static const float rows[18] = {0.5f, 0, 1, 0, 1, 0, 1, 0.25f, -1, 0, 0, 2};
  static const signed char labels[6] = {1, 0, 1, 0, 1, 0};
  write_npy(rows_path, "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 3), }\n",
            rows, sizeof rows);
  write_npy(labels_path, "{'descr': '|i1', 'fortran_order': False, 'shape': (6,), }\n",
            labels, sizeof labels);
  (void)snprintf(model_path, sizeof model_path, "%s.model", data_path);
  /* Checkpoints are synced, which is fast on a file system in memory. */
  (void)snprintf(checkpoint_path, sizeof checkpoint_path, "%s%s.ckpt",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                 strrchr(data_path, '/'));
  (void)snprintf(key_path, sizeof key_path, "%s.XXXXXX", data_path);
  write_file(key_path, "0123456789abcdef0123456789abcdef");
  (void)snprintf(cache_path, sizeof cache_path, "%s.cache", data_path);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  unlink(data_path);
  unlink(csv_path);
  unlink(schema_path);
  unlink(dictionary_path);
  unlink(model_path);
  unlink(checkpoint_path);
  unlink(key_path);
  unlink(cache_path);
  unlink(rows_path);
  unlink(labels_path);
  json_set_alloc_funcs(malloc, free);
  return 0;
}

enum life { LIBSVM, CSV, CACHE, NPY };

/* Makes a cache of the text's rows; *out is the schema of the cache. */
static tacit_status make_cache(const tacit_schema *schema, tacit_schema **out,
                               tacit_error *err) {
  const char *path = data_path;
  tacit_reader *reader = NULL;
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  tacit_cache_options making;
  tacit_cache_options_init(&making);
  making.schema = schema;
  making.sources = &path;
  making.n_sources = 1;
  tacit_status status = tacit_reader_open(&path, 1, &options, &reader, err);
  if (status == TACIT_OK) status = tacit_cache_write(reader, cache_path, &making, err);
  /* The cache is complete or does not exist. */
  if (status != TACIT_OK) assert_int_not_equal(access(cache_path, F_OK), 0);
  if (status == TACIT_OK) status = tacit_cache_check(cache_path, &making, 1, err);
  if (status == TACIT_OK) status = tacit_cache_schema(cache_path, out, err);
  tacit_reader_free(reader);
  return status;
}

/* Everything from files to metrics: train, store, read, evaluate. Ends at a failure. */
static tacit_status whole_life(enum life life, tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_train *train = NULL;
  tacit_model *model = NULL, *loaded = NULL;
  tacit_reader_options options;
  tacit_config config;
  tacit_metrics metrics = {.struct_size = sizeof metrics};
  static const char *const paths[] = {data_path, csv_path, cache_path, rows_path};
  const char *path = paths[life];
  tacit_status status = life == CSV ? tacit_schema_load(schema_path, 0, &schema, err)
                                    : tacit_schema_libsvm(3, 2, 0, 0, &schema, err);
  if (status == TACIT_OK && life == CACHE) {
    tacit_schema *own = NULL;
    status = make_cache(schema, &own, err);
    tacit_schema_free(schema);
    schema = own;
  }
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.label_path = life == NPY ? labels_path : NULL;
  if (status == TACIT_OK) status = tacit_reader_open(&path, 1, &options, &reader, err);
  if (status == TACIT_OK) {
    tacit_config_init(&config);
    config.schema = schema;
    config.rows = tacit_reader_rows(reader);
    config.epsilon = 1;
    config.passes = 2;
    config.threads = 2;
    status = tacit_train_new(&config, &train, err);
  }
  if (status == TACIT_OK) status = tacit_train_run(train, reader, err);
  if (status == TACIT_OK) status = tacit_train_finish(train, &model, err);
  if (status == TACIT_OK) status = tacit_model_save(model, model_path, err);
  if (status == TACIT_OK) status = tacit_model_load(model_path, 0, &loaded, err);
  if (status == TACIT_OK) status = tacit_reader_rewind(reader, err);
  if (status == TACIT_OK)
    status = tacit_model_eval(loaded, reader, &metrics, NULL, NULL, err);
  tacit_model_free(loaded);
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

static int stop_in_round_3(void *cookie, const tacit_progress *progress) {
  (void)cookie;
  return progress->round >= 3;
}

static tacit_status train_part(int last, tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_reader_options options;
  tacit_config config;
  const char *path = data_path;
  tacit_status status = tacit_schema_libsvm(3, 2, 0, 0, &schema, err);
  tacit_reader_options_init(&options);
  options.schema = schema;
  if (status == TACIT_OK) status = tacit_reader_open(&path, 1, &options, &reader, err);
  if (status == TACIT_OK) {
    tacit_config_init(&config);
    config.schema = schema;
    config.rows = tacit_reader_rows(reader);
    config.epsilon = 1;
    config.threads = 1;
    config.batch = 1;
    config.checkpoint = checkpoint_path;
    config.key_file = key_path;
    config.resume = last;
    config.progress = last ? NULL : stop_in_round_3;
    status = tacit_train_new(&config, &train, err);
  }
  if (status == TACIT_OK) status = tacit_train_run(train, reader, err);
  if (status == TACIT_OK) status = tacit_train_finish(train, &model, err);
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

/* A run that is stopped and resumed. */
static tacit_status checkpoint_life(enum life life, tacit_error *err) {
  (void)life;
  unlink(checkpoint_path);
  tacit_status status = tacit_checkpoint_check(checkpoint_path, key_path, 0, NULL, err);
  if (status == TACIT_OK) status = train_part(0, err);
  if (status == TACIT_ECANCELED) status = train_part(1, err);
  if (status == TACIT_OK) status = tacit_checkpoint_remove(checkpoint_path, err);
  return status;
}

/* A schema of public sources, and back to text. */
static tacit_status draft_life(enum life life, tacit_error *err) {
  (void)life;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.sample = csv_path;
  options.dictionary = dictionary_path;
  char *text = NULL, *again = NULL;
  tacit_schema *schema = NULL;
  tacit_status status = tacit_schema_draft(&options, &text, err);
  if (status == TACIT_OK)
    status = tacit_schema_from_text(text, strlen(text), "draft", &schema, err);
  if (status == TACIT_OK) status = tacit_schema_to_text(schema, &again, err);
  tacit_string_free(text);
  tacit_string_free(again);
  tacit_schema_free(schema);
  return status;
}

static void fail_each_request_of(tacit_status (*run)(enum life life, tacit_error *err),
                                 enum life life) {
  tacit_error err;
  countdown = -1;
  requests = 0;
  CHECK_OK(run(life, &err), err);
  assert_true(requests > 100);
  int refused = 0;
  for (long which = 0;; ++which) {
    unlink(model_path);
    unlink(cache_path);
    err = (tacit_error){TACIT_OK, ""};
    countdown = which;
    tacit_status status = run(life, &err);
    int reached = countdown < 0;
    countdown = -1;
    if (!reached) break; /* the run has fewer than `which` requests */
    if (status == TACIT_OK)
      continue; /* it did without: fewer threads, a smaller table */
    ++refused;
    if (status != TACIT_ENOMEM || err.status != status || err.message[0] == '\0') {
      fail_msg("request %ld: %s, \"%s\"", which, tacit_status_name(status),
               err.message);
    }
  }
  assert_true(refused > 100);
}

static void fail_each_request(enum life life) {
  fail_each_request_of(whole_life, life);
}

static void libsvm_life_survives_every_failure(void **state) {
  (void)state;
  fail_each_request(LIBSVM);
}

static void csv_life_survives_every_failure(void **state) {
  (void)state;
  fail_each_request(CSV);
}

static void cache_life_survives_every_failure(void **state) {
  (void)state;
  fail_each_request(CACHE);
}

static void a_draft_survives_every_failure(void **state) {
  (void)state;
  fail_each_request_of(draft_life, CSV);
}

static void npy_life_survives_every_failure(void **state) {
  (void)state;
  fail_each_request(NPY);
}

static void checkpoint_life_survives_every_failure(void **state) {
  (void)state;
  fail_each_request_of(checkpoint_life, LIBSVM);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(libsvm_life_survives_every_failure),
      cmocka_unit_test(csv_life_survives_every_failure),
      cmocka_unit_test(checkpoint_life_survives_every_failure),
      cmocka_unit_test(cache_life_survives_every_failure),
      cmocka_unit_test(a_draft_survives_every_failure),
      cmocka_unit_test(npy_life_survives_every_failure),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
