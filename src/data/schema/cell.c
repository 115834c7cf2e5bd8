/* SPDX-License-Identifier: MIT */
/* Turns cells into entries, for the types whose cells are more than one number or one
   look-up. Every result depends on one cell and on declarations only. */
#include "data/schema/cell.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "data/schema/date.h"

void tacit_cell_work_fini(tacit_cell_work *work) {
  TACIT_RAW_FREE(work->bytes, work->slots);
  memset(work, 0, sizeof *work);
}

static int make_room(tacit_cell_work *work, size_t size) {
  work->no_memory = !tacit_raw_reserve(&work->bytes, &work->size, size, 1);
  return !work->no_memory;
}

size_t tacit_cell_slot(tacit_cell_work *work, const char *name, const void *text,
                       size_t size, size_t n_slots) {
  static const unsigned char key[crypto_shorthash_KEYBYTES + 1] = "tacit hashed col";
  size_t name_size = strlen(name) + 1;
  if (!make_room(work, name_size + size)) return SIZE_MAX;
  memcpy(work->bytes, name, name_size);
  if (size > 0) memcpy(work->bytes + name_size, text, size);
  unsigned char hash[crypto_shorthash_BYTES];
  (void)crypto_shorthash(hash, work->bytes, name_size + size, key);
  return (size_t)(tacit_load_le64(hash) % n_slots);
}

/* Adds an ordered value: level k sets the first k inputs. */
static void put_level(const tacit_column *column, size_t level, tacit_rows *rows,
                      size_t *io_count) {
  double size = 1 / sqrt((double)(column->n_values - 1));
  for (size_t i = 0; i < level; ++i)
    *io_count = tacit_rows_put(rows, *io_count, column->first + i, size);
}

const char *tacit_cell_days(const tacit_column *column, int64_t days, tacit_rows *rows,
                            size_t *io_count) {
  const tacit_curve *curve = &column->curve;
  if (days < (int64_t)curve->min) days = (int64_t)curve->min;
  if (days > (int64_t)curve->max) days = (int64_t)curve->max;
  tacit_date date = tacit_date_of(days);
  const int slots[TACIT_DATE_DAYS] = {
      date.year - tacit_date_of((int64_t)curve->min).year, date.month - 1,
      tacit_date_weekday(days) - 1, tacit_date_yearday(&date) - 1};
  for (unsigned i = 0; i < TACIT_DATE_PARTS; ++i) {
    size_t first = column->first + column->part_first[i];
    if ((column->parts & 1u << i) == 0) continue;
    *io_count = i == TACIT_DATE_DAYS
                    ? tacit_curve_put(curve, first, (double)days, rows, *io_count)
                    : tacit_rows_put(rows, *io_count, first + (size_t)slots[i], 1);
  }
  return NULL;
}

const char *tacit_cell_number(const tacit_column *column, double value,
                              tacit_rows *rows, size_t *io_count) {
  if (column->type == TACIT_COLUMN_NUMERIC) {
    *io_count = tacit_curve_put(&column->curve, column->first, value, rows, *io_count);
    return NULL;
  }
  if (value != 0 && value != 1) return "not true or false";
  *io_count = tacit_rows_put(rows, *io_count, column->first, value);
  return NULL;
}

const char *tacit_cell_missing(const tacit_column *column, tacit_rows *rows,
                               size_t *io_count) {
  if (column->missing == TACIT_MISSING_REFUSED)
    return "the cell is empty; give \"missing\" in the schema to allow it";
  if (column->missing == TACIT_MISSING_OWN) {
    *io_count =
        tacit_rows_put(rows, *io_count, column->first + column->n_inputs - 1, 1);
    return NULL;
  }
  if (column->type == TACIT_COLUMN_DATE)
    return tacit_cell_days(column, (int64_t)column->missing_number, rows, io_count);
  if (column->type != TACIT_COLUMN_ORDINAL)
    return tacit_cell_number(column, column->missing_number, rows, io_count);
  put_level(column, (size_t)column->missing_number, rows, io_count);
  return NULL;
}

static int is_word(const char *word, const char *text, size_t size) {
  if (strlen(word) != size) return 0;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    if (c != word[i]) return 0;
  }
  return 1;
}

