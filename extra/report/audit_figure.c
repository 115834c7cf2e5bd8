/* SPDX-License-Identifier: MIT */
/* Draws the figure of `tacit audit`: ROC curves of attackers and the curve that the
   claim allows. */
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/audit.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "extra/audit/judge.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"

enum { WIDTH = 760, HEIGHT = 480, LEFT = 70, TOP = 46, SIDE = 380, POINTS = 201 };

static const tacit_axes axes = {0, 1, 0, 1, 0, 0, LEFT, TOP, SIDE, SIDE};

static void draw_allowed(const tacit_svg *svg, const tacit_audit_claim *claim,
                         int colour) {
  double x[POINTS], y[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    x[i] = (double)i / (POINTS - 1);
    y[i] = tacit_audit_allowed(claim, x[i]);
  }
  tacit_axes_curve(svg, &axes, POINTS, x, y, colour, 1);
}

/* Draws the curve of an attacker: at each threshold, the share of either sample above
   it. */
static tacit_status draw_measured(const tacit_svg *svg, const tacit_audit_curve *curve,
                                  int colour, tacit_error *err) {
  size_t count = (size_t)curve->count, below = 0;
  double x[POINTS], y[POINTS];
  double *first = tacit_array_new(2 * count, sizeof *first);
  if (first == NULL) return tacit_fail_memory(err);
  double *second = first + count;
  memcpy(first, curve->first, count * sizeof *first);
  memcpy(second, curve->second, count * sizeof *second);
  tacit_scores_sort(first, curve->count);
  tacit_scores_sort(second, curve->count);
  for (int i = 0; i < POINTS; ++i) {
    size_t at = (size_t)i * count / (POINTS - 1); /* index into the sorted second
                                                     scores */
    while (below < count && at < count && first[below] < second[at])
      ++below;
    if (at == count) below = count;
    x[i] = 1 - (double)at / (double)count;
    y[i] = 1 - (double)below / (double)count;
  }
  tacit_axes_curve(svg, &axes, POINTS, x, y, colour, 0);
  tacit_array_free(first);
  return TACIT_OK;
}

static tacit_status draw(const tacit_svg *svg, const tacit_audit_claim *claim,
                         const tacit_audit_curve *curves, size_t n_curves,
                         tacit_error *err) {
  static const double diagonal[] = {0, 1};
  const char *measure = claim->is_epsilon ? "epsilon" : "mu";
  char name[80];
  int row = 0, side = LEFT + SIDE + 20;
  tacit_svg_begin(svg, WIDTH, HEIGHT, LEFT, "Audit: what the attacker can tell");
  tacit_axes_draw(svg, &axes, "false positives: says “first” of the second data set",
                  "true positives");
  tacit_axes_curve(svg, &axes, 2, diagonal, diagonal, TACIT_SVG_GREY, 0);
  draw_allowed(svg, claim, 4);
  (void)snprintf(name, sizeof name, "allowed by %s = %.4g", measure,
                 claim->is_epsilon ? claim->epsilon : claim->mu);
  tacit_svg_legend(svg, side, TOP, row++, 4, 1, name);
  for (size_t i = 0; i < n_curves; ++i) {
    if (curves[i].count == 0) continue;
    TACIT_TRY(draw_measured(svg, &curves[i], (int)i, err));
    tacit_svg_legend(svg, side, TOP, row++, (int)i, 0, curves[i].name);
    (void)snprintf(name, sizeof name, "%s at least %.4g", measure, curves[i].low);
    tacit_svg_text(svg, side + 36, TOP + 14 + 22.0 * row++, "start", name);
  }
  tacit_svg_legend(svg, side, TOP, row, TACIT_SVG_GREY, 0, "guessing");
  tacit_svg_end(svg);
  return TACIT_OK;
}

tacit_status tacit_audit_figure(const tacit_audit_claim *claim,
                                const tacit_audit_curve *curves, size_t n_curves,
                                char **out, tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  tacit_svg svg = {open_memstream(&text, &size), 0};
  if (svg.to == NULL) return tacit_fail_memory(err);
  tacit_status status = draw(&svg, claim, curves, n_curves, err);
  if (tacit_io_text_end(svg.to, &text) != 0) status = tacit_fail_memory(err);
  if (status == TACIT_OK)
    *out = text;
  else
    free(text);
  return status;
}
