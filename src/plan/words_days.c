/* SPDX-License-Identifier: MIT */
/* The parts of a plan that differ for a stream, where a round has the rows of a day. */
#include <stdio.h>

#include "plan/plan.h"

enum { DAY_TIMES = 16, DAYS_TIMES = 4, ROWS_MORE = 1000 };

int64_t tacit_plan_day_max(const tacit_plan *plan) {
  return DAY_TIMES * ((plan->rows - 1) / plan->rounds + 1) + ROWS_MORE;
}

int64_t tacit_plan_days_max(const tacit_plan *plan) {
  return DAYS_TIMES * plan->rows + ROWS_MORE;
}

const char *tacit_plan_days(const tacit_plan *plan, char *text) {
  const tacit_days *days = &plan->days;
  const tacit_config *config = &plan->config;
  char window[96] = "", scores[96] = "";
  if (days->horizon == 0) return NULL;
  if (plan->rounds < days->horizon)
    (void)snprintf(window, sizeof window, "; the sums begin anew every %lld days",
                   (long long)plan->rounds);
  if (plan->score_mu > 0)
    (void)snprintf(scores, sizeof scores,
                   "; %.4g of mu^2 is for scores of models on the next day",
                   days->evaluate);
  const char *unit =
      config->units == 0
          ? "protected is one row on its day: who has rows on k days has "
            "up to k times mu"
      : days->unit_once
          ? "protected is a person: rows of one who came on an earlier day count "
            "nothing"
          : "protected are the rows of one person on one day: who comes on k days has "
            "up to k times mu";
  (void)snprintf(text, TACIT_DAYS_WORDS,
                 "all models of all %lld days together; %s; which day a %s came, and "
                 "how many came on each day, is not hidden%s%s",
                 (long long)days->horizon, unit, config->units > 0 ? "person" : "row",
                 window, scores);
  return text;
}
