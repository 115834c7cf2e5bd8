/* SPDX-License-Identifier: MIT */
/* Shows the model: curves of numbers, bars of categories, the largest weights. */
#include <math.h>
#include <string.h>
#include <tacit/extra/infer.h>

#include "data/schema/curve.h"
#include "data/schema/schema.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"
#include "extra/svg/axes.h"

enum {
  POINTS = 81,
  POINTS_MAX = POINTS + TACIT_CURVE_ATOMS,
  CURVES_MAX = 8,
  FIGURES_MAX = 60,
  LISTED = 24,
  TOP = 12
};

typedef struct view {
  const tacit_model *model;
  const tacit_schema *schema;
  size_t outputs;
  const char *ratio; /* name of the exponential of an effect; or NULL if rows are
                        scaled by their own norms or the score is no logarithm */
  int is_banded;     /* 1 if the model says how far noise moves its shapes */
  double largest;    /* largest absolute value of a shape or its band */
} view;

/* The contribution of a term to the score, less its mean, and the half width of its
   band, which is 0 if the model does not know it. */
typedef struct shape {
  size_t count; /* a number has POINTS points, then its atoms */
  double x[POINTS_MAX], y[POINTS_MAX], half[POINTS_MAX], low[POINTS_MAX],
      high[POINTS_MAX];
} shape;

static int is_curve(const tacit_term *term) {
  return term->kind == TACIT_TERM_LINE || term->kind == TACIT_TERM_STEPS ||
         term->kind == TACIT_TERM_HATS;
}

static int term_at(const view *v, size_t which, tacit_term *out) {
  tacit_error err;
  *out = (tacit_term){.struct_size = sizeof *out};
  return which < tacit_schema_terms(v->schema) &&
         tacit_schema_term(v->schema, which, out, &err) == TACIT_OK;
}

/* Computes the shape of a term. Returns 0 if the term has more points than a figure can
   show, or if memory runs out, which makes the page fail. */
static int shape_of(tacit_page *page, const tacit_model *model, size_t which,
                    const tacit_term *term, size_t output, shape *out) {
  tacit_error err = {TACIT_OK, ""};
  if (tacit_model_shape(model, which, output, POINTS, &out->count, NULL, NULL, &err) !=
          TACIT_OK ||
      out->count > POINTS + term->n_atoms ||
      tacit_model_shape(model, which, output, POINTS, &out->count, out->y, out->half,
                        &err) != TACIT_OK) {
    if (err.status == TACIT_ENOMEM) page->has_gaps = 1;
    return 0;
  }
  for (size_t i = 0; i < out->count; ++i) {
    out->x[i] = i < POINTS
                    ? term->min + (term->max - term->min) * (double)i / (POINTS - 1)
                    : term->atoms[i - POINTS];
    out->half[i] = isfinite(out->half[i]) ? 1.96 * out->half[i] : 0;
    out->low[i] = out->y[i] - out->half[i];
    out->high[i] = out->y[i] + out->half[i];
  }
  return 1;
}

const char *tacit_model_ratio(const tacit_model *model) {
  const char *loss = tacit_model_loss(model);
  if (!(tacit_model_row_scale(model) > 0) || tacit_model_outputs(model) > 1)
    return NULL;
  return strcmp(loss, "poisson") == 0    ? "rate ratio"
         : strcmp(loss, "logistic") == 0 ? "odds ratio"
                                         : NULL;
}

static view view_of(tacit_page *page, const tacit_model *model) {
  size_t count;
  view v = {.model = model,
            .schema = tacit_model_schema(model),
            .outputs = tacit_model_outputs(model),
            .ratio = tacit_model_ratio(model),
            .is_banded = tacit_model_noise(model, &count) != NULL};
  tacit_term term;
  shape s;
  for (size_t i = 0; term_at(&v, i, &term); ++i)
    for (size_t k = 0; k < v.outputs; ++k) {
      if (!shape_of(page, model, i, &term, k, &s)) continue;
      for (size_t p = 0; p < s.count; ++p)
        v.largest = fmax(v.largest, fmax(fabs(s.low[p]), fabs(s.high[p])));
    }
  return v;
}

static const char *class_name(const view *v, size_t output) {
  const char *name = tacit_schema_class(v->schema, (int)(v->outputs > 1 ? output : 1));
  return name != NULL ? name : "";
}

/* Draws the atoms of a number as marks, with a bar for the band of each. */
static void put_atoms(const tacit_svg *svg, const tacit_axes *axes, const shape *s,
                      size_t output) {
  for (size_t i = POINTS; i < s->count; ++i) {
    const double x[] = {s->x[i], s->x[i]}, y[] = {s->low[i], s->high[i]};
    if (s->half[i] > 0) tacit_axes_curve(svg, axes, 2, x, y, (int)output, 0);
    tacit_svg_mark(svg, tacit_axes_x(axes, s->x[i]), tacit_axes_y(axes, s->y[i]),
                   (int)output);
  }
}

