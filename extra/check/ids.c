/* SPDX-License-Identifier: MIT */
/* Decides whether a column looks like an id that repeats: by its name, by its cells,
   and by how many different values it has. HyperLogLog counts the values by the
   position of the first set bit of their digests, in constant memory for any number of
   rows. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "batch/unit.h"
#include "extra/check/check.h"

enum {
  PLACES_BITS = 12, /* 4096 registers: the count is off by about 1.6% */
  PLACES = 1 << PLACES_BITS,
  CELL_MAX = 64,
  VALUES_LEAST = 10 /* a column with fewer values is a category */
};
static const double rows_least = 1.1, rows_most = 200; /* limits on the rows per
                                                          value */

static int is_one_of(const char *word, const char *const *words) {
  while (*words != NULL && strcmp(word, *words) != 0)
    ++words;
  return *words != NULL;
}

static int ends_with(const char *word, const char *ending) {
  size_t size = strlen(word), more = strlen(ending);
  return size >= more && strcmp(word + size - more, ending) == 0;
}

/* Returns 1 if a name is the name of an id: id, patient_id, RANDID, patient_nbr, mrn,
   person. */
static int is_id_name(const char *name) {
  static const char *const ids[] = {"uuid", "guid", "uid", "pid", "mrn", "ssn", NULL};
  static const char *const numbers[] = {"nbr", "nr", "no", "num", "number", NULL};
  static const char *const persons[] = {
      "patient",  "pat",    "person", "subject",    "participant", "member",
      "customer", "client", "user",   "citizen",    "student",     "employee",
      "account",  "donor",  "child",  "respondent", NULL};
  static const char *const others[] = {"acid",  "lipid", "oid", "fluid", "void",
                                       "grid",  "mid",   "aid", "solid", "ovid",
                                       "valid", "rapid", "bid", "kid",   NULL};
  char word[32] = "";
  size_t size = 0, words = 0;
  int of_person = 0;
  for (const char *at = name; *at != '\0'; ++at) {
    unsigned char c = (unsigned char)*at;
    if (!isalnum(c)) {
      size = 0;
      continue;
    }
    words += size == 0;
    if (size + 1 < sizeof word) word[size++] = (char)tolower(c);
    word[size] = '\0';
    of_person |= is_one_of(word, persons) && !isalnum((unsigned char)at[1]);
  }
  for (size_t i = 0; others[i] != NULL; ++i)
    if (ends_with(word, others[i])) return 0;
  return ends_with(word, "id") || is_one_of(word, ids) ||
         (of_person && (words == 1 || is_one_of(word, numbers)));
}

/* Returns 1 if a cell has only letters and digits, among them a digit, and is not a
   date. A whole number may be written 17.0. */
static int is_id_cell(const tacit_field *cell) {
  size_t size = cell->size;
  int digits = 0, dashes = 0;
  if (size > 2 && memcmp(cell->begin + size - 2, ".0", 2) == 0) size -= 2;
  if (size == 0 || size > CELL_MAX) return 0;
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)cell->begin[i];
    if (!isalnum(c) && c != '-' && c != '_') return 0;
    digits += isdigit(c) != 0;
    dashes += c == '-';
  }
  return digits > 0 && (dashes != 2 || size > 11);
}

tacit_status tacit_check_ids_begin(const tacit_schema *schema,
                                   const tacit_column *column,
                                   tacit_check_column *counts, tacit_error *err) {
  if (schema->unit_column != NULL || column->type == TACIT_COLUMN_WEIGHT ||
      column->type == TACIT_COLUMN_DATE ||
      (column->type != TACIT_COLUMN_IGNORE && !is_id_name(column->name)))
    return TACIT_OK;
  TACIT_TRY(TACIT_RAW_NEW(counts->places, PLACES, err));
  memset(counts->places, 0, PLACES);
  return TACIT_OK;
}

void tacit_check_ids_take(tacit_check_column *counts, const tacit_field *cell) {
  if (counts->places == NULL || counts->is_no_id) return;
  if (!is_id_cell(cell)) {
    counts->is_no_id = 1;
    return;
  }
  tacit_unit unit;
  tacit_unit_of(cell->begin, cell->size, &unit);
  uint64_t bits = tacit_load_le64(unit.raw_bytes);
  unsigned char *place = &counts->places[bits >> (64 - PLACES_BITS)];
  unsigned char rank = 1;
  for (bits = bits << PLACES_BITS | 1; bits >> 63 == 0; bits <<= 1)
    ++rank;
  if (rank > *place) *place = rank;
}

int64_t tacit_check_ids_values(const tacit_check_column *counts) {
  double sum = 0, free_places = 0, cells = (double)counts->order.cells;
  if (counts->places == NULL || counts->is_no_id) return 0;
  for (int i = 0; i < PLACES; ++i) {
    sum += ldexp(1, -counts->places[i]);
    free_places += counts->places[i] == 0;
  }
  double values = 0.7213 / (1 + 1.079 / PLACES) * PLACES * PLACES / sum;
  if (values <= 2.5 * PLACES && free_places > 0)
    values = PLACES * log(PLACES / free_places);
  values = round(values);
  return values >= VALUES_LEAST && cells >= rows_least * values &&
                 cells <= rows_most * values
             ? (int64_t)values
             : 0;
}
