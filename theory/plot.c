/* SPDX-License-Identifier: MIT */
/*
 * Draws a log-log plot as a plain SVG file: curves with 95% intervals, dashed lines for
 * bounds and reference slopes, a legend to the right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extra/svg/svg.h"
#include "theory.h"

enum { WIDTH = 850, HEIGHT = 440, LEFT = 78, RIGHT = 545, TOP = 46, BOTTOM = 378 };

struct frame {
  double x0, x1, y0, y1; /* logarithms to base 10 */
};

static double at_x(const struct frame *f, double x) {
  return LEFT + (log10(x) - f->x0) / (f->x1 - f->x0) * (RIGHT - LEFT);
}

static double at_y(const struct frame *f, double y) {
  return BOTTOM - (log10(y) - f->y0) / (f->y1 - f->y0) * (BOTTOM - TOP);
}

static struct frame frame_of(const curve *curves, int n) {
  struct frame f = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < curves[c].n; ++i) {
      f.x0 = fmin(f.x0, log10(curves[c].x[i]));
      f.x1 = fmax(f.x1, log10(curves[c].x[i]));
      f.y0 = fmin(f.y0, log10(curves[c].y[i]));
      f.y1 = fmax(f.y1, log10(curves[c].y[i]));
    }
  }
  double air = 0.04 * (f.x1 - f.x0);
  f.x0 -= air;
  f.x1 += air;
  f.y0 = floor(f.y0 - 0.05);
  f.y1 = ceil(f.y1 + 0.05);
  return f;
}

static int all_powers_of_two(const curve *curves, int n) {
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < curves[c].n; ++i) {
      double e = log2(curves[c].x[i]);
      if (fabs(e - round(e)) > 1e-9) return 0;
    }
  }
  return 1;
}

static void draw_x_axis(const tacit_svg *svg, const struct frame *f, int twos) {
  double step = log10(2);
  if (twos) {
    int first = (int)ceil(f->x0 / step), last = (int)floor(f->x1 / step);
    int every = last - first > 9 ? 2 : 1;
    for (int e = first; e <= last; e += every) {
      double x = at_x(f, pow(2, e));
      tacit_svg_grid(svg, x, TOP, x, BOTTOM);
      tacit_svg_power(svg, x - 8, BOTTOM + 20, "start", "2", e);
    }
    return;
  }
  for (int e = (int)floor(f->x0); e <= (int)ceil(f->x1); ++e) {
    static const int parts[] = {1, 2, 5};
    for (int i = 0; i < 3; ++i) {
      double value = parts[i] * pow(10, e), x = at_x(f, value);
      if (x < LEFT || x > RIGHT) continue;
      tacit_svg_grid(svg, x, TOP, x, BOTTOM);
      char label[32];
      (void)snprintf(label, sizeof label, "%g", value);
      tacit_svg_text(svg, x, BOTTOM + 20, "middle", label);
    }
  }
}

static void draw_y_axis(const tacit_svg *svg, const struct frame *f) {
  int every = f->y1 - f->y0 > 9 ? 2 : 1;
  for (int e = (int)f->y0; e <= (int)f->y1; e += every) {
    double y = at_y(f, pow(10, e));
    tacit_svg_grid(svg, LEFT, y, RIGHT, y);
    tacit_svg_power(svg, LEFT - 8, y + 4, "end", "10", e);
  }
}

static void draw_marks(const tacit_svg *svg, const struct frame *f, const curve *c,
                       int colour) {
  for (int i = 0; i < c->n; ++i) {
    double x = at_x(f, c->x[i]), y = at_y(f, c->y[i]);
    if (c->half != NULL) {
      double low = fmax(c->y[i] - c->half[i], pow(10, f->y0));
      double xs[] = {x, x}, ys[] = {at_y(f, low), at_y(f, c->y[i] + c->half[i])};
      tacit_svg_curve(svg, 2, xs, ys, colour, 0);
    }
    tacit_svg_mark(svg, x, y, colour);
  }
}

curve curve_of(const char *label, const series *s, int colour, int with_slope) {
  curve c = {label, s->n, s->x, s->mean, s->half, 0, colour, 0};
  if (with_slope) c.slope = fit_slope(s->x, s->mean, s->n).slope;
  return c;
}

curve curve_bound(const char *label, const series *s, int colour) {
  return (curve){label, s->n, s->x, s->bound, NULL, 1, colour, 0};
}

static void draw_curve(const tacit_svg *svg, const struct frame *f, const curve *c,
                       int colour, int row) {
  double *points = calloc((size_t)c->n, 2 * sizeof *points);
  if (points == NULL) return;
  for (int i = 0; i < c->n; ++i) {
    points[i] = at_x(f, c->x[i]);
    points[c->n + i] = at_y(f, c->y[i]);
  }
  tacit_svg_curve(svg, c->n, points, points + c->n, colour, c->dashed);
  free(points);
  if (!c->dashed) {
    draw_marks(svg, f, c, colour);
    tacit_svg_mark(svg, RIGHT + 30, TOP + 10 + 22.0 * row, colour);
  }
  char name[160];
  int size = snprintf(name, sizeof name, "%s", c->label);
  if (c->slope != 0)
    (void)snprintf(name + size, sizeof name - (size_t)size, ": slope %s%.2f",
                   c->slope < 0 ? "−" : "", fabs(c->slope));
  tacit_svg_legend(svg, RIGHT + 16, TOP, row, colour, c->dashed, name);
}

int svg_plot(const char *folder, const char *name, const char *title, const char *xname,
             const char *yname, const curve *curves, int n) {
  char path[512];
  if (folder == NULL) return 0;
  (void)snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  FILE *out = fopen(path, "w");
  if (out == NULL) return -1;
  struct frame f = frame_of(curves, n);
  const tacit_svg figure = {out, 0}, *svg = &figure;
  tacit_svg_begin(svg, WIDTH, HEIGHT, LEFT, title);
  draw_x_axis(svg, &f, all_powers_of_two(curves, n));
  draw_y_axis(svg, &f);
  tacit_svg_box(svg, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
  tacit_svg_text(svg, (LEFT + RIGHT) / 2.0, BOTTOM + 46, "middle", xname);
  tacit_svg_text_up(svg, 22, (TOP + BOTTOM) / 2.0, yname);
  for (int c = 0; c < n; ++c)
    draw_curve(svg, &f, &curves[c], curves[c].colour, c);
  tacit_svg_end(svg);
  int failed = ferror(out) != 0;
  return fclose(out) != 0 || failed ? -1 : 0;
}
