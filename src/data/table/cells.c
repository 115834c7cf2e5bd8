/* SPDX-License-Identifier: MIT */
/* Cells of columns in the caller's memory. Loops over cells are per type, so that many
   cells are on their way from memory at once. */
#include "data/table/cells.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "data/table/spell.h"

enum { DECIMAL_BYTES = 16, VIEW_BYTES = 16, VIEW_INLINE = 12 };

/* Returns the bytes from one cell to the next, or 0 for bits and texts with offsets. */
static int64_t size_of(tacit_cells type) {
  static const signed char sizes[] = {
      [TACIT_CELLS_FLOAT64] = 8, [TACIT_CELLS_FLOAT32] = 4,
      [TACIT_CELLS_INT64] = 8,   [TACIT_CELLS_INT32] = 4,
      [TACIT_CELLS_INT16] = 2,   [TACIT_CELLS_INT8] = 1,
      [TACIT_CELLS_UINT64] = 8,  [TACIT_CELLS_UINT32] = 4,
      [TACIT_CELLS_UINT16] = 2,  [TACIT_CELLS_UINT8] = 1,
      [TACIT_CELLS_BOOL8] = 1,   [TACIT_CELLS_BOOL32] = 4,
      [TACIT_CELLS_BIT] = 0,     [TACIT_CELLS_DECIMAL] = DECIMAL_BYTES,
      [TACIT_CELLS_TEXT32] = 0,  [TACIT_CELLS_TEXT64] = 0,
      [TACIT_CELLS_VIEWS] = 16,  [TACIT_CELLS_TEXTS] = sizeof(tacit_text_cell)};
  return sizes[type];
}

static int is_integer(tacit_cells type) {
  return type >= TACIT_CELLS_INT64 && type <= TACIT_CELLS_UINT8;
}

static int is_float(tacit_cells type) {
  return type == TACIT_CELLS_FLOAT64 || type == TACIT_CELLS_FLOAT32;
}

int tacit_cells_are_numbers(const tacit_table_column *column) {
  return column->levels == NULL && column->per_day == 0 &&
         (is_float(column->type) || is_integer(column->type) ||
          column->type == TACIT_CELLS_DECIMAL || column->type == TACIT_CELLS_EMPTY);
}

int tacit_cells_are_truths(const tacit_table_column *column) {
  return column->type == TACIT_CELLS_BOOL8 || column->type == TACIT_CELLS_BOOL32 ||
         column->type == TACIT_CELLS_BIT;
}

const char *tacit_cells_fault(const tacit_table_column *column, int64_t n_rows) {
  const tacit_table_column *levels = column->levels;
  int type = (int)column->type;
  if (type == TACIT_CELLS_UNKNOWN && column->per_day > 0)
    return "times of its zone are not read: convert them to UTC, or take the zone off";
  if (type <= TACIT_CELLS_UNKNOWN || type > TACIT_CELLS_TEXTS)
    return "numbers, texts, truth values, categories and dates are read, and it has "
           "another type";
  if (column->n_cells != n_rows || column->first < 0 ||
      (n_rows > 0 && type != TACIT_CELLS_EMPTY && column->raw_cells == NULL))
    return "its cells are missing, or it has not one cell per row";
  if (column->scale < 0 || column->scale > 38)
    return "the scale of decimals is 0 to 38";
  if (column->per_day < 0 ||
      (column->per_day > 0 && !is_integer(column->type) && !is_float(column->type)))
    return "times are integers or floats";
  if (levels == NULL) return NULL;
  if (!is_integer(column->type) || levels->levels != NULL)
    return "codes of levels are integers, and levels have no levels";
  return tacit_cells_fault(levels, levels->n_cells);
}

static int bit_at(const void *bits, int64_t cell) {
  return ((const unsigned char *)bits)[cell / 8] >> (cell % 8) & 1;
}

static const unsigned char *place_of(const tacit_table_column *column, int64_t cell) {
  int64_t stride = column->stride != 0 ? column->stride : size_of(column->type);
  return (const unsigned char *)column->raw_cells + (column->first + cell) * stride;
}

/* Returns 1 if the bit of a cell says that it is missing. */
static int is_unset(const tacit_table_column *column, int64_t cell) {
  return column->type == TACIT_CELLS_EMPTY ||
         (column->raw_valid != NULL &&
          !bit_at(column->raw_valid, column->first + cell));
}

#define READ(c_type, name)                                                             \
  static c_type name(const unsigned char *place) {                                     \
    c_type value;                                                                      \
    memcpy(&value, place, sizeof value);                                               \
    return value;                                                                      \
  }
READ(double, double_at)
READ(float, float_at)
READ(int64_t, int64_at)
READ(int32_t, int32_at)
READ(int16_t, int16_at)
READ(uint64_t, uint64_at)
READ(uint32_t, uint32_at)
READ(uint16_t, uint16_at)

/* Returns an integer or a truth value; an unsigned one of 8 bytes may become
   negative. */
