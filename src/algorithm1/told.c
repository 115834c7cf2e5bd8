/* SPDX-License-Identifier: MIT */
/* What the learner is told besides gbar_t: the covariance of its noise, the squared
   slope that was released with it, and the regulariser of the parameter-free section.
   Plain gradients have beta_t = 1 in all rounds. */
#include <math.h>

#include "algorithm1/parts.h"

double tacit_told_noise(tacit_algorithm1 *a, double bound, double y_std, double unit,
                        double sum_std) {
  int plain = a->last != NULL;
  if (a->told.covariance != NULL)
    tacit_covariance_next(a->told.covariance, a->weights.t, bound, y_std, unit,
                          plain ? 1 : a->weights.ratio, &a->told.noise);
  return plain ? sqrt(a->told.noise.grad) / unit : sum_std;
}

tacit_learner_loss tacit_told_loss(const tacit_algorithm1 *a, double sum_std,
                                   double unit) {
  const tacit_weights *weights = &a->weights;
  const tacit_algorithm1_regulariser *reg = &a->told.regulariser;
  double root_t = sqrt((double)weights->t), scale = a->told.slope_scale;
  int plain = a->last != NULL;
  tacit_learner_loss loss = {
      .t = weights->t,
      .grad = a->grad,
      .ratio = plain ? weights->t > 1 : weights->ratio,
      .horizon = plain ? (double)weights->t : weights->horizon,
      .x = a->x,
      .pool = a->pool,
      .slope = scale > 0 ? a->grad[a->dim] / scale : NAN,
      .slope_std = scale > 0 ? sum_std * unit / scale : NAN,
  };
  if (tacit_learner_takes_noise(a->learner)) {
    loss.noise_grad = a->told.noise.grad;
    loss.noise_sum = a->told.noise.sum;
    loss.noise_cross = a->told.noise.cross;
    loss.noise_weights = a->told.noise.weights;
  }
  if (reg->scale > 0) { /* (noise * std) * unit: the digests of models fix this order */
    loss.xi = reg->scale * (reg->xi / root_t + reg->noise * sum_std * unit);
    loss.nu = reg->scale * reg->nu / root_t;
  }
  return loss;
}
