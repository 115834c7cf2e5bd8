/* SPDX-License-Identifier: MIT */
/*
 * Algorithm 1: differentially private online-to-batch (Zhang, Tran, Cutkosky, 2022).
 *
 *   Input: learner A on W, weights beta_t, stream z_1 … z_T.   g_0 = 0, beta_0 = 0.
 *   for t = 1 … T:
 *     1. w_t from A;  x_t = (beta_{1:t-1} x_{t-1} + beta_t w_t) / beta_{1:t}
 *     2. delta_t = beta_t grad l(x_t, z_t) - beta_{t-1} grad l(x_{t-1}, z_t)
 *     3. g_t = g_{t-1} + delta_t, released as gbar_t = g_t + gamma_t
 *     4. A receives the linear loss <gbar_t, w>
 *   Output x_T (or x_{T+1}: one more step of line 1 costs no privacy).
 *
 * The loop over t is in run/run.c. Line 2 is gradient/delta.c, and the release of line
 * 3 is vault/vault.c; both handle raw values. The rest is in this file: lines 1, 3 and
 * 4 on released values. Everything is divided by beta_t (algorithm1/weights.h), in
 * coordinates where the start point is 0. docs/theory.md has the lines beside the code.
 *
 * A learner of plain gradients leaves the averages and differences out: x_t = w_t and
 * delta_t = grad l(x_t, z_t), which are lines 1 and 2 with ratio 0 and horizon 1, and
 * in line 3 gbar_t is the decoded sum of rounds 1 … t less that of rounds 1 … t-1.
 */
#include "algorithm1/algorithm1.h"

#include <math.h>
#include <string.h>

#include "algorithm1/covariance.h"
#include "base/error.h"
#include "base/memory.h"
#include "mechanism/decode.h"
#include "norm/norm.h"

struct tacit_algorithm1 {
  size_t dim, sums; /* weights, and numbers in the sum of a round */
  tacit_weights weights;
  double rows_mean, l2, norm;
  size_t l2_dim;
  tacit_algorithm1_regulariser regulariser;
  tacit_learner *learner;
  tacit_decoder *decoder;
  tacit_covariance *covariance; /* NULL: not needed */
  tacit_band *band;             /* NULL: not followed */
  double slope_scale; /* 0: no squared slopes are released after the weights */
  double step_length, step_longest;
  tacit_pool *pool;
  /* Vectors of dim numbers. */
  double *w;                  /* w_t, measured from the start point */
  double *x, *x_prev;         /* x_t and x_{t-1}, measured from the start point */
  double *start;              /* NULL: zeros, and the next two are not used */
  double *x_abs, *x_prev_abs; /* start + x_t, start + x_{t-1} */
  double *grad;               /* gbar_t / beta_t, and the squared slope */
  double *last;               /* plain gradients: the decoded sum before; else NULL */
};

void tacit_algorithm1_free(tacit_algorithm1 *algorithm1) {
  if (algorithm1 == NULL) return;
  tacit_learner_free(algorithm1->learner);
  tacit_decoder_free(algorithm1->decoder);
  tacit_covariance_free(algorithm1->covariance);
  tacit_band_free(algorithm1->band);
  tacit_array_free(algorithm1->start);
  tacit_array_free(algorithm1->w);
  tacit_array_free(algorithm1->x);
  tacit_array_free(algorithm1->x_prev);
  tacit_array_free(algorithm1->x_abs);
  tacit_array_free(algorithm1->x_prev_abs);
  tacit_array_free(algorithm1->grad);
  tacit_array_free(algorithm1->last);
  tacit_array_free(algorithm1);
}

