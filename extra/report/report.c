/* SPDX-License-Identifier: MIT */
/* Writes a report from beginning to end. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "privacy/compose.h"

static void put_tile(tacit_page *page, const char *value, const char *what) {
  tacit_page_markup(page, "<li><b>");
  tacit_page_write(page, "%s", value);
  tacit_page_markup(page, "</b><span>");
  tacit_page_write(page, "%s", what);
  tacit_page_markup(page, "</span></li>\n");
}

/* Writes the tiles: the first numbers that a reader sees. */
static void put_tiles(tacit_page *page, const tacit_report *report,
                      const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  char text[80];
  if (page->markdown) return;
  tacit_page_markup(page, "<ul class=\"verdict\">\n");
  put_tile(page, f->is_private ? "Private" : "Not private",
           f->is_private ? (f->persons ? "for every person" : "for every row")
                         : "protects nobody");
  if (f->is_private) {
    (void)snprintf(text, sizeof text, "%s%%",
                   tacit_shown_percent_up(tacit_guess_up(f)).text);
    put_tile(page, text, "best guess of an attacker; 50% is chance");
    put_tile(page, tacit_shown_budget(f).text, "the guarantee in the usual units");
  }
  const json_t *accuracy =
      json_object_get(json_object_get(subject->evaluation, "metrics"), "accuracy");
  if (json_is_number(json_object_get(accuracy, "value"))) {
    (void)snprintf(text, sizeof text, "%.1f%%", 100 * tacit_real(accuracy, "value"));
    put_tile(page, text, "right, in a private test");
  }
  if (report->budget != NULL) {
    (void)snprintf(
        text, sizeof text, "ε = %s",
        tacit_shown_down(tacit_real(report->budget, "left_epsilon"), 3).text);
    put_tile(page, text, "left of the budget");
  }
  tacit_page_markup(page, "</ul>\n");
}

static void put_links(tacit_page *page, const tacit_report *report,
                      const tacit_reported *subject) {
  const struct {
    const char *id, *name;
    int is_there;
  } links[] = {{"plain-words", "In plain words", 1},
               {"attacker", "Attacker", subject->f.is_private},
               {"much", "Is it much?", subject->f.is_private},
               {"epsilon", "ε and δ", subject->f.is_private},
               {"public", "Public", 1},
               {"noise", "Noise", subject->f.is_private},
               {"model", "Model", 1},
               {"evaluation", "Evaluation", subject->evaluation != NULL},
               {"audit", "Audit", subject->audit != NULL},
               {"budget", "Budget", report->budget != NULL},
               {"again", "Make it again", 1},
               {"words", "Words", 1},
               {"signature", "Signature", subject->f.is_private}};
  if (page->markdown) return;
  tacit_page_markup(page, "<nav aria-label=\"Sections\"><ul>\n");
  for (size_t i = 0; i < sizeof links / sizeof *links; ++i) {
    if (!links[i].is_there) continue;
    tacit_page_markup(page, "<li><a href=\"#");
    tacit_page_markup(page, links[i].id);
    tacit_page_markup(page, "\">");
    tacit_page_write(page, "%s", links[i].name);
    tacit_page_markup(page, "</a></li>\n");
  }
  tacit_page_markup(page, "</ul></nav>\n");
}

static void put_facts(tacit_page *page, const tacit_reported *subject) {
  tacit_page_markup(page, "<p class=\"facts\">");
  if (page->markdown) tacit_page_write(page, "\n");
  tacit_page_write(page, "Model `%s`, loss %s, %s %s, %zu inputs.", subject->name,
                   tacit_model_loss(subject->model),
                   tacit_shown_count(tacit_report_rows(subject)).text,
                   subject->f.persons ? "persons" : "rows",
                   tacit_schema_features(tacit_model_schema(subject->model)));
  tacit_page_markup(page, "</p>");
  tacit_page_write(page, "\n");
}

static void put_sections(tacit_page *page, const tacit_report *report,
                         const tacit_reported *subject) {
  tacit_report_questions(page, report, subject);
  if (subject->f.is_private && report->n_subjects == 1)
    tacit_report_attacker(page, subject, 1);
  tacit_report_much(page, subject);
  tacit_report_epsilons(page, subject);
  tacit_report_public(page, report, subject);
  tacit_report_noise(page, subject);
  tacit_report_model(page, subject);
  tacit_report_evaluation(page, subject);
  tacit_report_audit(page, subject);
  if (report->n_subjects == 1) tacit_report_budget(page, report);
  tacit_report_again(page, subject);
}

/* Returns 1 if an earlier model of the report is of the same stream: one statement
   covers all models of a stream. */
static int is_covered(const tacit_report *report, size_t which) {
  const char *own = tacit_report_stream(&report->subjects[which]);
  for (size_t i = 0; own != NULL && i < which; ++i) {
    const char *other = tacit_report_stream(&report->subjects[i]);
    if (other != NULL && strcmp(own, other) == 0) return 1;
  }
  return 0;
}

/* Adds up what all models together reveal about the same people. */
static tacit_status add_up(const tacit_report *report, tacit_guarantee *out,
                           size_t *out_count, tacit_error *err) {
  tacit_guarantee *parts = tacit_array_new(report->n_subjects, sizeof *parts);
  size_t count = 0;
  tacit_status status = parts != NULL ? TACIT_OK : tacit_fail_memory(err);
  for (size_t i = 0; status == TACIT_OK && i < report->n_subjects; ++i)
    if (!is_covered(report, i))
      status = tacit_guarantee_from(&report->subjects[i].f, &parts[count++], err);
  if (status == TACIT_OK) status = tacit_guarantee_sum(parts, count, out, err);
  tacit_array_free(parts);
  *out_count = count;
  return status;
}

