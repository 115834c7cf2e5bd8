/* SPDX-License-Identifier: MIT */
/* Crosses: products of the one-hot inputs of two to four columns. A hat counts with its
   two values, which add up to 1. So the products of a row also add up to 1, hashed or
   not, and a cross adds at most 1 to any norm. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/schema/cell.h"
#include "data/schema/parts.h"

size_t tacit_cross_levels(const tacit_column *column) {
  size_t own = column->missing == TACIT_MISSING_OWN;
  switch (column->type) {
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_HASHED: return column->n_inputs;
  case TACIT_COLUMN_NUMERIC:
    /* the line beside hats is not a level */
    return column->curve.shape == TACIT_TERM_LINE
               ? 0
               : column->n_inputs - (size_t)column->curve.has_line;
  case TACIT_COLUMN_BOOL: return 2 + own;
  case TACIT_COLUMN_ORDINAL: return column->n_values + own;
  case TACIT_COLUMN_DATE:
  case TACIT_COLUMN_TEXT:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return 0;
}

/* Returns 1 if the column has a line beside hats. The line comes after the hats, and
   the input of a missing cell after the line. */
static int has_line(const tacit_column *column) {
  return column->type == TACIT_COLUMN_NUMERIC && column->curve.has_line;
}

size_t tacit_level_input(const tacit_column *column, size_t level) {
  return level + (has_line(column) && level >= column->curve.n_points);
}

/* Returns the level of an input, counted from the first input of the column, or
   SIZE_MAX if the input is not a level. */
static size_t level_of(const tacit_column *column, size_t input) {
  if (!has_line(column) || input < column->curve.n_points) return input;
  return input == column->curve.n_points ? SIZE_MAX : input - 1;
}

static tacit_status add_column(const json_t *json, const char *where,
                               const tacit_schema *schema, tacit_cross *cross,
                               tacit_error *err) {
  const char *name = json_string_value(json);
  size_t i = 0;
  while (i < schema->n_columns &&
         (name == NULL || strcmp(schema->columns[i].name, name) != 0))
    ++i;
  if (i == schema->n_columns || tacit_cross_levels(&schema->columns[i]) == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: each must be the name of a column of type category, hashed, "
                      "bool or ordinal, or of a numeric one with a curve",
                      where);
  for (size_t j = 0; j < cross->n_columns; ++j)
    if (cross->columns[j] == i)
      return tacit_fail(err, TACIT_EDATA, "%s: a column is in it twice", where);
  cross->columns[cross->n_columns++] = i;
  return TACIT_OK;
}

static tacit_status name_cross(const tacit_schema *schema, tacit_cross *cross,
                               tacit_error *err) {
  size_t size = 1;
  for (size_t i = 0; i < cross->n_columns; ++i)
    size += strlen(schema->columns[cross->columns[i]].name) + 1;
  TACIT_TRY(TACIT_NEW(cross->name, size, err));
  for (size_t i = 0; i < cross->n_columns; ++i) {
    if (i > 0) (void)strcat(cross->name, "*");
    (void)strcat(cross->name, schema->columns[cross->columns[i]].name);
  }
  return TACIT_OK;
}

/* Reads one cross: ["age", "sex"], or {"columns": ["age", "sex"], "slots": 64}. */
static tacit_status cross_from(const json_t *json, size_t number, const char *where,
                               const tacit_schema *schema, tacit_cross *cross,
                               tacit_error *err) {
  static const char *const known[] = {"columns", "slots", NULL};
  char part[40];
  (void)snprintf(part, sizeof part, "crosses[%zu]", number);
  tacit_schema_place place = tacit_schema_place_of(where, part, "");
  const json_t *columns = json;
  if (json_is_object(json)) {
    TACIT_TRY(tacit_schema_check_keys(json, known, place.text, err));
    columns = json_object_get(json, "columns");
    const json_t *slots = json_object_get(json, "slots");
    json_int_t count = json_is_integer(slots) ? json_integer_value(slots) : 0;
    if (count < 1 || count > (json_int_t)TACIT_FEATURES_MAX)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: \"slots\" must be a whole number from 1 to 2147483647",
                        place.text);
    cross->slots = (size_t)count;
  }
  size_t count = json_array_size(columns);
  if (count < 2 || count > TACIT_CROSS_COLUMNS)
    return tacit_fail(
        err, TACIT_EDATA,
        "%s: must be a list of 2 to %d names of columns, or {\"columns\": "
        "[…], \"slots\": N}",
        place.text, TACIT_CROSS_COLUMNS);
  for (size_t i = 0; i < count; ++i)
    TACIT_TRY(add_column(json_array_get(columns, i), place.text, schema, cross, err));
  return name_cross(schema, cross, err);
}

tacit_status tacit_schema_crosses_from(const json_t *json, const char *where,
                                       tacit_schema *schema, tacit_error *err) {
  if (json == NULL) return TACIT_OK;
  size_t count = json_array_size(json);
  if (!json_is_array(json))
    return tacit_fail(err, TACIT_EDATA, "%s: \"crosses\" must be a list", where);
  if (count == 0) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(schema->crosses, count, err));
  schema->n_crosses = count;
  for (size_t i = 0; i < count; ++i)
    TACIT_TRY(cross_from(json_array_get(json, i), i, where, schema, &schema->crosses[i],
                         err));
  return TACIT_OK;
}

