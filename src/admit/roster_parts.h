/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ROSTER_PARTS_H
#define TACIT_ADMIT_ROSTER_PARTS_H

#include "admit/roster.h"

/* What roster.c and roster_meet.c share. */

#define TACIT_ROSTER_NOBODY UINT32_MAX

/* A person, and the rows counted so far. */
typedef struct tacit_person {
  tacit_unit raw_unit;
  uint32_t raw_rows;
} tacit_person;

struct tacit_roster {
  int64_t cap;
  int is_whole;
  /* Persons, in the order of their first rows, and an open table that finds them. */
  tacit_person *raw_persons;
  size_t n_persons, person_capacity;
  uint32_t *raw_slots; /* number of a person plus one; 0 for a free slot */
  size_t n_slots;
  /* Rows of this process. */
  uint32_t *raw_person;  /* person of each row; TACIT_ROSTER_NOBODY if the row is left
                            out */
  int64_t *raw_rows;     /* their numbers; NULL if they are 0, 1, 2 and so on */
  uint64_t *raw_content; /* what the cap orders rows by; NULL without a cap */
  size_t n_rows, row_capacity;
  /* Set by tacit_roster_deal: rows sorted by batch, the m of each row, and the first
     place of each batch. */
  uint32_t *raw_sorted, *raw_unit_rows;
  int64_t *raw_first;
  int64_t batches;
};

/* Returns the index of a row of this process in the roster, or n_rows if it has no such
   row. */
size_t tacit_roster_index(const tacit_roster *roster, int64_t row);
/* Adds to the number of rows of a person. */
tacit_status tacit_roster_count(tacit_roster *roster, uint32_t person,
                                uint32_t raw_more, tacit_error *err);

#endif
