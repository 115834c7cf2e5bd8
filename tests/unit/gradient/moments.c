/* SPDX-License-Identifier: MIT */
/* Contributions of centred rows, moments and products against a plain reference, for
   losses with one and with several outputs, dense and sparse rows. */
#include "made.h"
#include "sums.h"

#include "gradient/interleave.h"
#include "kernel/kernel.h"
#include "vault/words.h"

enum { FEATURES = 7, CLASSES = 3, ROWS = 150, BITS = 12, BINS = 5 };
enum { COLUMNS = FEATURES + 1, DIM_MAX = (COLUMNS + 1) * (COLUMNS + 1) + 8 };

struct fixture {
  tacit_loss *loss;
  tacit_delta delta;
  tacit_offset offset;
  double values[COLUMNS + 1], x[CLASSES * (COLUMNS + 1)],
      x_prev[CLASSES * (COLUMNS + 1)];
  double offsets[CLASSES], offsets_prev[CLASSES];
  double spread[2 * 8 * COLUMNS];
  double raw_values[ROWS * FEATURES], raw_sparse[ROWS * FEATURES], raw_labels[ROWS];
  uint32_t raw_indices[ROWS * FEATURES];
  int64_t raw_row_start[ROWS + 1];
  tacit_batch batch;
};

static void fill_rows(struct fixture *f, int sparse, tacit_words *words) {
  int64_t count = 0;
  tacit_loss_labels kind = f->delta.label.kind;
  for (int i = 0; i < ROWS; ++i) {
    for (uint32_t j = 0; j < FEATURES; ++j) {
      double value = tacit_words_next(words) % 2 ? 0 : 2 * made_uniform(words);
      f->raw_values[i * FEATURES + (int)j] = value;
      if (value == 0) continue;
      f->raw_sparse[count] = value;
      f->raw_indices[count++] = j;
    }
    f->raw_row_start[i + 1] = count;
    f->raw_labels[i] = kind == TACIT_LOSS_UNIT      ? 5 + 6 * made_uniform(words)
                       : f->delta.label.classes > 2 ? (double)(i % CLASSES)
                       : i % 3                      ? -1
                                                    : 1;
  }
  f->batch = dense_rows(f->raw_values, f->raw_labels, ROWS, FEATURES);
  if (!sparse) return;
  f->batch.raw_values = f->raw_sparse;
  f->batch.raw_indices = f->raw_indices;
  f->batch.raw_row_start = f->raw_row_start;
}

static void fixture_init(struct fixture *f, const char *loss, int sparse) {
  static const unsigned char key[TACIT_KEY_BYTES] = "moments";
  tacit_words words;
  tacit_error err;
  int joint = strcmp(loss, "softmax") == 0, number = strcmp(loss, "squared") == 0;
  tacit_words_init(&words, key);
  memset(f, 0, sizeof *f);
  size_t outputs = joint ? CLASSES : 1;
  tacit_loss_facts facts = {.margin_max = 10,
                            .label_max = 1,
                            .classes = joint    ? CLASSES
                                       : number ? 0
                                                : 2};
  CHECK_OK(tacit_loss_new(loss, &facts, &f->loss, &err), err);
  for (size_t i = 0; i < outputs * (COLUMNS + 1); ++i) {
    f->x[i] = made_uniform(&words);
    f->x_prev[i] = made_uniform(&words);
  }
  for (size_t j = 0; j < COLUMNS; ++j)
    f->values[j] = ldexp(rint(ldexp(0.3 * made_uniform(&words), BITS)), -BITS);
  f->values[COLUMNS] = 0.25;
  f->offset = (tacit_offset){f->values, BITS};
  for (size_t k = 0; k < outputs; ++k) {
    f->offsets[k] = made_uniform(&words);
    f->offsets_prev[k] = made_uniform(&words);
  }
  f->delta = (tacit_delta){
      .loss = f->loss,
      .row = {FEATURES, 1, 1, 2, outputs, 0},
      .label = {number ? TACIT_LOSS_UNIT : TACIT_LOSS_CLASSES, facts.classes, 0, 10},
      .x = f->x,
      .x_prev = f->x_prev,
      .ratio = 0.8,
      .steps = 0x1p40,
      .clip = (int64_t)1 << 50,
      .sens_norm = 2,
      .offset = &f->offset,
      .offsets = f->offsets,
      .offsets_prev = f->offsets_prev,
      .radius = 1.15,
      .slope_max = 0.3,
      .square_scale = 0.1,
      .square_max = 0.2,
      .label_unit = 1,
  };
  CHECK_OK(tacit_kernel_pick(&f->delta.kernel, &err), err);
  assert_true(tacit_interleave_size(&f->delta.row) <=
              sizeof f->spread / sizeof *f->spread);
  tacit_interleave(&f->delta, NULL, f->spread);
  fill_rows(f, sparse, &words);
}

