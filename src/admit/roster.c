/* SPDX-License-Identifier: MIT */
/* Persons and their rows. The sum of floor(clip/m) over the rows of a person is at most
   the clip, in whatever rounds they fall. So a person moves the sums no further than
   one row moves the sums of a run whose unit is a row. Proof: docs/proofs/persons.md */
#include "admit/roster.h"

#include <stdlib.h>
#include <string.h>
#include <tacit/order.h>

#include "admit/roster_parts.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"

enum { FIRST_SLOTS = 1 << 10 };

tacit_status tacit_roster_new(int64_t cap, tacit_roster **out, tacit_error *err) {
  if (cap < 0 || cap > UINT32_MAX)
    return tacit_fail(err, TACIT_EINVAL, "unit-rows must be between 1 and 2^32 - 1");
  tacit_roster *roster = tacit_raw_new(1, sizeof *roster);
  if (roster == NULL) return tacit_fail_memory(err);
  roster->cap = cap;
  *out = roster;
  return TACIT_OK;
}

void tacit_roster_free(tacit_roster *roster) {
  if (roster == NULL) return;
  TACIT_RAW_FREE(roster->raw_persons, roster->raw_slots, roster->raw_person,
                 roster->raw_rows, roster->raw_content, roster->raw_sorted,
                 roster->raw_unit_rows, roster->raw_first, roster);
}

/* Returns the slot of a person, or the free slot where the person would be. */
static size_t slot_of(const tacit_roster *roster, const tacit_unit *unit) {
  size_t slot = (size_t)tacit_load_le64(unit->raw_bytes) & (roster->n_slots - 1);
  for (;; slot = (slot + 1) & (roster->n_slots - 1)) {
    uint32_t number = roster->raw_slots[slot];
    if (number == 0 ||
        memcmp(&roster->raw_persons[number - 1].raw_unit, unit, sizeof *unit) == 0)
      return slot;
  }
}

/* Makes a table of twice as many slots, so that at least half of them stay free. */
static tacit_status grow_slots(tacit_roster *roster, tacit_error *err) {
  size_t size = roster->n_slots > 0 ? 2 * roster->n_slots : FIRST_SLOTS;
  uint32_t *larger = tacit_raw_new(size, sizeof *larger);
  if (larger == NULL) return tacit_fail_memory(err);
  tacit_raw_free(roster->raw_slots);
  roster->raw_slots = larger;
  roster->n_slots = size;
  for (size_t i = 0; i < roster->n_persons; ++i)
    larger[slot_of(roster, &roster->raw_persons[i].raw_unit)] = (uint32_t)i + 1;
  return TACIT_OK;
}

tacit_status tacit_roster_find(tacit_roster *roster, const tacit_unit *unit,
                               uint32_t *out, tacit_error *err) {
  if (2 * roster->n_persons >= roster->n_slots) TACIT_TRY(grow_slots(roster, err));
  size_t slot = slot_of(roster, unit);
  if (roster->raw_slots[slot] == 0) {
    if (roster->n_persons >= TACIT_ROSTER_NOBODY - 1)
      return tacit_fail(err, TACIT_EDATA, "persons: 2^32 or more");
    if (!tacit_raw_reserve(&roster->raw_persons, &roster->person_capacity,
                           roster->n_persons + 1, sizeof *roster->raw_persons))
      return tacit_fail_memory(err);
    roster->raw_persons[roster->n_persons] = (tacit_person){*unit, 0};
    roster->raw_slots[slot] = (uint32_t)++roster->n_persons;
  }
  *out = roster->raw_slots[slot] - 1;
  return TACIT_OK;
}

int tacit_roster_has(const tacit_roster *roster, const tacit_unit *unit) {
  return roster->n_slots > 0 && roster->raw_slots[slot_of(roster, unit)] != 0;
}

tacit_status tacit_roster_count(tacit_roster *roster, uint32_t person,
                                uint32_t raw_more, tacit_error *err) {
  uint32_t *raw_rows = &roster->raw_persons[person].raw_rows;
  if (raw_more > UINT32_MAX - *raw_rows)
    return tacit_fail(err, TACIT_EDATA, "a person has 2^32 rows or more");
  *raw_rows += raw_more;
  return TACIT_OK;
}

