/* SPDX-License-Identifier: MIT */
/*
 * The spread of rows, from their mean waves (gradient/waves.h), by Bayes' rule.
 *
 * |E exp(i w <v, x>)| does not depend on where the rows are, only on how far they are
 * from each other: it is near 1 while w times their spread is small and falls to 0
 * beyond. Mean |x|^2 less |m|^2 would need noise far below the square of the spread;
 * here noise need only be below 1. So a spread of a hundredth of the longest row is
 * seen.
 *
 *   before   log of the spread is normal around log 0.3, with deviation 1.2; a share a
 *            of the rows, 0 to 0.9, is at one point, each 0.1 less likely by exp(-0.1)
 *   release  the mean of |wave|^2 over the directions, less its noise, is
 *            F^2, F = a + (1 - a) exp(-w^2 s^2/2), for a spread s sqrt(1 - a); rows
 * need not be normal, so it may differ by 0.04 + F (1 - F)/4
 *
 * The constants were chosen on data: docs/results/scaling.md.
 */
#include "centre/spread.h"

#include <math.h>

enum { SIZES = 80, SHARES = 10 };

static const double log_least = -6.2146, log_most = 0.1823; /* 0.002 and 1.2 */
static const double usual = -1.204, usual_breadth = 1.2;    /* log 0.3 */
static const double doubt_taken = 0.5;
static const double misfit = 0.04, misfit_share = 0.25;

/* Writes the mean squared length of the waves of each frequency, less its noise. */
static void squares_of(const tacit_spread_facts *facts, double *out) {
  for (size_t k = 0; k < TACIT_WAVE_STEPS; ++k) {
    double sum = 0;
    for (size_t j = 0; j < 2 * TACIT_WAVE_DIRECTIONS; ++j) {
      double wave = facts->waves[2 * TACIT_WAVE_DIRECTIONS * k + j] / facts->unit;
      sum += wave * wave;
    }
    out[k] = sum / TACIT_WAVE_DIRECTIONS - 2 * facts->noise * facts->noise;
  }
}

/* Returns the logarithm of the likelihood, up to a constant, if a share `still` of the
   rows is at one point and the others have spread `size`. */
static double likelihood(const double *squares, double noise, double size,
                         double still) {
  double sum = 0, frequency = 1, variance = noise * noise;
  for (size_t k = 0; k < TACIT_WAVE_STEPS; ++k, frequency *= TACIT_WAVE_FACTOR) {
    double length = frequency * size;
    double wave = still + (1 - still) * exp(-0.5 * length * length);
    double other = misfit + misfit_share * wave * (1 - wave);
    double doubt =
        4 * variance * (wave * wave + variance) / TACIT_WAVE_DIRECTIONS + other * other;
    double gap = squares[k] - wave * wave;
    sum += gap * gap / doubt + log(doubt);
  }
  return -0.5 * sum;
}

double tacit_spread_of(const tacit_spread_facts *facts) {
  double squares[TACIT_WAVE_STEPS], logs[SIZES][SHARES], most = -INFINITY;
  squares_of(facts, squares);
  double all = 0, mean = 0, second = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < SIZES; ++i)
      for (int j = 0; j < SHARES; ++j) {
        double log_size = log_least + (log_most - log_least) * i / (SIZES - 1);
        double still = 0.1 * j, total = log_size + 0.5 * log1p(-still);
        double away = (total - usual) / usual_breadth;
        if (pass == 0) {
          logs[i][j] = likelihood(squares, facts->noise, exp(log_size), still) -
                       0.5 * away * away - still;
          most = fmax(most, logs[i][j]);
        } else {
          double p = exp(logs[i][j] - most);
          all += p;
          mean += p * total;
          second += p * total * total;
        }
      }
  if (!(all > 0)) return facts->most;
  mean /= all;
  double doubt = sqrt(fmax(0, second / all - mean * mean));
  double spread = fmin(exp(mean + doubt_taken * doubt), facts->most);
  return ldexp(floor(ldexp(spread, 30) + 0.5),
               -30); /* C libraries differ in last bits */
}
