/* SPDX-License-Identifier: MIT */
/* Makes, archives, reads and frees a run of Algorithm 1. */
#include <string.h>

#include "algorithm1/parts.h"
#include "base/error.h"
#include "base/memory.h"

void tacit_algorithm1_free(tacit_algorithm1 *a) {
  if (a == NULL) return;
  tacit_learner_free(a->learner);
  tacit_decoder_free(a->decoder);
  tacit_covariance_free(a->told.covariance);
  tacit_band_free(a->band);
  double *vectors[] = {a->w,    a->x,           a->x_prev, a->from.start,
                       a->grad, a->from.x_prev, a->from.x, a->last};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i)
    tacit_array_free(vectors[i]);
  tacit_array_free(a);
}

static tacit_status make_vectors(tacit_algorithm1 *a,
                                 const tacit_algorithm1_facts *facts,
                                 tacit_error *err) {
  double **vectors[] = {&a->w,          &a->x,      &a->x_prev,     &a->grad,
                        &a->from.start, &a->from.x, &a->from.x_prev};
  for (size_t i = 0; i < (facts->start != NULL ? 7 : 4); ++i) {
    /* A decoded sum may have more numbers than the learner has weights. */
    size_t count = vectors[i] == &a->grad ? a->sums : a->dim;
    *vectors[i] = tacit_array_new(count, sizeof(double));
    if (*vectors[i] == NULL) return tacit_fail_memory(err);
  }
  if (facts->start == NULL) return TACIT_OK;
  memcpy(a->from.start, facts->start, a->dim * sizeof(double));
  memcpy(a->from.x, facts->start, a->dim * sizeof(double));
  return TACIT_OK;
}

/* Makes the learner with its first play, and what its kind of gradient needs. */
static tacit_status make_learner(tacit_algorithm1 *a,
                                 const tacit_algorithm1_facts *facts,
                                 tacit_error *err) {
  TACIT_TRY(
      facts->learner_ops != NULL
          ? tacit_learner_new_ops(facts->learner_ops, facts->learner_spec,
                                  &facts->learner, &a->learner, err)
          : tacit_learner_new(facts->learner_spec, &facts->learner, &a->learner, err));
  int plain = tacit_learner_is_plain(a->learner);
  const tacit_learner_ops *ops = tacit_learner_ops_of(a->learner);
  if (a->told.regulariser.scale > 0 && !ops->takes_regulariser)
    return tacit_fail(err, TACIT_EPRIVACY, "learner %s does not take the regulariser",
                      ops->name);
  if (plain) TACIT_TRY(tacit_plain_init(a, facts, err));
  tacit_learner_first(a->learner, a->w); /* w_1 */
  if (!plain && !tacit_learner_takes_noise(a->learner)) return TACIT_OK;
  if (facts->shape.rounds <= TACIT_COVARIANCE_ROUNDS_MAX)
    TACIT_TRY(
        tacit_band_new(&facts->band, a->learner, facts->shape.rounds, &a->band, err));
  return tacit_covariance_new(facts->encoder, &facts->shape, plain, &a->told.covariance,
                              err);
}

static tacit_status algorithm1_init(tacit_algorithm1 *a,
                                    const tacit_algorithm1_facts *facts,
                                    tacit_error *err) {
  *a = (tacit_algorithm1){
      .dim = facts->learner.dim,
      .sums = facts->shape.dim,
      .pool = facts->pool,
      .rows_mean = facts->rows_mean,
      .l2 = facts->l2,
      .l2_dim = facts->l2_dim,
      .norm = facts->learner.norm,
      .precondition = facts->precondition,
      .told = {.slope_scale = facts->slope_scale, .regulariser = facts->regulariser},
  };
  if (a->sums < a->dim + (facts->slope_scale > 0 ? 1 : 0))
    return tacit_fail(err, TACIT_EINVAL, "a release is shorter than the weights");
  tacit_weights_init(&a->weights, facts->learner.power, facts->learner.rounds);
  TACIT_TRY(make_vectors(a, facts, err));
  TACIT_TRY(make_learner(a, facts, err));
  return tacit_decoder_new(facts->encoder, &facts->shape, &a->decoder, err);
}

tacit_status tacit_algorithm1_new(const tacit_algorithm1_facts *facts,
                                  tacit_algorithm1 **out, tacit_error *err) {
  tacit_algorithm1 *a = tacit_array_new(1, sizeof *a);
  if (a == NULL) return tacit_fail_memory(err);
  tacit_status status = algorithm1_init(a, facts, err);
  return TACIT_HAND_OVER(status, a, tacit_algorithm1_free, out);
}

int tacit_algorithm1_archive(tacit_algorithm1 *a, tacit_archive *archive) {
  double *vectors[] = {a->w, a->x, a->x_prev, a->from.x, a->from.x_prev};
  if (a->last != NULL || a->told.covariance != NULL) return 0;
  tacit_archive_part(archive, &a->weights, sizeof a->weights);
  tacit_archive_part(archive, &a->step_length, sizeof(double));
  tacit_archive_part(archive, &a->step_longest, sizeof(double));
  for (size_t i = 0; i < (a->from.start != NULL ? 5 : 3); ++i)
    tacit_archive_part(archive, vectors[i], a->dim * sizeof(double));
  tacit_learner_archive(a->learner, archive);
  return tacit_decoder_archive(a->decoder, archive);
}

const tacit_band *tacit_algorithm1_band(const tacit_algorithm1 *a) { return a->band; }
const tacit_weights *tacit_algorithm1_weights(const tacit_algorithm1 *a) {
  return &a->weights;
}
const tacit_learner *tacit_algorithm1_learner(const tacit_algorithm1 *a) {
  return a->learner;
}
const double *tacit_algorithm1_w(const tacit_algorithm1 *a) { return a->w; }
const double *tacit_algorithm1_x(const tacit_algorithm1 *a) {
  return a->from.start != NULL ? a->from.x : a->x;
}
const double *tacit_algorithm1_x_prev(const tacit_algorithm1 *a) {
  return a->from.start != NULL ? a->from.x_prev : a->x_prev;
}

double tacit_algorithm1_step_length(const tacit_algorithm1 *a, double *out_longest) {
  *out_longest = a->step_longest;
  return a->step_length;
}
