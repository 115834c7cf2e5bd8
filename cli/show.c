/* SPDX-License-Identifier: MIT */
/*
 * `tacit show`: what a model says. Everything here is in the model file already, so it
 * is as private as the model.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/infer.h>
#include <tacit/extra/report.h>

#include "cli.h"
#include "data.h"
#include "effects.h"

enum { WIDTH = 61, HEIGHT = 9, BARS = 24, LISTED = 24 };

static const char *const kinds[] = {"line", "steps",  "hats",  "values", "levels",
                                    "flag", "hashed", "words", "cross"};

/* A model and the output that is shown. */
struct view {
  const tacit_model *model;
  const tacit_schema *schema;
  const double *weights; /* of this output */
  const double *noise;   /* standard deviations of the weights, or NULL if not known */
  double scale;
  size_t output;
  const char *ratio; /* name of the exponential of an effect, or NULL if rows are
                        scaled by their own norms or the score is no logarithm */
};

static const double band_width = 1.96; /* standard deviations on each side: 95% */

static int is_curve(const tacit_term *term) { return term->kind <= TACIT_TERM_HATS; }

/* Computes what the term adds to the score at WIDTH numbers from min to max. */
static void sample(const struct view *view, size_t which, const tacit_term *term,
                   double out[WIDTH]) {
  for (int i = 0; i < WIDTH; ++i) {
    double share = (double)i / (WIDTH - 1);
    double value = term->min + share * (term->max - term->min);
    out[i] = view->scale * tacit_schema_term_score(view->schema, which,
                                                   view->weights + term->first, value);
  }
}

/* Returns half the width of the band at every point of the shape, or NULL if it is not
   known. */
static double *band_of(const struct view *view, size_t which, size_t *out_count) {
  tacit_error err;
  if (view->noise == NULL || tacit_model_shape(view->model, which, view->output, WIDTH,
                                               out_count, NULL, NULL, &err) != TACIT_OK)
    return NULL;
  double *noise = calloc(*out_count, sizeof *noise);
  if (noise != NULL && tacit_model_shape(view->model, which, view->output, WIDTH, NULL,
                                         NULL, noise, &err) != TACIT_OK) {
    free(noise);
    return NULL;
  }
  for (size_t i = 0; noise != NULL && i < *out_count; ++i)
    noise[i] *= band_width;
  return noise;
}

/* Prints half the width of the noise band where it is smallest and where it is
   largest. */
static void print_band(const struct view *view, size_t which) {
  double least = INFINITY, most = 0;
  size_t count;
  double *noise = band_of(view, which, &count);
  if (noise == NULL) return;
  for (int i = 0; i < WIDTH; ++i) {
    least = fmin(least, noise[i]);
    most = fmax(most, noise[i]);
  }
  free(noise);
  printf("  %10s  noise: +-%.4f to +-%.4f\n", "", least, most);
}

/* Returns the name of input i of a term without the name of its column. */
static const char *input_name(const struct view *view, const tacit_term *term,
                              size_t i) {
  if (term->kind == TACIT_TERM_VALUES && i < term->n_values) return term->values[i];
  if (term->kind == TACIT_TERM_VALUES && term->n_values > 0) return "other";
  if (term->kind == TACIT_TERM_LEVELS && i + 1 < term->n_values)
    return term->values[i + 1];
  const char *name = tacit_schema_feature_name(view->schema, term->first + i);
  return name != NULL ? name : "?";
}

/* Prints a line with the bar of a weight. `from` is what the ratio compares it with. */
static void print_bar(const struct view *view, const char *name, double weight,
                      double noise, double largest, double from) {
  int length = largest > 0 ? (int)lround(BARS * fabs(weight) / largest) : 0;
  char bar[BARS + 1];
  memset(bar, weight < 0 ? '-' : '+', (size_t)length);
  bar[length] = '\0';
  printf("  %-28.28s %+10.4f ", name, weight);
  if (noise > 0) printf("+-%-8.4f ", band_width * noise);
  if (view->ratio != NULL) printf("x%-8.4g ", exp(weight - from));
  printf("%s\n", bar);
}

