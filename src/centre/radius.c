/* SPDX-License-Identifier: MIT */
/*
 * How long centred rows may be. Rows have norm at most 1; otherwise everything is in
 * units of row_norm.
 *
 *   classes        r = 0.8 u, with u = min(1, sqrt(spread^2 + error^2)) the unit of the
 *                  learner, spread from centre/spread.c, and error the noise that is
 * left in m. If the spread is not released, u = 1 and r = min(1, 0.95 sqrt( max(1 -
 * |m|^2, 0.05))) numbers        r = min(1 + |m|, 0.8 sqrt(E|x|^2 - |m|^2)) and u = 1
 *
 * With second moments, another rule follows (centre/products.c).
 *
 * The variance of the rows of numbers is seen through noise. If noise hides it, the
 * usual variance takes its place (expected_variance): too small an r only shortens some
 * contributions, too large an r adds noise to all.
 */
#include "centre/means.h"
#include "centre/spread.h"

static const double radius_slack = 0.95, radius_least = 0.05, radius_deviations = 0.8;
/* The usual and the least variance of rows, in units of their squared norm. */
static const double rows_usual = 0.1, rows_least = 0.01;

/* Returns the expected variance, given a released variance and its noise, by Bayes'
   rule for normal numbers: before the release it was thought to be usual +- usual.
   Noise can make a released variance small or negative; the result is then at least
   half of the doubt that is left. */
static double expected_variance(double released, double noise, double usual,
                                double least) {
  double doubt = noise / usual;
  double expected = (released + usual * doubt * doubt) / (1 + doubt * doubt);
  double left = noise / sqrt(1 + doubt * doubt);
  return fmax(isfinite(expected) ? expected : usual, fmax(0.5 * left, least));
}

/* Returns the unit of the learner if the spread of the rows is released. The unit is
   never so short that the constant of the free intercept is too short for the offset
   (vault/centre.h). */
static double unit_of(const tacit_frame *frame, const tacit_means *means,
                      const tacit_shrunk *shrunk) {
  const tacit_moments *moments = &means->facts->moments;
  double norm = means->facts->row.row_norm, columns = (double)moments->columns;
  double noise = means->noise / norm, step = ldexp(1, -frame->bits) / norm;
  double doubt = 2 * noise + sqrt(2 * columns) * noise * noise;
  const tacit_spread_facts facts = {
      .waves = means->y + moments->columns + moments->rates,
      .unit = moments->wave * means->count,
      .noise = means->noise / moments->wave,
      .most = sqrt(fmax(1 - shrunk->squares / (norm * norm), 0) + 2 * doubt),
  };
  double spread = tacit_spread_of(&facts);
  double square =
      spread * spread + shrunk->error / (norm * norm) + columns * step * step / 12;
  double steps = ldexp(1, frame->bits) - 2;
  double least = (1.1 / steps + step) / (radius_deviations * means->facts->constant);
  return norm * fmin(1, fmax(least, sqrt(square)));
}

void tacit_frame_radius(tacit_frame *frame, const tacit_means *means,
                        const tacit_shrunk *shrunk) {
  const tacit_moments *moments = &means->facts->moments;
  double norm = means->facts->row.row_norm, squares = norm * norm;
  double left = squares - shrunk->squares;
  frame->unit = norm;
  frame->radius = fmin(norm, radius_slack * sqrt(fmax(left, radius_least * squares)));
  if (moments->wave > 0) {
    frame->unit = unit_of(frame, means, shrunk);
    frame->radius = radius_deviations * frame->unit;
  }
  if (moments->norm == 0) return;
  double noise = means->noise / moments->norm;
  left = tacit_tail_of(means, 2 + moments->bins, moments->norm) - shrunk->squares;
  left = expected_variance(left, noise, rows_usual * squares, rows_least * squares);
  frame->spread = sqrt(left);
  frame->radius = fmin(norm + sqrt(shrunk->squares), radius_deviations * frame->spread);
}
