/* SPDX-License-Identifier: MIT */
/*
 * The regulariser xi |w| + nu |w|^2, in closed form or linearised. For the closed form,
 * the minimiser of <-theta, w> + |w|^2/2 + step (xi |w| + nu |w|^2) lies along grad
 * psi*(theta), psi = |w|^2/2. Its length s minimises s^2/2 - s |theta|_* + step (xi s +
 * nu s^2).
 */
#include "learner/regulariser.h"

#include "norm/domain.h"

int tacit_regulariser_closed(const tacit_learner_facts *facts,
                             const tacit_learner_loss *loss, double p) {
  int on = loss->xi != 0 || loss->nu != 0;
  return on && facts->domain <= TACIT_DOMAIN_BALL && tacit_domain_norm(facts) == p;
}

void tacit_regulariser_shrink(tacit_pool *pool, double step, double xi, double nu,
                              double q, size_t dim, double *v) {
  double size = tacit_norm_lp(pool, v, dim, q);
  /* The step may be infinite, so a term with coefficient 0 is left out, because 0 * inf
     is NaN. */
  double left = xi > 0 ? size - step * xi : size;
  double weight = nu > 0 ? 1 + 2 * step * nu : 1;
  double factor = left > 0 ? left / size / weight : 0;
  for (size_t i = 0; i < dim; ++i)
    v[i] *= factor;
}

const double *tacit_regulariser_gradient(const tacit_learner_facts *facts,
                                         const tacit_learner_loss *loss,
                                         const double *w, double *buffer) {
  if (loss->xi == 0 && loss->nu == 0) return loss->grad;
  size_t dim = facts->dim;
  double p = tacit_domain_norm(facts);
  double size = tacit_norm_lp(loss->pool, w, dim, p);
  if (size > 0) {
    tacit_norm_mirror(loss->pool, w, dim, p, buffer);
    for (size_t i = 0; i < dim; ++i)
      buffer[i] = loss->grad[i] + (loss->xi / size + 2 * loss->nu) * buffer[i];
    return buffer;
  }
  double slope = tacit_norm_lp(loss->pool, loss->grad, dim, tacit_norm_dual(p));
  double factor = slope > loss->xi ? 1 - loss->xi / slope : 0;
  for (size_t i = 0; i < dim; ++i)
    buffer[i] = factor * loss->grad[i];
  return buffer;
}