/* Returns how many inputs of a term are shown: not the one for texts that are not
   declared, unless "other" is. */
static size_t shown_of(const tacit_term *term) {
  int has_rest = term->kind == TACIT_TERM_VALUES && term->n_values > 0;
  return term->count - (has_rest && !term->has_other);
}

/* Prints what the inputs of a term add, from input `from` on, or of many inputs the
   ones with the largest weights. A level adds to the level below, a value of a category
   is compared with the mean of all. */
static void print_inputs(const struct view *view, const tacit_term *term, size_t from) {
  const double *weights = view->weights + term->first;
  int is_level = term->kind == TACIT_TERM_LEVELS;
  double scale = view->scale / (is_level ? sqrt((double)term->count) : 1);
  size_t end = shown_of(term), shown = end - from;
  double largest = 0, limit = 0, mean = 0;
  for (size_t i = from; i < end; ++i) {
    largest = fmax(largest, fabs(weights[i]));
    if (term->kind == TACIT_TERM_VALUES) mean += scale * weights[i] / (double)end;
  }
  for (double cut = 0; shown > LISTED && cut < 1; cut += 0.02) {
    shown = 0;
    limit = cut * largest;
    for (size_t i = from; i < end; ++i)
      shown += fabs(weights[i]) >= limit && weights[i] != 0;
  }
  for (size_t i = from, printed = 0; i < end && printed < LISTED; ++i) {
    if (fabs(weights[i]) < limit || (limit > 0 && weights[i] == 0)) continue;
    print_bar(view, input_name(view, term, i), scale * weights[i],
              view->noise != NULL ? scale * view->noise[term->first + i] : 0,
              scale * largest, mean);
    ++printed;
  }
  if (end - from > LISTED)
    printf("  (%zu inputs; those with the largest weights)\n", end);
}

/* Prints what one unit more of a line adds, or a number twice as large if the line is
   of logarithms. */
static void print_slope(const struct view *view, const tacit_term *term, double rise) {
  int is_log = strcmp(term->map, "log") == 0;
  if (!(tacit_model_row_scale(view->model) > 0) || term->kind != TACIT_TERM_LINE ||
      (!is_log && strcmp(term->map, "linear") != 0))
    return;
  double each = is_log ? rise * log(2) / log(term->max / term->min)
                       : rise / (term->max - term->min);
  printf("  %10s  %s: %+.4g", "", is_log ? "twice as large" : "one unit more", each);
  if (view->ratio != NULL) printf(", %s %.4g", view->ratio, exp(each));
  puts("");
}

static void print_curve(const struct view *view, size_t which, const tacit_term *term) {
  double shape[WIDTH], low = INFINITY, high = -INFINITY;
  sample(view, which, term, shape);
  for (int i = 0; i < WIDTH; ++i) {
    low = fmin(low, shape[i]);
    high = fmax(high, shape[i]);
  }
  for (int row = HEIGHT - 1; row >= 0; --row) {
    char line[WIDTH + 1];
    for (int i = 0; i < WIDTH; ++i) {
      double place = high > low ? (shape[i] - low) / (high - low) : 0.5;
      line[i] = (int)lround(place * (HEIGHT - 1)) == row ? '*' : ' ';
    }
    line[WIDTH] = '\0';
    if (row == HEIGHT - 1 || row == 0)
      printf("  %+10.4f |%s\n", row > 0 ? high : low, line);
    else
      printf("  %10s |%s\n", "", line);
  }
  printf("  %10s  %-30.6g%31.6g\n", "", term->min, term->max);
  print_band(view, which);
  print_slope(view, term, shape[WIDTH - 1] - shape[0]);
  print_inputs(view, term, term->count - term->n_atoms);
}

