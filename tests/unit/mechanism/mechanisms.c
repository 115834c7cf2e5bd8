/* SPDX-License-Identifier: MIT */
/* The encoders and decoders of the vault: identities, sensitivities against brute
   force, and the reference values of the banded and the buffered mechanism. */
#include "made.h"
#include "sums.h"

#include <stdlib.h>

#include "mechanism/banded.h"
#include "mechanism/blt.h"
#include "mechanism/decode.h"
#include "mechanism/mechanism.h"
#include "vault/words.h"

static const unsigned char test_key[TACIT_KEY_BYTES] = "mechanism tests";

static tacit_encoder_facts shape_of(const struct tacit_encoder_ops *ops, size_t dim,
                                    int64_t per_pass, int64_t passes) {
  tacit_encoder_facts shape = {.dim = dim,
                               .rounds = per_pass * passes,
                               .per_pass = per_pass,
                               .weight_bits = ops->weight_bits_max,
                               .clip_max = 1 << 20};
  for (int i = 0; ops->params != NULL && ops->params[i].name != NULL; ++i)
    shape.values[i] = ops->params[i].fallback;
  return shape;
}

/* Decoder after encoder is the prefix sum, for every entry of the registry: exactly
   where the arithmetic is whole, to rounding elsewhere; `banded` to the rounding of its
   matrix (below). */
static void decoders_invert_their_encoders(void **state) {
  (void)state;
  enum { DIM = 3 };
  tacit_words words;
  tacit_words_init(&words, test_key);
  const struct tacit_encoder_ops *ops;
  for (size_t which = 0; (ops = tacit_encoder_at(which)) != NULL; ++which) {
    for (int passes = 1; passes <= 3; passes += 2) {
      tacit_encoder_facts shape = shape_of(ops, DIM, 60, passes);
      tacit_encoder *self = encoder_of(ops, &shape);
      tacit_decoder *decoder;
      tacit_error err;
      CHECK_OK(tacit_decoder_new(ops, &shape, &decoder, &err), err);
      double prefix[DIM] = {0}, size = 0;
      for (int64_t t = 1; t <= shape.rounds; ++t) {
        int64_t raw_sum[DIM];
        tacit_i128 row[DIM];
        double y[DIM], decoded[DIM], bound = ops->relative ? (double)t * 0.01 : 1;
        for (int i = 0; i < DIM; ++i) {
          raw_sum[i] = (int64_t)(tacit_words_next(&words) >> 34) - (1 << 29);
          prefix[i] += bound * (double)raw_sum[i];
        }
        size += bound * 0x1p29;
        assert_true(encoder_begin(self, t, 5) >= 5);
        encoder_encode(self, raw_sum, 0, 2, row);
        encoder_encode(self, raw_sum, 2, 1, row + 2);
        for (int i = 0; i < DIM; ++i)
          y[i] = ldexp((double)row[i], -shape.weight_bits);
        (void)tacit_decoder_open(decoder, t, bound, 1);
        tacit_decoder_sum(decoder, y, 1, DIM, decoded);
        tacit_decoder_sum(decoder, y, 0, 1, decoded);
        double slack = ops == &tacit_encoder_banded ? 1e-5 : ops->relative ? 1e-9 : 0;
        for (int i = 0; i < DIM; ++i)
          CHECK_WITHIN(decoded[i], prefix[i], slack * size);
      }
      tacit_decoder_free(decoder);
      encoder_free(self);
    }
  }
}

/* Rounds of one coordinate, encoded without noise and decoded. */
static void decode_banded(const tacit_encoder_facts *shape, const int64_t *inputs,
                          const double *bounds, double *out_sums) {
  const struct tacit_encoder_ops *ops = &tacit_encoder_banded;
  tacit_encoder *self = encoder_of(ops, shape);
  tacit_decoder *decoder;
  tacit_error err;
  CHECK_OK(tacit_decoder_new(ops, shape, &decoder, &err), err);
  for (int64_t t = 1; t <= shape->rounds; ++t) {
    tacit_i128 row;
    (void)encoder_begin(self, t, shape->clip_max);
    encoder_encode(self, &inputs[t - 1], 0, 1, &row);
    double y = ldexp((double)row, -shape->weight_bits);
    (void)tacit_decoder_open(decoder, t, bounds[t - 1], 0);
    tacit_decoder_sum(decoder, &y, 0, 1, &out_sums[t - 1]);
  }
  tacit_decoder_free(decoder);
  encoder_free(self);
}