/* Returns 1 if the numbers of a term are dates. */
static int is_date(const view *v, const tacit_term *term) {
  for (size_t i = 0; term->column != NULL && i < v->schema->n_columns; ++i)
    if (strcmp(v->schema->columns[i].name, term->column) == 0)
      return v->schema->columns[i].type == TACIT_COLUMN_DATE;
  return 0;
}

/* Writes what a number adds per unit, or from its smallest to its largest value, if the
   score is a sum of one function per column. */
static void put_rise(tacit_page *page, const view *v, const tacit_term *term,
                     const shape *s) {
  int is_line = term->kind == TACIT_TERM_LINE && strcmp(term->map, "linear") == 0;
  double rise = s->y[POINTS - 1] - s->y[0];
  if (!(tacit_model_row_scale(v->model) > 0)) return;
  if (is_line)
    tacit_page_write(page, "one unit more: %+.3g", rise / (term->max - term->min));
  else
    tacit_page_write(page, "%s to %s: %+.3g", tacit_shown_number(term->min, 12).text,
                     tacit_shown_number(term->max, 12).text, rise);
  if (v->ratio != NULL)
    tacit_page_write(page, ", %s %.4g", v->ratio,
                     exp(is_line ? rise / (term->max - term->min) : rise));
}

/* Draws what a term adds to the score of one output, in a panel of its own. */
static void put_curve(tacit_page *page, const view *v, size_t which,
                      const tacit_term *term, size_t output) {
  const tacit_svg svg = {page->to, 1};
  double most = v->largest > 0 ? 1.05 * v->largest : 1;
  const tacit_axes axes = {
      term->min, term->max, -most, most, is_date(v, term) ? TACIT_AXES_DATES : 0,
      0,         56,        10,    234,  150};
  char title[160], about[200];
  shape s;
  if (!shape_of(page, v->model, which, term, output, &s)) return;
  (void)snprintf(title, sizeof title, "What %.120s adds to the score", term->name);
  (void)snprintf(about, sizeof about, "From %.4g at %.6g to %.4g at %.6g", s.y[0],
                 term->min, s.y[POINTS - 1], term->max);
  tacit_page_markup(page, "<figure>\n");
  tacit_svg_begin_on_page(&svg, 306, 186, title, about);
  tacit_axes_draw(&svg, &axes, NULL, NULL);
  int colour = (int)(output % CURVES_MAX);
  if (v->is_banded) tacit_axes_band(&svg, &axes, POINTS, s.x, s.low, s.high, colour);
  tacit_axes_curve(&svg, &axes, POINTS, s.x, s.y, colour, 0);
  put_atoms(&svg, &axes, &s, (size_t)colour);
  tacit_svg_end(&svg);
  tacit_page_markup(page, "<figcaption><b>");
  if (v->outputs > 1)
    tacit_page_write(page, "%s: %s", term->name, class_name(v, output));
  else
    tacit_page_write(page, "%s", term->name);
  tacit_page_markup(page, "</b><br>");
  if (!is_date(v, term)) put_rise(page, v, term, &s);
  tacit_page_markup(page, "</figcaption></figure>\n");
}

/* Writes the ends of the curves as a table, for pages without figures. */
static void put_curve_table(tacit_page *page, const view *v) {
  tacit_term term;
  shape s;
  tacit_page_table(page, "What a number adds to the score",
                   "column|class|>from|>at|>to|>at");
  for (size_t i = 0; term_at(v, i, &term); ++i)
    for (size_t k = 0; is_curve(&term) && k < v->outputs; ++k)
      if (shape_of(page, v->model, i, &term, k, &s)) {
        const char *class = class_name(v, k);
        tacit_page_row(page, "%s|%s|%+.3f|%.6g|%+.3f|%.6g", term.name, class, s.y[0],
                       term.min, s.y[POINTS - 1], term.max);
        for (size_t p = POINTS; p < s.count; ++p)
          tacit_page_row(page, "%s, atom|%s|%+.3f|%.6g||", term.name, class, s.y[p],
                         s.x[p]);
      }
}

