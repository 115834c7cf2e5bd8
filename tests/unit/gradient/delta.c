/* SPDX-License-Identifier: MIT */
/* gradient/delta.c, mechanism/lattice.c and the noise scale of vault/vault.c: single
   contributions in exact integers. */
#include "made.h"
#include "sums.h"

#include <stdlib.h>

#include "gradient/delta.h"
#include "gradient/interleave.h"
#include "kernel/kernel.h"
#include "kernel/short.h"
#include "mechanism/lattice.h"
#include "mechanism/mechanism.h"
#include "vault/vault.h"
#include "vault/words.h"

enum { FEATURES = 40 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "delta tests";

static tacit_i128 norm_squared(const int64_t *v, size_t n) {
  tacit_i128 sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += (tacit_i128)v[i] * v[i];
  return sum;
}

struct fixture {
  tacit_loss *loss;
  double x[FEATURES + 1], x_prev[FEATURES + 1];
  double raw_values[FEATURES], raw_label;
  tacit_batch batch;
  tacit_delta delta;
  double spread[4 * FEATURES + 8];
};

static void fixture_init(struct fixture *f, tacit_words *words) {
  tacit_error err;
  tacit_loss_facts facts = {.margin_max = 10, .label_max = 1};
  memset(f, 0, sizeof *f);
  CHECK_OK(tacit_loss_new("logistic", &facts, &f->loss, &err), err);
  for (int i = 0; i <= FEATURES; ++i) {
    f->x[i] = tacit_short(2 * made_uniform(words)); /* the kernels would round it */
    f->x_prev[i] = tacit_short(f->x[i] + 0.1 * made_uniform(words));
  }
  f->raw_label = 1;
  tacit_batch_init(&f->batch);
  f->batch.n_rows = 1;
  f->batch.n_features = FEATURES;
  f->batch.raw_values = f->raw_values;
  f->batch.raw_labels = &f->raw_label;
  f->delta = (tacit_delta){
      .loss = f->loss,
      .row =
          {.features = FEATURES, .bias = 1, .row_norm = 1, .exponent = 2, .outputs = 1},
      .sens_norm = 2,
      .label = {.kind = TACIT_LOSS_CLASSES, .classes = 2, .min = -1, .max = 1},
      .x = f->x,
      .x_prev = f->x_prev,
      .ratio = 0.81,
      .steps = 0x1p30,
  };
  CHECK_OK(tacit_kernel_pick(&f->delta.kernel, &err), err);
  tacit_interleave(&f->delta, NULL, f->spread);
}

/* The clip holds for the exact norm of the integers, also where it binds to the last
   bit, for wild row sizes and for lattices from coarse to the finest. */
static void no_contribution_is_longer_than_its_clip(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  fixture_init(&f, &words);
  int bound = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    double size = exp(300 * made_uniform(&words) * (trial % 3 == 0));
    for (int j = 0; j < FEATURES; ++j)
      f.raw_values[j] = size * made_uniform(&words);
    f.raw_label = trial % 2 ? 1 : -1;
    f.delta.steps = ldexp(1, trial % 62);
    f.delta.clip = (int64_t)(f.delta.steps * 0.02 * (made_uniform(&words) + 1));
    int64_t raw_sum[FEATURES + 1] = {0};
    tacit_error err;
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
    tacit_i128 length = norm_squared(raw_sum, FEATURES + 1);
    tacit_i128 limit = (tacit_i128)f.delta.clip * f.delta.clip;
    assert_true(length <= limit);
    bound += (double)length > 0.99 * (double)limit && f.delta.clip > 1000;
  }
  assert_true(bound > 5000); /* the clip did bind */
  tacit_loss_free(f.loss);
}

/* The same in the L1 norm, the guarantee of pure DP, and with a dual norm in between.
 */
static void no_contribution_is_longer_in_the_l1_norm(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  fixture_init(&f, &words);
  int bound = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    for (int j = 0; j < FEATURES; ++j)
      f.raw_values[j] = made_uniform(&words);
    f.delta.sens_norm = f.delta.row.exponent = 1;
    f.delta.steps = ldexp(1, trial % 62);
    f.delta.clip = (int64_t)(f.delta.steps * 0.02 * (made_uniform(&words) + 1));
    int64_t raw_sum[FEATURES + 1] = {0};
    tacit_error err;
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
    tacit_i128 length = 0;
    for (int j = 0; j <= FEATURES; ++j)
      length += llabs(raw_sum[j]);
    assert_true(length <= f.delta.clip);
    bound += (double)length > 0.99 * (double)f.delta.clip && f.delta.clip > 100000;

    f.delta.sens_norm = 2;
    f.delta.row.exponent = 3;
    f.delta.clip_dual = 0.5 * (double)f.delta.clip;
    memset(raw_sum, 0, sizeof raw_sum);
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
    double cubes = 0;
    for (int j = 0; j <= FEATURES; ++j)
      cubes += pow(fabs((double)raw_sum[j]), 3);
    CHECK_AT_MAX(cbrt(cubes), f.delta.clip_dual * (1 + 1e-12));
    assert_true(norm_squared(raw_sum, FEATURES + 1) <=
                (tacit_i128)f.delta.clip * f.delta.clip);
  }
  assert_true(bound > 2000);
  tacit_loss_free(f.loss);
}

