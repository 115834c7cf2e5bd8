/* SPDX-License-Identifier: MIT */
/*
 * The files that a command reads and writes. An existing file is identified by device
 * and inode, so links are recognised; a file that does not exist yet, by its folder and
 * name. Devices and pipes are not destroyed by writing and may be given twice.
 */
#include "paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { MAX_LINKS = 40 };

struct path {
  const char *text;
  char label[48]; /* the option; "" for an operand and for standard input or output */
  int is_output;
  int is_known;  /* device and inode identify it */
  char *missing; /* name of a file that does not exist: the numbers are its folder's */
  dev_t device;
  ino_t inode;
};

struct list {
  struct path *paths;
  size_t count;
};

/* Follows links whose target does not exist yet; changes `target` in place. */
static void follow(char target[PATH_MAX]) {
  for (int i = 0; i < MAX_LINKS; ++i) {
    char link[PATH_MAX];
    ssize_t size = readlink(target, link, sizeof link - 1);
    if (size < 0) return;
    link[size] = '\0';
    const char *slash = strrchr(target, '/');
    size_t kept = link[0] == '/' || slash == NULL ? 0 : (size_t)(slash - target) + 1;
    if (kept + (size_t)size >= PATH_MAX) return;
    memcpy(target + kept, link, (size_t)size + 1);
  }
}

/* Identifies a file that does not exist yet by its folder and its name there. */
static void find_missing(struct path *path) {
  char target[PATH_MAX];
  struct stat folder;
  if (snprintf(target, sizeof target, "%s", path->text) >= (int)sizeof target) return;
  follow(target);
  char *slash = strrchr(target, '/');
  const char *name = slash != NULL ? slash + 1 : target;
  path->missing = strdup(name);
  if (slash != NULL) slash[1] = '\0';
  if (path->missing == NULL || stat(slash != NULL ? target : ".", &folder) != 0) return;
  path->is_known = 1;
  path->device = folder.st_dev;
  path->inode = folder.st_ino;
}

/* Identifies the file of a path, or of an open descriptor if stream >= 0. */
static void find(struct path *path, int stream) {
  struct stat facts;
  int failed = stream >= 0 ? fstat(stream, &facts) : stat(path->text, &facts);
  if (failed) {
    if (errno == ENOENT && path->is_output) find_missing(path);
  } else if (S_ISREG(facts.st_mode)) {
    path->is_known = 1;
    path->device = facts.st_dev;
    path->inode = facts.st_ino;
  }
}

static void add(struct list *list, const char *label, const char *text, int is_output) {
  struct path *path = &list->paths[list->count++];
  int stream = -1;
  if (strcmp(text, "-") == 0) {
    stream = is_output ? STDOUT_FILENO : STDIN_FILENO;
    text = is_output ? "standard output" : "standard input";
    label = "";
  }
  path->text = text;
  path->is_output = is_output;
  snprintf(path->label, sizeof path->label, "%s%s", label, *label != '\0' ? " " : "");
  find(path, stream);
}

static int is_same(const struct path *a, const struct path *b) {
  if (!a->is_known || !b->is_known || a->device != b->device || a->inode != b->inode)
    return 0;
  if (a->missing == NULL || b->missing == NULL) return a->missing == b->missing;
  return strcmp(a->missing, b->missing) == 0;
}

static int refuse(const struct path *output, const struct path *other) {
  return cli_refuse("%s%.200s is the same file as %s%.200s, which is %s; give "
                    "another name",
                    output->label, output->text, other->label, other->text,
                    other->is_output ? "written too" : "read");
}

static int check(const struct list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    if (!list->paths[i].is_output) continue;
    for (size_t k = 0; k < list->count; ++k) {
      /* Two outputs are compared once. */
      if (k == i || (k < i && list->paths[k].is_output)) continue;
      if (is_same(&list->paths[i], &list->paths[k]))
        return refuse(&list->paths[i], &list->paths[k]);
    }
  }
  return 0;
}

