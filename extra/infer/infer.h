/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_INFER_INFER_H
#define TACIT_EXTRA_INFER_INFER_H

#include <jansson.h>
#include <tacit/extra/infer.h>

#include "admit/cursor.h"
#include "admit/order.h"
#include "admit/roster.h"
#include "base/threads.h"
#include "extra/evaluate/evaluate.h"
#include "extra/infer/columns.h"
#include "extra/infer/joint.h"
#include "gradient/label.h"

/*
 * A table of effects in passes over all rows, each of which ends in one release:
 *
 *   means      of all columns, counts of levels, mean label           (start.c)
 *   spreads    of numbers, and of a label that is a number            (start.c)
 *   1 … K      damped Newton steps with released slope and curvature  (newton.c)
 *   residuals  their spread, if the label is a number                 (start.c)
 *   last       slope, curvature and meat, in the metric of the        (newton.c)
 *              curvature of the rounds before
 *
 * finish.c makes estimates and their covariance of the last release, result.c a model
 * whose training has the table. Constants and their evidence: docs/results/intervals.md
 */

/* Most coefficients, with the intercept. */
enum { TACIT_EFFECTS_MAX = 256 };

/* Shares of mu^2. */
#define TACIT_EFFECTS_MEANS 0.03
#define TACIT_EFFECTS_SPREADS 0.03
#define TACIT_EFFECTS_ROUNDS 0.20
#define TACIT_EFFECTS_LAST 0.74
#define TACIT_EFFECTS_RESIDUALS 0.05 /* part of the share of the last release */

/* The rows of a run, in the same order in every pass. Rows of a person follow each
   other. */
typedef struct tacit_effects_rows {
  struct tacit_reader *reader;
  size_t features;
  tacit_pool *pool;
  const tacit_roster *roster; /* NULL if the unit is a row */
  tacit_order *order;
  tacit_cursor *cursor;
  uint32_t *raw_unit_rows; /* room for the m of rows of persons */
  int has_read;            /* 1 after the first pass */
} tacit_effects_rows;
tacit_status tacit_effects_rows_open(tacit_effects_rows *rows,
                                     struct tacit_reader *reader, size_t features,
                                     tacit_pool *pool, const tacit_key *key,
                                     tacit_error *err);
void tacit_effects_rows_close(tacit_effects_rows *rows);
/* Calls `add` for all rows of a pass, with raw_unit_rows if the unit is a person. Uses
   all workers of the pool if the unit is a row, otherwise worker 0 alone. */
typedef tacit_status (*tacit_effects_fn)(void *context, size_t worker,
                                         const tacit_batch *batch, tacit_error *err);
tacit_status tacit_effects_pass(tacit_effects_rows *rows, tacit_effects_fn add,
                                void *context, tacit_error *err);

/* What a worker needs for a block of rows of a release. */
typedef struct tacit_effects_work {
  double *raw_x,
      *raw_z; /* columns of a row; z of the rows, and room for as many more */
  double *raw_y, *raw_weights; /* labels and weights of the rows */
  tacit_sums *raw_sums;        /* squares of the rows, and products with theta */
  double *raw_values;          /* what the rows add, `entries` numbers each */
  uint32_t *raw_indices;
  size_t n_units;       /* number of complete contributions in raw_values */
  uint32_t raw_m, left; /* rows of the open person, and those still to come */
} tacit_effects_work;

/* A sum over all units that is released once (sums.c). */
typedef struct tacit_effects_sum {
  struct tacit_inference *inference;
  tacit_once_facts facts; /* units, kappa and mu are filled in by the release */
  size_t entries, rows;   /* numbers of a row or unit; the most rows of a block */
  tacit_effects_fn add;   /* adds a batch; its context is the sum */
  tacit_once once;
  double steps;
  tacit_effects_work *works; /* one per worker */
} tacit_effects_sum;
/* Adds the vectors of some rows, at most TACIT_SUM_ROWS, to the sum of a worker. */
tacit_status tacit_effects_put(const tacit_effects_sum *sum, size_t worker,
                               const tacit_batch *rows, tacit_error *err);
/* Makes a pass and releases the sum for a share of mu^2. Writes facts.columns numbers,
   and the standard deviation of their noise. */
tacit_status tacit_effects_sum_up(tacit_effects_sum *sum, double share, double *out,
                                  double *out_noise, tacit_error *err);

/* What becomes of a column. */
typedef enum tacit_effects_state {
  TACIT_EFFECTS_USED = 0,
  TACIT_EFFECTS_REFERENCE = 1, /* reference of its group, or of a column of its cross */
  TACIT_EFFECTS_RARE = 2       /* too few rows: its rows have weight 0 */
} tacit_effects_state;

typedef struct tacit_effects_coefficient {
  double estimate, sampling, privacy; /* variances, of mapped columns */
  double remainder, df, kappa;        /* bias of one step in standard errors; degrees of
                                         freedom; relative error of the curvature */
  int identified;
} tacit_effects_coefficient;

