/* SPDX-License-Identifier: MIT */
/* CSV records by the wide parser: their numbers four at a time, then the columns in the
   order of the schema. Compiled for the level of the processor. */
#include "base/memory.h"
#include "data/schema/lookup.h"
#include "data/text/csv.h"
#include "data/text/number.h"
#include "data/text/wide_numbers.h"
#include "data/text/wide_stops.h"

void tacit_wide_find_cells(tacit_stops *stops, const char *end, char delimiter) {
  tacit_stops_find(stops, end, delimiter, 1);
}

unsigned tacit_wide_numbers(const tacit_stops_line *line, const uint32_t *cells,
                            double *out) {
  return tacit_wide_four(line, cells, 0, out);
}

/* The text of a cell. */
struct cell {
  const char *text;
  size_t size;
};

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* A cell with quotes or blanks around it, or CR after it; 0: it is not as it should
   be. */
static int unwrap(const char *begin, const char *end, int is_last, struct cell *out) {
  if (is_last && end > begin && end[-1] == '\r') --end;
  while (begin < end && is_blank(*begin))
    ++begin;
  if (begin < end && *begin == '"') {
    if (end - begin < 2 || end[-1] != '"') return 0;
    *out = (struct cell){begin + 1, (size_t)(end - begin) - 2};
    return 1;
  }
  while (end > begin && is_blank(end[-1]))
    --end;
  *out = (struct cell){begin, (size_t)(end - begin)};
  return 1;
}

TACIT_WIDE_INLINE int cell_of(const tacit_stops_line *line, size_t field,
                              struct cell *out) {
  const uint32_t *after = line->after + field;
  const char *begin = line->base + after[-1], *end = line->base + after[0] - 1;
  *out = (struct cell){begin, (size_t)(end - begin)};
  if (begin == end) return 1;
  if (*begin == ' ' && begin + 1 < end) {
    ++begin;
    *out = (struct cell){begin, out->size - 1};
  }
  /* a quote, a blank or a tab at the beginning, a blank, a tab or CR at the end */
  if (__builtin_expect((unsigned char)*begin <= '"' || (unsigned char)end[-1] <= ' ',
                       0))
    return unwrap(begin, end, field + 1 == line->count, out);
  return 1;
}

/* A cell that is not a simple number, by the rules of the strict parser: NAN if it is
   missing. 0: neither a number nor missing. */
static int single_number(const tacit_parse *parse, const tacit_stops_line *line,
                         size_t field, double *out) {
  const tacit_csv_layout *layout = parse->layout;
  struct cell cell;
  *out = NAN;
  if (!cell_of(line, field, &cell)) return 0;
  if (!layout->na_is_number &&
      tacit_number_take(cell.text, parse->c_locale, out) == cell.text + cell.size)
    return 1;
  *out = NAN;
  return tacit_schema_is_missing(parse->schema, cell.text, cell.size) ||
         tacit_number_parse(cell.text, cell.text + cell.size, parse->c_locale, out);
}

/* All numbers of a record. 0: a column has a cell that is not a number. */
static int take_numbers(const tacit_parse *parse, const tacit_stops_line *line,
                        double *out) {
  const tacit_csv_layout *layout = parse->layout;
  const tacit_csv_plan *plan = &layout->plan;
  for (size_t i = 0; i < plan->n_numbers; i += 4) {
    unsigned odd = tacit_wide_four(line, plan->number_field + i, 0, out + i);
    if (layout->na_is_number) odd = 0xf;
    if (__builtin_expect(odd == 0, 1)) continue;
    for (size_t j = i; j < i + 4 && j < plan->n_numbers; ++j) {
      if ((odd >> (j - i) & 1) != 0 &&
          !single_number(parse, line, plan->number_field[j], &out[j]) &&
          j < plan->n_of_columns)
        return 0;
    }
  }
  return 1;
}

/* Adds a number that may be missing. */
static int put_number(const tacit_column *column, double number, tacit_rows *rows,
                      size_t *count) {
  if (isnan(number)) return tacit_cell_missing(column, rows, count) == NULL;
  *count = tacit_curve_put(&column->curve, column->first, number, rows, *count);
  return 1;
}