static int compare_files(const void *a, const void *b) {
  const struct path *left = *(const struct path *const *)a;
  const struct path *right = *(const struct path *const *)b;
  if (left->device != right->device) return left->device < right->device ? -1 : 1;
  if (left->inode != right->inode) return left->inode < right->inode ? -1 : 1;
  return left < right ? -1 : left > right;
}

/* Operands that are one file: its rows would count twice, and each person in it too. */
static int check_twice(const struct path *operands, size_t count) {
  const struct path **known = calloc(count + 1, sizeof *known);
  size_t n_known = 0;
  int exit_code = 0;
  if (known == NULL) return cli_fail(CLI_FAILED, "out of memory");
  for (size_t i = 0; i < count; ++i)
    if (operands[i].is_known) known[n_known++] = &operands[i];
  qsort(known, n_known, sizeof *known, compare_files);
  for (size_t i = 1; i < n_known && exit_code == 0; ++i) {
    if (is_same(known[i - 1], known[i]))
      exit_code = cli_refuse("%.200s and %.200s are the same file: name it once; if "
                             "its rows are to count twice, copy it",
                             known[i - 1]->text, known[i]->text);
  }
  free(known);
  return exit_code;
}

static int make_list(size_t max, struct list *list) {
  list->count = 0;
  list->paths = calloc(max, sizeof *list->paths);
  return list->paths != NULL ? 0 : cli_fail(CLI_FAILED, "out of memory");
}

static void free_list(struct list *list) {
  for (size_t i = 0; i < list->count; ++i)
    free(list->paths[i].missing);
  free(list->paths);
}

/* Adds the files that options name; *out_prints is 0 if one of them replaces standard
   output. */
static int add_options(const struct cli_args *args, struct list *list,
                       int *out_prints) {
  const struct cli_command *command = args->command;
  const struct cli_option *option;
  for (size_t i = 0; i < args->n_repeated; ++i) {
    char label[40];
    option = cli_option_at(command, args->repeated[i].option, NULL);
    cli_spell(option, label, sizeof label);
    if (option->file == CLI_INPUT) add(list, label, args->repeated[i].text, 0);
  }
  *out_prints = 1;
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i) {
    const struct cli_value *value = &args->values[i];
    if (option->file == CLI_NO_FILE || !value->given || option->repeats) continue;
    char label[40];
    cli_spell(option, label, sizeof label);
    int is_stream = strcmp(value->text, "-") == 0;
    if (option->file == CLI_OUTPUT && is_stream)
      return cli_refuse("%s needs the name of a file: standard output cannot take "
                        "it",
                        label);
    if (option->file == CLI_OUTPUT_OR_PRINT && is_stream) continue;
    if (option->file == CLI_OUTPUT_OR_PRINT) *out_prints = 0;
    add(list, label, value->text, option->file != CLI_INPUT);
  }
  return 0;
}

int cli_check_paths(const struct cli_args *args) {
  struct list list;
  int prints;
  CLI_TRY(make_list(args->n_operands + args->n_repeated + CLI_MAX_OPTIONS + 1, &list));
  int exit_code = add_options(args, &list, &prints);
  size_t first = list.count;
  for (size_t i = 0; i < args->n_operands; ++i)
    add(&list, "", args->operands[i], 0);
  if (exit_code == 0) exit_code = check_twice(list.paths + first, args->n_operands);
  if (prints) add(&list, "", "-", 1);
  if (exit_code == 0) exit_code = check(&list);
  free_list(&list);
  return exit_code;
}

int cli_check_outputs(const char *const *paths, size_t n_paths) {
  struct list list;
  CLI_TRY(make_list(n_paths + 1, &list));
  for (size_t i = 0; i < n_paths; ++i)
    add(&list, "", paths[i], 1);
  add(&list, "", "-", 1);
  int exit_code = check(&list);
  free_list(&list);
  return exit_code;
}

int cli_same_file(const char *a, const char *b) {
  struct stat left, right;
  return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_ino == right.st_ino &&
         left.st_dev == right.st_dev;
}
