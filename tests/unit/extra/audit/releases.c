/* SPDX-License-Identifier: MIT */
/*
 * Audits of evaluations and descriptions. The canary moves the release by the whole mu,
 * except where no two records can: then by what is computed here by hand. The scores
 * are those of two Gaussians that are so far apart. Keys are fresh, so scores differ
 * from run to run; a correct program fails one of the checks of scores once in 40,000
 * runs of this test.
 */
#include "check.h"

#include <tacit/extra/audit.h>
#include <tacit/extra/evaluate.h>

enum { TRIALS = 200, ROWS = 12 };

static const char columns[] =
    "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": [\"no\", "
    "\"yes\"]}, \"columns\": [{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, "
    "\"max\": 100}, {\"name\": \"sick\", \"type\": \"bool\"}, {\"name\": \"ward\", "
    "\"type\": \"category\", \"values\": [\"a\", \"b\"]}]}";

struct setting {
  int describes;
  size_t classes; /* 0: a number */
  const char *loss;
  tacit_adjacency adjacency;
  int64_t units;
  int weighted;
  double share; /* of mu that the canary uses */
};

/* Numbers, replace: of y, y^2, e, |e|, e^2 (with squares .2 .25 .05 .2 .3) no two rows
   differ by 1 in all; 0 and 1 differ by 1/2, 1, 1/2, 1, 1. */
static const struct setting settings[] = {
    {.classes = 2, .share = 1},
    {.classes = 2, .adjacency = TACIT_ZERO_OUT, .share = 1},
    {.classes = 2, .units = 10, .weighted = 1, .loss = "hinge", .share = 1},
    {.classes = 2, .units = 10, .adjacency = TACIT_ZERO_OUT, .share = 1},
    {.classes = 5, .share = 1},
    {.classes = 5, .adjacency = TACIT_ZERO_OUT, .share = 1},
    {.share = 0.9013878188659973}, /* the root of .8125 */
    {.adjacency = TACIT_ZERO_OUT, .share = 1},
    {.describes = 1, .share = 1},
    {.describes = 1, .units = 10, .adjacency = TACIT_ZERO_OUT, .share = 1},
};

static tacit_schema *schema_of(const struct setting *s) {
  tacit_schema *schema = NULL;
  tacit_error err;
  if (s->describes) {
    const char *path = "releases.schema.json";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(columns, file) >= 0 && fclose(file) == 0);
    CHECK_OK(tacit_schema_load_counting(path, 0, 8, 0, &schema, &err), err);
    assert_int_equal(remove(path), 0);
  } else {
    CHECK_OK(tacit_schema_memory(3, s->classes, -2, 7, &schema, &err), err);
  }
  return schema;
}

static tacit_audit *audit_of(const struct setting *s, double mu, int64_t trials) {
  tacit_audit_options options;
  tacit_evaluation_options release;
  tacit_config config;
  tacit_audit *audit = NULL;
  tacit_error err;
  tacit_config_init(&config);
  tacit_schema *schema = schema_of(s);
  config.schema = schema;
  config.loss = s->loss;
  config.rows = s->units > 0 ? 0 : ROWS;
  config.units = s->units;
  config.weighted = s->weighted;
  tacit_evaluation_options_init(&release);
  release.mu = mu;
  release.adjacency = s->adjacency;
  tacit_audit_options_init(&options);
  options.trials = trials;
  options.threads = 1;
  CHECK_OK((s->describes ? tacit_audit_description : tacit_audit_evaluation)(
               &config, &release, &options, &audit, &err),
           err);
  tacit_schema_free(schema);
  return audit;
}

static void the_canary_is_the_worst_case(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    double mu = 2;
    tacit_audit *audit = audit_of(&settings[i], mu, 20);
    assert_true(tacit_audit_mu(audit) == mu);
    CHECK_WITHIN(tacit_audit_reach(audit) / mu, settings[i].share, 1e-9);
    assert_null(tacit_audit_plan(audit));
    assert_non_null(strstr(tacit_audit_statement_json(audit), "one sum over all rows"));
    tacit_audit_free(audit);
  }
}

/* The ratio has mean r^2/2 and -r^2/2 and variance r^2, where r is the reach: means
   within 5 standard errors, variances within 5 of theirs. */
static void scores_are_those_of_two_gaussians(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    tacit_audit *audit = audit_of(&settings[i], 1, TRIALS);
    double reach = tacit_audit_reach(audit), square = reach * reach;
    for (int which = 0; which < 2; ++which) {
      int64_t count;
      const double *scores =
          tacit_audit_scores(audit, TACIT_AUDIT_EXACT, which, &count);
      double mean = 0, squares = 0;
      assert_int_equal(count, TRIALS);
      for (int64_t k = 0; k < count; ++k)
        mean += scores[k] / TRIALS;
      for (int64_t k = 0; k < count; ++k)
        squares += (scores[k] - mean) * (scores[k] - mean) / (TRIALS - 1);
      CHECK_WITHIN(mean, which == 0 ? square / 2 : -square / 2,
                   5 * reach / sqrt(TRIALS));
      CHECK_WITHIN(squares / square, 1, 5 * sqrt(2.0 / TRIALS));
    }
    assert_null(tacit_audit_scores(audit, TACIT_AUDIT_ORDER, 0, NULL));
    tacit_audit_free(audit);
  }
}

static void what_cannot_be_audited_is_refused(void **state) {
  (void)state;
  tacit_audit_options options;
  tacit_evaluation_options release;
  tacit_config config;
  tacit_audit *audit = NULL;
  tacit_error err;
  tacit_config_init(&config);
  tacit_schema *schema = schema_of(&settings[0]);
  config.rows = ROWS;
  tacit_audit_options_init(&options);
  tacit_evaluation_options_init(&release);
  release.epsilon = 1;
  assert_int_equal(tacit_audit_evaluation(&config, &release, &options, &audit, &err),
                   TACIT_EINVAL); /* no schema */
  config.schema = schema;
  assert_int_equal(tacit_audit_description(&config, &release, &options, &audit, &err),
                   TACIT_EINVAL); /* no columns */
  release.seeded = 1;
  assert_int_equal(tacit_audit_evaluation(&config, &release, &options, &audit, &err),
                   TACIT_EPRIVACY);
  release.seeded = 0;
  config.rows = 1;
  assert_int_equal(tacit_audit_evaluation(&config, &release, &options, &audit, &err),
                   TACIT_EINVAL);
  assert_null(audit);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_canary_is_the_worst_case),
      cmocka_unit_test(scores_are_those_of_two_gaussians),
      cmocka_unit_test(what_cannot_be_audited_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
