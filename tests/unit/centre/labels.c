/* SPDX-License-Identifier: MIT */
/* The guess of labels from a noisy histogram, against sums over a fine grid whose hats
   are integrals by many points. */
#include "check.h"

#include "centre/labels.h"

enum { BINS = TACIT_LABEL_BINS, POINTS = 2000 };

struct release {
  tacit_label_means means;
  double hats[BINS];
};

/* The hats of a label. */
static void add_hats(double low, double u, double share, double *hats) {
  double step = (1 - low) / (BINS - 1);
  for (int k = 0; k < BINS; ++k)
    hats[k] += share * fmax(0, 1 - fabs(u - low - k * step) / step);
}

/* The means of hats for normal labels that are cut to the bounds. */
static void normal_hats(double low, double m, double s, double *hats) {
  double all = 0;
  for (int k = 0; k < BINS; ++k)
    hats[k] = 0;
  for (int i = 0; i < POINTS; ++i) {
    double z = -6 + 12 * (i + 0.5) / POINTS, p = exp(-z * z / 2);
    add_hats(low, fmin(1, fmax(low, m + s * z)), p, hats);
    all += p;
  }
  for (int k = 0; k < BINS; ++k)
    hats[k] /= all;
}

/* The release for normal labels, with errors of the size of the noise. */
static void release_init(struct release *release, double low, double m, double s,
                         double noise) {
  static const double errors[] = {0.4, -1.1, 0.8, 1.3, -0.2, -0.9, 0.1, 0.6, -1.4};
  normal_hats(low, m, s, release->hats);
  for (int k = 0; k < BINS; ++k)
    release->hats[k] = 30 * (release->hats[k] + noise * errors[k % 9]);
  release->means = (tacit_label_means){.mean = m + noise * errors[1],
                                       .square = m * m + s * s + 2 * noise * errors[2],
                                       .noise = noise,
                                       .low = low,
                                       .hats = release->hats,
                                       .hats_unit = 30,
                                       .hats_noise = noise};
}

static double square(double x) { return x * x; }

static tacit_label_guess slow_guess(const tacit_label_means *means) {
  enum { MEANS = 161, DEVIATIONS = 61 };
  static double logs[MEANS][DEVIATIONS];
  double half = (1 - means->low) / 2, most = -INFINITY, all = 0, m1 = 0, s1 = 0;
  for (int i = 0; i < MEANS; ++i)
    for (int j = 0; j < DEVIATIONS; ++j) {
      double m = means->low + 2 * half * (i + 0.5) / MEANS, hats[BINS];
      double s = half * 0.005 * pow(0.7 / 0.005, (j + 0.5) / DEVIATIONS), log_p = 0;
      normal_hats(means->low, m, s, hats);
      for (int k = 0; k < BINS; ++k) {
        double doubt = square(means->hats_noise) + square(0.02 + 0.5 * hats[k]);
        log_p -= square(means->hats[k] / means->hats_unit - hats[k]) / doubt / 2 +
                 log(doubt) / 2;
      }
      log_p -= square((means->mean - m) / means->noise) / 2;
      log_p -= square((means->square - m * m - s * s) / (2 * means->noise)) / 2;
      logs[i][j] = log_p - square(log(s / (0.1 * half)) / 1.3) / 2;
      most = fmax(most, logs[i][j]);
    }
  for (int i = 0; i < MEANS; ++i)
    for (int j = 0; j < DEVIATIONS; ++j) {
      double p = exp(logs[i][j] - most);
      all += p;
      m1 += p * (means->low + 2 * half * (i + 0.5) / MEANS);
      s1 += p * log(half * 0.005 * pow(0.7 / 0.005, (j + 0.5) / DEVIATIONS));
    }
  return (tacit_label_guess){m1 / all, exp(s1 / all)};
}

static void the_guess_is_that_of_a_fine_grid(void **state) {
  static const double cases[][4] = {/* low, mean, deviation, noise */
                                    {-1, 0.1, 0.3, 0.05},  {-1, -0.7, 0.2, 0.1},
                                    {-1, 0.5, 0.1, 0.3},   {0, 0.2, 0.08, 0.05},
                                    {-1, 0.9, 0.15, 0.08}, {0, 0.5, 0.2, 0.2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct release release;
    release_init(&release, cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
    tacit_label_guess fast = tacit_label_guess_of(&release.means),
                      slow = slow_guess(&release.means);
    CHECK_WITHIN(fast.mean, slow.mean, 0.002);
    CHECK_RELATIVE(fast.std, slow.std, 0.02);
  }
}

/* Bounds of a hundred deviations: the mean alone is off by nearly three of them. */
static void narrow_labels_are_found_in_wide_bounds(void **state) {
  (void)state;
  for (double m = -0.93; m < 1; m += 0.31) {
    struct release release;
    release_init(&release, -1, m, 0.02, 0.05);
    tacit_label_guess guess = tacit_label_guess_of(&release.means);
    CHECK_WITHIN(guess.mean, m, 0.03);
    assert_true(guess.std > 0.005 && guess.std < 0.08);
  }
}

static void without_noise_the_means_decide(void **state) {
  (void)state;
  for (double s = 0.01; s < 0.5; s *= 2.3) {
    struct release release;
    release_init(&release, -1, 0.513, s, 0);
    for (int k = 0; k < BINS; ++k) /* labels that are not normal at all */
      release.hats[k] = k == 12 ? 30 : 0;
    tacit_label_guess guess = tacit_label_guess_of(&release.means);
    CHECK_WITHIN(guess.mean, 0.513, 1e-5);
    CHECK_RELATIVE(guess.std, s, 1e-3);
  }
}

static void labels_that_noise_hides_are_usual(void **state) {
  struct release release;
  (void)state;
  release_init(&release, -1, 0.5, 0.3, 0);
  release.means.noise = release.means.hats_noise = 1e9;
  tacit_label_guess guess = tacit_label_guess_of(&release.means);
  CHECK_WITHIN(guess.mean, 0, 0.2);
  assert_true(guess.std > 0.05 && guess.std < 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_guess_is_that_of_a_fine_grid),
      cmocka_unit_test(narrow_labels_are_found_in_wide_bounds),
      cmocka_unit_test(without_noise_the_means_decide),
      cmocka_unit_test(labels_that_noise_hides_are_usual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