TACIT_WIDE_INLINE int put_lines(const tacit_csv_plan *plan, const tacit_csv_step *step,
                                const double *numbers, tacit_rows *rows,
                                size_t *count) {
  for (size_t i = 0; i < step->count; i += 4) {
    size_t n = step->number + i, left = step->count - i < 4 ? step->count - i : 4;
    double values[4];
    unsigned odd =
        tacit_four_lines(numbers + n, plan->min + n, plan->max + n, plan->width + n,
                         plan->scale + n, plan->low + n, values);
    if (__builtin_expect((odd & ((1u << left) - 1)) == 0, 1)) {
      memcpy(rows->values + *count, values, sizeof values);
      memcpy(rows->indices + *count, plan->input + n, 4 * sizeof *plan->input);
      *count += left;
      continue;
    }
    for (size_t j = 0; j < left; ++j) {
      if (!isnan(numbers[n + j]))
        *count = tacit_rows_put(rows, *count, plan->input[n + j], values[j]);
      else if (tacit_cell_missing(step->column + i + j, rows, count) != NULL)
        return 0;
    }
  }
  return 1;
}

/* tacit_curve_find from its guess on, which may be one too far, without a branch. */
TACIT_WIDE_INLINE uint32_t true_bin(const tacit_curve *curve, double value,
                                    uint32_t guess) {
  const double *at = curve->at;
  uint32_t last = (uint32_t)curve->n_points - 2;
  guess -= (uint32_t)(value < at[guess]) & (uint32_t)(guess > 0);
  return guess + ((uint32_t)(value >= at[guess + 1]) & (uint32_t)(guess < last));
}

/* Steps and hats: what tacit_curve_put does. */
TACIT_WIDE_INLINE int put_bins(const tacit_csv_plan *plan, const tacit_csv_step *step,
                               const double *numbers, tacit_rows *rows,
                               size_t *io_count) {
  size_t count = *io_count;
  for (size_t i = 0; i < step->count; i += 4) {
    size_t n = step->number + i, left = step->count - i < 4 ? step->count - i : 4;
    double values[4];
    uint32_t guesses[4];
    unsigned none = tacit_four_bins(numbers + n, plan->min + n, plan->max + n,
                                    plan->width + n, plan->scale + n, values, guesses);
    for (size_t j = 0; j < left; ++j) {
      const tacit_column *column = step->column + i + j;
      if (__builtin_expect(none >> j & 1, 0)) {
        if (tacit_cell_missing(column, rows, &count) != NULL) return 0;
        continue;
      }
      uint32_t bin = true_bin(&column->curve, values[j], guesses[j]);
      size_t first = plan->input[n + j];
      if (column->curve.shape == TACIT_TERM_STEPS) {
        rows->values[count] = 1;
        rows->indices[count++] = (uint32_t)(first + bin);
        continue;
      }
      count = tacit_curve_put_hats(&column->curve, first, values[j], bin, rows, count);
    }
  }
  *io_count = count;
  return 1;
}

/* The number of a declared text, or `other`. */
TACIT_WIDE_INLINE size_t find_text(const tacit_lookup *lookup, const struct cell *cell,
                                   size_t other) {
  if (__builtin_expect(cell->size <= 16 && lookup->shorts != NULL, 1)) {
    const tacit_head head = tacit_head_load(cell->text, cell->size);
    const tacit_lookup_short *slot =
        tacit_lookup_short_slot(lookup, head.first, head.second);
    /* a free slot has `other`, as the empty text */
    uint64_t differs = (slot->head[0] ^ head.first) | (slot->head[1] ^ head.second);
    return differs != 0 ? other : (size_t)slot->place;
  }
  const tacit_lookup_slot *slot = tacit_lookup_find(lookup, cell->text, cell->size);
  return slot != NULL ? slot->number : other;
}

/* Adds neighbouring columns of categories. */
TACIT_WIDE_INLINE int put_categories(const tacit_csv_step *step,
                                     const tacit_stops_line *line, tacit_rows *rows,
                                     size_t *io_count) {
  size_t count = *io_count;
  for (uint32_t i = 0; i < step->count; ++i) {
    const tacit_column *column = step->column + i;
    struct cell cell;
    if (!cell_of(line, step->field + i, &cell)) return 0;
    rows->values[count] = 1;
    rows->indices[count] =
        (uint32_t)(column->first + find_text(column->lookup, &cell, column->n_values));
    ++count;
  }
  *io_count = count;
  return 1;
}

