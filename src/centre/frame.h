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
 * classes, or with the mean and the square of the label. The rounds after it use rows
 * less the released mean: they are shorter, so the same guarantee needs less noise, and
 * the model starts at the base rate. Everything here is made from the release and from
 * public numbers.
 */

/* Round 0: what one row adds, (s (x, 1), tails), in the units of a row. Public. */
typedef struct tacit_moments {
  size_t columns;    /* of the mean row: features and bias */
  size_t tails;      /* numbers after them, in the order of the next members */
  size_t rates;      /* indicators of classes; 1 for two classes, 0 for numbers */
  double label;      /* scale of each indicator; for numbers of (u, u^2/2), */
  double label_unit; /* u = label over this number, between -1 and 1 */
  size_t bins;       /* hats of u at points from bin_low to 1; 0 for classes … */
  double bin_low;
  double bin;        /* … and their scale */
  double norm;       /* scale of the squared norm of the scaled row; 0: none */
  double weight;     /* scale of a 1 that counts weights; 0: none */
  double reach;      /* bound on the norm of one contribution */
  double share;      /* of mu that the release takes */
} tacit_moments;

/* `weighs`: rows may have weights below 1, so their sum is released too. */
void tacit_moments_of(const tacit_row_rule *row, const tacit_label_rule *label,
                      int weighs, tacit_moments *out);
/* Turns the delta of tacit_plan_delta into the delta of round 0. Leaves steps and clip
   as they are. */
void tacit_moments_delta(const tacit_moments *moments, tacit_delta *delta);

/* What a run makes of a release of round 0; all of it is public. */
typedef struct tacit_frame_facts {
  tacit_moments moments;
  tacit_row_rule row;
  tacit_label_rule label;
  const tacit_loss *loss;
  double rows;         /* n, or persons */
  double noise;        /* standard deviation in one number of the release */
  double signal;       /* n mu / kappa of the run; INFINITY without noise */
  double slope;        /* bound on slopes; 0: by a rule */
  double constant;     /* tacit_centre_constant */
  int passes;          /* over the rows, of the rounds after it */
  int bits;            /* the offset is a multiple of 2^-bits */
  const double *start; /* weights to start from, with their own intercept; NULL: none */
  const double *start_offset; /* of each output of the start; NULL: zeros */
} tacit_frame_facts;

typedef struct tacit_frame {
  tacit_row_rule row;
  double *offset; /* o: less the mean row, then the constant of the free intercept;
                     whole multiples of 2^-bits */
  int bits;
  tacit_offset shift; /* offset and bits */
  double *intercepts; /* of each output at the start point */
  double *turns;      /* curvature of the mean loss of each output there */
  int turns_as_slope; /* 1: it is the mean squared slope, so it falls with it */
  double radius;      /* r: centred rows are cut to this norm */
  double row_reach;   /* bound on a centred row with its constant, r_t */
  double slope;       /* c: bound on the norm of the slopes */
  double square;      /* s_q: scale of the squared slope in a contribution */
  double reach;       /* bound on the norm of one contribution of weight 1 */
  double slope_start; /* q_0: mean squared slope at the start, times slope_unit */
  double slope_unit;  /* 1 over the mean squared slope of an even guess */
  double curvature;   /* of the mean slope, losses on numbers; else 0 */
  double label_mean;  /* of number labels, as the loss takes them; else 0 */
  double label_std;   /* and their standard deviation */
} tacit_frame;

/* y: the released sums of round 0. */
tacit_status tacit_frame_new(const tacit_frame_facts *facts, const double *y,
                             tacit_frame **out, tacit_error *err);
void tacit_frame_free(tacit_frame *frame);

/* What is added to the margins of a row of data when the weights are x: laid out as in
   batch/row.h, then the free intercept of each output. One number per output. */
void tacit_frame_offsets(const tacit_frame *frame, tacit_pool *pool, const double *x,
                         double *out);
/* Adds to a delta what it depends on because rows are centred. x, x_prev and row must
   be set; `rise` is that of algorithm1/weights.h. `offsets` has room for two numbers
   per output and must live as long as the delta. */
void tacit_frame_delta(const tacit_frame *frame, tacit_pool *pool, double rise,
                       double *offsets, tacit_delta *delta);

/* The largest reach that a release can lead to. `constant` is that of the facts. */
double tacit_centre_reach_max(double row_norm, double slope, double constant);
/* The smallest reach, as a share of the largest. */
#define TACIT_CENTRE_REACH_MIN 0.19
/* The bound on slopes by the rule for classes, from public numbers. `slope` is that of
   the loss, `weights` the number of all weights. */
double tacit_centre_slope(double slope, double signal, size_t weights);
/* The constant that every row has beside its columns, over their radius. The weight of
   it is the free intercept. */
double tacit_centre_constant(int are_classes, double signal, int passes);

#endif
