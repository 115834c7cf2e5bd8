/* SPDX-License-Identifier: MIT */
/* The report of an audit: text, JSON and the ROC curve. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "cli.h"
#include "json.h"
#include "output.h"
#include "svg.h"

enum { WIDTH = 760, HEIGHT = 480, LEFT = 70, TOP = 46, SIDE = 380, POINTS = 201 };

/* The exit code of a guarantee that does not hold: a privacy precondition not met. */
enum { NOT_PRIVATE = 5 };

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double at_x(double rate) { return LEFT + rate * SIDE; }
static double at_y(double rate) { return TOP + SIDE - rate * SIDE; }

static void draw_axes(FILE *out) {
  for (int i = 0; i <= 5; ++i) {
    char label[8];
    double rate = i / 5.0;
    (void)snprintf(label, sizeof label, "%.1f", rate);
    svg_grid(out, at_x(rate), at_y(0), at_x(rate), at_y(1));
    svg_grid(out, at_x(0), at_y(rate), at_x(1), at_y(rate));
    svg_text(out, at_x(rate), at_y(0) + 20, "middle", label);
    svg_text(out, at_x(0) - 8, at_y(rate) + 4, "end", label);
  }
  svg_box(out, at_x(0), at_y(1), SIDE, SIDE);
  svg_text(out, at_x(0.5), at_y(0) + 42, "middle",
           "false positives: says “first” of the second data set");
  svg_text_up(out, 22, at_y(0.5), "true positives");
}

/* What mu allows at most: Phi(Phi^-1(x) + mu). */
static void draw_allowed(FILE *out, double mu, const char *colour) {
  double x[POINTS], y[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    double rate = (double)i / (POINTS - 1);
    double up = i == 0 ? 0
                : i == POINTS - 1
                    ? 1
                    : tacit_normal_below(tacit_normal_quantile(rate) + mu);
    x[i] = at_x(rate);
    y[i] = at_y(up);
  }
  svg_curve(out, POINTS, x, y, colour, 1);
}

/* Sorted scores: at each threshold, how many of each are above it. */
static int draw_measured(FILE *out, const struct cli_attack *attack,
                         const char *colour) {
  size_t count = (size_t)attack->count;
  double x[POINTS], y[POINTS];
  double *first = malloc(2 * count * sizeof *first);
  if (first == NULL) return -1;
  double *second = first + count;
  memcpy(first, attack->first, count * sizeof *first);
  memcpy(second, attack->second, count * sizeof *second);
  qsort(first, count, sizeof *first, by_value);
  qsort(second, count, sizeof *second, by_value);
  size_t below = 0;
  for (int i = 0; i < POINTS; ++i) {
    size_t at = (size_t)i * count / (POINTS - 1); /* of the second, from below */
    while (below < count && at < count && first[below] < second[at])
      ++below;
    if (at == count) below = count;
    x[i] = at_x(1 - (double)at / (double)count);
    y[i] = at_y(1 - (double)below / (double)count);
  }
  svg_curve(out, POINTS, x, y, colour, 0);
  free(first);
  return 0;
}

static int draw(const struct cli_audit *audit, FILE *out) {
  char name[80];
  int failed = 0, row = 0, side = LEFT + SIDE + 20;
  double diagonal[2][2] = {{at_x(0), at_x(1)}, {at_y(0), at_y(1)}};
  svg_begin(out, WIDTH, HEIGHT, LEFT, "Audit: what the attacker can tell");
  draw_axes(out);
  svg_curve(out, 2, diagonal[0], diagonal[1], "#bbb", 0);
  draw_allowed(out, audit->mu, svg_colour(4));
  (void)snprintf(name, sizeof name, "allowed by mu = %.4g", audit->mu);
  svg_legend(out, side, TOP, row++, svg_colour(4), 1, name);
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    const struct cli_attack *attack = &audit->attacks[i];
    if (attack->count == 0) continue;
    failed |= draw_measured(out, attack, svg_colour(i));
    svg_legend(out, side, TOP, row++, svg_colour(i), 0, attack->name);
    (void)snprintf(name, sizeof name, "mu at least %.4g", attack->result.mu_low);
    svg_text(out, side + 36, TOP + 14 + 22.0 * row++, "start", name);
  }
  svg_legend(out, side, TOP, row, "#bbb", 0, "guessing");
  svg_end(out);
  return failed;
}

/* Writes the figure without giving it its name. */
static int write_figure(const struct cli_audit *audit, struct cli_output *output) {
  const struct cli_command *command = audit->arguments->command;
  const char *path = tacit_cli_text(audit->arguments, "svg", NULL);
  if (path == NULL) return 0;
  int exit_code = tacit_cli_output_open(output, command, path);
  if (exit_code != 0) return exit_code;
  if (draw(audit, output->stream) != 0) {
    tacit_cli_output_abandon(output);
    return tacit_cli_fail(command, CLI_FAILED, "out of memory");
  }
  return tacit_cli_output_complete(output, 0);
}

