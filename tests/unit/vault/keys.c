/* SPDX-License-Identifier: MIT */
/* Where the key of a run comes from and where it goes. The linker puts the getentropy
   and the free of this file in place of the C library's. */
#include "made.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/run.h"
#include "vault/key.h"

enum { FEATURES = 3, ROWS = 64 };

int __wrap_getentropy(void *buffer, size_t length);
void __real_free(void *block);
void __wrap_free(void *block);

/* The system of these tests: it fails, or gives the bytes of `secret`. */
static int system_fails;
static size_t bytes_asked;
static const unsigned char secret[TACIT_KEY_BYTES] = "what the system gave as a secret";

int __wrap_getentropy(void *buffer, size_t length) {
  bytes_asked += length;
  if (system_fails) {
    errno = ENOSYS;
    return -1;
  }
  assert_true(length <= sizeof secret);
  memcpy(buffer, secret, length);
  return 0;
}

/* Blocks that were freed with the secret still in them. */
static int blocks_with_secret;

void __wrap_free(void *block) {
  if (block != NULL &&
      memmem(block, malloc_usable_size(block), secret, sizeof secret) != NULL)
    ++blocks_with_secret;
  __real_free(block);
}

static tacit_config config_of(const tacit_schema *schema) {
  tacit_config config = made_config(schema, ROWS);
  config.threads = 1;
  config.passes = 2;
  return config;
}

static void a_system_without_randomness_gives_no_run(void **state) {
  (void)state;
  static const tacit_key zero;
  tacit_key key;
  tacit_error err;
  tacit_schema *schema;
  tacit_train *train = NULL;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_config config = config_of(schema);
  memset(&key, 0x5a, sizeof key);
  system_fails = 1;
  assert_int_equal(tacit_key_from_os(&key, &err), TACIT_ERANDOM);
  assert_memory_equal(&key, &zero, sizeof key); /* whoever goes on has nothing */
  assert_int_equal(tacit_train_new(&config, &train, &err), TACIT_ERANDOM);
  assert_null(train);
  config.seeded = 1; /* needs no randomness and is not private */
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  system_fails = 0;
  tacit_train_free(train);
  tacit_schema_free(schema);
}

static void the_key_is_all_that_the_system_gave(void **state) {
  (void)state;
  tacit_key key;
  tacit_error err;
  bytes_asked = 0;
  CHECK_OK(tacit_key_from_os(&key, &err), err);
  assert_int_equal(bytes_asked, TACIT_KEY_BYTES);
  assert_memory_equal(key.bytes, secret, sizeof secret);
  tacit_key_wipe(&key);
  assert_memory_not_equal(key.bytes, secret, sizeof secret);
}

/* A private run takes one key of its own; when it ends, no memory that was given back
   holds it. */
static void a_run_draws_a_key_and_wipes_it(void **state) {
  (void)state;
  static double raw_values[ROWS * FEATURES], raw_labels[ROWS];
  tacit_error err;
  tacit_schema *schema;
  tacit_train *train;
  tacit_model *model;
  for (int i = 0; i < ROWS; ++i)
    raw_labels[i] = i % 2 ? 1 : -1;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  tacit_config config = config_of(schema);
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_values = raw_values;
  batch.raw_labels = raw_labels;
  blocks_with_secret = 0;
  bytes_asked = 0;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  assert_int_equal(bytes_asked, TACIT_KEY_BYTES);
  for (int pass = 0; pass < config.passes; ++pass)
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  assert_true(tacit_model_statement(model)->is_private);
  tacit_train_free(train);
  tacit_model_free(model);
  tacit_schema_free(schema);
  assert_int_equal(blocks_with_secret, 0);
}

static void raw_memory_is_wiped_before_it_is_given_back(void **state) {
  (void)state;
  static const size_t sizes[] = {sizeof secret, 1000, (size_t)1 << 16, (size_t)9 << 20};
  blocks_with_secret = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    unsigned char *raw_bytes = tacit_raw_new(sizes[i], 1);
    memcpy(raw_bytes + sizes[i] - sizeof secret, secret, sizeof secret);
    memcpy(raw_bytes + (sizes[i] / 2 & ~(size_t)63), secret, sizes[i] < 100 ? 0 : 32);
    raw_bytes = tacit_raw_grow(raw_bytes, sizes[i] + 1, 1);
    assert_memory_equal(raw_bytes + sizes[i] - sizeof secret, secret, sizeof secret);
    tacit_raw_free(raw_bytes);
  }
  assert_int_equal(blocks_with_secret, 0);
  /* And this file sees what is not. */
  unsigned char *bytes = malloc(1000);
  assert_non_null(bytes);
  memcpy(bytes + 500, secret, sizeof secret);
  __asm__ volatile("" : : "g"(bytes) : "memory"); /* or the copy is thought useless */
  free(bytes);
  assert_int_equal(blocks_with_secret, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_system_without_randomness_gives_no_run),
      cmocka_unit_test(the_key_is_all_that_the_system_gave),
      cmocka_unit_test(a_run_draws_a_key_and_wipes_it),
      cmocka_unit_test(raw_memory_is_wiped_before_it_is_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
