/* SPDX-License-Identifier: MIT */
/*
 * Progress: rounds, rows, rows per second and the scale of the noise, never anything
 * that depends on the records. A bar on a terminal, otherwise one line per second.
 */
#include "progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 16 };

static double seconds_between(const struct timespec *from, const struct timespec *to) {
  return (double)(to->tv_sec - from->tv_sec) +
         1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

void cli_progress_start(struct cli_progress *progress, int quiet) {
  memset(progress, 0, sizeof *progress);
  progress->quiet = quiet;
  progress->terminal = isatty(STDERR_FILENO);
  clock_gettime(CLOCK_MONOTONIC, &progress->start);
  progress->last = progress->start;
}

double cli_progress_seconds(const struct cli_progress *progress) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds_between(&progress->start, &now);
}

/* 1234567 as "1.23M". */
static void short_count(double value, char out[16]) {
  static const char units[] = " kMGT";
  size_t unit = 0;
  while (value >= 1000 && units[unit + 1] != '\0') {
    value /= 1000;
    ++unit;
  }
  snprintf(out, 16, unit > 0 ? "%.3g%c" : "%.0f", value, units[unit]);
}

static void draw_bar(double share, const char *text) {
  char line[256], bar[BAR + 1];
  for (int i = 0; i < BAR; ++i)
    bar[i] = i < (int)(share * BAR) ? '#' : '.';
  bar[BAR] = '\0';
  snprintf(line, sizeof line, "[%s] %s", bar, text);
  /* A line that wraps could not be overwritten. */
  struct winsize window;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
      window.ws_col <= sizeof line)
    line[window.ws_col - 1] = '\0';
  fprintf(stderr, "\r\033[K%s", line);
}

/* A line of progress; `share` of the work is done. */
static void put_line(struct cli_progress *progress, double share, const char *text) {
  if (progress->terminal)
    draw_bar(share, text);
  else
    fprintf(stderr, "%s\n", text);
  progress->drawn = progress->terminal;
  fflush(stderr);
}

static void draw(struct cli_progress *progress, const tacit_progress *facts,
                 double seconds) {
  char text[200], rate[16], noise[40] = "", pass[40] = "";
  if (facts->noise_scale > 0)
    snprintf(noise, sizeof noise, "  noise %.2g", facts->noise_scale);
  if (facts->passes > 1)
    snprintf(pass, sizeof pass, "  pass %d/%d", facts->pass, facts->passes);
  short_count(seconds > 0 ? (double)facts->rows / seconds : 0, rate);
  const char *units = facts->persons ? "persons" : "rows";
  snprintf(text, sizeof text, "round %lld/%lld%s  %s %lld/%lld  %s %s/s%s",
           (long long)facts->round, (long long)facts->rounds, pass, units,
           (long long)facts->rows, (long long)facts->rows_all, rate, units, noise);
  put_line(progress,
           facts->rows_all > 0 ? (double)facts->rows / (double)facts->rows_all : 0,
           text);
}

/* Whether it is time for the next line. */
static int is_due(struct cli_progress *progress) {
  if (progress->quiet) return 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double wait = progress->terminal ? 0.1 : 1.0;
  if (seconds_between(&progress->last, &now) < wait) return 0;
  progress->last = now;
  return 1;
}

int cli_progress_show(void *cookie, const tacit_progress *facts) {
  struct cli_progress *progress = cookie;
  if (cli_stop_signal() != 0) return 1;
  if (is_due(progress))
    draw(progress, facts, seconds_between(&progress->start, &progress->last));
  return 0;
}

int cli_progress_runs(void *cookie, int64_t done, int64_t all) {
  struct cli_progress *progress = cookie;
  if (cli_stop_signal() != 0) return 1;
  if (!is_due(progress)) return 0;
  char text[120], rate[16];
  double seconds = seconds_between(&progress->start, &progress->last);
  short_count(seconds > 0 ? (double)done / seconds : 0, rate);
  snprintf(text, sizeof text, "run %lld/%lld  %s runs/s", (long long)done,
           (long long)all, rate);
  put_line(progress, (double)done / (double)all, text);
  return 0;
}

void cli_progress_end(struct cli_progress *progress) {
  if (progress->drawn) fprintf(stderr, "\r\033[K");
  progress->drawn = 0;
}