/* A clip large enough changes nothing, and the integers are the truncated gradient. */
static void a_clip_that_does_not_bind_changes_nothing(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  fixture_init(&f, &words);
  for (int trial = 0; trial < 2000; ++trial) {
    double norm_sq = 1, dot = f.x[FEATURES], dot_prev = f.x_prev[FEATURES];
    for (int j = 0; j < FEATURES; ++j) {
      f.raw_values[j] = made_uniform(&words);
      norm_sq += f.raw_values[j] * f.raw_values[j];
      dot += f.x[j] * f.raw_values[j];
      dot_prev += f.x_prev[j] * f.raw_values[j];
    }
    double scale = 1 / sqrt(norm_sq);
    double change = -1 / (1 + exp(scale * dot)) + 0.81 / (1 + exp(scale * dot_prev));
    int64_t raw_near[FEATURES + 1] = {0}, raw_far[FEATURES + 1] = {0};
    tacit_error err;
    f.delta.clip = (int64_t)(f.delta.steps * fabs(change) * 1.0001);
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_near, &err), err);
    f.delta.clip = (int64_t)1 << 60;
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_far, &err), err);
    assert_memory_equal(raw_near, raw_far, sizeof raw_near);
    for (int j = 0; j < FEATURES; ++j) {
      double expected = change * scale * f.raw_values[j] * f.delta.steps;
      CHECK_WITHIN((double)raw_near[j], expected, 1.001);
      assert_true(fabs((double)raw_near[j]) <= fabs(expected) + 1e-4);
    }
  }
  tacit_loss_free(f.loss);
}

static void what_is_not_finite_counts_as_zero(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  static const double wild[] = {NAN, INFINITY, -INFINITY, 1e200, 1e308};
  static const int64_t zero[FEATURES + 1] = {0};
  fixture_init(&f, &words);
  f.delta.clip = 1 << 20;
  for (size_t i = 0; i < sizeof wild / sizeof wild[0]; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      f.raw_values[j] = 0.5;
    f.raw_values[7] = wild[i];
    int64_t raw_sum[FEATURES + 1] = {0};
    tacit_error err;
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
    assert_memory_equal(raw_sum, zero, sizeof zero);
  }
  /* A slope that is not a number: the point itself is broken. */
  for (int j = 0; j < FEATURES; ++j)
    f.raw_values[j] = 0.5;
  f.x[3] = NAN;
  tacit_interleave(&f.delta, NULL, f.spread);
  int64_t raw_sum[FEATURES + 1] = {0};
  tacit_error err;
  CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
  assert_memory_equal(raw_sum, zero, sizeof zero);
  /* A label that is not a class is an error, never a contribution. */
  f.raw_label = NAN;
  assert_int_equal(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), TACIT_EDATA);
  tacit_loss_free(f.loss);
}

/* An index twice would count double: such rows never reach the sums. */
static void unsound_indices_are_refused(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  struct fixture f;
  fixture_init(&f, &words);
  f.delta.clip = 1 << 20;
  static const uint32_t bad[][2] = {{3, 3}, {4, 3}, {0, FEATURES}};
  static const int64_t row_start[] = {0, 2};
  f.raw_values[0] = f.raw_values[1] = 1;
  for (int i = 0; i < 3; ++i) {
    int64_t raw_sum[FEATURES + 1] = {0};
    tacit_error err;
    f.batch.raw_row_start = row_start;
    f.batch.raw_indices = bad[i];
    assert_int_equal(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), TACIT_EDATA);
  }
  /* As many entries as columns, and yet not every column. */
  static const int64_t all_start[] = {0, FEATURES};
  uint32_t indices[FEATURES];
  for (uint32_t j = 0; j < FEATURES; ++j) {
    indices[j] = j;
    f.raw_values[j] = 1;
  }
  f.batch.raw_row_start = all_start;
  f.batch.raw_indices = indices;
  for (int j = 0; j < FEATURES; ++j) {
    int64_t raw_sum[FEATURES + 1] = {0};
    tacit_error err;
    CHECK_OK(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), err);
    uint32_t kept = indices[j];
    indices[j] = j > 0 ? kept - 1 : FEATURES;
    assert_int_equal(delta_add(&f.delta, &f.batch, 0, 1, raw_sum, &err), TACIT_EDATA);
    indices[j] = kept;
  }
  tacit_loss_free(f.loss);
}

