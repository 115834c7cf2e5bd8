/* SPDX-License-Identifier: MIT */
/*
 * A privacy audit of a whole stream: 365 days of 500 rows at epsilon = 8, one input. A
 * canary at the clip is in one day, as +1 or as -1, and the attacker sees what every
 * day released, of which all models are functions, and knows all other rows, whose part
 * he takes off; here they are none. The score is the exact log-likelihood ratio. The
 * threshold is chosen on one half of the trials and used on the other; Clopper-Pearson
 * limits give mu_low. Keys are those of the operating system, and every trial is a
 * stream of its own through tacit_stream_feed. False alarm of "above mu": 2e-4 a day.
 */
#include "sums.h"

#include <stdlib.h>

#include "extra/stream/stream.h"
#include "mechanism/decode.h"

enum { DAYS = 365, ROWS = 500 };
static int n_trials = 600; /* each way */
static double least_share = 0.25;

static tacit_stream *begin(const char *mechanism, size_t features, double epsilon,
                           tacit_schema **schema) {
  tacit_stream_options options;
  tacit_config config;
  tacit_stream *stream = NULL;
  tacit_error err;
  tacit_stream_options_init(&options);
  options.horizon = DAYS;
  options.batch_rows = ROWS;
  CHECK_OK(tacit_schema_memory(features, 2, 0, 0, schema, &err), err);
  tacit_config_init(&config);
  config.schema = *schema;
  config.epsilon = epsilon;
  config.mechanism = mechanism;
  config.bias = 0;
  /* So that the canary reaches the clip, with the sign of its label, wherever the
     points are. */
  config.clip = 0.01;
  config.radius = 0.1;
  config.threads = 1;
  CHECK_OK(tacit_stream_init(&options, &config, &stream, &err), err);
  return stream;
}

static void end(tacit_stream *stream, tacit_schema *schema) {
  tacit_stream_free(stream);
  tacit_schema_free(schema);
}

/* Feeds a day: a row of label `sign`, or nothing for 0. */
static void feed(tacit_stream *stream, const tacit_schema *schema, int64_t day,
                 int sign) {
  static const double raw_value = 1;
  double raw_label = sign;
  tacit_reader *reader = NULL;
  tacit_error err;
  if (sign != 0) {
    tacit_arrays arrays;
    tacit_reader_options options;
    tacit_arrays_init(&arrays);
    arrays.n_rows = 1;
    arrays.n_features = 1;
    arrays.raw_values = &raw_value;
    arrays.row_stride = arrays.column_stride = sizeof raw_value;
    arrays.raw_labels = &raw_label;
    tacit_reader_options_init(&options);
    options.schema = schema;
    options.shuffle = 0;
    CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  }
  CHECK_OK(tacit_stream_feed(stream, reader, day, 0, NULL, &err), err);
  tacit_reader_free(reader);
}

/* What the canary alone does to each day's release, in units of the noise. */
static double shifts_of(const tacit_plan *plan, int64_t day, double *out) {
  const tacit_vault_facts *facts = &plan->vault;
  double squares = 0;
  double scale = (double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens,
                                              facts->lattice.clip_max, facts->budget);
  tacit_encoder *alone = encoder_of(facts->encoder, &facts->shape);
  for (int64_t t = 1; t <= DAYS; ++t) {
    int64_t raw_sum = t == day ? facts->lattice.clip_max : 0;
    tacit_i128 raw_row;
    (void)encoder_begin(alone, t, facts->lattice.clip_max);
    encoder_encode(alone, &raw_sum, 0, 1, &raw_row);
    out[t - 1] = (double)raw_row / scale;
    squares += out[t - 1] * out[t - 1];
  }
  encoder_free(alone);
  return sqrt(squares);
}

