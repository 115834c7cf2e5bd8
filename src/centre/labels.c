/* SPDX-License-Identifier: MIT */
/*
 * Bayes' rule for labels that are normal with mean m and deviation s, cut to [low, 1]:
 *
 *   before   m is anywhere between the bounds; log s is normal around a tenth of half
 *            the distance of the bounds, with deviation 1.3
 *   release  the mean of u is m, of u^2 m^2 + s^2, and of the hat at a point t
 *            [G(t + h) - 2 G(t) + G(t - h)]/h, where h is the distance of points and
 *            G(t) = E max(t - u, 0); each mean has its noise
 *
 * Labels need not be normal. So a mean hat p may differ by 0.02 + p/2 from the mean hat
 * of normal labels. The means of u and u^2 may not differ; they decide if there is
 * little noise. The expected m and log s are sums over a grid, which is drawn closer
 * around them until it is fine enough. The constants were chosen on data:
 * docs/results/defaults.md.
 */
#include "centre/labels.h"

#include <math.h>

enum { MEANS = 49, DEVIATIONS = 25, ZOOMS = 12 };

/* deviation s before the release, and doubt about log s */
static const double usual = 0.1, usual_breadth = 1.3;
static const double std_least = 0.005, std_most = 0.7;
/* how far mean hats may differ from those that normal labels have */
static const double misfit = 0.02, misfit_share = 0.5;

static double square(double x) { return x * x; }

/* Returns the noise in the mean of the labels, but at least 1e-6, because a run without
   noise would give 0. */
static double noise_of(const tacit_label_means *means) {
  return fmax(means->noise, 1e-6);
}

/* Returns G(t), as at the head of this file. */
static double shortfall(double t, double m, double s) {
  static const double root_half = 0.70710678118654752, density = 0.39894228040143268;
  double z = (t - m) / s;
  return (t - m) * 0.5 * erfc(-z * root_half) + s * density * exp(-0.5 * z * z);
}

/* Returns the logarithm of the likelihood of the hats, up to a constant. Labels beyond
   a bound count as at the bound. */
static double likelihood_of_hats(const tacit_label_means *means, double m, double s) {
  int last = TACIT_LABEL_BINS - 1;
  double step = (1 - means->low) / last, sum = 0;
  double below = 0, here = shortfall(means->low, m, s);
  for (int i = 0; i <= last; ++i) {
    double above = i < last ? shortfall(means->low + step * (i + 1), m, s) : 0;
    double left = i > 0 ? (here - below) / step : 0;
    double right = i < last ? (above - here) / step : 1;
    double hat = right - left;
    double doubt = square(means->hats_noise) + square(misfit + misfit_share * hat);
    sum += square(means->hats[i] / means->hats_unit - hat) / doubt + log(doubt);
    below = here;
    here = above;
  }
  return -0.5 * sum;
}

/* One direction of the grid: its points, its range, and the mean and deviation that are
   expected on it. */
struct axis {
  int points;
  double low, high;
  double mean, std;
};

static double step_of(const struct axis *axis) {
  return (axis->high - axis->low) / axis->points;
}

/* Returns the middle of step i. */
static double at(const struct axis *axis, int i) {
  return axis->low + (i + 0.5) * step_of(axis);
}

static double likelihood(const tacit_label_means *means, double m, double log_s) {
  double half = (1 - means->low) / 2, s = exp(log_s), noise = noise_of(means);
  return likelihood_of_hats(means, m, s) - 0.5 * square((means->mean - m) / noise) -
         0.5 * square((means->square - m * m - s * s) / (2 * noise)) -
         0.5 * square((log_s - log(usual * half)) / usual_breadth);
}

/* Adds a point x of the grid, whose probability is p of `all` so far. */
static void take(struct axis *axis, double x, double p, double all) {
  double gap = x - axis->mean;
  axis->mean += gap * p / all;
  axis->std += p * gap * (x - axis->mean); /* becomes the deviation in finish() */
}

static void finish(struct axis *axis, double all) {
  axis->std = sqrt(fmax(0, axis->std / all));
}

/* Computes the mean and the deviation of m and log s over the grid. */
static void expect(const tacit_label_means *means, struct axis *m, struct axis *log_s) {
  double logs[MEANS][DEVIATIONS], most = -INFINITY, all = 0;
  for (int i = 0; i < MEANS; ++i)
    for (int j = 0; j < DEVIATIONS; ++j) {
      logs[i][j] = likelihood(means, at(m, i), at(log_s, j));
      most = fmax(most, logs[i][j]);
    }
  m->mean = m->std = log_s->mean = log_s->std = 0;
  for (int i = 0; i < MEANS; ++i)
    for (int j = 0; j < DEVIATIONS; ++j) {
      double p = exp(logs[i][j] - most);
      if (!(p > 0)) continue;
      all += p;
      take(m, at(m, i), p, all);
      take(log_s, at(log_s, j), p, all);
    }
  finish(m, all);
  finish(log_s, all);
}

/* Draws the grid closer around the mean. Returns 0 if it is fine enough. */
static int zoom(struct axis *axis) {
  double step = step_of(axis);
  if (axis->std > step) return 0;
  double reach = fmax(5 * axis->std, 2 * step);
  axis->low = fmax(axis->low, axis->mean - reach);
  axis->high = fmin(axis->high, axis->mean + reach);
  return 1;
}

static double between(double low, double x, double high) {
  return fmin(high, fmax(low, x));
}

/* Sets the ranges that m and log s can be in: within six deviations of the noise in the
   means. */
static void first_grid(const tacit_label_means *means, struct axis *m,
                       struct axis *log_s) {
  double half = (1 - means->low) / 2, reach = 6 * noise_of(means), mean = means->mean;
  *m = (struct axis){.points = MEANS,
                     .low = between(means->low, mean - reach, 1),
                     .high = between(means->low, mean + reach, 1)};
  double variance = means->square - mean * mean, least = square(std_least * half),
         most = square(std_most * half);
  reach *= 2 * (1 + fmin(1, fabs(mean)));
  *log_s = (struct axis){.points = DEVIATIONS,
                         .low = 0.5 * log(between(least, variance - reach, most)),
                         .high = 0.5 * log(between(least, variance + reach, most))};
}

/* Rounds to 2^-30, because C libraries differ in the last bits of exp and erfc, and
   models must not. */
static double rounded(double x) { return ldexp(floor(ldexp(x, 30) + 0.5), -30); }

tacit_label_guess tacit_label_guess_of(const tacit_label_means *means) {
  struct axis m, log_s;
  first_grid(means, &m, &log_s);
  for (int i = 0; i < ZOOMS; ++i) {
    expect(means, &m, &log_s);
    int again = zoom(&m);
    if (!zoom(&log_s) && !again) break;
  }
  return (tacit_label_guess){rounded(m.mean), rounded(exp(log_s.mean))};
}
