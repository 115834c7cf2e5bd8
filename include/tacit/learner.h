/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_H
#define TACIT_LEARNER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/catalog.h>
#include <tacit/config.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Public facts that a learner may use. */
typedef struct tacit_learner_facts {
  size_t dim;
  int64_t rounds;      /**< T */
  double power;        /**< k of beta_t = t^k; 0: plain gradients, beta_t = 1 */
  double grad_bound;   /**< G-hat: bound on gbar_t/beta_t without noise, dual norm */
  tacit_domain domain; /**< W, centred at 0: the start point was subtracted */
  double radius;       /**< of W; positive, even for the simplex, which ignores it */
  double norm; /**< p of the primal norm, 1 < p <= 2; 0: 2. A ball is a p-ball */
  /**
   * Bound on the dual norm of gbar_t/beta_t with its noise, for all t with high
   * probability. 0: not known.
   */
  double noisy_bound;
  double strong;   /**< mu of a loss that is mu-strongly convex in L2; 0: not known */
  int64_t rows;    /**< n; 0: not known */
  int passes;      /**< E; 0: not known */
  size_t outputs;  /**< weights of one input: 1, or the classes; 0: not known */
  double row_norm; /**< bound on a row, in the dual norm; 0: not known */
  /**
   * Standard deviation of the noise in one coordinate of the mean gradient of all rows
   * if it were released once, with the budget of the whole run. 0: none or not known.
   */
  double noise_once;
  double row_reach; /**< bound on a centred row; 0: row_norm */
  /** Mean squared slope of an even guess, before the rows; 0: not known. */
  double slope_even;
  double slope_start; /**< that at the start over slope_even; 0: not known */
  double slope_unit;  /**< how large slopes are; 0: 1, as for classes */
  /** How fast the mean slope turns with the margin, for losses on numbers; 0: 1, which
      the rules for classes are made for. */
  double curvature;
} tacit_learner_facts;

/**
 * The linear loss <gbar_t, w> of round t. Everything is divided by beta_t, so that no
 * weight overflows (docs/design/round.md): a sum over rounds S_t = sum_i a_i is kept as
 * S_t/beta_t = ratio * S_{t-1}/beta_{t-1} + a_t/beta_t.
 */
typedef struct tacit_learner_loss {
  int64_t t;          /**< 1-based */
  const double *grad; /**< gbar_t / beta_t, `dim` numbers */
  double ratio;       /**< beta_{t-1}/beta_t; 0 at t = 1 */
  double horizon;     /**< beta_{1:t}/beta_t */
  const double *x;    /**< x_t, the point of the gradient, minus the start point */
  /**
   * The term xi_t |w| + nu_t |w|^2 of the parameter-free theorem, divided by beta_t, is
   * part of the loss. Not negative; 0 unless the learner takes the regulariser.
   */
  double xi, nu;
  /**
   * The threads of the run, used by the library's own learners. Opaque; may be NULL.
   */
  struct tacit_pool *pool;
  /**
   * Covariance of the noise in one coordinate: that of grad, that of sum_{i<=t}
   * gbar_i / beta_t, and between grad and sum_{i<t} gbar_i / beta_{t-1}. Coordinates
   * are uncorrelated. 0 without noise, past 1024 rounds, and unless the learner takes
   * it.
   */
  double noise_grad, noise_sum, noise_cross;
  /**
   * What these come from: the noise in a coordinate of grad is the sum of t independent
   * numbers of variance 1, the same ones in all rounds, times these weights. NULL where
   * the covariance is 0.
   */
  const double *noise_weights;
  /**
   * The mean over rows of the squared length of their slopes at x, released with the
   * gradient, and the standard deviation of its noise. NAN: not released.
   */
  double slope, slope_std;
} tacit_learner_loss;

/**
 * An online convex optimiser; one const table per learner. A learner sees released
 * values only, so it cannot cost privacy.
 */
typedef struct tacit_learner_ops {
  int version;               /**< 1, or 2 with the slots after takes_regulariser */
  const char *name;          /**< required */
  const char *summary;       /**< required; one line */
  const tacit_param *params; /**< optional; ends with a NULL name */
  size_t state_size;         /**< bytes that `self` points to, zeroed before init */
  /** Number of vectors of `dim` doubles that step gets, zeroed at the start. */
  size_t n_vectors;
  /**
   * Optional. `values` has one number per param, in range, or NaN if it must be
   * derived. init replaces NaN by the derived value, for the model and the statement.
   */
  tacit_status (*init)(void *self, const tacit_learner_facts *facts, double *values,
                       tacit_error *err);
  /**
   * Required. On entry w is w_t; on return it is w_{t+1}, inside W (use
   * tacit_domain_project). `vectors` has n_vectors arrays of `dim` doubles.
   */
  void (*step)(void *self, const tacit_learner_facts *facts,
               const tacit_learner_loss *loss, double *const *vectors, double *w);
  /**
   * Optional. Writes w_1, a point of W. NULL: the point of W closest to 0, which is 0
   * in a ball or a box and the uniform point of the simplex.
   */
  void (*first)(void *self, const tacit_learner_facts *facts, double *w);
  int takes_regulariser; /**< 1: step uses xi and nu; 0: they must be 0 */
  int takes_noise;       /**< 1: step uses the covariance of the noise */
  /**
   * 1: plain gradients. grad is that of the round's own rows at w_t, which is also x_t,
   * and all weights beta_t are 1. What step returns in the last round is the model; it
   * may be an average of the points before.
   */
  int plain;
  /**
   * Optional. The same step for a small deviation of what the learner sees: grad, x,
   * vectors and w are deviations, of facts->dim coordinates, and the learner's own
   * numbers are those that step left for the same t. It is linear in the deviations.
   * With it, models tell how far the noise moved them. NULL: they do not.
   */
  void (*carry)(const void *self, const tacit_learner_facts *facts,
                const tacit_learner_loss *loss, double *const *vectors, double *w);
} tacit_learner_ops;

/**
 * Euclidean projection of w onto W, in place. The result is a point of W for any input;
 * NaN coordinates count as 0.
 */
TACIT_API void tacit_domain_project(const tacit_learner_facts *facts, double *w);

#ifdef __cplusplus
}
#endif
#endif
