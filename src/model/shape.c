/* SPDX-License-Identifier: MIT */
/* The shapes of a model's terms, for people: what a term adds to the score, and the
   standard deviation that the noise of the training gives it. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

struct shape {
  const tacit_model *model;
  size_t which;
  tacit_term term;
  const double *weights, *noise; /* of the inputs of the term; noise is NULL if not
                                    known */
  size_t points;                 /* with the atoms, which are last */
  double scale;
};

/* The inputs of a term that are not 0 at a point: `count` inputs from `first` on, with
   the values even[0], even[1], even[0] and so on, and the line beside hats, which is
   the input after the knots. */
struct parts {
  size_t first, count;
  double even[2], line;
};

/* Returns the number in the term of input i of the parts, 0 <= i <= count, and its
   value. */
static size_t input_of(const struct shape *shape, const struct parts *parts, size_t i,
                       double *out_value) {
  int is_line = i == parts->count;
  *out_value = is_line ? parts->line : parts->even[i & 1];
  if (!is_line) return parts->first + i;
  return parts->line != 0 ? shape->term.n_points : shape->term.count - 1;
}

static int is_curve(const tacit_term *term) {
  return term->kind == TACIT_TERM_LINE || term->kind == TACIT_TERM_STEPS ||
         term->kind == TACIT_TERM_HATS;
}

static struct parts parts_at(const struct shape *shape, size_t point) {
  const tacit_term *term = &shape->term;
  struct parts parts = {point, 1, {1, 1}, 0};
  size_t on_curve = shape->points - term->n_atoms;
  if (is_curve(term) && point >= on_curve) {
    parts.first = term->count - term->n_atoms + point - on_curve;
  } else if (is_curve(term)) {
    double share = (double)point / (double)(on_curve - 1);
    double value = term->min + share * (term->max - term->min);
    double found[3];
    size_t first =
        tacit_schema_term_parts(shape->model->schema, shape->which, value, found);
    size_t count = term->kind == TACIT_TERM_HATS ? 2 : 1;
    parts = (struct parts){first, count, {found[0], found[1]}, found[2]};
  } else if (term->kind == TACIT_TERM_FLAG || term->kind == TACIT_TERM_LEVELS) {
    double even = 1 / sqrt((double)term->count); /* a level has the inputs of all levels
                                                    below it */
    parts = (struct parts){0, point, {even, even}, 0};
  }
  return parts;
}

static void fill_values(const struct shape *shape, double *out) {
  double mean = 0;
  for (size_t p = 0; p < shape->points; ++p) {
    struct parts parts = parts_at(shape, p);
    double sum = 0, part;
    for (size_t i = 0; i <= parts.count; ++i) {
      size_t input = input_of(shape, &parts, i, &part);
      sum += part * shape->weights[input];
    }
    out[p] = shape->scale * sum;
    mean += out[p] / (double)shape->points;
  }
  for (size_t p = 0; p < shape->points; ++p)
    out[p] -= mean;
}

/* Computes the noise of the shape at each point. Takes the noise of different inputs as
   independent. With a_i the value of input i at a point, b_i its mean over the points
   and s_i the noise of its weight, the variance at the point is sum_i s_i^2 (a_i -
   b_i)^2 = sum_i s_i^2 b_i^2 + sum_i s_i^2 a_i (a_i - 2 b_i). */
static tacit_status fill_noise(const struct shape *shape, double *out,
                               tacit_error *err) {
  for (size_t p = 0; p < shape->points; ++p)
    out[p] = NAN;
  if (shape->noise == NULL) return TACIT_OK;
  double *mean = tacit_array_new(shape->term.count, sizeof *mean), all = 0, part;
  if (mean == NULL) return tacit_fail_memory(err);
  for (size_t p = 0; p < shape->points; ++p) {
    struct parts parts = parts_at(shape, p);
    for (size_t i = 0; i <= parts.count; ++i) {
      size_t input = input_of(shape, &parts, i, &part);
      mean[input] += part / (double)shape->points;
    }
  }
  for (size_t i = 0; i < shape->term.count; ++i)
    all += shape->noise[i] * shape->noise[i] * mean[i] * mean[i];
  for (size_t p = 0; p < shape->points; ++p) {
    struct parts parts = parts_at(shape, p);
    double sum = all;
    for (size_t i = 0; i <= parts.count; ++i) {
      size_t input = input_of(shape, &parts, i, &part);
      double noise = shape->noise[input];
      sum += noise * noise * part * (part - 2 * mean[input]);
    }
    out[p] = shape->scale * sqrt(fmax(sum, 0));
  }
  tacit_array_free(mean);
  return TACIT_OK;
}

tacit_status tacit_model_shape(const tacit_model *model, size_t term, size_t output,
                               size_t points, size_t *out_count, double *out_shape,
                               double *out_noise, tacit_error *err) {
  struct shape shape = {.model = model, .which = term, .points = points};
  shape.term.struct_size = sizeof shape.term;
  if (model == NULL || output >= model->row.outputs)
    return tacit_fail(err, TACIT_EINVAL, "model: no such output");
  TACIT_TRY(tacit_schema_term(model->schema, term, &shape.term, err));
  int leaves_other = shape.term.kind == TACIT_TERM_VALUES && shape.term.n_values > 0 &&
                     !shape.term.has_other;
  if (!is_curve(&shape.term))
    shape.points =
        shape.term.count - (size_t)leaves_other +
        (shape.term.kind == TACIT_TERM_FLAG || shape.term.kind == TACIT_TERM_LEVELS);
  else if (points < 2)
    return tacit_fail(err, TACIT_EINVAL, "a shape has at least 2 points");
  else
    shape.points = points + shape.term.n_atoms;
  size_t first = output * model->row.features + shape.term.first;
  shape.scale = tacit_model_term_scale(model);
  shape.weights = model->weights + first;
  shape.noise = model->noise != NULL ? model->noise + first : NULL;
  if (out_noise != NULL) TACIT_TRY(fill_noise(&shape, out_noise, err));
  if (out_shape != NULL) fill_values(&shape, out_shape);
  if (out_count != NULL) *out_count = shape.points;
  return TACIT_OK;
}