static tacit_status grow_rows(tacit_roster *roster, tacit_error *err) {
  size_t needed = roster->n_rows + 1, room = roster->row_capacity, rows = room,
         content = room;
  if (!tacit_raw_reserve(&roster->raw_person, &room, needed,
                         sizeof *roster->raw_person) ||
      (roster->raw_rows != NULL && !tacit_raw_reserve(&roster->raw_rows, &rows, needed,
                                                      sizeof *roster->raw_rows)) ||
      (roster->cap > 0 && !tacit_raw_reserve(&roster->raw_content, &content, needed,
                                             sizeof *roster->raw_content)))
    return tacit_fail_memory(err);
  roster->row_capacity = room;
  return TACIT_OK;
}

/* Keeps the row numbers from now on, because they are not 0, 1, 2 and so on. */
static tacit_status keep_numbers(tacit_roster *roster, tacit_error *err) {
  TACIT_TRY(TACIT_RAW_NEW(roster->raw_rows, roster->row_capacity, err));
  for (size_t i = 0; i < roster->n_rows; ++i)
    roster->raw_rows[i] = (int64_t)i;
  return TACIT_OK;
}

tacit_status tacit_roster_add(tacit_roster *roster, int64_t row, const tacit_unit *unit,
                              uint64_t raw_content, tacit_error *err) {
  if (roster->n_rows >= TACIT_ROSTER_NOBODY - 1)
    return tacit_fail(err, TACIT_EDATA, "persons: 2^32 rows or more in one process");
  if (roster->n_rows == roster->row_capacity) TACIT_TRY(grow_rows(roster, err));
  if (roster->raw_rows == NULL && row != (int64_t)roster->n_rows)
    TACIT_TRY(keep_numbers(roster, err));
  uint32_t person;
  TACIT_TRY(tacit_roster_find(roster, unit, &person, err));
  TACIT_TRY(tacit_roster_count(roster, person, 1, err));
  if (roster->raw_rows != NULL) roster->raw_rows[roster->n_rows] = row;
  if (roster->cap > 0) roster->raw_content[roster->n_rows] = raw_content;
  roster->raw_person[roster->n_rows++] = person;
  return TACIT_OK;
}

int64_t tacit_roster_units(const tacit_roster *roster) {
  return (int64_t)roster->n_persons;
}

int64_t tacit_roster_cap(const tacit_roster *roster) { return roster->cap; }

int tacit_roster_is_whole(const tacit_roster *roster) { return roster->is_whole; }

const tacit_unit *tacit_roster_person(const tacit_roster *roster, int64_t i) {
  return &roster->raw_persons[i].raw_unit;
}

void tacit_roster_leave_out(tacit_roster *roster, const unsigned char *raw_out) {
  for (size_t i = 0; i < roster->n_rows; ++i) {
    uint32_t person = roster->raw_person[i];
    if (person != TACIT_ROSTER_NOBODY && raw_out[person])
      roster->raw_person[i] = TACIT_ROSTER_NOBODY;
  }
}

static void hash_unit(const tacit_key *raw_units_key, const tacit_unit *raw_unit,
                      tacit_unit *raw_out) {
  tacit_hash_of(raw_unit->raw_bytes, sizeof *raw_unit, NULL, raw_units_key->bytes,
                sizeof raw_units_key->bytes, raw_out->raw_bytes, sizeof *raw_out);
}

/* Returns the batch of a person: the keyed hash of the id, as a fraction of 1, times
   the number of batches. */
static uint32_t batch_of(const tacit_unit *raw_hash, int64_t batches) {
  uint64_t raw_fraction = tacit_load_le64(raw_hash->raw_bytes);
  return (uint32_t)((tacit_u128)raw_fraction * (uint64_t)batches >> 64);
}

