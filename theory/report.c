/* SPDX-License-Identifier: MIT */
/* Prints one line per measurement, and PASS or FAIL for each claim. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "theory.h"

void report_title(report *r, const char *format, ...) {
  va_list args;
  if (r->out == NULL) return;
  fprintf(r->out, "\n== ");
  va_start(args, format);
  (void)vfprintf(r->out, format, args);
  va_end(args);
  fprintf(r->out, "\n");
  (void)fflush(r->out);
}

void report_note(report *r, const char *format, ...) {
  va_list args;
  if (r->out == NULL) return;
  fprintf(r->out, "        ");
  va_start(args, format);
  (void)vfprintf(r->out, format, args);
  va_end(args);
  fprintf(r->out, "\n");
}

void report_check(report *r, int holds, const char *format, ...) {
  char text[sizeof r->first_failure];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (holds)
    ++r->passed;
  else if (r->failed++ == 0)
    memcpy(r->first_failure, text, sizeof text);
  if (r->out == NULL) return;
  fprintf(r->out, "  %s  %s\n", holds ? "PASS" : "FAIL", text);
  (void)fflush(r->out);
}

void report_point(report *r, const series *s, int i, int seeds) {
  char bound[32] = "no theorem";
  if (!isnan(s->bound[i])) (void)snprintf(bound, sizeof bound, "%.4g", s->bound[i]);
  report_note(r, "%8g %5d  %.5g +- %-12.2g %s", s->x[i], seeds, s->mean[i], s->half[i],
              bound);
}

void report_sweep(report *r, const char *label, setup_fn make, int from, int to,
                  int seeds, series *out) {
  *out = (series){.label = label};
  double worst = 0;
  report_note(r, "%s", label);
  report_note(r, "%8s %5s  %-25s %s", "T", "runs", "suboptimality", "bound");
  for (int e = from; e <= to && out->n < POINTS_MAX; ++e) {
    setup s;
    int64_t rounds = INT64_C(1) << e;
    make((double)rounds, &s);
    sample got = run_many(&s, rounds, seeds);
    int i = out->n++;
    out->x[i] = (double)rounds;
    out->mean[i] = got.mean;
    out->half[i] = got.half;
    out->bound[i] = bound_of(&s, rounds);
    report_point(r, out, i, seeds);
    worst = fmax(worst, (got.mean + got.half) / out->bound[i]);
  }
  if (!isnan(out->bound[0]))
    report_check(r, worst <= 1, "below the bound at every T (at most %.2g of it)",
                 worst);
}

line report_slope(report *r, const series *s, double low, double high) {
  line fit = fit_slope(s->x, s->mean, s->n);
  char wanted[64];
  if (isinf(low))
    (void)snprintf(wanted, sizeof wanted, "%.2f or steeper", high);
  else
    (void)snprintf(wanted, sizeof wanted, "%.2f to %.2f", low, high);
  report_check(r, fit.slope >= low && fit.slope <= high,
               "log-log slope %.3f, s.e. %.3f (wanted %s)", fit.slope, fit.se, wanted);
  return fit;
}