/* Writes a term. Returns 0 past the last one. A model without columns has one term with
   all inputs. */
static int term_at(const struct view *view, size_t which, tacit_term *out) {
  *out = (tacit_term){.struct_size = sizeof *out};
  tacit_error err;
  if (tacit_schema_terms(view->schema) > 0)
    return tacit_schema_term(view->schema, which, out, &err) == TACIT_OK;
  out->name = "features";
  out->kind = TACIT_TERM_HASHED;
  out->count = tacit_schema_features(view->schema);
  return which == 0;
}

static struct view view_of(const tacit_model *model, size_t output) {
  const tacit_schema *schema = tacit_model_schema(model);
  size_t count;
  const double *weights = tacit_model_weights(model, &count);
  size_t features = tacit_schema_features(schema), n_noise;
  const double *noise = tacit_model_noise(model, &n_noise);
  return (struct view){.model = model,
                       .schema = schema,
                       .weights = weights + output * features,
                       .noise = noise != NULL ? noise + output * features : NULL,
                       .scale = tacit_model_term_scale(model),
                       .output = output,
                       .ratio = tacit_model_ratio(model)};
}

static double intercept_of(const struct view *view) {
  size_t count, outputs = tacit_model_outputs(view->model);
  const double *weights = tacit_model_weights(view->model, &count);
  const double *offset = tacit_model_offset(view->model);
  size_t bias = outputs * tacit_schema_features(view->schema) + view->output;
  double min = -1, max = 1, shift = offset != NULL ? offset[view->output] : 0;
  /* The margin is -1 and 1 at the bounds of a number, unless it is the log of a count.
   */
  if (tacit_schema_label(view->schema, &min, &max) == TACIT_LABEL_NUMBER &&
      strcmp(tacit_model_loss(view->model), "poisson") != 0)
    shift = min + (shift + 1) * (max - min) / 2;
  return (tacit_model_has_bias(view->model) ? view->scale * weights[bias] : 0) + shift;
}

static void print_output(const tacit_model *model, size_t output) {
  struct view view = view_of(model, output);
  tacit_term term;
  size_t outputs = tacit_model_outputs(model);
  if (outputs > 1) printf("\nClass %s\n", tacit_schema_class(view.schema, (int)output));
  printf("\nIntercept %+.4f\n", intercept_of(&view));
  for (size_t i = 0; term_at(&view, i, &term); ++i) {
    printf("\n%s (%s)\n", term.name, kinds[term.kind]);
    if (is_curve(&term))
      print_curve(&view, i, &term);
    else
      print_inputs(&view, &term, 0);
  }
}

static int print_all(const tacit_model *model) {
  size_t classes = tacit_schema_classes(tacit_model_schema(model));
  printf("%s\n", tacit_model_statement_text(model));
  printf("Loss: %s. The numbers below add up to the score of a row",
         tacit_model_loss(model));
  if (classes == 2 && strcmp(tacit_model_loss(model), "logistic") == 0)
    printf(": the log-odds of class %s",
           tacit_schema_class(tacit_model_schema(model), 1));
  puts(".");
  if (!(tacit_model_row_scale(model) > 0))
    puts("Each row is scaled by its own norm: they are for the longest row, and add up "
         "to\n"
         "more for others. With --scale same they are effects per unit of a column.");
  if (tacit_model_ratio(model) != NULL)
    printf(
        "x: the %s, of a value against the mean of its column, of a level against the\n"
        "one below.\n",
        tacit_model_ratio(model));
  size_t n_noise;
  if (tacit_model_noise(model, &n_noise) != NULL)
    puts("+-: an approximate 95% band of the noise, not of the sample.");
  for (size_t i = 0; i < tacit_model_outputs(model); ++i)
    print_output(model, i);
  return cli_close_stdout();
}

/* Returns weights, shape and band of a term, each as a list with an entry per
   output. */