static void put_curves(tacit_page *page, const view *v) {
  tacit_term term;
  size_t shown = 0;
  for (size_t i = 0; term_at(v, i, &term); ++i)
    if (is_curve(&term)) ++shown;
  if (shown == 0) return;
  tacit_page_heading(page, 1, NULL, "Numbers");
  tacit_page_paragraph(page, TEXT_CURVES);
  if (page->markdown) {
    put_curve_table(page, v);
    return;
  }
  tacit_page_markup(page, "<div class=\"figures\">\n");
  shown = 0;
  for (size_t i = 0; shown < FIGURES_MAX && term_at(v, i, &term); ++i)
    for (size_t k = 0; is_curve(&term) && k < v->outputs; ++k, ++shown)
      put_curve(page, v, i, &term, k);
  tacit_page_markup(page, "</div>\n");
}

/* Returns the name of point i of a term that is not a curve. */
static const char *point_name(const view *v, const tacit_term *term, size_t i) {
  if (term->kind == TACIT_TERM_FLAG) return i == 0 ? "no" : "yes";
  if (i < term->n_values) return term->values[i];
  if (term->kind == TACIT_TERM_VALUES && term->n_values > 0) return "other";
  const char *name = tacit_schema_feature_name(v->schema, term->first + i);
  return name != NULL ? name : "?";
}

/* Draws a bar from the middle, and the band of its end. */
static void put_bar(tacit_page *page, const view *v, double value, double half) {
  const tacit_svg svg = {page->to, 1};
  double unit = v->largest > 0 ? 78 / v->largest : 0, end = 80 + unit * value;
  (void)fputs("<svg viewBox=\"0 0 160 16\" aria-hidden=\"true\">", page->to);
  tacit_svg_bar(&svg, fmin(end, 80), 3, fabs(end - 80), 10, value < 0 ? 1 : 0);
  tacit_svg_bar(&svg, 79.5, 0, 1, 16, TACIT_SVG_GREY);
  if (half > 0) {
    const double x[] = {end - unit * half, end + unit * half}, y[] = {8, 8};
    tacit_svg_curve(&svg, 2, x, y, 5, 0);
  }
  tacit_svg_end(&svg);
}

/* Writes a row of a table for a model with one output. The ratio compares a value with
   the mean of its column, a level or yes with the first one. */
static void put_effect(tacit_page *page, const view *v, const char *name,
                       const shape *s, const tacit_term *term, size_t i) {
  double from = term->kind == TACIT_TERM_VALUES ? 0 : s->y[0];
  if (page->markdown) {
    tacit_page_write(page, "| %s | %+.3f", name, s->y[i]);
  } else {
    tacit_page_markup(page, "<tr><th scope=\"row\">");
    tacit_page_write(page, "%s", name);
    tacit_page_markup(page, "</th><td>");
    put_bar(page, v, s->y[i], s->half[i]);
    tacit_page_markup(page, "</td><td class=\"n\">");
    tacit_page_write(page, "%+.3f", s->y[i]);
  }
  tacit_page_markup(page, v->is_banded ? "</td><td class=\"n\">" : "");
  if (v->is_banded)
    tacit_page_write(page, page->markdown ? " | ±%.3f" : "±%.3f", s->half[i]);
  tacit_page_markup(page, v->ratio != NULL ? "</td><td class=\"n\">" : "");
  if (v->ratio != NULL)
    tacit_page_write(page, page->markdown ? " | %.3g" : "%.3g", exp(s->y[i] - from));
  tacit_page_markup(page, "</td></tr>");
  tacit_page_write(page, page->markdown ? " |\n" : "\n");
}

/* Writes a row for a model with several outputs: the classes that the value speaks most
   for and against. */
static void put_extremes(tacit_page *page, const view *v, const char *name,
                         size_t which, const tacit_term *term, size_t point) {
  double least = INFINITY, most = -INFINITY;
  size_t lowest = 0, highest = 0;
  shape s;
  for (size_t k = 0; k < v->outputs; ++k) {
    if (!shape_of(page, v->model, which, term, k, &s)) return;
    if (s.y[point] < least) least = s.y[point], lowest = k;
    if (s.y[point] > most) most = s.y[point], highest = k;
  }
  tacit_page_row(page, "%s|%s %+.3f|%s %+.3f", name, class_name(v, highest), most,
                 class_name(v, lowest), least);
}

static void write_heads(const tacit_page *page, const view *v, char out[96]) {
  if (v->outputs > 1)
    (void)snprintf(out, 96, "value|most for|least for");
  else
    (void)snprintf(out, 96, "value%s|>adds%s%s%s",
                   page->markdown ? "" : "|less ◂ ▸ more",
                   v->is_banded ? "|>noise" : "", v->ratio != NULL ? "|>" : "",
                   v->ratio != NULL ? v->ratio : "");
}

