/* SPDX-License-Identifier: MIT */
/* Writes the sections on public facts, noise, budget, the command and the words. */
#include <math.h>
#include <string.h>
#include <tacit/extra/infer.h>
#include <tacit/tacit.h>

#include "extra/ledger/terms.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"
#include "privacy/format.h"

static const char *kind_words(tacit_term_kind kind) {
  static const char *const words[] = {
      "number, a line", "number, steps",  "number, broken line",
      "category",       "ordered values", "yes or no",
      "hashed",         "words, hashed",  "cross"};
  return words[kind];
}

enum { VALUES_SIZE = 1024 };

/* Lists the declared values of a category, as many as have room. */
static void list_values(const tacit_term *term, char out[VALUES_SIZE]) {
  size_t used = 0, i = 0;
  out[0] = '\0';
  for (; i < term->n_values; ++i) {
    size_t size = strlen(term->values[i]) + 2;
    if (used + size + 40 > VALUES_SIZE) break;
    used += (size_t)snprintf(out + used, VALUES_SIZE - used, "%s%s", i > 0 ? ", " : "",
                             term->values[i]);
  }
  if (i < term->n_values)
    (void)snprintf(out + used, VALUES_SIZE - used, " and %zu more", term->n_values - i);
}

/* Lists the declared columns: bounds of numbers, values of categories. */
static void put_columns(tacit_page *page, const tacit_schema *schema,
                        const json_t *notes) {
  tacit_term term = {.struct_size = sizeof term};
  tacit_error err;
  size_t count = tacit_schema_terms(schema);
  if (count == 0) return;
  tacit_page_table(page, "Declared inputs, as the schema has them",
                   notes != NULL ? "column|kind|>from|>to|>inputs|values|note"
                                 : "column|kind|>from|>to|>inputs|values");
  for (size_t i = 0; i < count && i < 200; ++i) {
    term.struct_size = sizeof term;
    if (tacit_schema_term(schema, i, &term, &err) != TACIT_OK) continue;
    int is_number = term.kind <= TACIT_TERM_HATS;
    char values[VALUES_SIZE];
    list_values(&term, values);
    const char *note = tacit_words_of(notes, term.column != NULL ? term.column : "");
    tacit_page_row(page, notes != NULL ? "%s|%s|%s|%s|%zu|%s|%s" : "%s|%s|%s|%s|%zu|%s",
                   term.name, kind_words(term.kind),
                   is_number ? tacit_shown_number(term.min, 12).text : "",
                   is_number ? tacit_shown_number(term.max, 12).text : "", term.count,
                   values, note);
  }
  tacit_page_table_end(page);
  if (count > 200)
    tacit_page_paragraph(page, "%zu more are in the schema.", count - 200);
}

void tacit_report_public(tacit_page *page, const tacit_report *report,
                         const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  const tacit_schema *schema = tacit_model_schema(subject->model);
  const char *bounds = tacit_words_of(report->about, "bounds");
  const json_t *notes = json_object_get(subject->model->training, "notes");
  tacit_page_heading(page, 0, "public", "What was public");
  tacit_page_paragraph(page, TEXT_PUBLIC);
  tacit_page_list(page);
  tacit_page_item(page, "The number of %s: %s.", f->persons ? "persons" : "rows",
                  tacit_shown_count(tacit_report_rows(subject)).text);
  if (tacit_report_stream(subject) != NULL)
    tacit_page_item(page, TEXT_DAYS, tacit_shown_count(tacit_report_day(subject)).text,
                    tacit_shown_count(f->rounds).text);
  tacit_page_item(page, TEXT_SCHEMA);
  if (f->described.digest != NULL)
    tacit_page_item(page, TEXT_KNOTS, tacit_shown_up(f->described.mu, 4).text);
  tacit_page_item(page, TEXT_SETTINGS);
  tacit_page_item(page, "The order of the rows: %s.", f->order);
  tacit_page_list_end(page);
  tacit_page_heading(page, 1, NULL, "Where the bounds come from");
  if (*bounds != '\0') tacit_page_paragraph(page, TEXT_BOUNDS, bounds);
  if (*tacit_words_of(notes, "") != '\0')
    tacit_page_paragraph(page, TEXT_NOTE, tacit_words_of(notes, ""));
  if (*bounds == '\0' && notes == NULL) tacit_page_paragraph(page, TEXT_NO_BOUNDS);
  put_columns(page, schema, notes);
}

