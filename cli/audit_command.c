/* SPDX-License-Identifier: MIT */
/*
 * `tacit audit --command`: another program as a black box. Two CSV files are made up
 * (audit_table.c) that differ in one row, the canary. The command is run many times on
 * each, and the score of a run is made of the numbers it wrote (audit_scores.c). Files
 * are in a temporary folder, which is removed at the end, also after a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit.h"
#include "cli.h"
#include "progress.h"

enum {
  TRIALS = 500,
  TRIALS_MAX = 20000,
  AT_ONCE_MAX = 64,
  NUMBERS_MAX = 1 << 20, /* bytes of {out} that are read */
  PATH_SIZE = 512,
  COMMAND_SIZE = 8192
};

extern char **environ;

/* One call of the command. Calls with even numbers are for the first data set. */
struct slot {
  pid_t process; /* 0 if the slot is free */
  int64_t call;
};

struct box {
  const struct cli_args *args;
  const char *command;
  struct cli_table table;
  struct cli_numbers numbers;
  char folder[PATH_SIZE - 32];
  int at_once;
  struct slot slots[AT_ONCE_MAX];
};

static void path_of(const struct box *box, const char *name, int number, char *out) {
  snprintf(out, PATH_SIZE, "%s/%s%d", box->folder, name, number);
}

/* Writes the command with {data}, {out} and {runs} filled in. Returns -1 if it is too
   long. */
static int fill_in(const struct box *box, const char *data, const char *out,
                   char filled[COMMAND_SIZE]) {
  char runs[24];
  snprintf(runs, sizeof runs, "%lld", (long long)box->numbers.runs);
  const char *const words[][2] = {{"{data}", data}, {"{out}", out}, {"{runs}", runs}};
  size_t size = 0;
  for (const char *c = box->command; *c != '\0';) {
    size_t skip = 1, length = 1;
    const char *put = c;
    for (size_t i = 0; i < 3; ++i) {
      if (strncmp(c, words[i][0], strlen(words[i][0])) != 0) continue;
      put = words[i][1];
      skip = strlen(words[i][0]);
      length = strlen(put);
    }
    if (size + length >= COMMAND_SIZE) return -1;
    memcpy(filled + size, put, length);
    size += length;
    c += skip;
  }
  filled[size] = '\0';
  return 0;
}

/* Starts a call in a process group of its own, so that all of it can be ended. */
static int start(struct box *box, int at, int64_t call) {
  char data[PATH_SIZE], out[PATH_SIZE], complaint[PATH_SIZE], filled[COMMAND_SIZE];
  path_of(box, "data", (int)(call % 2), data);
  path_of(box, "out", at, out);
  path_of(box, "err", at, complaint);
  (void)unlink(out);
  if (fill_in(box, data, out, filled) != 0) return cli_refuse("--command is too long");
  char shell[] = "sh", option[] = "-c", *words[] = {shell, option, filled, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  if (posix_spawn_file_actions_init(&files) != 0) return cli_fail(1, "out of memory");
  if (posix_spawnattr_init(&attributes) != 0) return cli_fail(1, "out of memory");
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, complaint, O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t process;
  int reason = posix_spawn(&process, "/bin/sh", &files, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (reason != 0)
    return cli_fail(CLI_FAILED, "cannot start the command: %s", strerror(reason));
  box->slots[at] = (struct slot){process, call};
  return 0;
}

/* Reads the last line that a failed command printed on standard error. */
static void last_line(const struct box *box, int at, char line[160]) {
  char path[PATH_SIZE], read[160];
  path_of(box, "err", at, path);
  snprintf(line, 160, "it printed nothing");
  FILE *in = fopen(path, "r");
  if (in == NULL) return;
  while (fgets(read, sizeof read, in) != NULL) {
    read[strcspn(read, "\n")] = '\0';
    if (read[0] != '\0') memcpy(line, read, sizeof read);
  }
  fclose(in);
}

static int read_numbers(struct box *box, int at, int64_t call) {
  char path[PATH_SIZE];
  path_of(box, "out", at, path);
  FILE *in = fopen(path, "r");
  if (in == NULL) return cli_fail(3, "the command succeeded but wrote no file {out}");
  char *text = malloc(NUMBERS_MAX + 1);
  size_t size = text != NULL ? fread(text, 1, NUMBERS_MAX, in) : 0;
  fclose(in);
  if (text == NULL) return cli_fail(CLI_FAILED, "out of memory");
  text[size] = '\0';
  int exit_code = cli_audit_numbers(text, (int)(call % 2), call / 2 * box->numbers.runs,
                                    &box->numbers);
  free(text);
  return exit_code;
}

/* Frees the slot of a call that has ended and reads the numbers that it wrote. Fails if
   the command failed. Returns the exit code. */
static int finish(struct box *box, int at, int status) {
  struct slot slot = box->slots[at];
  box->slots[at].process = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    char line[160];
    last_line(box, at, line);
    return cli_fail(CLI_FAILED, "the command failed in call %lld (%s %d): %s",
                    (long long)slot.call + 1,
                    WIFEXITED(status) ? "exit code" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), line);
  }
  return read_numbers(box, at, slot.call);
}

