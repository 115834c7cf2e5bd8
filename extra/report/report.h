/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_REPORT_REPORT_H
#define TACIT_EXTRA_REPORT_REPORT_H

#include <jansson.h>
#include <tacit/extra/report.h>

#include "extra/report/page.h"
#include "model/model.h"
#include "privacy/statement_fields.h"

/* A model of a report, with what was given about it. */
typedef struct tacit_reported {
  const tacit_model *model;
  const char *name;
  tacit_statement_fields f;    /* its statement */
  json_t *evaluation;          /* of `tacit eval`; NULL: none */
  tacit_statement_fields cost; /* of the evaluation, if that is private */
  json_t *audit;               /* of `tacit audit`; NULL: none */
} tacit_reported;

typedef struct tacit_report {
  const tacit_report_options *options;
  tacit_reported *subjects;
  size_t n_subjects;
  json_t *ledger;       /* NULL: none */
  const json_t *budget; /* the data set of the ledger */
} tacit_report;

/* load.c: reads and checks what the options name. tacit_report_close also after a
   failure. */
tacit_status tacit_report_open(const tacit_report_options *options, tacit_report *out,
                               tacit_error *err);
void tacit_report_close(tacit_report *report);

/* Returns the name of the stream that a model is of, or NULL. */
const char *tacit_report_stream(const tacit_reported *subject);
/* Returns the number of days that a model of a stream has seen. */
int64_t tacit_report_day(const tacit_reported *subject);
/* Returns the declared number of rows or persons that a model was trained on; of a
   stream, on the days that it has seen. */
int64_t tacit_report_rows(const tacit_reported *subject);

/* A number as it is printed. */
typedef struct tacit_shown {
  char text[64];
} tacit_shown;
/* shown.c: guarantees are rounded against the reader: up, or down what is left. */
tacit_shown tacit_shown_up(double value, int digits);
tacit_shown tacit_shown_down(double value, int digits);
/* A probability in percent, not below its value. */
tacit_shown tacit_shown_percent_up(double probability);
tacit_shown tacit_shown_number(double value, int digits);
tacit_shown tacit_shown_count(int64_t count);
/* "0.84 (0.83 to 0.85)" of an interval of an evaluation, with the digits that it
   supports; in percent if `percent`. */
tacit_shown tacit_shown_interval(const json_t *interval, int percent);
/* 10⁻⁶ or 1.6×10⁻⁹: four digits, rounded up. */
tacit_shown tacit_shown_power(double value);
/* "epsilon = 1 at delta = 1e-10", or pure. */
tacit_shown tacit_shown_budget(const tacit_statement_fields *f);
/* What an attacker can do at most: how often a guess between two equally likely data
   sets is right, and the largest rate of true positives at a rate of false ones. */
double tacit_guess_up(const tacit_statement_fields *f);
double tacit_power_up(const tacit_statement_fields *f, double false_rate);

static inline double tacit_real(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}
static inline const char *tacit_words_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

/* The sections, in the order of the page. */
void tacit_report_questions(tacit_page *page, const tacit_report *report,
                            const tacit_reported *subject);
void tacit_report_attacker(tacit_page *page, const tacit_reported *subjects,
                           size_t n_subjects);
void tacit_report_epsilons(tacit_page *page, const tacit_reported *subject);
void tacit_report_public(tacit_page *page, const tacit_reported *subject);
void tacit_report_noise(tacit_page *page, const tacit_reported *subject);
void tacit_report_signal(tacit_page *page, const tacit_reported *subject);
void tacit_report_model(tacit_page *page, const tacit_reported *subject);
void tacit_report_evaluation(tacit_page *page, const tacit_reported *subject);
void tacit_report_audit(tacit_page *page, const tacit_reported *subject);
void tacit_report_budget(tacit_page *page, const tacit_report *report);
void tacit_report_again(tacit_page *page, const tacit_reported *subject);
void tacit_report_words(tacit_page *page);

#endif