/* What the band of the exact inverse does not undo, the rounding of the matrix, stays
   within the bound of mechanism/decode_banded.c in every round; and, for the default
   and inputs of one sign, within 20 2^-weight_bits of the sum, however many the rounds.
 */
static void banded_loses_no_more_than_it_says(void **state) {
  (void)state;
  enum { MAX = 600 };
  static const double params[][2] = {{0.7, 4}, {0.95, 64}, {0.05, 2}, {0.5, 1}};
  static const int64_t shapes[][2] = {{32, 1}, {8, 4}, {1, 1}, {MAX, 1}};
  tacit_words words;
  tacit_words_init(&words, test_key);
  double closest = 0;
  for (int which = 0; which < 4 * 4 * 3 * 2; ++which) {
    const double *param = params[which % 4];
    const int64_t *rounds = shapes[which / 4 % 4];
    int bits = 12 + 6 * (which / 16 % 3), one_sign = which / 48;
    tacit_encoder_facts shape =
        shape_of(&tacit_encoder_banded, 1, rounds[0], rounds[1]);
    shape.weight_bits = bits;
    shape.values[0] = param[0];
    shape.values[1] = param[1];
    tacit_banded *matrix;
    tacit_error err;
    CHECK_OK(tacit_banded_new(&shape, &matrix, &err), err);
    int64_t inputs[MAX];
    double bounds[MAX], sums[MAX], weighted[MAX], size = 0, prefix = 0;
    for (int64_t t = 0; t < shape.rounds; ++t) {
      inputs[t] = (int64_t)(made_uniform(&words) * 0x1p40);
      if (one_sign) inputs[t] = (int64_t)1 << 40;
      bounds[t] = 1;
    }
    decode_banded(&shape, inputs, bounds, sums);
    for (int64_t t = 0; t < shape.rounds; ++t) {
      size += fabs((double)inputs[t]);
      double input = sums[t] - (t > 0 ? sums[t - 1] : 0);
      double limit = 2 * matrix->norms[t] * ldexp(size, -bits) + 1e-12 * size;
      double error = fabs(input - (double)inputs[t]);
      CHECK_AT_MAX(error, limit);
      closest = fmax(closest, error / limit);
    }
    tacit_banded_free(matrix);
    if (!one_sign || which % 4 != 0) continue;
    for (int64_t t = 0; t < shape.rounds; ++t)
      bounds[t] = (double)t + 1;
    decode_banded(&shape, inputs, bounds, weighted);
    for (int64_t t = 0; t < shape.rounds; ++t) {
      prefix += bounds[t] * (double)inputs[t];
      CHECK_WITHIN(weighted[t], prefix, ldexp(20 * prefix, -bits));
    }
  }
  assert_true(closest > 0.1); /* the bound is not idle */
}

/* Row t of K u in 128 bits, whatever the sums and however the coordinates are cut: at
   rounds and widths around those the encoder works in. */
