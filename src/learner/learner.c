/* SPDX-License-Identifier: MIT */
/*
 * The registry of learners, their checked construction and the checked step. To add a
 * learner, write a file with one const table and add a line to `registry` and to
 * meson.build; the contract test finds it. The first entry is the default.
 */
#include "learner/learner.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/memory.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct tacit_learner {
  const tacit_learner_ops *ops;
  void *state;
  double *numbers;  /* n_vectors times dim */
  double **vectors; /* where each vector begins in `numbers` */
  double values[TACIT_LEARNER_PARAMS_MAX];
  size_t n_values;
  tacit_learner_facts facts;
};

static const tacit_learner_ops *const registry[] = {
    &tacit_learner_kt,
    &tacit_learner_bettor,
    &tacit_learner_heavy_ball,
    &tacit_learner_adagrad,
    &tacit_learner_adagrad_diag,
    &tacit_learner_osd,
    &tacit_learner_omd,
    &tacit_learner_ftrl,
    &tacit_learner_eg,
    &tacit_learner_optimistic_omd,
    &tacit_learner_optimistic_ftrl,
    &tacit_learner_strongly_convex,
    &tacit_learner_coin_kt,
    &tacit_learner_coin_ons,
    &tacit_learner_freegrad,
    NULL,
};

const tacit_learner_ops *tacit_learner_at(size_t i) {
  return TACIT_REGISTRY_AT(registry, i);
}

static const char *name_at(size_t i) {
  const tacit_learner_ops *ops = tacit_learner_at(i);
  return ops != NULL ? ops->name : NULL;
}

const tacit_learner_ops *tacit_learner_find(const char *name) {
  return registry[tacit_registry_index(name_at, name)];
}

tacit_status tacit_learner_new(const char *spec, const tacit_learner_facts *facts,
                               tacit_learner **out, tacit_error *err) {
  char name[TACIT_ARGS_NAME_SIZE];
  TACIT_TRY(tacit_args_name(spec, name, sizeof name, err));
  const tacit_learner_ops *ops = tacit_learner_find(name);
  if (ops == NULL) return tacit_args_unknown("learner", name, name_at, err);
  return tacit_learner_new_ops(ops, spec, facts, out, err);
}

static tacit_status check_ops(const tacit_learner_ops *ops, tacit_error *err) {
  if (ops == NULL || ops->version < 1 || ops->version > 2)
    return tacit_fail(err, TACIT_EINVAL,
                      "the learner table is missing or of another version; set "
                      "version to 1 or 2");
  if (ops->name == NULL || ops->name[0] == '\0' || ops->summary == NULL ||
      ops->step == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "the learner table lacks a required slot; fill name, summary "
                      "and step");
  return TACIT_OK;
}

static tacit_status check_facts(const tacit_learner_ops *ops,
                                const tacit_learner_facts *facts, tacit_error *err) {
  if (facts == NULL || facts->dim == 0 || facts->rounds < 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s: there must be at least one weight and one round",
                      ops->name);
  if (!(facts->power >= 0 && isfinite(facts->power)))
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s: the power of the weights must be finite and not "
                      "negative",
                      ops->name);
  if (!(facts->radius > 0 && isfinite(facts->radius)) ||
      (unsigned)facts->domain > TACIT_DOMAIN_SIMPLEX)
    return tacit_fail(
        err, TACIT_EINVAL,
        "learner %s: the domain must be a ball, a box or the simplex, with "
        "a positive, finite radius",
        ops->name);
  if (!(facts->norm == 0 || (facts->norm > 1 && facts->norm <= 2)))
    return tacit_fail(
        err, TACIT_EPRIVACY,
        "learner %s: the norm must be greater than 1 and at most 2, where "
        "it is strongly convex; for L1 take 1 + 1/ln(number of weights)",
        ops->name);
  return TACIT_OK;
}