static int64_t integer_at(const tacit_table_column *column, int64_t cell) {
  if (column->type == TACIT_CELLS_BIT)
    return bit_at(column->raw_cells, column->first + cell);
  const unsigned char *place = place_of(column, cell);
  switch (column->type) {
  case TACIT_CELLS_INT64:
  case TACIT_CELLS_UINT64: return int64_at(place);
  case TACIT_CELLS_INT32:
  case TACIT_CELLS_BOOL32: return int32_at(place);
  case TACIT_CELLS_UINT32: return uint32_at(place);
  case TACIT_CELLS_INT16: return int16_at(place);
  case TACIT_CELLS_UINT16: return uint16_at(place);
  case TACIT_CELLS_INT8: return (signed char)*place;
  default: return *place;
  }
}

static int is_missing(const tacit_table_column *column, int64_t cell) {
  return is_unset(column, cell) || (column->has_missing && !is_float(column->type) &&
                                    column->type <= TACIT_CELLS_BOOL32 &&
                                    integer_at(column, cell) == column->missing);
}

/* Reads the digits of a decimal: the absolute value of its integer. */
static uint64_t decimal_at(const tacit_table_column *column, int64_t cell,
                           uint64_t *out_high, int *out_negative) {
  const unsigned char *place = place_of(column, cell);
  int is_little = *(const unsigned char *)&(const uint16_t){1};
  uint64_t low = uint64_at(place + (is_little ? 0 : 8));
  uint64_t high = uint64_at(place + (is_little ? 8 : 0));
  *out_negative = (int)(high >> 63);
  if (*out_negative) {
    low = ~low + 1;
    high = ~high + (low == 0);
  }
  *out_high = high;
  return low;
}

#define GATHER(read)                                                                   \
  for (size_t i = 0; i < count; ++i)                                                   \
    out[i] = (double)read(first + cells[i] * stride);                                  \
  break

/* Reads numbers without a look at marks of missing cells. */
static void gather(const tacit_table_column *column, const int64_t *cells, size_t count,
                   double *out) {
  int64_t stride = column->stride != 0 ? column->stride : size_of(column->type);
  const unsigned char *first = place_of(column, 0);
  switch (column->type) {
  case TACIT_CELLS_FLOAT64: GATHER(double_at);
  case TACIT_CELLS_FLOAT32: GATHER(float_at);
  case TACIT_CELLS_INT64: GATHER(int64_at);
  case TACIT_CELLS_INT32: GATHER(int32_at);
  case TACIT_CELLS_UINT64: GATHER(uint64_at);
  default:
    for (size_t i = 0; i < count; ++i)
      out[i] = (double)integer_at(column, cells[i]);
  }
}

static void clear_missing(const tacit_table_column *column, const int64_t *cells,
                          size_t count, double *out) {
  if (column->raw_valid == NULL && !column->has_missing) return;
  for (size_t i = 0; i < count; ++i)
    if (is_missing(column, cells[i])) out[i] = NAN;
}

/* Returns the decimal number of a cell, which is not missing. */
static double decimal_number(const tacit_table_column *column, int64_t cell,
                             locale_t c_locale) {
  uint64_t high;
  int negative;
  uint64_t low = decimal_at(column, cell, &high, &negative);
  return tacit_spell_decimal_number(high, low, column->scale, negative, c_locale);
}

void tacit_cells_numbers(const tacit_table_column *column, const int64_t *cells,
                         size_t count, locale_t c_locale, double *out) {
  if (column->type == TACIT_CELLS_EMPTY || column->type == TACIT_CELLS_DECIMAL) {
    for (size_t i = 0; i < count; ++i)
      out[i] =
          is_unset(column, cells[i]) ? NAN : decimal_number(column, cells[i], c_locale);
    return;
  }
  gather(column, cells, count, out);
  clear_missing(column, cells, count, out);
  if (column->type != TACIT_CELLS_FLOAT32 || column->per_day != 0) return;
  for (size_t i = 0; i < count; ++i)
    out[i] = tacit_spell_single_number(out[i], c_locale);
}

/* Returns the day of a time in integers, which must not be missing. */
static double day_of(const tacit_table_column *column, int64_t cell) {
  int64_t units = integer_at(column, cell), zone = column->zone, per = column->per_day;
  int64_t day = units / per - (units % per < 0), rest = units - day * per;
  rest += zone % per;
  day += zone / per + rest / per - (rest % per < 0);
  return (double)day;
}

