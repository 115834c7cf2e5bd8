/* SPDX-License-Identifier: MIT */
/* The matrices of `--mechanism matrix`: the noise that tools/matrix_design.py promises,
   computed anew from what the vault multiplies with, and sensitivity by brute force. */
#include "sums.h"

#include "mechanism/matrix_table.h"
#include "mechanism/mechanism.h"

enum { MAX = 64, SPECTRUM = 60, CHECKPOINTS = 8 };

static tacit_encoder_facts shape_of(const struct tacit_encoder_ops *ops,
                                    const struct tacit_matrix_row *row) {
  tacit_encoder_facts shape = {.dim = 1,
                               .rounds = (int64_t)row->per_pass * row->passes,
                               .per_pass = row->per_pass,
                               .weight_bits = ops->weight_bits_max,
                               .clip_max = 1 << 20};
  for (int i = 0; ops->params[i].name != NULL; ++i)
    shape.values[i] = ops->params[i].fallback;
  if (ops == &tacit_encoder_matrix) shape.values[0] = row->design;
  return shape;
}

/* C, and its sensitivity, as the vault has them. */
struct matrix {
  int64_t rounds;
  double c[MAX][MAX], sens;
};

static void matrix_of(const struct tacit_encoder_ops *ops,
                      const struct tacit_matrix_row *row, struct matrix *out) {
  tacit_encoder_facts shape = shape_of(ops, row);
  int64_t *k = calloc(MAX * MAX, sizeof *k);
  tacit_error err;
  CHECK_OK(ops->fill(&shape, k, &err), err);
  out->rounds = shape.rounds;
  for (int64_t t = 0; t < shape.rounds; ++t)
    for (int64_t i = 0; i < shape.rounds; ++i)
      out->c[t][i] = ldexp((double)k[t * shape.rounds + i], -shape.weight_bits);
  out->sens = ldexp(sens_of(ops, &shape).squares, -shape.weight_bits);
  free(k);
}

/* |target C^-1|^2 S^2 for one row of the target. */
static double noise_of(const struct matrix *matrix, const double *target) {
  double x[MAX] = {0}, squares = 0; /* x C = target, from the last column on */
  for (int64_t j = matrix->rounds - 1; j >= 0; --j) {
    x[j] = target[j];
    for (int64_t t = j + 1; t < matrix->rounds; ++t)
      x[j] -= x[t] * matrix->c[t][j];
    x[j] /= matrix->c[j][j];
    squares += x[j] * x[j];
  }
  return squares * matrix->sens * matrix->sens;
}

/* theta_t = sum of g_1 … g_t, g_t = sum of u_i (i^k - (i-1)^k). */
static double sums_noise(const struct tacit_matrix_row *row,
                         const struct matrix *matrix) {
  double power = row->passes == 1 ? 1.25 : 1.5, total = 0;
  int64_t rounds = matrix->rounds;
  for (int64_t t = 1; t <= rounds; ++t) {
    double target[MAX] = {0};
    double count = row->passes == 1 ? 1 : (double)t / (double)rounds;
    for (int64_t i = 1; i <= t; ++i) {
      double rise = pow((double)i, power) - pow((double)i - 1, power);
      target[i - 1] = count * rise * (double)(t - i + 1);
    }
    total += noise_of(matrix, target);
  }
  return total;
}

static void spectrum_of(double *out) {
  double sum = 0;
  for (int i = 0; i < SPECTRUM; ++i) {
    out[i] =
        i < 20 ? 8e-3 * pow(2e-4 / 8e-3, i / 19.0) : 2e-4 * pow(5e-3, (i - 20) / 39.0);
    sum += out[i];
  }
  for (int i = 0; i < SPECTRUM; ++i)
    out[i] *= 0.05 / sum;
}

/* How heavy ball on curvature `h` has moved after `until` rounds for an error of 1 in
   the gradient of each round. */
static void response(const struct tacit_matrix_row *row, int64_t rounds, int64_t until,
                     double h, double growth, double *out) {
  static const double momenta[] = {0, 0.7, 0.8, 0, 0.85, 0, 0, 0, 0.85};
  double momentum = momenta[row->passes], log_growth = log(growth);
  double whole = growth == 1 ? 1 : (growth - 1) / log_growth;
  for (int64_t error = 1; error <= until; ++error) {
    double x = 0, v = 0, mean = 0;
    for (int64_t t = 1; t <= until; ++t) {
      double step = 4000 * exp(log_growth * (double)t / (double)rounds) / whole *
                    (1 - momentum) / (double)rounds;
      v = momentum * v - step * (h * x + (t == error));
      x += v;
      mean += (x - mean) * 4 / ((double)t + 3);
    }
    out[error - 1] = row->passes == 1 ? mean : x;
  }
}

