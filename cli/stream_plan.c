/* SPDX-License-Identifier: MIT */
/* `tacit stream plan`: what a stream would do and state, and what its choices cost.
   Nothing is read. */
#include "stream.h"

#include <math.h>

#include "cli.h"

double cli_number_in(const char *text, const char *key) {
  json_t *object = cli_json_read(text);
  double number = json_number_value(json_object_get(object, key));
  json_decref(object);
  return number;
}

/* The mean noise of all rounds of a stream like this one, in the units of its plan;
   not a number if there is no such stream. */
static double noise_of(const tacit_stream_options *options, const tacit_config *config,
                       const char *mechanism, int64_t window) {
  tacit_error err;
  tacit_plan *plan = NULL;
  tacit_stream_options other = *options;
  tacit_config changed = *config;
  other.window = window;
  if (mechanism != NULL) changed.mechanism = mechanism;
  if (tacit_stream_plan(&other, &changed, &plan, &err) != TACIT_OK) return (double)NAN;
  double noise = cli_number_in(tacit_plan_json(plan), "noise_mean");
  tacit_plan_free(plan);
  return noise;
}

/* What the choices of a stream cost. */
static json_t *costs_of(const tacit_stream_options *options,
                        const tacit_config *config) {
  double noise = noise_of(options, config, NULL, options->window);
  double tree = noise_of(options, config, "tree", options->window);
  double whole = noise_of(options, config, NULL, 0);
  return json_pack("{s:o, s:o, s:o}", "mean_noise", cli_json_number(noise), "over_tree",
                   cli_json_number(noise / tree), "over_no_window",
                   cli_json_number(noise / whole));
}

static void print_costs(const json_t *costs, int64_t window) {
  double tree = cli_json_real(costs, "over_tree");
  double whole = cli_json_real(costs, "over_no_window");
  if (tree > 0)
    printf("against tree  the noise is on average %.3g of that of the tree\n", tree);
  if (window > 0 && whole > 0)
    printf("window        a model learns from at most %lld days: the noise in its mean "
           "gradients\n"
           "              is on average %.3g times that without a window\n",
           (long long)window, whole);
}

int cli_stream_plan(const struct cli_args *args) {
  tacit_stream_options options;
  struct cli_run run;
  tacit_error err;
  tacit_plan *plan = NULL;
  CLI_TRY(cli_stream_settings(args, NULL, &options, &run));
  int exit_code =
      cli_judge(tacit_stream_plan(&options, &run.config, &plan, &err), &err);
  if (exit_code == 0 && cli_given(args, "json")) {
    exit_code = cli_print_json_parts(
        json_pack("{s:o}", "costs", costs_of(&options, &run.config)),
        CLI_PARTS({"statement", tacit_plan_statement_json(plan)},
                  {"plan", tacit_plan_json(plan)}));
  } else if (exit_code == 0) {
    json_t *costs = costs_of(&options, &run.config);
    printf("%s\n%s", tacit_plan_statement_text(plan), tacit_plan_text(plan));
    print_costs(costs, options.window);
    json_decref(costs);
    exit_code = cli_close_stdout();
  }
  tacit_plan_free(plan);
  cli_settings_free(&run);
  return exit_code;
}