static void banded_rows_are_exact(void **state) {
  (void)state;
  enum { DIM = 1100, CUT = 700, MAX_ROUNDS = 13 };
  static const int64_t ends[] = {INT64_MIN, INT64_MAX,  -1,        0,
                                 1,         0xffffffff, 1LL << 32, -(1LL << 32)};
  const struct tacit_encoder_ops *ops = &tacit_encoder_banded;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int64_t rounds = 1; rounds <= MAX_ROUNDS; ++rounds) {
    tacit_encoder_facts shape = shape_of(ops, DIM, rounds, 1);
    tacit_encoder *self = encoder_of(ops, &shape);
    int64_t *sums = calloc(DIM * (size_t)rounds, sizeof *sums);
    int64_t *k = calloc((size_t)(rounds * rounds), sizeof *k);
    tacit_i128 *row = calloc(DIM, sizeof *row);
    tacit_error err;
    CHECK_OK(ops->fill(&shape, k, &err), err);
    for (int64_t t = 0; t < rounds; ++t) {
      int64_t *now = sums + t * DIM;
      for (int i = 0; i < DIM; ++i) {
        uint64_t word = tacit_words_next(&words);
        now[i] = word % 4 == 0 ? ends[(word >> 8) % 8] : (int64_t)word;
      }
      (void)encoder_begin(self, t + 1, 1);
      encoder_encode(self, now, 0, CUT, row);
      encoder_encode(self, now, CUT, DIM - CUT, row + CUT);
      for (int i = 0; i < DIM; ++i) {
        tacit_i128 expected = 0;
        for (int64_t j = 0; j <= t; ++j)
          expected += (tacit_i128)k[t * rounds + j] * sums[j * DIM + i];
        if (row[i] != expected) fail_msg("round %d, coordinate %d", (int)t + 1, i);
      }
    }
    encoder_free(self);
    free(k);
    free(sums);
    free(row);
  }
}

/* S against what a record really does: columns by encoding unit records, every phase.
 */
static double brute_force_sens(const struct tacit_encoder_ops *ops,
                               const tacit_encoder_facts *shape) {
  double largest = 0;
  for (int64_t q = 1; q <= shape->per_pass; ++q) {
    tacit_encoder *self = encoder_of(ops, shape);
    double squares = 0;
    for (int64_t t = 1; t <= shape->rounds; ++t) {
      int64_t raw_sum = (t - q) % shape->per_pass == 0 ? shape->clip_max : 0;
      tacit_i128 row;
      (void)encoder_begin(self, t, shape->clip_max);
      encoder_encode(self, &raw_sum, 0, 1, &row);
      squares += (double)row * (double)row;
    }
    largest = fmax(largest, sqrt(squares) / (double)shape->clip_max);
    encoder_free(self);
  }
  return largest;
}

static void sensitivities_cover_brute_force(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1}, {32, 1}, {16, 2}, {8, 4},
                                      {4, 8}, {1, 16}, {50, 3}};
  const struct tacit_encoder_ops *ops;
  for (size_t which = 0; (ops = tacit_encoder_at(which)) != NULL; ++which) {
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
      tacit_encoder_facts shape = shape_of(ops, 1, shapes[s][0], shapes[s][1]);
      tacit_encoder_sens sens = sens_of(ops, &shape);
      double brute = brute_force_sens(ops, &shape);
      CHECK_AT_MAX(brute, sens.squares);
      CHECK_RELATIVE(brute, sens.squares,
                     1e-4); /* The bound is tight: no noise is wasted. */
    }
  }
}

static tacit_banded *banded_of(int64_t per_pass, int64_t passes) {
  tacit_encoder_facts shape = shape_of(&tacit_encoder_banded, 1, per_pass, passes);
  tacit_banded *banded;
  tacit_error err;
  CHECK_OK(tacit_banded_new(&shape, &banded, &err), err);
  return banded;
}

/* BIFR(.7, 4): coefficients and phase norms. */
static void banded_has_the_stated_numbers(void **state) {
  (void)state;
  struct {
    int64_t b, e;
    double first, last;
  } const cases[] = {{32, 1, 1.758771570809, 1},
                     {16, 2, 2.618884942971, 2.063705714706},
                     {8, 4, 4.406989273536, 3.917211145753},
                     {4, 8, 8.142230463562, 7.719815449145}};
  for (int i = 0; i < 4; ++i) {
    tacit_banded *banded = banded_of(cases[i].b, cases[i].e);
    CHECK_RELATIVE(banded->norms[0], cases[i].first, 1e-11);
    CHECK_RELATIVE(banded->norms[cases[i].b - 1], cases[i].last, 1e-11);
    tacit_banded_free(banded);
  }
  tacit_banded *banded = banded_of(32, 1);
  tacit_encoder_facts shape = shape_of(&tacit_encoder_banded, 1, 32, 1);
  int64_t k[32 * 32];
  tacit_error err;
  CHECK_OK(tacit_encoder_banded.fill(&shape, k, &err), err);
  static const double inverse[] = {1, -0.7, -0.105, -0.0455};
  static const double c[] = {1, 0.7, 0.595, 0.5355, 0.469175};
  for (int i = 0; i < 4; ++i)
    CHECK_WITHIN(banded->inverse[i], inverse[i], 1e-15);
  for (int i = 0; i < 5; ++i) {
    double entry = (double)k[i * 32] * banded->norms[0] * 0x1p-24;
    CHECK_WITHIN(entry, c[i], 2e-7);
  }
  tacit_banded_free(banded);
}