void tacit_cells_days(const tacit_table_column *column, const int64_t *cells,
                      size_t count, double *out) {
  if (column->levels != NULL) {
    for (size_t i = 0; i < count; ++i) {
      int64_t level;
      tacit_cells_levels(column, &cells[i], 1, column->levels->n_cells, &level);
      out[i] = NAN;
      if (level < column->levels->n_cells)
        tacit_cells_days(column->levels, &level, 1, &out[i]);
    }
    return;
  }
  if (is_float(column->type)) {
    gather(column, cells, count, out);
    clear_missing(column, cells, count, out);
    for (size_t i = 0; i < count; ++i)
      out[i] = floor((out[i] + (double)column->zone) / (double)column->per_day);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    out[i] = day_of(column, cells[i]);
  clear_missing(column, cells, count, out);
}

void tacit_cells_levels(const tacit_table_column *column, const int64_t *cells,
                        size_t count, int64_t n_levels, int64_t *out) {
  int is_truth = tacit_cells_are_truths(column), marks = column->has_missing;
  for (size_t i = 0; i < count; ++i) {
    int64_t code = integer_at(column, cells[i]);
    out[i] = is_truth ? code != 0 : (int64_t)((uint64_t)code - (uint64_t)column->base);
    int is_none = out[i] < 0 || out[i] >= n_levels ||
                  (marks && code == column->missing) ||
                  (column->raw_valid != NULL && is_unset(column, cells[i]));
    if (is_none) out[i] = n_levels;
  }
}

/* Returns the text of a cell of a column of texts. */
static tacit_field text_at(const tacit_table_column *column, int64_t cell) {
  int64_t at = column->first + cell;
  const char *bytes = column->raw_bytes;
  if (column->type == TACIT_CELLS_TEXT32) {
    const unsigned char *offsets = (const unsigned char *)column->raw_cells + 4 * at;
    int32_t begin = int32_at(offsets), end = int32_at(offsets + 4);
    return end > begin ? (tacit_field){bytes + begin, (size_t)(end - begin)}
                       : (tacit_field){"", 0};
  }
  if (column->type == TACIT_CELLS_TEXT64) {
    const unsigned char *offsets = (const unsigned char *)column->raw_cells + 8 * at;
    int64_t begin = int64_at(offsets), end = int64_at(offsets + 8);
    return end > begin ? (tacit_field){bytes + begin, (size_t)(end - begin)}
                       : (tacit_field){"", 0};
  }
  const unsigned char *place = place_of(column, cell);
  if (column->type == TACIT_CELLS_VIEWS) {
    /* length, then up to 12 bytes, or a prefix, the number of a buffer and an offset */
    int32_t size = int32_at(place);
    if (size <= VIEW_INLINE)
      return (tacit_field){(const char *)place + 4, size > 0 ? (size_t)size : 0};
    const char *const *buffers = column->raw_bytes;
    return (tacit_field){buffers[int32_at(place + 8)] + int32_at(place + 12),
                         (size_t)size};
  }
  tacit_text_cell text;
  memcpy(&text, place, sizeof text);
  return text.raw_text != NULL ? (tacit_field){text.raw_text, text.size}
                               : (tacit_field){"", 0};
}

void tacit_cells_texts(const tacit_table_column *column, const int64_t *cells,
                       size_t count, tacit_field *out) {
  for (size_t i = 0; i < count; ++i)
    out[i] =
        is_unset(column, cells[i]) ? (tacit_field){"", 0} : text_at(column, cells[i]);
}

/* Writes the text of a number. Returns its size, which is 0 for NaN. */
static size_t spell_number(const tacit_table_column *column, int64_t cell,
                           tacit_spelling spelling, locale_t c_locale, char *out) {
  uint64_t high;
  int negative;
  const unsigned char *place = place_of(column, cell);
  if (column->type == TACIT_CELLS_DECIMAL) {
    uint64_t low = decimal_at(column, cell, &high, &negative);
    return tacit_spell_decimal(high, low, column->scale, negative, out);
  }
  if (column->type == TACIT_CELLS_FLOAT64)
    return tacit_spell_float(double_at(place), 0, spelling, c_locale, out);
  if (column->type == TACIT_CELLS_FLOAT32)
    return tacit_spell_float((double)float_at(place), 1, spelling, c_locale, out);
  int64_t value = integer_at(column, cell);
  negative = value < 0 && column->type != TACIT_CELLS_UINT64;
  uint64_t low = negative ? ~(uint64_t)value + 1 : (uint64_t)value;
  return tacit_spell_decimal(0, low, 0, negative, out);
}

tacit_field tacit_cells_text(const tacit_table_column *column, int64_t cell,
                             tacit_spelling spelling, const char *format,
                             locale_t c_locale, char scratch[TACIT_CELL_BYTES]) {
  static const char *const truths[][2] = {{"False", "True"}, {"FALSE", "TRUE"}};
  tacit_field none = {"", 0};
  if (is_missing(column, cell)) return none;
  if (column->levels != NULL) {
    int64_t level;
    tacit_cells_levels(column, &cell, 1, column->levels->n_cells, &level);
    return level == column->levels->n_cells
               ? none
               : tacit_cells_text(column->levels, level, spelling, format, c_locale,
                                  scratch);
  }
  if (tacit_cells_are_truths(column)) {
    const char *truth =
        truths[spelling == TACIT_SPELLING_R][integer_at(column, cell) != 0];
    return (tacit_field){truth, strlen(truth)};
  }
  if (column->type >= TACIT_CELLS_TEXT32) return text_at(column, cell);
  if (column->per_day == 0)
    return (tacit_field){scratch,
                         spell_number(column, cell, spelling, c_locale, scratch)};
  double day;
  tacit_cells_days(column, &cell, 1, &day);
  return (tacit_field){scratch, tacit_spell_date(day, format, scratch)};
}
