/* SPDX-License-Identifier: MIT */
/* Whole tables of effects by the library: releases and their budget, bits, persons,
   coverage, and what is refused. */
#include "check.h"

#include <jansson.h>

#include "extra/infer/infer.h"
#include "not_private/seed.h"
#include "vault/words.h"

enum { P = 3, ROWS = 6000, COPIES = 3 };

struct table {
  double values[ROWS * P], labels[ROWS];
  int64_t ids[ROWS];
  int64_t rows;
  int has_ids;
  tacit_schema *schema;
  tacit_reader *reader;
};

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11) + 0.5, -53);
}

static double normal(tacit_words *words) {
  return sqrt(-2 * log(uniform(words))) * cos(6.283185307179586 * uniform(words));
}

static const double slopes[P] = {1, -0.5, 0};

/* Rows of a model with these slopes: classes, or numbers with errors of deviation 1. */
static void table_init(struct table *t, int64_t rows, int number, unsigned char first) {
  unsigned char seed[TACIT_KEY_BYTES] = {first, 7};
  tacit_words words;
  tacit_error err;
  *t = (struct table){.rows = rows};
  tacit_words_init(&words, seed);
  for (int64_t i = 0; i < rows; ++i) {
    double eta = 0.3;
    for (int j = 0; j < P; ++j) {
      double x = fmax(-1, fmin(1, 0.35 * normal(&words)));
      t->values[i * P + j] = x;
      eta += slopes[j] * x;
    }
    t->labels[i] = number                                  ? eta + normal(&words)
                   : uniform(&words) < 1 / (1 + exp(-eta)) ? 1
                                                           : -1;
    t->ids[i] = i;
  }
  CHECK_OK(tacit_schema_memory(P, number ? 0 : 2, -10, 10, &t->schema, &err), err);
}

static void open_reader(struct table *t) {
  tacit_reader_options options;
  tacit_arrays arrays;
  tacit_error err;
  tacit_reader_free(t->reader);
  t->reader = NULL;
  tacit_arrays_init(&arrays);
  arrays.n_rows = t->rows;
  arrays.n_features = P;
  arrays.raw_values = t->values;
  arrays.row_stride = P * sizeof(double);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = t->labels;
  if (t->has_ids) arrays.raw_units = t->ids;
  tacit_reader_options_init(&options);
  options.schema = t->schema;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &t->reader, &err), err);
}

static void table_fini(struct table *t) {
  tacit_reader_free(t->reader);
  tacit_schema_free(t->schema);
}

static tacit_inference_options options_of(double epsilon, uint64_t seed) {
  tacit_inference_options options;
  tacit_inference_options_init(&options);
  options.epsilon = epsilon;
  options.seeded = 1;
  options.seed = seed;
  options.low = -1;
  options.high = 1;
  return options;
}

static tacit_inference *planned(struct table *t,
                                const tacit_inference_options *options) {
  tacit_inference *inference = NULL;
  tacit_error err;
  open_reader(t);
  CHECK_OK(tacit_inference_new(t->schema, t->reader, options, &inference, &err), err);
  return inference;
}

static tacit_inference *made(struct table *t, const tacit_inference_options *options) {
  tacit_inference *inference = planned(t, options);
  tacit_error err;
  CHECK_OK(tacit_inference_run(inference, t->reader, &err), err);
  return inference;
}

/* The coefficients of a table, as JSON. The caller frees *out_all. */
static json_t *coefficients(const tacit_inference *inference, json_t **out_all) {
  tacit_effects_view view;
  char *text = NULL;
  tacit_error err;
  tacit_effects_view_init(&view);
  CHECK_OK(tacit_effects_table(tacit_inference_model(inference), &view,
                               TACIT_EFFECTS_JSON, &text, &err),
           err);
  *out_all = json_loads(text, 0, NULL);
  tacit_string_free(text);
  return json_object_get(*out_all, "coefficients");
}

static double real(const json_t *list, size_t i, const char *key) {
  return json_number_value(json_object_get(json_array_get(list, i), key));
}

