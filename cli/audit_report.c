/* SPDX-License-Identifier: MIT */
/* The report of an audit: text and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/report.h>

#include "audit.h"
#include "cli.h"

/* The exit code of a guarantee that does not hold: a privacy precondition not met. */
enum { NOT_PRIVATE = 5 };

/* Writes the figure of --svg to an output and completes it without placing it. */
static int write_figure(const struct cli_audit *audit, struct cli_output *output) {
  if (!cli_given(audit->args, "svg")) return 0;
  tacit_audit_curve curves[CLI_ATTACKS];
  tacit_error err;
  char *text = NULL;
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    const struct cli_attack *attack = &audit->attacks[i];
    curves[i] = (tacit_audit_curve){
        attack->name, attack->first, attack->second, attack->count,
        audit->claim.is_epsilon ? attack->result.epsilon_low : attack->result.mu_low};
  }
  CLI_TRY(cli_judge(tacit_audit_figure(&audit->claim, curves, CLI_ATTACKS, &text, &err),
                    &err));
  return cli_stage(audit->args, "svg", text, output);
}

static json_t *json_of_attack(const struct cli_attack *attack) {
  const tacit_audit_result *r = &attack->result;
  return json_pack(
      "{s:s, s:I, s:I, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
      "s:f, s:f, s:f}",
      "name", attack->name, "runs", (json_int_t)attack->count, "judged",
      (json_int_t)r->judged, "threshold", r->threshold, "false_positives",
      (json_int_t)r->false_positives, "false_negatives", (json_int_t)r->false_negatives,
      "alpha_up", r->alpha_up, "beta_up", r->beta_up, "mu_low", r->mu_low, "mu_sure",
      r->mu_sure, "epsilon_low", r->epsilon_low, "epsilon_sure", r->epsilon_sure,
      "most", r->most, "auc", r->auc, "auc_low", r->auc_low, "auc_up", r->auc_up);
}

static int print_json(struct cli_audit *audit, int holds) {
  const tacit_audit_claim *claim = &audit->claim;
  json_t *object = audit->facts, *attacks = json_array();
  for (int i = 0; i < CLI_ATTACKS; ++i)
    if (audit->attacks[i].count > 0)
      json_array_append_new(attacks, json_of_attack(&audit->attacks[i]));
  json_t *rest =
      json_pack("{s:s, s:o*, s:o, s:f, s:o*, s:f, s:o, s:b}", "compared",
                claim->is_epsilon ? "epsilon" : "mu", "mu",
                claim->mu > 0 ? json_real(claim->mu) : NULL, "epsilon",
                cli_json_number(claim->epsilon), "delta", claim->delta, "reach",
                isfinite(audit->reach) ? json_real(audit->reach) : NULL, "auc_allowed",
                tacit_audit_auc_allowed(claim), "attacks", attacks, "holds", holds);
  audit->facts = NULL;
  if (json_object_update_missing(object, rest) != 0) {
    json_decref(object);
    object = NULL;
  }
  json_decref(rest);
  return cli_print_json(object);
}

static void print_attack(const struct cli_attack *attack) {
  const tacit_audit_result *r = &attack->result;
  double judged = (double)r->judged;
  printf(
      "attacker: %s\n"
      "  mu at least %.4f, epsilon at least %.4f (limits of 97.5%%)\n"
      "  %lld + %lld runs judged: %.2f%% false positives, %.2f%% false negatives\n"
      "  area under the curve %.4f, at least %.4f, at most %.4f (limits of 97.5%%)\n",
      attack->text, r->mu_low, r->epsilon_low, (long long)r->judged,
      (long long)r->judged, 100 * (double)r->false_positives / judged,
      100 * (double)r->false_negatives / judged, r->auc, r->auc_low, r->auc_up);
}

/* Prints what is compared, and whether these runs could have shown more than is
   stated. */
static void print_verdict(const struct cli_audit *audit, int holds) {
  const tacit_audit_claim *claim = &audit->claim;
  const char *measure = claim->is_epsilon ? "epsilon" : "mu";
  double stated = claim->is_epsilon ? claim->epsilon : claim->mu, found = 0, most = 0;
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    const tacit_audit_result *r = &audit->attacks[i].result;
    found = fmax(found, claim->is_epsilon ? r->epsilon_sure : r->mu_sure);
    most = fmax(most, r->most);
  }
  printf("verdict:  %s: %s is at least %.4f (limits of 99.99%%), %s %.6g\n",
         holds ? "not contradicted" : "THE GUARANTEE DOES NOT HOLD", measure, found,
         holds ? "which does not pass the stated" : "which passes the stated", stated);
  if (most <= stated)
    printf("          these runs cannot show %s above %.4f: give more --trials\n",
           measure, most);
}

static int print_text(const struct cli_audit *audit, int holds) {
  const tacit_audit_claim *claim = &audit->claim;
  printf("audited:  %s\n", audit->what);
  if (!(claim->mu > 0))
    printf("stated:   epsilon %.6g, delta %.3g\n", claim->epsilon, claim->delta);
  else if (isfinite(claim->epsilon))
    printf("stated:   mu %.4f (epsilon %.6g, delta %.3g)\n", claim->mu, claim->epsilon,
           claim->delta);
  else
    printf("stated:   mu %.4f\n", claim->mu);
  if (isfinite(audit->reach))
    printf("canary:   moves the releases by mu %.4f, %.1f%% of that\n", audit->reach,
           100 * audit->reach / claim->mu);
  for (int i = 0; i < CLI_ATTACKS; ++i)
    if (audit->attacks[i].count > 0) print_attack(&audit->attacks[i]);
  print_verdict(audit, holds);
  return cli_close_stdout();
}

/* Writes the figure and prints the report of judged scores. */
static int report(struct cli_audit *audit, int holds) {
  struct cli_output figure = {0};
  int exit_code = write_figure(audit, &figure);
  if (exit_code == 0)
    exit_code = cli_given(audit->args, "json") ? print_json(audit, holds)
                                               : print_text(audit, holds);
  if (exit_code == 0) exit_code = cli_output_place(&figure);
  cli_output_abandon(&figure);
  if (exit_code != 0 || holds) return exit_code;
  return cli_fail(NOT_PRIVATE, "the guarantee does not hold");
}

static tacit_status judge(const struct cli_audit *audit, struct cli_attack *attack,
                          tacit_error *err) {
  if (attack->is_ratio && !audit->claim.is_epsilon)
    return tacit_audit_judge_at(&audit->claim, attack->first, attack->second,
                                attack->count, 0, &attack->result, err);
  return tacit_audit_judge(&audit->claim, attack->first, attack->second, attack->count,
                           &attack->result, err);
}

int cli_audit_report(struct cli_audit *audit) {
  int holds = 1, exit_code = 0;
  if (audit->facts == NULL) return cli_fail(CLI_FAILED, "out of memory");
  for (int i = 0; exit_code == 0 && i < CLI_ATTACKS; ++i) {
    struct cli_attack *attack = &audit->attacks[i];
    tacit_error err;
    if (attack->count == 0) continue;
    if (judge(audit, attack, &err) != TACIT_OK)
      exit_code = cli_fail_error(&err);
    else
      holds &= attack->result.holds;
  }
  if (exit_code == 0) exit_code = report(audit, holds);
  json_decref(audit->facts);
  return exit_code;
}
