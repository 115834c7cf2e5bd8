/* SPDX-License-Identifier: MIT */
/*
 * theory [--figures DIR] [--quick] [NAME...]: checks the theorems, prints a table,
 * draws the figures. The exit status is 0 if every claim holds, 1 if one does not, 2 if
 * the arguments are wrong or the program could not run. Seeds are fixed.
 */
#include <string.h>

#include "theory.h"

static const struct {
  const char *name;
  void (*run)(report *r);
} theorems[] = {
    {"main", theory_main_theorem},     {"strongly-convex", theory_strongly_convex},
    {"optimistic", theory_optimistic}, {"parameter-free", theory_parameter_free},
    {"norms", theory_norms},           {"pure", theory_pure},
};
enum { THEOREMS = sizeof theorems / sizeof *theorems };

int main(int argc, char **argv) {
  report r = {.out = stdout};
  int wanted[THEOREMS] = {0}, some = 0;
  for (int i = 1; i < argc; ++i) {
    int known = 0;
    if (strcmp(argv[i], "--quick") == 0) {
      r.quick = known = 1;
    } else if (strcmp(argv[i], "--figures") == 0 && i + 1 < argc) {
      r.figures = argv[++i];
      known = 1;
    }
    for (int j = 0; j < THEOREMS; ++j)
      if (strcmp(argv[i], theorems[j].name) == 0) known = some = wanted[j] = 1;
    if (!known) {
      fprintf(stderr, "usage: theory [--figures DIR] [--quick] [NAME…]; names:");
      for (int j = 0; j < THEOREMS; ++j)
        fprintf(stderr, " %s", theorems[j].name);
      fprintf(stderr, "\n");
      return 2;
    }
  }
  printf("Intervals are 95%%. Bounds come from the premises alone (docs/theory.md).\n");
  for (int j = 0; j < THEOREMS; ++j)
    if (!some || wanted[j]) theorems[j].run(&r);
  printf("\n%d claims hold, %d do not\n", r.passed, r.failed);
  return r.failed == 0 ? 0 : 1;
}