/* Row i: s (x, 1), then z; returns s. */
static double row_of(const struct fixture *f, int i, double *row, double *z) {
  double square = 1;
  for (int j = 0; j < COLUMNS; ++j) {
    row[j] = j < FEATURES ? f->raw_values[i * FEATURES + j] : 1;
    if (j < FEATURES) square += row[j] * row[j];
  }
  double s = fmin(1, 1 / sqrt(square));
  for (int j = 0; j < COLUMNS; ++j) {
    row[j] *= s;
    z[j] = row[j] + f->values[j];
  }
  z[COLUMNS] = f->values[COLUMNS];
  return s;
}

static double omega_of(const struct fixture *f, const double *z) {
  double square = 0;
  for (int j = 0; j < COLUMNS; ++j)
    square += z[j] * z[j];
  return fmin(1, f->delta.radius / sqrt(square));
}

/* Slopes of row i at a point; weights as in batch/row.h. */
static void slopes_of(const struct fixture *f, int i, const double *row,
                      const double *x, const double *offsets, double *out) {
  double margins[8] = {0};
  size_t outputs = f->delta.row.outputs;
  for (size_t k = 0; k < outputs; ++k) {
    margins[k] = offsets[k] + row[FEATURES] * x[outputs * FEATURES + k];
    for (size_t j = 0; j < FEATURES; ++j)
      margins[k] += row[j] * x[k * FEATURES + j];
  }
  double label = tacit_label_inside(&f->delta.label, f->raw_labels[i]);
  if (outputs > 1)
    tacit_loss_slope_all(f->loss, margins, f->raw_labels[i], out);
  else
    tacit_loss_slope_many(f->loss, margins, &label, 1, out);
}

static double cut(double value, double max) { return fmin(fmax(value, -max), max); }

/* Adds a z of one output to the reference. */
static void add_output(double *sum, size_t outputs, size_t k, double a,
                       const double *z) {
  for (size_t j = 0; j < FEATURES; ++j)
    sum[k * FEATURES + j] += a * z[j];
  sum[outputs * FEATURES + k] += a * z[FEATURES];
  sum[outputs * COLUMNS + k] += a * z[COLUMNS];
}

static void check_sums(const struct fixture *f, const double *expected, size_t dim) {
  int64_t raw_sum[DIM_MAX] = {0};
  tacit_error err;
  tacit_shape shape = tacit_delta_shape(&f->delta);
  assert_int_equal(tacit_shape_dim(&shape), dim);
  CHECK_OK(delta_add(&f->delta, &f->batch, 0, ROWS, raw_sum, &err), err);
  for (size_t i = 0; i < dim; ++i)
    CHECK_WITHIN((double)raw_sum[i] / f->delta.steps, expected[i], 1e-6);
}

static void gradients(struct fixture *f) {
  double expected[DIM_MAX] = {0};
  size_t outputs = f->delta.row.outputs, dim = outputs * (COLUMNS + 1) + 1;
  int cuts = 0, weighed = 0;
  for (int i = 0; i < ROWS; ++i) {
    double row[COLUMNS], z[COLUMNS + 1], now[CLASSES], before[CLASSES], square = 0,
                                                                        norm = 0;
    row_of(f, i, row, z);
    slopes_of(f, i, row, f->x, f->offsets, now);
    slopes_of(f, i, row, f->x_prev, f->offsets_prev, before);
    for (size_t k = 0; k < outputs; ++k) {
      square += now[k] * now[k] - f->delta.ratio * before[k] * before[k];
      now[k] -= f->delta.ratio * before[k];
      norm += now[k] * now[k];
    }
    double omega = omega_of(f, z), share = fmin(1, f->delta.slope_max / sqrt(norm));
    cuts += share < 1;
    weighed += omega < 1;
    for (size_t k = 0; k < outputs; ++k)
      add_output(expected, outputs, k, share * omega * now[k], z);
    expected[dim - 1] += f->delta.square_scale * cut(square, f->delta.square_max);
  }
  assert_true(cuts > 10 && cuts < ROWS && weighed > 10 && weighed < ROWS);
  check_sums(f, expected, dim);
}

