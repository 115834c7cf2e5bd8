/* SPDX-License-Identifier: MIT */
/* Finds the columns and numbers of a row in a table (table.h), from the margins of a
   model. This file is not trusted with privacy: the vault clips the contribution of a
   row. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/evaluate/groups.h"
#include "model/model.h"

/* BINS_FEW and BINS_MANY are the bins of scores below and above signal_for_many, a
   limit for n mu. CLASSES_MAX limits the table of classes, whose columns grow with its
   square. */
enum { BINS_FEW = 16, BINS_MANY = 64, BINS_MAX = 1024, CLASSES_MAX = 1000 };
static const double signal_for_many = 10000;

/* The shares of the parts in the squared mu; each list adds up to 1. The scale of a
   part is the root of its share. */
static const double two_scales[] = {0.8, 0.2};
static const double class_scales[] = {0.5, 0.3, 0.2};
static const double number_scales[] = {0.2, 0.25, 0.05, 0.2, 0.3};
static const double weight_scale = 0.2; /* share of the sum of weights, compared with
                                           the shares above */

struct scores {
  tacit_subject base;
  const tacit_model *model;
  tacit_score_table table;
  tacit_groups groups; /* the parts of all groups follow the parts of the table */
  tacit_tally_part parts[2 * TACIT_TABLE_PARTS];
  double *raw_margins; /* margins of a batch; raw_room numbers */
  size_t raw_room;
};

static void scores_free(tacit_subject *subject) {
  struct scores *scores = (struct scores *)subject;
  tacit_raw_free(scores->raw_margins);
  tacit_array_free(scores);
}

static uint32_t bin_of(const tacit_score_table *table, double raw_score) {
  double raw_bin = ceil(raw_score * (double)table->bins) - 1;
  if (!(raw_bin > 0)) return 0;
  return raw_bin < (double)table->bins ? (uint32_t)raw_bin : (uint32_t)table->bins - 1;
}

/* Returns the score of a margin, 0 … 1. */
static double score_of(const struct scores *scores, double raw_margin) {
  if (scores->table.is_probability)
    return tacit_loss_predict(scores->model->loss, raw_margin);
  return 1 / (1 + exp(-raw_margin));
}

/* Returns the share of a loss in loss_max. A loss that is NaN counts as the largest. */
static double loss_of(const struct scores *scores, const double *raw_margins,
                      double raw_label) {
  double raw_inside = tacit_label_inside(&scores->model->label, raw_label);
  double raw_loss = tacit_loss_value_all(scores->model->loss, raw_margins, raw_inside);
  double raw_share = raw_loss / scores->table.loss_max;
  return raw_share < 1 ? raw_share : 1;
}

static void place_two(const struct scores *scores, const double *raw_margins,
                      double raw_label, uint32_t *raw_columns, double *raw_values) {
  double raw_score = score_of(scores, raw_margins[0]);
  raw_columns[0] = 2 * bin_of(&scores->table, raw_score) + (raw_label > 0);
  raw_values[0] = 1;
  raw_values[1] = loss_of(scores, raw_margins, raw_label);
}

static void place_classes(const struct scores *scores, double *raw_margins,
                          double raw_label, uint32_t *raw_columns, double *raw_values) {
  const tacit_score_table *table = &scores->table;
  size_t classes = table->classes, raw_best = 0;
  raw_values[2] = loss_of(scores, raw_margins, raw_label);
  for (size_t k = 1; k < classes; ++k)
    if (raw_margins[k] > raw_margins[raw_best]) raw_best = k;
  size_t raw_true = tacit_label_class(&scores->model->label, raw_label);
  double raw_score;
  if (table->is_probability) {
    tacit_loss_predict_all(scores->model->loss, raw_margins, raw_margins);
    raw_score = raw_margins[raw_best];
  } else {
    raw_score = 1 / (1 + exp(-raw_margins[raw_best]));
  }
  raw_columns[0] = (uint32_t)(raw_best * classes + raw_true);
  raw_columns[1] = 2 * bin_of(table, raw_score) + (raw_best == raw_true);
  raw_values[0] = raw_values[1] = 1;
}