static const char *put_bool(const tacit_column *column, const char *text, size_t size,
                            tacit_rows *rows, size_t *io_count) {
  static const char *const words[] = {"false", "true", "f", "t", "0",   "1",
                                      "no",    "yes",  "n", "y", "0.0", "1.0"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (is_word(words[i], text, size))
      return tacit_cell_number(column, (double)(i % 2), rows, io_count);
  return "not true or false: true, t, yes, y, 1, false, f, no, n and 0 are, in any "
         "case";
}

int tacit_cell_is_truth(const char *text, size_t size) {
  return is_word("true", text, size) || is_word("false", text, size);
}

static const char *not_declared(const char *text, size_t size) {
  return tacit_cell_is_truth(text, size)
             ? "not one of the values that the schema declares, but " TACIT_TRUTH_HINT
             : "not one of the values that the schema declares";
}

/* Returns 1 for characters of words: letters, digits, and all bytes that are not
   ASCII. */
static int is_letter(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c >= 0x80;
}

static int note_slot(tacit_cell_work *work, size_t count, size_t slot) {
  if (slot == SIZE_MAX) return 0;
  work->no_memory = !tacit_raw_reserve(&work->slots, &work->slot_capacity, count + 1,
                                       sizeof *work->slots);
  if (work->no_memory) return 0;
  work->slots[count] = (uint32_t)slot;
  return 1;
}

/* Computes the slots of all words of a text, in lower case. Returns the number of
   words, or SIZE_MAX if memory runs out. */
static size_t find_words(const tacit_column *column, const char *text, size_t size,
                         tacit_cell_work *work) {
  size_t count = 0;
  unsigned char word[64];
  for (size_t at = 0; at < size;) {
    size_t length = 0;
    for (; at < size && is_letter((unsigned char)text[at]); ++at) {
      unsigned char c = (unsigned char)text[at];
      /* a longer word counts by its first 64 bytes */
      if (length < sizeof word)
        word[length++] = (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    if (length == 0) {
      ++at;
      continue;
    }
    size_t slot = tacit_cell_slot(work, column->name, word, length, column->n_inputs);
    if (!note_slot(work, count, slot)) return SIZE_MAX;
    ++count;
  }
  return count;
}

static int compare_slots(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

/* Returns how often words[0] occurs in a sorted list. */
static size_t run_of(const uint32_t *words, size_t count) {
  size_t run = 1;
  while (run < count && words[run] == words[0])
    ++run;
  return run;
}

/* Adds the counts of words, divided by their norm. */
static const char *put_words(const tacit_schema *schema, const tacit_column *column,
                             const char *text, size_t size, tacit_cell_work *work,
                             tacit_rows *rows, size_t *io_count) {
  size_t count = find_words(column, text, size, work);
  size_t more = *io_count - rows->n_entries + count + 2 * schema->row_entries + 8;
  if (count == SIZE_MAX || tacit_rows_reserve(rows, more, NULL) != TACIT_OK) {
    work->no_memory = 1;
    return "out of memory";
  }
  if (count == 0) return NULL;
  qsort(work->slots, count, sizeof *work->slots, compare_slots);
  double squares = 0;
  for (size_t i = 0, run; i < count; i += run) {
    run = run_of(work->slots + i, count - i);
    squares += (double)run * (double)run;
  }
  double scale = 1 / sqrt(squares);
  for (size_t i = 0, run; i < count; i += run) {
    run = run_of(work->slots + i, count - i);
    *io_count = tacit_rows_put(rows, *io_count, column->first + work->slots[i],
                               (double)run * scale);
  }
  return NULL;
}

/* Adds a category or a hashed text: a 1 in one of the inputs. */
static const char *put_slot(const tacit_column *column, const char *text, size_t size,
                            tacit_cell_work *work, tacit_rows *rows, size_t *io_count) {
  size_t slot = column->n_values;
  if (column->type == TACIT_COLUMN_HASHED) {
    slot = tacit_cell_slot(work, column->name, text, size, column->n_inputs);
    if (slot == SIZE_MAX) return "out of memory";
  } else {
    const tacit_entry *entry =
        tacit_entry_find(column->sorted, column->n_sorted, text, size);
    if (entry != NULL) slot = entry->number;
  }
  *io_count = tacit_rows_put(rows, *io_count, column->first + slot, 1);
  return NULL;
}

const char *tacit_cell_text(const tacit_schema *schema, const tacit_column *column,
                            const char *text, size_t size, tacit_cell_work *work,
                            tacit_rows *rows, size_t *io_count) {
  const tacit_entry *entry;
  tacit_date date;
  switch (column->type) {
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_HASHED: return put_slot(column, text, size, work, rows, io_count);
  case TACIT_COLUMN_BOOL: return put_bool(column, text, size, rows, io_count);
  case TACIT_COLUMN_ORDINAL:
    entry = tacit_entry_find(column->sorted, column->n_sorted, text, size);
    if (entry == NULL) return not_declared(text, size);
    put_level(column, entry->number, rows, io_count);
    return NULL;
  case TACIT_COLUMN_DATE:
    if (!tacit_date_parse(column->format, text, size, &date))
      return "not a date in the format that the schema declares";
    return tacit_cell_days(column, tacit_date_days(&date), rows, io_count);
  case TACIT_COLUMN_TEXT:
    return put_words(schema, column, text, size, work, rows, io_count);
  case TACIT_COLUMN_NUMERIC:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return NULL;
}