static tacit_status make_vectors(tacit_algorithm1 *algorithm1,
                                 const tacit_algorithm1_facts *facts,
                                 tacit_error *err) {
  double **vectors[] = {&algorithm1->w,         &algorithm1->x,     &algorithm1->x_prev,
                        &algorithm1->grad,      &algorithm1->start, &algorithm1->x_abs,
                        &algorithm1->x_prev_abs};
  for (size_t i = 0; i < (facts->start != NULL ? 7 : 4); ++i) {
    /* A decoded sum may have more numbers than the learner has weights. */
    size_t count =
        vectors[i] == &algorithm1->grad ? facts->shape.dim : facts->learner.dim;
    *vectors[i] = tacit_array_new(count, sizeof(double));
    if (*vectors[i] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

/* The learner with its first play, and what its kind of gradient needs. */
static tacit_status make_learner(tacit_algorithm1 *algorithm1,
                                 const tacit_algorithm1_facts *facts,
                                 tacit_error *err) {
  TACIT_TRY(facts->learner_ops != NULL
                ? tacit_learner_new_ops(facts->learner_ops, facts->learner_spec,
                                        &facts->learner, &algorithm1->learner, err)
                : tacit_learner_new(facts->learner_spec, &facts->learner,
                                    &algorithm1->learner, err));
  const tacit_learner *learner = algorithm1->learner;
  const char *name = tacit_learner_ops_of(learner)->name;
  int plain = tacit_learner_is_plain(learner);
  if (algorithm1->regulariser.scale > 0 &&
      !tacit_learner_ops_of(learner)->takes_regulariser) {
    return tacit_fail(err, TACIT_EPRIVACY, "learner %s does not take the regulariser",
                      name);
  }
  if (plain &&
      (facts->learner.power > 0 || facts->shape.rounds > TACIT_COVARIANCE_ROUNDS_MAX)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s takes plain gradients of up to %d rounds of power 0",
                      name, TACIT_COVARIANCE_ROUNDS_MAX);
  }
  tacit_learner_first(algorithm1->learner, algorithm1->w); /* w_1 */
  if (plain) {
    algorithm1->last = tacit_array_new(facts->shape.dim, sizeof(double));
    if (algorithm1->last == NULL) return tacit_fail_memory(err);
  }
  if (!plain && !tacit_learner_takes_noise(learner)) return TACIT_OK;
  if (facts->shape.rounds <= TACIT_COVARIANCE_ROUNDS_MAX)
    TACIT_TRY(tacit_band_new(&facts->band, learner, facts->shape.rounds,
                             &algorithm1->band, err));
  return tacit_covariance_new(facts->encoder, &facts->shape, plain,
                              &algorithm1->covariance, err);
}

static tacit_status algorithm1_init(tacit_algorithm1 *algorithm1,
                                    const tacit_algorithm1_facts *facts,
                                    tacit_error *err) {
  size_t dim = facts->learner.dim;
  if (facts->shape.dim < dim + (facts->slope_scale > 0 ? 1 : 0))
    return tacit_fail(err, TACIT_EINVAL, "a release is shorter than the weights");
  TACIT_TRY(make_vectors(algorithm1, facts, err));
  algorithm1->dim = dim;
  algorithm1->sums = facts->shape.dim;
  algorithm1->pool = facts->pool;
  algorithm1->rows_mean = facts->rows_mean;
  algorithm1->l2 = facts->l2;
  algorithm1->l2_dim = facts->l2_dim;
  algorithm1->norm = facts->learner.norm;
  algorithm1->regulariser = facts->regulariser;
  tacit_weights_init(&algorithm1->weights, facts->learner.power, facts->learner.rounds);
  if (facts->start != NULL) {
    memcpy(algorithm1->start, facts->start, dim * sizeof(double));
    memcpy(algorithm1->x_abs, facts->start, dim * sizeof(double));
  }
  algorithm1->slope_scale = facts->slope_scale;
  TACIT_TRY(make_learner(algorithm1, facts, err));
  return tacit_decoder_new(facts->encoder, &facts->shape, &algorithm1->decoder, err);
}

tacit_status tacit_algorithm1_new(const tacit_algorithm1_facts *facts,
                                  tacit_algorithm1 **out, tacit_error *err) {
  tacit_algorithm1 *algorithm1 = tacit_array_new(1, sizeof *algorithm1);
  if (algorithm1 == NULL) return tacit_fail_memory(err);
  tacit_status status = algorithm1_init(algorithm1, facts, err);
  if (status != TACIT_OK) {
    tacit_algorithm1_free(algorithm1);
    return status;
  }
  *out = algorithm1;
  return TACIT_OK;
}

static void swap(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/*
 * Line 1. The weighted average of w_1 … w_t:
 *   (beta_{1:t-1} x_{t-1} + beta_t w_t) / beta_{1:t} = x_{t-1} + (w_t - x_{t-1}) / h_t
 * with h_t = beta_{1:t} / beta_t. Returns the sum of squares of w_t - x_{t-1}, which is
 * added up in four lanes.
 */
static double average_chunk(void *context, size_t first, size_t end) {
  const tacit_algorithm1 *algorithm1 = context;
  const double *w = algorithm1->w, *x_prev = algorithm1->x_prev;
  double *x = algorithm1->x, horizon = algorithm1->weights.horizon;
  double lanes[4] = {0};
  for (size_t i = first; i < end;) {
    size_t count = end - i < 4 ? end - i : 4;
    for (size_t k = 0; k < count; ++k, ++i) {
      double step = w[i] - x_prev[i];
      x[i] = x_prev[i] + step / horizon;
      lanes[k] += step * step;
    }
  }
  for (size_t i = first; algorithm1->start != NULL && i < end; ++i)
    algorithm1->x_abs[i] = algorithm1->start[i] + x[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* w_t - x_{t-1}, into the memory of the gradient, which is free when a round begins. */
static double step_chunk(void *context, size_t first, size_t end) {
  const tacit_algorithm1 *algorithm1 = context;
  for (size_t i = first; i < end; ++i)
    algorithm1->grad[i] = algorithm1->w[i] - algorithm1->x_prev[i];
  return 0;
}

/* |w_t - x_{t-1}| in the norm of the run. */
static double step_length(tacit_algorithm1 *algorithm1, double squares) {
  if (algorithm1->norm == 2 && tacit_norm_squares_hold(squares)) return sqrt(squares);
  (void)tacit_parallel_sum(algorithm1->pool, algorithm1->dim, step_chunk, algorithm1);
  return tacit_norm_lp(algorithm1->pool, algorithm1->grad, algorithm1->dim,
                       algorithm1->norm);
}

static void move_average(tacit_algorithm1 *algorithm1) {
  swap(&algorithm1->x, &algorithm1->x_prev);
  swap(&algorithm1->x_abs, &algorithm1->x_prev_abs);
  double squares =
      tacit_parallel_sum(algorithm1->pool, algorithm1->dim, average_chunk, algorithm1);
  algorithm1->step_length = step_length(algorithm1, squares);
  algorithm1->step_longest = fmax(algorithm1->step_longest, algorithm1->step_length);
  if (algorithm1->band != NULL)
    tacit_band_average(algorithm1->band, &algorithm1->weights);
}

/* Line 1. w_t is in place: algorithm1_init or line 4 of the last round put it there. */
void tacit_algorithm1_begin(tacit_algorithm1 *algorithm1) {
  tacit_weights_next(&algorithm1->weights);
  move_average(algorithm1);
}

struct gradient {
  tacit_algorithm1 *algorithm1;
  const double *y;
  double unit;
};

/* Line 3 for some coordinates. The decoder makes gbar_t = g_t + gamma_t from the
   released rows of C u: a sum over rows of data, in units of beta_R. `unit` turns it
   into a mean, over beta_t. Of plain gradients the sum of the rounds before is taken
   off. The L2 term is public, so its gradient beta_t l2 x_t is added after the noise.
 */
static double gradient_chunk(void *context, size_t first, size_t end) {
  const struct gradient *gradient = context;
  const tacit_algorithm1 *algorithm1 = gradient->algorithm1;
  const double *x = tacit_algorithm1_x(algorithm1);
  tacit_decoder_sum(algorithm1->decoder, gradient->y, first, end, algorithm1->grad);
  double *grad = algorithm1->grad, *last = algorithm1->last, unit = gradient->unit;
  for (size_t i = first; last != NULL && i < end; ++i) {
    double sum = grad[i];
    grad[i] -= last[i];
    last[i] = sum;
  }
  for (size_t i = first; i < end; ++i)
    grad[i] *= unit;
  for (size_t i = first; algorithm1->l2 > 0 && i < end && i < algorithm1->l2_dim; ++i)
    grad[i] += algorithm1->l2 * x[i];
  return 0;
}

/* Line 3. Returns the standard deviation of the noise in one coordinate of the sum that
   gbar_t is made from; times `unit` it is that of gbar_t / beta_t. */
static double decode(tacit_algorithm1 *algorithm1, double unit, double bound,
                     const double *y, double y_std, tacit_noise_terms *noise) {
  const tacit_weights *weights = &algorithm1->weights;
  struct gradient gradient = {algorithm1, y, unit};
  int plain = algorithm1->last != NULL;
  double sum_std = tacit_decoder_open(algorithm1->decoder, weights->t, bound, y_std);
  (void)tacit_parallel_sum(algorithm1->pool, algorithm1->sums, gradient_chunk,
                           &gradient);
  if (algorithm1->covariance != NULL)
    tacit_covariance_next(algorithm1->covariance, weights->t, bound, y_std, unit,
                          plain ? 1 : weights->ratio, noise);
  return plain ? sqrt(noise->grad) / unit : sum_std;
}

/* Line 4, with the regulariser of the parameter-free section if it is on. The answer of
   the learner is w_{t+1}. */
static void play(tacit_algorithm1 *algorithm1, double unit, double sum_std,
                 const tacit_noise_terms *noise) {
  const tacit_weights *weights = &algorithm1->weights;
  const tacit_algorithm1_regulariser *reg = &algorithm1->regulariser;
  double root_t = sqrt((double)weights->t), scale = algorithm1->slope_scale;
  int plain = algorithm1->last != NULL; /* all weights beta_t are 1 */
  tacit_learner_loss loss = {
      .t = weights->t,
      .grad = algorithm1->grad,
      .ratio = plain ? weights->t > 1 : weights->ratio,
      .horizon = plain ? (double)weights->t : weights->horizon,
      .x = algorithm1->x,
      .pool = algorithm1->pool,
      .slope = scale > 0 ? algorithm1->grad[algorithm1->dim] / scale : NAN,
      .slope_std = scale > 0 ? sum_std * unit / scale : NAN,
  };
  if (tacit_learner_takes_noise(algorithm1->learner)) {
    loss.noise_grad = noise->grad;
    loss.noise_sum = noise->sum;
    loss.noise_cross = noise->cross;
    loss.noise_weights = noise->weights;
  }
  if (reg->scale > 0) {
    loss.xi = reg->scale * (reg->xi / root_t + reg->noise * sum_std * unit);
    loss.nu = reg->scale * reg->nu / root_t;
  }
  tacit_learner_step(algorithm1->learner, &loss, algorithm1->w);
  if (algorithm1->band != NULL)
    tacit_band_step(algorithm1->band, algorithm1->learner, &loss, noise->weights);
}

double tacit_algorithm1_end(tacit_algorithm1 *algorithm1, double bound, const double *y,
                            double y_std) {
  double unit = 1 / (algorithm1->weights.share * algorithm1->rows_mean);
  tacit_noise_terms noise = {0};
  double sum_std = decode(algorithm1, unit, bound, y, y_std, &noise); /* line 3 */
  play(algorithm1, unit, sum_std, &noise);                            /* line 4 */
  return sum_std * unit;
}

/* Output x_{T+1}: line 1 once more. */
void tacit_algorithm1_last_step(tacit_algorithm1 *algorithm1) {
  tacit_weights_next(&algorithm1->weights);
  move_average(algorithm1);
}

int tacit_algorithm1_archive(tacit_algorithm1 *algorithm1, tacit_archive *archive) {
  double *vectors[] = {algorithm1->w, algorithm1->x, algorithm1->x_prev,
                       algorithm1->x_abs, algorithm1->x_prev_abs};
  if (algorithm1->last != NULL || algorithm1->covariance != NULL) return 0;
  tacit_archive_part(archive, &algorithm1->weights, sizeof algorithm1->weights);
  tacit_archive_part(archive, &algorithm1->step_length, sizeof(double));
  tacit_archive_part(archive, &algorithm1->step_longest, sizeof(double));
  for (size_t i = 0; i < (algorithm1->start != NULL ? 5 : 3); ++i)
    tacit_archive_part(archive, vectors[i], algorithm1->dim * sizeof(double));
  tacit_learner_archive(algorithm1->learner, archive);
  return tacit_decoder_archive(algorithm1->decoder, archive);
}

const tacit_band *tacit_algorithm1_band(const tacit_algorithm1 *algorithm1) {
  return algorithm1->band;
}
const tacit_weights *tacit_algorithm1_weights(const tacit_algorithm1 *algorithm1) {
  return &algorithm1->weights;
}
const tacit_learner *tacit_algorithm1_learner(const tacit_algorithm1 *algorithm1) {
  return algorithm1->learner;
}
const double *tacit_algorithm1_w(const tacit_algorithm1 *algorithm1) {
  return algorithm1->w;
}
const double *tacit_algorithm1_x(const tacit_algorithm1 *algorithm1) {
  return algorithm1->start != NULL ? algorithm1->x_abs : algorithm1->x;
}
const double *tacit_algorithm1_x_prev(const tacit_algorithm1 *algorithm1) {
  return algorithm1->start != NULL ? algorithm1->x_prev_abs : algorithm1->x_prev;
}

double tacit_algorithm1_step_length(const tacit_algorithm1 *algorithm1,
                                    double *out_longest) {
  *out_longest = algorithm1->step_longest;
  return algorithm1->step_length;
}
