/* SPDX-License-Identifier: MIT */
/* Reads CSV records by the SIMD parser: the numbers of several lines, then line by line
   the columns in the order of the schema. Compiled for the level of the processor. */
#include "base/memory.h"
#include "data/text/csv.h"
#include "data/text/simd_cells.h"
#include "data/text/simd_curves.h"
#include "data/text/simd_numbers.h"
#include "data/text/simd_stops.h"

void tacit_simd_find_cells(tacit_stops *stops, const char *end, char delimiter) {
  tacit_stops_find(stops, end, delimiter, 1);
}

unsigned tacit_simd_numbers(const tacit_stops_line *line, const uint32_t *cells,
                            double *out) {
  return tacit_simd_cells(line, cells, 0, out);
}

/* Adds a number that may be missing. Returns 0 if it is missing and must not be. */
static int put_number(const tacit_column *column, double number, tacit_rows *rows,
                      size_t *count) {
  if (isnan(number)) return tacit_cell_missing(column, rows, count) == NULL;
  *count = tacit_curve_put(&column->curve, column->first, number, rows, *count);
  return 1;
}

/* Adds four columns, or fewer, some of which are missing or need special care. */
static int put_singly(const tacit_column *columns, const double *numbers, size_t count,
                      tacit_rows *rows, size_t *io_count) {
  for (size_t i = 0; i < count; ++i)
    if (!put_number(&columns[i], numbers[i], rows, io_count)) return 0;
  return 1;
}

/* Adds `left` of four columns that become hats and a line. Returns the result of
   tacit_four_hats; if it has a bit of these columns, nothing counts as added. */
TACIT_SIMD_INLINE unsigned put_four_both(const double *numbers,
                                         const tacit_csv_four *four, size_t left,
                                         tacit_rows *rows, size_t *io_count) {
  double hats[8], lines[4];
  uint32_t places[8];
  unsigned single;
  unsigned odd = tacit_four_hats(numbers, four, hats, places, &single);
  tacit_four_beside(numbers, four, lines);
  size_t count = *io_count, from = 0;
  for (size_t i = 0; i < left; ++i) {
    size_t n_hats = 2 - (single >> i & 1);
    memcpy(rows->values + count, hats + from, 2 * sizeof *hats);
    memcpy(rows->indices + count, places + from, 2 * sizeof *places);
    from += n_hats;
    size_t line = four->input[i] + (uint32_t)four->scale[i] + 1; /* after the hats */
    count = tacit_rows_put(rows, count + n_hats, line, lines[i]);
  }
  if ((odd & ((1u << left) - 1)) == 0) *io_count = count;
  return odd;
}

/* Adds the columns of a step that go four at a time. Returns 0 if another parser must
   read the record. */
TACIT_SIMD_INLINE int put_fours(const tacit_csv_plan *plan, const tacit_csv_step *step,
                                tacit_csv_step_kind kind, const double *numbers,
                                tacit_rows *rows, size_t *io_count) {
  const tacit_csv_four *four = plan->fours + step->first;
  size_t count = *io_count, n_columns = step->count;
  numbers += step->number;
  for (size_t i = 0; i < n_columns; i += 4, ++four) {
    size_t left = n_columns - i < 4 ? n_columns - i : 4;
    unsigned lanes = (1u << left) - 1, single = 0, odd;
    double *values = rows->values + count;
    uint32_t *indices = rows->indices + count;
    if (kind == TACIT_STEP_LINES)
      odd = tacit_four_lines(numbers + i, four, values, indices);
    else if (kind == TACIT_STEP_STEPS)
      odd = tacit_four_steps(numbers + i, four, values, indices);
    else if (kind == TACIT_STEP_HATS)
      odd = tacit_four_hats(numbers + i, four, values, indices, &single);
    else
      odd = put_four_both(numbers + i, four, left, rows, &count);
    if (__builtin_expect((odd & lanes) == 0, 1)) {
      if (kind == TACIT_STEP_HATS)
        count += 2 * left - (size_t)__builtin_popcount(single & lanes);
      else if (kind != TACIT_STEP_BOTH)
        count += left;
    } else if (!put_singly(step->column + i, numbers + i, left, rows, &count)) {
      return 0;
    }
  }
  *io_count = count;
  return 1;
}

/* Finds a text that may be long or have quotes or blanks around it. Returns 0 if a
   quote opens and does not close. */
static int find_slowly(const tacit_csv_text *text, const tacit_stops_line *line,
                       size_t field, uint32_t *out) {
  tacit_simd_cell cell;
  if (!tacit_simd_cell_of(line, field, &cell)) return 0;
  const tacit_lookup_slot *slot = tacit_lookup_find(text->lookup, cell.text, cell.size);
  *out = slot != NULL ? (uint32_t)slot->number : text->other;
  return 1;
}