static void moments(struct fixture *f) {
  double expected[DIM_MAX] = {0};
  int number = f->delta.label.kind == TACIT_LOSS_UNIT, joint = f->delta.row.outputs > 1;
  size_t dim = COLUMNS + (number ? 2 + BINS : joint ? CLASSES : 1) + 2;
  f->delta.kind = TACIT_DELTA_MOMENTS;
  f->delta.offset = NULL;
  f->delta.label_scale = 0.3;
  f->delta.norm_scale = 0.2;
  f->delta.weight_scale = 0.1;
  f->delta.bins = BINS;
  f->delta.bin_low = -1;
  f->delta.bin_scale = 0.4;
  for (int i = 0; i < ROWS; ++i) {
    double row[COLUMNS], z[COLUMNS + 1], square = 0;
    double label = tacit_label_inside(&f->delta.label, f->raw_labels[i]);
    row_of(f, i, row, z);
    for (int j = 0; j < COLUMNS; ++j) {
      expected[j] += row[j];
      square += row[j] * row[j];
    }
    if (number) {
      expected[COLUMNS] += 0.3 * label;
      expected[COLUMNS + 1] += 0.3 * label * label / 2;
      for (int k = 0; k < BINS; ++k) { /* a hat around each point */
        double point = -1 + 2.0 * k / (BINS - 1), step = 2.0 / (BINS - 1);
        expected[COLUMNS + 2 + k] += 0.4 * fmax(0, 1 - fabs(label - point) / step);
      }
    } else {
      expected[COLUMNS + (joint ? (int)label : 0)] += joint || label > 0 ? 0.3 : 0;
    }
    expected[dim - 2] += 0.2 * square;
    expected[dim - 1] += 0.1;
  }
  check_sums(f, expected, dim);
  f->delta.kind = TACIT_DELTA_GRADIENT;
  f->delta.offset = &f->offset;
}

static void products(struct fixture *f) {
  double expected[DIM_MAX] = {0};
  size_t outputs = COLUMNS, dim = outputs * (COLUMNS + 1);
  f->delta.kind = TACIT_DELTA_PRODUCTS;
  for (int i = 0; i < ROWS; ++i) {
    double row[COLUMNS], z[COLUMNS + 1];
    row_of(f, i, row, z);
    double omega = omega_of(f, z);
    for (size_t k = 0; k < COLUMNS; ++k)
      add_output(expected, outputs, k, omega * omega * z[k] / f->delta.radius, z);
  }
  check_sums(f, expected, dim);
  f->delta.kind = TACIT_DELTA_GRADIENT;
}

static void contributions_are_those_of_the_reference(void **state) {
  (void)state;
  static const char *const losses[] = {"logistic", "softmax", "squared"};
  for (int which = 0; which < 3; ++which) {
    for (int sparse = 0; sparse < 2; ++sparse) {
      struct fixture f;
      fixture_init(&f, losses[which], sparse);
      gradients(&f);
      moments(&f);
      if (which == 2) products(&f);
      tacit_loss_free(f.loss);
    }
  }
}

/* Labels that are not finite, and rows without a norm: nothing of them is added. */
static void what_is_not_a_number_adds_nothing(void **state) {
  (void)state;
  struct fixture f;
  tacit_error err;
  fixture_init(&f, "squared", 0);
  f.delta.label_scale = 1;
  for (int kind = 0; kind < 3; ++kind) {
    f.delta.kind = (tacit_delta_kind)kind;
    f.delta.offset = kind == TACIT_DELTA_MOMENTS ? NULL : &f.offset;
    for (int fault = 0; fault < 3; ++fault) {
      int64_t raw_sum[DIM_MAX] = {0}, nothing[DIM_MAX] = {0};
      double label = f.raw_labels[0], value = f.raw_values[0];
      if (fault == 0 && kind == TACIT_DELTA_PRODUCTS) continue; /* they have no label */
      if (fault == 0) f.raw_labels[0] = NAN;
      if (fault == 1) f.raw_values[0] = INFINITY;
      if (fault == 2) f.raw_values[0] = NAN;
      CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
      assert_memory_equal(raw_sum, nothing, sizeof nothing);
      f.raw_labels[0] = label;
      f.raw_values[0] = value;
    }
  }
  tacit_loss_free(f.loss);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contributions_are_those_of_the_reference),
      cmocka_unit_test(what_is_not_a_number_adds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
