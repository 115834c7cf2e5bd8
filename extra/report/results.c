/* SPDX-License-Identifier: MIT */
/* Writes what was measured: the evaluation of a model, and the audit of its
   guarantee. */
#include <math.h>
#include <string.h>

#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"

enum { POINTS = TACIT_AXES_POINTS };

static const char *metric_words(const char *name) {
  static const char *const words[][2] = {
      {"accuracy", "accuracy: rows whose class is predicted right"},
      {"auc", "AUC: a positive row scores higher than a negative one"},
      {"loss", "loss: what training makes small"},
      {"brier", "Brier score: mean squared error of the probabilities"},
      {"rmse", "root mean square error"},
      {"mae", "mean absolute error"},
      {"r2", "R²: share of the variance explained"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(words[i][0], name) == 0) return words[i][1];
  return name;
}

double tacit_report_baseline(const json_t *evaluation, const char *metric,
                             size_t *out_class) {
  const json_t *lists =
      json_object_get(json_object_get(evaluation, "confusion"), "predicted_true");
  const json_t *metrics = json_object_get(evaluation, "metrics");
  if (metrics == NULL) metrics = evaluation;
  double r2 = tacit_real(json_object_get(metrics, "r2"), "value"), total = 0, most = -1;
  const json_t *rmse = json_object_get(json_object_get(metrics, "rmse"), "value");
  size_t k = json_array_size(lists);
  if (strcmp(metric, "auc") == 0) return 0.5;
  if (strcmp(metric, "r2") == 0) return 0;
  if (strcmp(metric, "rmse") == 0)
    return json_is_number(rmse) && r2 < 1 && r2 != 0
               ? json_number_value(rmse) / sqrt(1 - r2)
               : (double)NAN;
  for (size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (size_t i = 0; i < k; ++i)
      sum += json_number_value(json_array_get(json_array_get(lists, i), j));
    total += sum;
    if (sum > most) most = sum, *out_class = j;
  }
  double share = total > 0 ? fmin(most / total, 1) : (double)NAN;
  if (strcmp(metric, "accuracy") == 0) return share;
  return strcmp(metric, "brier") == 0 && k == 2 ? share * (1 - share) : (double)NAN;
}

static void put_metrics(tacit_page *page, const json_t *evaluation) {
  const json_t *metrics = json_object_get(evaluation, "metrics");
  int is_private = metrics != NULL;
  const char *name;
  json_t *value;
  tacit_page_table(page,
                   is_private ? "Each number with its 95% interval"
                              : "Computed from the rows without noise",
                   "measure|>value|>without a model");
  json_object_foreach((json_t *)(is_private ? metrics : evaluation), name, value) {
    if (!json_is_object(value) && (!json_is_real(value) || is_private)) continue;
    if (!is_private && strcmp(metric_words(name), name) == 0) continue;
    int is_rate = strcmp(name, "accuracy") == 0;
    size_t unused;
    double baseline = tacit_report_baseline(evaluation, name, &unused);
    tacit_shown without = {"–"};
    if (isfinite(baseline))
      without = tacit_shown_number(is_rate ? 100 * baseline : baseline, 3);
    tacit_page_row(page, "%s|%s|%s%s", metric_words(name),
                   tacit_shown_interval(value, is_rate).text, without.text,
                   is_rate && isfinite(baseline) ? "%" : "");
  }
  tacit_page_table_end(page);
}

/* A curve with a band. */
typedef struct trace {
  int n;
  double x[POINTS], y[POINTS], low[POINTS], high[POINTS];
} trace;

static void add_point(trace *t, double x, double y, double low, double high) {
  if (t->n >= POINTS) return;
  t->x[t->n] = x;
  t->y[t->n] = y;
  t->low[t->n] = fmax(0, fmin(y, low));
  t->high[t->n] = fmin(1, fmax(y, high));
  ++t->n;
}

/* Adds a point with an interval, unless the interval is too noisy. */
static void add_interval(trace *t, double x, const json_t *interval) {
  if (json_is_number(json_object_get(interval, "value")))
    add_point(t, fmin(fmax(x, 0), 1), tacit_real(interval, "value"),
              tacit_real(interval, "low"), tacit_real(interval, "high"));
}

/* What a figure of a trace says. `caption` is markup. */
struct words {
  const char *name, *about, *name_x, *name_y, *caption;
};

static void put_trace(tacit_page *page, const trace *t, const struct words *words) {
  const tacit_svg svg = {page->to, 1};
  const tacit_axes axes = {0, 1, 0, 1, 0, 0, 56, 12, 296, 296};
  const double diagonal[] = {0, 1};
  if (page->markdown) return;
  tacit_page_markup(page, "<figure>\n");
  tacit_svg_begin_on_page(&svg, 364, 362, words->name, words->about);
  tacit_axes_draw(&svg, &axes, words->name_x, words->name_y);
  tacit_axes_curve(&svg, &axes, 2, diagonal, diagonal, TACIT_SVG_GREY, 1);
  tacit_axes_band(&svg, &axes, t->n, t->x, t->low, t->high, 0);
  tacit_axes_curve(&svg, &axes, t->n, t->x, t->y, 0, 0);
  for (int i = 0; t->n <= 20 && i < t->n; ++i)
    tacit_svg_mark(&svg, tacit_axes_x(&axes, t->x[i]), tacit_axes_y(&axes, t->y[i]), 0);
  tacit_svg_end(&svg);
  tacit_page_markup(page, words->caption);
}

static void put_roc(tacit_page *page, const json_t *thresholds) {
  static const struct words words = {
      "ROC curve of the model", TEXT_ROC_ABOUT, "negative rows taken for positive",
      "positive rows found",
      "<figcaption>" TEXT_CAPTION_ROC "</figcaption></figure>\n"};
  trace t = {.n = 0};
  size_t i;
  const json_t *point;
  add_point(&t, 1, 1, 1, 1);
  json_array_foreach((json_t *)thresholds, i, point) {
    add_interval(&t, tacit_real(json_object_get(point, "false_positive_rate"), "value"),
                 json_object_get(point, "true_positive_rate"));
  }
  add_point(&t, 0, 0, 0, 0);
  if (t.n >= 3) put_trace(page, &t, &words);
}

static void put_calibration(tacit_page *page, const json_t *calibration) {
  static const struct words words = {
      "Calibration of the model", TEXT_CALIBRATION_ABOUT, "predicted probability",
      "came true", "<figcaption>" TEXT_CAPTION_CALIBRATION "</figcaption></figure>\n"};
  trace t = {.n = 0};
  size_t i;
  const json_t *point;
  json_array_foreach((json_t *)calibration, i, point) {
    add_interval(&t, tacit_real(point, "score"), json_object_get(point, "rate"));
  }
  if (t.n >= 2) put_trace(page, &t, &words);
}

static void put_classes(tacit_page *page, const json_t *classes) {
  size_t i;
  const json_t *each;
  if (!json_is_object(json_object_get(json_array_get(classes, 0), "recall"))) return;
  tacit_page_table(page, "By class",
                   "class|>found (recall)|>right if said (precision)");
  json_array_foreach((json_t *)classes, i, each) {
    tacit_page_row(page, "%s|%s|%s", tacit_words_of(each, "class"),
                   tacit_shown_interval(json_object_get(each, "recall"), 1).text,
                   tacit_shown_interval(json_object_get(each, "precision"), 1).text);
  }
  tacit_page_table_end(page);
}

/* Lists what was measured for every group of rows, or that it is too small. */
static void put_groups(tacit_page *page, const json_t *evaluation) {
  const json_t *group;
  size_t i;
  if (json_object_get(evaluation, "groups") == NULL) return;
  tacit_page_table(page, TEXT_GROUPS, TEXT_HEADS_GROUPS);
  json_array_foreach(json_object_get(evaluation, "groups"), i, group) {
    const json_t *metrics = json_object_get(group, "metrics");
    const json_t *accuracy = json_object_get(metrics, "accuracy");
    const json_t *recall = json_object_get(metrics, "recall");
    const json_t *rows = json_object_get(json_object_get(group, "rows"), "value");
    if (accuracy == NULL) accuracy = json_object_get(metrics, "rmse");
    int is_rate = json_object_get(metrics, "accuracy") != NULL;
    tacit_shown count = tacit_shown_number(round(json_number_value(rows)), 6);
    tacit_page_row(page, "%s = %s|%s|%s|%s", tacit_words_of(evaluation, "by"),
                   tacit_words_of(group, "group"),
                   metrics != NULL ? count.text : "too small",
                   metrics != NULL ? tacit_shown_interval(accuracy, is_rate).text : "–",
                   recall != NULL ? tacit_shown_interval(recall, 1).text : "–");
  }
  tacit_page_table_end(page);
  tacit_page_paragraph(page, TEXT_GROUPS_ABOUT);
}

void tacit_report_evaluation(tacit_page *page, const tacit_reported *subject) {
  const json_t *evaluation = subject->evaluation;
  if (evaluation == NULL) return;
  tacit_page_heading(page, 0, "evaluation", "How good it is, measured");
  if (json_is_true(json_object_get(evaluation, "private")))
    tacit_page_paragraph(page, TEXT_PRIVATE_TEST,
                         tacit_shown_budget(&subject->cost).text,
                         tacit_shown_up(subject->cost.mu, 4).text);
  else
    tacit_page_banner(page, TEXT_TEST_NOT_PRIVATE);
  put_metrics(page, evaluation);
  put_classes(page, json_object_get(evaluation, "classes"));
  put_groups(page, evaluation);
  tacit_page_markup(page, "<div class=\"figures pair\">\n");
  put_roc(page, json_object_get(evaluation, "thresholds"));
  put_calibration(page, json_object_get(evaluation, "calibration"));
  tacit_page_markup(page, "</div>\n");
}

void tacit_report_audit(tacit_page *page, const tacit_reported *subject) {
  const json_t *audit = subject->audit, *attack;
  size_t i;
  if (audit == NULL) return;
  tacit_page_heading(page, 0, "audit", "The guarantee under attack");
  if (json_is_true(json_object_get(audit, "holds")))
    tacit_page_answer(page, TEXT_AUDIT_HOLDS);
  else
    tacit_page_banner(page, TEXT_AUDIT_FAILS);
  tacit_page_paragraph(page, TEXT_AUDIT,
                       tacit_shown_number(tacit_real(audit, "mu"), 4).text);
  tacit_page_table(page, TEXT_AUDIT_TABLE,
                   "attacker|>runs|>µ at least|>area|>at least|>at most");
  json_array_foreach(json_object_get(audit, "attacks"), i, attack) {
    const char *name = tacit_words_of(attack, "name");
    tacit_page_row(
        page, "%s|%s|%.4f|%.4f|%.4f|%.4f",
        strcmp(name, "likelihood-ratio") == 0 ? "best test, knows the secret order"
        : strcmp(name, "order-of-another-run") == 0 ? "best test, does not know it"
                                                    : name,
        tacit_shown_count(2 * json_integer_value(json_object_get(attack, "runs"))).text,
        tacit_real(attack, "mu_low"), tacit_real(attack, "auc"),
        tacit_real(attack, "auc_low"), tacit_real(attack, "auc_up"));
  }
  tacit_page_table_end(page);
}