static json_t *json_of_attack(const struct cli_attack *attack) {
  const tacit_audit_result *r = &attack->result;
  return json_pack("{s:s, s:I, s:I, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f}",
                   "name", attack->name, "runs", (json_int_t)attack->count, "judged",
                   (json_int_t)r->judged, "threshold", r->threshold, "false_positives",
                   (json_int_t)r->false_positives, "false_negatives",
                   (json_int_t)r->false_negatives, "alpha_up", r->alpha_up, "beta_up",
                   r->beta_up, "mu_low", r->mu_low, "mu_sure", r->mu_sure,
                   "epsilon_low", r->epsilon_low, "auc", r->auc);
}

static int print_json(struct cli_audit *audit, int holds) {
  json_t *object = audit->facts, *attacks = json_array();
  int failed = 0;
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    if (audit->attacks[i].count > 0)
      failed |= json_array_append_new(attacks, json_of_attack(&audit->attacks[i]));
  }
  failed |= json_object_set_new(object, "mu", json_real(audit->mu));
  failed |=
      json_object_set_new(object, "epsilon", tacit_cli_json_number(audit->epsilon));
  failed |= json_object_set_new(object, "delta", json_real(audit->delta));
  failed |= json_object_set_new(object, "auc_allowed",
                                json_real(tacit_normal_below(audit->mu / sqrt(2))));
  failed |= json_object_set_new(object, "attacks", attacks);
  failed |= json_object_set_new(object, "holds", json_boolean(holds));
  audit->facts = NULL;
  if (failed) {
    json_decref(object);
    object = NULL;
  }
  return tacit_cli_print_json(audit->arguments->command, object);
}

static void print_attack(const struct cli_attack *attack, double mu) {
  const tacit_audit_result *r = &attack->result;
  double judged = (double)r->judged;
  printf("attacker: %s\n"
         "  mu at least %.4f, epsilon at least %.4f (limits of 97.5%%)\n"
         "  %lld + %lld runs judged: %.2f%% false positives, %.2f%% false negatives\n"
         "  area under the curve %.4f, allowed %.4f\n",
         attack->text, r->mu_low, r->epsilon_low, (long long)r->judged,
         (long long)r->judged, 100 * (double)r->false_positives / judged,
         100 * (double)r->false_negatives / judged, r->auc,
         tacit_normal_below(mu / sqrt(2)));
}

static int print_text(const struct cli_audit *audit, int holds) {
  double found = 0;
  printf("audited:  %s\n", audit->what);
  printf("stated:   mu %.4f", audit->mu);
  if (isfinite(audit->epsilon))
    printf(" (epsilon %.6g, delta %.3g)", audit->epsilon, audit->delta);
  printf("\n");
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    if (audit->attacks[i].count == 0) continue;
    print_attack(&audit->attacks[i], audit->mu);
    found = fmax(found, audit->attacks[i].result.mu_sure);
  }
  if (holds)
    printf("verdict:  not contradicted: mu is at least %.4f (limits of 99.99%%), which "
           "the stated %.4f allows\n",
           found, audit->mu);
  else
    printf("verdict:  THE GUARANTEE DOES NOT HOLD: mu is at least %.4f (limits of "
           "99.99%%), stated is %.4f\n",
           found, audit->mu);
  return tacit_cli_close_stdout(audit->arguments->command);
}

/* Everything after the scores are judged. */
static int report(struct cli_audit *audit, int holds) {
  struct cli_output figure = {0};
  int exit_code = write_figure(audit, &figure);
  if (exit_code == 0)
    exit_code = tacit_cli_given(audit->arguments, "json") ? print_json(audit, holds)
                                                          : print_text(audit, holds);
  if (exit_code == 0) exit_code = tacit_cli_output_place(&figure);
  tacit_cli_output_abandon(&figure);
  if (exit_code != 0 || holds) return exit_code;
  return tacit_cli_fail(audit->arguments->command, NOT_PRIVATE,
                        "the guarantee does not hold");
}

int tacit_cli_audit_report(struct cli_audit *audit) {
  const struct cli_command *command = audit->arguments->command;
  int holds = 1, exit_code = 0;
  if (audit->facts == NULL) return tacit_cli_fail(command, CLI_FAILED, "out of memory");
  for (int i = 0; exit_code == 0 && i < CLI_ATTACKS; ++i) {
    struct cli_attack *attack = &audit->attacks[i];
    tacit_error err;
    if (attack->count == 0) continue;
    if (tacit_audit_judge(attack->first, attack->second, attack->count, audit->delta,
                          &attack->result, &err) != TACIT_OK)
      exit_code = tacit_cli_fail_error(command, &err);
    else
      holds &= attack->result.mu_sure <= audit->mu;
  }
  if (exit_code == 0) exit_code = report(audit, holds);
  json_decref(audit->facts);
  return exit_code;
}
