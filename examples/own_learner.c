/* SPDX-License-Identifier: MIT */
/*
 * A learner of your own. The paper turns *any* online convex optimiser into a private
 * learner: here is one in thirty lines, regularised dual averaging with a step size
 * that decreases as gradients accumulate. It sees released values only, so it cannot
 * harm privacy.
 *
 *   cc own_learner.c $(pkg-config --cflags --libs tacit) -lm -o own_learner
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacit/tacit.h>

/* State: the sum of squared gradient norms so far, divided by beta_t^2. */
struct averaging {
  double squares;
  double eta;
};

static const tacit_param params[] = {{"eta", 1e-6, 1e6, 5, "step size"},
                                     {NULL, 0, 0, 0, NULL}};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct averaging *state = self;
  (void)facts;
  (void)err;
  state->eta = values[0];
  return TACIT_OK;
}

/* w_{t+1} = -eta (sum of gradients) / sqrt(sum of squared norms). Gradients are given
   divided by beta_t, so running sums are first multiplied by `ratio`, the change of
   scale. */
static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct averaging *state = self;
  double *sum = vectors[0], norm_squared = 0;
  for (size_t i = 0; i < facts->dim; ++i) {
    sum[i] = loss->ratio * sum[i] + loss->grad[i];
    norm_squared += loss->grad[i] * loss->grad[i];
  }
  state->squares = loss->ratio * loss->ratio * state->squares + norm_squared;
  double scale = state->squares > 0 ? state->eta / sqrt(state->squares) : 0;
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] = -scale * sum[i];
  tacit_domain_project(facts, w);
}

static const tacit_learner_ops dual_averaging = {
    .version = 1,
    .name = "dual-averaging",
    .summary = "lazy gradient descent",
    .params = params,
    .state_size = sizeof(struct averaging),
    .n_vectors = 1,
    .init = init,
    .step = step,
};

enum { ROWS = 20000, FEATURES = 5 };

/* Synthetic data: a linear rule with some noise in the labels. This generator is good
   enough for that, not for privacy. */
static double uniform(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) * 0x1p-53;
}

static void make_rows(double *values, double *labels) {
  unsigned long long state = 7;
  for (int i = 0; i < ROWS; ++i) {
    double margin = 0.2;
    for (int j = 0; j < FEATURES; ++j) {
      values[i * FEATURES + j] = 2 * uniform(&state) - 1;
      margin += values[i * FEATURES + j] * (j - 2);
    }
    labels[i] = uniform(&state) < 1 / (1 + exp(-4 * margin)) ? 1 : -1;
  }
}

int main(void) {
  double *values = calloc(ROWS * FEATURES, sizeof *values);
  double *labels = calloc(ROWS, sizeof *labels),
         *predictions = calloc(ROWS, sizeof *labels);
  tacit_error err = {TACIT_OK, ""};
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_batch batch;
  tacit_config config;
  int right = 0;
  if (values == NULL || labels == NULL || predictions == NULL) return 1;
  make_rows(values, labels);
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_values = values;
  batch.raw_labels = labels;

  tacit_status status = tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err);
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.epsilon = 1;
  config.learner_ops = &dual_averaging; /* the one line that matters */
  config.learner = "dual-averaging:eta=10";
  if (status == TACIT_OK) status = tacit_train_new(&config, &train, &err);
  if (status == TACIT_OK) status = tacit_train_feed(train, &batch, &err);
  if (status == TACIT_OK) status = tacit_train_finish(train, &model, &err);
  if (status == TACIT_OK)
    status = tacit_model_predict(model, &batch, predictions, &err);
  if (status == TACIT_OK) {
    for (int i = 0; i < ROWS; ++i)
      right += tacit_model_class(model, predictions[i]) == (labels[i] > 0);
    printf("%s\naccuracy %.3f\n", tacit_model_statement_text(model),
           (double)right / ROWS);
  } else {
    fprintf(stderr, "own_learner: %s\n", err.message);
  }
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_schema_free(schema);
  free(values);
  free(labels);
  free(predictions);
  return status == TACIT_OK && right > 0.75 * ROWS ? 0 : 1;
}
