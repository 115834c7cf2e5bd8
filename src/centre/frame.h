/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_FRAME_H
#define TACIT_CENTRE_FRAME_H

#include <stddef.h>
#include <tacit/status.h>

#include "base/threads.h"
#include "batch/row.h"
#include "gradient/delta.h"
#include "gradient/label.h"
#include "loss/loss.h"

/*
 * Private centring. Round 0 releases the mean row together with the rates of the
 * classes, or with the mean and the square of the label. Later rounds use rows less the
 * released mean: these are shorter, so the guarantee needs less noise, and the model
 * starts at the base rate. Everything here is made from the release and from public
 * numbers.
 */

/* What one row adds in round 0: (s (x, 1), tails), in the units of a row. Public. */
typedef struct tacit_moments {
  size_t columns;    /* of the mean row: features and bias */
  size_t tails;      /* numbers after the columns, in the order of the members below */
  size_t rates;      /* numbers for classes: one per class, 1 for two classes, 0 for
                        losses on numbers */
  double label;      /* scale of a class's number; for numbers, scale of (u, u^2/2) */
  double label_unit; /* u is the label over this number, between -1 and 1 */
  size_t bins;       /* hats of u at points from bin_low to 1; 0 for classes */
  double bin_low;
  double bin;    /* scale of the hats */
  double norm;   /* scale of the squared norm of the scaled row; 0 if it is not
                    added */
  double wave;   /* scale of the waves (gradient/waves.h); 0 if they are not added */
  double weight; /* scale of a 1 that counts weights; 0 if it is not added */
  double reach;  /* bound on the norm of one contribution */
  double share;  /* share of mu that the release takes */
} tacit_moments;

/* Sets what rows add in round 0. `weighs` must be 1 if rows may have weights below 1,
   because the sum of weights is then released. `spreads` must be 1 if the spread of
   rows with classes is released. */
void tacit_moments_of(const tacit_row_rule *row, const tacit_label_rule *label,
                      int weighs, int spreads, tacit_moments *out);
/* Turns the delta of tacit_plan_delta into the delta of round 0. Leaves steps and clip
   as they are. */
void tacit_moments_delta(const tacit_moments *moments, tacit_delta *delta);

/* What a run makes of the release of round 0. All of it is public. */
typedef struct tacit_frame_facts {
  tacit_moments moments;
  tacit_row_rule row;
  tacit_label_rule label;
  const tacit_loss *loss;
  double rows;         /* n, or the number of persons */
  double noise;        /* standard deviation in one number of the release */
  double signal;       /* n mu / kappa of the run; INFINITY without noise */
  double slope;        /* bound on slopes; 0 for the rule of frame.c */
  double constant;     /* result of tacit_centre_constant */
  int products;        /* 1 if second moments are released after the frame */
  int stretches;       /* 1 if columns may be stretched after that */
  int passes;          /* passes over the rows in the later rounds */
  int bits;            /* the offset is a multiple of 2^-bits */
  const double *start; /* weights to start from, with an intercept of their own; NULL if
                          zeros */
  const double *start_offset; /* offset of the margin of each output at the start; NULL
                                 if zeros */
} tacit_frame_facts;

typedef struct tacit_frame {
  tacit_row_rule row;
  double *offset; /* o: minus the mean row, then the constant of the free intercept, in
                     whole multiples of 2^-bits */
  int bits;
  double *stretch; /* powers of two that the features of rows are multiplied by in the
                      rounds, one per feature; NULL if all are 1 */
  double *wide;    /* the offset of stretched rows; NULL without stretch */
  tacit_offset shift; /* offset of the rounds and bits, as the vault takes them */
  double *intercepts; /* intercept of each output at the start point */
  double *turns;      /* curvature of the mean loss of each output at the start point */
  int turns_as_slope; /* 1 if the curvature equals the mean squared slope, so that both
                         fall together */
  double unit;        /* length of a row for the learner: the row norm, or by the spread
                         of the rows */
  double radius;      /* r: centred rows are cut to this norm */
  double row_reach;   /* r_t: bound on the norm of a centred row with its constant */
  double slope;       /* c: bound on the norm of the slopes */
  double square;      /* s_q: scale of the squared slope in a contribution */
  double reach;       /* bound on the norm of one contribution of weight 1 */
  double slope_start; /* q_0: mean squared slope at the start, times slope_unit */
  double slope_unit;  /* 1 over the mean squared slope of an even guess */
  double curvature;   /* curvature of the mean loss, for losses on numbers; otherwise
                         0 */
  double label_mean;  /* mean of number labels, in the form that the loss takes;
                         otherwise 0 */
  double label_std;   /* standard deviation of number labels; otherwise 0 */
  double count;       /* rows, or the released sum of their weights */
  double spread;      /* root of the mean square of centred rows, for losses on
                         numbers; otherwise 0 */
  double *alone;      /* the offset with a last number as small as it may be, because
                         products need no intercept; NULL without products */
  tacit_offset bare;  /* `alone` and bits, as the vault takes them */
} tacit_frame;

/* Makes the frame from y, the released sums of round 0. The caller frees it. */
tacit_status tacit_frame_new(const tacit_frame_facts *facts, const double *y,
                             tacit_frame **out, tacit_error *err);
void tacit_frame_free(tacit_frame *frame);

/* Sets the norm that centred rows are cut to, and the constant of the free intercept in
   units of it. */
void tacit_frame_cut(tacit_frame *frame, double radius, double constant);

/* Returns what the offset adds to the margin of output k. has_free adds the free
   intercept. */
double tacit_frame_offset(const tacit_frame *frame, tacit_pool *pool, const double *x,
                          size_t k, int has_free);
/* Writes what is added to the margins of a row of data if the weights are x, one number
   per output. x must have the layout of batch/row.h, followed by the free intercept of
   each output. */
void tacit_frame_offsets(const tacit_frame *frame, tacit_pool *pool, const double *x,
                         double *out);
/* Stretches the rows of the rounds: feature j is multiplied by the power of two
   factors[j], at least 1, and the spread of the rows becomes `spread`. Rows are then
   cut to `radius`. From here on the learner has weights of stretched rows. */
tacit_status tacit_frame_stretch(tacit_frame *frame, const double *factors,
                                 double spread, double radius, double constant,
                                 tacit_error *err);
/* Turns weights of stretched rows into weights of rows as they are. */
void tacit_frame_unstretch(const tacit_frame *frame, double *x);
/* Adds to a delta what it depends on if rows are centred. x, x_prev and row must be
   set. `rise` must be the rise of algorithm1/weights.h. `offsets` must have room for
   two numbers per output and live as long as the delta. */
void tacit_frame_delta(const tacit_frame *frame, tacit_pool *pool, double rise,
                       double *offsets, tacit_delta *delta);

/* Returns the largest reach that a release can lead to. `constant` must be the constant
   of tacit_frame_facts. */
double tacit_centre_reach_max(double row_norm, double slope, double constant);
/* The smallest reach that a release can lead to, as a share of the largest. */
#define TACIT_CENTRE_REACH_MIN 0.19
/* Returns the bound on slopes that the rule for classes sets, from public numbers:
   `slope` is the bound of the loss, `weights` the number of all weights of the
   model. */
double tacit_centre_slope(double slope, double signal, size_t weights);
/* Returns the constant that every row has after its columns, over their radius. Its
   weight is the free intercept. */
double tacit_centre_constant(int are_classes, double signal, int passes);

#endif
