/* SPDX-License-Identifier: MIT */
/*
 * The parts of an SVG figure: lines, marks and texts with escapes. Every number is
 * printed with two decimals, so the same data gives the same file. Figures of the
 * program and of theory/ are drawn with it.
 */
#ifndef TACIT_CLI_SVG_H
#define TACIT_CLI_SVG_H

#include <stdio.h>

/* A dark colour that differs from those of nearby numbers, also for the colour-blind.
 */
const char *svg_colour(int number);

/* The head of a figure with a title at (x, 28), and its end. */
void svg_begin(FILE *out, int width, int height, int x, const char *title);
void svg_end(FILE *out);

/* anchor: "start", "middle" or "end". */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *text);
/* The same, upwards along a vertical axis. */
void svg_text_up(FILE *out, double x, double y, const char *text);
void svg_grid(FILE *out, double xa, double ya, double xb, double yb);
void svg_box(FILE *out, double x, double y, double width, double height);
/* Through `n` points. */
void svg_curve(FILE *out, int n, const double *x, const double *y, const char *colour,
               int dashed);
void svg_mark(FILE *out, double x, double y, const char *colour);
/* Line `row` of a legend whose corner is (x, y): how the curve looks, and its name. */
void svg_legend(FILE *out, double x, double y, int row, const char *colour, int dashed,
                const char *name);

#endif
