/* SPDX-License-Identifier: MIT */
/* Waves of rows, the spread that follows from them, and the frame that uses it. */
#include "centre/spread.h"

#include "base/memory.h"
#include "centre/frame.h"
#include "check.h"
#include "vault/words.h"

enum { FEATURES = 30, COLUMNS = FEATURES + 1, ROWS = 3000 };

static const tacit_row_rule rule = {
    .features = FEATURES, .bias = 1, .row_norm = 1, .exponent = 2, .outputs = 1};

/* Returns a number of deviation 1, near enough to normal. */
static double normal(tacit_words *words) {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += ldexp((double)(tacit_words_next(words) >> 11), -53);
  return sum - 6;
}

static tacit_words words_of(const char *name) {
  unsigned char key[TACIT_KEY_BYTES] = {0};
  tacit_words words;
  memcpy(key, name, strlen(name));
  tacit_words_init(&words, key);
  return words;
}

/* Writes the waves of the one row of a batch. */
static void write_waves(const tacit_batch *one, double scale, double unit,
                        double *out) {
  tacit_waves_of(&rule, one, 0, 1, &scale, &tacit_level_plain, unit, TACIT_WAVES, out);
}

/* Adds up the waves and the entries of rows around a far mean; `still` of ten rows are
   at that mean. */
static void sums_of(tacit_words *words, double spread, int still, double *waves,
                    double *sums) {
  double mean[FEATURES], values[FEATURES], own[TACIT_WAVES];
  for (int j = 0; j < FEATURES; ++j)
    mean[j] = normal(words) / 8;
  double size = spread / sqrt(FEATURES * (1 - still / 10.0));
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      values[j] = mean[j] + (i % 10 < still ? 0 : size * normal(words));
    const tacit_batch one = {.n_features = FEATURES, .raw_values = values};
    write_waves(&one, 1, 1, own);
    for (int k = 0; k < TACIT_WAVES; ++k)
      waves[k] += own[k];
    for (int j = 0; sums != NULL && j < FEATURES; ++j)
      sums[j] += values[j];
  }
  if (sums != NULL) sums[FEATURES] += ROWS;
}

static void waves_have_one_norm_and_do_not_see_zeros(void **state) {
  tacit_words words = words_of("waves");
  (void)state;
  for (int i = 0; i < 200; ++i) {
    double values[FEATURES], few[FEATURES], dense[TACIT_WAVES], sparse[TACIT_WAVES];
    uint32_t indices[FEATURES];
    size_t count = 0;
    double size = pow(10, i % 7 - 3), square = 0;
    for (uint32_t j = 0; j < FEATURES; ++j) {
      values[j] = tacit_words_next(&words) % 2 ? size * normal(&words) : 0;
      if (values[j] == 0) continue;
      few[count] = values[j];
      indices[count++] = j;
    }
    const int64_t starts[] = {0, (int64_t)count};
    const tacit_batch row = {.n_features = FEATURES, .raw_values = values};
    const tacit_batch same = {.n_features = FEATURES,
                              .raw_values = few,
                              .raw_indices = indices,
                              .raw_row_start = starts};
    write_waves(&row, 0.5, 3, dense);
    write_waves(&same, 0.5, 3, sparse);
    assert_memory_equal(dense, sparse, sizeof dense);
    for (int k = 0; k < TACIT_WAVES; ++k)
      square += dense[k] * dense[k];
    CHECK_RELATIVE(square, 9.0 * TACIT_WAVES / 2, 1e-9);
  }
}

static void a_spread_is_seen_wherever_the_rows_are(void **state) {
  static const double spreads[] = {0.01, 0.03, 0.1, 0.3, 0.8};
  tacit_words words = words_of("spread");
  (void)state;
  for (size_t i = 0; i < 5; ++i)
    for (int still = 0; still <= 6; still += 3)
      for (int noisy = 0; noisy < 2; ++noisy) {
        double waves[TACIT_WAVES] = {0};
        sums_of(&words, spreads[i], still, waves, NULL);
        for (int k = 0; noisy && k < TACIT_WAVES; ++k)
          waves[k] += 0.1 * ROWS * normal(&words);
        const tacit_spread_facts facts = {waves, ROWS, noisy ? 0.1 : 0, 2};
        double found = tacit_spread_of(&facts) / spreads[i];
        if (!(found > 0.65 && found < 1.7))
          fail_msg("spread %g, %d of 10 still, noisy %d: %g times as large", spreads[i],
                   still, noisy, found);
      }
}

