/* SPDX-License-Identifier: MIT */
/* Contributions to the joint release. The vault clips them; but that the second and the
   third part are squares, on which the noise of replaced records rests, is true because
   add_square is the only function that fills them. Proof: docs/proofs/joint_bound.md */
#include "extra/infer/joint.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "loss/exp.h"

/* Leaves room for the margin that the vault takes from the norm of squares. */
static const double unit_norm = 0.9998;
static const double root_2 = 1.4142135623730951;

const char *tacit_effects_loss_name(tacit_effects_loss loss) {
  static const char *const names[] = {"logistic", "squared", "poisson"};
  return names[loss];
}

double tacit_joint_b(tacit_effects_loss loss, int has_meat) {
  if (loss == TACIT_EFFECTS_LOGISTIC) return has_meat ? 12.616 : 11.09;
  return has_meat ? 0.784 : 0.682;
}

/* Returns t (1 + t^6)^(-1/6) and (1 + t^6)^(-7/6), which are t and 1 for small t, and
   the sign of t and 0 for large t. */
static tacit_slope smooth(double t) {
  if (fabs(t) > 1e8) return (tacit_slope){copysign(1, t), 0, 1};
  double root = 1 / cbrt(sqrt(1 + t * t * t * t * t * t));
  double square = root * root;
  return (tacit_slope){t * root, square * square * square * root, 1};
}

tacit_slope tacit_slope_of(tacit_effects_loss loss, double tau, double most, double eta,
                           double y) {
  if (loss == TACIT_EFFECTS_LOGISTIC) {
    double p = 1 / (1 + tacit_exp(-eta));
    return (tacit_slope){y > 0 ? p - 1 : p, p * (1 - p), 1};
  }
  if (loss == TACIT_EFFECTS_SQUARED) return smooth((eta - y) / tau);
  double mean = tacit_exp(fmin(fmax(eta, -30), 30)), scale = 1 / sqrt(1 + mean);
  tacit_slope slope = smooth((mean - y) * scale / tau);
  double rise = mean * scale;
  slope.h *= rise / most;
  if (rise > most) slope.weight = most / rise;
  return slope;
}

/* Returns how many numbers the upper triangle of a d x d matrix has. */
static size_t triangle(size_t d) { return d * (d + 1) / 2; }

size_t tacit_joint_dim(const tacit_joint_facts *facts) {
  size_t square = triangle(facts->d);
  return facts->d + square + (facts->has_meat ? square + 1 : 0);
}

size_t tacit_joint_twice(const tacit_joint_facts *facts) {
  return facts->kappa == 2 ? facts->d : 0;
}

/* If a unit may be replaced, its square and the new one are at most a right angle
   apart. Slopes have signs, so squares are scaled by the root of 2 more. */
tacit_joint_scale tacit_joint_scale_of(const tacit_joint_facts *facts) {
  double squares = facts->kappa == 2 ? 2 : 1, r = facts->r;
  double more = facts->has_meat ? TACIT_JOINT_C + TACIT_JOINT_LOW : 0;
  double unit = unit_norm / sqrt(squares * (1 + more));
  double b = tacit_joint_b(facts->loss, facts->has_meat);
  return (tacit_joint_scale){.g = unit / r,
                             .h = unit * sqrt(squares * b) / (r * r),
                             .s = unit * sqrt(squares * TACIT_JOINT_C) / (r * r),
                             .low = unit * sqrt(squares * TACIT_JOINT_LOW)};
}

/* Two numbers at any address, for arithmetic with each of them. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Writes `by` times n numbers, or adds them if `is_first` is 0. */
static inline void multiply(const double *raw_from, size_t n, double by, int is_first,
                            double *raw_to) {
  size_t i = 0;
  for (; is_first && i + 2 <= n; i += 2)
    *(pair *)(raw_to + i) = by * *(const pair *)(raw_from + i);
  for (; is_first && i < n; ++i)
    raw_to[i] = by * raw_from[i];
  for (; i < n; ++i)
    raw_to[i] += by * raw_from[i];
}