/* Noise of gbar_t, k = 2, mu = 1, c = 1, B = 1, per coordinate. */
static void banded_noise_has_the_stated_size(void **state) {
  (void)state;
  struct {
    int64_t b, e;
    double at[3]; /* t = 1, 2, 32 */
  } const cases[] = {{32, 1, {1.758771571, 5.619616263, 82.244508182}},
                     {8, 4, {4.406989274, 13.987049695, 275.313473517}}};
  for (int i = 0; i < 2; ++i) {
    tacit_encoder_facts shape =
        shape_of(&tacit_encoder_banded, 0, cases[i].b, cases[i].e);
    tacit_decoder *decoder;
    tacit_error err;
    CHECK_OK(tacit_decoder_new(&tacit_encoder_banded, &shape, &decoder, &err), err);
    for (int64_t t = 1; t <= 32; ++t) {
      double bound = (double)(t * t - (t - 1) * (t - 1)); /* beta_t - beta_{t-1} */
      double std = tacit_decoder_open(decoder, t, bound, 1);
      if (t <= 2) CHECK_RELATIVE(std, cases[i].at[t - 1], 1e-9);
      if (t == 32) CHECK_RELATIVE(std, cases[i].at[2], 1e-9);
    }
    tacit_decoder_free(decoder);
  }
}

/* The square root of the prefix sum: the best Toeplitz matrix, dense, for reference. */
static void square_root_has_the_stated_numbers(void **state) {
  (void)state;
  enum { T = 1024 };
  static double c[T], inverse[T];
  c[0] = inverse[0] = 1;
  for (int k = 1; k < T; ++k) {
    c[k] = c[k - 1] * (2 * k - 1) / (2 * k);
    inverse[k] = inverse[k - 1] * (k - 1.5) / k;
  }
  CHECK_WITHIN(c[3], 0.3125, 1e-15);
  CHECK_WITHIN(inverse[3], -0.0625, 1e-15);
  for (int k = 0; k < 64; ++k) {
    double sum = 0;
    for (int j = 0; j <= k; ++j)
      sum += c[j] * inverse[k - j];
    CHECK_WITHIN(sum, k == 0, 1e-15);
  }
  struct {
    int t;
    double m;
  } const errors[] = {{8, 1.718379259109},
                      {32, 2.166975379769},
                      {64, 2.388848108295},
                      {1024, 3.272554150273}};
  for (int i = 0; i < 4; ++i) {
    double sum = 0;
    for (int k = 0; k < errors[i].t; ++k)
      sum += c[k] * c[k];
    CHECK_RELATIVE(sum, errors[i].m, 1e-12);
  }
  struct {
    int b, e;
    double sens;
  } const sens[] = {{64, 1, 1.545589890073},
                    {64, 2, 2.473739876978},
                    {64, 4, 4.180994991648},
                    {64, 8, 7.457889092032},
                    {8, 4, 3.842498359768}};
  for (int i = 0; i < 5; ++i) {
    double squares = 0;
    for (int r = 0; r < sens[i].b * sens[i].e; ++r) {
      double sum = 0;
      for (int e = 0; e * sens[i].b <= r; ++e)
        sum += c[r - e * sens[i].b];
      squares += sum * sum;
    }
    CHECK_RELATIVE(sqrt(squares), sens[i].sens, 1e-12);
  }
}

