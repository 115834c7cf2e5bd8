/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_PLAN_H
#define TACIT_PLAN_PLAN_H

#include <jansson.h>
#include <tacit/gradient.h>
#include <tacit/learner.h>
#include <tacit/plan.h>

#include "convert/algorithm1.h"
#include "convert/weights.h"
#include "gradient/delta.h"
#include "loss/loss.h"
#include "vault/vault.h"

enum { TACIT_SPEC_SIZE = 512 };

/* A run with every default resolved. All of it is public. */
struct tacit_plan {
  tacit_config config; /* as given; strings and pointers below are our own copies */
  char learner_spec[TACIT_SPEC_SIZE];
  char loss_spec[TACIT_SPEC_SIZE]; /* every number spelt out */
  tacit_schema *schema;
  double *start;               /* NULL: zeros */
  char *checkpoint, *key_file; /* NULL: none */
  tacit_matrix matrix;         /* of the caller's; no entries: none */
  int64_t *matrix_entries;     /* its entries, our copy */

  /* The round. */
  int64_t rows, per_pass, rounds; /* n, b, R = bE */
  int passes;                     /* E */
  double power;                   /* k */
  int free_last_step;
  double l2;

  /* The problem. */
  const tacit_gradient_ops *gradient; /* NULL: a loss of a linear model */
  tacit_loss *loss;                   /* NULL: a gradient of the caller's */
  const tacit_kernel_ops *kernel;     /* by processor; changes speed and no result */
  tacit_row_rule row;
  tacit_label_rule label;
  size_t dim; /* weights: features plus bias, or the gradient's */
  tacit_learner_facts learner;
  tacit_bound bound;
  double clip;                   /* C; 0 unless bound is TACIT_BOUND_CLIP */
  double grad_bound, smoothness; /* G, H of the loss on the domain, in the dual norm */
  double stiffness;              /* H/G of the loss where it starts; 0: not known */
  double diameter;               /* of W, in the norm */

  /* Privacy. */
  double epsilon, delta, mu;             /* of this run; mu INFINITY: no noise */
  double epsilon_all, delta_all, mu_all; /* with the initial model's share */
  double sens_norm;       /* exponent of the norm the guarantee is in: 1 or 2 */
  double sens_norm_ratio; /* largest guard norm of a vector of dual norm 1 */
  tacit_vault_facts vault;
  json_t *init; /* statement of the initial model; NULL: none */
  int init_private;

  /* Derived, for people. */
  double noise_last;      /* std in a coordinate of the last mean gradient, at most */
  double noise_last_norm; /* its dual norm, root mean square, at most */
  double term_regret, term_sampling, term_noise; /* theorem, per unit of diameter */
  json_t *training, *statement;
  char *text, *json, *statement_text, *statement_json;
};

/* Bound on one example's contribution in round weights->t, in units of beta_R and in
   the dual norm, known before the round's rows are read: functions of released values
   only. `step` is |w_t - x_{t-1}|, `longest` the largest of these so far. */
double tacit_plan_bound(const tacit_plan *plan, const tacit_weights *weights,
                        double step, double longest);
/* Rows of round t (1-based): batch j of a pass holds rows floor(jn/b) …
   floor((j+1)n/b)-1. */
int64_t tacit_plan_round_rows(const tacit_plan *plan, int64_t t);
/* Place in the pass of the first of them. */
int64_t tacit_plan_round_first(const tacit_plan *plan, int64_t t);
/* The part of a plan a worker needs, from the options a contribution depends on:
   rounds, rows, labels, loss, norms. No budget, no noise, no learner, no texts. */
tacit_status tacit_plan_problem(const tacit_config *config, tacit_plan **out,
                                tacit_error *err);
/* Constants of the regulariser of the parameter-free section, docs/theory.md. */
void tacit_plan_regulariser(const tacit_plan *plan, tacit_algorithm1_regulariser *out);

/* plan/budget.c: first the law, which fixes the norm of rows and contributions, and
   the budget; then, with the bounds known, the noise and what it means for the model.
 */
tacit_status tacit_plan_law(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_budget(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_noise(tacit_plan *plan, tacit_error *err);
/* plan/outlook.c: what the theorem promises with this noise, in time that hardly
   grows with the rounds. */
tacit_status tacit_plan_foresee(tacit_plan *plan, tacit_error *err);
/* plan/init.c: start point and privacy of an initial model. */
tacit_status tacit_plan_init_model(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_compose_init(tacit_plan *plan, tacit_error *err);
/* plan/text.c: fills training, statement and the four texts. */
tacit_status tacit_plan_describe(tacit_plan *plan, tacit_error *err);

#endif
