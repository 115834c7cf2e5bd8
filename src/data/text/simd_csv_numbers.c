/* SPDX-License-Identifier: MIT */
/* Reads the numbers of CSV records in vectors, four at a time. The numbers of several
   lines form one list, so that only its last group has fewer than four. Compiled for
   the level of the processor. */
#include "data/text/csv.h"
#include "data/text/number.h"
#include "data/text/simd_cells.h"
#include "data/text/simd_numbers.h"

/* Reads a cell that is not a simple number by the rules of the strict parser; it
   becomes NAN if it is missing. Returns 0 if it is neither a number nor missing. */
static int single_number(const tacit_parse *parse, const tacit_stops_line *line,
                         size_t field, double *out) {
  const tacit_csv_layout *layout = parse->layout;
  tacit_simd_cell cell;
  *out = NAN;
  if (!tacit_simd_cell_of(line, field, &cell)) return 0;
  if (!layout->na_is_number &&
      tacit_number_take(cell.text, parse->c_locale, out) == cell.text + cell.size)
    return 1;
  *out = NAN;
  return tacit_schema_is_missing(parse->schema, cell.text, cell.size) ||
         tacit_number_parse(cell.text, cell.text + cell.size, parse->c_locale, out);
}

/* Finds where the numbers of the lines begin, and their sizes. */
static void find_numbers(const tacit_csv_plan *plan, const tacit_window_lines *lines,
                         uint32_t *begins, uint32_t *sizes) {
  const uint32_t *after = lines->first.after;
  for (size_t i = 0; i < lines->count; ++i, after += lines->first.count) {
    for (size_t j = 0; j < plan->n_runs; ++j) {
      const uint32_t *from = after + plan->runs[j].field;
      uint32_t count = plan->runs[j].count;
      for (uint32_t k = 0; k < count; k += 4)
        tacit_four_spans(from + k, begins + k, sizes + k);
      begins += count;
      sizes += count;
    }
  }
  for (int i = 0; plan->n_numbers > 0 && i < 4; ++i) { /* so that the last four are
                                                          full */
    begins[i] = begins[-1];
    sizes[i] = sizes[-1];
  }
}

/* Reads number `which` of the lines, which is not a simple one. Returns 0 if it must be
   a number and is not. */
static int take_odd(const tacit_parse *parse, const tacit_window_lines *lines,
                    size_t which, double *out) {
  const tacit_csv_plan *plan = &((const tacit_csv_layout *)parse->layout)->plan;
  size_t number = which % plan->n_numbers;
  tacit_stops_line line = tacit_window_line(lines, which / plan->n_numbers);
  return single_number(parse, &line, plan->number_field[number], out) ||
         number >= plan->n_of_columns;
}

/* Reads up to four numbers from `which` on, of which `odd` has bits for those that are
   not simple. Returns how many of them, from the first on, are good. */
static __attribute__((noinline)) size_t take_singly(const tacit_parse *parse,
                                                    const tacit_window_lines *lines,
                                                    size_t which, size_t count,
                                                    unsigned odd) {
  const tacit_csv_layout *layout = parse->layout;
  const uint32_t *begins = parse->spans, *sizes = begins + parse->n_numbers;
  double *out = parse->numbers;
  for (size_t i = which; i < which + count; ++i, odd >>= 1) {
    if ((odd & 1) == 0) continue;
    /* Most have an exponent or many digits, but no blanks or quotes around them. */
    const char *begin = lines->first.base + begins[i], *end = begin + sizes[i];
    if ((layout->na_is_number ||
         tacit_number_take(begin, parse->c_locale, &out[i]) != end) &&
        !take_odd(parse, lines, i, &out[i]))
      return i - which;
  }
  return count;
}

/* Turns the cells of numbers of several lines into doubles, four at a time. */
size_t tacit_simd_read_numbers(const tacit_parse *parse,
                               const tacit_window_lines *lines) {
  const tacit_csv_layout *layout = parse->layout;
  const unsigned all = layout->na_is_number ? 0xf : 0;
  uint32_t *begins = parse->spans, *sizes = begins + parse->n_numbers;
  const char *base = lines->first.base;
  size_t count = lines->count * layout->plan.n_numbers;
  double *out = parse->numbers;
  find_numbers(&layout->plan, lines, begins, sizes);
  for (size_t i = 0; i < count; i += 4) {
    unsigned odd = tacit_simd_four(base, begins + i, sizes + i, 0, out + i) | all;
    if (__builtin_expect(odd == 0, 1)) continue;
    size_t left = count - i < 4 ? count - i : 4;
    size_t good = take_singly(parse, lines, i, left, odd);
    if (good < left) return (i + good) / layout->plan.n_numbers;
  }
  return lines->count;
}
