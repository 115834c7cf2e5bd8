/* SPDX-License-Identifier: MIT */
/*
 * The privacy statement for people, written from its JSON object so that a plan and a
 * model file read the same. The object may come from a hostile file: every field is
 * checked for presence, kind and range before a word is written, and text that would
 * reach past its line (control characters) is refused. Numbers are rounded up.
 */
#include "privacy/statement.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tacit/account.h>

enum { SHOWN_DIGITS = 6, LINE_MAX_BYTES = 400 };

/* The object as checked values; NaN and NULL stand for null. */
typedef struct fields {
  int is_private, zero_out;
  const char *reasons[TACIT_STATEMENT_REASONS];
  size_t n_reasons;
  double epsilon, delta, mu, zcdp, epsilon_exact, clip, factor, multiplier;
  int64_t rows, rounds, passes, batches;
  const char *unit, *order, *mechanism, *noise, *law, *bound, *formula, *accounting;
  const char *preset, *version;
} fields;

static tacit_status bad_field(const char *key, const char *rule, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "privacy statement: \"%s\" must be %s", key,
                    rule);
}

static int is_line(const json_t *value) {
  if (!json_is_string(value)) return 0;
  size_t length = json_string_length(value);
  const char *text = json_string_value(value);
  if (length == 0 || length > LINE_MAX_BYTES) return 0;
  for (size_t i = 0; i < length; ++i) {
    unsigned char c = (unsigned char)text[i];
    /* controls of ASCII and, in UTF-8, C2 80 ... C2 9F */
    if (c < 0x20 || c == 0x7f) return 0;
    if (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0) return 0;
  }
  return 1;
}

static tacit_status get_line(const json_t *object, const char *key, int nullable,
                             const char **out, tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (nullable && json_is_null(value)) {
    *out = NULL;
    return TACIT_OK;
  }
  if (!is_line(value)) return bad_field(key, "one line of text", err);
  *out = json_string_value(value);
  return TACIT_OK;
}

static tacit_status get_number(const json_t *object, const char *key, int nullable,
                               double *out, tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (nullable && json_is_null(value)) {
    *out = NAN;
    return TACIT_OK;
  }
  double number = json_number_value(value);
  if (!(json_is_number(value) && number > 0 && isfinite(number)))
    return bad_field(key, "a number greater than 0", err);
  *out = number;
  return TACIT_OK;
}

static tacit_status get_count(const json_t *object, const char *key, int64_t *out,
                              tacit_error *err) {
  const json_t *value = json_object_get(object, key);
  if (!(json_is_integer(value) && json_integer_value(value) >= 1))
    return bad_field(key, "a whole number of at least 1", err);
  *out = json_integer_value(value);
  return TACIT_OK;
}

static tacit_status get_privacy(const json_t *object, fields *out, tacit_error *err) {
  const json_t *flag = json_object_get(object, "private");
  if (!json_is_boolean(flag)) return bad_field("private", "true or false", err);
  out->is_private = json_is_true(flag);
  const json_t *reasons = json_object_get(object, "reasons");
  size_t count = json_array_size(reasons);
  if (!json_is_array(reasons) || count > TACIT_STATEMENT_REASONS)
    return bad_field("reasons", "a list of at most 8 lines of text", err);
  if (out->is_private != (count == 0))
    return bad_field("reasons", "empty when private and only then", err);
  for (size_t i = 0; i < count; ++i) {
    const json_t *reason = json_array_get(reasons, i);
    if (!is_line(reason)) return bad_field("reasons", "a list of lines of text", err);
    out->reasons[i] = json_string_value(reason);
  }
  out->n_reasons = count;
  return TACIT_OK;
}

static tacit_status get_fields(const json_t *object, fields *out, tacit_error *err) {
  if (!json_is_object(object))
    return tacit_fail(err, TACIT_EDATA, "privacy statement: not a JSON object");
  TACIT_TRY(get_privacy(object, out, err));
  int nullable = !out->is_private;
  TACIT_TRY(get_number(object, "epsilon", nullable, &out->epsilon, err));
  TACIT_TRY(get_number(object, "delta", nullable, &out->delta, err));
  TACIT_TRY(get_number(object, "mu", nullable, &out->mu, err));
  TACIT_TRY(get_number(object, "zcdp", nullable, &out->zcdp, err));
  TACIT_TRY(get_number(object, "epsilon_exact", 1, &out->epsilon_exact, err));
  TACIT_TRY(get_number(object, "clip", 1, &out->clip, err));
  TACIT_TRY(get_number(object, "sensitivity_factor", nullable, &out->factor, err));
  TACIT_TRY(get_number(object, "noise_multiplier", nullable, &out->multiplier, err));
  TACIT_TRY(get_count(object, "rows", &out->rows, err));
  TACIT_TRY(get_count(object, "rounds", &out->rounds, err));
  TACIT_TRY(get_count(object, "passes", &out->passes, err));
  TACIT_TRY(get_count(object, "batches_per_pass", &out->batches, err));
  TACIT_TRY(get_line(object, "unit", 0, &out->unit, err));
  TACIT_TRY(get_line(object, "order", 0, &out->order, err));
  TACIT_TRY(get_line(object, "mechanism", 0, &out->mechanism, err));
  TACIT_TRY(get_line(object, "noise", 0, &out->noise, err));
  TACIT_TRY(get_line(object, "noise_law", nullable, &out->law, err));
  TACIT_TRY(get_line(object, "bound", 0, &out->bound, err));
  TACIT_TRY(get_line(object, "sigma_formula", nullable, &out->formula, err));
  TACIT_TRY(get_line(object, "accounting", 0, &out->accounting, err));
  TACIT_TRY(get_line(object, "preset", 0, &out->preset, err));
  TACIT_TRY(get_line(object, "version", 0, &out->version, err));
  const char *adjacency;
  TACIT_TRY(get_line(object, "adjacency", 0, &adjacency, err));
  out->zero_out = strcmp(adjacency, "zero-out") == 0;
  if (!out->zero_out && strcmp(adjacency, "replace") != 0)
    return bad_field("adjacency", "\"replace\" or \"zero-out\"", err);
  if (out->is_private && strcmp(out->noise, "exact") != 0)
    return bad_field("noise", "\"exact\" when private", err);
  return TACIT_OK;
}