static double last_noise(const struct tacit_matrix_row *row,
                         const struct matrix *matrix) {
  double spectrum[SPECTRUM], total = 0;
  spectrum_of(spectrum);
  for (double growth = 1; growth <= 16; growth *= 4) {
    for (int q = 1; q <= CHECKPOINTS; ++q) {
      for (int i = 0; i < SPECTRUM; ++i) {
        double target[MAX] = {0};
        double share = q == CHECKPOINTS ? 1 : 1.0 / (CHECKPOINTS - 1);
        response(row, matrix->rounds, matrix->rounds * q / CHECKPOINTS, spectrum[i],
                 growth, target);
        total += spectrum[i] * share * noise_of(matrix, target);
      }
    }
  }
  return total;
}

/* How heavy ball, whose steps are 0.35 of the steps to the minimum, has moved after
   `until` rounds for an error of 1 in the gradient of each round, where a direction
   turns `turn` times as fast as it was thought to. */
static void steps_response(int64_t until, double turn, int averages, double *out) {
  for (int64_t error = 1; error <= until; ++error) {
    double x = 0, v = 0, mean = 0;
    for (int64_t t = 1; t <= until; ++t) {
      v = 0.85 * v - 0.35 * 0.15 * (turn * x + (t == error));
      x += v;
      mean += (x - mean) * 4 / ((double)t + 3);
    }
    out[error - 1] = averages ? mean : x * 0.15 / 4;
  }
}

static double steps_noise(const struct tacit_matrix_row *row,
                          const struct matrix *matrix) {
  static const double turns[] = {1, 1, 1, 0.5, 0.2, 0.08};
  double total = 0;
  (void)row;
  for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i)
    for (int64_t until = 4; until <= matrix->rounds + 4; until += 4) {
      double target[MAX] = {0};
      int last = until > matrix->rounds;
      steps_response(last ? matrix->rounds : until, turns[i], last, target);
      total += noise_of(matrix, target);
    }
  return total;
}

/* The whole numbers lose less than 0.1% to the exact matrix. */
static void noise_is_what_the_script_says(void **state) {
  (void)state;
  for (const struct tacit_matrix_row *row = tacit_matrix_table; row->per_pass > 0;
       ++row) {
    double (*noise)(const struct tacit_matrix_row *, const struct matrix *) =
        row->design == TACIT_DESIGN_SUMS   ? sums_noise
        : row->design == TACIT_DESIGN_LAST ? last_noise
                                           : steps_noise;
    struct matrix best, banded;
    matrix_of(&tacit_encoder_matrix, row, &best);
    matrix_of(&tacit_encoder_banded, row, &banded);
    double price = sqrt(noise(row, &best) / noise(row, &banded));
    CHECK_RELATIVE(price, row->price, 1e-3);
  }
}

/* A record in every round of a phase, at its bound, through the encoder. */
static void sensitivity_is_that_of_the_worst_record(void **state) {
  (void)state;
  for (const struct tacit_matrix_row *row = tacit_matrix_table; row->per_pass > 0;
       ++row) {
    tacit_encoder_facts shape = shape_of(&tacit_encoder_matrix, row);
    tacit_i128 largest = 0;
    for (int64_t q = 1; q <= shape.per_pass; ++q) {
      tacit_encoder *self = encoder_of(&tacit_encoder_matrix, &shape);
      tacit_i128 squares = 0;
      for (int64_t t = 1; t <= shape.rounds; ++t) {
        int64_t raw_sum = (t - q) % shape.per_pass == 0;
        tacit_i128 encoded;
        (void)encoder_begin(self, t, 1);
        encoder_encode(self, &raw_sum, 0, 1, &encoded);
        squares += encoded * encoded;
      }
      if (squares > largest) largest = squares;
      encoder_free(self);
    }
    double sens = sens_of(&tacit_encoder_matrix, &shape).squares;
    CHECK_AT_MAX(sqrt((double)largest), sens);
    CHECK_RELATIVE(sqrt((double)largest), sens, 1e-14);
    CHECK_RELATIVE(ldexp(sens, -shape.weight_bits), 1, 2e-3); /* all cost the same */
  }
}

static void banded_serves_where_the_table_ends(void **state) {
  (void)state;
  double values[4] = {TACIT_DESIGN_SUMS};
  assert_ptr_equal(tacit_encoder_serving(&tacit_encoder_matrix, 8, 8, values),
                   &tacit_encoder_matrix);
  assert_ptr_equal(tacit_encoder_serving(&tacit_encoder_blt, 8, 9, values),
                   &tacit_encoder_blt);
  assert_ptr_equal(tacit_encoder_serving(&tacit_encoder_matrix, 8, 9, values),
                   &tacit_encoder_banded);
  CHECK_RELATIVE(values[0], 0.7, 1e-15);
  CHECK_RELATIVE(values[1], 4, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_is_what_the_script_says),
      cmocka_unit_test(sensitivity_is_that_of_the_worst_record),
      cmocka_unit_test(banded_serves_where_the_table_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
