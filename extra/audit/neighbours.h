/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_NEIGHBOURS_H
#define TACIT_EXTRA_AUDIT_NEIGHBOURS_H

#include "data/reader/reader.h"
#include "extra/audit/rows.h"
#include "plan/plan.h"

/*
 * Two neighbouring data sets that are made up. All records but one, the canary, are
 * equal in both. The canary is far longer than rows may be, so it fills its bound. In
 * the first set it lies along the first feature. In the second set it has the opposite
 * direction (replace), or is not a number and adds nothing (zero-out).
 *
 * In a secret order of rows the files are sorted by the first feature: the canary is
 * the last row of the first file and the first row of the second, so all other rows
 * move by one place. Otherwise the canary comes first in both files. A canary that is a
 * person has several rows.
 */
typedef struct tacit_neighbours {
  int64_t rows;
  size_t features;
  int64_t moved;    /* row i of the first file is row (i + moved) mod rows of the
                       second */
  int64_t first[2]; /* first row of the canary in each file */
  int64_t canaries; /* number of rows of the canary */
  int64_t share;    /* number of rows that share its bound, or 0 if rows are no
                       persons */
  int shuffled;
  tacit_made_rows files[2];
} tacit_neighbours;

/* Returns TACIT_EINVAL if there are too few records, or too many to make up. */
tacit_status tacit_neighbours_check(const tacit_config *config, tacit_error *err);
/* Makes the neighbours that are the worst case of a plan. */
tacit_status tacit_neighbours_new(const tacit_plan *plan, tacit_neighbours **out,
                                  tacit_error *err);
void tacit_neighbours_free(tacit_neighbours *neighbours);

/* Returns the row of file `to` that is row i of file `from`. */
static inline int64_t tacit_neighbours_row(const tacit_neighbours *both, int from,
                                           int to, int64_t i) {
  return (i + both->moved * (to - from) + both->rows) % both->rows;
}

static inline int tacit_neighbours_is_canary(const tacit_neighbours *both, int which,
                                             int64_t i) {
  return i >= both->first[which] && i < both->first[which] + both->canaries;
}

/* Told which rows of a file a run takes. */
typedef struct tacit_neighbours_spy {
  void (*taken)(void *context, const int64_t *rows, int64_t count);
  void *context;
} tacit_neighbours_spy;

/* Opens one of the files as a reader for runs. `both` must outlive the reader. */
tacit_status tacit_neighbours_reader(const tacit_neighbours *both, int which,
                                     const tacit_neighbours_spy *spy, int64_t unit_rows,
                                     tacit_reader **out, tacit_error *err);

#endif
