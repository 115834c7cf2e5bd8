/* SPDX-License-Identifier: MIT */
/* Shows what an attacker can do at most, and epsilon for every delta. */
#include <math.h>
#include <tacit/account.h>
#include <tacit/extra/audit.h>

#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"

enum { POINTS = 101 };

/* Returns the rate of point i. Points are dense at both ends, where the curves bend
   most. */
static double rate_at(int i) {
  double share = (double)i / (POINTS - 1);
  return share * share * (3 - 2 * share);
}

static void draw_rates(tacit_page *page, const tacit_reported *subjects, size_t count) {
  const tacit_svg svg = {page->to, 1};
  const tacit_axes axes = {0, 1, 0, 1, 0, 0, 56, 12, 296, 296};
  const double diagonal[] = {0, 1};
  tacit_svg_begin_on_page(&svg, 364, 362, "The attacker's best rates",
                          TEXT_RATES_ABOUT);
  tacit_axes_draw(&svg, &axes, "false alarms", "detections, at most");
  tacit_axes_curve(&svg, &axes, 2, diagonal, diagonal, TACIT_SVG_GREY, 1);
  for (size_t s = 0; s < count; ++s) {
    double x[POINTS], y[POINTS];
    if (!subjects[s].f.is_private) continue;
    for (int i = 0; i < POINTS; ++i) {
      x[i] = rate_at(i);
      y[i] = tacit_power_up(&subjects[s].f, x[i]);
    }
    tacit_axes_curve(&svg, &axes, POINTS, x, y, (int)s, 0);
  }
  tacit_svg_legend(&svg, 190, 240, 0, TACIT_SVG_GREY, 1, "pure guessing");
  for (size_t s = 0; s < count && s < 3; ++s) {
    char name[80];
    (void)snprintf(name, sizeof name, "µ = %s",
                   tacit_shown_up(subjects[s].f.mu, 3).text);
    if (subjects[s].f.is_private)
      tacit_svg_legend(&svg, 190, 240 - 22 * (double)(s + 1), 0, (int)s, 0, name);
  }
  tacit_svg_end(&svg);
}

static void put_rates(tacit_page *page, const tacit_statement *f) {
  static const double rates[] = {0.001, 0.01, 0.05, 0.1, 0.5};
  tacit_page_table(page, "Of 100 cases, what a test detects at most", TEXT_HEADS_RATES);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
    tacit_shown most = tacit_shown_percent_up(tacit_power_up(f, rates[i]));
    tacit_page_row(page, "%g|%g|%s", 100 * rates[i], 100 * rates[i], most.text);
  }
  tacit_page_table_end(page);
}

void tacit_report_attacker(tacit_page *page, const tacit_reported *subjects,
                           size_t n_subjects) {
  const tacit_statement *f = &subjects[0].f;
  tacit_page_heading(page, 0, "attacker", "The attacker’s picture");
  tacit_page_paragraph(page, TEXT_ATTACKER, f->persons ? "person" : "row");
  tacit_page_markup(page, "<div class=\"figures pair\"><figure>\n");
  if (!page->markdown) draw_rates(page, subjects, n_subjects);
  tacit_page_markup(page,
                    "<figcaption>" TEXT_CAPTION_RATES "</figcaption></figure><div>\n");
  if (n_subjects == 1) put_rates(page, f);
  for (size_t i = 0; i < n_subjects; ++i) {
    if (!subjects[i].f.is_private) continue;
    tacit_shown guess = tacit_shown_percent_up(tacit_guess_up(&subjects[i].f));
    if (n_subjects > 1) tacit_page_paragraph(page, "**%s**", subjects[i].name);
    tacit_page_paragraph(page, TEXT_GUESS, guess.text);
  }
  tacit_page_markup(page, "</div></div>\n");
}

static const double deltas[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12};
enum { DELTAS = sizeof deltas / sizeof *deltas };

static void draw_epsilons(tacit_page *page, double mu) {
  const tacit_svg svg = {page->to, 1};
  double x[POINTS], y[POINTS], most = 0;
  tacit_error err;
  for (int i = 0; i < POINTS; ++i) {
    x[i] = pow(10, -2 - 10 * (double)i / (POINTS - 1));
    if (tacit_epsilon_from_mu_up(mu, x[i], &y[i], &err) != TACIT_OK) y[i] = 0;
    most = fmax(most, y[i]);
  }
  const tacit_axes axes = {1e-12, 1e-2, 0, 1.1 * most, 1, 0, 56, 12, 340, 210};
  tacit_svg_begin_on_page(&svg, 408, 276, "Epsilon for every delta",
                          "Epsilon falls as delta grows; the curve follows from mu");
  tacit_axes_draw(&svg, &axes, "δ", "ε");
  tacit_axes_curve(&svg, &axes, POINTS, x, y, 0, 0);
  tacit_svg_end(&svg);
}

void tacit_report_epsilons(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  tacit_error err;
  if (!f->is_private) return;
  tacit_page_heading(page, 0, "epsilon", "ε for every δ");
  if (f->pure) {
    tacit_page_paragraph(page, TEXT_PURE, tacit_shown_up(f->epsilon, 4).text);
    return;
  }
  tacit_page_paragraph(page, TEXT_EPSILONS, tacit_shown_up(f->mu, 6).text);
  tacit_page_markup(page, "<div class=\"figures pair\"><figure>\n");
  if (!page->markdown) draw_epsilons(page, f->mu);
  tacit_page_markup(page, "<figcaption>The whole curve for this µ.</figcaption>"
                          "</figure><div>\n");
  tacit_page_table(page, "The same in numbers", "δ|>ε|>factor e^ε");
  for (int i = 0; i < DELTAS; ++i) {
    double epsilon;
    if (tacit_epsilon_from_mu_up(f->mu, deltas[i], &epsilon, &err) != TACIT_OK)
      continue;
    tacit_page_row(page, "%s|%s|%s", tacit_shown_power(deltas[i]).text,
                   tacit_shown_up(epsilon, 4).text,
                   tacit_shown_up(exp(fmin(epsilon, 700)) * (1 + 1e-12), 4).text);
  }
  tacit_page_table_end(page);
  tacit_page_markup(page, "</div></div>\n");
}
