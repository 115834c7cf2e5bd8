/* SPDX-License-Identifier: MIT */
/* Predictions and metrics. They depend directly on the rows they are computed for, so
   the privacy guarantee does not cover them. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/margins.h"
#include "model/model.h"

/* Returns the prediction for a margin, mapped from the scale of the loss to the scale
   of the label. */
static double prediction_outside(const tacit_model *model, double margin) {
  double inside = tacit_loss_predict(model->loss, margin);
  if (model->label.kind != TACIT_LOSS_UNIT) return inside;
  return model->label.min + (inside + 1) / 2 * (model->label.max - model->label.min);
}

/* Returns the class with the largest score, or the first of several such classes. */
static size_t likeliest(const double *scores, size_t outputs) {
  size_t best = 0;
  for (size_t k = 1; k < outputs; ++k)
    if (scores[k] > scores[best]) best = k;
  return best;
}

tacit_status tacit_model_margins(const tacit_model *model, const tacit_batch *batch,
                                 double *out, tacit_error *err) {
  size_t outputs = model->row.outputs;
  TACIT_TRY(
      tacit_batch_margins(batch, &model->row, model->weights, model->wide, out, err));
  if (model->offset == NULL) return TACIT_OK;
  for (int64_t i = 0; i < batch->n_rows; ++i)
    for (size_t k = 0; k < outputs; ++k)
      out[(size_t)i * outputs + k] += model->offset[k];
  return TACIT_OK;
}

/* Replaces the margins of one row by its scores. */
static void score_row(const tacit_model *model, double *row) {
  if (model->row.outputs == 1)
    row[0] = prediction_outside(model, row[0]);
  else
    tacit_loss_predict_all(model->loss, row, row);
}

tacit_status tacit_model_scores(const tacit_model *model, const tacit_batch *batch,
                                double *out, tacit_error *err) {
  TACIT_TRY(tacit_model_margins(model, batch, out, err));
  for (int64_t i = 0; i < batch->n_rows; ++i)
    score_row(model, out + (size_t)i * model->row.outputs);
  return TACIT_OK;
}

tacit_status tacit_model_predict(const tacit_model *model, const tacit_batch *batch,
                                 double *out, tacit_error *err) {
  size_t outputs = model->row.outputs;
  if (outputs == 1) return tacit_model_scores(model, batch, out, err);
  TACIT_TRY(tacit_batch_check(batch, model->row.features, 0, err));
  double *scores = tacit_raw_new((size_t)batch->n_rows * outputs, sizeof *scores);
  if (scores == NULL) return tacit_fail_memory(err);
  tacit_status status = tacit_model_scores(model, batch, scores, err);
  for (int64_t i = 0; status == TACIT_OK && i < batch->n_rows; ++i)
    out[i] = (double)likeliest(scores + (size_t)i * outputs, outputs);
  tacit_raw_free(scores);
  return status;
}

double tacit_term_scale_of(const tacit_schema *schema, const tacit_row_rule *row) {
  if (row->scale > 0) return row->scale;
  double largest = tacit_schema_norm_max(schema, row->bias, row->exponent);
  return isfinite(largest) && largest > row->row_norm ? row->row_norm / largest : 1;
}

double tacit_model_term_scale(const tacit_model *model) { return model->term_scale; }

int tacit_model_class(const tacit_model *model, double prediction) {
  if (model->row.outputs > 1) return (int)prediction;
  /* The prediction increases with the margin, and margin 0 separates the classes. */
  return prediction > prediction_outside(model, 0);
}

struct scored {
  double score, weight;
  int positive;
};

/* Running sums over the rows seen so far. */
struct tally {
  int64_t rows;
  double weight, right; /* sums of the weights of all rows, and of the rows predicted
                           right */
  double loss, error_squared, error_absolute, deviance;
  double mean, squares; /* mean of the labels, and sum of squared distances from it
                           (Welford) */
  struct scored *scores;
  size_t room;
  tacit_scored_fn take; /* called for every row; may be NULL */
  void *cookie;
};

static int by_score(const void *a, const void *b) {
  double left = ((const struct scored *)a)->score;
  double right = ((const struct scored *)b)->score;
  return (left > right) - (left < right);
}

/* Returns the probability that a positive row scores above a negative one. Ties count
   one half. */
static double area_under_curve(struct scored *scores, int64_t rows) {
  double positives = 0, negatives = 0, wins = 0;
  qsort(scores, (size_t)rows, sizeof *scores, by_score);
  for (int64_t i = 0; i < rows;) {
    double tied_positives = 0, tied_negatives = 0;
    int64_t first = i;
    for (; i < rows && !(scores[i].score > scores[first].score); ++i)
      if (scores[i].positive)
        tied_positives += scores[i].weight;
      else
        tied_negatives += scores[i].weight;
    wins += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
  }
  return wins / (positives * negatives); /* NaN if all rows have one class */
}

/* Counts one row of a model for classes. */
static void count_class(const tacit_model *model, const double *margins, double label,
                        double weight, struct tally *tally) {
  size_t outputs = model->row.outputs;
  if (outputs > 1) {
    if ((double)likeliest(margins, outputs) == label) tally->right += weight;
    return;
  }
  int positive = label > 0;
  double prediction = prediction_outside(model, margins[0]);
  if (tacit_model_class(model, prediction) == positive) tally->right += weight;
  tally->scores[tally->rows] = (struct scored){margins[0], weight, positive};
}

