/* SPDX-License-Identifier: MIT */
/* Runs and releases are paid for here, by the payer of their config or options. */
#include "run/payer.h"

#include "base/error.h"
#include "run/run.h"

tacit_status tacit_payer_reserve(const tacit_payer *payer, const tacit_payment *payment,
                                 tacit_error *err) {
  return payer != NULL ? payer->reserve(payer->self, payment, err) : TACIT_OK;
}

tacit_status tacit_payer_settle(const tacit_payer *payer, tacit_status status,
                                int noise_begun, const char *digest, const char *json,
                                tacit_error *err) {
  if (payer == NULL) return status;
  if (status == TACIT_OK) return payer->commit(payer->self, digest, json, err);
  if (!noise_begun) payer->refund(payer->self);
  return status;
}

/* Returns the payer of a run on the rank that pays, else NULL. */
static const tacit_payer *payer_of(const tacit_train *train) {
  int pays = train->plan != NULL && tacit_ranks_leads(&train->ranks);
  return pays ? train->plan->config.payer : NULL;
}

static tacit_status reserve(void *context, tacit_error *err) {
  tacit_train *train = context;
  const tacit_payment payment = {
      .kind = "train",
      .statement = tacit_plan_statement_json(train->plan),
      .id = train->log.id,
      .resumes = train->log.is_found,
  };
  TACIT_TRY(tacit_payer_reserve(payer_of(train), &payment, err));
  train->log.is_reserved = payer_of(train) != NULL;
  return TACIT_OK;
}

tacit_status tacit_train_reserve(tacit_train *train, tacit_error *err) {
  return tacit_ranks_step(&train->ranks, reserve, train, err);
}

struct commit {
  tacit_train *train;
  const tacit_model *model;
};

static tacit_status commit(void *context, tacit_error *err) {
  struct commit *commit = context;
  tacit_train *train = commit->train;
  const char *digest = commit->model != NULL ? tacit_model_digest(commit->model) : NULL;
  if (!train->log.is_reserved) return TACIT_OK;
  TACIT_TRY(tacit_payer_settle(payer_of(train), TACIT_OK, 1, digest, NULL, err));
  train->log.is_reserved = 0;
  return TACIT_OK;
}

tacit_status tacit_train_commit(tacit_train *train, const tacit_model *model,
                                tacit_error *err) {
  return tacit_ranks_step(&train->ranks, commit, &(struct commit){train, model}, err);
}

void tacit_train_refund(tacit_train *train) {
  if (!train->log.is_reserved) return; /* a run that could not be made has no plan */
  int may_have_begun = train->ranks.group != NULL || tacit_train_noise_begun(train);
  (void)tacit_payer_settle(payer_of(train), TACIT_ESTATE, may_have_begun, NULL, NULL,
                           NULL);
}
