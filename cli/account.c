/* SPDX-License-Identifier: MIT */
/*
 * `tacit account`: converts one privacy measure to the others, rounded against the
 * user. The input is a guarantee or a budget. For a guarantee of a mechanism (--mu,
 * --rho,
 * --zcdp, --sigma, or --epsilon with --delta 0) the privacy loss is rounded up. For a
 * budget to spend (--epsilon and --delta) what it allows is rounded down, and the noise
 * it needs is rounded up.
 */
#include <math.h>
#include <tacit/account.h>

#include "cli.h"

enum { DIGITS = 14 };

struct result {
  int is_budget;
  double epsilon, delta, mu, zcdp, sigma; /* NaN if not computed */
  double epsilon_zcdp, epsilon_rdp_paper;
};

static const char *const measures[] = {"mu", "rho", "zcdp", "sigma"};
enum { N_MEASURES = sizeof measures / sizeof measures[0] };

/* Return 1/x and sqrt(x), rounded in a known direction. The computed double is one of
   the two neighbours of the exact value; fma shows on which side it is. */
static double inverse_up(double x) {
  double y = 1 / x;
  return fma(x, y, -1) < 0 ? nextafter(y, INFINITY) : y;
}

static double inverse_down(double x) {
  double y = 1 / x;
  return fma(x, y, -1) > 0 ? nextafter(y, 0) : y;
}

static double root_up(double x) {
  double y = sqrt(x);
  return fma(y, y, -x) < 0 ? nextafter(y, INFINITY) : y;
}

static double square_up(double x) {
  double y = x * x;
  return fma(x, x, -y) > 0 ? nextafter(y, INFINITY) : y;
}

/* Returns the mu of a mechanism that has the given measure, rounded up. */
static double guarantee_mu_up(size_t measure, double value) {
  if (measure == 2) return root_up(2 * value);
  if (measure == 3) return inverse_up(value);
  return value;
}

static tacit_status fill_guarantee(const struct cli_args *args, size_t measure,
                                   struct result *r, tacit_error *err) {
  double given = cli_value(args, measures[measure])->number;
  r->mu = guarantee_mu_up(measure, given);
  r->sigma = measure == 3 ? given : inverse_down(r->mu);
  tacit_status status = TACIT_OK;
  if (measure == 2)
    r->zcdp = given;
  else
    status = tacit_zcdp_from_mu_up(r->mu, &r->zcdp, err);
  if (status == TACIT_OK && cli_given(args, "delta")) {
    r->delta = cli_value(args, "delta")->number;
    status = tacit_epsilon_from_mu_up(r->mu, r->delta, &r->epsilon, err);
  } else if (status == TACIT_OK && cli_given(args, "epsilon")) {
    r->epsilon = cli_value(args, "epsilon")->number;
    status = tacit_delta_from_mu_up(r->mu, r->epsilon, &r->delta, err);
  }
  return status;
}

static tacit_status fill_budget(const struct cli_args *args, struct result *r,
                                tacit_error *err) {
  r->is_budget = 1;
  r->epsilon = cli_value(args, "epsilon")->number;
  r->delta = cli_value(args, "delta")->number;
  tacit_status status = tacit_mu_from_dp_down(r->epsilon, r->delta, &r->mu, err);
  if (status != TACIT_OK) return status;
  r->zcdp = nextafter(r->mu * r->mu / 2, 0);
  r->sigma = inverse_up(r->mu);
  return TACIT_OK;
}

/* Computes the measures that every epsilon-DP mechanism (delta 0) has, as the statement
   of a pure run shows them. Both epsilon^2/2 and mu^2/2 bound its zCDP. There is no
   sigma, because no Gaussian noise is epsilon-DP. */
static tacit_status fill_pure(const struct cli_args *args, struct result *r,
                              tacit_error *err) {
  r->epsilon = cli_value(args, "epsilon")->number;
  tacit_status status = tacit_mu_from_pure_up(r->epsilon, &r->mu, err);
  if (status == TACIT_OK) status = tacit_zcdp_from_mu_up(r->mu, &r->zcdp, err);
  if (status != TACIT_OK) return status;
  r->delta = 0;
  r->zcdp = fmin(r->zcdp, square_up(r->epsilon) / 2);
  return TACIT_OK;
}