/* Err(T): norm of the last row of A C^-1, from the decoder's own recursion. */
static double blt_product(int64_t rounds, int fine) {
  tacit_encoder_facts shape = shape_of(&tacit_encoder_blt, 0, rounds, 1);
  shape.values[0] = fine;
  tacit_blt blt;
  tacit_error err;
  CHECK_OK(tacit_blt_init(&blt, &shape, &err), err);
  double variance = 0, s[TACIT_BLT_MAX] = {0}, sum = 0;
  for (int64_t t = 0; t < rounds; ++t) { /* response of the sum to one unit of noise */
    double v = t == 0 ? 1 : 0;
    for (int j = 0; j < blt.buffers; ++j)
      v -= blt.omega[j] * s[j];
    for (int j = 0; j < blt.buffers; ++j)
      s[j] += v - blt.lambda[j] * s[j];
    sum += v;
    variance += sum * sum;
  }
  return tacit_blt_norm_up(&blt, 1) * sqrt(variance);
}

static void blt_is_close_to_the_square_root(void **state) {
  (void)state;
  CHECK_WITHIN(blt_product(1 << 10, 0), 3.272554150 * 1.001542, 2e-6);
  CHECK_WITHIN(blt_product(1 << 20, 0), 5.478988 * 1.004226, 2e-5);
  const struct tacit_blt_row *row = tacit_blt_table;
  int rows = 0;
  for (; row->buffers > 0; ++row, ++rows) { /* lambda and mu interlace strictly */
    double last = 0;
    for (int j = 0; j < row->buffers; ++j) {
      assert_true(last < row->lambda[j] && row->lambda[j] < row->mu[j]);
      last = row->mu[j];
    }
    assert_true(last < 1);
  }
  assert_int_equal(rows, 54);
}

/* The closed form of the norm against the coefficients themselves, all phases. */
static void blt_norms_match_brute_force(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{1000, 1}, {64, 4}, {7, 9}, {1, 30}};
  for (int s = 0; s < 4; ++s) {
    int64_t b = shapes[s][0], rounds = b * shapes[s][1];
    tacit_encoder_facts shape = shape_of(&tacit_encoder_blt, 1, b, shapes[s][1]);
    tacit_blt blt;
    tacit_error err;
    CHECK_OK(tacit_blt_init(&blt, &shape, &err), err);
    double *c = calloc((size_t)rounds, sizeof *c), power[TACIT_BLT_MAX];
    c[0] = 1;
    for (int j = 0; j < blt.buffers; ++j)
      power[j] = blt.omega[j];
    for (int64_t k = 1; k < rounds; ++k) {
      for (int j = 0; j < blt.buffers; ++j) {
        assert_true(blt.omega[j] > 0);
        c[k] += power[j];
        power[j] *= 1 - blt.lambda[j];
      }
    }
    for (int64_t q = 0; q<b; q += b> 100 ? 97 : 1) {
      double squares = 0;
      for (int64_t t = q; t < rounds; ++t) {
        double sum = 0;
        for (int64_t i = q; i <= t; i += b)
          sum += c[t - i];
        squares += sum * sum;
      }
      double norm = tacit_blt_norm_up(&blt, q + 1);
      assert_true(norm >= sqrt(squares));
      CHECK_RELATIVE(norm / (1 + 1e-9), sqrt(squares), 1e-10);
    }
    free(c);
  }
}

