/* SPDX-License-Identifier: MIT */
/* vault/matrix.c: rows and sensitivity of any integer matrix against plain loops and
   brute force, and runs with a matrix of the caller's. */
#include "sums.h"

#include "mechanism/decode.h"
#include "mechanism/mechanism.h"
#include "vault/words.h"

enum { MAX = 12 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "matrix tests";

struct problem {
  int64_t k[MAX * MAX];
  tacit_matrix matrix;
  tacit_encoder_facts shape;
};

static void problem_init(struct problem *problem, int64_t per_pass, int64_t passes) {
  int64_t rounds = per_pass * passes;
  memset(problem, 0, sizeof *problem);
  problem->matrix = (tacit_matrix){rounds, 10, problem->k};
  problem->shape = (tacit_encoder_facts){.dim = 2,
                                         .rounds = rounds,
                                         .per_pass = per_pass,
                                         .weight_bits = 10,
                                         .clip_max = 1 << 20,
                                         .matrix = &problem->matrix};
}

/* Entries from -size to size, or from 0; no zero on the diagonal. */
static void fill_randomly(struct problem *problem, int64_t size, int negative,
                          tacit_words *words) {
  int64_t rounds = problem->shape.rounds;
  for (int64_t t = 0; t < rounds; ++t) {
    for (int64_t i = 0; i <= t; ++i) {
      int64_t entry = (int64_t)tacit_words_below(words, (uint64_t)size + 1);
      if (negative && tacit_words_next(words) >> 63) entry = -entry;
      problem->k[t * rounds + i] = t == i && entry == 0 ? 1 : entry;
    }
  }
}

static double sens_squared(const struct problem *problem) {
  double sens = sens_of(&tacit_encoder_matrix, &problem->shape).squares;
  return sens * sens;
}

/* The largest |sum_e s_e K_e|^2 over signs s_e = -1, +1 and phases: what records in one
   dimension can do. */
static tacit_i128 best_signs(const struct problem *problem) {
  int64_t rounds = problem->shape.rounds, b = problem->shape.per_pass;
  tacit_i128 best = 0;
  for (int64_t q = 0; q < b; ++q) {
    for (uint32_t signs = 0; signs < 1u << (rounds / b); ++signs) {
      tacit_i128 square = 0;
      for (int64_t t = 0; t < rounds; ++t) {
        int64_t sum = 0;
        for (int64_t i = q; i <= t; i += b)
          sum += (signs >> (i / b) & 1 ? -1 : 1) * problem->k[t * rounds + i];
        square += (tacit_i128)sum * sum;
      }
      if (square > best) best = square;
    }
  }
  return best;
}

/* sum over e, f of |<K_e, K_f>| in plain loops, the claim of the proof. */
static tacit_i128 formula(const struct problem *problem) {
  int64_t rounds = problem->shape.rounds, b = problem->shape.per_pass;
  tacit_i128 best = 0;
  for (int64_t q = 0; q < b; ++q) {
    tacit_i128 square = 0;
    for (int64_t i = q; i < rounds; i += b) {
      for (int64_t j = q; j < rounds; j += b) {
        tacit_i128 product = 0;
        for (int64_t t = 0; t < rounds; ++t)
          product +=
              (tacit_i128)problem->k[t * rounds + i] * problem->k[t * rounds + j];
        square += product < 0 ? -product : product;
      }
    }
    if (square > best) best = square;
  }
  return best;
}

static void identity_and_prefix_sums_have_known_sensitivities(void **state) {
  (void)state;
  struct problem problem;
  for (int64_t passes = 1; passes <= 3; ++passes) {
    problem_init(&problem, 4, passes);
    int64_t rounds = problem.shape.rounds;
    for (int64_t t = 0; t < rounds; ++t)
      problem.k[t * rounds + t] = 1;
    CHECK_RELATIVE(sens_squared(&problem), (double)passes, 1e-14);
    double prefix = 0; /* row t counts a record of the first round once per pass */
    for (int64_t t = 0; t < rounds; ++t) {
      for (int64_t i = 0; i <= t; ++i)
        problem.k[t * rounds + i] = 1;
      prefix += (double)((t / 4 + 1) * (t / 4 + 1));
    }
    CHECK_RELATIVE(sens_squared(&problem), prefix, 1e-14);
  }
}

/* Two columns that point apart: a record that changes its sign between the passes moves
   the rows furthest. */
static void columns_with_different_signs_add_up(void **state) {
  (void)state;
  struct problem problem;
  problem_init(&problem, 1, 2);
  problem.k[0] = 3;
  problem.k[2] = -4;
  problem.k[3] = 5;
  CHECK_RELATIVE(sens_squared(&problem), 9 + 16 + 25 + 2 * 20, 1e-14);
}

static void sensitivities_cover_every_record_and_waste_nothing(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1}, {5, 1}, {12, 1}, {6, 2},
                                      {4, 3}, {3, 4}, {2, 6},  {1, 12}};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int trial = 0; trial < 1600; ++trial) {
    struct problem problem;
    problem_init(&problem, shapes[trial % 8][0], shapes[trial % 8][1]);
    int64_t size = trial % 5 == 4 ? (int64_t)1 << TACIT_MATRIX_ENTRY_BITS : 1000;
    int negative = trial / 8 % 2;
    fill_randomly(&problem, size, negative, &words);
    double got = sens_squared(&problem), exact = (double)formula(&problem);
    CHECK_AT_MAX((double)best_signs(&problem), got);
    CHECK_AT_MAX(exact, got);
    CHECK_RELATIVE(got, exact, 1e-14);
    if (!negative) CHECK_RELATIVE(got, (double)best_signs(&problem), 1e-14);
  }
}