/* Adds raw_factor times svec(z z^T), or begins with it. Adds zeros unless raw_factor >
   0, so that the sum stays positive semidefinite. */
static void add_square(const double *raw_z, size_t d, double raw_factor, int is_first,
                       double *raw_to) {
  if (!(raw_factor > 0)) raw_factor = 0;
  for (size_t i = 0; i < d; ++i) {
    double raw_one = raw_factor * raw_z[i];
    *raw_to = (is_first ? 0 : *raw_to) + raw_one * raw_z[i];
    multiply(raw_z + i + 1, d - i - 1, root_2 * raw_one, is_first, raw_to + 1);
    raw_to += d - i;
  }
}

void tacit_joint_row(const tacit_joint_facts *facts, const tacit_joint_scale *scale,
                     const double *raw_z, const tacit_sums *raw_sums, double y,
                     double raw_weight, double share, int is_first, double *raw_unit) {
  size_t d = facts->d;
  double r = facts->r, raw_square = raw_sums->raw_square;
  tacit_slope raw =
      tacit_slope_of(facts->loss, facts->tau, facts->most, raw_sums->raw_dot, y);
  double raw_near = raw_square > r * r ? r * r / raw_square : 1;
  double raw_w = raw_weight * raw_near * raw.weight;
  multiply(raw_z, d, share * scale->g * raw_w * raw.psi, is_first, raw_unit);
  add_square(raw_z, d, share * scale->h * raw_w * raw.h, is_first, raw_unit + d);
  if (!facts->has_meat) return;
  double *raw_low = raw_unit + tacit_joint_dim(facts) - 1;
  if (is_first) *raw_low = 0;
  if (raw_near * raw.weight < 0.5) *raw_low += share * raw_weight * scale->low;
}

void tacit_joint_unit(const tacit_joint_facts *facts, const tacit_joint_scale *scale,
                      double *raw_unit) {
  size_t d = facts->d;
  if (facts->has_meat)
    add_square(raw_unit, d, scale->s / (scale->g * scale->g), 1,
               raw_unit + d + triangle(d));
}

void tacit_joint_sums_fini(tacit_joint_sums *sums) {
  TACIT_FREE(sums->g, sums->h, sums->s);
  *sums = (tacit_joint_sums){0};
}

/* Makes the symmetric matrix whose svec times `scale` is y. */
static tacit_status symmetric(const double *y, size_t d, double scale, double **out,
                              tacit_error *err) {
  TACIT_TRY(TACIT_NEW(*out, d * d, err));
  for (size_t i = 0; i < d; ++i) {
    (*out)[i * d + i] = *y++ / scale;
    for (size_t j = i + 1; j < d; ++j)
      (*out)[i * d + j] = (*out)[j * d + i] = *y++ / (scale * root_2);
  }
  return TACIT_OK;
}

static tacit_status decode(const tacit_joint_facts *facts, const double *y,
                           const tacit_joint_scale *scale, tacit_joint_sums *out,
                           tacit_error *err) {
  size_t d = facts->d;
  TACIT_TRY(TACIT_NEW(out->g, d, err));
  for (size_t i = 0; i < d; ++i)
    out->g[i] = y[i] / scale->g;
  TACIT_TRY(symmetric(y + d, d, scale->h, &out->h, err));
  if (!facts->has_meat) return TACIT_OK;
  out->low = y[tacit_joint_dim(facts) - 1] / scale->low;
  return symmetric(y + d + triangle(d), d, scale->s, &out->s, err);
}

tacit_status tacit_joint_decode(const tacit_joint_facts *facts, const double *y,
                                double noise, tacit_joint_sums *out, tacit_error *err) {
  tacit_joint_scale scale = tacit_joint_scale_of(facts);
  *out = (tacit_joint_sums){.g_noise = noise / scale.g,
                            .h_noise = noise / scale.h,
                            .s_noise = noise / scale.s,
                            .low_noise = noise / scale.low};
  tacit_status status = decode(facts, y, &scale, out, err);
  if (status != TACIT_OK) tacit_joint_sums_fini(out);
  return status;
}
