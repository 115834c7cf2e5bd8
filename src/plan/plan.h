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
#include "loss/loss.h"
#include "privacy/compose.h"
#include "vault/vault.h"

enum { TACIT_SPEC_SIZE = 512 };

/* What a run of a stream has besides its config. Every round has the rows of one day,
   any number of them, and means are sums divided by `batch`. */
typedef struct tacit_days {
  int64_t horizon; /* number of days, 1 to 2^30; 0: not a stream */
  bool unit_once;  /* true if rows of persons who had rows on an earlier day do not
                      count */
  double evaluate; /* share of mu^2, at most 0.5, for scoring each model on the next
                      day's rows */
} tacit_days;

/* A run with every default resolved. Everything in it is public. */
struct tacit_plan {
  tacit_config config; /* as given, except that pointers of the caller are NULL; what
                          they point to is copied below */
  tacit_days days;
  char learner_spec[TACIT_SPEC_SIZE];
  char loss_spec[TACIT_SPEC_SIZE]; /* the spec of the loss with all parameters */
  tacit_schema *schema;
  double *start;               /* NULL: zeros */
  double *start_offset;        /* offset of the initial model, per output; NULL:
                                  zeros */
  double *class_weights;       /* weights of the classes, of which the largest is 1;
                                  NULL: all 1 */
  char *checkpoint, *key_file; /* paths; NULL without a checkpoint */
  tacit_matrix matrix;         /* the caller's matrix; entries is NULL if there is
                                  none */
  int64_t *matrix_entries;     /* a copy of its entries */

  /* The round. */
  int64_t rows, per_pass, rounds; /* rows n, rounds per pass b, all rounds R = bE */
  int passes;                     /* number of passes E */
  double power;                   /* power k of beta_t = t^k; 0: plain gradients */
  int free_last_step;
  double l2;

  /* The problem. */
  const tacit_gradient_ops *gradient; /* NULL: a loss of a linear model */
  tacit_loss *loss;                   /* NULL: a gradient of the caller's */
  const tacit_level *kernel; /* the loops for this processor; results do not depend on
                                it */
  tacit_row_rule row;
  tacit_label_rule label;
  size_t dim;  /* number of weights of the learner: features plus bias, with one more
                  intercept per output if centred; or the dim of the gradient callback */
  size_t sums; /* length of the sum of a round: dim, plus 1 for the squared slope if
                  centred */
  int recipe;  /* 1 if the run uses the recipe of the practical preset */
  int centre_optional; /* 1 if the recipe asked for a round 0 and the user did not */
  tacit_learner_facts learner;
  tacit_bound bound;
  double clip;                   /* C; 0 unless bound is TACIT_BOUND_CLIP */
  double grad_bound, smoothness; /* G, H of the loss on the domain, in the dual norm */
  double stiffness;              /* H/G of the loss at the start point; 0: not known */
  double diameter;               /* diameter of W, in the norm of the learner */

  /* Privacy. */
  double epsilon, delta, mu; /* of this run alone; mu is INFINITY without noise */
  tacit_guarantee all;       /* guarantee of the run with what it builds on; its `unit`
                                is NULL */
  double score_mu;        /* part of mu for the scores of models of a stream; else 0 */
  double sens_norm;       /* exponent of the norm that the sensitivity is measured in */
  double sens_norm_ratio; /* largest norm, with exponent sens_norm, of a vector of dual
                             norm 1 */
  tacit_vault_facts vault;
  json_t *init; /* statement of the initial model, or NULL */
  int init_private;
  int described_private; /* 0 if the schema was made from counts without noise */

  /* Round 0, which releases the mean row. */
  int centred;       /* 1 if there is a round 0 */
  int64_t mean_rows; /* rows of round 0: all rows, or the first ones if apart is 1 */
  int apart;         /* 1 if only round 0 uses its rows; `rows` does not count them
                        then */
  int spreads;       /* 1 if round 0 releases the spread of the rows */
  tacit_moments moments;  /* layout of what round 0 releases */
  tacit_vault_facts mean; /* facts of the vault of round 0, with its share of mu */
  int offset_bits; /* the mean is a multiple of 2^-offset_bits times the power of two of
                      the row norm */
  int products;    /* 1 if one more round releases second moments after the mean; the
                      mean is then round -1, and they are round 0 */
  const char *products_obstacle; /* what does not go with second moments, or NULL */
  double early_mu;          /* mu of all rounds before round 1 together, rounded up */
  tacit_vault_facts second; /* facts of their vault, with its share of mu */
  double slope;    /* bound on slopes that the caller's clip implies; 0: by the rule */
  double constant; /* tacit_centre_constant */

