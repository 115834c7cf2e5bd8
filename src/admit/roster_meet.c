/* SPDX-License-Identifier: MIT */
/* Brings the ids of all ranks together: every rank sends its persons with the rows that
   it counted, and all add up equal totals. If there is a cap, ranks also send the rows
   of persons who have more, and all agree which rows are used. */
#include <stdlib.h>
#include <string.h>

#include "admit/roster_parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "ranks/ranks.h"

/* Points of the program for tacit_group_agree. */
enum { STEP_COUNTED = 0x726f7300, STEP_MET, STEP_KEPT, STEP_ROOM };

/* Records of all ranks, beginning with the records of rank 0. */
struct gathered {
  unsigned char *raw_bytes;
  size_t count, first, own; /* all records, the first record of this rank, and how many
                               this rank has */
};

/* Exchanges the sizes and makes room for all records. If one rank fails, all fail. */
static tacit_status make_room(const tacit_group *group, size_t own, size_t size,
                              size_t *bytes, struct gathered *out, tacit_error *err) {
  size_t ranks = (size_t)group->size, rank = (size_t)group->rank;
  size_t *each = tacit_array_new(ranks, sizeof *each);
  tacit_status status = each != NULL ? TACIT_OK : tacit_fail_memory(err);
  status = tacit_group_agree(group, STEP_ROOM, status, err);
  for (size_t i = 0; status == TACIT_OK && i < ranks; ++i)
    each[i] = sizeof *bytes;
  if (status == TACIT_OK) {
    bytes[rank] = own * size;
    status = tacit_group_gather(group, bytes, each, err);
  }
  for (size_t i = 0; status == TACIT_OK && i < ranks; ++i) {
    if (i == rank) out->first = out->count;
    out->count += bytes[i] / size;
  }
  tacit_array_free(each);
  if (status != TACIT_OK) return status;
  out->own = own;
  out->raw_bytes = tacit_raw_new(out->count + 1, size);
  status = out->raw_bytes != NULL ? TACIT_OK : tacit_fail_memory(err);
  return tacit_group_agree(group, STEP_ROOM, status, err);
}

/* Writes the records of all ranks to *out. The caller frees raw_bytes, even after a
   failure. */
static tacit_status gather(const tacit_group *group, const void *raw_own, size_t own,
                           size_t size, struct gathered *out, tacit_error *err) {
  size_t ranks = group != NULL ? (size_t)group->size : 1;
  size_t *bytes = tacit_array_new(ranks, sizeof *bytes);
  tacit_status status = bytes != NULL ? TACIT_OK : tacit_fail_memory(err);
  *out = (struct gathered){0};
  if (group == NULL) {
    if (status == TACIT_OK) out->raw_bytes = tacit_raw_new(own + 1, size);
    if (status == TACIT_OK && out->raw_bytes == NULL) status = tacit_fail_memory(err);
    out->count = out->own = own;
  } else {
    status = tacit_group_agree(group, STEP_COUNTED, status, err);
    if (status == TACIT_OK) status = make_room(group, own, size, bytes, out, err);
  }
  if (status == TACIT_OK && own > 0)
    memcpy(out->raw_bytes + out->first * size, raw_own, own * size);
  if (status == TACIT_OK)
    status = tacit_group_gather(group, out->raw_bytes, bytes, err);
  tacit_array_free(bytes);
  return status;
}

/* Adds the rows that the other ranks counted. */
static tacit_status add_others(tacit_roster *roster, const struct gathered *all,
                               tacit_error *err) {
  const tacit_person *raw_persons = (const tacit_person *)all->raw_bytes;
  for (size_t i = 0; i < all->count; ++i) {
    if (i >= all->first && i < all->first + all->own) continue;
    uint32_t person;
    TACIT_TRY(tacit_roster_find(roster, &raw_persons[i].raw_unit, &person, err));
    TACIT_TRY(tacit_roster_count(roster, person, raw_persons[i].raw_rows, err));
  }
  return TACIT_OK;
}

/* A row of a person who has more rows than the cap. */
struct candidate {
  tacit_unit raw_unit;
  uint64_t raw_content;
  int64_t row;
};

static int compare_candidates(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  int order = memcmp(&a->raw_unit, &b->raw_unit, sizeof a->raw_unit);
  if (order != 0) return order;
  if (a->raw_content != b->raw_content) return a->raw_content < b->raw_content ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row; /* equal content: either row will do */
}

/* Takes a row out of the roster if this process has it. */
static void leave_out(tacit_roster *roster, int64_t row) {
  size_t i = tacit_roster_index(roster, row);
  if (i < roster->n_rows) roster->raw_person[i] = TACIT_ROSTER_NOBODY;
}

static size_t list_candidates(const tacit_roster *roster, struct candidate *raw_out) {
  size_t count = 0;
  for (size_t i = 0; i < roster->n_rows; ++i) {
    const tacit_person *person = &roster->raw_persons[roster->raw_person[i]];
    if ((int64_t)person->raw_rows <= roster->cap) continue;
    if (raw_out != NULL)
      raw_out[count] = (struct candidate){person->raw_unit, roster->raw_content[i],
                                          roster->raw_rows != NULL ? roster->raw_rows[i]
                                                                   : (int64_t)i};
    ++count;
  }
  return count;
}

/* Leaves out rows of persons who have more than the cap: the rows with the smallest
   content stay. */
static tacit_status keep_smallest(tacit_roster *roster, const tacit_group *group,
                                  tacit_error *err) {
  size_t own = list_candidates(roster, NULL);
  struct candidate *raw_own = tacit_raw_new(own + 1, sizeof *raw_own);
  struct gathered all = {0};
  tacit_status status = raw_own != NULL ? TACIT_OK : tacit_fail_memory(err);
  status = tacit_group_agree(group, STEP_KEPT, status, err);
  if (status == TACIT_OK) {
    (void)list_candidates(roster, raw_own);
    status = gather(group, raw_own, own, sizeof *raw_own, &all, err);
  }
  struct candidate *raw_all = (struct candidate *)all.raw_bytes;
  if (status == TACIT_OK && all.count > 0)
    qsort(raw_all, all.count, sizeof *raw_all, compare_candidates);
  int64_t place = 0; /* number of the row among the rows of its person */
  for (size_t i = 0; status == TACIT_OK && i < all.count; ++i) {
    int same = i > 0 && memcmp(&raw_all[i].raw_unit, &raw_all[i - 1].raw_unit,
                               sizeof(tacit_unit)) == 0;
    place = same ? place + 1 : 0;
    if (place >= roster->cap) leave_out(roster, raw_all[i].row);
  }
  TACIT_RAW_FREE(raw_own, all.raw_bytes);
  return status;
}

tacit_status tacit_roster_meet(tacit_roster *roster, const tacit_group *group,
                               tacit_error *err) {
  roster->is_whole = group == NULL;
  if (group != NULL) {
    struct gathered all;
    tacit_status status = gather(group, roster->raw_persons, roster->n_persons,
                                 sizeof *roster->raw_persons, &all, err);
    if (status == TACIT_OK) {
      status = add_others(roster, &all, err);
      status = tacit_group_agree(group, STEP_MET, status, err);
    }
    tacit_raw_free(all.raw_bytes);
    TACIT_TRY(status);
  }
  return roster->cap > 0 ? keep_smallest(roster, group, err) : TACIT_OK;
}