/* Text that grows; after a failed request it stays failed. */
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

static shown up(double number) {
  shown result;
  tacit_format_up(number, SHOWN_DIGITS, result.text);
  return result;
}

static shown exactly(double number) {
  shown result;
  tacit_format_shortest(number, result.text);
  return result;
}

/* Highest detection rate of a test with 5% false alarms: Phi(mu - 1.6448...), in
   percent. This is what mu-GDP means; libm's erfc is far within the margin. */
static double detection_percent_up(double mu) {
  double power = 50 * erfc((1.6448536269514727 - mu) * 0.70710678118654752440);
  power *= 1 + 1e-9;
  return power < 100 ? power : 100;
}

static void say_guarantee(text *out, const fields *f) {
  say(out, "Guarantee: epsilon = %s and delta = %s (differential privacy).\n",
      up(f->epsilon).text, exactly(f->delta).text);
  say(out, "In other units: mu = %s (Gaussian DP; the paper's rho), zCDP %s.\n",
      up(f->mu).text, up(f->zcdp).text);
  say(out,
      f->zero_out ? "Meaning: let any one %s contribute nothing, as if it were "
                    "blank (adjacency zero-out):\n"
                  : "Meaning: replace any one %s by any other (adjacency "
                    "replace):\n",
      f->unit);
  say(out, "  no outcome becomes more than e^epsilon");
  if (f->epsilon <= 20) say(out, " = %s", up(exp(f->epsilon) * (1 + 1e-12)).text);
  say(out, " times as likely, but for a chance of delta.\n");
  shown rate;
  tacit_format_up(detection_percent_up(f->mu), 3, rate.text);
  say(out,
      "Attackers: a test for one particular %s with 5%% false alarms detects it at "
      "most "
      "%s%% of the time.\n",
      f->unit, rate.text);
  say(out,
      "Protected unit: one %s. For a person with m of them, mu is up to m times "
      "as large.\n",
      f->unit);
}

static void say_not_private(text *out, const fields *f) {
  for (size_t i = 0; i < f->n_reasons; ++i)
    say(out, "Reason: %s\n", f->reasons[i]);
  say(out, "Guarantee: none. Do not publish the model as if it protected anyone.\n");
  if (isfinite(f->epsilon) && isfinite(f->delta) && isfinite(f->mu))
    say(out,
        "Noise as if for: epsilon = %s, delta = %s, mu = %s, adjacency %s, one %s.\n",
        up(f->epsilon).text, exactly(f->delta).text, up(f->mu).text,
        f->zero_out ? "zero-out" : "replace", f->unit);
}

static void say_method(text *out, const fields *f) {
  say(out,
      "Public, not protected: the number of rows (%lld), the schema, all options.\n",
      (long long)f->rows);
  say(out, "Use of the data: %lld round%s; %lld pass%s of %lld batch%s; order: %s.\n",
      (long long)f->rounds, f->rounds == 1 ? "" : "s", (long long)f->passes,
      f->passes == 1 ? "" : "es", (long long)f->batches, f->batches == 1 ? "" : "es",
      f->order);
  say(out, "Bound on one contribution, enforced: %s", f->bound);
  if (isfinite(f->clip)) say(out, " (C = %s)", exactly(f->clip).text);
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
  say(out, "Accounting: %s", f->accounting);
  /* the paper's conversion is looser than the exact one: say by how much */
  if (f->is_private && f->epsilon_exact < 0.99 * f->epsilon)
    say(out, ";\n  the exact conversion of the same mu gives epsilon = %s",
        up(f->epsilon_exact).text);
  say(out, ".\nNot covered: messages about bad rows and the output of eval and "
           "predict, for the data holder.\n");
  say(out, "Made by Tacit %s, preset %s.\n", f->version, f->preset);
}

tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err) {
  if (out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "the place for the text is NULL");
  fields f = {0};
  TACIT_TRY(get_fields(statement, &f, err));
  text result = {0};
  say(&result, f.is_private ? "PRIVATE\n" : "NOT PRIVATE\n");
  if (f.is_private)
    say_guarantee(&result, &f);
  else
    say_not_private(&result, &f);
  say_method(&result, &f);
  if (result.failed) {
    tacit_array_free(result.data);
    return tacit_fail_memory(err);
  }
  *out = result.data;
  return TACIT_OK;
}
