/* SPDX-License-Identifier: MIT */
/* A table of effects as lines for people. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "extra/infer/effects.h"

enum { NAME = 28, PLOT = 31 };

void tacit_effects_p(double p, char out[16]) {
  (void)snprintf(out, 16, p < 1e-3 ? "%.1e" : "%.3f", p);
  if (p < 1e-6) (void)snprintf(out, 16, "<1e-6");
}

void tacit_effects_say(FILE *to, const char *format, ...) {
  char text[1 << 15];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)fputs(text, to);
}

static const char *ratio_name(const tacit_effects *effects) {
  if (!tacit_effects_has_ratio(effects)) return "";
  return effects->loss == TACIT_EFFECTS_LOGISTIC ? "odds ratio" : "rate ratio";
}

/* Writes why a line has no number. */
static void print_reason(const tacit_effects *effects, const tacit_effect *line,
                         FILE *to) {
  const char *units = effects->persons ? "persons" : "rows";
  if (line->state == TACIT_EFFECT_RARE)
    tacit_effects_say(to,
                      "not identified: too few %s (about %.0f needed in the level)\n",
                      units, line->rows_needed);
  else if (line->rows_needed > 0)
    tacit_effects_say(to, "not identified: at least %.0f %s needed\n",
                      line->rows_needed, units);
  else
    tacit_effects_say(to, "%s\n", tacit_effects_state_name(line->state));
}

static void print_line(const tacit_effects *effects, const tacit_effect *line,
                       FILE *to) {
  char p[16], interval[48], ratio[48] = "";
  tacit_effects_say(to, "%-*s ", NAME, line->name);
  if (line->state != TACIT_EFFECT_IDENTIFIED) {
    print_reason(effects, line, to);
    return;
  }
  (void)snprintf(interval, sizeof interval, "%.4g to %.4g", line->low, line->high);
  if (tacit_effects_has_ratio(effects))
    (void)snprintf(ratio, sizeof ratio, "%.3g (%.3g to %.3g)", exp(line->estimate),
                   exp(line->low), exp(line->high));
  tacit_effects_p(line->p, p);
  tacit_effects_say(to, "%10.4g  %-22s  %-24s %9.3g %9.3g %9.3g %7.2f  %s\n",
                    line->estimate, interval, ratio, line->error, line->sampling,
                    line->privacy, line->z, p);
}

/* Writes where the interval of a line lies between `low` and `high`. */
static void print_place(const tacit_effect *line, double low, double high, FILE *to) {
  char plot[PLOT + 1] = "";
  double scale = (PLOT - 1) / (high - low);
  memset(plot, ' ', PLOT);
  int zero = (int)((0 - low) * scale + 0.5);
  int first = (int)((fmax(line->low, low) - low) * scale + 0.5);
  int last = (int)((fmin(line->high, high) - low) * scale + 0.5);
  int middle = (int)((line->estimate - low) * scale + 0.5);
  if (zero >= 0 && zero < PLOT) plot[zero] = '|';
  for (int i = first; i <= last; ++i)
    plot[i] = '-';
  plot[middle] = 'o';
  tacit_effects_say(to, "%-*s %s\n", NAME, line->name, plot);
}

/* Writes a forest plot: z scales differ, so every line is in its own standard errors.
   The plot shows the effects of levels, which have one scale, together. */
static void print_plot(const tacit_effects *effects, FILE *to) {
  double most = 0;
  for (size_t i = 0; i < effects->n_lines; ++i)
    if (effects->lines[i].state == TACIT_EFFECT_IDENTIFIED)
      most = fmax(most, fmax(fabs(effects->lines[i].z), 1) + 2.5);
  if (most == 0) return;
  tacit_effects_say(to, "\n%-*s in standard errors, %.3g to %.3g; | is 0\n", NAME, "",
                    -most, most);
  for (size_t i = 0; i < effects->n_lines; ++i) {
    tacit_effect line = effects->lines[i];
    if (line.state != TACIT_EFFECT_IDENTIFIED) continue;
    line.low /= line.error;
    line.high /= line.error;
    line.estimate = line.z;
    print_place(&line, -most, most, to);
  }
}

/* Writes the references of groups: "against region=west, sex=f". */
static void print_references(const tacit_effects *effects, FILE *to) {
  const char *before = "Levels are compared with ";
  for (size_t i = 0; i < effects->n_lines; ++i) {
    size_t group = effects->columns.group_of[i];
    if (effects->lines[i].state != TACIT_EFFECT_REFERENCE ||
        effects->columns.groups[group].cross != NULL)
      continue;
    tacit_effects_say(to, "%s%s", before, effects->lines[i].name);
    before = ", ";
  }
  if (*before == ',') tacit_effects_say(to, ".\n");
}

static void print_tests(const tacit_effects *effects, FILE *to) {
  for (size_t i = 0; i < effects->n_tests; ++i) {
    const tacit_joint_test *test = &effects->tests[i];
    char p[16];
    tacit_effects_p(test->p, p);
    tacit_effects_say(to, "%s: %zu levels together: F %.2f, p %s\n", test->name,
                      test->levels, test->f, p);
  }
}

static void print_notes(const tacit_effects *effects, FILE *to) {
  size_t shown = 0;
  for (size_t i = 0; i < effects->n_lines; ++i)
    shown += effects->lines[i].state == TACIT_EFFECT_IDENTIFIED;
  tacit_effects_say(to, "\nCoefficients are %s.\n",
                    tacit_effects_estimand(effects->loss, effects->persons));
  print_references(effects, to);
  tacit_effects_say(to, "Intervals (%g%%) cover the choice of the %s and the noise.",
                    100 * effects->view.level, effects->persons ? "persons" : "rows");
  if (effects->low_error <= 0.25)
    tacit_effects_say(to, " About %.1f%% (error %.1f%%) of them weigh below 1/2.",
                      100 * effects->low_weight, 100 * effects->low_error);
  tacit_effects_say(to, "\n");
  if (effects->tau > 0)
    tacit_effects_say(to, "Errors count in full up to 0.6 tau, tau = %.4g%s.\n",
                      effects->tau,
                      effects->loss == TACIT_EFFECTS_POISSON ? " deviations" : "");
  if (shown > 1)
    tacit_effects_say(
        to,
        "Of %zu coefficients without effect %.2g would have p below %.2g by chance; "
        "Holm's p is in --json.\n",
        shown, (double)shown * (1 - effects->view.level), 1 - effects->view.level);
}

void tacit_effects_text(const tacit_effects *effects, FILE *to) {
  tacit_effects_say(to, "%-*s %10s  %-22s  %-24s %9s %9s %9s %7s  p\n", NAME, "",
                    "per unit", "interval", ratio_name(effects), "se", "sampling",
                    "privacy", "z");
  const tacit_effect *first = &effects->intercept;
  int has_first = effects->loss != TACIT_EFFECTS_POISSON;
  if (has_first && first->state != TACIT_EFFECT_IDENTIFIED)
    print_line(effects, first, to);
  else if (has_first)
    tacit_effects_say(to, "%-*s %10.4g  %.4g to %.4g\n", NAME, first->name,
                      first->estimate, first->low, first->high);
  for (size_t i = 0; i < effects->n_lines; ++i)
    if (effects->lines[i].state != TACIT_EFFECT_REFERENCE)
      print_line(effects, &effects->lines[i], to);
  for (size_t i = 0; i < effects->view.n_contrasts; ++i)
    print_line(effects, &effects->contrasts[i], to);
  print_tests(effects, to);
  print_plot(effects, to);
  print_notes(effects, to);
}
