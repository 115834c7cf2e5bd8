/* SPDX-License-Identifier: MIT */
/* Answers five questions of a reader who has never heard of epsilon, each with one
   answer. */
#include <math.h>
#include <string.h>
#include <tacit/account.h>
#include <tacit/extra/audit.h>

#include "extra/report/page_texts.h"
#include "extra/report/report.h"

static void say_protected(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  tacit_shown count = tacit_shown_count(tacit_report_rows(subject));
  tacit_page_heading(page, 1, "protected", "What is protected?");
  if (!f->is_private) {
    tacit_page_answer(page, "**Nothing.** This model gives no guarantee to anyone.");
    return;
  }
  if (f->persons)
    tacit_page_answer(page, TEXT_PROTECTED_PERSON, f->unit, count.text,
                      f->zero_out ? "were blank" : "said something else");
  else
    tacit_page_answer(page, TEXT_PROTECTED_ROW, count.text,
                      f->zero_out ? "were blank" : "said something else");
  tacit_page_paragraph(page, TEXT_AGAINST_WHOM, f->persons ? "person's rows" : "row",
                       f->persons ? "a person" : "a row");
}

static void say_strength(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  tacit_page_heading(page, 1, "strength", "How strong is the protection?");
  if (!f->is_private) {
    tacit_page_answer(page, "**There is none.**");
    return;
  }
  tacit_shown guess = tacit_shown_percent_up(tacit_guess_up(f));
  tacit_shown power = tacit_shown_percent_up(tacit_power_up(f, 0.05));
  tacit_page_answer(page, TEXT_STRENGTH, guess.text,
                    f->persons ? "one person's rows" : "one particular row");
  tacit_page_paragraph(page, TEXT_STRENGTH_IN_TESTS, f->persons ? "person" : "row",
                       power.text, tacit_shown_budget(f).text,
                       tacit_shown_up(f->mu, 4).text);
}

/* Lists the conditions and cautions of the statement. */
static void say_conditions(tacit_page *page, const tacit_statement *f) {
  const char *lines[TACIT_STATEMENT_CAUTIONS];
  size_t count =
      tacit_statement_cautions(f->epsilon, f->delta, f->rows, f->persons, lines);
  for (size_t i = 0; i < count; ++i)
    tacit_page_item(page, "**Caution:** %s.", lines[i]);
  if (!f->as_sets) tacit_page_item(page, TEXT_ORDER);
  if (f->weights != NULL) tacit_page_item(page, "**Weights of rows:** %s.", f->weights);
  if (f->days != NULL) tacit_page_item(page, "**A stream of days:** %s.", f->days);
  if (f->init != NULL)
    tacit_page_item(page, f->init_public ? TEXT_START_PUBLIC : TEXT_START_PRIVATE);
}

static void say_groups(tacit_page *page, const tacit_statement *f) {
  tacit_statement five = *f;
  five.mu = 5 * f->mu;
  five.epsilon = 5 * f->epsilon;
  tacit_shown guess = tacit_shown_percent_up(tacit_guess_up(&five));
  tacit_page_item(page, f->persons ? TEXT_SEVERAL_IDS : TEXT_SEVERAL_ROWS, guess.text);
}

static void say_risks(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  tacit_page_heading(page, 1, "risks", "What could still go wrong?");
  if (!f->is_private) {
    tacit_page_answer(page, TEXT_RISK_EVERYTHING);
    tacit_page_list(page);
    for (size_t i = 0; i < f->n_reasons; ++i)
      tacit_page_item(page, "Reason: %s", f->reasons[i]);
    tacit_page_list_end(page);
    return;
  }
  tacit_page_answer(page, TEXT_RISKS, f->persons ? "person" : "row");
  tacit_page_list(page);
  say_conditions(page, f);
  say_groups(page, f);
  tacit_page_item(page, TEXT_RISK_EVERYONE);
  tacit_page_item(page, TEXT_RISK_RELEASES);
  tacit_page_item(page, TEXT_RISK_PREDICTIONS);
  tacit_page_item(page, TEXT_RISK_MACHINE);
  tacit_page_list_end(page);
}

