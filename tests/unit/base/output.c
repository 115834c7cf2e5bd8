/* SPDX-License-Identifier: MIT */
/* base/output.h: files in the making, nameless and with a temporary name. */
#include "unit/data_files.h"

#include "base/output.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* The files of the test folder but for `.` and `..`. */
static int files_there(void) {
  DIR *list = opendir(test_folder);
  int count = -2;
  assert_non_null(list);
  while (readdir(list) != NULL)
    ++count;
  (void)closedir(list);
  return count;
}

static const char *path_of(const char *name) {
  static char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", test_folder, name);
  return path;
}

static void check_text(const char *path, const char *text) {
  char got[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(got, 1, sizeof got - 1, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(size, strlen(text));
  assert_string_equal(got, text);
}

static const tacit_output_way ways[] = {TACIT_OUTPUT_NAMED, TACIT_OUTPUT_NAMELESS};

static tacit_output *begin(const char *path, tacit_output_way way, const char *text) {
  tacit_output *output = NULL;
  tacit_error err;
  CHECK_OK(tacit_output_begin(path, 0666, way, &output, &err), err);
  if (way == TACIT_OUTPUT_NAMED) assert_non_null(tacit_output_temporary(output));
  CHECK_OK(tacit_output_write(output, text, strlen(text), &err), err);
  return output;
}

static void finish(tacit_output *output) {
  tacit_error err;
  CHECK_OK(tacit_output_complete(output, 1, &err), err);
  assert_non_null(tacit_output_temporary(output));
  CHECK_OK(tacit_output_place(output, &err), err);
  assert_null(tacit_output_temporary(output));
  tacit_output_free(output);
}

static void a_file_appears_when_it_is_placed(void **state) {
  (void)state;
  tacit_error err;
  for (int i = 0; i < 2; ++i) {
    int before = files_there();
    const char *path = path_of(i == 0 ? "new-0" : "new-1");
    tacit_output *output = begin(path, ways[i], "one");
    assert_int_not_equal(access(path, F_OK), 0);
    int named = tacit_output_temporary(output) != NULL;
    assert_int_equal(files_there(), before + named);
    if (!named) assert_int_equal(tacit_output_place(output, &err), TACIT_ESTATE);
    finish(output);
    check_text(path, "one");
    assert_int_equal(files_there(), before + 1);
    output = begin(path, ways[i], "two");
    CHECK_OK(tacit_output_complete(output, 0, &err), err);
    check_text(path, "one");
    tacit_output_free(output); /* given up when it was complete */
    check_text(path, "one");
    assert_int_equal(files_there(), before + 1);
    finish(begin(path, ways[i], "three"));
    check_text(path, "three");
    assert_int_equal(files_there(), before + 1);
  }
}

static void a_replaced_file_keeps_its_mode(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0604, 0755, 0444};
  mode_t mask = umask(022);
  for (int i = 0; i < 10; ++i) {
    struct stat facts;
    const char *path = file_of("mode", "old");
    assert_int_equal(chmod(path, modes[i / 2]), 0);
    finish(begin(path, i % 2, "new"));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, modes[i / 2]);
    assert_int_equal(unlink(path), 0);
    finish(begin(path, i % 2, "new"));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0644);
    check_text(path, "new");
    assert_int_equal(unlink(path), 0);
  }
  (void)umask(mask);
}

static void links_lead_to_the_file(void **state) {
  (void)state;
  char folder[256], target[256], relative[256], absolute[256];
  (void)snprintf(folder, sizeof folder, "%s/below", test_folder);
  (void)snprintf(target, sizeof target, "%s/below/target", test_folder);
  (void)snprintf(relative, sizeof relative, "%s/relative", test_folder);
  (void)snprintf(absolute, sizeof absolute, "%s/absolute", test_folder);
  assert_int_equal(mkdir(folder, 0777), 0);
  assert_int_equal(symlink("below/target", relative), 0);
  assert_int_equal(symlink(relative, absolute), 0);
  struct stat facts;
  for (int i = 0; i < 4; ++i) {
    const char *path = i % 2 ? absolute : relative;
    finish(begin(path, i / 2, "through"));
    check_text(target, "through");
    assert_int_equal(lstat(path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    if (i % 2) assert_int_equal(unlink(target), 0);
  }
  tacit_output *output = NULL;
  tacit_error err;
  assert_int_equal(symlink("round", path_of("round")), 0);
  assert_int_equal(tacit_output_open(path_of("round"), 0666, &output, &err), TACIT_EIO);
  assert_int_equal(tacit_output_open(test_folder, 0666, &output, &err), TACIT_EIO);
  assert_int_equal(tacit_output_open(path_of("none/m"), 0666, &output, &err),
                   TACIT_EIO);
  assert_null(output);
}

/* A process that is killed leaves a temporary file where files cannot be nameless;
   the next output in the folder removes it, and no other's. */
static void stale_files_are_removed(void **state) {
  (void)state;
  const char *others[] = {"tacit-1-2.tmp.gz", "tacit-1.tmp", "a-1-2.tmp",
                          "tacit-x-1.tmp"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    (void)file_of(others[i], "mine");
  tacit_output *living = begin(path_of("living"), TACIT_OUTPUT_NAMED, "records");
  int before = files_there();
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tacit_output *output = NULL;
    _exit(tacit_output_begin(path_of("dead"), 0666, TACIT_OUTPUT_NAMED, &output,
                             NULL) != TACIT_OK);
  }
  int ended;
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_int_equal(ended, 0);
  assert_int_equal(files_there(), before + 1);
  for (int i = 0; i < 2; ++i) {
    tacit_output_free(begin(path_of("next"), ways[i], "x"));
    assert_int_equal(files_there(), before);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    check_text(path_of(others[i]), "mine");
  finish(living);
  check_text(path_of("living"), "records");
}

static void devices_are_written_directly(void **state) {
  (void)state;
  tacit_output *output = NULL;
  tacit_error err;
  CHECK_OK(tacit_output_open("/dev/null", 0666, &output, &err), err);
  CHECK_OK(tacit_output_write(output, "x", 1, &err), err);
  CHECK_OK(tacit_output_complete(output, 1, &err), err);
  assert_null(tacit_output_temporary(output));
  CHECK_OK(tacit_output_place(output, &err), err);
  tacit_output_free(output);
  CHECK_OK(tacit_output_open("/dev/full", 0666, &output, &err), err);
  assert_int_equal(tacit_output_write(output, "x", 1, &err), TACIT_EIO);
  assert_string_equal(err.message, "cannot write /dev/full: No space left on device");
  tacit_output_free(output);
  tacit_output_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_appears_when_it_is_placed),
      cmocka_unit_test(a_replaced_file_keeps_its_mode),
      cmocka_unit_test(links_lead_to_the_file),
      cmocka_unit_test(stale_files_are_removed),
      cmocka_unit_test(devices_are_written_directly),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