static json_t *term_json(const tacit_model *model, size_t which,
                         const tacit_term *term) {
  json_t *outputs = json_array(), *inputs = json_array(), *bands = NULL;
  json_t *shapes = is_curve(term) ? json_array() : NULL;
  for (size_t i = 0; i < term->count; ++i) {
    const char *name =
        tacit_schema_feature_name(tacit_model_schema(model), term->first + i);
    json_array_append_new(inputs, name != NULL ? json_string(name) : json_null());
  }
  for (size_t k = 0; k < tacit_model_outputs(model); ++k) {
    struct view view = view_of(model, k);
    double points[WIDTH];
    size_t count = 0;
    double *noise = band_of(&view, which, &count);
    json_array_append_new(outputs,
                          cli_json_numbers(view.weights + term->first, term->count));
    if (noise != NULL && bands == NULL) bands = json_array();
    if (noise != NULL) json_array_append_new(bands, cli_json_numbers(noise, count));
    free(noise);
    if (shapes == NULL) continue;
    sample(&view, which, term, points);
    json_array_append_new(shapes, cli_json_numbers(points, WIDTH));
  }
  json_t *atoms =
      term->n_atoms > 0 ? cli_json_numbers(term->atoms, term->n_atoms) : NULL;
  return json_pack("{s:s, s:s, s:s*, s:o*, s:o*, s:o, s:o, s:o*, s:o*, s:o*}", "name",
                   term->name, "kind", kinds[term->kind], "column", term->column, "min",
                   shapes != NULL ? json_real(term->min) : NULL, "max",
                   shapes != NULL ? json_real(term->max) : NULL, "inputs", inputs,
                   "weights", outputs, "shape", shapes, "band", bands, "atoms", atoms);
}

static int print_json(const tacit_model *model) {
  json_t *terms = json_array(), *intercepts = json_array(), *classes = json_array();
  struct view view = view_of(model, 0);
  tacit_term term;
  for (size_t i = 0; term_at(&view, i, &term); ++i)
    json_array_append_new(terms, term_json(model, i, &term));
  for (size_t k = 0; k < tacit_model_outputs(model); ++k) {
    struct view each = view_of(model, k);
    json_array_append_new(intercepts, json_real(intercept_of(&each)));
  }
  for (size_t i = 0; i < tacit_schema_classes(view.schema); ++i)
    json_array_append_new(classes,
                          json_string(tacit_schema_class(view.schema, (int)i)));
  json_t *object =
      json_pack("{s:s, s:o, s:o, s:f, s:o}", "loss", tacit_model_loss(model), "classes",
                classes, "intercepts", intercepts, "scale", view.scale, "terms", terms);
  return cli_print_json_parts(
      object, CLI_PARTS({"statement", tacit_model_statement_json(model)}));
}

static const char *const table_options[] = {"level", "side", "contrast", "csv", NULL};

static int run(const struct cli_args *args) {
  tacit_error err;
  tacit_model *model = NULL;
  CLI_TRY(cli_judge(cli_model_load(args, args->operands[0], &model, &err), &err));
  const char *of_tables = cli_first_given(args, table_options);
  int exit_code = CLI_OK;
  if (tacit_model_has_effects(model))
    exit_code = cli_effects_show(args, model);
  else if (of_tables != NULL)
    exit_code = cli_refuse("--%s is for a table of effects, which this model does not "
                           "have: tacit infer makes one",
                           of_tables);
  else
    exit_code = cli_given(args, "json") ? print_json(model) : print_all(model);
  tacit_model_free(model);
  return exit_code;
}

static const struct cli_group group = GROUP(
    "Output",
    FLAG("json", "print one JSON object: statement, and for every term its inputs, "
                 "weights and shape, and its noise band, half the width at each point, "
                 "and after these at each atom"));

CLI_COMMAND(show, "MODEL", 1, 1,
            "a model for people: its statement, and what each column adds",
            GROUPS(&group, &cli_effects_group, &cli_limit_model_group));
