/* SPDX-License-Identifier: MIT */
/*
 * Any model with a gradient: a network with one hidden layer learns a ring, which no
 * linear model can. The loss is not convex, but privacy does not need that: every
 * gradient difference is clipped, so the guarantee is the same.
 *
 *   cc network.c $(pkg-config --cflags --libs tacit) -lm -o network
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacit/tacit.h>

enum {
  INPUTS = 2,
  HIDDEN = 16,
  DIM = HIDDEN * (INPUTS + 2) + 1,
  ROWS = 60000,
  PASSES = 8
};

/* Order of the weights: for each hidden unit its input weights, its bias and its output
   weight; at the end the output bias. */
static double output_of(const double *w, const double *x, double *hidden) {
  double out = w[DIM - 1];
  for (int h = 0; h < HIDDEN; ++h) {
    const double *unit = w + h * (INPUTS + 2);
    double sum = unit[INPUTS];
    for (int i = 0; i < INPUTS; ++i)
      sum += unit[i] * x[i];
    hidden[h] = tanh(sum);
    out += unit[INPUTS + 1] * hidden[h];
  }
  return out;
}

/* The gradient of log(1 + exp(-y out)), written by hand: an example of a callback for
   any model. It gets one record and must not keep anything of it. */
static tacit_status gradient(void *self, const tacit_batch *batch, int64_t row,
                             const double *w, double *raw_out) {
  const double *x = batch->raw_values + row * INPUTS;
  double y = batch->raw_labels[row], hidden[HIDDEN];
  double slope = -y / (1 + exp(y * output_of(w, x, hidden)));
  (void)self;
  for (int h = 0; h < HIDDEN; ++h) {
    const double *unit = w + h * (INPUTS + 2);
    double *out = raw_out + h * (INPUTS + 2);
    double inner = slope * unit[INPUTS + 1] * (1 - hidden[h] * hidden[h]);
    for (int i = 0; i < INPUTS; ++i)
      out[i] = inner * x[i];
    out[INPUTS] = inner;
    out[INPUTS + 1] = slope * hidden[h];
  }
  raw_out[DIM - 1] = slope;
  return TACIT_OK;
}

static double uniform(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) * 0x1p-53;
}

static void make_ring(double *values, double *labels) {
  unsigned long long state = 11;
  for (int i = 0; i < ROWS; ++i) {
    double x = 4 * uniform(&state) - 2, y = 4 * uniform(&state) - 2;
    values[2 * i] = x;
    values[2 * i + 1] = y;
    labels[i] = x * x + y * y < 2 ? 1 : -1;
  }
}

static tacit_status train_network(const tacit_batch *batch, double *weights,
                                  tacit_error *err) {
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_config config;
  tacit_gradient_ops model = {.version = 1, .dim = DIM, .gradient = gradient};
  double start[DIM]; /* a network must not start at zero; this point is public */
  unsigned long long state = 3;
  for (int i = 0; i < DIM; ++i)
    start[i] = 2 * uniform(&state) - 1;

  tacit_status status = tacit_schema_memory(INPUTS, 2, 0, 0, &schema, err);
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.epsilon = 2;
  config.passes = PASSES;
  config.batch = ROWS / 16;
  config.gradient = &model;
  config.clip = 1;
  config.start = start;
  config.learner = "adagrad-diag:eta=0.6";
  if (status == TACIT_OK) status = tacit_train_new(&config, &train, err);
  for (int pass = 0; pass < PASSES && status == TACIT_OK; ++pass)
    status = tacit_train_feed(train, batch, err);
  if (status == TACIT_OK) status = tacit_train_weights(train, DIM, weights, err);
  if (status == TACIT_OK)
    printf("%s\n", tacit_plan_statement_text(tacit_train_plan(train)));
  tacit_train_free(train);
  tacit_schema_free(schema);
  return status;
}

int main(void) {
  double *values = calloc(ROWS * INPUTS, sizeof *values);
  double *labels = calloc(ROWS, sizeof *labels), weights[DIM], hidden[HIDDEN];
  tacit_error err = {TACIT_OK, ""};
  tacit_batch batch;
  int right = 0;
  if (values == NULL || labels == NULL) return 1;
  make_ring(values, labels);
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = INPUTS;
  batch.raw_values = values;
  batch.raw_labels = labels;
  tacit_status status = train_network(&batch, weights, &err);
  if (status == TACIT_OK) {
    for (int i = 0; i < ROWS; ++i)
      right += output_of(weights, values + 2 * i, hidden) * labels[i] > 0;
    printf("accuracy %.3f (a linear model cannot pass 0.61)\n", (double)right / ROWS);
  } else {
    fprintf(stderr, "network: %s\n", err.message);
  }
  free(values);
  free(labels);
  return status == TACIT_OK && right > 0.85 * ROWS ? 0 : 1;
}
