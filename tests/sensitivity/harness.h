/* SPDX-License-Identifier: MIT */
/*
 * Neighbouring data sets through the real code, on the same past: the change of every
 * round's sums and of every encoded row stays within the bound the noise was calibrated
 * to, in exact integers, and the whole run costs at most mu. A test program says how
 * pairs of neighbours are made (a `maker`); the harness tries them for every loss,
 * dense and sparse rows, both adjacencies, all bounds, one and three passes, under each
 * geometry. The same pairs with the bounds halved must show violations, or the harness
 * sees nothing.
 */
#ifndef TACIT_TESTS_HARNESS_H
#define TACIT_TESTS_HARNESS_H

#include "sums.h"

#include "run/run.h"
#include "vault/words.h"

enum {
  FEATURES = 5,
  UNITS = 12, /* rows, or persons */
  PER_PASS = 4,
  CLASSES = 4,
  ROWS_MAX = 64,
  DIM_MAX = CLASSES * (FEATURES + 1)
};

/* How contributions are bounded: the norm of the weights and the law of the noise. */
struct geometry {
  double norm;
  const char *law, *mechanism;
  int pairs;   /* in a full test */
  int classes; /* more than two: losses on classes only, one output each */
};

struct setting {
  const struct geometry *geometry;
  const tacit_loss_ops *loss;
  int sparse;
  tacit_adjacency adjacency;
  tacit_bound bound;
  int passes;
};

/* One data set: dense numbers and, for the sparse form, the same in CSR. */
struct rows {
  int64_t n;
  int64_t
      batch[ROWS_MAX]; /* of a pass, for each row; -1: the row contributes nothing */
  double raw_dense[ROWS_MAX * FEATURES], raw_labels[ROWS_MAX];
  int weighted; /* weights and units below; otherwise every row is a unit of weight 1 */
  double raw_weights[ROWS_MAX];
  uint32_t raw_unit_rows[ROWS_MAX];
  /* Filled in by the harness. */
  double raw_packed[ROWS_MAX * FEATURES];
  uint32_t raw_indices[ROWS_MAX * FEATURES];
  int64_t raw_row_start[ROWS_MAX + 1];
};

/* Neighbours. */
struct pair {
  struct rows one, two;
  uint32_t share;    /* the rows that differ have 1/share of the clip */
  int64_t odd_batch; /* where they are; -1: in any batches */
  int lie;           /* the slopes of the loss are ten times as long as it says */
  uint64_t seed;     /* of the run */
  int persons;       /* the unit is a person */
};

struct maker {
  const char *name;
  int pairs;       /* at most so many of each setting, if the test is not full */
  int whole;       /* 1: with all bounds, also if the test is not full */
  double reach[2]; /* worst cases use so much of the budget: two classes, and more */
  void (*make)(const struct setting *setting, int number, tacit_words *words,
               struct pair *out);
};

double uniform(tacit_words *words); /* -1 … 1 */
/* A row of random length, and the worst records that can take its place. */
void random_row(struct rows *rows, int64_t i, tacit_words *words,
                const struct setting *setting);
void worst_row(struct rows *rows, int64_t i, struct rows *other, int64_t i_other,
               int kind, const struct setting *setting);
void copy_row(struct rows *to, int64_t at, const struct rows *from, int64_t i);
double label_from(double u, const struct setting *setting);

/* The sum of the rows of a batch. */
void sums_of(const tacit_delta *delta, const struct rows *rows, int sparse,
             int64_t batch, int64_t *raw_sum);
/* A run for these settings. */
tacit_train *start_run(const struct setting *setting, const struct pair *pair,
                       tacit_schema **out_schema);
void stop_run(tacit_train *train, const struct pair *pair, tacit_schema *schema);

struct finding {
  int64_t past_sum, past_row, past_budget, checked;
  double worst; /* largest cost/mu of a run */
};
/* Runs on pair->one; at every round also encodes what pair->two would have given.
   `halved` claims half of each bound on purpose. */
void compare(const struct setting *setting, struct pair *pair, int halved,
             struct finding *finding);

/* Tests of a program: every maker under every geometry, then the others. */
int run_harness(int argc, char **argv, const struct maker *makers, size_t n_makers,
                const struct CMUnitTest *others, size_t n_others);

#endif
