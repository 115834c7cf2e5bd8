/* SPDX-License-Identifier: MIT */
/* Shows a table of effects: a forest plot with the part of every interval that sampling
   and privacy have, and the table with what is not identified and why. */
#include <math.h>
#include <string.h>

#include "extra/infer/effects.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"

/* Effects further than FAR standard errors from 0 stand at the edge. */
enum { FAR = 8, LINE = 22, NAMES = 190, WIDTH = 330, TOP = 8, BELOW = 34, SHOWN = 60 };

static int is_shown(const tacit_effect *line) {
  return line->state == TACIT_EFFECT_IDENTIFIED && isfinite(line->low) &&
         isfinite(line->high);
}

/* Draws an interval in units of its standard error: what sampling alone would give, and
   the rest, which is the noise. */
static void draw_line(const tacit_svg *svg, const tacit_axes *axes,
                      const tacit_effect *line, double y) {
  double share = line->error > 0 ? line->sampling / line->error : 1;
  double from = (line->estimate + share * (line->low - line->estimate)) / line->error;
  double to = (line->estimate + share * (line->high - line->estimate)) / line->error;
  double low = tacit_axes_x(axes, line->low / line->error);
  double high = tacit_axes_x(axes, line->high / line->error);
  char name[40];
  (void)snprintf(name, sizeof name, "%.24s%s", line->name,
                 strlen(line->name) > 24 ? "…" : "");
  tacit_svg_bar(svg, low, y - 3, high - low, 6, 1);
  low = tacit_axes_x(axes, from);
  tacit_svg_bar(svg, low, y - 5, tacit_axes_x(axes, to) - low, 10, 0);
  tacit_svg_mark(svg, tacit_axes_x(axes, line->estimate / line->error), y, 4);
  tacit_svg_text(svg, NAMES - 10, y + 4, "end", name);
}

static void draw_forest(tacit_page *page, const tacit_effects *effects) {
  const tacit_svg svg = {page->to, 1};
  double most = 1, y = TOP + LINE / 2.0;
  int count = 0;
  for (size_t i = 0; i < effects->n_lines && count < SHOWN; ++i) {
    const tacit_effect *line = &effects->lines[i];
    if (!is_shown(line)) continue;
    ++count;
    most = fmax(most, fmax(fabs(line->low), fabs(line->high)) / line->error);
  }
  if (count == 0 || page->markdown) return;
  most = fmin(most, FAR);
  const tacit_axes axes = {-1.02 * most, 1.02 * most, 0,     0,           0, 0,
                           NAMES,        TOP,         WIDTH, LINE * count};
  const double x[] = {tacit_axes_x(&axes, 0), tacit_axes_x(&axes, 0)};
  const double ends[] = {TOP, TOP + LINE * count};
  tacit_page_markup(page, "<figure>\n");
  tacit_svg_begin_on_page(&svg, NAMES + WIDTH + 20, TOP + LINE * count + BELOW,
                          "Effects with their intervals", TEXT_FOREST_ABOUT);
  tacit_axes_draw(&svg, &axes, NULL, NULL);
  tacit_svg_curve(&svg, 2, x, ends, TACIT_SVG_GREY, 1);
  for (size_t i = 0; i < effects->n_lines && count > 0; ++i) {
    if (!is_shown(&effects->lines[i])) continue;
    draw_line(&svg, &axes, &effects->lines[i], y);
    y += LINE;
    --count;
  }
  tacit_svg_end(&svg);
  tacit_page_markup(page,
                    "<figcaption>" TEXT_CAPTION_FOREST "</figcaption></figure>\n");
}

static void put_line(tacit_page *page, const tacit_effects *effects,
                     const tacit_effect *line) {
  const char *units = effects->persons ? "persons" : "rows";
  char p[16], ratio[64] = "";
  if (line->state != TACIT_EFFECT_IDENTIFIED) {
    const char *why = line->state == TACIT_EFFECT_NOISY
                          ? "not identified: the noise is too large"
                          : tacit_effects_state_name(line->state);
    if (line->rows_needed > 0)
      tacit_page_row(page, "%s|%s; about %s %s needed|||||", line->name, why,
                     tacit_shown_count((int64_t)line->rows_needed).text, units);
    else
      tacit_page_row(page, "%s|%s|||||", line->name, why);
    return;
  }
  if (tacit_effects_has_ratio(effects))
    (void)snprintf(ratio, sizeof ratio, "%.3g (%.3g to %.3g)", exp(line->estimate),
                   exp(line->low), exp(line->high));
  tacit_effects_p(line->p, p);
  tacit_page_row(page, "%s|%.4g (%.4g to %.4g)|%s|%.3g|%.3g|%.3g|%s", line->name,
                 line->estimate, line->low, line->high, ratio, line->error,
                 line->sampling, line->privacy, p);
}

void tacit_report_effects(tacit_page *page, const tacit_reported *subject) {
  tacit_effects effects = {0};
  tacit_effects_view view;
  tacit_error err;
  tacit_effects_view_init(&view);
  if (tacit_effects_read(subject->model, &view, &effects, &err) != TACIT_OK) {
    page->has_gaps = 1;
    tacit_effects_fini(&effects);
    return;
  }
  tacit_page_heading(page, 0, "model", "What was found");
  tacit_page_paragraph(page, TEXT_EFFECTS,
                       tacit_effects_estimand(effects.loss, effects.persons),
                       100 * view.level, effects.persons ? "persons" : "rows");
  draw_forest(page, &effects);
  tacit_page_table(page, TEXT_EFFECTS_TABLE,
                   !tacit_effects_has_ratio(&effects)       ? TEXT_HEADS_EFFECTS
                   : effects.loss == TACIT_EFFECTS_LOGISTIC ? TEXT_HEADS_ODDS
                                                            : TEXT_HEADS_RATES_OF);
  for (size_t i = 0; i < effects.n_lines; ++i)
    put_line(page, &effects, &effects.lines[i]);
  tacit_page_table_end(page);
  tacit_effects_fini(&effects);
}
