/* SPDX-License-Identifier: MIT */
/*
 * privacy/: mu-GDP against tables and against MPFR with 320 bits. delta(eps) falls and
 * delta(mu) rises, so "never below the exact epsilon" is delta_exact(eps) <= delta, and
 * "within 1e-9" is delta_exact(eps (1 - 1e-9)) > delta; likewise for mu.
 */
#include "unit/privacy/oracle.h"

/* The tables have 14 digits, so one-sidedness is checked against the oracle. */
static void tables_are_reproduced(void **state) {
  (void)state;
  static const struct {
    double mu, delta, exact, zcdp;
  } rows[] = {
      {.1, 1e-5, 0.34066936468433, 0.37526123569902},
      {.1, 1e-9, 0.53514823155317, 0.56489328430204},
      {.25, 1e-6, 1.0607018623283, 1.1429257095714},
      {.5, 1e-5, 1.9930914044151, 2.1657155451755},
      {.5, 1e-9, 2.9097323807636, 3.0581221668459},
      {1, 1e-5, 4.3771780956812, 4.7283869849433},
      {1, 1e-6, 4.8865541174622, 5.2215344445302},
      {1, 1e-10, 6.547924066865, 6.8393294131208},
      {2, 1e-5, 9.9972561464343, 10.724824112939},
      {3, 1e-6, 18.163445759078, 19.229510433929},
      {5, 1e-8, 39.891146705008, 41.585825949129},
  };
  oracle o;
  oracle_init(&o);
  for (size_t i = 0; i < COUNT(rows); ++i) {
    double epsilon = epsilon_of(rows[i].mu, rows[i].delta);
    CHECK_RELATIVE(epsilon, rows[i].exact, 1e-9);
    oracle_solve(&o, 0, rows[i].mu, rows[i].delta);
    assert_true(mpfr_cmp_d(o.c, epsilon) <= 0);
    CHECK_RELATIVE(epsilon, mpfr_get_d(o.c, MPFR_RNDN), 1e-11);
    double zcdp;
    tacit_error err;
    CHECK_OK(tacit_zcdp_from_mu_up(rows[i].mu, &zcdp, &err), err);
    CHECK_RELATIVE(zcdp_epsilon_of(zcdp, rows[i].delta), rows[i].zcdp, 1e-9);
  }
  static const double deltas[][3] = {
      {1, 0, .38292492254803},      {1, 1, .12693673750664},
      {.5, 2, 9.4391686349472e-6},  {2, 5, .032281984750073},
      {.1, .5, 6.8565824558387e-9}, {3, 1, .78760074136038},
  };
  for (size_t i = 0; i < COUNT(deltas); ++i)
    CHECK_RELATIVE(delta_of(deltas[i][0], deltas[i][1]), deltas[i][2], 1e-10);
  static const double mus[][3] = {
      {.1, 1e-5, .032520784056204}, {.5, 1e-5, .14221055866926},
      {1, 1e-5, .26805112321129},   {1, 1e-6, .23670438066344},
      {2, 1e-6, .44833474039519},   {8, 1e-6, 1.5315451175661},
      {1, 1e-9, .18197480729533},   {.1, 1e-10, .018448041589281},
  };
  for (size_t i = 0; i < COUNT(mus); ++i) {
    double mu = mu_of(mus[i][0], mus[i][1]);
    CHECK_RELATIVE(mu, mus[i][2], 1e-9);
    oracle_solve(&o, 1, mus[i][0], mus[i][1]);
    assert_true(mpfr_cmp_d(o.c, mu) >= 0);
    CHECK_RELATIVE(mu, mpfr_get_d(o.c, MPFR_RNDN), 1e-11);
  }
  oracle_clear(&o);
}

static void check_delta(oracle *o, double mu, double epsilon) {
  double delta = delta_of(mu, epsilon);
  if (oracle_compare(o, mu, epsilon, 0, delta) > 0)
    fail_msg("delta(%g, %.17g) = %.17g is below the exact one", mu, epsilon, delta);
  if (delta == 1e-300) {
    assert_true(mpfr_cmp_d(o->delta, 1e-300) <= 0);
    return;
  }
  if (delta == 1) {
    assert_true(mpfr_cmp_d(o->delta, 1 - 1e-11) >= 0);
    return;
  }
  mpfr_mul_d(o->delta, o->delta, 1 + 1e-11, MPFR_RNDN);
  if (mpfr_cmp_d(o->delta, delta) < 0)
    fail_msg("delta(%g, %.17g) = %.17g is more than 1e-11 too large", mu, epsilon,
             delta);
}