void tacit_report_noise(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  if (!f->is_private || !isfinite(f->multiplier)) return;
  double rows = (double)tacit_report_rows(subject) / f->multiplier;
  tacit_page_heading(page, 0, "noise", "The noise beside the signal");
  tacit_page_answer(
      page, TEXT_SIGNAL, tacit_shown_down(f->multiplier, 3).text,
      f->persons ? "person" : "row", tacit_shown_count(tacit_report_rows(subject)).text,
      f->persons ? "persons" : "rows", tacit_shown_count((int64_t)fmax(rows, 0)).text);
  tacit_page_paragraph(page, TEXT_HIDDEN, f->persons ? "person" : "row", f->law);
  if (f->mean != NULL && isfinite(f->mean_mu))
    tacit_page_paragraph(page, TEXT_ROUND_ZERO, f->mean,
                         strstr(f->mean, " and ") != NULL ? "were" : "was",
                         tacit_shown_up(f->mean_mu, 4).text,
                         tacit_shown_up(f->rounds_mu, 4).text);
  tacit_report_signal(page, subject);
}

static void put_budget_bar(tacit_page *page, double share) {
  const tacit_svg svg = {page->to, 1};
  char about[80];
  if (page->markdown) return;
  (void)snprintf(about, sizeof about, "%.1f of 100 parts are spent", 100 * share);
  tacit_page_markup(page, "<figure>\n");
  tacit_svg_begin_on_page(&svg, 420, 30, "Budget spent", about);
  tacit_svg_bar(&svg, 0, 4, 420 * share, 20, 0);
  tacit_svg_box(&svg, 0.5, 4, 419, 20);
  tacit_svg_end(&svg);
  tacit_page_markup(page,
                    "<figcaption>" TEXT_CAPTION_BUDGET "</figcaption></figure>\n");
}

static tacit_shown writer_of(const json_t *event) {
  tacit_shown who;
  tacit_ledger_writer(event, who.text, sizeof who.text);
  return who;
}

/* Shortens the time of an event to minutes. */
static tacit_shown minute_of(const json_t *event) {
  const char *time = tacit_words_of(event, "time");
  tacit_shown shown = {""};
  if (strlen(time) >= 16)
    (void)snprintf(shown.text, sizeof shown.text, "%.10s %.5s", time, time + 11);
  return shown;
}

/* Names a file by its digest, without the folders that it is in. */
static tacit_shown made_of(const json_t *made) {
  tacit_shown shown;
  (void)snprintf(shown.text, sizeof shown.text, "%.40s %.12s",
                 made != NULL ? tacit_ledger_file(made) : "",
                 tacit_words_of(made, "digest"));
  return shown;
}

/* Lists what was done to the budget, and what people are exposed to since. */
static void put_changes(tacit_page *page, const json_t *set) {
  const json_t *changes = json_object_get(set, "changes"), *change;
  double first = 0, latest = tacit_real(set, "epsilon");
  int64_t periods = json_integer_value(json_object_get(set, "period"));
  size_t i;
  tacit_page_table(page, "The budget itself", "when (UTC)|who|what|>ε|from|why");
  json_array_foreach(changes, i, change) {
    if (i == 0) first = tacit_real(change, "epsilon");
    double epsilon = tacit_real(change, "epsilon");
    tacit_page_row(page, "%s|%s|%s|%s|%s|%s", minute_of(change).text,
                   writer_of(change).text, tacit_words_of(change, "event"),
                   epsilon > 0 ? tacit_shown_number(epsilon, 6).text : "",
                   tacit_words_of(change, "from"), tacit_words_of(change, "reason"));
  }
  tacit_page_table_end(page);
  if (latest > first && first > 0)
    tacit_page_paragraph(page, TEXT_RAISED, first, latest, latest,
                         tacit_shown_power(tacit_real(set, "delta")).text);
  if (periods > 1)
    tacit_page_paragraph(page, TEXT_EXPOSED, tacit_shown_count(periods).text,
                         tacit_shown_up(tacit_real(set, "exposed_epsilon"), 4).text);
}

