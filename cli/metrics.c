/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
  BINS = 10,
  MATRIX_CLASSES = 1000, /* most classes of a matrix that is kept */
  PRINTED_CLASSES = 12   /* most classes of a matrix that is printed */
};

struct bin {
  double weight, predicted, observed; /* sums */
};

struct cli_tables {
  const tacit_model *model;
  double threshold;
  size_t classes;
  int has_probabilities;
  double weight, brier;
  double *actual, *predicted, *right; /* weight per class */
  double *matrix; /* weights, true class by predicted class; NULL if too large */
  struct bin bins[BINS];
};

int cli_threshold(const struct cli_args *args, const tacit_model *model, double *out) {
  *out = cli_number(args, "threshold", NAN);
  if (isnan(*out) || tacit_schema_classes(tacit_model_schema(model)) == 2) return 0;
  return cli_refuse("--threshold is for two classes: this model %s",
                    tacit_model_outputs(model) > 1 ? "has more" : "predicts a number");
}

size_t cli_class_of(const tacit_model *model, double threshold, const double *scores) {
  size_t best = 0, outputs = tacit_model_outputs(model);
  if (outputs == 1)
    return isnan(threshold) ? (size_t)tacit_model_class(model, scores[0])
                            : scores[0] > threshold;
  for (size_t i = 1; i < outputs; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

struct cli_tables *cli_tables_new(const tacit_model *model, double threshold) {
  struct cli_tables *tables = calloc(1, sizeof *tables);
  if (tables == NULL) return NULL;
  size_t classes = tacit_schema_classes(tacit_model_schema(model));
  const char *loss = tacit_model_loss(model);
  *tables = (struct cli_tables){
      .model = model,
      .threshold = threshold,
      .classes = classes,
      .has_probabilities = strcmp(loss, classes == 2 ? "logistic" : "softmax") == 0};
  tables->actual = calloc(3 * classes, sizeof *tables->actual);
  if (classes <= MATRIX_CLASSES)
    tables->matrix = calloc(classes * classes, sizeof *tables->matrix);
  if (tables->actual == NULL || (classes <= MATRIX_CLASSES && tables->matrix == NULL)) {
    cli_tables_free(tables);
    return NULL;
  }
  tables->predicted = tables->actual + classes;
  tables->right = tables->predicted + classes;
  return tables;
}

void cli_tables_free(struct cli_tables *tables) {
  if (tables == NULL) return;
  free(tables->actual);
  free(tables->matrix);
  free(tables);
}

/* Returns the squared error of the probabilities of a row: of the positive class if
   there are two classes, otherwise the sum over the classes. */
static double squared_error(const struct cli_tables *tables, const double *scores,
                            size_t actual) {
  if (tables->classes == 2) {
    double error = scores[0] - (double)actual;
    return error * error;
  }
  double sum = 0;
  for (size_t i = 0; i < tables->classes; ++i) {
    double error = scores[i] - (i == actual ? 1 : 0);
    sum += error * error;
  }
  return sum;
}

tacit_status cli_tables_add(void *cookie, const double *scores, double label,
                            double weight, tacit_error *err) {
  struct cli_tables *tables = cookie;
  (void)err;
  size_t actual = tables->classes == 2 ? label > 0 : (size_t)label;
  size_t predicted = cli_class_of(tables->model, tables->threshold, scores);
  tables->weight += weight;
  tables->actual[actual] += weight;
  tables->predicted[predicted] += weight;
  if (actual == predicted) tables->right[actual] += weight;
  if (tables->matrix != NULL)
    tables->matrix[actual * tables->classes + predicted] += weight;
  if (!tables->has_probabilities) return TACIT_OK;
  tables->brier += weight * squared_error(tables, scores, actual);
  /* Two classes: the positive one. More: the most likely one. */
  double probability = scores[tables->classes == 2 ? 0 : predicted];
  double observed = tables->classes == 2 ? (double)actual : actual == predicted;
  int place = (int)(BINS * probability);
  struct bin *bin = &tables->bins[place < BINS ? place : BINS - 1];
  bin->weight += weight;
  bin->predicted += weight * probability;
  bin->observed += weight * observed;
  return TACIT_OK;
}

double cli_tables_accuracy(const struct cli_tables *tables) {
  double right = 0;
  for (size_t i = 0; i < tables->classes; ++i)
    right += tables->right[i];
  return right / tables->weight;
}

double cli_tables_brier(const struct cli_tables *tables) {
  return tables->has_probabilities ? tables->brier / tables->weight : NAN;
}

/* Precision, recall and F1 of a class; NaN if it was never predicted, or never occurs.
 */
struct quality {
  double precision, recall, f1;
};

static struct quality quality_of(const struct cli_tables *tables, size_t class) {
  double right = tables->right[class], actual = tables->actual[class];
  double predicted = tables->predicted[class];
  return (struct quality){
      predicted > 0 ? right / predicted : NAN, actual > 0 ? right / actual : NAN,
      actual + predicted > 0 ? 2 * right / (actual + predicted) : NAN};
}

static const char *name_of(const struct cli_tables *tables, size_t class) {
  return tacit_schema_class(tacit_model_schema(tables->model), (int)class);
}

static void print_cell(double value) {
  if (isnan(value))
    printf(" %9s", "-");
  else
    printf(" %9.4f", value);
}

static void print_classes(const struct cli_tables *tables, const char *counted) {
  printf("\n%-20s %11s %11s %9s %9s %9s\n", "class", counted, "predicted", "precision",
         "recall", "f1");
  for (size_t i = 0; i < tables->classes; ++i) {
    struct quality quality = quality_of(tables, i);
    printf("%-20.40s %11.10g %11.10g", name_of(tables, i), tables->actual[i],
           tables->predicted[i]);
    print_cell(quality.precision);
    print_cell(quality.recall);
    print_cell(quality.f1);
    putchar('\n');
  }
}

static void print_matrix(const struct cli_tables *tables) {
  size_t n = tables->classes;
  if (n > PRINTED_CLASSES) {
    printf("\nThe confusion matrix of %zu classes is %s.\n", n,
           tables->matrix != NULL ? "in the output of --json" : "not kept");
    return;
  }
  printf("\n%-20s", "true \\ predicted");
  for (size_t i = 0; i < n; ++i)
    printf(" %11.11s", name_of(tables, i));
  for (size_t i = 0; i < n; ++i) {
    printf("\n%-20.40s", name_of(tables, i));
    for (size_t j = 0; j < n; ++j)
      printf(" %11.10g", tables->matrix[i * n + j]);
  }
  putchar('\n');
}

static void print_calibration(const struct cli_tables *tables, const char *counted) {
  printf("\n%-20s %11s %9s %9s\n",
         tables->classes == 2 ? "probability" : "largest probability", counted,
         "predicted", "observed");
  for (int i = 0; i < BINS; ++i) {
    const struct bin *bin = &tables->bins[i];
    if (!(bin->weight > 0)) continue;
    char range[24];
    snprintf(range, sizeof range, "%.1f to %.1f", (double)i / BINS,
             (double)(i + 1) / BINS);
    printf("%-20s %11.10g", range, bin->weight);
    print_cell(bin->predicted / bin->weight);
    print_cell(bin->observed / bin->weight);
    putchar('\n');
  }
}

void cli_tables_print(const struct cli_tables *tables, const char *counted) {
  print_classes(tables, counted);
  print_matrix(tables);
  if (tables->has_probabilities) print_calibration(tables, counted);
}

static json_t *classes_json(const struct cli_tables *tables) {
  json_t *list = json_array();
  for (size_t i = 0; i < tables->classes; ++i) {
    struct quality quality = quality_of(tables, i);
    json_array_append_new(
        list,
        json_pack("{s:s, s:f, s:f, s:o, s:o, s:o}", "class", name_of(tables, i), "rows",
                  tables->actual[i], "predicted", tables->predicted[i], "precision",
                  cli_json_number(quality.precision), "recall",
                  cli_json_number(quality.recall), "f1", cli_json_number(quality.f1)));
  }
  return list;
}

static json_t *matrix_json(const struct cli_tables *tables) {
  json_t *rows = json_array();
  for (size_t i = 0; i < tables->classes; ++i)
    json_array_append_new(
        rows, cli_json_numbers(tables->matrix + i * tables->classes, tables->classes));
  return rows;
}

static json_t *calibration_json(const struct cli_tables *tables) {
  json_t *list = json_array();
  for (int i = 0; i < BINS; ++i) {
    const struct bin *bin = &tables->bins[i];
    if (!(bin->weight > 0)) continue;
    json_array_append_new(list, json_pack("{s:[ff], s:f, s:f, s:f}", "range",
                                          (double)i / BINS, (double)(i + 1) / BINS,
                                          "rows", bin->weight, "predicted",
                                          bin->predicted / bin->weight, "observed",
                                          bin->observed / bin->weight));
  }
  return list;
}

void cli_tables_json(const struct cli_tables *tables, json_t *object) {
  json_object_set_new(object, "classes", classes_json(tables));
  if (tables->matrix != NULL)
    json_object_set_new(object, "confusion", matrix_json(tables));
  if (tables->has_probabilities)
    json_object_set_new(object, "calibration", calibration_json(tables));
}
