/* SPDX-License-Identifier: MIT */
/*
 * The privacy statement as text for people. It is written from the JSON object, so that
 * plans and model files give the same text. The object may come from a hostile file and
 * is checked completely first. Numbers are rounded up.
 */
#include "privacy/statement_fields.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <tacit/account.h>

enum { SHOWN_DIGITS = 6, DELTA_DIGITS = 4 };

typedef tacit_statement fields;

/* Text under construction. `failed` stays set after memory has run out. */
typedef struct text {
  char *data;
  size_t length, room;
  int failed;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(text *out, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  size_t needed = out->length + (size_t)(length < 0 ? 0 : length) + 1;
  if (!out->failed && needed > out->room) {
    char *larger = tacit_array_grow(out->data, 2 * needed, 1);
    if (larger != NULL) {
      out->data = larger;
      out->room = 2 * needed;
    }
    out->failed = larger == NULL;
  }
  if (!out->failed && length >= 0) {
    (void)vsnprintf(out->data + out->length, out->room - out->length, format, again);
    out->length += (size_t)length;
  }
  va_end(again);
}

typedef struct shown {
  char text[TACIT_NUMBER_TEXT];
} shown;

/* Rounds up, because a larger number is a weaker claim and stays true. */
static shown rounded_up(double number, int digits) {
  shown result;
  tacit_format_up(number, digits, result.text);
  return result;
}

static shown up(double number) { return rounded_up(number, SHOWN_DIGITS); }

/* Returns the highest detection rate, in percent, that the guarantee allows to a test
   with 5% false alarms: Phi(mu - 1.6448...) for mu-GDP, min(0.05 e^eps, 1 - 0.95
   e^-eps) for pure DP. The errors of libm's erfc and exp are much smaller than the
   margin. */
static double detection_percent_up(const fields *f) {
  double power = f->pure
                     ? fmin(5 * exp(f->epsilon), 100 - 95 * exp(-f->epsilon))
                     : 50 * erfc((1.6448536269514727 - f->mu) * 0.70710678118654752440);
  power *= 1 + 1e-9;
  return power < 100 ? power : 100;
}

static void say_guarantee(text *out, const fields *f) {
  if (f->pure)
    say(out, "Guarantee: epsilon = %s, pure (delta = 0), differential privacy.\n",
        up(f->epsilon).text);
  else
    say(out, "Guarantee: epsilon = %s and delta = %s (differential privacy).\n",
        up(f->epsilon).text, rounded_up(f->delta, DELTA_DIGITS).text);
  say(out,
      f->zero_out ? "Meaning: let any one %s%s contribute nothing, as if it were "
                    "blank (adjacency zero-out);\n"
                  : "Meaning: replace any one %s%s by any other (adjacency "
                    "replace);\n",
      f->unit, f->persons ? ", all rows together," : "");
  if (f->days != NULL)
    say(out, "  on the same day;\n");
  else
    say(out, f->as_sets ? "  as sets: the order of the file does not matter;\n"
                        : "  in its place; the order of the rows must not depend on "
                          "what they say;\n");
  if (f->days == NULL && f->day_only)
    say(out, "  and on one day only of the stream that made the initial model;\n");
  say(out,
      "  what is released is almost as likely as before; see below, for auditors.\n");
  say(out,
      "Attackers: a test for one particular %s with 5%% false alarms detects it at "
      "most %s%% of the time.\n",
      f->unit, rounded_up(detection_percent_up(f), 3).text);
  const char *budget = f->pure ? "epsilon" : "mu";
  say(out,
      f->persons ? "Protected unit: a %s, all rows together. For a person with l ids, "
                   "%s is up to l times as large.\n"
                 : "Protected unit: one %s. For a person with m of them, "
                   "%s is up to m times as large.\n",
      f->unit, budget);
  say(out,
      "Computational: the noise is made from a 256-bit key of the operating system; "
      "all this holds\n  against anyone who cannot break ChaCha20 and BLAKE2b.\n");
}

static void say_cautions(text *out, const fields *f) {
  const char *lines[TACIT_STATEMENT_CAUTIONS];
  size_t count =
      tacit_statement_cautions(f->epsilon, f->delta, f->rows, f->persons, lines);
  for (size_t i = 0; i < count; ++i)
    say(out, "Caution: %s.\n", lines[i]);
}

static void say_not_private(text *out, const fields *f) {
  for (size_t i = 0; i < f->n_reasons; ++i)
    say(out, "Reason: %s\n", f->reasons[i]);
  say(out, "Guarantee: none. Do not publish the model as if it protected anyone.\n");
  if (isfinite(f->epsilon) && isfinite(f->delta) && isfinite(f->mu))
    say(out,
        "Noise as if for: epsilon = %s, delta = %s, mu = %s, adjacency %s, one %s.\n",
        up(f->epsilon).text, rounded_up(f->delta, DELTA_DIGITS).text, up(f->mu).text,
        f->zero_out ? "zero-out" : "replace", f->unit);
}

static void say_init(text *out, const fields *f, const fields *init) {
  if (f->init == NULL) return;
  say(out, "Starts from: ");
  if (f->init_name != NULL) say(out, "%s, ", f->init_name);
  if (f->init_public) {
    say(out, "a model declared public (made without these people's data).\n");
  } else if (!init->is_private) {
    say(out, "a model that is not private.\n");
  } else {
    say(out, "a private model (epsilon = %s, ", up(init->epsilon).text);
    if (init->pure)
      say(out, "pure");
    else
      say(out, "delta = %s", rounded_up(init->delta, DELTA_DIGITS).text);
    say(out, ", mu = %s),\n  whose people may be in this data%s.\n", up(init->mu).text,
        f->is_private ? ": the guarantee above covers both" : "");
    if (init->zero_out && !f->zero_out)
      say(out, "  It counts twice, because it was made for adjacency zero-out.\n");
    if (init->persons && !f->persons)
      say(out,
          "  It protects persons; a row that is replaced may change two of them.\n");
  }
}

static void say_described(text *out, const fields *f) {
  if (f->described.digest == NULL) return;
  if (f->described.is_private)
    say(out,
        "Schema: made from private counts (mu = %s), whose people may be in this "
        "data%s.\n",
        up(f->described.mu).text,
        f->is_private ? ":\n  the guarantee above covers both" : "");
  else
    say(out, "Schema: made from counts that are not private.\n");
}

static void say_run_alone(text *out, const fields *f) {
  if (isfinite(f->run_epsilon) && isfinite(f->run_mu))
    say(out, "%s: epsilon = %s, mu = %s.\n",
        f->is_private ? "This run alone" : "This run's noise as if for",
        up(f->run_epsilon).text, up(f->run_mu).text);
}

static void say_method(text *out, const fields *f) {
  say(out, "Public, not protected: the number of %s (%lld), the schema, all options.\n",
      f->persons ? "persons" : "rows", (long long)f->rows);
  say(out, "Use of the data: %lld round%s; %lld pass%s of %lld batch%s; order: %s.\n",
      (long long)f->rounds, f->rounds == 1 ? "" : "s", (long long)f->passes,
      f->passes == 1 ? "" : "es", (long long)f->batches, f->batches == 1 ? "" : "es",
      f->order);
  if (f->mean != NULL && f->mean_rows > 0)
    say(out,
        "Round 0: releases %s,\n  of the first %lld rows, which no other round uses.\n",
        f->mean, (long long)f->mean_rows);
  else if (f->mean != NULL)
    say(out, "Round 0, one more reading: releases %s.\n", f->mean);
  if (f->mean != NULL && f->mean_rows == 0 && isfinite(f->mean_mu) &&
      isfinite(f->rounds_mu))
    say(out, "  It has mu = %s of the total, the other rounds have %s.\n",
        up(f->mean_mu).text, up(f->rounds_mu).text);
  if (f->days != NULL) say(out, "Stream: %s.\n", f->days);
  if (f->weights != NULL) say(out, "Weights: %s.\n", f->weights);
  say(out,
      "Not covered: messages about bad rows and the output of eval and predict, for "
      "the data holder.\nMade by Tacit %s, preset %s.\n",
      f->version, f->preset);
}

/* The formulas that the lines above rest on. */
static void say_formulas(text *out, const fields *f) {
  say(out, "For auditors:\n");
  if (f->is_private) {
    const char *delta = f->pure ? "" : " + delta";
    say(out,
        "In other units: mu = %s (Gaussian DP; the paper's rho), zCDP %s.\n"
        "Outcomes: for every set S, of probability P(S) before and P'(S) after,\n"
        "  P(S) <= e^epsilon P'(S)%s and P'(S) <= e^epsilon P(S)%s",
        up(f->mu).text, up(f->zcdp).text, delta, delta);
    double times = f->epsilon > 0 ? exp(f->epsilon) * (1 + 1e-12) : 1;
    if (f->epsilon <= 20) say(out, ", where e^epsilon = %s", up(times).text);
    say(out, ".\n");
  }
  say(out, "Bound on one contribution, enforced: %s", f->bound);
  shown number;
  tacit_format_shortest(f->clip, number.text);
  if (isfinite(f->clip)) say(out, " (C = %s)", number.text);
  tacit_format_shortest(f->norm_exponent, number.text);
  if (f->norm_exponent != 2)
    say(out, ",\n  in the norm with exponent %s, as the rows are",
        isinf(f->norm_exponent) ? "infinity (the largest coordinate)" : number.text);
  say(out, ".\nMechanism: %s; noise: %s", f->mechanism, f->noise);
  if (f->law != NULL) say(out, " (%s)", f->law);
  say(out, ".\n");
  if (f->formula != NULL) say(out, "Noise scale: %s.\n", f->formula);
  if (isfinite(f->factor) && isfinite(f->multiplier)) {
    shown multiplier;
    tacit_format_down(f->multiplier, SHOWN_DIGITS, multiplier.text);
    say(out, "Noise over sensitivity: %s; sensitivity factor S = %s.\n",
        multiplier.text, up(f->factor).text);
  }
  if (isfinite(f->second_moment) && (f->pure || f->norm_exponent != 2))
    say(out, "Size of the noise: V = %s, the mean of its squared norm at scale 1.\n",
        up(f->second_moment).text);
  say(out, "Accounting: %s", f->accounting);
  /* tells how much smaller the exact epsilon is than the epsilon of the paper's
     conversion */
  if (f->is_private && !f->pure && f->epsilon_exact < 0.99 * f->epsilon)
    say(out, ";\n  the exact conversion of the same mu gives epsilon = %s",
        up(f->epsilon_exact).text);
  say(out, ".\n");
}

tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err) {
  if (out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "the place for the text is NULL");
  fields f, init;
  TACIT_TRY(tacit_statement_read(statement, &f, &init, NULL, err));
  text result = {0};
  say(&result, f.is_private ? "PRIVATE\n" : "NOT PRIVATE\n");
  if (f.is_private) {
    say_cautions(&result, &f);
    say_guarantee(&result, &f);
  } else {
    say_not_private(&result, &f);
  }
  say_init(&result, &f, &init);
  say_described(&result, &f);
  say_run_alone(&result, &f);
  say_method(&result, &f);
  say_formulas(&result, &f);
  if (result.failed) {
    tacit_array_free(result.data);
    return tacit_fail_memory(err);
  }
  *out = result.data;
  return TACIT_OK;
}
