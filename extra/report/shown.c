/* SPDX-License-Identifier: MIT */
/* Prints numbers for pages, and computes what a guarantee means for an attacker. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/account.h>

#include "extra/audit/judge.h"
#include "extra/report/report.h"

tacit_shown tacit_shown_up(double value, int digits) {
  tacit_shown shown;
  tacit_format_up(value, digits, shown.text);
  return shown;
}

tacit_shown tacit_shown_down(double value, int digits) {
  tacit_shown shown;
  tacit_format_down(value, digits, shown.text);
  return shown;
}

tacit_shown tacit_shown_percent_up(double probability) {
  double percent = probability < 1 ? 100 * probability * (1 + 1e-9) : 100;
  return tacit_shown_up(percent < 100 ? percent : 100, percent < 10 ? 3 : 4);
}

tacit_shown tacit_shown_number(double value, int digits) {
  tacit_shown shown;
  (void)snprintf(shown.text, sizeof shown.text, "%s%.*g", value < 0 ? "−" : "", digits,
                 fabs(value));
  return shown;
}

tacit_shown tacit_shown_power(double value) {
  static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴",
                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  tacit_shown number = tacit_shown_up(value, 4), shown = {""};
  char *text = number.text, *e = strchr(text, 'e');
  int exponent = 4, used = 0;
  if (e != NULL && e[1] == '-') {
    exponent = atoi(e + 2);
    *e = '\0';
  } else if (strncmp(text, "0.000", 5) == 0) { /* %g prints 1.5e-4 as 0.00015 */
    text += 4;
    text[0] = text[1];
    text[1] = text[2] == '\0' ? '\0' : '.';
  } else {
    return number;
  }
  if (strcmp(text, "1") != 0)
    used = snprintf(shown.text, sizeof shown.text, "%s×", text);
  used += snprintf(shown.text + used, sizeof shown.text - (size_t)used, "10⁻");
  for (int unit = exponent >= 100 ? 100 : exponent >= 10 ? 10 : 1; unit > 0; unit /= 10)
    used += snprintf(shown.text + used, sizeof shown.text - (size_t)used, "%s",
                     raised[exponent / unit % 10]);
  return shown;
}

tacit_shown tacit_shown_count(int64_t count) {
  char digits[24];
  tacit_shown shown;
  int size = snprintf(digits, sizeof digits, "%lld", (long long)count), used = 0;
  for (int i = 0; i < size; ++i) {
    if (i > 0 && (size - i) % 3 == 0 && digits[i - 1] != '-') shown.text[used++] = ',';
    shown.text[used++] = digits[i];
  }
  shown.text[used] = '\0';
  return shown;
}

tacit_shown tacit_shown_interval(const json_t *interval, int percent) {
  tacit_shown shown = {"too noisy to say"};
  if (json_is_number(interval)) {
    (void)snprintf(shown.text, sizeof shown.text, percent ? "%.2f%%" : "%.4f",
                   (percent ? 100 : 1) * json_number_value(interval));
    return shown;
  }
  if (!json_is_number(json_object_get(interval, "value"))) return shown;
  double times = percent ? 100 : 1;
  double low = times * tacit_real(interval, "low");
  double high = times * tacit_real(interval, "high");
  double places = 1 - floor(log10(high - low > 0 ? high - low : 1e-6));
  int digits = places < 0 ? 0 : places > 8 ? 8 : (int)places;
  (void)snprintf(shown.text, sizeof shown.text, "%.*f%s (%.*f to %.*f)", digits,
                 times * tacit_real(interval, "value"), percent ? "%" : "", digits, low,
                 digits, high);
  return shown;
}

tacit_shown tacit_shown_budget(const tacit_statement *f) {
  tacit_shown shown, epsilon = tacit_shown_up(f->epsilon, 4);
  if (f->pure)
    (void)snprintf(shown.text, sizeof shown.text, "ε = %.12s, δ = 0", epsilon.text);
  else
    (void)snprintf(shown.text, sizeof shown.text, "ε = %.10s at δ = %.24s",
                   epsilon.text, tacit_shown_power(f->delta).text);
  return shown;
}

double tacit_guess_up(const tacit_statement *f) {
  if (f->pure) return 1 / (1 + exp(-f->epsilon)) * (1 + 1e-12);
  return tacit_normal_below(f->mu / 2) * (1 + 1e-12);
}

double tacit_guess_from_up(const tacit_statement *f, double prior) {
  double least = fmax(prior, 1 - prior);
  if (f->pure) return fmax(least, tacit_guess_up(f));
  double shift = log(prior / (1 - prior)) / f->mu;
  double right = prior * tacit_normal_below(f->mu / 2 + shift) +
                 (1 - prior) * tacit_normal_below(f->mu / 2 - shift);
  return fmax(least, right * (1 + 1e-12));
}

double tacit_power_up(const tacit_statement *f, double false_rate) {
  if (f->pure)
    return fmin(false_rate * exp(f->epsilon), 1 - (1 - false_rate) * exp(-f->epsilon));
  if (!(false_rate > 0) || !(false_rate < 1)) return false_rate;
  return tacit_normal_below(tacit_normal_quantile(false_rate) + f->mu);
}