/* The root of a large integer is never below the exact one: S^2 >= the integer,
   compared in 128 bits. Two rows of one column have squares that doubles cannot hold.
 */
static void the_root_is_rounded_up(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int trial = 0; trial < 2000; ++trial) {
    struct problem problem;
    problem_init(&problem, 2, 1);
    fill_randomly(&problem, ((int64_t)1 << 31) - 1, 1, &words);
    tacit_i128 exact = formula(&problem);
    double sens = sens_of(&tacit_encoder_matrix, &problem.shape).squares;
    long double product = (long double)sens * sens;
    assert_true(product >= (long double)exact * (1 - 0x1p-62L));
  }
}

/* Row t of K u in 128 bits for any entries, and the decoder takes it back. */
static void rows_are_exact_and_decoded(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int64_t rounds = 1; rounds <= MAX; ++rounds) {
    struct problem problem;
    problem_init(&problem, rounds, 1);
    fill_randomly(&problem, 1 << 10, 1, &words);
    for (int64_t t = 0; t < rounds; ++t)
      problem.k[t * rounds + t] = 1 << 11; /* so that doubles can decode it */
    tacit_encoder *encoder = encoder_of(&tacit_encoder_matrix, &problem.shape);
    tacit_decoder *decoder;
    tacit_error err;
    CHECK_OK(tacit_decoder_new(&tacit_encoder_matrix, &problem.shape, &decoder, &err),
             err);
    int64_t sums[MAX][2];
    double prefix[2] = {0}, scale = 0;
    for (int64_t t = 0; t < rounds; ++t) {
      tacit_i128 row[2];
      double y[2], decoded[2], bound = 1 + (double)t;
      for (int c = 0; c < 2; ++c) {
        sums[t][c] = (int64_t)tacit_words_next(&words) >> 24;
        prefix[c] += bound * (double)sums[t][c];
        scale += bound * 0x1p40;
      }
      assert_true(encoder_begin(encoder, t + 1, 5) == problem.shape.clip_max);
      encoder_encode(encoder, sums[t], 0, 2, row);
      for (int c = 0; c < 2; ++c) {
        tacit_i128 expected = 0;
        for (int64_t i = 0; i <= t; ++i)
          expected += (tacit_i128)problem.k[t * rounds + i] * sums[i][c];
        assert_true(row[c] == expected);
        y[c] = ldexp((double)row[c], -problem.shape.weight_bits);
      }
      (void)tacit_decoder_open(decoder, t + 1, bound, 1);
      tacit_decoder_sum(decoder, y, 0, 2, decoded);
      for (int c = 0; c < 2; ++c)
        CHECK_WITHIN(decoded[c], prefix[c], 1e-12 * scale);
    }
    tacit_decoder_free(decoder);
    encoder_free(encoder);
  }
}

static tacit_status fill_everywhere(const tacit_encoder_facts *facts, int64_t *k,
                                    tacit_error *err) {
  tacit_status status = tacit_encoder_matrix.fill(facts, k, err);
  for (int64_t t = 0; t < facts->rounds; ++t)
    for (int64_t i = t + 1; i < facts->rounds; ++i)
      k[t * facts->rounds + i] = INT64_MIN;
  return status;
}

/* What a mechanism writes above the diagonal changes neither rows nor sensitivity. */
static void nothing_above_the_diagonal_counts(void **state) {
  (void)state;
  struct tacit_encoder_ops careless = tacit_encoder_matrix;
  careless.fill = fill_everywhere;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int negative = 0; negative < 2; ++negative) {
    struct problem problem;
    problem_init(&problem, 3, 4);
    fill_randomly(&problem, 1000, negative, &words);
    double sens = sens_of(&careless, &problem.shape).squares;
    CHECK_RELATIVE(sens * sens, sens_squared(&problem), 1e-15);
    tacit_encoder *encoder = encoder_of(&careless, &problem.shape);
    for (int64_t t = 0; t < 12; ++t) {
      const int64_t ones[2] = {1, 1};
      tacit_i128 row[2], expected = 0;
      (void)encoder_begin(encoder, t + 1, 1);
      encoder_encode(encoder, ones, 0, 2, row);
      for (int64_t i = 0; i <= t; ++i)
        expected += problem.k[t * 12 + i];
      assert_true(row[0] == expected && row[1] == expected);
    }
    encoder_free(encoder);
  }
}