void tacit_report_budget(tacit_page *page, const tacit_report *report) {
  const json_t *set = report->budget, *entry;
  size_t i;
  if (set == NULL) return;
  double share = tacit_real(set, "spent_mu") / tacit_real(set, "mu");
  tacit_page_heading(page, 0, "budget", "The budget of “%s”",
                     tacit_words_of(set, "dataset"));
  tacit_page_paragraph(page, TEXT_BUDGET_SHARES, tacit_words_of(set, "unit"),
                       tacit_words_of(set, "adjacency"), tacit_real(set, "epsilon"),
                       tacit_shown_power(tacit_real(set, "delta")).text,
                       tacit_shown_down(tacit_real(set, "mu"), 4).text,
                       tacit_shown_up(tacit_real(set, "spent_mu"), 4).text,
                       tacit_shown_down(tacit_real(set, "left_mu"), 4).text,
                       tacit_shown_down(tacit_real(set, "left_epsilon"), 4).text);
  put_budget_bar(page, fmin(fmax(share * share, 0), 1));
  put_changes(page, set);
  tacit_page_table(page, "What was paid for",
                   ">entry|when (UTC)|who|what|state|>ε|>δ|>µ|made|why");
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    const json_t *made = json_array_get(json_object_get(entry, "made"), 0);
    const char *reason = tacit_words_of(entry, "reason");
    tacit_page_row(page, "%lld|%s|%s|%s|%s|%.4g|%s|%s|%s|%s",
                   (long long)json_integer_value(json_object_get(entry, "id")),
                   minute_of(entry).text, writer_of(entry).text,
                   tacit_words_of(entry, "kind"), tacit_words_of(entry, "state"),
                   tacit_real(entry, "epsilon"),
                   tacit_shown_power(tacit_real(entry, "delta")).text,
                   tacit_shown_up(tacit_real(entry, "mu"), 4).text, made_of(made).text,
                   *reason != '\0' ? reason : tacit_words_of(entry, "note"));
  }
  tacit_page_table_end(page);
  tacit_page_paragraph(
      page, TEXT_LEDGER_HEAD, tacit_words_of(report->ledger, "head"),
      (long long)json_integer_value(json_object_get(report->ledger, "events")));
}

/* Prints a number with as many digits as are needed to read it back. */
static tacit_shown shortest(double value) {
  tacit_shown shown;
  tacit_format_shortest(value, shown.text);
  return shown;
}

void tacit_report_again(tacit_page *page, const tacit_reported *subject) {
  const tacit_statement *f = &subject->f;
  const tacit_schema *schema = tacit_model_schema(subject->model);
  const char *digest = tacit_model_digest(subject->model);
  char budget[160] = "--mechanism none", data[64], extra[160];
  if (f->is_private && isfinite(f->run_epsilon))
    (void)snprintf(budget, sizeof budget, "--rho %s", shortest(f->run_mu).text);
  else if (isfinite(f->epsilon) && f->pure)
    (void)snprintf(budget, sizeof budget, "--epsilon %s --delta 0",
                   shortest(f->epsilon).text);
  else if (isfinite(f->epsilon))
    (void)snprintf(budget, sizeof budget, "--epsilon %s --delta %s",
                   shortest(f->epsilon).text, shortest(f->delta).text);
  if (tacit_schema_is_csv(schema))
    (void)snprintf(data, sizeof data, "DATA.csv --schema schema.json");
  else
    (void)snprintf(data, sizeof data, "DATA --features %zu",
                   tacit_schema_features(schema));
  (void)snprintf(extra, sizeof extra, "--adjacency %s --preset %s --passes %lld%s",
                 f->zero_out ? "zero-out" : "replace", f->preset, (long long)f->passes,
                 f->as_sets ? "" : " --no-shuffle");
  tacit_page_heading(page, 0, "again", "Make it again");
  tacit_page_paragraph(page, TEXT_AGAIN);
  if (tacit_model_has_effects(subject->model))
    tacit_page_code(page, "tacit infer %s %s --adjacency %s -o effects.json", data,
                    budget, f->zero_out ? "zero-out" : "replace");
  else
    tacit_page_code(page, "tacit train %s %s %s --loss %s -o model.json", data, budget,
                    extra, tacit_model_loss(subject->model));
  tacit_page_paragraph(page, "%s rounds in %s pass%s, mechanism %s. Made by Tacit %s.",
                       tacit_shown_count(f->rounds).text,
                       tacit_shown_count(f->passes).text, f->passes == 1 ? "" : "es",
                       f->mechanism, f->version);
  if (digest != NULL) tacit_page_paragraph(page, TEXT_DIGEST, digest);
}

void tacit_report_words(tacit_page *page) {
  tacit_page_heading(page, 0, "words", "Words");
  tacit_page_words(page);
  tacit_page_word(page, "Neighbouring data sets", TEXT_WORD_NEIGHBOURS);
  tacit_page_word(page, "µ-Gaussian differential privacy", TEXT_WORD_MU);
  tacit_page_word(page, "(ε, δ)-differential privacy", TEXT_WORD_EPSILON);
  tacit_page_word(page, "Φ", "the distribution function of the normal distribution.");
  tacit_page_word(page, "Public", "known without looking at records.");
  tacit_page_word(page, "Score", "the number a model computes for a row.");
  tacit_page_words_end(page);
  tacit_page_paragraph(page, TEXT_ROUNDING);
  tacit_page_heading(page, 0, "source", "Source");
  tacit_page_paragraph(page, TEXT_SOURCE, TACIT_VERSION);
}