/* Checks all slots once: ends and starts calls. Sets *busy to the number of running
   calls. */
static int attend(struct box *box, int64_t *next, int *busy) {
  *busy = 0;
  for (int at = 0; at < box->at_once; ++at) {
    struct slot *slot = &box->slots[at];
    int status, exit_code = 0;
    if (slot->process != 0 && waitpid(slot->process, &status, WNOHANG) > 0)
      exit_code = finish(box, at, status);
    if (exit_code == 0 && slot->process == 0 &&
        *next < 2 * box->numbers.trials / box->numbers.runs)
      exit_code = start(box, at, (*next)++);
    if (exit_code != 0) return exit_code;
    *busy += slot->process != 0;
  }
  return 0;
}

static int run_all(struct box *box) {
  struct cli_progress progress;
  int64_t next = 0;
  int busy = 1, exit_code = 0;
  const struct timespec nap = {0, 2000000};
  cli_progress_start(&progress, cli_given(box->args, "quiet"));
  while (exit_code == 0 && busy > 0) {
    exit_code = attend(box, &next, &busy);
    if (cli_progress_runs(&progress, (next - busy) * box->numbers.runs,
                          2 * box->numbers.trials) != 0)
      exit_code = 128;
    else if (exit_code == 0 && busy > 0)
      (void)nanosleep(&nap, NULL);
  }
  cli_progress_end(&progress);
  for (int at = 0; at < box->at_once; ++at) {
    if (box->slots[at].process == 0) continue;
    (void)kill(-box->slots[at].process, SIGKILL);
    while (waitpid(box->slots[at].process, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  return exit_code;
}

static void remove_folder(const struct box *box) {
  char path[PATH_SIZE];
  for (int i = 0; i < AT_ONCE_MAX; ++i) {
    static const char *const names[] = {"out", "err", "data"};
    for (int k = 0; k < 3; ++k) {
      path_of(box, names[k], i, path);
      (void)unlink(path);
    }
  }
  (void)rmdir(box->folder);
}

/* Makes a folder whose path needs no quotes in a shell, and the data files in it. */
static int make_folder(struct box *box) {
  const char *base = getenv("TMPDIR");
  if (base == NULL || *base == '\0') base = "/tmp";
  size_t plain = strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789/._-+");
  if (base[plain] != '\0' || plain > sizeof box->folder - 32)
    return cli_fail(
        CLI_FAILED,
        "the path of TMPDIR is too long or has characters that a shell takes "
        "apart: set another one");
  snprintf(box->folder, sizeof box->folder, "%s/tacit-audit-XXXXXX", base);
  if (mkdtemp(box->folder) == NULL)
    return cli_fail(CLI_FAILED, "cannot make a folder in %.200s: %s", base,
                    strerror(errno));
  int failed = 0;
  for (int which = 0; which < 2; ++which) {
    char path[PATH_SIZE];
    path_of(box, "data", which, path);
    failed |= cli_audit_table_write(&box->table, which, path);
  }
  if (!failed) return 0;
  remove_folder(box);
  return cli_fail(CLI_FAILED, "the data files could not be written: is the disk full?");
}

/* Refuses options that are not for another program, or contradict each other. */
static int check(const struct cli_args *args) {
  static const char *const fit[] = {
      "trials", "command",   "svg",  "threads",  "quiet", "json",   "epsilon", "delta",
      "rho",    "adjacency", "rows", "features", "runs",  "ranges", "labels",  NULL};
  CLI_TRY(
      cli_audit_only(args, fit, "is for plans of Tacit: drop it, or drop --command"));
  const char *command = cli_text(args, "command", "");
  if (strstr(command, "{data}") == NULL || strstr(command, "{out}") == NULL)
    return cli_refuse("--command must name {data}, the file to train on, and {out}, "
                      "the file to write");
  if (cli_given(args, "epsilon") == cli_given(args, "rho"))
    return cli_refuse("give what the command claims: --epsilon E with --delta D, or "
                      "--rho R");
  if (cli_given(args, "epsilon") && !cli_given(args, "delta"))
    return cli_refuse("--delta is missing: give the delta that the command claims, 0 "
                      "for pure differential privacy");
  const char *svg = cli_text(args, "svg", NULL);
  int regular;
  return svg != NULL ? cli_output_check(svg, &regular) : 0;
}

/* Returns what is judged: a pair (epsilon, delta) as it is, --rho as mu. */
static tacit_audit_claim claim_of(const struct cli_args *args) {
  return (tacit_audit_claim){
      .is_epsilon = cli_given(args, "epsilon"),
      .mu = cli_number(args, "rho", 0),
      .epsilon = cli_number(args, "epsilon", (double)NAN),
      .delta = cli_number(args, "delta", 0),
  };
}

/* Returns the default of --trials. Runs without errors rule out e^epsilon up to n/9.2,
   if n of them are judged. Four times the claimed one leaves room for errors; half of
   the runs pick the threshold. */
static int64_t trials_for(const struct cli_args *args) {
  double needed = 74 * (1 + exp(cli_number(args, "epsilon", 0)));
  return (int64_t)fmin(fmax(TRIALS, needed), TRIALS_MAX);
}

static int report_box(struct box *box) {
  const struct cli_table *table = &box->table;
  struct cli_audit audit = {
      .args = box->args, .claim = claim_of(box->args), .reach = (double)NAN};
  CLI_TRY(cli_audit_look(&audit, &box->numbers));
  snprintf(audit.what, sizeof audit.what, "%.120s; %lld rows, one of them %s",
           box->command, (long long)table->rows,
           table->zero_out ? "left out" : "replaced");
  audit.facts = json_pack(
      "{s:s, s:I, s:I, s:I, s:s, s:s}", "command", box->command, "rows",
      (json_int_t)table->rows, "features", (json_int_t)table->features, "numbers",
      (json_int_t)box->numbers.wrote, "score", audit.attacks[0].text, "adjacency",
      table->zero_out ? "zero-out" : "replace");
  return cli_audit_report(&audit);
}

int cli_audit_command(const struct cli_args *args) {
  const struct cli_value *runs = cli_value(args, "runs");
  struct box box = {
      .args = args,
      .command = cli_text(args, "command", NULL),
      .numbers = {.trials = cli_integer(args, "trials", trials_for(args)),
                  .runs = runs->given ? (int64_t)runs->integer : 1},
      .at_once = (int)cli_integer(args, "threads", 0),
  };
  struct cli_numbers *numbers = &box.numbers;
  CLI_TRY(check(args));
  CLI_TRY(cli_audit_table(args, &box.table));
  numbers->features = box.table.features;
  numbers->trials =
      (numbers->trials + numbers->runs - 1) / numbers->runs * numbers->runs;
  if (box.at_once == 0) box.at_once = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (box.at_once < 1 || box.at_once > AT_ONCE_MAX)
    box.at_once = box.at_once < 1 ? 1 : AT_ONCE_MAX;
  cli_stop_catch();
  CLI_TRY(make_folder(&box));
  int exit_code = run_all(&box);
  remove_folder(&box);
  if (cli_stop_signal() != 0)
    exit_code = cli_stop_fail(cli_stop_signal());
  else if (exit_code == 0)
    exit_code = report_box(&box);
  cli_audit_numbers_free(numbers);
  return exit_code;
}