static void delta_is_never_below_and_within_1e_11(void **state) {
  (void)state;
  oracle o;
  oracle_init(&o);
  for (size_t i = 0; i < COUNT(mu_grid); ++i) {
    double mu = mu_grid[i];
    check_delta(&o, mu, 0);
    for (size_t j = 0; j < COUNT(epsilon_grid); ++j)
      check_delta(&o, mu, epsilon_grid[j]);
    /* eps/mu - mu/2 across the whole range in which delta lives */
    for (double c = -6; c < 37.5; c += 0.73) {
      double epsilon = mu * (c + mu / 2);
      if (epsilon >= 0 && epsilon <= 1e3) check_delta(&o, mu, epsilon);
    }
  }
  oracle_clear(&o);
}

static void check_epsilon(oracle *o, double mu, double delta) {
  double epsilon = epsilon_of(mu, delta);
  if (oracle_compare(o, mu, epsilon, 0, delta) > 0)
    fail_msg("epsilon(%g, %.17g) = %.17g is below the exact one", mu, delta, epsilon);
  if (epsilon > 0 && oracle_compare(o, mu, epsilon, 1e-9, delta) <= 0)
    fail_msg("epsilon(%g, %.17g) = %.17g is more than 1e-9 too large", mu, delta,
             epsilon);
}

static void epsilon_is_never_below_and_within_1e_9(void **state) {
  (void)state;
  oracle o;
  oracle_init(&o);
  for (size_t i = 0; i < COUNT(mu_grid); ++i) {
    for (size_t j = 0; j < COUNT(delta_grid); ++j)
      check_epsilon(&o, mu_grid[i], delta_grid[j]);
    /* deltas that meet delta(0), where epsilon goes to 0 and digits get lost */
    double start = delta_of(mu_grid[i], 0);
    for (double gap = 0.5; gap > 1e-17; gap /= 3.3)
      if (start * (1 - gap) <= 0.5) check_epsilon(&o, mu_grid[i], start * (1 - gap));
  }
  assert_true(epsilon_of(1, 0.3829250) == 0); /* delta(0) = .38292492 */
  assert_true(epsilon_of(1, 0.3829249) > 0);
  oracle_clear(&o);
}

static void mu_is_never_above_and_within_1e_9(void **state) {
  (void)state;
  oracle o;
  oracle_init(&o);
  for (size_t i = 0; i < COUNT(epsilon_grid); ++i)
    for (size_t j = 0; j < COUNT(delta_grid); ++j) {
      double epsilon = epsilon_grid[i], delta = delta_grid[j];
      double mu = mu_of(epsilon, delta);
      if (oracle_compare(&o, mu, epsilon, 0, delta) > 0)
        fail_msg("mu(%g, %g) = %.17g is above the exact one", epsilon, delta, mu);
      if (oracle_compare(&o, mu * (1 + 1e-9), epsilon, 0, delta) <= 0)
        fail_msg("mu(%g, %g) = %.17g is more than 1e-9 too small", epsilon, delta, mu);
    }
  oracle_clear(&o);
}

static double pure_mu_of(double epsilon) {
  double mu = -1;
  tacit_error err;
  CHECK_OK(tacit_mu_from_pure_up(epsilon, &mu, &err), err);
  return mu;
}

/* Sign of Phi(-mu/2) (1 + e^eps) - 1 at mu (1 - shrink): positive below the exact mu.
 */
static int oracle_compare_pure(oracle *o, double epsilon, double mu, double shrink) {
  mpfr_set_d(o->a, shrink, MPFR_RNDN);
  mpfr_ui_sub(o->a, 1, o->a, MPFR_RNDN);
  mpfr_mul_d(o->a, o->a, mu, MPFR_RNDN);
  mpfr_set_ui(o->b, 8, MPFR_RNDN);
  mpfr_sqrt(o->b, o->b, MPFR_RNDN);
  mpfr_div(o->a, o->a, o->b, MPFR_RNDN);
  mpfr_erfc(o->a, o->a, MPFR_RNDN);
  mpfr_set_d(o->b, epsilon, MPFR_RNDN);
  mpfr_exp(o->b, o->b, MPFR_RNDN);
  mpfr_add_ui(o->b, o->b, 1, MPFR_RNDN);
  mpfr_mul(o->a, o->a, o->b, MPFR_RNDN);
  return mpfr_cmp_ui(o->a, 2);
}