/* Of a prefix sum matrix the noise of the sum of rounds 1 … t is that of row t alone;
   of the identity it adds up. */
static void the_decoder_knows_its_noise(void **state) {
  (void)state;
  for (int prefix = 0; prefix < 2; ++prefix) {
    struct problem problem;
    problem_init(&problem, 8, 1);
    for (int64_t t = 0; t < 8; ++t)
      for (int64_t i = prefix ? 0 : t; i <= t; ++i)
        problem.k[t * 8 + i] = 1 << 10;
    tacit_decoder *decoder;
    tacit_error err;
    CHECK_OK(tacit_decoder_new(&tacit_encoder_matrix, &problem.shape, &decoder, &err),
             err);
    for (int64_t t = 1; t <= 8; ++t) {
      double std = tacit_decoder_open(decoder, t, 1, 3);
      CHECK_RELATIVE(std, prefix ? 3 : 3 * sqrt((double)t), 1e-14);
    }
    tacit_decoder_free(decoder);
  }
}

static void matrices_that_do_not_serve_are_refused(void **state) {
  (void)state;
  for (int fault = 0; fault < 4; ++fault) {
    struct problem problem;
    tacit_words words;
    tacit_words_init(&words, test_key);
    problem_init(&problem, 4, 1);
    fill_randomly(&problem, 9, 0, &words);
    if (fault == 0) problem.k[3 * 4] = ((int64_t)1 << TACIT_MATRIX_ENTRY_BITS) + 1;
    if (fault == 1) problem.k[3 * 4] = INT64_MIN;
    if (fault == 2) problem.k[1] = 1; /* above the diagonal */
    if (fault == 3) problem.k[5] = 0;
    tacit_encoder encoder;
    tacit_error err;
    assert_int_equal(
        tacit_encoder_init(&encoder, &tacit_encoder_matrix, &problem.shape, 1, &err),
        fault < 2 ? TACIT_EPRIVACY : TACIT_EINVAL);
    tacit_encoder_fini(&encoder);
  }
}

/* A run with the prefix sums for a matrix, through the public interface. */
static void a_run_takes_a_matrix(void **state) {
  (void)state;
  enum { ROWS = 600, FEATURES = 3, ROUNDS = 6 };
  static double values[ROWS * FEATURES], labels[ROWS];
  int64_t entries[ROUNDS * ROUNDS] = {0};
  const tacit_matrix matrix = {ROUNDS, 0, entries};
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int i = 0; i < ROWS; ++i) {
    labels[i] = i % 2 ? 1 : -1;
    for (int j = 0; j < FEATURES; ++j)
      values[i * FEATURES + j] = labels[i] * ldexp((double)(i % 7 + j), -4);
  }
  for (int t = 0; t < ROUNDS; ++t)
    for (int i = 0; i <= t; ++i)
      entries[t * ROUNDS + i] = 1;
  tacit_error err;
  tacit_config config;
  tacit_config_init(&config);
  tacit_schema *schema;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  config.schema = schema;
  config.rows = ROWS;
  config.passes = 2;
  config.batch = 200;
  config.epsilon = 2;
  config.seeded = 1;
  config.matrix = &matrix;
  tacit_plan *plan;
  config.mechanism = "tree";
  assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
  config.mechanism = "matrix";
  config.passes = 1;
  assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
  config.passes = 2;
  tacit_train *train;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  memset(entries, 0x77, sizeof entries); /* borrowed for the call only */
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_values = values;
  batch.raw_labels = labels;
  for (int pass = 0; pass < 3; ++pass) /* the first one for the mean row */
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
  tacit_model *model;
  CHECK_OK(tacit_train_finish(train, &model, &err), err);
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identity_and_prefix_sums_have_known_sensitivities),
      cmocka_unit_test(columns_with_different_signs_add_up),
      cmocka_unit_test(sensitivities_cover_every_record_and_waste_nothing),
      cmocka_unit_test(the_root_is_rounded_up),
      cmocka_unit_test(rows_are_exact_and_decoded),
      cmocka_unit_test(nothing_above_the_diagonal_counts),
      cmocka_unit_test(the_decoder_knows_its_noise),
      cmocka_unit_test(matrices_that_do_not_serve_are_refused),
      cmocka_unit_test(a_run_takes_a_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