struct tacit_inference {
  tacit_inference_options options;
  const tacit_schema *schema;
  tacit_effects_loss loss;
  tacit_label_rule label;
  tacit_effects_columns columns;
  const tacit_level *level;
  tacit_pool *pool;
  tacit_effects_rows rows;
  tacit_evaluation_facts facts; /* units and budget */
  int kappa;
  double spent; /* mu of the releases so far */
  tacit_key key;
  int releases; /* number of releases so far */
  int has_begun, noise_begun;

  /* Released numbers, and functions of them. */
  double n, y_mean, y_spread, y_tail; /* n is the sum of the weights */
  double *counts, *means;             /* per column */
  size_t *reference;                  /* per group */
  unsigned char *state;               /* per column: tacit_effects_state */
  size_t *used, d;                    /* the d - 1 columns with a coefficient */
  size_t n_rare;                      /* columns left out, in `used` after the others */
  double *centre, *spread, *rise;     /* per column: z = (x - centre) rise; rise is 1
                                         over spread */
  double counts_noise;                /* standard deviation of the noise of a count */
  double rare_below;                  /* levels with fewer rows are left out */
  double tau, most;
  double *theta;  /* d numbers, for z */
  double *metric; /* d x d: z_2 = metric^T z */
  double information;
  int rounds;
  tacit_effects_coefficient *found; /* d */
  double *covariance;               /* d x d, without the remainder, mapped columns */
  double *damped;                   /* d: coefficients for predictions */
  double low, low_noise;

  json_t *statement;
  char *statement_text, *plan_text;
  tacit_model *model;
};

enum { TACIT_EFFECTS_PURPOSE = 17 };
/* Takes a share of mu^2 for one release. Writes the mu of the release, rounded down,
   and the name of its noise. Returns TACIT_EPRIVACY if all releases together would
   exceed mu. */
tacit_status tacit_effects_spend(tacit_inference *inference, double share,
                                 double *out_mu, char purpose[TACIT_EFFECTS_PURPOSE],
                                 tacit_error *err);

/* Sets loss, budget and columns, for a known number of units. */
tacit_status tacit_effects_prepare(tacit_inference *inference, tacit_error *err);
/* Writes the columns of a row, z unless raw_z is NULL, and the label. Returns the
   weight of the row: 0 if a level of it was left out. */
double tacit_effects_z(const tacit_inference *inference, const tacit_batch *batch,
                       int64_t i, double *raw_x, double *raw_z, double *raw_y);

/* Make the releases of start.c. Must be called in this order. */
tacit_status tacit_effects_means(tacit_inference *inference, tacit_error *err);
tacit_status tacit_effects_spreads(tacit_inference *inference, tacit_error *err);
tacit_status tacit_effects_residuals(tacit_inference *inference, tacit_error *err);
/* Chooses references and leaves rare levels out (levels.c). */
tacit_status tacit_effects_choose(tacit_inference *inference, tacit_error *err);
/* Returns the mean curvature of a row at the start, about. */
double tacit_effects_h0(const tacit_inference *inference);
/* Makes a joint release, of which facts->kappa is filled in here (units.c). */
tacit_status tacit_effects_joint(tacit_inference *inference, tacit_joint_facts *facts,
                                 double share, tacit_joint_sums *out, tacit_error *err);
/* Rounds 1 … K, and the last one (newton.c). */
tacit_status tacit_effects_newton(tacit_inference *inference, tacit_error *err);
tacit_status tacit_effects_last(tacit_inference *inference, tacit_error *err);
/* Makes estimates of the last release; `steps` is the length of a step in units of
   g/h (finish.c). */
tacit_status tacit_effects_finish(tacit_inference *inference,
                                  const tacit_joint_facts *facts,
                                  const tacit_joint_sums *sums, tacit_error *err);
/* Makes the model with its table (result.c). */
tacit_status tacit_effects_model(tacit_inference *inference, tacit_error *err);
/* Returns kappa/(mu root(share)): the noise of a release of norm 1 (levels.c). */
double tacit_effects_noise(const tacit_inference *inference, double share);
/* Returns tau in units of the spread of the errors: 3, or 1 for classes, whose slopes
   are bounded by themselves. */
static inline double tacit_effects_wide(tacit_effects_loss loss) {
  return loss == TACIT_EFFECTS_LOGISTIC ? 1 : 3;
}

/* Returns about how many rows are needed so that the planned relative error of the
   curvature is at most `limit` (plan.c). */
double tacit_effects_rows_needed(tacit_effects_loss loss, double d, double kappa,
                                 double mu, double limit);

/* Distributions (distributions.c). */
double tacit_normal_above(double z);             /* P(Z > z) */
double tacit_normal_point(double tail);          /* z with P(Z > z) = tail */
double tacit_student_above(double t, double df); /* P(T > t) */
double tacit_student_point(double tail, double df);
double tacit_fisher_above(double f, double df_1, double df_2);

#endif
