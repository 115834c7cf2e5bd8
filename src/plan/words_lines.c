/* SPDX-License-Identifier: MIT */
/* A plan as lines of text, for people to read before any record is read. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/schema.h"
#include "plan/preset.h"
#include "plan/words_text.h"

/* Writes a line about round 0, or an empty text if the config does not ask for it. */
static void centre_line(const tacit_plan *plan, char *out, size_t size) {
  char first[32], rest[32];
  out[0] = '\0';
  if (!plan->centred && tacit_config_centres(&plan->config))
    (void)snprintf(out, size,
                   "centre        off: the mean of %zu columns would drown in noise\n",
                   plan->moments.columns);
  if (!plan->centred) return;
  if (plan->apart) {
    (void)snprintf(
        out, size,
        "centre        round 0 releases the mean of the first %lld rows, which "
        "no other\n"
        "              round uses: every row has the whole mu\n",
        (long long)plan->mean_rows);
    return;
  }
  tacit_format_up(plan->early_mu, 6, first);
  tacit_format_up(plan->vault.budget, 6, rest);
  (void)snprintf(out, size,
                 "centre        round 0 reads all rows %s and releases their mean%s;\n"
                 "              it takes mu %s, mu %s remains for the rounds\n",
                 plan->products ? "twice more" : "once more",
                 plan->products ? " and second\n              moments" : "", first,
                 rest);
}

/* Writes the number of passes, and that round 0 reads the rows once more if it does. */
static void passes_words(const tacit_plan *plan, char *out, size_t size) {
  (void)snprintf(out, size, "%d pass%s%s", plan->passes, plan->passes == 1 ? "" : "es",
                 plan->products ? " and two readings for mean and moments"
                 : tacit_plan_readings(plan) > plan->passes
                     ? " and one reading for the mean"
                     : "");
}

const char *tacit_plan_obstacle(const tacit_plan *plan) {
  if (tacit_plan_is_plain(plan)) return "it is not about plain gradients";
  if (plan->passes > 1) return "it is about rows that are read once";
  if (plan->bound == TACIT_BOUND_CLIP) return "it is not about clipped contributions";
  if (plan->config.units > 0) return "it is about independent rows, not persons";
  if (plan->learner.norm != 2) return "it is not about other norms than 2";
  if (plan->config.learner_ops != NULL || strcmp(plan->learner_spec, "osd") != 0)
    return "its bound on the regret is that of learner osd with its own step";
  return NULL;
}

/* Writes what the theorem on convergence says, or why it does not hold. */
static void theorem_lines(const tacit_plan *plan, char *out, size_t size) {
  const char *obstacle = tacit_plan_obstacle(plan);
  if (obstacle != NULL) {
    (void)snprintf(out, size, "theorem       none for this plan: %s\n", obstacle);
    return;
  }
  (void)snprintf(
      out, size,
      "theorem       expected excess loss <= %.4g D: regret %.4g, sampling %.4g,\n"
      "              noise %.4g, each times the diameter D of the domain (here %.6g),\n"
      "              for independent rows and a convex loss\n",
      plan->term_regret + plan->term_sampling + plan->term_noise, plan->term_regret,
      plan->term_sampling, plan->term_noise, plan->diameter);
}

/* Says what effects per unit of a column would cost, if the model will have none. */
static const char *effects_lines(const tacit_plan *plan) {
  const tacit_schema *schema = plan->schema;
  if (schema->kind != TACIT_SCHEMA_CSV || plan->row.scale > 0 ||
      tacit_schema_norm_max(schema, plan->row.bias, plan->row.exponent) <=
          plan->row.row_norm)
    return "";
  return "effects       none per unit of a column: each row is scaled by its own "
         "norm;\n"
         "              --scale same has them, for a little accuracy (Adult census "
         "data:\n"
         "              loss 0.314 instead of 0.312 at epsilon 1, 0.330 of 0.324 at "
         "0.3)\n";
}

tacit_status tacit_plan_lines(tacit_plan *plan, tacit_error *err) {
  enum { SIZE = 4096 };
  char *text = tacit_array_new(SIZE, 1);
  if (text == NULL) return tacit_fail_memory(err);
  plan->text = text;
  double noise_norm = plan->noise_last_norm;
  int persons = plan->config.units > 0;
  char weights[32] = "plain gradients", passes[64], theorem[1024], centre[256],
       budget[128] = "none: no noise, not private", advice[64] = "";
  if (plan->days.horizon == 0) /* a stream reads its days once */
    (void)snprintf(advice, sizeof advice, ";\n              advised passes: %d",
                   tacit_rules_passes(plan));
  if (!tacit_plan_is_plain(plan))
    (void)snprintf(weights, sizeof weights, "beta_t = t^%g", plan->power);
  passes_words(plan, passes, sizeof passes);
  theorem_lines(plan, theorem, sizeof theorem);
  centre_line(plan, centre, sizeof centre);
  if (isfinite(plan->mu)) {
    char epsilon[32], delta[32], mu[32];
    tacit_format_up(plan->epsilon, 6, epsilon);
    tacit_format_up(plan->delta, 4, delta);
    tacit_format_up(plan->mu, 6, mu);
    (void)snprintf(budget, sizeof budget, "epsilon %s, delta %s (mu %s)", epsilon,
                   delta, mu);
  }
  (void)snprintf(
      text, SIZE,
      "%s %lld, %s\n"
      "parameters    %zu\n"
      "rounds        %lld of about %.6g %s; %s\n"
      "budget        %s\n"
      "%s"
      "mechanism     %s, sensitivity factor %.6g\n"
      "contribution  %s\n"
      "noise         at most %.4g in a coordinate of the last mean gradient;\n"
      "              its norm is at most %.4g; the largest gradient has %.4g\n"
      "memory        about %.4g MB besides the rows being read\n"
      "%s"
      "outlook       noise is %.3g%% of the largest gradient, in %zu weights:\n"
      "              %s%s\n"
      "%s",
      persons ? "persons      " : "rows         ", (long long)tacit_plan_rows_all(plan),
      passes, plan->dim, (long long)plan->rounds,
      (double)plan->rows / (double)plan->per_pass, persons ? "persons" : "rows",
      weights, budget, centre, plan->vault.encoder->name, tacit_plan_sens(plan),
      tacit_plan_contribution(plan), plan->noise_last, noise_norm,
      plan->learner.grad_bound, tacit_plan_memory(plan) / 1e6, theorem,
      100 * tacit_rules_noise_share(plan), plan->dim, tacit_rules_outlook(plan), advice,
      effects_lines(plan));
  return TACIT_OK;
}
