/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_PLAN_H
#define TACIT_PLAN_PLAN_H

#include <jansson.h>
#include <tacit/gradient.h>
#include <tacit/learner.h>
#include <tacit/plan.h>

#include "algorithm1/algorithm1.h"
#include "algorithm1/weights.h"
#include "centre/frame.h"
#include "gradient/delta.h"
#include "loss/loss.h"
#include "privacy/compose.h"
#include "vault/vault.h"

enum { TACIT_SPEC_SIZE = 512 };

/* A run with every default resolved. Everything in it is public. */
struct tacit_plan {
  tacit_config config; /* as given; its strings and arrays are copied below */
  char learner_spec[TACIT_SPEC_SIZE];
  char loss_spec[TACIT_SPEC_SIZE]; /* with all parameters */
  tacit_schema *schema;
  double *start;               /* NULL: zeros */
  double *start_offset;        /* of the initial model, per output; NULL: zeros */
  double *class_weights;       /* the largest is 1; NULL: all are */
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
  const tacit_level *kernel; /* for this processor; the results do not depend on it */
  tacit_row_rule row;
  tacit_label_rule label;
  size_t dim; /* number of weights of the learner: features plus bias, with a free
                 intercept if centred; or what the gradient callback says */
  size_t
      sums;   /* numbers in the sum of a round: dim, and the squared slope if centred */
  int recipe; /* 1: that of the practical preset */
  int centre_optional; /* 1: it asked for a round 0, the user did not */
  tacit_learner_facts learner;
  tacit_bound bound;
  double clip;                   /* C; 0 unless bound is TACIT_BOUND_CLIP */
  double grad_bound, smoothness; /* G, H of the loss on the domain, in the dual norm */
  double stiffness;              /* H/G of the loss at the start point; 0: not known */
  double diameter;               /* of W, in the norm */

  /* Privacy. */
  double epsilon, delta, mu; /* of this run; mu INFINITY: no noise */
  tacit_guarantee all;       /* with what the run builds on; no unit */
  double score_mu;        /* of a stream: for the scores of its models; a part of mu */
  double sens_norm;       /* exponent of the norm the guarantee is in: 1 or 2 */
  double sens_norm_ratio; /* largest sens_norm of a vector of dual norm 1 */
  tacit_vault_facts vault;
  json_t *init; /* statement of the initial model; NULL: none */
  int init_private;
  int described_private; /* 0 if the schema was made from counts without noise */

  /* Round 0, which releases the mean row. */
  int centred;       /* 0: there is none */
  int64_t mean_rows; /* its rows: all of them, or the first ones, which are */
  int apart;         /* apart from those of the rounds: `rows` does not count them */
  tacit_moments moments;  /* what it releases */
  tacit_vault_facts mean; /* its vault, with its own share of mu */
  int offset_bits; /* the mean is a multiple of 2^-offset_bits of the row norm's power
                      of two */
  double slope;    /* bound on slopes of the caller's; 0: by the rule */
  double constant; /* tacit_centre_constant */

  /* Derived, for people. */
  double noise_last; /* upper bound on the standard deviation in a coordinate of the
                        last mean gradient */
  double noise_last_norm; /* upper bound on its dual norm, root mean square */
  double term_regret, term_sampling,
      term_noise; /* of the theorem with learner osd, per unit of diameter */
  json_t *training, *statement;
  char *text, *json, *statement_text, *statement_json;
};

/* Bound on the contribution of one example in round weights->t, in units of beta_R and
   in the dual norm. It is known before the rows of the round are read: it depends on
   released values only. `step` is |w_t - x_{t-1}|, `longest` the largest of these so
   far. */
double tacit_plan_bound(const tacit_plan *plan, const tacit_weights *weights,
                        double step, double longest);
/* The most rows or persons that a day of a stream may have, and all days together: what
   the integers have room for. */
int64_t tacit_plan_day_max(const tacit_plan *plan);
int64_t tacit_plan_days_max(const tacit_plan *plan);
/* Rows of round t (1-based): batch j of a pass holds rows floor(jn/b) …
   floor((j+1)n/b)-1. Round 0 has all rows. */
int64_t tacit_plan_round_rows(const tacit_plan *plan, int64_t t);
/* Place in the pass of the first row of round t. */
int64_t tacit_plan_round_first(const tacit_plan *plan, int64_t t);
/* What a run decides and its contributions depend on: whether rows are centred, which
   scales the rows of losses on numbers, and whether the learner takes plain gradients,
   which shapes losses. */