  /* Derived, for people. */
  double noise_last;      /* upper bound on the standard deviation of the noise in a
                             coordinate of the last mean gradient */
  double noise_last_norm; /* upper bound on the root mean square of the dual norm of
                             that noise */
  double term_regret, term_sampling,
      term_noise; /* terms of the theorem with learner osd, divided by the diameter */
  json_t *training, *statement;
  tacit_statement stated,
      stated_init; /* read from `statement`; stated.init points to the second */
  char *text, *json, *statement_text, *statement_json;
};

/* Returns the bound on the contribution of one example in round weights->t, in units of
   beta_R and in the dual norm. The bound depends on released values only, so it is
   known before the rows of the round are read. `step` is |w_t - x_{t-1}|; `longest` is
   the largest step so far. */
double tacit_plan_bound(const tacit_plan *plan, const tacit_weights *weights,
                        double step, double longest);
/* Return the most rows (or persons) that one day of a stream, and all its days
   together, may have. The widths of the integers are chosen for these numbers. */
int64_t tacit_plan_day_max(const tacit_plan *plan);
int64_t tacit_plan_days_max(const tacit_plan *plan);
/* Returns the number of rows of round t (1-based). Batch j of a pass has rows
   floor(jn/b) … floor((j+1)n/b)-1. Round 0 has mean_rows rows. */
int64_t tacit_plan_round_rows(const tacit_plan *plan, int64_t t);
/* Returns the place in the pass of the first row of round t. */
int64_t tacit_plan_round_first(const tacit_plan *plan, int64_t t);
/* What a run decides and workers must know: whether rows are centred, which changes the
   scaling of rows for losses on numbers, whether the learner takes plain gradients,
   which changes parameters of losses, and whether the spread of rows is released. */
typedef struct tacit_problem {
  int centres, plain, spreads;
} tacit_problem;
/* Makes the part of a plan that a worker needs: rules of rows and labels, loss and
   norms, on which a contribution depends besides the round. The plan has no rounds,
   budget, noise, learner or texts. */
tacit_status tacit_plan_problem(const tacit_config *config, tacit_problem problem,
                                tacit_plan **out, tacit_error *err);
/* Computes the constants of the regulariser of the parameter-free section
   (docs/theory.md). */
void tacit_plan_regulariser(const tacit_plan *plan, tacit_algorithm1_regulariser *out);

/* plan/config.c: returns TACIT_EINVAL or TACIT_EPRIVACY if an option is out of its
   range. */
tacit_status tacit_config_check(const tacit_config *config, const tacit_days *days,
                                tacit_error *err);
/* plan/plan.c: makes the plan of a stream, or of an ordinary run if days->horizon is
   0. */
tacit_status tacit_plan_of_days(const tacit_config *config, const tacit_days *days,
                                tacit_plan **out, tacit_error *err);
/* plan/budget.c: compute the law, which fixes the norm of rows and contributions, the
   budget, and the noise with its effect on the model. Must be called in this order, the
   last one when the bounds are known. */