/* Adds the entries of all columns. 0: another parser must read the record. */
static int put_columns(tacit_parse *parse, const tacit_stops_line *line,
                       tacit_rows *rows, size_t *io_count) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  size_t count = *io_count;
  struct cell cell;
  for (size_t i = 0; i < plan->n_steps; ++i) {
    const tacit_csv_step *step = &plan->steps[i];
    switch (step->kind) {
    case TACIT_STEP_LINES:
      if (!put_lines(plan, step, parse->numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_BINS:
      if (!put_bins(plan, step, parse->numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_CURVE:
      if (!put_number(step->column, parse->numbers[step->number], rows, &count))
        return 0;
      break;
    case TACIT_STEP_CATEGORIES:
      if (!put_categories(step, line, rows, &count)) return 0;
      break;
    case TACIT_STEP_TEXT:
      if (!cell_of(line, step->field, &cell) ||
          !tacit_csv_put_text(parse, step->column, cell.text, cell.size, rows, &count))
        return 0;
      break;
    }
  }
  *io_count = count;
  return 1;
}

/* 0: the strict parser must read it. */
static int take_label(const tacit_parse *parse, const tacit_stops_line *line,
                      double *out) {
  const tacit_csv_layout *layout = parse->layout;
  const tacit_csv_plan *plan = &layout->plan;
  const tacit_schema *schema = parse->schema;
  *out = 0;
  if (!parse->labels) return 1;
  if (plan->label != TACIT_NO_FIELD) {
    double number = parse->numbers[plan->label];
    *out = number;
    if (schema->label_kind != TACIT_LABEL_NUMBER) {
      int is_true = schema->label_rule == TACIT_RULE_ABOVE ? number > schema->label_cut
                                                           : number < schema->label_cut;
      *out = tacit_schema_class_label(schema, (size_t)is_true);
    }
    return !isnan(number);
  }
  struct cell cell;
  if (!cell_of(line, layout->label_field, &cell)) return 0;
  size_t class = find_text(schema->class_lookup, &cell, schema->n_classes);
  if (class == schema->n_classes ||
      (schema->skips_missing_label &&
       tacit_schema_is_missing(schema, cell.text, cell.size)))
    return 0;
  *out = tacit_schema_class_label(schema, class);
  return 1;
}

static int take_weight(const tacit_parse *parse, tacit_rows *rows) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  double weight = 1;
  if (rows->weights == NULL) return 1;
  if (plan->weight != TACIT_NO_FIELD) {
    double number = parse->numbers[plan->weight];
    if (!(number >= 0)) return 0;
    weight = tacit_csv_weight(parse->schema, number);
  }
  rows->weights[rows->view.n_rows] = weight;
  return 1;
}

static int make_room(tacit_parse *parse, size_t n_numbers) {
  if (n_numbers <= parse->n_numbers) return 1;
  double *numbers = tacit_raw_new(n_numbers, sizeof *numbers);
  if (numbers == NULL) return 0; /* the other parsers need none */
  tacit_raw_free(parse->numbers);
  parse->numbers = numbers;
  parse->n_numbers = n_numbers;
  return 1;
}

const char *tacit_wide_csv(tacit_parse *parse, const tacit_stops_line *line,
                           tacit_rows *rows) {
  const tacit_csv_layout *layout = parse->layout;
  const tacit_schema *schema = parse->schema;
  size_t count = rows->n_entries;
  double label;
  if (line->count != layout->n_fields ||
      !make_room(parse, layout->plan.n_numbers + 8) ||
      !take_numbers(parse, line, parse->numbers) || !take_label(parse, line, &label) ||
      !put_columns(parse, line, rows, &count) || !take_weight(parse, rows))
    return NULL;
  if (schema->n_crosses > 0 &&
      tacit_cell_crosses(schema, rows->n_entries, &parse->work, rows, &count) != NULL)
    return NULL;
  rows->n_entries = count;
  tacit_rows_end(rows, label);
  return line->base + line->after[line->count - 1];
}