static void bits_do_not_depend_on_threads(void **state) {
  struct table *t = test_malloc(sizeof *t);
  char *first = NULL;
  tacit_error err;
  (void)state;
  table_init(t, ROWS, 0, 1);
  for (unsigned threads = 1; threads <= 3; ++threads) {
    tacit_inference_options options = options_of(1, 5);
    options.threads = threads;
    char *text = NULL;
    tacit_inference *inference = made(t, &options);
    CHECK_OK(tacit_model_text(tacit_inference_model(inference), &text, &err), err);
    if (first != NULL) assert_string_equal(text, first);
    if (first == NULL)
      first = text;
    else
      tacit_string_free(text);
    tacit_inference_free(inference);
  }
  tacit_string_free(first);
  table_fini(t);
  test_free(t);
}

/* The likelihood's maximum, and standard errors, by Newton's method. */
static void maximum_likelihood(const struct table *t, double *b, double *se) {
  double h[4][8];
  memset(b, 0, 4 * sizeof *b);
  for (int step = 0; step < 25; ++step) {
    double g[4] = {0};
    memset(h, 0, sizeof h);
    for (int64_t i = 0; i < t->rows; ++i) {
      double x[4] = {1, t->values[i * P], t->values[i * P + 1], t->values[i * P + 2]};
      double eta = 0;
      for (int j = 0; j < 4; ++j)
        eta += b[j] * x[j];
      double p = 1 / (1 + exp(-eta));
      for (int j = 0; j < 4; ++j) {
        g[j] += ((t->labels[i] > 0) - p) * x[j];
        for (int k = 0; k < 4; ++k)
          h[j][k] += p * (1 - p) * x[j] * x[k];
      }
    }
    for (int j = 0; j < 4; ++j)
      h[j][4 + j] = 1;
    for (int j = 0; j < 4; ++j) { /* Gauss and Jordan */
      double pivot = h[j][j];
      for (int k = 0; k < 8; ++k)
        h[j][k] /= pivot;
      for (int i = 0; i < 4; ++i) {
        double factor = h[i][j];
        for (int k = 0; i != j && k < 8; ++k)
          h[i][k] -= factor * h[j][k];
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        b[j] += h[j][4 + k] * g[k];
  }
  for (int j = 0; j < 4; ++j)
    se[j] = sqrt(h[j][4 + j]);
}

static void at_a_large_epsilon_it_is_maximum_likelihood(void **state) {
  struct table *t = test_malloc(sizeof *t);
  double b[4], se[4];
  json_t *all;
  (void)state;
  table_init(t, ROWS, 0, 2);
  maximum_likelihood(t, b, se);
  const tacit_inference_options options = options_of(1000, 5);
  tacit_inference *inference = made(t, &options);
  json_t *list = coefficients(inference, &all);
  for (size_t j = 0; j < P; ++j) {
    CHECK_WITHIN(real(list, j, "estimate"), b[j + 1], 0.04 * se[j + 1]);
    CHECK_RELATIVE(real(list, j, "se"), se[j + 1], 0.05);
    assert_true(real(list, j, "se_privacy") < 0.05 * se[j + 1]);
  }
  json_decref(all);
  tacit_inference_free(inference);
  table_fini(t);
  test_free(t);
}

/* A person with one row is a row; three copies of every row, owned by one person, say
   what one copy says, with the same errors. */
static void a_person_counts_once(void **state) {
  struct table *t = test_malloc(sizeof *t), *copies = test_malloc(sizeof *t);
  const tacit_inference_options options = options_of(1000, 5);
  json_t *all, *all_of_copies;
  size_t n;
  (void)state;
  table_init(t, ROWS / COPIES, 1, 3);
  table_init(copies, ROWS, 1, 3);
  for (int64_t i = 0; i < ROWS; ++i) {
    int64_t from = i % t->rows; /* apart in the file */
    memcpy(copies->values + i * P, t->values + from * P, P * sizeof(double));
    copies->labels[i] = t->labels[from];
    copies->ids[i] = from;
  }
  copies->has_ids = 1;
  tacit_inference *rows = made(t, &options), *persons = made(copies, &options);
  assert_int_equal(persons->facts.rows, t->rows);
  CHECK_RELATIVE(persons->information, rows->information, 0.05);
  json_t *list = coefficients(rows, &all),
         *list_of_copies = coefficients(persons, &all_of_copies);
  for (size_t j = 0; j < P; ++j) {
    double se = real(list, j, "se");
    CHECK_WITHIN(real(list_of_copies, j, "estimate"), real(list, j, "estimate"),
                 0.1 * se);
    CHECK_RELATIVE(real(list_of_copies, j, "se"), se, 0.05);
  }
  json_decref(all);
  json_decref(all_of_copies);
  tacit_inference_free(persons);
  t->has_ids = 1;
  tacit_inference *singles = made(t, &options);
  const double *one = tacit_model_weights(tacit_inference_model(rows), &n);
  const double *two = tacit_model_weights(tacit_inference_model(singles), &n);
  for (size_t j = 0; j < n; ++j)
    assert_true(one[j] == two[j]);
  tacit_inference_free(rows);
  tacit_inference_free(singles);
  table_fini(t);
  table_fini(copies);
  test_free(t);
  test_free(copies);
}

/* All releases together spend mu, and nothing is left. */
static void the_releases_spend_the_budget(void **state) {
  struct table *t = test_malloc(sizeof *t);
  tacit_error err;
  char purpose[TACIT_EFFECTS_PURPOSE];
  double mu;
  (void)state;
  for (int number = 0; number < 2; ++number) {
    table_init(t, 2000, number, 4);
    const tacit_inference_options options = options_of(2, 5);
    tacit_inference *inference = made(t, &options);
    CHECK_AT_MAX(inference->spent, inference->facts.mu);
    CHECK_RELATIVE(inference->spent, inference->facts.mu, 1e-9);
    assert_int_equal(inference->releases, 3 + number + inference->rounds);
    assert_int_equal(tacit_effects_spend(inference, 1e-6, &mu, purpose, &err),
                     TACIT_EPRIVACY);
    tacit_inference_free(inference);
    table_fini(t);
  }
  test_free(t);
}

/* 60 seeds: the mean square of the noise is off by more than 60% with probability
   below 2e-3. Two releases of the same sums have noise of their own. */
static void every_release_has_its_noise(void **state) {
  enum { SEEDS = 60 };
  struct table *t = test_malloc(sizeof *t);
  double means = 0, slope = 0, both = 0, bins = 0;
  tacit_error err;
  (void)state;
  table_init(t, 500, 0, 5);
  double sum = 0;
  for (int64_t i = 0; i < t->rows; ++i)
    sum += t->values[i * P];
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    const tacit_inference_options options = options_of(50, seed);
    tacit_inference *inference = planned(t, &options);
    CHECK_OK(tacit_key_from_seed(seed, &inference->key, &err), err);
    CHECK_OK(tacit_effects_rows_open(&inference->rows, t->reader, P, inference->pool,
                                     &inference->key, &err),
             err);
    CHECK_OK(tacit_effects_means(inference, &err), err);
    double mean = (inference->means[0] * (double)t->rows - sum) /
                  (sqrt(4 * P + 2) / (inference->facts.mu * sqrt(TACIT_EFFECTS_MEANS)));
    means += mean * mean / SEEDS;
    CHECK_OK(tacit_effects_choose(inference, &err), err);
    inference->spread[0] = 0;
    CHECK_OK(tacit_effects_spreads(inference, &err), err);
    bins += inference->spread[0] / SEEDS;
    const double theta[P + 1] = {0};
    for (int j = 0; j < P; ++j)
      inference->centre[j] = 0;
    double error[2];
    for (int k = 0; k < 2; ++k) {
      tacit_joint_facts facts = {.loss = TACIT_EFFECTS_LOGISTIC,
                                 .d = P + 1,
                                 .r = 2,
                                 .most = 1,
                                 .theta = theta};
      tacit_joint_sums sums;
      CHECK_OK(tacit_effects_joint(inference, &facts, 0.1, &sums, &err), err);
      double wanted = 2 * 2 / (inference->facts.mu * sqrt(0.1)), exact = 0;
      for (int64_t i = 0; i < t->rows; ++i) {
        double square = 1;
        for (int j = 0; j < P; ++j) {
          double z = t->values[i * P + j] / inference->spread[j];
          square += z * z;
        }
        exact += fmin(1, 4 / square) * (t->labels[i] > 0 ? -0.5 : 0.5);
      }
      error[k] = (sums.g[0] - exact) / wanted;
      slope += error[k] * error[k] / (2 * SEEDS);
      tacit_joint_sums_fini(&sums);
    }
    both += error[0] * error[1] / SEEDS;
    tacit_inference_free(inference);
  }
  CHECK_WITHIN(means, 1, 0.6);
  CHECK_WITHIN(slope, 1, 0.6);
  CHECK_WITHIN(both, 0, 0.6);
  CHECK_WITHIN(bins, 0.35, 0.07);
  table_fini(t);
  test_free(t);
}

/* 40 seeds: no row has a low weight, so that the released share is noise alone. Its
   mean square is off by more than 80% with probability below 1e-3. */
static void the_share_of_low_weights_has_noise(void **state) {
  enum { SEEDS = 40 };
  struct table *t = test_malloc(sizeof *t);
  double squares = 0;
  (void)state;
  table_init(t, 500, 0, 7);
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    const tacit_inference_options options = options_of(50, seed);
    tacit_inference *inference = made(t, &options);
    double noise = inference->low / inference->low_noise;
    squares += noise * noise / SEEDS;
    tacit_inference_free(inference);
  }
  CHECK_WITHIN(squares, 1, 0.8);
  table_fini(t);
  test_free(t);
}

