/* SPDX-License-Identifier: MIT */
/*
 * The parts of an SVG figure: lines, bands, bars, marks and texts with escapes. Every
 * coordinate is printed with two decimals, so the same data gives the same file. The
 * figures of reports, of `tacit audit` and of theory/ are drawn with it.
 */
#ifndef TACIT_EXTRA_SVG_SVG_H
#define TACIT_EXTRA_SVG_SVG_H

#include <stdio.h>

/* A figure being written. In a file of its own it carries its colours; on a page it
   carries classes, and the style sheet of the page sets their colours, light or dark.
 */
typedef struct tacit_svg {
  FILE *to;
  int on_page;
} tacit_svg;

/* Colours have numbers from 0, dark ones that also differ for the colour-blind, and: */
enum { TACIT_SVG_GREY = -1 };

/* The head of a figure of its own, with a title at (x, 28). */
void tacit_svg_begin(const tacit_svg *svg, int width, int height, int x,
                     const char *title);
/* The head of a figure on a page: name and description are for those who cannot see
   it. */
void tacit_svg_begin_on_page(const tacit_svg *svg, int width, int height,
                             const char *name, const char *description);
void tacit_svg_end(const tacit_svg *svg);

/* anchor: "start", "middle" or "end". */
void tacit_svg_text(const tacit_svg *svg, double x, double y, const char *anchor,
                    const char *text);
/* The same, upwards along a vertical axis. */
void tacit_svg_text_up(const tacit_svg *svg, double x, double y, const char *text);
/* base to the power of exponent, as the label of a logarithmic axis. */
void tacit_svg_power(const tacit_svg *svg, double x, double y, const char *anchor,
                     int base, int exponent);
void tacit_svg_grid(const tacit_svg *svg, double xa, double ya, double xb, double yb);
void tacit_svg_box(const tacit_svg *svg, double x, double y, double width,
                   double height);
/* Through `n` points. */
void tacit_svg_curve(const tacit_svg *svg, int n, const double *x, const double *y,
                     int colour, int dashed);
/* The area between two curves through the same `n` places. */
void tacit_svg_band(const tacit_svg *svg, int n, const double *x, const double *low,
                    const double *high, int colour);
void tacit_svg_bar(const tacit_svg *svg, double x, double y, double width,
                   double height, int colour);
void tacit_svg_mark(const tacit_svg *svg, double x, double y, int colour);
/* Line `row` of a legend whose corner is (x, y): how the curve looks, and its name. */
void tacit_svg_legend(const tacit_svg *svg, double x, double y, int row, int colour,
                      int dashed, const char *name);

#endif