tacit_status tacit_plan_law(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_budget(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_noise(tacit_plan *plan, tacit_error *err);
/* plan/words_outlook.c: computes what the theorem promises with this noise. Takes about
   the same time for any number of rounds. */
tacit_status tacit_plan_outlook(tacit_plan *plan, tacit_error *err);
/* plan/centre.c: tacit_plan_centre decides whether the run is centred and divides the
   budget. tacit_plan_mean computes the vaults of the rounds before round 1; call it
   when the vault of the rounds is known. */
tacit_status tacit_plan_centre(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_mean(tacit_plan *plan, tacit_error *err);
/* Returns what the release of round 0 is read with. `noise` is the standard deviation
   in one of its numbers. */
tacit_frame_facts tacit_plan_frame(const tacit_plan *plan, double noise);
/* Computes the layout of the sums of round 0, which depends on rules of rows, labels
   and weights. */
void tacit_plan_moments(tacit_plan *plan);
/* Returns 1 if the config asks for a round 0. */
static inline int tacit_config_centres(const tacit_config *config) {
  return config->centre == TACIT_CENTRE_ON || config->centre == TACIT_CENTRE_HEAD;
}
/* Returns the first round: 1, or 0 if a mean is released, or -1 if second moments are
   released after it. */
static inline int64_t tacit_plan_first_round(const tacit_plan *plan) {
  return 1 - plan->centred - plan->products;
}
/* Returns 1 if round t releases second moments. Round t < 1 releases the mean
   otherwise. */
static inline int tacit_plan_has_products(const tacit_plan *plan, int64_t t) {
  return plan->products && t == 0;
}
/* Returns the facts of the vault of round t. */
static inline const tacit_vault_facts *tacit_plan_vault(const tacit_plan *plan,
                                                        int64_t t) {
  return t > 0                              ? &plan->vault
         : tacit_plan_has_products(plan, t) ? &plan->second
                                            : &plan->mean;
}
/* Returns the length of the longest sum of a round. */
size_t tacit_plan_longest(const tacit_plan *plan);
/* plan/derive.c: tacit_plan_loss returns the spec of the loss, as given or by default.
   tacit_plan_scale decides whether one number scales all rows. tacit_plan_is_plain
   returns 1 if the learner takes plain gradients, and tacit_plan_plain adapts the plan
   to it. */
const char *tacit_plan_loss(const tacit_plan *plan);
tacit_status tacit_plan_scale(tacit_plan *plan, tacit_error *err);
tacit_status tacit_plan_plain(tacit_plan *plan, tacit_error *err);
int tacit_plan_is_plain(const tacit_plan *plan);
/* Returns how often the rows are read: once per pass, and once for every earlier round
   that uses all rows. */
static inline int tacit_plan_readings(const tacit_plan *plan) {
  return plan->passes + (plan->apart ? 0 : plan->centred + plan->products);
}
/* Returns the number of rows in the data, with the rows that only round 0 reads. */
static inline int64_t tacit_plan_rows_all(const tacit_plan *plan) {
  return plan->rows + (plan->apart ? plan->mean_rows : 0);
}
/* plan/init.c: takes start point, offset and statement of the initial model. */
tacit_status tacit_plan_init_model(tacit_plan *plan, tacit_error *err);
/* Sets `all`: what the run guarantees together with its initial model and the counts
   that its schema was made from. */
tacit_status tacit_plan_compose(tacit_plan *plan, tacit_error *err);
/* plan/words_days.c: writes what the statement of a stream says of its days and its
   unit to `text`, which has TACIT_DAYS_WORDS bytes. Returns `text`, or NULL if the run
   is not a stream. */
enum { TACIT_DAYS_WORDS = 400 };
const char *tacit_plan_days(const tacit_plan *plan, char *text);
/* plan/words_text.c: returns whom a statement protects: "row" if `units` is 0,
   otherwise a person, on one day of a stream if one_day is 1, with the name of the ids.
   Writes to `out`. Leaves out a name that does not fit into a line. */
const char *tacit_unit_words(int64_t units, int one_day, const char *name,
                             const tacit_schema *schema, char *out, size_t size);
enum { TACIT_UNIT_WORDS = 256 };
/* Returns whom the run protects. `text` must have at least TACIT_UNIT_WORDS bytes. */
const char *tacit_plan_unit(const tacit_plan *plan, char *text);
/* Returns 1 if neighbours of the run alone are sets of rows. */
int tacit_plan_as_sets(const tacit_plan *plan);
/* Returns 1 if the run alone protects its unit on one day of a stream only. */
int tacit_plan_day_only(const tacit_plan *plan);
extern const char tacit_weights_words[]; /* what statements say of weights of rows */
/* Returns the parameters of a learner as JSON, such as {"eta": 0.4}, or NULL if memory
   runs out. */
json_t *tacit_plan_learner_params(const tacit_learner *learner);
/* Fills training, statement and the four texts. */
tacit_status tacit_plan_describe(tacit_plan *plan, tacit_error *err);

#endif