static void put_together(tacit_page *page, const tacit_report *report) {
  tacit_guarantee all;
  tacit_error err = {TACIT_OK, ""};
  size_t count;
  char budget[160];
  tacit_status status = add_up(report, &all, &count, &err);
  if (status != TACIT_OK) {
    tacit_page_paragraph(page, TEXT_NOT_ADDED_UP, err.message);
    return;
  }
  if (count < report->n_subjects) tacit_page_paragraph(page, TEXT_ONE_STREAM);
  if (count == 1) return;
  if (all.pure)
    (void)snprintf(budget, sizeof budget, "ε = %s, pure",
                   tacit_shown_up(all.epsilon, 4).text);
  else
    (void)snprintf(budget, sizeof budget, "ε = %s at δ = %s",
                   tacit_shown_up(all.epsilon, 4).text,
                   tacit_shown_power(all.delta).text);
  tacit_page_paragraph(page, TEXT_TOGETHER, all.unit, tacit_shown_up(all.mu, 4).text,
                       budget, all.zero_out ? "zero-out" : "replace",
                       all.as_sets ? "sets of rows" : "rows in their places",
                       all.day_only ? "; on one day of a stream only" : "");
}

static void put_comparison(tacit_page *page, const tacit_report *report) {
  tacit_page_heading(page, 0, "comparison", "Side by side");
  tacit_page_table(page, "Each model alone", TEXT_HEADS_COMPARISON);
  for (size_t i = 0; i < report->n_subjects; ++i) {
    const tacit_reported *s = &report->subjects[i];
    const json_t *metrics = json_object_get(s->evaluation, "metrics");
    const json_t *value = json_object_get(metrics, "accuracy");
    int percent = value != NULL;
    if (value == NULL) value = json_object_get(metrics, "rmse");
    tacit_shown quality = {"–"};
    if (value != NULL) quality = tacit_shown_interval(value, percent);
    tacit_shown guess = tacit_shown_percent_up(tacit_guess_up(&s->f));
    if (s->f.is_private)
      tacit_page_row(page, "%s|yes|%s|%s|%s|%s|%s|%s%%|%s", s->name, s->f.unit,
                     tacit_shown_count(tacit_report_rows(s)).text,
                     tacit_shown_up(s->f.epsilon, 4).text,
                     tacit_shown_power(s->f.delta).text,
                     tacit_shown_up(s->f.mu, 4).text, guess.text, quality.text);
    else
      tacit_page_row(page, "%s|**no**|%s|%s|–|–|–|100%%|%s", s->name, s->f.unit,
                     tacit_shown_count(tacit_report_rows(s)).text, quality.text);
  }
  tacit_page_table_end(page);
  put_together(page, report);
}

static void put_several(tacit_page *page, const tacit_report *report) {
  put_comparison(page, report);
  tacit_report_attacker(page, report->subjects, report->n_subjects);
  tacit_report_budget(page, report);
  for (size_t i = 0; i < report->n_subjects; ++i) {
    char prefix[24];
    (void)snprintf(prefix, sizeof prefix, "m%zu-", i + 1);
    tacit_page_heading(page, 0, NULL, "Model %s", report->subjects[i].name);
    put_facts(page, &report->subjects[i]);
    page->prefix = prefix;
    page->level = 3;
    put_tiles(page, report, &report->subjects[i]);
    put_sections(page, report, &report->subjects[i]);
    page->prefix = "";
    page->level = 2;
  }
}

/* Returns 1 if the page holds what is not private, and says so. */
static int put_banner(tacit_page *page, const tacit_report *report) {
  int bad = 0;
  for (size_t i = 0; i < report->n_subjects; ++i) {
    const tacit_reported *s = &report->subjects[i];
    bad |= !s->f.is_private;
    bad |= s->evaluation != NULL &&
           !json_is_true(json_object_get(s->evaluation, "private"));
  }
  if (bad) tacit_page_banner(page, TEXT_NOT_PRIVATE);
  return bad;
}

tacit_status tacit_report_text(const tacit_report_options *options, char **out,
                               tacit_error *err) {
  tacit_report report;
  tacit_page page;
  char title[300] = "Privacy report";
  tacit_status status = tacit_report_open(options, &report, err);
  if (status == TACIT_OK && report.n_subjects == 1)
    (void)snprintf(title, sizeof title, "Privacy report: %.200s",
                   report.subjects[0].name);
  else if (status == TACIT_OK)
    (void)snprintf(title, sizeof title, "Privacy report: %zu models",
                   report.n_subjects);
  const char *given = tacit_words_of(report.about, "title");
  if (*given != '\0') (void)snprintf(title, sizeof title, "%.200s", given);
  if (status == TACIT_OK) status = tacit_page_new(options->markdown, title, &page, err);
  if (status == TACIT_OK) {
    int is_bad = put_banner(&page, &report);
    tacit_report_about_page(&page, &report);
    if (report.n_subjects == 1) {
      put_facts(&page, &report.subjects[0]);
      put_tiles(&page, &report, &report.subjects[0]);
      put_links(&page, &report, &report.subjects[0]);
      put_sections(&page, &report, &report.subjects[0]);
    } else {
      put_several(&page, &report);
    }
    tacit_report_words(&page);
    if (!is_bad) tacit_report_sign(&page);
    status = tacit_page_end(&page, out, err);
  }
  tacit_report_close(&report);
  return status;
}