/* Counts one row of a model for numbers. tally->weight must already contain the weight
   of the row. */
static void count_number(const tacit_model *model, double margin, double label,
                         double weight, struct tally *tally) {
  double predicted = prediction_outside(model, margin), error = predicted - label;
  double from_mean = label - tally->mean;
  tally->error_squared += weight * error * error;
  tally->error_absolute += weight * fabs(error);
  tally->deviance +=
      2 * weight * (error + (label > 0 ? label * log(label / predicted) : 0));
  if (weight > 0) tally->mean += from_mean * (weight / tally->weight);
  tally->squares += weight * from_mean * (label - tally->mean);
}

static tacit_status count_batch(const tacit_model *model, const tacit_batch *batch,
                                double *margins, struct tally *tally,
                                tacit_error *err) {
  int classes = model->label.kind == TACIT_LOSS_CLASSES;
  size_t outputs = model->row.outputs;
  if (classes && outputs == 1 &&
      !tacit_raw_reserve(&tally->scores, &tally->room,
                         (size_t)(tally->rows + batch->n_rows), sizeof *tally->scores))
    return tacit_fail_memory(err);
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    double *row = margins + (size_t)i * outputs;
    double label = tacit_batch_label(batch, i);
    if (!tacit_label_is_declared(&model->label, label)) {
      return tacit_fail(err, TACIT_EDATA, "row %lld of the batch: not a declared class",
                        (long long)i + 1);
    }
    double inside = tacit_label_inside(&model->label, label);
    uint32_t rows = tacit_batch_unit_rows(batch, i); /* the rows of a person count as
                                                        one row together */
    double weight = rows > 0 ? tacit_batch_weight(batch, i) / rows : 0;
    tally->weight += weight;
    tally->loss += weight * tacit_loss_value_all(model->loss, row, inside);
    if (classes)
      count_class(model, row, label, weight, tally);
    else
      count_number(model, row[0], label, weight, tally);
    ++tally->rows;
    if (tally->take == NULL) continue;
    score_row(model, row);
    TACIT_TRY(tally->take(tally->cookie, row, label, weight, err));
  }
  return TACIT_OK;
}

static tacit_status count_all(const tacit_model *model, tacit_reader *reader,
                              struct tally *tally, tacit_error *err) {
  double *margins = NULL;
  int64_t room = 0;
  tacit_status status = TACIT_OK;
  for (;;) {
    const tacit_batch *batch = NULL;
    status = tacit_reader_next(reader, &batch, err);
    if (status != TACIT_OK || batch->n_rows == 0) break;
    if (batch->n_rows > room) {
      tacit_raw_free(margins);
      margins =
          tacit_raw_new((size_t)batch->n_rows * model->row.outputs, sizeof *margins);
      room = batch->n_rows;
      if (margins == NULL) {
        status = tacit_fail_memory(err);
        break;
      }
    }
    status = tacit_batch_check(batch, model->row.features, 1, err);
    if (status != TACIT_OK) break;
    status = tacit_model_margins(model, batch, margins, err);
    if (status != TACIT_OK) break;
    status = count_batch(model, batch, margins, tally, err);
    if (status != TACIT_OK) break;
  }
  tacit_raw_free(margins);
  return status;
}

static tacit_metrics metrics_of(const tacit_model *model, const struct tally *tally) {
  tacit_metrics out = {.struct_size = sizeof out, .rows = tally->rows, .deviance = NAN};
  double weight = tally->weight;
  out.loss = tally->loss / weight;
  out.classes = model->label.kind == TACIT_LOSS_CLASSES;
  if (out.classes) {
    out.accuracy = tally->right / weight;
    out.auc =
        model->row.outputs > 1 ? NAN : area_under_curve(tally->scores, tally->rows);
    return out;
  }
  out.rmse = sqrt(tally->error_squared / weight);
  out.mae = tally->error_absolute / weight;
  out.r2 = tally->squares > 0 ? 1 - tally->error_squared / tally->squares : NAN;
  if (model->label.kind == TACIT_LOSS_COUNT) out.deviance = tally->deviance / weight;
  return out;
}

tacit_status tacit_model_eval(const tacit_model *model, tacit_reader *reader,
                              tacit_metrics *out, tacit_scored_fn take, void *cookie,
                              tacit_error *err) {
  struct tally tally = {.take = take, .cookie = cookie};
  tacit_status status = count_all(model, reader, &tally, err);
  if (status == TACIT_OK && !(tally.weight > 0)) {
    status = tacit_fail(err, TACIT_EDATA,
                        tally.rows == 0 ? "no rows to evaluate"
                                        : "no rows to evaluate: all weights are 0");
  }
  if (status == TACIT_OK) {
    tacit_metrics metrics = metrics_of(model, &tally);
    int knows_all = out->struct_size == sizeof metrics;
    memcpy(out, &metrics,
           knows_all ? sizeof metrics : offsetof(tacit_metrics, deviance));
  }
  tacit_raw_free(tally.scores);
  return status;
}