static void batches_of(const tacit_roster *roster, const tacit_key *key,
                       int64_t batches, uint32_t *raw_out) {
  tacit_key raw_units_key;
  if (key != NULL) tacit_key_derive(key, "tacit-units-1", &raw_units_key);
  for (size_t i = 0; i < roster->n_persons; ++i) {
    tacit_unit raw_hash = roster->raw_persons[i].raw_unit;
    if (key != NULL) hash_unit(&raw_units_key, &raw_hash, &raw_hash);
    raw_out[i] = batch_of(&raw_hash, batches);
  }
  if (key != NULL) tacit_key_wipe(&raw_units_key);
}

tacit_status tacit_order_units(const void *raw_units, size_t unit_bytes, int64_t count,
                               int64_t batches,
                               const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                               int64_t *raw_batches, tacit_error *err) {
  if (raw_units == NULL || raw_key == NULL || raw_batches == NULL || batches < 1 ||
      batches > UINT32_MAX)
    return tacit_fail(err, TACIT_EINVAL, "units: ids, key, result or batches missing");
  tacit_key raw_order_key, raw_units_key;
  memcpy(raw_order_key.bytes, raw_key, sizeof raw_order_key.bytes);
  tacit_key_derive(&raw_order_key, "tacit-units-1", &raw_units_key);
  tacit_key_wipe(&raw_order_key);
  int64_t i = 0;
  tacit_unit raw_unit;
  for (; i < count && tacit_unit_at(raw_units, unit_bytes, i, &raw_unit); ++i) {
    hash_unit(&raw_units_key, &raw_unit, &raw_unit);
    raw_batches[i] = batch_of(&raw_unit, batches);
  }
  tacit_key_wipe(&raw_units_key);
  if (i >= count) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "row %lld: no id", (long long)i + 1);
}

/* Returns the m of each row of this person. */
static uint32_t rows_with(const tacit_roster *roster, uint32_t person) {
  return roster->cap > 0 ? (uint32_t)roster->cap : roster->raw_persons[person].raw_rows;
}

/* Sorts rows by batch, by counting, so that rows of a batch stay in ascending order.
   Stores m beside them, so that a pass, which takes places in order, need not look
   persons up. */
static void sort_rows(tacit_roster *roster, const uint32_t *raw_batches) {
  int64_t *first = roster->raw_first, sum = 0;
  for (size_t i = 0; i < roster->n_rows; ++i) {
    uint32_t person = roster->raw_person[i];
    if (person != TACIT_ROSTER_NOBODY) ++first[raw_batches[person]];
  }
  for (int64_t j = 0; j <= roster->batches; ++j) {
    int64_t rows = first[j];
    first[j] = sum;
    sum += rows;
  }
  for (size_t i = 0; i < roster->n_rows; ++i) {
    uint32_t person = roster->raw_person[i];
    if (person == TACIT_ROSTER_NOBODY) continue;
    int64_t place = first[raw_batches[person]]++;
    roster->raw_sorted[place] = (uint32_t)i;
    roster->raw_unit_rows[place] = rows_with(roster, person);
  }
  for (int64_t j = roster->batches; j > 0; --j) /* each number is where the next batch
                                                   began */
    first[j] = first[j - 1];
  first[0] = 0;
}

