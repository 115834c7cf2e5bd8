/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_REPORT_REPORT_H
#define TACIT_EXTRA_REPORT_REPORT_H

#include <jansson.h>
#include <tacit/extra/report.h>

#include "extra/report/page.h"
#include "model/model.h"
#include "privacy/statement_fields.h"

/* A model of a report, with the files about it. */
typedef struct tacit_reported {
  const tacit_model *model;
  const char *name;
  tacit_statement f;    /* fields of its statement */
  json_t *evaluation;   /* result of `tacit eval`, or NULL */
  tacit_statement cost; /* statement of the evaluation, if the evaluation is
                                  private */
  json_t *audit;        /* result of `tacit audit`, or NULL */
} tacit_reported;

typedef struct tacit_report {
  const tacit_report_options *options;
  tacit_reported *subjects;
  size_t n_subjects;
  json_t *about;        /* texts of the people who sign, by name */
  json_t *ledger;       /* JSON of the ledger, or NULL */
  const json_t *budget; /* entry of the data set in the ledger */
} tacit_report;

/* load.c: reads and checks the files that the options name. Call tacit_report_close
   also after a failure. */
tacit_status tacit_report_open(const tacit_report_options *options, tacit_report *out,
                               tacit_error *err);
void tacit_report_close(tacit_report *report);

/* about.c: collects the texts of the people who sign, and stores those that are given.
 */
tacit_status tacit_report_take_about(tacit_report *report, tacit_error *err);
/* Write these texts below the title, and a line to sign at the end. */
void tacit_report_about_page(tacit_page *page, const tacit_report *report);
void tacit_report_sign(tacit_page *page);
/* much.c: writes what epsilon means for attackers who know more, and beside others. */
void tacit_report_much(tacit_page *page, const tacit_reported *subject);

/* Returns the name of the stream that made a model, or NULL. */
const char *tacit_report_stream(const tacit_reported *subject);
/* Returns the number of days that a model of a stream has seen. */
int64_t tacit_report_day(const tacit_reported *subject);
/* Returns the declared number of rows or persons that a model was trained on. For a
   stream, returns the number on the days that it has seen. */
int64_t tacit_report_rows(const tacit_reported *subject);

/* A number as it is printed. */
typedef struct tacit_shown {
  char text[64];
} tacit_shown;
/* shown.c: prints a number rounded up, for a guarantee, or down, for what is left of a
   budget, so that rounding never flatters. */
tacit_shown tacit_shown_up(double value, int digits);
tacit_shown tacit_shown_down(double value, int digits);
/* Prints a probability in percent, not below its value. */
tacit_shown tacit_shown_percent_up(double probability);
tacit_shown tacit_shown_number(double value, int digits);
tacit_shown tacit_shown_count(int64_t count);
/* Prints an interval of an evaluation as "0.84 (0.83 to 0.85)", with the digits that it
   supports. Prints percent if `percent` is 1. */
tacit_shown tacit_shown_interval(const json_t *interval, int percent);
/* Prints a power of ten such as 10⁻⁶ or 1.6×10⁻⁹, with four digits, rounded up. */
tacit_shown tacit_shown_power(double value);
/* Prints "epsilon = 1 at delta = 1e-10", or pure epsilon. */
tacit_shown tacit_shown_budget(const tacit_statement *f);
/* Return what an attacker can do at most: the probability that a guess between two
   equally likely data sets is right, and the largest rate of true positives at a rate
   of false ones. */
double tacit_guess_up(const tacit_statement *f);
double tacit_power_up(const tacit_statement *f, double false_rate);
/* Returns the probability that a guess is right at most, of an attacker who is sure
   with probability `prior` before the model is seen. */
double tacit_guess_from_up(const tacit_statement *f, double prior);

static inline double tacit_real(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}
static inline const char *tacit_words_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

/* Returns what a metric would be without a model, which always says the most frequent
   class or the mean of the label, or NaN if the evaluation does not tell. Writes the
   class. The numbers come from the evaluation. */
double tacit_report_baseline(const json_t *evaluation, const char *metric,
                             size_t *out_class);

/* Write the sections, in the order of the page. */
void tacit_report_questions(tacit_page *page, const tacit_report *report,
                            const tacit_reported *subject);
void tacit_report_attacker(tacit_page *page, const tacit_reported *subjects,
                           size_t n_subjects);
void tacit_report_epsilons(tacit_page *page, const tacit_reported *subject);
void tacit_report_public(tacit_page *page, const tacit_report *report,
                         const tacit_reported *subject);
void tacit_report_noise(tacit_page *page, const tacit_reported *subject);
void tacit_report_signal(tacit_page *page, const tacit_reported *subject);
void tacit_report_model(tacit_page *page, const tacit_reported *subject);
void tacit_report_effects(tacit_page *page, const tacit_reported *subject);
void tacit_report_evaluation(tacit_page *page, const tacit_reported *subject);
void tacit_report_audit(tacit_page *page, const tacit_reported *subject);
void tacit_report_budget(tacit_page *page, const tacit_report *report);
void tacit_report_again(tacit_page *page, const tacit_reported *subject);
void tacit_report_words(tacit_page *page);

#endif
