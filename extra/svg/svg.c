/* SPDX-License-Identifier: MIT */
#include "extra/svg/svg.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *const colours[] = {"#0b62a4", "#c44e00", "#1b7f3b", "#7a3e9d",
                                      "#b3123f", "#5a5a5a", "#8a6d00", "#00798c"};
enum { COLOURS = sizeof colours / sizeof *colours };

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(const tacit_svg *svg, const char *format, ...) {
  char text[640];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)fputs(text, svg->to);
}

static void put_escaped(const tacit_svg *svg, const char *text) {
  for (; *text != '\0'; ++text)
    if (*text == '<')
      (void)fputs("&lt;", svg->to);
    else if (*text == '&')
      (void)fputs("&amp;", svg->to);
    else if (*text == '"')
      (void)fputs("&quot;", svg->to);
    else
      (void)fputc(*text, svg->to);
}

/* Writes the colour of a stroke, a fill or a band, as a class or an attribute. */
static void put_colour(const tacit_svg *svg, const char *what, int colour) {
  if (svg->on_page && colour < 0)
    put(svg, " class=\"%c-grey\"", what[0]);
  else if (svg->on_page)
    put(svg, " class=\"%c%d\"", what[0], colour % COLOURS);
  else if (what[0] == 'b')
    put(svg, " fill=\"%s\" opacity=\"0.2\"",
        colour < 0 ? "#bbb" : colours[colour % COLOURS]);
  else
    put(svg, " %s=\"%s\"", what, colour < 0 ? "#bbb" : colours[colour % COLOURS]);
}

void tacit_svg_begin(const tacit_svg *svg, int width, int height, int x,
                     const char *title) {
  put(svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Verdana, sans-serif\" "
      "font-size=\"13\" fill=\"#222\">\n<title>",
      width, height, width, height);
  put_escaped(svg, title);
  put(svg,
      "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
      "<text x=\"%d\" y=\"28\" font-size=\"15\" font-weight=\"bold\">",
      width, height, x);
  put_escaped(svg, title);
  put(svg, "</text>\n");
}

void tacit_svg_begin_on_page(const tacit_svg *svg, int width, int height,
                             const char *name, const char *description) {
  put(svg, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width, height);
  put_escaped(svg, name);
  put(svg, "\">\n<title>");
  put_escaped(svg, name);
  put(svg, "</title>\n<desc>");
  put_escaped(svg, description);
  put(svg, "</desc>\n");
}

void tacit_svg_end(const tacit_svg *svg) { put(svg, "</svg>\n"); }

void tacit_svg_text(const tacit_svg *svg, double x, double y, const char *anchor,
                    const char *text) {
  put(svg, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", x, y, anchor);
  put_escaped(svg, text);
  put(svg, "</text>\n");
}

void tacit_svg_text_up(const tacit_svg *svg, double x, double y, const char *text) {
  put(svg,
      "<text transform=\"translate(%.2f %.2f) rotate(-90)\" text-anchor=\"middle\">", x,
      y);
  put_escaped(svg, text);
  put(svg, "</text>\n");
}

void tacit_svg_power(const tacit_svg *svg, double x, double y, const char *anchor,
                     const char *base, int exponent) {
  put(svg,
      "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">%s<tspan dy=\"-6\" "
      "font-size=\"10\">%s%d</tspan></text>\n",
      x, y, anchor, base, exponent < 0 ? "−" : "", abs(exponent));
}

void tacit_svg_grid(const tacit_svg *svg, double xa, double ya, double xb, double yb) {
  put(svg, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", xa, ya, xb,
      yb, svg->on_page ? "class=\"grid\"" : "stroke=\"#e3e3e3\"");
}

void tacit_svg_box(const tacit_svg *svg, double x, double y, double width,
                   double height) {
  put(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>\n", x, y,
      width, height, svg->on_page ? "class=\"box\"" : "fill=\"none\" stroke=\"#888\"");
}

static void put_points(const tacit_svg *svg, int n, const double *x, const double *y,
                       int backwards) {
  for (int i = 0; i < n; ++i) {
    int at = backwards ? n - 1 - i : i;
    put(svg, "%s%.2f,%.2f", i > 0 || backwards ? " " : "", x[at], y[at]);
  }
}

void tacit_svg_curve(const tacit_svg *svg, int n, const double *x, const double *y,
                     int colour, int dashed) {
  put(svg, "<polyline fill=\"none\"");
  put_colour(svg, "stroke", colour);
  put(svg, " stroke-width=\"%s\"%s points=\"", svg->on_page ? "2" : "1.6",
      dashed ? " stroke-dasharray=\"6 4\"" : "");
  put_points(svg, n, x, y, 0);
  put(svg, "\"/>\n");
}

void tacit_svg_band(const tacit_svg *svg, int n, const double *x, const double *low,
                    const double *high, int colour) {
  put(svg, "<polygon");
  put_colour(svg, "band", colour);
  put(svg, " points=\"");
  put_points(svg, n, x, low, 0);
  put_points(svg, n, x, high, 1);
  put(svg, "\"/>\n");
}

void tacit_svg_bar(const tacit_svg *svg, double x, double y, double width,
                   double height, int colour) {
  put(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, width,
      height);
  put_colour(svg, "fill", colour);
  put(svg, "/>\n");
}

void tacit_svg_mark(const tacit_svg *svg, double x, double y, int colour) {
  put(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\"", x, y);
  put_colour(svg, "fill", colour);
  put(svg, "/>\n");
}

void tacit_svg_legend(const tacit_svg *svg, double x, double y, int row, int colour,
                      int dashed, const char *name) {
  double at = y + 10 + 22.0 * row;
  put(svg, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", x, at, x + 28, at);
  put_colour(svg, "stroke", colour);
  put(svg, " stroke-width=\"%s\"%s/>\n", svg->on_page ? "2" : "1.6",
      dashed ? " stroke-dasharray=\"6 4\"" : "");
  tacit_svg_text(svg, x + 36, at + 4, "start", name);
}