/* Makes room for the rows in `batches` batches. */
static tacit_status make_places(tacit_roster *roster, int64_t batches,
                                tacit_error *err) {
  TACIT_RAW_FREE(roster->raw_sorted, roster->raw_unit_rows, roster->raw_first);
  roster->raw_sorted = tacit_raw_new(roster->n_rows, sizeof *roster->raw_sorted);
  roster->raw_unit_rows = tacit_raw_new(roster->n_rows, sizeof *roster->raw_unit_rows);
  roster->raw_first = tacit_raw_new((size_t)batches + 1, sizeof *roster->raw_first);
  roster->batches = batches;
  int has_rows = roster->raw_sorted != NULL && roster->raw_unit_rows != NULL;
  int got = (has_rows || roster->n_rows == 0) && roster->raw_first != NULL;
  return got ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_roster_deal(tacit_roster *roster, const tacit_key *key,
                               int64_t batches, tacit_error *err) {
  if (batches < 1 || batches > tacit_roster_units(roster))
    return tacit_fail(err, TACIT_EINVAL, "more batches than persons");
  TACIT_TRY(make_places(roster, batches, err));
  uint32_t *raw_batches = tacit_raw_new(roster->n_persons, sizeof *raw_batches);
  if (raw_batches == NULL) return tacit_fail_memory(err);
  batches_of(roster, key, batches, raw_batches);
  sort_rows(roster, raw_batches);
  tacit_raw_free(raw_batches);
  return TACIT_OK;
}

/* A person with the keyed hash that decides about the place in the line. */
struct standing {
  tacit_unit raw_unit;
  uint32_t person;
};

static int compare_standing(const void *left, const void *right) {
  const struct standing *a = left, *b = right;
  uint64_t first = tacit_load_le64(a->raw_unit.raw_bytes);
  uint64_t second = tacit_load_le64(b->raw_unit.raw_bytes);
  if (first != second) return first < second ? -1 : 1;
  return memcmp(&a->raw_unit, &b->raw_unit, sizeof a->raw_unit);
}

tacit_status tacit_roster_line_up(tacit_roster *roster, const tacit_key *key,
                                  tacit_error *err) {
  size_t persons = roster->n_persons;
  TACIT_TRY(make_places(roster, (int64_t)persons, err));
  struct standing *raw_line = tacit_raw_new(persons, sizeof *raw_line);
  uint32_t *raw_batches = tacit_raw_new(persons, sizeof *raw_batches);
  int got = raw_line != NULL && raw_batches != NULL;
  for (size_t i = 0; got && i < persons; ++i) {
    tacit_unit *raw_unit = &roster->raw_persons[i].raw_unit;
    hash_unit(key, raw_unit, raw_unit);
    raw_line[i] = (struct standing){*raw_unit, (uint32_t)i};
  }
  if (got) {
    qsort(raw_line, persons, sizeof *raw_line, compare_standing);
    for (size_t i = 0; i < persons; ++i)
      raw_batches[raw_line[i].person] = (uint32_t)i;
    sort_rows(roster, raw_batches);
  }
  TACIT_RAW_FREE(raw_line, raw_batches);
  return got ? TACIT_OK : tacit_fail_memory(err);
}

void tacit_roster_batch(const tacit_roster *roster, int64_t j, int64_t *out_first,
                        int64_t *out_end) {
  *out_first = roster->raw_first[j];
  *out_end = roster->raw_first[j + 1];
}

int64_t tacit_roster_row(const tacit_roster *roster, int64_t place) {
  uint32_t i = roster->raw_sorted[place];
  return roster->raw_rows != NULL ? roster->raw_rows[i] : (int64_t)i;
}

const uint32_t *tacit_roster_shares(const tacit_roster *roster, const int64_t *places,
                                    int64_t count, uint32_t *raw_room) {
  if (count > 0 && places[count - 1] - places[0] == count - 1)
    return roster->raw_unit_rows + places[0];
  for (int64_t i = 0; i < count; ++i)
    raw_room[i] = roster->raw_unit_rows[places[i]];
  return raw_room;
}

size_t tacit_roster_index(const tacit_roster *roster, int64_t row) {
  int64_t low = -1, high = (int64_t)roster->n_rows, rows = high;
  if (roster->raw_rows == NULL) return (size_t)(row >= 0 && row < rows ? row : rows);
  TACIT_HALVE(int64_t, low, high, roster->raw_rows[middle] < row);
  return (size_t)(high < rows && roster->raw_rows[high] == row ? high : rows);
}

const tacit_unit *tacit_roster_unit(const tacit_roster *roster, int64_t row) {
  return &roster->raw_persons[roster->raw_person[tacit_roster_index(roster, row)]]
              .raw_unit;
}

uint32_t tacit_roster_rows_with(const tacit_roster *roster, int64_t row) {
  uint32_t person = roster->raw_person[tacit_roster_index(roster, row)];
  return person != TACIT_ROSTER_NOBODY ? rows_with(roster, person) : 0;
}
