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
 * row the number m of rows that share the bound of its person. m is counted once, over
 * all files and ranks: counted per rank or per pass, the shares of a person would add
 * up to more than one bound. Everything but N is secret.
 *
 * Uses 12 bytes per row and at most 40 per person; with several ranks 8 more per row,
 * and every rank holds the persons of all; with a cap 8 more per row.
 */
typedef struct tacit_roster tacit_roster;

/* cap: every person has the share of this many rows, and of a person with more rows as
   many are used; 0: m is the person's own number of rows. */
tacit_status tacit_roster_new(int64_t cap, tacit_roster **out, tacit_error *err);
/* NULL-safe. */
void tacit_roster_free(tacit_roster *roster);

/* Adds a row. Rows come in ascending order of their numbers. raw_content: what decides
   which rows a cap keeps, the smallest first; it must depend on the row alone, because
   an order of files may depend on other persons. */
tacit_status tacit_roster_add(tacit_roster *roster, int64_t row, const tacit_unit *unit,
                              uint64_t raw_content, tacit_error *err);
/* Writes the number of a person, who is added with no rows if new. */
tacit_status tacit_roster_find(tacit_roster *roster, const tacit_unit *unit,
                               uint32_t *out, tacit_error *err);
/* Returns 1 if the roster has this person. */
int tacit_roster_has(const tacit_roster *roster, const tacit_unit *unit);
/* After the last row. group: the ranks, if each added rows of its own; NULL: this
   process added all rows. */
tacit_status tacit_roster_meet(tacit_roster *roster, const tacit_group *group,
                               tacit_error *err);
/* N. */
int64_t tacit_roster_units(const tacit_roster *roster);
int64_t tacit_roster_cap(const tacit_roster *roster);
/* 1 if this process has the rows of all ranks. */
int tacit_roster_is_whole(const tacit_roster *roster);

/* The id of person i = 0 … N-1. */
const tacit_unit *tacit_roster_person(const tacit_roster *roster, int64_t i);
/* Rows of the persons that raw_out marks (one flag each) get no place. They still count
   in N. */
void tacit_roster_leave_out(tacit_roster *roster, const unsigned char *raw_out);

/* Deals the persons to batches by a keyed hash of their ids, all rows of a person to
   the same one. `key` is that of the run; NULL: the ids are keyed hashes already, of a
   cache. May be called again for another run. */
tacit_status tacit_roster_deal(tacit_roster *roster, const tacit_key *key,
                               int64_t batches, tacit_error *err);
/* Places of the rows of batch j: *out_first … *out_end - 1. Rows of a batch are in
   ascending order; rows that a cap leaves out have no place. */
void tacit_roster_batch(const tacit_roster *roster, int64_t j, int64_t *out_first,
                        int64_t *out_end);
/* Puts a keyed hash in the place of every id, and gives all rows places, person after
   person in the order of these hashes: a cache stores them so, because a batch is then
   a range of its rows, whatever the number of batches. No row is added afterwards. */
tacit_status tacit_roster_line_up(tacit_roster *roster, const tacit_key *key,
                                  tacit_error *err);
/* The id of a row of this process, by its number, and its m; 0 if a cap leaves it
   out. */
const tacit_unit *tacit_roster_unit(const tacit_roster *roster, int64_t row);
uint32_t tacit_roster_rows_with(const tacit_roster *roster, int64_t row);
/* Returns the row at a place. */
int64_t tacit_roster_row(const tacit_roster *roster, int64_t place);
/* The m of the rows at these places, which ascend; raw_room holds them unless the
   places follow each other, as they do where one process has all rows. */
const uint32_t *tacit_roster_shares(const tacit_roster *roster, const int64_t *places,
                                    int64_t count, uint32_t *raw_room);

#endif
