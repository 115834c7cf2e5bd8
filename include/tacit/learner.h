/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_H
#define TACIT_LEARNER_H

#include <stdbool.h>
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
  int64_t rounds;      /**< number of rounds T */
  double power;        /**< power k of beta_t = t^k; 0: plain gradients, beta_t = 1 */
  double grad_bound;   /**< bound G-hat on the dual norm of gbar_t/beta_t without
                            noise */
  tacit_domain domain; /**< W, centred at 0: the start point was subtracted */
  double radius;       /**< radius of W; positive even for the simplex, which ignores
                            it */
  double norm; /**< exponent p of the primal norm, 1 < p <= 2; 0 means 2. A ball is a
                    p-ball */
  /**
   * Bound on the dual norm of gbar_t/beta_t with its noise, which holds for all t
   * together with high probability. 0: not known.
   */
  double noisy_bound;
  double strong;   /**< mu of a loss that is mu-strongly convex in L2; 0: not known */
  int64_t rows;    /**< number of rows n; 0: not known */
  int passes;      /**< number of passes E; 0: not known */
  size_t outputs;  /**< weights per input: 1, or the number of classes; 0: not known */
  double row_norm; /**< bound on the dual norm of a row; 0: not known */
  /**
   * Standard deviation of the noise in one coordinate of the mean gradient of all rows
   * if it were released once, with the budget of the whole run. 0 without noise, or if
   * not known.
   */
  double noise_once;
  double row_reach; /**< bound on the norm of a centred row; 0: row_norm */
  /** Mean squared slope of a model that guesses all classes as equally likely; 0: not
      known. */
  double slope_even;
  double slope_start; /**< mean squared slope at the start divided by slope_even; 0: not
                           known */
  double slope_unit;  /**< typical size of slopes, for losses on numbers; 0 means 1, as
                           for classes */
  /** How fast the mean slope changes with the margin, for losses on numbers. 0 means 1,
      for which the rules for classes are made. */
  double curvature;
} tacit_learner_facts;

/**
 * The linear loss <gbar_t, w> of round t. Everything is divided by beta_t, so that no
 * weight overflows (docs/design/round.md): a sum over rounds S_t = sum_i a_i is kept as
 * S_t/beta_t = ratio * S_{t-1}/beta_{t-1} + a_t/beta_t.
 */
typedef struct tacit_learner_loss {
  int64_t t;          /**< number of the round, from 1 */
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
   * Variances and covariance of the noise in one coordinate: noise_grad is the variance
   * in grad, noise_sum the variance in sum_{i<=t} gbar_i / beta_t, and noise_cross the
   * covariance between grad and sum_{i<t} gbar_i / beta_{t-1}. Coordinates are
   * uncorrelated. 0 without noise, in runs of more than 1024 rounds, and if the learner
   * does not take the noise.
   */
  double noise_grad, noise_sum, noise_cross;
  /**
   * Weights from which the covariance follows. The noise in a coordinate of grad is the
   * sum over i <= t of noise_weights[i-1] times the i-th of independent numbers of
   * variance 1, which are the same in all rounds. NULL if the covariance is 0.
   */
  const double *noise_weights;
  /**
   * The mean over rows of the squared length of their slopes at x, released with the
   * gradient, and the standard deviation of its noise. NAN if not released.
   */
  double slope, slope_std;
} tacit_learner_loss;

/**
 * An online convex optimiser; one const table per learner. A learner sees released
 * values only, so it cannot cost privacy.
 */
typedef struct tacit_learner_ops {
  int version;               /**< 1, or 2 if the table has the slots after
                                  takes_regulariser */
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
   * Optional. Writes w_1, a point of W. Without it, w_1 is the point of W closest to 0,
   * which is 0 in a ball or a box and the uniform point of the simplex.
   */
  void (*first)(void *self, const tacit_learner_facts *facts, double *w);
  bool takes_regulariser; /**< true if step uses xi and nu; false if they must be 0 */
  bool takes_noise;       /**< true if step uses the covariance of the noise */
  /**
   * True if the learner takes plain gradients: grad is the gradient of the round's own
   * rows at w_t, x_t is w_t, and all weights beta_t are 1. The point that step writes
   * in the last round is the model; it may be an average of earlier points.
   */
  bool plain;
  /**
   * Optional. Repeats the last step for a small deviation of what the learner saw:
   * grad, x, vectors and w are deviations of facts->dim coordinates, and `self` is as
   * the step for the same t left it. The result must be linear in the deviations. Only
   * with this slot do models tell the standard deviation of their weights.
   */
  void (*carry)(const void *self, const tacit_learner_facts *facts,
                const tacit_learner_loss *loss, double *const *vectors, double *w);
} tacit_learner_ops;

/**
 * Moves w to its Euclidean projection onto W. The result is a point of W for any input;
 * NaN coordinates count as 0.
 */
TACIT_API void tacit_domain_project(const tacit_learner_facts *facts, double *w);

#ifdef __cplusplus
}
#endif
#endif
