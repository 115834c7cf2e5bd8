/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_SVG_AXES_H
#define TACIT_EXTRA_SVG_AXES_H

#include "extra/svg/svg.h"

enum { TACIT_AXES_DATES = 2 };

/* Two axes of a figure, each linear or logarithmic. */
typedef struct tacit_axes {
  double x0, x1, y0, y1; /* range of each axis; one of y that is empty has no ticks */
  int log_x, log_y;      /* 1 if logarithmic; log_x is TACIT_AXES_DATES for days since
                            1970-01-01 */
  double left, top, width, height; /* position and size of the box in the figure */
} tacit_axes;

double tacit_axes_x(const tacit_axes *axes, double x);
double tacit_axes_y(const tacit_axes *axes, double y);
/* Draws grid, ticks and box, and the names of the axes. A name may be NULL. */
void tacit_axes_draw(const tacit_svg *svg, const tacit_axes *axes, const char *name_x,
                     const char *name_y);
/* Draw a curve or a band through `n` points in the units of the axes. Points outside
   the box are moved to its edge. */
void tacit_axes_curve(const tacit_svg *svg, const tacit_axes *axes, int n,
                      const double *x, const double *y, int colour, int dashed);
void tacit_axes_band(const tacit_svg *svg, const tacit_axes *axes, int n,
                     const double *x, const double *low, const double *high,
                     int colour);

enum { TACIT_AXES_POINTS = 256 }; /* limit on the points of one curve */

#endif