static void labels_are_clamped_and_mapped(void **state) {
  (void)state;
  tacit_label_rule unit = {TACIT_LOSS_UNIT, 0, 10, 30};
  tacit_label_rule count = {TACIT_LOSS_COUNT, 0, 0, 5};
  assert_true(tacit_label_inside(&unit, 10) == -1);
  assert_true(tacit_label_inside(&unit, 25) == 0.5);
  assert_true(tacit_label_inside(&unit, 1e9) == 1);
  assert_true(tacit_label_inside(&unit, -1e9) == -1);
  assert_true(tacit_label_inside(&count, 7) == 5);
  assert_true(tacit_label_inside(&count, 3) == 3);
  assert_true(isnan(tacit_label_inside(&unit, NAN)));
}

static tacit_lattice_facts plain_facts(void) {
  return (tacit_lattice_facts){.rows_round = 1018,
                               .rows_run = 32560,
                               .s_max = 0.7 * 63 / 1024,
                               .s_min = 0.7 / 1024,
                               .kappa = 2,
                               .encoder = &tacit_encoder_tree,
                               .shape = {.dim = 1, .rounds = 32, .per_pass = 32},
                               .budget = 0.2};
}

static void lattice_is_fine_and_fits(void **state) {
  (void)state;
  tacit_lattice_facts facts = plain_facts();
  tacit_lattice lattice;
  tacit_error err;
  CHECK_OK(tacit_lattice_new(&facts, &lattice, &err), err);
  /* 10 bits of rows, 14 below, 6 of spread */
  assert_true(lattice.clip_max >= 1 << 29 && lattice.clip_max < 1 << 30);
  assert_true(tacit_lattice_clip(&lattice, facts.s_max) == lattice.clip_max);
  assert_true(tacit_lattice_clip(&lattice, 2 * facts.s_max) == lattice.clip_max);
  assert_true(tacit_lattice_clip(&lattice, NAN) == 0);
  assert_true(tacit_lattice_clip(&lattice, -1) == 0);
  double steps = (double)tacit_lattice_clip(&lattice, facts.s_min);
  CHECK_AT_MAX(steps, ldexp(facts.s_min, lattice.exponent));

  facts.rows_round = (int64_t)1 << 26;
  facts.rows_run = (int64_t)1 << 37;
  CHECK_OK(tacit_lattice_new(&facts, &lattice, &err), err);
  assert_true(lattice.clip_max < (int64_t)1 << 36); /* a round's sum fits 62 bits */
}

static void lattice_refuses_what_cannot_fit(void **state) {
  (void)state;
  tacit_lattice_facts facts = plain_facts();
  tacit_lattice lattice;
  tacit_error err;
  facts.s_min = facts.s_max * 0x1p-45;
  assert_int_equal(tacit_lattice_new(&facts, &lattice, &err), TACIT_EPRIVACY);
  facts = plain_facts();
  facts.budget = 1e-14;
  assert_int_equal(tacit_lattice_new(&facts, &lattice, &err), TACIT_EPRIVACY);
  facts = plain_facts();
  facts.rows_round = facts.rows_run = (int64_t)1 << 40;
  assert_int_equal(tacit_lattice_new(&facts, &lattice, &err), TACIT_EPRIVACY);
}

static void noise_scales_round_up(void **state) {
  (void)state;
  assert_true(tacit_noise_scale_up(1, 1, 10, INFINITY) == 0);
  assert_true(tacit_noise_scale_up(1, 1, 0, 1) == 1);
  assert_true(tacit_noise_scale_up(2, 3, 5, 2) >= 15 &&
              tacit_noise_scale_up(2, 3, 5, 2) <= 16);
  assert_true(tacit_noise_scale_up(2, 3, INT64_MAX, 1e-9) == UINT64_MAX);
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int i = 0; i < 100000; ++i) {
    int64_t clip = (int64_t)(tacit_words_next(&words) >> 20);
    double sens = 2 + made_uniform(&words), mu = 1.5 + made_uniform(&words);
    long double exact = 2.0L * (long double)sens * (long double)clip / (long double)mu;
    uint64_t scale = tacit_noise_scale_up(2, sens, clip, mu);
    assert_true((long double)scale >= exact);
    assert_true((long double)scale <= exact * (1 + 1e-14L) + 1.01L);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_contribution_is_longer_than_its_clip),
      cmocka_unit_test(no_contribution_is_longer_in_the_l1_norm),
      cmocka_unit_test(a_clip_that_does_not_bind_changes_nothing),
      cmocka_unit_test(what_is_not_finite_counts_as_zero),
      cmocka_unit_test(unsound_indices_are_refused),
      cmocka_unit_test(labels_are_clamped_and_mapped),
      cmocka_unit_test(lattice_is_fine_and_fits),
      cmocka_unit_test(lattice_refuses_what_cannot_fit),
      cmocka_unit_test(noise_scales_round_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
