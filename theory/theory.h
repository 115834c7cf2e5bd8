/* SPDX-License-Identifier: MIT */
/*
 * `make theory` checks every theorem of the paper on problems whose optimum is known.
 * It uses the public interface only. docs/theory.md explains what is measured and why.
 */
#ifndef TACIT_THEORY_H
#define TACIT_THEORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tacit/tacit.h>

enum { DIM_MAX = 64, POINTS_MAX = 16, SERIES_MAX = 10 };

/* A stream of numbers determined by its seed (SplitMix64), equal on every machine. */
typedef struct stream {
  uint64_t state;
} stream;

double stream_uniform(stream *source); /* in (0, 1) */
double stream_normal(stream *source);

/* --- problems.c: losses l(x, z) = f(x) + <z, x> with E z = 0, and logistic --- */

typedef enum problem_kind {
  LINEAR,    /* f = <c, x> */
  QUADRATIC, /* f = |x - c|^2/2 */
  FACE,      /* f = -tilt x_0 + bend/2 (x_1 - c_1)^2, on a box */
  BOWL,      /* f = tilt (sqrt(bend^2 + |x - c|^2) - bend) */
  LOGISTIC   /* rows in {-1,1}^d/sqrt(d), labels from the Bayes model c */
} problem_kind;

typedef struct problem {
  problem_kind kind;
  size_t dim;
  tacit_domain domain;
  double radius;
  double norm; /* p of the primal norm; 0 means 2, and 1 the simplex */
  double c[DIM_MAX];
  double tilt, bend;
  double spread; /* sigma_G, the length of every z; 0 means no data noise */
  int signs;     /* 1 for z = spread times random signs, 0 for z uniform on the
                    sphere */
  /* The premises of the theorems: the Lipschitz constant of l and its smoothness in the
     dual norm, the strong convexity of E l and the diameter of W. */
  double G, H, mu, D;
  double sigma_H; /* distance of Hessians from their mean; 0 except for LOGISTIC */
  double bayes;   /* for LOGISTIC: smallest expected loss, set by problem_ready */
} problem;

/* Computes the fields that follow from the others. Call it after all other fields are
   set. */
void problem_ready(problem *p);
/* Returns E l(x) - min over W of E l. */
double problem_excess(const problem *p, const double *x);
/* Computes the gradient of E l; not for LOGISTIC. */
void problem_slope(const problem *p, const double *x, double *out);
/* Computes the minimiser over W; not for LOGISTIC. */
void problem_best(const problem *p, double *out);
/* Draws one record: `dim` numbers, and for LOGISTIC its label. */
void problem_draw(const problem *p, stream *source, double *row, double *label);
/* The gradient callback of the library. `self` must be the problem. */
tacit_status problem_gradient(void *self, const tacit_batch *batch, int64_t row,
                              const double *weights, double *raw_out);

/* --- runs.c --- */

/* How Algorithm 1 is run on a problem. */
typedef struct setup {
  problem on;
  const char *learner;
  double power;        /* k */
  double rho;          /* mu of the run; there is no DP noise if rho and epsilon are
                          0 */
  double epsilon;      /* for pure DP, or 0 */
  const char *law;     /* law of the noise; NULL means gaussian */
  tacit_bound bound;   /* default: tight */
  const double *start; /* start point; NULL means zeros */
  double reg_scale;
  int trace; /* 1 to measure the anytime lemma during the run */
  int spy;   /* 1 to use spy_learner, which measures its regret */
} setup;

typedef struct outcome {
  double excess; /* L(x_T) - L* */
  double moved;  /* |x_T - x_init| */
  double lemma;  /* sum beta_t <grad L(x_t), w_t - x*> / beta_{1:T}; only with trace */
  double regret; /* sum <gbar_t, w_t - x*> / beta_{1:T}; only with spy */
} outcome;

typedef struct sample {
  double mean, half; /* mean excess, and half the width of its 95% interval */
  double moved, regret;
  double lemma_slack; /* smallest (lemma - excess) of the runs */
} sample;

/* Makes `seeds` runs of T rounds with one record each and takes x_T as the paper does.
   Ends the program with a message if the library refuses. */
sample run_many(const setup *s, int64_t rounds, int seeds);

/* --- spy.c --- */
extern const tacit_learner_ops spy_learner;
/* Returns the regret of this thread's last run against u, over beta_{1:T}. */
double spy_regret(const double *u);

/* --- bounds.c --- */

/* Sums over the rounds, scaled so that they are terms of the bounds. */
typedef struct terms {
  double noise;    /* sum E|gamma_t|_* / beta_{1:T} */
  double sampling; /* sum E|g_t - beta_t grad L(x_t)|_* / beta_{1:T} */
  double grads;    /* sqrt(sum E|gbar_t|_*^2) / beta_{1:T} */
  double changes;  /* sqrt(sum E|gbar_t - gbar_{t-1}|_*^2) / beta_{1:T} */
  double strong_regret, strong_error; /* terms of the strongly convex theorem, for mu =
                                         1 */
  double horizon;                     /* beta_{1:T}/beta_T */
  double ghat;                        /* a bound on |gbar_t / beta_t| in every round */
} terms;

terms bound_terms(const setup *s, int64_t rounds);
/* Returns the bound of the theorem for the learner of the setup, or NaN if there is no
   theorem. */
double bound_of(const setup *s, int64_t rounds);

/* --- fit.c --- */
typedef struct line {
  double slope, se;
} line;
/* Fits a line in log-log coordinates by least squares. */
line fit_slope(const double *x, const double *y, int n);

/* --- report.c --- */
typedef struct series {
  const char *label;
  int n;
  double x[POINTS_MAX], mean[POINTS_MAX], half[POINTS_MAX], bound[POINTS_MAX];
} series;

typedef struct report {
  int passed, failed;
  int quick;           /* 1 for fewer seeds and shorter runs, as in `make test` */
  const char *figures; /* folder, or NULL */
  FILE *out;           /* NULL prints nothing */
  char first_failure[256];
} report;

void report_title(report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_note(report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_check(report *r, int holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the line of point i. */
void report_point(report *r, const series *s, int i, int seeds);
/* Makes the setup for T rounds. */
typedef void (*setup_fn)(double t, setup *out);
/* Runs the setup for T = 2^from … 2^to and prints a line for each. If it has a bound,
   checks that the interval is below the bound. */
void report_sweep(report *r, const char *label, setup_fn make, int from, int to,
                  int seeds, series *out);
/* Checks low <= slope <= high. Returns the fitted slope. */
line report_slope(report *r, const series *s, double low, double high);

/* --- plot.c --- */
typedef struct curve {
  const char *label;
  int n;
  const double *x, *y, *half; /* NULL for no intervals */
  int dashed;                 /* 1 for a dashed line without marks, as bounds have */
  int colour;                 /* from 0; a bound has the colour of its series */
  double slope;               /* printed with the label unless 0 */
} curve;
/* Return the curve of a measured series, with its slope if with_slope is 1, and the
   curve of its bound. */
curve curve_of(const char *label, const series *s, int colour, int with_slope);
curve curve_bound(const char *label, const series *s, int colour);
/* Writes a log-log plot to folder/name.svg. Does nothing if folder is NULL. Returns 0,
   or -1 if the file cannot be written. */
int svg_plot(const char *folder, const char *name, const char *title, const char *xname,
             const char *yname, const curve *curves, int n);

/* --- one file per theorem --- */
void theory_main_theorem(report *r);
void theory_strongly_convex(report *r);
void theory_optimistic(report *r);
void theory_parameter_free(report *r);
void theory_norms(report *r);
void theory_pure(report *r);

#endif
