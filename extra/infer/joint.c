/* SPDX-License-Identifier: MIT */
/* Contributions to the joint release. The vault clips them; but that the second and the
   third part are squares, on which the noise of replaced records rests, is true because
   add_square is the only function that fills them. Proof: docs/proofs/joint_bound.md */
#include "extra/infer/joint.h"

#include <math.h>
#include <string.h>

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

/* Numbers of the upper triangle of a d x d matrix. */
static size_t triangle(size_t d) { return d * (d + 1) / 2; }

size_t tacit_joint_dim(const tacit_joint_facts *facts) {
  size_t square = triangle(facts->d);
  return facts->d + square + (facts->has_meat ? square + 1 : 0);
}

/* Returns 2 if a replaced unit may use that squares are at most a right angle apart:
   they then count twice, with half the variance. */
static double squares_of(const tacit_joint_facts *facts) {
  return facts->kappa == 2 ? 2 : 1;
}

double tacit_joint_reach(const tacit_joint_facts *facts) {
  double square = 1 + (facts->has_meat ? TACIT_JOINT_C + TACIT_JOINT_LOW : 0);
  return sqrt(squares_of(facts) * square) / unit_norm;
}

tacit_once_facts tacit_joint_once(const tacit_joint_facts *facts) {
  return (tacit_once_facts){.columns = tacit_joint_dim(facts),
                            .twice = facts->kappa == 2 ? facts->d : 0,
                            .units = facts->units,
                            .kappa = facts->kappa,
                            .mu = facts->mu};
}

/* Adds raw_weight times svec(z z^T). Adds nothing unless raw_weight > 0, so that the
   sum stays positive semidefinite. */
static void add_square(const double *raw_z, size_t d, double raw_weight,
                       double *raw_out) {
  if (!(raw_weight > 0)) return;
  for (size_t i = 0; i < d; ++i) {
    double raw_factor = raw_weight * raw_z[i];
    *raw_out++ += raw_factor * raw_z[i];
    raw_factor *= root_2;
    for (size_t j = i + 1; j < d; ++j)
      *raw_out++ += raw_factor * raw_z[j];
  }
}

/* Returns z in the metric of the release. */
static const double *in_metric(const tacit_joint_facts *facts, const double *raw_z,
                               double *raw_room) {
  size_t d = facts->d;
  if (facts->metric == NULL) return raw_z;
  memset(raw_room, 0, d * sizeof *raw_room);
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; raw_z[i] != 0 && j < d; ++j)
      raw_room[j] += facts->metric[i * d + j] * raw_z[i];
  return raw_room;
}

void tacit_joint_row(const tacit_joint_facts *facts, const double *raw_z, double y,
                     double raw_weight, double share, double *raw_room,
                     double *raw_unit) {
  size_t d = facts->d;
  if (!(raw_weight > 0)) return;
  const double *raw_row = in_metric(facts, raw_z, raw_room);
  double raw_square = 0, raw_eta = 0, r = facts->r;
  for (size_t i = 0; i < d; ++i) {
    raw_square += raw_row[i] * raw_row[i];
    raw_eta += raw_row[i] * facts->theta[i];
  }
  tacit_slope raw = tacit_slope_of(facts->loss, facts->tau, facts->most, raw_eta, y);
  double raw_near = raw_square > r * r ? r * r / raw_square : 1;
  double raw_w = raw_weight * raw_near * raw.weight;
  for (size_t i = 0; i < d; ++i)
    raw_unit[i] += share * raw_w * raw.psi / r * raw_row[i];
  double b = squares_of(facts) * tacit_joint_b(facts->loss, facts->has_meat);
  add_square(raw_row, d, share * sqrt(b) * raw_w * raw.h / (r * r), raw_unit + d);
  double *raw_low = raw_unit + tacit_joint_dim(facts) - 1;
  if (facts->has_meat && raw_near * raw.weight < 0.5)
    *raw_low += share * raw_weight * sqrt(squares_of(facts) * TACIT_JOINT_LOW);
}

void tacit_joint_unit(const tacit_joint_facts *facts, double *raw_unit) {
  size_t d = facts->d, dim = tacit_joint_dim(facts);
  double unit = 1 / tacit_joint_reach(facts);
  if (facts->has_meat)
    add_square(raw_unit, d, sqrt(squares_of(facts) * TACIT_JOINT_C),
               raw_unit + d + triangle(d));
  for (size_t i = 0; i < dim; ++i)
    raw_unit[i] *= unit;
}

void tacit_joint_sums_fini(tacit_joint_sums *sums) {
  tacit_array_free(sums->g);
  tacit_array_free(sums->h);
  tacit_array_free(sums->s);
  *sums = (tacit_joint_sums){0};
}

/* Writes the symmetric matrix whose svec times 1/unit is y. */
static void symmetric(const double *y, size_t d, double unit, double *out) {
  for (size_t i = 0; i < d; ++i) {
    out[i * d + i] = unit * *y++;
    for (size_t j = i + 1; j < d; ++j)
      out[i * d + j] = out[j * d + i] = unit * *y++ / root_2;
  }
}

tacit_status tacit_joint_decode(const tacit_joint_facts *facts, const double *y,
                                double noise, tacit_joint_sums *out, tacit_error *err) {
  size_t d = facts->d;
  double squares = squares_of(facts), reach = tacit_joint_reach(facts), r = facts->r;
  double b = squares * tacit_joint_b(facts->loss, facts->has_meat);
  double h_unit = r * r * reach / sqrt(b);
  double s_unit = r * r * reach / sqrt(squares * TACIT_JOINT_C);
  double low_unit = reach / sqrt(squares * TACIT_JOINT_LOW);
  *out = (tacit_joint_sums){.g = tacit_array_new(d, sizeof(double)),
                            .h = tacit_array_new(d * d, sizeof(double)),
                            .g_noise = r * reach * noise,
                            .h_noise = h_unit * noise};
  if (facts->has_meat) out->s = tacit_array_new(d * d, sizeof(double));
  if (out->g == NULL || out->h == NULL || (facts->has_meat && out->s == NULL)) {
    tacit_joint_sums_fini(out);
    return tacit_fail_memory(err);
  }
  for (size_t i = 0; i < d; ++i)
    out->g[i] = r * reach * y[i];
  symmetric(y + d, d, h_unit, out->h);
  if (!facts->has_meat) return TACIT_OK;
  symmetric(y + d + triangle(d), d, s_unit, out->s);
  out->s_noise = s_unit * noise;
  out->low = low_unit * y[tacit_joint_dim(facts) - 1];
  out->low_noise = low_unit * noise;
  return TACIT_OK;
}
