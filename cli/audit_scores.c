/* SPDX-License-Identifier: MIT */
/* The scores that an audited program wrote. */
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "cli.h"

/* The first number of a line, and how many there are. Whatever is not part of a number
   separates numbers. */
static int64_t numbers_in(const char *line, double *out_first) {
  int64_t count = 0;
  while (*line != '\0') {
    char *end;
    double value = strtod(line, &end);
    int is_word = (*line >= 'A' && *line <= 'Z') || (*line >= 'a' && *line <= 'z');
    if (end == line || is_word) {
      ++line;
      continue;
    }
    if (count++ == 0) *out_first = value;
    line = end;
  }
  return count;
}

/* Takes a text apart into its lines; if there is one run to a call, all of it is one.
 */
int tacit_cli_audit_scores(const struct cli_command *command, char *text, int64_t runs,
                           int64_t features, double *out) {
  int64_t found = 0;
  for (char *line = text, *end; line != NULL; line = end) {
    double score = 0;
    end = runs > 1 ? strchr(line, '\n') : NULL;
    if (end != NULL) *end++ = '\0';
    int64_t count = numbers_in(line, &score);
    if (count == 0 && runs > 1) continue; /* an empty line */
    if (count != 1 && count < features)
      return tacit_cli_fail(command, 3,
                            "the command wrote %lld numbers to {out}: write one score, "
                            "or the weights of all %lld features as text",
                            (long long)count, (long long)features);
    if (found++ < runs) *out++ = score;
  }
  if (found == runs) return 0;
  return tacit_cli_fail(
      command, 3,
      "the command wrote %lld lines of numbers to {out}, not the %lld "
      "of --runs",
      (long long)found, (long long)runs);
}
