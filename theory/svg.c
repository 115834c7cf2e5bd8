/* SPDX-License-Identifier: MIT */
/*
 * A log-log plot as a plain SVG file: curves with 95% intervals, dashed lines for
 * bounds and reference slopes, a legend to the right. Every number is printed with two
 * decimals, so the same data gives the same file.
 */
#include <math.h>
#include <string.h>

#include "theory.h"

enum { WIDTH = 850, HEIGHT = 440, LEFT = 78, RIGHT = 545, TOP = 46, BOTTOM = 378 };

static const char *const colours[] = {"#0b62a4", "#c44e00", "#1b7f3b", "#7a3e9d",
                                      "#b3123f", "#5a5a5a", "#8a6d00", "#00798c"};
enum { COLOURS = sizeof colours / sizeof *colours };

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

static void power_label(FILE *out, double x, double y, const char *anchor, int base,
                        int exponent) {
  fprintf(out,
          "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">%d<tspan dy=\"-6\" "
          "font-size=\"10\">%s%d</tspan></text>\n",
          x, y, anchor, base, exponent < 0 ? "−" : "",
          exponent < 0 ? -exponent : exponent);
}

static void grid_line(FILE *out, double xa, double ya, double xb, double yb) {
  fprintf(
      out,
      "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#e3e3e3\"/>\n",
      xa, ya, xb, yb);
}

static void draw_x_axis(FILE *out, const struct frame *f, int twos) {
  double step = log10(2);
  if (twos) {
    int first = (int)ceil(f->x0 / step), last = (int)floor(f->x1 / step);
    int every = last - first > 9 ? 2 : 1;
    for (int e = first; e <= last; e += every) {
      double x = at_x(f, pow(2, e));
      grid_line(out, x, TOP, x, BOTTOM);
      power_label(out, x - 8, BOTTOM + 20, "start", 2, e);
    }
    return;
  }
  for (int e = (int)floor(f->x0); e <= (int)ceil(f->x1); ++e) {
    static const int parts[] = {1, 2, 5};
    for (int i = 0; i < 3; ++i) {
      double value = parts[i] * pow(10, e), x = at_x(f, value);
      if (x < LEFT || x > RIGHT) continue;
      grid_line(out, x, TOP, x, BOTTOM);
      fprintf(out, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x,
              BOTTOM + 20, value);
    }
  }
}

static void draw_y_axis(FILE *out, const struct frame *f) {
  int every = f->y1 - f->y0 > 9 ? 2 : 1;
  for (int e = (int)f->y0; e <= (int)f->y1; e += every) {
    double y = at_y(f, pow(10, e));
    grid_line(out, LEFT, y, RIGHT, y);
    power_label(out, LEFT - 8, y + 4, "end", 10, e);
  }
}

static void draw_marks(FILE *out, const struct frame *f, const curve *c,
                       const char *colour) {
  for (int i = 0; i < c->n; ++i) {
    double x = at_x(f, c->x[i]), y = at_y(f, c->y[i]);
    if (c->half != NULL) {
      double low = fmax(c->y[i] - c->half[i], pow(10, f->y0));
      fprintf(out,
              "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\"/>\n",
              x, at_y(f, low), x, at_y(f, c->y[i] + c->half[i]), colour);
    }
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\" fill=\"%s\"/>\n", x, y,
            colour);
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

static void draw_curve(FILE *out, const struct frame *f, const curve *c,
                       const char *colour, int row) {
  const char *dash = c->dashed ? " stroke-dasharray=\"6 4\"" : "";
  fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"",
          colour, dash);
  for (int i = 0; i < c->n; ++i)
    fprintf(out, "%s%.2f,%.2f", i > 0 ? " " : "", at_x(f, c->x[i]), at_y(f, c->y[i]));
  fprintf(out, "\"/>\n");
  if (!c->dashed) draw_marks(out, f, c, colour);
  double y = TOP + 10 + 22.0 * row;
  fprintf(out,
          "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" stroke=\"%s\" "
          "stroke-width=\"1.6\"%s/>\n",
          RIGHT + 16, y, RIGHT + 44, y, colour, dash);
  if (!c->dashed)
    fprintf(out, "<circle cx=\"%d\" cy=\"%.2f\" r=\"3.2\" fill=\"%s\"/>\n", RIGHT + 30,
            y, colour);
  char slope[32] = "";
  if (c->slope != 0)
    (void)snprintf(slope, sizeof slope, ": slope %s%.2f", c->slope < 0 ? "−" : "",
                   fabs(c->slope));
  fprintf(out, "<text x=\"%d\" y=\"%.2f\">%s%s</text>\n", RIGHT + 52, y + 4, c->label,
          slope);
}

int svg_plot(const char *folder, const char *name, const char *title, const char *xname,
             const char *yname, const curve *curves, int n) {
  char path[512];
  if (folder == NULL) return 0;
  (void)snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  FILE *out = fopen(path, "w");
  if (out == NULL) return -1;
  struct frame f = frame_of(curves, n);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Verdana, sans-serif\" "
          "font-size=\"13\" fill=\"#222\">\n"
          "<title>%s</title>\n"
          "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
          "<text x=\"%d\" y=\"28\" font-size=\"15\" font-weight=\"bold\">%s</text>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, title, WIDTH, HEIGHT, LEFT, title);
  draw_x_axis(out, &f, all_powers_of_two(curves, n));
  draw_y_axis(out, &f);
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
          "stroke=\"#888\"/>\n"
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
          "<text transform=\"translate(22 %d) rotate(-90)\" "
          "text-anchor=\"middle\">%s</text>\n",
          LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, (LEFT + RIGHT) / 2, BOTTOM + 46, xname,
          (TOP + BOTTOM) / 2, yname);
  for (int c = 0; c < n; ++c)
    draw_curve(out, &f, &curves[c], colours[curves[c].colour % COLOURS], c);
  fprintf(out, "</svg>\n");
  int failed = ferror(out) != 0;
  return fclose(out) != 0 || failed ? -1 : 0;
}