static tacit_status set_up(tacit_learner *learner, tacit_error *err) {
  const tacit_learner_ops *ops = learner->ops;
  size_t dim = learner->facts.dim, n = ops->n_vectors;
  if (n > 0 && dim > SIZE_MAX / n) return tacit_fail_memory(err);
  learner->state = tacit_array_new(1, ops->state_size);
  TACIT_TRY(tacit_made(learner->state, err));
  TACIT_TRY(TACIT_NEW(learner->vectors, n, err));
  TACIT_TRY(TACIT_NEW(learner->numbers, n * dim, err));
  for (size_t i = 0; i < n; ++i)
    learner->vectors[i] = learner->numbers + i * dim;
  if (ops->init == NULL) return TACIT_OK;
  return ops->init(learner->state, &learner->facts, learner->values, err);
}

tacit_status tacit_learner_new_ops(const tacit_learner_ops *ops,
                                   const char *spec_or_null,
                                   const tacit_learner_facts *facts,
                                   tacit_learner **out, tacit_error *err) {
  TACIT_TRY(check_ops(ops, err));
  TACIT_TRY(check_facts(ops, facts, err));
  double values[TACIT_LEARNER_PARAMS_MAX] = {0};
  TACIT_TRY(tacit_args_values_of(spec_or_null, "learner", ops->name, ops->params,
                                 values, TACIT_LEARNER_PARAMS_MAX, err));

  tacit_learner *learner = tacit_array_new(1, sizeof *learner);
  if (learner == NULL) return tacit_fail_memory(err);
  learner->ops = ops;
  learner->facts = *facts;
  learner->n_values = tacit_args_count(ops->params);
  memcpy(learner->values, values, sizeof values);
  tacit_status status = set_up(learner, err);
  return TACIT_HAND_OVER(status, learner, tacit_learner_free, out);
}

void tacit_learner_free(tacit_learner *learner) {
  if (learner == NULL) return;
  TACIT_FREE(learner->state, learner->numbers, learner->vectors, learner);
}

/* Moves w into W if it is outside, because the learner of a user may return
   anything. */
static void keep_in_domain(const tacit_learner *learner, tacit_pool *pool, double *w) {
  if (!tacit_domain_contains(pool, &learner->facts, w, 1e-9))
    tacit_domain_project_on(pool, &learner->facts, w);
}

void tacit_learner_first(tacit_learner *learner, double *w) {
  for (size_t i = 0; i < learner->facts.dim; ++i)
    w[i] = 0;
  if (learner->ops->first != NULL)
    learner->ops->first(learner->state, &learner->facts, w);
  else
    tacit_domain_project(&learner->facts, w);
  keep_in_domain(learner, NULL, w);
}

void tacit_learner_step(tacit_learner *learner, const tacit_learner_loss *loss,
                        double *w) {
  learner->ops->step(learner->state, &learner->facts, loss, learner->vectors, w);
  keep_in_domain(learner, loss->pool, w);
}

int tacit_learner_carries(const tacit_learner *learner) {
  return learner->ops->version >= 2 && learner->ops->carry != NULL;
}

void tacit_learner_carry(const tacit_learner *learner, const tacit_learner_loss *loss,
                         size_t dim, double *const *vectors, double *w) {
  tacit_learner_facts facts = learner->facts;
  facts.dim = dim;
  learner->ops->carry(learner->state, &facts, loss, vectors, w);
}

void tacit_learner_archive(tacit_learner *learner, tacit_archive *archive) {
  const tacit_learner_ops *ops = learner->ops;
  tacit_archive_part(archive, learner->state, ops->state_size);
  tacit_archive_part(archive, learner->numbers,
                     ops->n_vectors * learner->facts.dim * sizeof(double));
}

/* A table of version 1 ends before takes_noise, plain and carry. */
int tacit_learner_takes_noise(const tacit_learner *learner) {
  return learner->ops->version >= 2 && learner->ops->takes_noise;
}

int tacit_learner_ops_plain(const tacit_learner_ops *ops) {
  return ops->version >= 2 && ops->plain;
}

int tacit_learner_is_plain(const tacit_learner *learner) {
  return tacit_learner_ops_plain(learner->ops);
}

const tacit_learner_ops *tacit_learner_ops_of(const tacit_learner *learner) {
  return learner->ops;
}

const double *tacit_learner_values(const tacit_learner *learner, size_t *out_count) {
  if (out_count != NULL) *out_count = learner->n_values;
  return learner->values;
}