/* 60 tables of 3 coefficients: 95% of 180 intervals cover; fewer than 88% with
   probability below 1e-4 if intervals of one table are independent. */
static void intervals_cover(void **state) {
  enum { TABLES = 60 };
  struct table *t = test_malloc(sizeof *t);
  int covered = 0, shown = 0;
  (void)state;
  for (unsigned char k = 0; k < TABLES; ++k) {
    table_init(t, 4000, 1, k);
    const tacit_inference_options options = options_of(1, k);
    tacit_inference *inference = made(t, &options);
    json_t *all, *list = coefficients(inference, &all);
    for (size_t j = 0; j < P; ++j) {
      if (json_object_get(json_array_get(list, j), "estimate") == NULL) continue;
      ++shown;
      covered +=
          real(list, j, "low") <= slopes[j] && slopes[j] <= real(list, j, "high");
    }
    json_decref(all);
    tacit_inference_free(inference);
    table_fini(t);
  }
  if (shown < 150 || covered < 0.88 * shown || covered > 0.995 * shown)
    fail_msg("%d of %d intervals cover", covered, shown);
  test_free(t);
}

static tacit_status refused(struct table *t, const tacit_inference_options *options,
                            tacit_error *err) {
  tacit_inference *inference = NULL;
  open_reader(t);
  tacit_status status =
      tacit_inference_new(t->schema, t->reader, options, &inference, err);
  tacit_inference_free(inference);
  return status;
}

