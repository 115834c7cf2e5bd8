/* SPDX-License-Identifier: MIT */
#include "svg.h"

static const char *const colours[] = {"#0b62a4", "#c44e00", "#1b7f3b", "#7a3e9d",
                                      "#b3123f", "#5a5a5a", "#8a6d00", "#00798c"};
enum { COLOURS = sizeof colours / sizeof *colours };

const char *svg_colour(int number) { return colours[number % COLOURS]; }

static void put(FILE *out, const char *text) {
  for (; *text != '\0'; ++text) {
    if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '&')
      fputs("&amp;", out);
    else
      fputc(*text, out);
  }
}

void svg_begin(FILE *out, int width, int height, int x, const char *title) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Verdana, sans-serif\" "
          "font-size=\"13\" fill=\"#222\">\n<title>",
          width, height, width, height);
  put(out, title);
  fprintf(out,
          "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
          "<text x=\"%d\" y=\"28\" font-size=\"15\" font-weight=\"bold\">",
          width, height, x);
  put(out, title);
  fprintf(out, "</text>\n");
}

void svg_end(FILE *out) { fprintf(out, "</svg>\n"); }

void svg_text(FILE *out, double x, double y, const char *anchor, const char *text) {
  fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", x, y, anchor);
  put(out, text);
  fprintf(out, "</text>\n");
}

void svg_text_up(FILE *out, double x, double y, const char *text) {
  fprintf(out,
          "<text transform=\"translate(%.2f %.2f) rotate(-90)\" "
          "text-anchor=\"middle\">",
          x, y);
  put(out, text);
  fprintf(out, "</text>\n");
}

static void draw_line(FILE *out, double xa, double ya, double xb, double yb,
                      const char *style) {
  fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", xa, ya,
          xb, yb, style);
}

void svg_grid(FILE *out, double xa, double ya, double xb, double yb) {
  draw_line(out, xa, ya, xb, yb, "stroke=\"#e3e3e3\"");
}

void svg_box(FILE *out, double x, double y, double width, double height) {
  fprintf(out,
          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
          "stroke=\"#888\"/>\n",
          x, y, width, height);
}

void svg_curve(FILE *out, int n, const double *x, const double *y, const char *colour,
               int dashed) {
  fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"",
          colour, dashed ? " stroke-dasharray=\"6 4\"" : "");
  for (int i = 0; i < n; ++i)
    fprintf(out, "%s%.2f,%.2f", i > 0 ? " " : "", x[i], y[i]);
  fprintf(out, "\"/>\n");
}

void svg_mark(FILE *out, double x, double y, const char *colour) {
  fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\" fill=\"%s\"/>\n", x, y,
          colour);
}

void svg_legend(FILE *out, double x, double y, int row, const char *colour, int dashed,
                const char *name) {
  char style[96];
  double at = y + 10 + 22.0 * row;
  (void)snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\"%s", colour,
                 dashed ? " stroke-dasharray=\"6 4\"" : "");
  draw_line(out, x, at, x + 28, at, style);
  svg_text(out, x + 36, at + 4, "start", name);
}
