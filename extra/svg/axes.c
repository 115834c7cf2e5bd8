/* SPDX-License-Identifier: MIT */
#include "extra/svg/axes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "data/schema/date.h"

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
  return axes->left + axes->width * share(x, axes->x0, axes->x1, axes->log_x == 1);
}

double tacit_axes_y(const tacit_axes *axes, double y) {
  return axes->top + axes->height * (1 - share(y, axes->y0, axes->y1, axes->log_y));
}

/* LETTER is the width of a letter, rounded up. Labels of x may end MARGIN right of the
   box. */
enum { LETTER = 7, MARGIN = 10, TICKS = 12 };

/* Returns a round number not below a part of the range. */
static double step_of(double from, double to, int parts) {
  double rough = (to - from) / parts, power = pow(10, floor(log10(rough)));
  double times = rough / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* Writes the label of a number. A number with many digits becomes the base of a power
   of ten, whose exponent is *out_exponent; for others that is 0. */
static void write_number(double value, char out[32], int *out_exponent) {
  double size = fabs(value) < 1e-12 ? 0 : fabs(value);
  int exponent = size > 0 ? (int)floor(log10(size) + 1e-9) : 0;
  *out_exponent = exponent < -3 || exponent > 4 ? exponent : 0;
  size /= pow(10, *out_exponent);
  const char *minus = value < 0 && size > 0 ? "−" : "";
  if (*out_exponent == 0)
    (void)snprintf(out, 32, "%s%.5g", minus, size);
  else if (fabs(size - 1) < 1e-9)
    (void)snprintf(out, 32, "%s10", minus);
  else
    (void)snprintf(out, 32, "%s%.4g×10", minus, size);
}

/* Writes days since 1970-01-01 as a date. */
static void write_date(double days, char out[32]) {
  tacit_date date = tacit_date_of((int64_t)floor(days));
  (void)snprintf(out, 32, "%04d-%02d-%02d", date.year, date.month, date.day);
}

/* A tick with its label. */
struct tick {
  double at; /* place along the axis */
  char label[32];
  int exponent; /* exponent if the label is the base of a power, or 0 */
};

/* Returns the room that a label takes along the axis x. */
static double width_of(const struct tick *tick) {
  int letters = 0;
  for (const char *at = tick->label; *at != '\0'; ++at)
    letters += ((unsigned char)*at & 0xc0) != 0x80;
  return LETTER * (letters + (tick->exponent != 0 ? 2 : 0));
}

static void draw_tick(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                      const struct tick *tick) {
  double right = axes->left + axes->width, bottom = axes->top + axes->height;
  double half = width_of(tick) / 2;
  double x = is_x ? tick->at : axes->left - 7;
  double y =
      is_x ? bottom + (tick->exponent != 0 ? 20 : 18) : fmin(tick->at + 4, bottom);
  const char *anchor = is_x ? "middle" : "end";
  if (is_x)
    tacit_svg_grid(svg, tick->at, axes->top, tick->at, bottom);
  else
    tacit_svg_grid(svg, axes->left, tick->at, right, tick->at);
  if (is_x && tick->at + half > right + MARGIN) {
    anchor = "end";
    x = right + MARGIN;
  } else if (is_x && tick->at - half < 0) {
    anchor = "start";
    x = 0;
  }
  if (tick->exponent != 0)
    tacit_svg_power(svg, x, y, anchor, tick->label, tick->exponent);
  else
    tacit_svg_text(svg, x, y, anchor, tick->label);
}

/* Lists the ticks at multiples of a step. Returns 0 if two labels of x would come near
   each other. */
static int fill_ticks(const tacit_axes *axes, int is_x, double from, double to,
                      double step, struct tick ticks[TICKS], int *out_count) {
  int count = 0;
  double right = axes->left + axes->width + MARGIN, end = -INFINITY;
  for (int i = 0; i < TICKS; ++i) {
    double value = to > from ? step * (ceil(from / step - 1e-9) + i) : from;
    if (value > to + 1e-9 * fabs(step) || (i > 0 && !(to > from))) break;
    struct tick *tick = &ticks[count++];
    *tick = (struct tick){.at = is_x ? tacit_axes_x(axes, value)
                                     : tacit_axes_y(axes, value)};
    if (is_x && axes->log_x == TACIT_AXES_DATES)
      write_date(value, tick->label);
    else
      write_number(value, tick->label, &tick->exponent);
    double half = width_of(tick) / 2, middle = tick->at;
    if (middle + half > right) middle = right - half;
    if (middle - half < 0) middle = half;
    if (is_x && middle - half < end + LETTER) return 0;
    end = middle + half;
  }
  *out_count = count;
  return 1;
}

/* Draws as many ticks, about five, as have room. */
static void draw_linear(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                        double from, double to) {
  struct tick ticks[TICKS];
  int count = 0;
  double step = to > from ? step_of(from, to, 4) : 1;
  for (int parts = 4; parts > 0; --parts) {
    if (to > from) step = step_of(from, to, parts);
    if (fill_ticks(axes, is_x, from, to, step, ticks, &count)) break;
  }
  for (int i = 0; i < count; ++i)
    draw_tick(svg, axes, is_x, &ticks[i]);
}

static void draw_log(const tacit_svg *svg, const tacit_axes *axes, int is_x,
                     double from, double to) {
  int first = (int)ceil(log10(from) - 1e-9), last = (int)floor(log10(to) + 1e-9);
  int every = 1 + (last - first) / 6;
  for (int e = last; e >= first; e -= every) {
    double value = pow(10, e);
    struct tick tick = {.at = is_x ? tacit_axes_x(axes, value)
                                   : tacit_axes_y(axes, value)};
    write_number(value, tick.label, &tick.exponent);
    draw_tick(svg, axes, is_x, &tick);
  }
}

void tacit_axes_draw(const tacit_svg *svg, const tacit_axes *axes, const char *name_x,
                     const char *name_y) {
  (axes->log_x == 1 ? draw_log : draw_linear)(svg, axes, 1, axes->x0, axes->x1);
  if (axes->y0 < axes->y1)
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