static void put_category(tacit_page *page, const view *v, size_t which,
                         const tacit_term *term) {
  shape s;
  char heads[96];
  if (!shape_of(page, v->model, which, term, 0, &s)) return;
  write_heads(page, v, heads);
  tacit_page_table(page, term->name, heads);
  for (size_t i = 0; i < s.count; ++i) {
    const char *name = point_name(v, term, i);
    if (v->outputs == 1)
      put_effect(page, v, name, &s, term, i);
    else
      put_extremes(page, v, name, which, term, i);
  }
  tacit_page_table_end(page);
}

static void put_categories(tacit_page *page, const view *v) {
  tacit_term term;
  size_t shown = 0;
  for (size_t i = 0; term_at(v, i, &term); ++i) {
    if (is_curve(&term) || term.count > LISTED || ++shown > FIGURES_MAX) continue;
    if (shown == 1) {
      tacit_page_heading(page, 1, NULL, "Categories");
      tacit_page_paragraph(page, TEXT_CATEGORIES);
      tacit_page_markup(page, "<div class=\"figures pair\">\n");
    }
    put_category(page, v, i, &term);
  }
  if (shown > 0) tacit_page_markup(page, "</div>\n");
}

/* Returns the largest weight of an input over the outputs, with its sign. */
static double weight_of(const view *v, size_t input) {
  size_t count, features = tacit_schema_features(v->schema);
  const double *weights = tacit_model_weights(v->model, &count);
  double largest = 0;
  for (size_t k = 0; k < v->outputs; ++k)
    if (fabs(weights[k * features + input]) > fabs(largest))
      largest = weights[k * features + input];
  return tacit_model_term_scale(v->model) * largest;
}

/* Lists the inputs with the largest weights, largest first. */
static void put_largest(tacit_page *page, const view *v) {
  size_t best[TOP], count = 0;
  for (size_t i = 0; i < tacit_schema_features(v->schema); ++i) {
    double size = fabs(weight_of(v, i));
    size_t at = count;
    while (at > 0 && size > fabs(weight_of(v, best[at - 1])))
      --at;
    if (at == TOP) continue;
    if (count < TOP) ++count;
    memmove(best + at + 1, best + at, (count - 1 - at) * sizeof *best);
    best[at] = i;
  }
  tacit_page_heading(page, 1, NULL, "Largest weights");
  tacit_page_table(page, "What an input of 1 adds to the score, largest first",
                   "input|>adds");
  for (size_t i = 0; i < count; ++i) {
    const char *name = tacit_schema_feature_name(v->schema, best[i]);
    if (name != NULL)
      tacit_page_row(page, "%s|%+.4f", name, weight_of(v, best[i]));
    else
      tacit_page_row(page, "input %zu|%+.4f", best[i] + 1, weight_of(v, best[i]));
  }
  tacit_page_table_end(page);
}

void tacit_report_model(tacit_page *page, const tacit_reported *subject) {
  if (tacit_model_has_effects(subject->model)) {
    tacit_report_effects(page, subject);
    return;
  }
  view v = view_of(page, subject->model);
  const char *loss = tacit_model_loss(subject->model);
  int odds = strcmp(loss, "logistic") == 0 && v.outputs == 1;
  tacit_page_heading(page, 0, "model", "What the model says");
  tacit_page_paragraph(page, odds ? TEXT_ODDS : TEXT_SCORES,
                       odds            ? class_name(&v, 0)
                       : v.outputs > 1 ? ", one score for every class"
                                       : "");
  if (!(tacit_model_row_scale(subject->model) > 0))
    tacit_page_paragraph(page, TEXT_ROW_NORM);
  else if (v.ratio != NULL)
    tacit_page_paragraph(page, TEXT_RATIO, v.ratio);
  if (v.is_banded)
    tacit_page_paragraph(page, page->markdown ? TEXT_BAND_IN_TEXT : TEXT_BAND);
  put_curves(page, &v);
  put_categories(page, &v);
  put_largest(page, &v);
}

void tacit_report_signal(tacit_page *page, const tacit_reported *subject) {
  view v = view_of(page, subject->model);
  tacit_term term;
  if (!v.is_banded || v.outputs > 1) return;
  tacit_page_table(page, TEXT_COLUMN_SIGNAL, "column|>signal|>noise|>signal / noise");
  for (size_t i = 0, shown = 0; shown < LISTED && term_at(&v, i, &term); ++i, ++shown) {
    shape s;
    double signal = 0, noise = 0;
    if (!shape_of(page, v.model, i, &term, 0, &s)) continue;
    for (size_t p = 0; p < s.count; ++p) {
      if (!(fabs(s.y[p]) > signal)) continue;
      signal = fabs(s.y[p]);
      noise = s.half[p];
    }
    tacit_page_row(page, "%s|%.3f|±%.3f|%s", term.name, signal, noise,
                   noise > 0 ? tacit_shown_number(signal / noise, 2).text : "–");
  }
  tacit_page_table_end(page);
}