static void pure_mu_is_never_below_and_within_1e_12(void **state) {
  (void)state;
  static const double table[][2] = {
      {1e-6, 1.253314137315478e-6}, {.01, .01253311895964984}, {.1, .1253090122116076},
      {.5, .6238925920985082},      {1, 1.232035385344901},    {2, 2.35796148564725},
      {3, 3.340683712240601},       {8, 6.802568676155562},    {20, 11.7584187136531},
      {100, 27.77695206600777},     {1e3, 89.23149546393881},  {1e4, 282.7596797462543},
  };
  for (size_t i = 0; i < COUNT(table); ++i)
    CHECK_RELATIVE(pure_mu_of(table[i][0]), table[i][1], 1e-12);
  oracle o;
  oracle_init(&o);
  double last = 0;
  for (double epsilon = 1e-6; epsilon <= 1e4; epsilon *= 1.037) {
    double mu = pure_mu_of(epsilon);
    if (oracle_compare_pure(&o, epsilon, mu, 0) > 0)
      fail_msg("mu of pure %.17g = %.17g is below the exact one", epsilon, mu);
    if (oracle_compare_pure(&o, epsilon, mu, 1e-12) <= 0)
      fail_msg("mu of pure %.17g = %.17g is more than 1e-12 too large", epsilon, mu);
    CHECK_AT_MAX(last, mu);
    last = mu;
  }
  /* where the two forms meet: no step beyond the rounding */
  double low = pure_mu_of(1), high = pure_mu_of(1 + 1e-15);
  CHECK_WITHIN(high, low, 1e-11);
  oracle_clear(&o);
}

/* What mu says at any delta must include what the pure guarantee says: a test with
   false-alarm rate a detects at most min(e^eps a, 1 - e^-eps (1 - a)), and mu-GDP
   allows Phi(Phi^-1(a) + mu), which is that and more. */
static void pure_mu_covers_every_test(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(epsilon_grid); ++i) {
    double epsilon = epsilon_grid[i], mu = pure_mu_of(epsilon);
    if (epsilon > 30) continue;
    for (double quantile = -7; quantile < 7; quantile += .01) {
      double alarms = .5 * erfc(-quantile / sqrt(2));
      double pure = fmin(exp(epsilon) * alarms, 1 - exp(-epsilon) * (1 - alarms));
      CHECK_AT_MAX(pure * (1 - 1e-12), .5 * erfc(-(quantile + mu) / sqrt(2)));
    }
  }
}

static void conversions_are_monotone(void **state) {
  (void)state;
  double last = 0;
  for (double mu = 1e-9; mu <= 1e3; mu *= 1.07) {
    double epsilon = epsilon_of(mu, 1e-7);
    CHECK_AT_MAX(last, epsilon);
    last = epsilon;
  }
  last = INFINITY;
  for (double delta = 1e-300; delta <= .5; delta *= 11) {
    double epsilon = epsilon_of(.8, delta);
    CHECK_AT_MAX(epsilon, last);
    last = epsilon;
  }
  last = 0;
  for (double epsilon = 1e-6; epsilon <= 1e3; epsilon *= 1.11) {
    double mu = mu_of(epsilon, 1e-5);
    CHECK_AT_MAX(last, mu);
    last = mu;
  }
  last = 1;
  for (double epsilon = 0; epsilon <= 60; epsilon += .17) {
    double delta = delta_of(3, epsilon);
    CHECK_AT_MAX(delta, last);
    last = delta;
  }
}

static void round_trips_return(void **state) {
  (void)state;
  static const double mus[] = {.02, .1, .5, 1, 3, 5};
  for (size_t i = 0; i < COUNT(mus); ++i)
    for (int digits = 3; digits <= 12; ++digits) {
      double delta = pow(10, -digits);
      double epsilon = epsilon_of(mus[i], delta);
      if (epsilon > 0) CHECK_RELATIVE(mu_of(epsilon, delta), mus[i], 1e-9);
    }
}

#define CHECK_REFUSED(call, text)                                                      \
  do {                                                                                 \
    tacit_error check_err = {TACIT_OK, ""};                                            \
    double value = 12345;                                                              \
    tacit_error *err = &check_err;                                                     \
    assert_int_equal(call, TACIT_EINVAL);                                              \
    assert_int_equal(check_err.status, TACIT_EINVAL);                                  \
    assert_string_equal(check_err.message, text);                                      \
    assert_true(value == 12345);                                                       \
  } while (0)

