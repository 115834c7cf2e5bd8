/* SPDX-License-Identifier: MIT */
/*
 * Stopping a run. Normally the progress callback sees the flag, and the library returns
 * and wipes its memory; nothing was written. A read that waits for a pipe does not call
 * back, so an alarm ends the process after a second; the handler removes the temporary
 * file, and the kernel clears the memory. A mapped file that is cut during the run ends
 * it like other bad data.
 */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "group.h"

static volatile sig_atomic_t stop_signal;
/* Written before the handlers are installed; the handlers only read them. */
static char stop_lines[2][120], cut_line[160];
static const char *stop_advice = "run it again";
static unsigned stop_patience = 1;
static int stop_silent;
static const char *volatile stop_temporary;

static const char *stop_line(int signal_number) {
  return stop_lines[signal_number == SIGTERM];
}

static void end_now(int signal_number) {
  if (stop_temporary != NULL) unlink(stop_temporary);
  const char *line = stop_silent ? "" : stop_line(signal_number);
  ssize_t written = write(STDERR_FILENO, line, strlen(line));
  (void)written;
  _exit(128 + signal_number);
}

static void on_stop(int signal_number) {
  if (stop_signal != 0) end_now(stop_signal);
  stop_signal = signal_number;
  alarm(stop_patience);
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  end_now(stop_signal);
}

static void catch_one(int signal_number, void (*handler)(int)) {
  struct sigaction action = {0}, before;
  /* If the process was started with the signal ignored (nohup, a background job), keep
     that. */
  if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
    return;
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, NULL);
}

/* SIGBUS: a mapped file became shorter, or its disk or server failed; the signal does
   not say which. Any other bus error is a bug and ends the process as usual when the
   access is repeated. */
static void on_bus(int signal_number, siginfo_t *facts, void *context) {
  (void)context;
  if (facts->si_code != BUS_ADRERR) {
    signal(signal_number, SIG_DFL);
    return;
  }
  /* Several threads may get the signal: one prints, the others wait for the end. */
  static atomic_flag told = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&told))
    pause();
  if (stop_temporary != NULL) unlink(stop_temporary);
  ssize_t written = write(STDERR_FILENO, cut_line, strlen(cut_line));
  (void)written;
  _exit(tacit_status_exit_code(TACIT_EDATA));
}

void cli_stop_faults() {
  struct sigaction action = {0};
  snprintf(
      cut_line, sizeof cut_line,
      "%s %s: a data file was cut while it was being read, or its disk failed; run "
      "again when it is complete\n",
      cli_name(), cli_current()->name);
  action.sa_sigaction = on_bus;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
  /* A file that exceeds its size limit is then a failed write. */
  signal(SIGXFSZ, SIG_IGN);
}

void cli_stop_catch() {
  cli_stop_faults();
  static const char *const names[2] = {"SIGINT", "SIGTERM"};
  for (int i = 0; i < 2; ++i)
    snprintf(stop_lines[i], sizeof stop_lines[i],
             "%s %s: stopped by %s before it was done; %s\n", cli_name(),
             cli_current()->name, names[i], stop_advice);
  if (cli_group() != NULL) stop_patience = 30;
  stop_silent = !cli_speaks();
  catch_one(SIGALRM, on_alarm);
  catch_one(SIGINT, on_stop);
  catch_one(SIGTERM, on_stop);
}

void cli_stop_advise(const char *advice) { stop_advice = advice; }

void cli_stop_remove(const char *temporary) { stop_temporary = temporary; }

int cli_stop_signal(void) { return stop_signal; }

void cli_stop_hold(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGALRM);
  sigaddset(&set, SIGPIPE); /* a closed pipe is then a failed write */
  sigprocmask(SIG_BLOCK, &set, NULL);
}

int cli_stop_fail(int signal_number) {
  cli_stop_hold(); /* otherwise the alarm would print it again */
  if (!stop_silent) fputs(stop_line(signal_number), stderr);
  return 128 + signal_number;
}

static int under(const char *path, const char *folder) {
  return path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

void cli_no_core_dumps(const char *const *paths, size_t n_paths, const char *output) {
  /* A limit of 1 byte, not 0: with 0, Linux still sends dumps to programs that receive
     them through a pipe. */
  struct rlimit limit = {1, 1};
  (void)setrlimit(RLIMIT_CORE, &limit);
  /* A process that is not dumpable cannot open its own /dev/fd entries unless it is
     root, so `tacit train <(zcat data.gz)` would fail, and other ranks on the machine
     could not read messages from its memory. In these cases only the limit applies. */
  int needs_fd =
      cli_group() != NULL || under(output, "/dev/") || under(output, "/proc/");
  for (size_t i = 0; i < n_paths; ++i)
    needs_fd |= under(paths[i], "/dev/") || under(paths[i], "/proc/");
  if (!needs_fd) (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