/* Cuts a number to -1 … 1. NaN counts as 1. */
static double cut(double raw_value) {
  return raw_value < -1 ? -1 : raw_value < 1 ? raw_value : 1;
}

static void place_number(const struct scores *scores, double prediction,
                         double raw_label, double *raw_values) {
  const tacit_score_table *table = &scores->table;
  double range = table->label_max - table->label_min;
  double raw_y = cut(2 * (raw_label - table->label_min) / range - 1);
  double raw_e = cut((prediction - raw_label) / table->error_max);
  raw_values[0] = (raw_y + 1) / 2;
  raw_values[1] = raw_y * raw_y;
  raw_values[2] = (raw_e + 1) / 2;
  raw_values[3] = fabs(raw_e);
  raw_values[4] = raw_e * raw_e;
  if (table->weighted) raw_values[5] = 1;
}

static tacit_status make_room(struct scores *scores, const tacit_batch *batch,
                              tacit_error *err) {
  size_t needed = (size_t)batch->n_rows * scores->model->row.outputs;
  if (needed <= scores->raw_room) return TACIT_OK;
  tacit_raw_free(scores->raw_margins);
  scores->raw_room = 0;
  TACIT_TRY(TACIT_RAW_NEW(scores->raw_margins, needed, err));
  scores->raw_room = needed;
  return TACIT_OK;
}

static tacit_status scores_place(tacit_subject *subject, const tacit_batch *batch,
                                 uint32_t *raw_columns, double *raw_values,
                                 tacit_error *err) {
  struct scores *scores = (struct scores *)subject;
  const tacit_model *model = scores->model;
  size_t outputs = model->row.outputs, n_parts = subject->n_parts;
  TACIT_TRY(make_room(scores, batch, err));
  int is_number = scores->table.kind == TACIT_TABLE_NUMBERS;
  TACIT_TRY((is_number ? tacit_model_scores
                       : tacit_model_margins)(model, batch, scores->raw_margins, err));
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    double raw_label = tacit_batch_label(batch, i);
    double *raw_row = scores->raw_margins + (size_t)i * outputs;
    uint32_t *raw_at = raw_columns + (size_t)i * n_parts;
    double *raw_to = raw_values + (size_t)i * n_parts;
    if (!tacit_label_is_declared(&model->label, raw_label))
      return tacit_fail(err, TACIT_EDATA, "row %lld of the batch: not a declared class",
                        (long long)i + 1);
    if (is_number)
      place_number(scores, raw_row[0], raw_label, raw_to);
    else if (outputs > 1)
      place_classes(scores, raw_row, raw_label, raw_at, raw_to);
    else
      place_two(scores, raw_row, raw_label, raw_at, raw_to);
    if (scores->groups.column == NULL) continue;
    tacit_row row = tacit_row_of(batch, i);
    tacit_groups_place(&scores->groups, &row, scores->table.n_parts, raw_at, raw_to);
  }
  return TACIT_OK;
}

static tacit_status scores_result(const tacit_subject *subject, const double *table,
                                  const double *noise, json_t *object,
                                  tacit_error *err) {
  const struct scores *scores = (const struct scores *)subject;
  const char *digest = tacit_model_digest(scores->model);
  if (digest != NULL && json_object_set_new(object, "model", json_string(digest)) != 0)
    return tacit_fail_memory(err);
  TACIT_TRY(
      tacit_table_result(&scores->table, subject->schema, table, noise, object, err));
  if (scores->groups.column == NULL) return TACIT_OK;
  return tacit_groups_result(&scores->groups, subject->schema,
                             table + scores->table.columns,
                             noise + scores->table.n_parts, object, err);
}

static const struct tacit_subject_ops ops = {"eval", "evaluation", scores_place,
                                             scores_result, scores_free};

static void set_parts(tacit_score_table *table, const double *squares, size_t count) {
  table->n_parts = count;
  for (size_t i = 0; i < count; ++i)
    table->parts[i] = (tacit_tally_part){1, sqrt(squares[i])};
}