static void a_spread_that_noise_hides_is_the_usual_one(void **state) {
  tacit_words words = words_of("hidden");
  double waves[TACIT_WAVES] = {0};
  (void)state;
  sums_of(&words, 0.01, 0, waves, NULL);
  for (int k = 0; k < TACIT_WAVES; ++k)
    waves[k] += 50.0 * ROWS * normal(&words);
  tacit_spread_facts facts = {waves, ROWS, 50, 2};
  CHECK_RELATIVE(tacit_spread_of(&facts), 0.35, 0.2);
  facts.most = 0.1; /* the mean row leaves no room for more */
  CHECK_RELATIVE(tacit_spread_of(&facts), 0.1, 1e-8);
}

/* Makes the frame of rows with a mean of -0.15 in every feature. */
static tacit_frame *frame_of(double noise, double *y) {
  tacit_error err;
  tacit_frame *frame = NULL;
  tacit_loss *loss = NULL;
  const tacit_loss_facts classes = {.margin_max = 10, .label_max = 1, .classes = 2};
  CHECK_OK(tacit_loss_new("logistic", &classes, &loss, &err), err);
  tacit_frame_facts facts = {.row = rule,
                             .label = {.kind = TACIT_LOSS_CLASSES, .classes = 2},
                             .loss = loss,
                             .rows = ROWS,
                             .noise = noise,
                             .signal = 3000,
                             .constant = 0.3,
                             .passes = 8,
                             .bits = 12};
  tacit_moments_of(&facts.row, &facts.label, 0, 1, &facts.moments);
  CHECK_RELATIVE(facts.moments.reach, sqrt(1.18), 1e-12);
  assert_int_equal(facts.moments.tails, 1 + TACIT_WAVES);
  tacit_words words = words_of("frame");
  double waves[TACIT_WAVES] = {0};
  sums_of(&words, 0.05, 0, waves, NULL);
  for (int j = 0; j < FEATURES; ++j)
    y[j] = -0.15 * ROWS + noise * normal(&words);
  y[FEATURES] = 0.5 * ROWS;
  y[COLUMNS] = facts.moments.label * ROWS / 2;
  for (int k = 0; k < TACIT_WAVES; ++k)
    y[COLUMNS + 1 + k] = facts.moments.wave * waves[k] + noise * normal(&words);
  CHECK_OK(tacit_frame_new(&facts, y, &frame, &err), err);
  tacit_loss_free(loss);
  return frame;
}

static void rows_are_measured_in_their_spread(void **state) {
  double y[COLUMNS + 1 + TACIT_WAVES], step = ldexp(1, -12);
  (void)state;
  tacit_frame *frame = frame_of(0.001 * ROWS, y);
  assert_true(frame->unit > 0.04 && frame->unit < 0.06);
  CHECK_RELATIVE(frame->radius, 0.8 * frame->unit, 1e-12);
  CHECK_WITHIN(frame->offset[FEATURES], -0.5, step);
  /* Features are shrunk to the mean of all, not to 0. */
  for (int j = 0; j < FEATURES; ++j)
    CHECK_WITHIN(frame->offset[j], 0.15, 0.001 + step);
  tacit_frame_free(frame);
  frame = frame_of(0.01 * ROWS, y);
  /* Noise of length 0.055 is in the mean row; shrinking takes most of it. */
  double error = 0;
  for (int j = 0; j < FEATURES; ++j)
    error += (frame->offset[j] - 0.15) * (frame->offset[j] - 0.15);
  assert_true(sqrt(error) < 0.03 && frame->unit < 0.1);
  tacit_frame_free(frame);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waves_have_one_norm_and_do_not_see_zeros),
      cmocka_unit_test(a_spread_is_seen_wherever_the_rows_are),
      cmocka_unit_test(a_spread_that_noise_hides_is_the_usual_one),
      cmocka_unit_test(rows_are_measured_in_their_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
