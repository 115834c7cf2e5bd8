/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { DATA_EXIT = 3 };
static const char blanks[] = " \t\r\n,";

struct text {
  const char *path;
  FILE *file;
  char *line;
  size_t size;
  int64_t number; /* number of the line, from 1 */
};

const char *cli_matrix_file(const char *mechanism) {
  static const char prefix[] = "matrix:file=";
  if (mechanism == NULL || strncmp(mechanism, prefix, sizeof prefix - 1) != 0)
    return NULL;
  return mechanism + sizeof prefix - 1;
}

static int bad_line(const struct text *text, const char *rule) {
  return cli_fail(DATA_EXIT, "%s:%" PRId64 ": %s", text->path, text->number, rule);
}

/* Returns the next line that is not blank or a comment, or NULL at the end. */
static char *next_line(struct text *text) {
  while (getline(&text->line, &text->size, text->file) >= 0) {
    ++text->number;
    char *begin = text->line + strspn(text->line, blanks);
    if (*begin != '\0' && *begin != '#') return begin;
  }
  return NULL;
}

static int read_head(struct text *text, tacit_matrix *out) {
  char *line = next_line(text), left[2];
  if (line == NULL || sscanf(line, "rounds %" SCNd64 " bits %d %1s", &out->rounds,
                             &out->bits, left) != 2)
    return bad_line(text, "the first line must be \"rounds R bits B\": R rows of whole "
                          "numbers that count in units of 2^-B");
  if (out->rounds < 1 || out->rounds > TACIT_MATRIX_ROUNDS_MAX || out->bits < 0 ||
      out->bits > TACIT_MATRIX_ENTRY_BITS)
    return bad_line(text, "rounds must be 1 to 2048 and bits 0 to 40");
  return 0;
}

static int read_row(struct text *text, int64_t t, int64_t *row) {
  static const int64_t largest = (int64_t)1 << TACIT_MATRIX_ENTRY_BITS;
  char rule[128], *next = next_line(text);
  snprintf(rule, sizeof rule,
           "row %" PRId64 " must have %" PRId64 " whole numbers, each at most 2^40", t,
           t);
  if (next == NULL) return bad_line(text, "the file ends before the last row");
  for (int64_t i = 0; i < t; ++i) {
    char *end = next;
    errno = 0;
    row[i] = strtoll(next, &end, 10);
    if (end == next || errno != 0 || row[i] > largest || row[i] < -largest ||
        (*end != '\0' && strchr(blanks, *end) == NULL))
      return bad_line(text, rule);
    next = end + strspn(end, blanks);
  }
  if (*next != '\0') return bad_line(text, rule);
  return row[t - 1] != 0 ? 0 : bad_line(text, "the last number of a row must not be 0");
}

static int read_rows(struct text *text, tacit_matrix *out) {
  size_t rounds = (size_t)out->rounds;
  int64_t *entries = calloc(rounds * rounds, sizeof *entries);
  out->entries = entries;
  if (entries == NULL) return cli_fail(CLI_FAILED, "out of memory");
  for (int64_t t = 1; t <= out->rounds; ++t)
    CLI_TRY(read_row(text, t, entries + (size_t)(t - 1) * rounds));
  return next_line(text) == NULL ? 0
                                 : bad_line(text, "there are more rows than rounds");
}

int cli_matrix_load(const char *path, tacit_matrix *out) {
  struct text text = {.path = path};
  *out = (tacit_matrix){0};
  text.file = fopen(path, "r");
  if (text.file == NULL) return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
  int failed = read_head(&text, out);
  if (!failed) failed = read_rows(&text, out);
  if (!failed && ferror(text.file))
    failed = cli_fail(CLI_FAILED, "%s: cannot be read", path);
  fclose(text.file);
  free(text.line);
  if (failed) {
    free((void *)(uintptr_t)out->entries);
    out->entries = NULL;
  }
  return failed;
}