typedef struct tacit_problem {
  int centres, plain;
} tacit_problem;
/* The part of a plan that a worker needs: what a contribution depends on besides the
   round, which is rows, labels, loss and norms. No rounds, budget, noise, learner or
   texts. */
tacit_status tacit_plan_problem(const tacit_config *config, tacit_problem problem,
                                tacit_plan **out, tacit_error *err);
/* Constants of the regulariser of the parameter-free section, docs/theory.md. */
void tacit_plan_regulariser(const tacit_plan *plan, tacit_algorithm1_regulariser *out);

/* plan/config.c: TACIT_EINVAL or TACIT_EPRIVACY for an option out of its range. */
tacit_status tacit_config_check(const tacit_config *config, tacit_error *err);
/* plan/budget.c: first the law, which fixes the norm of rows and contributions, and the
   budget; then, when the bounds are known, the noise and its effect on the model. */
tacit_status tacit_plan_law(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_budget(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_noise(tacit_plan *plan, tacit_error *err);
/* plan/words_outlook.c: what the theorem promises with this noise. Takes about the same
   time for any number of rounds. */
tacit_status tacit_plan_outlook(tacit_plan *plan, tacit_error *err);
/* plan/centre.c: decides whether the run is centred and divides the budget; then, when
   the mechanism is known, the vault of round 0. */
tacit_status tacit_plan_centre(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_mean(tacit_plan *plan, tacit_error *err);
/* Returns what the release of round 0 is read with. `noise` is the standard deviation
   in one of its numbers. */
tacit_frame_facts tacit_plan_frame(const tacit_plan *plan, double noise);
/* The layout of round 0, which depends on rows, labels and weights. */
void tacit_plan_moments(tacit_plan *plan);
/* Whether the caller asked for a round 0. */
static inline int tacit_config_centres(const tacit_config *config) {
  return config->centre == TACIT_CENTRE_ON || config->centre == TACIT_CENTRE_HEAD;
}
/* The first round: 0 if the mean is released, else 1. */
static inline int64_t tacit_plan_first_round(const tacit_plan *plan) {
  return plan->centred ? 0 : 1;
}
/* plan/derive.c: the spec of the loss, as given or by default; whether one number
   scales all rows; whether the learner takes plain gradients. */
const char *tacit_plan_loss(const tacit_plan *plan);
tacit_status tacit_plan_scale(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_plain(tacit_plan *plan, tacit_error *err);
int tacit_plan_is_plain(const tacit_plan *plan);
/* How often the rows are read: the mean of all of them is one more reading. */
static inline int tacit_plan_readings(const tacit_plan *plan) {
  return plan->passes + (plan->centred && !plan->apart);
}
/* All rows of the data. */
static inline int64_t tacit_plan_rows_all(const tacit_plan *plan) {
  return plan->rows + (plan->apart ? plan->mean_rows : 0);
}
/* plan/init.c: takes the start point of an initial model. */
tacit_status tacit_plan_init_model(tacit_plan *plan, tacit_error *err);
/* Sets `all`: what the run guarantees together with its initial model and the counts
   behind its schema. */
tacit_status tacit_plan_compose(tacit_plan *plan, tacit_error *err);
/* plan/words_days.c: what the statement of a stream says of its days, and of its unit;
   text is at least TACIT_DAYS_WORDS bytes. NULL: not a stream. */
enum { TACIT_DAYS_WORDS = 400 };
const char *tacit_plan_days(const tacit_plan *plan, char *text);
/* plan/words_text.c: whom a statement protects: "row", or who the rows of `units`
   persons belong to, on one day of a stream if one_day, in `out`. A name that does not
   fit into a line is left out. */
const char *tacit_unit_words(int64_t units, int one_day, const char *name,
                             const tacit_schema *schema, char *out, size_t size);
enum { TACIT_UNIT_WORDS = 256 };
/* Returns whom the run protects; `text` has at least TACIT_UNIT_WORDS bytes. */
const char *tacit_plan_unit(const tacit_plan *plan, char *text);
/* Returns 1 if neighbours of the run alone are sets of rows. */
int tacit_plan_as_sets(const tacit_plan *plan);
/* Returns 1 if the run alone protects its unit on one day of a stream only. */
int tacit_plan_day_only(const tacit_plan *plan);
extern const char tacit_weights_words[]; /* what a statement says of weights of rows */
/* The parameters of a learner, {"eta": 0.4, …}; NULL without memory. */
json_t *tacit_plan_learner_params(const tacit_learner *learner);
/* Fills training, statement and the four texts. */
tacit_status tacit_plan_describe(tacit_plan *plan, tacit_error *err);

#endif
