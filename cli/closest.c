/* SPDX-License-Identifier: MIT */
/*
 * Finds the known word closest to a mistyped one, for "did you mean": edit distance
 * with swaps of neighbouring letters (restricted Damerau-Levenshtein).
 */
#include <string.h>

#include "cli.h"

enum { LONGEST = 32 };

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= nb; ++j)
    rows[0][j] = j;
  for (size_t i = 1; i <= na; ++i) {
    size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= nb; ++j) {
      size_t changed = up[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = min(changed, min(up[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = min(now[j], up2[j - 2] + 1);
    }
  }
  return rows[na % 3][nb];
}

const char *cli_closest(const char *word, const char *const *words) {
  const char *best = NULL;
  /* Larger distances are not typos; nor are two letters of three. */
  size_t size = strlen(word), best_distance = size > 3 ? size / 3 + 1 : 1;
  for (; *words != NULL; ++words) {
    size_t d = distance(word, *words);
    int prefix = size >= 3 && strncmp(word, *words, size) == 0;
    if (prefix) d = 0;
    if (d < best_distance || (d == best_distance && best == NULL)) {
      best = *words;
      best_distance = d;
    }
  }
  return best;
}

int cli_fail_action(const char *action, const char *const *actions) {
  const char *closest = cli_closest(action, actions);
  if (closest != NULL)
    return cli_refuse("unknown action %.60s: did you mean %s?", action, closest);
  return cli_refuse("unknown action %.60s: give one of: %s", action,
                    cli_current()->actions);
}
