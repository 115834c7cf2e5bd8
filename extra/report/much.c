/* SPDX-License-Identifier: MIT */
/* Answers whether an epsilon is much: for attackers who know more, beside published
   ones, and for two runs. */
#include <math.h>
#include <tacit/account.h>

#include "extra/report/page_texts.h"
#include "extra/report/report.h"

static void put_priors(tacit_page *page, const tacit_statement *f) {
  static const double priors[] = {0.5, 0.9, 0.99};
  tacit_page_table(page, TEXT_PRIORS, TEXT_HEADS_PRIORS);
  for (size_t i = 0; i < sizeof priors / sizeof *priors; ++i) {
    double right = ceil(1000 * tacit_guess_from_up(f, priors[i]) - 1e-9);
    tacit_page_row(page, "%g%%|%g|%g|%g", 100 * priors[i], 1000 * priors[i], right,
                   right - 1000 * priors[i]);
  }
  tacit_page_table_end(page);
}

/* Writes what two runs cost together: their mu adds up as squares. */
static void put_two_runs(tacit_page *page, double epsilon, double delta) {
  double mu, both;
  tacit_error err;
  if (tacit_mu_from_dp_down(epsilon, delta, &mu, &err) != TACIT_OK ||
      tacit_mu_compose_up(mu, mu, &both, &err) != TACIT_OK ||
      tacit_epsilon_from_mu_up(both, delta, &epsilon, &err) != TACIT_OK)
    return;
  tacit_page_paragraph(page, TEXT_TWO_RUNS, tacit_shown_power(delta).text,
                       tacit_shown_number(mu, 4).text, tacit_shown_up(both, 4).text,
                       tacit_shown_up(epsilon, 4).text);
}

void tacit_report_much(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  if (!f->is_private) return;
  tacit_page_heading(page, 0, "much", "Is ε = %s much?",
                     tacit_shown_up(f->epsilon, 4).text);
  put_priors(page, f);
  tacit_page_paragraph(page, TEXT_MUCH);
  tacit_page_table(page, TEXT_PUBLISHED, TEXT_HEADS_PUBLISHED);
  tacit_page_row(page, "this model|%s|%s", tacit_shown_up(f->epsilon, 4).text,
                 f->persons ? "one person" : "one row");
  tacit_page_row(page, TEXT_CENSUS);
  tacit_page_row(page, TEXT_MOBILITY);
  tacit_page_row(page, TEXT_APPLE);
  tacit_page_table_end(page);
  tacit_page_paragraph(page, TEXT_PUBLISHED_SOURCES);
  put_two_runs(page, 1, f->pure || !(f->delta > 0) ? 1e-6 : f->delta);
}