/* Computes the epsilon of the mechanism at its delta by other accounting methods. */
static void fill_comparison(struct result *r) {
  double zcdp_up;
  if (!(r->delta > 0)) return;
  if (tacit_zcdp_from_mu_up(r->mu, &zcdp_up, NULL) == TACIT_OK &&
      tacit_epsilon_from_zcdp_up(zcdp_up, r->delta, &r->epsilon_zcdp, NULL) != TACIT_OK)
    r->epsilon_zcdp = (double)NAN;
  if (tacit_epsilon_from_rho_paper_up(r->mu, r->delta, &r->epsilon_rdp_paper, NULL) !=
      TACIT_OK)
    r->epsilon_rdp_paper = (double)NAN;
}

static int print(const struct cli_args *args, const struct result *r) {
  const struct {
    const char *name;
    double value;
    int up;
  } lines[] = {{"epsilon", r->epsilon, 1},
               {"delta", r->delta, 1},
               {"mu", r->mu, !r->is_budget},
               {"rho", r->mu, !r->is_budget},
               {"zcdp", r->zcdp, !r->is_budget},
               {"sigma", r->sigma, r->is_budget},
               {"epsilon_zcdp", r->epsilon_zcdp, 1},
               {"epsilon_rdp_paper", r->epsilon_rdp_paper, 1}};
  json_t *object = cli_given(args, "json") ? json_object() : NULL;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
    if (isnan(lines[i].value)) continue;
    if (object != NULL) {
      json_object_set_new(object, lines[i].name, cli_json_number(lines[i].value));
      continue;
    }
    char text[32];
    if (lines[i].up)
      tacit_format_up(lines[i].value, DIGITS, text);
    else
      tacit_format_down(lines[i].value, DIGITS, text);
    printf("%s %s\n", lines[i].name, text);
  }
  if (object != NULL) return cli_print_json(object);
  return cli_close_stdout();
}

static int run(const struct cli_args *args) {
  size_t measure = N_MEASURES;
  for (size_t i = 0; i < N_MEASURES; ++i) {
    if (!cli_given(args, measures[i])) continue;
    if (measure != N_MEASURES)
      return cli_refuse("--%s and --%s say the same thing twice: give one",
                        measures[measure], measures[i]);
    measure = i;
  }
  int epsilon = cli_given(args, "epsilon");
  int delta = cli_given(args, "delta");
  if (measure != N_MEASURES && epsilon && delta)
    return cli_refuse("--%s with --epsilon gives delta, with --delta gives epsilon: "
                      "drop one of the two",
                      measures[measure]);
  int pure = delta && cli_value(args, "delta")->number == 0;
  if (measure != N_MEASURES && pure)
    return cli_refuse("a Gaussian mechanism has no epsilon at --delta 0: give a "
                      "delta of 1e-300 or more");
  if (measure == N_MEASURES && !(epsilon && delta))
    return cli_refuse("nothing to convert: give --epsilon and --delta, or one of "
                      "--mu, --rho, --zcdp, --sigma");
  const double nothing = (double)NAN;
  struct result r = {0, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
  tacit_error err;
  tacit_status status = measure != N_MEASURES ? fill_guarantee(args, measure, &r, &err)
                        : pure                ? fill_pure(args, &r, &err)
                                              : fill_budget(args, &r, &err);
  if (status != TACIT_OK) return cli_fail_error(&err);
  fill_comparison(&r);
  return print(args, &r);
}

static const struct cli_group measure_group =
    GROUP("Privacy measures",
          REAL("epsilon", "E", 1e-6, 1e3,
               "epsilon of (epsilon, delta)-DP; alone with a measure below: its delta"),
          REAL("delta", "D", 0, 0.5,
               "delta of (epsilon, delta)-DP, 0 for pure DP; alone with a measure "
               "below: its epsilon"),
          REAL("mu", "M", 1e-9, 1e3, "mu of Gaussian differential privacy"),
          REAL("rho", "R", 1e-9, 1e3, "the paper's rho, which is mu"),
          REAL("zcdp", "Z", 5e-19, 5e5,
               "rho of zero-concentrated DP of a Gaussian mechanism, mu^2/2"),
          REAL("sigma", "S", 1e-3, 1e9,
               "noise of a Gaussian mechanism over its sensitivity, 1/mu"));

static const struct cli_group output_group =
    GROUP("Output", FLAG("json", "print one JSON object with full doubles"));

CLI_COMMAND(account, "", 0, 0, "convert between privacy measures",
            GROUPS(&measure_group, &output_group));