/* Finds the number of a declared text, or `other`. The cell is nearly always a short
   text, perhaps between quotes or after one blank, and then it is in its slot. */
TACIT_SIMD_INLINE int find_text(const tacit_csv_text *text,
                                const tacit_stops_line *line, size_t field,
                                uint32_t *out) {
  const uint32_t *after = line->after + field;
  const char *begin = line->base + after[-1];
  uint32_t size = after[0] - after[-1] - 1;
  if (__builtin_expect((unsigned char)*begin <= '"' && size > 0, 0)) {
    uint32_t blank = *begin == ' ', quote = begin[blank] == '"';
    begin += blank + quote;
    size -= blank + 2 * quote; /* a size that is not positive becomes more than 16 */
  }
  if (__builtin_expect(size > 16, 0)) return find_slowly(text, line, field, out);
  const tacit_head head = tacit_head_load(begin, size);
  const tacit_lookup_short *slot = &text->slots[tacit_lookup_short_slot(
      text->factor, text->shift, head.first, head.second)];
  *out = (uint32_t)slot->place;
  /* a free slot has `other`, like the empty text */
  uint64_t differs = (slot->head[0] ^ head.first) | (slot->head[1] ^ head.second);
  if (__builtin_expect(differs == 0, 1)) return 1;
  *out = text->other;
  if (text->lookup->shorts != NULL && tacit_lookup_is_short(begin, size)) return 1;
  return find_slowly(text, line, field, out);
}

/* Adds neighbouring columns of categories. */
TACIT_SIMD_INLINE int put_categories(const tacit_csv_plan *plan,
                                     const tacit_csv_step *step,
                                     const tacit_stops_line *line, tacit_rows *rows,
                                     size_t *io_count) {
  const tacit_csv_text *text = plan->texts + step->first;
  double *values = rows->values + *io_count;
  uint32_t *indices = rows->indices + *io_count;
  size_t n_columns = step->count, field = step->field;
  for (size_t i = 0; i < n_columns; ++i, ++text) {
    uint32_t place;
    if (!find_text(text, line, field + i, &place)) return 0;
    values[i] = 1;
    indices[i] = text->input + place;
  }
  *io_count += n_columns;
  return 1;
}

