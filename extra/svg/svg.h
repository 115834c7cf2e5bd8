/* SPDX-License-Identifier: MIT */
/*
 * Draws the parts of an SVG figure: lines, bands, bars, marks and texts with escapes.
 * Every coordinate is printed with two decimals, so equal data gives an equal file.
 * Reports, `tacit audit` and theory/ draw their figures with it.
 */
#ifndef TACIT_EXTRA_SVG_SVG_H
#define TACIT_EXTRA_SVG_SVG_H

#include <stdio.h>

/* A figure that is being written. A figure in a file of its own carries its colours. A
   figure on a page carries classes, and the style sheet of the page sets their colours,
   light or dark. */
typedef struct tacit_svg {
  FILE *to;
  int on_page;
} tacit_svg;

/* Colours have numbers from 0. They are dark and also differ for the colour-blind. One
   more colour: */
enum { TACIT_SVG_GREY = -1 };

/* Writes the head of a figure in a file of its own, with a title at (x, 28). */
void tacit_svg_begin(const tacit_svg *svg, int width, int height, int x,
                     const char *title);
/* Writes the head of a figure on a page. Name and description are for readers who
   cannot see it. */
void tacit_svg_begin_on_page(const tacit_svg *svg, int width, int height,
                             const char *name, const char *description);
void tacit_svg_end(const tacit_svg *svg);

/* Writes a text at (x, y). `anchor` must be "start", "middle" or "end". */
void tacit_svg_text(const tacit_svg *svg, double x, double y, const char *anchor,
                    const char *text);
/* Writes a text upwards, along a vertical axis. */
void tacit_svg_text_up(const tacit_svg *svg, double x, double y, const char *text);
/* Writes a base such as "10" or "1.5×10" to the power of exponent, as the label of an
   axis. */
void tacit_svg_power(const tacit_svg *svg, double x, double y, const char *anchor,
                     const char *base, int exponent);
void tacit_svg_grid(const tacit_svg *svg, double xa, double ya, double xb, double yb);
void tacit_svg_box(const tacit_svg *svg, double x, double y, double width,
                   double height);
/* Draws a curve through `n` points. */
void tacit_svg_curve(const tacit_svg *svg, int n, const double *x, const double *y,
                     int colour, int dashed);
/* Draws the area between two curves through the same `n` places. */
void tacit_svg_band(const tacit_svg *svg, int n, const double *x, const double *low,
                    const double *high, int colour);
void tacit_svg_bar(const tacit_svg *svg, double x, double y, double width,
                   double height, int colour);
void tacit_svg_mark(const tacit_svg *svg, double x, double y, int colour);
/* Writes line `row` of a legend whose corner is (x, y): the look of the curve and its
   name. */
void tacit_svg_legend(const tacit_svg *svg, double x, double y, int row, int colour,
                      int dashed, const char *name);

#endif