/* The score of one stream with the canary as `sign` on a day. */
static double one_trial(int64_t day, int sign, const double *shifts) {
  tacit_schema *schema;
  tacit_stream *stream = begin("blt", 1, 8, &schema);
  const tacit_plan *plan = tacit_train_plan(stream->train);
  const tacit_vault_facts *facts = &plan->vault;
  double unit =
      ldexp((double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens,
                                         facts->lattice.clip_max, facts->budget),
            -facts->lattice.exponent);
  double score = 0;
  for (int64_t t = 1; t <= DAYS; ++t) {
    feed(stream, schema, t, t == day ? sign : 0);
    score += shifts[t - 1] * stream->train->open.y[0] / unit;
  }
  end(stream, schema);
  return score;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* P(X <= k) for X ~ Binomial(n, p). */
static double binomial_below(int k, int n, double p) {
  double sum = 0;
  for (int i = 0; i <= k; ++i)
    sum += exp(lgamma(n + 1.) - lgamma(i + 1.) - lgamma(n - i + 1.) + i * log(p) +
               (n - i) * log1p(-p));
  return sum;
}

/* The largest rate that k of n do not contradict at this level: one-sided. */
static double rate_up(int k, int n, double level) {
  double low = (k + 1e-9) / n, high = 1 - 1e-12;
  if (k >= n) return 1;
  for (int i = 0; i < 100; ++i) {
    double middle = (low + high) / 2;
    if (binomial_below(k, n, middle) > 1 - level)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static double quantile(double p) { /* of the standard normal, by bisection */
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    double middle = (low + high) / 2;
    if (0.5 * erfc(-middle / sqrt(2)) < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int above(const double *scores, int first, int end, double threshold) {
  int count = 0;
  for (int i = first; i < end; ++i)
    count += scores[i] > threshold;
  return count;
}

static double mu_of(int false_alarms, int misses, int n, double level) {
  double alpha = rate_up(false_alarms, n, level), beta = rate_up(misses, n, level);
  return alpha + beta >= 1 ? 0 : quantile(1 - alpha) - quantile(beta);
}

/* mu_low at two levels; the threshold is the best one on the first half. */
static void measure(const double *with, const double *without, double *out_low,
                    double *out_sure) {
  int half = n_trials / 2;
  double *all = calloc((size_t)n_trials, sizeof *all), best = -1, threshold = 0;
  for (int i = 0; i < half; ++i) {
    all[2 * i] = with[i];
    all[2 * i + 1] = without[i];
  }
  qsort(all, (size_t)(2 * half), sizeof *all, by_value);
  for (int i = half / 10; i < 2 * half - half / 10; i += 1 + half / 200) {
    int misses = half - above(with, 0, half, all[i]);
    double mu = mu_of(above(without, 0, half, all[i]), misses, half, 0.975);
    if (mu > best) best = mu, threshold = all[i];
  }
  int misses = half - above(with, half, 2 * half, threshold);
  int alarms = above(without, half, 2 * half, threshold);
  *out_low = mu_of(alarms, misses, half, 0.975);
  *out_sure = mu_of(alarms, misses, half, 0.9999);
  free(all);
}

static double sum_of_half(const double *scores) {
  double sum = 0;
  for (int i = 0; i < n_trials / 2; ++i)
    sum += scores[i];
  return sum;
}

static void audit_day(int64_t day, double mu) {
  tacit_schema *schema;
  tacit_stream *stream = begin("blt", 1, 8, &schema);
  double shifts[DAYS], low, sure;
  (void)shifts_of(tacit_train_plan(stream->train), day, shifts);
  end(stream, schema);
  double *with = calloc((size_t)n_trials, sizeof *with);
  double *without = calloc((size_t)n_trials, sizeof *without);
  for (int i = 0; i < n_trials; ++i) {
    with[i] = one_trial(day, 1, shifts);
    without[i] = one_trial(day, -1, shifts);
  }
  if (sum_of_half(with) < sum_of_half(without)) { /* gradients have the other sign */
    double *kept = with;
    with = without;
    without = kept;
  }
  measure(with, without, &low, &sure);
  printf(
      "# day %lld: mu %.4f stated, mu_low %.4f (97.5%%), %.4f (99.99%%), %d trials\n",
      (long long)day, mu, low, sure, 2 * n_trials);
  assert_true(sure <= mu);
  assert_true(low >= least_share * mu);
  free(with);
  free(without);
}

static void all_models_together_are_as_private_as_stated(void **unused) {
  (void)unused;
  tacit_schema *schema;
  tacit_stream *stream = begin("blt", 1, 8, &schema);
  const tacit_plan *plan = tacit_train_plan(stream->train);
  double shifts[DAYS], largest = 0, mu = plan->mu;
  int64_t worst = 1;
  for (int64_t day = 1; day <= DAYS; ++day) {
    double norm = shifts_of(plan, day, shifts);
    if (norm > largest) largest = norm, worst = day;
    assert_true(2 * norm <= mu); /* what replacing it moves, in units of the noise */
  }
  end(stream, schema);
  assert_true(2 * largest >= 0.999 * mu);
  audit_day(worst, mu);
  audit_day(100, mu);
}

/* The mean noise over all rounds, in decoded sums of days without rows. */
static double noise_of(const char *mechanism, double *out_planned) {
  enum { FEATURES = 400 };
  tacit_schema *schema;
  tacit_error err;
  tacit_stream *stream = begin(mechanism, FEATURES, 1, &schema);
  const tacit_plan *plan = tacit_train_plan(stream->train);
  tacit_decoder *decoder;
  double sum[FEATURES], total = 0;
  CHECK_OK(tacit_decoder_new(plan->vault.encoder, &plan->vault.shape, &decoder, &err),
           err);
  for (int64_t t = 1; t <= DAYS; ++t) {
    double bound = stream->train->open.bound, squares = 0;
    feed(stream, schema, t, 0);
    (void)tacit_decoder_open(decoder, t, bound, 1);
    tacit_decoder_sum(decoder, stream->train->open.y, 0, FEATURES, sum);
    for (int i = 0; i < FEATURES; ++i)
      squares += sum[i] * sum[i];
    total += sqrt(squares);
  }
  *out_planned = plan->term_noise;
  tacit_decoder_free(decoder);
  end(stream, schema);
  return total;
}

static void the_noise_is_that_of_the_plan(void **unused) {
  (void)unused;
  double blt_planned, tree_planned;
  double blt = noise_of("blt", &blt_planned), tree = noise_of("tree", &tree_planned);
  printf("# noise of blt over that of the tree: %.4f measured, %.4f planned\n",
         blt / tree, blt_planned / tree_planned);
  CHECK_RELATIVE(blt / tree, blt_planned / tree_planned, 0.1);
}

int main(int argc, char **argv) {
  if (is_full_test(argc, argv)) {
    n_trials = 10000;
    least_share = 0.8;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_noise_is_that_of_the_plan),
      cmocka_unit_test(all_models_together_are_as_private_as_stated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
