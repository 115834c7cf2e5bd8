/* SPDX-License-Identifier: MIT */
/* The part of the SIMD parser without vectors: whether it runs, and the lines that it
   gets. */
#include "data/text/simd.h"

#include <string.h>

#include "base/level.h"
#include "base/memory.h"
#include "data/text/format.h"
#include "data/text/line_ends.h"
#include "data/text/number.h"

enum { WINDOW_MIN = 1 << 13, WINDOW_MAX = 1 << 18, BLOCK = 64 };

void tacit_stops_fini(tacit_stops *stops) {
  tacit_raw_free(stops->memory);
  memset(stops, 0, sizeof *stops);
}

/* Makes room for a stop per character and a line per character, and for what the last
   block of stops writes after its end. */
static int make_room(tacit_stops *stops, size_t window) {
  size_t each = window + 2 * BLOCK;
  uint32_t *memory = tacit_raw_new(2 * each, sizeof *memory);
  if (memory == NULL) return 0;
  tacit_raw_free(stops->memory);
  stops->memory = memory;
  stops->after = memory + 1;
  stops->after[-1] = 0;
  stops->ends = memory + each + 1;
  stops->ends[-1] = 0;
  stops->window = window;
  return 1;
}

/* Finds the stops of the next lines, in a larger window if the line at `at` does not
   fit. */
int tacit_stops_find_more(tacit_stops *stops, tacit_simd_find *find, const char *at,
                          const char *end, char delimiter) {
  if (stops->memory == NULL && !make_room(stops, WINDOW_MIN)) return 0;
  for (;;) {
    stops->base = at;
    stops->line = 0;
    find(stops, end, delimiter);
    if (stops->n_lines > 0) return 1;
    int is_cut =
        (size_t)(end - at) > stops->window && memchr(at, '\n', stops->window) == NULL;
    if (!is_cut || stops->window == WINDOW_MAX) return 0;
    if (!make_room(stops, 2 * stops->window)) return 0;
  }
}

#if defined(TACIT_HAVE_SIMD)

static int is_allowed(void) {
#if defined(__x86_64__)
  return tacit_level_allows("avx2") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
#else
  return tacit_level_allows("baseline");
#endif
}

/* Returns 1 if vectors read numbers of all lengths as the parser of single numbers
   does. */
static int is_right(void) {
  static const char text[] =
      "0,-1,2.5,-0.125,123456789012345,0.3000000000003,99999999,.5,100000000,-7.,"
      "1234567.890123,000000000.00001\n"
      "                                                                ";
  uint32_t memory[2 * 256];
  tacit_stops stops = {
      .after = memory + 1, .ends = memory + 257, .window = 128, .base = text};
  memory[0] = 0;
  memory[256] = 0;
  tacit_simd_find_cells(&stops, strchr(text, '\n') + 1, ',');
  if (stops.n_lines != 1 || stops.ends[0] != 12) return 0;
  tacit_stops_line line = {text, stops.after, 12};
  for (uint32_t i = 0; i < 12; i += 4) {
    const uint32_t cells[4] = {i, i + 1, i + 2, i + 3};
    double got[4], expected;
    if (tacit_simd_numbers(&line, cells, got) != 0) return 0;
    for (uint32_t j = 0; j < 4; ++j) {
      const char *at = text + line.after[(ptrdiff_t)(i + j) - 1];
      const char *end = tacit_number_take(at, (locale_t)0, &expected);
      if (end + 1 != text + line.after[i + j] ||
          memcmp(&got[j], &expected, sizeof expected) != 0)
        return 0;
    }
  }
  return 1;
}

int tacit_simd_allowed(void) { return is_allowed() && is_right(); }

#else

int tacit_simd_allowed(void) { return 0; }

/* Never called, because tacit_simd_allowed returns 0. */
void tacit_simd_find_cells(tacit_stops *stops, const char *end, char delimiter) {
  (void)stops, (void)end, (void)delimiter;
}

void tacit_simd_find_entries(tacit_stops *stops, const char *end, char delimiter) {
  (void)stops, (void)end, (void)delimiter;
}

void tacit_simd_line_ends(tacit_line_ends *ends, const char *bytes, size_t size) {
  (void)ends, (void)bytes, (void)size;
}

int64_t tacit_simd_csv(tacit_parse *parse, tacit_text *text, int64_t max,
                       tacit_rows *rows) {
  (void)parse, (void)text, (void)max, (void)rows;
  return 0;
}

const char *tacit_simd_libsvm(const tacit_parse *parse, const tacit_stops_line *line,
                              tacit_rows *rows) {
  (void)parse, (void)line, (void)rows;
  return NULL;
}

#endif