static tacit_status table_of_number(const tacit_evaluation_facts *facts,
                                    tacit_score_table *table, tacit_error *err) {
  double range = table->label_max - table->label_min, bound = facts->options.error_max;
  table->kind = TACIT_TABLE_NUMBERS;
  table->error_max = bound > 0 ? bound : range;
  if (!(table->error_max >= 1e-9 * range && table->error_max <= 1e9 * range))
    return tacit_fail(err, TACIT_EINVAL,
                      "the largest error does not fit the declared range of the label");
  set_parts(table, number_scales, 5);
  if (table->weighted)
    table->parts[table->n_parts++] = (tacit_tally_part){1, sqrt(weight_scale)};
  return TACIT_OK;
}

static tacit_status table_of_classes(const struct scores *scores,
                                     const tacit_evaluation_facts *facts,
                                     tacit_score_table *table, tacit_error *err) {
  double signal = (double)facts->rows * facts->mu;
  table->bins = facts->options.bins > 0 ? (size_t)facts->options.bins
                : signal < signal_for_many || facts->options.by != NULL ? BINS_FEW
                                                                        : BINS_MANY;
  if (table->bins % 2 != 0 || table->bins > BINS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "bins of scores must be an even number from 2 to %d", BINS_MAX);
  if (table->classes > CLASSES_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "a private evaluation takes at most %d classes", CLASSES_MAX);
  if (!(facts->options.loss_max > 0) || !isfinite(facts->options.loss_max))
    return tacit_fail(err, TACIT_EINVAL, "the largest loss must be above 0");
  table->loss_max = facts->options.loss_max;
  int joint = scores->model->row.outputs > 1;
  table->kind = joint ? TACIT_TABLE_CLASSES : TACIT_TABLE_TWO;
  set_parts(table, joint ? class_scales : two_scales, joint ? 3 : 2);
  if (joint) table->parts[0].columns = table->classes * table->classes;
  table->parts[joint ? 1 : 0].columns = 2 * table->bins;
  return TACIT_OK;
}

static tacit_status table_of(struct scores *scores, const tacit_evaluation_facts *facts,
                             tacit_error *err) {
  const tacit_model *model = scores->model;
  const char *loss = tacit_model_loss(model);
  tacit_score_table *table = &scores->table;
  *table = (tacit_score_table){
      .classes = model->label.classes,
      .is_probability = strcmp(loss, "logistic") == 0 || strcmp(loss, "softmax") == 0,
      .weighted = facts->weighted,
      .rows = (double)facts->rows,
      .label_min = model->label.min,
      .label_max = model->label.max,
  };
  TACIT_TRY(model->label.kind == TACIT_LOSS_CLASSES
                ? table_of_classes(scores, facts, table, err)
                : table_of_number(facts, table, err));
  for (size_t i = 0; i < table->n_parts; ++i)
    table->columns += table->parts[i].columns;
  memcpy(scores->parts, table->parts, sizeof table->parts);
  scores->base.parts = scores->parts;
  scores->base.n_parts = table->n_parts;
  if (facts->options.by == NULL) return TACIT_OK;
  TACIT_TRY(
      tacit_groups_init(model->schema, facts->options.by, table, &scores->groups, err));
  tacit_groups_parts(&scores->groups, scores->parts + table->n_parts);
  scores->base.n_parts += scores->groups.table.n_parts;
  return TACIT_OK;
}

tacit_status tacit_subject_of_model(const tacit_model *model,
                                    const tacit_evaluation_facts *facts,
                                    tacit_subject **out, tacit_error *err) {
  struct scores *scores = tacit_array_new(1, sizeof *scores);
  if (scores == NULL) return tacit_fail_memory(err);
  scores->base.ops = &ops;
  scores->base.schema = model->schema;
  scores->base.features = model->row.features;
  scores->model = model;
  tacit_status status = table_of(scores, facts, err);
  return TACIT_HAND_OVER(status, &scores->base, scores_free, out);
}
