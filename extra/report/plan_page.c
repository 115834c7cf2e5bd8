/* SPDX-License-Identifier: MIT */
/* Makes a page for planning: noise and passes over epsilon and the number of rows. */
#include <math.h>
#include <string.h>
#include <tacit/plan.h>

#include "base/error.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"
#include "plan/preset.h"

enum { SIZES = 5, EPSILONS = 13, ASKED = 6 };

static const double asked[ASKED] = {0.1, 0.3, 1, 2, 4, 8};

/* What a plan promises. The noise is NaN if there is no such plan. */
typedef struct outlook {
  double epsilon, noise, guess;
  int passes;
  char words[120];
} outlook;

typedef struct sheet {
  const tacit_config *config;
  int persons;
  int64_t rows, sizes[SIZES];
  double epsilon; /* epsilon of the config */
  outlook own, asked[ASKED];
  outlook curves[SIZES][EPSILONS];
  double low, high; /* range of the noise in the curves */
} sheet;

static outlook look_at(const tacit_plan *plan) {
  tacit_statement f = {
      .pure = plan->sens_norm == 1, .epsilon = plan->all.epsilon, .mu = plan->all.mu};
  outlook result = {.epsilon = plan->epsilon,
                    .noise = tacit_rules_noise_share(plan),
                    .guess = tacit_guess_up(&f),
                    .passes = tacit_rules_passes(plan)};
  (void)snprintf(result.words, sizeof result.words, "%s", tacit_rules_outlook(plan));
  return result;
}

/* Plans the config with another epsilon and number of rows. */
static tacit_status look(const sheet *s, double epsilon, int64_t rows, outlook *out,
                         tacit_error *err) {
  tacit_config config = *s->config;
  tacit_plan *plan = NULL;
  if (epsilon > 0) {
    config.epsilon = epsilon;
    config.rho = 0;
  }
  *(s->persons ? &config.units : &config.rows) = rows;
  *out = (outlook){.epsilon = epsilon, .noise = (double)NAN};
  tacit_status status = tacit_plan_new(&config, &plan, err);
  if (status != TACIT_OK) return status;
  *out = look_at(plan);
  tacit_plan_free(plan);
  return TACIT_OK;
}

/* Fills all outlooks. Leaves out a combination that cannot be planned, and fails only
   if memory runs out. */
static tacit_status look_everywhere(sheet *s, tacit_error *err) {
  s->low = INFINITY;
  s->high = 0;
  for (int i = 0; i < ASKED; ++i)
    if (look(s, asked[i], s->rows, &s->asked[i], err) == TACIT_ENOMEM)
      return TACIT_ENOMEM;
  for (int n = 0; n < SIZES; ++n) {
    double rows = (double)s->rows * pow(10, n - (SIZES >> 1));
    s->sizes[n] = rows >= 100 && rows < 1e15 ? (int64_t)rows : 0;
    for (int i = 0; s->sizes[n] > 0 && i < EPSILONS; ++i) {
      outlook *each = &s->curves[n][i];
      double epsilon = 0.1 * pow(100, (double)i / (EPSILONS - 1));
      tacit_status status = look(s, epsilon, s->sizes[n], each, err);
      if (status == TACIT_ENOMEM) return status;
      if (status != TACIT_OK) continue;
      s->low = fmin(s->low, each->noise);
      s->high = fmax(s->high, each->noise);
    }
  }
  return TACIT_OK;
}

static void put_mark(const tacit_svg *svg, const tacit_axes *axes, const outlook *at,
                     int colour) {
  if (at->noise > 0 && at->epsilon >= axes->x0 && at->epsilon <= axes->x1)
    tacit_svg_mark(svg, tacit_axes_x(axes, at->epsilon),
                   tacit_axes_y(axes, 100 * at->noise), colour);
}

static void put_panel(tacit_page *page, const sheet *s, int which) {
  const tacit_svg svg = {page->to, 1};
  const tacit_axes axes = {0.1, 10, 100 * s->low, 100 * s->high, 1,
                           1,   56, 10,           236,           170};
  tacit_shown rows = tacit_shown_count(s->sizes[which]);
  char name[100], about[160];
  double x[EPSILONS], y[EPSILONS];
  int count = 0;
  for (int i = 0; i < EPSILONS; ++i) {
    if (!(s->curves[which][i].noise > 0)) continue;
    x[count] = s->curves[which][i].epsilon;
    y[count++] = 100 * s->curves[which][i].noise;
  }
  if (count < 2) return;
  (void)snprintf(name, sizeof name, "Noise for %s %s", rows.text,
                 s->persons ? "persons" : "rows");
  (void)snprintf(about, sizeof about, TEXT_NOISE_ABOUT, y[0], x[0], y[count - 1],
                 x[count - 1]);
  tacit_page_markup(page, "<figure>\n");
  tacit_svg_begin_on_page(&svg, 300, 232, name, about);
  tacit_axes_draw(&svg, &axes, "ε", NULL);
  tacit_axes_curve(&svg, &axes, count, x, y, 0, 0);
  if (s->sizes[which] == s->rows) {
    put_mark(&svg, &axes, &s->own, 1);
    put_mark(&svg, &axes, &s->asked[1], 4);
  }
  tacit_svg_end(&svg);
  tacit_page_markup(page, "<figcaption><b>");
  tacit_page_write(page, "%s %s", rows.text, s->persons ? "persons" : "rows");
  tacit_page_markup(page, s->sizes[which] == s->rows
                              ? "</b>, as planned. Marks: the plan, and ε = 0.3"
                                "</figcaption>"
                                "</figure>\n"
                              : "</b></figcaption></figure>\n");
}

