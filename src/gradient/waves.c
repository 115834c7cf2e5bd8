/* SPDX-License-Identifier: MIT */
#include "gradient/waves.h"

/* Returns a sign of column j, as good as random. */
static double sign_of(uint64_t j) {
  uint32_t bits = (uint32_t)j + 0x9e3779b9u;
  bits = (bits ^ bits >> 16) * 0x21f0aaadu;
  bits = (bits ^ bits >> 15) * 0x735a2d97u;
  return bits >> 31 ? 1 : -1;
}

/* Computes <v, u> for the four directions. Columns are in four parts; a direction is
   the signs of the columns, times a sign of each part, so that four directions need one
   product per entry. */
static void project(const tacit_row_rule *rule, const tacit_row *row, double scale,
                    double *raw_out) {
  double raw_parts[TACIT_WAVE_DIRECTIONS] = {0};
  for (size_t e = 0; e < row->count; ++e) {
    size_t j = row->raw_indices != NULL ? row->raw_indices[e] : e;
    raw_parts[j % TACIT_WAVE_DIRECTIONS] += sign_of(j) * tacit_row_value(row, e);
  }
  size_t last = rule->features;
  if (rule->bias) raw_parts[last % TACIT_WAVE_DIRECTIONS] += sign_of(last);
  double raw_even = raw_parts[0] + raw_parts[2], raw_odd = raw_parts[1] + raw_parts[3];
  double raw_left = raw_parts[0] - raw_parts[2],
         raw_right = raw_parts[1] - raw_parts[3];
  raw_out[0] = scale * (raw_even + raw_odd);
  raw_out[1] = scale * (raw_even - raw_odd);
  raw_out[2] = scale * (raw_left + raw_right);
  raw_out[3] = scale * (raw_left - raw_right);
}

/* The point of the unit circle at twice the angle whose tangent is t, turned by powers
   of two: no function of the C library, so that all machines agree. At first the angle
   is close to <v, u>/8; three doublings make it the angle of frequency 1. Directions
   are the inner loop, so that compilers take them together. */
void tacit_waves_of(const tacit_row_rule *rule, const tacit_row *row, double scale,
                    double unit, double *raw_out) {
  enum { FIRST_TURNS = 3, TURNS = 2, WIDTH = TACIT_WAVE_DIRECTIONS };
  double raw_places[WIDTH], raw_cos[WIDTH], raw_sin[WIDTH];
  project(rule, row, scale / rule->row_norm, raw_places);
  for (size_t d = 0; d < WIDTH; ++d) {
    double raw_t = raw_places[d] / 16, raw_whole = 1 + raw_t * raw_t;
    raw_cos[d] = (1 - raw_t * raw_t) / raw_whole;
    raw_sin[d] = 2 * raw_t / raw_whole;
  }
  for (size_t k = 0; k < TACIT_WAVE_STEPS; ++k) {
    for (int turn = 0; turn < (k == 0 ? FIRST_TURNS : TURNS); ++turn)
      for (size_t d = 0; d < WIDTH; ++d) {
        double raw_twice = 2 * raw_sin[d] * raw_cos[d];
        raw_cos[d] = 1 - 2 * raw_sin[d] * raw_sin[d];
        raw_sin[d] = raw_twice;
      }
    for (size_t d = 0; d < WIDTH; ++d) {
      raw_out[2 * (WIDTH * k + d)] = unit * raw_cos[d];
      raw_out[2 * (WIDTH * k + d) + 1] = unit * raw_sin[d];
    }
  }
}