/* Says what always the most frequent class, or the mean, would achieve. */
static void say_baseline(tacit_page *page, const tacit_reported *subject) {
  size_t best = 0;
  double share = tacit_report_baseline(subject->evaluation, "accuracy", &best);
  double error = tacit_report_baseline(subject->evaluation, "rmse", &best);
  const char *name = tacit_schema_class(tacit_model_schema(subject->model), (int)best);
  if (isfinite(share))
    tacit_page_paragraph(page, TEXT_BASELINE,
                         name != NULL ? name
                         : best > 0   ? "1"
                                      : "0",
                         tacit_shown_number(100 * share, 3).text);
  else if (isfinite(error))
    tacit_page_paragraph(page, TEXT_BASELINE_NUMBER, tacit_shown_number(error, 4).text);
}

static void say_quality(tacit_page *page, const tacit_reported *subject) {
  const json_t *evaluation = subject->evaluation;
  const json_t *metrics = json_object_get(evaluation, "metrics");
  if (metrics == NULL) metrics = evaluation;
  const json_t *accuracy = json_object_get(metrics, "accuracy");
  const json_t *rmse = json_object_get(metrics, "rmse");
  const json_t *units = json_object_get(evaluation, "units");
  tacit_page_heading(page, 1, "quality", "How good is the model?");
  if (evaluation == NULL) {
    tacit_page_answer(page, "**This page does not say: no evaluation was given.**");
    tacit_page_paragraph(page, TEXT_MAKE_EVALUATION);
    return;
  }
  tacit_shown count = tacit_shown_count(
      json_integer_value(units != NULL ? units : json_object_get(evaluation, "rows")));
  tacit_shown value =
      tacit_shown_interval(accuracy != NULL ? accuracy : rmse, accuracy != NULL);
  const char *who = units != NULL ? "persons" : "rows";
  if (accuracy != NULL)
    tacit_page_answer(page, "**It is right for %s of %s %s it was tested on.**",
                      value.text, count.text, who);
  else
    tacit_page_answer(page, TEXT_ERROR, value.text, count.text, who);
  say_baseline(page, subject);
  if (json_is_true(json_object_get(evaluation, "private")))
    tacit_page_paragraph(page, TEXT_INTERVALS, who,
                         tacit_shown_budget(&subject->cost).text);
}

static void say_left(tacit_page *page, const tacit_report *report,
                     const tacit_reported *subject) {
  const json_t *budget = report->budget;
  const tacit_statement *f = &subject->f;
  tacit_page_heading(page, 1, "left", "What is left of the budget?");
  if (budget == NULL) {
    tacit_page_answer(page, TEXT_NO_LEDGER);
    if (f->is_private)
      tacit_page_paragraph(page, TEXT_SPENDS_ALONE, tacit_shown_budget(f).text);
    return;
  }
  double share = tacit_real(budget, "spent_mu") / tacit_real(budget, "mu");
  tacit_shown left = tacit_shown_down(tacit_real(budget, "left_epsilon"), 3);
  tacit_page_answer(page, TEXT_SPENT,
                    tacit_shown_percent_up(fmin(share * share, 1)).text,
                    tacit_words_of(budget, "dataset"), left.text);
  tacit_page_paragraph(page, TEXT_BUDGET, tacit_real(budget, "epsilon"),
                       tacit_shown_power(tacit_real(budget, "delta")).text,
                       tacit_words_of(budget, "unit"));
}

void tacit_report_questions(tacit_page *page, const tacit_report *report,
                            const tacit_reported *subject) {
  tacit_page_heading(page, 0, "plain-words", "In plain words");
  say_protected(page, subject);
  say_strength(page, subject);
  say_risks(page, subject);
  say_quality(page, subject);
  say_left(page, report, subject);
}
