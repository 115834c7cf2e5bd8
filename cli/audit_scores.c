/* SPDX-License-Identifier: MIT */
/* The numbers that an audited program wrote. */
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "cli.h"

/* Reads the first CLI_NUMBERS numbers of a line and returns how many numbers the line
   has. Anything that is not part of a number separates numbers. */
static int64_t numbers_in(const char *line, double *out) {
  int64_t count = 0;
  while (*line != '\0') {
    char *end;
    double value = strtod(line, &end);
    int is_word = (*line >= 'A' && *line <= 'Z') || (*line >= 'a' && *line <= 'z');
    if (end == line || is_word) {
      ++line;
      continue;
    }
    if (count < CLI_NUMBERS) out[count] = value;
    ++count;
    line = end;
  }
  return count;
}

/* Allocates the numbers of all trials after the first run, which wrote `wrote`
   numbers. */
static int make_room(int64_t wrote, struct cli_numbers *numbers) {
  numbers->wrote = wrote;
  numbers->kept = wrote < CLI_NUMBERS ? wrote : CLI_NUMBERS;
  for (int which = 0; which < 2; ++which)
    numbers->of[which] =
        calloc((size_t)numbers->trials, (size_t)numbers->kept * sizeof(double));
  numbers->scores = calloc((size_t)numbers->trials, 2 * sizeof(double));
  return numbers->of[0] != NULL && numbers->of[1] != NULL && numbers->scores != NULL
             ? 0
             : cli_fail(CLI_FAILED, "out of memory");
}

static int take_run(int64_t wrote, const double *values, int which, int64_t trial,
                    struct cli_numbers *numbers) {
  if (wrote != 1 && wrote < numbers->features)
    return cli_fail(3,
                    "the command wrote %lld numbers to {out}: write one score, "
                    "or the weights of all %lld features as text",
                    (long long)wrote, (long long)numbers->features);
  CLI_TRY(numbers->wrote == 0 ? make_room(wrote, numbers) : 0);
  if (wrote != numbers->wrote)
    return cli_fail(3,
                    "the command wrote %lld numbers to {out} in one run and %lld "
                    "in another: write equally many in every run",
                    (long long)numbers->wrote, (long long)wrote);
  memcpy(numbers->of[which] + trial * numbers->kept, values,
         (size_t)numbers->kept * sizeof *values);
  return 0;
}

int cli_audit_numbers(char *text, int which, int64_t trial,
                      struct cli_numbers *numbers) {
  int64_t found = 0, runs = numbers->runs;
  for (char *line = text, *end; line != NULL; line = end) {
    double values[CLI_NUMBERS];
    end = runs > 1 ? strchr(line, '\n') : NULL;
    if (end != NULL) *end++ = '\0';
    int64_t wrote = numbers_in(line, values);
    if (wrote == 0 && runs > 1) continue; /* an empty line */
    if (found++ >= runs) continue;
    CLI_TRY(take_run(wrote, values, which, trial + found - 1, numbers));
  }
  if (found == runs) return 0;
  return cli_fail(3,
                  "the command wrote %lld lines of numbers to {out}, not the %lld "
                  "of --runs",
                  (long long)found, (long long)runs);
}

int cli_audit_look(struct cli_audit *audit, struct cli_numbers *numbers) {
  struct cli_attack *attack = &audit->attacks[0];
  double *scores = numbers->scores;
  tacit_audit_view view;
  tacit_error err;
  CLI_TRY(cli_judge(tacit_audit_look(&audit->claim, numbers->of[0], numbers->of[1],
                                     numbers->trials, numbers->kept, scores,
                                     scores + numbers->trials, &view, &err),
                    &err));
  char number[40];
  snprintf(number, sizeof number, "number %lld of %lld", (long long)view.number,
           (long long)numbers->wrote);
  if (view.number == 0)
    snprintf(number, sizeof number, "a weighted sum of all numbers");
  snprintf(attack->text, sizeof attack->text, "%s in the output; %s", number,
           view.is_distance   ? view.is_negative
                                    ? "near the middle means the first file"
                                    : "far from the middle means the first file"
           : view.is_negative ? "small means the first file"
                              : "large means the first file");
  attack->name = "canary-score";
  attack->first = scores;
  attack->second = scores + numbers->trials;
  attack->count = numbers->trials;
  return 0;
}

void cli_audit_numbers_free(struct cli_numbers *numbers) {
  free(numbers->of[0]);
  free(numbers->of[1]);
  free(numbers->scores);
}
