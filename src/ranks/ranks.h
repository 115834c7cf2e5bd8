/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RANKS_RANKS_H
#define TACIT_RANKS_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/group.h>

/*
 * The ranks that work together, on top of the collectives of a tacit_group.
 *
 * A failure of one rank is a failure of all. What may fail on one rank is written as a
 * step. The functions below run the step, and the ranks then agree on its result. So no
 * function takes the status of an earlier call as an argument.
 */
typedef tacit_status (*tacit_step)(void *context, tacit_error *err);

/* This process among the ranks. If all fields are zero, the process is alone, and every
   function below does what a single process does. */
typedef struct tacit_ranks {
  const tacit_group *group;          /* NULL if the process is alone */
  struct tacit_rank_message *raw_in; /* one message per rank */
  size_t *in_bytes;
  tacit_status own; /* result of this rank's last step */
  int is_over; /* 1 if all ranks know of a failure, or cannot be reached; the group is
                  not called again */
} tacit_ranks;

/* Joins a group after checking it; group = NULL means alone. Call tacit_ranks_fini also
   after a failure. */
tacit_status tacit_ranks_init(tacit_ranks *ranks, const tacit_group *group,
                              tacit_error *err);
void tacit_ranks_fini(tacit_ranks *ranks);
/* Returns 1 on rank 0, and for a process that is alone. */
int tacit_ranks_leads(const tacit_ranks *ranks);

/* Points of the program. Ranks that synchronise at different points get TACIT_ESTATE.
   Round t uses the numbers 2t and 2t + 1; tacit_group_agree uses numbers below
   TACIT_POINT_STEP. */
enum { TACIT_POINT_START = -3, TACIT_POINT_STEP = -4 };

/* What the ranks exchange when they synchronise. */
typedef struct tacit_sync {
  int64_t point;
  uint64_t public_check;        /* must be the same on all ranks */
  tacit_status differs;         /* status of all ranks if public_check differs */
  const char *message;          /* text that follows "rank 2 " in the message of that
                                   failure */
  int64_t raw_count;            /* on return: the sum over all ranks */
  unsigned char raw_digest[16]; /* on return: the XOR over all ranks */
} tacit_sync;

/* Runs `step` (does nothing if it is NULL) and synchronises with the other ranks. The
   step may fill in *sync. Returns TACIT_OK on all ranks, or on all ranks the failure of
   the lowest rank that failed. */
tacit_status tacit_ranks_sync(tacit_ranks *ranks, tacit_sync *sync, tacit_step step,
                              void *context, tacit_error *err);
/* Like tacit_ranks_sync, but exchanges only the result of the step. */
tacit_status tacit_ranks_step(tacit_ranks *ranks, tacit_step step, void *context,
                              tacit_error *err);
/* Runs a step after which the ranks do not synchronise if it succeeds. A failure ends
   the work of all ranks: the others learn of it when they next synchronise. */
tacit_status tacit_ranks_attempt(tacit_ranks *ranks, tacit_step step, void *context,
                                 tacit_error *err);

/* Call the collectives of the group and turn failures into messages. They do nothing if
   the process is alone. */
tacit_status tacit_ranks_broadcast(tacit_ranks *ranks, void *bytes, size_t count,
                                   tacit_error *err);
tacit_status tacit_ranks_gather(tacit_ranks *ranks, void *bytes, const size_t *counts,
                                tacit_error *err);
tacit_status tacit_ranks_sum(tacit_ranks *ranks, const int64_t *raw_all,
                             const size_t *counts, int64_t *raw_mine, tacit_error *err);
/* Returns 1 if the group can gather pieces on one rank alone, with tacit_ranks_collect.
   That function writes the pieces of all ranks to raw_all of rank 0; raw_all must be
   NULL on the other ranks. It must not be called if tacit_ranks_collects returns 0. */
int tacit_ranks_collects(const tacit_ranks *ranks);
tacit_status tacit_ranks_collect(tacit_ranks *ranks, const void *raw_mine,
                                 const size_t *counts, void *raw_all, tacit_error *err);

/* Does what tacit_ranks_sync does, for callers that keep no tacit_ranks. `group` is
   NULL for a process that is alone. The caller chooses sync->point, as in
   tacit_group_agree. */
tacit_status tacit_group_sync(const tacit_group *group, tacit_sync *sync,
                              tacit_step step, void *context, tacit_error *err);
/* Like tacit_group_sync, but exchanges only the result of the step. */
tacit_status tacit_group_step(const tacit_group *group, int64_t point, tacit_step step,
                              void *context, tacit_error *err);
/* Calls gather_all of the group. Does nothing if `group` is NULL. */
tacit_status tacit_group_gather(const tacit_group *group, void *bytes,
                                const size_t *counts, tacit_error *err);

#endif