/* Adds the entries of all columns. Returns 0 if another parser must read the record. */
static int put_columns(tacit_parse *parse, const tacit_stops_line *line,
                       const double *numbers, tacit_rows *rows, size_t *io_count) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  size_t count = *io_count;
  tacit_simd_cell cell;
  for (size_t i = 0; i < plan->n_steps; ++i) {
    const tacit_csv_step *step = &plan->steps[i];
    switch (step->kind) {
    case TACIT_STEP_LINES:
      if (!put_fours(plan, step, TACIT_STEP_LINES, numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_STEPS:
      if (!put_fours(plan, step, TACIT_STEP_STEPS, numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_HATS:
      if (!put_fours(plan, step, TACIT_STEP_HATS, numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_BOTH:
      if (!put_fours(plan, step, TACIT_STEP_BOTH, numbers, rows, &count)) return 0;
      break;
    case TACIT_STEP_CURVE:
      if (!put_number(step->column, numbers[step->number], rows, &count)) return 0;
      break;
    case TACIT_STEP_CATEGORIES:
      if (!put_categories(plan, step, line, rows, &count)) return 0;
      break;
    case TACIT_STEP_TEXT:
      if (!tacit_simd_cell_of(line, step->field, &cell) ||
          !tacit_csv_put_text(parse, step->column, cell.text, cell.size, rows, &count))
        return 0;
      break;
    }
  }
  *io_count = count;
  return 1;
}

/* Reads the label. Returns 0 if the strict parser must read the record. */
static int take_label(const tacit_parse *parse, const tacit_stops_line *line,
                      const double *numbers, double *out) {
  const tacit_csv_layout *layout = parse->layout;
  const tacit_csv_plan *plan = &layout->plan;
  const tacit_schema *schema = parse->schema;
  *out = 0;
  if (!parse->labels) return 1;
  if (plan->label != TACIT_NO_FIELD) {
    double number = numbers[plan->label];
    *out = number;
    if (schema->label_kind != TACIT_LABEL_NUMBER) {
      int is_true = schema->label_rule == TACIT_RULE_ABOVE ? number > schema->label_cut
                                                           : number < schema->label_cut;
      *out = tacit_schema_class_label(schema, (size_t)is_true);
    }
    return !isnan(number);
  }
  uint32_t class;
  tacit_simd_cell cell;
  if (!find_text(&plan->class, line, layout->label_field, &class) ||
      class == schema->n_classes)
    return 0;
  if (schema->skips_missing_label &&
      (!tacit_simd_cell_of(line, layout->label_field, &cell) ||
       tacit_schema_is_missing(schema, cell.text, cell.size)))
    return 0;
  *out = tacit_schema_class_label(schema, class);
  return 1;
}

static int take_weight(const tacit_parse *parse, const double *numbers,
                       tacit_rows *rows) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  double weight = 1;
  if (rows->weights == NULL) return 1;
  if (plan->weight != TACIT_NO_FIELD) {
    double number = numbers[plan->weight];
    if (!(number >= 0)) return 0;
    weight = tacit_csv_weight(parse->schema, number);
  }
  rows->weights[rows->view.n_rows] = weight;
  return 1;
}

/* Adds one record to the rows. Returns 0 and adds nothing if another parser must read
   it. */
static int take_record(tacit_parse *parse, const tacit_stops_line *line,
                       const double *numbers, tacit_rows *rows) {
  const tacit_schema *schema = parse->schema;
  size_t count = rows->n_entries;
  double label;
  if (!take_label(parse, line, numbers, &label) ||
      !put_columns(parse, line, numbers, rows, &count) ||
      !take_weight(parse, numbers, rows))
    return 0;
  if (schema->n_crosses > 0 &&
      tacit_cell_crosses(schema, rows->n_entries, &parse->work, rows, &count) != NULL)
    return 0;
  rows->n_entries = count;
  tacit_rows_end(rows, label);
  return 1;
}

/* The most lines that are read at a time, and the most numbers unless one line has
   more. */
enum { LINES_MAX = 32, NUMBERS_MAX = 256 };

static size_t lines_at_once(const tacit_csv_plan *plan) {
  size_t lines = NUMBERS_MAX / (plan->n_numbers + 1);
  return lines == 0 ? 1 : lines < LINES_MAX ? lines : LINES_MAX;
}

static int make_room(tacit_parse *parse, size_t n_numbers) {
  if (n_numbers <= parse->n_numbers) return 1;
  double *numbers = tacit_raw_new(n_numbers, sizeof *numbers);
  uint32_t *spans = tacit_raw_new(n_numbers, 2 * sizeof *spans);
  if (numbers == NULL || spans == NULL) { /* the other parsers do without this memory */
    TACIT_RAW_FREE(numbers, spans);
    return 0;
  }
  TACIT_RAW_FREE(parse->numbers, parse->spans);
  parse->numbers = numbers;
  parse->spans = spans;
  parse->n_numbers = n_numbers;
  return 1;
}

/* Finds the next lines, at most `max`. Returns 0 if another parser must read the
   first. */
static int next_lines(tacit_parse *parse, const tacit_text *text, size_t max,
                      tacit_window_lines *out) {
  const tacit_csv_layout *layout = parse->layout;
  tacit_stops *stops = &parse->stops;
  if (!tacit_stops_next(stops, tacit_simd_find_cells, text->at, text->end,
                        parse->schema->delimiter, &out->first) ||
      out->first.count != layout->n_fields)
    return 0;
  for (out->count = 1; out->count < max && stops->line < stops->n_lines; ++out->count) {
    if (stops->ends[stops->line] - stops->ends[stops->line - 1] != out->first.count)
      break;
    ++stops->line;
  }
  return 1;
}

/* Adds the records of the lines. Returns how many it took. */
static size_t take_lines(tacit_parse *parse, const tacit_window_lines *lines,
                         tacit_rows *rows) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  const size_t room = parse->schema->row_entries + TACIT_ROWS_SPARE;
  size_t good = tacit_simd_read_numbers(parse, lines);
  for (size_t i = 0; i < good; ++i) {
    tacit_stops_line line = tacit_window_line(lines, i);
    if (tacit_rows_full(rows) || tacit_rows_reserve(rows, room, NULL) != TACIT_OK ||
        !take_record(parse, &line, parse->numbers + i * plan->n_numbers, rows))
      return i;
  }
  return good;
}

/* Parses records in vectors: cells into categories, numbers into inputs. */
int64_t tacit_simd_csv(tacit_parse *parse, tacit_text *text, int64_t max,
                       tacit_rows *rows) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  const size_t at_once = lines_at_once(plan);
  int64_t taken = 0;
  if (!make_room(parse, at_once * plan->n_numbers + 8)) return 0;
  while (taken < max && text->at < text->end) {
    tacit_window_lines lines;
    size_t left = (uint64_t)(max - taken) < at_once ? (size_t)(max - taken) : at_once;
    if (!next_lines(parse, text, left, &lines)) break;
    size_t done = take_lines(parse, &lines, rows);
    if (done > 0) {
      tacit_stops_line last = tacit_window_line(&lines, done - 1);
      text->at = last.base + last.after[last.count - 1];
      text->line += (int64_t)done;
      taken += (int64_t)done;
    }
    if (done < lines.count) {
      tacit_stops_back(&parse->stops, lines.count - done);
      break;
    }
  }
  return taken;
}
