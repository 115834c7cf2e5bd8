/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of a command fails once, up to its end. A command that fails leaves
 * no new output and does not change an old file: a user who sees `train` fail runs it
 * again and spends the budget again, so the first model must not exist. The commands
 * run in this process, with the linker's --wrap as in alloc.c.
 */
#include "check.h"

#include "alloc/countdown.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const struct cli_command *const commands[] = {&cli_train, &cli_predict,
                                                     &cli_schema, &cli_cache, NULL};
static const struct cli_program program = {"tacit", "", "", commands, NULL};

static char folder[] = "/tmp/tacit-program-XXXXXX";

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Runs a command, whose words end with NULL, and discards what it prints. */
static int run(const char *const *words) {
  char *copies[32];
  int count = 0;
  for (; words[count] != NULL; ++count)
    copies[count] = (char *)(uintptr_t)words[count];
  copies[count] = NULL;
  int kept[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
  int nothing = open("/dev/null", O_WRONLY);
  assert_true(kept[0] >= 0 && kept[1] >= 0 && nothing >= 0);
  fflush(NULL);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  int exit_code = cli_run(&program, count, copies);
  fflush(NULL);
  dup2(kept[0], STDOUT_FILENO);
  dup2(kept[1], STDERR_FILENO);
  close(kept[0]);
  close(kept[1]);
  close(nothing);
  return exit_code;
}

static int make_files(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
  json_set_alloc_funcs(__wrap_malloc, free);
  write_text("d.svm",
             "1 1:0.5 3:1\n0 2:1\n1 1:1 2:0.25 3:-1\n0 3:2\n1 1:0.125\n0 2:3\n");
  write_text("d.csv", "age,sick\n30,yes\n40,no\n");
  const char *const words[] = {"tacit", "train",      "-q", "--epsilon",
                               "1",     "--features", "3",  "-o",
                               "start", "d.svm",      NULL};
  return run(words);
}

static int remove_files(void **state) {
  (void)state;
  char line[200];
  json_set_alloc_funcs(malloc, free);
  (void)snprintf(line, sizeof line, "rm -rf '%s'", folder);
  return chdir("/") != 0 || system(line) != 0;
}

static int size_of(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 ? (int)facts.st_size : -1;
}

/* Fails each request of a command that writes `output`, with and without an old file.
 */
static void fail_each_request(const char *const *words, const char *output) {
  requests = 0;
  assert_int_equal(run(words), 0);
  assert_true(size_of(output) > 4);
  long refused = 0;
  for (int old = 0; old < 2; ++old) {
    for (long which = 0;; ++which) {
      (void)unlink(output);
      if (old) write_text(output, "old");
      countdown = which;
      int exit_code = run(words);
      int reached = countdown < 0;
      countdown = -1;
      int size = size_of(output);
      if (exit_code != 0 && size != (old ? 3 : -1))
        fail_msg("request %ld: exit code %d, but there is a new file", which,
                 exit_code);
      if (exit_code == 0 && size <= 4)
        fail_msg("request %ld: exit code 0, but there is no new file", which);
      if (!reached) break;
      refused += exit_code != 0;
    }
  }
  assert_true(refused > 20);
  (void)unlink(output);
  assert_int_equal(system("test \"$(ls)\" = \"$(printf 'd.csv\nd.svm\nstart')\""), 0);
}

static void train_leaves_no_model(void **state) {
  (void)state;
  const char *const text[] = {"tacit",      "train", "-q", "--epsilon", "1",
                              "--features", "3",     "-o", "model",     "d.svm",
                              "--threads",  "1",     NULL};
  fail_each_request(text, "model");
  const char *const json[] = {"tacit",      "train", "-q",     "--epsilon", "1",
                              "--features", "3",     "-o",     "model",     "d.svm",
                              "--threads",  "1",     "--json", NULL};
  fail_each_request(json, "model");
}

static void cache_leaves_no_cache(void **state) {
  (void)state;
  const char *const text[] = {"tacit", "cache", "--features", "3",
                              "-o",    "c",     "d.svm",      NULL};
  fail_each_request(text, "c");
  const char *const json[] = {"tacit", "cache", "--features", "3", "-o",
                              "c",     "d.svm", "--json",     NULL};
  fail_each_request(json, "c");
}

static void predict_and_schema_leave_nothing(void **state) {
  (void)state;
  const char *const predict[] = {"tacit", "predict", "start", "d.svm",
                                 "-o",    "p.csv",   NULL};
  fail_each_request(predict, "p.csv");
  const char *const schema[] = {"tacit", "schema", "--header", "d.csv",
                                "-o",    "s.json", NULL};
  fail_each_request(schema, "s.json");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(train_leaves_no_model),
      cmocka_unit_test(cache_leaves_no_cache),
      cmocka_unit_test(predict_and_schema_leave_nothing),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