/* The floors of the fixed-point buffers move no row by more than is charged for. */
static void blt_floors_stay_below_their_charge(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  enum { ROUNDS = 3000 };
  tacit_encoder_facts shape = shape_of(&tacit_encoder_blt, 1, ROUNDS, 1);
  shape.weight_bits = 12;
  struct {
    long double value;
  } buffer[TACIT_BLT_MAX] = {{0}};
  tacit_blt blt;
  tacit_error err;
  void *self = calloc(1, tacit_encoder_blt.state_size);
  CHECK_OK(tacit_blt_init(&blt, &shape, &err), err);
  CHECK_OK(tacit_encoder_blt.init(self, &shape, &err), err);
  double worst = 0;
  for (int64_t t = 1; t <= ROUNDS; ++t) {
    int64_t raw_sum = (int64_t)(made_uniform(&words) * 0x1p20);
    tacit_i128 row;
    (void)tacit_encoder_blt.begin(self, t, 1);
    tacit_encoder_blt.encode(self, &raw_sum, 0, 1, &row);
    long double input = (long double)tacit_blt_weight(&blt, t) * raw_sum, exact = input;
    for (int j = 0; j < blt.buffers; ++j) {
      exact += (long double)blt.omega[j] * buffer[j].value;
      buffer[j].value += input - (long double)blt.lambda[j] * buffer[j].value;
    }
    worst = fmax(worst, fabs((double)((long double)row - exact)));
  }
  CHECK_AT_MAX(worst, blt.buffers + 0.51);
  assert_true(worst > 0.5);
  /* The sensitivity holds 2^weight_bits for the matrix and, in units of the bound, all
     these floors: in every coordinate of every row. */
  static const size_t dims[] = {1, 100, 1 << 20};
  for (int i = 0; i < 3; ++i) {
    tacit_encoder_sens sens;
    shape.dim = dims[i];
    CHECK_OK(tacit_encoder_blt.sens(NULL, &shape, &sens, &err), err);
    double floors = worst * sqrt((double)dims[i] * ROUNDS) / (double)shape.clip_max;
    CHECK_AT_MAX(ldexp(1, shape.weight_bits) + floors, sens.squares);
    CHECK_AT_MAX(sens.squares, ldexp(1, shape.weight_bits) + 10 * floors);
  }
  tacit_encoder_blt.fini(self);
  free(self);
}

/* What the decoder says of its noise is what noise does: 4000 coordinates of it. */
static void decoders_know_their_noise(void **state) {
  (void)state;
  enum { DIM = 4000, B = 10, E = 3 };
  tacit_words words;
  tacit_words_init(&words, test_key);
  const struct tacit_encoder_ops *ops;
  for (size_t which = 0; (ops = tacit_encoder_at(which)) != NULL; ++which) {
    tacit_encoder_facts shape = shape_of(ops, DIM, B, E);
    tacit_decoder *decoder;
    tacit_error err;
    CHECK_OK(tacit_decoder_new(ops, &shape, &decoder, &err), err);
    double *y = calloc(DIM, sizeof *y), *sum = calloc(DIM, sizeof *sum), std = 0;
    for (int64_t t = 1; t <= B * E; ++t) {
      for (int i = 0; i < DIM; ++i) /* variance 1/3 */
        y[i] = made_uniform(&words);
      std = tacit_decoder_open(decoder, t, (double)t, sqrt(1.0 / 3));
      tacit_decoder_sum(decoder, y, 0, DIM, sum);
      double squares = 0;
      for (int i = 0; i < DIM; ++i)
        squares += sum[i] * sum[i];
      CHECK_RELATIVE(sqrt(squares / DIM), std, 0.06); /* five standard errors */
    }
    tacit_decoder_free(decoder);
    free(y);
    free(sum);
  }
}

static void auto_picks_by_rounds(void **state) {
  (void)state;
  assert_ptr_equal(tacit_encoder_auto(64, 0), &tacit_encoder_banded);
  assert_ptr_equal(tacit_encoder_auto(65, 0), &tacit_encoder_blt);
  assert_ptr_equal(tacit_encoder_auto(10, 1), &tacit_encoder_tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decoders_invert_their_encoders),
      cmocka_unit_test(banded_loses_no_more_than_it_says),
      cmocka_unit_test(banded_rows_are_exact),
      cmocka_unit_test(sensitivities_cover_brute_force),
      cmocka_unit_test(banded_has_the_stated_numbers),
      cmocka_unit_test(banded_noise_has_the_stated_size),
      cmocka_unit_test(square_root_has_the_stated_numbers),
      cmocka_unit_test(blt_is_close_to_the_square_root),
      cmocka_unit_test(blt_norms_match_brute_force),
      cmocka_unit_test(blt_floors_stay_below_their_charge),
      cmocka_unit_test(decoders_know_their_noise),
      cmocka_unit_test(auto_picks_by_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
