/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ROSTER_H
#define TACIT_ADMIT_ROSTER_H

#include <stdint.h>
#include <tacit/group.h>

#include "batch/unit.h"
#include "vault/key.h"

/*
 * Who the rows belong to, when the unit is a person with any number of rows. One scan
 * over the ids of all rows gives the number N of persons, which is public, and for each
 * row the number m of rows that share the bound of its person. m must be counted over
 * all files and ranks: if it were counted per rank or per pass, the shares of a person
 * would add up to more than one bound. Everything but N is secret.
 *
 * Uses 12 bytes per row and at most 40 per person; with several ranks 8 more per row,
 * and every rank holds the persons of all; with a cap 8 more per row.
 */
typedef struct tacit_roster tacit_roster;

/* Makes an empty roster. With a cap, every row gets the share of a person with `cap`
   rows, and at most so many rows of a person are used. If `cap` is 0, m is the person's
   own number of rows. */
tacit_status tacit_roster_new(int64_t cap, tacit_roster **out, tacit_error *err);
/* Frees a roster, or NULL. */
void tacit_roster_free(tacit_roster *roster);

/* Adds a row. Rows must come in ascending order of their numbers. raw_content decides
   which rows a cap keeps, the smallest first. It must depend on the row alone, because
   the order of rows in files may depend on other persons. */
tacit_status tacit_roster_add(tacit_roster *roster, int64_t row, const tacit_unit *unit,
                              uint64_t raw_content, tacit_error *err);
/* Writes the number of a person. Adds the person without rows if the roster does not
   have it yet. */
tacit_status tacit_roster_find(tacit_roster *roster, const tacit_unit *unit,
                               uint32_t *out, tacit_error *err);
/* Returns 1 if the roster has this person. */
int tacit_roster_has(const tacit_roster *roster, const tacit_unit *unit);
/* Completes the roster after the last row. `group` must be the ranks if each of them
   added rows of its own, or NULL if this process added all rows. */
tacit_status tacit_roster_meet(tacit_roster *roster, const tacit_group *group,
                               tacit_error *err);
/* Returns N, the number of persons. */
int64_t tacit_roster_units(const tacit_roster *roster);
int64_t tacit_roster_cap(const tacit_roster *roster);
/* Returns 1 if this process has the rows of all ranks. */
int tacit_roster_is_whole(const tacit_roster *roster);

/* Returns the id of person i = 0 … N-1. */
const tacit_unit *tacit_roster_person(const tacit_roster *roster, int64_t i);
/* Takes the places away from the rows of persons that raw_out marks (one flag per
   person). These persons still count in N. */
void tacit_roster_leave_out(tacit_roster *roster, const unsigned char *raw_out);

/* Deals the persons to batches by a keyed hash of their ids, all rows of a person to
   one batch. `key` must be the key of the run, or NULL if the ids are keyed hashes
   already, as in a cache. May be called again for another run. */
tacit_status tacit_roster_deal(tacit_roster *roster, const tacit_key *key,
                               int64_t batches, tacit_error *err);
/* Writes the places of the rows of batch j: *out_first … *out_end - 1. Rows of a batch
   are in ascending order. Rows that a cap leaves out have no place. */
void tacit_roster_batch(const tacit_roster *roster, int64_t j, int64_t *out_first,
                        int64_t *out_end);
/* Replaces every id by a keyed hash, and gives all rows places, person after person in
   the order of these hashes. A cache stores rows in this order, because a batch is then
   a range of its rows for any number of batches. No row may be added afterwards. */
tacit_status tacit_roster_line_up(tacit_roster *roster, const tacit_key *key,
                                  tacit_error *err);
/* Returns the id of a row of this process, by its number. tacit_roster_rows_with
   returns the m of the row, or 0 if a cap leaves it out. */
const tacit_unit *tacit_roster_unit(const tacit_roster *roster, int64_t row);
uint32_t tacit_roster_rows_with(const tacit_roster *roster, int64_t row);
/* Returns the row at a place. */
int64_t tacit_roster_row(const tacit_roster *roster, int64_t place);
/* Returns the m of the rows at these places, which must ascend. raw_room must have room
   for `count` numbers; it is used only if the places do not follow each other. */
const uint32_t *tacit_roster_shares(const tacit_roster *roster, const int64_t *places,
                                    int64_t count, uint32_t *raw_room);

#endif
