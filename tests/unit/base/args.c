/* SPDX-License-Identifier: MIT */
/* base/args: "NAME:key=value,…" against a list of params. */
#include "check.h"

#include "base/args.h"

static const tacit_param params[] = {
    {"tau", 0.25, 4, 1, "a number"},
    {"kappa", -10, 10, NAN, "a derived number"},
    {"tau2", 0, 1, 0.5, "a name that begins like another"},
    {NULL, 0, 0, 0, NULL},
};

static void names_are_what_stands_before_the_colon(void **state) {
  (void)state;
  tacit_error err;
  char name[8] = "before";
  CHECK_OK(tacit_args_name("huber", name, sizeof name, &err), err);
  assert_string_equal(name, "huber");
  CHECK_OK(tacit_args_name("kt:e0=1,x=2", name, sizeof name, &err), err);
  assert_string_equal(name, "kt");
  CHECK_OK(tacit_args_name("1234567", name, sizeof name, &err), err);
  const char *bad[] = {"", ":tau=1", "12345678", "a\nb", NULL};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    memcpy(name, "before", 7);
    assert_int_equal(tacit_args_name(bad[i], name, sizeof name, &err), TACIT_EINVAL);
    assert_int_equal(err.status, TACIT_EINVAL);
    assert_string_equal(name, "before");
    assert_null(strchr(err.message, '\n'));
    assert_non_null(strstr(err.message, "write NAME"));
  }
}

static void values_are_given_or_fallbacks(void **state) {
  (void)state;
  tacit_error err;
  double values[3];
  CHECK_OK(tacit_args_values("x", "loss", params, values, 3, &err), err);
  assert_true(values[0] == 1 && isnan(values[1]) && values[2] == 0.5);
  CHECK_OK(tacit_args_values("x:kappa=-2.5e-1,tau2=1", "loss", params, values, 3, &err),
           err);
  assert_true(values[0] == 1 && values[1] == -0.25 && values[2] == 1);
  CHECK_OK(tacit_args_values("x:tau=0.25", "loss", params, values, 3, &err), err);
  assert_true(values[0] == 0.25);
  CHECK_OK(tacit_args_values("x:tau=4", "loss", params, values, 3, &err), err);
  assert_true(values[0] == 4);
  CHECK_OK(tacit_args_values("x:tau=+.5,kappa=3.,tau2=1E-1", "loss", params, values, 3,
                             &err),
           err);
  assert_true(values[0] == 0.5 && values[1] == 3 && values[2] == 0.1);
  CHECK_OK(
      tacit_args_values("x:tau=0.30000000000000004", "loss", params, values, 3, &err),
      err);
  assert_true(values[0] == 0.30000000000000004);
  CHECK_OK(tacit_args_values("x", "loss", NULL, values, 0, &err), err);
  assert_int_equal(tacit_args_count(params), 3);
  assert_int_equal(tacit_args_count(NULL), 0);
}

static void mistakes_get_one_line_that_says_what_is_allowed(void **state) {
  (void)state;
  static const struct {
    const char *spec, *says;
  } bad[] = {
      {"x:tua=1", "unknown parameter \"tua\"; it takes: tau, kappa, tau2"},
      {"x:ta=1", "it takes"},
      {"x:tau3=1", "it takes"},
      {"x:=1", "is not key=value"},
      {"x:tau", "is not key=value"},
      {"x:tau=", "is not key=value"},
      {"x:", "is not key=value"},
      {"x:tau=1,", "is not key=value"},
      {"x:,tau=1", "is not key=value"},
      {"x:tau=1,tau=2", "tau is given twice"},
      {"x:tau=0.2499999", "tau must be between 0.25 and 4"},
      {"x:tau=4.0000001", "tau must be between"},
      {"x:tau=1e400", "tau must be between"},
      {"x:tau=-1", "tau must be between"},
      {"x:tau=1x", "is not a number"},
      {"x:tau=one", "is not a number"},
      {"x:tau=nan", "is not a number"},
      {"x:tau=inf", "is not a number"},
      {"x:tau=0x1", "is not a number"},
      {"x:tau= 1", "is not a number"},
      {"x:tau=1 ", "is not a number"},
      {"x:tau=1=2", "is not a number"},
      {"x:tau=.", "is not a number"},
      {"x:tau=1e", "is not a number"},
      {"x:tau=1e+", "is not a number"},
      {"x:tau=--1", "is not a number"},
      {"x:tau=1.5.2", "is not a number"},
      {"x:tau=1;5", "is not a number"},
      {"x:tau=1:kappa=2", "is not a number"},
      {"x:tau=1111111111111111111111111111111111111111111111111111111111111111111111",
       "is not a number"},
      {":tau=1", "has no name"},
      {"x:tau=\n", "control character"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    tacit_error err = {TACIT_OK, ""};
    double values[3] = {11, 12, 13};
    assert_int_equal(tacit_args_values(bad[i].spec, "loss", params, values, 3, &err),
                     TACIT_EINVAL);
    if (strstr(err.message, bad[i].says) == NULL)
      fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].spec, err.message, bad[i].says);
    assert_null(strchr(err.message, '\n'));
    assert_true(values[0] == 11 && values[1] == 12 && values[2] == 13);
    assert_int_equal(tacit_args_values(bad[i].spec, "loss", params, values, 3, NULL),
                     TACIT_EINVAL);
  }
  tacit_error err;
  double values[3];
  assert_int_equal(tacit_args_values("x:a=1", "loss", NULL, values, 3, &err),
                   TACIT_EINVAL);
  assert_string_equal(err.message, "loss x takes no parameters; write just x");
  assert_int_equal(tacit_args_values("x", "loss", params, values, 2, &err),
                   TACIT_EINVAL);
}

static const char *few_names(size_t i) {
  static const char *const names[] = {"logistic", "huber", NULL};
  return names[i];
}

static const char *many_names(size_t i) {
  return i < 100 ? "a-rather-long-name" : NULL;
}

static void unknown_names_get_the_list(void **state) {
  (void)state;
  tacit_error err;
  assert_int_equal(tacit_args_unknown("loss", "hubre", few_names, &err), TACIT_EINVAL);
  assert_string_equal(err.message,
                      "unknown loss \"hubre\"; there are: logistic, huber");
  assert_int_equal(tacit_args_unknown("loss", "hubre", many_names, &err), TACIT_EINVAL);
  size_t length = strlen(err.message);
  assert_true(length < sizeof err.message - 1);
  assert_string_equal(err.message + length - strlen(", …"), ", …");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_what_stands_before_the_colon),
      cmocka_unit_test(values_are_given_or_fallbacks),
      cmocka_unit_test(mistakes_get_one_line_that_says_what_is_allowed),
      cmocka_unit_test(unknown_names_get_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