static void what_has_no_intervals_is_refused_with_the_way_out(void **state) {
  struct table *t = test_malloc(sizeof *t);
  tacit_error err;
  (void)state;
  table_init(t, 100, 0, 6);
  tacit_inference_options options = options_of(1, 5);
  options.loss = "hinge";
  assert_int_equal(refused(t, &options, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "use logistic"));
  options.loss = "squared";
  assert_int_equal(refused(t, &options, &err), TACIT_EINVAL);
  options.loss = NULL;
  options.high = options.low;
  assert_int_equal(refused(t, &options, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "--bounds"));
  options.high = 1;
  options.epsilon = 0;
  assert_int_equal(refused(t, &options, &err), TACIT_EINVAL);
  options.epsilon = 1;
  tacit_schema_free(t->schema);
  CHECK_OK(tacit_schema_memory(P, 3, 0, 0, &t->schema, &err), err);
  assert_int_equal(refused(t, &options, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "one table per class"));
  table_fini(t);
  test_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test(at_a_large_epsilon_it_is_maximum_likelihood),
      cmocka_unit_test(a_person_counts_once),
      cmocka_unit_test(the_releases_spend_the_budget),
      cmocka_unit_test(every_release_has_its_noise),
      cmocka_unit_test(the_share_of_low_weights_has_noise),
      cmocka_unit_test(intervals_cover),
      cmocka_unit_test(what_has_no_intervals_is_refused_with_the_way_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