static void put_sentences(tacit_page *page, const sheet *s) {
  const outlook *strict = &s->asked[1];
  tacit_page_heading(page, 0, "cost", "What would ε = 0.3 cost me?");
  if (strict->noise > 0 && s->own.noise > 0)
    tacit_page_answer(page, TEXT_STRICTER,
                      tacit_shown_number(100 * strict->noise, 3).text,
                      tacit_shown_number(strict->noise / s->own.noise, 3).text,
                      tacit_shown_number(s->own.epsilon, 4).text, strict->words,
                      tacit_shown_percent_up(strict->guess).text,
                      tacit_shown_percent_up(s->own.guess).text);
  tacit_page_table(page, "The same for other budgets, everything else as planned",
                   TEXT_HEADS_STRICTER);
  for (int i = 0; i < ASKED; ++i) {
    const outlook *each = &s->asked[i];
    if (!(each->noise > 0)) continue;
    tacit_page_row(page, "%g|%s|%s|%s%%|%d|%s", each->epsilon,
                   tacit_shown_number(100 * each->noise, 3).text,
                   tacit_shown_number(each->noise / s->own.noise, 3).text,
                   tacit_shown_percent_up(each->guess).text, each->passes, each->words);
  }
  tacit_page_table_end(page);
}

static void put_passes(tacit_page *page, const sheet *s) {
  static const int columns[] = {0, 3, 6, 9, 12};
  char heads[160] = "rows or persons";
  size_t size = strlen(heads);
  for (size_t i = 0; i < 5; ++i)
    size += (size_t)snprintf(heads + size, sizeof heads - size, "|>ε = %.2g",
                             0.1 * pow(100, columns[i] / 12.0));
  tacit_page_heading(page, 0, "passes", "How often to read the data");
  tacit_page_paragraph(page, TEXT_MORE_PASSES);
  tacit_page_table(page, "Advised passes", heads);
  for (int n = 0; n < SIZES; ++n) {
    const outlook *row = s->curves[n];
    if (s->sizes[n] == 0) continue;
    tacit_page_row(page, "%s|%d|%d|%d|%d|%d", tacit_shown_count(s->sizes[n]).text,
                   row[0].passes, row[3].passes, row[6].passes, row[9].passes,
                   row[12].passes);
  }
  tacit_page_table_end(page);
}

tacit_status tacit_plan_page(const tacit_config *config, char **out, tacit_error *err) {
  sheet s = {.config = config, .persons = config->units > 0};
  tacit_page page;
  s.rows = s.persons ? config->units : config->rows;
  TACIT_TRY(look(&s, 0, s.rows, &s.own, err));
  if (!(s.own.noise > 0) || !isfinite(s.own.epsilon))
    return tacit_fail(err, TACIT_EINVAL,
                      "a plan without noise has no cost to show: give a budget");
  TACIT_TRY(look_everywhere(&s, err));
  TACIT_TRY(tacit_page_new(0, "What privacy would cost", &page, err));
  tacit_page_markup(&page, "<p class=\"facts\">");
  tacit_page_write(&page, TEXT_PLANNED, tacit_shown_count(s.rows).text,
                   s.persons ? "persons" : "rows",
                   tacit_schema_features(config->schema),
                   tacit_shown_number(s.own.epsilon, 6).text);
  tacit_page_markup(&page, "</p>\n");
  put_sentences(&page, &s);
  tacit_page_heading(&page, 0, "noise", "Noise over ε, for more and fewer %s",
                     s.persons ? "persons" : "rows");
  tacit_page_paragraph(&page, TEXT_PANELS, s.persons ? "persons" : "rows");
  tacit_page_markup(&page, "<div class=\"figures\">\n");
  for (int n = 0; n < SIZES; ++n)
    if (s.sizes[n] > 0) put_panel(&page, &s, n);
  tacit_page_markup(&page, "</div>\n");
  put_passes(&page, &s);
  return tacit_page_end(&page, out, err);
}