tacit_status tacit_schema_place_crosses(tacit_schema *schema, const char *where,
                                        tacit_error *err) {
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    tacit_cross *cross = &schema->crosses[i];
    cross->size = 1;
    for (size_t j = 0; j < cross->n_columns; ++j) {
      size_t levels = tacit_cross_levels(&schema->columns[cross->columns[j]]);
      /* SIZE_MAX stands for every product that does not fit */
      cross->size = cross->size > SIZE_MAX / levels ? SIZE_MAX : cross->size * levels;
    }
    int is_hashed = cross->slots > 0 && cross->size > cross->slots;
    if (cross->size == SIZE_MAX || (!is_hashed && cross->size > TACIT_CROSS_MAX)) {
      tacit_schema_place place = tacit_schema_place_of(where, "cross", cross->name);
      return tacit_fail(err, TACIT_EDATA,
                        "%s: more than %d combinations: write {\"columns\": […], "
                        "\"slots\": N} to hash them",
                        place.text, TACIT_CROSS_MAX);
    }
    cross->n_inputs = is_hashed ? cross->slots : cross->size;
  }
  return TACIT_OK;
}

/* The one-hot inputs of a column that are not 0 in a row, or those products of several
   columns that are not 0. */
enum { FACTORS = 1 << TACIT_CROSS_COLUMNS };
struct factors {
  size_t count;
  size_t slots[FACTORS];
  double values[FACTORS];
};

static size_t first_at(const uint32_t *indices, size_t begin, size_t end,
                       size_t wanted) {
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (indices[middle] < wanted)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Reads the one-hot inputs of a column from the entries of a row. */
static void read_factors(const tacit_column *column, const tacit_rows *rows,
                         size_t begin, size_t end, struct factors *out) {
  size_t at = first_at(rows->indices, begin, end, column->first);
  size_t stop = first_at(rows->indices, at, end, column->first + column->n_inputs);
  size_t levels = tacit_cross_levels(column),
         own = column->missing == TACIT_MISSING_OWN,
         rest = tacit_curve_rest(&column->curve);
  out->count = 0;
  if (column->type == TACIT_COLUMN_BOOL || column->type == TACIT_COLUMN_ORDINAL) {
    /* the number of entries is the level, unless the only entry is for a missing
       cell */
    int missing =
        own && at < stop && rows->indices[at] == column->first + column->n_inputs - 1;
    out->slots[out->count] = missing ? levels - 1 : stop - at;
    out->values[out->count++] = 1;
    return;
  }
  for (; at < stop && out->count < 2; ++at) {
    size_t input = rows->indices[at] - column->first, level = level_of(column, input);
    if (level == SIZE_MAX) continue;
    /* beside atoms the inputs of a curve are larger; in a cross they add up to 1 */
    double scale = input < rest ? tacit_curve_scale(&column->curve) : 1;
    out->slots[out->count] = level;
    out->values[out->count++] = rows->values[at] / scale;
  }
}

static void multiply(struct factors *product, const struct factors *by, size_t levels) {
  struct factors result = {.count = 0};
  for (size_t i = 0; i < product->count; ++i) {
    for (size_t j = 0; j < by->count; ++j) {
      result.slots[result.count] = product->slots[i] * levels + by->slots[j];
      result.values[result.count++] = product->values[i] * by->values[j];
    }
  }
  *product = result;
}

/* Sorts by slot. Adds up values with the same hashed slot. */
static void sort(struct factors *all) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; ++i) {
    size_t slot = all->slots[i], at = count;
    double value = all->values[i];
    while (at > 0 && all->slots[at - 1] > slot)
      --at;
    if (at > 0 && all->slots[at - 1] == slot) {
      all->values[at - 1] += value;
      continue;
    }
    memmove(all->slots + at + 1, all->slots + at, (count - at) * sizeof all->slots[0]);
    memmove(all->values + at + 1, all->values + at,
            (count - at) * sizeof all->values[0]);
    all->slots[at] = slot;
    all->values[at] = value;
    ++count;
  }
  all->count = count;
}

static int hash_all(const tacit_cross *cross, struct factors *all,
                    tacit_cell_work *work) {
  for (size_t i = 0; i < all->count; ++i) {
    unsigned char number[8];
    tacit_store_le64(number, all->slots[i]);
    all->slots[i] =
        tacit_cell_slot(work, cross->name, number, sizeof number, cross->n_inputs);
    if (all->slots[i] == SIZE_MAX) return 0;
  }
  return 1;
}

const char *tacit_cell_crosses(const tacit_schema *schema, size_t row_begin,
                               tacit_cell_work *work, tacit_rows *rows,
                               size_t *io_count) {
  size_t end = *io_count;
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    const tacit_cross *cross = &schema->crosses[i];
    struct factors all = {.count = 1, .values = {1}}, one;
    for (size_t j = 0; j < cross->n_columns; ++j) {
      const tacit_column *column = &schema->columns[cross->columns[j]];
      read_factors(column, rows, row_begin, end, &one);
      multiply(&all, &one, tacit_cross_levels(column));
    }
    if (cross->n_inputs < cross->size && !hash_all(cross, &all, work))
      return "out of memory";
    sort(&all);
    for (size_t j = 0; j < all.count; ++j)
      *io_count =
          tacit_rows_put(rows, *io_count, cross->first + all.slots[j], all.values[j]);
  }
  return NULL;
}
