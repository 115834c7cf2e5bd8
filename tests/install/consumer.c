/* SPDX-License-Identifier: MIT */
/* A program of somebody else: it sees the installed headers and library only, trains a
   model on rows it holds in memory and asks for the statement. */
#include <stdio.h>
#include <tacit/tacit.h>

enum { ROWS = 400, FEATURES = 2 };

static int complain(const char *where, const tacit_error *err) {
  fprintf(stderr, "%s: %s\n", where, err->message);
  return 1;
}

static int train(tacit_model **out, tacit_error *err) {
  static double values[ROWS * FEATURES], labels[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    labels[i] = i % 2 ? 1 : -1;
    values[FEATURES * i] = 0.5 * labels[i];
    values[FEATURES * i + 1] = (i % 7) / 7.0;
  }
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_values = values;
  batch.raw_labels = labels;

  tacit_schema *schema;
  if (tacit_schema_memory(FEATURES, 2, 0, 0, &schema, err) != TACIT_OK)
    return complain("schema", err);
  tacit_config config;
  tacit_config_init(&config);
  config.epsilon = 1;
  config.rows = ROWS;
  config.schema = schema;
  tacit_train *run = NULL;
  int failed = tacit_train_new(&config, &run, err) != TACIT_OK ||
               tacit_train_feed(run, &batch, err) != TACIT_OK ||
               tacit_train_finish(run, out, err) != TACIT_OK;
  tacit_train_free(run);
  tacit_schema_free(schema);
  return failed ? complain("train", err) : 0;
}

int main(void) {
  if (tacit_abi() != TACIT_ABI) {
    fprintf(stderr, "headers and library differ\n");
    return 1;
  }
  tacit_error err;
  double epsilon;
  if (tacit_epsilon_from_mu_up(1, 1e-5, &epsilon, &err) != TACIT_OK)
    return complain("account", &err);
  if (!(epsilon > 4.3771 && epsilon < 4.3772)) {
    fprintf(stderr, "epsilon is %.17g\n", epsilon);
    return 1;
  }
  tacit_model *model;
  if (train(&model, &err) != 0) return 1;
  size_t n_weights;
  const double *weights = tacit_model_weights(model, &n_weights);
  int good = weights != NULL && n_weights == FEATURES + 1 &&
             tacit_model_has_bias(model) && tacit_model_statement(model)->is_private;
  tacit_model_free(model);
  if (!good) {
    fprintf(stderr, "not the model that was asked for\n");
    return 1;
  }
  printf("tacit %s\n", tacit_version());
  return 0;
}
