/* SPDX-License-Identifier: MIT */
#include "extra/svg/axes.h"

#include <math.h>

static double share(double value, double from, double to, int is_log) {
  if (is_log) {
    value = log10(value);
    from = log10(from);
    to = log10(to);
  }
  double at = to > from ? (value - from) / (to - from) : 0.5;
  return fmin(fmax(at, 0), 1);
}

double tacit_axes_x(const tacit_axes *axes, double x) {
  return axes->left + axes->width * share(x, axes->x0, axes->x1, axes->log_x);
}

double tacit_axes_y(const tacit_axes *axes, double y) {
  return axes->top + axes->height * (1 - share(y, axes->y0, axes->y1, axes->log_y));
}

/* Returns a round number near a fourth of the range. */
static double step_of(double from, double to) {
  double rough = (to - from) / 4, power = pow(10, floor(log10(rough)));
  double times = rough / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static void draw_tick(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                      double value, int exponent) {
  double right = axes->left + axes->width, bottom = axes->top + axes->height;
  double at = is_x ? tacit_axes_x(axes, value) : tacit_axes_y(axes, value);
  double x = is_x ? at : axes->left - 7, y = is_x ? bottom + 18 : at + 4;
  const char *anchor = is_x ? "middle" : "end";
  char label[32];
  if (is_x)
    tacit_svg_grid(svg, at, axes->top, at, bottom);
  else
    tacit_svg_grid(svg, axes->left, at, right, at);
  if ((is_x ? axes->log_x : axes->log_y) && (exponent < -3 || exponent > 3)) {
    tacit_svg_power(svg, x, y, anchor, 10, exponent);
    return;
  }
  (void)snprintf(label, sizeof label, "%s%.6g", value < 0 ? "−" : "",
                 fabs(value) < 1e-12 ? 0 : fabs(value));
  tacit_svg_text(svg, x, y, anchor, label);
}

static void draw_linear(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                        double from, double to) {
  if (!(to > from)) {
    draw_tick(svg, axes, is_x, from, 0);
    return;
  }
  double step = step_of(from, to);
  for (int i = 0; i < 12; ++i) {
    double value = step * (ceil(from / step - 1e-9) + i);
    if (value > to + 1e-9 * step) break;
    draw_tick(svg, axes, is_x, value, 0);
  }
}

static void draw_log(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                     double from, double to) {
  int first = (int)ceil(log10(from) - 1e-9), last = (int)floor(log10(to) + 1e-9);
  int every = 1 + (last - first) / 6;
  for (int e = last; e >= first; e -= every)
    draw_tick(svg, axes, is_x, pow(10, e), e);
}

void tacit_axes_draw(const tacit_svg *svg, const tacit_axes *axes, const char *name_x,
                     const char *name_y) {
  (axes->log_x ? draw_log : draw_linear)(svg, axes, 1, axes->x0, axes->x1);
  (axes->log_y ? draw_log : draw_linear)(svg, axes, 0, axes->y0, axes->y1);
  tacit_svg_box(svg, axes->left, axes->top, axes->width, axes->height);
  if (name_x != NULL)
    tacit_svg_text(svg, axes->left + axes->width / 2, axes->top + axes->height + 38,
                   "middle", name_x);
  if (name_y != NULL) tacit_svg_text_up(svg, 14, axes->top + axes->height / 2, name_y);
}

void tacit_axes_curve(const tacit_svg *svg, const tacit_axes *axes, int n,
                      const double *x, const double *y, int colour, int dashed) {
  double at_x[TACIT_AXES_POINTS], at_y[TACIT_AXES_POINTS];
  if (n > TACIT_AXES_POINTS) n = TACIT_AXES_POINTS;
  for (int i = 0; i < n; ++i) {
    at_x[i] = tacit_axes_x(axes, x[i]);
    at_y[i] = tacit_axes_y(axes, y[i]);
  }
  tacit_svg_curve(svg, n, at_x, at_y, colour, dashed);
}

void tacit_axes_band(const tacit_svg *svg, const tacit_axes *axes, int n,
                     const double *x, const double *low, const double *high,
                     int colour) {
  double at_x[TACIT_AXES_POINTS], below[TACIT_AXES_POINTS], above[TACIT_AXES_POINTS];
  if (n > TACIT_AXES_POINTS) n = TACIT_AXES_POINTS;
  for (int i = 0; i < n; ++i) {
    at_x[i] = tacit_axes_x(axes, x[i]);
    below[i] = tacit_axes_y(axes, low[i]);
    above[i] = tacit_axes_y(axes, high[i]);
  }
  tacit_svg_band(svg, n, at_x, below, above, colour);
}
