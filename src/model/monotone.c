/* SPDX-License-Identifier: MIT */
/*
 * Columns that promise not to fall, or not to rise: the released weights are moved to
 * the nearest ones that keep the promise. Distances count in standard deviations of the
 * noise of each weight. Only released numbers are read, so this costs no privacy.
 *
 * A curve is a chain of heights f_j = s h_j + T_j l: the value at point j, with h_j the
 * weight of its step or hat, s the scale of the inputs, l the weight of the line beside
 * hats and T_j the value of that line. An atom at a bound is the end of the chain, with
 * T = 0. For a given move d of l the nearest heights that ascend are an isotonic
 * regression, which pools neighbours (pool). Half the slope of the distance in d,
 *
 *   D(d) = d / var(l) - sum_j T_j (f_j(d) - y_j - T_j d) / var(s h_j),
 *
 * rises by at least 1/var(l) per unit. So its root is within |D(0)| var(l) of 0, and
 * halving finds it.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

/* A link of a chain. A link that was pooled has the height of the first of its pool. */
struct link {
  size_t input;        /* which weight of the column */
  double size, height; /* of the input: s for a point, 1 for an atom; y_j */
  double line, weight; /* T_j; 1/var */
  double sum,
      total;    /* of the pool that ends here: weights, and weights times heights */
  size_t first; /* the first link of that pool */
  double found; /* f_j */
};

struct chain {
  struct link *links;
  size_t count;
  double line_weight; /* 1/var(l); 0 without a line */
};

static double weight_of(const double *noise, size_t input) {
  return noise != NULL && noise[input] > 0 ? 1 / (noise[input] * noise[input]) : 1;
}

/* Finds the nearest heights that ascend if the line moves by `moved`. Returns D. */
static double pool(const struct chain *chain, double moved) {
  struct link *links = chain->links;
  double slope = chain->line_weight * moved;
  for (size_t i = 0; i < chain->count; ++i) {
    struct link *own = &links[i];
    own->first = i;
    own->sum = own->weight;
    own->total = own->weight * (own->height + own->line * moved);
    while (own->first > 0) {
      const struct link *last = &links[own->first - 1];
      if (last->total / last->sum <= own->total / own->sum) break;
      own->sum += last->sum;
      own->total += last->total;
      own->first = last->first;
    }
  }
  for (size_t end = chain->count; end > 0; end = links[end - 1].first) {
    const struct link *last = &links[end - 1];
    for (size_t i = last->first; i < end; ++i)
      links[i].found = last->total / last->sum;
    if (last->first + 1 == end) /* alone: exactly where it was */
      links[end - 1].found = last->height + last->line * moved;
  }
  for (size_t i = 0; i < chain->count; ++i)
    slope -= links[i].line * links[i].weight *
             (links[i].found - links[i].height - links[i].line * moved);
  return slope;
}

/* Returns the best move of the line, with the heights that belong to it in the chain.
 */
static double solve(const struct chain *chain) {
  double slope = pool(chain, 0), low = 0, high = 0;
  if (!(chain->line_weight > 0) || slope == 0) return 0;
  if (slope > 0)
    low = -slope / chain->line_weight;
  else
    high = -slope / chain->line_weight;
  for (;;) {
    double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    if (pool(chain, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  (void)pool(chain, low);
  return low;
}

static void add_atom(const tacit_curve *curve, const double *noise, double *weights,
                     double sign, size_t atom, struct chain *chain) {
  size_t input = tacit_curve_rest(curve) + atom;
  chain->links[chain->count++] = (struct link){.input = input,
                                               .size = 1,
                                               .height = sign * weights[input],
                                               .weight = weight_of(noise, input)};
}

/* Moves the weights of steps or hats. `links` has room for all inputs. */
static void move_curve(const tacit_curve *curve, const double *noise, double *weights,
                       double sign, struct link *links) {
  struct chain chain = {links, 0, 0};
  size_t count = tacit_curve_rest(curve) - (size_t)curve->has_line, atom = 0;
  double scale = tacit_curve_scale(curve);
  if (curve->has_line) chain.line_weight = weight_of(noise, count);
  if (curve->n_atoms > 0 && curve->atoms[0] == curve->min)
    add_atom(curve, noise, weights, sign, atom++, &chain);
  for (size_t i = 0; i < count; ++i) {
    double line =
        curve->has_line ? sign * scale * tacit_curve_beside(curve, curve->at[i]) : 0;
    double height = sign * scale * weights[i];
    if (curve->has_line) height += line * weights[count];
    links[chain.count++] =
        (struct link){.input = i,
                      .size = scale,
                      .height = height,
                      .line = line,
                      .weight = weight_of(noise, i) / (scale * scale)};
  }
  if (atom < curve->n_atoms) add_atom(curve, noise, weights, sign, atom, &chain);
  double moved = solve(&chain);
  if (curve->has_line) weights[count] += moved;
  for (size_t i = 0; i < chain.count; ++i) {
    const struct link *own = &links[i];
    double by = own->found - own->height - own->line * moved;
    weights[own->input] += sign * by / own->size;
  }
}

/* A line, or ordered values, of which each adds to the one before: the weights must not
   be of the other sign. */
static void cut_signs(double *weights, size_t count, double sign) {
  for (size_t i = 0; i < count; ++i)
    weights[i] = sign * weights[i] > 0 ? weights[i] : 0;
}

tacit_status tacit_monotone(const tacit_schema *schema, const double *noise,
                            double *weights, tacit_error *err) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    double *own = weights + column->first;
    if (column->monotone == 0) continue;
    if (column->type == TACIT_COLUMN_ORDINAL) {
      cut_signs(own, column->n_values - 1, column->monotone);
    } else if (column->curve.shape == TACIT_TERM_LINE) {
      cut_signs(own, 1, column->monotone);
    } else {
      struct link *links = tacit_array_new(column->n_inputs, sizeof *links);
      if (links == NULL) return tacit_fail_memory(err);
      move_curve(&column->curve, noise != NULL ? noise + column->first : NULL, own,
                 column->monotone, links);
      tacit_array_free(links);
    }
  }
  return TACIT_OK;
}
