/* SPDX-License-Identifier: MIT */
/* The fingerprint of an input: the same for the same bytes under any name, another for
   other bytes and under another key. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <tacit/extra/ledger.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-print-XXXXXX";

static void write_file(const char *name, const char *text, mode_t mode) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0 && fclose(file) == 0 && chmod(name, mode) == 0);
}

static tacit_status print_of(const char *data, const char *key, char *out,
                             tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_reader_options options;
  CHECK_OK(tacit_schema_libsvm(2, 2, 0, 0, &schema, err), *err);
  tacit_reader_options_init(&options);
  options.schema = schema;
  CHECK_OK(tacit_reader_open(&data, 1, &options, &reader, err), *err);
  tacit_status status = tacit_reader_fingerprint(reader, key, out, err);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

static void a_fingerprint_is_of_bytes_and_key(void **state) {
  char one[TACIT_LEDGER_FINGERPRINT_SIZE], copy[TACIT_LEDGER_FINGERPRINT_SIZE],
      other[TACIT_LEDGER_FINGERPRINT_SIZE], keyed[TACIT_LEDGER_FINGERPRINT_SIZE];
  tacit_error err;
  (void)state;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  write_file("a.svm", "1 1:2\n-1 2:3\n", 0600);
  write_file("b.svm", "1 1:2\n-1 2:3\n", 0600);
  write_file("c.svm", "1 1:2\n-1 2:4\n", 0600);
  write_file("key", "0123456789 0123456789 0123456789", 0600);
  write_file("key2", "0123456789 0123456789 0123456788", 0600);
  write_file("open", "0123456789 0123456789 0123456788", 0644);
  CHECK_OK(print_of("a.svm", "key", one, &err), err);
  CHECK_OK(print_of("b.svm", "key", copy, &err), err);
  CHECK_OK(print_of("c.svm", "key", other, &err), err);
  CHECK_OK(print_of("a.svm", "key2", keyed, &err), err);
  assert_int_equal(strlen(one), TACIT_LEDGER_FINGERPRINT_SIZE - 1);
  assert_string_equal(one, copy);
  assert_string_not_equal(one, other);
  assert_string_not_equal(one, keyed);
  assert_int_equal(print_of("a.svm", "open", one, &err), TACIT_EPRIVACY);
  static const char *const names[] = {"a.svm", "b.svm", "c.svm", "key", "key2", "open"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    assert_int_equal(unlink(names[i]), 0);
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fingerprint_is_of_bytes_and_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