static void values_out_of_range_are_refused(void **state) {
  (void)state;
  static const char epsilon_range[] = "epsilon must be between 1e-6 and 1000";
  static const char epsilon_sign[] =
      "epsilon must be greater than 0 (between 1e-6 and 1000)";
  static const char delta_range[] = "delta must be between 1e-300 and 0.5";
  static const char delta_sign[] =
      "delta must be greater than 0 (between 1e-300 and 0.5)";
  static const char mu_range[] = "mu must be between 1e-9 and 1000";
  static const char rho_range[] = "rho must be between 1e-9 and 1000";
  static const char zcdp_range[] = "zcdp must be between 5e-19 and 5e5";
  static const char alpha_range[] = "alpha must be greater than 1 and at most 1e15";
  CHECK_REFUSED(tacit_mu_from_dp_down(0, 1e-5, &value, err), epsilon_sign);
  CHECK_REFUSED(tacit_mu_from_dp_down(-1, 1e-5, &value, err), epsilon_sign);
  CHECK_REFUSED(tacit_mu_from_dp_down(9e-7, 1e-5, &value, err), epsilon_range);
  CHECK_REFUSED(tacit_mu_from_dp_down(1001, 1e-5, &value, err), epsilon_range);
  CHECK_REFUSED(tacit_mu_from_dp_down(INFINITY, .1, &value, err), epsilon_range);
  CHECK_REFUSED(tacit_mu_from_dp_down(NAN, 1e-5, &value, err), epsilon_range);
  CHECK_REFUSED(tacit_rho_paper_from_dp_down(NAN, .1, &value, err), epsilon_range);
  CHECK_REFUSED(tacit_mu_from_dp_down(1, 0, &value, err), delta_sign);
  CHECK_REFUSED(tacit_mu_from_dp_down(1, .6, &value, err), delta_range);
  CHECK_REFUSED(tacit_mu_from_dp_down(1, 1, &value, err), delta_range);
  CHECK_REFUSED(tacit_epsilon_from_mu_up(1, 1e-301, &value, err), delta_range);
  CHECK_REFUSED(tacit_epsilon_from_mu_up(1, NAN, &value, err), delta_range);
  CHECK_REFUSED(tacit_epsilon_from_mu_up(NAN, 1e-5, &value, err), mu_range);
  CHECK_REFUSED(tacit_epsilon_from_mu_up(1e-10, 1e-5, &value, err), mu_range);
  CHECK_REFUSED(tacit_epsilon_from_mu_up(0, 1e-5, &value, err),
                "mu must be greater than 0 (between 1e-9 and 1000)");
  CHECK_REFUSED(tacit_delta_from_mu_up(1001, 1, &value, err), mu_range);
  CHECK_REFUSED(tacit_delta_from_mu_up(1, -1e-9, &value, err),
                "epsilon must be between 0 and 1000");
  CHECK_REFUSED(tacit_delta_from_mu_up(1, NAN, &value, err),
                "epsilon must be between 0 and 1000");
  CHECK_REFUSED(tacit_zcdp_from_mu_up(INFINITY, &value, err), mu_range);
  CHECK_REFUSED(tacit_mu_from_zcdp_down(NAN, &value, err), zcdp_range);
  CHECK_REFUSED(tacit_mu_from_zcdp_down(6e5, &value, err), zcdp_range);
  CHECK_REFUSED(tacit_epsilon_from_zcdp_up(0, .1, &value, err),
                "zcdp must be greater than 0 (between 5e-19 and 5e5)");
  CHECK_REFUSED(tacit_epsilon_from_rdp_up(1, 1, .1, &value, err), alpha_range);
  CHECK_REFUSED(tacit_epsilon_from_rdp_up(NAN, 1, .1, &value, err), alpha_range);
  CHECK_REFUSED(tacit_epsilon_from_rdp_up(2, -1, .1, &value, err),
                "the Renyi divergence must be between 0 and 1e15");
  CHECK_REFUSED(tacit_epsilon_from_rho_paper_up(2e3, .1, &value, err), rho_range);
  CHECK_REFUSED(tacit_mu_compose_up(1, NAN, &value, err),
                "mu_2 must be between 1e-9 and 1000");
  static const char pure_range[] = "epsilon of pure DP must be between 1e-6 and 10000";
  CHECK_REFUSED(tacit_mu_from_pure_up(0, &value, err), pure_range);
  CHECK_REFUSED(tacit_mu_from_pure_up(-1, &value, err), pure_range);
  CHECK_REFUSED(tacit_mu_from_pure_up(9e-7, &value, err), pure_range);
  CHECK_REFUSED(tacit_mu_from_pure_up(10001, &value, err), pure_range);
  CHECK_REFUSED(tacit_mu_from_pure_up(INFINITY, &value, err), pure_range);
  CHECK_REFUSED(tacit_mu_from_pure_up(NAN, &value, err), pure_range);
  assert_int_equal(tacit_mu_from_pure_up(1, NULL, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_epsilon_from_mu_up(1, .1, NULL, NULL), TACIT_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_reproduced),
      cmocka_unit_test(delta_is_never_below_and_within_1e_11),
      cmocka_unit_test(epsilon_is_never_below_and_within_1e_9),
      cmocka_unit_test(mu_is_never_above_and_within_1e_9),
      cmocka_unit_test(pure_mu_is_never_below_and_within_1e_12),
      cmocka_unit_test(pure_mu_covers_every_test),
      cmocka_unit_test(conversions_are_monotone),
      cmocka_unit_test(round_trips_return),
      cmocka_unit_test(values_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
